// SPDX-License-Identifier: MIT
// Where threads were: stacks by name, as deep as they are sure.
#include "latency/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "latency/elf_code.h"
#include "base/vector.h"
#include "latency/latency.h"

/* Frames beyond these are left out. */
#define MAX_FRAMES 2000000
/* Of a part of a stack: bpf's have 64, perf's 127. */
#define MAX_DEPTH 256
/* Where Debian, Ubuntu and Fedora put what they strip off. */
#define DEBUG_FOLDER "/usr/lib/debug"

/* A file, or a function that was recorded by name. */
struct lane_stack_file {
	struct lane_elf *elf;
	bool is_tried;
	char name[129];
	char build[LANE_RING_BYTES + 1];
};

struct stack_part {
	uint32_t n;
	struct lane_stack_frame *frames; /* as many as its depth */
};

static struct lane_stack_file *file_of(struct lane_stacks *stacks,
				       const struct lane_p_gpulane_stack_frame *frame)
{
	struct lane_stack_file one = { 0 }, *file;
	uint64_t name, build;

	memcpy(one.name, frame->name, sizeof(frame->name));
	memcpy(one.build, frame->build, sizeof(frame->build));
	name = lane_hash_text(one.name);
	build = lane_hash_text(one.build) ^
		(frame->what == LANE_FRAME_UNWOUND ? LANE_FRAME_OF_FILE : frame->what);
	file = lane_table_get(&stacks->files, name, build);
	if (file)
		return file;
	file = malloc(sizeof(*file));
	if (file)
		*file = one;
	if (file && !lane_table_put(&stacks->files, name, build, file)) {
		free(file);
		file = NULL;
	}
	return file;
}

static struct stack_part *new_part(struct lane_stacks *stacks, int32_t pid, uint32_t number,
				   uint32_t n)
{
	struct stack_part *part = calloc(1, sizeof(*part));

	if (part)
		part->frames = calloc(n, sizeof(*part->frames));
	if (!part || !part->frames ||
	    !lane_table_put(&stacks->parts, (uint32_t)pid, number, part)) {
		if (part)
			free(part->frames);
		free(part);
		return NULL;
	}
	part->n = n;
	stacks->n_frames += n;
	return part;
}

bool latency_stacks_frame(struct lane_stacks *stacks, const struct lane_event *event)
{
	const struct lane_p_gpulane_stack_frame *frame = &event->u.gpulane_stack_frame;
	struct stack_part *part =
		lane_table_get(&stacks->parts, (uint32_t)event->wire.pid, frame->stack);
	bool is_unwound = frame->what == LANE_FRAME_UNWOUND;
	struct lane_stack_file *of = NULL;

	if (frame->place >= frame->frames || frame->frames > MAX_DEPTH)
		return true;
	if (!part && stacks->n_frames + frame->frames > MAX_FRAMES)
		return true;
	if (!part)
		part = new_part(stacks, event->wire.pid, frame->stack, frame->frames);
	if (part && frame->what != LANE_FRAME_OF_NOTHING)
		of = file_of(stacks, frame);
	if (!part || (!of && frame->what != LANE_FRAME_OF_NOTHING))
		return false;
	if (frame->place < part->n)
		part->frames[frame->place] = (struct lane_stack_frame){
			.of = of,
			.offset = frame->offset,
			.what = (uint8_t)(is_unwound ? LANE_FRAME_OF_FILE : frame->what),
			.is_unwound = is_unwound,
		};
	return true;
}

