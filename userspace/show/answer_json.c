// SPDX-License-Identifier: MIT
// The answers as JSON: cause, who, by whom, how long within which bounds, evidence, advice; and
// their sentences.
#include <inttypes.h>

#include "show/json.h"
#include "show/report.h"
#include "show/sentence.h"
#include "show/stacks_text.h"

typedef struct json_object json;

/* A party that is not known is null; one that the cause has none of is left out. */
static void add_party(const struct lane_latency *l, json *to, const char *key,
		      const struct lane_party *party)
{
	if (party->kind != LANE_PARTY_NONE)
		show_json_text(to, key, show_party_name(l, party, SHOW_ROOM(LANE_SHOW_ENGINE)));
}

static void add_evidence(const struct lane_answer *a, json *to)
{
	json *list, *row;

	if (!a->n_evidence)
		return;
	list = show_json_list(to, "evidence");
	for (uint8_t i = 0; i < a->n_evidence; i++) {
		row = show_json_row(list);
		show_json_uint(row, "device", a->evidence[i].dev);
		show_json_uint(row, "context", a->evidence[i].ctx);
		show_json_uint(row, "seqno", a->evidence[i].seqno);
	}
}

static void add_answer(const struct lane_answers *answers, const struct lane_answer *a, json *to)
{
	static const char *const kinds[] = { [LANE_CAUSE_FAULT] = "fault",
					     [LANE_CAUSE_LATE] = "late",
					     [LANE_CAUSE_UNKNOWN] = "unknown",
					     [LANE_CAUSE_NOTE] = "note",
					     [LANE_CAUSE_FINE] = "fine" };
	static const char *const how[] = { "among_others", "alone", "mostly" };
	char advice[256];
	json *list;

	show_json_text(to, "cause", lane_causes[a->cause].name);
	show_json_text(to, "kind", kinds[lane_causes[a->cause].kind]);
	add_party(answers->latency, to, "who", &a->who);
	add_party(answers->latency, to, "thread", &a->thread);
	add_party(answers->latency, to, "by", &a->by);
	if (a->by.kind != LANE_PARTY_NONE)
		show_json_text(to, "how", how[a->how]);
	if (a->what)
		show_json_text(to, "what", a->what);
	if (*a->place)
		show_json_text(to, "place", a->place);
	if (a->engine)
		show_json_text(to, "engine", SHOW_ENGINE(a->engine));
	if (a->stage >= 0)
		show_json_text(to, "stage", lane_stage_names[a->stage]);
	if (a->of.hi || a->ns.hi) {
		show_json_span(to, "lasted", a->ns);
		show_json_known_span(to, "of", a->of, a->of.hi);
	}
	if (a->cost_ns) {
		show_json_known(to, "pid", (uint64_t)a->pid, a->pid >= 0);
		show_json_uint(to, "cost_ns", a->cost_ns);
	}
	if (a->of_n) {
		show_json_uint(to, "count", a->n);
		show_json_uint(to, "of_count", a->of_n);
	}
	if (a->times)
		show_json_uint(to, "times", a->times);
	if (a->nearly)
		show_json_uint(to, "times_nearly", a->nearly);
	if (a->longest_ns)
		show_json_uint(to, "longest_ns", a->longest_ns);
	if (a->longest_at_ns)
		show_json_uint(to, "longest_at_ns", a->longest_at_ns);
	show_stacks_place_json(to, &a->where);
	if (a->n_kinds) {
		list = show_json_list(to, "events");
		for (uint16_t i = 0; i < a->n_kinds; i++)
			show_json_item(list, lane_kinds[a->kinds[i]].name);
	}
	add_evidence(a, to);
	show_answer_advice(answers, a, advice, sizeof(advice));
	show_json_text(to, "advice", *advice ? advice : NULL);
}

void show_answers_tree(struct lane_sentences *s, json *tree)
{
	json *answers = show_json_list(tree, "answers"), *verdict = show_json_list(tree, "verdict");
	char text[sizeof(s->text) + 2];

	for (uint32_t i = 0; i < s->answers.n; i++)
		add_answer(&s->answers, &s->answers.all[i], show_json_row(answers));
	while (show_sentences_next(s)) {
		snprintf(text, sizeof(text), "%s.", s->text);
		show_json_item(verdict, text);
	}
}
