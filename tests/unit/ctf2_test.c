// SPDX-License-Identifier: MIT
// What CTF 2 has and CTF 1.8 has not: its field classes, roles and field locations are read as the
// specification says, and what is not read here says why. That the rest is read as in CTF 1.8 shows
// ctf_foreign_test.c.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "decode/ctf_schema.h"

/* JSON is written with ' for ", and ^ for the record separator. */
static char *json(const char *text)
{
	char *made = strdup(text);

	assert_non_null(made);
	for (char *at = made; *at; at++)
		*at = (char)(*at == '\'' ? '"' : *at == '^' ? LANE_CTF2_BEGIN : *at);
	return made;
}

/* clang-format off */
static const char head[] =
	"^{'type':'preamble','version':2}\n"
	"^{'type':'field-class-alias','name':'u8','field-class':{'type':'fixed-length-unsigned-integer','length':8,'byte-order':'little-endian','alignment':8}}\n"
	"^{'type':'field-class-alias','name':'byte','field-class':'u8'}\n"
	"^{'type':'field-class-alias','name':'u32','field-class':{'type':'fixed-length-unsigned-integer','length':32,'byte-order':'little-endian','alignment':8}}\n"
	"^{'type':'field-class-alias','name':'bool','field-class':{'type':'fixed-length-boolean','length':8,'byte-order':'big-endian','alignment':8}}\n"
	"^{'type':'field-class-alias','name':'pair','field-class':{'type':'structure','member-classes':[{'name':'n','field-class':'byte'},"
	"{'name':'of','field-class':{'type':'dynamic-length-blob','length-field-location':{'path':['n']}}}]}}\n"
	"^{'type':'trace-class','environment':{'tracer_name':'somebody','n':-7},'packet-header-field-class':{'type':'structure','member-classes':["
	"{'name':'anything','field-class':{'type':'fixed-length-unsigned-integer','length':32,'byte-order':'little-endian','roles':['packet-magic-number']}}]}}\n"
	"^{'type':'clock-class','id':'c','frequency':1000000000,'origin':'unix-epoch','offset-from-origin':{'seconds':-1,'cycles':5},'attributes':{'a':[null]}}\n"
	"^{'type':'clock-class','id':'unused','frequency':1}\n"
	"^{'type':'data-stream-class','default-clock-class-id':'c','packet-context-field-class':{'type':'structure','member-classes':["
	"{'name':'b','field-class':{'type':'fixed-length-unsigned-integer','length':64,'byte-order':'little-endian','roles':['default-clock-timestamp']}},"
	"{'name':'inner','field-class':{'type':'structure','member-classes':["
	"{'name':'e','field-class':{'type':'fixed-length-unsigned-integer','length':64,'byte-order':'little-endian','roles':['packet-end-default-clock-timestamp']}},"
	"{'name':'size','field-class':{'type':'fixed-length-unsigned-integer','length':32,'byte-order':'little-endian','roles':['packet-content-length','unheard-of']}}]}},"
	"{'name':'t','field-class':{'type':'fixed-length-unsigned-integer','length':32,'byte-order':'big-endian','roles':['packet-total-length']}},"
	"{'name':'many','field-class':'byte'},{'name':'cpu_id','field-class':'byte'}]},"
	"'event-record-header-field-class':{'type':'structure','member-classes':["
	"{'name':'time','field-class':{'type':'variable-length-unsigned-integer','roles':['default-clock-timestamp']}},"
	"{'name':'which','field-class':{'type':'fixed-length-unsigned-integer','length':8,'byte-order':'little-endian','alignment':8,'roles':['event-record-class-id']}}]},"
	"'event-record-common-context-field-class':{'type':'structure','member-classes':[{'name':'pid','field-class':'byte'},{'name':'tid','field-class':'byte'}]}}\n"
	"^{'type':'event-record-class','id':3,'name':'sched_wakeup','payload-field-class':{'type':'structure','member-classes':[";

#define I(kind, bits, order, more) "{'type':'fixed-length-" kind "','length':" #bits ",'byte-order':'" order "-endian'" more "}"
#define FIELD(name, class) "{'name':'" name "','field-class':" class "}"
#define TID FIELD("tid", "'byte'")

