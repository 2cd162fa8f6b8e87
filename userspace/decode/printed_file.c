// SPDX-License-Identifier: MIT
// Reads files of printed events: perf script's, trace-cmd report's, ftrace's file `trace`,
// systrace's.
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/table.h"
#include "base/vector.h"
#include "decode/textlines.h"
#include "decode/printed.h"
#include "decode/call_chain.h"

enum {
	MAX_CPUS = 8192,
	PROBE_BYTES = 16 << 10,
	PROBE_LINES = 100,
	HEAD_LINES = 1 << 20, /* before the first event; a page of systrace has its program there */
	MAX_NAMES = 1 << 16,  /* threads whose names are remembered */
};

/* What a thread was called, before its last event. */
struct printed_thread {
	char comm[16];
};

/* What is known of a CPU. */
struct printed_cpu {
	uint64_t last_ns; /* of its event before */
	uint64_t lost; /* told, to be handed out with its next event; 0 with has_loss: not known */
	bool has_loss;
};

struct file {
	struct lane_decoder base;
	struct lane_textlines lines;
	struct lane_trace_info info;
	struct lane_printed_fields *fields;
	char *pending; /* a line that was looked at and is still to be read */
	size_t pending_length;
	bool is_page;	       /* of systrace, whose script has not ended yet */
	bool has_told_foreign; /* that a line is no event's */
	bool was_chain;	       /* the line before was of a call chain */
	bool loss_waits;       /* what a line that cannot be read would have said */
	bool has_event;	       /* the event waits until a loss or a name is handed out */
	uint64_t overwritten;  /* before the first event, as ftrace counts */
	uint64_t first_ns;     /* of the first event */
	uint64_t printed_ns;   /* of the last line, as it stands there, */
	uint64_t given_ns;     /* and the event's time */
	uint64_t latest_ns;    /* of all events */
	int32_t last_cpu;
	struct printed_cpu *cpus;
	uint32_t n_cpus, next_cpu;
	struct lane_account account;
	struct lane_table threads; /* by number */
	struct lane_pool thread_pool;
	uint32_t n_threads;
	struct lane_call_chains stacks;
	bool has_name; /* the event `thread` comes next */
	struct lane_event event, loss, thread;
};

static struct file *file_of(struct lane_decoder *decoder)
{
	return (struct file *)decoder;
}

static struct lane_error *bad_line(const struct file *file, const char *why)
{
	return lane_error("%s:%" PRIu64 ": %s", file->base.path, file->lines.line, why);
}

static struct printed_cpu *printed_file_cpu_of(struct file *file, int32_t cpu)
{
	if (cpu < 0 || cpu >= MAX_CPUS)
		return NULL;
	if (!LANE_GROW(file->cpus, file->n_cpus, (size_t)cpu + 1))
		return NULL;
	return &file->cpus[cpu];
}

static void make_loss(struct file *file, int32_t cpu, uint64_t count, uint64_t begin_ns,
		      uint64_t end_ns)
{
	struct lane_event *loss = &file->loss;

	if (begin_ns > end_ns)
		begin_ns = end_ns;
	if (!decode_lost_is_possible(count, begin_ns, end_ns))
		count = 0;
	decode_event_clear(loss, LANE_LOST);
	loss->wire.ts_ns = loss->u.gpulane_lost.end_ns = end_ns;
	loss->cpu = loss->u.gpulane_lost.lost_cpu = cpu;
	loss->u.gpulane_lost.begin_ns = begin_ns;
	loss->u.gpulane_lost.count = count;
	file->account.lost += count;
	file->account.lost_uncounted |= !count;
}

/* `CPU:1 [LOST 12 EVENTS]`, ftrace's; `CPU:1 [12 EVENTS DROPPED]`, `CPU:1 [EVENTS DROPPED]`. */
static bool take_loss_line(struct file *file, const char *line)
{
	uint64_t count = 0;
	struct printed_cpu *cpu;
	int number, n = 0;

	if (sscanf(line, "CPU:%9d [%n", &number, &n) < 1 || !n)
		return false;
	if (!strstr(line, "EVENTS"))
		return false;
	line += n;
	if (sscanf(line, "LOST %20" SCNu64, &count) < 1)
		sscanf(line, "%20" SCNu64, &count);
	cpu = printed_file_cpu_of(file, number);
	if (!cpu)
		return true;
	cpu->lost = cpu->has_loss && !cpu->lost ? 0 : cpu->lost + count;
	if (!count)
		cpu->lost = 0;
	cpu->has_loss = true;
	return true;
}

/*
 * An address and a symbol, of a call chain, and the line of source behind it (srcline); or nothing.
 * ftrace's stack traces have `=> symbol`.
 */
