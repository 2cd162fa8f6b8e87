// SPDX-License-Identifier: MIT
// Paints what is visible: slices into a buffer of pixels, words and arrows on top of it. Where several slices
// share a pixel the bar's height is the share of time that they cover, its colour that of what lasted longest.

const AXIS = 26;
let GUTTER = 168; // where the titles stand; less in a narrow window
const canvas = byId("canvas"), context2d = canvas.getContext("2d");
const view = { t0: 0, t1: 1, scroll: 0, width: 0, height: 0, ratio: 1, focus: -1, cursor: 0, selected: null, hover: null, range: null, path: false };

// Styles: colour and pattern, so that nothing hangs on colour alone.
const SOLID = 0, RISING = 1, FALLING = 2, DOTS = 3, CROSS = 4, BARS = 5, LIGHT = 6;
const STAGE_STYLES = ["prepare", "dependency", "host_queue", "device_queue", "running", "preempted", "signal"];
const STYLES = [
	["prepare", BARS], ["dependency", FALLING], ["host_queue", RISING], ["device_queue", DOTS], ["running", SOLID],
	["preempted", CROSS], ["signal", BARS], ["wake", BARS], ["request", SOLID], ["idle", LIGHT], ["blocked", LIGHT],
	["waiting", DOTS], ["unknown", FALLING], ["c0", SOLID], ["c1", SOLID], ["c2", SOLID], ["c3", SOLID], ["c4", SOLID],
	["c5", SOLID], ["c6", SOLID], ["c7", SOLID],
];
const STYLE = {};
STYLES.forEach((style, i) => { STYLE[style[0]] = i; });

const theme = { inks: [], backs: [], card: 0, soft: 0, line: 0, css: {} };