/* An event's payload, its bytes, and what is read of it: of a field that is asked for, and of those behind. */
static const struct {
	const char *name, *fields;
	const char *bytes;
	size_t n;
	const char *said;
} cases[] = {
#define CASE(name, fields, bytes, said) { name, fields, bytes, sizeof(bytes) - 1, said }
	CASE("variable", FIELD("tid", "{'type':'variable-length-unsigned-integer'}") "," FIELD("prio", "{'type':'variable-length-signed-integer'}") ","
		FIELD("target_cpu", "'byte'"), "\xe5\x8e\x26\xc0\xbb\x78\x07", "tid=624485 prio=-123456 target_cpu=7"),
	CASE("variable-longest", FIELD("what", "{'type':'variable-length-unsigned-integer'}") "," FIELD("prio", "{'type':'variable-length-signed-integer'}") ","
		TID, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x09", "tid=9 prio=-1"),
	CASE("variable-longer-than-it-needs", FIELD("tid", "{'type':'variable-length-unsigned-integer'}") "," FIELD("prio", "{'type':'variable-length-signed-integer'}"),
		"\x87\x80\x00\xff\xff\x7f", "tid=7 prio=-1"),
	CASE("bits-reversed", FIELD("tid", I("unsigned-integer", 32, "little", ",'bit-order':'last-to-first','alignment':8")) ","
		FIELD("prio", I("signed-integer", 16, "big", ",'bit-order':'first-to-last','alignment':8")) "," FIELD("target_cpu", "'byte'"),
		"\x00\x00\x00\xa0\xff\xff\x06", "tid=5 prio=-1 target_cpu=6"),
	CASE("bits", FIELD("a", I("bit-array", 3, "little", "")) "," FIELD("tid", I("unsigned-integer", 9, "little", "")) "," FIELD("b", I("bit-map", 4, "little", ",'flags':{'A':[[0,1]]}")) ","
		FIELD("prio", I("signed-integer", 5, "big", "")) "," FIELD("target_cpu", I("unsigned-integer", 3, "big", "")), "\xfd\xf1\xf6", "tid=63 prio=-2 target_cpu=6"),
	CASE("bit-order-said", FIELD("tid", I("unsigned-integer", 16, "big", ",'bit-order':'last-to-first','alignment':8")), "\x01\x02", "tid=258"),
	CASE("long-bits", FIELD("a", I("bit-array", 200, "little", ",'alignment':8")) "," TID, "0123456789012345678901234\x05", "tid=5"),
	CASE("floats", FIELD("a", I("floating-point-number", 16, "big", ",'alignment':8")) "," FIELD("b", I("floating-point-number", 128, "little", ",'alignment':8")) ","
		TID, "..................\x05", "tid=5"),
	CASE("utf-16", FIELD("comm", "{'type':'null-terminated-string','encoding':'utf-16le'}") "," TID, "n\0\xe9\0\x3d\xd8\x00\xde\0\0\x04", "tid=4 prio=0 comm=\"n\\xc3\\xa9\\xf0\\x9f\\x98\\x80\""),
	CASE("utf-16-half", FIELD("comm", "{'type':'null-terminated-string','encoding':'utf-16be'}") "," TID, "\xd8\x3d\0a\xde\0\0\0\x04", "tid=4 prio=0 comm=?a?"),
	CASE("utf-32", FIELD("comm", "{'type':'static-length-string','encoding':'utf-32be','length':16}") "," TID, "\0\0\0n\0\0\x20\xac\0\0\0\0junk\x04", "tid=4 prio=0 comm=\"n\\xe2\\x82\\xac\""),
	CASE("utf-32-whole", FIELD("n", "'byte'") "," FIELD("comm", "{'type':'dynamic-length-string','encoding':'utf-32le','length-field-location':{'path':['n']}}") ","
		TID, "\x08n\0\0\0\xff\xff\xff\xff\x04", "tid=4 prio=0 comm=n?"),
	CASE("text-of-a-length", FIELD("n", "{'type':'variable-length-unsigned-integer'}") ","
		FIELD("comm", "{'type':'dynamic-length-string','length-field-location':{'origin':'event-record-payload','path':['n']}}") "," TID, "\x03" "abc\x04", "tid=4 prio=0 comm=abc"),
	CASE("blobs", FIELD("n", "'byte'") "," FIELD("a", "{'type':'static-length-blob','length':2,'media-type':'image/tiff'}") ","
		FIELD("b", "{'type':'dynamic-length-blob','length-field-location':{'path':['n']}}") "," TID, "\x03" "..abc\x04", "tid=4"),
	CASE("optional-true", FIELD("has", "'bool'") "," FIELD("prio", "{'type':'optional','selector-field-location':{'path':['has']},'field-class':'u8'}") "," TID, "\x02\x63\x04", "tid=4"),
	CASE("optional-false", FIELD("has", "'bool'") "," FIELD("prio", "{'type':'optional','selector-field-location':{'path':['has']},'field-class':'u8'}") "," TID, "\0\x04", "tid=4"),
	CASE("optional-of-signed", FIELD("has", "{'type':'variable-length-signed-integer'}") ","
		FIELD("a", "{'type':'optional','selector-field-location':{'path':['has']},'selector-field-ranges':[[-12,-12],[-5,0]],'field-class':{'type':'null-terminated-string'}}") ","
		TID, "\x74no\0\x04", "tid=4"),
	CASE("variant-in-optional", FIELD("has", "'byte'") ","
		FIELD("a", "{'type':'optional','selector-field-location':{'path':['has']},'selector-field-ranges':[[1,255]],'field-class':{'type':'variant','selector-field-location':"
		"{'origin':'event-record-payload','path':['has']},'options':[{'selector-field-ranges':[[1,1]],'field-class':{'type':'null-terminated-string'}},"
		"{'selector-field-ranges':[[2,9],[-7,-3]],'name':'it','field-class':{'type':'variable-length-signed-integer'}}]}}") "," TID, "\x02\x80\x7f\x04", "tid=4"),
	CASE("length-in-variant", FIELD("sel", "'byte'") ","
		FIELD("glass", "{'type':'variant','selector-field-location':{'path':['sel']},'options':["
		"{'selector-field-ranges':[[0,0]],'field-class':{'type':'structure','member-classes':[{'name':'eagle','field-class':'u32'}]}},"
		"{'selector-field-ranges':[[5,5]],'field-class':{'type':'structure','member-classes':[{'name':'eagle','field-class':{'type':'variable-length-unsigned-integer'}},"
		"{'name':'lock','field-class':{'type':'dynamic-length-blob','length-field-location':{'origin':'event-record-payload','path':['glass','eagle']}}}]}}]}") ","
		FIELD("margin", "{'type':'dynamic-length-array','length-field-location':{'path':['glass','eagle']},'element-field-class':{'type':'null-terminated-string'}}") ","
		TID, "\x05\x02++a\0bc\0\x04", "tid=4"),
	CASE("length-is-variant", FIELD("sel", "'byte'") ","
		FIELD("glass", "{'type':'variant','selector-field-location':{'path':['sel']},'options':[{'selector-field-ranges':[[0,0]],'field-class':'byte'},"
		"{'selector-field-ranges':[[1,1]],'field-class':'u32'}]}") "," FIELD("of", "{'type':'dynamic-length-blob','length-field-location':{'path':['glass']}}") "," TID,
		"\x01\x02\0\0\0++\x04", "tid=4"),
	CASE("up", FIELD("n", "'byte'") ","
		FIELD("s", "{'type':'structure','member-classes':[{'name':'n','field-class':'byte'},{'name':'t','field-class':{'type':'structure','member-classes':["
		"{'name':'of','field-class':{'type':'dynamic-length-blob','length-field-location':{'path':[null,null,'n']}}}]}}]}") "," TID, "\x02\x05++\x04", "tid=4"),
	CASE("down", FIELD("s", "{'type':'structure','member-classes':[{'name':'n','field-class':'byte'}]}") ","
		FIELD("of", "{'type':'dynamic-length-blob','length-field-location':{'path':['s','n']}}") "," TID, "\x02++\x04", "tid=4"),
	CASE("alias-twice", FIELD("a", "'pair'") "," FIELD("b", "'pair'") "," TID, "\x02++\x01+\x04", "tid=4"),
	CASE("array-of-aliases", FIELD("n", "{'type':'variable-length-unsigned-integer'}") ","
		FIELD("a", "{'type':'dynamic-length-array','length-field-location':{'path':['n']},'element-field-class':'pair'}") "," TID, "\x03\x02++\x01+\0\x04", "tid=4"),
	CASE("array-of-variables", FIELD("a", "{'type':'static-length-array','length':3,'element-field-class':{'type':'variable-length-signed-integer'}}") "," TID,
		"\x80\x01\x02\x7f\x04", "tid=4"),
	CASE("arrays-aligned", FIELD("n", "'byte'") ","
		FIELD("a", "{'type':'dynamic-length-array','minimum-alignment':32,'length-field-location':{'path':['n']},'element-field-class':'byte'}") "," TID, ".\x02...++\x04", "tid=4"),
	CASE("nothing", FIELD("a", "{'type':'structure'}") "," FIELD("b", "{'type':'static-length-string','length':0}") "," TID, "\x04", "tid=4"),
	CASE("far-packet", FIELD("of", "{'type':'dynamic-length-blob','length-field-location':{'origin':'packet-context','path':['many']}}") "," TID, "+++\x04", "tid=4"),
	CASE("far-header", FIELD("of", "{'type':'dynamic-length-blob','length-field-location':{'origin':'event-record-header','path':['which']}}") "," TID, "+++\x04", "tid=4"),
	CASE("context", FIELD("of", "{'type':'dynamic-length-blob','length-field-location':{'origin':'event-record-common-context','path':['pid']}}") "," TID, "++\x04", "tid=4"),
	CASE("named-with-underscore", FIELD("_tid", "'byte'") "," TID, "\x06\x04", "tid=4"),
	CASE("roles-elsewhere", FIELD("tid", I("unsigned-integer", 8, "little", ",'alignment':8,'roles':['default-clock-timestamp','event-record-class-id']")), "\x04", "tid=4"),
	CASE("unknown-properties", FIELD("tid", I("unsigned-integer", 8, "little", ",'alignment':8,'extensions':{},'preferred-display-base':2,'mappings':{},'colour':[{}]")), "\x04", "tid=4"),
};
/* clang-format on */

/* A packet of one event, of CPU 1, with three of many. */
static void write_packet(const char *bytes, size_t n)
{
	static const uint8_t event[] = { 0xd0, 0x0f, 3, 2, 6 }; /* time 2000, number 3, pid, tid */
	uint8_t packet[256] = { 0xc1, 0x1f, 0xfc, 0xc1 };
	size_t begin = 4 + 8 + 8 + 4 + 4 + 2, all = begin + sizeof(event) + n;
	const uint64_t times[] = { 1000, 9000 };
	uint32_t bits = (uint32_t)all * 8, swapped = __builtin_bswap32(8 * sizeof(packet));
	FILE *to = fopen("stream", "w");

	memcpy(packet + 4, times, 16);
	memcpy(packet + 20, &bits, 4);
	memcpy(packet + 24, &swapped, 4);
	packet[28] = 3;
	packet[29] = 1;
	memcpy(packet + begin, event, sizeof(event));
	memcpy(packet + begin + sizeof(event), bytes, n);
	assert_non_null(to);
	assert_int_equal(fwrite(packet, sizeof(packet), 1, to), 1);
	assert_int_equal(fclose(to), 0);
}

static char *metadata(const char *fields, const char *behind)
{
	char *raw = NULL, *made;

	assert_true(asprintf(&raw, "%s%s]}}\n%s", head, fields, behind) > 0);
	made = json(raw);
	free(raw);
	return made;
}

TEST_IN_FOLDER(read)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = metadata(cases[i].fields, ""), *said;
		unsigned int errors = 0;

		check_write("metadata", text);
		free(text);
		write_packet(cases[i].bytes, cases[i].n);
		said = check_trace(&lane_format_ctf, ".", &errors);
		if (errors || !strstr(said, "2000 1 2/6 - sched_wakeup ") ||
		    !strstr(said, cases[i].said))
			fail_msg("%s: %s", cases[i].name, said);
		free(said);
	}
}

