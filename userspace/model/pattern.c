// SPDX-License-Identifier: MIT
// Pattern files: the reader. What a warp's access costs lies in touch.c.
#include "model/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "model/lines.h"
#include "model/number.h"
#include "model/touch.h"

#define PATTERN_BYTES (UINT64_C(1) << 29)
#define MAX_KERNELS   1024
#define MAX_LINES     4096 /* of a kernel */
#define MAX_SITES     (1u << 20)
#define GRAPH_BYTES   (4u << 20)

const char *const lane_access_names[LANE_ACCESS_COUNT] = {
	[LANE_ACCESS_ATOMIC] = "atomic",
	[LANE_ACCESS_LOAD] = "load",
	[LANE_ACCESS_STORE] = "store",
	[LANE_ACCESS_SWAP] = "swap",
};

const char *const lane_layout_names[LANE_LAYOUT_COUNT] = {
	[LANE_LAYOUT_REPLICATED] = "replicated",
	[LANE_LAYOUT_PADDED] = "padded",
	[LANE_LAYOUT_STRETCHED] = "stretched",
};

struct pattern_reader {
	struct lane_pattern *pattern;
	struct lane_pattern_kernel *kernel; /* of the current launch */
	struct lane_lines lines;
	struct lane_touch touch;
	uint32_t *site;	     /* per site of the launch: index into the kernel's lines */
	uint32_t first_site; /* of the current launch */
	uint32_t n_sites;
	uint32_t site_room;
	struct lane_pattern_kernel *graph; /* whose graph is being read */
	size_t graph_bytes;
	size_t graph_room;
};

static struct lane_pattern_kernel *find_kernel(const struct lane_pattern *pattern, const char *name)
{
	for (size_t i = 0; i < pattern->n_kernels; i++)
		if (!strcmp(pattern->kernel[i].name, name))
			return &pattern->kernel[i];
	return NULL;
}

const struct lane_pattern_kernel *model_pattern_kernel(const struct lane_pattern *pattern,
						       const char *name)
{
	return find_kernel(pattern, name);
}

static struct lane_error *pattern_whole(const struct pattern_reader *r, unsigned int word,
					uint64_t max, uint64_t *value)
{
	if (model_whole_parse(r->lines.word[word], 0, max, value))
		return model_lines_error(&r->lines, "`%.40s' is not a whole number up to %llu",
					 r->lines.word[word], (unsigned long long)max);
	return NULL;
}

/* `launch KERNEL GROUPS LX LY LZ GX GY GZ [fixed]` */
static struct lane_error *read_launch(struct pattern_reader *r)
{
	struct lane_pattern *pattern = r->pattern;
	struct lane_pattern_kernel *kernel;
	struct lane_error *err = NULL;
	uint64_t n[7];
	uint64_t lanes;
	uint32_t warp;

	if (r->lines.n_words != 9 && (r->lines.n_words != 10 || strcmp(r->lines.word[9], "fixed")))
		return model_lines_error(&r->lines, "not `launch KERNEL GROUPS', local and global "
						    "size");
	for (unsigned int i = 0; !err && i < 7; i++)
		err = pattern_whole(r, i + 2, UINT32_MAX, &n[i]);
	if (err)
		return err;
	lanes = n[1] > 4096 || n[2] > 4096 || n[3] > 4096 ? 0 : n[1] * n[2] * n[3];
	if (!lanes || lanes > 4096)
		return model_lines_error(&r->lines, "a work-group of 1 to 4096 work-items");
	kernel = find_kernel(pattern, r->lines.word[1]);
	if (!kernel) {
		if (pattern->n_kernels == MAX_KERNELS)
			return model_lines_error(&r->lines, "more than %d kernels", MAX_KERNELS);
		kernel = &pattern->kernel[pattern->n_kernels];
		kernel->name = strdup(r->lines.word[1]);
		if (!kernel->name)
			return &lane_enomem;
		pattern->n_kernels++;
	}
	r->kernel = kernel;
	r->first_site += r->n_sites;
	r->n_sites = 0;
	kernel->launches++;
	kernel->is_fixed |= r->lines.n_words > 9;
	kernel->groups += n[0];
	kernel->work_items += n[0] * lanes;
	warp = r->touch.memory.lanes;
	if (warp > pattern->warp && lanes > pattern->warp)
		return model_lines_error(&r->lines,
					 "warps of %u lanes, of which the device has %u (make the "
					 "file anew with GPULANE_PATTERN_WARP=%u)",
					 pattern->warp, warp, warp);
	kernel->group_warps = (uint32_t)((lanes + warp - 1) / warp);
	return NULL;
}

