// SPDX-License-Identifier: MIT
// A stretch of time that was chosen, and its sums: each is what lies between its two ends, to the nanosecond. Times
// that are known within bounds count from their earliest, as they are drawn; stages that are unknown do not count, so
// that the sums of all the time are the report's.

// How much of a slice lies between a and b.
const within = (row, i, a, b) => Math.max(0, Math.min(b, row.end[i]) - Math.max(a, row.begin[i]));

function eachWithin(kind, a, b, act) {
	facts.tracks.forEach((track, id) => {
		for (const row of track.kind === kind ? data.rows[id] : [])
			for (let i = firstAfter(row, a); i < row.n && row.begin[i] < b; i++)
				act(row, i, within(row, i, a, b), track);
	});
}

function addTo(map, key, ns, times) {
	const sum = map.get(key) || { ns: 0, times: 0 };
	sum.ns += ns;
	sum.times += times === undefined ? 1 : times;
	map.set(key, sum);
}

// An idle time's causes have sums and no places: of one that the chosen time cuts they are not known.
function idleWithin(a, b, act) {
	report.engines.forEach((e, i) => {
		const first = facts.engine_times[i].causes.find(c => c.cause === "before_first");
		if (first && Math.min(b, first.ns) > a)
			act(facts.engines.indexOf(e.engine), "before_first", Math.min(b, first.ns) - a);
	});
	for (const block of data.idles)
		for (let i = 0; i < block.n; i++) {
			const causes = facts.causes.map((_, k) => block.times[1 + k][i]), engine = block.numbers[0][i];
			const begin = block.times[0][i] + block.base, end = causes.reduce((sum, ns) => sum + ns, begin), ns = Math.min(b, end) - Math.max(a, begin);
			if (ns <= 0)
				continue;
			if (block.numbers[1][i])
				act(engine, "after_last", ns);
			else if (begin < a || end > b)
				act(engine, "cut by the chosen time", ns);
			else
				causes.forEach((part, k) => part && act(engine, facts.causes[k], part));
		}
}

// The causes of the idle time of an engine that began then: [cause, ns] each, the longest first.
function causesAt(engine, begin) {
	for (const block of data.idles)
		for (let i = 0; i < block.n; i++)
			if (block.numbers[0][i] === engine && block.times[0][i] + block.base === begin && !block.numbers[1][i])
				return facts.causes.map((cause, k) => [cause, block.times[1 + k][i]]).filter(c => c[1]).sort((a, b) => b[1] - a[1]);
	return [];
}

const bySum = map => [...map].map(([key, sum]) => ({ key, ...sum })).sort((x, y) => y.ns - x.ns);

// A request is over at its signal; where that is not recorded, at its end on the engine.
function overAt(number) {
	const signal = timeOf(number, AT.signal);
	return signal >= 0 ? signal : timeOf(number, AT.endMax);
}

function rangeSums(a, b) {
	const engines = facts.engines.map(name => ({ name, ns: 0, who: new Map(), idle: new Map() }));
	const stages = STAGE_STYLES.map(() => 0), cpus = new Map(), waits = new Map(), starved = new Map(), commands = new Map();
	let requests = 0, over = 0;
	eachWithin(KIND.ENGINE, a, b, (row, i, ns, track) => {
		const engine = engines[track.engine], number = row.request[i];
		engine.ns += ns;
		addTo(engine.who, hasRequest(number) ? clientName(number) : "unknown", ns);
	});
	idleWithin(a, b, (engine, cause, ns) => addTo(engines[engine].idle, cause, ns));
	eachWithin(KIND.CLIENT, a, b, (row, i) => {
		const number = row.request[i];
		if (!hasRequest(number))
			return;
		requests++;
		over += overAt(number) > a && overAt(number) <= b;
		const known = numberOf(number, 9);
		for (const [from, to, style] of stageParts(number))
			if (known >> style & 1)
				stages[style] += Math.max(0, Math.min(b, to) - Math.max(a, from));
	});
	eachWithin(KIND.CPU, a, b, (row, i, ns) => addTo(cpus, facts.tasks[row.info[i] - 1] || "unknown", ns));
	eachWithin(KIND.WAIT, a, b, (row, i, ns, track) => addTo(waits, `${track.name || track.tid}\n${hasRequest(row.request[i]) ? clientName(row.request[i]) : "unknown"}`, ns));
	eachWithin(KIND.STARVED, a, b, (row, i, ns, track) => addTo(starved, `${track.name || track.tid}\n${nameOf(KIND.STARVED, row, i)}`, ns));
	eachWithin(KIND.CLQUEUE, a, b, (row, i) => {
		const command = commandOf(row.info[i] - 1), ns = Math.max(0, Math.min(b, command.at.end) - Math.max(a, command.at.start)) || 0;
		addTo(commands, command.name || command.kind, ns);
	});
	return { from: a, to: b, engines, stages, requests, over, cpus, waits, starved, commands };
}

