/* SPDX-License-Identifier: MIT */
/*
 * Two sides, each of one recording or of several, compared: what is alike is paired, and of each
 * pair it is said what differs, and how surely. A recording is read alone, and what is kept of it
 * are its measures.
 */
#ifndef LANE_COMPARE_COMPARE_H
#define LANE_COMPARE_COMPARE_H

#include "compare/series.h"
#include "compare/statistics.h"
#include "session/session.h"
#include "verdict/verdict.h"

/* What is paired, by its names. */
enum compare_kind {
	COMPARE_REQUESTS, /* of a process on an engine */
	COMPARE_KERNEL,	  /* of a process */
	COMPARE_ENGINE,
	COMPARE_PROCESS,
	COMPARE_ANSWER, /* a cause, who was held up, by whom */
};

enum compare_unit {
	COMPARE_IN_NS,	  /* compared as ratios */
	COMPARE_A_SECOND, /* likewise */
	COMPARE_OF_TIME,  /* of the recording's time, 0 to 1; as differences */
};

/*
 * COMPARE_QUANTITIES(Q) calls Q(ID, name, unit, bad) for each: bad is 1 where more of it is worse,
 * -1 where less is, 0 where neither. Behind them come the stages, each the mean of an item, in ns.
 */
#define COMPARE_QUANTITIES(Q)                                                                      \
	Q(MEDIAN, "median", IN_NS, 1)                                                              \
	Q(P95, "p95", IN_NS, 1)                                                                    \
	Q(P99, "p99", IN_NS, 1)                                                                    \
	Q(MEAN, "mean", IN_NS, 1)                                                                  \
	Q(RATE, "rate", A_SECOND, -1)                                                              \
	Q(BUSY, "busy", OF_TIME, 0)                                                                \
	Q(ON_CPU, "on_cpu", OF_TIME, 0)                                                            \
	Q(RUNNABLE, "runnable", OF_TIME, 1)                                                        \
	Q(COST, "cost", OF_TIME, 1)

enum compare_quantity {
#define Q(id, name, unit, bad) COMPARE_##id,
	COMPARE_QUANTITIES(Q)
#undef Q
	COMPARE_STAGE,
	COMPARE_QUANTITY_COUNT = COMPARE_STAGE + COMPARE_COLUMNS - 1,
};

const char *compare_quantity_name(enum compare_kind kind, int quantity);
enum compare_unit compare_quantity_unit(int quantity);
int compare_quantity_bad(int quantity);

struct compare_value {
	bool is_known;
	double lo, hi;
};

#define COMPARE_NAME 104

/* How long items take, by quarters of powers of two: bin b has those of 2^(b/4) ns and longer. */
#define COMPARE_SHAPE 160

/* One thing in one recording. */
struct compare_thing {
	enum compare_kind kind;
	char who[COMPARE_NAME];	       /* a process without its number; of an engine "" */
	char what[COMPARE_NAME];       /* the engine, the kernel, the cause */
	char by[COMPARE_NAME];	       /* of an answer; "" */
	uint64_t count;		       /* items */
	uint32_t shape[COMPARE_SHAPE]; /* of those that are kept and known, by the middle of bounds
					*/
	struct compare_value value[COMPARE_QUANTITY_COUNT];
	struct compare_series *series; /* kept where compare_read() was told so; or NULL */
};

#define COMPARE_COUNTERS 32

/* What one recording was like. */
struct compare_recording {
	const char *path;
	struct lane_trace_info info;
	uint64_t begin_ns;
	double whole_s;
	uint64_t losses, lost;
	bool is_damaged;
	uint64_t left_out; /* items of things beyond the limit */
	struct compare_counter {
		char name[COMPARE_NAME];
		const char *unit;
		double value;
	} counters[COMPARE_COUNTERS];
	uint32_t n_counters;
	struct compare_thing *things;
	uint32_t n_things, room;
};

enum compare_verdict {
	COMPARE_ALIKE, /* no difference is shown */
	COMPARE_WORSE,
	COMPARE_BETTER,
	COMPARE_OTHER,	/* more or less, which is neither */
	COMPARE_UNTOLD, /* they seem to differ: bounds, or what is lost, hide whether they do */
};

/* A quantity of a row. */
struct compare_test {
	bool is_made; /* both sides have it, and it matters */
	enum compare_verdict verdict;
	double base, new; /* means of the recordings' values, each the middle of its bounds */
	/* new / base of durations and rates, new - base of shares: with 95 %; of two or three
	 * recordings a side all that they leave open. */
	struct compare_interval change;
	double p; /* 1: there is none */
};

struct compare_row {
	/* Of each recording, base's first; NULL: it has none. */
	const struct compare_thing *of[2 * COMPARE_SIDE_MOST];
	const struct compare_thing *any; /* one of them, for the names */
	unsigned int n_of[2];		 /* so many recordings of base, of new have it */
	double time_share; /* so much of a recording's time its items take, one by one */
	struct compare_test tests[COMPARE_QUANTITY_COUNT];
	double weight; /* of its largest difference, as a share of time: the order of rows */
};

struct compare_result {
	const struct compare_recording *recordings; /* base's first */
	unsigned int n[2];			    /* of base, of new */
	struct compare_row *rows;		    /* the weightiest first */
	uint32_t n_rows, room;
	uint32_t alike, untold; /* tests */
	bool is_tested;		/* there are enough recordings for a claim */
};

/* Writes how a party is called. */
typedef const char *compare_name_fn(const struct lane_latency *latency,
				    const struct lane_party *party, char *buffer, size_t size);

/* Reads a recording. *to is freed with compare_recording_deinit, whatever is returned. keeps_items:
 * for a comparison of one with one, or for a timeline. */
struct lane_error *compare_read(struct session *session, compare_name_fn *name, bool keeps_items,
				struct compare_recording *to) LANE_MUST_CHECK;

void compare_recording_deinit(struct compare_recording *recording);

/* Compares; the recordings outlive the result, which is freed with compare_result_deinit. */
struct lane_error *compare_sides(const struct compare_recording *recordings, unsigned int n_base,
				 unsigned int n_new, struct compare_result *result) LANE_MUST_CHECK;

void compare_result_deinit(struct compare_result *result);

/* Finds a figure that is worse, by the near end of its interval by more than this part of itself,
 * or of the time. False: there is none. */
bool compare_worse_by(const struct compare_result *result, double part,
		      const struct compare_row **row, int *quantity);

/* The quantity in which the row differs most, of those with such a verdict; -1: none. */
int compare_row_first(const struct compare_row *row, enum compare_verdict verdict);

/* Of its stages the one that has grown, or shrunk, most as the verdict says; -1: none has. */
int compare_row_stage(const struct compare_row *row, enum compare_verdict verdict);

#endif
