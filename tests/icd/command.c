// SPDX-License-Identifier: MIT
// Commands: what they wait for, when they go to the GPU, in which requests; and who computes their
// results.
//
// A command goes to the GPU in the thread that enqueues it, unless it waits for something that has
// not gone yet or is held back for a batch. Its result is computed by one thread for all queues, as
// soon as everything before it is; the GPU's time passes meanwhile. It is complete when both are
// done.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "icd.h"

#define MAX_FENCES 64

/* Recursive: what is let go of with it held may take more with it. */
pthread_mutex_t icd_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_cond_t icd_changed = PTHREAD_COND_INITIALIZER;

static cl_command_queue queues;
static cl_event to_compute, *to_compute_end = &to_compute;
static bool computing;
static unsigned int n_commands;
static __thread unsigned int thread_commands;

void icd_retain(cl_uint *refs)
{
	__atomic_add_fetch(refs, 1, __ATOMIC_RELAXED);
}

bool icd_release(cl_uint *refs)
{
	return !__atomic_sub_fetch(refs, 1, __ATOMIC_ACQ_REL);
}

/* --- results ------------------------------------------------------------------------------------
 */

static void fill(unsigned char *to, const unsigned char *pattern, size_t n, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = pattern[i % n];
}

static void compute(const struct icd_work *work)
{
	if (work->kernel && icd_options.only_time)
		return;
	if (work->kernel)
		icd_run_kernel(work);
	else if (work->pattern)
		fill(work->to, work->pattern_bytes, work->pattern, work->bytes);
	else if (work->to)
		memmove(work->to, work->from, work->bytes);
}

static void drop_work(struct icd_work *work)
{
	if (work->memory)
		icd_mem_put(work->memory);
	for (unsigned int i = 0; work->kernel && i < ICD_MAX_ARGS; i++)
		if (work->args[i].memory)
			icd_mem_put(work->args[i].memory);
	if (work->kernel)
		icd_kernel_put(work->kernel);
	*work = (struct icd_work){ .bytes = 0 };
}

static bool deps_computed(const struct _cl_event *command)
{
	for (unsigned int i = 0; i < command->n_deps; i++)
		if (!command->deps[i]->computed)
			return false;
	return true;
}

/* The oldest command whose result can be computed now, taken from the list. */
static cl_event next_to_compute(void)
{
	cl_event *at = &to_compute, command;

	while (*at && !deps_computed(*at))
		at = &(*at)->next_compute;
	command = *at;
	if (!command)
		return NULL;
	*at = command->next_compute;
	if (to_compute_end == &command->next_compute)
		to_compute_end = at;
	return command;
}

static void *compute_all(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&icd_lock);
	for (;;) {
		cl_event command = next_to_compute();

		if (!command) {
			pthread_cond_wait(&icd_changed, &icd_lock);
			continue;
		}
		pthread_mutex_unlock(&icd_lock);
		if (command->status >= 0)
			compute(&command->work);
		drop_work(&command->work);
		pthread_mutex_lock(&icd_lock);
		command->computed = true;
		pthread_cond_broadcast(&icd_changed);
		pthread_mutex_unlock(&icd_lock);
		icd_event_put(command);
		pthread_mutex_lock(&icd_lock);
	}
	return NULL;
}

/* A thread that nobody joins, which takes no signals of the program. */
static bool start_thread(void *(*function)(void *), void *data)
{
	pthread_attr_t detached;
	pthread_t thread;
	sigset_t all, before;
	bool started;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = !pthread_create(&thread, &detached, function, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&detached);
	return started;
}

/* --- submission ---------------------------------------------------------------------------------
 */

/* Standard normal, as the sum of twelve uniform numbers less six. */
static double normal(void)
{
	static uint64_t state;
	double sum = -6;

	if (!state)
		state = (uint64_t)icd_options.seed * 2 + 1;
	for (int i = 0; i < 12; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		sum += (double)(state >> 11) / 9007199254740992.0;
	}
	return sum;
}

/*
 * A device that is a law: a kernel's loop takes loop_ns, or issue_ns for each warp of a group,
 * whichever is more; so often as its second argument says. Four chains of work (op_memory4) are as
 * much as four warps.
 */
