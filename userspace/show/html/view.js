// SPDX-License-Identifier: MIT
// What people do: zoom, pan, walk by keyboard, select; and the beginning of it all.

let asked = false;
const frames = [];  // how long the last frames took to paint, ms

function draw() {
	if (asked)
		return;
	asked = true;
	keepAddress();
	requestAnimationFrame(() => {
		const begin = performance.now();
		asked = false;
		paint();
		paintOverview();
		frames.push(performance.now() - begin);
		if (frames.length > 240)
			frames.shift();
		byId("range").textContent = `${clock(view.t0, (view.t1 - view.t0) / 10)} to ${clock(view.t1, (view.t1 - view.t0) / 10)}, ${duration(view.t1 - view.t0)}`;
		if (!byId("table").hidden)
			showTable();
	});
}

function setRange(t0, t1) {
	const least = 50, whole = Math.max(1000, data.end);
	const size = Math.min(Math.max(t1 - t0, least), whole * 1.04), middle = (t0 + t1) / 2;
	view.t0 = Math.max(-0.02 * whole, Math.min(middle - size / 2, whole * 1.02 - size));
	view.t1 = view.t0 + size;
	draw();
}

function zoom(factor, around) {
	const t = around === undefined ? (view.t0 + view.t1) / 2 : around;
	setRange(t - (t - view.t0) * factor, t + (view.t1 - t) * factor);
}

function pan(share) {
	const by = (view.t1 - view.t0) * share;
	setRange(view.t0 + by, view.t1 + by);
}

function zoomTo(begin, end) {
	const size = Math.max(end - begin, 200);
	setRange(begin - size * 0.15, end + size * 0.15);
}

// The whole recording in one strip: how busy the engines are, and which part of it is seen. Its times stand above those of the timeline, while
// that shows all. Without an engine: the queues of commands, else the CPUs.
const STRIPS = [[KIND.ENGINE, "engines"], [KIND.CLQUEUE, "queues"], [KIND.CPU, "CPUs"]];
let overviewBack = null, overviewOf = null;

// The tracks of the strip and what they are; of the last kind there may be none.
function overviewTracks() {
	if (!overviewOf) {
		const strips = STRIPS.map(([kind, what]) => ({ what, tracks: tracksOf(track => track.kind === kind && data.rows[track.id].some(row => row.n)) }));
		overviewOf = strips.find(strip => strip.tracks.length) || strips[strips.length - 1];
	}
	return overviewOf;
}

// How much of each of n stretches of the recording the slices of these rows cover: 0 to 1.
function coverage(rows, n) {
	const slices = rows.reduce((sum, row) => sum + row.n, 0), begins = new Float64Array(slices), ends = new Float64Array(slices), at = [], value = [];
	let filled = 0;
	for (const row of rows) {
		begins.set(row.begin, filled);
		ends.set(row.end, filled);
		filled += row.n;
	}
	begins.sort();
	ends.sort();
	for (let begun = 0, ended = 0; ended < slices;) {
		at.push(begins[begun] <= ends[ended] ? begins[begun++] : ends[ended++]);
		value.push(Math.min(1, begun - ended));
	}
	return averages({ at, value }, n).mean;
}

function overviewImage(width, height) {
	const strip = new OffscreenCanvas(width, height), to = strip.getContext("2d"), { tracks } = overviewTracks();
	const each = height / tracks.length, gap = Math.min(2, each / 4);
	to.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--running");
	tracks.forEach((track, k) => coverage(data.rows[track.id], width).forEach((share, x) => {
		const h = share * (each - gap);
		to.fillRect(x, (k + 1) * each - h, 1, h);
	}));
	return strip;
}

