/* SPDX-License-Identifier: MIT */
/*
 * Ranges of a program that marks them by ITT, NVTX or ROCTX, told as gpulane_range and
 * gpulane_range_end. The OpenCL layer writes the events: it has LTTng's provider. This library
 * links nothing, and a process that marks no range never loads LTTng.
 */
#ifndef LANE_RANGES_H
#define LANE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#define RANGES_SHOWN __attribute__((visibility("default")))

/* Domains that are no object of the program's: addresses are larger. */
enum {
	RANGES_NVTX = 1,
	RANGES_ROCTX,
	RANGES_ITT_EVENT, /* and its number: each event is a domain */
};

/*
 * A range begins in the calling thread. domain: ranges of a domain nest in the thread. id: 0, or
 * the end names it, in any thread of the process. name: cut at 63 bytes; NULL: it has none.
 */
void ranges_begin(uint64_t domain, uint64_t id, const char *name);
/* The range ends that has this id, or the thread's last one of the domain. */
void ranges_end(uint64_t domain, uint64_t id);
/* A new number for a range, from 1 on. */
uint64_t ranges_number(void);

/*
 * What a program holds for a domain and for a name: ITT's struct ___itt_domain, in which a struct
 * ___itt_string_handle begins at `text` (ittnotify.h). The program's macros read is_on and text.
 */
struct ranges_name {
	volatile int is_on;
	char *text;
	void *wide;
	int extra1;
	void *extra2;
	struct ranges_name *next;
};

/*
 * The object of this name in the list of one kind of them (NULL: it is empty): the same for the
 * same name. It is never freed: a program has few. No lock is held: a forked child would keep it.
 * NULL: there is no name, or no memory.
 */
struct ranges_name *ranges_name(struct ranges_name **list, const char *text);

#endif
