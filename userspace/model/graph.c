// SPDX-License-Identifier: MIT
// Graph files: statements with named results, loops that are unrolled, the last writer as
// dependence.
#include "model/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "model/lines.h"
#include "model/number.h"

#define GRAPH_BYTES    (4u << 20)
#define MAX_NAMES      4096
#define MAX_STATEMENTS 65536
#define MAX_LOOPS      16
#define NOBODY	       UINT32_MAX

/* One line of the file: an instruction, or the begin or end of a loop. */
struct graph_statement {
	enum {
		INSTRUCTION,
		ALIAS, /* another name for a result: costs nothing */
		REPEAT,
		END
	} kind;
	uint32_t times;	  /* REPEAT */
	uint32_t partner; /* REPEAT and END: the other one */
	uint16_t result;  /* name that it writes; 0: none */
	uint8_t op;
	uint8_t flags;
	uint32_t first_source; /* in sources */
	uint32_t n_sources;
};

struct parser {
	struct lane_graph *graph;
	struct lane_lines lines;
	char (*name)[LANE_NAME_BYTES]; /* 0 is not used */
	uint32_t n_names;
	struct graph_statement *statement;
	uint32_t n_statements;
	uint16_t *source;
	uint32_t n_sources;
	uint32_t open[MAX_LOOPS];
	uint32_t n_open;
	/* Unrolling. */
	uint32_t *writer; /* per name, the node that wrote it last */
	uint32_t barrier; /* the last sync node, or NOBODY */
	uint32_t *from;	  /* per edge */
	uint32_t *to;
	uint32_t room_op, room_flags, room_needs, room_from, room_to;
};

void model_graph_free(struct lane_graph *graph)
{
	if (!graph)
		return;
	free(graph->title);
	free(graph->node_op);
	free(graph->node_flags);
	free(graph->node_needs);
	free(graph->first_user);
	free(graph->user);
	free(graph);
}

void model_graph_drop(struct lane_graph **graph)
{
	model_graph_free(*graph);
}

static struct lane_error *graph_copy_name(const struct lane_lines *lines, const char *from,
					  char *to)
{
	size_t bytes = strlen(from);

	if (bytes >= LANE_NAME_BYTES || !strcmp(from, "="))
		return model_lines_error(lines, "`%.40s' is not a name of up to %d bytes", from,
					 LANE_NAME_BYTES - 1);
	memcpy(to, from, bytes + 1);
	return NULL;
}

static struct lane_error *graph_find_name(struct parser *p, const char *text, uint16_t *index)
{
	for (uint32_t i = 1; i <= p->n_names; i++) {
		if (!strcmp(p->name[i], text)) {
			*index = (uint16_t)i;
			return NULL;
		}
	}
	if (p->n_names + 1 == MAX_NAMES)
		return model_lines_error(&p->lines, "more than %d names", MAX_NAMES - 1);
	*index = (uint16_t)++p->n_names;
	return graph_copy_name(&p->lines, text, p->name[*index]);
}

/* Kinds beyond these have no line of their own, so that names still find a place. */
#define LINED_OPS (LANE_GRAPH_OPS - 55)

/* `OP` or `OP@LINE` */
static struct lane_error *find_op(struct parser *p, char *text, uint8_t *index)
{
	struct lane_graph *graph = p->graph;
	char *at = strchr(text, '@');
	uint64_t line = 0;

	if (at) {
		*at = '\0';
		if (model_whole_parse(at + 1, 1, UINT32_MAX, &line))
			return model_lines_error(&p->lines, "`%.20s@%.20s' is not OP@LINE", text,
						 at + 1);
	}
	for (int any_line = 0; any_line < 2; any_line++) {
		for (uint32_t i = 0; i < graph->n_ops; i++) {
			if (!strcmp(graph->op[i], text) && graph->op_line[i] == line) {
				*index = (uint8_t)i;
				return NULL;
			}
		}
		if (!line || graph->n_ops < LINED_OPS)
			break;
		line = 0;
	}
	if (graph->n_ops == LANE_GRAPH_OPS)
		return model_lines_error(&p->lines, "more than %d kinds of instructions",
					 LANE_GRAPH_OPS);
	*index = (uint8_t)graph->n_ops++;
	graph->op_line[*index] = (uint32_t)line;
	return graph_copy_name(&p->lines, text, graph->op[*index]);
}

/* `RESULT = let [SOURCE]`, behind the `let`; without a source the result is there from the
 * beginning. */
