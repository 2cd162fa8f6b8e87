/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Records of tracepoints, read by the places that their formats in tracefs give. */
#ifndef LANE_BPF_FORMAT_BPF_H
#define LANE_BPF_FORMAT_BPF_H

#include "common.bpf.h"

const volatile struct lane_bpf_layout layouts[LANE_KIND_COUNT] = {};

/* Copies the fields of a tracepoint's record to a payload of that many bytes. */
static __always_inline void copy_fields_to(void *payload,
					   const volatile struct lane_bpf_layout *layout,
					   void *record, __u32 size)
{
	for (int i = 0; i < LANE_BPF_MAX_FIELDS; i++) {
		__u32 bytes = layout->copy[i].bytes;
		__u32 to = layout->copy[i].to;

		if (!bytes || bytes > 8 || to > size - 8)
			continue;
		bpf_probe_read_kernel(payload + to, bytes, record + layout->copy[i].from);
	}
}

static __always_inline void copy_fields(void *payload,
					const volatile struct lane_bpf_layout *layout, void *record)
{
	copy_fields_to(payload, layout, record, LANE_BPF_GENERIC_PAYLOAD);
}

#endif
