// SPDX-License-Identifier: MIT
// What is selected, in words and figures: a request with its stages, or any other slice.

const facing = { request: null };

function hint() {
	byId("detail").hidden = Boolean(view.range);
	byId("detail").replaceChildren(make("h3", {}, "Nothing selected"),
		make("p", { class: "hint" }, "Click a slice, or search for one: a request's stages, who was in its way and the arrow back to the call are shown here."),
		make("p", { class: "hint" }, "Drag to choose a time: its sums are shown here. Shift and drag moves the view, Ctrl and the wheel zooms; a click on a line's title keeps it on top; keys: press ?"));
}

function stageRows(request) {
	const rows = request.stages.filter(s => s.known || s.unknown).map(s => ({ name: s.name, style: s.name, ns: s.known ? s.lo : NaN, max: s.hi, known: s.known }));
	if (request.wake >= 0)
		rows.push({ name: "wake", style: "wake", ns: request.wake, max: request.wake, known: true });
	return rows;
}

function stageTable(request) {
	const most = Math.max(1, ...stageRows(request).map(s => s.ns || 0)), table = make("table", { id: "requeststages" });
	fillTable(table, [
		{ name: "stage", of: s => make("span", {}, swatch(s.style), word(s.name)) },
		{ name: "time", n: true, of: s => make("span", { "data-ns": s.known ? String(s.ns) : "", title: s.known ? exact(s.ns) : "" }, s.known ? span(s.ns, s.max) : "unknown") },
		{ name: "", of: s => make("span", { class: "meter", "aria-hidden": "true" }, make("i", { style: `width: ${100 * (s.ns || 0) / most}%; background: var(--${s.style})` })) },
	], stageRows(request));
	return table;
}

function factRows(pairs) {
	const table = make("table", {});
	table.append(make("tbody", {}, ...pairs.filter(p => p && p[1] !== "" && p[1] !== null).map(p => make("tr", {}, make("th", { scope: "row" }, p[0]), make("td", {}, p[1])))));
	return table;
}

function goButton(text, act) {
	const button = make("button", {}, text);
	button.addEventListener("click", act);
	return button;
}

// The longest stage, and whose doing it was, in one sentence.
function why(request, preempted) {
	const known = request.stages.filter(s => s.known), longest = known.reduce((a, b) => b.lo > a.lo ? b : a, known[0] || { lo: 0 });
	// What is not known may have been longer.
	if (!longest.lo || !(request.total >= 0) || request.totalMax - known.reduce((sum, s) => sum + s.lo, 0) > longest.lo)
		return "";
	const share = ` (${span(longest.lo, longest.hi)} of ${span(request.total, request.totalMax)})`;
	const who = longest.name === "device_queue" && request.behind ? ", behind " + request.behind.owner
		: longest.name === "preempted" && preempted.length ? ", taken off by " + [...new Set(preempted.map(culpritOf))].join(", ") : "";
	return `Longest: ${longest.name}${share}${who}.`;
}

// What came after the signal, when it took longer than anything before it.
function afterwards(request, wait) {
	if (!wait || !(request.wake > 0) || request.stages.some(s => s.known && s.lo > request.wake))
		return "";
	const tid = facts.tracks[wait.row.track].tid, sums = new Map();
	for (const track of tracksOf(t => t.kind === KIND.STARVED && t.tid === tid))
		for (const row of data.rows[track.id])
			for (let i = firstAfter(row, request.at.signal); i < row.n && row.begin[i] < ends(wait)[1]; i++)
				sums.set(row.info[i], (sums.get(row.info[i]) || 0) + row.end[i] - row.begin[i]);
	const [who, ns] = [...sums].reduce((a, b) => b[1] > a[1] ? b : a, [0, 0]);
	return `Then its thread took ${duration(request.wake)} to wake up` +
		(who && ns > request.wake / 2 ? `: it could run, but ${facts.tasks[who - 1]} had the CPU for ${duration(ns)}.` : ".");
}