function paintOverview() {
	const strip = byId("overview"), whole = strip.clientWidth, width = whole - GUTTER, height = 40, to = strip.getContext("2d");
	if (!(width > 0))
		return;
	if (strip.width !== whole || !overviewBack) {
		strip.width = whole;
		strip.height = height;
		overviewBack = overviewImage(width, height);
	}
	const x = t => GUTTER + t / data.end * width;
	to.clearRect(0, 0, whole, height);
	to.font = "11px system-ui, sans-serif";
	to.textBaseline = "middle";
	to.fillStyle = theme.css.dim;
	to.fillText("busy " + overviewTracks().what, 10, height / 2);
	to.drawImage(overviewBack, GUTTER, 0);
	const a = x(Math.max(0, view.t0)), b = Math.min(whole, Math.max(a + 2, x(view.t1)));
	to.fillStyle = theme.css.accent;
	to.globalAlpha = 0.18;
	to.fillRect(a, 0, b - a, height);
	to.globalAlpha = 1;
	to.strokeStyle = theme.css.accent;
	to.lineWidth = 2;
	to.strokeRect(a + 1, 1, Math.max(1, b - a - 2), height - 2);
	if (view.range)
		to.fillRect(x(view.range.from), height - 6, Math.max(2, x(view.range.to) - x(view.range.from)), 6);
}

function showOverview() {
	const { what, tracks } = overviewTracks();
	byId("overview").hidden = !tracks.length;
	byId("overview").title = `How busy the ${what} are in all of the recording. Drag to move the view.`;
}

// Selecting.

function ends(slice) {
	return slice ? [slice.row.begin[slice.i], slice.row.end[slice.i]] : [0, 0];
}

// The call that made a command: in its thread, at its time.
function callOf(slice) {
	const command = commandOf(slice.row.info[slice.i] - 1);
	for (const track of tracksOf(t => t.kind === KIND.CALL && t.tid === command.tid))
		for (const row of data.rows[track.id]) {
			const i = firstFrom(row, 0, command.at.call);
			if (i < row.n && row.begin[i] === command.at.call)
				return { row, i };
		}
	return null;
}

// From a reset, or the request that hung, to those that ended with it.
function arrowsOfReset(number) {
	const at = timeOf(number, AT.givenUp), members = [];
	if (isNaN(at))
		return [];
	for (let n = 0; n < facts.requests; n++)
		if (hasRequest(n) && timeOf(n, AT.givenUp) === at)
			members.push(n);
	const sliceOf = n => slicesOf(n, [KIND.CLIENT])[0], guilty = members.find(isGuilty);
	const from = guilty === undefined ? faultAt(at) : sliceOf(guilty);
	return members.filter(n => n !== guilty && from && sliceOf(n)).map(n => ({ from, at, to: sliceOf(n), into: at }));
}

function faultAt(at) {
	for (const track of tracksOf(t => t.kind === KIND.FAULT))
		for (const row of data.rows[track.id]) {
			const i = firstFrom(row, 0, at);
			if (i < row.n && row.begin[i] === at)
				return { row, i };
		}
	return null;
}

const isSame = (a, b) => a.row === b.row && a.i === b.i;

// The run beside a run on its engine, the next one (by 1) or the one before (by -1).
function runBeside(run, by) {
	let best = null;
	for (const row of data.rows[run.row.track]) {
		const i = by > 0 ? firstFrom(row, 0, ends(run)[1]) : firstFrom(row, 0, ends(run)[0]) - 1;
		const at = i >= 0 && i < row.n ? row.begin[i] : NaN;
		if (at >= 0 && (row !== run.row || i !== run.i) && (!best || by * (at - best.row.begin[best.i]) < 0))
			best = { row, i };
	}
	return best;
}

// Of two runs that follow each other: the later one's request was in the device queue behind the earlier one's.
function stoodBehind(earlier, later) {
	const [a, b] = [earlier, later].map(run => run ? run.row.request[run.i] : NONE);
	return a !== b && hasRequest(a) && hasRequest(b) && numberOf(b, 6) === numberOf(a, 1) + 1 && timeOf(b, STAGE_COLUMN + 2 * 3) > 0;
}

