// SPDX-License-Identifier: MIT
// What the page has of data: facts as JSON, slices, queue lengths and requests as blocks of columns
// (userspace/show/html_data.c writes them). Times are nanoseconds from the recording's begin.

const SLICES = 0, LENGTHS = 1, REQUESTS = 2, COMMANDS = 3, IDLES = 4, COUNTERS = 5;
const NONE = 0xffffffff;
const facts = JSON.parse(document.getElementById("facts").textContent);
const report = facts.report;

// The kinds of tracks, by their names in the program.
const KIND = {};
facts.kinds.forEach((kind, i) => { KIND[kind.id] = i; });

const data = {
	rows: [],      // per track, its rows
	lengths: [],   // per engine and queue: {at, value}
	counters: [],  // of GPUs, by number: the same
	blocks: [],    // of requests
	where: null,   // request -> block
	place: null,   // request -> index in its block
	commands: [],  // blocks of OpenCL commands, in the order of their numbers
	idles: [],     // blocks of engines' idle times: begin, then a duration for each cause
	end: 0,        // of the recording
	slices: 0,
	noState: null, // of a row whose slices have no state, flag or info: zeros
	noRequest: null, // of a row whose slices have no request
};

function fromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const raw = atob(text), bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	const stream = new DecompressionStream("deflate"), writer = stream.writable.getWriter();
	writer.write(bytes);
	writer.close();
	return new Response(stream.readable).arrayBuffer();
}

// A column: the differences of neighbours, their sign in the lowest bit; all lowest bytes first, then the next ones, as many as there are.
function openColumn(bytes, at, n, each, column) {
	for (let i = at, end = each ? at + n : at, k = 0, value = 0; i < end; i++) {
		let by = bytes[i];
		if (each > 1)
			by |= bytes[i + n] << 8;
		if (each > 2)
			by |= bytes[i + 2 * n] << 16;
		if (each > 3)
			by |= bytes[i + 3 * n] << 24;
		value = value + (by >>> 1 ^ -(by & 1)) | 0;
		column[k++] = value;
	}
	return column;
}

const columnsRoom = []; // a block's columns are there until the next block is opened

function openBlock(buffer) {
	const head = new DataView(buffer), bytes = new Uint8Array(buffer), WIDE = 8, EACH = 32, COLUMNS = 48;
	const n = head.getUint32(4, true), nTimes = head.getUint32(12, true), all = nTimes + head.getUint32(20, true), columns = [];
	const room = i => {
		if (!columnsRoom[i] || columnsRoom[i].length < n)
			columnsRoom[i] = new Uint32Array(n);
		return columnsRoom[i].subarray(0, n).fill(0);
	};
	for (let i = 0, at = EACH + COLUMNS; i < all; i++) {
		const each = bytes[EACH + i];
		columns.push(each === WIDE ? new Float64Array(buffer.slice(at, at + WIDE * n)) : openColumn(bytes, at, n, each, room(i)));
		at += each * n;
	}
	return { kind: head.getUint32(0, true), n, base: head.getFloat64(24, true), points: head.getUint32(16, true),
		none: head.getUint32(8, true) ? -1 : NONE, times: columns.slice(0, nTimes), numbers: columns.slice(nTimes) };
}

// Columns in as few bytes as hold them; those that are alike are one.
function compact(columns) {
	const kept = [];
	for (const column of columns)
		kept.push(kept.find(k => k.every((value, i) => value === column[i])) || narrow(column));
	return kept;
}

function narrow(column) {
	let most = 0;
	for (let i = 0; i < column.length; i++)
		most = Math.max(most, column[i]);
	return column instanceof Float64Array ? column : most < 256 ? new Uint8Array(column) : most < 65536 ? new Uint16Array(column) : column.slice();
}

function makeRows() {
	const most = facts.tracks.reduce((n, track) => Math.max(n, ...track.rows), 0);
	data.noState = new Uint8Array(most);
	data.noRequest = new Uint32Array(most).fill(NONE);
	data.rows = facts.tracks.map((track, id) => track.rows.map(n => ({ track: id, n: 0, begin: new Float64Array(n), end: new Float64Array(n),
		request: data.noRequest, info: data.noState, state: data.noState, flags: data.noState, style: null })));
}

