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
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Response(stream).arrayBuffer();
}

// A block: its columns as typed arrays on the bytes themselves.
function openBlock(buffer) {
	const head = new DataView(buffer);
	const n = head.getUint32(4, true), wide = head.getUint32(8, true);
	const nTimes = head.getUint32(12, true), nNumbers = head.getUint32(20, true);
	const block = { kind: head.getUint32(0, true), n, base: head.getFloat64(24, true),
		points: head.getUint32(16, true), none: wide ? -1 : NONE, times: [], numbers: [] };
	let at = 32;
	for (let i = 0; i < nTimes; i++, at += n * (wide ? 8 : 4))
		block.times.push(wide ? new Float64Array(buffer, at, n) : new Uint32Array(buffer, at, n));
	for (let i = 0; i < nNumbers; i++, at += n * 4)
		block.numbers.push(new Uint32Array(buffer, at, n));
	return block;
}

function newRow(track, n) {
	return { track, n: 0, begin: new Float64Array(n), end: new Float64Array(n), busy: new Float64Array(n + 1),
		request: new Uint32Array(n), info: new Uint32Array(n), state: new Uint8Array(n), flags: new Uint8Array(n), style: null };
}

// Slices go to their rows; in each they come in the order of time. busy[i] is the sum of those before i:
// how much of any stretch is covered is two look-ups, at every level of detail.
function fillRows(blocks) {
	const counts = facts.tracks.map(track => new Uint32Array(track.rows));
	for (const b of blocks)
		for (let i = 0; i < b.n; i++)
			counts[b.numbers[0][i]][b.numbers[1][i] & 0xffff]++;
	data.rows = counts.map((rows, track) => Array.from(rows, n => newRow(track, n)));
	for (const b of blocks) {
		const [begins, lasts] = b.times, [tracks, bits, requests, infos] = b.numbers;
		for (let i = 0; i < b.n; i++) {
			const row = data.rows[tracks[i]][bits[i] & 0xffff], k = row.n++;
			const begin = begins[i] + b.base, end = begin + lasts[i];
			row.begin[k] = begin;
			row.end[k] = end;
			row.busy[k + 1] = row.busy[k] + lasts[i];
			row.request[k] = requests[i];
			row.info[k] = infos[i];
			row.state[k] = bits[i] >>> 16 & 0xff;
			row.flags[k] = bits[i] >>> 24;
			if (end > data.end)
				data.end = end;
		}
		data.slices += b.n;
	}
}

function fillLengths(blocks, n) {
	const all = Array.from({ length: n }, () => ({ at: [], value: [] }));
	for (const b of blocks)
		for (let i = 0; i < b.n; i++) {
			const to = all[b.numbers[0][i]], last = to.at.length - 1, at = b.times[0][i] + b.base;
			to.at.push(last >= 0 && to.at[last] > at ? to.at[last] : at);
			to.value.push(b.numbers[1][i]);
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

// Decodes block after block; the page stays responsive in between.
async function readData(progress) {
	const blocks = [[], [], [], [], [], []], scripts = document.querySelectorAll("script.data");
	for (let i = 0; i < scripts.length; i++) {
		const block = openBlock(await inflate(fromBase64(scripts[i].textContent)));
		scripts[i].remove();
		blocks[block.kind].push(block);
		progress(i + 1, scripts.length);
	}
	data.end = report.recording.end_ns - facts.origin_ns;
	fillRows(blocks[SLICES]);
	data.lengths = fillLengths(blocks[LENGTHS], 2 * facts.engines.length);
	data.counters = fillLengths(blocks[COUNTERS], facts.counters.length);
	fillRequests(blocks[REQUESTS]);
	data.commands = blocks[COMMANDS];
	data.idles = blocks[IDLES];
}