// What the request waited for and who was ahead of it, those that waited for it and who was behind it: numbers of requests, and arrows.
function neighboursOf(number, request, runs) {
	const before = runs.length ? runBeside(runs[0], -1) : null, arrows = [];
	const after = waitedForBy(number), waiters = waitersOf(number), ahead = before && stoodBehind(before, runs[0]) ? before.row.request[before.i] : -1;
	const behind = runs.map(run => ({ run, next: runBeside(run, 1) })).filter(({ run, next }) => next && stoodBehind(run, next) && isSame(slicesOf(next.row.request[next.i], [KIND.ENGINE])[0], next));
	const waits = (first, then) => {
		const from = slicesOf(first, [KIND.CLIENT])[0], to = slicesOf(then, [KIND.CLIENT])[0], at = timeOf(first, AT.signal), into = timeOf(then, AT.submit);
		if (from && to && at >= 0 && into >= 0)
			arrows.push({ from, at: Math.min(at, ends(from)[1]), to, into, other: first === number ? to : from });
	};
	if (after >= 0)
		waits(after, number);
	waiters.slice(0, MOST_NEIGHBOURS).forEach(waiter => waits(number, waiter));
	if (ahead >= 0)
		arrows.push({ from: before, at: ends(before)[1], to: runs[0], into: ends(runs[0])[0], other: before });
	for (const { run, next } of behind.slice(0, MOST_NEIGHBOURS))
		arrows.push({ from: run, at: ends(run)[1], to: next, into: ends(next)[0], other: next });
	return { after, waiters, ahead, behind: behind.map(({ next }) => next.row.request[next.i]), arrows: arrows.map(arrow => ({ ...arrow, isOthers: true })) };
}

const MOST_NEIGHBOURS = 5; // of those that waited for a request or stood behind it, shown

function linksOf(number) {
	const request = slicesOf(number, [KIND.CLIENT])[0], submit = slicesOf(number, [KIND.SUBMIT])[0];
	const runs = slicesOf(number, [KIND.ENGINE]), waits = slicesOf(number, [KIND.WAIT]);
	const [begin, end] = ends(request || runs[0]);
	const arrows = arrowsOfReset(number), commands = slicesOf(number, [KIND.CLQUEUE]);
	for (const command of commands) {
		const call = callOf(command);
		if (call)
			arrows.push({ from: call, at: ends(call)[0], to: command, into: Math.max(ends(call)[0], ends(command)[0]) });
		if (submit || request)
			arrows.push({ from: command, at: Math.min(ends(command)[0], ends(submit || request)[0]), to: submit || request, into: ends(submit || request)[0] });
	}
	if (submit && request)
		arrows.push({ from: submit, at: ends(submit)[0], to: request, into: begin });
	if (runs.length)
		arrows.push({ from: submit || request || runs[0], at: submit ? ends(submit)[1] : begin, to: runs[0], into: ends(runs[0])[0] });
	for (const wait of waits)
		if (runs.length)
			arrows.push({ from: runs[runs.length - 1], at: ends(runs[runs.length - 1])[1], to: wait, into: ends(wait)[1] });
	const neighbours = neighboursOf(number, request, runs);
	arrows.push(...neighbours.arrows);
	return { request, neighbours, submit, command: commands[0], run: runs[0], wait: waits[0], begin, end, arrows, preempted: slicesOf(number, [KIND.PREEMPTED]),
		others: [...commands, submit, request, ...runs, ...waits, ...slicesOf(number, [KIND.HOST, KIND.DEVICE]), ...neighbours.arrows.map(a => a.other)].filter(Boolean) };
}

// Scrolls so that the slice's line is seen: in the timeline, and the timeline in the window.
function bringToSight(slice) {
	if (reveal(slice.row))
		resize();
	const line = lineOf(slice.row), box = byId("scroll"), room = view.height - AXIS - pinnedHeight;
	if (!line)
		return;
	if (!line.pinned && (line.top < box.scrollTop || line.top + line.height > box.scrollTop + room))
		box.scrollTop = Math.max(0, line.top - room / 3);
	view.scroll = box.scrollTop;
	view.focus = lines.indexOf(line);
	const y = canvas.getBoundingClientRect().top + lineTop(line);
	if (y < 40 || y + line.height > innerHeight - 12)
		scrollBy({ top: y - innerHeight / 2 });
}

function jump(slice) {
	const [begin, end] = ends(slice), size = view.t1 - view.t0;
	bringToSight(slice);
	if (end - begin > size)
		zoomTo(begin, end);
	else
		setRange((begin + end) / 2 - size / 2, (begin + end) / 2 + size / 2);
	say(slice);
}

function say(slice) {
	const kind = facts.tracks[slice.row.track].kind;
	byId("live").textContent = `${nameOf(kind, slice.row, slice.i)}, ${facts.kinds[kind].name}, ${duration(ends(slice)[1] - ends(slice)[0])}, at ${clock(ends(slice)[0], 1)}`;
}