// Slices go to their rows; in each they come in the order of time.
function fillRows(b) {
	const [begins, lasts] = b.times, [tracks, rows, states, marks, requests, infos] = b.numbers;
	for (let i = 0; i < b.n; i++) {
		const row = data.rows[tracks[i]][rows[i]], k = row.n++, all = row.begin.length;
		const end = row.end[k] = (row.begin[k] = begins[i] + b.base) + lasts[i];
		if (end > data.end)
			data.end = end;
		if (requests[i] !== NONE) {
			if (row.request === data.noRequest)
				row.request = new Uint32Array(all).fill(NONE);
			row.request[k] = requests[i];
		}
		if (infos[i]) {
			if (row.info === data.noState)
				row.info = new Uint32Array(all);
			row.info[k] = infos[i];
		}
		if (states[i]) {
			if (row.state === data.noState)
				row.state = new Uint8Array(all);
			row.state[k] = states[i];
		}
		if (marks[i]) {
			if (row.flags === data.noState)
				row.flags = new Uint8Array(all);
			row.flags[k] = marks[i];
		}
	}
	data.slices += b.n;
}

function fillLengths(blocks, n) {
	const counts = new Uint32Array(n);
	for (const b of blocks)
		for (let i = 0; i < b.n; i++)
			counts[b.numbers[0][i]]++;
	const all = Array.from(counts, count => ({ n: 0, at: new Float64Array(count), value: new Uint32Array(count) }));
	for (const b of blocks)
		for (let i = 0; i < b.n; i++) {
			const to = all[b.numbers[0][i]], at = b.times[0][i] + b.base;
			to.at[to.n] = to.n && to.at[to.n - 1] > at ? to.at[to.n - 1] : at;
			to.value[to.n++] = b.numbers[1][i];
		}
	return all;
}

function fillRequests(blocks) {
	data.blocks = blocks;
	data.where = new Uint16Array(facts.requests).fill(0xffff);
	data.place = new Uint32Array(facts.requests);
	blocks.forEach((b, which) => {
		for (let i = 0; i < b.n; i++) {
			data.where[b.numbers[0][i]] = which;
			data.place[b.numbers[0][i]] = i;
		}
	});
}

// The columns of a request: points in time, then lo and hi of each stage, of the total, and the wake-up.
const AT = { queue: 0, add: 1, submit: 2, execute: 3, start: 4, startMax: 5, end: 6, endMax: 7, signal: 8, retire: 9, givenUp: 10 };
const STAGE_COLUMN = 11, PATH = 7, TOTAL_COLUMN = STAGE_COLUMN + 2 * PATH, WAKE_COLUMN = TOTAL_COLUMN + 2;

// A time of a request, NaN where it is not known.
function timeOf(number, column) {
	const b = data.blocks[data.where[number]], i = data.place[number];
	const value = b.times[column][i];
	return value === b.none ? NaN : column < b.points ? value + b.base : value;
}

function numberOf(number, column) {
	return data.blocks[data.where[number]].numbers[column][data.place[number]];
}

function hasRequest(number) {
	return number < facts.requests && data.where[number] !== 0xffff;
}

function contextOf(number) {
	return facts.contexts[numberOf(number, 1)];
}

// Who submitted a request, as a number.
function clientOf(number) {
	return numberOf(number, 11);
}

function clientName(number) {
	return facts.clients[clientOf(number)].name;
}

// The request of a context, by its number among the contexts, with a seqno; -1: there is none.
function requestAt(context, seqno) {
	for (const { numbers: [number, contexts, seqnos] } of data.blocks)
		for (let i = seqnos.indexOf(seqno); i >= 0; i = seqnos.indexOf(seqno, i + 1))
			if (contexts[i] === context)
				return number[i];
	return -1;
}

// By what `gpulane report` calls it.
function findRequest(ctx, seqno) {
	return facts.contexts.reduce((found, context, id) => found < 0 && context.ctx === ctx ? requestAt(id, seqno) : found, -1);
}

// It is what hung, as it and others were given up.
function isGuilty(number) {
	return numberOf(number, 10) >>> 16 & 1;
}

