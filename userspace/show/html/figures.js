// SPDX-License-Identifier: MIT
// What the report says: verdict, stages, engines, queues, culprits, the worst requests.

const both = s => s ? span(s.min_ns, s.max_ns) : "-";
const onPath = () => report.stages.slice(0, PATH);

function showHead() {
	const r = report.recording, requests = report.requests;
	const about = [r.host, r.release ? "Linux " + r.release : "", r.tracer ? "recorded by " + r.tracer.replace(/, (?=[^,]*$)/, " and ") : "",
		several(r.events, "event") + " in " + duration(r.duration_ns)];
	byId("title").textContent = facts.title;
	byId("about").textContent = about.filter(Boolean).join(" \u00b7 ");
	const badge = (name, value, bad) => make("div", { class: bad ? "bad" : null }, make("dt", {}, name), make("dd", {}, value));
	byId("badges").replaceChildren(
		badge("requests complete", count(requests.complete)),
		badge("partial", count(requests.partial), requests.partial > 0),
		badge("unknown", count(requests.unknown), requests.unknown > 0),
		badge("events lost", count(report.lost.events) + (report.lost.uncounted ? " or more" : ""), report.lost.events > 0 || report.lost.uncounted));
	byId("foot").textContent = "gpulane " + facts.gpulane + ". Everything on this page is in this one file; it asks nothing of any network.";
}

// Where the timeline shows best what an answer says: its longest time, or a request that is evidence for it; null: nowhere.
function placeOf(answer) {
	if (answer && answer.longest_at_ns) {
		const from = answer.longest_at_ns - facts.origin_ns, to = from + answer.longest_ns;
		return () => { zoomTo(from, to); chooseRange(from, to); };
	}
	const shows = (answer && answer.evidence || []).map(e => findRequest(e.context, e.seqno)).find(n => n >= 0);
	return shows === undefined ? null : () => selectRequest(shows);
}

function showVerdict() {
	const sentences = report.verdict.length ? report.verdict : ["Nothing to say: the recording has no requests."];
	// how the recording ended may be said before the answers
	const answers = Array(Math.max(0, report.verdict.length - report.answers.length)).concat(report.answers);
	byId("verdict").replaceChildren(...sentences.map((text, i) => {
		const place = placeOf(answers[i]), said = make("span", {}, text);
		const at = place ? goButton("Show it", () => { byId("timeline").scrollIntoView(); place(); }) : "";
		return make("li", {}, said, at && make("div", { class: "go" }, at), facts.advice[i] ? make("p", { class: "try" }, "try: " + facts.advice[i]) : "");
	}));
}

// A part of a bar, as wide as its share of it. Where what it says has no room it is hidden (style.css), the pointer still shows it.
function stackPart(share, colour, text) {
	return make("span", { "data-on": colour, style: `flex-grow: ${share}; background: var(--${colour})`, title: text }, make("i", {}, text));
}

// Shares are of the requests that were seen from their first event to their last: the text report's own.
function showStages() {
	const all = facts.spent_ns, told = new Map(facts.shares.map(s => [s.stage, s.share]));
	const bar = make("div", { class: "stack", role: "img", "aria-label": "Share of each stage: " + facts.shares.map(s => s.stage + " " + s.share).join(", ") });
	const part = (ns, name, text) => {
		if (ns / all > 0.002)
			bar.append(stackPart(ns / all, name, text));
	};
	let rest = all;
	for (const s of facts.shares.filter(s => s.stage !== "unknown")) {
		part(s.min_ns, s.stage, s.stage + " " + s.share);
		rest -= s.min_ns;
	}
	part(rest, "unknown", told.has("unknown") ? "unknown " + told.get("unknown") : "between the bounds");
	byId("stagebar").replaceChildren(bar);
	fillTable(byId("stages"), [
		{ name: "stage", of: s => make("span", {}, told.has(s.stage) ? swatch(s.stage) : "", word(s.stage)) },
		{ name: "count", n: true, of: s => s.count === undefined ? "" : count(s.count) },
		{ name: "sum", n: true, of: s => s.count ? both(s.sum) : "-" },
		{ name: "share", n: true, of: s => told.get(s.stage) || "" },
		{ name: "p50", n: true, of: s => both(s.p50) },
		{ name: "p95", n: true, of: s => both(s.p95) },
		{ name: "p99", n: true, of: s => both(s.p99) },
		{ name: "max", n: true, of: s => s.count ? both(s.max) : "-" },
		report.stages.some(s => s.unknown) ? { name: "unknown", n: true, of: s => s.unknown ? count(s.unknown) : "" } : null,
	].filter(Boolean), report.stages.filter(s => s.count || s.unknown).concat(told.has("unknown") ? { stage: "unknown" } : []));
}