function selectSlice(slice) {
	const number = slice.row.request[slice.i], kind = facts.tracks[slice.row.track].kind;
	if (kind === KIND.CLQUEUE) {
		const links = hasRequest(number) ? linksOf(number) : { arrows: [], others: [] };
		view.selected = { slice, arrows: links.arrows, others: links.others };
		showCommand(slice);
	} else if (hasRequest(number) && kind !== KIND.IDLE && kind !== KIND.THREAD && kind !== KIND.CPU) {
		const links = linksOf(number);
		view.selected = { slice, arrows: links.arrows, others: links.others };
		showRequest(number, links);
	} else {
		view.selected = { slice, arrows: [], others: [] };
		showSlice(slice);
	}
	view.cursor = slice.row.begin[slice.i];
	say(slice);
	draw();
}

function showAt(slice) {
	const [begin, end] = ends(slice);
	bringToSight(slice);
	zoomTo(begin - (end - begin), end + (end - begin));
	selectSlice(slice);
}

function selectRequest(number) {
	const links = linksOf(number), slice = links.request || links.run;
	if (slice)
		showAt(slice);
}

function clearSelection() {
	view.selected = null;
	hint();
	draw();
}

// What is at a place of the canvas, in CSS pixels.
function lineAt(y) {
	return y < AXIS ? undefined : lines.find(line => y >= lineTop(line) && y < lineTop(line) + line.height && (line.pinned || y >= AXIS + pinnedHeight));
}

function sliceAt(x, y) {
	const line = lineAt(y);
	if (!line || line.heading || x < GUTTER)
		return null;
	const row = line.rows[Math.min(line.rows.length - 1, Math.max(0, Math.floor((y - lineTop(line) - 3) / line.each)))];
	// The slice there; else one that is near.
	const t = toTime(x), slack = 3 * (view.t1 - view.t0) / view.width, there = firstAfter(row, t);
	const i = there < row.n && row.begin[there] <= t ? there : firstAfter(row, t - slack);
	return i < row.n && row.begin[i] <= t + slack ? { row, i } : null;
}

function toggle(group) {
	group.open = !group.open;
	layOut();
	resize();
	draw();
}

function togglePin(line) {
	if (!line || line.heading)
		return;
	const name = fullTitle(line.track), was = pins.includes(line.track.id), done = pin(line.track.id);
	view.focus = lines.findIndex(l => l.track && l.track.id === line.track.id);
	byId("live").textContent = was ? `${name} moves with the others again` : done ? `${name} stays on top` : "there is no more room on top";
	resize();
	draw();
}

// Mouse and touch. Dragging chooses a stretch of time; with Shift, or a finger, it moves the view.

// The end of what is chosen that does not move when the other is dragged; null: the pointer is at none.
function fixedEnd(x) {
	const near = t => Math.abs(toX(t) / view.ratio - x) < 5;
	return !view.range ? null : near(view.range.from) ? view.range.to : near(view.range.to) ? view.range.from : null;
}

function tipAt(event) {
	const line = lineAt(event.offsetY), slice = sliceAt(event.offsetX, event.offsetY);
	if (slice)
		return `${nameOf(facts.tracks[slice.row.track].kind, slice.row, slice.i)}\n${duration(ends(slice)[1] - ends(slice)[0])}`;
	if (!line || event.offsetX >= GUTTER)
		return "";
	return line.heading ? line.heading.title : `${fullTitle(line.track)}: ${facts.kinds[line.track.kind].help}\nA click ${line.pinned ? "lets it move again" : "keeps it on top"}.`;
}

function hover(event) {
	const line = event.offsetX < GUTTER ? lineAt(event.offsetY) : null, id = line && line.track ? line.track.id : null;
	canvas.title = tipAt(event);
	canvas.style.cursor = event.offsetX < GUTTER ? "pointer" : fixedEnd(event.offsetX) !== null ? "ew-resize" : event.shiftKey ? "grab" : "";
	if (view.hover !== id) {
		view.hover = id;
		draw();
	}
}

function drag(held, event) {
	if (!held.pans)
		return chooseRange(held.fixed, toTime(Math.max(GUTTER, Math.min(view.width, event.offsetX))));
	const by = (held.x - event.offsetX) / (view.width - GUTTER) * (held.t1 - held.t0);
	setRange(held.t0 + by, held.t1 + by);
}

