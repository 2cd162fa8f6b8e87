/* SPDX-License-Identifier: MIT */
/* The settings of a watch, by their names: as options, and as lines of a configuration file. */
#ifndef LANE_WATCH_SETTINGS_H
#define LANE_WATCH_SETTINGS_H

#include "watch/watch.h"

/* LANE_SETTINGS(S) calls S(ID, name, argument, help) for each. */
#define LANE_SETTINGS(S)                                                                           \
	S(SLOWER_THAN, "slower-than", "LIMIT",                                                     \
	  "what takes longer is a hit: a time (16ms), or a multiple of a percentile of what it "   \
	  "usually takes (p99.9x3)")                                                               \
	S(OF, "of", "WHAT,...", "of which things: request (default), command, wait, frame")        \
	S(STAGE, "stage", "STAGE", "of requests only this stage counts, as host_queue")            \
	S(PROCESS, "process", "NAME|PID", "only what this process does")                           \
	S(OPEN, "open-longer-than", "TIME",                                                        \
	  "a hit is also a request that is not over after so long, while it is not; a burst of a " \
	  "long-running queue is none")                                                            \
	S(STARVED, "starved", "TIME",                                                              \
	  "a hit is also an engine that is idle for longer while another has the CPU that its "    \
	  "next request needs")                                                                    \
	S(MISSED, "missed-frames", "N",                                                            \
	  "a hit is also a second in which a display missed so many refreshes: a picture was "     \
	  "under way for them, and came later")                                                    \
	S(FRAME, "frame", "EVENT",                                                                 \
	  "what marks a program's frames: marker:TEXT, lines of trace_marker that begin so, or "   \
	  "PATH:SYMBOL, a function of a program or library; frames are then what counts")          \
	S(BEFORE, "before", "TIME", "a recording begins so long before the hit (default 2s)")      \
	S(AFTER, "after", "TIME", "and ends so long after it (default 200ms)")                     \
	S(KEEP, "keep", "N", "keep at most so many recordings (default 20)")                       \
	S(PER_HOUR, "per-hour", "N", "write at most so many in an hour (default 5)")               \
	S(DISK, "disk", "SIZE", "that they take together (default 1G)")                            \
	S(MEMORY, "memory", "SIZE", "for the last events of the machine (default 64M)")

enum lane_setting {
#define S(id, name, argument, help) LANE_SETTING_##id,
	LANE_SETTINGS(S)
#undef S
	LANE_SETTING_COUNT
};

extern const char *const lane_setting_names[LANE_SETTING_COUNT];

struct lane_watch_settings {
	struct lane_watch_config watch;
	/* What follows is read when watching begins. */
	size_t memory;
	char frame[256]; /* marker:TEXT or PATH:SYMBOL, "": none */
	bool is_set[LANE_SETTING_COUNT];
};

/* What holds where nothing is said. */
void watch_settings_init(struct lane_watch_settings *settings);

/* Sets one; the error says what is wrong with the value. */
struct lane_error *watch_settings_set(struct lane_watch_settings *settings,
				      enum lane_setting setting, const char *value) LANE_MUST_CHECK;

/*
 * Sets what a configuration file's text says: lines `NAME VALUE`, those that are empty or begin
 * with # say nothing. path is for messages. What is_set already stays as it is: options come before
 * the file.
 */
struct lane_error *watch_settings_read(struct lane_watch_settings *settings, const char *text,
				       const char *path) LANE_MUST_CHECK;

/* The file of that name. */
struct lane_error *watch_settings_file(struct lane_watch_settings *settings,
				       const char *path) LANE_MUST_CHECK;

/* Cuts what marks frames in its parts: a marker's text (path is NULL), or a path and a symbol.
 * frame is changed. False: it is neither. */
bool watch_settings_frame(char *frame, const char **path, const char **symbol);

/* After all are set: an error when they do not go together. */
struct lane_error *watch_settings_check(const struct lane_watch_settings *settings) LANE_MUST_CHECK;

#endif
