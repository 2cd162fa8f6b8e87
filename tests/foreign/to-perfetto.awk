# SPDX-License-Identifier: MIT
# From what `gpulane dump` prints to a Perfetto trace in protobuf's text format, for protoc --encode (perfetto.proto).
#
#   -v mode=plain     what Perfetto has no message for comes with its name and its fields' names
#   -v mode=dense     some of that is described in the first bundle instead, and then has numbers
#   -v mode=compact   sched_switch and sched_waking as CompactSched
#   -v size=N         events of a bundle (64)
BEGIN {
	size = size ? size : 64
	members["i915_request_in"] = "ctx dev seqno class instance port prio"
	members["i915_request_out"] = "ctx dev seqno class instance completed"
	members["i915_request_execute"] = "ctx dev seqno class instance tail"
	ids["i915_request_in"] = 65537
	ids["i915_request_out"] = 65538
	ids["i915_request_execute"] = 65539
	print "packet { clock_snapshot { clocks { clock_id: 1 timestamp: 1700000000000000000 } clocks { clock_id: 6 timestamp: 1000000000 } } }"
}
/^info release/ { release = $3 }
/^recorded/ { recorded = recorded sprintf(" ftrace_events: \"any/%s\"", $2) }
/^[0-9]/ {
	if (!begun) {
		printf "packet { system_info { utsname { sysname: \"Linux\" release: \"%s\" } tracing_service_version: \"Perfetto v49.0-1a2b3c (1a2b3c)\" } }\n", release
		printf "packet { trace_config { data_sources { config { name: \"linux.ftrace\" ftrace_config {%s } } } } }\n", recorded
		begun = 1
	}
	take($1, $2, $3, $5)
}
END {
	for (cpu = 0; cpu < 256; cpu++)
		if (cpu in count)
			flush_bundle(cpu)
}

function take(ns, cpu, thread, name,    i, at, tid) {
	n_fields = NF - 5
	split("", f)
	for (i = 6; i <= NF; i++) {
		at = index($i, "=")
		f[substr($i, 1, at - 1)] = substr($i, at + 1)
		order[i - 5] = substr($i, 1, at - 1)
	}
	tid = thread
	sub(/.*\//, "", tid)
	if (mode == "compact" && name == "sched_switch") {
		switch_ns[cpu] = switch_ns[cpu] " switch_timestamp: " step(ns, last_switch[cpu])
		last_switch[cpu] = ns
		switches[cpu] = switches[cpu] sprintf(" switch_prev_state: %s switch_next_pid: %s switch_next_prio: %s switch_next_comm_index: %d",
			f["prev_state"], f["next_tid"], f["next_prio"], intern(cpu, f["next_comm"]))
	} else if (mode == "compact" && name == "sched_waking") {
		switches[cpu] = switches[cpu] sprintf(" waking_timestamp: %s waking_pid: %s waking_target_cpu: %s waking_prio: %s waking_comm_index: %d",
			step(ns, last_waking[cpu]), f["tid"], f["target_cpu"], f["prio"], intern(cpu, f["comm"]))
		last_waking[cpu] = ns
	} else {
		events[cpu] = events[cpu] sprintf(" event { timestamp: %s pid: %s %s }", ns, tid, event(name))
	}
	if (++count[cpu] == size)
		flush_bundle(cpu)
}

# Times of a bundle's list: the first as it is.
function step(ns, last) { return last ? ns - last : ns }

function intern(cpu, text) {
	if (!((cpu, text) in number)) {
		number[cpu, text] = interned[cpu]++
		texts[cpu] = texts[cpu] " intern_table: " quoted(text)
	}
	return number[cpu, text]
}

function quoted(text) { return "\"" text "\"" }

function wakeup() {
	return sprintf("comm: %s pid: %s prio: %s target_cpu: %s", quoted(f["comm"]), f["tid"], f["prio"], f["target_cpu"])
}

function event(name,    text, n, keys, i) {
	if (name == "sched_switch")
		text = sprintf("prev_comm: %s prev_pid: %s prev_prio: %s prev_state: %s next_comm: %s next_pid: %s next_prio: %s", quoted(f["prev_comm"]),
			f["prev_tid"], f["prev_prio"], f["prev_state"], quoted(f["next_comm"]), f["next_tid"], f["next_prio"])
	else if (name ~ /^sched_wak/)
		text = wakeup()
	else if (name == "sched_migrate_task")
		text = sprintf("comm: %s pid: %s prio: %s orig_cpu: %s dest_cpu: %s", quoted(f["comm"]), f["tid"], f["prio"], f["orig_cpu"], f["dest_cpu"])
	else if (name == "sched_process_exec")
		text = sprintf("filename: %s pid: %s old_pid: %s", quoted(f["filename"]), f["tid"], f["old_tid"])
	else if (name == "sched_process_exit")
		text = sprintf("comm: %s pid: %s prio: %s", quoted(f["comm"]), f["tid"], f["prio"])
	else if (name == "sched_process_fork")
		text = sprintf("parent_comm: %s parent_pid: %s child_comm: %s child_pid: %s", quoted(f["parent_comm"]), f["parent_tid"], quoted(f["child_comm"]),
			f["child_tid"])
	else if (name ~ /^dma_fence/ && name != "dma_fence_enable_signal") {
		text = sprintf("context: %s seqno: %s", f["context"], f["seqno"])
		if ("driver" in f)
			text = text sprintf(" driver: %s timeline: %s", quoted(f["driver"]), quoted(f["timeline"]))
	} else if (mode == "dense" && name in members) {
		n = split(members[name], keys, " ")
		for (i = 1; i <= n; i++)
			text = text sprintf(" n%d: %s", i, f[keys[i]])
	} else {
		text = "event_name: " quoted(name)
		for (i = 1; i <= n_fields; i++)
			text = text sprintf(" field { name: %s %s: %s }", quoted(order[i]), f[order[i]] ~ /^-/ ? "int_value" : "uint_value", f[order[i]])
		name = "generic"
	}
	return name " { " text " }"
}

function descriptors(    name, n, keys, i, j, text) {
	for (j = 1; j <= split("i915_request_in i915_request_out i915_request_execute", names, " "); j++) {
		name = names[j]
		text = text sprintf(" generic_event_descriptors { field_id: %d group_name: \"i915\" event_descriptor { name: \"%s\"", ids[name], name)
		n = split(members[name], keys, " ")
		for (i = 1; i <= n; i++)
			text = text sprintf(" field { name: \"%s\" number: %d type: 4 }", keys[i], i)
		text = text " } }"
	}
	return text
}

function flush_bundle(cpu) {
	printf "packet { trusted_packet_sequence_id: 3 ftrace_events { cpu: %d%s%s", cpu, mode == "dense" && !described++ ? descriptors() : "", events[cpu]
	if (switches[cpu] != "")
		printf " compact_sched {%s%s%s }", texts[cpu], switch_ns[cpu], switches[cpu]
	print " } }"
	delete count[cpu]
	delete events[cpu]
	delete switches[cpu]
	delete switch_ns[cpu]
	delete texts[cpu]
	delete interned[cpu]
	delete last_switch[cpu]
	delete last_waking[cpu]
	for (key in number)
		if (substr(key, 1, index(key, SUBSEP) - 1) == cpu)
			delete number[key]
}