#define VARIANT(ranges, more)                                                                      \
	FIELD("n", "'byte'")                                                                       \
	"," FIELD("v", "{'type':'variant','selector-field-location':{'path':['n']},'options':["    \
		       "{'selector-field-ranges':" ranges ",'field-class':'u8'}" more "]}")

/* What is wrong with fields, or with what stands behind them. */
static const struct {
	const char *fields, *behind, *why;
} faults[] = {
	{ "", "^{'type':'callsite'}", "line 12: a fragment that is not known (callsite)" },
	{ "", "^{}", "a fragment that is not known" },
	{ "", "^{'type':'preamble','version':2}", "a second preamble" },
	{ "", "^{'type':'trace-class'}", "a trace class behind another, or behind a stream" },
	{ "", "^{'type':'a','type':'b'}", "two properties of one name" },
	{ "", "^{'type':'event-record-class','attributes':{'a':1,'b':{'c':1,'c':2}}}",
	  "two properties of one name" },
	{ "", "^{'type':'event-record-class'", "JSON that is cut off" },
	{ "", "^{'type':'event-record-class'}}", "JSON that is none" },
	{ "", "^{'type':'event-record-class',}", "JSON that is none" },
	{ "", "^[]", "a fragment that is no object" },
	{ "", "^7", "JSON that is cut off" },
	{ "", "^{'type':'a\\u0000b'}", "a text that does not end, or has a NUL" },
	{ "", "^{'type':'a\xff'}", "JSON that is none" },
	{ "", "^{'type':'event-record-class','id':18446744073709551616}",
	  "a number of more than 64 bits" },
	{ "", "^{'type':'event-record-class','id':-1}",
	  "a number that is none, or too large (id)" },
	{ "", "^{'type':'event-record-class','id':1.0}",
	  "a number that is none, or too large (id)" },
	{ "", "^{'type':'event-record-class','id':65536}", "an event of a large number" },
	{ "", "^{'type':'event-record-class','id':3}", "two events of one number" },
	{ "", "^{'type':'event-record-class','data-stream-class-id':7,'name':'lost'}",
	  "an event of no stream (lost)" },
	{ "", "^{'type':'event-record-class','name':7}", "a text that is none (name)" },
	{ "", "^{'type':'event-record-class','payload-field-class':'u8'}",
	  "what should be a structure is none (payload-field-class)" },
	{ "", "^{'type':'clock-class','id':'c','frequency':1}", "two of one name (c)" },
	{ "", "^{'type':'field-class-alias','name':'u8','field-class':'byte'}",
	  "two of one name (u8)" },
	{ "", "^{'type':'data-stream-class','id':1,'default-clock-class-id':'none'}",
	  "a clock that is not declared (none)" },
	{ "", "^{'type':'data-stream-class','id':1,'default-clock-class-id':'unused'}",
	  "more than one clock (unused)" },
	{ "", "^{'type':'data-stream-class'}", "two streams of one number" },
	{ "", "^{'type':'data-stream-class','id':1}", "packets without a time or a size" },
	{ "",
	  "^{'type':'field-class-alias','name':'a','field-class':'b'}\n^{'type':'field-class-"
	  "alias','name':'b','field-class':'a'}\n^{'type':'event-record-class','payload-field-"
	  "class':'b'}",
	  "a field class alias that is not declared (b)" },
	{ "",
	  "^{'type':'field-class-alias','name':'s','field-class':{'type':'structure','member-"
	  "classes':[{'name':'s','field-class':'s'}]}}\n^{'type':'event-record-class','payload-"
	  "field-class':'s'}",
	  "a field class alias that is not declared (s)" },
	{ FIELD("a", "'unheard'"), "", "a field class alias that is not declared (unheard)" },
	{ FIELD("a", "{'type':'list'}"), "", "a field class that is not known (list)" },
	{ FIELD("a", "{}"), "", "a field class that is not known (a)" },
	{ FIELD("a", "7"), "", "a field class that is none (a)" },
	{ "7", "", "a field that is no object" },
	{ FIELD("a", "'u8'") "," FIELD("b", "'u8'") "," FIELD("a", "'u8'"), "",
	  "two fields of one name (a)" },
	{ FIELD("a", I("unsigned-integer", 0, "little", "")), "",
	  "a number of no length that is known (a)" },
	{ FIELD("a", I("floating-point-number", 24, "little", "")), "",
	  "a number of no length that is known (a)" },
	{ FIELD("tid", I("unsigned-integer", 65, "little", "")), "",
	  "an integer of more than 64 bits (sched_wakeup)" },
	{ FIELD("a", I("unsigned-integer", 8, "middle", "")), "",
	  "a byte order that is not known (middle-endian)" },
	{ FIELD("a", I("unsigned-integer", 8, "big", ",'bit-order':'none'")), "",
	  "a bit order that is not known (none)" },
	{ FIELD("a", I("unsigned-integer", 8, "big", ",'alignment':3")), "",
	  "an alignment that is none, or of more than 64 bits (a)" },
	{ FIELD("a", "{'type':'null-terminated-string','encoding':'latin-1'}"), "",
	  "an encoding that is not known (latin-1)" },
	{ FIELD("a", "{'type':'static-length-blob'}"), "", "an array without a length (a)" },
	{ FIELD("a", "{'type':'dynamic-length-blob'}"), "", "a field location that is none (a)" },
#define BLOB(location)                                                                             \
	FIELD("n", "'bool'")                                                                       \
	"," FIELD("s", "{'type':'variable-length-signed-integer'}") "," FIELD(                     \
		"a", "{'type':'dynamic-length-blob','length-field-location':" location "}")
	{ BLOB("{'path':[]}"), "", "a path without a name" },
	{ BLOB("{'path':[null]}"), "", "a path without a name" },
	{ BLOB("{'path':[7]}"), "", "a path that has more than names" },
	{ BLOB("{'path':['n',null]}"), "", "a path that has more than names" },
	{ BLOB("{'path':['x']}"), "", "a length or a tag that is not there (x)" },
	{ BLOB("{'path':['a']}"), "", "a length or a tag that is not there (a)" },
	{ BLOB("{'path':[null,'n']}"), "", "a length or a tag that is not there (n)" },
	{ BLOB("{'path':['n','n']}"), "", "a path into what is no structure (n)" },
	{ BLOB("{'path':['n']}"), "", "a length that is signed, or no number (a)" },
	{ BLOB("{'path':['s']}"), "", "a length that is signed, or no number (a)" },
	{ BLOB("{'origin':'nowhere','path':['n']}"), "", "an origin that is not known (nowhere)" },
	{ BLOB("{'origin':'event-record-specific-context','path':['n']}"), "",
	  "a length or a tag that is not there (n)" },
	{ FIELD("t", "{'type':'null-terminated-string'}") "," FIELD(
		  "a", "{'type':'dynamic-length-blob','length-field-location':{'path':['t']}}"),
	  "", "a length or a tag that is no integer (t)" },
	{ VARIANT("[]", ""), "", "no values of a tag (v)" },
	{ VARIANT("[[2,1]]", ""), "", "values of a tag that are none (v)" },
	{ VARIANT("[[1]]", ""), "", "values of a tag that are none (v)" },
	{ VARIANT("[['1',2]]", ""), "", "values of a tag that are none (v)" },
	{ VARIANT("[[0,9]]", ",{'selector-field-ranges':[[9,9]],'field-class':'u8'}"), "",
	  "a value of a tag that has two options (v)" },
	{ FIELD("n", "'bool'") "," FIELD("v", "{'type':'variant','selector-field-location':"
					      "{'path':['n']},'options':[]}"),
	  "", "a variant without options, or a tag that is no number (v)" },
	{ FIELD("n", "'u8'") "," FIELD("v", "{'type':'optional','selector-field-location':{'path':"
					    "['n']},'field-class':'u8'}"),
	  "", "a list that is none (selector-field-ranges)" },
};

