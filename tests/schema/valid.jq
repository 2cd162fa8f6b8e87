# SPDX-License-Identifier: MIT
# What in a report its schema does not allow, a line each; --slurpfile schema. Of JSON Schema it knows what docs/report.schema.json has: $ref, type,
# enum, properties, required, additionalProperties (a schema), items. Stricter than a schema: a key that is not named is a fault, too.
def type_of: if type == "number" then (if . == floor then "integer" else "number" end) else type end;
def is_of($types): type_of as $t | ($types | if type == "array" then . else [.] end) as $all | ($all | index($t)) != null or ($t == "integer" and ($all | index("number")) != null);
def faults($root; $s; $at):
	if $s["$ref"] then faults($root; $root["$defs"][$s["$ref"] | ltrimstr("#/$defs/")]; $at)
	elif ($s.type and (is_of($s.type) | not)) then "\($at): \(type_of), not \($s.type)"
	elif ($s.enum and (. as $v | $s.enum | index($v) | not)) then "\($at): \(.) is none of \($s.enum)"
	elif type == "array" then to_entries[] | .key as $i | .value | faults($root; $s.items; "\($at)[\($i)]")
	elif type == "object" then
		(($s.required // [])[] as $key | select(has($key) | not) | "\($at).\($key): missing"),
		(to_entries[] | .key as $key | (($s.properties // {})[$key] // $s.additionalProperties) as $of |
			if $of then .value | faults($root; $of; "\($at).\($key)") else "\($at).\($key): not in the schema" end)
	else empty end;
$schema[0] as $root | faults($root; $root; "")
