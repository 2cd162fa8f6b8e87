// SPDX-License-Identifier: MIT
// The OpenCL platforms. Their drivers are loaded in a child: one that crashes takes nobody with it.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/probe_parts.h"
#include "capture/ust.h"

#define OPENCL "opencl"
#define COST   "no OpenCL call is recorded; requests are"

enum {
	MAX_PLATFORMS = 16,
	CHILD_MS = 20000,
	TEXT_BYTES = 8192
};

struct loader {
	cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *);
	cl_int (*info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
	cl_int (*devices)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *);
};

static bool probe_opencl_load(struct loader *loader)
{
	void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	loader->platforms =
		(cl_int(*)(cl_uint, cl_platform_id *, cl_uint *))dlsym(library, "clGetPlatformIDs");
	loader->info = (cl_int(*)(cl_platform_id, cl_platform_info, size_t, void *, size_t *))dlsym(
		library, "clGetPlatformInfo");
	loader->devices = (cl_int(*)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *,
				     cl_uint *))dlsym(library, "clGetDeviceIDs");
	return loader->platforms && loader->info && loader->devices;
}

/* A platform's word, without what would break the line that tells it. */
static void get_word(const struct loader *loader, cl_platform_id platform, cl_platform_info what,
		     char *word, size_t bytes)
{
	memset(word, 0, bytes);
	if (loader->info(platform, what, bytes - 1, word, NULL))
		strcpy(word, "?");
	for (; *word; word++)
		if ((unsigned char)*word < ' ')
			*word = ' ';
}

/* In the child: a line for each platform: name, tab, version, tab, number of devices. */
static void tell_platforms(FILE *to)
{
	cl_platform_id platforms[MAX_PLATFORMS];
	struct loader loader;
	cl_uint n = 0;

	if (!probe_opencl_load(&loader)) {
		fputs("!no loader\n", to);
		return;
	}
	if (loader.platforms(MAX_PLATFORMS, platforms, &n))
		n = 0;
	for (cl_uint i = 0; i < n && i < MAX_PLATFORMS; i++) {
		char name[64], version[256];
		cl_uint devices = 0;

		get_word(&loader, platforms[i], CL_PLATFORM_NAME, name, sizeof(name));
		get_word(&loader, platforms[i], CL_PLATFORM_VERSION, version, sizeof(version));
		if (loader.devices(platforms[i], CL_DEVICE_TYPE_ALL, 0, NULL, &devices))
			devices = 0;
		fprintf(to, "%s\t%s\t%u\n", name, version, devices);
	}
}

/* Reads what the child says until it closes its end, or is told to end. */
static size_t listen_to(int fd, char *text, size_t bytes)
{
	struct timespec begin, now;
	size_t n = 0;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (;;) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
		long passed_ms;
		ssize_t got;

		clock_gettime(CLOCK_MONOTONIC, &now);
		passed_ms = (now.tv_sec - begin.tv_sec) * 1000 +
			    (now.tv_nsec - begin.tv_nsec) / 1000000;
		if (passed_ms >= CHILD_MS || n + 1 >= bytes)
			break;
		if (poll(&poll_fd, 1, (int)(CHILD_MS - passed_ms)) <= 0)
			continue;
		got = read(fd, text + n, bytes - 1 - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	text[n] = '\0';
	return n;
}

static void child(int to_fd)
{
	FILE *to = fdopen(to_fd, "w");

	/* Drivers talk; nobody is to hear them. */
	if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout) || !to)
		_exit(1);
	tell_platforms(to);
	fflush(to);
	_exit(0);
}

/* Asks in a child. *status is its end, as waitpid tells; false when there is no child. */
static bool ask(char *text, size_t bytes, int *status)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return false;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		child(ends[1]);
	}
	close(ends[1]);
	if (pid > 0) {
		listen_to(ends[0], text, bytes);
		kill(pid, SIGKILL); /* it has told all it will; a driver's threads may hang */
		while (waitpid(pid, status, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return pid > 0;
}

static void note_platforms(struct lane_probe *probe, char *text, int status)
{
	char *line, *rest = text;
	bool any = false;

	while ((line = strsep(&rest, "\n"))) {
		char *name = strsep(&line, "\t");
		char *version = strsep(&line, "\t");

		if (!version || !line)
			continue;
		capture_probe_add(probe, OPENCL, name, LANE_CHECK_OK, NULL, NULL, "%s, %s device%s",
				  version, line, strcmp(line, "1") ? "s" : "");
		any = true;
	}
	if (*text == '!')
		capture_probe_add(probe, OPENCL, "loader", LANE_CHECK_MISSING, COST,
				  "apt-get install ocl-icd-libopencl1",
				  "libOpenCL.so.1 is not there");
	else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		capture_probe_add(probe, OPENCL, "drivers", LANE_CHECK_MISSING,
				  "programs that use OpenCL crash in it",
				  "find the driver with OCL_ICD_VENDORS and remove or repair it",
				  "one of them crashes (%s)", strsignal(WTERMSIG(status)));
	else if (!any)
		capture_probe_add(
			probe, OPENCL, "platforms", LANE_CHECK_MISSING, COST,
			"apt-get install intel-opencl-icd (for the GPU) or pocl-opencl-icd "
			"(on the CPU)",
			"none");
}

static void check_vendors(struct lane_probe *probe)
{
	LANE_CLEANUP(lane_closedir) DIR *dir = NULL;
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct dirent *entry;
	unsigned int n = 0;

	if (asprintf(&path, "%s/etc/OpenCL/vendors", probe->root) < 0) {
		path = NULL;
		return;
	}
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);

		n += length > 4 && !strcmp(entry->d_name + length - 4, ".icd");
	}
	capture_probe_add(
		probe, OPENCL, "drivers installed", n ? LANE_CHECK_OK : LANE_CHECK_MISSING, COST,
		"apt-get install intel-opencl-icd (for the GPU) or pocl-opencl-icd (on the CPU)",
		"%u", n);
}

/* Our layer, which a program has by its environment. */
static void check_layer(struct lane_probe *probe)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(lane_free) char *folder = NULL;
	struct lane_error *err = capture_ust_find_layer(&path);
	const char *why;

	if (!err)
		err = capture_ust_check_layer(path);
	if (err) {
		why = path ? lane_error_message(err) : "not there";
		capture_probe_add(
			probe, OPENCL, "layer", LANE_CHECK_MISSING,
			"Level Zero's calls and commands' times; OpenCL's calls can be had "
			"by --api probes",
			path ? "apt-get install " LANE_UST_PACKAGE
			     : "make install, or GPULANE_OPENCL_LAYER=FILE",
			"%.*s", (int)strcspn(why, "("), why);
		lane_error_free(err);
		return;
	}
	capture_probe_add(probe, OPENCL, "layer", LANE_CHECK_OK, NULL, NULL,
			  "OPENCL_LAYERS=%s, or record --api layer", path);
	lane_error_free(capture_ust_find_levelzero(path, &folder));
	capture_probe_add(probe, OPENCL, "Level Zero layer",
			  folder ? LANE_CHECK_OK : LANE_CHECK_MISSING,
			  "no Level Zero calls and commands", "make install", "%s",
			  folder ? "record --api layer" : "not there");
}

void capture_probe_opencl(struct lane_probe *probe, bool load_drivers)
{
	char text[TEXT_BYTES];
	int status = 0;

	check_vendors(probe);
	if (!*probe->root)
		check_layer(probe);
	if (load_drivers && ask(text, sizeof(text), &status))
		note_platforms(probe, text, status);
}
