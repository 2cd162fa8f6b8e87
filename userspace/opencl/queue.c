// SPDX-License-Identifier: MIT
// Profiling switched on behind the program's back, and the functions that hide it.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/layer.h"

enum {
	MAX_PROPERTIES = 64, /* an array of more is passed on as it is */
	FIRST_QUEUES = 16,
};

/* A queue that has profiling without the program's knowing. */
struct hidden {
	cl_command_queue queue;
	bool by_bits;		    /* made by clCreateCommandQueue */
	cl_queue_properties *array; /* as the program gave it; NULL: none */
	size_t n_array;		    /* with the 0 at the end */
};

/*
 * The hidden queues. One stays in it when the program releases it, since its events may outlive it,
 * until another is made with its address.
 */
static struct {
	pthread_mutex_t lock;
	struct hidden *queues;
	size_t n;
	size_t room;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

/*
 * A child has only the thread that forked: were the lock another one's then, it would stay locked.
 * Nothing is called with the lock held that could wait for a fork.
 */
static void lock_for_fork(void)
{
	pthread_mutex_lock(&all.lock);
}

static void unlock_after_fork(void)
{
	pthread_mutex_unlock(&all.lock);
}

static void begin_child(void)
{
	unlock_after_fork();
	lane_cl_forked = true;
}

__attribute__((constructor)) static void guard_forks(void)
{
	pthread_atfork(lock_for_fork, unlock_after_fork, begin_child);
}

/* all.n for those who only want to know whether there is any. */
static size_t n_hidden;

/* The place of a queue, with the lock held; all.n when it is not in it. */
static size_t queue_find(cl_command_queue queue)
{
	size_t i = 0;

	while (i < all.n && all.queues[i].queue != queue)
		i++;
	return i;
}

bool opencl_queue_is_hidden(cl_command_queue queue)
{
	bool hidden;

	if (!__atomic_load_n(&n_hidden, __ATOMIC_ACQUIRE))
		return false;
	pthread_mutex_lock(&all.lock);
	hidden = queue_find(queue) < all.n;
	pthread_mutex_unlock(&all.lock);
	return hidden;
}

/* A queue is none of the hidden ones (any more). */
static void queue_forget(cl_command_queue queue)
{
	size_t i;

	if (!__atomic_load_n(&n_hidden, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&all.lock);
	i = queue_find(queue);
	if (i < all.n) {
		free(all.queues[i].array);
		all.queues[i] = all.queues[--all.n];
		__atomic_store_n(&n_hidden, all.n, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&all.lock);
}

/* Makes room for one more; with the lock held. */
static bool queue_reserve(void)
{
	size_t room = all.room ? 2 * all.room : FIRST_QUEUES;
	struct hidden *queues;

	if (all.n < all.room)
		return true;
	queues = realloc(all.queues, room * sizeof(*queues));
	if (!queues)
		return false;
	all.queues = queues;
	all.room = room;
	return true;
}

/* Puts a queue down as hidden. False: no memory. */
static bool hide(cl_command_queue queue, bool by_bits, const cl_queue_properties *array,
		 size_t n_array)
{
	struct hidden hidden = { .queue = queue, .by_bits = by_bits, .n_array = n_array };
	bool done;

	if (array) {
		hidden.array = malloc(n_array * sizeof(*array));
		if (!hidden.array)
			return false;
		memcpy(hidden.array, array, n_array * sizeof(*array));
	}
	queue_forget(queue);
	pthread_mutex_lock(&all.lock);
	done = queue_reserve();
	if (done) {
		all.queues[all.n++] = hidden;
		__atomic_store_n(&n_hidden, all.n, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&all.lock);
	if (!done)
		free(hidden.array);
	return done;
}

/* Profiling is switched on while somebody records; GPULANE_OPENCL_PROFILING says otherwise. */
static bool queue_is_wanted(void)
{
	const char *when = getenv("GPULANE_OPENCL_PROFILING");

	if (when && !strcmp(when, "always"))
		return true;
	if (when && !strcmp(when, "never"))
		return false;
	return opencl_tracing();
}

/* What is told of a new queue, which is hidden or not. */
static void queue_tell(cl_command_queue queue, cl_device_id device,
		       cl_command_queue_properties properties, bool hidden)
{
	if (!hidden)
		queue_forget(queue);
	if (opencl_tracing())
		opencl_tell_new_queue(queue, device, properties, hidden);
	else
		opencl_untell(queue);
}

cl_command_queue CL_API_CALL lane_cl_create_queue(cl_context context, cl_device_id device,
						  cl_command_queue_properties properties,
						  cl_int *errcode_ret)
{
	cl_command_queue queue = NULL;
	bool hidden = false;

	if (!(properties & CL_QUEUE_PROFILING_ENABLE) && queue_is_wanted()) {
		queue = LANE_CL_LOAD(lane_cl_target, clCreateCommandQueue)(
			context, device, properties | CL_QUEUE_PROFILING_ENABLE, errcode_ret);
		hidden = queue && hide(queue, true, NULL, 0);
	}
	/* What cannot be made with profiling fails, or not, as the program asked for it. */
	if (!queue)
		queue = LANE_CL_LOAD(lane_cl_target, clCreateCommandQueue)(context, device,
									   properties, errcode_ret);
	if (queue)
		queue_tell(queue, device, properties, hidden);
	return queue;
}

/* Looks through a list of properties: its length with the 0 at the end, and the queue's bits. */
static size_t queue_measure(const cl_queue_properties *properties,
			    cl_command_queue_properties *bits)
{
	size_t n = 0;

	*bits = 0;
	if (!properties)
		return 0;
	for (; properties[n]; n += 2) {
		if (n + 2 >= MAX_PROPERTIES)
			return MAX_PROPERTIES;
		if (properties[n] == CL_QUEUE_PROPERTIES)
			*bits = properties[n + 1];
	}
	return n + 1;
}

/* The same properties, with profiling. */
static void add_profiling(const cl_queue_properties *from, size_t n, cl_queue_properties *to)
{
	bool have = false;

	if (n)
		memcpy(to, from, n * sizeof(*to));
	else
		to[0] = 0;
	for (; *to; to += 2) {
		if (*to != CL_QUEUE_PROPERTIES)
			continue;
		to[1] |= CL_QUEUE_PROFILING_ENABLE;
		have = true;
	}
	if (have)
		return;
	to[0] = CL_QUEUE_PROPERTIES;
	to[1] = CL_QUEUE_PROFILING_ENABLE;
	to[2] = 0;
}

cl_command_queue opencl_create_queue_by(lane_cl_create_queue_fn create, cl_context context,
					cl_device_id device, const cl_queue_properties *properties,
					cl_int *errcode_ret)
{
	cl_queue_properties ours[MAX_PROPERTIES + 2];
	cl_command_queue_properties bits;
	size_t n = queue_measure(properties, &bits);
	cl_command_queue queue = NULL;
	bool hidden = false;

	if (!(bits & CL_QUEUE_PROFILING_ENABLE) && n < MAX_PROPERTIES && queue_is_wanted()) {
		add_profiling(properties, n, ours);
		queue = create(context, device, ours, errcode_ret);
		hidden = queue && hide(queue, false, properties, n);
	}
	if (!queue)
		queue = create(context, device, properties, errcode_ret);
	if (queue)
		queue_tell(queue, device, bits, hidden);
	return queue;
}

cl_command_queue CL_API_CALL lane_cl_create_queue_with(cl_context context, cl_device_id device,
						       const cl_queue_properties *properties,
						       cl_int *errcode_ret)
{
	return opencl_create_queue_by(
		LANE_CL_LOAD(lane_cl_target, clCreateCommandQueueWithProperties), context, device,
		properties, errcode_ret);
}

/*
 * Answers CL_QUEUE_PROPERTIES_ARRAY with what the program gave; false when the queue is not hidden,
 * or was made by bits.
 */
static bool get_array(cl_command_queue queue, size_t size, void *value, size_t *size_ret,
		      cl_int *status)
{
	size_t i, bytes;
	bool hidden;

	pthread_mutex_lock(&all.lock);
	i = queue_find(queue);
	hidden = i < all.n && !all.queues[i].by_bits;
	if (hidden) {
		bytes = all.queues[i].array ? all.queues[i].n_array * sizeof(cl_queue_properties)
					    : 0;
		*status = value && size < bytes ? CL_INVALID_VALUE : CL_SUCCESS;
		if (!*status && value && bytes)
			memcpy(value, all.queues[i].array, bytes);
		if (!*status && size_ret)
			*size_ret = bytes;
	}
	pthread_mutex_unlock(&all.lock);
	return hidden;
}

/* Of a queue made by bits some drivers have no array, Intel's has one of the bits. */
static void clear_profiling(cl_queue_properties *array, size_t bytes)
{
	for (size_t i = 0; (i + 2) * sizeof(*array) <= bytes && array[i]; i += 2)
		if (array[i] == CL_QUEUE_PROPERTIES)
			array[i + 1] &= ~(cl_queue_properties)CL_QUEUE_PROFILING_ENABLE;
}

cl_int CL_API_CALL lane_cl_get_queue_info(cl_command_queue command_queue,
					  cl_command_queue_info param_name, size_t param_value_size,
					  void *param_value, size_t *param_value_size_ret)
{
	cl_command_queue_properties *properties = param_value;
	size_t bytes = 0;
	cl_int status;

	/* An error, or a driver that does not know the parameter, has the last word. */
	if (param_name == CL_QUEUE_PROPERTIES_ARRAY &&
	    __atomic_load_n(&n_hidden, __ATOMIC_ACQUIRE) &&
	    !LANE_CL_LOAD(lane_cl_target, clGetCommandQueueInfo)(command_queue, param_name, 0, NULL,
								 &bytes) &&
	    get_array(command_queue, param_value_size, param_value, param_value_size_ret, &status))
		return status;
	status = LANE_CL_LOAD(lane_cl_target, clGetCommandQueueInfo)(
		command_queue, param_name, param_value_size, param_value, param_value_size_ret);
	if (status || !properties || !opencl_queue_is_hidden(command_queue))
		return status;
	if (param_name == CL_QUEUE_PROPERTIES)
		*properties &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
	else if (param_name == CL_QUEUE_PROPERTIES_ARRAY)
		clear_profiling(param_value, bytes);
	return status;
}

cl_int CL_API_CALL lane_cl_set_queue_property(cl_command_queue command_queue,
					      cl_command_queue_properties properties,
					      cl_bool enable,
					      cl_command_queue_properties *old_properties)
{
	bool hidden = opencl_queue_is_hidden(command_queue);
	cl_int status = LANE_CL_LOAD(lane_cl_target, clSetCommandQueueProperty)(
		command_queue, properties, enable, old_properties);

	if (status || !hidden)
		return status;
	if (old_properties)
		*old_properties &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
	/* From here on profiling is as the program wants it. */
	if (properties & CL_QUEUE_PROFILING_ENABLE)
		queue_forget(command_queue);
	return status;
}

/* True when the program is not to see the event's times. */
static bool is_event_hidden(cl_event event)
{
	cl_command_queue queue = NULL;

	return __atomic_load_n(&n_hidden, __ATOMIC_ACQUIRE) &&
	       !LANE_CL_LOAD(lane_cl_target, clGetEventInfo)(event, CL_EVENT_COMMAND_QUEUE,
							     sizeof(queue), &queue, NULL) &&
	       queue && opencl_queue_is_hidden(queue);
}

cl_int CL_API_CALL lane_cl_get_event_profiling(cl_event event, cl_profiling_info param_name,
					       size_t param_value_size, void *param_value,
					       size_t *param_value_size_ret)
{
	struct lane_p_opencl_profiling told = { .event = (uintptr_t)event, .param = param_name };
	cl_int status;

	if (is_event_hidden(event))
		status = CL_PROFILING_INFO_NOT_AVAILABLE;
	else
		status = LANE_CL_LOAD(lane_cl_target, clGetEventProfilingInfo)(
			event, param_name, param_value_size, param_value, param_value_size_ret);
	if (opencl_tracing() && lttng_ust_tracepoint_enabled(gpulane, opencl_profiling)) {
		if (!status && param_value)
			memcpy(&told.value_ns, param_value, sizeof(told.value_ns));
		told.status = status;
		lttng_ust_tracepoint(gpulane, opencl_profiling, &told);
	}
	return status;
}

void opencl_patch(struct lane_cl_table *table)
{
	table->clCreateCommandQueue = lane_cl_create_queue;
	table->clCreateCommandQueueWithProperties = lane_cl_create_queue_with;
	table->clGetCommandQueueInfo = lane_cl_get_queue_info;
	table->clSetCommandQueueProperty = lane_cl_set_queue_property;
	table->clGetEventProfilingInfo = lane_cl_get_event_profiling;
	table->clGetExtensionFunctionAddress = lane_cl_get_extension;
	table->clGetExtensionFunctionAddressForPlatform = lane_cl_get_extension_for;
	table->clCreateProgramWithSource = lane_cl_create_program;
	table->clCreateProgramWithIL = lane_cl_create_program_with_il;
	table->clCreateKernel = lane_cl_create_kernel;
	table->clCloneKernel = lane_cl_clone_kernel;
	table->clCreateKernelsInProgram = lane_cl_create_kernels;
}