function showEngines() {
	const whole = report.recording.duration_ns;
	byId("engines").replaceChildren(...report.engines.filter(e => e.busy && (e.requests || e.runs)).map(e => {
		const { busy, idle, causes } = facts.engine_times[report.engines.indexOf(e)];
		const bar = make("div", { class: "stack", role: "img", "aria-label": e.engine + " " + busy });
		const part = (ns, name, colour) => {
			if (ns / whole > 0.002)
				bar.append(stackPart(ns / whole, colour, name + " " + percent(ns, whole)));
		};
		part(e.busy.min_ns, "busy", "running");
		part(e.busy.max_ns - e.busy.min_ns, "busy or idle: not known", "unknown");
		for (const { cause, ns } of causes)
			part(ns, "idle: " + cause, ({ starved: "preempted", computing: "idle", before_first: "idle", after_last: "idle", unknown: "unknown" })[cause] || "waiting");
		return make("div", { class: "engine" },
			make("div", { class: "row" }, make("strong", {}, e.engine), make("span", { class: "num" }, busy)), bar,
			make("small", {}, several(e.requests, "request") + (e.preemptions ? ", " + several(e.preemptions, "preemption") : "") +
				(causes.length || e.busy.min_ns ? `, idle ${both(e.idle)}${idle}` : "")));
	}));
}

// How long a queue was on average in each of n stretches of the recording, and the longest it ever was.
function averages(lengths, n) {
	const mean = new Float64Array(n), step = data.end / n;
	let value = 0, most = 0, t = 0;
	const upTo = end => {
		for (let i = Math.min(n - 1, Math.floor(t / step)); t < end && i < n; i++) {
			const edge = Math.min(end, (i + 1) * step);
			mean[i] += value * (edge - t) / step;
			t = i === n - 1 ? end : edge;
		}
	};
	for (let i = 0; i < lengths.at.length; i++) {
		upTo(Math.max(0, Math.min(data.end, lengths.at[i])));
		value = lengths.value[i];
		most = Math.max(most, value);
	}
	upTo(data.end);
	return { mean, most };
}

function queueChart(name, host, device) {
	const n = 300, w = 600, h = 70, queues = [averages(host, n), averages(device, n)];
	const top = Math.max(1, ...queues[0].mean, ...queues[1].mean);
	const path = (values, close) => (close ? `M0 ${h}` : "") + Array.from(values, (v, i) =>
		`${i || close ? "L" : "M"}${((i + 0.5) * w / n).toFixed(1)} ${(h - v / top * (h - 4)).toFixed(1)}`).join("") + (close ? `L${w} ${h}Z` : "");
	const line = (values, colour, dashes) => svg("path", { d: path(values, false), fill: "none", stroke: `var(--${colour})`, "stroke-width": "1.5",
		"stroke-dasharray": dashes, "vector-effect": "non-scaling-stroke" });
	const drawing = svg("svg", { viewBox: `0 0 ${w} ${h}`, preserveAspectRatio: "none", role: "img",
		"aria-label": `${name}: host queue at most ${queues[0].most}, device queue at most ${queues[1].most} requests` },
		svg("path", { d: path(queues[0].mean, true), fill: "var(--host_queue)", "fill-opacity": ".28" }),
		line(queues[0].mean, "host_queue", "none"), line(queues[1].mean, "device_queue", "5 3"),
		svg("path", { d: `M0 ${h}H${w}`, stroke: "var(--line)", "vector-effect": "non-scaling-stroke" }));
	return make("div", { class: "chart" }, make("strong", {}, name), make("small", {}, swatch("host_queue"), `host queue (filled), longest ${queues[0].most}`),
		make("small", {}, swatch("device_queue"), `device queue (dashed), longest ${queues[1].most}`), make("small", { class: "top" }, top.toFixed(top > 1 && top < 10 ? 1 : 0)), drawing);
}

