// SPDX-License-Identifier: MIT
// How long something took, how often: of the requests' stages, of OpenCL commands, of threads that waited for a CPU;
// of everybody or one process, in the chosen time or all of the recording.

const STEPS = 2; // bars for each doubling of the duration
const measured = { of: [], bars: [], picked: -1, at: 0 };

// Requests that are over in the time; of all the recording those that are not over, too. What is done with one, as below, says whether that is enough.
function eachRequest(who, a, b, act) {
	for (let number = 0; number < facts.requests; number++) {
		if (!hasRequest(number) || who && clientName(number) !== who)
			continue;
		const over = a === -Infinity || overAt(number);
		if ((over === true || over > a && over <= b) && act(number))
			return;
	}
}

// Each add() is told how long it was, and of which slice of which row it is; of a request null and its number.
function requestMeasure(name, valueOf, has) {
	return { group: "Requests", name, has, whose: () => facts.clients.map(c => c.name), each: (who, a, b, add) =>
		eachRequest(who, a, b, number => add(valueOf(number), null, number)) };
}

// Slices of tracks that end in the time.
function eachSlice(tracks, a, b, act) {
	for (const track of tracks)
		for (const row of data.rows[track.id])
			for (let i = firstAfter(row, a); i < row.n && row.begin[i] <= b; i++)
				if (row.end[i] <= b && act(row, i))
					return;
}

function commandMeasure(name, valueOf, has) {
	const queues = tracksOf(track => track.kind === KIND.CLQUEUE);
	return { group: "Commands", name, has, whose: () => queues.map(track => track.process), each: (who, a, b, add) =>
		eachSlice(queues.filter(track => !who || track.process === who), a, b, (row, i) => add(valueOf(commandOf(row.info[i] - 1)), row, i)) };
}

// A thread's state.
function threadMeasure(name, state) {
	const tracks = tracksOf(track => track.kind === KIND.THREAD);
	return { group: "Threads", name, whose: () => tracks.map(track => track.name), each: (who, a, b, add) =>
		eachSlice(tracks.filter(t => !who || t.name === who), a, b, (row, i) => row.state[i] === state && add(row.end[i] - row.begin[i], row, i)) };
}

// What any request, any command has of stages: a bit for each, and their names.
const stagesOfRequests = () => data.blocks.reduce((bits, b) => b.numbers[9].reduce((all, known) => all | known, bits), 0);

function stagesOfCommands() {
	const names = new Set();
	for (let i = 0, n = data.commands.reduce((sum, b) => sum + b.n, 0); i < n && names.size < facts.command_stages.length; i++)
		commandOf(i).stages.forEach(s => names.add(s.name));
	return names;
}

function measures() {
	const bits = stagesOfRequests(), names = stagesOfCommands(), has = name => bits >> facts.stages.findIndex(s => s.name === name) & 1;
	const stage = (s, i) => requestMeasure(s.name, n => numberOf(n, 9) >> i & 1 ? timeOf(n, STAGE_COLUMN + 2 * i) : NaN, () => has(s.name));
	const cstage = name => commandMeasure(name, c => { const s = c.stages.find(at => at.name === name); return s ? s.to - s.from : NaN; }, () => names.has(name));
	// what a program gave the GPU comes before what the driver made of it
	return [commandMeasure("in all", c => c.stages.length ? c.stages[c.stages.length - 1].to - c.stages[0].from : NaN, () => names.size), ...facts.command_stages.map(cstage),
		requestMeasure("in all", n => timeOf(n, TOTAL_COLUMN)), ...facts.stages.slice(0, PATH).map(stage), requestMeasure("wake", n => timeOf(n, WAKE_COLUMN), () => has("wake")),
		threadMeasure("waited for a CPU", RUNNABLE), threadMeasure("ran", RUNNING), threadMeasure("blocked", 3)];
}