static uint64_t duration_by_law(const struct icd_work *work)
{
	int64_t loops = (int32_t)work->args[1].value;
	int64_t warps = ((int64_t)work->local[0] + icd_options.width - 1) / icd_options.width;
	const char *name = work->kernel->signature->name;

	if (strlen(name) && name[strlen(name) - 1] == '4')
		warps *= 4;
	int64_t loop = icd_options.issue_ns * warps > icd_options.loop_ns
			       ? icd_options.issue_ns * warps
			       : icd_options.loop_ns;
	double ns = 5000 + (double)(loops > 0 ? loops : 0) * (double)loop;

	return (uint64_t)(ns * (1 + (double)icd_options.noise / 1000 * normal()));
}

static uint64_t duration_of(const struct _cl_event *command)
{
	const struct icd_work *work = &command->work;
	uint64_t items = 1;

	if (command->type != CL_COMMAND_NDRANGE_KERNEL && command->type != CL_COMMAND_TASK)
		return icd_options.transfer_ns >= 0 ? (uint64_t)icd_options.transfer_ns
						    : 10000 + work->bytes / 8;
	if (icd_options.kernel_ns >= 0)
		return (uint64_t)icd_options.kernel_ns;
	if (icd_options.loop_ns)
		return duration_by_law(work);
	for (cl_uint i = 0; i < work->dimensions; i++)
		items *= work->global[i];
	return 50000 + 20 * items;
}

static uint64_t context_of(cl_command_queue queue, const struct _cl_event *command)
{
	bool kernel =
		command->type == CL_COMMAND_NDRANGE_KERNEL || command->type == CL_COMMAND_TASK;

	if (queue->n_ctx == 1)
		return queue->ctx[0];
	if (icd_options.copy_engine)
		return queue->ctx[!kernel];
	return queue->ctx[queue->turn++ % 2];
}

/* Adds what the GPU must wait for when it waits for dep. */
static void add_fences(const struct _cl_event *dep, struct gpu_request *fences, unsigned int *n)
{
	if (dep->in_run || dep->status == CL_COMPLETE || *n == MAX_FENCES)
		return;
	if (dep->n_requests) {
		fences[(*n)++] = dep->requests[dep->n_requests - 1];
		return;
	}
	for (unsigned int i = 0; i < dep->n_deps; i++)
		add_fences(dep->deps[i], fences, n);
}

/* Commands that go together, in one request or, a kernel alone, in several. */
struct run {
	cl_event commands[64];
	unsigned int n;
	unsigned int n_work; /* of them have work for the GPU */
	bool flushed;
};

static void submit_run(cl_command_queue queue, struct run *run)
{
	struct gpu_request fences[MAX_FENCES];
	unsigned int n_fences = 0, parts = 1, share = 0;
	uint64_t duration = 0, ctx = 0;
	struct gpu_request requests[ICD_MAX_REQUESTS];
	uint64_t now;

	for (unsigned int i = 0; i < run->n; i++) {
		cl_event command = run->commands[i];

		for (unsigned int d = 0; d < command->n_deps; d++)
			add_fences(command->deps[d], fences, &n_fences);
		if (!command->has_request)
			continue;
		ctx = ctx ? ctx : context_of(queue, command);
		duration += duration_of(command);
		if (run->n_work == 1 && command->work.kernel)
			parts = icd_options.split;
	}
	now = gpu_now();
	for (unsigned int p = 0; run->n_work && p < parts; p++)
		if (!gpu_submit(ctx, duration / parts, fences, p ? 0 : n_fences, &requests[p]))
			parts = p;
	for (unsigned int i = 0; i < run->n; i++) {
		cl_event command = run->commands[i];

		command->submit_ns = now;
		command->submitted = true;
		command->in_run = false;
		if (command->status == CL_QUEUED)
			command->status = CL_SUBMITTED;
		if (command->has_request) {
			command->n_requests = parts;
			memcpy(command->requests, requests, parts * sizeof(requests[0]));
			command->share = share++;
			command->n_shares = run->n_work;
		}
		icd_truth_submitted(command);
	}
	*run = (struct run){ .n = 0 };
	pthread_cond_broadcast(&icd_changed);
}

/* 1: everything it waits for has gone or goes with it; -1: something failed; 0: not yet. */
static int ready(const struct _cl_event *command)
{
	for (unsigned int i = 0; i < command->n_deps; i++) {
		cl_event dep = command->deps[i];

		if (dep->status < 0)
			return -1;
		if (command->flushed && !dep->submitted && !dep->in_run && dep->queue &&
		    dep->queue != command->queue)
			icd_flush(dep->queue);
		if (!dep->submitted && !(dep->in_run && dep->queue == command->queue))
			return 0;
	}
	return 1;
}