static bool is_chain(struct file *file, const char *line)
{
	size_t blank = strspn(line, " \t"), n = strspn(line + blank, "0123456789abcdef");
	bool is_source = file->was_chain && line[0] == ' ' && line[1] == ' ';

	if (!strncmp(line + blank, "=> ", 3))
		return true;
	file->was_chain = blank && n && (line[blank + n] == ' ' || !line[blank + n]);
	return file->was_chain || is_source || !line[blank];
}

/* `##### CPU 1 buffer started ####`: what it held before was overwritten. */
static void take_start(struct file *file, const char *line)
{
	struct printed_cpu *cpu;
	int number;

	if (sscanf(line, "##### CPU %9d buffer started", &number) != 1)
		return;
	cpu = printed_file_cpu_of(file, number);
	if (cpu && !cpu->last_ns)
		cpu->has_loss = true;
}

/* A line that prints no event; false: it has no business here. */
static bool take_other(struct file *file, const char *line)
{
	if (*line == '#')
		take_start(file, line);
	if (*line == '#' || is_chain(file, line) || take_loss_line(file, line))
		return true;
	if (file->is_page && !strncmp(line + strspn(line, " \t"), "</script", 8)) {
		file->is_page = false;
		file->lines.has_ended = true; /* what follows is the page's */
		file->lines.from = file->lines.to;
		return true;
	}
	/* What ends a text that somebody pasted, and the string in a page of 2012, which has a mark
	 * of no time. */
	return !strcmp(line, "```") || !strcmp(line, "\";") || !strncmp(line, "cpus=", 5) ||
	       (file->is_page && !strncmp(line + strspn(line, " \t"), "dummy-0000 ", 11)) ||
	       !strncmp(line, "version = ", 10) ||
	       (!strncmp(line, "CPU:", 4) && strstr(line, "[SUBBUFFER START]"));
}

/* A record of lost events among perf script's lines: `PERF_RECORD_LOST lost 12`. */
static bool take_perf_loss(struct file *file, const struct lane_printed *printed,
			   struct printed_cpu *cpu)
{
	static const char name[] = "PERF_RECORD_LOST";
	uint64_t count = 0;

	if (printed->name_length != sizeof(name) - 1 ||
	    memcmp(printed->name, name, sizeof(name) - 1) != 0)
		return false;
	sscanf(printed->fields, "lost %20" SCNu64, &count);
	make_loss(file, printed->cpu, count, cpu && cpu->last_ns ? cpu->last_ns : printed->ns,
		  printed->ns);
	return true;
}

/* What was lost before this event and told, but not when. */
static bool take_told_loss(struct file *file, const struct lane_printed *printed,
			   struct printed_cpu *cpu)
{
	if (file->overwritten) {
		make_loss(file, -1, file->overwritten, printed->ns, printed->ns);
		file->overwritten = 0;
		return true;
	}
	if (!cpu || !cpu->has_loss)
		return false;
	make_loss(file, printed->cpu, cpu->lost, cpu->last_ns ? cpu->last_ns : file->first_ns,
		  printed->ns);
	cpu->has_loss = false;
	cpu->lost = 0;
	return true;
}

/*
 * The lines are in the order of time, which may be printed coarser than it was: events of several
 * CPUs at one time get times 1 ns apart, so that everything that sorts by time has them in this
 * order.
 */
static uint64_t time_of(struct file *file, const struct lane_printed *printed)
{
	uint64_t ns = printed->ns;

	if (ns >= file->printed_ns && ns <= file->given_ns)
		ns = file->given_ns + (printed->cpu != file->last_cpu);
	file->printed_ns = printed->ns;
	file->last_cpu = printed->cpu;
	return file->given_ns = ns;
}

/* False: the thread's name is not printed, or has been told. */
static bool is_new_name(struct file *file, const struct lane_printed *printed)
{
	struct printed_thread *thread;
	char comm[sizeof(thread->comm)] = "";

	if (printed->tid <= 0 || !printed->comm_length)
		return false;
	memcpy(comm, printed->comm, printed->comm_length);
	thread = lane_table_get(&file->threads, (uint32_t)printed->tid, 0);
	if (!thread && file->n_threads < MAX_NAMES) {
		thread = lane_pool_get(&file->thread_pool);
		if (!thread || !lane_table_put(&file->threads, (uint32_t)printed->tid, 0, thread))
			return false;
		file->n_threads++;
	}
	if (!thread || !memcmp(thread->comm, comm, sizeof(comm)))
		return false;
	memcpy(thread->comm, comm, sizeof(comm));
	return true;
}

