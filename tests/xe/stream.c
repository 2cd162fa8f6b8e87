// SPDX-License-Identifier: MIT
// The command streamer: what a queue's commands do. The numbers are those of Intel's runtime (NEO,
// shared/source/generated/xe2_hpg_core/ hw_cmds_generated_xe2_hpg_core.inl). Commands take no time
// but for kernels and copies; a kernel is its time and its post-sync operation, and computes
// nothing. The streamer waits for each to end before it goes on.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "xe.h"

#define BUDGET	  2000 /* commands, before others are looked at */
#define MAX_WORDS 64

// MI_ARB_CHECK's lower half, as before a ring's semaphore
#define PREPARSER_OFF 0x101

// MI commands, by bits 23-28
enum {
	MI_ARB_CHECK = 0x05,
	MI_BATCH_BUFFER_END = 0x0a,
	MI_MATH = 0x1a,
	MI_SEMAPHORE_WAIT = 0x1c,
	MI_STORE_DATA_IMM = 0x20,
	MI_LOAD_REGISTER_IMM = 0x22,
	MI_STORE_REGISTER_MEM = 0x24,
	MI_FLUSH_DW = 0x26,
	MI_LOAD_REGISTER_MEM = 0x29,
	MI_LOAD_REGISTER_REG = 0x2a,
	MI_COPY_MEM_MEM = 0x2e,
	MI_ATOMIC = 0x2f,
	MI_BATCH_BUFFER_START = 0x31,
};

// Others, by their upper half
#define STATE_BASE_ADDRESS 0x6101
#define COMPUTE_WALKER	   0x7208
#define PIPE_CONTROL	   0x7a00

// and the copy engine's, by bits 22-28
#define XY_BLOCK_COPY 0x41
#define XY_FAST_COLOR 0x44
#define MEM_COPY      0x5a
#define MEM_SET	      0x5b

// registers, without their engine's base
#define REG_TIMESTAMP 0x358
#define REG_CONTEXT   0x3a8
#define REG_DISPATCH  0x500
#define REG_GPR	      0x600

static uint64_t wide(const uint32_t *words)
{
	return words[0] | (uint64_t)words[1] << 32;
}

static uint32_t *reg(struct xe_queue *queue, uint32_t offset)
{
	return &queue->regs[(offset & 0xfff) / 4];
}

static uint64_t context_ns(const struct xe_queue *queue)
{
	return queue->ran_ns + (queue->time > queue->resumed ? queue->time - queue->resumed : 0);
}

static uint32_t read_reg(struct xe_queue *queue, uint32_t offset)
{
	switch (offset & 0xffc) {
	case REG_TIMESTAMP:
		return (uint32_t)xe_ticks(queue->time);
	case REG_TIMESTAMP + 4:
		return (uint32_t)(xe_ticks(queue->time) >> 32);
	case REG_CONTEXT:
		return (uint32_t)xe_ticks_of(context_ns(queue));
	case REG_CONTEXT + 4:
		return (uint32_t)(xe_ticks_of(context_ns(queue)) >> 32);
	default:
		return *reg(queue, offset);
	}
}

// How many words a command has, by its first.
static uint32_t words_of(uint32_t head)
{
	const uint32_t mi = head >> 23 & 0x3f;

	switch (head >> 29) {
	case 0:
		if (mi < 0x10)
			return 1;
		if (mi == MI_STORE_DATA_IMM)
			return (head & 0x3ff) + 2;
		return (head & (mi == MI_FLUSH_DW ? 0x3f : 0xff)) + 2;
	case 3:
		return (head >> 27 & 3) == 1 ? 1 : (head & 0xff) + 2;
	default:
		return (head & 0xff) + 2;
	}
}

