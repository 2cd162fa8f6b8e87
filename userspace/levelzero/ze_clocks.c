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
static uint64_t widen(uint64_t raw, uint64_t by, uint32_t bits)
{
	return is_whole(bits) ? raw : by - ((by - raw) & ((1ull << bits) - 1));
}

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
	uint64_t host, ticks, by = device->mono_ns ? ticks_by_now(device) : 0;

	lttng_ust_tracepoint(gpulane, opencl_clock, &told);
	if (lane_ze_target.zeDeviceGetGlobalTimestamps(device->handle, &host, &ticks))
		return;
	device->ticks = device->mono_ns ? widen(ticks, by, device->bits) : ticks;
	device->mono_ns = mono_ns();
	told.device_ns = scaled(device->ticks, NS_PER_S, device->hz);
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
	return device;
}

void levelzero_put_times(const struct ze_object *device, const struct lane_ze_times *times,
			 struct lane_p_opencl_command *told)
{
	uint32_t bits = device->kernel_bits;
	uint64_t end = is_whole(bits) ? times->end : widen(times->end, ticks_by_now(device), bits);

	told->start_ns = scaled(widen(times->start, end, bits), NS_PER_S, device->hz);
	told->end_ns = scaled(end, NS_PER_S, device->hz);
}

void levelzero_clocks(void)
{
	static uint64_t due_ns;
	uint64_t now_ns = mono_ns();

	if (now_ns < __atomic_load_n(&due_ns, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&due_ns, now_ns + CLOCK_EVERY_NS, __ATOMIC_RELAXED);
	levelzero_lock();
	for (int i = 0; i < LANE_ZE_BUCKETS; i++)
		for (struct ze_object *o = lane_ze_book.buckets[i]; o; o = o->next)
			if (o->kind == ZE_DEVICE && o->mono_ns)
				levelzero_read_clock(o);
	levelzero_unlock();
}