/* What the line gives beyond what has been handed out; NULL: nothing. */
static struct lane_event *next_of_line(struct file *file)
{
	struct lane_call_chains *stacks = &file->stacks;
	struct lane_event *stack =
		stacks->has_stack || stacks->n ? decode_call_chain_next(stacks) : NULL;

	if (stack)
		return stack;
	if (file->has_event) {
		file->has_event = false;
		return &file->event;
	}
	if (!file->has_name)
		return NULL;
	file->has_name = false;
	return &file->thread;
}

/* A line tells the name of its thread. */
static void printed_file_take_name(struct file *file, const struct lane_printed *printed)
{
	struct lane_event *event = &file->thread;
	struct lane_p_lttng_statedump_process_state *state =
		&event->u.lttng_statedump_process_state;

	if (!is_new_name(file, printed))
		return;
	decode_event_clear(event, LANE_STATEDUMP);
	state->tid = state->vtid = printed->tid;
	state->pid = state->vpid = printed->pid;
	memcpy(state->name, printed->comm, printed->comm_length);
	event->wire.ts_ns = file->latest_ns; /* also where the line is out of order */
	event->wire.tid = printed->tid;
	event->wire.pid = printed->pid;
	event->wire.origin = LANE_ORIGIN_SNAPSHOT;
	file->has_name = true;
}

/* The head of a stack trace: `<stack trace>`, `kernel_stack: <stack trace >`, `<user stack trace>`.
 * It is of the event before. */
static bool is_stack(const struct lane_printed *printed)
{
	const char *at = *printed->name == '<' ? printed->name : printed->fields;

	return !strncmp(at, "<stack trace", 12) || !strncmp(at, "<user stack trace", 17);
}

/*
 * The next line. In a page of systrace up to 2013 the lines are those of a string: each ends with
 * `\n\`.
 */
static struct lane_error *printed_file_next_line(struct file *file, char **line, size_t *length)
{
	struct lane_error *err = decode_textlines_next(&file->lines, line, length);

	if (*length > 2 && !memcmp(*line + *length - 3, "\\n\\", 3)) {
		*length -= 3;
		(*line)[*length] = '\0';
	}
	return err;
}

/* A line that is needed again. */
static void put_back(struct file *file, char *line, size_t length)
{
	file->pending = line;
	file->pending_length = length;
}

/* A thread may have the name of a hexadecimal number: `     bad 12 [001] 1.5: sched:sched_switch:`.
 */
static bool is_frame(char *line, size_t length)
{
	struct lane_printed printed;

	return decode_call_chain_looks_like_frame(line) &&
	       (*line == '\t' || *line == '=' || !decode_printed_line(line, length, &printed));
}

/* The stack of the event, which stands behind it; ftrace prints a head above it. */
static struct lane_error *take_stack(struct file *file, bool is_ftrace, uint32_t why)
{
	struct lane_printed printed;
	struct lane_error *err = NULL;
	size_t length = 0;
	char *line = NULL;

	for (;;) {
		err = printed_file_next_line(file, &line, &length);
		if (err || !line)
			break;
		if (is_frame(line, length)) {
			decode_call_chain_frame(&file->stacks, line);
			continue;
		}
		/* `<stack trace>`, and that of the program */
		if (!is_ftrace || !memchr(line, '<', length) || !strstr(line, "stack trace") ||
		    !decode_printed_line(line, length, &printed) || !is_stack(&printed) ||
		    printed.tid != file->event.wire.tid)
			break;
		file->account.events++;
	}
	if (line && !err)
		put_back(file, line, length);
	if (!err && !decode_call_chain_end(&file->stacks, &file->event, why))
		err = &lane_enomem;
	return err;
}

/* The thread is looked at: the stack is all that there is of it. */
static struct lane_error *printed_file_take_sample(struct file *file,
						   const struct lane_printed *printed)
{
	decode_event_clear(&file->event, LANE_STACK);
	file->event.wire.ts_ns = printed->ns;
	file->event.wire.tid = printed->tid;
	file->event.wire.pid = printed->pid;
	file->event.wire.origin = LANE_ORIGIN_TRACEPOINT;
	file->event.cpu = printed_file_cpu_of(file, printed->cpu) ? printed->cpu : -1;
	return take_stack(file, printed->is_ftrace, LANE_STACK_RUNS);
}

/* Reads one line; what it gives is in *event, NULL when that is nothing. */
static struct lane_error *take_line(struct file *file, char *line, size_t length,
				    struct lane_event **event)
{
	struct lane_printed printed;
	bool has_loss;
	struct printed_cpu *cpu;
	struct lane_error *err;
	const char *why, *at;
	uint32_t why_stack;
	int kind;

