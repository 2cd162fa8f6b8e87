// SPDX-License-Identifier: MIT
// The counters of this machine's GPUs: those that are files with one number, and what they have in
// common.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/counter_kind.h"
#include "base/vector.h"
#include "capture/counter.h"
#include "capture/host.h"

/* Rounds without a change until nothing is read more often than it is asked for. */
#define UNCHANGED 10

/* Of a CPU, in thousandths, and what comes in a second. */
#define BUDGET_PERMILLE 3
#define BUDGET_MOST_NS	(1000000 * BUDGET_PERMILLE)

struct counter_file {
	int fd;
	int total_fd;  /* of the counter's own time, -1: none */
	int active_fd; /* it is read while this says that the device is active, -1: always */
	struct lane_counter_form form;
	struct lane_p_gpulane_counter counter;
	bool is_described;
	bool is_left_alone;
	bool is_pmu;
	uint64_t last;
	int reasons[LANE_COUNTER_REASONS]; /* a bit each, where the number is not 0; -1: none */
};

struct lane_counter_set {
	struct lane_counter_config config;
	struct counter_file *files;
	uint32_t n_files, cap_files;
	uint32_t next_id;
	uint32_t unchanged;		      /* rounds */
	struct lane_counter_clients *clients; /* NULL: no card's are read */
};

void capture_counter_may_spend(struct lane_counter_budget *budget, uint64_t now_ns)
{
	uint64_t ns = now_ns > budget->at_ns ? now_ns - budget->at_ns : 0;

	budget->at_ns += ns;
	/* Nothing that is owed is more than a second's, nor is what is left. */
	if (ns > 2 * 1000000000ull)
		ns = 2 * 1000000000ull;
	budget->left_ns += (int64_t)(ns * BUDGET_PERMILLE / 1000);
	if (budget->left_ns > BUDGET_MOST_NS)
		budget->left_ns = BUDGET_MOST_NS;
}

void capture_counter_spend(struct lane_counter_budget *budget, uint64_t ns)
{
	budget->left_ns -= (int64_t)(ns < 2 * BUDGET_MOST_NS ? ns : 2 * BUDGET_MOST_NS);
	if (budget->left_ns < -BUDGET_MOST_NS)
		budget->left_ns = -BUDGET_MOST_NS;
}

const struct lane_counter_config *capture_counter_config(const struct lane_counter_set *set)
{
	return &set->config;
}

static struct lane_error *counter_set_put(struct lane_counter_set *set, uint32_t kind,
					  uint64_t now_ns, const void *payload, size_t bytes)
{
	struct {
		struct lane_wire wire;
		union lane_payload u;
	} record = { .wire = { .ts_ns = now_ns,
			       .kind = kind,
			       .tid = -1,
			       .pid = -1,
			       .origin = LANE_ORIGIN_SNAPSHOT } };

	memcpy(&record.u, payload, bytes);
	return set->config.put(set->config.arg, &record.wire);
}

struct lane_error *capture_counter_describe(struct lane_counter_set *set,
					    struct lane_p_gpulane_counter *counter, uint64_t now_ns)
{
	counter->id = set->next_id++;
	return counter_set_put(set, LANE_COUNTER, now_ns, counter, sizeof(*counter));
}

struct lane_error *capture_counter_sample(struct lane_counter_set *set, uint32_t id, uint64_t value,
					  uint64_t total, uint64_t from_ns, uint64_t now_ns)
{
	const struct lane_p_gpulane_sample sample = {
		.value = value, .total = total, .from_ns = from_ns, .id = id
	};

	return counter_set_put(set, LANE_SAMPLE, now_ns, &sample, sizeof(sample));
}

/* A new file; the fds are taken. */
static struct lane_error *counter_set_add(struct lane_counter_set *set,
					  const struct counter_file *is)
{
	struct counter_file *file;

	if (!lane_vector_reach(&set->files, &set->cap_files, set->n_files + 1,
			       sizeof(*set->files))) {
		lane_close(&(int){ is->fd });
		lane_close(&(int){ is->total_fd });
		lane_close(&(int){ is->active_fd });
		return &lane_enomem;
	}
	file = &set->files[set->n_files++];
	*file = *is;
	for (size_t i = 0; i < LANE_COUNTER_REASONS; i++)
		file->reasons[i] = -1;
	return NULL;
}