// The queues that are ever longer than one request, the fullest first.
function showQueues() {
	const charts = facts.engines.map((name, i) => ({ name, host: data.lengths[2 * i], device: data.lengths[2 * i + 1] }))
		.filter(c => c.host.at.length || c.device.at.length)
		.map(c => ({ ...c, most: Math.max(averages(c.host, 100).most, averages(c.device, 100).most) })).sort((a, b) => b.most - a.most);
	const shown = charts.filter((c, i) => i === 0 || c.most > 1 && i < 4), others = charts.length - shown.length;
	byId("queues").replaceChildren(...shown.map(c => queueChart(c.name, c.host, c.device)),
		charts.length ? make("small", { class: "hint" }, `Requests in the queue, on average, from the recording's begin to its end after ${duration(data.end)}.` +
			(others ? ` The queues of ${several(others, "more engine")} are never longer than ${charts[shown.length].most}.` : "")) : "");
}

const MOST_COUNTERS = 8; // shown; of clients there may be hundreds

// Clocks and shares of time, on average; those of the GPU come before those of clients.
function showCounters() {
	const all = facts.counters.map((name, i) => ({ name, ...averages(data.counters[i], 300) })).filter(c => c.name && c.most), w = 600, h = 40;
	byId("h-counters").hidden = !all.length;
	byId("counters").replaceChildren(...all.slice(0, MOST_COUNTERS).map(c => {
		const d = Array.from(c.mean, (v, i) => `${i ? "L" : "M"}${(i + 0.5) * w / 300} ${(h - v / c.most * (h - 4)).toFixed(1)}`).join("");
		return make("div", { class: "chart" }, make("strong", {}, c.name), make("small", {}, `at most ${c.most}`),
			svg("svg", { viewBox: `0 0 ${w} ${h}`, preserveAspectRatio: "none", role: "img", "aria-label": `${c.name}: at most ${c.most}` },
				svg("path", { d, fill: "none", stroke: "var(--running)", "stroke-width": "1.5", "vector-effect": "non-scaling-stroke" })));
	}), all.length > MOST_COUNTERS ? make("small", { class: "hint" }, `And ${all.length - MOST_COUNTERS} more: export --to perfetto has all.`) : "");
}

// What a request took on average, stage by stage, among those that were over in each stretch of the recording.
function courseOf(n) {
	const sums = Array.from({ length: PATH }, () => new Float64Array(n)), counts = new Float64Array(n);
	for (let number = 0; number < facts.requests; number++) {
		const end = hasRequest(number) ? timeOf(number, AT.signal) : NaN, i = Math.min(n - 1, Math.floor(end / data.end * n));
		if (!(i >= 0))
			continue;
		counts[i]++;
		for (let stage = 0; stage < PATH; stage++)
			sums[stage][i] += timeOf(number, STAGE_COLUMN + 2 * stage) || 0;
	}
	return sums.map(sum => sum.map((ns, i) => counts[i] ? ns / counts[i] : 0));
}

function showCourse() {
	const n = Math.max(8, Math.min(150, Math.floor(facts.requests / 2))), w = 600, h = 86, means = courseOf(n), below = new Float64Array(n), layers = [];
	const totals = Array.from(below, (_, i) => means.reduce((sum, stage) => sum + stage[i], 0)), top = Math.max(1, ...totals), worst = totals.indexOf(Math.max(...totals));
	means.forEach((stage, k) => {
		if (stage.every(ns => ns === 0))
			return;
		let path = "";
		for (let i = 0; i < n; i++) {
			const x0 = (i * w / n).toFixed(1), x1 = ((i + 1) * w / n).toFixed(1), y = v => (h - v / top * (h - 20)).toFixed(1);
			if (stage[i])
				path += `M${x0} ${y(below[i])}H${x1}V${y(below[i] + stage[i])}H${x0}Z`;
			below[i] += stage[i];
		}
		layers.push(svg("path", { d: path, fill: `var(--${STAGE_STYLES[k]})` }));
	});
	byId("course").replaceChildren(make("div", { class: "chart" }, make("small", { class: "top" }, duration(top)),
		svg("svg", { viewBox: `0 0 ${w} ${h}`, preserveAspectRatio: "none", role: "img",
			"aria-label": `Average time of a request, at most ${duration(top)} at ${clock((worst + 0.5) * data.end / n, data.end / n)}` }, ...layers,
		svg("path", { d: `M0 ${h}H${w}`, stroke: "var(--line)", "vector-effect": "non-scaling-stroke" }))),
	make("small", { class: "hint" }, `Average of the requests signalled meanwhile, by stage as in the bar on top; the most, ${duration(top)}, at ${clock((worst + 0.5) * data.end / n, data.end / n)}.`));
}

