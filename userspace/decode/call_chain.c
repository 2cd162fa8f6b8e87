// SPDX-License-Identifier: MIT
// Reads printed call chains and stack traces, and makes gpulane's stacks of these and of others.
#include "decode/call_chain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Different parts of stacks that are told; those beyond count as lost. */
#define MAX_TOLD 65536

uint32_t decode_call_chain_why(const struct lane_event *event)
{
	switch (event->wire.kind) {
	case LANE_RQ_ADD:
	case LANE_DRM_QUEUE:
		return LANE_STACK_SUBMITS;
	case LANE_RQ_WAIT_BEGIN:
	case LANE_FENCE_WAIT_START:
		return LANE_STACK_WAITS;
	case LANE_SWITCH:
		/* the bits above say that it can run */
		return event->u.sched_switch.prev_state & 0xff ? LANE_STACK_SLEEPS : 0;
	default:
		return 0;
	}
}

bool decode_call_chain_samples(const char *line, const struct lane_printed *printed)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock", "cycles", "cpu-cycles" };
	const char *begin = printed->name, *end = begin + printed->name_length, *slash;
	size_t n;

	/* With its modifiers: cpu-clock:pppH. */
	while (begin > line && begin[-1] != ' ' && begin[-1] != '\t')
		begin--;
	slash = memrchr(begin, '/', (size_t)(end - begin));
	if (slash == end - 1) /* cpu_core/cycles/ */
		slash = memrchr(begin, '/', (size_t)(--end - begin));
	begin = slash ? slash + 1 : begin;
	n = strcspn(begin, ":/ ");
	n = n < (size_t)(end - begin) ? n : (size_t)(end - begin);
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (n == strlen(clocks[i]) && !memcmp(begin, clocks[i], n))
			return true;
	return false;
}

static void printed_stack_set_name(char *to, size_t size, const char *from, size_t n)
{
	snprintf(to, size, "%.*s", (int)(n < size ? n : size - 1), from);
}

/* `symbol+0x1c`, `symbol`: which, and how far in it. */
static void take_symbol(struct lane_p_gpulane_stack_frame *frame, const char *text, size_t n)
{
	const char *plus = memrchr(text, '+', n);
	uint64_t offset = 0;

	if (plus && sscanf(plus, "+0x%16" SCNx64, &offset) == 1)
		n = (size_t)(plus - text);
	if (!n || *text == '[' || *text == '<')
		return; /* [unknown], <0000000000451a2c> */
	frame->what = LANE_FRAME_OF_PROGRAM;
	frame->offset = offset;
	printed_stack_set_name(frame->name, sizeof(frame->name), text, n);
}

/* `=> symbol`, of the kernel, or `=> <0000000000451a2c>`. */
static void printed_stack_take_trace(struct lane_p_gpulane_stack_frame *frame, const char *text,
				     bool *is_kernel)
{
	text += 3;
	frame->offset = *text == '<' ? strtoull(text + 1, NULL, 16) : 0;
	take_symbol(frame, text, strcspn(text, " "));
	*is_kernel = frame->what || frame->offset >> 63;
}

/* `ffffffff81a1b2c3 symbol+0x1c (/usr/lib/libc.so.6)`, of which the symbol may have blanks. */
static void take_chain(struct lane_p_gpulane_stack_frame *frame, const char *text, bool *is_kernel)
{
	const char *end = text + strlen(text), *file = NULL, *slash;

	frame->offset = strtoull(text, NULL, 16);
	*is_kernel = frame->offset >> 63;
	text += strspn(text, "0123456789abcdef");
	text += strspn(text, " ");
	if (end - text > 10 && !strcmp(end - 10, " (inlined)"))
		end -= 10;
	else if (*text == '(') /* of a file without names */
		file = text - 1;
	else
		file = strstr(text, " (/") ?: strstr(text, " ([");
	take_symbol(frame, text, file < text && file ? 0 : (size_t)((file ? file : end) - text));
	/* On 32 bits an address does not say whose it is. */
	*is_kernel |= file && !strncmp(file, " ([kernel", 9);
	if (!file || *is_kernel || frame->what != LANE_FRAME_OF_PROGRAM)
		return;
	file += 2;
	end -= end[-1] == ')';
	slash = memrchr(file, '/', (size_t)(end - file));
	file = slash ? slash + 1 : file;
	printed_stack_set_name(frame->build, sizeof(frame->build), file, (size_t)(end - file));
}