/* The code of the frame's file; NULL: it is not here, or another one is. */
static const struct lane_elf *elf_of(const struct lane_stack_frame *frame)
{
	struct lane_stack_file *file = frame->of;

	if (!file || frame->what != LANE_FRAME_OF_FILE)
		return NULL;
	if (!file->is_tried) {
		file->is_tried = true;
		file->elf = latency_elf_open(file->name, file->build, DEBUG_FOLDER);
	}
	return file->elf;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The frame at a place of its file; *begin: of its function, 0: not known. */
static struct lane_where where_at(const struct lane_stack_frame *frame, uint64_t place,
				  uint64_t *begin)
{
	const struct lane_elf *elf = elf_of(frame);

	*begin = 0;
	if (!frame->of)
		return (struct lane_where){ .file = "" };
	if (frame->what == LANE_FRAME_OF_KERNEL)
		return (struct lane_where){ .function = frame->of->name, .file = "" };
	if (frame->what != LANE_FRAME_OF_FILE)
		return (struct lane_where){ .function = frame->of->name, .file = frame->of->build };
	return (struct lane_where){ .function =
					    elf ? latency_elf_function(elf, place, begin) : NULL,
				    .file = last_part(frame->of->name) };
}

/* How a frame's caller is known to be the next frame. */
enum sureness {
	SURE_NOT,
	SURE,
	SURE_AROUND, /* and between the two is the function that the next one calls, at least */
};

/*
 * A function that has set up its frame pointer returns to where the next frame says; ahead of that
 * is a call. The innermost one may have none, as functions of the C library have: the frame pointer
 * is still that of the function that called it, or called who called it. The next frame is where
 * that one returns to, and the call ahead of it says which it is.
 */
static enum sureness is_sure(const struct lane_stack_frame *frame, uint64_t begin, bool is_first,
			     const struct lane_stack_frame *next, uint64_t *called)
{
	const struct lane_elf *elf = elf_of(frame), *caller = elf_of(next);
	enum lane_elf_call call;

	if (!elf || !caller)
		return SURE_NOT;
	call = latency_elf_call_before(caller, next->offset, called);
	if (call == LANE_CALL_NONE)
		return SURE_NOT;
	/* Without a symbol its begin is known where the call names it. */
	if (!begin && call == LANE_CALL_DIRECT && frame->of == next->of &&
	    *called < frame->offset && !is_first)
		begin = *called;
	if (begin && latency_elf_keeps_frame(elf, begin, frame->offset))
		return SURE;
	if (is_first && call == LANE_CALL_DIRECT &&
	    latency_elf_keeps_frame(caller, *called, UINT64_MAX))
		return SURE_AROUND;
	return SURE_NOT;
}

static void add_where(struct lane_wheres *wheres, struct lane_where where)
{
	if (wheres->n < LANE_WHERE_MOST)
		wheres->of[wheres->n++] = where;
}

/* The next frame of a program's stack: in words, with whom it calls if that is known. False: it is
 * not sure. begin: of the function before, 0: not known; it becomes the next one's. */
static bool add_next(const struct stack_part *part, uint32_t i, uint64_t *begin,
		     struct lane_wheres *wheres)
{
	const struct lane_stack_frame *before = &part->frames[i - 1], *next = &part->frames[i];
	enum sureness sure = SURE_NOT;
	uint64_t called = 0, ignored;
	struct lane_where where;

	if (before->is_unwound) {
		if (next->of)
			add_where(wheres, where_at(next, next->offset - 1, begin));
		wheres->is_cut = !next->of;
		return next->of;
	}
	/* A name alone shows no code: somebody may have called whom that does not tell. */
	if (next->what == LANE_FRAME_OF_PROGRAM) {
		where = where_at(next, next->offset, begin);
		where.is_around = true;
		add_where(wheres, where);
		return true;
	}
	if (before->what == LANE_FRAME_OF_PROGRAM && elf_of(next) &&
	    latency_elf_call_before(elf_of(next), next->offset, &called) != LANE_CALL_NONE) {
		where = where_at(next, next->offset - 1, begin);
		where.is_around = true;
		add_where(wheres, where);
		return true;
	}
	sure = is_sure(before, *begin, i == 1, next, &called);
	wheres->is_cut = sure == SURE_NOT;
	wheres->is_bare = sure == SURE_NOT && elf_of(before);
	if (sure == SURE_AROUND) {
		where = where_at(next, called, &ignored);
		where.is_around = true;
		add_where(wheres, where);
	}
	/* It returns behind the call, where another function may begin. */
	if (sure != SURE_NOT)
		add_where(wheres, where_at(next, next->offset - 1, begin));
	return sure != SURE_NOT;
}

/* The frames of a program, of which each is sure only if the one before it is. */
static void find_of_program(const struct stack_part *part, struct lane_wheres *wheres)
{
	uint64_t begin;

	if (!part->frames[0].of) {
		wheres->is_cut = true;
		return;
	}
	add_where(wheres, where_at(&part->frames[0], part->frames[0].offset, &begin));
	for (uint32_t i = 1; i < part->n; i++)
		if (!add_next(part, i, &begin, wheres))
			return;
	if (part->n == 1 && part->frames[0].what == LANE_FRAME_OF_FILE) {
		wheres->is_cut = true;
		wheres->is_bare = elf_of(&part->frames[0]);
	}
}

void latency_stacks_find(struct lane_stacks *stacks, int32_t pid, uint32_t number,
			 struct lane_wheres *wheres)
{
	const struct stack_part *part = lane_table_get(&stacks->parts, (uint32_t)pid, number);
	uint64_t begin;

	wheres->n = 0;
	wheres->is_cut = wheres->is_bare = false;
	/* perf script may not print whose it was. */
	if (!part)
		part = lane_table_get(&stacks->parts, (uint32_t)-1, number);
	if (!part || !number)
		return;
	if (part->frames[0].what != LANE_FRAME_OF_KERNEL) {
		find_of_program(part, wheres);
		return;
	}
	/* The kernel knows its own stack. */
	for (uint32_t i = 0; i < part->n && part->frames[i].of; i++)
		add_where(wheres, where_at(&part->frames[i], part->frames[i].offset, &begin));
	wheres->is_cut = wheres->n < part->n;
}

void latency_stacks_deinit(struct lane_stacks *stacks)
{
	for (size_t i = 0; stacks->parts.slots && i <= stacks->parts.mask; i++) {
		struct stack_part *part = stacks->parts.slots[i].value;

		if (part)
			free(part->frames);
		free(part);
	}
	for (size_t i = 0; stacks->files.slots && i <= stacks->files.mask; i++) {
		struct lane_stack_file *file = stacks->files.slots[i].value;

		if (file)
			latency_elf_close(file->elf);
		free(file);
	}
	lane_table_free(&stacks->parts);
	lane_table_free(&stacks->files);
}

/* --- where a thread mostly was --- */

/* Stacks with which it was found that are one as far as they are named, while they agree with what
 * has been chosen. */
struct stack_candidate {
	struct lane_where of[LANE_PLACE_FRAMES];
	uint32_t n;
	bool is_bare; /* of the last one, and there are no more */
	uint64_t weight;
};

/* So many of one cause are told apart; what is beyond was nowhere that is told. */
#define MAX_CANDIDATES 64
/* Of fewer samples nothing is concluded. */
#define LEAST_SAMPLES 10

static bool stacks_is_same(const struct lane_where *a, const struct lane_where *b)
{
	if (!a->function || !b->function)
		return a->function == b->function && !strcmp(a->file, b->file);
	return !strcmp(a->function, b->function) && !strcmp(a->file, b->file);
}

/* How much of the candidates' weight has this frame at this depth. */
static uint64_t weight_of(const struct stack_candidate *of, uint32_t n, uint32_t depth,
			  const struct lane_where *where)
{
	uint64_t weight = 0;

	for (uint32_t i = 0; i < n; i++)
		if (of[i].n > depth && stacks_is_same(&of[i].of[depth], where))
			weight += of[i].weight;
	return weight;
}

/* The next frame, which at least half of the whole has; those that have another one are out. False:
 * there is none. */
static bool stacks_choose(struct stack_candidate *of, uint32_t *n, uint64_t whole,
			  struct lane_stack_place *place, uint64_t *weight)
{
	uint32_t depth = place->n, kept = 0;

	for (uint32_t i = 0; i < *n; i++) {
		struct lane_where where;

		if (of[i].n <= depth)
			continue;
		where = of[i].of[depth];
		*weight = weight_of(of, *n, depth, &where);
		if (*weight < whole - *weight)
			continue;
		for (uint32_t k = 0; k < *n; k++)
			if (of[k].n > depth && stacks_is_same(&of[k].of[depth], &where))
				of[kept++] = of[k];
		*n = kept;
		place->of[place->n++] = where;
		return true;
	}
	return false;
}

static bool stacks_is_of(const struct lane_idle_stack_sum *sum, const struct lane_idle_sum *idle)
{
	return sum->engine == idle->engine && sum->cause == idle->cause && sum->tid == idle->tid;
}

/* How many of the innermost frames are the scheduler's, where every thread sleeps. */
static uint32_t count_scheduler(const struct lane_wheres *wheres)
{
	uint32_t n = 0;

	while (n < wheres->n && wheres->of[n].function &&
	       strstr(wheres->of[n].function, "schedule"))
		n++;
	return n < wheres->n ? n : 0;
}

/* Names the frames of a sum's stack. */
static void find_stack(struct lane_stacks *stacks, const struct lane_idle_stack_sum *sum,
		       struct stack_candidate *to)
{
	struct lane_wheres wheres;
	uint32_t from = 0;

	latency_stacks_find(stacks, sum->pid, sum->id.user, &wheres);
	if (!wheres.n) { /* of a thread of the kernel, or the user's part was lost */
		latency_stacks_find(stacks, sum->pid, sum->id.kernel, &wheres);
		from = count_scheduler(&wheres);
	}
	to->n = wheres.n - from < LANE_PLACE_FRAMES ? wheres.n - from : LANE_PLACE_FRAMES;
	memcpy(to->of, wheres.of + from, to->n * sizeof(*to->of));
	to->is_bare = wheres.is_bare && from + to->n == wheres.n;
}

static bool is_alike(const struct stack_candidate *a, const struct stack_candidate *b)
{
	if (a->n != b->n || a->is_bare != b->is_bare)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->of[i].is_around != b->of[i].is_around ||
		    !stacks_is_same(&a->of[i], &b->of[i]))
			return false;
	return true;
}

