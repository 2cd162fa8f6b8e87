/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the OpenCL layer share. A call goes
 *
 *   program -> exported function (LD_PRELOAD) or layer function (OPENCL_LAYERS)
 *           -> traced_*() while somebody records, which tells entry and exit
 *           -> lane_cl_real: the few functions that hide what the layer does (queue.c), or
 *           -> lane_cl_target: the loader's, or the next layer's, functions
 */
#ifndef LANE_OPENCL_LAYER_H
#define LANE_OPENCL_LAYER_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/opencl.h"
#include "opencl/provider.h"

/* The types of opencl.def that OpenCL has no name for. */
typedef void(CL_CALLBACK *lane_cl_context_notify)(const char *, const void *, size_t, void *);
typedef void(CL_CALLBACK *lane_cl_context_gone)(cl_context, void *);
typedef void(CL_CALLBACK *lane_cl_mem_gone)(cl_mem, void *);
typedef void(CL_CALLBACK *lane_cl_program_notify)(cl_program, void *);
typedef void(CL_CALLBACK *lane_cl_event_notify)(cl_event, cl_int, void *);
typedef void(CL_CALLBACK *lane_cl_native)(void *);
typedef void(CL_CALLBACK *lane_cl_svm_free)(cl_command_queue, cl_uint, void **, void *);

/* LANE_CL_PROTO(params): the parameters of a function as C has them. */
#define LANE_CL_PROTO(...)		  (LANE_CL_PROTO_##__VA_OPT__(SOME)(__VA_ARGS__))
#define LANE_CL_PROTO_()		  void
#define LANE_CL_PROTO_SOME(...)		  LANE_CL_LIST(LANE_CL_DECLARE, __VA_ARGS__)
#define LANE_CL_DECLARE(role, type, name) type name
/* LANE_CL_PASS(params): their names, to call it. */
#define LANE_CL_PASS(...)	       (LANE_CL_LIST(LANE_CL_NAME, __VA_ARGS__))
#define LANE_CL_NAME(role, type, name) name

/* clang-format off */
#define LANE_CL_MEMBER(name, kind, command, result, ...)                                           \
	result(CL_API_CALL *name) LANE_CL_PROTO(__VA_ARGS__);
/* A pointer for each function. */
struct lane_cl_table {
	LANE_OPENCL_FUNCTIONS(LANE_CL_MEMBER)
};
/* clang-format on */

/* Tables are completed while other threads may call already. */
#define LANE_CL_LOAD(table, name) __atomic_load_n(&(table).name, __ATOMIC_RELAXED)

/* What lies below us. */
extern struct lane_cl_table lane_cl_target;
/* The same, but for the functions that queue.c and told.c have. */
extern struct lane_cl_table lane_cl_real;
/* What the loader is to call. */
extern const struct lane_cl_table lane_cl_layer;
/* What the exported functions call when nothing is recorded: lane_cl_real, or, when the loader has
 * us as a layer as well, the loader's functions. */
extern struct lane_cl_table lane_cl_next;
/* The loader has us as a layer: the exported functions are not to record. */
extern bool lane_cl_layered;
/* The process ends: nothing is to be recorded any more. */
extern bool lane_cl_ending;
/* This process was forked by one that has the layer, and has executed nothing since: it shares the
 * buffers of LTTng's with that one, and is not to write into them. */
extern bool lane_cl_forked;

/* Somebody records. */
static inline bool opencl_tracing(void)
{
	return lttng_ust_tracepoint_enabled(gpulane, opencl_call_entry) && !lane_cl_forked;
}

/* target.c: finds the functions below the exported ones, once. */
void opencl_resolve(void);

/* queue.c: replaces the entries that the layer has functions of its own for. */
void opencl_patch(struct lane_cl_table *table);

/* command.c */

/* The number of the next command of the process. */
uint64_t opencl_command_number(void);

/*
 * Takes care of a command that was enqueued as number: has its times recorded when it completes (at
 * once when the call was blocking). owned: the event is the layer's, to be released. False: nothing
 * will be recorded.
 */
bool opencl_command_follow(cl_event event, uint64_t number, cl_command_queue queue,
			   unsigned int type, bool owned, bool blocking);

/* told.c: what is told of a handle, once. */

/* Tells of a kernel or a queue that an enqueue uses, if it has not been told of. */
void opencl_tell_queue(cl_command_queue queue);
void opencl_tell_kernel(cl_kernel kernel);

/* Reads the clocks of the devices whose queues were told of, 100 ms after they were read last. */
void opencl_tell_clocks(void);

/* A handle is new and was not told of: it may have been another object's. */
void opencl_untell(const void *handle);

/* Tells of a new kernel. */
void opencl_tell_new_kernel(cl_kernel kernel);

/* Tells of a new queue; properties as the program asked, hidden: profiling is on behind its back.
 */
void opencl_tell_new_queue(cl_command_queue queue, cl_device_id device,
			   cl_command_queue_properties properties, bool hidden);

cl_kernel CL_API_CALL lane_cl_create_kernel(cl_program program, const char *kernel_name,
					    cl_int *errcode_ret);
cl_kernel CL_API_CALL lane_cl_clone_kernel(cl_kernel source_kernel, cl_int *errcode_ret);
cl_int CL_API_CALL lane_cl_create_kernels(cl_program program, cl_uint num_kernels,
					  cl_kernel *kernels, cl_uint *num_kernels_ret);

/* Tell which functions of a new program have atomics, by its source. */
cl_program CL_API_CALL lane_cl_create_program(cl_context context, cl_uint count,
					      const char **strings, const size_t *lengths,
					      cl_int *errcode_ret);
cl_program CL_API_CALL lane_cl_create_program_with_il(cl_context context, const void *il,
						      size_t length, cl_int *errcode_ret);

/* queue.c: profiling behind the program's back, and what hides it. */

cl_command_queue CL_API_CALL lane_cl_create_queue(cl_context context, cl_device_id device,
						  cl_command_queue_properties properties,
						  cl_int *errcode_ret);
cl_command_queue CL_API_CALL lane_cl_create_queue_with(cl_context context, cl_device_id device,
						       const cl_queue_properties *properties,
						       cl_int *errcode_ret);
cl_int CL_API_CALL lane_cl_get_queue_info(cl_command_queue command_queue,
					  cl_command_queue_info param_name, size_t param_value_size,
					  void *param_value, size_t *param_value_size_ret);
cl_int CL_API_CALL lane_cl_set_queue_property(cl_command_queue command_queue,
					      cl_command_queue_properties properties,
					      cl_bool enable,
					      cl_command_queue_properties *old_properties);
cl_int CL_API_CALL lane_cl_get_event_profiling(cl_event event, cl_profiling_info param_name,
					       size_t param_value_size, void *param_value,
					       size_t *param_value_size_ret);

/* The same by a function of an extension. */
typedef cl_command_queue(CL_API_CALL *lane_cl_create_queue_fn)(cl_context, cl_device_id,
							       const cl_queue_properties *,
							       cl_int *);
cl_command_queue opencl_create_queue_by(lane_cl_create_queue_fn create, cl_context context,
					cl_device_id device, const cl_queue_properties *properties,
					cl_int *errcode_ret);

/* wrappers.c: the addresses of extensions' functions are those of the layer's. */
void *CL_API_CALL lane_cl_get_extension(const char *name);
void *CL_API_CALL lane_cl_get_extension_for(cl_platform_id platform, const char *name);

/* True when the queue's profiling was switched on behind the program's back. */
bool opencl_queue_is_hidden(cl_command_queue queue);

#endif
