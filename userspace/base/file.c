// SPDX-License-Identifier: MIT
// Opening files to read: regular ones only.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

const char *lane_file_type(unsigned int mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "a regular file";
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	default:
		return "of no type that is known";
	}
}

struct lane_error *lane_file_open(int dir_fd, const char *name, const char *shown, int *result)
{
	/* A FIFO without a writer does not keep us waiting; for regular files it changes nothing.
	 */
	LANE_CLEANUP(lane_close)
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct lane_error *err;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		int errnum = errno;

		err = lane_error_errno(errnum, "%s", shown);
		errno = errnum;
		return err;
	}
	if (!S_ISREG(st.st_mode)) {
		err = lane_error("%s: it is %s (only regular files are read)", shown,
				 lane_file_type(st.st_mode));
		errno = 0;
		return err;
	}
	*result = fd;
	fd = -1;
	return NULL;
}

struct lane_error *lane_file_fopen(const char *path, FILE **file)
{
	struct lane_error *err;
	int fd;

	err = lane_file_open(AT_FDCWD, path, path, &fd);
	if (err)
		return err;
	*file = fdopen(fd, "r");
	if (*file)
		return NULL;
	close(fd);
	return &lane_enomem;
}

bool lane_file_begins(const char *path, const char *with, size_t bytes)
{
	LANE_CLEANUP(lane_close) int fd = -1;
	LANE_CLEANUP(lane_drop_error)
	struct lane_error *err = lane_file_open(AT_FDCWD, path, path, &fd);
	char head[32];

	return !err && bytes <= sizeof(head) && read(fd, head, bytes) == (ssize_t)bytes &&
	       !memcmp(head, with, bytes);
}
