/* SPDX-License-Identifier: MIT */
/*
 * A device as a file: the numbers that the models know of one GPU. docs/models/devices.md is the
 * format.
 *
 * A device is a list of sections, each a kind (`scratchpad`, `op` ...), for some kinds a name (`op
 * fadd`) and keys with one number each. Which kinds and keys exist, and between which bounds their
 * values lie, is a table; a file that passes it needs no further checks in the
 * models.
 */
#ifndef LANE_MODEL_DEVICE_H
#define LANE_MODEL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define LANE_NAME_BYTES	  32	     /* longest name of a section or unit, its NUL included */
#define LANE_GLOBAL_BANKS 16	     /* most banks of a partition of global memory */
#define LANE_SECTION_KEYS 24	     /* most keys of one kind of section */
#define LANE_OP_POINTS	  64	     /* most occupancies at which one op's latencies are given */
#define LANE_LOCAL_BYTES  (1u << 18) /* most local memory */

enum lane_key_need {
	LANE_KEY_OPTIONAL,
	LANE_KEY_NEEDED
};
enum lane_key_form {
	LANE_KEY_WHOLE,
	LANE_KEY_REAL
};

/* One key: its bounds and default, in units. */
struct lane_device_key {
	const char *name;
	enum lane_key_need need;
	enum lane_key_form form;
	uint32_t min;
	uint32_t max;
	uint32_t preset;
};

struct lane_device_kind {
	const char *name;
	int is_named;
	struct lane_device_key key[LANE_SECTION_KEYS];
};

/* What one key says, in millionths of its unit. */
struct lane_value {
	int64_t micro;
	int64_t uncertainty; /* standard deviation, 0: exact or not known */
	int given;
};

/*
 * An op's latencies while this many warps are on the compute unit, millionths of a cycle. In a
 * [curve]: the cycles at this degree, and their uncertainty.
 */
struct lane_op_point {
	uint32_t warps;
	int64_t issue;
	int64_t completion;
};

struct lane_device_section {
	const struct lane_device_kind *kind;
	char name[LANE_NAME_BYTES]; /* "" for kinds that have none */
	char unit[LANE_NAME_BYTES]; /* the pipeline of an `op`, else "" */
	struct lane_value value[LANE_SECTION_KEYS];
	uint32_t n_points;
	struct lane_op_point point[LANE_OP_POINTS]; /* by ascending number of warps */
};

struct lane_device {
	char *what; /* where it was read from, for errors */
	char *name;
	char *title;
	char *source;
	struct lane_device_section *section;
	size_t n_sections;
};

/* Reads and checks a device file. *device is the caller's to free. */
struct lane_error *model_device_read(const char *path, struct lane_device **device) LANE_MUST_CHECK;

/* The same from text; what stands for the file's name in errors. */
struct lane_error *model_device_parse(const char *text, const char *what,
				      struct lane_device **device) LANE_MUST_CHECK;

/* A program's own kinds of sections, besides those of device.c; before it reads any device. */
void model_device_more(const struct lane_device_kind *more, size_t n);

/* Frees a device; NULL is allowed. */
void model_device_free(struct lane_device *device);

/* For LANE_CLEANUP. */
void model_device_drop(struct lane_device **device);

/* The section of a kind and name ("" for kinds without names), NULL when the device has none. */
const struct lane_device_section *model_device_section(const struct lane_device *device,
						       const char *kind, const char *name);

/* The same, but an error that says what is missing. */
struct lane_error *model_device_need(const struct lane_device *device, const char *kind,
				     const char *name,
				     const struct lane_device_section **section) LANE_MUST_CHECK;

/* A key's value in millionths; the table's default when the file does not give it. */
int64_t model_section_micro(const struct lane_device_section *section, const char *key);

/* The same as a whole number (keys that the table declares whole). */
uint32_t model_section_whole(const struct lane_device_section *section, const char *key);

/* The same as a floating-point number. */
double model_section_real(const struct lane_device_section *section, const char *key);

/* True where the file gives the key; a section that is NULL gives none. */
bool model_section_gives(const struct lane_device_section *section, const char *key);

/* A value's uncertainty, as a part of it. */
double model_section_doubt(const struct lane_device_section *section, const char *key);

/*
 * An op's latencies while `warps` warps are on the compute unit, millionths of a cycle: those of
 * the section, or, where it has `at` lines, a straight line between the two nearest.
 */
void model_op_latency(const struct lane_device_section *op, uint32_t warps, int64_t *issue,
		      int64_t *completion);

#endif
