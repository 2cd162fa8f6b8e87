// SPDX-License-Identifier: MIT
// Commands of OpenCL and Level Zero: commands with what each waited for, kernels and what models say of them, queues, devices, calls.

const handle = text => "0x" + BigInt(text).toString(16);
const numeric = (name, of) => ({ name, n: true, of });
const nsOf = stage => stage.to - stage.from;

// Every command with the slice that shows it; in the order of the queues.
function eachCommand(act) {
	facts.tracks.forEach((track, id) => {
		for (const row of track.kind === KIND.CLQUEUE ? data.rows[id] : [])
			for (let i = 0; i < row.n; i++)
				act(commandOf(row.info[i] - 1), { row, i }, track);
	});
}

// Whose work was ahead of the request that carried it, where the driver had it.
function aheadOf(command) {
	if (!hasRequest(command.request))
		return "";
	const request = requestOf(command.request), stage = name => { const s = request.stages.find(at => at.name === name); return s && s.known ? s.lo : 0; };
	if (stage("dependency") > stage("host_queue"))
		return "its request's dependencies";
	return request.behind ? "requests of " + request.behind.owner : "the driver";
}

// What a command waited for in its longest stage but running.
function waitedFor(command) {
	const longest = command.stages.filter(s => s.name !== "running").reduce((a, b) => nsOf(b) > nsOf(a) ? b : a, { name: "", from: 0, to: 0 });
	if (!(nsOf(longest) > 0))
		return "";
	const events = command.waits ? `${count(command.waits)} event${command.waits > 1 ? "s" : ""} of its wait list, or ` : "";
	return {
		call: "its own call", held: events + "a flush by the driver", host_queue: events + aheadOf(command), device_queue: aheadOf(command) || "the device",
		queue_or_before: "the device, or other commands of its request", before: "other commands of its request", preempted: "others that had the device",
		signal: "the interrupt and the signal", unnoticed: "the program to notice that it was complete",
	}[longest.name] + " (" + longest.name + " " + duration(nsOf(longest)) + ")";
}

function commandName(command) {
	return (command.name || command.kind) + " #" + command.number;
}

const MOST_COMMANDS = 200; // in the table of the longest ones

// The commands that took longest, from the call to the program's knowing.
function longestCommands() {
	const all = [];
	eachCommand((command, slice, track) => {
		const n = command.stages.length, total = n ? command.stages[n - 1].to - command.stages[0].from : NaN;
		if (total >= 0 && (all.length < MOST_COMMANDS || total > all[all.length - 1].total)) {
			all.push({ command, slice, track, total });
			all.sort((a, b) => b.total - a.total);
			all.length = Math.min(all.length, MOST_COMMANDS);
		}
	});
	return all;
}

// What the models say of a kernel: its run divided, and the lines of its source.
function modelTables(k) {
	const parts = Object.entries(k.modelled).filter(([key]) => !["total_ns", "least_ns"].includes(key)).map(([key, ns]) => ({ part: key.replace(/_ns$/, ""), ns }));
	const about = `${k.kernel} of ${k.process}, as modelled on ${k.device}: ${k.missing ? `at least ${duration(k.modelled.least_ns)} (it does not know ${k.missing})` : duration(k.modelled.total_ns)}, measured ${duration(k.running_mean_ns)}`;
	return [
		titled(about + (typeof k.error === "number" ? `, error ${(100 * k.error).toFixed(0)} %` : ""), [
			{ name: "part", of: p => word(p.part) }, numeric("saves", p => duration(p.ns)), numeric("share", p => percent(p.ns, k.modelled.total_ns))],
		[...(k.preempted_mean_ns ? [{ part: "preempted", ns: k.preempted_mean_ns }] : []), ...parts]),
		titled(`${k.kernel}: what it would save without a source line, as modelled`, [
			numeric("line", l => l.line === null ? "-" : String(l.line)), numeric("share", l => percent(l.saves_ns, k.modelled.total_ns)),
			...["saves", "conflicts"].map(part => numeric(part, l => l[part + "_ns"] ? duration(l[part + "_ns"]) : "")),
			{ name: "source", of: l => make("code", {}, l.source || "") }], k.lines.filter(l => l.saves_ns >= k.modelled.total_ns / 100)),
	];
}

// The device's clock against the CPU's, as the text report has it.
function clockText(clock) {
	if (!clock.state || clock.state === "free")
		return "not known";
	return clock.state === "same" ? "the CPU's" : `${clock.offset_min_ns < 0 ? "-" : "+"}${duration(Math.abs(clock.offset_min_ns))} within ${duration(clock.offset_max_ns - clock.offset_min_ns)}`;
}

const boundsOf = (of, part) => span(of[part + "_min_ns"], of[part + "_max_ns"]);
const rate = (bytes, per_s) => !bytes || !per_s ? "-" : per_s >= 1e9 ? (per_s / 1e9).toFixed(2) + " GB/s" : (per_s / 1e6).toFixed(2) + " MB/s";

