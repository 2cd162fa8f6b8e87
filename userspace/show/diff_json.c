// SPDX-License-Identifier: MIT
// Two sides compared, as JSON.
#include <math.h>

#include "show/diff.h"
#include "show/json.h"

static const char *const kinds[] = { [COMPARE_REQUESTS] = "requests",
				     [COMPARE_KERNEL] = "kernel",
				     [COMPARE_ENGINE] = "engine",
				     [COMPARE_PROCESS] = "process",
				     [COMPARE_ANSWER] = "answer" };
static const char *const units[] = {
	[COMPARE_IN_NS] = "ns", [COMPARE_A_SECOND] = "1/s", [COMPARE_OF_TIME] = "share"
};
static const char *const verdicts[] = { [COMPARE_ALIKE] = "alike",
					[COMPARE_WORSE] = "worse",
					[COMPARE_BETTER] = "better",
					[COMPARE_OTHER] = "differs",
					[COMPARE_UNTOLD] = "unknown" };

static void add_side(struct json_object *root, const char *name,
		     const struct compare_recording *recordings, unsigned int n)
{
	struct json_object *list = show_json_list(root, name), *row;

	for (unsigned int i = 0; i < n; i++) {
		row = show_json_row(list);
		show_json_text(row, "path", recordings[i].path);
		show_json_uint(row, "recording_ns", (uint64_t)(recordings[i].whole_s * 1e9));
		show_json_uint(row, "lost_events", recordings[i].lost);
		show_json_uint(row, "losses", recordings[i].losses);
		show_json_bool(row, "damaged", recordings[i].is_damaged);
		show_json_uint(row, "left_out", recordings[i].left_out);
	}
}

static void add_real(struct json_object *to, const char *key, double value)
{
	if (isfinite(value))
		show_json_real(to, key, value);
	else
		show_json_null(to, key);
}

static void add_test(struct json_object *list, enum compare_kind kind, int quantity,
		     const struct compare_test *test)
{
	struct json_object *row = show_json_row(list);

	show_json_text(row, "figure", compare_quantity_name(kind, quantity));
	show_json_text(row, "unit", units[compare_quantity_unit(quantity)]);
	show_json_text(row, "verdict", verdicts[test->verdict]);
	add_real(row, "base", test->base);
	add_real(row, "new", test->new);
	add_real(row, "change_min", test->change.lo);
	add_real(row, "change_max", test->change.hi);
	if (test->p < 1)
		add_real(row, "p", test->p);
	else
		show_json_null(row, "p");
}

static void add_row(struct json_object *list, const struct compare_row *of)
{
	struct json_object *row = show_json_row(list), *tests;

	show_json_text(row, "kind", kinds[of->any->kind]);
	show_json_text(row, "who", *of->any->who ? of->any->who : NULL);
	show_json_text(row, "what", *of->any->what ? of->any->what : NULL);
	show_json_text(row, "by", *of->any->by ? of->any->by : NULL);
	show_json_uint(row, "in_base", of->n_of[0]);
	show_json_uint(row, "in_new", of->n_of[1]);
	add_real(row, "at_once", of->time_share);
	tests = show_json_list(row, "figures");
	for (int q = 0; q < COMPARE_QUANTITY_COUNT; q++)
		if (of->tests[q].is_made)
			add_test(tests, of->any->kind, q, &of->tests[q]);
}

static void add_beside(void *arg, const char *name, const char *base, const char *new)
{
	struct json_object *row = show_json_row(arg);

	show_json_text(row, "what", name);
	show_json_text(row, "base", base);
	show_json_text(row, "new", new);
}

struct lane_error *show_diff_json(FILE *to, const struct compare_result *result)
{
	struct json_object *root = json_object_new_object(), *list;

	show_json_uint(root, "version", 1);
	add_side(root, "base", result->recordings, result->n[0]);
	add_side(root, "new", result->recordings + result->n[0], result->n[1]);
	show_json_bool(root, "by_chance_excluded", result->is_tested);
	list = show_json_list(root, "rows");
	for (uint32_t i = 0; i < result->n_rows; i++)
		add_row(list, &result->rows[i]);
	show_diff_beside(result, add_beside, show_json_list(root, "beside"));
	if (!show_json_write(to, root, JSON_C_TO_STRING_PRETTY))
		return &lane_enomem;
	return ferror(to) ? lane_error("it could not be written") : NULL;
}