static void alu(struct xe_queue *queue, const uint32_t *words, uint32_t n)
{
	uint64_t a = 0, b = 0, result = 0;
	bool zero = false, carry = false;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t op = words[i] >> 20, to = words[i] >> 10 & 0x3ff,
			       from = words[i] & 0x3ff;
		/* STORE's register is its first operand, LOAD's its second */
		uint32_t *gpr =
			reg(queue, REG_GPR + 8 * (((op & 0x180) == 0x180 ? to : from) & 15));
		uint64_t *operand = to == 0x20 ? &a : &b;
		uint64_t value;

		switch (op) {
		case 0x080: // LOAD
			*operand = wide(gpr);
			break;
		case 0x480:
			*operand = ~wide(gpr);
			break;
		case 0x081:
			*operand = 0;
			break;
		case 0x481:
			*operand = ~0ull;
			break;
		case 0x100: // ADD
			result = a + b;
			carry = result < a;
			break;
		case 0x101: // SUB
			result = a - b;
			carry = a < b;
			break;
		case 0x102:
			result = a & b;
			break;
		case 0x103:
			result = a | b;
			break;
		case 0x104:
			result = a ^ b;
			break;
		case 0x105:
			result = b < 64 ? a << b : 0;
			break;
		case 0x106:
			result = b < 64 ? a >> b : 0;
			break;
		case 0x180: // STORE
		case 0x580:
			value = from == 0x32   ? (zero ? ~0ull : 0)
				: from == 0x33 ? (carry ? ~0ull : 0)
					       : result;
			value = op == 0x580 ? ~value : value;
			gpr[0] = (uint32_t)value;
			gpr[1] = (uint32_t)(value >> 32);
			break;
		}
		if ((op & 0xf00) == 0x100 && op < 0x180)
			zero = result == 0;
	}
}

static bool compares(uint32_t head, uint32_t is, uint32_t value)
{
	switch (head >> 12 & 7) {
	case 0:
		return is > value;
	case 1:
		return is >= value;
	case 2:
		return is < value;
	case 3:
		return is <= value;
	case 4:
		return is == value;
	case 5:
		return is != value;
	default:
		return true;
	}
}

static bool atomic(struct xe_queue *queue, const uint32_t *words, uint32_t n)
{
	const uint32_t op = words[0] >> 8 & 0xff;
	const size_t size = op & 0x20 ? 8 : 4;
	const uint64_t address = wide(words + 1) & ~3ull;
	uint64_t value = 0, operand = n > 3 ? words[3] : 0;

	if (size == 8 && n > 5)
		operand |= (uint64_t)words[5] << 32;
	if (!xe_vm_read(queue->vm, address, &value, size))
		return false;
	switch (op & 0xf) {
	case 0x4:
		value = operand;
		break;
	case 0x5:
		value++;
		break;
	case 0x6:
		value--;
		break;
	case 0x7:
		value += operand;
		break;
	case 0x8:
		value -= operand;
		break;
	default:
		xe_truth_skipped(words[0]);
		return true;
	}
	return xe_vm_write(queue->vm, address, &value, size);
}

// Writes what PIPE_CONTROL and MI_FLUSH_DW have after what was before them: 1 a number, 3 the time.
static bool post_sync(struct xe_queue *queue, uint32_t operation, uint64_t address, uint64_t value)
{
	if (operation == 3)
		value = xe_ticks(queue->time);
	return (operation != 1 && operation != 3) || xe_vm_write(queue->vm, address, &value, 8);
}

// --- kernels and copies

static void begin_run(struct xe_queue *queue, const char *kind, uint64_t ns, const uint32_t *words,
		      uint32_t n)
{
	struct xe_run *run = &queue->run;

	run->kind = kind;
	run->left_ns = ns;
	run->start = queue->time;
	run->start_context = context_ns(queue);
	run->off_ns = 0;
	run->preemptions = 0;
	memset(run->command, 0, sizeof(run->command));
	memcpy(run->command, words, (n < 40 ? n : 40) * sizeof(*words));
	// what was before it has been
	queue->ran_ns = run->start_context;
	queue->resumed = queue->time;
	queue->state = XE_RUNNING;
}

