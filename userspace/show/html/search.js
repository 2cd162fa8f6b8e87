// SPDX-License-Identifier: MIT
// Finds requests: by client, context:seqno, seqno, or how long they took; threads, kernels, calls, idle times, waits and lines by their
// name, and the slices of such that took long.

const MOST_HITS = 60;
const units = { ns: 1, us: 1e3, "\u00b5s": 1e3, ms: 1e6, s: 1e9 };
const found = { hits: [], at: -1, total: 0, others: 0 };
const MOST_OTHERS = 20;

// What has a name of its own in its slices: what it is, and which ("": it has none).
const NAMED = [[KIND.CLQUEUE, "kernel", (row, i) => commandOf(row.info[i] - 1).name], [KIND.CALL, "call", (row, i) => facts.functions[row.info[i]] || ""],
	[KIND.CPU, "thread", (row, i) => facts.tasks[row.info[i] - 1] || ""]];
// The same of what stood still: engines, threads that could run or waited for a request.
const STILL = [[KIND.IDLE, "idle time", (row, i, track) => facts.engines[track.engine] + " " + nameOf(KIND.IDLE, row, i)],
	[KIND.THREAD, "thread", (row, i, track) => row.state[i] === RUNNABLE ? track.name + " runnable" : ""],
	[KIND.WAIT, "thread", (row, i, track) => `${track.name || track.tid} waits for ${hasRequest(row.request[i]) ? clientName(row.request[i]) : "a request"}`]];

// Each of these with such a name, once: its longest slice, of those that took longer than least.
function findNamed(kinds, query, least) {
	return kinds.flatMap(([kind, what, of]) => {
		const named = new Map(); // null: not such a name
		facts.tracks.forEach((track, id) => {
			for (const row of track.kind === kind ? data.rows[id] : [])
				for (let i = 0; i < row.n; i++) {
					const total = row.end[i] - row.begin[i];
					if (!(total > least))
						continue;
					const name = of(row, i, track);
					let hit = named.get(name);
					if (hit === undefined)
						named.set(name, hit = name && name.toLowerCase().includes(query) ? { title: name, what, times: 0, total: -1 } : null);
					if (hit && ++hit.times && total > hit.total)
						Object.assign(hit, { slice: { row, i }, total });
				}
		});
		return [...named.values()].filter(Boolean).sort((a, b) => b.total - a.total).slice(0, MOST_OTHERS).map(hit => ({ ...hit, note: `${what}, ${hit.times === 1 ? "once" : count(hit.times) + " times, the longest"}` }));
	});
}

// Threads and lines with such a title, and what is named in their slices. A thread's other lines are found by what they are.
function findOthers(text) {
	const { query, least } = asks(text), has = name => name.toLowerCase().includes(query);
	if (least !== null)
		return findNamed([...STILL, ...NAMED], query, least).sort((a, b) => b.total - a.total).slice(0, MOST_OTHERS);
	if (!/[a-z]/.test(query))
		return [];
	const found = tracksOf(track => has(fullTitle(track)) && data.rows[track.id].some(row => row.n) && (!(track.tid > 0) || track.kind === KIND.THREAD || track.whose || has(facts.kinds[track.kind].name)));
	const threads = new Set(found.filter(track => track.kind === KIND.THREAD).map(track => track.name));
	return [...findNamed(NAMED, query, -1).filter(hit => !threads.has(hit.title)), ...found.slice(0, MOST_OTHERS).map(track => ({ track: track.id, title: fullTitle(track), note: "line: " + facts.kinds[track.kind].help })),
		...findNamed(STILL, query, -1)];
}

// "NAME >5ms": what is called so, and longer than what it is to be, ns; either may be missing ("", null).
function asks(text) {
	const query = text.trim().toLowerCase(), match = /^(.*?)\s*>\s*([0-9.]+)\s*(ns|us|\u00b5s|ms|s)?$/.exec(query);
	return match ? { query: match[1], least: parseFloat(match[2]) * units[match[3] || "ms"] } : { query, least: null };
}

// What a query asks of a request: a function of its number; null when it is empty.
function queryOf(text) {
	const { query, least } = asks(text), isNamed = namedBy(query);
	return !query && least === null ? null : least === null ? isNamed : number => timeOf(number, TOTAL_COLUMN) > least && isNamed(number);
}