function showWorst(onRow) {
	const share = (w, s) => w.stages[s.stage] ? w.stages[s.stage].min_ns / w.total.max_ns : 0;
	const stagesOf = w => {
		const rest = onPath().reduce((left, s) => left - share(w, s), 1);
		return make("div", { class: "stack", "aria-hidden": "true" }, ...onPath().filter(s => share(w, s) > 0.01).map(s => stackPart(share(w, s), s.stage, s.stage)),
			rest > 0.01 ? stackPart(rest, "unknown", "unknown") : "");
	};
	// where there is no room, the stages that took least of these requests' time go first
	const sums = new Map(onPath().map(s => [s.stage, report.worst.reduce((sum, w) => sum + share(w, s), 0)]));
	byId("worst").dataset.least = ["wake", ...[...sums.keys()].sort((a, b) => sums.get(a) - sums.get(b))].join();
	const stage = (w, name) => name in w.stages ? w.stages[name] ? both(w.stages[name]) : "unknown" : "";
	fillTable(byId("worst"), [
		{ name: "request", of: w => w.context + ":" + w.seqno },
		{ name: "process", of: w => w.client },
		{ name: "engine", of: w => w.engine || "" },
		{ name: "in all", n: true, of: w => both(w.total) },
		{ name: "", of: stagesOf },
		...onPath().map(s => ({ name: s.stage, n: true, of: w => stage(w, s.stage) })),
		{ name: "wake", n: true, of: w => stage(w, "wake") },
	], report.worst, onRow);
}

const MOST_ROWS = 12; // of a table, until more are asked for

// A table with a title; nothing without rows. What is below the first rows is a click away.
function titled(title, columns, rows, onRow) {
	if (!rows.length)
		return null;
	const element = make("table", {}), box = make("div", {}, element);
	fillTable(element, columns, rows.slice(0, MOST_ROWS), onRow);
	element.prepend(make("caption", {}, title));
	if (rows.length > MOST_ROWS) {
		const more = goButton(`All ${count(rows.length)} rows`, () => {
			fillTable(element, columns, rows, onRow);
			element.prepend(make("caption", {}, title));
			more.remove();
			fitTables();
		});
		box.append(more);
	}
	return box;
}

// Cards that have nothing to show are not shown: of OpenCL alone there are no requests and no engines.
function hideEmptyCards() {
	const requests = report.requests, none = !(requests.complete + requests.partial + requests.unknown);
	const hide = (id, empty) => { byId(id).closest("section").hidden = empty; };
	hide("stages", none);
	hide("engines", !report.engines.some(e => e.requests || e.runs));
	byId("stages").closest(".pair").hidden = none && byId("engines").closest("section").hidden;
	for (const id of ["course", "h-course"])
		byId(id).hidden = none;
	hide("worst", !report.worst.length);
	hide("clients", !report.clients.length);
	hide("culprits", !byId("culprits").querySelector("table") && none);
	byId("badges").hidden = none && Boolean(report.opencl || report.cpu);
}

const MOST_THREADS = 200; // in a table of the page; the report has all

// A recording without a GPU: who waited for a CPU, and who ran instead.
function cpuTables() {
	if (!report.cpu)
		return [];
	const { threads, processes, behind, wakeups } = report.cpu, sum = (name, key) => ({ name, n: true, of: t => duration(t[key]) });
	const sums = [sum("running", "running_ns"), sum("runnable", "runnable_ns"), sum("woken", "woken_ns"), sum("preempted", "preempted_ns"), sum("blocked", "blocked_ns"),
		sum("unknown", "unknown_ns"), { name: "wake-ups", n: true, of: t => count(t.wakeups) }, sum("max", "wake_max_ns")];
	return [
		titled("Threads, by the time in which they could run and did not", [{ name: "thread", of: t => t.thread }, ...sums], threads.slice(0, MOST_THREADS)),
		titled("Processes: the sums of their threads", [{ name: "process", of: p => p.process }, ...sums], processes.slice(0, MOST_THREADS)),
		titled("Who ran while a thread waited for that CPU", [{ name: "thread", of: r => r.thread }, { name: "who ran", of: r => r.culprit },
			{ name: "times", n: true, of: r => count(r.times) }, { name: "time", n: true, of: r => duration(r.ns) }], behind.slice(0, MOST_THREADS)),
		titled("Wake-up latency: from being woken to running", [{ name: "from", n: true, of: b => duration(b.from_ns) }, { name: "below", n: true, of: b => duration(b.below_ns) },
			{ name: "wake-ups", n: true, of: b => count(b.count) }], wakeups.histogram),
	];
}