function pixel(css) {
	const [, r, g, b] = /^#(..)(..)(..)$/.exec(css.length === 4 ? "#" + [...css.slice(1)].map(c => c + c).join("") : css).map(v => parseInt(v, 16));
	return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

function mixed(a, b, share) {
	const part = shift => Math.round((a >>> shift & 255) * share + (b >>> shift & 255) * (1 - share)) << shift;
	return (255 << 24 | part(16) | part(8) | part(0)) >>> 0;
}

function readTheme() {
	const style = getComputedStyle(document.documentElement), get = name => style.getPropertyValue("--" + name).trim();
	for (const name of ["ink", "dim", "line", "card", "soft", "focus", "pick", "accent", "accent-ink"])
		theme.css[name] = get(name);
	theme.card = pixel(get("card"));
	theme.soft = pixel(get("soft"));
	theme.line = pixel(get("line"));
	theme.inks = STYLES.map(([name]) => pixel(get(name)));
	theme.backs = theme.inks.map((ink, i) => mixed(ink, theme.card, STYLES[i][1] === LIGHT ? 0.55 : 0.55));
}

const RUNNING = 1, RUNNABLE = 2; // states of a thread
const BURST = 7; // the state of a job of a long-running queue: user space submits in it
const threadStyles = [STYLE.unknown, STYLE.running, STYLE.host_queue, STYLE.blocked, STYLE.unknown];
const requestStyles = [STYLE.prepare, STYLE.dependency, STYLE.host_queue, STYLE.device_queue, STYLE.running, STYLE.preempted, STYLE.request, STYLE.unknown];

const causeOf = (row, i) => facts.causes[row.state[i]] || "after_last";

// What a slice is painted as, by the kind of its track.
function styleOf(kind, row, i) {
	switch (kind) {
	case KIND.ENGINE:
		return hasRequest(row.request[i]) ? STYLE.c0 + clientOf(row.request[i]) % 8 : STYLE.running;
	case KIND.IDLE: {
		const cause = causeOf(row, i);
		return cause === "starved" ? STYLE.preempted : cause === "computing" || cause === "after_last" ? STYLE.idle : cause === "unknown" ? STYLE.unknown : STYLE.waiting;
	}
	case KIND.HOST: return STYLE.host_queue; // of those taken off the engine, too: the line below has them as preempted
	case KIND.CPU: return STYLE.c0 + row.info[i] % 8;
	case KIND.THREAD:
		return row.state[i] === 3 && row.request[i] !== NONE ? STYLE.waiting : threadStyles[row.state[i]];
	case KIND.CLIENT: return mostOfRequest(row.request[i]);
	case KIND.CLQUEUE: return mostOf(partsOf(kind, row, i));
	case KIND.SUBMIT: return STYLE.prepare;
	case KIND.CALL: return STYLE.signal;
	case KIND.WAIT: return STYLE.waiting;
	case KIND.STARVED: return STYLE.preempted;
	case KIND.LOST: return STYLE.unknown;
	case KIND.FAULT: return STYLE.preempted;
	case KIND.MARK: return STYLE.running;
	case KIND.DISPLAY: return row.state[i] ? STYLE.preempted : STYLE.running;
	default: return requestStyles[row.state[i]];
	}
}

function rowStyles(row) {
	if (!row.style) {
		const kind = facts.tracks[row.track].kind;
		row.style = new Uint8Array(row.n);
		for (let i = 0; i < row.n; i++)
			row.style[i] = styleOf(kind, row, i);
	}
	return row.style;
}

// The buffer, made anew when the size changes.
let image = null, pixels = null;

function fill(x0, y0, x1, y1, colour) {
	const w = image.width;
	for (let y = Math.max(0, y0); y < y1 && y < image.height; y++)
		pixels.fill(colour, y * w + x0, y * w + x1);
}

function inPattern(pattern, x, y) {
	switch (pattern) {
	case RISING: return (x + y) % 6 < 3;
	case FALLING: return (x - y + 60000) % 6 < 2;
	case DOTS: return x % 4 < 2 && y % 4 < 2;
	case CROSS: return (x + y) % 7 < 2 || (x - y + 70000) % 7 < 2;
	case BARS: return x % 4 < 2;
	default: return false;
	}
}

function block(x0, y0, x1, y1, style) {
	const w = image.width, pattern = STYLES[style][1], ink = theme.inks[style], back = theme.backs[style];
	if (pattern === SOLID)
		return fill(x0, y0, x1, y1, ink);
	fill(x0, y0, x1, y1, back);
	if (pattern === LIGHT || x1 - x0 < 3)
		return fill(x0, y1 - 2, x1, y1, ink);
	for (let y = Math.max(0, y0); y < y1 && y < image.height; y++)
		for (let x = x0; x < x1; x++)
			if (inPattern(pattern, x, y))
				pixels[y * w + x] = ink;
}

const toX = t => (GUTTER + (t - view.t0) / (view.t1 - view.t0) * (view.width - GUTTER)) * view.ratio;
const toTime = x => view.t0 + (x - GUTTER) / (view.width - GUTTER) * (view.t1 - view.t0);

// Where a line begins on the canvas, in CSS pixels: pinned ones stay where they are.
const lineTop = line => AXIS + line.top + (line.pinned ? 0 : pinnedHeight - view.scroll);
const isInSight = line => lineTop(line) < view.height && lineTop(line) + line.height > AXIS + (line.pinned ? 0 : pinnedHeight);

// When a request was off its engine, incomplete: [from, to] each. Collected once, for all requests.
let offEngine = null;

function preemptionsOf(number) {
	if (!offEngine) {
		offEngine = new Map();
		facts.tracks.forEach((track, id) => {
			for (const row of track.kind === KIND.PREEMPTED ? data.rows[id] : [])
				for (let i = 0; i < row.n; i++) {
					const all = offEngine.get(row.request[i]) || [];
					all.push([row.begin[i], row.end[i]]);
					offEngine.set(row.request[i], all);
				}
		});
		for (const all of offEngine.values())
			all.sort((a, b) => a[0] - b[0]);
	}
	return offEngine.get(number) || [];
}

// From its first start to its end a request runs, or is preempted.
function runningParts(number, from, to) {
	const parts = [];
	let at = from;
	for (const [off, on] of preemptionsOf(number)) {
		const a = Math.max(at, off), b = to >= a ? Math.min(on, to) : on;
		if (a > at && to > from)
			parts.push([at, a, STYLE.running]);
		if (b > a)
			parts.push([a, b, STYLE.preempted]);
		at = Math.max(at, b);
	}
	if (to > at)
		parts.push([at, to, STYLE.running]);
	return parts;
}

// The stages of a request as far as they are known: [from, to, style] each.
const EDGES = [AT.queue, AT.add, AT.submit, AT.execute, AT.start, AT.end, AT.signal], STAGE_STYLE = [0, 1, 2, 3, 4, 6];

function stageParts(number) {
	return STAGE_STYLE.flatMap((style, i) => {
		const from = timeOf(number, EDGES[i]), to = timeOf(number, EDGES[i + 1]);
		if (style === STYLE.running && from >= 0)
			return runningParts(number, from, to);
		return to > from ? [[from, to, style]] : [];
	});
}

// What a request or a command is made of, as far as it is known: [from, to, style] each.
function partsOf(kind, row, i) {
	if (kind === KIND.CLIENT)
		return hasRequest(row.request[i]) ? stageParts(row.request[i]) : [];
	const at = commandOf(row.info[i] - 1).at; // held by the program's side, given to the device, running
	return [[row.begin[i], at.queued, STYLE.prepare], [at.queued, at.submitted, STYLE.host_queue], [at.submitted, at.start, STYLE.device_queue], [at.start, at.end, STYLE.running]]
		.filter(([from, to]) => to > from);
}

// The style of what lasts longest in all.
const lasting = new Float64Array(STYLES.length);

function longestOf(none) {
	let most = none;
	for (let style = 0; style < lasting.length; style++)
		if (lasting[style] > lasting[most])
			most = style;
	return most;
}

// The same of one that was never taken off its engine, as most are.
function mostOfRequest(number) {
	if (!hasRequest(number) || preemptionsOf(number).length)
		return mostOf(hasRequest(number) ? stageParts(number) : []);
	lasting.fill(0);
	for (let i = 0, from = timeOf(number, EDGES[0]); i < STAGE_STYLE.length; i++) {
		const to = timeOf(number, EDGES[i + 1]);
		if (to > from)
			lasting[STAGE_STYLE[i]] = to - from;
		from = to;
	}
	return longestOf(STYLE.request);
}

function mostOf(parts) {
	lasting.fill(0);
	for (const [from, to, style] of parts)
		lasting[style] += to - from;
	return longestOf(STYLE.request);
}

// How long slices last together, by style and in all.
function sumSlices(row, i, j) {
	let all = 0;
	lasting.fill(0);
	for (let k = i; k < j; k++) {
		const ns = row.end[k] - row.begin[k];
		lasting[row.style[k]] += ns;
		all += ns;
	}
	return all;
}

function partsBar(parts, x0, y0, x1, y1) {
	block(x0, y0, x1, y1, STYLE.request);
	for (const [from, to, style] of parts) {
		const a = Math.max(x0, Math.round(toX(from))), b = Math.min(x1, Math.round(toX(to)));
		if (b > a)
			block(a, y0, b, y1, style);
	}
}

function paintRow(row, kind, y0, y1, names) {
	const styles = rowStyles(row), left = GUTTER * view.ratio, right = image.width;
	const scale = (right - left) / (view.t1 - view.t0);
	for (let i = firstAfter(row, view.t0); i < row.n && row.begin[i] < view.t1;) {
		const xa = left + (row.begin[i] - view.t0) * scale, xb = left + (row.end[i] - view.t0) * scale;
		const a = Math.max(left, Math.floor(xa));
		if (xb - xa >= 2) {
			const b = Math.min(right, Math.max(a + 1, Math.round(xb)));
			if ((kind === KIND.CLIENT || kind === KIND.CLQUEUE) && b - a > 5)
				partsBar(partsOf(kind, row, i), a, y0, b, y1);
			else
				block(a, y0, b, y1, styles[i]);
			if (xb - xa > 6)
				fill(b - 1, y0, b, y1, theme.card);
			if (b - a > 44 * view.ratio && y1 - y0 >= 11 * view.ratio)
				names.push(row, i, a, b, y0, y1);
			i++;
			continue;
		}
		const next = firstFrom(row, i, view.t0 + (a + 1 - left) / scale);
		let j = Math.max(next, i + 1);
		// The last of them may be a long one that only begins here.
		if (j - 1 > i && (row.end[j - 1] - view.t0) * scale + left - a >= 2)
			j--;
		const share = Math.min(1, sumSlices(row, i, j) * scale);
		const h = Math.max(2, Math.round((y1 - y0) * Math.max(0.25, share)));
		fill(a, y1 - h, Math.min(a + 1, right), y1, theme.inks[longestOf(row.style[i])]);
		i = j;
	}
}

// What stands in a slice that is wide enough.
function nameOf(kind, row, i) {
	const number = row.request[i];
	if (kind === KIND.IDLE)
		return "idle: " + causeOf(row, i) + (row.info[i] && causeOf(row, i) === "starved" ? " by " + facts.tasks[row.info[i] - 1] : "");
	if (kind === KIND.STARVED || kind === KIND.CPU)
		return row.info[i] ? facts.tasks[row.info[i] - 1] : "unknown";
	if (kind === KIND.THREAD)
		return ["unknown", "running", "runnable", number !== NONE ? "waits for a request" : "blocked", "dead"][row.state[i]];
	if (kind === KIND.CALL)
		return facts.functions[row.info[i]] || "function";
	if (kind === KIND.CLQUEUE) {
		const command = commandOf(row.info[i] - 1);
		return (command.name || command.kind) + " #" + command.number;
	}
	if (kind === KIND.LOST)
		return "events lost";
	if (kind === KIND.FAULT || kind === KIND.DISPLAY || kind === KIND.MARK)
		return row.info[i] ? facts.tasks[row.info[i] - 1] : "told by the driver";
	if (!hasRequest(number))
		return facts.kinds[kind].name;
	const who = clientName(number) + " #" + numberOf(number, 2);
	return kind === KIND.WAIT ? "waits for " + who : kind === KIND.DEVICE && row.state[i] === BURST ? "burst of " + who : kind === KIND.PREEMPTED && row.info[i] ?
		who + " by " + facts.clients[row.info[i] - 1].name : who;
}

function paintNames(names) {
	const r = view.ratio;
	context2d.font = `600 ${11 * r}px system-ui, sans-serif`;
	context2d.textBaseline = "middle";
	for (let n = 0; n < names.length && n < 6 * 260; n += 6) {
		const [row, i, a, b, y0, y1] = names.slice(n, n + 6), kind = facts.tracks[row.track].kind, solid = STYLES[row.style[i]][1] === SOLID && kind !== KIND.CLIENT && kind !== KIND.CLQUEUE;
		const text = nameOf(kind, row, i), room = b - a - 8 * r;
		const fits = Math.floor(room / (6.3 * r));
		// Where the name does not fit the number alone tells requests apart.
		const brief = text.length > fits && text.includes(" #") && !text.includes(" by ") ? text.slice(text.lastIndexOf("#")) : text;
		const shown = brief.length > fits ? brief.slice(0, Math.max(1, fits - 1)) + "\u2026" : brief;
		if (!solid) {
			context2d.fillStyle = theme.css.card;
			context2d.globalAlpha = 0.82;
			context2d.fillRect(a + 2 * r, y0 + 1.5 * r, Math.min(room, context2d.measureText(shown).width) + 6 * r, y1 - y0 - 3 * r);
			context2d.globalAlpha = 1;
		}
		context2d.fillStyle = solid ? theme.css.card : theme.css.ink;
		context2d.fillText(shown, a + 5 * r, (y0 + y1) / 2 + 0.5 * r, room);
	}
}

// A step of 1, 2 or 5 times a power of ten that leaves room for its label.
function axisStep() {
	const least = (view.t1 - view.t0) / Math.max(2, (view.width - GUTTER) / 110), power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map(f => f * power).find(s => s >= least);
}

function paintAxis() {
	const r = view.ratio, step = Math.max(1, axisStep());
	context2d.fillStyle = theme.css.soft;
	context2d.fillRect(0, 0, canvas.width, AXIS * r);
	context2d.font = `${11 * r}px system-ui, sans-serif`;
	context2d.textBaseline = "middle";
	context2d.fillStyle = theme.css.dim;
	for (let t = Math.ceil(view.t0 / step) * step; t < view.t1; t += step) {
		const x = Math.round(toX(t)), text = clock(t, step);
		if (x < GUTTER * r)
			continue;
		context2d.fillRect(x, AXIS * r - 5 * r, r, 5 * r);
		const end = x + 8 * r + context2d.measureText(text).width, tag = rangeTag();
		if (end < canvas.width && !(tag && x < tag.x + tag.width && end > tag.x))
			context2d.fillText(text, x + 4 * r, AXIS * r / 2);
	}
	context2d.fillText("time", 10 * r, AXIS * r / 2);
}

// Where it stands on the axis how long the chosen time is; null: it is not in sight.
function rangeTag() {
	const r = view.ratio, left = GUTTER * r;
	if (!view.range)
		return null;
	const from = Math.max(left, toX(view.range.from)), to = Math.min(canvas.width, toX(view.range.to)), text = duration(view.range.to - view.range.from);
	const width = (text.length * 7 + 14) * r;
	return to < left || from > canvas.width ? null : { from, to, text, width, x: Math.max(left, Math.min(canvas.width - width, (from + to - width) / 2)) };
}

// The stretch of time that was chosen: its edges, and how long it is.
function paintRange() {
	const r = view.ratio, left = GUTTER * r, tag = rangeTag();
	if (!tag)
		return;
	const { from, to, text, width, x } = tag;
	context2d.fillStyle = theme.css.accent;
	context2d.globalAlpha = 0.16;
	context2d.fillRect(from, AXIS * r, to - from, canvas.height);
	context2d.globalAlpha = 1;
	for (const edge of [view.range.from, view.range.to].map(toX))
		if (edge >= left && edge <= canvas.width)
			context2d.fillRect(Math.min(edge, canvas.width - 1.5 * r), 0, 1.5 * r, canvas.height);
	context2d.font = `600 ${11 * r}px system-ui, sans-serif`;
	context2d.fillRect(x, 3 * r, width, (AXIS - 8) * r);
	context2d.fillStyle = theme.css["accent-ink"];
	context2d.textBaseline = "middle";
	context2d.fillText(text, x + (width - context2d.measureText(text).width) / 2, (AXIS - 2) * r / 2);
}

// As much of a text as there is room for; the end of what is left out is an ellipsis.
function fit(text, room) {
	if (context2d.measureText(text).width <= room)
		return text;
	let low = 0, high = text.length;
	while (low < high) {
		const middle = low + high + 1 >>> 1;
		if (context2d.measureText(text.slice(0, middle) + "\u2026").width <= room)
			low = middle;
		else
			high = middle - 1;
	}
	return text.slice(0, low) + "\u2026";
}

// A pin: filled where the track is pinned, its outline where a click would pin it.
function paintPin(x, y, filled) {
	const r = view.ratio;
	context2d.beginPath();
	context2d.arc(x, y - 2 * r, 3 * r, 0, 2 * Math.PI);
	context2d.strokeStyle = context2d.fillStyle = filled ? theme.css.accent : theme.css.dim;
	context2d.lineWidth = 1.3 * r;
	context2d.stroke();
	if (filled)
		context2d.fill();
	context2d.fillRect(x - 0.6 * r, y + r, 1.2 * r, 4 * r);
}

function paintLabel(line, n) {
	const r = view.ratio, y = lineTop(line) * r, h = line.height * r;
	context2d.textBaseline = "middle";
	if (line.heading) {
		const mark = line.heading.open ? "\u25be " : "\u25b8 ", room = canvas.width - 16 * r;
		context2d.font = `600 ${12 * r}px system-ui, sans-serif`;
		context2d.fillStyle = theme.css.ink;
		const title = fit(mark + line.heading.title, room), width = context2d.measureText(title).width;
		context2d.fillText(title, 8 * r, y + h / 2);
		context2d.font = `${11 * r}px system-ui, sans-serif`;
		context2d.fillStyle = theme.css.dim;
		if (line.heading.note)
			context2d.fillText(fit(line.heading.note, room - width - 10 * r), 18 * r + width, y + h / 2);
	} else {
		context2d.font = `${11 * r}px system-ui, sans-serif`;
		context2d.fillStyle = theme.css.dim;
		context2d.fillText(fit(line.title + (line.more ? ` (+${line.more} rows)` : ""), (GUTTER - 22) * r), 16 * r, y + h / 2);
		if (line.pinned || line.track.id === view.hover || n === view.focus)
			paintPin(8 * r, y + h / 2, line.pinned);
	}
	if (n === view.focus) {
		context2d.strokeStyle = theme.css.focus;
		context2d.lineWidth = 2 * r;
		context2d.strokeRect(r, y + r, canvas.width - 2 * r, h - 2 * r);
	}
}

// What is drawn on top of the pixels, of the lines that move or of those that are pinned.
function paintWords(names, pinned) {
	const r = view.ratio, top = AXIS + (pinned ? 0 : pinnedHeight);
	context2d.save();
	context2d.beginPath();
	context2d.rect(0, top * r, canvas.width, canvas.height);
	context2d.clip();
	paintNames(names);
	lines.forEach((line, n) => {
		if (Boolean(line.pinned) === pinned && isInSight(line))
			paintLabel(line, n);
	});
	context2d.restore();
}

// The middle of a slice's edge on the canvas, null when its line is not shown.
function pointOf(slice, t) {
	const line = lineOf(slice.row);
	if (!line)
		return null;
	const k = line.rows.indexOf(slice.row);
	return { x: toX(t), y: (lineTop(line) + 3 + (k + 0.5) * line.each) * view.ratio };
}

function outline(slice, width) {
	const line = lineOf(slice.row), r = view.ratio;
	if (!line)
		return;
	const y = (lineTop(line) + 3 + line.rows.indexOf(slice.row) * line.each) * r;
	const a = Math.max(GUTTER * r, toX(slice.row.begin[slice.i])), b = Math.max(a + 2 * r, toX(slice.row.end[slice.i]));
	context2d.strokeStyle = theme.css.pick;
	context2d.lineWidth = width * r;
	context2d.strokeRect(a - r, y - r, b - a + 2 * r, line.each * r + 2 * r);
}

function arrow(from, to) {
	const r = view.ratio;
	if (!from || !to)
		return;
	const bend = Math.max(14 * r, Math.abs(to.x - from.x) / 3);
	context2d.beginPath();
	context2d.moveTo(from.x, from.y);
	context2d.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x, to.y);
	context2d.stroke();
	context2d.beginPath();
	context2d.moveTo(to.x, to.y);
	context2d.lineTo(to.x - 8 * r, to.y - 4 * r);
	context2d.lineTo(to.x - 8 * r, to.y + 4 * r);
	context2d.fill();
}

