// SPDX-License-Identifier: MIT
// Device files: the table of what they may hold, the parser, access by key.
#include "model/device.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/lines.h"
#include "model/number.h"

#define DEVICE_BYTES (1 << 20)
#define MAX_SECTIONS 256

static const struct lane_device_kind kinds[] = {
	{ "device",
	  0,
	  {
		  { "units", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 4096, 0 },
		  { "clock_mhz", LANE_KEY_NEEDED, LANE_KEY_REAL, 1, 100000, 0 },
		  { "warp", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 64, 32 },
		  { "max_warps", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 1024, 0 }, /* 0: not known */
		  { "max_groups", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 1024, 0 },
		  { "max_group_warps", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 1024, 0 },
		  { "issue_limit", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 0, 1024, 0 },
		  { "error_percent", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 10000, 12 },
		  { "gain_error_percent", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 10000, 0 },
		  { "global_atomic_lanes", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 64, 0 },
	  } },
	{ "op",
	  1,
	  {
		  { "issue", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "completion", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
	  } },
	{ "scratchpad",
	  0,
	  {
		  { "bytes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 4, LANE_LOCAL_BYTES, 0 },
		  { "banks", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 64, 0 },
		  { "locks", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 1 << 14, 0 },
		  { "read", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "update", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "write", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "branch", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
	  } },
	{ "atomic_unit",
	  0,
	  {
		  { "bytes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 4, LANE_LOCAL_BYTES, 0 },
		  { "banks", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 64, 0 },
		  { "latency", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "service", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_word", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_bank", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_word_service", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_bank_service", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
	  } },
	{ "increments",
	  0,
	  {
		  { "service", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_word", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_bank", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
	  } },
	{ "local_memory",
	  0,
	  {
		  { "bytes", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 4, LANE_LOCAL_BYTES, 65536 },
		  { "banks", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 64, 32 },
		  { "atomics_a_cycle", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 1024, 0 },
	  } },
	{ "global_atomics",
	  0,
	  {
		  { "load_single", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "load_uncoalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "load_coalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "store_single", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "store_uncoalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "store_coalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "load_store_single", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "load_store_uncoalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "load_store_coalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "red_single", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "red_uncoalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "red_coalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "atomic_single", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "atomic_uncoalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "atomic_coalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "lock_bytes", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 4, 4096, 0 },
		  { "same_word", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
	  } },
	{ "contention",
	  0,
	  {
		  { "word", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "message_bytes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 4, 4096, 0 },
		  { "chunk_bytes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 4, 1 << 20, 0 },
		  { "slices", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 1, 65536, 0 }, /* 0: not known */
		  { "used", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 1000, 1 },
		  { "retry", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "error_percent", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 10000, 100 },
	  } },
	{ "curve", 1, { { 0 } } },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct lane_device_kind *more_kinds;
static size_t n_more_kinds;

void model_device_more(const struct lane_device_kind *more, size_t n)
{
	more_kinds = more;
	n_more_kinds = n;
}

static const struct lane_device_kind *find_kind(const char *name)
{
	for (size_t i = 0; i < N_KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	for (size_t i = 0; i < n_more_kinds; i++)
		if (!strcmp(more_kinds[i].name, name))
			return &more_kinds[i];
	return NULL;
}

static const struct lane_device_key *find_key(const struct lane_device_kind *kind, const char *name,
					      unsigned int *index)
{
	for (unsigned int i = 0; i < LANE_SECTION_KEYS && kind->key[i].name; i++) {
		if (!strcmp(kind->key[i].name, name)) {
			*index = i;
			return &kind->key[i];
		}
	}
	return NULL;
}

const struct lane_device_section *model_device_section(const struct lane_device *device,
						       const char *kind, const char *name)
{
	for (size_t i = 0; i < device->n_sections; i++)
		if (!strcmp(device->section[i].kind->name, kind) &&
		    !strcmp(device->section[i].name, name))
			return &device->section[i];
	return NULL;
}

struct lane_error *model_device_need(const struct lane_device *device, const char *kind,
				     const char *name, const struct lane_device_section **section)
{
	*section = model_device_section(device, kind, name);
	if (*section)
		return NULL;
	return lane_error("%s: the device has no [%s%s%s] (name another with --device)",
			  device->what, kind, *name ? " " : "", name);
}

int64_t model_section_micro(const struct lane_device_section *section, const char *key)
{
	unsigned int index;
	const struct lane_device_key *found = find_key(section->kind, key, &index);

	assert(found);
	return section->value[index].given ? section->value[index].micro
					   : found->preset * LANE_MICRO;
}

uint32_t model_section_whole(const struct lane_device_section *section, const char *key)
{
	return (uint32_t)(model_section_micro(section, key) / LANE_MICRO);
}

double model_section_real(const struct lane_device_section *section, const char *key)
{
	return (double)model_section_micro(section, key) / (double)LANE_MICRO;
}

bool model_section_gives(const struct lane_device_section *section, const char *key)
{
	unsigned int index;

	return section && find_key(section->kind, key, &index) && section->value[index].given;
}

double model_section_doubt(const struct lane_device_section *section, const char *key)
{
	unsigned int index;
	const struct lane_device_key *found = find_key(section->kind, key, &index);

	assert(found);
	return section->value[index].micro ? (double)section->value[index].uncertainty /
						     (double)section->value[index].micro
					   : 0;
}

/* Millionths between two points; the products stay below 2^63 (10^11 * 10^6 < 9 * 10^18). */
static int64_t between(int64_t low, int64_t high, uint32_t step, uint32_t steps)
{
	return low + (high - low) * step / steps;
}

void model_op_latency(const struct lane_device_section *op, uint32_t warps, int64_t *issue,
		      int64_t *completion)
{
	const struct lane_op_point *low;
	const struct lane_op_point *high;
	uint32_t i = 0;

	*issue = model_section_micro(op, "issue");
	*completion = model_section_micro(op, "completion");
	if (!op->n_points)
		return;
	while (i < op->n_points && op->point[i].warps < warps)
		i++;
	high = &op->point[i < op->n_points ? i : op->n_points - 1];
	low = i > 0 && i < op->n_points ? &op->point[i - 1] : high;
	if (low == high) {
		*issue = high->issue;
		*completion = high->completion;
		return;
	}
	*issue = between(low->issue, high->issue, warps - low->warps, high->warps - low->warps);
	*completion = between(low->completion, high->completion, warps - low->warps,
			      high->warps - low->warps);
}

static struct lane_error *copy_name(const struct lane_lines *lines, const char *from, char *to)
{
	size_t bytes = strlen(from);

	if (bytes >= LANE_NAME_BYTES)
		return model_lines_error(lines, "a name of more than %d bytes",
					 LANE_NAME_BYTES - 1);
	if (strspn(from, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") !=
	    bytes)
		return model_lines_error(lines, "`%.40s' is not a name (letters, digits, _ - .)",
					 from);
	memcpy(to, from, bytes + 1);
	return NULL;
}

/* `[kind]` or `[kind name]`, in one or two words. */
static struct lane_error *begin_section(struct lane_device *device, struct lane_lines *lines)
{
	struct lane_error *err;
	struct lane_device_section *section;
	char *last = lines->word[lines->n_words - 1];
	size_t bytes = strlen(last);
	const struct lane_device_kind *kind;

	if (lines->n_words > 2 || bytes < 2 || last[bytes - 1] != ']')
		return model_lines_error(lines, "not a section ([kind] or [kind name])");
	last[bytes - 1] = '\0';
	kind = find_kind(lines->word[0] + 1);
	if (!kind)
		return model_lines_error(lines, "no such kind of section: `%.40s'",
					 lines->word[0] + 1);
	if (kind->is_named != (lines->n_words == 2))
		return model_lines_error(lines, "[%s] %s a name", kind->name,
					 kind->is_named ? "needs" : "takes not");
	if (model_device_section(device, kind->name, kind->is_named ? lines->word[1] : ""))
		return model_lines_error(lines, "this section was there before");
	if (device->n_sections == MAX_SECTIONS)
		return model_lines_error(lines, "more than %d sections", MAX_SECTIONS);
	section = &device->section[device->n_sections++];
	*section = (struct lane_device_section){ .kind = kind, .line = lines->line };
	if (kind->is_named) {
		err = copy_name(lines, lines->word[1], section->name);
		if (err)
			return err;
	}
	return NULL;
}

/* `KEY VALUE` or `KEY VALUE +- UNCERTAINTY`. */
static struct lane_error *set_value(struct lane_device_section *section, struct lane_lines *lines)
{
	const struct lane_device_key *key;
	struct lane_value *value;
	unsigned int index;

	key = find_key(section->kind, lines->word[0], &index);
	if (!key)
		return model_lines_error(lines, "[%s] has no key `%.40s'", section->kind->name,
					 lines->word[0]);
	value = &section->value[index];
	if (value->given)
		return model_lines_error(lines, "`%s' was there before", key->name);
	if ((lines->n_words != 2 && (lines->n_words != 4 || strcmp(lines->word[2], "+-"))) ||
	    model_micro_parse(lines->word[1], &value->micro) ||
	    (lines->n_words == 4 && model_micro_parse(lines->word[3], &value->uncertainty)))
		return model_lines_error(lines,
					 "`%s' needs one number, or NUMBER +- UNCERTAINTY (at most "
					 "six digits behind the point)",
					 key->name);
	if (value->micro < key->min * LANE_MICRO || value->micro > key->max * LANE_MICRO)
		return model_lines_error(lines, "`%s' must lie between %u and %u", key->name,
					 key->min, key->max);
	if (key->form == LANE_KEY_WHOLE && value->micro % LANE_MICRO)
		return model_lines_error(lines, "`%s' must be a whole number", key->name);
	value->given = 1;
	return NULL;
}

/* `at WARPS ISSUE COMPLETION` in an op. */
static struct lane_error *add_point(struct lane_device_section *section, struct lane_lines *lines)
{
	struct lane_op_point *point;
	uint64_t warps;

	if (section->n_points == LANE_OP_POINTS)
		return model_lines_error(lines, "more than %d `at' lines", LANE_OP_POINTS);
	point = &section->point[section->n_points];
	if (lines->n_words != 4 || model_whole_parse(lines->word[1], 1, 1024, &warps) ||
	    model_micro_parse(lines->word[2], &point->issue) ||
	    model_micro_parse(lines->word[3], &point->completion) ||
	    point->issue > 100000 * LANE_MICRO || point->completion > 100000 * LANE_MICRO)
		return model_lines_error(lines, "not `at WARPS ISSUE COMPLETION'");
	point->warps = (uint32_t)warps;
	if (section->n_points && point[-1].warps >= point->warps)
		return model_lines_error(lines, "`at' lines must come by ascending warps");
	section->n_points++;
	return NULL;
}

static struct lane_error *set_text(char **text, struct lane_lines *lines)
{
	if (lines->n_words < 2)
		return model_lines_error(lines, "`%s' needs text", lines->word[0]);
	if (*text)
		return model_lines_error(lines, "`%s' was there before", lines->word[0]);
	*text = strdup(model_lines_rest(lines, 1));
	return *text ? NULL : &lane_enomem;
}

static struct lane_error *parse_line(struct lane_device *device, struct lane_lines *lines)
{
	struct lane_device_section *section =
		device->n_sections ? &device->section[device->n_sections - 1] : NULL;
	const char *word = lines->word[0];
	int is_op = section && !strcmp(section->kind->name, "op");

	if (word[0] == '[')
		return begin_section(device, lines);
	if (!section) {
		if (!strcmp(word, "name"))
			return set_text(&device->name, lines);
		if (!strcmp(word, "title"))
			return set_text(&device->title, lines);
		if (!strcmp(word, "source"))
			return set_text(&device->source, lines);
		return model_lines_error(lines, "`%.40s' before the first section", word);
	}
	if (is_op && !strcmp(word, "pipe")) {
		if (lines->n_words != 2)
			return model_lines_error(lines, "`pipe' needs one name");
		return copy_name(lines, lines->word[1], section->unit);
	}
	if ((is_op || (section && !strcmp(section->kind->name, "curve"))) && !strcmp(word, "at"))
		return add_point(section, lines);
	return set_value(section, lines);
}

/* Everything that a section must have, and what no single key can say. */
static struct lane_error *check(const struct lane_device *device)
{
	if (!device->name || !device->source)
		return lane_error("%s: `name' and `source' are needed", device->what);
	for (size_t i = 0; i < device->n_sections; i++) {
		const struct lane_device_section *section = &device->section[i];
		const struct lane_device_kind *kind = section->kind;

		for (int k = 0; k < LANE_SECTION_KEYS && kind->key[k].name; k++)
			if (kind->key[k].need == LANE_KEY_NEEDED && !section->value[k].given)
				return lane_error("%s: line %u: [%s] lacks `%s'", device->what,
						  section->line, kind->name, kind->key[k].name);
		if (!strcmp(kind->name, "op") && !section->unit[0])
			return lane_error("%s: line %u: [op %s] lacks `pipe'", device->what,
					  section->line, section->name);
	}
	return NULL;
}

static struct lane_error *parse(struct lane_device *device, char *text)
{
	struct lane_lines lines;
	struct lane_error *err;
	int more;

	model_lines_init(&lines, text, device->what);
	err = model_lines_next(&lines, &more);
	if (err)
		return err;
	if (!more || lines.n_words != 2 || strcmp(lines.word[0], "gpulane-device") ||
	    strcmp(lines.word[1], "1"))
		return lane_error(
			"%s: not a device file (its first line must be `gpulane-device 1')",
			device->what);
	for (;;) {
		err = model_lines_next(&lines, &more);
		if (err || !more)
			return err ? err : check(device);
		err = parse_line(device, &lines);
		if (err)
			return err;
	}
}

struct lane_error *model_device_parse(char *text, const char *what, struct lane_device **device)
{
	LANE_CLEANUP(model_device_drop) struct lane_device *made = calloc(1, sizeof(*made));
	struct lane_error *err;

	if (!made)
		return &lane_enomem;
	made->what = strdup(what);
	made->section = calloc(MAX_SECTIONS, sizeof(*made->section));
	if (!made->what || !made->section)
		return &lane_enomem;
	err = parse(made, text);
	if (err)
		return err;
	*device = LANE_TAKE(made);
	return NULL;
}

struct lane_error *model_device_read(const char *path, struct lane_device **device)
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_error *err = model_text_read(path, DEVICE_BYTES, &text);

	return err ? err : model_device_parse(text, path, device);
}

bool model_device_set_op(struct lane_device *device, const char *op, int64_t issue,
			 int64_t completion)
{
	struct lane_device_section *section = NULL;

	for (size_t i = 0; i < device->n_sections; i++)
		if (device->section[i].unit[0] && !strcmp(device->section[i].name, op))
			section = &device->section[i];
	if (!section)
		return false;
	section->n_points = 0;
	/* Issue and completion are an op's first keys. */
	section->value[0] = (struct lane_value){ .micro = issue, .given = 1 };
	section->value[1] = (struct lane_value){ .micro = completion, .given = 1 };
	return true;
}

void model_device_free(struct lane_device *device)
{
	if (!device)
		return;
	free(device->what);
	free(device->name);
	free(device->title);
	free(device->source);
	free(device->section);
	free(device);
}

void model_device_drop(struct lane_device **device)
{
	model_device_free(*device);
}
