/* SPDX-License-Identifier: MIT */
/* The OpenCL functions of the simulated GPU, for its table: objects.c, event.c, enqueue.c. */
#ifndef LANE_ICD_OBJECTS_H
#define LANE_ICD_OBJECTS_H

#include <string.h>

#include "icd.h"

typedef void(CL_CALLBACK *icd_context_fn)(const char *, const void *, size_t, void *);
typedef void(CL_CALLBACK *icd_program_fn)(cl_program, void *);
typedef void(CL_CALLBACK *icd_event_fn)(cl_event, cl_int, void *);

/* One case of a `switch (what)` with room, value and size: the answer is a value, or a text. */
#define INFO(what, type, expression)                                                               \
	case what: {                                                                               \
		type info_value = expression;                                                      \
		return icd_info(room, value, size, &info_value, sizeof(info_value));               \
	}
#define INFO_TEXT(what, text)                                                                      \
	case what:                                                                                 \
		return icd_info(room, value, size, text, strlen(text) + 1);

/* An object with its first reference; NULL and *status without memory. */
void *icd_object(size_t bytes, cl_int *status);

/* clRelease of a kind of objects; put gives up a reference. */
#define ICD_RELEASE(kind, type, put)                                                               \
	cl_int icd_release_##kind(type object)                                                     \
	{                                                                                          \
		put(object);                                                                       \
		return CL_SUCCESS;                                                                 \
	}

cl_context icd_create_context(const cl_context_properties *properties, cl_uint n,
			      const cl_device_id *devices, icd_context_fn notify, void *data,
			      cl_int *status);
cl_int icd_release_context(cl_context context);

cl_mem icd_create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
			 cl_int *status);
cl_int icd_release_mem(cl_mem memory);

cl_program icd_create_program(cl_context context, cl_uint n, const char **strings,
			      const size_t *lengths, cl_int *status);
cl_int icd_release_program(cl_program program);
cl_int icd_build_program(cl_program program, cl_uint n, const cl_device_id *devices,
			 const char *options, icd_program_fn notify, void *data);
cl_int icd_build_info(cl_program program, cl_device_id device, cl_program_build_info what,
		      size_t room, void *value, size_t *size);

cl_kernel icd_create_kernel(cl_program program, const char *name, cl_int *status);
cl_int icd_create_kernels(cl_program program, cl_uint room, cl_kernel *kernels, cl_uint *n);
cl_int icd_release_kernel(cl_kernel kernel);
cl_int icd_set_arg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value);
cl_int icd_kernel_info(cl_kernel kernel, cl_kernel_info what, size_t room, void *value,
		       size_t *size);
cl_int icd_kernel_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
			     size_t room, void *value, size_t *size);

cl_command_queue icd_create_queue(cl_context context, cl_device_id device,
				  cl_command_queue_properties properties, cl_int *status);
cl_command_queue icd_create_queue_with(cl_context context, cl_device_id device,
				       const cl_queue_properties *list, cl_int *status);
cl_int icd_release_queue(cl_command_queue queue);
cl_int icd_queue_info(cl_command_queue queue, cl_command_queue_info what, size_t room, void *value,
		      size_t *size);

cl_int icd_wait_for_events(cl_uint n, const cl_event *list);
cl_int icd_event_info(cl_event event, cl_event_info what, size_t room, void *value, size_t *size);
cl_int icd_retain_event(cl_event event);
cl_int icd_release_event(cl_event event);
cl_int icd_profiling_info(cl_event event, cl_profiling_info what, size_t room, void *value,
			  size_t *size);
cl_event icd_create_user_event(cl_context context, cl_int *status);
cl_int icd_set_user_event(cl_event event, cl_int status);
cl_int icd_set_callback(cl_event event, cl_int status, icd_event_fn function, void *data);

cl_int icd_cl_flush(cl_command_queue queue);
cl_int icd_cl_finish(cl_command_queue queue);
cl_int icd_read(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
		size_t bytes, void *to, cl_uint n, const cl_event *list, cl_event *event);
cl_int icd_write(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
		 size_t bytes, const void *from, cl_uint n, const cl_event *list, cl_event *event);
cl_int icd_usm_copy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
		    size_t bytes, cl_uint n, const cl_event *list, cl_event *event);
cl_int icd_usm_fill(cl_command_queue queue, void *to, const void *pattern, size_t pattern_bytes,
		    size_t bytes, cl_uint n, const cl_event *list, cl_event *event);
cl_int icd_usm_set(cl_command_queue queue, void *to, cl_int value, size_t bytes, cl_uint n,
		   const cl_event *list, cl_event *event);
cl_int icd_usm_migrate(cl_command_queue queue, const void *memory, size_t bytes,
		       cl_mem_migration_flags flags, cl_uint n, const cl_event *list,
		       cl_event *event);
cl_int icd_usm_advise(cl_command_queue queue, const void *memory, size_t bytes, cl_uint advice,
		      cl_uint n, const cl_event *list, cl_event *event);
cl_int icd_fill(cl_command_queue queue, cl_mem memory, const void *pattern, size_t pattern_bytes,
		size_t offset, size_t bytes, cl_uint n, const cl_event *list, cl_event *event);
void *icd_map(cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_map_flags flags,
	      size_t offset, size_t bytes, cl_uint n, const cl_event *list, cl_event *event,
	      cl_int *status);
cl_int icd_unmap(cl_command_queue queue, cl_mem memory, void *mapped, cl_uint n,
		 const cl_event *list, cl_event *event);
cl_int icd_ndrange(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
		   const size_t *offset, const size_t *global, const size_t *local, cl_uint n,
		   const cl_event *list, cl_event *event);
cl_int icd_marker_list(cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event);
cl_int icd_barrier_list(cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event);

#endif
