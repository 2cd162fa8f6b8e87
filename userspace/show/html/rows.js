// SPDX-License-Identifier: MIT
// The lines of the timeline: groups of tracks, which are closed or open, and where each is.

const HEADING = 22;

const lines = [];   // what is shown, from the top: headings and tracks
const groups = [];  // {title, note, tracks, open}
let linesHeight = 0;

function tracksOf(test) {
	return facts.tracks.map((track, id) => ({ ...track, id })).filter(test);
}

// The tracks of a thread belong together: its state, its waits, its calls, who ran instead.
function threadTracks(test) {
	const order = [KIND.THREAD, KIND.CALL, KIND.WAIT, KIND.SUBMIT, KIND.STARVED];
	const tracks = tracksOf(track => order.includes(track.kind) && test(track));
	return tracks.sort((a, b) => a.tid - b.tid || order.indexOf(a.kind) - order.indexOf(b.kind));
}

// The client that a thread or an OpenCL queue belongs to.
function ownerOf(track) {
	if (track.client !== undefined)
		return track.client;
	const found = track.pid >= 0 ? facts.clients.findIndex(client => client.pid === track.pid) : -1;
	return found < 0 ? undefined : found;
}

function makeGroups() {
	const lost = tracksOf(track => track.kind === KIND.LOST);
	if (lost.length)
		groups.push({ title: "Lost events", tracks: lost, open: true });
	const cpus = tracksOf(track => track.kind === KIND.CPU).sort((a, b) => a.cpu - b.cpu);
	if (cpus.length)
		groups.push({ title: "CPUs", tracks: cpus, open: true });
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
			threadTracks(track => ownerOf(track) === client.id));
	}
	used.sort((a, b) => b.slices - a.slices);
	used.forEach((client, i) => {
		if (client.tracks.length)
			groups.push({ title: client.name, note: count(client.slices) + " requests", tracks: client.tracks, open: i < 8 });
	});
	// Processes with OpenCL queues whose requests are not known.
	const lone = tracksOf(track => track.kind === KIND.CLQUEUE && ownerOf(track) === undefined), processes = new Set(lone.map(track => track.pid));
	for (const pid of processes) {
		const queues = lone.filter(track => track.pid === pid);
		groups.push({ title: queues[0].process, note: count(queues.length) + (queues.length > 1 ? " OpenCL queues" : " OpenCL queue"),
			tracks: queues.concat(threadTracks(track => ownerOf(track) === undefined && track.pid === pid)), open: true });
	}
	const others = threadTracks(track => ownerOf(track) === undefined && !processes.has(track.pid));
	if (others.length)
		groups.push({ title: cpus.length ? "Threads" : "Other threads", tracks: others, open: cpus.length > 0 || !groups.length });
}

// A track of many rows becomes no higher than a few of others: its rows get thinner.
function rowHeight(rows) {
	return rows <= 2 ? 18 : rows <= 5 ? 12 : Math.max(2, Math.floor(84 / rows));
}

// What fits beside the timeline; the tables have names whole.
const cutOff = text => text.length > 26 ? text.slice(0, 25) + "\u2026" : text;

function titleOf(track) {
	const kind = facts.kinds[track.kind].name;
	return track.kind === KIND.THREAD || track.kind === KIND.CPU ? track.name : track.kind === KIND.CLQUEUE ? cutOff([track.name, track.device].filter(Boolean).join(" ")) : track.tid > 0 ? "  " + kind : kind;
}

function layOut() {
	let top = 0;
	lines.length = 0;
	for (const group of groups) {
		lines.push({ heading: group, top, height: HEADING });
		top += HEADING;
		for (const track of group.open ? group.tracks : []) {
			const rows = data.rows[track.id].filter(row => row.n), each = rowHeight(rows.length);
			if (!rows.length)
				continue;
			const shown = rows.slice(0, Math.floor(120 / each));
			lines.push({ track, rows: shown, more: rows.length - shown.length, each, title: titleOf(track), top, height: shown.length * each + 6 });
			top += shown.length * each + 6;
		}
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
		for (const row of data.rows[id])
			for (let i = row.request.indexOf(number); i >= 0; i = row.request.indexOf(number, i + 1))
				found.push({ row, i });
	});
	return found.sort((a, b) => a.row.begin[a.i] - b.row.begin[b.i]);
}

function lineOf(row) {
	return lines.find(line => line.rows && line.rows.includes(row));
}

// Opens the group that has the track, so that it can be seen.
function reveal(row) {
	const group = groups.find(g => g.tracks.some(track => track.id === row.track));
	if (group && !group.open) {
		group.open = true;
		layOut();
		return true;
	}
	return false;
}
