/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the Level Zero layer share. The loader takes us for its tracing layer
 * (ze_tables.c). A call goes
 *
 *   program -> loader -> layer_*(), which tells entry and exit while somebody records
 *           -> lane_ze_real: the functions that keep book of the objects (ze_objects.c), or
 *           -> lane_ze_target: what lies below, the loader's or the driver's functions
 *
 * The few types of Level Zero's ABI that are needed stand here: its headers come with no Debian
 * that has all functions (docs/decisions/levelzero-as-tracing-layer.md).
 */
#ifndef LANE_LEVELZERO_LAYER_H
#define LANE_LEVELZERO_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/opencl.h"
#include "opencl/provider.h"

/* --- level_zero/ze_api.h --- */

enum {
	LANE_ZE_SUCCESS = 0,
	LANE_ZE_NOT_READY = 1,
	LANE_ZE_TRUE = 0x78000022,
	LANE_ZE_TRUE_BEFORE = 0x7fff0000, /* NEO 26.27 */
	LANE_ZE_UNSUPPORTED = 0x78000003,

	LANE_ZE_POOL_HOST_VISIBLE = 1 << 0,
	LANE_ZE_POOL_IPC = 1 << 1,
	LANE_ZE_POOL_TIMES = 1 << 2,
	LANE_ZE_POOL_MAPPED_TIMES = 1 << 3,
	LANE_ZE_COUNTER_PLAIN = 0x37, /* all flags but those of events that others signal, too */
	LANE_ZE_COUNTER_TIMES = 1 << 4,
	LANE_ZE_COUNTER_HOST_TIMES = 1 << 5,
	LANE_ZE_QUEUE_IN_ORDER = 1 << 1,
	LANE_ZE_QUEUE_SYNCHRONOUS = 1,
	LANE_ZE_LIST_IN_ORDER = 1 << 3,
	LANE_ZE_LIST_CLONEABLE = 1 << 4,
	LANE_ZE_MODULE_SPIRV = 0,

	LANE_ZE_TYPE_POOL = 0x10,
	LANE_ZE_TYPE_EVENT = 0x11,
	LANE_ZE_TYPE_COUNTER_POOL = 0x20014,
	LANE_ZE_TYPE_DEVICE_1_2 = 0x20006,
};

/* Three numbers of work items or groups. */
typedef struct {
	uint32_t n[3];
} lane_ze_three;

/* ze_event_pool_desc_t; the counter based events' desc begins likewise. */
struct lane_ze_pool_desc {
	uint32_t stype;
	const void *next;
	uint32_t flags;
	uint32_t count; /* counter based: the scope of signals */
	uint32_t wait;	/* counter based only */
};

struct lane_ze_event_desc {
	uint32_t stype;
	const void *next;
	uint32_t index, signal, wait;
};

struct lane_ze_queue_desc {
	uint32_t stype;
	const void *next;
	uint32_t ordinal, index, flags, mode, priority;
};

struct lane_ze_list_desc {
	uint32_t stype;
	const void *next;
	uint32_t ordinal, flags;
};

struct lane_ze_module_desc {
	uint32_t stype;
	const void *next;
	uint32_t format;
	size_t size;
	const void *code;
};

struct lane_ze_kernel_desc {
	uint32_t stype;
	const void *next;
	uint32_t flags;
	const char *name;
};

struct lane_ze_device_properties {
	uint32_t stype;
	void *next;
	uint32_t type, vendor, device, flags, subdevice, clock_mhz;
	uint64_t most_memory;
	uint32_t contexts, priority, threads, simd, eus, subslices, slices;
	uint64_t timer_hz;
	uint32_t time_bits, kernel_time_bits;
	uint8_t uuid[16];
	char name[256];
};

struct lane_ze_times {
	uint64_t start, end;	     /* of the device's clock */
	uint64_t own_start, own_end; /* of the context's */
};

/* --- the functions --- */

#define LANE_ZE_PROTO(...)		  (LANE_CL_LIST(LANE_ZE_DECLARE, __VA_ARGS__))
#define LANE_ZE_DECLARE(role, type, name) type name
#define LANE_ZE_PASS(...)		  (LANE_CL_LIST(LANE_ZE_NAME, __VA_ARGS__))
#define LANE_ZE_NAME(role, type, name)	  name

