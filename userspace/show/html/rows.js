// SPDX-License-Identifier: MIT
// The lines of the timeline: groups of tracks, which are closed or open, and where each is.

const HEADING = 22;

const lines = [];   // what is shown, from the top: pinned tracks, then headings and tracks
const groups = [];  // {title, note, tracks, open}
const pins = [];    // the ids of tracks that stay on top, in the order in which they were pinned
const firstRows = new Map(); // track -> the first of its rows that is shown, where that is not the first
let linesHeight = 0, pinnedHeight = 0;

function tracksOf(test) {
	return facts.tracks.map((track, id) => ({ ...track, id })).filter(test);
}

// How long each thread ran or could run, by its number.
function activeTimes() {
	const sums = new Map();
	for (const track of tracksOf(t => t.kind === KIND.THREAD))
		for (const row of data.rows[track.id])
			for (let i = 0; i < row.n; i++)
				if (row.state[i] === RUNNING || row.state[i] === RUNNABLE)
					sums.set(track.tid, (sums.get(track.tid) || 0) + row.end[i] - row.begin[i]);
	return sums;
}

// The tracks of a thread belong together: its state, its waits, its calls, who ran instead. The recorded program's threads come first, then those
// that ran or could run for longest.
function threadTracks(times, test) {
	const order = [KIND.THREAD, KIND.MARK, KIND.CALL, KIND.WAIT, KIND.SUBMIT, KIND.STARVED];
	const tracks = tracksOf(track => order.includes(track.kind) && test(track));
	const named = new Set(tracks.filter(track => track.kind === KIND.THREAD && data.rows[track.id].some(row => row.n)).map(track => track.tid));
	const names = new Map(tracks.map(track => [track.tid, track.name]).sort((a, b) => a[1].length - b[1].length));
	for (const track of tracks)
		track.whose = named.has(track.tid) ? "" : names.get(track.tid); // where no line above it says so
	const program = new Set(tracks.filter(track => facts.program > 0 && [track.pid, track.tid].includes(facts.program)).map(track => track.tid));
	const active = tid => times.get(tid) || 0;
	return tracks.sort((a, b) => program.has(b.tid) - program.has(a.tid) || active(b.tid) - active(a.tid) || a.tid - b.tid || order.indexOf(a.kind) - order.indexOf(b.kind));
}

// The client that a thread or an OpenCL queue belongs to.
function ownerOf(track) {
	if (track.client !== undefined)
		return track.client;
	const found = track.pid >= 0 ? facts.clients.findIndex(client => client.pid === track.pid) : -1;
	return found < 0 ? undefined : found;
}

function makeGroups() {
	const times = activeTimes();
	const lost = tracksOf(track => track.kind === KIND.LOST);
	if (lost.length)
		groups.push({ title: "Lost events", tracks: lost, open: true });
	const told = tracksOf(track => track.kind === KIND.FAULT);
	if (told.length)
		groups.push({ title: "What the GPU's driver told of", tracks: told, open: true });
	const displays = tracksOf(track => track.kind === KIND.DISPLAY);
	if (displays.length)
		groups.push({ title: "Displays", note: "refreshes that show a new picture, or missed it", tracks: displays, open: true });
	const cpus = tracksOf(track => track.kind === KIND.CPU).sort((a, b) => a.cpu - b.cpu);
	if (cpus.length)
		groups.push({ title: "CPUs", note: "who ran", tracks: cpus, open: cpus.length <= 8 || !facts.engines.length });
	facts.engines.forEach((name, engine) => {
		const order = [KIND.ENGINE, KIND.IDLE, KIND.DEVICE, KIND.HOST, KIND.PREEMPTED];
		const tracks = tracksOf(track => track.engine === engine).sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
		if (tracks.length)
			groups.push({ title: "Engine " + name, tracks, open: true });
	});
	const used = facts.clients.map((client, id) => ({ id, name: client.name, slices: 0, tracks: [] }));
	for (const client of used) {
		const requests = tracksOf(track => track.kind === KIND.CLIENT && track.client === client.id);
		client.slices = requests.reduce((sum, track) => sum + data.rows[track.id].reduce((n, row) => n + row.n, 0), 0);
		const pid = facts.clients[client.id].pid;
		client.tracks = requests.concat(tracksOf(track => track.kind === KIND.CLQUEUE && track.pid === pid),
			threadTracks(times, track => ownerOf(track) === client.id));
	}
	used.sort((a, b) => b.slices - a.slices);
	used.forEach((client, i) => {
		if (client.tracks.length)
			groups.push({ title: client.name, note: several(client.slices, "request"), tracks: client.tracks, open: i < 8 });
	});
	// Processes with OpenCL queues whose requests are not known.
	const lone = tracksOf(track => track.kind === KIND.CLQUEUE && ownerOf(track) === undefined), processes = new Set(lone.map(track => track.pid));
	for (const pid of processes) {
		const queues = lone.filter(track => track.pid === pid);
		groups.push({ title: queues[0].process, note: count(queues.length) + (queues.length > 1 ? " command queues" : " command queue"),
			tracks: queues.concat(threadTracks(times, track => ownerOf(track) === undefined && track.pid === pid)), open: true });
	}
	const others = threadTracks(times, track => ownerOf(track) === undefined && !processes.has(track.pid));
	if (others.length)
		groups.push({ title: !facts.engines.length && cpus.length ? "Threads" : "Other threads", tracks: others, open: !facts.engines.length || !groups.length });
}

