/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Records of tracepoints, read by the places that their formats in tracefs give. */
#ifndef LANE_BPF_FORMAT_BPF_H
#define LANE_BPF_FORMAT_BPF_H

#include "common.bpf.h"

const volatile struct lane_bpf_layout layouts[LANE_KIND_COUNT] = {};

/* The kind that the program is attached for. In 64 bits: of fewer ones, once they have been
 * checked, clang 19 keeps only as many as they need, by a mask of which Linux 6.1 does not know
 * that it changes nothing. */
static __always_inline __u64 attached_kind(void *record)
{
	return bpf_get_attach_cookie(record);
}

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
