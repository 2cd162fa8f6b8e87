/* SPDX-License-Identifier: MIT */
/* The parts of a report that have a file each: their tables, which are lists in JSON, and how they
 * say what sentences and pages say, too. */
#ifndef LANE_SHOW_REPORT_PARTS_H
#define LANE_SHOW_REPORT_PARTS_H

#include "show/report.h"

/* --- requests that are open too long --- */

/* "1:1032 of hist[154] on rcs0 has been open for 3.20 s: it runs; i915 cancels ..." */
void show_open_text(const struct lane_timeline *timeline, const struct lane_open *open,
		    uint64_t now_ns, char *text, size_t size);

#define SHOW_RECORDINGS_END "before the recording's end"

/* "clFinish of app[80] was called 3.20 s AGO and has not returned: it waits for kernel `hang`,
 * ..." */
void show_open_call_text(const struct lane_timeline *timeline, const struct lane_open_call *open,
			 uint64_t now_ns, const char *ago, char *text, size_t size);

/* The table, `open` in JSON: all, bursts too, a line each. */
void show_open_table(const struct lane_tables *t);

/* --- memory and power --- */

/* "C6, at most 133 us to leave": an idle state by its name (16 bytes), as far as it is known. */
const char *show_sleep_text(const struct lane_latency *latency, const char *state, char *text,
			    size_t size);

/* The same of a sum. */
const char *show_sleep_state(const struct lane_stall_sum *sum, char *text, size_t size);

/* Whose doing a sum is, or whom it held up. */
const char *show_stall_owner(const struct lane_latency *latency, const struct lane_stall_sum *sum,
			     char *buffer, size_t size);

/* The table, `memory` and `late` in JSON; nothing where nothing was held up. */
void show_memory_table(const struct lane_tables *t);

/* --- the GPUs' counters --- */

/* "clock gt0, MHz", "engine_busy rcs0, %": what a point of its track is (show/tracks.h). */
const char *show_counter_name(const struct lane_p_gpulane_counter *is, char *text, size_t size);

/* Lines below the recording's losses: where requests and counters disagree, and whether reading
 * them disturbed. */
void show_counter_head(FILE *to, const struct lane_latency *latency);

/* A line for each engine that was counted to be busy and that no request names: xe's. */
void show_counter_engines(FILE *to, const struct lane_latency *latency);

/* The reasons that were set in a sample. */
const char *show_throttle_reasons(uint64_t bits, char *text, size_t size);

/* The table, `counters` and `slow` in JSON, which are not there where no counter was read. */
void show_counter_table(const struct lane_tables *t);
void show_awake_table(const struct lane_tables *t);
void show_frames_table(const struct lane_tables *t);
void show_marks_table(const struct lane_tables *t);
void show_ranges_table(const struct lane_tables *t);

/* --- CPUs, of a recording without a GPU --- */

/* The tables, `cpu` in JSON. */
void show_cpu_tables(const struct lane_tables *t);

/* The first of them, the threads. */
#define SHOW_CPU_COLUMNS 122 /* of that table */
void show_cpu_threads(const struct lane_tables *t);

/* A thread; those that are gone and summed by name: "bash (12 threads)". */
const char *show_cpu_thread_name(const struct lane_cpu_thread *thread, char *buffer, size_t size);
const char *show_cpu_process_name(const struct lane_cpu_process *process, char *buffer,
				  size_t size);

/* --- commands of OpenCL and Level Zero; nothing where there are none --- */

/* The tables, `opencl` in JSON. */
void show_opencl_tables(const struct lane_tables *t);

/* Launches, and the other calls that each needs. */
void show_calls_table(const struct lane_tables *t);

/* The kernels that have a model: a table each, from the call to the program's knowing;
 * `kernels_modelled` in JSON. */
void show_opencl_models(const struct lane_tables *t);

/* Whose commands they are: "OpenCL", "Level Zero", or both. */
const char *show_command_api(const struct lane_commands *commands);

/* What a command is (`what` of struct lane_behind_sum): its kernel, or its kind. */
const char *show_command_what(const struct lane_commands *commands, uint32_t what, char *buffer,
			      size_t size);
#define SHOW_COMMAND(commands, what) show_command_what(commands, what, SHOW_ROOM(64))

#endif