static void begin_kernel(struct xe_queue *queue, const uint32_t *words, uint32_t n)
{
	struct xe_run *run = &queue->run;
	const uint32_t less = 40 - xe_gpu->walker_words;

	for (uint32_t i = 0; i < 3; i++)
		run->groups[i] = words[0] >> 10 & 1 ? *reg(queue, REG_DISPATCH + 4 * i)
						    : words[7 - less + i];
	xe_kernel_name(queue, queue->instructions + (words[19 - less] & ~63u), run->name,
		       sizeof(run->name));
	begin_run(queue, "kernel", xe_model_kernel(run->name, run->groups), words, n);
}

struct rectangle {
	uint64_t to, from;
	uint64_t width, height, to_pitch, from_pitch;
	uint32_t fill[4];
	uint32_t fill_bytes; /* 0: a copy */
};

// What a command of the copy engine moves; false: none of those that are known.
static bool rectangle_of(const uint32_t *words, struct rectangle *of)
{
	uint32_t left, top, pixel;

	memset(of, 0, sizeof(*of));
	switch (words[0] >> 22 & 0x7f) {
	case MEM_COPY:
		of->width = (words[1] & 0xffffff) + 1;
		of->height = words[0] >> 17 & 3 ? (words[2] & 0x3ffff) + 1 : 1;
		of->from_pitch = (words[3] & 0x3ffff) + 1;
		of->to_pitch = (words[4] & 0x3ffff) + 1;
		of->from = wide(words + 5);
		of->to = wide(words + 7);
		return true;
	case MEM_SET:
		of->width = (words[1] & 0xffffff) + 1;
		of->height = words[0] >> 17 & 3 ? (words[2] & 0x3ffff) + 1 : 1;
		of->to_pitch = (words[3] & 0x3ffff) + 1;
		of->to = wide(words + 4);
		of->fill[0] = (words[6] >> 24) * 0x01010101u;
		of->fill_bytes = 1;
		return true;
	case XY_FAST_COLOR:
	case XY_BLOCK_COPY:
		pixel = 1u << (words[0] >> 19 & 7);
		left = words[2] & 0xffff;
		top = words[2] >> 16;
		of->width = (uint64_t)((words[3] & 0xffff) - left) * pixel;
		of->height = (words[3] >> 16) - top;
		of->to_pitch = (words[1] & 0x3ffff) + 1;
		of->to = wide(words + 4) + top * of->to_pitch + (uint64_t)left * pixel;
		if ((words[0] >> 22 & 0x7f) == XY_FAST_COLOR) {
			memcpy(of->fill, words + 7, sizeof(of->fill));
			of->fill_bytes = pixel;
		} else {
			of->from_pitch = (words[8] & 0x3ffff) + 1;
			of->from = wide(words + 9) + (words[7] >> 16) * of->from_pitch +
				   (uint64_t)(words[7] & 0xffff) * pixel;
		}
		return of->width <= 1u << 24 && of->height <= 1u << 18 && pixel <= 16;
	default:
		return false;
	}
}

// Rows that follow each other are one.
static bool move(struct xe_queue *queue, struct rectangle of)
{
	uint8_t bytes[4096];

	if (of.width == of.to_pitch && (of.fill_bytes || of.width == of.from_pitch)) {
		of.width *= of.height;
		of.height = 1;
	}
	for (size_t i = 0; of.fill_bytes && i < sizeof(bytes); i += of.fill_bytes)
		memcpy(bytes + i, of.fill, of.fill_bytes);
	for (uint64_t y = 0; y < of.height; y++) {
		if (!of.fill_bytes && !xe_vm_copy(queue->vm, of.to + y * of.to_pitch,
						  of.from + y * of.from_pitch, of.width))
			return false;
		for (uint64_t x = 0; of.fill_bytes && x < of.width; x += sizeof(bytes)) {
			size_t n = of.width - x < sizeof(bytes) ? of.width - x : sizeof(bytes);

			if (!xe_vm_write(queue->vm, of.to + y * of.to_pitch + x, bytes, n))
				return false;
		}
	}
	return true;
}

static void begin_copy(struct xe_queue *queue, const uint32_t *words, uint32_t n)
{
	struct rectangle of;

	if (!rectangle_of(words, &of)) {
		xe_truth_skipped(words[0]);
		return;
	}
	memset(queue->run.groups, 0, sizeof(queue->run.groups));
	strcpy(queue->run.name, of.fill_bytes ? "(fill)" : "(copy)");
	begin_run(queue, "copy", xe_model_copy(of.width * of.height), words, n);
}

