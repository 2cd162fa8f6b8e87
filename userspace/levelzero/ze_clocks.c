// SPDX-License-Identifier: MIT
// Devices' clocks: read again and again, and times of theirs in ns.
#include <string.h>
#include <time.h>

#include "base/fit.h"
#include "levelzero/ze_book.h"

#define CLOCK_EVERY_NS 100000000ull
#define NS_PER_S       1000000000ull

/* To a few milliseconds. */
static uint64_t mono_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* value * by / of, without 128 bits: by * of is below 2^64. */
static uint64_t scaled(uint64_t value, uint64_t by, uint64_t of)
{
	return value / of * by + value % of * by / of;
}

/* All bits are there. */
static bool is_whole(uint32_t bits)
{
	return !bits || bits >= 64;
}

/* The latest time with so many low bits that is not after `by`. */
static uint64_t ze_clocks_widen(uint64_t raw, uint64_t by, uint32_t bits)
{
	return is_whole(bits) ? raw : by - ((by - raw) & ((1ull << bits) - 1));
}

/* Of the devices' ticks and the times when they were read. */
static pthread_mutex_t ticks_lock = PTHREAD_MUTEX_INITIALIZER;

/* About what time the device has, in ticks, and half of a second more. */
static uint64_t ticks_by_now(const struct ze_object *device)
{
	return device->ticks +
	       scaled(mono_ns() - device->mono_ns + NS_PER_S / 2, device->hz, NS_PER_S);
}

void levelzero_read_clock(struct ze_object *device)
{
	struct lane_p_opencl_clock told = {
		.device = (uintptr_t)device->handle,
		/* Intel's runtime clears the lowest bit of times that no kernel's launch writes. */
		.grain_ns = (uint32_t)(2 * NS_PER_S / device->hz + 1),
	};
	uint64_t host, ticks;

	lttng_ust_tracepoint(gpulane, opencl_clock, &told);
	if (lane_ze_target.zeDeviceGetGlobalTimestamps(device->handle, &host, &ticks))
		return;
	pthread_mutex_lock(&ticks_lock);
	if (device->mono_ns)
		ticks = ze_clocks_widen(ticks, ticks_by_now(device), device->bits);
	device->ticks = ticks;
	__atomic_store_n(&device->mono_ns, mono_ns(), __ATOMIC_RELAXED);
	pthread_mutex_unlock(&ticks_lock);
	told.device_ns = scaled(ticks, NS_PER_S, device->hz);
	lttng_ust_tracepoint(gpulane, opencl_clock, &told);
}

struct ze_object *levelzero_device(void *handle)
{
	struct lane_ze_device_properties properties = { .stype = LANE_ZE_TYPE_DEVICE_1_2 };
	struct ze_object *device = levelzero_get(handle, ZE_DEVICE);

	if (!device || device->hz)
		return device;
	if (!lane_ze_target.zeDeviceGetProperties ||
	    lane_ze_target.zeDeviceGetProperties(handle, &properties) || !properties.timer_hz)
		return NULL;
	device->hz = properties.timer_hz;
	device->bits = properties.time_bits;
	device->kernel_bits = properties.kernel_time_bits;
	lane_fit(device->name, sizeof(device->name) - 1, properties.name,
		 strnlen(properties.name, sizeof(properties.name)));
	device->behind = lane_ze_book.devices;
	lane_ze_book.devices = device;
	return device;
}

uint64_t levelzero_since(const struct ze_object *device)
{
	return device && !is_whole(device->kernel_bits) ? mono_ns() : 0;
}

/* The time between two with so many low bits; false: none, or more than one. */
static bool widen_between(uint64_t *raw, uint64_t from, uint64_t to, uint32_t bits)
{
	if (is_whole(bits))
		return true;
	*raw = ze_clocks_widen(*raw, to, bits);
	return *raw >= from && *raw - from < 1ull << bits;
}

/* A device's counter of few bits may have gone round since the command was submitted. */
void levelzero_put_times(const struct ze_run *run, const struct lane_ze_times *times,
			 struct lane_p_opencl_command *told)
{
	const struct ze_object *device = run->device;
	uint64_t start = times->start, end = times->end, now, ago;

	if (!is_whole(device->kernel_bits)) {
		pthread_mutex_lock(&ticks_lock);
		now = ticks_by_now(device);
		pthread_mutex_unlock(&ticks_lock);
		ago = scaled(mono_ns() - run->since_ns + NS_PER_S, device->hz, NS_PER_S);
		if (!run->since_ns || ago > now ||
		    !widen_between(&end, now - ago, now, device->kernel_bits) ||
		    !widen_between(&start, now - ago, end, device->kernel_bits))
			return;
	}
	told->start_ns = scaled(start, NS_PER_S, device->hz);
	told->end_ns = scaled(end, NS_PER_S, device->hz);
}

void levelzero_clocks(void)
{
	static uint64_t due_ns;
	uint64_t now_ns = mono_ns(), due = __atomic_load_n(&due_ns, __ATOMIC_RELAXED);
	struct ze_object *device;

	if (now_ns < due || !__atomic_compare_exchange_n(&due_ns, &due, now_ns + CLOCK_EVERY_NS,
							 false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	levelzero_lock();
	device = lane_ze_book.devices;
	levelzero_unlock();
	for (; device; device = device->behind)
		if (__atomic_load_n(&device->mono_ns, __ATOMIC_RELAXED))
			levelzero_read_clock(device);
}