struct lane_error *capture_counter_add(struct lane_counter_set *set,
				       const struct lane_p_gpulane_counter *counter,
				       const struct lane_counter_form *form, int fd, int active_fd)
{
	return counter_set_add(set, &(struct counter_file){ .fd = fd,
							    .total_fd = -1,
							    .active_fd = active_fd,
							    .form = *form,
							    .counter = *counter });
}

struct lane_error *capture_counter_leave(struct lane_counter_set *set,
					 const struct lane_p_gpulane_counter *counter)
{
	return counter_set_add(set, &(struct counter_file){ .fd = -1,
							    .total_fd = -1,
							    .active_fd = -1,
							    .counter = *counter,
							    .is_left_alone = true });
}

struct lane_error *capture_counter_add_pmu(struct lane_counter_set *set,
					   const struct lane_p_gpulane_counter *counter, int fd,
					   int total_fd)
{
	return counter_set_add(set, &(struct counter_file){ .fd = fd,
							    .total_fd = total_fd,
							    .active_fd = -1,
							    .counter = *counter,
							    .is_pmu = true });
}

void capture_counter_add_reason(struct lane_counter_set *set, unsigned int bit, int fd)
{
	set->files[set->n_files - 1].reasons[bit] = fd;
}

struct lane_p_gpulane_counter capture_counter_of(const struct lane_card *card, uint32_t what,
						 const char *name)
{
	struct lane_p_gpulane_counter counter = { .what = what,
						  .card = LANE_COUNTER_NO_CARD,
						  .capacity = 1,
						  .pid = -1,
						  .class = LANE_COUNTER_NONE,
						  .instance = LANE_COUNTER_NONE };

	sscanf(card->name, "card%u", &counter.card);
	snprintf(counter.dev, sizeof(counter.dev), "%.*s", (int)sizeof(counter.dev) - 1, card->dev);
	snprintf(counter.name, sizeof(counter.name), "%s", name);
	return counter;
}

uint16_t capture_counter_class(const char *name, size_t bytes)
{
	static const struct {
		const char *name;
		uint16_t class;
	} names[] = { { "render", 0 },	{ "rcs", 0 }, { "copy", 1 },	      { "bcs", 1 },
		      { "video", 2 },	{ "vcs", 2 }, { "video-enhance", 3 }, { "vecs", 3 },
		      { "compute", 4 }, { "ccs", 4 } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == bytes && !memcmp(names[i].name, name, bytes))
			return names[i].class;
	return LANE_COUNTER_NONE;
}

int capture_counter_file(const struct lane_counter_set *set, const char *format, ...)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(lane_free) char *full = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&path, format, args);
	va_end(args);
	if (n < 0 || asprintf(&full, "%s%s", set->config.root, path) < 0)
		return -1;
	return open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* The number of a level, behind its own: "1: 800Mhz *". NULL: there is none. */
static const char *level_of(const char *text, bool is_top)
{
	const char *found = NULL;

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		size_t bytes;
		const char *colon;

		line += *line == '\n';
		bytes = strcspn(line, "\n");
		colon = memchr(line, ':', bytes);
		if (colon && (is_top || memchr(line, '*', bytes)))
			found = colon + 1;
	}
	return found;
}

/* The last number of a line of them. */
static const char *last_of(const char *text)
{
	const char *end = text + strcspn(text, "\n");

	while (end > text && end[-1] == ' ')
		end--;
	while (end > text && end[-1] != ' ')
		end--;
	return end;
}

