// SPDX-License-Identifier: MIT
// `gpulane calibrate`: measures a device's numbers for the models, by OpenCL or in simulation.
#include <stdio.h>
#include <string.h>

#include "base/stop.h"
#include "base/folder.h"
#include "model/cmd/verb.h"
#include "model/calibrate.h"

struct options {
	struct model_common common;
	double noise;
	uint32_t seed;
	uint32_t cl_device;
	uint32_t max_warps; /* 0: as many as the device takes */
	struct lane_calibration_wish wish;
	const char *out;
};

static error_t read_parts(struct model_common *common, const struct model_option *option, char *arg,
			  void *to)
{
	struct lane_calibration_wish *wish = to;
	char *state = NULL;

	(void)option;
	wish->ops = wish->local = wish->global = wish->contention = 0;
	for (char *part = strtok_r(arg, ",", &state); part; part = strtok_r(NULL, ",", &state)) {
		if (!strcmp(part, "ops"))
			wish->ops = 1;
		else if (!strcmp(part, "local"))
			wish->local = 1;
		else if (!strcmp(part, "global"))
			wish->global = 1;
		else if (!strcmp(part, "contention"))
			wish->contention = 1;
		else if (strcmp(part, "device") != 0)
			return model_wrong(common,
					   lane_error_usage("--only: `%s' is not one of ops, "
							    "local, global, contention, device",
							    part));
	}
	return 0;
}

static const struct model_option options[] = {
	MODEL_OPTION("out", 'o', model_word, out, "FILE", "write a device file"),
	MODEL_OPTION("only", 0, read_parts, wish, "PARTS",
		     "some of ops,local,global,contention, or device: nothing is measured"),
	MODEL_WHOLE("rounds", 0, wish.rounds, "N", "measurements of everything (default 11)", 3,
		    255),
	MODEL_WHOLE("max-warps", 0, max_warps, "N", "most warps of a work-group", 1, 1024),
	MODEL_WHOLE("cl-device", 0, cl_device, "N",
		    "which OpenCL device, as `clinfo -l' counts (default 0)", 0, 1024),
	MODEL_OPTION("simulate", 0, model_word, common.device, "DEVICE",
		     "calibrate a device file instead of a device"),
	MODEL_OPTION("noise", 0, model_decimal, noise, "PERCENT",
		     "of the simulated times (default 0)"),
	MODEL_WHOLE("seed", 0, seed, "N", "of the noise (default 1)", 0, UINT32_MAX),
	MODEL_FORMAT,
	{ 0 },
};

static void put_finding(json_object *result, const struct lane_finding *f, int decimals)
{
	json_object *row = model_row(result);

	model_put_text(row, "section", f->section);
	model_put_text(row, "key", f->key);
	if (f->known) {
		model_put_real(row, "value", f->value, decimals);
		model_put_real(row, "uncertainty", f->uncertainty, decimals);
	} else {
		model_put_nothing(row, "value");
		model_put_nothing(row, "uncertainty");
	}
	model_put_text(row, "refused", f->known ? "-" : f->reason);
	model_put_text(row, "remark", f->known && f->reason[0] ? f->reason : "-");
}

static void put_curve(json_object *result, const struct lane_curve *curve)
{
	for (uint32_t d = 0; d < curve->n; d++) {
		struct lane_finding f = { .value = curve->cycles[d],
					  .uncertainty = curve->uncertainty[d],
					  .known = curve->cycles[d] >= 0 };

		snprintf(f.section, sizeof(f.section), "curve stride-%u", curve->stride);
		snprintf(f.key, sizeof(f.key), "%u", d + 1);
		snprintf(f.reason, sizeof(f.reason), "%s", f.known ? "" : "noise");
		put_finding(result, &f, 6);
	}
}

static uint32_t curve_points(const struct lane_calibration *c)
{
	uint32_t known = 0;

	for (uint32_t i = 0; i < c->n_curves; i++)
		for (uint32_t d = 0; d < c->curve[i].n; d++)
			known += c->curve[i].cycles[d] >= 0;
	return known;
}