static void add_candidate(struct stack_candidate *of, uint32_t *n, struct stack_candidate *one)
{
	for (uint32_t i = 0; i < *n; i++) {
		if (!is_alike(&of[i], one))
			continue;
		of[i].weight += one->weight;
		return;
	}
	if (one->n && *n < MAX_CANDIDATES)
		of[(*n)++] = *one;
}

/* Who held mutexes for which it slept for at least half of the time: who is left when each takes
 * away as much as the others have, if that is so much. */
static void find_owner(const struct lane_latency *latency, const struct lane_idle_sum *idle,
		       struct lane_stack_place *place)
{
	struct lane_lock_owner left = { 0 };
	uint64_t left_ns = 0, ns = 0;

	for (uint32_t i = 0; i < latency->n_idle_stacks; i++) {
		const struct lane_idle_stack_sum *sum = &latency->idle_stacks[i];

		if (!stacks_is_of(sum, idle))
			continue;
		if (sum->owner.tid == left.tid) {
			left_ns += sum->ns;
		} else if (sum->ns > left_ns) {
			left = sum->owner;
			left_ns = sum->ns - left_ns;
		} else {
			left_ns -= sum->ns;
		}
	}
	for (uint32_t i = 0; i < latency->n_idle_stacks; i++)
		if (stacks_is_of(&latency->idle_stacks[i], idle) &&
		    latency->idle_stacks[i].owner.tid == left.tid)
			ns += latency->idle_stacks[i].ns;
	if (left.tid && ns && ns >= idle->ns - timeline_sooner(ns, idle->ns)) {
		place->owner = left;
		place->owner_ns = ns;
	}
}

