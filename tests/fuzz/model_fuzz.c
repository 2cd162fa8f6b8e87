// SPDX-License-Identifier: MIT
// libFuzzer: what the models read. The first byte chooses: device, graph (and a short run); with
// its highest bit, a pattern file on a device of its own (and a short prediction).
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/pad.h"
#include "model/pipeline.h"
#include "model/predict.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void drop(struct lane_error *err)
{
	if (err)
		lane_error_free(err);
}

static void device(char *text)
{
	struct lane_device *made = NULL;
	struct lane_error *err = model_device_parse(text, "fuzz", &made);
	uint16_t address[LANE_PAD_LANES] = { 0 };
	struct lane_pad_warp warp;
	struct lane_pad pad;

	if (!err) {
		err = model_pad_init(&pad, made, LANE_HASH_ADD);
		if (!err)
			model_pad_explain(&pad, address, pad.lanes, &warp);
		model_pad_free(&pad);
	}
	drop(err);
	model_device_free(made);
}

static void graph(char *text)
{
	struct lane_graph *made = NULL;
	struct lane_error *err = model_graph_parse(text, "fuzz", &made);
	struct lane_launch launch = { .groups = 3, .group_warps = 2, .concurrent = 2 };
	struct lane_binding binding = { .n_pipes = 1 };
	struct lane_pipeline_run run;

	for (int i = 0; i < LANE_GRAPH_OPS; i++)
		binding.issue[i] = binding.completion[i] = 1000000 * (i + 1);
	if (!err && made->n_nodes < 10000)
		err = model_pipeline_run(made, &binding, &launch, &run);
	drop(err);
	model_graph_free(made);
}

static void pattern(char *text)
{
	static const char device_text[] =
		"{\"gpulane_device\": 2, \"name\": \"x\", \"source\": \"y\", "
		"\"device\": {\"units\": 2, \"clock_mhz\": 1}, \"scratchpad\": {\"bytes\": 4096, "
		"\"banks\": 32, \"locks\": 1024, \"read\": 32, \"update\": 18, \"write\": 36, "
		"\"branch\": 32}, \"op\": {\"fadd\": {\"pipe\": \"alu\", \"issue\": 1, "
		"\"completion\": 18}}}";
	struct lane_device *device = NULL;
	struct lane_pattern *made = NULL;
	struct lane_prediction prediction;
	struct lane_error *err = model_device_parse(device_text, "fuzz", &device);

	if (!err)
		err = model_pattern_parse(text, "fuzz", device, &made);
	for (size_t i = 0; !err && i < made->n_kernels; i++)
		if (!made->kernel[i].graph || strlen(made->kernel[i].graph) < 2000)
			drop(model_predict(&made->kernel[i], device, 3, &prediction));
	drop(err);
	model_pattern_free(made);
	model_device_free(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text;

	if (!bytes)
		return 0;
	text = strndup((const char *)data + 1, bytes - 1);
	if (!text)
		return 0;
	if (data[0] & 0x80)
		pattern(text);
	else if (data[0] & 1)
		device(text);
	else
		graph(text);
	free(text);
	return 0;
}