bool decode_call_chain_looks_like_frame(const char *line)
{
	const char *text = line;
	size_t digits = 0;

	/* Asked of each line behind a switch of threads: strspn() would cost more than this. */
	while (*text == ' ' || *text == '\t')
		text++;
	while ((text[digits] >= '0' && text[digits] <= '9') ||
	       (text[digits] >= 'a' && text[digits] <= 'f'))
		digits++;
	return !strncmp(text, "=> ", 3) ||
	       (text > line && digits && digits <= 16 && (!text[digits] || text[digits] == ' '));
}

void decode_call_chain_frame(struct lane_call_chains *stacks, const char *line)
{
	struct lane_p_gpulane_stack_frame frame = { 0 };
	const char *text = line + strspn(line, " \t");
	bool is_kernel;

	if (*text == '=')
		printed_stack_take_trace(&frame, text, &is_kernel);
	else
		take_chain(&frame, text, &is_kernel);
	if (is_kernel && frame.what)
		frame.what = LANE_FRAME_OF_KERNEL;
	decode_call_chain_add(stacks, &frame, is_kernel);
}

void decode_call_chain_add(struct lane_call_chains *stacks,
			   const struct lane_p_gpulane_stack_frame *frame, bool is_kernel)
{
	if (!stacks->frames)
		stacks->frames = calloc(LANE_CALL_FRAMES, sizeof(*stacks->frames));
	if (!stacks->frames || stacks->n == LANE_CALL_FRAMES)
		return;
	stacks->frames[stacks->n++] = *frame;
	/* The kernel's come first. */
	if (is_kernel && stacks->n_kernel == stacks->n - 1)
		stacks->n_kernel++;
}

static uint64_t hash_part(const struct lane_p_gpulane_stack_frame *frames, uint32_t n)
{
	uint64_t hash = n;

	for (uint32_t i = 0; i < n; i++)
		hash = (hash ^ lane_hash_text(frames[i].name) ^ frames[i].offset) *
			       0x9e3779b97f4a7c15ull +
		       lane_hash_text(frames[i].build) + frames[i].what;
	return hash;
}

/* The number of a part; *is_new: it has not been told. */
static bool number_part(struct lane_call_chains *stacks, int32_t pid, uint32_t from, uint32_t n,
			uint32_t *number, bool *is_new)
{
	uint64_t hash = hash_part(stacks->frames + from, n);
	uintptr_t known;

	*is_new = false;
	if (!n)
		return true;
	known = (uintptr_t)lane_table_get(&stacks->told, hash, (uint32_t)pid);
	*is_new = !known;
	if (!known && stacks->told.used == MAX_TOLD) {
		*is_new = false;
		*number = LANE_STACK_LOST;
		return true;
	}
	*number = (uint32_t)(known ? known : stacks->told.used + 1);
	for (uint32_t i = from; i < from + n; i++) {
		stacks->frames[i].stack = *number;
		stacks->frames[i].place = i - from;
		stacks->frames[i].frames = n;
	}
	return known ||
	       lane_table_put(&stacks->told, hash, (uint32_t)pid, (void *)(uintptr_t)*number);
}

bool decode_call_chain_end(struct lane_call_chains *stacks, const struct lane_event *of,
			   uint32_t why)
{
	struct lane_p_gpulane_stack *stack = &stacks->event.u.gpulane_stack;
	bool is_new_kernel, is_new_user;

	if (!stacks->n)
		return true;
	decode_event_clear(&stacks->event, LANE_STACK);
	stacks->event.wire = of->wire;
	stacks->event.wire.kind = LANE_STACK;
	stacks->event.cpu = of->cpu;
	stack->why = why;
	if (!number_part(stacks, of->wire.pid, 0, stacks->n_kernel, &stack->kernel,
			 &is_new_kernel) ||
	    !number_part(stacks, of->wire.pid, stacks->n_kernel, stacks->n - stacks->n_kernel,
			 &stack->user, &is_new_user))
		return false;
	stacks->has_stack = true;
	stacks->next = is_new_kernel ? 0 : stacks->n_kernel;
	if (!is_new_user)
		stacks->n = is_new_kernel ? stacks->n_kernel : stacks->next;
	return true;
}

struct lane_event *decode_call_chain_next(struct lane_call_chains *stacks)
{
	if (stacks->has_stack) {
		stacks->has_stack = false;
		return &stacks->event;
	}
	if (stacks->next >= stacks->n) {
		stacks->n = stacks->n_kernel = stacks->next = 0;
		return NULL;
	}
	stacks->event.wire.kind = LANE_STACK_FRAME;
	stacks->event.wire.origin = LANE_ORIGIN_SNAPSHOT;
	stacks->event.u.gpulane_stack_frame = stacks->frames[stacks->next++];
	return &stacks->event;
}

void decode_call_chains_free(struct lane_call_chains *stacks)
{
	lane_table_free(&stacks->told);
	free(stacks->frames);
}