function click(event) {
	const line = lineAt(event.offsetY), slice = sliceAt(event.offsetX, event.offsetY);
	if (!line)
		return;
	view.focus = lines.indexOf(line);
	if (line.heading)
		toggle(line.heading);
	else if (event.offsetX < GUTTER)
		togglePin(line);
	else if (slice)
		selectSlice(slice);
	else
		clearSelection();
}

function setUpPointer() {
	let held = null;
	canvas.addEventListener("pointerdown", event => {
		const fixed = fixedEnd(event.offsetX);
		held = { x: event.offsetX, t0: view.t0, t1: view.t1, moved: false, pans: event.pointerType === "touch" || event.shiftKey || event.button === 1 || event.offsetX < GUTTER,
			fixed: fixed === null ? toTime(event.offsetX) : fixed };
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", event => {
		if (!held)
			hover(event);
		if (!held || Math.abs(event.offsetX - held.x) < 4 && !held.moved)
			return;
		held.moved = true;
		drag(held, event);
	});
	canvas.addEventListener("pointerup", event => {
		if (held && !held.moved && event.button === 0)
			click(event);
		else if (held && held.moved && !held.pans)
			showRange();
		held = null;
	});
	canvas.addEventListener("pointercancel", () => { held = null; });
	canvas.addEventListener("pointerleave", () => { view.hover = null; draw(); });
	canvas.addEventListener("dblclick", event => {
		const slice = sliceAt(event.offsetX, event.offsetY);
		if (slice)
			zoomTo(...ends(slice));
	});
	canvas.addEventListener("wheel", event => {
		if (event.ctrlKey || event.metaKey || event.altKey) {
			event.preventDefault();
			zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY)) / 160), toTime(Math.max(GUTTER, event.offsetX)));
		} else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			event.preventDefault();
			pan((event.deltaX || event.deltaY) / view.width);
		}
	}, { passive: false });
	const strip = byId("overview"), center = event => {
		const t = (event.offsetX - GUTTER) / (strip.clientWidth - GUTTER) * data.end, size = view.t1 - view.t0;
		setRange(t - size / 2, t + size / 2);
	};
	strip.addEventListener("pointerdown", event => { strip.setPointerCapture(event.pointerId); center(event); });
	strip.addEventListener("pointermove", event => { if (event.buttons) center(event); });
	byId("scroll").addEventListener("scroll", () => { view.scroll = byId("scroll").scrollTop; draw(); });
}

// Keyboard: wherever the focus is.

const KEYS = [["\u2190 \u2192", "move in time (Shift: further)"], ["\u2191 \u2193", "focus the line above, below, where the timeline has the focus"], ["+ \u2212, w s", "zoom in, out"],
	["0", "show all"], ["n p", "next, previous slice of the line"], ["Enter", "select it; open or close a group"], ["f", "zoom to what is selected"],
	["m z", "choose the time in sight, or of what is selected, for its sums; zoom to it"], ["k", "keep the line on top, or let go of it"],
	["c r u", "go to the call, the run, the wake-up"], ["x", "draw the critical path of the longest request, or do not"], ["/", "find a process, a thread, a kernel, a call, a request, an idle time, what took longer (>5ms, NAME >5ms)"], ["t", "table of what is visible"], ["Home End", "begin, end of the recording"], ["Esc", "select nothing; choose no time"]];

function focusLine(by) {
	view.focus = Math.max(0, Math.min(lines.length - 1, view.focus + by));
	const line = lines[view.focus], box = byId("scroll");
	if (!line.pinned && line.top < box.scrollTop)
		box.scrollTop = line.top;
	else if (!line.pinned && line.top + line.height > box.scrollTop + view.height - AXIS - pinnedHeight)
		box.scrollTop = line.top + line.height - view.height + AXIS + pinnedHeight + 4;
	view.scroll = box.scrollTop;
	byId("live").textContent = line.heading ? `${line.heading.title}, ${line.heading.open ? "open" : "closed"}` : line.title + ", " + facts.kinds[line.track.kind].help;
	draw();
}

