// SPDX-License-Identifier: MIT
// The node of the GPU as the process sees it: paths below /dev/dri and /sys are looked for in the
// GPU's folder first, and calls on an open render node are answered by xe_ioctl() and xe_mmap().
// What libc calls inside itself is not seen; readdir() needs nothing, since its folder was opened
// here.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "xe.h"

#define MAX_FDS 4096

const char *xe_folder;
const struct xe_device *xe_gpu;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct xe_file *files[MAX_FDS];
static dev_t node_dev;
static ino_t node_ino;

void xe_lock(void)
{
	pthread_mutex_lock(&lock);
}

void xe_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

// A child has the node no more: a context of the GPU's is its parent's.
static void in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	memset(files, 0, sizeof(files));
	xe_queues_forget();
	xe_kernel_forget();
}

static long result(long status)
{
	if (status >= 0 || status < -4095)
		return status;
	errno = (int)-status;
	return -1;
}

static void complain(const char *what)
{
	dprintf(2, "gpulane: xe: %s: %s\n", xe_folder, what);
}

__attribute__((constructor)) static void begin(void)
{
	const char *folder = getenv("GPULANE_XE");
	char path[4096], name[32] = "";
	struct stat node;
	FILE *file;

	if (!folder || !*folder)
		return;
	xe_folder = strdup(folder);
	// the C library's loader was started in the program's place
	prctl(PR_SET_NAME, program_invocation_short_name);
	snprintf(path, sizeof(path), "%s/device", folder);
	file = fopen(path, "re");
	if (file) {
		if (!fgets(name, sizeof(name), file))
			name[0] = 0;
		fclose(file);
	}
	name[strcspn(name, "\n")] = 0;
	snprintf(path, sizeof(path), "%s/dev/dri/renderD128", folder);
	if (fstatat(AT_FDCWD, path, &node, 0) != 0 || !(xe_gpu = xe_device_named(name))) {
		complain("is no GPU (scripts/xe-run makes one)");
		return;
	}
	node_dev = node.st_dev;
	node_ino = node.st_ino;
	if (!xe_model_read() || !xe_engines_open() || !xe_kernel_open())
		xe_gpu = NULL;
	pthread_atfork(NULL, NULL, in_child);
}

// The path in the GPU's folder that stands for a path, or the path itself. No other GPU of the
// machine is seen.
static const char *redirected(const char *path, char *to)
{
	static const char *const hidden[] = { "/dev/dri", "/sys/bus/pci/devices", "/sys/class/drm",
					      "/sys/dev/char/226:" };

	if (!xe_gpu || !path ||
	    (strncmp(path, "/sys/", 5) != 0 && strncmp(path, "/dev/dri", 8) != 0) ||
	    strlen(xe_folder) + strlen(path) >= PATH_MAX)
		return path;
	sprintf(to, "%s%s", xe_folder, path);
	if (syscall(SYS_faccessat, AT_FDCWD, to, F_OK) == 0)
		return to;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++) {
		if (strncmp(path, hidden[i], strlen(hidden[i])) == 0)
			return to;
	}
	return path;
}

static bool is_node(int fd)
{
	struct stat now;

	return xe_gpu && syscall(SYS_newfstatat, fd, "", &now, AT_EMPTY_PATH) == 0 &&
	       now.st_dev == node_dev && now.st_ino == node_ino;
}

static struct xe_file *file_of(int fd)
{
	return fd >= 0 && fd < MAX_FDS ? __atomic_load_n(&files[fd], __ATOMIC_ACQUIRE) : NULL;
}

// The file is at one more fd.
static int refer(int fd, struct xe_file *file)
{
	if (fd < 0)
		return fd;
	if (fd >= MAX_FDS) {
		syscall(SYS_close, fd);
		errno = EMFILE;
		return -1;
	}
	xe_lock();
	file->fds++;
	__atomic_store_n(&files[fd], file, __ATOMIC_RELEASE);
	xe_unlock();
	return fd;
}

static void drop(int fd)
{
	struct xe_file *file;

	xe_lock();
	file = files[fd];
	__atomic_store_n(&files[fd], NULL, __ATOMIC_RELEASE);
	if (file && --file->fds == 0)
		xe_close(file);
	xe_unlock();
}

static int opened(int fd)
{
	struct xe_file *file;

	if (fd < 0 || !is_node(fd))
		return fd;
	file = calloc(1, sizeof(*file));
	return file ? refer(fd, file) : fd;
}