static void fail_command(cl_event command)
{
	command->status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	command->submitted = true;
	pthread_cond_broadcast(&icd_changed);
}

static void submit_queue(cl_command_queue queue)
{
	bool in_order = !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	struct run run = { .n = 0 };

	for (cl_event command = queue->first; command; command = command->next_queue) {
		int is = command->submitted ? 1 : ready(command);

		if (command->submitted)
			continue;
		if (is < 0)
			fail_command(command);
		if (is <= 0 && in_order)
			break;
		if (is <= 0)
			continue;
		run.commands[run.n++] = command;
		command->in_run = true;
		run.n_work += command->has_request;
		run.flushed |= command->flushed;
		if (run.n_work >= icd_options.batch || icd_options.batch == 1 || run.n == 64)
			submit_run(queue, &run);
	}
	if (run.n && (run.flushed || !run.n_work)) {
		submit_run(queue, &run);
		return;
	}
	for (unsigned int i = 0; i < run.n; i++)
		run.commands[i]->in_run = false;
}

void icd_submit_what_can(void)
{
	bool again = true;

	/* What one queue submits may be what another one waits for. */
	while (again) {
		again = false;
		for (cl_command_queue queue = queues; queue; queue = queue->next) {
			unsigned int before = 0, after = 0;

			for (cl_event c = queue->first; c; c = c->next_queue)
				before += !c->submitted;
			submit_queue(queue);
			for (cl_event c = queue->first; c; c = c->next_queue)
				after += !c->submitted;
			again |= after < before && queues->next;
		}
	}
}

void icd_flush(cl_command_queue queue)
{
	bool news = false;

	for (cl_event command = queue->first; command; command = command->next_queue) {
		news |= !command->flushed;
		command->flushed = true;
	}
	if (news)
		submit_queue(queue);
}

/* --- a command's beginning and end
 * ---------------------------------------------------------------- */

static unsigned int queue_length(const struct _cl_command_queue *queue)
{
	unsigned int n = 0;

	for (cl_event command = queue->first; command; command = command->next_queue)
		n++;
	return n;
}

static void add_dep(cl_event command, cl_event dep)
{
	if (!dep || dep->status == CL_COMPLETE)
		return;
	icd_retain(&dep->refs);
	command->deps[command->n_deps++] = dep;
}