static uint64_t little(const unsigned char *at, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

/*
 * Why amdgpu is throttled: indep_throttle_status of gpu_metrics (kgd_pp_interface.h; its bits are
 * SMU_THROTTLER_* of amdgpu_smu.h). Discrete GPUs have it since version 1.3, others since 2.2.
 */
static bool read_metrics(const unsigned char *text, size_t bytes, uint64_t *value)
{
	static const struct {
		unsigned char from, to;
		uint32_t reason;
	} bits[] = {
		{ 0, 15, LANE_THROTTLE_pl1 },	   { 16, 31, LANE_THROTTLE_vr_tdc },
		{ 32, 37, LANE_THROTTLE_thermal }, { 38, 41, LANE_THROTTLE_vr_thermalert },
		{ 42, 43, LANE_THROTTLE_thermal }, { 44, 45, LANE_THROTTLE_vr_thermalert },
		{ 46, 47, LANE_THROTTLE_prochot }, { 48, 63, LANE_THROTTLE_OTHER },
	};
	bool is_discrete = bytes > 3 && text[2] == 1 && text[3] == 3;
	bool is_other = bytes > 3 && text[2] == 2 && text[3] >= 2;
	size_t at = is_discrete ? 112 : 120;
	uint64_t all;

	if (!(is_discrete || is_other) || bytes < at + 8)
		return false;
	all = little(text + at, 8);
	*value = 0;
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]) && ~all; i++)
		if (all >> bits[i].from & ((1ull << (bits[i].to - bits[i].from + 1)) - 1))
			*value |= 1u << bits[i].reason;
	return ~all;
}

bool capture_counter_value(const struct lane_counter_form *form, int fd, uint64_t *value)
{
	char text[1024];
	const char *at = text;
	char *end;
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	if (form->text == LANE_TEXT_METRICS)
		return read_metrics((const unsigned char *)text, (size_t)n, value);
	if (form->text == LANE_TEXT_ON) {
		*value = !strncmp(text, "on", 2);
		return true;
	}
	if (form->text == LANE_TEXT_TOTAL) {
		at = strstr(text, "full ");
		at = at ? strstr(at, "total=") : NULL;
		at = at ? at + strlen("total=") : NULL;
	} else if (form->text == LANE_TEXT_LEVEL ||
		   (form->text == LANE_TEXT_TOP && strchr(text, ':'))) {
		at = level_of(text, form->text == LANE_TEXT_TOP);
	} else if (form->text == LANE_TEXT_TOP) {
		at = last_of(text);
	}
	/* What is below 0 is no number of ours: a temperature, a delay that is none. */
	if (!at || at[strspn(at, " ")] == '-')
		return false;
	if (form->text == LANE_TEXT_SPEED)
		*value = (uint64_t)(strtod(at, &end) * 1000);
	else
		*value = strtoull(at, &end, 10) / (form->over ? form->over : 1);
	return end != at;
}

bool capture_counter_number(int fd, uint64_t *value)
{
	return capture_counter_value(&(struct lane_counter_form){ 0 }, fd, value);
}

static bool read_one(const struct counter_file *file, int fd, uint64_t *value)
{
	if (file->is_pmu)
		return read(fd, value, sizeof(*value)) == sizeof(*value);
	return capture_counter_value(&file->form, fd, value);
}

/* "active", or "unsupported", which never sleeps. */
static bool is_active(const struct counter_file *file)
{
	char text[16];

	return file->active_fd < 0 || (pread(file->active_fd, text, sizeof(text), 0) > 0 &&
				       (*text == 'a' || *text == 'u'));
}

/* Of reasons the status is read alone as long as it is 0. */
static bool counter_set_read_file(const struct counter_file *file, uint64_t *value, uint64_t *total)
{
	uint64_t bits = 0, one;

	if (!is_active(file) || !read_one(file, file->fd, value) ||
	    (file->total_fd >= 0 && !read_one(file, file->total_fd, total)))
		return false;
	for (size_t i = 0; *value && i < LANE_COUNTER_REASONS; i++)
		if (file->reasons[i] >= 0 && capture_counter_number(file->reasons[i], &one) && one)
			bits |= 1u << i;
	/* None of those that are known, or it was over before they were read. */
	if (file->reasons[0] >= 0 && *value)
		*value = bits ? bits : 1u << LANE_THROTTLE_OTHER;
	return true;
}

/* What one reading may miss, and a file of one number: amdgpu's are made by the GPU's firmware. */
static bool is_quick(const struct counter_file *file)
{
	return (file->counter.what == LANE_COUNTS_CLOCK ||
		file->counter.what == LANE_COUNTS_THROTTLED) &&
	       file->form.text == LANE_TEXT_FIRST;
}

