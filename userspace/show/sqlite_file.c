// SPDX-License-Identifier: MIT
// SQLite's way to a file that is open: it has one user, who needs no lock and no journal.
#include "show/sqlite_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VFS_NAME "gpulane"

struct open_file {
	sqlite3_file base;
	int fd;
};

static int fd_of(const sqlite3_file *file)
{
	return ((const struct open_file *)file)->fd;
}

static int on_close(sqlite3_file *file)
{
	(void)file;
	return SQLITE_OK;
}

/* What lies behind the end is zeros, as SQLite wants it. */
static int on_read(sqlite3_file *file, void *to, int bytes, sqlite3_int64 at)
{
	ssize_t n = pread(fd_of(file), to, (size_t)bytes, at);

	if (n < 0)
		return SQLITE_IOERR_READ;
	memset((char *)to + n, 0, (size_t)(bytes - n));
	return n < bytes ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int on_write(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 at)
{
	for (ssize_t n; bytes > 0; bytes -= (int)n, at += n, from = (const char *)from + n) {
		n = pwrite(fd_of(file), from, (size_t)bytes, at);
		if (n <= 0)
			return n && errno != ENOSPC && errno != EDQUOT && errno != EFBIG
				       ? SQLITE_IOERR_WRITE
				       : SQLITE_FULL;
	}
	return SQLITE_OK;
}

static int on_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	return ftruncate(fd_of(file), size) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int on_size(sqlite3_file *file, sqlite3_int64 *size)
{
	struct stat st;

	if (fstat(fd_of(file), &st))
		return SQLITE_IOERR_FSTAT;
	*size = st.st_size;
	return SQLITE_OK;
}

static int on_flags(sqlite3_file *file, int flags)
{
	(void)file;
	(void)flags;
	return SQLITE_OK;
}

static int on_reserved(sqlite3_file *file, int *is_reserved)
{
	(void)file;
	*is_reserved = 0;
	return SQLITE_OK;
}

static int on_control(sqlite3_file *file, int op, void *arg)
{
	(void)file;
	(void)op;
	(void)arg;
	return SQLITE_NOTFOUND;
}

static int on_zero(sqlite3_file *file)
{
	(void)file;
	return 0;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = on_close,
	.xRead = on_read,
	.xWrite = on_write,
	.xTruncate = on_truncate,
	.xSync = on_flags,
	.xFileSize = on_size,
	.xLock = on_flags,
	.xUnlock = on_flags,
	.xCheckReservedLock = on_reserved,
	.xFileControl = on_control,
	.xSectorSize = on_zero,
	.xDeviceCharacteristics = on_zero,
};

/* The name is the descriptor's number. Any other file would be a temporary one, and none is made.
 */
static int on_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
		   int *given)
{
	struct open_file *open = (struct open_file *)file;

	(void)vfs;
	memset(open, 0, sizeof(*open));
	if (!name || !(flags & SQLITE_OPEN_MAIN_DB))
		return SQLITE_CANTOPEN;
	open->base.pMethods = &methods;
	open->fd = atoi(name);
	if (given)
		*given = flags;
	return SQLITE_OK;
}

static int on_access(sqlite3_vfs *vfs, const char *name, int flags, int *is_there)
{
	(void)vfs;
	(void)name;
	(void)flags;
	*is_there = 0;
	return SQLITE_OK;
}

static int on_name(sqlite3_vfs *vfs, const char *name, int size, char *whole)
{
	(void)vfs;
	sqlite3_snprintf(size, whole, "%s", name);
	return SQLITE_OK;
}

int show_sqlite_open(int fd, sqlite3 **db)
{
	static sqlite3_vfs vfs;
	const sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
	char name[16];

	if (!sqlite3_vfs_find(VFS_NAME)) {
		vfs = *usual; /* its clock and its random numbers */
		vfs.szOsFile = sizeof(struct open_file);
		vfs.zName = VFS_NAME;
		vfs.xOpen = on_open;
		vfs.xAccess = on_access;
		vfs.xFullPathname = on_name;
		sqlite3_vfs_register(&vfs, 0);
	}
	sqlite3_snprintf(sizeof(name), name, "%d", fd);
	return sqlite3_open_v2(name, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, VFS_NAME);
}
