// SPDX-License-Identifier: MIT
// Counters of DRM clients: the fdinfo of the files that processes have open on GPUs.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/counter_kind.h"
#include "capture/counter.h"
#include "capture/host.h"

/* All that a round does is bounded: what is more waits for its turn. */
#define CLIENTS	     LANE_COUNTER_CLIENTS /* each is an open file */
#define CLASSES	     24			  /* and regions of memory */
#define READ_A_ROUND 8			  /* clients */
#define ENTRIES	     32			  /* of /proc looked at in a round, */
#define LOOKS	     2			  /* processes looked into, */
#define FILES	     512		  /* and open files of each */
#define OLDEST	     6 /* a process is looked into at every 128th walk through /proc at least */
#define FDINFO_BYTES 4096

struct class
{
	uint32_t id; /* of its counter */
	enum lane_counter_what what;
	char name[24];
};

struct client {
	int fd; /* its fdinfo, -1: the place is free */
	int32_t pid;
	uint32_t number; /* of the file in its process */
	uint64_t client_id;
	char dev[32];
	struct class classes[CLASSES];
	unsigned int n_classes;
};

struct lane_counter_clients {
	struct lane_counter_set *set;
	struct client all[CLIENTS];
	unsigned int turn; /* whose turn it is */
	DIR *proc;
	uint32_t walk;	/* through /proc, the how many */
	uint8_t *looks; /* how often each process was looked into, up to OLDEST; by its number */
	int32_t n_looks;
	uint64_t left_out;
	uint64_t kinds; /* bits: of these there are counters */
	bool is_guc, is_xe_live;
};

/* --- fdinfo --- */

/* The value behind "KEY:" or "KEY-CLASS:", where the line begins so; *class is what follows KEY-.
 */
static const char *value_of(const char *line, const char *key, const char **class, size_t *bytes)
{
	size_t n = strlen(key);
	const char *colon;

	if (strncmp(line, key, n))
		return NULL;
	colon = strchr(line, ':');
	if (!colon || (class ? line[n] != '-' : line + n != colon))
		return NULL;
	if (class) {
		*class = line + n + 1;
		*bytes = (size_t)(colon - *class);
	}
	return colon + 1 + strspn(colon + 1, " \t");
}

/* What there is of a class, or of a region of memory. */
struct usage {
	enum lane_counter_what what;
	const char *name;
	size_t bytes;
	uint64_t ns, cycles, total, capacity;
	uint64_t resident, used; /* KiB; used: of drivers without the other */
	bool has_ns;
};

struct fdinfo {
	char driver[32], dev[32];
	uint64_t client_id;
	struct usage usages[CLASSES];
	unsigned int n;
};

static struct usage *usage_of(struct fdinfo *info, enum lane_counter_what what, const char *name,
			      size_t bytes)
{
	for (unsigned int i = 0; i < info->n; i++)
		if (info->usages[i].what == what && info->usages[i].bytes == bytes &&
		    !memcmp(info->usages[i].name, name, bytes))
			return &info->usages[i];
	if (info->n == CLASSES || bytes >= sizeof(((struct class *)0)->name))
		return NULL;
	info->usages[info->n] = (struct usage){ .what = what, .name = name, .bytes = bytes };
	return &info->usages[info->n++];
}

/* Keys before a class, or a region; the first that fits. */
static const struct key {
	const char *name;
	size_t at;
	enum lane_counter_what what;
} keys[] = {
	{ "drm-engine-capacity", offsetof(struct usage, capacity), LANE_COUNTS_CLIENT_BUSY },
	{ "drm-total-cycles", offsetof(struct usage, total), LANE_COUNTS_CLIENT_BUSY },
	{ "drm-cycles", offsetof(struct usage, cycles), LANE_COUNTS_CLIENT_BUSY },
	{ "drm-engine", offsetof(struct usage, ns), LANE_COUNTS_CLIENT_BUSY },
	{ "drm-resident", offsetof(struct usage, resident), LANE_COUNTS_CLIENT_MEMORY },
	{ "drm-memory", offsetof(struct usage, used), LANE_COUNTS_CLIENT_MEMORY },
	{ "amd-evicted", offsetof(struct usage, resident), LANE_COUNTS_CLIENT_EVICTED },
};

static uint64_t as_kib(uint64_t value, const char *unit)
{
	unit += strspn(unit, " ");
	return *unit == 'K' ? value : *unit == 'M' ? value << 10 : value >> 10;
}

