// SPDX-License-Identifier: MIT
// What a program enqueues. Maps and unmaps, markers and barriers need no request: memory is the
// program's own.
#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

static void hold_memory(struct icd_work *work, cl_mem memory)
{
	work->memory = memory;
	icd_retain(&memory->refs);
}

static bool inside(cl_mem memory, size_t offset, size_t bytes)
{
	return bytes && offset <= memory->bytes && bytes <= memory->bytes - offset;
}

cl_int icd_cl_flush(cl_command_queue queue)
{
	pthread_mutex_lock(&icd_lock);
	icd_flush(queue);
	icd_submit_what_can();
	pthread_mutex_unlock(&icd_lock);
	return CL_SUCCESS;
}

/* The command that is to be waited for: an in-order queue's last one, else the oldest. */
static cl_event next_to_finish(cl_command_queue queue)
{
	bool in_order = !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_event command;

	pthread_mutex_lock(&icd_lock);
	icd_flush(queue);
	command = in_order ? queue->last : queue->first;
	if (command)
		icd_retain(&command->refs);
	pthread_mutex_unlock(&icd_lock);
	return command;
}

cl_int icd_cl_finish(cl_command_queue queue)
{
	cl_event command;

	while ((command = next_to_finish(queue))) {
		icd_wait(command);
		icd_event_put(command);
	}
	return CL_SUCCESS;
}

cl_int icd_read(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
		size_t bytes, void *to, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_event command;
	cl_int status;

	if (!to || !inside(memory, offset, bytes))
		return CL_INVALID_VALUE;
	command = icd_command(queue, CL_COMMAND_READ_BUFFER, true, n, list, &status);
	if (!command)
		return status;
	command->work.from = memory->data + offset;
	command->work.to = to;
	command->work.bytes = bytes;
	hold_memory(&command->work, memory);
	return icd_command_go(command, event, blocking);
}

cl_int icd_write(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
		 size_t bytes, const void *from, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_event command;
	cl_int status;

	if (!from || !inside(memory, offset, bytes))
		return CL_INVALID_VALUE;
	command = icd_command(queue, CL_COMMAND_WRITE_BUFFER, true, n, list, &status);
	if (!command)
		return status;
	command->work.from = from;
	command->work.to = memory->data + offset;
	command->work.bytes = bytes;
	hold_memory(&command->work, memory);
	return icd_command_go(command, event, blocking);
}

cl_int icd_fill(cl_command_queue queue, cl_mem memory, const void *pattern, size_t pattern_bytes,
		size_t offset, size_t bytes, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_event command;
	cl_int status;

	if (!pattern || !pattern_bytes || pattern_bytes > sizeof(command->work.pattern_bytes) ||
	    bytes % pattern_bytes || offset % pattern_bytes || !inside(memory, offset, bytes))
		return CL_INVALID_VALUE;
	command = icd_command(queue, CL_COMMAND_FILL_BUFFER, true, n, list, &status);
	if (!command)
		return status;
	command->work.to = memory->data + offset;
	command->work.bytes = bytes;
	command->work.pattern = pattern_bytes;
	memcpy(command->work.pattern_bytes, pattern, pattern_bytes);
	hold_memory(&command->work, memory);
	return icd_command_go(command, event, false);
}

/* --- cl_intel_unified_shared_memory, on the program's own memory --- */

cl_int icd_usm_copy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
		    size_t bytes, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_int status;
	cl_event command = icd_command(queue, CL_COMMAND_MEMCPY_INTEL, true, n, list, &status);

	if (!command)
		return status;
	command->work.from = from;
	command->work.to = to;
	command->work.bytes = bytes;
	return icd_command_go(command, event, blocking);
}

cl_int icd_usm_fill(cl_command_queue queue, void *to, const void *pattern, size_t pattern_bytes,
		    size_t bytes, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_event command;
	cl_int status;

	if (!pattern_bytes || pattern_bytes > sizeof(command->work.pattern_bytes))
		return CL_INVALID_VALUE;
	command = icd_command(queue, CL_COMMAND_MEMFILL_INTEL, true, n, list, &status);
	if (!command)
		return status;
	command->work.to = to;
	command->work.bytes = bytes;
	command->work.pattern = pattern_bytes;
	memcpy(command->work.pattern_bytes, pattern, pattern_bytes);
	return icd_command_go(command, event, false);
}

cl_int icd_usm_set(cl_command_queue queue, void *to, cl_int value, size_t bytes, cl_uint n,
		   const cl_event *list, cl_event *event)
{
	unsigned char byte = (unsigned char)value;

	return icd_usm_fill(queue, to, &byte, 1, bytes, n, list, event);
}

/* Nothing is moved: memory is the program's own. */
cl_int icd_usm_migrate(cl_command_queue queue, const void *memory, size_t bytes,
		       cl_mem_migration_flags flags, cl_uint n, const cl_event *list,
		       cl_event *event)
{
	cl_int status;
	cl_event command = icd_command(queue, CL_COMMAND_MIGRATEMEM_INTEL, false, n, list, &status);

	(void)memory, (void)bytes, (void)flags;
	return command ? icd_command_go(command, event, false) : status;
}