void latency_stacks_of_idle(const struct lane_latency *latency, const struct lane_idle_sum *idle,
			    struct lane_stack_place *place)
{
	bool is_counted = idle->cause == LANE_IDLE_COMPUTING;
	uint64_t whole = is_counted ? 0 : idle->ns, weight = 0;
	struct stack_candidate of[MAX_CANDIDATES], one;
	uint32_t n = 0;

	*place = (struct lane_stack_place){ 0 };
	for (uint32_t i = 0; i < latency->n_idle_stacks; i++) {
		const struct lane_idle_stack_sum *sum = &latency->idle_stacks[i];

		if (!stacks_is_of(sum, idle))
			continue;
		find_stack((struct lane_stacks *)&latency->stacks, sum, &one);
		one.weight = is_counted ? sum->times : sum->ns;
		add_candidate(of, &n, &one);
		if (is_counted)
			whole += sum->times;
	}
	if (is_counted && (whole < LEAST_SAMPLES || latency->has_more_stacks))
		return;
	place->of_times = is_counted ? whole : 0;
	while (whole && place->n < LANE_PLACE_FRAMES &&
	       stacks_choose(of, &n, whole, place, &weight)) {
		if (place->n == 1 && is_counted)
			place->times = weight;
		else if (place->n == 1)
			place->ns = weight;
	}
	place->is_bare = place->n && n && of[0].is_bare && of[0].n == place->n;
	find_owner(latency, idle, place);
}