static struct lane_error *parse_alias(struct parser *p, struct graph_statement *s, unsigned int at)
{
	s->kind = ALIAS;
	s->first_source = p->n_sources;
	if (!s->result || s->flags || p->lines.n_words > at + 1)
		return model_lines_error(&p->lines, "not `RESULT = let [SOURCE]'");
	if (p->lines.n_words == at)
		return NULL;
	s->n_sources = 1;
	return graph_find_name(p, p->lines.word[at], &p->source[p->n_sources++]);
}

/* `[RESULT =] [post] [sync] OP [SOURCE...]` */
static struct lane_error *parse_instruction(struct parser *p, struct graph_statement *s)
{
	struct lane_lines *lines = &p->lines;
	struct lane_error *err = NULL;
	unsigned int at = 0;

	s->kind = INSTRUCTION;
	if (lines->n_words > 1 && !strcmp(lines->word[1], "=")) {
		err = graph_find_name(p, lines->word[0], &s->result);
		at = 2;
	}
	for (; at < lines->n_words; at++) {
		if (!strcmp(lines->word[at], "post"))
			s->flags |= LANE_NODE_POST;
		else if (!strcmp(lines->word[at], "sync"))
			s->flags |= LANE_NODE_SYNC;
		else
			break;
	}
	if (!err && at == lines->n_words)
		return model_lines_error(lines, "no instruction");
	if (!err && !strcmp(lines->word[at], "let"))
		return parse_alias(p, s, at + 1);
	if (!err && s->flags == (LANE_NODE_POST | LANE_NODE_SYNC))
		return model_lines_error(lines, "post and sync exclude each other");
	if (!err && s->flags & LANE_NODE_POST && s->result)
		return model_lines_error(lines, "nobody can wait for the result of a post");
	if (!err)
		err = find_op(p, lines->word[at++], &s->op);
	s->first_source = p->n_sources;
	for (; !err && at < lines->n_words; at++) {
		err = graph_find_name(p, lines->word[at], &p->source[p->n_sources]);
		p->n_sources++;
		s->n_sources++;
	}
	return err;
}

static struct lane_error *parse_repeat(struct parser *p, struct graph_statement *s)
{
	uint64_t times;

	if (p->lines.n_words != 2 ||
	    model_whole_parse(p->lines.word[1], 1, LANE_GRAPH_NODES, &times))
		return model_lines_error(&p->lines, "not `repeat TIMES' with 1 to %u",
					 LANE_GRAPH_NODES);
	if (p->n_open == MAX_LOOPS)
		return model_lines_error(&p->lines, "more than %d loops in each other", MAX_LOOPS);
	s->kind = REPEAT;
	s->times = (uint32_t)times;
	p->open[p->n_open++] = p->n_statements;
	return NULL;
}

static struct lane_error *parse_end(struct parser *p, struct graph_statement *s)
{
	if (p->lines.n_words != 1 || !p->n_open)
		return model_lines_error(&p->lines, "`end' without `repeat'");
	s->kind = END;
	s->partner = p->open[--p->n_open];
	p->statement[s->partner].partner = p->n_statements;
	if (s->partner + 1 == p->n_statements)
		return model_lines_error(&p->lines, "nothing is repeated");
	return NULL;
}

static struct lane_error *graph_whole(struct parser *p, uint64_t max, uint32_t *value)
{
	uint64_t number;

	if (p->lines.n_words != 2 || model_whole_parse(p->lines.word[1], 1, max, &number))
		return model_lines_error(&p->lines, "`%s' needs a number from 1 to %llu",
					 p->lines.word[0], (unsigned long long)max);
	*value = (uint32_t)number;
	return NULL;
}

/* `like OP OTHER` */
static struct lane_error *parse_like(struct parser *p)
{
	struct lane_graph *graph = p->graph;
	struct lane_like *like = &graph->like[graph->n_likes];
	struct lane_error *err;

	if (p->lines.n_words != 3)
		return model_lines_error(&p->lines, "not `like OP OTHER'");
	if (graph->n_likes == LANE_GRAPH_LIKES)
		return model_lines_error(&p->lines, "more than %d `like' lines", LANE_GRAPH_LIKES);
	err = graph_copy_name(&p->lines, p->lines.word[1], like->op);
	if (!err)
		err = graph_copy_name(&p->lines, p->lines.word[2], like->other);
	if (!err)
		graph->n_likes++;
	return err;
}

/* The lines before the first instruction; *header is 0 when this is none of them. */
static struct lane_error *parse_header(struct parser *p, int *header)
{
	struct lane_lines *lines = &p->lines;
	struct lane_graph *graph = p->graph;
	const char *word = lines->word[0];
	uint64_t work;