cl_int icd_usm_advise(cl_command_queue queue, const void *memory, size_t bytes, cl_uint advice,
		      cl_uint n, const cl_event *list, cl_event *event)
{
	cl_int status;
	cl_event command = icd_command(queue, CL_COMMAND_MEMADVISE_INTEL, false, n, list, &status);

	(void)memory, (void)bytes, (void)advice;
	return command ? icd_command_go(command, event, false) : status;
}

void *icd_map(cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_map_flags flags,
	      size_t offset, size_t bytes, cl_uint n, const cl_event *list, cl_event *event,
	      cl_int *status)
{
	cl_event command = NULL;
	cl_int result = CL_INVALID_VALUE;

	(void)flags;
	if (inside(memory, offset, bytes))
		command = icd_command(queue, CL_COMMAND_MAP_BUFFER, false, n, list, &result);
	if (command) {
		hold_memory(&command->work, memory);
		__atomic_add_fetch(&memory->maps, 1, __ATOMIC_RELAXED);
		result = icd_command_go(command, event, blocking);
	}
	if (status)
		*status = result;
	return result ? NULL : memory->data + offset;
}

cl_int icd_unmap(cl_command_queue queue, cl_mem memory, void *mapped, cl_uint n,
		 const cl_event *list, cl_event *event)
{
	cl_event command;
	cl_int status;

	if (!mapped || !memory->maps)
		return CL_INVALID_VALUE;
	command = icd_command(queue, CL_COMMAND_UNMAP_MEM_OBJECT, false, n, list, &status);
	if (!command)
		return status;
	hold_memory(&command->work, memory);
	__atomic_sub_fetch(&memory->maps, 1, __ATOMIC_RELAXED);
	return icd_command_go(command, event, false);
}

static cl_int no_work(cl_command_queue queue, cl_command_type type, cl_uint n, const cl_event *list,
		      cl_event *event)
{
	cl_int status;
	cl_event command = icd_command(queue, type, false, n, list, &status);

	return command ? icd_command_go(command, event, false) : status;
}

/* Groups where the program leaves the choice: the largest divisor up to 32 in the first dimension.
 */
static size_t choose_local(size_t global, cl_uint dimension)
{
	size_t local = dimension ? 1 : 32;

	while (local > 1 && global % local)
		local--;
	return local;
}

static cl_int set_range(struct icd_work *work, cl_uint dimensions, const size_t *offset,
			const size_t *global, const size_t *local)
{
	size_t items = 1;

	if (!dimensions || dimensions > 3)
		return CL_INVALID_WORK_DIMENSION;
	if (!global)
		return CL_INVALID_GLOBAL_WORK_SIZE;
	work->dimensions = dimensions;
	for (cl_uint d = 0; d < 3; d++) {
		work->offset[d] = offset && d < dimensions ? offset[d] : 0;
		work->global[d] = d < dimensions ? global[d] : 1;
		work->local[d] = d >= dimensions ? 1
				 : local	 ? local[d]
						 : choose_local(global[d], d);
		if (!work->global[d])
			return CL_INVALID_GLOBAL_WORK_SIZE;
		if (!work->local[d] || work->global[d] % work->local[d])
			return CL_INVALID_WORK_GROUP_SIZE;
		items *= work->local[d];
	}
	return items > ICD_GROUP_ITEMS ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

static cl_int set_kernel(struct icd_work *work, cl_kernel kernel)
{
	size_t used = 0;

	for (unsigned int i = 0; i < kernel->signature->n_args; i++) {
		if (!kernel->args[i].set)
			return CL_INVALID_KERNEL_ARGS;
		if (kernel->signature->args[i] == ICD_ARG_LOCAL)
			used += (kernel->args[i].bytes + 127) / 128 * 128;
	}
	if (used > ICD_LOCAL_BYTES)
		return CL_OUT_OF_RESOURCES;
	work->kernel = kernel;
	memcpy(work->args, kernel->args, sizeof(work->args));
	return CL_SUCCESS;
}

static cl_int launch(cl_command_queue queue, const struct icd_work *work, cl_uint n,
		     const cl_event *list, cl_event *event)
{
	cl_int status;
	cl_event command = icd_command(queue, CL_COMMAND_NDRANGE_KERNEL, true, n, list, &status);

	if (!command)
		return status;
	command->work = *work;
	icd_retain(&work->kernel->refs);
	for (int i = 0; i < ICD_MAX_ARGS; i++)
		if (work->args[i].memory)
			icd_retain(&work->args[i].memory->refs);
	return icd_command_go(command, event, false);
}

cl_int icd_ndrange(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
		   const size_t *offset, const size_t *global, const size_t *local, cl_uint n,
		   const cl_event *list, cl_event *event)
{
	struct icd_work work = { .bytes = 0 };
	cl_int status = set_range(&work, dimensions, offset, global, local);

	if (!status)
		status = set_kernel(&work, kernel);
	return status ? status : launch(queue, &work, n, list, event);
}

cl_int icd_marker_list(cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event)
{
	return no_work(queue, CL_COMMAND_MARKER, n, list, event);
}

cl_int icd_barrier_list(cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event)
{
	return no_work(queue, CL_COMMAND_BARRIER, n, list, event);
}
