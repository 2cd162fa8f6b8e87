// SPDX-License-Identifier: MIT
// Contexts, memory objects, programs, kernels and queues of the simulated OpenCL GPU.
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cl_int icd_info(size_t room, void *value, size_t *size, const void *from, size_t bytes)
{
	if (size)
		*size = bytes;
	if (value && room < bytes)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, from, bytes);
	return CL_SUCCESS;
}

void *icd_object(size_t bytes, cl_int *status)
{
	struct _cl_context *any = calloc(1, bytes);

	if (status)
		*status = any ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	if (any) {
		any->dispatch = &icd_dispatch;
		any->refs = 1;
	}
	return any;
}

static void *refuse(cl_int *status, cl_int why)
{
	if (status)
		*status = why;
	return NULL;
}

/* --- contexts
 * ------------------------------------------------------------------------------------- */

cl_context icd_create_context(const cl_context_properties *properties, cl_uint n,
			      const cl_device_id *devices,
			      void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
			      void *data, cl_int *status)
{
	(void)properties, (void)notify, (void)data;
	if (!n || !devices)
		return refuse(status, CL_INVALID_VALUE);
	return icd_object(sizeof(struct _cl_context), status);
}

void icd_context_put(cl_context context)
{
	if (icd_release(&context->refs))
		free(context);
}

ICD_RELEASE(context, cl_context, icd_context_put)

/* --- memory
 * --------------------------------------------------------------------------------------- */

