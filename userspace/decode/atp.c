// SPDX-License-Identifier: MIT
// Reads CodeXL's application traces (.atp): OpenCL calls and their commands as events.

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/fit.h"
#include "base/opencl.h"
#include "base/sort.h"
#include "base/vector.h"
#include "decode/atp_file.h"
#include "decode/bytes.h"
#include "decode/decode.h"

#define MAX_BYTES (512ull << 20)
#define MAGIC	  "TraceFileVersion="

struct atp {
	struct lane_decoder base;
	struct lane_trace_info info;
	struct lane_event *events;
	size_t n, cap, at;
};

/* What is being made of a file. */
struct maker {
	struct atp *atp;
	const struct lane_atp_file *file;
	int32_t pid;
	uint64_t commands;
	struct lane_table queues;  /* handle: told */
	struct lane_table kernels; /* handle: its name, told */
	struct lane_table devices; /* hash of the name: number, from 1 */
	uint64_t n_devices;
};

static struct lane_event *atp_append(struct maker *m, uint64_t ts_ns, enum lane_kind kind,
				     int32_t tid)
{
	struct atp *atp = m->atp;
	struct lane_event *event;

	if (!LANE_GROW(atp->events, atp->cap, atp->n + 1))
		return NULL;
	event = &atp->events[atp->n++];
	memset(event, 0, sizeof(*event));
	event->wire.ts_ns = ts_ns;
	event->wire.kind = kind;
	event->wire.pid = m->pid;
	event->wire.tid = tid;
	event->cpu = -1;
	event->raw.ring = LANE_RING_NONE;
	/* The order in which they were made, until they are sorted. */
	event->host = (uint32_t)(atp->n - 1);
	return event;
}

/* The argument at a position of `a;b;c`, cut to size - 1 bytes; false: there are not so many. */
static bool atp_argument(const char *args, int position, char *to, size_t size)
{
	size_t n;

	for (; position; position--) {
		args = strchr(args, ';');
		if (!args)
			return false;
		args++;
	}
	args += strspn(args, " \t");
	n = strcspn(args, "; \t");
	n = n < size ? n : size - 1;
	memcpy(to, args, n);
	to[n] = '\0';
	return n > 0;
}

/* The number that a parameter with that role has, 0 when there is none; `[0x..]` is what it points
 * to. */
static uint64_t role_value(const struct lane_atp_api *api, uint32_t function,
			   enum lane_cl_role role)
{
	int position = function && api ? lane_cl_param(function, role) : -1;
	char text[64];

	if (position < 0 || !atp_argument(api->args, position, text, sizeof(text)))
		return 0;
	return strtoull(text + (text[0] == '['), NULL, 0);
}

static bool is_blocking(const struct lane_atp_api *api, uint32_t function)
{
	int position = function && api ? lane_cl_param(function, LANE_CLR_BLOCKING) : -1;
	char text[64];

	return position >= 0 && atp_argument(api->args, position, text, sizeof(text)) &&
	       !strcmp(text, "CL_TRUE");
}

/* The queue of a call, told when it comes for the first time. */
static bool tell_queue(struct maker *m, const struct lane_atp_thread *thread,
		       const struct lane_atp_stamp *stamp, uint64_t handle)
{
	const char *device = stamp->device ? stamp->device : "";
	uint64_t key = lane_hash_text(device);
	uintptr_t number = (uintptr_t)lane_table_get(&m->devices, key, 0);
	struct lane_event *event;

	if (!stamp->has_command || lane_table_get(&m->queues, handle, 0))
		return true;
	if (!number) {
		number = ++m->n_devices;
		if (!lane_table_put(&m->devices, key, 0, (void *)number))
			return false;
	}
	event = atp_append(m, stamp->begin_ns, LANE_CL_QUEUE, thread->tid);
	if (!event || !lane_table_put(&m->queues, handle, 0, m))
		return false;
	event->u.opencl_queue.queue = handle;
	event->u.opencl_queue.device = number;
	snprintf(event->u.opencl_queue.name, sizeof(event->u.opencl_queue.name), "%.*s",
		 (int)sizeof(event->u.opencl_queue.name) - 1, device);
	return true;
}

/* A kernel's name, told when it comes for the first time or has changed. */
static bool atp_tell_kernel(struct maker *m, const struct lane_atp_thread *thread,
			    const struct lane_atp_stamp *stamp)
{
	const char *told = lane_table_get(&m->kernels, stamp->kernel, 0);
	struct lane_event *event;

	if (!stamp->kernel_name || (told && !strcmp(told, stamp->kernel_name)))
		return true;
	event = atp_append(m, stamp->begin_ns, LANE_CL_KERNEL, thread->tid);
	if (!event)
		return false;
	event->u.opencl_kernel.kernel = stamp->kernel;
	lane_fit(event->u.opencl_kernel.name, sizeof(event->u.opencl_kernel.name) - 1,
		 stamp->kernel_name, strlen(stamp->kernel_name));
	if (told)
		lane_table_del(&m->kernels, stamp->kernel, 0);
	return lane_table_put(&m->kernels, stamp->kernel, 0, stamp->kernel_name);
}