	if (!decode_printed_line(line, length, &printed)) {
		if (take_other(file, line))
			return NULL;
		file->base.skipped++;
		make_loss(file, -1, 1, file->account.end_ns, file->account.end_ns);
		file->loss_waits = true;
		if (file->has_told_foreign)
			return NULL;
		file->has_told_foreign = true;
		return bad_line(file, "not the line of an event (further ones are not told)");
	}
	cpu = printed_file_cpu_of(file, printed.cpu);
	if (take_perf_loss(file, &printed, cpu)) {
		*event = &file->loss;
		return NULL;
	}
	printed.ns = time_of(file, &printed);
	if (!file->first_ns)
		file->first_ns = printed.ns;
	if (printed.ns > file->latest_ns)
		file->latest_ns = printed.ns;
	has_loss = take_told_loss(file, &printed, cpu);
	if (cpu)
		cpu->last_ns = printed.ns;
	file->account.events++;
	file->account.end_ns = printed.ns;
	kind = decode_printed_kind(file->fields, printed.name, printed.name_length);
	if (kind < 0 && decode_call_chain_samples(line, &printed)) {
		err = printed_file_take_sample(file, &printed);
		if (err)
			return err;
	} else if (kind < 0 && !is_stack(&printed)) {
		decode_leave_out(&file->base, printed.name, printed.name_length);
	} else if (kind >= 0) {
		decode_event_clear(&file->event, kind);
		file->event.wire.ts_ns = printed.ns;
		file->event.wire.tid = printed.tid;
		file->event.wire.pid = printed.pid;
		file->event.wire.origin = LANE_ORIGIN_TRACEPOINT;
		file->event.cpu = cpu ? printed.cpu : -1;
		file->event.raw.narrow = lane_is_fence((uint32_t)kind);
		file->event.raw.engine_notify =
			printed.name_length == strlen(LANE_ENGINE_NOTIFY) &&
			!memcmp(printed.name, LANE_ENGINE_NOTIFY, printed.name_length);
		why = decode_printed_fields(file->fields, kind, printed.fields, &file->event, &at);
		if (why) {
			if (has_loss)
				file->loss.u.gpulane_lost.count = 0; /* and this one */
			else
				make_loss(file, cpu ? printed.cpu : -1, 1, printed.ns, printed.ns);
			file->loss_waits = true;
			return lane_error("%s:%" PRIu64 ": %s: `%.20s' is %s", file->base.path,
					  file->lines.line, lane_kinds[kind].name, at, why);
		}
		printed_file_take_name(file, &printed);
		file->has_event = true;
		why_stack = decode_call_chain_why(&file->event);
		err = why_stack ? take_stack(file, printed.is_ftrace, why_stack) : NULL;
		if (err)
			return err;
	}
	*event = has_loss ? &file->loss : next_of_line(file);
	return NULL;
}

/* No line is left of a page of systrace, whose script has not ended. */
static struct lane_error *cut_page(struct file *file)
{
	file->is_page = false;
	make_loss(file, -1, 0, file->account.end_ns, file->account.end_ns);
	file->loss_waits = true;
	return lane_error("%s: the page is cut off", file->base.path);
}

/* All lines are read: of a CPU without a further event, what it lost comes last. NULL: nothing is
 * left. */
static struct lane_event *take_last_loss(struct file *file)
{
	for (; file->next_cpu < file->n_cpus; file->next_cpu++) {
		struct printed_cpu *cpu = &file->cpus[file->next_cpu];

		if (!cpu->has_loss)
			continue;
		cpu->has_loss = false;
		make_loss(file, (int32_t)file->next_cpu, cpu->lost,
			  cpu->last_ns ? cpu->last_ns : file->first_ns, file->account.end_ns);
		return &file->loss;
	}
	return NULL;
}

static struct lane_error *file_next(struct lane_decoder *decoder, struct lane_event **event)
{
	struct file *file = file_of(decoder);
	struct lane_error *err;
	size_t length;
	char *line;

	*event = next_of_line(file);
	while (!*event) {
		if (file->loss_waits) {
			file->loss_waits = false;
			*event = &file->loss;
			return NULL;
		}
		line = file->pending;
		length = file->pending_length;
		file->pending = NULL;
		if (!line) {
			err = printed_file_next_line(file, &line, &length);
			if (!err && !line && file->is_page)
				return cut_page(file);
			if (err || !line) {
				*event = err ? NULL : take_last_loss(file);
				return err;
			}
		}
		err = take_line(file, line, length, event);
		if (err)
			return err;
	}
	return NULL;
}