// A kernel's post-sync operation has its times: begin and end, by the context's clock and by the
// device's.
static bool end_kernel(struct xe_queue *queue, uint64_t end)
{
	const uint32_t *post = queue->run.command + 27 - (40 - xe_gpu->walker_words);
	uint64_t address = wide(post + 1), value = wide(post + 3);
	uint64_t times[4] = { xe_ticks_of(queue->run.start_context), xe_ticks(queue->run.start),
			      xe_ticks_of(queue->ran_ns), xe_ticks(end) };

	switch (post[0] & 3) {
	case 1:
		return xe_vm_write(queue->vm, address, &value, 8);
	case 3:
		// who waits looks at the end of the context's time: it comes last
		return xe_vm_write(queue->vm, address, times, 8) &&
		       xe_vm_write(queue->vm, address + 8, times + 1, 8) &&
		       xe_vm_write(queue->vm, address + 24, times + 3, 8) &&
		       xe_vm_write(queue->vm, address + 16, times + 2, 8);
	default:
		return true;
	}
}

void xe_stream_end_run(struct xe_queue *queue, uint64_t end)
{
	struct rectangle of;
	bool good = rectangle_of(queue->run.command, &of) && *queue->run.kind == 'c'
			    ? move(queue, of)
			    : end_kernel(queue, end);

	xe_truth_run(queue, end);
	if (!good)
		xe_queue_ban(queue, "page fault", -EFAULT);
}

// --- commands

// False: a page fault.
static bool execute_mi(struct xe_queue *queue, const uint32_t *words, uint32_t n)
{
	uint64_t value;
	uint32_t word;

	switch (words[0] >> 23 & 0x3f) {
	case MI_MATH:
		alu(queue, words + 1, n - 1);
		return true;
	case MI_STORE_DATA_IMM:
		return xe_vm_write(queue->vm, wide(words + 1) & ~3ull, words + 3,
				   words[0] >> 21 & 1 ? 8 : 4);
	case MI_LOAD_REGISTER_IMM:
		for (uint32_t i = 1; i + 1 < n; i += 2)
			*reg(queue, words[i]) = words[i + 1];
		return true;
	case MI_STORE_REGISTER_MEM:
		word = read_reg(queue, words[1]);
		return xe_vm_write(queue->vm, wide(words + 2) & ~3ull, &word, 4);
	case MI_LOAD_REGISTER_MEM:
		return xe_vm_read(queue->vm, wide(words + 2) & ~3ull, reg(queue, words[1]), 4);
	case MI_LOAD_REGISTER_REG:
		*reg(queue, words[2]) = read_reg(queue, words[1]);
		return true;
	case MI_COPY_MEM_MEM:
		return xe_vm_read(queue->vm, wide(words + 3) & ~3ull, &word, 4) &&
		       xe_vm_write(queue->vm, wide(words + 1) & ~3ull, &word, 4);
	case MI_ATOMIC:
		return atomic(queue, words, n);
	case MI_FLUSH_DW:
		value = n > 4 ? wide(words + 3) : 0;
		return post_sync(queue, words[0] >> 14 & 3, n > 2 ? wide(words + 1) & ~7ull : 0,
				 value);
	case MI_BATCH_BUFFER_START:
		if (words[0] >> 22 & 1) {
			if (queue->depth == sizeof(queue->returns) / sizeof(*queue->returns))
				return false;
			queue->returns[queue->depth++] = queue->ip;
		}
		queue->ip = wide(words + 1) & ~3ull;
		return true;
	case MI_BATCH_BUFFER_END:
		if (queue->depth > 0)
			queue->ip = queue->returns[--queue->depth];
		else
			xe_queue_end_job(queue);
		return true;
	default:
		if (words[0] >> 23 > 0x10)
			xe_truth_skipped(words[0]);
		return true;
	}
}