// The arrows of the selected request: call, request, run, wake-up; dashed from what it waited for and who was ahead, and to those for whom it was that.
function paintSelected() {
	const selected = view.selected;
	if (!selected)
		return;
	context2d.save();
	context2d.beginPath();
	context2d.rect(GUTTER * view.ratio, AXIS * view.ratio, canvas.width, canvas.height);
	context2d.clip();
	outline(selected.slice, 2);
	context2d.strokeStyle = context2d.fillStyle = theme.css.pick;
	context2d.lineWidth = 1.6 * view.ratio;
	for (const { from, at, to, into, isOthers } of selected.arrows) {
		context2d.setLineDash(isOthers ? [5 * view.ratio, 3 * view.ratio] : []);
		arrow(pointOf(from, at), pointOf(to, into));
	}
	context2d.setLineDash([]);
	for (const other of selected.others)
		outline(other, 1);
	context2d.restore();
}

function resize() {
	const box = byId("scroll");
	box.style.maxHeight = linesHeight + pinnedHeight + AXIS + 12 + "px";
	view.ratio = Math.min(2, window.devicePixelRatio || 1);
	view.width = box.clientWidth;
	GUTTER = view.width < 560 ? 112 : 168;
	view.height = box.clientHeight;
	canvas.width = Math.max(1, Math.round(view.width * view.ratio));
	canvas.height = Math.max(1, Math.round(view.height * view.ratio));
	canvas.style.width = view.width + "px";
	canvas.style.height = view.height + "px";
	image = context2d.createImageData(canvas.width, canvas.height);
	pixels = new Uint32Array(image.data.buffer);
	byId("sizer").style.height = Math.max(view.height, linesHeight + pinnedHeight + AXIS + 8) + "px";
}