// A track of many rows becomes no higher than a few of others: its rows get thinner.
function rowHeight(rows) {
	return rows <= 2 ? 18 : rows <= 5 ? 12 : Math.max(2, Math.floor(84 / rows));
}

function titleOf(track) {
	const kind = facts.kinds[track.kind].name;
	if (track.kind === KIND.THREAD || track.kind === KIND.CPU || track.kind === KIND.DISPLAY)
		return track.name;
	if (track.kind === KIND.CLQUEUE)
		return [track.name, track.device].filter(Boolean).join(" ");
	return (track.tid > 0 ? "  " : "") + kind + (track.whose ? " " + track.whose : "");
}

// Where a track is alone, away from its group: with whose it is.
function fullTitle(track) {
	const whose = track.engine !== undefined ? facts.engines[track.engine] : track.kind === KIND.CLIENT ? facts.clients[track.client].name : track.tid > 0 && track.kind !== KIND.THREAD && !track.whose ? track.name : "";
	return [whose, titleOf(track).trim()].filter(Boolean).join(" ");
}

// A track's line; null when nothing is in it.
function lineOfTrack(track, top, pinned) {
	const rows = data.rows[track.id].filter(row => row.n), each = rowHeight(rows.length), first = firstRows.get(track.id) || 0;
	const shown = rows.slice(first, first + Math.floor(120 / each));
	return shown.length ? { track, rows: shown, more: rows.length - shown.length, each, title: pinned ? fullTitle(track) : titleOf(track), top, height: shown.length * each + 6, pinned } : null;
}

function layOut() {
	let top = 0;
	lines.length = 0;
	const add = line => {
		if (line)
			lines.push(line);
		top += line ? line.height : 0;
	};
	for (const id of pins)
		add(lineOfTrack({ ...facts.tracks[id], id }, top, true));
	pinnedHeight = top ? top + 3 : 0;
	top = 0;
	for (const group of groups) {
		add({ heading: group, top, height: HEADING });
		for (const track of group.open ? group.tracks : [])
			if (!pins.includes(track.id))
				add(lineOfTrack(track, top, false));
	}
	linesHeight = top;
}

// The first slice of a row that ends after t.
function firstAfter(row, t) {
	let low = 0, high = row.n;
	while (low < high) {
		const middle = low + high >>> 1;
		if (row.end[middle] > t)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// The first slice from i on that begins at t or later: near ones are found fast.
function firstFrom(row, i, t) {
	let step = 1, low = i;
	while (low + step < row.n && row.begin[low + step] < t) {
		low += step;
		step *= 2;
	}
	let high = Math.min(row.n, low + step);
	while (low < high) {
		const middle = low + high >>> 1;
		if (row.begin[middle] < t)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// Where the slices of a request are, per kind of track.
function slicesOf(number, kinds) {
	const found = [];
	facts.tracks.forEach((track, id) => {
		if (!kinds.includes(track.kind))
			return;
		for (const row of data.rows[id].filter(r => r.request !== data.noRequest))
			for (let i = row.request.indexOf(number); i >= 0; i = row.request.indexOf(number, i + 1))
				found.push({ row, i });
	});
	return found.sort((a, b) => a.row.begin[a.i] - b.row.begin[b.i]);
}

function lineOf(row) {
	return lines.find(line => line.rows && line.rows.includes(row));
}

// Opens the group that has the track, and brings the row among those of it that are shown. False: it was there.
function reveal(row) {
	const group = groups.find(g => g.tracks.some(track => track.id === row.track)), at = data.rows[row.track].filter(r => r.n).indexOf(row);
	if (lineOf(row))
		return false;
	if (group)
		group.open = true;
	layOut();
	if (!lineOf(row)) {
		firstRows.set(row.track, Math.max(0, at - 10));
		layOut();
	}
	return true;
}

// Keeps a track on top, or lets go of it. False: there is no more room on top.
function pin(id) {
	const at = pins.indexOf(id);
	if (at >= 0)
		pins.splice(at, 1);
	else
		pins.push(id);
	layOut();
	if (at < 0 && pinnedHeight > view.height / 2) {
		pins.pop();
		layOut();
		return false;
	}
	return true;
}