function hasAny(measure) {
	let any = false;
	if (measure.has)
		return measure.has();
	measure.each("", -Infinity, Infinity, ns => { any = any || ns >= 0; return any; });
	return any;
}

// Values in ascending order.
function collect(measure, who, a, b) {
	let all = new Float64Array(4096), n = 0;
	measure.each(who, a, b, ns => {
		if (!(ns >= 0))
			return;
		if (n === all.length) {
			const more = new Float64Array(2 * n);
			more.set(all);
			all = more;
		}
		all[n++] = ns;
	});
	return all.subarray(0, n).sort();
}

const barOf = ns => ns < 1 ? -1 : Math.floor(Math.log2(ns) * STEPS + 1e-9);
const barBegin = bar => bar < 0 ? 0 : 2 ** (bar / STEPS);

// What so many of a thousand did not exceed.
const rank = (all, permille) => all[Math.min(all.length - 1, Math.max(0, Math.ceil(all.length * permille / 1000) - 1))];

// What is in a bar is looked for when it is asked for.
class Bar {
	constructor(bar, find) {
		Object.assign(this, { bar, find, n: 0, most: 0 });
	}

	get values() {
		const all = [];
		this.find((ns, row, i) => {
			if (ns >= 0 && barOf(ns) === this.bar)
				all.push({ ns, of: row ? { slice: { row, i } } : { number: i } });
		});
		return all.sort((x, y) => x.ns - y.ns);
	}
}

function histogramOf(all, find) {
	const bars = [];
	for (const ns of all) {
		const bar = barOf(ns);
		if (!bars.length || bars[bars.length - 1].bar !== bar)
			bars.push(new Bar(bar, find));
		bars[bars.length - 1].n++;
		bars[bars.length - 1].most = ns;
	}
	return bars;
}

// The longest of a bar, and with each further click the next.
function pickBar(n) {
	const values = measured.bars[n].values;
	measured.at = measured.picked === n ? measured.at + 1 : 0;
	measured.picked = n;
	const { of } = values[values.length - 1 - measured.at % values.length];
	if (of.slice) {
		bringToSight(of.slice);
		zoomTo(...ends(of.slice));
		selectSlice(of.slice);
	} else
		selectRequest(of.number);
}

// The counts on the axis: the most, and the powers of ten that have room.
function countMarks(most, y) {
	const marks = [most];
	for (let value = 10 ** Math.floor(Math.log10(most)); value >= 1; value /= 10)
		if (y(value) - y(marks[marks.length - 1]) >= 18)
			marks.push(value);
	return marks;
}

function histogramChart(bars, name) {
	const w = 600, h = 150, first = bars[0].bar, n = bars[bars.length - 1].bar - first + 1, most = Math.max(...bars.map(b => b.n)), each = w / Math.max(n, 12);
	const y = value => h - 4 - Math.sqrt(value / most) * (h - 26);
	const counts = countMarks(most, y), axis = make("div", { class: "counts", "aria-hidden": "true" }, ...counts.map(value => make("span", { style: `top: ${y(value)}px` }, count(value))));
	const chart = svg("svg", { viewBox: `0 0 ${w} ${h}`, preserveAspectRatio: "none", "aria-hidden": "true" });
	for (const value of counts)
		chart.append(svg("path", { d: `M0 ${y(value)}H${w}`, stroke: "var(--line)", "vector-effect": "non-scaling-stroke" }));
	bars.forEach((b, i) => {
		const x = (b.bar - first) * each, top = y(b.n), said = `${duration(barBegin(b.bar))} to ${duration(barBegin(b.bar + 1))}: ${count(b.n)}`;
		const bar = svg("rect", { x: x.toFixed(1), y: top.toFixed(1), width: Math.max(1, each - 2).toFixed(1), height: (h - 4 - top).toFixed(1), fill: `var(--${STYLE[name] === undefined ? "c1" : name})`, class: "bar-of" },
			svg("title", {}, said + ". A click goes to the longest of them."));
		bar.addEventListener("click", () => pickBar(i));
		chart.append(bar);
	});
	chart.append(svg("path", { d: `M0 ${h - 4}H${w}`, stroke: "var(--line)", "vector-effect": "non-scaling-stroke" }));
	const marks = make("div", { class: "marks", "aria-hidden": "true" }), step = Math.max(STEPS, Math.ceil(n / 6));
	for (let bar = 0; bar < n && bar * each / w < 0.84; bar += step)
		marks.append(make("span", { style: `left: ${100 * bar * each / w}%` }, duration(barBegin(first + bar))));
	return [axis, chart, marks];
}