/* CL_SUCCESS, a handle, or an error's name, which is not told apart from others. */
static int32_t status_of(const struct lane_atp_api *api)
{
	if (!api || strncmp(api->returned, "CL_", 3) || !strcmp(api->returned, "CL_SUCCESS"))
		return 0;
	return -1;
}

static uint64_t made_by(const struct lane_atp_api *api, uint32_t function)
{
	if (!api)
		return 0;
	if (api->returned[0] == '0' && api->returned[1] == 'x')
		return strtoull(api->returned, NULL, 16);
	return role_value(api, function, LANE_CLR_EVENT);
}

/* The times of a command. When the program knew is not in the file: at the command's end, or when
 * the call that waits for it returned. */
static bool tell_command(struct maker *m, const struct lane_atp_thread *thread,
			 const struct lane_atp_stamp *stamp, uint64_t queue)
{
	uint64_t end_ns = stamp->times_ns[3];
	struct lane_event *event;

	event = atp_append(m, end_ns > stamp->end_ns ? end_ns : stamp->end_ns, LANE_CL_COMMAND,
			   thread->tid);
	if (!event)
		return false;
	event->u.opencl_command.command = ++m->commands;
	event->u.opencl_command.queue = queue;
	event->u.opencl_command.queued_ns = stamp->times_ns[0];
	event->u.opencl_command.submitted_ns = stamp->times_ns[1];
	event->u.opencl_command.start_ns = stamp->times_ns[2];
	event->u.opencl_command.end_ns = end_ns;
	event->u.opencl_command.type = stamp->type;
	return true;
}

/* One call: what it is about, its entry, its command, its exit. */
static bool atp_tell_call(struct maker *m, const struct lane_atp_thread *thread,
			  const struct lane_atp_stamp *stamp, const struct lane_atp_api *api)
{
	uint32_t function = lane_cl_function_by_name(stamp->name);
	uint64_t queue =
		stamp->has_command ? stamp->queue : role_value(api, function, LANE_CLR_QUEUE);
	uint64_t waits = role_value(api, function, LANE_CLR_WAITS);
	struct lane_event *event;
	bool command = stamp->has_command && status_of(api) == 0;

	if (!tell_queue(m, thread, stamp, queue) || !atp_tell_kernel(m, thread, stamp))
		return false;
	event = atp_append(m, stamp->begin_ns, LANE_CL_ENTRY, thread->tid);
	if (!event)
		return false;
	event->u.opencl_call_entry.queue = queue;
	event->u.opencl_call_entry.object =
		stamp->kernel ? stamp->kernel : role_value(api, function, LANE_CLR_OBJECT);
	event->u.opencl_call_entry.size = stamp->kernel ? stamp->items : stamp->bytes;
	event->u.opencl_call_entry.group = stamp->group;
	event->u.opencl_call_entry.function = function;
	event->u.opencl_call_entry.flags = (uint32_t)(waits < 0xffffff ? waits << 8 : 0) |
					   (is_blocking(api, function) ? 1 : 0);
	if (command && !tell_command(m, thread, stamp, queue))
		return false;
	event = atp_append(m, stamp->end_ns, LANE_CL_EXIT, thread->tid);
	if (!event)
		return false;
	event->u.opencl_call_exit.queue = queue;
	event->u.opencl_call_exit.object = made_by(api, function);
	event->u.opencl_call_exit.command = command ? m->commands : 0;
	event->u.opencl_call_exit.status = status_of(api);
	event->u.opencl_call_exit.function = function;
	return true;
}

/* The threads' names are the program's. */
static bool tell_names(struct maker *m, uint64_t begin_ns)
{
	const char *name = m->file->application;

	for (const char *at = name; *at; at++)
		if (strchr("/\\", *at))
			name = at + 1;
	if (!*name)
		return true;
	for (size_t i = 0; i < m->file->n_threads; i++) {
		struct lane_event *event =
			atp_append(m, begin_ns, LANE_STATEDUMP, m->file->threads[i].tid);
		struct lane_p_lttng_statedump_process_state *to;

		if (!event)
			return false;
		to = &event->u.lttng_statedump_process_state;
		event->wire.origin = LANE_ORIGIN_SNAPSHOT;
		m->atp->info.presence[LANE_STATEDUMP] = LANE_PRESENCE_RECORDED;
		to->tid = to->vtid = m->file->threads[i].tid;
		to->pid = to->vpid = m->pid;
		snprintf(to->name, sizeof(to->name), "%.*s", (int)sizeof(to->name) - 1, name);
	}
	return true;
}

