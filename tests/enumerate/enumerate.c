/* SPDX-License-Identifier: MIT */
/*
 * enumerate: walks every history of a small machine around i915 and groups
 * the histories by the events which a tracer would see.
 *
 * The walk is over the tree of event sequences.  A node of the tree holds
 * every state the machine may be in after just these events, each with the
 * number of histories which lead to it, so no history is left out and equal
 * states are followed once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "enumerate.h"

struct options opt;

#define MAXEV	   128
#define PART_DEPTH 10 /* --part goes by the first ten events */

/* Orders of steps are many: a count saturates at 2^128 - 1. */
__extension__ typedef unsigned __int128 count_t;

struct counted {
	struct state s;
	count_t n;
};

struct set { /* states, found by their content */
	struct counted *v;
	uint32_t n, cap;
	uint32_t *slot, nslot;
};

struct edge {
	uint32_t from, to;
};

struct child {
	uint32_t code; /* the event */
	struct set set;
};

struct hull {
	count_t n;
	uint8_t lo[5][NR], hi[5][NR], why[NR], culprit[NR], seen;
	uint8_t lcpu, lbefore, lafter, used;
};

static const char *const kind_name[EV_KINDS] = { "submit", "execute",	    "unsubmit", "in",
						 "out",	   "enable_signal", "signal",	"retire" };

static uint32_t path[MAXEV];
static int depth;
static count_t histories;
static uint64_t groups, written, left_out, broken;