function showCulprits() {
	const tables = [
		...cpuTables(),
		...[["Whose fences dependencies waited for", "dependency", report.dependencies], ["Ahead in the host queue", "host_queue", report.host_behind],
			["Ahead in the device queue", "device_queue", report.behind]].map(([title, stage, rows]) => titled(title, [
			{ name: "process", of: b => b.client }, { name: "engine", of: b => b.engine }, { name: "context", n: true, of: b => String(b.context) },
			{ name: "of process", of: b => b.owner }, { name: "requests", n: true, of: b => count(b.requests) }, { name: "time", n: true, of: b => both(b[stage]) }], rows)),
		titled("Taken off the engine", [
			{ name: "victim", of: p => p.victim }, { name: "engine", of: p => p.engine }, { name: "culprit", of: p => p.culprit || "unknown" },
			{ name: "why", of: p => p.why }, { name: "times", n: true, of: p => count(p.count) }, { name: "off the engine", n: true, of: p => both(p.preempted) }], report.preemptions),
		titled("Could run, another had the CPU", [
			{ name: "thread", of: p => p.thread }, { name: "who ran", of: p => p.culprit }, { name: "CPU", n: true, of: p => p.cpu < 0 ? "unknown" : String(p.cpu) },
			{ name: "time", n: true, of: p => duration(p.runnable_ns) }], report.cpu_preemptions),
		titled("Idle engines", [
			{ name: "engine", of: i => i.engine }, { name: "cause", of: i => word(i.cause) }, { name: "thread", of: i => i.thread },
			{ name: "culprit", of: i => (i.culprit || "") + (i.cpu >= 0 ? " on CPU " + i.cpu : "") }, { name: "times", n: true, of: i => count(i.count) },
			{ name: "time", n: true, of: i => duration(i.idle_ns) }], report.idle),
		titled("Waits", [
			{ name: "process", of: w => w.client }, { name: "for requests of", of: w => w.for }, { name: "engine", of: w => w.engine || "" }, { name: "waits", n: true, of: w => count(w.count) },
			{ name: "time", n: true, of: w => duration(w.wait_ns) }, { name: "wake", n: true, of: w => w.wake_ns === null ? "unknown" : (w.wake_unknown ? "\u2265 " : "") + duration(w.wake_ns) }], report.waits),
	].filter(Boolean);
	byId("culprits").replaceChildren(...(tables.length ? tables : ["Nobody was seen to be."]));
}

// The sum of a stage; of requests none of which is known to have spent a time in it there is none.
const sumOf = stage => stage.unknown && !stage.count ? "unknown" : both(stage.sum);

function showClients() {
	fillTable(byId("clients"), [
		{ name: "process", of: c => c.client },
		{ name: "complete", n: true, of: c => count(c.complete) }, { name: "partial", n: true, of: c => count(c.partial) },
		{ name: "running", n: true, of: c => sumOf(c.stages.running) },
		{ name: "host_queue", n: true, of: c => sumOf(c.stages.host_queue) },
		{ name: "device_queue", n: true, of: c => sumOf(c.stages.device_queue) },
		{ name: "preempted", n: true, of: c => sumOf(c.stages.preempted) },
		{ name: "waits", n: true, of: c => count(c.waits) }, { name: "waited", n: true, of: c => duration(c.wait_ns) },
		{ name: "CPU", n: true, of: c => c.cpu_running_ns === null ? "unknown" : duration(c.cpu_running_ns) }, { name: "runnable", n: true, of: c => c.cpu_runnable_ns === null ? "unknown" : duration(c.cpu_runnable_ns) },
	], report.clients);
}
