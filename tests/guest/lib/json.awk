# The values of a JSON text that `path` names, a line each, as `jq -r` writes them: numbers, names, true, false, null; texts
# without their escapes undone. In a path, `[]` is any place of an array and `*` any member: `state`, `traces[0].lost`,
# `traces[].lost`, `traces[0].lost_per_cpu.*`. Exits 1 where there is none, or the last one is false or null.
# With `sum`, their sum instead. jq itself takes 0.3 s to start on an emulated processor.
function value(text,    i, here) {
	here = ""
	for (i = 1; i <= depth; i++)
		here = here (kind[i] == "[" ? "[" at[i] "]" : "." at[i])
	if (here ~ wanted) {
		if (text ~ /^"/)
			text = substr(text, 2, length(text) - 2)
		if (sum)
			total += text
		else
			print text
		found = 1
		bad = text == "null" || text == "false"
	}
	key = 0
}
BEGIN {
	wanted = path
	gsub(/\./, "[.]", wanted)
	gsub(/\[[0-9]*\]/, "<&>", wanted)
	gsub(/<\[/, "\\[", wanted)
	gsub(/\]>/, "\\]", wanted)
	gsub(/\\\[\\\]/, "\\[[0-9]+\\]", wanted)
	gsub(/[*]/, "[^.]+", wanted)
	wanted = "^" (path ~ /^\[/ ? "" : "[.]") wanted "$"
}
{
	rest = $0
	while (match(rest, /"([^"\\]|\\.)*"|[][{}:,]|[^][{}:," \t\r]+/)) {
		token = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		if (token == "{" || token == "[") {
			kind[++depth] = token
			at[depth] = token == "[" ? 0 : ""
			key = token == "{"
		} else if (token == "}" || token == "]")
			depth--
		else if (token == ",") {
			if (kind[depth] == "[")
				at[depth]++
			key = kind[depth] == "{"
		} else if (token == ":")
			key = 0
		else if (key)
			at[depth] = substr(token, 2, length(token) - 2)
		else
			value(token)
	}
}
END {
	if (sum && found)
		printf "%d\n", total
	exit !found || bad
}