	*header = 1;
	if (!strcmp(word, "title") && lines->n_words > 1 && !graph->title) {
		graph->title = strdup(model_lines_rest(lines, 1));
		return graph->title ? NULL : &lane_enomem;
	}
	if (!strcmp(word, "groups"))
		return graph_whole(p, 1u << 30, &graph->groups);
	if (!strcmp(word, "group_warps"))
		return graph_whole(p, 1024, &graph->group_warps);
	if (!strcmp(word, "like"))
		return parse_like(p);
	if (!strcmp(word, "work")) {
		if (lines->n_words != 3 || model_whole_parse(lines->word[1], 1, UINT32_MAX, &work))
			return model_lines_error(lines, "not `work NUMBER UNIT'");
		graph->work = (double)work;
		return graph_copy_name(lines, lines->word[2], graph->unit);
	}
	*header = 0;
	return NULL;
}

static struct lane_error *parse_line(struct parser *p)
{
	struct graph_statement *s = &p->statement[p->n_statements];
	struct lane_error *err = NULL;
	int header = 0;

	if (!p->n_statements)
		err = parse_header(p, &header);
	if (err || header)
		return err;
	if (p->n_statements == MAX_STATEMENTS)
		return model_lines_error(&p->lines, "more than %d statements", MAX_STATEMENTS);
	if (!strcmp(p->lines.word[0], "repeat"))
		err = parse_repeat(p, s);
	else if (!strcmp(p->lines.word[0], "end"))
		err = parse_end(p, s);
	else
		err = parse_instruction(p, s);
	p->n_statements++;
	return err;
}

/* Room for one more node and for all of its edges. */
static struct lane_error *graph_grow(struct parser *p, uint32_t n_sources)
{
	struct lane_graph *graph = p->graph;

	if (graph->n_nodes == LANE_GRAPH_NODES || graph->n_edges + n_sources > LANE_GRAPH_EDGES)
		return lane_error("%s: more than %u instructions or %u dependences when unrolled",
				  p->lines.what, LANE_GRAPH_NODES, LANE_GRAPH_EDGES);
	return LANE_GROW(graph->node_op, p->room_op, graph->n_nodes + 1) &&
			       LANE_GROW(graph->node_flags, p->room_flags, graph->n_nodes + 1) &&
			       LANE_GROW(graph->node_needs, p->room_needs, graph->n_nodes + 1) &&
			       LANE_GROW(p->from, p->room_from, graph->n_edges + n_sources) &&
			       LANE_GROW(p->to, p->room_to, graph->n_edges + n_sources)
		       ? NULL
		       : &lane_enomem;
}

static void add_edge(struct parser *p, uint32_t from, uint32_t to)
{
	struct lane_graph *graph = p->graph;

	p->from[graph->n_edges] = from;
	p->to[graph->n_edges++] = to;
	graph->node_needs[to]++;
}

static struct lane_error *add_node(struct parser *p, const struct graph_statement *s)
{
	struct lane_graph *graph = p->graph;
	struct lane_error *err = graph_grow(p, s->n_sources + 1);
	uint32_t node = graph->n_nodes;
	int waits_for_barrier = 0;

	if (err)
		return err;
	graph->n_nodes++;
	graph->node_op[node] = s->op;
	graph->node_flags[node] = s->flags;
	graph->node_needs[node] = 0;
	for (uint32_t i = 0; i < s->n_sources; i++) {
		uint32_t writer = p->writer[p->source[s->first_source + i]];

		if (writer == NOBODY) /* an argument of the kernel: there from the beginning */
			continue;
		waits_for_barrier |= writer == p->barrier;
		add_edge(p, writer, node);
	}
	/* A warp stands at a barrier: what comes behind it in the program is not issued before. */
	if (p->barrier != NOBODY && !waits_for_barrier)
		add_edge(p, p->barrier, node);
	if (s->flags & LANE_NODE_SYNC)
		p->barrier = node;
	if (s->result)
		p->writer[s->result] = node;
	return NULL;
}

/* Runs through the statements as the kernel would, a node for each instruction on the way. */
static struct lane_error *unroll(struct parser *p)
{
	uint32_t left[MAX_LOOPS];
	uint32_t depth = 0;
	uint64_t steps = 0;