static int same_line(const struct lane_pattern_line *a, const struct lane_pattern_line *b)
{
	return a->line == b->line && a->column == b->column && a->access == b->access &&
	       a->local == b->local && a->bytes == b->bytes && a->base == b->base &&
	       a->array_bytes == b->array_bytes && a->is_unused == b->is_unused &&
	       a->is_loop == b->is_loop && a->array == b->array && !strcmp(a->op, b->op);
}

static struct lane_error *pattern_add_line(struct pattern_reader *r,
					   const struct lane_pattern_line *line, uint32_t *index)
{
	struct lane_pattern_kernel *kernel = r->kernel;

	for (*index = 0; *index < kernel->n_lines; ++*index)
		if (same_line(&kernel->line[*index], line))
			return NULL;
	if (kernel->n_lines == MAX_LINES)
		return model_lines_error(&r->lines, "more than %d places in a kernel", MAX_LINES);
	if (!LANE_GROW(kernel->line, kernel->line_room, kernel->n_lines + 1))
		return &lane_enomem;
	kernel->line[kernel->n_lines] = *line;
	model_touch_begin(&r->touch, &kernel->line[kernel->n_lines++]);
	return NULL;
}

/* The words of a site line. */
static struct lane_error *parse_site(struct pattern_reader *r, struct lane_pattern_line *line)
{
	struct lane_lines *lines = &r->lines;
	uint64_t n[6] = { 0 };
	struct lane_error *err = pattern_whole(r, 2, UINT32_MAX, &n[0]);

	for (unsigned int i = 1; !err && i < 3; i++)
		err = pattern_whole(r, i == 1 ? 3 : 7, i == 1 ? UINT32_MAX : 128, &n[i]);
	if (!err)
		err = pattern_whole(r, 8, UINT32_MAX / 2, &n[3]);
	if (!err)
		err = pattern_whole(r, 9, UINT64_C(1) << 48, &n[4]);
	if (err)
		return err;
	line->line = (uint32_t)n[0];
	line->column = (uint32_t)n[1];
	line->bytes = (uint32_t)n[2];
	line->base = (uint32_t)n[3];
	line->array_bytes = n[4];
	line->access = LANE_ACCESS_COUNT;
	for (int i = 0; i < LANE_ACCESS_COUNT; i++)
		if (!strcmp(lines->word[4], lane_access_names[i]))
			line->access = (enum lane_access)i;
	line->local = !strcmp(lines->word[6], "local");
	if (line->access == LANE_ACCESS_COUNT || strlen(lines->word[5]) >= sizeof(line->op) ||
	    (!line->local && strcmp(lines->word[6], "global")) || !line->bytes ||
	    (line->local && line->array_bytes > UINT32_MAX / 2))
		return model_lines_error(lines, "an access that cannot be");
	memcpy(line->op, lines->word[5], strlen(lines->word[5]) + 1);
	return NULL;
}

/* The words behind it: what is known of the atomic, and the array's name ("-": not told). */
static struct lane_error *parse_marks(struct pattern_reader *r, struct lane_pattern_line *line,
				      const char **name)
{
	unsigned int at = 10;

	*name = "-";
	line->is_unused = at < r->lines.n_words && !strcmp(r->lines.word[at], "unused");
	at += line->is_unused != 0;
	line->is_loop = at < r->lines.n_words && !strcmp(r->lines.word[at], "loop");
	at += line->is_loop != 0;
	if (at + 2 == r->lines.n_words && !strcmp(r->lines.word[at], "array"))
		*name = r->lines.word[at + 1];
	else if (at != r->lines.n_words)
		return model_lines_error(&r->lines, "not a site of a launch: `%.40s'",
					 r->lines.word[at]);
	return NULL;
}

/*
 * The line's array: of local memory the one at its place, of global memory the one with its name
 * and size. Without a name the size alone tells arrays apart.
 */