/* By more than a tenth; of reasons, bits, at all. */
static bool has_changed(const struct counter_file *file, uint64_t value)
{
	uint64_t by = value > file->last ? value - file->last : file->last - value;

	return file->counter.what == LANE_COUNTS_THROTTLED ? by : by * 10 > file->last;
}

static struct lane_error *read_files(struct lane_counter_set *set, bool is_quick_round)
{
	struct lane_error *err = NULL;
	uint64_t from_ns = capture_now_ns();

	for (uint32_t i = 0; i < set->n_files && !err; i++) {
		struct counter_file *file = &set->files[i];
		uint64_t value = 0, total = 0, now_ns;
		bool is_read;

		if (is_quick_round && !is_quick(file))
			continue;
		is_read = !file->is_left_alone && counter_set_read_file(file, &value, &total);
		if (is_read && is_quick(file)) {
			if (has_changed(file, value))
				set->unchanged = 0;
			file->last = value;
		}
		now_ns = capture_now_ns();
		if ((is_read || file->is_left_alone) && !file->is_described)
			err = capture_counter_describe(set, &file->counter, from_ns);
		file->is_described |= is_read || file->is_left_alone;
		if (is_read && !err)
			err = capture_counter_sample(set, file->counter.id, value, total, from_ns,
						     now_ns);
		from_ns = now_ns;
	}
	return err;
}

bool capture_counter_changes(const struct lane_counter_set *set)
{
	return set->unchanged < UNCHANGED;
}

struct lane_error *capture_counter_round(struct lane_counter_set *set, bool is_quick_round)
{
	struct lane_error *err;

	set->unchanged++;
	err = read_files(set, is_quick_round);
	return err || is_quick_round || !set->clients ? err
						      : capture_counter_clients_round(set->clients);
}

struct lane_error *capture_counter_open(const struct lane_counter_config *config,
					struct lane_counter_set **set)
{
	struct lane_counter_set *s = calloc(1, sizeof(*s));
	struct lane_card cards[LANE_MAX_CARDS];
	size_t n = capture_driver_cards(config->root, cards);
	struct lane_error *err = NULL;

	if (!s)
		return &lane_enomem;
	s->config = *config;
	for (size_t i = 0; i < n && !err; i++) {
		err = capture_counter_files(s, &cards[i]);
		if (!err)
			err = capture_counter_pmu(s, &cards[i]);
	}
	if (!err && n)
		err = capture_counter_machine(s);
	if (!err && n && config->has_clients) {
		s->clients = capture_counter_clients_open(s);
		err = s->clients ? NULL : &lane_enomem;
	}
	if (err)
		capture_counter_close(LANE_TAKE(s));
	*set = s;
	return err;
}

uint64_t capture_counter_left_out(const struct lane_counter_set *set)
{
	return set->clients ? capture_counter_clients_left_out(set->clients) : 0;
}

static uint64_t kinds_of(const struct lane_counter_set *set, bool is_left_alone)
{
	uint64_t kinds = 0;

	for (uint32_t i = 0; i < set->n_files; i++)
		if (set->files[i].is_left_alone == is_left_alone && set->files[i].is_described)
			kinds |= 1ull << set->files[i].counter.what;
	return kinds;
}

uint64_t capture_counter_left_alone(const struct lane_counter_set *set)
{
	return kinds_of(set, true);
}

uint64_t capture_counter_read(const struct lane_counter_set *set)
{
	return kinds_of(set, false) |
	       (set->clients ? capture_counter_clients_kinds(set->clients) : 0);
}

void capture_counter_close(struct lane_counter_set *set)
{
	if (!set)
		return;
	for (uint32_t i = 0; i < set->n_files; i++) {
		lane_close(&set->files[i].fd);
		lane_close(&set->files[i].total_fd);
		lane_close(&set->files[i].active_fd);
		for (size_t k = 0; k < LANE_COUNTER_REASONS; k++)
			lane_close(&set->files[i].reasons[k]);
	}
	if (set->clients)
		capture_counter_clients_close(set->clients);
	free(set->files);
	free(set);
}
