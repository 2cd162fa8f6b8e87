// SPDX-License-Identifier: MIT
// The metadata of a recorded trace, TSDL 1.8 as LTTng's kernel tracer spells it, from the event
// table.
#include "base/clean.h"
#include "base/cleanup.h"
#include "base/ctf_packet.h"
#include "base/opencl.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* A string literal, clean: readers show it as it is. */
static void quote(FILE *to, const char *from)
{
	LANE_CLEANUP(lane_free) char *clean = lane_clean_dup(from, LANE_CLEAN_LINE);

	fputc('"', to);
	for (const char *text = clean ? clean : ""; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

static void env_text(FILE *to, const char *name, const char *value)
{
	if (!value)
		return;
	fprintf(to, "\t%s = ", name);
	quote(to, value);
	fputs(";\n", to);
}

static void write_uuid(FILE *to, const uint8_t u[16])
{
	fprintf(to, "\"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x\"",
		u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12],
		u[13], u[14], u[15]);
}

static void write_integer(FILE *to, const char *name, unsigned int bits, const char *more)
{
	fprintf(to, "typealias integer { size = %u; align = %u; %s } := %s;\n", bits, bits, more,
		name);
}

/* The functions and commands of OpenCL, as enumerations. */
static void write_names(FILE *to)
{
	fputs("enum opencl_function : uint32_t {", to);
	for (unsigned int i = 0; i < LANE_CLF_COUNT; i++)
		fprintf(to, "%s \"%s\" = %u", i ? "," : "", lane_cl_function_name(i), i);
	fputs(" };\nenum opencl_command_type : uint32_t { \"NONE\" = 0", to);
	for (unsigned int i = LANE_CLC_NDRANGE_KERNEL; lane_cl_command_name(i) || i < LANE_CLC_USER;
	     i++)
		if (lane_cl_command_name(i))
			fprintf(to, ", \"%s\" = %u", lane_cl_command_name(i), i);
	for (unsigned int i = LANE_CLC_LAUNCH_KERNEL; i <= LANE_CLC_GRAPH; i++)
		fprintf(to, ", \"%s\" = %u", lane_cl_command_name(i), i);
	fputs(" };\n", to);
}

static void write_types(FILE *to)
{
	write_integer(to, "uint8_t", 8, "signed = false;");
	write_integer(to, "uint16_t", 16, "signed = false;");
	write_integer(to, "uint32_t", 32, "signed = false;");
	write_integer(to, "uint64_t", 64, "signed = false;");
	write_integer(to, "int32_t", 32, "signed = true;");
	write_integer(to, "int64_t", 64, "signed = true;");
	write_integer(to, "hex32_t", 32, "signed = false; base = 16;");
	write_integer(to, "hex64_t", 64, "signed = false; base = 16;");
	write_integer(to, "text_t", 8, "signed = false; encoding = UTF8;");
	write_names(to);
	fputs("\n", to);
}

static void write_env(FILE *to, const struct lane_ctf_env *env)
{
	fputs("env {\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n", to);
	env_text(to, "hostname", env->hostname);
	env_text(to, "kernel_release", env->kernel_release);
	fputs("\ttracer_name = \"lttng-modules\";\n"
	      "\ttracer_major = 2;\n\ttracer_minor = 13;\n\ttracer_patchlevel = 0;\n"
	      "\ttracer_buffering_scheme = \"global\";\n",
	      to);
	env_text(to, "gpulane_version", GPULANE_VERSION);
	env_text(to, "gpulane_tracer", env->tracer);
	fputs("};\n\n", to);
}

/* What a trace says of itself may be anything; no reader takes what is no UUID. */
static bool is_uuid(const char *text)
{
	size_t i = 0;

	for (; text[i]; i++)
		if (i == 8 || i == 13 || i == 18 || i == 23 ? text[i] != '-'
							    : !isxdigit((unsigned char)text[i]))
			return false;
	return i == 36;
}

static void write_clock(FILE *to, const struct lane_ctf_env *env)
{
	fputs("clock {\n\tname = \"monotonic\";\n", to);
	env_text(to, "uuid", env->clock_uuid && is_uuid(env->clock_uuid) ? env->clock_uuid : NULL);
	fprintf(to,
		"\tdescription = \"Monotonic Clock\";\n\tfreq = 1000000000;\n"
		"\toffset = %" PRId64 ";\n};\n\n"
		"typealias integer { size = 64; align = 64; signed = false; "
		"map = clock.monotonic.value; } := uint64_ns_t;\n\n",
		env->epoch_offset_ns > 0 ? env->epoch_offset_ns : 0);
}

static void write_stream(FILE *to, const char *last)
{
	fprintf(to,
		"struct %s_context {\n"
		"\tuint64_ns_t timestamp_begin;\n\tuint64_ns_t timestamp_end;\n"
		"\tuint64_t content_size;\n\tuint64_t packet_size;\n"
		"\tuint64_t packet_seq_num;\n\tuint64_t events_discarded;\n"
		"\tuint32_t %s;\n};\n\n",
		last ? "free" : "packet", last ? last : "cpu_id");
	if (!last)
		fputs("struct event_header {\n\tuint64_ns_t timestamp;\n\tuint32_t id;\n};\n\n",
		      to);
	fprintf(to,
		"stream {\n\tid = %d;\n"
		"\tevent.header := struct event_header;\n"
		"\tpacket.context := struct %s_context;\n"
		"\tevent.context := struct {\n\t\tint32_t _tid;\n\t\tint32_t _pid;\n"
		"\t\tenum : uint32_t {",
		last ? LANE_CTF_FREE : 0, last ? "free" : "packet");
	for (unsigned int i = 0; i < LANE_ORIGIN_COUNT; i++)
		fprintf(to, "%s \"%s\" = %u", i ? "," : "", lane_origin_name(i), i);
	fputs(" } _source;\n\t};\n};\n\n", to);
}

/* As LTTng does, every name gets an underscore that readers take off: `class` is a name like any.
 */
static void write_field(FILE *to, const struct lane_field *field)
{
	static const char *const types[] = {
		[LANE_TYPE_u8] = "uint8_t",
		[LANE_TYPE_u16] = "uint16_t",
		[LANE_TYPE_u32] = "uint32_t",
		[LANE_TYPE_u64] = "uint64_t",
		[LANE_TYPE_x32] = "hex32_t",
		[LANE_TYPE_x64] = "hex64_t",
		[LANE_TYPE_s32] = "int32_t",
		[LANE_TYPE_s64] = "int64_t",
		[LANE_TYPE_comm] = "text_t",
		[LANE_TYPE_str32] = "text_t",
		[LANE_TYPE_path] = "text_t",
		[LANE_TYPE_str128] = "text_t",
		[LANE_TYPE_id32] = "text_t",
		[LANE_TYPE_id64] = "text_t",
		[LANE_TYPE_clf] = "enum opencl_function",
		[LANE_TYPE_clc] = "enum opencl_command_type",
	};
	const char *type = types[field->type];

	/* There are hundreds, and each reading of a recording writes them, to compare. */
	fputs_unlocked("\t\t", to);
	fputs_unlocked(type, to);
	fputs_unlocked(" _", to);
	fputs_unlocked(field->name, to);
	if (lane_type_is_text(field->type))
		fprintf(to, "[%u]", field->size);
	fputs_unlocked(";\n", to);
}

static void write_event(FILE *to, unsigned int kind, int stream)
{
	const struct lane_kind_info *info = &lane_kinds[kind];

	fprintf(to,
		"event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = %d;\n\tfields := struct {\n",
		info->name, kind, stream);
	for (unsigned int i = 0; i < info->n_fields; i++)
		write_field(to, &info->fields[i]);
	fputs("\t};\n};\n\n", to);
}

void lane_ctf_write_tsdl(FILE *to, const struct lane_ctf_env *env, const uint8_t uuid[16])
{
	const char *order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "le" : "be";

	fputs("/* CTF 1.8 */\n\n", to);
	write_types(to);
	fputs("trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = ", to);
	write_uuid(to, uuid);
	fprintf(to,
		";\n\tbyte_order = %s;\n\tpacket.header := struct {\n\t\tuint32_t magic;\n"
		"\t\tuint8_t uuid[16];\n\t\tuint32_t stream_id;\n\t\tuint64_t stream_instance_id;\n"
		"\t};\n};\n\n",
		order);
	write_env(to, env);
	write_clock(to, env);
	write_stream(to, NULL);
	for (unsigned int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (!lane_is_finding(kind))
			write_event(to, kind, 0);
	if (!env->has_free_stream)
		return;
	write_stream(to, "unused");
	for (unsigned int kind = 0; kind < LANE_KIND_COUNT; kind++)
		write_event(to, kind, LANE_CTF_FREE);
}