static void parse_key(const char *line, const struct key *key, struct fdinfo *info)
{
	const char *name;
	size_t bytes;
	const char *value = value_of(line, key->name, &name, &bytes);
	enum lane_counter_what what = key->what;
	uint64_t number;
	struct usage *usage;
	char *end;

	/* amdgpu's, nouveau's and xe's vram, i915's local0 and stolen-local0. */
	if (what == LANE_COUNTS_CLIENT_MEMORY &&
	    (!strncmp(name, "vram", 4) || !strncmp(name, "local", 5) ||
	     !strncmp(name, "stolen-local", 12)))
		what = LANE_COUNTS_CLIENT_VRAM;
	/* "visible-vram" of amdgpu up to Linux 6.12 is a part of "vram". */
	if (what == LANE_COUNTS_CLIENT_EVICTED && (bytes != 4 || memcmp(name, "vram", 4) != 0))
		return;
	usage = usage_of(info, what, name, bytes);
	if (!usage)
		return;
	number = strtoull(value, &end, 10);
	memcpy((char *)usage + key->at,
	       &(uint64_t){ what == LANE_COUNTS_CLIENT_BUSY ? number : as_kib(number, end) },
	       sizeof(number));
	usage->has_ns |= key->at == offsetof(struct usage, ns);
}

static void parse_line(const char *line, struct fdinfo *info)
{
	const char *value, *class;
	size_t bytes;

	if ((value = value_of(line, "drm-driver", NULL, NULL)))
		snprintf(info->driver, sizeof(info->driver), "%.*s", (int)strcspn(value, "\n"),
			 value);
	else if ((value = value_of(line, "drm-pdev", NULL, NULL)))
		snprintf(info->dev, sizeof(info->dev), "%.*s", (int)strcspn(value, "\n"), value);
	else if ((value = value_of(line, "drm-client-id", NULL, NULL)))
		info->client_id = strtoull(value, NULL, 10);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (value_of(line, keys[i].name, &class, &bytes)) {
			parse_key(line, &keys[i], info);
			return;
		}
}

/* Reads a file's fdinfo; false: it is no client's. */
static bool read_fdinfo(int fd, char *text, struct fdinfo *info)
{
	ssize_t n = pread(fd, text, FDINFO_BYTES - 1, 0);

	memset(info, 0, sizeof(*info));
	if (n <= 0)
		return false;
	text[n] = '\0';
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		parse_line(line, info);
	}
	return *info->driver && info->client_id;
}

/* --- clients --- */

static bool is_since(unsigned int major, unsigned int minor)
{
	unsigned int of_major = 0, of_minor = 0;
	struct utsname name;

	return !uname(&name) && sscanf(name.release, "%u.%u", &of_major, &of_minor) == 2 &&
	       (of_major > major || (of_major == major && of_minor >= minor));
}

/*
 * What a driver's count leaves out. i915: an execlists context has a time of its own while it runs
 * (intel_context_get_total_runtime_ns()), the GuC's has what was saved as it last left. xe reads
 * the running context's register since it may be asked whether it is active; known of Linux 7.3.
 */
static uint32_t trust_of(const struct lane_counter_clients *clients, const char *driver)
{
	if (!strcmp(driver, "i915"))
		return clients->is_guc ? 0 : LANE_TRUST_LIVE;
	if (!strcmp(driver, "xe"))
		return LANE_TRUST_WAKES | (clients->is_xe_live ? LANE_TRUST_LIVE : 0);
	return strcmp(driver, "amdgpu") ? 0 : LANE_TRUST_FENCES;
}

static bool is_by_cycles(const struct usage *usage)
{
	return !usage->has_ns || usage->total;
}

static uint64_t value_of_usage(const struct usage *usage)
{
	if (usage->what == LANE_COUNTS_CLIENT_BUSY)
		return is_by_cycles(usage) ? usage->cycles : usage->ns;
	return usage->resident ? usage->resident : usage->used;
}