static bool execute(struct xe_queue *queue, const uint32_t *words, uint32_t n)
{
	if (words[0] >> 29 == 0)
		return execute_mi(queue, words, n);
	if (words[0] >> 29 == 2) {
		begin_copy(queue, words, n);
		return true;
	}
	switch (words[0] >> 16) {
	case COMPUTE_WALKER:
		begin_kernel(queue, words, n);
		return true;
	case PIPE_CONTROL:
		return post_sync(queue, words[1] >> 14 & 3, wide(words + 2) & ~3ull,
				 wide(words + 4));
	case STATE_BASE_ADDRESS:
		queue->instructions = wide(words + 10) & ~0xfffull;
		return true;
	default: // state that no time depends on
		return true;
	}
}

// Reads the command that is next; false: it is not there.
static bool fetch(struct xe_queue *queue, uint32_t *words, uint32_t *n)
{
	memset(words, 0, MAX_WORDS * sizeof(*words));
	if (!xe_vm_read(queue->vm, queue->ip, words, 4))
		return false;
	*n = words_of(words[0]);
	return xe_vm_read(queue->vm, queue->ip, words, (*n < MAX_WORDS ? *n : MAX_WORDS) * 4);
}

static bool fault(struct xe_queue *queue)
{
	xe_queue_ban(queue, "page fault", -EFAULT);
	return false;
}

// A ring goes on when somebody has appended to it: its semaphore has at least so much. What was
// seen of it before says when that was: after the last look at a lower value began, and before the
// first look at this one was over. `now` is from before the look.
static void see(struct xe_queue *queue, uint32_t value, uint64_t now)
{
	struct xe_seen *seen = &queue->seen[(queue->n_seen + XE_SEEN - 1) % XE_SEEN];

	if (queue->n_seen == 0 || seen->value != value) {
		seen = &queue->seen[queue->n_seen++ % XE_SEEN];
		seen->value = value;
		seen->first = xe_now();
	}
	seen->last = now;
}

static void appended(struct xe_queue *queue, uint32_t value)
{
	queue->submission++;
	for (unsigned int i = queue->n_seen; i-- > 0 && i + XE_SEEN > queue->n_seen;) {
		const struct xe_seen *seen = &queue->seen[i % XE_SEEN];

		if (seen->value < value) {
			queue->appended_min = seen->last;
			break;
		}
		queue->appended_max = seen->first;
	}
	if (queue->time < queue->appended_max)
		queue->time = queue->appended_max;
}

bool xe_stream_passes(struct xe_queue *queue, uint64_t now)
{
	const bool of_ring =
		queue->before >> 23 == MI_ARB_CHECK && (queue->before & 0xffff) == PREPARSER_OFF;
	uint32_t words[MAX_WORDS], n, is;

	if (!fetch(queue, words, &n))
		return fault(queue);
	if (words[0] >> 16 & 1)
		is = read_reg(queue, words[2]);
	else if (!xe_vm_read(queue->vm, wide(words + 2) & ~3ull, &is, 4))
		return fault(queue);
	if (of_ring)
		see(queue, is, now);
	if (!compares(words[0], is, words[1]))
		return false;
	if (of_ring)
		appended(queue, words[1]);
	else if (queue->time < now)
		queue->time = now;
	queue->ip += 4ull * n;
	queue->before = words[0];
	return true;
}

uint64_t xe_stream(struct xe_queue *queue, uint64_t now)
{
	uint32_t words[MAX_WORDS], n;

	for (int i = 0; i < BUDGET && queue->state == XE_READY; i++) {
		if (!fetch(queue, words, &n)) {
			fault(queue);
			return XE_NEVER;
		}
		if (words[0] >> 23 == MI_SEMAPHORE_WAIT) {
			if (!xe_stream_passes(queue, now) && queue->state != XE_BANNED)
				queue->state = XE_WAITING;
			continue;
		}
		queue->ip += 4ull * n;
		queue->before = words[0];
		if (!execute(queue, words, n < MAX_WORDS ? n : MAX_WORDS))
			fault(queue);
	}
	if (queue->state == XE_READY && queue->time < now)
		queue->time = now; // it has kept the streamer busy
	return now;
}
