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
#define CLASSES	     12
#define READ_A_ROUND 8	 /* clients */
#define ENTRIES	     32	 /* of /proc looked at in a round, */
#define LOOKS	     2	 /* processes looked into, */
#define FILES	     512 /* and open files of each */
#define OLDEST	     6	 /* a process is looked into at every 128th walk through /proc at least */
#define FDINFO_BYTES 4096

struct class
{
	uint32_t id; /* of its counter */
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

/* One line of a class's, and what there is of it. */
struct usage {
	const char *name;
	size_t bytes;
	uint64_t value, total, capacity;
	bool is_cycles;
};

struct fdinfo {
	char driver[32], dev[32];
	uint64_t client_id;
	struct usage usages[CLASSES];
	unsigned int n;
};

static struct usage *usage_of(struct fdinfo *info, const char *name, size_t bytes)
{
	for (unsigned int i = 0; i < info->n; i++)
		if (info->usages[i].bytes == bytes && !memcmp(info->usages[i].name, name, bytes))
			return &info->usages[i];
	if (info->n == CLASSES || bytes >= sizeof(((struct class *)0)->name))
		return NULL;
	info->usages[info->n] = (struct usage){ .name = name, .bytes = bytes };
	return &info->usages[info->n++];
}

static void parse_line(const char *line, struct fdinfo *info)
{
	static const char *const keys[] = { "drm-engine-capacity", "drm-total-cycles", "drm-cycles",
					    "drm-engine" };
	const char *value, *class;
	struct usage *usage;
	size_t bytes;

	if ((value = value_of(line, "drm-driver", NULL, NULL)))
		snprintf(info->driver, sizeof(info->driver), "%.*s", (int)strcspn(value, "\n"),
			 value);
	else if ((value = value_of(line, "drm-pdev", NULL, NULL)))
		snprintf(info->dev, sizeof(info->dev), "%.*s", (int)strcspn(value, "\n"), value);
	else if ((value = value_of(line, "drm-client-id", NULL, NULL)))
		info->client_id = strtoull(value, NULL, 10);
	for (unsigned int i = 0; i < 4; i++) {
		value = value_of(line, keys[i], &class, &bytes);
		usage = value ? usage_of(info, class, bytes) : NULL;
		if (!value)
			continue;
		if (usage && i == 0)
			usage->capacity = strtoull(value, NULL, 10);
		else if (usage && i == 1)
			usage->total = strtoull(value, NULL, 10);
		else if (usage)
			usage->value = strtoull(value, NULL, 10);
		if (usage)
			usage->is_cycles |= i == 2;
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

static struct lane_error *describe(struct lane_counter_clients *clients, struct client *client,
				   const struct fdinfo *info, const struct usage *usage,
				   uint64_t now_ns)
{
	struct lane_card card = { 0 };
	struct lane_p_gpulane_counter counter;
	struct class *class = &client->classes[client->n_classes++];
	LANE_CLEANUP(lane_close)
	int comm = capture_counter_file(clients->set, "/proc/%d/comm", client->pid);
	struct lane_error *err;
	ssize_t n = 0;

	snprintf(card.dev, sizeof(card.dev), "%s", info->dev);
	snprintf(class->name, sizeof(class->name), "%.*s", (int)usage->bytes, usage->name);
	counter = capture_counter_of(&card, LANE_COUNTS_CLIENT_BUSY, class->name);
	if (comm >= 0)
		n = pread(comm, counter.comm, sizeof(counter.comm) - 1, 0);
	counter.comm[n > 0 ? strcspn(counter.comm, "\n") : 0] = '\0';
	counter.client_id = client->client_id;
	counter.pid = client->pid;
	counter.per_second = usage->is_cycles ? 0 : 1000000000;
	counter.trust = trust_of(clients, info->driver);
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
	unsigned int i;

	for (i = 0; i < client->n_classes; i++)
		if (!strncmp(client->classes[i].name, usage->name, usage->bytes) &&
		    !client->classes[i].name[usage->bytes])
			break;
	if (i == client->n_classes)
		err = i == CLASSES ? NULL : describe(clients, client, info, usage, times[0]);
	if (err || i == CLASSES)
		return err;
	return capture_counter_sample(clients->set, client->classes[i].id, usage->value,
				      usage->total, times[0], times[1]);
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
static bool is_wanted(const struct lane_counter_clients *clients, const char *node)
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
		    is_wanted(clients, target + sizeof(nodes) - 1))
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
static bool walk(struct lane_counter_clients *clients)
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
	while (clients->proc && walk(clients))
		;
	return clients;
}

struct lane_error *capture_counter_clients_round(struct lane_counter_clients *clients)
{
	struct lane_error *err = NULL;
	unsigned int from = clients->turn;
	int n = 0;

	if (clients->proc)
		walk(clients);
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
