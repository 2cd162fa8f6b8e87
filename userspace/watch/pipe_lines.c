// SPDX-License-Identifier: MIT
// Lines to a file or a pipe, never waiting for anybody.
#include "watch/pipe_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/folder.h"

struct lane_pipe_lines {
	const char *path; /* for messages; NULL: it is standard output */
	char *name;
	int dir_fd;
	int fd;
	bool is_file, is_socket;
	bool is_cut; /* the last line in the file is not whole */
	dev_t dev;
	ino_t ino;
	char *text;
	size_t bytes;
};

/* What is behind the last line feed of a file was being written when somebody was killed. */
static struct lane_error *cut_tail(struct lane_pipe_lines *lines, off_t size)
{
	char part[4096];

	while (size) {
		off_t from = size > (off_t)sizeof(part) ? size - (off_t)sizeof(part) : 0;
		ssize_t n = pread(lines->fd, part, (size_t)(size - from), from);
		char *last;

		if (n <= 0)
			return lane_error_errno(errno, "%s: cannot be read", lines->path);
		last = memrchr(part, '\n', (size_t)n);
		if (last) {
			size = from + (last - part) + 1;
			break;
		}
		size = from;
	}
	if (ftruncate(lines->fd, size))
		return lane_error_errno(errno, "%s: cannot be cut", lines->path);
	return NULL;
}

static struct lane_error *pipe_lines_open_file(struct lane_pipe_lines *lines)
{
	struct stat st;

	lines->fd = openat(lines->dir_fd, lines->name,
			   O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);
	if (lines->fd < 0 || fstat(lines->fd, &st))
		return lane_error_errno(errno, "%s", lines->path);
	lines->is_file = S_ISREG(st.st_mode);
	lines->dev = st.st_dev;
	lines->ino = st.st_ino;
	if (!lines->is_file && !S_ISFIFO(st.st_mode))
		return lane_error("%s: neither a file nor a pipe (choose another name)",
				  lines->path);
	return lines->is_file ? cut_tail(lines, st.st_size) : NULL;
}

/*
 * Standard output is shared with who started us: a pipe is opened anew, so that only our end does
 * not wait.
 */
static struct lane_error *open_output(struct lane_pipe_lines *lines)
{
	struct stat st;

	if (fstat(STDOUT_FILENO, &st))
		return lane_error_errno(errno, "standard output");
	lines->is_socket = S_ISSOCK(st.st_mode);
	if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
		lines->fd = open("/proc/self/fd/1", O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (lines->fd < 0)
		lines->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	return lines->fd < 0 ? lane_error_errno(errno, "standard output") : NULL;
}

struct lane_error *watch_lines_open(const char *path, struct lane_pipe_lines **lines)
{
	struct lane_pipe_lines *l = calloc(1, sizeof(*l));
	struct lane_error *err = NULL;

	if (!l)
		return &lane_enomem;
	l->fd = l->dir_fd = -1;
	l->text = malloc(LANE_LINES_BYTES);
	if (!l->text)
		err = &lane_enomem;
	if (!err && strcmp(path, "-")) {
		l->path = strdup(path);
		err = l->path ? lane_folder_of(path, &l->dir_fd, &l->name) : &lane_enomem;
		if (!err)
			err = pipe_lines_open_file(l);
	} else if (!err) {
		err = open_output(l);
	}
	if (err) {
		watch_lines_close(l);
		return err;
	}
	*lines = l;
	return NULL;
}

bool watch_lines_add(struct lane_pipe_lines *lines, const char *text, size_t bytes)
{
	if (bytes > LANE_LINES_BYTES - lines->bytes)
		return false;
	memcpy(lines->text + lines->bytes, text, bytes);
	lines->bytes += bytes;
	return true;
}

/* Somebody has moved the file away, to keep it or to bring it elsewhere. */
static struct lane_error *follow_name(struct lane_pipe_lines *lines)
{
	struct stat st;

	if (!lines->is_file || lines->is_cut)
		return NULL;
	if (!fstatat(lines->dir_fd, lines->name, &st, AT_SYMLINK_NOFOLLOW) &&
	    st.st_dev == lines->dev && st.st_ino == lines->ino)
		return NULL;
	close(lines->fd);
	return pipe_lines_open_file(lines);
}

struct lane_error *watch_lines_write(struct lane_pipe_lines *lines)
{
	struct lane_error *err;
	ssize_t n = 0;

	if (!lines->bytes)
		return NULL;
	err = follow_name(lines);
	if (err)
		return err;
	while (lines->bytes) {
		n = lines->is_socket ? send(lines->fd, lines->text, lines->bytes,
					    MSG_NOSIGNAL | MSG_DONTWAIT)
				     : write(lines->fd, lines->text, lines->bytes);
		if (n <= 0)
			break;
		lines->is_cut = lines->text[n - 1] != '\n';
		lines->bytes -= (size_t)n;
		memmove(lines->text, lines->text + n, lines->bytes);
	}
	if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
		return lane_error("%s: its reader has gone",
				  lines->path ? lines->path : "standard output");
	if (n < 0 && errno != EAGAIN && errno != EINTR && errno != ENOSPC && errno != EDQUOT)
		return lane_error_errno(errno, "%s", lines->path ? lines->path : "standard output");
	return NULL;
}

void watch_lines_close(struct lane_pipe_lines *lines)
{
	if (!lines)
		return;
	if (lines->fd >= 0) {
		lane_error_free(watch_lines_write(lines));
		close(lines->fd);
	}
	if (lines->dir_fd >= 0)
		close(lines->dir_fd);
	free((char *)lines->path);
	free(lines->name);
	free(lines->text);
	free(lines);
}