static struct lane_error *counter_client_describe(struct lane_counter_clients *clients,
						  struct client *client, const struct fdinfo *info,
						  const struct usage *usage, uint64_t now_ns)
{
	struct lane_card card = { 0 };
	struct lane_p_gpulane_counter counter;
	struct class *class = &client->classes[client->n_classes++];
	bool is_time = usage->what == LANE_COUNTS_CLIENT_BUSY;
	LANE_CLEANUP(lane_close)
	int comm = capture_counter_file(clients->set, "/proc/%d/comm", client->pid);
	struct lane_error *err;
	ssize_t n = 0;

	snprintf(card.dev, sizeof(card.dev), "%s", info->dev);
	snprintf(class->name, sizeof(class->name), "%.*s", (int)usage->bytes, usage->name);
	class->what = usage->what;
	clients->kinds |= 1ull << usage->what;
	counter = capture_counter_of(&card, usage->what, class->name);
	if (comm >= 0)
		n = pread(comm, counter.comm, sizeof(counter.comm) - 1, 0);
	counter.comm[n > 0 ? strcspn(counter.comm, "\n") : 0] = '\0';
	counter.client_id = client->client_id;
	counter.pid = client->pid;
	/* Cycles of a clock that is not known tell nothing: msm and panfrost have both. */
	counter.per_second = is_time && !is_by_cycles(usage) ? 1000000000 : 0;
	counter.trust = is_time ? trust_of(clients, info->driver)
				: trust_of(clients, info->driver) & LANE_TRUST_WAKES;
	counter.capacity = usage->capacity ? (uint32_t)usage->capacity : 1;
	counter.class = capture_counter_class(usage->name, usage->bytes);
	err = capture_counter_describe(clients->set, &counter, now_ns);
	class->id = counter.id;
	return err;
}

static struct lane_error *put_usage(struct lane_counter_clients *clients, struct client *client,
				    const struct fdinfo *info, const struct usage *usage,
				    const uint64_t times[2])
{
	struct lane_error *err = NULL;
	uint64_t value = value_of_usage(usage);
	unsigned int i;

	for (i = 0; i < client->n_classes; i++)
		if (client->classes[i].what == usage->what &&
		    !strncmp(client->classes[i].name, usage->name, usage->bytes) &&
		    !client->classes[i].name[usage->bytes])
			break;
	/* A region that it has never had anything in is none of its. */
	if (i == client->n_classes && usage->what != LANE_COUNTS_CLIENT_BUSY && !value)
		return NULL;
	if (i == client->n_classes)
		err = i == CLASSES
			      ? NULL
			      : counter_client_describe(clients, client, info, usage, times[0]);
	if (err || i == CLASSES)
		return err;
	return capture_counter_sample(clients->set, client->classes[i].id, value, usage->total,
				      times[0], times[1]);
}

/* Reads it; what is another client's by now, or nobody's, is closed. */
static struct lane_error *read_client(struct lane_counter_clients *clients, struct client *client)
{
	uint64_t times[2] = { capture_now_ns() };
	struct lane_error *err = NULL;
	char text[FDINFO_BYTES];
	struct fdinfo info;

	if (!read_fdinfo(client->fd, text, &info) || info.client_id != client->client_id ||
	    strcmp(info.dev, client->dev) != 0) {
		close(client->fd);
		client->fd = -1;
		return NULL;
	}
	times[1] = capture_now_ns();
	for (unsigned int i = 0; i < info.n && !err; i++)
		err = put_usage(clients, client, &info, &info.usages[i], times);
	return err;
}

/* Several files, of several processes, may be one client's: it is read by one of them. */
static struct client *place_for(struct lane_counter_clients *clients, const struct fdinfo *info)
{
	struct client *free_one = NULL;

	for (unsigned int i = 0; i < CLIENTS; i++) {
		struct client *client = &clients->all[i];

		if (client->fd < 0)
			free_one = client;
		else if (client->client_id == info->client_id && !strcmp(client->dev, info->dev))
			return NULL;
	}
	clients->left_out += !free_one;
	return free_one;
}

static void add_client(struct lane_counter_clients *clients, int32_t pid, uint32_t number)
{
	char text[FDINFO_BYTES];
	struct client *client;
	struct fdinfo info;
	int fd = capture_counter_file(clients->set, "/proc/%d/fdinfo/%u", pid, number);

	if (fd < 0)
		return;
	client = read_fdinfo(fd, text, &info) ? place_for(clients, &info) : NULL;
	if (!client) {
		close(fd);
		return;
	}
	*client = (struct client){
		.fd = fd, .pid = pid, .number = number, .client_id = info.client_id
	};
	memcpy(client->dev, info.dev, sizeof(client->dev));
}

/* --- the walk through /proc --- */

static bool is_known(const struct lane_counter_clients *clients, int32_t pid, uint32_t number)
{
	for (unsigned int i = 0; i < CLIENTS; i++)
		if (clients->all[i].fd >= 0 && clients->all[i].pid == pid &&
		    clients->all[i].number == number)
			return true;
	return false;
}

/* xe wakes the device to tell its fdinfo: its files are left alone. */
static bool counter_client_is_wanted(const struct lane_counter_clients *clients, const char *node)
{
	const struct lane_counter_config *config = capture_counter_config(clients->set);
	LANE_CLEANUP(lane_free) char *path = NULL;
	char target[256];
	ssize_t n;

	if (config->is_waking)
		return true;
	if (asprintf(&path, "%s/sys/class/drm/%s/device/driver", config->root, node) < 0) {
		path = NULL;
		return false;
	}
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	return strcmp(target + n - (n > 3 ? 3 : n), "/xe") != 0;
}

