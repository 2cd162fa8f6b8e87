// SPDX-License-Identifier: MIT
// The places of fields from formats of tracefs, sound and hostile ones.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/event.h"
#include "capture/bpf_format.h"

/* libtraceevent forgets the word it was reading when a format is damaged; nothing of ours may leak.
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent.so";
}

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char in_format[] =
	"name: i915_request_in\nID: 1490\nformat:\n" COMMON
	"\tfield:u32 dev;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 ctx;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u16 class;\toffset:24;\tsize:2;\tsigned:0;\n"
	"\tfield:u16 instance;\toffset:26;\tsize:2;\tsigned:0;\n"
	"\tfield:u32 seqno;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 port;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:s32 prio;\toffset:36;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"dev=%u, engine=%u:%u\", REC->dev, REC->class, REC->instance\n";

static const char context_format[] = "name: intel_context_create\nID: 7\nformat:\n" COMMON
				     "\tfield:u32 guc_id;\toffset:8;\tsize:4;\tsigned:0;\n"
				     "\tfield:int pin_count;\toffset:12;\tsize:4;\tsigned:1;\n"
				     "\tfield:u32 sched_state;\toffset:16;\tsize:4;\tsigned:0;\n"
				     "\tfield:u8 guc_prio;\toffset:20;\tsize:1;\tsigned:0;\n\n"
				     "print fmt: \"\"\n";

static const char fence_format[] =
	"name: dma_fence_init\nID: 8\nformat:\n" COMMON
	"\tfield:__data_loc char[] driver;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] timeline;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int context;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int seqno;\toffset:20;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"\"\n";

static const char *layout_of(const char *text, int kind, struct lane_bpf_layout *layout)
{
	return capture_bpf_format_layout(text, strlen(text), kind, layout);
}

/* Where the payload's field of this name comes from: offset * 16 + bytes, -1 when from nowhere. */
static int from(const struct lane_bpf_layout *layout, int kind, const char *name)
{
	for (int f = 0; f < lane_kinds[kind].n_fields; f++)
		for (int i = 0; i < LANE_BPF_MAX_FIELDS; i++)
			if (!strcmp(lane_kinds[kind].fields[f].name, name) &&
			    layout->copy[i].bytes &&
			    layout->copy[i].to == lane_kinds[kind].fields[f].offset)
				return layout->copy[i].from * 16 + layout->copy[i].bytes;
	return -1;
}

TEST(fields_of_in)
{
	struct lane_bpf_layout layout;

	assert_null(layout_of(in_format, LANE_RQ_IN, &layout));
	assert_int_equal(from(&layout, LANE_RQ_IN, "ctx"), 16 * 16 + 8);
	assert_int_equal(from(&layout, LANE_RQ_IN, "dev"), 8 * 16 + 4);
	assert_int_equal(from(&layout, LANE_RQ_IN, "instance"), 26 * 16 + 2);
	assert_int_equal(from(&layout, LANE_RQ_IN, "prio"), 36 * 16 + 4);
	assert_int_equal(from(&layout, LANE_RQ_IN, "port"), 32 * 16 + 4);
}

/* A field that is wider than ours is copied as wide as ours is. */
TEST(wide_fields)
{
	static const char format[] = "name: i915_request_in\nID: 1490\nformat:\n" COMMON
				     "\tfield:u64 ctx;\toffset:16;\tsize:8;\tsigned:0;\n"
				     "\tfield:u64 seqno;\toffset:24;\tsize:8;\tsigned:0;\n"
				     "\tfield:u64 port;\toffset:32;\tsize:8;\tsigned:0;\n\n"
				     "print fmt: \"\"\n";
	struct lane_bpf_layout layout;

	assert_null(layout_of(format, LANE_RQ_IN, &layout));
	assert_int_equal(from(&layout, LANE_RQ_IN, "seqno"), 24 * 16 + 4);
	assert_int_equal(from(&layout, LANE_RQ_IN, "port"), 32 * 16 + 4);
}