function showOpenCL() {
	const cl = report.opencl, whole = report.recording.duration_ns;
	if (!cl)
		return;
	const times = of => [numeric("mean", r => of(r).count ? duration(of(r).mean_ns) : "-"), numeric("p50", r => of(r).count ? duration(of(r).p50_ns) : "-"), numeric("p95", r => of(r).count ? duration(of(r).p95_ns) : "-"),
		numeric("p99", r => of(r).count ? duration(of(r).p99_ns) : "-"), numeric("max", r => of(r).count ? duration(of(r).max_ns) : "-"), numeric("sum", r => duration(of(r).sum_ns))];
	const whys = Object.entries(cl.why).sort((a, b) => b[1] - a[1]), all = cl.commands;
	byId("opencl").hidden = false;
	byId("cltables").replaceChildren(...[
		titled("Commands, from the call to the program's knowing", [
			{ name: "stage", of: s => word(s.stage) }, numeric("count", s => count(s.count)), ...times(s => s)],
		cl.stages.concat(cl.total.count ? { stage: "in all", ...cl.total } : []).filter(s => s.count)),
		titled("The commands that took longest, and what each waited for", [
			{ name: "command", of: c => commandName(c.command) }, { name: "process", of: c => c.track.process }, numeric("in all", c => duration(c.total)),
			numeric("running", c => duration(nsOf(c.command.stages.find(s => s.name === "running") || { from: 0, to: 0 }))), { name: "waited for", of: c => waitedFor(c.command) }],
		longestCommands(), c => showAt(c.slice)),
		titled("How sure a command's request is", [{ name: "because", of: w => facts.why_names[w[0]] || w[0] }, numeric("commands", w => count(w[1])), numeric("share", w => percent(w[1], all))], whys),
		titled("Kernels", [
			{ name: "process", of: k => k.process }, { name: "kernel", of: k => k.kernel }, numeric("count", k => count(k.running.count)),
			numeric("work items", k => count(k.work_items)), ...times(k => k.running)], cl.kernels),
		...(cl.kernels_modelled || []).flatMap(modelTables),
		titled("Queues", [
			{ name: "process", of: q => q.process }, { name: "queue", of: q => handle(q.queue) }, { name: "order", of: q => BigInt(q.properties) & 1n ? "any" : "as enqueued" },
			numeric("commands", q => count(q.commands)), numeric("exact", q => count(q.certainty.exact || 0)), numeric("ambiguous", q => count(q.certainty.ambiguous || 0)),
			numeric("none", q => count(q.certainty.none || 0)), numeric("failed", q => count(q.failed)), numeric("running", q => duration(q.running_ns)),
			numeric("host mean", q => whole ? (q.host_queue_command_ns / whole).toFixed(2) : "-"), numeric("dev mean", q => whole ? (q.device_queue_command_ns / whole).toFixed(2) : "-"),
			{ name: "context", of: q => q.context ? q.context + (q.context_shared ? ", shared" : "") : "not known" }, { name: "device", of: q => q.device_name }], cl.queues),
		titled("Waiting for the device, and what ran meanwhile", [
			{ name: "process", of: q => q.process }, { name: "queue", of: q => handle(q.queue) }, numeric("commands", q => count(q.waited.commands)),
			...[["waited", "waited"], ["own queue", "behind_queue"], ["own process", "behind_process"], ["other processes", "behind_others"], ["nobody", "behind_nobody"]]
				.map(([name, part]) => numeric(name, q => boundsOf(q.waited, part)))], cl.queues.filter(q => q.waited.commands)),
		titled("Who was ahead of the commands that waited", [
			{ name: "process", of: a => a.process }, { name: "command", of: a => a.command }, { name: "ahead", of: a => a.ahead }, numeric("times", a => count(a.count)),
			numeric("waited", a => duration(a.waited_max_ns)), numeric("behind it", a => "at least " + duration(a.behind_min_ns))], cl.ahead),
		titled("Waiting while no recorded command ran, and who else had a burst open", [
			{ name: "process", of: u => u.process }, { name: "not recorded", of: u => u.not_recorded }, numeric("commands", u => count(u.count)),
			numeric("meanwhile", u => "up to " + duration(u.meanwhile_max_ns))], cl.unseen),
		titled("Calls that waited, and the command that they waited for", [
			{ name: "process", of: a => a.process }, { name: "command", of: a => a.command }, numeric("calls", a => count(a.count)), numeric("waited", a => duration(a.sum_ns)),
			numeric("on the CPU", a => boundsOf(a, "on_cpu")), numeric("off the CPU", a => span(a.sum_ns - a.on_cpu_max_ns, a.sum_ns - a.on_cpu_min_ns))],
		cl.awaited),
		titled("Transfers", [
			{ name: "kind", of: t => t.kind }, numeric("count", t => count(t.running.count)), numeric("blocking", t => count(t.blocking)),
			numeric("bytes", t => count(t.bytes)), numeric("throughput", t => rate(t.bytes, t.bytes_per_s)), ...times(t => t.running)], cl.transfers),
		titled("Devices", [
			{ name: "process", of: d => d.process }, numeric("commands", d => count(d.commands)), numeric("busy", d => duration(d.busy_ns)),
			numeric("kernels", d => duration(d.kernels_ns)), numeric("transfers", d => duration(d.transfers_ns)), numeric("both", d => duration(d.overlap_ns)),
			numeric("gaps", d => count(d.gaps)), numeric("idle", d => duration(d.gap_ns)), { name: "clock", of: d => clockText(d.clock) }, { name: "device", of: d => d.name }], cl.devices),
		titled("When a device ran no command of a process, by what the next one was at", [
			{ name: "process", of: g => g.process }, { name: "cause", of: g => word(g.cause) }, { name: "thread", of: g => g.thread }, numeric("times", g => count(g.count)),
			numeric("time", g => duration(g.ns)), { name: "device", of: g => g.device }], cl.gaps),
		titled("Calls", [
			{ name: "function", of: c => c.function }, numeric("times", c => count(c.count)), numeric("failed", c => count(c.failed)),
			numeric("max", c => duration(c.max_ns)), numeric("sum", c => duration(c.sum_ns))], [...cl.calls].sort((a, b) => b.sum_ns - a.sum_ns)),
	].filter(Boolean));
}