cl_mem icd_create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
			 cl_int *status)
{
	bool wants = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	cl_mem memory;

	if (!bytes || bytes > (size_t)1 << 30)
		return refuse(status, CL_INVALID_BUFFER_SIZE);
	if (wants != (host != NULL))
		return refuse(status, CL_INVALID_HOST_PTR);
	memory = icd_object(sizeof(*memory), status);
	if (!memory)
		return NULL;
	memory->data = host;
	if (flags & CL_MEM_USE_HOST_PTR)
		memory->host = host;
	else
		memory->data = aligned_alloc(128, (bytes + 127) / 128 * 128);
	if (!memory->data) {
		free(memory);
		return refuse(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
	}
	if (flags & CL_MEM_COPY_HOST_PTR)
		memcpy(memory->data, host, bytes);
	memory->bytes = bytes;
	memory->context = context;
	icd_retain(&context->refs);
	return memory;
}

void icd_mem_put(cl_mem memory)
{
	if (!icd_release(&memory->refs))
		return;
	icd_context_put(memory->context);
	if (!memory->host)
		free(memory->data);
	free(memory);
}

ICD_RELEASE(mem, cl_mem, icd_mem_put)

/* --- programs
 * ------------------------------------------------------------------------------------- */

cl_program icd_create_program(cl_context context, cl_uint n, const char **strings,
			      const size_t *lengths, cl_int *status)
{
	size_t bytes = 1;
	cl_program program;

	if (!n || !strings)
		return refuse(status, CL_INVALID_VALUE);
	for (cl_uint i = 0; i < n; i++)
		bytes += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
	program = icd_object(sizeof(*program), status);
	if (program)
		program->source = calloc(1, bytes);
	if (!program || !program->source) {
		free(program);
		return refuse(status, CL_OUT_OF_HOST_MEMORY);
	}
	for (cl_uint i = 0; i < n; i++)
		strncat(program->source, strings[i],
			lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
	program->context = context;
	program->status = CL_BUILD_NONE;
	icd_retain(&context->refs);
	return program;
}

static void program_put(cl_program program)
{
	if (!icd_release(&program->refs))
		return;
	icd_context_put(program->context);
	icd_program_free(program);
}

ICD_RELEASE(program, cl_program, program_put)

cl_int icd_build_program(cl_program program, cl_uint n, const cl_device_id *devices,
			 const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
			 void *data)
{
	(void)n, (void)devices, (void)options;
	if (!program->library)
		icd_compile(program);
	if (notify)
		notify(program, data);
	return program->status == CL_BUILD_SUCCESS ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

cl_int icd_build_info(cl_program program, cl_device_id device, cl_program_build_info what,
		      size_t room, void *value, size_t *size)
{
	(void)device;
	switch (what) {
		INFO(CL_PROGRAM_BUILD_STATUS, cl_build_status, program->status)
		INFO_TEXT(CL_PROGRAM_BUILD_OPTIONS, "")
		INFO_TEXT(CL_PROGRAM_BUILD_LOG, program->log ? program->log : "")
	default:
		return CL_INVALID_VALUE;
	}
}

/* --- kernels
 * -------------------------------------------------------------------------------------- */

static cl_kernel create_kernel(cl_program program, const struct icd_signature *signature,
			       cl_int *status)
{
	cl_kernel kernel = icd_object(sizeof(*kernel), status);

	if (!kernel)
		return NULL;
	kernel->program = program;
	kernel->signature = signature;
	icd_retain(&program->refs);
	return kernel;
}

cl_kernel icd_create_kernel(cl_program program, const char *name, cl_int *status)
{
	if (program->status != CL_BUILD_SUCCESS)
		return refuse(status, CL_INVALID_PROGRAM_EXECUTABLE);
	if (!name)
		return refuse(status, CL_INVALID_VALUE);
	for (unsigned int i = 0; i < program->n_kernels; i++)
		if (!strcmp(program->kernels[i].name, name))
			return create_kernel(program, &program->kernels[i], status);
	return refuse(status, CL_INVALID_KERNEL_NAME);
}

cl_int icd_create_kernels(cl_program program, cl_uint room, cl_kernel *kernels, cl_uint *n)
{
	cl_int status = CL_SUCCESS;

	if (program->status != CL_BUILD_SUCCESS)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	if (kernels && room < program->n_kernels)
		return CL_INVALID_VALUE;
	for (unsigned int i = 0; kernels && i < program->n_kernels && !status; i++)
		kernels[i] = create_kernel(program, &program->kernels[i], &status);
	if (n)
		*n = program->n_kernels;
	return status;
}

void icd_kernel_put(cl_kernel kernel)
{
	if (!icd_release(&kernel->refs))
		return;
	program_put(kernel->program);
	free(kernel);
}

ICD_RELEASE(kernel, cl_kernel, icd_kernel_put)

cl_int icd_set_arg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
	struct icd_arg arg = { .set = true, .bytes = bytes };
	enum icd_arg_kind kind;

	if (index >= kernel->signature->n_args)
		return CL_INVALID_ARG_INDEX;
	kind = kernel->signature->args[index];
	if (kind == ICD_ARG_LOCAL) {
		if (value)
			return CL_INVALID_ARG_VALUE;
		if (!bytes)
			return CL_INVALID_ARG_SIZE;
	} else if (kind == ICD_ARG_POINTER) {
		if (bytes != sizeof(cl_mem))
			return CL_INVALID_ARG_SIZE;
		if (value)
			memcpy(&arg.memory, value, sizeof(arg.memory));
	} else {
		if (!value)
			return CL_INVALID_ARG_VALUE;
		if (!bytes || bytes > sizeof(arg.value))
			return CL_INVALID_ARG_SIZE;
		memcpy(&arg.value, value, bytes);
	}
	kernel->args[index] = arg;
	return CL_SUCCESS;
}

cl_int icd_kernel_info(cl_kernel kernel, cl_kernel_info what, size_t room, void *value,
		       size_t *size)
{
	switch (what) {
		INFO_TEXT(CL_KERNEL_FUNCTION_NAME, kernel->signature->name)
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int icd_kernel_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
			     size_t room, void *value, size_t *size)
{
	bool is_other = icd_options.other && strstr(kernel->signature->name, "local");

	(void)device;
	switch (what) {
		INFO(CL_KERNEL_WORK_GROUP_SIZE, size_t, ICD_GROUP_ITEMS)
		INFO(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t,
		     (size_t)(is_other ? icd_options.other : icd_options.width))
		INFO(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong, 0)
		INFO(CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong, 0)
	case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
		size_t none[3] = { 0, 0, 0 };

		return icd_info(room, value, size, none, sizeof(none));
	}
	default:
		return CL_INVALID_VALUE;
	}
}

/* --- queues
 * --------------------------------------------------------------------------------------- */

cl_command_queue icd_create_queue(cl_context context, cl_device_id device,
				  cl_command_queue_properties properties, cl_int *status)
{
	const cl_command_queue_properties known =
		CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
	bool two = icd_options.copy_engine || (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_command_queue queue;

	if (device != &icd_device)
		return refuse(status, CL_INVALID_DEVICE);
	if (properties & ~known)
		return refuse(status, CL_INVALID_VALUE);
	queue = icd_object(sizeof(*queue), status);
	if (!queue)
		return NULL;
	queue->n_ctx = two ? 2 : 1;
	for (unsigned int i = 0; i < queue->n_ctx; i++)
		queue->ctx[i] =
			gpu_context(i && icd_options.copy_engine ? 1 : 0, 0, icd_options.prio);
	if (!queue->ctx[0] || (two && !queue->ctx[1])) {
		free(queue);
		return refuse(status, CL_OUT_OF_RESOURCES);
	}
	queue->context = context;
	queue->properties = properties;
	icd_retain(&context->refs);
	icd_queue_add(queue);
	return queue;
}

cl_command_queue icd_create_queue_with(cl_context context, cl_device_id device,
				       const cl_queue_properties *list, cl_int *status)
{
	cl_command_queue_properties properties = 0;

	for (; list && *list; list += 2) {
		if (*list != CL_QUEUE_PROPERTIES)
			return refuse(status, CL_INVALID_VALUE);
		properties = list[1];
	}
	return icd_create_queue(context, device, properties, status);
}

cl_int icd_release_queue(cl_command_queue queue)
{
	pthread_mutex_lock(&icd_lock);
	icd_flush(queue);
	pthread_mutex_unlock(&icd_lock);
	icd_queue_put(queue);
	return CL_SUCCESS;
}

cl_int icd_queue_info(cl_command_queue queue, cl_command_queue_info what, size_t room, void *value,
		      size_t *size)
{
	switch (what) {
		INFO(CL_QUEUE_CONTEXT, cl_context, queue->context)
		INFO(CL_QUEUE_DEVICE, cl_device_id, &icd_device)
		INFO(CL_QUEUE_REFERENCE_COUNT, cl_uint, queue->refs)
		INFO(CL_QUEUE_PROPERTIES, cl_command_queue_properties, queue->properties)
	default:
		return CL_INVALID_VALUE;
	}
}