static const char job_format[] = "name: drm_sched_job_queue\nID: 9\nformat:\n" COMMON
				 "\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"
				 "\tfield:u32 job_count;\toffset:12;\tsize:4;\tsigned:0;\n"
				 "\tfield:int hw_job_count;\toffset:16;\tsize:4;\tsigned:1;\n"
				 "\tfield:__data_loc char[] dev;\toffset:20;\tsize:4;\tsigned:0;\n"
				 "\tfield:u64 fence_context;\toffset:24;\tsize:8;\tsigned:0;\n"
				 "\tfield:u64 fence_seqno;\toffset:32;\tsize:8;\tsigned:0;\n"
				 "\tfield:u64 client_id;\toffset:40;\tsize:8;\tsigned:0;\n\n"
				 "print fmt: \"\"\n";

static const char old_job_format[] =
	"name: drm_sched_job\nID: 9\nformat:\n" COMMON
	"\tfield:struct drm_sched_entity * entity;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:struct dma_fence * fence;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:uint64_t id;\toffset:32;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"\"\n";

static const char *drm(const char *text, const char *name, struct lane_bpf_layout *layout,
		       struct lane_bpf_drm_places *places)
{
	return capture_bpf_format_drm(text, strlen(text), LANE_DRM_QUEUE, name, layout, places);
}

/* A format of drm_sched's with a field renamed: what an unknown kernel may have. */
static const char *renamed(const char *format, const char *field)
{
	static char text[4096];
	char *at;

	snprintf(text, sizeof(text), "%s", format);
	at = strstr(text, field);
	assert_non_null(at);
	memset(at, 'x', strlen(field));
	return text;
}

TEST(drm_sched)
{
	struct lane_bpf_drm_places places = { 0 };
	struct lane_bpf_layout layout;

	assert_null(drm(job_format, "drm_sched_job_queue", &layout, &places));
	assert_int_equal(from(&layout, LANE_DRM_QUEUE, "fence_context"), 24 * 16 + 8);
	assert_int_equal(from(&layout, LANE_DRM_QUEUE, "fence_seqno"), 32 * 16 + 8);
	assert_int_equal(from(&layout, LANE_DRM_QUEUE, "hw_job_count"), 16 * 16 + 4);
	assert_int_equal(from(&layout, LANE_DRM_QUEUE, "client_id"), 40 * 16 + 8);
	assert_int_equal(from(&layout, LANE_DRM_QUEUE, "name"), -1);
	assert_int_equal(places.name, 8);
	assert_int_equal(places.dev, 20);
	assert_string_equal(
		drm(renamed(job_format, "fence_context"), "drm_sched_job_queue", &layout, &places),
		"its format in tracefs lacks the field fence_context");
	assert_string_equal(
		drm(renamed(job_format, "fence_seqno"), "drm_sched_job_queue", &layout, &places),
		"its format in tracefs lacks the field fence_seqno");
	/* A job's fence is not in it: there is nothing to copy. */
	assert_null(drm(old_job_format, "drm_sched_job", &layout, &places));
	assert_int_equal(from(&layout, LANE_DRM_QUEUE, "fence_context"), -1);
	assert_int_equal(from(&layout, LANE_DRM_QUEUE, "job_count"), -1);
	assert_string_equal(
		drm(renamed(old_job_format, "entity;"), "drm_sched_job", &layout, &places),
		"its format in tracefs lacks the field entity");
}

TEST(narrow_fields)
{
	struct lane_bpf_layout layout;

	assert_null(layout_of(context_format, LANE_CTX_CREATE, &layout));
	/* One byte of the tracepoint's goes to the first of the payload's four. */
	assert_int_equal(from(&layout, LANE_CTX_CREATE, "guc_prio"), 20 * 16 + 1);
}

/* A copy of in_format with one piece replaced. */
static const char *changed(const char *what, const char *by)
{
	static char text[4096];
	const char *at = strstr(in_format, what);

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - in_format), in_format, by,
		 at + strlen(what));
	return text;
}