	for (uint32_t at = 0; at < p->n_statements; at++) {
		const struct graph_statement *s = &p->statement[at];
		struct lane_error *err = NULL;

		/* Other names and ends of loops make no nodes, but take their time. */
		if (++steps > UINT64_C(16) * LANE_GRAPH_NODES)
			return lane_error(
				"%s: more than %u instructions or %u dependences when unrolled",
				p->lines.what, LANE_GRAPH_NODES, LANE_GRAPH_EDGES);

		if (s->kind == REPEAT)
			left[depth++] = s->times;
		else if (s->kind == INSTRUCTION)
			err = add_node(p, s);
		else if (s->kind == ALIAS)
			p->writer[s->result] =
				s->n_sources ? p->writer[p->source[s->first_source]] : NOBODY;
		else if (--left[depth - 1])
			at = s->partner;
		else
			depth--;
		if (err)
			return err;
	}
	return NULL;
}

/* From a list of edges to users per node (counting sort, so that users keep their order). */
static struct lane_error *index_users(struct parser *p)
{
	struct lane_graph *graph = p->graph;

	graph->first_user = calloc((size_t)graph->n_nodes + 2, sizeof(*graph->first_user));
	graph->user = calloc((size_t)graph->n_edges + 1, sizeof(*graph->user));
	if (!graph->first_user || !graph->user)
		return &lane_enomem;
	for (uint32_t i = 0; i < graph->n_edges; i++)
		graph->first_user[p->from[i] + 2]++;
	for (uint32_t i = 2; i <= graph->n_nodes; i++)
		graph->first_user[i] += graph->first_user[i - 1];
	for (uint32_t i = 0; i < graph->n_edges; i++)
		graph->user[graph->first_user[p->from[i] + 1]++] = p->to[i];
	return NULL;
}

static struct lane_error *graph_parse(struct parser *p)
{
	struct lane_error *err;
	int more;

	err = model_lines_next(&p->lines, &more);
	if (err)
		return err;
	if (!more || p->lines.n_words != 2 || strcmp(p->lines.word[0], "gpulane-graph") ||
	    strcmp(p->lines.word[1], "1"))
		return lane_error("%s: not a graph file (its first line must be `gpulane-graph 1')",
				  p->lines.what);
	for (;;) {
		err = model_lines_next(&p->lines, &more);
		if (err)
			return err;
		if (!more)
			break;
		err = parse_line(p);
		if (err)
			return err;
	}
	if (p->n_open)
		return lane_error("%s: a `repeat' has no `end'", p->lines.what);
	for (uint32_t i = 0; i < MAX_NAMES; i++)
		p->writer[i] = NOBODY;
	p->barrier = NOBODY;
	err = unroll(p);
	if (!err && !p->graph->n_nodes)
		err = lane_error("%s: no instructions in it", p->lines.what);
	return err ? err : index_users(p);
}

struct lane_error *model_graph_parse(char *text, const char *what, struct lane_graph **graph)
{
	LANE_CLEANUP(model_graph_drop) struct lane_graph *made = calloc(1, sizeof(*made));
	struct parser p = { .graph = made };
	struct lane_error *err;

	p.name = calloc(MAX_NAMES, sizeof(*p.name));
	p.statement = calloc(MAX_STATEMENTS + 1, sizeof(*p.statement));
	p.source = calloc((size_t)MAX_STATEMENTS * LANE_LINE_WORDS, sizeof(*p.source));
	p.writer = calloc(MAX_NAMES, sizeof(*p.writer));
	model_lines_init(&p.lines, text, what);
	err = made && p.name && p.statement && p.source && p.writer ? graph_parse(&p)
								    : &lane_enomem;
	free(p.name);
	free(p.statement);
	free(p.source);
	free(p.writer);
	free(p.from);
	free(p.to);
	if (err)
		return err;
	*graph = LANE_TAKE(made);
	return NULL;
}

struct lane_error *model_graph_read(const char *path, struct lane_graph **graph)
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_error *err = model_text_read(path, GRAPH_BYTES, &text);

	return err ? err : model_graph_parse(text, path, graph);
}

struct lane_error *model_graph_chain(const char *op, uint32_t length, struct lane_graph **graph)
{
	char text[160];

	snprintf(text, sizeof(text), "gpulane-graph 1\nrepeat %u\nx = %s x\nend\n", length, op);
	return model_graph_parse(text, "--chain", graph);
}

bool model_graph_rename(struct lane_graph *graph, const char *op, const char *other)
{
	bool is_found = false;

	for (uint32_t i = 0; i < graph->n_ops; i++)
		if (!strcmp(graph->op[i], op)) {
			snprintf(graph->op[i], LANE_NAME_BYTES, "%s", other);
			is_found = true;
		}
	return is_found;
}
