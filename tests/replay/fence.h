/* SPDX-License-Identifier: MIT */
/* Fences as files of the kernel's sync_file. */
#ifndef FENCE_H
#define FENCE_H

#include <stdint.h>

/* When the fence of a file was signalled (CLOCK_MONOTONIC); 0: it is not. */
uint64_t fence_signalled_ns(int file);

/* A fence's names. */
struct fence_name {
	uint64_t ctx, seqno;
};

/* vgem, a device of the kernel's without hardware: its fences are signalled when somebody says so.
 */
struct vgem {
	int card, buffer;
	uint32_t handle, fence;
};

/* Each ends the program where it fails. */
void vgem_open(struct vgem *vgem);
/* A new fence, as a file. The one before it is signalled. */
int vgem_fence(struct vgem *vgem, struct fence_name *name);
void vgem_signal(const struct vgem *vgem);

#endif