function namedBy(query) {
	let match;
	if ((match = /^(\d+)[:\s#]+(\d+)$/.exec(query)))
		return number => numberOf(number, 2) === +match[2] && contextOf(number).ctx === +match[1];
	if (/^#?\d+$/.test(query)) {
		const value = +query.replace("#", "");
		return number => numberOf(number, 2) === value;
	}
	const clients = new Set(facts.clients.map((c, i) => c.name.toLowerCase().includes(query) ? i : -1));
	const parts = /^(.+?)\s*#(\d+)$/.exec(query);
	if (parts) {
		const named = new Set(facts.clients.map((c, i) => c.name.toLowerCase().includes(parts[1]) ? i : -1));
		return number => numberOf(number, 2) === +parts[2] && named.has(clientOf(number));
	}
	return number => clients.has(clientOf(number));
}

// The hits, those that took longest first.
function search(text) {
	const test = queryOf(text), hits = [];
	found.total = 0;
	for (let number = 0; test && number < facts.requests; number++) {
		if (!hasRequest(number) || !test(number))
			continue;
		found.total++;
		const total = timeOf(number, TOTAL_COLUMN);
		if (hits.length === MOST_HITS && !(total > hits[hits.length - 1].total))
			continue;
		let at = hits.length;
		while (at && !(hits[at - 1].total >= total))
			at--;
		hits.splice(at, 0, { number, total });
		hits.length = Math.min(hits.length, MOST_HITS);
	}
	const others = findOthers(text);
	found.others = others.length;
	found.hits = others.concat(hits);
	found.at = -1;
	showHits(test !== null);
}

function showHits(asked) {
	const box = byId("hits");
	box.hidden = !asked;
	byId("search").setAttribute("aria-expanded", String(asked));
	byId("search").removeAttribute("aria-activedescendant"); // the options are made anew: none is the active one
	if (!asked)
		return;
	const shown = found.hits.length - found.others, requests = several(found.total, "request") + (found.total > shown ? ` (the ${shown} longest are listed)` : "");
	const note = [found.others ? several(found.others, "hit") : "", found.total ? requests : ""].filter(Boolean).join(", then ") || "Nothing is like that.";
	box.replaceChildren(make("div", { class: "none", role: "presentation" }, note),
		...found.hits.map((hit, i) => {
			const request = hit.number === undefined ? null : requestOf(hit.number);
			const option = make("div", { role: "option", id: "hit" + i, "aria-selected": String(i === found.at) }, ...(request ? [
				make("b", {}, label(request)), make("span", {}, `${request.context}:${request.seqno}`), make("span", {}, request.engine),
				make("span", { class: "num" }, hit.total >= 0 ? duration(hit.total) : "unknown")] : [make("b", {}, hit.title), make("span", {}, hit.note), hit.slice ? make("span", { class: "num" }, duration(hit.total)) : ""]));
			option.addEventListener("click", () => pick(i));
			return option;
		}));
	byId("live").textContent = note;
}

function pick(i) {
	if (!found.hits.length)
		return;
	found.at = (i + found.hits.length) % found.hits.length;
	byId("search").setAttribute("aria-activedescendant", "hit" + found.at);
	document.querySelectorAll("#hits [role=option]").forEach((option, k) => {
		option.setAttribute("aria-selected", String(k === found.at));
		if (k === found.at)
			option.scrollIntoView({ block: "nearest" });
	});
	const hit = found.hits[found.at];
	if (hit.number !== undefined)
		selectRequest(hit.number);
	else if (hit.slice)
		showAt(hit.slice);
	else
		goToLine(hit.track);
}

// Brings a line to sight, with the first of its slices that is in the time seen, or the first at all.
function goToLine(track) {
	const rows = data.rows[track].filter(row => row.n), seen = rows.map(row => ({ row, i: firstAfter(row, view.t0) })).filter(s => s.i < s.row.n && s.row.begin[s.i] < view.t1);
	const slice = (seen.length ? seen : rows.map(row => ({ row, i: 0 }))).sort((a, b) => a.row.begin[a.i] - b.row.begin[b.i])[0];
	if (seen.length)
		bringToSight(slice);
	else
		jump(slice);
	byId("live").textContent = fullTitle(facts.tracks[track]);
	draw();
}

function setUpSearch() {
	const input = byId("search");
	let timer = 0;
	input.addEventListener("input", () => {
		clearTimeout(timer);
		keepAddress();
		timer = setTimeout(() => search(input.value), facts.requests > 50000 ? 250 : 60);
	});
	input.addEventListener("keydown", event => {
		if (event.key === "Enter") {
			clearTimeout(timer);
			if (found.at < 0)
				search(input.value);
			pick(found.at + (event.shiftKey ? -1 : 1));
		} else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
			event.preventDefault();
			pick(found.at + (event.key === "ArrowDown" ? 1 : -1));
		} else if (event.key === "Escape") {
			input.value = "";
			search("");
			canvas.focus();
		}
	});
}
