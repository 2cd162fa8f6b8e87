# One line per i915 request event, `kind ctx dev class:instance seqno`, from what trace-cmd report,
# babeltrace2 or perf script print. Order is kept.
function value(name,    at, rest)
{
	# `name=12`, `name = 12`, `_name = 12`; a field's name ends where a letter does not go on.
	if (!match($0, "[ ,{]_?" name " ?= ?[0-9]+"))
		return "-"
	rest = substr($0, RSTART, RLENGTH)
	sub(/.*= ?/, "", rest)
	return rest
}

match($0, /i915_request_[a-z_]+: /) {
	kind = substr($0, RSTART, RLENGTH - 2)
	if (match($0, /engine=[0-9]+:[0-9]+/))
		engine = substr($0, RSTART + 7, RLENGTH - 7)
	else
		engine = value("class") ":" value("instance")
	print kind, value("ctx"), value("dev"), engine, value("seqno")
}