// The next or previous slice of the focused line, of all its rows.
function walk(by) {
	const line = lines[view.focus], selected = view.selected && view.selected.slice;
	if (!line || line.heading)
		return;
	const here = selected && line.rows.includes(selected.row) ? selected.row.begin[selected.i] : by > 0 ? view.t0 : view.t1;
	let best = null;
	for (const row of line.rows) {
		let i = firstFrom(row, 0, here);
		if (by > 0)
			while (i < row.n && selected && row.begin[i] <= here && selected.row === row)
				i++;
		else
			i--;
		if (by > 0 && selected && line.rows.includes(selected.row) && selected.row !== row)
			while (i < row.n && row.begin[i] <= here)
				i++;
		if (i >= 0 && i < row.n && (!best || (by > 0 ? row.begin[i] < best.row.begin[best.i] : row.begin[i] > best.row.begin[best.i])))
			best = { row, i };
	}
	if (!best)
		return;
	selectSlice(best);
	if (ends(best)[0] < view.t0 || ends(best)[1] > view.t1)
		setRange(ends(best)[0] - (view.t1 - view.t0) / 3, ends(best)[0] + (view.t1 - view.t0) * 2 / 3);
}

function activate() {
	const line = lines[view.focus];
	if (line && line.heading)
		toggle(line.heading);
	else
		walk(1);
}

function goTo(which) {
	const slice = view.selected && view.selected.slice, links = slice && hasRequest(slice.row.request[slice.i]) ? linksOf(slice.row.request[slice.i]) : null;
	if (links && links[which])
		jump(links[which]);
}

// These belong to the page, or to what has the focus, until the timeline has it.
const OF_THE_TIMELINE = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", "Enter"];