static struct lane_error *find_array(struct pattern_reader *r, struct lane_pattern_line *line,
				     const char *name)
{
	struct lane_pattern_kernel *kernel = r->kernel;
	struct lane_pattern_array *array = kernel->array;

	for (line->array = 0; line->array < kernel->n_arrays; line->array++, array++)
		if (array->local == line->local && array->base == line->base &&
		    array->bytes == line->array_bytes && !strcmp(array->name, name))
			return NULL;
	if (kernel->n_arrays == MAX_LINES)
		return model_lines_error(&r->lines, "more than %d arrays in a kernel", MAX_LINES);
	if (!LANE_GROW_BY_ONE(kernel->array, kernel->n_arrays))
		return &lane_enomem;
	array = &kernel->array[kernel->n_arrays];
	*array = (struct lane_pattern_array){ .name = strdup(name),
					      .local = line->local,
					      .base = line->base,
					      .bytes = line->array_bytes };
	if (!array->name)
		return &lane_enomem;
	kernel->n_arrays++;
	return NULL;
}

/*
 * `site N LINE COLUMN atomic|load|store|swap OP local|global BYTES BASE ARRAY_BYTES [unused] [loop]
 * [array NAME]`
 */
static struct lane_error *read_site(struct pattern_reader *r)
{
	struct lane_pattern_line line = { 0 };
	struct lane_error *err;
	uint64_t number;
	uint32_t index;

	const char *name = "-";

	if (!r->kernel || r->lines.n_words < 10)
		return model_lines_error(&r->lines, "not a site of a launch (10 words)");
	err = pattern_whole(r, 1, UINT32_MAX, &number);
	if (!err)
		err = parse_site(r, &line);
	if (!err)
		err = parse_marks(r, &line, &name);
	if (!err)
		err = find_array(r, &line, name);
	if (!err && r->n_sites == 0)
		r->first_site = (uint32_t)number;
	if (!err && (number != (uint64_t)r->first_site + r->n_sites || r->n_sites == MAX_SITES))
		err = model_lines_error(&r->lines, "sites must be numbered one after the other");
	if (!err)
		err = pattern_add_line(r, &line, &index);
	if (err)
		return err;
	if (!LANE_GROW(r->site, r->site_room, r->n_sites + 1))
		return &lane_enomem;
	r->site[r->n_sites++] = index;
	if (line.local && line.base + line.array_bytes > r->kernel->local_bytes)
		r->kernel->local_bytes = line.base + (uint32_t)line.array_bytes;
	return NULL;
}

/* `w SITE COUNT ADDRESS...`, an address per lane, `-` for lanes that do not take part. */
static struct lane_error *read_warp(struct pattern_reader *r)
{
	struct lane_warp_access warp = { .n = 0 };
	struct lane_pattern_line *line;
	struct lane_error *err = NULL;
	uint64_t site = 0;
	int outside = 0;

	if (!r->kernel || r->lines.n_words < 4 || r->lines.n_words - 3 > r->pattern->warp)
		return model_lines_error(&r->lines, "not an access of a warp of %u lanes",
					 r->pattern->warp);
	err = pattern_whole(r, 1, UINT32_MAX, &site);
	if (!err)
		err = pattern_whole(r, 2, UINT32_MAX, &warp.count);
	if (err)
		return err;
	if (site < r->first_site || site - r->first_site >= r->n_sites)
		return model_lines_error(&r->lines, "site %llu is not one of this launch",
					 (unsigned long long)site);
	for (unsigned int i = 3; !err && i < r->lines.n_words; i++) {
		if (!strcmp(r->lines.word[i], "-"))
			continue;
		warp.lane[warp.n] = (uint8_t)(i - 3);
		err = pattern_whole(r, i, UINT64_C(1) << 48, &warp.address[warp.n++]);
	}
	if (err || !warp.n || !warp.count)
		return err;
	r->pattern->warps += warp.count;
	r->kernel->judged += warp.count;
	line = &r->kernel->line[r->site[site - r->first_site]];
	err = model_touch_add(&r->touch, &r->kernel->array[line->array], line, &warp, &outside);
	if (!err && outside)
		return model_lines_error(&r->lines,
					 "an address behind its array, or behind the %u bytes of "
					 "the device's local memory",
					 r->touch.memory.words * 4);
	return err;
}