TEST(other_places)
{
	struct lane_bpf_layout layout;

	assert_null(layout_of(changed("offset:16;\tsize:8", "offset:40;\tsize:8"), LANE_RQ_IN,
			      &layout));
	assert_int_equal(from(&layout, LANE_RQ_IN, "ctx"), 40 * 16 + 8);
	/* A field that this driver does not have stays 0. */
	assert_null(layout_of(changed("prio", "rank"), LANE_RQ_IN, &layout));
	assert_int_equal(from(&layout, LANE_RQ_IN, "prio"), -1);
}

TEST(hostile)
{
	static const char *const what[][2] = {
		{ "u64 ctx", "u64 who" },
		{ "offset:16;\tsize:8", "offset:99999;\tsize:8" },
		{ "offset:16;\tsize:8", "offset:-4;\tsize:8" },
		{ "offset:16;\tsize:8", "offset:16;\tsize:4000" },
		{ "offset:16;\tsize:8", "offset:16;\tsize:0" },
		{ "offset:16;\tsize:8", "offset:16;\tsize:3" },
		{ "u64 ctx;", "u64 ctx[1];" },
		{ "u64 ctx;", "__data_loc char[] ctx;" },
		{ "i915_request_in", "i915_request_out" },
		{ "name: ", "nome: " },
		{ "format:\n", "" },
		{ "field:u64 ctx;", "field:u64 \x01\x02;" },
	};
	struct lane_bpf_layout layout;
	char *large;

	for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++)
		assert_non_null(layout_of(changed(what[i][0], what[i][1]), LANE_RQ_IN, &layout));
	assert_non_null(layout_of("", LANE_RQ_IN, &layout));
	assert_non_null(capture_bpf_format_layout("name: \0x\n", 9, LANE_RQ_IN, &layout));
	large = malloc(LANE_BPF_FORMAT_MAX_BYTES + 1);
	assert_non_null(large);
	memset(large, 'a', LANE_BPF_FORMAT_MAX_BYTES + 1);
	assert_non_null(capture_bpf_format_layout(large, LANE_BPF_FORMAT_MAX_BYTES + 1, LANE_RQ_IN,
						  &layout));
	assert_non_null(
		capture_bpf_format_layout(large, LANE_BPF_FORMAT_MAX_BYTES, LANE_RQ_IN, &layout));
	free(large);
}

/* Whatever comes out of a damaged format stays inside the record and the payload. */
static void check_bounds(const struct lane_bpf_layout *layout)
{
	for (int i = 0; i < LANE_BPF_MAX_FIELDS; i++) {
		assert_between(layout->copy[i].bytes, 0, 8);
		assert_between(layout->copy[i].to + layout->copy[i].bytes, 0,
			       LANE_BPF_GENERIC_PAYLOAD);
		assert_between(layout->copy[i].from, 0, 8192);
	}
}

TEST(every_cut_and_many_changes)
{
	struct lane_bpf_layout layout;
	struct lane_bpf_names names;
	uint32_t random = 1;

	for (size_t cut = 0; cut < sizeof(in_format); cut++) {
		char *exact = malloc(cut + 1); /* nothing behind it to read */

		assert_non_null(exact);
		memcpy(exact, in_format, cut);
		if (!capture_bpf_format_layout(exact, cut, LANE_RQ_IN, &layout))
			check_bounds(&layout);
		free(exact);
	}
	for (int round = 0; round < 5000; round++) {
		char text[sizeof(in_format)];

		memcpy(text, round & 1 ? in_format : fence_format,
		       round & 1 ? sizeof(in_format) : sizeof(fence_format));
		for (int change = 0; change < 1 + round % 4; change++) {
			random = random * 1664525 + 1013904223;
			text[(random >> 8) % (sizeof(fence_format) - 1)] =
				" \n\t:;[]09az-_\"(){}"[(random >> 4) % 18];
		}
		if (round & 1 &&
		    !capture_bpf_format_layout(text, sizeof(in_format) - 1, LANE_RQ_IN, &layout))
			check_bounds(&layout);
		if (!(round & 1) &&
		    !capture_bpf_format_names(text, sizeof(fence_format) - 1, &names))
			assert_between(names.driver, 1, 8192);
	}
}

