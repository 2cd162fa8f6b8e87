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
	build = lane_hash_text(one.build) ^ frame->what;
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
			.of = of, .offset = frame->offset, .what = (uint8_t)frame->what
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
	if (frame->what != LANE_FRAME_OF_FILE)
		return (struct lane_where){ .function = frame->of->name, .file = "" };
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

/* The frames of a file, of which each is sure only if the one before it is. */
static void find_in_files(const struct stack_part *part, struct lane_wheres *wheres)
{
	uint64_t begin, called = 0, ignored;

	add_where(wheres, where_at(&part->frames[0], part->frames[0].offset, &begin));
	for (uint32_t i = 1; i < part->n; i++) {
		const struct lane_stack_frame *next = &part->frames[i];
		enum sureness sure = is_sure(&part->frames[i - 1], begin, i == 1, next, &called);
		struct lane_where where;

		wheres->is_cut = sure == SURE_NOT;
		wheres->is_bare = sure == SURE_NOT && elf_of(&part->frames[i - 1]);
		if (sure == SURE_NOT)
			return;
		if (sure == SURE_AROUND) {
			where = where_at(next, called, &ignored);
			where.is_around = true;
			add_where(wheres, where);
		}
		/* It returns behind the call, where another function may begin. */
		add_where(wheres, where_at(next, next->offset - 1, &begin));
	}
	if (part->n == 1) {
		wheres->is_cut = true;
		wheres->is_bare = elf_of(&part->frames[0]);
	}
}

void latency_stacks_find(struct lane_stacks *stacks, int32_t pid, uint32_t number,
			 struct lane_wheres *wheres)
{
	const struct stack_part *part =
		number ? lane_table_get(&stacks->parts, (uint32_t)pid, number) : NULL;
	uint64_t begin;

	wheres->n = 0;
	wheres->is_cut = wheres->is_bare = false;
	if (!part)
		return;
	if (part->frames[0].what == LANE_FRAME_OF_FILE) {
		find_in_files(part, wheres);
		return;
	}
	/* Of functions that were recorded by name who recorded them is sure. */
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

/* One of the stacks with which it was found, as far as it agrees with what has been chosen. */
struct stack_candidate {
	struct lane_wheres wheres;
	uint64_t weight;
};

/* So many stacks of one cause are looked at, those that took most. */
#define MAX_CANDIDATES 64

static bool is_same(const struct lane_where *a, const struct lane_where *b)
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
		if (of[i].wheres.n > depth && is_same(&of[i].wheres.of[depth], where))
			weight += of[i].weight;
	return weight;
}

/* The next frame, which at least half of the whole has; those that have another one are out. False:
 * there is none. */
static bool choose(struct stack_candidate *of, uint32_t *n, uint64_t whole,
		   struct lane_stack_place *place, uint64_t *weight)
{
	uint32_t depth = place->n, kept = 0;

	for (uint32_t i = 0; i < *n; i++) {
		struct lane_where where;

		if (of[i].wheres.n <= depth)
			continue;
		where = of[i].wheres.of[depth];
		*weight = weight_of(of, *n, depth, &where);
		if (*weight < whole - *weight)
			continue;
		for (uint32_t k = 0; k < *n; k++)
			if (of[k].wheres.n > depth && is_same(&of[k].wheres.of[depth], &where))
				of[kept++] = of[k];
		*n = kept;
		place->of[place->n++] = where;
		return true;
	}
	return false;
}

static void find_stack(struct lane_stacks *stacks, const struct lane_idle_stack_sum *sum,
		       struct stack_candidate *to)
{
	latency_stacks_find(stacks, sum->pid, sum->id.user, &to->wheres);
	if (!to->wheres.n) /* of a thread of the kernel, or the user's part was lost */
		latency_stacks_find(stacks, sum->pid, sum->id.kernel, &to->wheres);
}

void latency_stacks_of_idle(const struct lane_latency *latency, const struct lane_idle_sum *idle,
			    struct lane_stack_place *place)
{
	bool is_counted = idle->cause == LANE_IDLE_COMPUTING;
	struct stack_candidate *of = NULL;
	uint64_t whole = is_counted ? 0 : idle->ns, weight = 0;
	uint32_t n = 0;

	*place = (struct lane_stack_place){ 0 };
	if (!latency->n_idle_stacks)
		return;
	of = calloc(MAX_CANDIDATES, sizeof(*of));
	for (uint32_t i = 0; of && i < latency->n_idle_stacks; i++) {
		const struct lane_idle_stack_sum *sum = &latency->idle_stacks[i];

		if (sum->engine != idle->engine || sum->cause != idle->cause ||
		    sum->tid != idle->tid)
			continue;
		if (is_counted)
			whole += sum->times;
		if (n == MAX_CANDIDATES)
			continue;
		find_stack((struct lane_stacks *)&latency->stacks, sum, &of[n]);
		of[n++].weight = is_counted ? sum->times : sum->ns;
	}
	place->of_times = is_counted ? whole : 0;
	while (whole && place->n < LANE_PLACE_FRAMES && choose(of, &n, whole, place, &weight)) {
		if (place->n == 1 && is_counted)
			place->times = weight;
		else if (place->n == 1)
			place->ns = weight;
	}
	place->is_bare = place->n && n && of[0].wheres.is_bare && of[0].wheres.n == place->n;
	free(of);
}