/* `# os release : 6.1.0`, and others that perf script --header prints. */
static void take_fact(struct file *file, const char *line)
{
	static const struct {
		const char *key;
		size_t offset, size;
	} facts[] = {
#define FACT(text, member)                                                                         \
	{ text, offsetof(struct lane_trace_info, member),                                          \
	  sizeof(((struct lane_trace_info *)0)->member) }
		FACT("# hostname : ", host),
		FACT("# os release : ", release),
		FACT("# perf version : ", tracer_version),
#undef FACT
	};
	uint64_t there, written;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		size_t n = strlen(facts[i].key);

		if (!strncmp(line, facts[i].key, n))
			snprintf((char *)&file->info + facts[i].offset, facts[i].size, "%s",
				 line + n);
	}
	if (sscanf(line, "# entries-in-buffer/entries-written: %20" SCNu64 "/%20" SCNu64, &there,
		   &written) == 2 &&
	    written > there)
		file->overwritten = written - there;
}

/* Reads up to the first event. */
static struct lane_error *printed_file_read_head(struct file *file)
{
	struct lane_printed printed;
	struct lane_error *err;
	bool has_lines = false;
	size_t length;
	char *line;

	for (unsigned int n = 0; n < HEAD_LINES; n++) {
		err = printed_file_next_line(file, &line, &length);
		if (err)
			return err;
		if (!line)
			break;
		if (*line == '#')
			take_fact(file, line);
		else if (!strncmp(line, "<!DOCTYPE", 9) || !strncmp(line, "<html", 5))
			file->is_page = true;
		else
			take_loss_line(file, line);
		if (*line == '#' || file->lines.was_cut)
			continue;
		/* The line is needed again: nothing may be changed in it. */
		has_lines |= !file->is_page && *line;
		if (!decode_printed_line(line, length, &printed))
			continue;
		strcpy(file->info.tracer, printed.is_ftrace ? "ftrace" : "perf");
		file->pending = line;
		file->pending_length = strlen(line);
		return NULL;
	}
	return lane_error("%s: no event is in it%s", file->base.path,
			  has_lines ? ", or none with its CPU and its time in seconds" : "");
}

static void file_end(struct lane_decoder *decoder)
{
	struct file *file = file_of(decoder);

	decode_textlines_deinit(&file->lines);
	lane_table_free(&file->threads);
	lane_pool_free(&file->thread_pool);
	decode_call_chains_free(&file->stacks);
	free(file->fields);
	free(file->cpus);
}

static struct lane_error *file_begin(struct lane_decoder *decoder, const struct lane_names *names)
{
	struct file *file = file_of(decoder);
	struct lane_error *err;

	file->base.info = &file->info;
	file->account.cpu = -1;
	file->base.accounts = &file->account;
	file->base.n_accounts = 1;
	file->thread_pool.size = sizeof(struct printed_thread);
	file->fields = malloc(sizeof(*file->fields));
	if (!file->fields)
		return &lane_enomem;
	decode_printed_init(file->fields, names);
	err = decode_textlines_init(&file->lines, decoder->path, decoder->fd);
	if (!err)
		err = printed_file_read_head(file);
	file->fields->is_kernel_known = *file->info.release;
	return err;
}

/* True when one of the first lines prints an event, or the head is ftrace's or systrace's. */
static bool is_printed(char *text)
{
	struct lane_printed printed;
	char *line = text, *end;

	if (!strncmp(text, "# tracer: ", 10) ||
	    (!strncmp(text, "<!DOCTYPE", 9) && strstr(text, "Android System Trace")))
		return true;
	for (unsigned int n = 0; n < PROBE_LINES; n++, line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			break;
		if (*line != '#' && decode_printed_line(line, (size_t)(end - line), &printed))
			return true;
	}
	return false;
}

static bool file_probe(const char *path)
{
	LANE_CLEANUP(lane_close) int fd = -1;
	LANE_CLEANUP(lane_drop_error)
	struct lane_error *err = lane_file_open(AT_FDCWD, path, path, &fd);
	LANE_CLEANUP(lane_free) char *text = malloc(PROBE_BYTES + 1);
	ssize_t n;

	if (err || !text)
		return false;
	n = read(fd, text, PROBE_BYTES);
	if (n <= 0 || memchr(text, 0, (size_t)n))
		return false;
	text[n] = '\0';
	return is_printed(text);
}

const struct lane_format lane_format_printed = {
	.name = "printed",
	.help = "events as perf script, trace-cmd report, ftrace and systrace print them",
	.probe = file_probe,
	.bytes = sizeof(struct file),
	.begin = file_begin,
	.next = file_next,
	.end = file_end,
};