static char *why_not(const char *text)
{
	char *why = calloc(1, 160);
	struct lane_schema *schema = decode_schema_make(text, strlen(text), NULL, why, 160);

	decode_schema_free(schema);
	if (schema)
		strcpy(why, "read");
	return why;
}

TEST(refused)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		char *text = metadata(faults[i].fields, faults[i].behind), *why = why_not(text);

		if (!strstr(why, faults[i].why))
			fail_msg("%s: %s", faults[i].why, why);
		free(text);
		free(why);
	}
}

/* What the first fragment says of the whole. */
TEST(preamble)
{
	static const char *const said[][2] = {
		{ "^{'type':'trace-class'}", "line 1: no preamble" },
		{ "^\n^  ", "no preamble" },
		{ "^{'type':'preamble'}", "a version that is not 2" },
		{ "^{'type':'preamble','version':3}", "a version that is not 2" },
		{ "^{'type':'preamble','version':2,'uuid':[1,2]}", "a uuid that is none" },
		{ "^{'type':'preamble','version':2,'extensions':{'my.tracer':{'piano':null}}}",
		  "an extension of CTF 2 that is not known (piano)" },
		{ "^{'type':'preamble','version':2,'extensions':{'my.tracer':{}}}", "no clock" },
		{ "^\n^{'type':'preamble','version':2}^^", "no clock: its events have no times" },
	};

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		char *text = json(said[i][0]), *why = why_not(text);

		if (!strstr(why, said[i][1]))
			fail_msg("%s: %s", said[i][0], why);
		free(text);
		free(why);
	}
}