/* What a command waits for besides its list. */
static void add_order(cl_event command, cl_uint n_list)
{
	cl_command_queue queue = command->queue;
	bool all = !n_list &&
		   (command->type == CL_COMMAND_MARKER || command->type == CL_COMMAND_BARRIER);

	if (!(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {
		add_dep(command, queue->last);
		return;
	}
	add_dep(command, queue->barrier);
	for (cl_event before = queue->first; all && before; before = before->next_queue)
		add_dep(command, before);
}

static cl_int check_list(cl_command_queue queue, cl_uint n, const cl_event *list)
{
	if (!n != !list)
		return CL_INVALID_EVENT_WAIT_LIST;
	for (cl_uint i = 0; i < n; i++) {
		if (!list[i])
			return CL_INVALID_EVENT_WAIT_LIST;
		if (list[i]->context != queue->context)
			return CL_INVALID_CONTEXT;
	}
	return CL_SUCCESS;
}

cl_event icd_command(cl_command_queue queue, cl_command_type type, bool has_request, cl_uint n,
		     const cl_event *list, cl_int *status)
{
	cl_event command;

	*status = queue ? check_list(queue, n, list) : CL_INVALID_COMMAND_QUEUE;
	if (*status)
		return NULL;
	command = calloc(1, sizeof(*command));
	*status = CL_OUT_OF_HOST_MEMORY;
	if (!command)
		return NULL;
	command->dispatch = &icd_dispatch;
	command->refs = 2; /* the queue's list, the list of what is to be computed */
	command->context = queue->context;
	command->queue = queue;
	command->type = type;
	command->status = CL_QUEUED;
	command->has_request = has_request;
	command->deps = calloc(n + 1, sizeof(*command->deps));
	if (!command->deps) {
		free(command);
		return NULL;
	}
	pthread_mutex_lock(&icd_lock);
	for (cl_uint i = 0; i < n; i++)
		add_dep(command, list[i]);
	pthread_mutex_unlock(&icd_lock);
	icd_retain(&queue->refs);
	icd_retain(&queue->context->refs);
	*status = CL_SUCCESS;
	return command;
}

static void link_command(cl_event command, cl_uint n_list)
{
	cl_command_queue queue = command->queue;
	size_t room = command->n_deps + queue_length(queue) + 2;
	cl_event *deps = realloc(command->deps, room * sizeof(*deps));

	if (!deps)
		abort();
	command->deps = deps;
	add_order(command, n_list);
	if (queue->last)
		queue->last->next_queue = command;
	else
		queue->first = command;
	queue->last = command;
	if (command->type == CL_COMMAND_BARRIER) {
		if (queue->barrier)
			icd_event_put(queue->barrier);
		icd_retain(&command->refs);
		queue->barrier = command;
	}
	*to_compute_end = command;
	to_compute_end = &command->next_compute;
	computing = computing || start_thread(compute_all, NULL);
	command->queued_ns = gpu_now();
	command->number = ++n_commands;
	command->thread_command = ++thread_commands;
	command->tid = (int)syscall(SYS_gettid);
	command->flushed = icd_options.batch == 1;
	icd_truth_enqueued(command);
}

cl_int icd_command_go(cl_event command, cl_event *event, bool blocking)
{
	cl_int status = CL_SUCCESS;

	icd_retain(&command->refs); /* ours */
	if (event) {
		icd_retain(&command->refs);
		*event = command;
	}
	pthread_mutex_lock(&icd_lock);
	link_command(command, command->n_deps);
	submit_queue(command->queue);
	icd_submit_what_can();
	pthread_cond_broadcast(&icd_changed);
	pthread_mutex_unlock(&icd_lock);
	if (blocking) {
		status = icd_wait(command);
		if (status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && event) {
			icd_event_put(*event);
			*event = NULL;
		}
	}
	icd_event_put(command);
	return status;
}

/* Takes it from its queue; with the lock held. The queue's reference is the caller's then. */
static bool unlink_command(cl_event command)
{
	cl_command_queue queue = command->queue;
	cl_event *at = &queue->first, before = NULL;

	while (*at && *at != command) {
		before = *at;
		at = &(*at)->next_queue;
	}
	if (!*at)
		return false;
	*at = command->next_queue;
	if (queue->last == command)
		queue->last = before;
	return true;
}

static void drop_deps(cl_event command)
{
	while (command->n_deps)
		icd_event_put(command->deps[--command->n_deps]);
}

/* The command is over; with the lock held. */
static void complete(cl_event command)
{
	if (!unlink_command(command))
		return;
	if (command->status >= 0)
		command->status = CL_COMPLETE;
	if (!command->has_request) {
		command->start_ns = command->end_ns = gpu_now();
		command->timed = true;
	}
	if (command->queue->barrier == command) {
		command->queue->barrier = NULL;
		icd_event_put(command);
	}
	drop_deps(command);
	pthread_cond_broadcast(&icd_changed);
	icd_event_put(command);
}

/* Everything before it in an in-order queue is over too, when its results are there. */
static void complete_up_to(cl_event command)
{
	cl_command_queue queue = command->queue;

	if (!(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) && command->status >= 0)
		while (queue->first && queue->first != command &&
		       queue->first->number < command->number)
			complete(queue->first);
	complete(command);
}

static void wait_for_deps(cl_event command)
{
	unsigned int n;
	cl_event *deps;

	pthread_mutex_lock(&icd_lock);
	n = command->n_deps;
	deps = calloc(n + 1, sizeof(cl_event));
	for (unsigned int i = 0; deps && i < n; i++) {
		deps[i] = command->deps[i];
		icd_retain(&deps[i]->refs);
	}
	pthread_mutex_unlock(&icd_lock);
	for (unsigned int i = 0; deps && i < n; i++) {
		icd_wait(deps[i]);
		icd_event_put(deps[i]);
	}
	free(deps);
}

cl_int icd_wait(cl_event command)
{
	cl_int status;

	pthread_mutex_lock(&icd_lock);
	if (command->queue) {
		icd_flush(command->queue);
		icd_submit_what_can();
	}
	while (command->queue ? !command->submitted : command->status > CL_COMPLETE)
		pthread_cond_wait(&icd_changed, &icd_lock);
	status = command->status;
	pthread_mutex_unlock(&icd_lock);
	if (!command->queue || status == CL_COMPLETE)
		return status;
	if (status >= 0 && command->n_requests)
		gpu_wait(&command->requests[command->n_requests - 1]);
	else if (status >= 0)
		wait_for_deps(command);
	pthread_mutex_lock(&icd_lock);
	while (!command->computed && status >= 0)
		pthread_cond_wait(&icd_changed, &icd_lock);
	complete_up_to(command);
	status = command->status;
	pthread_mutex_unlock(&icd_lock);
	return status;
}

void icd_times(cl_event command)
{
	uint64_t first = 0, last = 0, unused;

	if (command->timed)
		return;
	if (!command->n_requests || !gpu_times(&command->requests[0], &first, &unused) ||
	    !gpu_times(&command->requests[command->n_requests - 1], &unused, &last))
		return;
	command->start_ns = first + (last - first) * command->share / command->n_shares;
	command->end_ns = first + (last - first) * (command->share + 1) / command->n_shares;
	command->timed = true;
}

void icd_event_put(cl_event event)
{
	struct icd_callback *callback;

	if (!icd_release(&event->refs))
		return;
	drop_deps(event);
	while ((callback = event->callbacks)) {
		event->callbacks = callback->next;
		free(callback);
	}
	if (event->queue)
		icd_queue_put(event->queue);
	icd_context_put(event->context);
	free(event->deps);
	free(event);
}

/* --- call-backs
 * ----------------------------------------------------------------------------------- */

_Thread_local bool icd_in_callback;

void icd_callbacks(cl_event event)
{
	bool was_in_callback = icd_in_callback;
	struct icd_callback *due, *callback;
	cl_int status;

	pthread_mutex_lock(&icd_lock);
	due = event->callbacks;
	event->callbacks = NULL;
	status = event->status;
	pthread_mutex_unlock(&icd_lock);
	while ((callback = due)) {
		due = callback->next;
		icd_in_callback = true;
		callback->function(event, status < 0 ? status : callback->status, callback->data);
		icd_in_callback = was_in_callback;
		free(callback);
	}
}

/* The oldest one that has gone to the GPU, taken from the list. */
static cl_event next_to_notify(cl_command_queue queue)
{
	cl_event *at = &queue->to_notify, command;

	while (*at && !(*at)->submitted)
		at = &(*at)->next_notify;
	command = *at;
	if (command)
		*at = command->next_notify;
	return command;
}

static void *notify_all(void *data)
{
	cl_command_queue queue = data;

	pthread_mutex_lock(&icd_lock);
	for (;;) {
		cl_event command = next_to_notify(queue);

		if (!command && !queue->refs) {
			pthread_mutex_unlock(&icd_lock);
			free(queue);
			return NULL;
		}
		if (!command) {
			pthread_cond_wait(&icd_changed, &icd_lock);
			continue;
		}
		pthread_mutex_unlock(&icd_lock);
		icd_wait(command);
		icd_callbacks(command);
		icd_event_put(command);
		pthread_mutex_lock(&icd_lock);
	}
}

void icd_notify(cl_event command)
{
	cl_command_queue queue = command->queue;
	cl_event *at = &queue->to_notify;

	while (*at && *at != command)
		at = &(*at)->next_notify;
	if (*at)
		return;
	icd_retain(&command->refs);
	command->next_notify = NULL;
	*at = command;
	queue->notifying = queue->notifying || start_thread(notify_all, queue);
	pthread_cond_broadcast(&icd_changed);
}

/* --- queues
 * --------------------------------------------------------------------------------------- */

void icd_queue_add(cl_command_queue queue)
{
	pthread_mutex_lock(&icd_lock);
	queue->next = queues;
	queues = queue;
	pthread_mutex_unlock(&icd_lock);
}

void icd_queue_put(cl_command_queue queue)
{
	cl_command_queue *at = &queues;
	bool last;

	pthread_mutex_lock(&icd_lock);
	last = icd_release(&queue->refs);
	while (last && *at && *at != queue)
		at = &(*at)->next;
	if (last && *at)
		*at = queue->next;
	if (last)
		icd_context_put(queue->context);
	if (last && !queue->notifying)
		free(queue);
	pthread_cond_broadcast(&icd_changed);
	pthread_mutex_unlock(&icd_lock);
}
