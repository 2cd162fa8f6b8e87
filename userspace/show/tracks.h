/* SPDX-License-Identifier: MIT */
/*
 * What a viewer shows, from what the timeline tells: tracks with slices in rows. In one row slices
 * never overlap and come in the order of time, so nothing has to be sorted. A slice whose ends are
 * known within bounds is shown at their earliest times, as the queues' lengths are; then it is
 * marked.
 *
 * Memory is bounded by the tracks, their rows, the requests that are open and a fixed number of
 * those that were over last.
 */
#ifndef LANE_SHOW_TRACKS_H
#define LANE_SHOW_TRACKS_H

#include "latency/latency.h"

/* LANE_TRACKS(T) calls T(ID, name) for each kind of track; show/words.def says what each is. */
#define LANE_TRACKS(T)                                                                             \
	T(ENGINE, "running")                                                                       \
	T(IDLE, "idle")                                                                            \
	T(HOST, "host queue")                                                                      \
	T(DEVICE, "device queue")                                                                  \
	T(PREEMPTED, "preempted")                                                                  \
	T(CLIENT, "requests")                                                                      \
	T(CPU, "who runs")                                                                         \
	T(THREAD, "state")                                                                         \
	T(SUBMIT, "submits")                                                                       \
	T(WAIT, "waits")                                                                           \
	T(STARVED, "instead ran")                                                                  \
	T(CLQUEUE, "command queue")                                                                \
	T(CALL, "calls")                                                                           \
	T(DISPLAY, "refreshes")                                                                    \
	T(FAULT, "causes")                                                                         \
	T(LOST, "lost events")                                                                     \
	T(MARK, "frames")

enum lane_track_kind {
#define T(id, name) LANE_TRACK_##id,
	LANE_TRACKS(T)
#undef T
	LANE_TRACK_KINDS
};

extern const char *const lane_track_names[LANE_TRACK_KINDS];

struct lane_track_row {
	uint64_t end_ns; /* of its last slice */
	uint32_t slices; /* so far */
};

/* One track; lives as long as the tracks. */
struct lane_track {
	uint32_t id; /* dense, from 0 */
	enum lane_track_kind kind;
	const struct lane_engine *engine;  /* of an engine's track */
	const struct lane_client *client;  /* of a process's or thread's track; may be NULL */
	const struct lane_cl_queue *queue; /* of an OpenCL queue's track */
	int32_t cpu;			   /* of a CPU's track */
	uint32_t dev;			   /* of a display's track: the device, and its CRTC */
	int32_t crtc;
	char connector[LANE_CONNECTOR_BYTES];
	int32_t tid, pid; /* of a thread's track, -1; pid of a queue's too */
	char comm[16];	  /* as last seen */
	uint32_t n_rows;
	struct lane_track_row *rows;
	uint32_t cap_rows;
	uint64_t length_ns; /* when a queue's length changed last */
};

enum lane_slice_flag {
	LANE_SLICE_DOUBTFUL = 1 << 0, /* what it says is not certain */
	LANE_SLICE_BOUNDED = 1 << 1,  /* its ends are known within bounds */
};

struct lane_slice {
	const struct lane_track *track;
	uint32_t row;
	uint64_t begin_ns, end_ns;
	uint8_t flags;
	/*
	 * What it is in: of a request's tracks enum lane_request_state, of a thread's enum
	 * lane_thread_state, of an idle engine's enum lane_idle_cause (the largest), of what a
	 * driver told enum lane_fault_cause; of a display's 1 while it missed refreshes.
	 */
	uint8_t state;
	uint32_t number;		    /* of the request, LANE_NO_REQUEST: it has none */
	const struct lane_request *request; /* as it is now; may be NULL */
	/* What told it, by the kind of the track; the others are NULL. */
	const struct lane_run *run;
	const struct lane_idle *idle;
	const struct lane_preemption *preemption;
	const struct lane_thread_interval *thread;
	const struct lane_cpu_run *cpu_run;
	const struct lane_wait *wait;
	const struct lane_starvation *starvation;
	const struct lane_loss *loss;
	const struct lane_fault *fault;
	const struct lane_stall *stall;
	const struct lane_flip *flip;
	const struct lane_mark *mark;
	const struct lane_call *call;
	const struct lane_command *command;
};

#define LANE_NO_REQUEST UINT32_MAX

/*
 * A GPU's counter from at_ns on, until its next point: a clock, reasons of throttling; of what
 * counts time the share of the time to the next reading, in per cent (of several engines up to 100
 * each).
 */
struct lane_counter_point {
	const struct lane_p_gpulane_counter *is;
	bool is_percent, is_first;
	uint64_t at_ns, value;
};

/* Who is told; arguments are valid during the call. Any function may be NULL. */
struct lane_track_hooks {
	void *arg;
	/* A track is met for the first time. */
	void (*track)(void *arg, const struct lane_track *track);
	void (*slice)(void *arg, const struct lane_slice *slice);
	/* A queue of an engine has this length from at_ns on; at_ns never goes back. */
	void (*length)(void *arg, const struct lane_engine *engine, enum lane_queue queue,
		       uint32_t length, uint64_t at_ns);
	void (*counter)(void *arg, const struct lane_counter_point *point);
};

struct lane_tracks;

/* *tracks is the caller's. *hooks becomes what is to be subscribed; told is copied. */
struct lane_error *show_tracks_create(const struct lane_track_hooks *told, struct lane_hooks *hooks,
				      struct lane_tracks **tracks) LANE_MUST_CHECK;

/* The tracks met so far, by id; NULL: there are no more. */
const struct lane_track *show_tracks_get(const struct lane_tracks *tracks, uint32_t id);

/* The counters met so far, by number; NULL: this one has had no point. */
const struct lane_p_gpulane_counter *show_tracks_counter(const struct lane_tracks *tracks,
							 uint32_t id);
uint32_t show_tracks_counters(const struct lane_tracks *tracks);

/* How many requests have been numbered. */
uint32_t show_tracks_requests(const struct lane_tracks *tracks);

/* True when there was no memory for something: what was told is not complete. */
bool show_tracks_failed(const struct lane_tracks *tracks);

/* Frees everything; NULL is allowed. */
void show_tracks_destroy(struct lane_tracks *tracks);

#endif