// Chooses a stretch of time by its two ends, in any order; null: none.
let rangeTimer = 0;

function chooseRange(a, b, keepsSelection) {
	const at = t => Math.max(0, Math.min(data.end, t));
	if (view.selected && a !== null && !keepsSelection)
		clearSelection();
	view.range = a === null || at(a) === at(b) ? null : { from: Math.min(at(a), at(b)), to: Math.max(at(a), at(b)) };
	clearTimeout(rangeTimer);
	rangeTimer = setTimeout(showRange, view.range ? 150 : 0);
	draw();
}

// What is selected, or all that is in sight.
function chooseSeen() {
	const [from, to] = view.selected ? ends(view.selected.slice) : [view.t0, view.t1];
	chooseRange(from, to, true);
	showRange();
}

function sumTable(title, columns, rows, most) {
	if (!rows.length)
		return null;
	const table = make("table", {});
	fillTable(table, columns, rows.slice(0, most));
	table.prepend(make("caption", {}, title + (rows.length > most ? `: ${most} of ${count(rows.length)}` : "")));
	return table;
}

function showRange() {
	const box = byId("sums"), range = view.range;
	clearTimeout(rangeTimer);
	box.hidden = !range;
	byId("side").classList.toggle("both", Boolean(range && view.selected));
	if (range) {
		const sums = rangeSums(range.from, range.to), whole = range.to - range.from, all = sums.stages.reduce((sum, ns) => sum + ns, 0);
		const pair = { name: "who", of: r => r.key.split("\n")[0] }, second = name => ({ name, of: r => r.key.split("\n")[1] });
		const times = { name: "times", n: true, of: r => count(r.times) }, time = { name: "time", n: true, of: r => make("span", { "data-ns": String(r.ns), title: exact(r.ns) }, duration(r.ns)) };
		const share = of => ({ name: "share", n: true, of: r => percent(r.ns, of) });
		box.replaceChildren(...[
			make("h3", { id: "rangename" }, `${clock(range.from, whole / 100)} to ${clock(range.to, whole / 100)}`),
			make("p", { class: "hint" }, `${duration(whole)} (${exact(whole)}): ${several(sums.requests, "request")}, ${count(sums.over)} of them complete in this time`),
			make("div", { class: "go" }, goButton("Zoom to it", () => zoomTo(range.from, range.to)), goButton("Let go", () => chooseRange(null))),
			...sums.engines.filter(e => e.ns || e.idle.size).flatMap(e => [
				sumTable(`${e.name}: busy ${percent(e.ns, whole)}`, [{ name: "process", of: r => r.key }, { ...times, name: "runs" }, { ...time, name: "running" }, share(whole)], bySum(e.who), 8),
				sumTable(`${e.name}: idle, by cause`, [{ name: "cause", of: r => r.key }, times, time, share(whole)], bySum(e.idle).filter(r => r.ns), 6)]),
			sumTable("What the requests spent this time on", [{ name: "stage", of: r => make("span", {}, swatch(r.key), r.key) }, time, share(all)],
				sums.stages.map((ns, i) => ({ key: STAGE_STYLES[i], ns })).filter(r => r.ns), 8),
			sumTable("commands", [{ name: "command", of: r => r.key }, times, { ...time, name: "running" }], bySum(sums.commands), 8),
			sumTable("Waits", [pair, second("for requests of"), times, time], bySum(sums.waits), 8),
			sumTable("Could run, another had the CPU", [{ name: "thread", of: pair.of }, second("who ran"), times, time], bySum(sums.starved), 8),
			sumTable("On the CPUs", [{ name: "thread", of: r => r.key }, { ...times, name: "runs" }, time, share(whole)], bySum(sums.cpus), 12),
		].filter(Boolean));
	}
	if (!view.selected)
		hint();
	showHistogram();
	fitTables();
	draw();
}