// A request as an object, for what is shown in words.
function requestOf(number) {
	const bits = numberOf(number, 9), context = contextOf(number), engine = numberOf(number, 3);
	const behind = numberOf(number, 6), prio = numberOf(number, 5) | 0, state = numberOf(number, 10); // the state, doubts, why it is not complete
	const at = {}, stages = [];
	for (const name in AT)
		at[name] = timeOf(number, AT[name]);
	for (let i = 0; i < PATH; i++)
		stages.push({ name: facts.stages[i].name, known: bits >> i & 1, unknown: bits >> 16 + i & 1,
			lo: timeOf(number, STAGE_COLUMN + 2 * i), hi: timeOf(number, STAGE_COLUMN + 2 * i + 1) });
	return { number, context: context.ctx, client: clientName(number), seqno: numberOf(number, 2),
		engine: engine ? facts.engines[engine - 1] : "", tid: numberOf(number, 4) | 0, prio: prio === -2147483648 ? null : prio,
		behind: behind ? facts.contexts[behind - 1] : null, preemptions: numberOf(number, 7), waits: numberOf(number, 8),
		fault: state >>> 24 ? facts.faults[state >>> 24] : "", open: (state >> 8 & 8) !== 0, burst: (state >> 8 & 16) !== 0, at, stages, total: timeOf(number, TOTAL_COLUMN), totalMax: timeOf(number, TOTAL_COLUMN + 1),
		wake: timeOf(number, WAKE_COLUMN), wakeRunqueue: timeOf(number, WAKE_COLUMN + 1) };
}

// What a request waited for before it was free to run, as far as the signal tells; -1: nothing that is known.
function waitedForBy(number) {
	return requestAt(numberOf(number, 12) - 1, numberOf(number, 13));
}

// Those that waited for it.
function waitersOf(number) {
	const context = numberOf(number, 1) + 1, seqno = numberOf(number, 2), found = [];
	for (const b of data.blocks)
		for (let i = 0; i < b.n; i++)
			if (b.numbers[12][i] === context && b.numbers[13][i] === seqno)
				found.push(b.numbers[0][i]);
	return found;
}

const OFTEN_NONE = new Set(["queue_or_before", "preempted"]);
const CSTAGE_COLUMN = 7; // of a command's times: where its stages begin, and the last one's end

// An OpenCL command, by its index.
function commandOf(index) {
	let i = index, b = data.commands[0];
	for (let k = 0; i >= b.n; b = data.commands[++k])
		i -= b.n;
	const time = column => b.times[column][i] === b.none ? NaN : b.times[column][i] + b.base, number = column => b.numbers[column][i];
	const edges = facts.command_stages.map((_, k) => time(CSTAGE_COLUMN + k)).concat(time(CSTAGE_COLUMN + facts.command_stages.length));
	return { index, stages: facts.command_stages.map((name, k) => ({ name, from: edges[k], to: edges[k + 1] })).filter(s => s.to > s.from || s.to === s.from && !OFTEN_NONE.has(s.name)), waits: number(8),
		number: number(0), name: number(1) ? facts.tasks[number(1) - 1] : "", kind: facts.classes[number(2)],
		certainty: facts.certainties[number(3) & 0xff], why: facts.whys[number(3) >> 8 & 0xff], request: number(4), tid: number(5) | 0,
		status: number(6) | 0, function: facts.functions[number(7)] || "",
		at: { call: time(0), return: time(1), queued: time(2), submitted: time(3), start: time(4), end: time(5), known: time(6) } };
}

// Decodes block after block; the page stays responsive in between. What is no slice is kept as it is, in fewer bytes.
async function readData(progress) {
	const blocks = [[], [], [], [], [], []], scripts = document.querySelectorAll("script.data");
	data.end = report.recording.end_ns - facts.origin_ns;
	makeRows();
	for (let i = 0; i < scripts.length; i++) {
		const block = openBlock(await inflate(fromBase64(scripts[i].textContent)));
		scripts[i].remove();
		if (block.kind === SLICES)
			fillRows(block);
		else
			blocks[block.kind].push({ ...block, times: compact(block.times), numbers: compact(block.numbers) });
		progress(i + 1, scripts.length);
	}
	data.lengths = fillLengths(blocks[LENGTHS], 2 * facts.engines.length);
	data.counters = fillLengths(blocks[COUNTERS], facts.counters.length);
	fillRequests(blocks[REQUESTS]);
	data.commands = blocks[COMMANDS];
	data.idles = blocks[IDLES];
	columnsRoom.length = 0;
}