static const char clock_form[] =
	"^{'type':'preamble','version':2}^{'type':'clock-class','id':'c','frequency':%s,"
	"'uid':'2E68f7af-b6b5-4a43-ae94-1e4b62740e3f','offset-from-origin':{'seconds':-2,"
	"'cycles':%s}%s}^{'type':'data-stream-class','default-clock-class-id':'c',"
	"'packet-context-field-class':{'type':'structure','member-classes':[%s]},"
	"'event-record-header-field-class':{'type':'structure','member-classes':[" FIELD(
		"t", "{'type':'variable-length-unsigned-integer','roles':['default-clock-"
		     "timestamp']}") "]}}";
static const char clock_context[] = FIELD(
	"a",
	"{'type':'variable-length-unsigned-integer','"
	"roles':['default-clock-timestamp']}") "," FIELD("b",
							 "{'type':'variable-length-"
							 "unsigned-integer','roles':['"
							 "packet-end-default-clock-"
							 "timestamp']}") "," FIELD("c", "{'type'"
											":'"
											"variabl"
											"e-"
											"length-"
											"unsigne"
											"d-"
											"integer"
											"','"
											"roles':"
											"['"
											"packet-"
											"content"
											"-length"
											"','"
											"packet-"
											"total-"
											"length'"
											"]}");
