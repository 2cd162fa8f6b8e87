// SPDX-License-Identifier: MIT
// Finding the OpenCL loader and what it exports; where functions have their arguments.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/bpf_library.h"
#include "check.h"

/* The linker's cache, by hand: header, two entries, strings. */
struct cache {
	char magic[20];
	uint32_t n;
	uint32_t string_bytes;
	uint32_t unused[5];
	struct {
		int32_t flags;
		uint32_t key;
		uint32_t value;
		uint32_t os_version;
		uint64_t hwcap;
	} entries[2];
	char strings[64];
};

static struct cache make_cache(void)
{
	struct cache cache = { .n = 2 };
	uint32_t at = offsetof(struct cache, strings);

	memcpy(cache.magic, "glibc-ld.so.cache1.1", sizeof(cache.magic));
	memcpy(cache.strings, "libx.so.1\0/old/libx.so.1\0/lib/libx.so.1", 40);
	cache.entries[0].flags = 0x0003; /* i386 */
	cache.entries[0].key = at;
	cache.entries[0].value = at + 10;
	cache.entries[1].flags = 0x0303; /* amd64 */
	cache.entries[1].key = at;
	cache.entries[1].value = at + 25;
	return cache;
}

TEST(cache_is_read)
{
	struct cache cache = make_cache();

	assert_string_equal(capture_ld_cache_find((char *)&cache, sizeof(cache), "libx.so.1"),
			    "/lib/libx.so.1");
	assert_null(capture_ld_cache_find((char *)&cache, sizeof(cache), "liby.so.1"));
}

TEST(broken_caches_have_nothing)
{
	struct cache cache = make_cache();

	assert_null(capture_ld_cache_find((char *)&cache, 10, "libx.so.1"));
	for (size_t bytes = 0; bytes < offsetof(struct cache, strings) + 25; bytes++) {
		char *copy = malloc(bytes + 1);

		assert_non_null(copy);
		memcpy(copy, &cache, bytes);
		assert_null(capture_ld_cache_find(copy, bytes, "libx.so.1"));
		free(copy);
	}
	cache.n = UINT32_MAX;
	assert_null(capture_ld_cache_find((char *)&cache, sizeof(cache), "libx.so.1"));
	cache = make_cache();
	cache.entries[1].key = UINT32_MAX;
	assert_null(capture_ld_cache_find((char *)&cache, sizeof(cache), "libx.so.1"));
	cache = make_cache();
	cache.entries[1].value = sizeof(cache) - 1;
	memset(cache.strings + 63, 'x', 1);
	assert_null(capture_ld_cache_find((char *)&cache, sizeof(cache), "libx.so.1"));
	cache = make_cache();
	cache.magic[0] = 'G';
	assert_null(capture_ld_cache_find((char *)&cache, sizeof(cache), "libx.so.1"));
}

static void fails(const char *path, const char *why)
{
	struct lane_bpf_library library;
	struct lane_error *err = capture_bpf_library_find(path, NULL, &library);

	check_error(err, why);
}

TEST(loader_is_found)
{
	struct lane_bpf_library library, named;

	assert_null(capture_bpf_library_find(NULL, LANE_OPENCL_LOADER, &library));
	assert_true(library.n_functions > 100);
	assert_true(library.offsets[LANE_CLF_clEnqueueNDRangeKernel] > 0);
	assert_true(library.offsets[LANE_CLF_clFinish] !=
		    library.offsets[LANE_CLF_clEnqueueNDRangeKernel]);
	assert_null(capture_bpf_library_find(library.path, NULL, &named));
	assert_memory_equal(library.offsets, named.offsets, sizeof(named.offsets));
}

TEST(other_files_are_refused)
{
	char path[] = "/tmp/bpf-library-test.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	fails("/nonexistent/libOpenCL.so", "No such file");
	fails("/bin/true", "exports no OpenCL function");
	fails(path, "exports no OpenCL function");
	assert_int_equal(write(fd, "\177ELF\2\1\1 and then nothing that is one", 36), 36);
	fails(path, "exports no OpenCL function");
	close(fd);
	unlink(path);
}

TEST(arguments_are_where_they_are)
{
	struct lane_bpf_call calls[LANE_CLF_COUNT];
	const struct lane_bpf_call *call = &calls[LANE_CLF_clEnqueueNDRangeKernel];

	capture_bpf_library_calls(calls);
	assert_int_equal(call->queue, 0);
	assert_int_equal(call->object, 1);
	assert_int_equal(call->dimensions, 2);
	assert_int_equal(call->global, 4);
	assert_int_equal(call->local, 5);
	assert_int_equal(call->waits, 6);
	assert_int_equal(call->event, 8);
	assert_int_equal(call->size, LANE_BPF_NO_ARG);
	assert_int_equal(call->returns, LANE_BPF_RETURNS_STATUS);
	assert_true(call->command);
	call = &calls[LANE_CLF_clEnqueueMapBuffer];
	assert_int_equal(call->returns, LANE_BPF_RETURNS_HANDLE);
	assert_int_equal(call->blocking, 2);
	assert_int_equal(call->size, 5);
	assert_int_equal(call->error, 9);
	assert_int_equal(calls[LANE_CLF_clSVMFree].returns, LANE_BPF_RETURNS_NOTHING);
	assert_false(calls[LANE_CLF_clFinish].command);
	assert_false(calls[LANE_CLF_clEnqueueBarrier].command);
	assert_true(calls[LANE_CLF_clEnqueueTask].one);
	assert_int_equal(calls[LANE_CLF_clEnqueueReadBufferRect].region, 5);
	call = &calls[LANE_CLF_zeCommandListAppendLaunchKernel];
	assert_int_equal(call->queue, 0);
	assert_int_equal(call->object, 1);
	assert_int_equal(call->event, LANE_BPF_NO_ARG);
	assert_int_equal(call->returns, LANE_BPF_RETURNS_STATUS);
}
