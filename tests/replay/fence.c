// SPDX-License-Identifier: MIT
// Files of fences, and vgem's fences (include/uapi/drm/vgem_drm.h of Linux).
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "device.h"
#include "fence.h"

struct dumb {
	uint32_t height, width, bpp, flags;
	uint32_t handle, pitch;
	uint64_t size;
};

struct handle_file {
	uint32_t handle, flags;
	int32_t file;
};

struct attach {
	uint32_t handle, flags, fence, pad;
};

struct signal {
	uint32_t fence, flags;
};

#define IOC_HANDLE_FILE _IOWR('d', 0x2d, struct handle_file)
#define IOC_DUMB	_IOWR('d', 0xb2, struct dumb)
#define IOC_ATTACH	_IOWR('d', 0x41, struct attach)
#define IOC_SIGNAL	_IOW('d', 0x42, struct signal)
#define ATTACH_WRITE	1

static void call(int file, unsigned long request, void *args, const char *what)
{
	while (ioctl(file, request, args)) {
		if (errno == EINTR)
			continue;
		fprintf(stderr, "gl-flip: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

uint64_t fence_signalled_ns(int file)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = (uintptr_t)&fence };

	call(file, SYNC_IOC_FILE_INFO, &info, "a fence's state");
	return fence.status ? fence.timestamp_ns : 0;
}

void vgem_open(struct vgem *vgem)
{
	struct dumb dumb = { .height = 1, .width = 1024, .bpp = 32 };
	struct handle_file prime = { .flags = O_CLOEXEC };

	*vgem = (struct vgem){ .card = device_open("/dev/dri/card*", "vgem") };
	if (vgem->card < 0) {
		fprintf(stderr, "gl-flip: there is no card of vgem\n");
		exit(1);
	}
	call(vgem->card, IOC_DUMB, &dumb, "a buffer of vgem");
	vgem->handle = prime.handle = dumb.handle;
	call(vgem->card, IOC_HANDLE_FILE, &prime, "a file of vgem's buffer");
	vgem->buffer = prime.file;
}

int vgem_fence(struct vgem *vgem, struct fence_name *name)
{
	struct attach attach = { .handle = vgem->handle, .flags = ATTACH_WRITE };
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_READ };
	struct sync_file_info info = { 0 };
	unsigned long long ctx, seqno;

	call(vgem->card, IOC_ATTACH, &attach, "a fence of vgem");
	vgem->fence = attach.fence;
	call(vgem->buffer, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export, "a file of vgem's fence");
	call(export.fd, SYNC_IOC_FILE_INFO, &info, "the name of vgem's fence");
	if (sscanf(info.name, "vgem-unbound%llu-%llu", &ctx, &seqno) != 2) {
		fprintf(stderr, "gl-flip: %.32s: no name of vgem's\n", info.name);
		exit(1);
	}
	*name = (struct fence_name){ ctx, seqno };
	return export.fd;
}

void vgem_signal(const struct vgem *vgem)
{
	struct signal signal = { .fence = vgem->fence };

	call(vgem->card, IOC_SIGNAL, &signal, "vgem's signal");
}
