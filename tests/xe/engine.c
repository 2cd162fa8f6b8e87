// SPDX-License-Identifier: MIT
// The engines, in memory that all processes on the GPU share. Who wants an engine has a slot there.
// Highest priority first, then who wanted it first; a queue keeps it for a time slice while others
// want it. Everybody looks after himself: the one who has the engine gives it back, and who wants
// it takes it when it is his turn. A process holds a robust lock while it is there: what a killed
// one had is given back by whoever finds its lock without an owner.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xe.h"

#define N_ENGINES   5 /* by class */
#define N_SLOTS	    4096
#define N_PROCESSES 64
#define SLICE_NS    1000000
#define NOBODY	    (-1)

struct slot {
	uint32_t taken;
	int32_t process;
	int32_t engine;
	uint32_t priority;
	uint32_t wants;
	uint64_t since;
};

struct engine {
	int32_t owner;
	uint64_t since, free; /* from when on it is so, or was free */
};

struct shared {
	uint32_t ready;
	pthread_mutex_t lock;
	uint64_t number;
	struct engine engines[N_ENGINES];
	struct {
		pthread_mutex_t alive;
	} processes[N_PROCESSES];
	uint32_t used; /* slots, so far */
	struct slot slots[N_SLOTS];
};

static struct shared *shared;
static int process = NOBODY;

static void begin(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&shared->lock, &attr);
	for (int i = 0; i < N_PROCESSES; i++)
		pthread_mutex_init(&shared->processes[i].alive, &attr);
	for (int i = 0; i < N_ENGINES; i++)
		shared->engines[i].owner = NOBODY;
	shared->ready = sizeof(*shared);
}

bool xe_engines_open(void)
{
	char path[4096];
	struct stat now = { 0 };
	int fd;

	snprintf(path, sizeof(path), "%s/engines", xe_folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	// to set the size that it has may wait for the disk
	if (fd < 0 || flock(fd, LOCK_EX) != 0 || fstat(fd, &now) != 0 ||
	    (now.st_size != sizeof(*shared) && ftruncate(fd, sizeof(*shared)) != 0)) {
		fprintf(stderr, "gpulane: xe: %s: %s\n", path, strerror(errno));
		return false;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		return false;
	if (!shared->ready)
		begin();
	if (shared->ready != sizeof(*shared)) {
		fprintf(stderr, "gpulane: xe: %s: made by another build (remove it)\n", path);
		return false;
	}
	flock(fd, LOCK_UN); // the mapping keeps the file open
	close(fd);
	return true;
}

static void lock(void)
{
	if (pthread_mutex_lock(&shared->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&shared->lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&shared->lock);
}

uint64_t xe_engine_number(void)
{
	return __atomic_add_fetch(&shared->number, 1, __ATOMIC_RELAXED);
}

static void give_back(int slot)
{
	struct engine *engine = &shared->engines[shared->slots[slot].engine];

	if (engine->owner == slot)
		engine->owner = NOBODY;
	shared->slots[slot].wants = 0;
}

// Gives back what a process had, if it is there no more. Its entry is locked then, by this thread.
static bool is_gone(int other)
{
	int status =
		other == process ? EBUSY : pthread_mutex_trylock(&shared->processes[other].alive);

	if (status == EBUSY)
		return false;
	if (status == EOWNERDEAD)
		pthread_mutex_consistent(&shared->processes[other].alive);
	for (uint32_t i = 0; i < shared->used; i++) {
		if (shared->slots[i].taken && shared->slots[i].process == other) {
			give_back((int)i);
			shared->slots[i].taken = 0;
		}
	}
	return true;
}

static bool was_gone(int other)
{
	bool gone = is_gone(other);

	if (gone)
		pthread_mutex_unlock(&shared->processes[other].alive);
	return gone;
}

// By the thread that lasts as long as the process.
bool xe_engines_join(void)
{
	lock();
	for (int i = 0; i < N_PROCESSES && process == NOBODY; i++) {
		if (is_gone(i))
			process = i;
	}
	unlock();
	return process != NOBODY;
}

int xe_engine_slot(int engine, uint32_t priority)
{
	int slot;

	lock();
	for (slot = 0; slot < N_SLOTS && shared->slots[slot].taken; slot++)
		;
	if (slot < N_SLOTS) {
		shared->slots[slot] = (struct slot){
			.taken = 1, .process = process, .engine = engine, .priority = priority
		};
		if (shared->used <= (uint32_t)slot)
			shared->used = (uint32_t)slot + 1;
	}
	unlock();
	return slot < N_SLOTS ? slot : NOBODY;
}

void xe_engine_leave(int slot)
{
	if (slot == NOBODY)
		return;
	lock();
	give_back(slot);
	shared->slots[slot].taken = 0;
	unlock();
}

// Who is to have an engine next, of those who want it.
static int next_of(int engine)
{
	int next = NOBODY;

	for (uint32_t i = 0; i < shared->used; i++) {
		const struct slot *slot = &shared->slots[i];

		if (!slot->taken || !slot->wants || slot->engine != engine ||
		    shared->engines[engine].owner == (int)i)
			continue;
		if (was_gone(slot->process))
			continue;
		if (next == NOBODY || slot->priority > shared->slots[next].priority ||
		    (slot->priority == shared->slots[next].priority &&
		     slot->since < shared->slots[next].since)) {
			next = (int)i;
		}
	}
	return next;
}

bool xe_engine_take(int slot, uint64_t now, uint64_t *at)
{
	struct slot *own = &shared->slots[slot];
	struct engine *engine = &shared->engines[own->engine];
	bool takes;

	lock();
	if (!own->wants) {
		own->wants = 1;
		own->since = now;
	}
	if (engine->owner != NOBODY)
		was_gone(shared->slots[engine->owner].process);
	takes = engine->owner == NOBODY && next_of(own->engine) == slot;
	*at = now + 50000;
	if (takes) {
		// another process's clock may have been read later than this one's
		*at = now > engine->free ? now : engine->free;
		engine->owner = slot;
		engine->since = *at;
	}
	unlock();
	return takes;
}

bool xe_engine_is_due(int slot, uint64_t now, uint64_t *slice_end)
{
	const struct slot *own = &shared->slots[slot];
	const struct engine *engine = &shared->engines[own->engine];
	int next;

	lock();
	*slice_end = engine->since + SLICE_NS;
	next = now >= *slice_end ? next_of(own->engine) : NOBODY;
	if (now >= *slice_end)
		*slice_end = now + SLICE_NS;
	unlock();
	return next != NOBODY && shared->slots[next].priority >= own->priority;
}

void xe_engine_release(int slot, uint64_t now)
{
	lock();
	shared->engines[shared->slots[slot].engine].free = now;
	give_back(slot);
	unlock();
}
