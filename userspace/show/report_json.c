// SPDX-License-Identifier: MIT
// The report as JSON.
#include <errno.h>

#include "show/opencl_report.h"
#include "show/report_tree.h"

static struct lane_error *write_json(FILE *to, struct lane_latency *latency,
				     const struct lane_report_options *options)
{
	struct json_object *tree;
	struct lane_error *err = show_report_tree(latency, &tree);
	const char *text;

	if (err)
		return err;
	show_opencl_models_tree(latency, options, tree);
	text = json_object_to_json_string_ext(tree, JSON_C_TO_STRING_PRETTY |
							    JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fprintf(to, "%s\n", text);
	json_object_put(tree);
	if (!text)
		return &lane_enomem;
	return ferror(to) ? lane_error_errno(errno, "it could not be written") : NULL;
}

const struct lane_report_format lane_report_json = {
	.name = "json",
	.help = "for programs: every figure, times as integers in ns",
	.write = write_json,
};
