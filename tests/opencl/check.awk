# SPDX-License-Identifier: MIT
# Checks what `gpulane dump --no-head -e opencl` says of one program, and prints the counts.
#
#   fault ...           something that cannot be
#   calls NAME N        entries of a function
#   commands N, ...     and other totals
function value(name,    i) {
	for (i = 6; i <= NF; i++)
		if (index($i, name "=") == 1)
			return substr($i, length(name) + 2)
	return ""
}

function fault(text) {
	if (++faults <= 20)
		print "fault " text ": " $0
}

{ split($3, who, "/"); tid = who[2]; pids[who[1]] = 1; n_events++ }
$4 != "layer" { fault("not the layer's") }
$1 < last { fault("goes back") }
NR == 1 { first = $1 }
{ last = $1 }
$5 == "opencl_call_entry" {
	calls[value("function")]++
	depth[tid]++
	stack[tid, depth[tid]] = value("function") " " value("queue")
	began[tid, depth[tid]] = $1
	if (value("flags") % 2 || value("flags") ~ /[13579bdf]$/) blocking++
	next
}
$5 == "opencl_call_exit" {
	if (!depth[tid]) { fault("exit without entry"); next }
	if (stack[tid, depth[tid]] != value("function") " " value("queue")) fault("another call's exit")
	command = value("command")
	if (command > 0) {
		if (command in called) fault("number given twice")
		called[command] = began[tid, depth[tid]]
		by[command] = value("function")
		returned[command] = $1
		of_queue[command] = value("queue")
		numbered++
	}
	if (value("status") < 0) failed++
	depth[tid]--
	next
}
$5 == "opencl_command" {
	command = value("command")
	if (command in done) fault("command complete twice")
	done[command] = $1
	queued[command] = value("queued_ns")
	ended[command] = value("end_ns")
	queue_said[command] = value("queue")
	if (value("status") != 0) fault("status")
	if (value("end_ns") > 0) timed++
	if (!(value("queued_ns") <= value("submitted_ns") && value("submitted_ns") <= value("start_ns") &&
	      value("start_ns") <= value("end_ns"))) fault("times out of order")
	types[value("type")]++
	next
}
$5 == "opencl_kernel" { kernels++; print "kernel " value("name"); next }
$5 == "opencl_queue" {
	queues++
	if (value("known") % 2) hidden++
	if (value("known") >= 2) of_cpus++
	next
}
END {
	print "of CPUs " of_cpus + 0 " queues"
	for (t in depth) if (depth[t]) open++
	for (command in done) {
		if (!(command in called)) { print "fault command " command " was never enqueued"; faults++; continue }
		if (queue_said[command] != of_queue[command]) { print "fault command " command ": another queue"; faults++ }
		if (ended[command] + 0 == 0) continue
		# some distance between the clocks must put both inside: queued after the call began, the end
		# before it was known
		low = called[command] - queued[command]
		high = done[command] - ended[command]
		if (!(seen++) || low > most) most = low
		if (seen == 1 || high < least) least = high
	}
	# a millisecond, and 500 ppm of the time that the program runs: so far apart clocks drift
	if (seen && most > least + 1e6 + (last - first) * 5e-4) { print "fault no distance of the clocks fits all commands, by " most - least " ns"; faults++ }
	for (command in called) if (!(command in done)) print "untold " by[command] ", " numbered - command " before the last"
	for (name in calls) print "calls " name " " calls[name]
	for (name in types) print "type " name " " types[name]
	n_done = length(done)
	print "totals numbered " numbered + 0 " commands " n_done " timed " timed + 0 " kernels " kernels + 0 \
		" queues " queues + 0 " hidden " hidden + 0 " blocking " blocking + 0 " open " open + 0 " faults " faults + 0
}