// Of one of the worst requests: each time with the event and the rule that show it, as gpulane explain has it.
function evidenceOf(request) {
	const of = facts.explained.find(e => e.context === request.context && e.seqno === request.seqno);
	if (!of)
		return [make("p", { class: "hint", id: "evidence" }, `Which events show these times: gpulane explain RECORDING ${request.context}:${request.seqno}`)];
	const shown = e => e ? make("span", { title: e.sentence }, `R${e.rule} ${e.event}` + (e.request && e.request !== `${request.context}:${request.seqno}` ? " of " + e.request : "") + (e.cpu === undefined ? "" : " on CPU " + e.cpu)) : "follows from other times";
	const rows = of.times.flatMap(t => t.at_ns.min === t.at_ns.max ? [{ what: t.what, at: t.at_ns.max, by: t.not_after }]
		: [{ what: t.what + ", not before", at: t.at_ns.min, by: t.not_before }, { what: "not after", at: t.at_ns.max, by: t.not_after }]);
	const table = make("table", { id: "evidence" });
	fillTable(table, [
		{ name: "time", of: r => r.what },
		{ name: "at", n: true, of: r => clock(r.at, 1) },
		{ name: "shown by", of: r => shown(r.by) },
	], rows);
	return [table, of.unknown_because ? make("p", {}, `Unknown: ${of.unknown.join(", ")}: ${of.unknown_because}.`) : ""];
}

function culpritOf(slice) {
	const client = slice.row.info[slice.i];
	return client ? facts.clients[client - 1].name : "somebody unknown";
}

function threadName(tid) {
	const track = facts.tracks.find(t => t.tid === tid && t.kind === KIND.THREAD) || facts.tracks.find(t => t.tid === tid);
	return tid > 0 ? track && track.name || String(tid) : "";
}

// Buttons that lead to requests; nothing of none.
function requestButtons(numbers) {
	const known = numbers.filter(n => n >= 0), more = known.length - MOST_NEIGHBOURS;
	return known.length ? make("span", { class: "go" }, ...known.slice(0, MOST_NEIGHBOURS).map(n => goButton(label(requestOf(n)), () => selectRequest(n))), more > 0 ? `and ${count(more)} more` : "") : "";
}

function showRequest(number, links) {
	const request = requestOf(number), at = request.at, { after, waiters, ahead, behind } = links.neighbours;
	facing.request = request;
	byId("detail").hidden = false;
	byId("detail").replaceChildren(
		make("h3", { id: "requestname" }, label(request)),
		make("p", { class: "hint" }, `context ${request.context}, seqno ${request.seqno}` + (request.engine ? ", " + request.engine : "")),
		request.burst ? make("p", { id: "burst" }, word("burst"), " of a long-running queue: user space submits in it, and the kernel does not see single kernels.") : "",
		make("p", {}, why(request, links.preempted), " ", afterwards(request, links.wait)),
		stageTable(request),
		make("div", { class: "go" }, goButton("Zoom to it", () => zoomTo(links.begin, links.end)),
			links.command ? goButton("The command", () => { jump(links.command); selectSlice(links.command); }) : "",
			links.submit ? goButton("The call", () => jump(links.submit)) : "",
			links.run ? goButton("Its run", () => jump(links.run)) : "",
			links.wait ? goButton("The wake-up", () => jump(links.wait)) : ""),
		factRows([
			["in all", request.total >= 0 ? span(request.total, request.totalMax) + (request.total === request.totalMax ? ` (${exact(request.total)})` : "") : "unknown"],
			["submitted by", threadName(request.tid)],
			["queued", at.queue >= 0 ? clock(at.queue, 1) : ""], ["added", at.add >= 0 ? clock(at.add, 1) : ""],
			["submitted", at.submit >= 0 ? clock(at.submit, 1) : ""], ["executed", at.execute >= 0 ? clock(at.execute, 1) : ""],
			["started", at.start >= 0 ? clock(at.start, 1) + (at.startMax > at.start ? " or up to " + duration(at.startMax - at.start) + " later" : "") : ""],
			[request.burst ? "over" : "ended", at.end >= 0 ? clock(at.end, 1) + (at.endMax > at.end ? " or up to " + duration(at.endMax - at.end) + " later" : "") : ""],
			request.fault ? ["not complete", make("span", { class: "bad" }, word(request.fault))] : null,
			["signalled", at.signal >= 0 ? clock(at.signal, 1) : ""], ["retired", at.retire >= 0 ? clock(at.retire, 1) : ""],
			["waited for", requestButtons([after])],
			["behind", request.behind ? make("span", {}, request.behind.owner + ", context " + request.behind.ctx, requestButtons([ahead])) : ""],
			["waited for it", requestButtons(waiters)],
			["stood behind it", requestButtons(behind)],
			["preempted", request.preemptions ? `${request.preemptions} times` + (links.preempted.length ? ", by " + [...new Set(links.preempted.map(culpritOf))].join(", ") : "") : ""],
			["priority", request.prio === null ? "" : String(request.prio)],
			["waits for it", request.waits ? String(request.waits) : ""],
			["of the wake-up", request.wakeRunqueue > 0 ? duration(request.wakeRunqueue) + " woken, but not running" : ""],
			request.open ? ["not over", "when the recording ended"] : null,
		]), ...evidenceOf(request));
}

