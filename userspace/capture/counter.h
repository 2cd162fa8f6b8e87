/* SPDX-License-Identifier: MIT */
/*
 * Reads the counters of this machine's GPUs again and again: files of sysfs, PMUs, the fdinfo of
 * DRM clients. Files stay open. What is read goes out as records of the recording.
 */
#ifndef LANE_CAPTURE_COUNTER_H
#define LANE_CAPTURE_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/event.h"
#include "capture/driver.h"

/* Clients that are read at once. */
#define LANE_COUNTER_CLIENTS 256

/* How it is read. Set before capture_counter_open. */
struct lane_counter_config {
	const char *root; /* before /sys and /proc, "" for the machine's own */
	uint64_t period_ns;
	bool has_clients; /* those of DRM clients; to find new ones takes privileges */
	bool is_waking;	  /* also what wakes the GPU, or keeps it awake, when it is read */
	/* Opens an event of a PMU, as perf_event_open; the tests have their own. */
	int (*open_pmu)(uint32_t type, uint64_t config, int cpu);
	void *arg;
	struct lane_error *(*put)(void *arg, const struct lane_wire *record);
};

struct lane_counter_set;

/* Opens all that is there: what needs privileges. *set is the caller's. */
struct lane_error *capture_counter_open(const struct lane_counter_config *config,
					struct lane_counter_set **set) LANE_MUST_CHECK;

/*
 * Reads all counters once, of a limited number of clients; the clients take turns. A quick round is
 * of clocks and of what throttles them alone.
 */
struct lane_error *capture_counter_round(struct lane_counter_set *set,
					 bool is_quick_round) LANE_MUST_CHECK;

/* A clock, or what throttles it, has changed in one of the last ten rounds: quick rounds fit. */
bool capture_counter_changes(const struct lane_counter_set *set);

/* What reading may take of a CPU. Quick rounds are made while some is left: all rounds together
 * take no more, but where the others alone do. All 0 at first: it begins with what comes in a
 * second. */
struct lane_counter_budget {
	int64_t left_ns;
	uint64_t at_ns; /* up to when it has grown; 0: not yet */
};

/* It grows by the time up to now_ns, to what comes in a second. */
void capture_counter_may_spend(struct lane_counter_budget *budget, uint64_t now_ns);
/* So much of a CPU was taken. What is owed is no more than comes in a second, either. */
void capture_counter_spend(struct lane_counter_budget *budget, uint64_t ns);

/* Clients that there was no room for. */
uint64_t capture_counter_left_out(const struct lane_counter_set *set);

/* The kinds that were left alone, and those that were read: bits. */
uint64_t capture_counter_left_alone(const struct lane_counter_set *set);
uint64_t capture_counter_read(const struct lane_counter_set *set);

void capture_counter_close(struct lane_counter_set *set);

/* The event of a PMU; -1 with errno. */
int capture_counter_perf(uint32_t type, uint64_t config, int cpu);

/* --- for its parts: counter.c, counter_files.c, counter_pmu.c, counter_client.c --- */

/* Puts the counter's description out, before its first sample; gives it a number. */
struct lane_error *capture_counter_describe(struct lane_counter_set *set,
					    struct lane_p_gpulane_counter *counter,
					    uint64_t now_ns) LANE_MUST_CHECK;
struct lane_error *capture_counter_sample(struct lane_counter_set *set, uint32_t id, uint64_t value,
					  uint64_t total, uint64_t from_ns,
					  uint64_t now_ns) LANE_MUST_CHECK;

/* Where a file has its number. */
enum lane_counter_text {
	LANE_TEXT_FIRST,   /* "950" */
	LANE_TEXT_LEVEL,   /* amdgpu's levels: "1: 800Mhz *", the one with the star */
	LANE_TEXT_TOP,	   /* the highest of the levels, or of a line of numbers */
	LANE_TEXT_SPEED,   /* "8.0 GT/s PCIe": thousandths */
	LANE_TEXT_TOTAL,   /* "full ... total=950" */
	LANE_TEXT_METRICS, /* amdgpu's gpu_metrics: why it is throttled */
	LANE_TEXT_ON,	   /* "on": 1, "auto": 0 */
};

struct lane_counter_form {
	enum lane_counter_text text;
	uint64_t over;	     /* its units to one of the counter's; 0: as 1 */
	bool is_when_active; /* it is read only while the device is not suspended */
};

/* A file, and how it is read; takes the fd. active_fd: the device's runtime_status; -1: not asked.
 */
struct lane_error *capture_counter_add(struct lane_counter_set *set,
				       const struct lane_p_gpulane_counter *counter,
				       const struct lane_counter_form *form, int fd,
				       int active_fd) LANE_MUST_CHECK;

/* A counter that is there and is not read: it is in the recording without a reading. */
struct lane_error *
capture_counter_leave(struct lane_counter_set *set,
		      const struct lane_p_gpulane_counter *counter) LANE_MUST_CHECK;

/* An event of a PMU, and the one that tells the counter's own time, -1: none; takes the fds. */
struct lane_error *capture_counter_add_pmu(struct lane_counter_set *set,
					   const struct lane_p_gpulane_counter *counter, int fd,
					   int total_fd) LANE_MUST_CHECK;

/* Gives the file that was added last a further one, which tells a bit of its value; takes the fd.
 */
void capture_counter_add_reason(struct lane_counter_set *set, unsigned int bit, int fd);

const struct lane_counter_config *capture_counter_config(const struct lane_counter_set *set);

struct lane_error *capture_counter_files(struct lane_counter_set *set,
					 const struct lane_card *card) LANE_MUST_CHECK;
struct lane_error *capture_counter_machine(struct lane_counter_set *set) LANE_MUST_CHECK;
struct lane_error *capture_counter_pmu(struct lane_counter_set *set,
				       const struct lane_card *card) LANE_MUST_CHECK;

struct lane_counter_clients;
struct lane_counter_clients *capture_counter_clients_open(struct lane_counter_set *set);
struct lane_error *
capture_counter_clients_round(struct lane_counter_clients *clients) LANE_MUST_CHECK;
uint64_t capture_counter_clients_left_out(const struct lane_counter_clients *clients);
uint64_t capture_counter_clients_kinds(const struct lane_counter_clients *clients);
void capture_counter_clients_close(struct lane_counter_clients *clients);

/* What its text says of a class: "render" and "rcs" are 0. LANE_COUNTER_NONE: none of i915's. */
uint16_t capture_counter_class(const char *name, size_t bytes);

/* A description with nothing known. */
struct lane_p_gpulane_counter capture_counter_of(const struct lane_card *card, uint32_t what,
						 const char *name);

/* Opens root/format... for reading; -1: it is not there. */
int capture_counter_file(const struct lane_counter_set *set, const char *format, ...)
	LANE_PRINTF(2, 3);

/* Reads the number of a small file; false: it has none. */
bool capture_counter_value(const struct lane_counter_form *form, int fd, uint64_t *value);

/* The same, which it begins with. */
bool capture_counter_number(int fd, uint64_t *value);

#endif