function paintLine(line, names) {
	const r = view.ratio, y = Math.round(lineTop(line) * r), h = Math.round(line.height * r);
	if (!isInSight(line))
		return;
	if (line.heading) {
		fill(0, y, canvas.width, y + h, theme.soft);
		return;
	}
	line.rows.forEach((row, k) => {
		const top = y + Math.round((3 + k * line.each) * r);
		paintRow(row, line.track.kind, top, top + Math.max(1, Math.round((line.each - (line.each > 8 ? 2 : line.each > 3 ? 1 : 0)) * r)), names);
	});
	fill(0, y + h - 1, canvas.width, y + h, theme.line);
}

function paint() {
	const r = view.ratio, moving = [], pinned = [];
	pixels.fill(theme.card);
	for (const line of lines.filter(l => !l.pinned))
		paintLine(line, moving);
	if (pinnedHeight) {
		fill(0, Math.round(AXIS * r), canvas.width, Math.round((AXIS + pinnedHeight) * r), theme.card);
		for (const line of lines.filter(l => l.pinned))
			paintLine(line, pinned);
		fill(0, Math.round((AXIS + pinnedHeight - 3) * r), canvas.width, Math.round((AXIS + pinnedHeight) * r), pixel(theme.css.accent));
	}
	context2d.putImageData(image, 0, 0);
	paintWords(moving, false);
	paintWords(pinned, true);
	paintPath();
	paintSelected();
	paintAxis();
	paintRange();
}
