/* SPDX-License-Identifier: MIT */
/*
 * Scope guards: what a function acquires is given back where its scope ends.
 *
 *   LANE_CLEANUP(lane_free) char *text = strdup(from);
 *   LANE_CLEANUP(lane_close) int fd = open(...);
 *   return LANE_TAKE(text);      // hands it to the caller, the guard does nothing
 */
#ifndef LANE_BASE_CLEANUP_H
#define LANE_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

#define LANE_CLEANUP(function) __attribute__((cleanup(function)))

/* The value of a guarded pointer, which the guard forgets. */
#define LANE_TAKE(pointer)                                                                         \
	({                                                                                         \
		__typeof__(pointer) taken_ = (pointer);                                            \
		(pointer) = NULL;                                                                  \
		taken_;                                                                            \
	})

static inline void lane_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void lane_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void lane_fclose(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void lane_closedir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static inline void lane_drop_error(struct lane_error **err)
{
	if (*err)
		lane_error_free(*err);
}

#endif