/* clang-format off */
/* What the layer needs and does not record. F(name, parameters). */
#define LANE_ZE_OTHERS(F)                                                                          \
	F(zeContextDestroy, (void *context))                                                       \
	F(zeDeviceGetProperties, (void *device, struct lane_ze_device_properties *properties))     \
	F(zeDeviceGetGlobalTimestamps, (void *device, uint64_t *host, uint64_t *ticks))            \
	F(zeKernelSetGroupSize, (void *kernel, uint32_t x, uint32_t y, uint32_t z))                \
	F(zeEventPoolCreate, (void *context, const struct lane_ze_pool_desc *desc, uint32_t n,     \
			      void **devices, void **pool))                                        \
	F(zeEventPoolDestroy, (void *pool))                                                        \
	F(zeEventCreate, (void *pool, const struct lane_ze_event_desc *desc, void **event))        \
	F(zeEventCounterBasedCreate, (void *context, void *device,                                 \
				      const struct lane_ze_pool_desc *desc, void **event))         \
	F(zexCounterBasedEventCreate2, (void *context, void *device,                               \
					const struct lane_ze_pool_desc *desc, void **event))       \
	F(zeEventDestroy, (void *event))                                                           \
	F(zeEventQueryStatus, (void *event))                                                       \
	F(zeEventQueryKernelTimestamp, (void *event, struct lane_ze_times *times))                 \
	F(zeFenceDestroy, (void *fence))                                                           \
	F(zeFenceQueryStatus, (void *fence))                                                       \
	F(zeCommandListBeginGraphCaptureExt, (void *list, const void *next))                       \
	F(zeCommandListBeginCaptureIntoGraphExt, (void *list, void *graph, const void *next))      \
	F(zeCommandListEndGraphCaptureExt, (void *list, const void *next, void **graph))           \
	F(zeCommandListIsGraphCaptureEnabledExt, (void *list))                                     \
	F(zeCommandListBeginGraphCaptureExp, (void *list, void *next))                             \
	F(zeCommandListBeginCaptureIntoGraphExp, (void *list, void *graph, void *next))            \
	F(zeCommandListEndGraphCaptureExp, (void *list, void **graph, void *next))                 \
	F(zeDriverGetExtensionFunctionAddress, (void *driver, const char *name, void **function))  \
	F(zeCommandListUpdateMutableCommandsExp, (void *list, const void *desc))                   \
	F(zeCommandListUpdateMutableCommandSignalEventExp, (void *list, uint64_t command, void *event)) \
	F(zeCommandListUpdateMutableCommandKernelsExp, (void *list, uint32_t n, uint64_t *commands, \
							void **kernels))

#define LANE_ZE_MEMBER(name, kind, command, result, ...) result (*name) LANE_ZE_PROTO(__VA_ARGS__);
#define LANE_ZE_OTHER_MEMBER(name, parameters) uint32_t (*name) parameters;
/* A pointer for each function; NULL: the loader has it not. */
struct lane_ze_table {
	LANE_LEVELZERO_FUNCTIONS(LANE_ZE_MEMBER)
	LANE_ZE_OTHERS(LANE_ZE_OTHER_MEMBER)
};
/* clang-format on */

extern struct lane_ze_table lane_ze_target;
extern struct lane_ze_table lane_ze_real;
/* What the loader is to call; not all members are there. */
extern const struct lane_ze_table lane_ze_layer;
/* This process was forked by one that has the layer, and has executed nothing since. */
extern bool lane_ze_forked;

/* Somebody records. */
static inline bool levelzero_tracing(void)
{
	return lttng_ust_tracepoint_enabled(gpulane, opencl_call_entry) && !lane_ze_forked;
}

/* ze_tracer.c: puts the loader's own tracing layer above ours into a table, where the program
 * traces itself by that table; getter: the name of the function that fills it. */
void levelzero_traced_by_program(const char *getter, uint32_t version, void **entries);

/* ze_objects.c: puts the functions that keep book in the place of those below. */
void levelzero_patch(struct lane_ze_table *table);
/* ze_tables.c: the driver's own function of that name is to be ours, if we have one. */
void levelzero_replace_own(void *driver, const char *name, void **function);
/* ze_append.c: functions that are not known may signal events. */
void levelzero_doubt_signals(void);

/* --- ze_append.c: commands --- */

/* What is to be appended: a command, or (type 0) what else signals or resets an event. */
struct lane_ze_append {
	uint32_t function, type;
	void *list, *object;
	void *signal;	      /* the program's event; after choosing: what is passed on */
	void *event;	      /* the program's */
	uint64_t size, group; /* a kernel's: groups and 0 or a group's work items; after choosing:
				 work items */
	uint64_t queue; /* told of as the command's queue; 0: none, the list is executed later */
	struct ze_object *own; /* the event of ours that signal is; NULL: it is none */
};

/* Before the call: what is told of first, and which event it will signal. */
void levelzero_choose(struct lane_ze_append *append);
/* After it, if it went well: signals the program's event where ours took its place. */
uint32_t levelzero_signal_behind(const struct lane_ze_append *append);
/* Then: the command's number; 0: none. status: the call's. */
uint64_t levelzero_appended(struct lane_ze_append *append, uint32_t status);
/* Before lists are executed, and after. queue: a queue or an immediate list. */
void levelzero_executing(uint32_t n, void **lists);
void levelzero_executed(void *queue, uint32_t n, void **lists, void *fence);
/* The number of what was submitted last, before a wait. */
uint64_t levelzero_last_number(void);
/* An event will lose what it knows: the host resets it or signals it. */
void levelzero_settle(void *event);
/* The host has reset it: nothing that is under way signals it. */
void levelzero_was_reset(void *event);
/* A queue as the program knows it for a list: the immediate list itself; 0: it has none. */
uint64_t levelzero_queue_of(void *list);

/* ze_runs.c: a queue, an event or a fence was waited for with success, as to what was submitted up
 * to a number. prints: the runtime prints then what the event's kernel has printed. */
void levelzero_waited(void *handle, uint64_t number, bool prints);
/* ze_clocks.c: reads the clocks of devices that were not read for a while. */
void levelzero_clocks(void);

#endif
