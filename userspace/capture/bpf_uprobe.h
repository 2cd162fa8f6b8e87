/* SPDX-License-Identifier: MIT */
/*
 * Programs on the functions of a library, in every process that has it: all at once where the
 * kernel can (Linux 6.6), else one by one.
 */
#ifndef LANE_CAPTURE_BPF_UPROBE_H
#define LANE_CAPTURE_BPF_UPROBE_H

#include <stdbool.h>

#include "capture/bpf_library.h"

struct bpf_link;
struct bpf_program;

/* What is attached. All zero: nothing, and one by one. */
struct lane_bpf_uprobes {
	bool has_multi;
	struct bpf_link *links[2 * LANE_CLF_COUNT];
	unsigned int n_links;
	int fds[4]; /* links of which libbpf does not know */
	unsigned int n_fds;
};

/* Before the programs are loaded: finds out how they will be attached. */
void capture_bpf_uprobes_init(struct lane_bpf_uprobes *uprobes);
/* Likewise, for each of the programs. */
void capture_bpf_uprobes_prepare(const struct lane_bpf_uprobes *uprobes,
				 struct bpf_program *program);

/*
 * Attaches a program to all functions of the table that the library exports, at their return or at
 * their entry. Returns 0 or an errno; then what was attached stays until deinit.
 */
int capture_bpf_uprobes_attach(struct lane_bpf_uprobes *uprobes, const struct bpf_program *program,
			       const struct lane_bpf_library *library, bool at_return);

/* Detaches everything. */
void capture_bpf_uprobes_deinit(struct lane_bpf_uprobes *uprobes);

#endif