static const struct {
	const char *frequency, *cycles, *origin;
	int64_t offset_ns; /* 1: it is refused */
} clocks[] = {
	{ "1000", "500", ",'origin':'unix-epoch'", -1500000000 },
	{ "1000", "500", ",'origin':{'name':'x','uid':'y'}", 0 },
	{ "1000", "500", "", 0 },
	{ "1000", "1000", ",'origin':'unix-epoch'", 1 },
	{ "0", "0", "", 1 },
};

/* An offset is one to 1970 only if the clock says so. */
TEST(offsets)
{
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		char *raw = NULL, *text, why[160];
		struct lane_schema *schema;

		assert_true(asprintf(&raw, clock_form, clocks[i].frequency, clocks[i].cycles,
				     clocks[i].origin, clock_context) > 0);
		text = json(raw);
		schema = decode_schema_make(text, strlen(text), NULL, why, sizeof(why));
		if ((schema != NULL) != (clocks[i].offset_ns != 1))
			fail_msg("%zu: %s", i, why);
		if (schema) {
			assert_int_equal(schema->info.epoch_offset_ns, clocks[i].offset_ns);
			assert_string_equal(schema->info.clock_uuid,
					    "2e68f7af-b6b5-4a43-ae94-1e4b62740e3f");
		}
		decode_schema_free(schema);
		free(text);
		free(raw);
	}
}

/* A number of more than 64 bits ends its stream, as what has no option does. */
TEST_IN_FOLDER(damaged)
{
	static const struct {
		const char *fields, *bytes;
		size_t n;
		const char *why;
	} damages[] = {
		{ FIELD("a", "{'type':'variable-length-unsigned-integer'}"),
		  "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, "the event is damaged" },
		{ FIELD("a", "{'type':'variable-length-signed-integer'}"),
		  "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, "the event is damaged" },
		{ FIELD("a", "{'type':'variable-length-unsigned-integer'}"), "\xff\xff", 2,
		  "the event is cut off" },
		{ VARIANT("[[0,3]]", ""), "\x04", 1, "the event is damaged" },
		{ FIELD("a", "{'type':'null-terminated-string','encoding':'utf-16le'}"), "a\0b\0\0",
		  5, "the event is cut off" },
	};

	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		char *text = metadata(damages[i].fields, "");
		struct lane_decoder *decoder;
		struct lane_event *event;

		check_write("metadata", text);
		free(text);
		write_packet(damages[i].bytes, damages[i].n);
		check(decode_open(&lane_format_ctf, ".", NULL, &decoder));
		check_error(lane_format_ctf.next(decoder, &event), damages[i].why);
		decode_close(decoder);
	}
}