/* `graph KERNEL`, then its lines behind `|`. */
static struct lane_error *read_graph(struct pattern_reader *r)
{
	if (r->lines.n_words != 2)
		return model_lines_error(&r->lines, "not `graph KERNEL'");
	r->graph = find_kernel(r->pattern, r->lines.word[1]);
	if (!r->graph || r->graph->graph)
		return model_lines_error(&r->lines,
					 "a graph of an unknown kernel, or a second one");
	r->graph_bytes = 0;
	r->graph_room = 0;
	return NULL;
}

static struct lane_error *read_graph_line(struct pattern_reader *r)
{
	const char *text = r->lines.n_words > 1 ? model_lines_rest(&r->lines, 1) : "";
	size_t bytes = strlen(text);

	if (!r->graph)
		return model_lines_error(&r->lines, "a line of no graph");
	if (r->graph_bytes + bytes + 2 > GRAPH_BYTES)
		return model_lines_error(&r->lines, "a graph of more than %u bytes", GRAPH_BYTES);
	if (!LANE_GROW(r->graph->graph, r->graph_room, r->graph_bytes + bytes + 2))
		return &lane_enomem;
	memcpy(r->graph->graph + r->graph_bytes, text, bytes);
	memcpy(r->graph->graph + r->graph_bytes + bytes, "\n", 2);
	r->graph_bytes += bytes + 1;
	return NULL;
}

/* `source LINE TEXT`, behind a graph. */
static struct lane_error *read_source(struct pattern_reader *r)
{
	struct lane_pattern_kernel *kernel = r->graph;
	uint64_t line = 0;

	if (!kernel || r->lines.n_words < 3 || kernel->n_sources == MAX_LINES)
		return model_lines_error(&r->lines,
					 "not `source LINE TEXT' behind a graph, or more "
					 "than %d",
					 MAX_LINES);
	if (model_whole_parse(r->lines.word[1], 1, UINT32_MAX, &line))
		return model_lines_error(&r->lines, "`%.40s' is not the number of a line",
					 r->lines.word[1]);
	if (!LANE_GROW_BY_ONE(kernel->source, kernel->n_sources))
		return &lane_enomem;
	kernel->source[kernel->n_sources] =
		(struct lane_pattern_source){ .line = (uint32_t)line,
					      .text = strdup(model_lines_rest(&r->lines, 2)) };
	return kernel->source[kernel->n_sources++].text ? NULL : &lane_enomem;
}

const char *model_pattern_source(const struct lane_pattern_kernel *kernel, uint32_t line)
{
	for (size_t i = 0; i < kernel->n_sources; i++)
		if (kernel->source[i].line == line)
			return kernel->source[i].text;
	return NULL;
}

static struct lane_error *read_warp_size(struct pattern_reader *r)
{
	uint64_t lanes = 0;

	if (r->kernel || r->lines.n_words != 2 ||
	    model_whole_parse(r->lines.word[1], 1, LANE_PAD_LANES, &lanes))
		return model_lines_error(&r->lines, "not `warp LANES', before the first launch");
	r->pattern->warp = (uint32_t)lanes;
	return NULL;
}

static struct lane_error *read_left_out(struct pattern_reader *r)
{
	uint64_t n;
	struct lane_error *err;

	if (!r->kernel || r->lines.n_words != 2)
		return model_lines_error(&r->lines, "not `left_out NUMBER' of a launch");
	err = pattern_whole(r, 1, UINT64_C(1) << 48, &n);
	if (!err)
		r->kernel->left_out += n;
	return err;
}

static struct lane_error *pattern_read_line(struct pattern_reader *r)
{
	const char *word = r->lines.word[0];

	if (!strcmp(word, "w"))
		return read_warp(r);
	if (!strcmp(word, "|"))
		return read_graph_line(r);
	if (!strcmp(word, "site"))
		return read_site(r);
	if (!strcmp(word, "launch"))
		return read_launch(r);
	if (!strcmp(word, "graph"))
		return read_graph(r);
	if (!strcmp(word, "source"))
		return read_source(r);
	if (!strcmp(word, "warp"))
		return read_warp_size(r);
	if (!strcmp(word, "left_out"))
		return read_left_out(r);
	if (!strcmp(word, "done") || !strcmp(word, "no_graph"))
		return NULL;
	return model_lines_error(&r->lines, "`%.40s' is not a word of this format", word);
}