function onKey(event) {
	const far = event.shiftKey ? 0.8 : 0.15, press = id => byId(id).click();
	const acts = { ArrowLeft: () => pan(-far), ArrowRight: () => pan(far), a: () => pan(-far), d: () => pan(far), ArrowUp: () => focusLine(-1), ArrowDown: () => focusLine(1),
		PageUp: () => focusLine(-8), PageDown: () => focusLine(8), "+": () => zoom(0.6, zoomPoint()), "=": () => zoom(0.6, zoomPoint()), w: () => zoom(0.6, zoomPoint()),
		"-": () => zoom(1 / 0.6, zoomPoint()), s: () => zoom(1 / 0.6, zoomPoint()), 0: () => setRange(0, data.end), n: () => walk(1), p: () => walk(-1),
		Enter: activate, f: () => view.selected && zoomTo(...ends(view.selected.slice)), c: () => goTo("submit"), r: () => goTo("run"), u: () => goTo("wait"),
		Home: () => setRange(0, view.t1 - view.t0), End: () => setRange(data.end - (view.t1 - view.t0), data.end), Escape: () => view.selected ? clearSelection() : chooseRange(null), m: chooseSeen, z: () => view.range && zoomTo(view.range.from, view.range.to), k: () => togglePin(lines[view.focus]),
		"/": () => byId("search").focus(), "?": () => press("keys"), t: () => press("astable"), x: () => facts.critical && press("path") };
	if (["INPUT", "SELECT"].includes(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey || !acts[event.key] ||
		event.target !== canvas && OF_THE_TIMELINE.includes(event.key))
		return;
	event.preventDefault();
	acts[event.key]();
	// What a key does is to be seen.
	const { top, bottom } = byId("timeline").getBoundingClientRect();
	if (event.key !== "Escape" && (bottom < 0 || top > innerHeight))
		byId("timeline").scrollIntoView();
}

// Zooming stays with what is selected, while that is in sight.
function zoomPoint() {
	return view.selected && view.cursor >= view.t0 && view.cursor <= view.t1 ? view.cursor : undefined;
}

function setUpKeys() {
	document.addEventListener("keydown", onKey);
	byId("keyhelp").replaceChildren(...KEYS.map(([key, what]) => make("div", {}, ...key.split(" ").flatMap(k => [make("kbd", {}, k), " "]), what)));
}

// The table: what is visible of the focused line, or the requests.
function showTable() {
	const line = lines[view.focus] && lines[view.focus].rows ? lines[view.focus] : lines.find(l => l.rows && l.track.kind === KIND.CLIENT) || lines.find(l => l.rows);
	const rows = [];
	for (const row of line ? line.rows : [])
		for (let i = firstAfter(row, view.t0); i < row.n && row.begin[i] < view.t1 && rows.length < 2000; i++)
			rows.push({ row, i });
	rows.sort((a, b) => a.row.begin[a.i] - b.row.begin[b.i]);
	const table = make("table", {});
	fillTable(table, [
		{ name: "what", of: s => nameOf(line.track.kind, s.row, s.i) }, { name: "from", n: true, of: s => clock(s.row.begin[s.i], 1) },
		{ name: "for", n: true, of: s => duration(ends(s)[1] - ends(s)[0]) },
	], rows.slice(0, 200), selectSlice);
	if (line)
		table.prepend(make("caption", {}, `${line.title}: ${rows.length > 200 ? "the first 200 slices" : rows.length + " slices"} in sight`));
	byId("table").replaceChildren(table);
}

function showLegend() {
	const names = { prepare: "prepare", dependency: "dependency", host_queue: "host queue, runnable", device_queue: "device queue", running: "running",
		preempted: "preempted, starved", signal: "signal", waiting: "waits for a request", blocked: "blocked", unknown: "unknown" };
	byId("legend").replaceChildren(...Object.entries(names).map(([name, text]) => {
		const sample = make("canvas", { width: "44", height: "24", "aria-hidden": "true" }), to = sample.getContext("2d"), keep = [image, pixels];
		image = to.createImageData(44, 24);
		pixels = new Uint32Array(image.data.buffer);
		block(0, 0, 44, 24, STYLE[name]);
		to.putImageData(image, 0, 0);
		[image, pixels] = keep;
		return make("li", {}, sample, text);
	}), make("li", {}, "engines: a colour per process; where slices share a pixel the bar's height is the share of time, its colour that of what lasted longest"));
}

function setUpButtons() {
	const pressed = (id, name) => { const now = byId(id).getAttribute(name) !== "true"; byId(id).setAttribute(name, String(now)); return now; };
	byId("zoomin").addEventListener("click", () => zoom(0.5, zoomPoint()));
	byId("zoomout").addEventListener("click", () => zoom(2, zoomPoint()));
	byId("chooseseen").addEventListener("click", chooseSeen);
	byId("zoomall").addEventListener("click", () => setRange(0, data.end));
	byId("path").addEventListener("click", () => drawPath(!view.path));
	byId("keys").addEventListener("click", () => { byId("keyhelp").hidden = !pressed("keys", "aria-expanded"); });
	byId("astable").addEventListener("click", () => {
		byId("table").hidden = !pressed("astable", "aria-pressed");
		draw();
	});
}

function restyle() {
	readTheme();
	overviewBack = null;
	showLegend();
	draw();
}

async function begin() {
	const said = byId("loading");
	if (typeof DecompressionStream === "undefined") {
		said.textContent = "This browser is too old to unpack the data in this page.";
		return;
	}
	await readData((n, of) => { said.textContent = `Reading the recording: ${n} of ${of}`; });
	showHead();
	showVerdict();
	showStages();
	showEngines();
	showQueues();
	showCounters();
	showCourse();
	showCulprits();
	showClients();
	showOpenCL();
	showWorst(w => {
		const number = findRequest(w.context, w.seqno);
		if (number < 0)
			return;
		byId("timeline").scrollIntoView();
		selectRequest(number);
	});
	showCritical();
	hideEmptyCards();
	setUpHistogram();
	showWords();
	said.hidden = true;
	byId("main").hidden = false;
	makeGroups();
	layOut();
	readTheme();
	resize();
	hint();
	showOverview();
	setUpPointer();
	setUpKeys();
	setUpSearch();
	setUpButtons();
	showLegend();
	setRange(0, data.end);
	setUpAddress();
	showHistogram();
	fitTables();
	// On paper the timeline is what was drawn on the screen: a frame for the paper's width does not come.
	const paper = matchMedia("print");
	new ResizeObserver(() => {
		if (paper.matches)
			return;
		resize();
		draw();
	}).observe(byId("scroll"));
	let width = innerWidth;
	addEventListener("resize", () => {
		if (innerWidth !== width)
			fitTables();
		width = innerWidth;
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
	document.documentElement.dataset.ready = "1";
}

begin();
