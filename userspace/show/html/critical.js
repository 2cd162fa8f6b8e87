// SPDX-License-Identifier: MIT
// The critical path of the request that took longest: what it waited for, piece by piece. Its pieces lead to their slices, and are drawn through
// the lines as one line.

// What shows a piece of a request best, by what it is; what has none of these is in the request's own line.
const PIECE_KINDS = { running: KIND.ENGINE, device_queue: KIND.DEVICE, host_queue: KIND.HOST, preempted: KIND.PREEMPTED };
let pathPieces = null;

// The slice of such a track at a time; null: there is none.
function sliceOfTrack(test, at, isIt) {
	for (const track of tracksOf(test))
		for (const row of data.rows[track.id]) {
			const i = firstAfter(row, at);
			if (i < row.n && row.begin[i] <= at && isIt(row, i))
				return { row, i };
		}
	return null;
}

function sliceOfPiece(piece) {
	const number = piece.request ? findRequest(piece.request.ctx, piece.request.seqno) : -1, at = (piece.begin_ns + piece.end_ns) / 2;
	const kinds = number >= 0 ? [PIECE_KINDS[piece.kind], KIND.CLIENT] : [KIND.THREAD, KIND.SUBMIT, KIND.WAIT];
	return kinds.reduce((found, kind) => found || sliceOfTrack(track => track.kind === kind && (number >= 0 || track.tid === piece.tid), at,
		(row, i) => number < 0 || row.request[i] === number), null);
}

// The pieces in order of time, each with its slice: looked for when the first one is asked for.
function piecesOf() {
	if (!pathPieces)
		pathPieces = (facts.critical ? facts.critical.segments : []).map(piece => ({ ...piece, slice: sliceOfPiece(piece) }));
	return pathPieces;
}

// Draws the path, or does not; its lines are opened for it.
function drawPath(isDrawn) {
	view.path = isDrawn;
	byId("path").setAttribute("aria-pressed", String(isDrawn));
	for (const row of new Set(isDrawn ? piecesOf().filter(p => p.slice).map(p => p.slice.row) : []))
		if (reveal(row))
			resize();
	draw();
}

function showPiece(piece) {
	drawPath(true);
	byId("timeline").scrollIntoView();
	zoomTo(piece.begin_ns, piece.end_ns);
	if (!piece.slice)
		return;
	bringToSight(piece.slice);
	selectSlice(piece.slice);
}

function paintPath() {
	const r = view.ratio;
	if (!view.path)
		return;
	context2d.save();
	context2d.beginPath();
	context2d.rect(GUTTER * r, AXIS * r, canvas.width, canvas.height);
	context2d.clip();
	context2d.strokeStyle = theme.css.accent;
	context2d.globalAlpha = 0.8;
	context2d.lineWidth = 3 * r;
	context2d.lineJoin = "round";
	context2d.beginPath();
	let isOn = false;
	for (const { slice, begin_ns, end_ns } of piecesOf()) {
		const from = slice && pointOf(slice, begin_ns);
		if (from) {
			if (isOn)
				context2d.lineTo(from.x, from.y);
			else
				context2d.moveTo(from.x, from.y);
			context2d.lineTo(Math.max(toX(end_ns), from.x + 1), from.y);
		}
		isOn = Boolean(from);
	}
	context2d.stroke();
	context2d.restore();
}

function showCritical() {
	const path = facts.critical, all = path ? path.segments : [], left = path ? path.pieces - all.length : 0;
	byId("path").hidden = !path;
	byId("critical").closest("section").hidden = !report.worst.length;
	if (!path) {
		byId("critical").replaceChildren(make("p", { class: "hint" }, "This page does not have it: too much lies in its time, or nothing of its end is recorded. gpulane report --critical may have it."));
		return;
	}
	const whole = path.duration_ns, key = rq => rq ? `${rq.ctx}:${rq.seqno}` : "";
	byId("critical").replaceChildren(make("p", { class: "hint" }, `What request ${path.context}:${path.seqno} waited for in its ${duration(whole)}, back from its end to its beginning. A row leads to its place in the timeline, where the path is a line.` +
		(left ? ` The ${count(all.length)} longest of ${count(path.pieces)} pieces.` : "")),
	titled("Pieces, in order of time", [
		{ name: "time", n: true, of: p => span(p.lasted.min_ns, p.lasted.max_ns) },
		{ name: "share", n: true, of: p => percent(p.end_ns - p.begin_ns, whole) },
		{ name: "piece", of: p => make("span", {}, p.kind === "wake" || STAGE_STYLES.includes(p.kind) ? swatch(p.kind) : "", word(p.kind)) },
		{ name: "process", of: p => p.process }, { name: "engine", of: p => p.engine },
		{ name: "request", of: p => key(p.request) }, { name: "behind", of: p => key(p.behind) },
	], all, piece => showPiece(piecesOf()[all.indexOf(piece)])));
}