// An OpenCL command: its times by the device, and the request that carried it.
function showCommand(slice) {
	const command = commandOf(slice.row.info[slice.i] - 1), at = command.at, known = hasRequest(command.request);
	const of = (name, from, to) => [name, to >= from ? duration(to - from) + " (" + exact(to - from) + ")" : "unknown"], waited = waitedFor(command);
	const most = Math.max(1, ...command.stages.map(nsOf)), style = { call: "signal", held: "host_queue", host_queue: "host_queue", device_queue: "device_queue", queue_or_before: "device_queue", before: "dependency", running: "running", preempted: "preempted", signal: "signal", unnoticed: "wake" };
	const stages = make("table", { id: "commandstages" });
	fillTable(stages, [
		{ name: "stage", of: s => make("span", {}, swatch(style[s.name]), word(s.name)) },
		{ name: "time", n: true, of: s => make("span", { "data-ns": String(nsOf(s)), title: exact(nsOf(s)) }, duration(nsOf(s))) },
		{ name: "", of: s => make("span", { class: "meter", "aria-hidden": "true" }, make("i", { style: `width: ${100 * nsOf(s) / most}%; background: var(--${style[s.name]})` })) },
	], command.stages);
	facing.request = null;
	byId("detail").hidden = false;
	byId("detail").replaceChildren(
		make("h3", {}, nameOf(KIND.CLQUEUE, slice.row, slice.i)),
		make("p", { class: "hint" }, `${command.kind}, enqueued by ${command.function} in ${threadName(command.tid) || "an unknown thread"}`),
		make("p", {}, waited ? `Waited longest for ${waited}.` : ""), command.stages.length ? stages : make("p", { class: "hint" }, "Its call, its times or its completion is missing: its stages are not known."),
		factRows([of("by the device: queued", at.queued, at.submitted), of("submitted", at.submitted, at.start), of("running", at.start, at.end),
			["waits for events", command.waits ? count(command.waits) : ""], ["status", command.status ? String(command.status) : ""],
			["its request", known ? label(requestOf(command.request)) : "not known"], ["how sure", `${command.certainty}: ${command.why}`]]),
		make("div", { class: "go" }, goButton("Zoom to it", () => zoomTo(...ends(slice))),
			known ? goButton("Its request", () => selectRequest(command.request)) : ""));
}

// An engine's idle time: its causes, the request that ended it, and the thread that submitted this.
function idleRows(slice) {
	const { row, i } = slice, track = facts.tracks[row.track], number = row.request[i];
	return [...causesAt(track.engine, row.begin[i]).map(([cause, ns]) => [word(cause), duration(ns)]),
		["ended by", hasRequest(number) ? label(requestOf(number)) : ""],
		["submitted by", hasRequest(number) ? threadName(requestOf(number).tid) : ""]];
}

// Where an idle time ended.
function idleButtons(slice) {
	const number = slice.row.request[slice.i];
	if (!hasRequest(number))
		return [];
	const links = linksOf(number);
	return [goButton("The request that ended it", () => selectRequest(number)), links.submit ? goButton("Its call", () => { jump(links.submit); selectSlice(links.submit); }) : ""];
}

function showSlice(slice) {
	const { row, i } = slice, track = facts.tracks[row.track], kind = track.kind, isIdle = kind === KIND.IDLE;
	facing.request = null;
	byId("detail").hidden = false;
	byId("detail").replaceChildren(
		make("h3", {}, nameOf(kind, row, i)),
		make("p", { class: "hint" }, facts.kinds[kind].help),
		factRows([
			["on", track.engine !== undefined ? facts.engines[track.engine] : track.name || ""],
			["from", clock(row.begin[i], 1)], ["to", clock(row.end[i], 1)],
			["for", duration(row.end[i] - row.begin[i]) + " (" + exact(row.end[i] - row.begin[i]) + ")"],
			["CPU", kind === KIND.THREAD && row.state[i] === RUNNING ? String(row.info[i] - 1) : ""],
			["to wake up", kind === KIND.WAIT && row.info[i] ? duration(row.info[i] - 1) : ""],
			["events", kind === KIND.LOST ? row.info[i] ? count(row.info[i]) : "not known" : ""],
			["certain", row.flags[i] & 1 ? "no: what would tell is missing" : ""],
			...(isIdle ? idleRows(slice) : []),
		]),
		make("div", { class: "go" }, goButton("Zoom to it", () => zoomTo(row.begin[i], row.end[i])), ...(isIdle ? idleButtons(slice) : [])));
}