function showHistogram() {
	const box = byId("histogram"), measure = measured.of[byId("histwhat").value | 0], who = byId("histwho").value;
	if (!measure)
		return;
	const range = view.range || { from: -Infinity, to: Infinity }, all = collect(measure, who, range.from, range.to);
	const bars = histogramOf(all, act => measure.each(who, range.from, range.to, act));
	measured.bars = bars;
	measured.picked = -1;
	const of = `${measure.group}${who ? " of " + who : ""}, ${view.range ? `in the chosen ${duration(range.to - range.from)}` : "in the whole recording"}`;
	if (!all.length) {
		box.replaceChildren(make("p", { class: "hint" }, `${of}: none of which this time is known.`));
		return;
	}
	const sum = all.reduce((ns, value) => ns + value, 0), figure = (name, ns) => make("div", {}, make("dt", {}, word(name)), make("dd", { "data-ns": String(ns), title: exact(ns) }, duration(ns)));
	const table = make("table", {}), drawn = histogramChart(bars, measure.name);
	fillTable(table, [{ name: "from", n: true, of: b => duration(barBegin(b.bar)) }, { name: "below", n: true, of: b => duration(barBegin(b.bar + 1)) },
		{ name: "count", n: true, of: b => count(b.n) }, { name: "max", n: true, of: b => duration(b.most) }], bars, b => pickBar(bars.indexOf(b)));
	const open = box.querySelector("details") && box.querySelector("details").open, details = make("details", {}, make("summary", {}, "As a table"), table);
	details.open = Boolean(open);
	details.addEventListener("toggle", fitTables);
	box.replaceChildren(make("p", { class: "hint" }, `${of}. The bars' height is the root of their count, so that rare ones are seen; a click goes to the longest of a bar.`),
		make("div", { class: "chart hist", role: "img", "aria-label": `${measure.name}: ${count(all.length)}, median ${duration(rank(all, 500))}, longest ${duration(all[all.length - 1])}` }, ...drawn),
		make("dl", { class: "figures" }, make("div", {}, make("dt", {}, word("count")), make("dd", {}, count(all.length))), figure("mean", sum / all.length), figure("p50", rank(all, 500)),
			figure("p95", rank(all, 950)), figure("p99", rank(all, 990)), figure("max", all[all.length - 1])), details);
}

function fillWhose() {
	const measure = measured.of[byId("histwhat").value | 0], whose = byId("histwho"), was = whose.value, names = [...new Set(measure ? measure.whose() : [])].filter(Boolean).slice(0, 500);
	whose.replaceChildren(make("option", { value: "" }, "everybody"), ...names.map(name => make("option", { value: name }, name)));
	whose.value = names.includes(was) ? was : "";
}

// Only what the recording has.
function setUpHistogram() {
	const what = byId("histwhat");
	measured.of = measures().filter(hasAny);
	what.replaceChildren(...measured.of.map((m, i) => make("option", { value: String(i) }, `${m.group}: ${m.name}`)));
	byId("histcard").hidden = !measured.of.length;
	fillWhose();
	what.addEventListener("change", () => { fillWhose(); showHistogram(); });
	byId("histwho").addEventListener("change", showHistogram);
}
