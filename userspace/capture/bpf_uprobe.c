// SPDX-License-Identifier: MIT
// Programs on the functions of a library: all at once where the kernel can, else one by one.
#include "capture/bpf_uprobe.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

/* include/uapi/linux/bpf.h since 6.6; older headers do not have them. */
#define TRACE_UPROBE_MULTI  48
#define UPROBE_MULTI_RETURN 1

/* The part of union bpf_attr that BPF_LINK_CREATE reads for many uprobes. */
struct link_create {
	uint32_t prog_fd;
	uint32_t target_fd;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t path;
	uint64_t offsets;
	uint64_t ref_ctr_offsets;
	uint64_t cookies;
	uint32_t n;
	uint32_t multi_flags;
	uint32_t pid;
	uint32_t pad;
};

static int create_link(int prog_fd, const char *path, const uint64_t *offsets,
		       const uint64_t *cookies, uint32_t n, bool at_return)
{
	struct link_create attr = {
		.prog_fd = (uint32_t)prog_fd,
		.attach_type = TRACE_UPROBE_MULTI,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)offsets,
		.cookies = (uintptr_t)cookies,
		.n = n,
		.multi_flags = at_return ? UPROBE_MULTI_RETURN : 0,
	};

	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
}

/* A kernel that knows of it finds that a directory is no file to hook in. */
static bool kernel_has_multi(void)
{
	const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)TRACE_UPROBE_MULTI);
	LANE_CLEANUP(lane_close)
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "nothing", "GPL", nothing, 2, &opts);
	uint64_t offset = 0;
	int link;

	if (fd < 0)
		return false;
	link = create_link(fd, "/", &offset, NULL, 1, false);
	if (link < 0)
		return errno == EBADF;
	close(link);
	return false;
}

void capture_bpf_uprobes_init(struct lane_bpf_uprobes *uprobes)
{
	memset(uprobes, 0, sizeof(*uprobes));
	uprobes->has_multi = kernel_has_multi();
}

void capture_bpf_uprobes_prepare(const struct lane_bpf_uprobes *uprobes,
				 struct bpf_program *program)
{
	if (uprobes->has_multi)
		bpf_program__set_expected_attach_type(program,
						      (enum bpf_attach_type)TRACE_UPROBE_MULTI);
}

static int attach_all(struct lane_bpf_uprobes *uprobes, const struct bpf_program *program,
		      const struct lane_bpf_library *library, bool at_return)
{
	uint64_t offsets[LANE_CLF_COUNT], cookies[LANE_CLF_COUNT];
	uint32_t n = 0;
	int fd;

	if (uprobes->n_fds == sizeof(uprobes->fds) / sizeof(uprobes->fds[0]))
		return ENOSPC;
	for (unsigned int i = 1; i < LANE_CLF_COUNT; i++) {
		if (!library->offsets[i])
			continue;
		offsets[n] = library->offsets[i];
		cookies[n++] = i;
	}
	fd = create_link(bpf_program__fd(program), library->path, offsets, cookies, n, at_return);
	if (fd < 0)
		return errno;
	uprobes->fds[uprobes->n_fds++] = fd;
	return 0;
}

static int attach_one(struct lane_bpf_uprobes *uprobes, const struct bpf_program *program,
		      const struct lane_bpf_library *library, unsigned int number, bool at_return)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = number, .retprobe = at_return);
	struct bpf_link *link;

	if (uprobes->n_links == sizeof(uprobes->links) / sizeof(uprobes->links[0]))
		return ENOSPC;
	link = bpf_program__attach_uprobe_opts(program, -1, library->path, library->offsets[number],
					       &opts);
	if (!link)
		return errno;
	uprobes->links[uprobes->n_links++] = link;
	return 0;
}

int capture_bpf_uprobes_attach(struct lane_bpf_uprobes *uprobes, const struct bpf_program *program,
			       const struct lane_bpf_library *library, bool at_return)
{
	int errnum = 0;

	if (uprobes->has_multi)
		return attach_all(uprobes, program, library, at_return);
	for (unsigned int i = 1; i < LANE_CLF_COUNT && !errnum; i++)
		if (library->offsets[i])
			errnum = attach_one(uprobes, program, library, i, at_return);
	return errnum;
}

void capture_bpf_uprobes_deinit(struct lane_bpf_uprobes *uprobes)
{
	while (uprobes->n_fds)
		close(uprobes->fds[--uprobes->n_fds]);
	while (uprobes->n_links)
		bpf_link__destroy(uprobes->links[--uprobes->n_links]);
}