LANE_ORDER(by_time, struct lane_event, LANE_UP(wire.ts_ns) ?: LANE_UP(host))

static bool make_all(struct maker *m)
{
	const struct lane_atp_file *file = m->file;
	uint64_t begin_ns = UINT64_MAX;

	for (size_t i = 0; i < file->n_threads; i++) {
		const struct lane_atp_thread *t = &file->threads[i];

		for (size_t k = 0; k < t->n_stamps; k++)
			if (t->stamps[k].begin_ns < begin_ns)
				begin_ns = t->stamps[k].begin_ns;
	}
	if (begin_ns == UINT64_MAX)
		return true;
	if (!tell_names(m, begin_ns))
		return false;
	for (size_t i = 0; i < file->n_threads; i++) {
		const struct lane_atp_thread *t = &file->threads[i];

		for (size_t k = 0; k < t->n_stamps; k++)
			if (!atp_tell_call(m, t, &t->stamps[k], t->n_apis ? &t->apis[k] : NULL))
				return false;
	}
	return true;
}

static void set_info(struct atp *atp)
{
	struct lane_trace_info *info = &atp->info;

	strcpy(info->tracer, "codexl");
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (kind >= LANE_CL_ENTRY && kind < LANE_CL_PROFILE)
			info->presence[kind] = LANE_PRESENCE_RECORDED;
		else if (info->presence[kind] != LANE_PRESENCE_RECORDED && kind != LANE_LOST &&
			 !lane_is_derived(kind))
			info->presence[kind] = LANE_PRESENCE_ABSENT;
	if (!atp->n)
		return;
	info->begin_ns = atp->events[0].wire.ts_ns;
	info->end_ns = atp->events[atp->n - 1].wire.ts_ns;
}

static void atp_end(struct lane_decoder *decoder)
{
	free(((struct atp *)decoder)->events);
}

/* The file's text, with a NUL behind it. */
static struct lane_error *read_whole(const struct lane_decoder *decoder, char **text, size_t *bytes)
{
	struct stat st;

	if (fstat(decoder->fd, &st))
		return lane_error_errno(errno, "%s", decoder->path);
	if (st.st_size < 0 || (uint64_t)st.st_size > MAX_BYTES)
		return lane_error("%s: larger than %llu MiB", decoder->path, MAX_BYTES >> 20);
	*bytes = (size_t)st.st_size;
	*text = calloc(1, *bytes + 1);
	if (!*text)
		return &lane_enomem;
	errno = EIO; /* of what is shorter now */
	if (!decode_read_at(decoder->fd, 0, *text, *bytes))
		return lane_error_errno(errno, "%s", decoder->path);
	return NULL;
}

static struct lane_error *atp_begin(struct lane_decoder *decoder, const struct lane_names *names)
{
	LANE_CLEANUP(decode_atp_file_deinit) struct lane_atp_file file = { 0 };
	struct atp *atp = (struct atp *)decoder;
	struct maker m = { .atp = atp, .file = &file };
	struct lane_error *err;
	char *text = NULL;
	size_t bytes = 0;
	bool made;

	(void)names;
	err = read_whole(decoder, &text, &bytes);
	if (err) {
		free(text);
		return err;
	}
	err = decode_atp_file_init(text, bytes, decoder->path, &file);
	if (err)
		return err;
	/* The file does not name the process: its first thread has its number. */
	for (size_t i = 0; i < file.n_threads; i++)
		if (!i || file.threads[i].tid < m.pid)
			m.pid = file.threads[i].tid;
	made = make_all(&m);
	lane_table_free(&m.queues);
	lane_table_free(&m.kernels);
	lane_table_free(&m.devices);
	if (!made)
		return &lane_enomem;
	LANE_SORT(atp->events, atp->n, by_time);
	set_info(atp);
	atp->base.info = &atp->info;
	return NULL;
}

static bool atp_probe(const char *path)
{
	return lane_file_begins(path, MAGIC, sizeof(MAGIC) - 1);
}

static struct lane_error *atp_next(struct lane_decoder *decoder, struct lane_event **event)
{
	struct atp *atp = (struct atp *)decoder;

	*event = atp->at < atp->n ? &atp->events[atp->at++] : NULL;
	return NULL;
}

const struct lane_format lane_format_atp = {
	.name = "atp",
	.help = "an application trace of AMD's CodeXL",
	.probe = atp_probe,
	.bytes = sizeof(struct atp),
	.begin = atp_begin,
	.next = atp_next,
	.end = atp_end,
};