static void *xrealloc(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (!p) {
		fputs("enumerate: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

static uint64_t mix(uint64_t h)
{
	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdULL;
	h ^= h >> 33;
	h *= 0xc4ceb9fe1a85ec53ULL;
	return h ^ (h >> 33);
}

static uint64_t hash(const void *p, size_t n, uint64_t h)
{
	const unsigned char *c = p;
	uint64_t w;

	for (; n >= 8; n -= 8, c += 8) {
		memcpy(&w, c, 8);
		h = (h ^ w) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 29;
	}
	w = 0;
	memcpy(&w, c, n);
	return mix(h ^ w);
}

static void plus(count_t *a, count_t b)
{
	if (__builtin_add_overflow(*a, b, a))
		*a = ~(count_t)0;
}

static const char *decimal(count_t n)
{
	static char text[48];
	char *p = text + sizeof(text) - 1;

	*p = 0;
	do
		*--p = (char)('0' + (int)(n % 10));
	while (n /= 10);
	return p;
}

static void set_free(struct set *t)
{
	free(t->v);
	free(t->slot);
	memset(t, 0, sizeof(*t));
}

static void set_rehash(struct set *t, uint32_t nslot)
{
	uint32_t i, h;

	t->slot = xrealloc(t->slot, nslot * sizeof(*t->slot));
	memset(t->slot, 0, nslot * sizeof(*t->slot));
	t->nslot = nslot;
	for (i = 0; i < t->n; i++) {
		h = (uint32_t)hash(&t->v[i].s, sizeof(t->v[i].s), 0);
		while (t->slot[h &= nslot - 1])
			h++;
		t->slot[h] = i + 1;
	}
}

/* The state's place in the set; it is put there with a count of 0 if new. */
static uint32_t set_find(struct set *t, const struct state *s)
{
	uint32_t h;

	if ((t->n + 1) * 2 > t->nslot)
		set_rehash(t, t->nslot ? t->nslot * 2 : 16);
	h = (uint32_t)hash(s, sizeof(*s), 0);
	for (;; h++) {
		h &= t->nslot - 1;
		if (!t->slot[h])
			break;
		if (!memcmp(&t->v[t->slot[h] - 1].s, s, sizeof(*s)))
			return t->slot[h] - 1;
	}
	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 8;
		t->v = xrealloc(t->v, t->cap * sizeof(*t->v));
	}
	t->v[t->n].s = *s;
	t->v[t->n].n = 0;
	t->slot[h] = ++t->n;
	return t->n - 1;
}

/*
 * The node which is being expanded: its closure under hidden steps, the edges
 * within it, and what its events lead to.
 */
static struct set *now;
static uint32_t now_at;
static struct edge *edges;
static uint32_t nedges, capedges;
struct leap {
	uint32_t from, code;
	struct state s;
};
static struct leap *leaps;
static uint32_t nleaps, capleaps;
static bool stepped;

void hidden(const struct state *next)
{
	uint32_t to;

	stepped = true;
	if (next->dead == 1) {
		left_out++;
		return;
	}
	if (next->dead) {
		broken++;
		return;
	}
	to = set_find(now, next);
	if (nedges == capedges) {
		capedges = capedges ? capedges * 2 : 1024;
		edges = xrealloc(edges, capedges * sizeof(*edges));
	}
	edges[nedges].from = now_at;
	edges[nedges++].to = to;
}

static uint32_t encode(const struct state *s, int cpu, enum kind k, int r, int arg)
{
	uint32_t prio = k == EV_IN ? s->prio[CTX(r)] : 0;

	return (uint32_t)s->t << 16 | (uint32_t)cpu << 12 | (uint32_t)k << 8 | (uint32_t)r << 4 |
	       (uint32_t)arg << 1 | prio;
}

static void leap(const struct state *next, uint32_t code)
{
	if (nleaps == capleaps) {
		capleaps = capleaps ? capleaps * 2 : 1024;
		leaps = xrealloc(leaps, capleaps * sizeof(*leaps));
	}
	leaps[nleaps].from = now_at;
	leaps[nleaps].code = code;
	leaps[nleaps++].s = *next;
}

void event(const struct state *next, int cpu, enum kind k, int r, int arg)
{
	struct state n = *next;
	uint32_t code = encode(next, cpu, k, r, arg);

	if (next->dead) {
		hidden(next);
		return;
	}
	stepped = true;
	if (opt.absent & (1 << k)) {
		hidden(next);
		return;
	}
	if (!opt.lose) {
		leap(next, code);
		return;
	}
	if (!next->lost) { /* this one is the one which is lost */
		n.lost = 1;
		n.lcpu = (uint8_t)cpu;
		n.lbefore = n.lastt[cpu];
		n.lastt[0] = n.lastt[1] = 0;
		hidden(&n);
	}
	n = *next;
	if (!n.lost)
		n.lastt[cpu] = n.t;
	if (n.lost == 1 && n.lcpu == cpu) {
		n.lost = 2;
		n.lafter = n.t;
	}
	leap(&n, code);
}

static void hull_add(struct hull *h, const struct state *s, count_t n)
{
	const uint8_t *v[5] = { s->start, s->run, s->end, s->pre, s->npre };
	int i, r;

	for (i = 0; i < 5; i++)
		for (r = 0; r < NR; r++) {
			if (!h->used || v[i][r] < h->lo[i][r])
				h->lo[i][r] = v[i][r];
			if (!h->used || v[i][r] > h->hi[i][r])
				h->hi[i][r] = v[i][r];
		}
	for (r = 0; r < NR; r++) {
		h->why[r] |= s->whys[r];
		h->culprit[r] |= s->culprit[r];
		if (s->f[r] & F_SUBMITTED)
			h->seen |= (uint8_t)(1 << r);
	}
	h->used = 1;
	plus(&h->n, n);
}

static void put_range(const char *name, int lo, int hi)
{
	if (lo == NEVER)
		printf(" %s=never..never", name);
	else if (hi == NEVER)
		printf(" %s=%d..never", name, lo);
	else
		printf(" %s=%d..%d", name, lo, hi);
}

static void put_event(uint32_t code)
{
	enum kind k = (code >> 8) & 15;
	int r = (code >> 4) & 3;

	printf("E %u %u %s %c %d", code >> 16, (code >> 12) & 1, kind_name[k], "AB"[CTX(r)],
	       SEQ(r));
	if (k == EV_IN)
		printf(" port=%u prio=%u", (code >> 1) & 1, code & 1);
	if (k == EV_OUT)
		printf(" completed=%u", (code >> 1) & 1);
	putchar('\n');
}

static void put_group(const struct hull *h)
{
	static const char *const name[5] = { "start", "running", "end", "preempted",
					     "preemptions" };
	static const char *const why[4] = { "none", "priority", "timeslice", "either" };
	uint64_t id, key;
	int i, r;

	key = hash(path, (size_t)depth * sizeof(*path), h->lcpu);
	key = mix(key ^ (uint64_t)(h->lbefore << 8 | h->lafter));
	if (opt.part_n > 1 && depth < PART_DEPTH && key % opt.part_n != opt.part_k)
		return;
	id = groups++;
	plus(&histories, h->n);
	if (opt.sample_n > 1 && key % opt.sample_n != opt.sample_k)
		return;
	written++;
	if (opt.count)
		return;
	printf("G %llu %s\n", (unsigned long long)id, decimal(h->n));
	for (i = 0; i < depth; i++)
		put_event(path[i]);
	if (opt.lose)
		printf("L %d %d cpu=%d\n", h->lbefore, h->lafter, h->lcpu);
	for (r = 0; r < NR; r++) {
		if (!(h->seen & (1 << r)))
			continue;
		printf("H %c%d", "AB"[CTX(r)], SEQ(r));
		for (i = 0; i < 5; i++)
			put_range(name[i], h->lo[i][r], h->hi[i][r]);
		printf(" why=%s culprit=", why[h->why[r] & 3]);
		if (!h->culprit[r])
			printf("none\n");
		else if (h->culprit[r] & (h->culprit[r] - 1))
			printf("either\n");
		else
			for (i = 0; i < NR; i++)
				if (h->culprit[r] == 1 << i)
					printf("%c%d\n", "AB"[CTX(i)], SEQ(i));
	}
}

/* The histories which end here make a group (with --lose, one by interval). */
static void put_ended(const struct set *t, const uint8_t *ended)
{
	static struct hull h[2 * 16 * 16]; /* CPU, before, after */
	int nh = 0, j;
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		struct state s = t->v[i].s;

		if (!ended[i])
			continue;
		if (opt.lose) {
			if (!s.lost)
				continue;
			if (s.lost == 1)
				s.lafter = (uint8_t)opt.ticks;
		}
		for (j = 0; j < nh; j++)
			if (h[j].lcpu == s.lcpu && h[j].lbefore == s.lbefore &&
			    h[j].lafter == s.lafter)
				break;
		if (j == nh) {
			memset(&h[nh], 0, sizeof(h[nh]));
			h[nh].lcpu = s.lcpu;
			h[nh].lbefore = s.lbefore;
			h[nh++].lafter = s.lafter;
		}
		hull_add(&h[j], &s, t->v[i].n);
	}
	for (j = 0; j < nh; j++)
		put_group(&h[j]);
}

/* Counts along the edges: a state's is whole before it is handed on. */
static void count_histories(struct set *t)
{
	uint32_t *indegree, *first, *to, *ready, i, e, k, nready = 0;

	indegree = calloc(t->n + 1, sizeof(*indegree));
	first = calloc(t->n + 2, sizeof(*first));
	to = xrealloc(NULL, (nedges + 1) * sizeof(*to));
	ready = xrealloc(NULL, (t->n + 1) * sizeof(*ready));
	if (!indegree || !first) {
		fputs("enumerate: out of memory\n", stderr);
		exit(1);
	}
	for (e = 0; e < nedges; e++) {
		indegree[edges[e].to]++;
		first[edges[e].from + 1]++;
	}
	for (i = 0; i < t->n; i++)
		first[i + 1] += first[i];
	for (e = 0; e < nedges; e++)
		to[first[edges[e].from]++] = edges[e].to;
	for (i = t->n; i > 0; i--)
		first[i] = first[i - 1];
	first[0] = 0;
	for (i = 0; i < t->n; i++)
		if (!indegree[i])
			ready[nready++] = i;
	for (k = 0; k < nready; k++) {
		i = ready[k];
		for (e = first[i]; e < first[i + 1]; e++) {
			plus(&t->v[to[e]].n, t->v[i].n);
			if (!--indegree[to[e]])
				ready[nready++] = to[e];
		}
	}
	if (nready != t->n) {
		fputs("enumerate: hidden steps in a circle\n", stderr);
		exit(1);
	}
	free(indegree);
	free(first);
	free(to);
	free(ready);
}

static int by_code(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	return (x->code > y->code) - (x->code < y->code);
}

/* Takes the set over and frees it. */
static void walk(struct set *t)
{
	struct child *kids = NULL;
	uint32_t nkids = 0, i, j, at;
	uint8_t *ended = NULL;
	uint32_t capended = 0;

	if (depth == MAXEV) {
		fputs("enumerate: too many events\n", stderr);
		exit(1);
	}
	now = t;
	nedges = nleaps = 0;
	for (now_at = 0; now_at < t->n; now_at++) {
		struct state s = t->v[now_at].s;

		stepped = false;
		steps(&s);
		if (now_at >= capended) {
			capended = capended ? capended * 2 : 64;
			ended = xrealloc(ended, capended);
		}
		ended[now_at] = !stepped;
		if (!stepped && stuck(&s))
			broken++;
	}
	count_histories(t);
	for (i = 0; i < nleaps; i++) {
		for (j = 0; j < nkids && kids[j].code != leaps[i].code; j++)
			;
		if (j == nkids) {
			kids = xrealloc(kids, (nkids + 1) * sizeof(*kids));
			memset(&kids[nkids], 0, sizeof(*kids));
			kids[nkids++].code = leaps[i].code;
		}
		at = set_find(&kids[j].set, &leaps[i].s);
		plus(&kids[j].set.v[at].n, t->v[leaps[i].from].n);
	}
	put_ended(t, ended);
	free(ended);
	set_free(t);
	if (nkids)
		qsort(kids, nkids, sizeof(*kids), by_code);
	for (j = 0; j < nkids; j++) {
		path[depth++] = kids[j].code;
		if (opt.part_n > 1 && depth == PART_DEPTH &&
		    hash(path, PART_DEPTH * sizeof(*path), 1) % opt.part_n != opt.part_k)
			set_free(&kids[j].set);
		else
			walk(&kids[j].set);
		depth--;
	}
	free(kids);
}

static struct set root;

static void put_root(const struct state *s)
{
	uint32_t at = set_find(&root, s);

	root.v[at].n = 1;
}

static int usage(void)
{
	fputs("usage: gpulane-enumerate execlists|guc|ring [--size 1|2|3] [--lose]\n"
	      "  [--absent KIND]... [--count] [--sample K/N] [--part K/N] [--ticks N]\n"
	      "  [--requests AB] [--listeners N] [--polls N] [--switches N]\n"
	      "  [--calm] [--wild] [--fine] [--free] [--at-once]\n"
	      "  [--kick-client]\n",
	      stderr);
	return 2;
}

static bool number(const char *s, long lo, long hi, int *out)
{
	char *end;
	long v;

	if (!s)
		return false;
	v = strtol(s, &end, 10);
	if (end == s || *end || v < lo || v > hi)
		return false;
	*out = (int)v;
	return true;
}

static bool fraction(const char *s, uint64_t *k, uint64_t *n)
{
	unsigned long long x, y;
	char c;

	if (!s || sscanf(s, "%llu/%llu%c", &x, &y, &c) != 2 || !y || x >= y)
		return false;
	*k = x;
	*n = y;
	return true;
}

int main(int argc, char **argv)
{
	static const char *const model[] = { "execlists", "ring", "guc" };
	static const struct {
		int ticks, a, b, listeners, polls;
		bool calm;
	} sizes[3][3] = {
		{ { 3, 1, 1, 1, 0, true }, { 2, 1, 1, 0, 1, false },
		  { 2, 2, 1, 1, 0, true } },
		{ { 3, 1, 1, 2, 1, false }, { 3, 2, 1, 1, 0, false },
		  { 3, 2, 2, 1, 0, false } },
		{ { 3, 1, 1, 1, 0, false }, { 2, 2, 1, 1, 0, false },
		  { 2, 2, 2, 1, 0, true } },
	}, *size;
	static char buffer[1 << 20];
	int ticks = 0, requests = 0, listeners = -1, polls = -1, i, k;
	int calm = -1;

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	opt.size = 1;
	opt.switches = 1;
	if (argc < 2)
		return usage();
	for (i = 0; i < 3 && strcmp(argv[1], model[i]); i++)
		;
	if (i == 3)
		return usage();
	opt.model = (enum model)i;
	for (i = 2; i < argc; i++) {
		const char *a = argv[i], *v = argv[i + 1];

		if (!strcmp(a, "--lose")) {
			opt.lose = true;
		} else if (!strcmp(a, "--count")) {
			opt.count = true;
		} else if (!strcmp(a, "--fine")) {
			opt.fine = true;
		} else if (!strcmp(a, "--free")) {
			opt.free = true;
		} else if (!strcmp(a, "--calm")) {
			calm = 1;
		} else if (!strcmp(a, "--wild")) {
			calm = 0;
		} else if (!strcmp(a, "--at-once")) {
			opt.at_once = true;
		} else if (!strcmp(a, "--kick-client")) {
			opt.kick_client = true;
		} else if (!strcmp(a, "--size") && number(v, 1, 3, &opt.size)) {
			i++;
		} else if (!strcmp(a, "--ticks") && number(v, 1, 15, &ticks)) {
			i++;
		} else if (!strcmp(a, "--requests") && number(v, 0, 22, &requests) &&
			   requests % 10 < 3) {
			i++;
		} else if (!strcmp(a, "--listeners") && number(v, 0, 4, &listeners)) {
			i++;
		} else if (!strcmp(a, "--polls") && number(v, 0, 4, &polls)) {
			i++;
		} else if (!strcmp(a, "--switches") && number(v, 0, 4, &opt.switches)) {
			i++;
		} else if (!strcmp(a, "--absent") && v) {
			for (k = 0; k < EV_KINDS && strcmp(v, kind_name[k]); k++)
				;
			if (k == EV_KINDS)
				return usage();
			opt.absent |= 1 << k;
			i++;
		} else if (!strcmp(a, "--sample") && fraction(v, &opt.sample_k, &opt.sample_n)) {
			i++;
		} else if (!strcmp(a, "--part") && fraction(v, &opt.part_k, &opt.part_n)) {
			i++;
		} else {
			return usage();
		}
	}
	size = &sizes[opt.model][opt.size - 1];
	opt.ticks = ticks ? ticks : size->ticks;
	opt.nreq[0] = requests ? requests / 10 : size->a;
	opt.nreq[1] = requests ? requests % 10 : size->b;
	opt.listeners = listeners >= 0 ? listeners : size->listeners;
	opt.polls = polls >= 0 ? polls : size->polls;

	opt.calm = calm >= 0 ? calm : size->calm;

	initial(put_root);
	walk(&root);
	free(edges);
	free(leaps);
	if (opt.count)
		printf("histories %s groups %llu written %llu left out %llu\n", decimal(histories),
		       (unsigned long long)groups, (unsigned long long)written,
		       (unsigned long long)left_out);
	if (broken) {
		fprintf(stderr, "gpulane-enumerate: %llu steps the driver calls impossible\n",
			(unsigned long long)broken);
		return 1;
	}
	return fflush(stdout) ? 1 : 0;
}