static int open_at(int dir, const char *path, int flags, va_list args)
{
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	char to[PATH_MAX];

	return opened((int)syscall(SYS_openat, dir, redirected(path, to), flags, mode));
}

int open(const char *path, int flags, ...)
{
	va_list args;
	int fd;

	va_start(args, flags);
	fd = open_at(AT_FDCWD, path, flags, args);
	va_end(args);
	return fd;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	int fd;

	va_start(args, flags);
	fd = open_at(dir, path, flags, args);
	va_end(args);
	return fd;
}

int openat64(int dir, const char *path, int flags, ...) __attribute__((alias("openat")));

FILE *fopen(const char *path, const char *mode)
{
	static FILE *(*next)(const char *, const char *);
	char to[PATH_MAX];

	if (!next)
		next = dlsym(RTLD_NEXT, "fopen64");
	return next(redirected(path, to), mode);
}

FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));

DIR *opendir(const char *path)
{
	static DIR *(*next)(const char *);
	char to[PATH_MAX];

	if (!next)
		next = dlsym(RTLD_NEXT, "opendir");
	return next(redirected(path, to));
}

int access(const char *path, int mode)
{
	char to[PATH_MAX];

	return (int)syscall(SYS_faccessat, AT_FDCWD, redirected(path, to), mode);
}

ssize_t readlink(const char *path, char *buffer, size_t size)
{
	char to[PATH_MAX];

	return syscall(SYS_readlinkat, AT_FDCWD, redirected(path, to), buffer, size);
}

// The node is a character device, 226:128, as the others of its kind.
static int stat_of(int dir, const char *path, struct stat *now, int flags)
{
	char to[PATH_MAX];
	int status = (int)syscall(SYS_newfstatat, dir, redirected(path, to), now, flags);

	if (status == 0 && xe_gpu && now->st_dev == node_dev && now->st_ino == node_ino) {
		now->st_mode = S_IFCHR | 0666;
		now->st_rdev = makedev(226, 128);
	}
	return status;
}

int fstat(int fd, struct stat *now)
{
	return stat_of(fd, "", now, AT_EMPTY_PATH);
}

int stat(const char *restrict path, struct stat *restrict now)
{
	return stat_of(AT_FDCWD, path, now, 0);
}

int lstat(const char *restrict path, struct stat *restrict now)
{
	return stat_of(AT_FDCWD, path, now, AT_SYMLINK_NOFOLLOW);
}

int fstat64(int fd, struct stat64 *now) __attribute__((alias("fstat")));
int stat64(const char *restrict path, struct stat64 *restrict now) __attribute__((alias("stat")));
int lstat64(const char *restrict path, struct stat64 *restrict now) __attribute__((alias("lstat")));

int close(int fd)
{
	if (file_of(fd))
		drop(fd);
	return (int)syscall(SYS_close, fd);
}

static int copied(int fd, int copy)
{
	struct xe_file *file = file_of(fd);

	return file ? refer(copy, file) : copy;
}

int dup(int fd)
{
	return copied(fd, (int)syscall(SYS_dup, fd));
}

int dup3(int fd, int to, int flags)
{
	int status = (int)syscall(SYS_dup3, fd, to, flags);

	if (status >= 0 && file_of(to))
		drop(to);
	return copied(fd, status);
}

int dup2(int fd, int to)
{
	return fd == to ? (fcntl(fd, F_GETFD) < 0 ? -1 : fd) : dup3(fd, to, 0);
}

int fcntl(int fd, int command, ...)
{
	va_list args;
	void *arg;
	int status;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	status = (int)syscall(SYS_fcntl, fd, command, arg);
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(fd, status) : status;
}

int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));

int ioctl(int fd, unsigned long request, ...)
{
	struct xe_file *file = file_of(fd);
	va_list args;
	void *arg;
	int status;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (!file || !xe_gpu)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	status = xe_ioctl(file, request, arg);
	return (int)result(status);
}

void *mmap(void *address, size_t length, int prot, int flags, int fd, off_t offset)
{
	struct xe_file *file = file_of(fd);
	void *at;
	int status;

	if (!file || flags & MAP_ANONYMOUS)
		return (void *)syscall(SYS_mmap, address, length, prot, flags, fd, offset);
	xe_lock();
	status = xe_mmap(file, address, length, prot, flags, offset, &at);
	xe_unlock();
	if (status == 0)
		return at;
	errno = -status;
	return MAP_FAILED;
}

void *mmap64(void *address, size_t length, int prot, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));