static const char queue_format[] =
	"name: xe_exec_queue_reset\nID: 9\nformat:\n" COMMON
	"\tfield:__data_loc char[] dev;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:enum xe_engine_class class;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 logical_mask;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 gt_id;\toffset:20;\tsize:1;\tsigned:0;\n"
	"\tfield:u16 width;\toffset:22;\tsize:2;\tsigned:0;\n"
	"\tfield:u16 guc_id;\toffset:24;\tsize:2;\tsigned:0;\n"
	"\tfield:u32 guc_state;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 flags;\toffset:32;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"\"\n";

static const char task_format[] =
	"name: lima_task_run\nID: 9\nformat:\n" COMMON
	"\tfield:uint64_t task_id;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int context;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int seqno;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] pipe;\toffset:24;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"\"\n";

/* The places of drivers' own events; one that lacks what it needs is refused by that field. */
TEST(drivers)
{
	const char *text;
	struct lane_bpf_layout layout;

	assert_null(capture_bpf_format_driver(queue_format, sizeof(queue_format) - 1, LANE_XE_RESET,
					      &layout));
	assert_int_equal(layout.text[0].from, 8);
	assert_int_equal(layout.text[0].to, offsetof(struct lane_p_xe_exec_queue_reset, dev));
	assert_int_equal(layout.copy[2].from, 24);
	assert_int_equal(layout.copy[2].bytes, 2);
	assert_int_equal(layout.copy[2].to, offsetof(struct lane_p_xe_exec_queue_reset, guc_id));
	text = renamed(queue_format, "guc_id");
	assert_string_equal(capture_bpf_format_driver(text, strlen(text), LANE_XE_RESET, &layout),
			    "its format in tracefs lacks the field guc_id");
	/* Under the names that the driver has for them. */
	assert_null(capture_bpf_format_driver(task_format, sizeof(task_format) - 1, LANE_LIMA_RUN,
					      &layout));
	assert_int_equal(layout.copy[2].from, 8);
	assert_int_equal(layout.text[0].from, 24);
	text = renamed(task_format, "seqno");
	assert_string_equal(capture_bpf_format_driver(text, strlen(text), LANE_LIMA_RUN, &layout),
			    "its format in tracefs lacks the field seqno");
}

/* Each field that an event needs has its reason, and each payload fits. */
TEST(every_driver_fits)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		unsigned int numbers = 0;

		if (!lane_is_driver((unsigned int)kind))
			continue;
		assert_true(lane_kinds[kind].struct_bytes <= LANE_BPF_DRIVER_PAYLOAD);
		for (unsigned int i = 0; i < lane_kinds[kind].n_fields; i++) {
			const struct lane_field *field = &lane_kinds[kind].fields[i];

			numbers += !lane_type_is_text(field->type);
			if (lane_type_is_text(field->type))
				assert_true(field->offset + 32 <= LANE_BPF_DRIVER_PAYLOAD);
		}
		assert_true(numbers <= LANE_BPF_MAX_FIELDS);
	}
}

TEST(names_of_fences)
{
	struct lane_bpf_names names;
	char text[sizeof(fence_format)];

	assert_null(capture_bpf_format_names(fence_format, sizeof(fence_format) - 1, &names));
	assert_int_equal(names.driver, 8);
	assert_int_equal(names.timeline, 12);
	assert_int_equal(names.context, 16);
	assert_int_equal(names.seqno, 20);
	assert_non_null(capture_bpf_format_names(in_format, sizeof(in_format) - 1, &names));
	/* A fixed array is not where __data_loc would point. */
	memcpy(text, fence_format, sizeof(text));
	memcpy(strstr(text, "__data_loc char[] driver"), "char driver[4]          ", 24);
	assert_non_null(capture_bpf_format_names(text, sizeof(text) - 1, &names));
}