struct device_file {
	const struct lane_meter *meter;
	const struct lane_calibration *calibration;
};

static void print_device(FILE *to, const void *arg)
{
	const struct device_file *from = arg;

	model_calibration_write(to, from->meter, from->calibration);
}

static void put_summary(json_object *result, const struct lane_meter *meter,
			const struct lane_calibration *c)
{
	model_put_text(result, "device", meter->name);
	model_put_text(result, "measured_by", meter->how);
	if (meter->clock_mhz > 0)
		model_put_real(result, "clock_mhz", meter->clock_mhz, 6);
	else
		model_put_nothing(result, "clock_mhz");
	model_put_whole(result, "units", meter->units);
	model_put_whole(result, "warp", meter->warp);
	model_put_whole(result, "max_warps", meter->max_warps);
	model_put_whole(result, "local_bytes", meter->local_bytes);
	model_put_whole(result, "found", c->n - c->unknown);
	model_put_whole(result, "refused", c->unknown);
	model_put_whole(result, "trials", c->samples);
	model_put_whole(result, "trials_repeated", c->repeated);
}

static struct lane_error *calibrate(const struct options *o, struct lane_meter *meter)
{
	static struct lane_calibration calibration; /* too large for the stack */
	struct lane_calibration *c = &calibration;
	LANE_CLEANUP(model_drop) json_object *result = model_result("calibrate");
	int measures = o->wish.ops || o->wish.local || o->wish.global || o->wish.contention;
	struct lane_error *err;

	if (measures && meter->clock_mhz <= 0)
		return lane_error("calibrate: %s tells no clock, as a runtime does that executes "
				  "nothing: no time of it is cycles (--only device writes what it "
				  "tells)",
				  meter->name);
	if (o->max_warps && o->max_warps < meter->max_warps)
		meter->max_warps = o->max_warps;
	err = model_calibrate_meter(meter, &o->wish, c);
	if (err)
		return err;
	put_summary(result, meter, c);
	if (o->wish.local)
		model_put_text(result, "local_atomics", c->local_atomics);
	if (c->curve_error >= 0)
		model_put_real(result, "curve_error", c->curve_error, 4);
	else
		model_put_nothing(result, "curve_error");
	for (uint32_t i = 0; i < c->n; i++)
		put_finding(result, &c->finding[i], 6);
	for (uint32_t i = 0; i < c->n_errors; i++)
		put_finding(result, &c->error[i], 2);
	for (uint32_t i = 0; i < c->n_curves; i++)
		put_curve(result, &c->curve[i]);
	model_print(result, (enum model_format)o->common.format);
	if (measures && c->n == c->unknown && !curve_points(c))
		return lane_error("calibrate: nothing could be concluded (%s)",
				  c->n ? "see the reasons above; --rounds measures more often"
				       : "the device knows none of the trials");
	return o->out ? lane_output_file(o->out, print_device, &(struct device_file){ meter, c })
		      : NULL;
}

struct lane_error *model_calibrate(int argc, char **argv)
{
	struct options o = { .seed = 1, .wish = { 11, 1, 1, 1, 1 } };
	LANE_CLEANUP(model_device_drop) struct lane_device *device = NULL;
	struct lane_meter meter = { .close = NULL };
	int done;
	struct lane_error *err = model_parse(options, NULL,
					     "Measure this device's latencies for the models, and "
					     "say how sure each is, or why it is not known.",
					     argc, argv, &o, &done);

	if (err || done)
		return err;
	if (!o.common.device && o.noise > 0)
		return lane_error_usage("calibrate: --noise needs --simulate");
	if (o.common.device) {
		err = model_device(&o.common, NULL, &device);
		if (!err)
			err = model_meter_model(&meter, device, o.noise, o.seed);
	} else {
		if (!lane_stop_at_once())
			return lane_error("calibrate: no thread can be made");
		err = model_meter_opencl(&meter, o.cl_device);
	}
	if (!err)
		err = calibrate(&o, &meter);
	model_meter_close(&meter);
	return err;
}