static void look_into(struct lane_counter_clients *clients, int32_t pid)
{
	static const char nodes[] = "/dev/dri/";
	int fd = capture_counter_file(clients->set, "/proc/%d/fd", pid);
	LANE_CLEANUP(lane_closedir) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	char target[64];

	if (fd >= 0 && !dir)
		close(fd);
	for (int i = 0; dir && i < FILES && (entry = readdir(dir)); i++) {
		ssize_t n = readlinkat(fd, entry->d_name, target, sizeof(target) - 1);
		uint32_t number = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (n <= 0)
			continue;
		target[n] = '\0';
		if (!strncmp(target, nodes, sizeof(nodes) - 1) && !is_known(clients, pid, number) &&
		    counter_client_is_wanted(clients, target + sizeof(nodes) - 1))
			add_client(clients, pid, number);
	}
}

/* A process is looked into at once, and then more and more seldom. */
static bool is_due(struct lane_counter_clients *clients, int32_t pid)
{
	uint32_t every;

	if (pid <= 0 || pid >= clients->n_looks)
		return false;
	every = 1u << clients->looks[pid];
	if (clients->looks[pid] && (clients->walk + (uint32_t)pid) % every)
		return false;
	clients->looks[pid] += clients->looks[pid] < OLDEST;
	return true;
}

/* Goes on with the walk; false: it came to its end. */
static bool counter_client_walk(struct lane_counter_clients *clients)
{
	int looks = 0;

	for (int i = 0; i < ENTRIES && looks < LOOKS; i++) {
		const struct dirent *entry = readdir(clients->proc);
		int32_t pid;

		if (!entry) {
			rewinddir(clients->proc);
			clients->walk++;
			return false;
		}
		pid = (int32_t)strtol(entry->d_name, NULL, 10);
		if (is_due(clients, pid)) {
			look_into(clients, pid);
			looks++;
		}
	}
	return true;
}

struct lane_counter_clients *capture_counter_clients_open(struct lane_counter_set *set)
{
	struct lane_counter_clients *clients = calloc(1, sizeof(*clients));
	struct lane_driver driver;
	uint64_t value;
	int fd;

	if (!clients)
		return NULL;
	clients->set = set;
	for (unsigned int i = 0; i < CLIENTS; i++)
		clients->all[i].fd = -1;
	capture_driver_read(capture_counter_config(set)->root, &driver);
	clients->is_guc = strcmp(driver.submission, "execlists") != 0;
	clients->is_xe_live = is_since(7, 3);
	fd = capture_counter_file(set, "/proc/sys/kernel/pid_max");
	clients->n_looks = fd >= 0 && capture_counter_number(fd, &value) && value < 1 << 23
				   ? (int32_t)value
				   : 1 << 22;
	lane_close(&fd);
	clients->looks = calloc((size_t)clients->n_looks, 1);
	fd = capture_counter_file(set, "/proc");
	clients->proc = fd < 0 ? NULL : fdopendir(fd);
	if (!clients->looks || (fd >= 0 && !clients->proc)) {
		lane_close(&fd);
		capture_counter_clients_close(LANE_TAKE(clients));
		return NULL;
	}
	/* Who is there already is found at once. */
	while (clients->proc && counter_client_walk(clients))
		;
	return clients;
}

struct lane_error *capture_counter_clients_round(struct lane_counter_clients *clients)
{
	struct lane_error *err = NULL;
	unsigned int from = clients->turn;
	int n = 0;

	if (clients->proc)
		counter_client_walk(clients);
	for (unsigned int i = 0; i < CLIENTS && n < READ_A_ROUND && !err; i++) {
		struct client *client = &clients->all[(from + i) % CLIENTS];

		clients->turn = (from + i + 1) % CLIENTS;
		if (client->fd < 0)
			continue;
		err = read_client(clients, client);
		n++;
	}
	return err;
}

uint64_t capture_counter_clients_left_out(const struct lane_counter_clients *clients)
{
	return clients->left_out;
}

uint64_t capture_counter_clients_kinds(const struct lane_counter_clients *clients)
{
	return clients->kinds;
}

void capture_counter_clients_close(struct lane_counter_clients *clients)
{
	if (!clients)
		return;
	for (unsigned int i = 0; i < CLIENTS; i++)
		lane_close(&clients->all[i].fd);
	if (clients->proc)
		closedir(clients->proc);
	free(clients->looks);
	free(clients);
}