static struct lane_error *read_all(struct pattern_reader *r)
{
	struct lane_error *err;
	int more;

	err = model_lines_next(&r->lines, &more);
	if (err)
		return err;
	if (!more || r->lines.n_words != 2 || strcmp(r->lines.word[0], "gpulane-pattern") ||
	    strcmp(r->lines.word[1], "1"))
		return lane_error(
			"%s: not a pattern file (its first line must be `gpulane-pattern 1')",
			r->lines.what);
	for (;;) {
		err = model_lines_next(&r->lines, &more);
		if (err || !more)
			return err;
		err = pattern_read_line(r);
		if (err)
			return err;
	}
}

static void close_lines(const struct pattern_reader *r)
{
	for (size_t i = 0; i < r->pattern->n_kernels; i++) {
		const struct lane_pattern_kernel *kernel = &r->pattern->kernel[i];

		for (size_t j = 0; j < kernel->n_lines; j++)
			model_touch_end(&r->touch, &kernel->line[j], kernel->local_bytes);
		for (size_t j = 0; j < kernel->n_arrays; j++)
			model_contend_end(&kernel->array[j]);
	}
}

struct lane_error *model_pattern_parse(char *text, const char *what,
				       const struct lane_device *device,
				       struct lane_pattern **pattern)
{
	LANE_CLEANUP(model_pattern_drop) struct lane_pattern *made = calloc(1, sizeof(*made));
	struct pattern_reader r = { .pattern = made };
	struct lane_error *err;

	if (!made)
		return &lane_enomem;
	made->warp = 32;
	made->what = strdup(what);
	made->kernel = calloc(MAX_KERNELS, sizeof(*made->kernel));
	if (!made->what || !made->kernel)
		return &lane_enomem;
	model_lines_init(&r.lines, text, what);
	err = model_touch_init(&r.touch, device);
	made->a_cycle = r.touch.memory.a_cycle;
	made->message = r.touch.message;
	if (!err)
		err = read_all(&r);
	if (!err)
		close_lines(&r);
	model_touch_free(&r.touch);
	free(r.site);
	if (err)
		return err;
	*pattern = LANE_TAKE(made);
	return NULL;
}

struct lane_error *model_pattern_read(const char *path, const struct lane_device *device,
				      struct lane_pattern **pattern)
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_error *err = model_text_read(path, PATTERN_BYTES, &text);

	return err ? err : model_pattern_parse(text, path, device, pattern);
}

void model_pattern_free(struct lane_pattern *pattern)
{
	if (!pattern)
		return;
	for (size_t i = 0; i < pattern->n_kernels; i++) {
		free(pattern->kernel[i].name);
		free(pattern->kernel[i].graph);
		free(pattern->kernel[i].line);
		for (size_t j = 0; j < pattern->kernel[i].n_arrays; j++) {
			model_tally_free(&pattern->kernel[i].array[j].by_chunk);
			model_tally_free(&pattern->kernel[i].array[j].by_word);
			free(pattern->kernel[i].array[j].name);
		}
		free(pattern->kernel[i].array);
		for (size_t j = 0; j < pattern->kernel[i].n_sources; j++)
			free(pattern->kernel[i].source[j].text);
		free(pattern->kernel[i].source);
	}
	free(pattern->kernel);
	free(pattern->what);
	free(pattern);
}

void model_pattern_drop(struct lane_pattern **pattern)
{
	model_pattern_free(*pattern);
}

int model_pattern_best(const struct lane_pattern_line *line, enum lane_layout *layout,
		       uint32_t *copies)
{
	int best = -1;

	for (int i = LANE_IF_COPIES; i < LANE_IF_COUNT; i++)
		if (!isnan(line->what_if[i]) &&
		    line->what_if[i] < (best < 0 ? line->cycles : line->what_if[best]))
			best = i;
	if (best >= 0) {
		*layout = (enum lane_layout)((best - LANE_IF_COPIES) / LANE_PATTERN_COPIES);
		*copies = 2u << ((best - LANE_IF_COPIES) % LANE_PATTERN_COPIES);
	}
	return best;
}
