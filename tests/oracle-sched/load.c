/* SPDX-License-Identifier: MIT */
/* Programs: processes with threads, entities on several rings, fences that they share. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sched.h"

enum {
	MAX_RINGS = 8,
	MAX_ENGINES = 2,
	N_SHARED = 12,
	MAX_GANG = 3,
	MAX_TIDS = 128
};

struct world world;

static struct ring *rings[MAX_RINGS];
static struct engine engines[MAX_ENGINES];
static unsigned n_rings, n_engines;
static struct fence *shared[N_SHARED], *hw_shared[N_SHARED];
static unsigned threads_left;

/* -- Names -- */

static struct {
	int tid;
	const char *comm;
} names[MAX_TIDS];
static unsigned n_names;

void name_thread(int tid, const char *comm)
{
	if (n_names == MAX_TIDS)
		broken("too many threads");
	names[n_names].tid = tid;
	names[n_names++].comm = comm;
}

static const char *name_of(int tid)
{
	for (unsigned i = 0; i < n_names; i++)
		if (names[i].tid == tid)
			return names[i].comm;
	return tid ? "ksoftirqd/0" : NULL;
}

/* The tools do not know the idle threads' names. */
const char *thread_comm(void)
{
	const char *name = name_of(current_tid());

	return name ? name : "<idle>";
}

/* kernel/sched/idle.c, fork_idle(): an idle thread has its CPU's number. */
const char *comm_of(const struct fiber *thread)
{
	static char idle[2][16];
	static unsigned turn;
	const char *name = name_of(thread_tid(thread));

	if (name)
		return name;
	turn = !turn;
	snprintf(idle[turn], sizeof(idle[turn]), "swapper/%d", thread_cpu(thread));
	return idle[turn];
}

char *text(const char *format, ...)
{
	char *block = allocate(64);
	va_list args;

	va_start(args, format);
	vsnprintf(block, 64, format, args);
	va_end(args);
	return block;
}

/* -- Submission -- */

struct client {
	struct process *process;
	unsigned n_jobs;
	const char *comm;
	struct fence *last;
};

static void share(struct fence **table, struct fence *fence)
{
	struct fence **place = &table[dice(N_SHARED)], *old = *place;

	*place = fence_get(fence);
	fence_put(old);
}

static void add_dependencies(struct job *job)
{
	unsigned n = chance(55) ? 0 : (unsigned)between(1, 3);
	struct fence *fence;

	while (n--) {
		if (chance(10)) {
			fence = external_fence();
		} else {
			fence = fence_get(shared[dice(N_SHARED)]);
			if (!fence)
				continue;
			/* AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES */
			if (fence->owner && fence->owner->scheduled.references && chance(6)) {
				struct fence *scheduled = fence_get(&fence->owner->scheduled);

				fence_put(fence);
				fence = scheduled;
			}
		}
		job_add_dependency(job, fence);
		fence_put(fence);
	}
}

static uint64_t job_duration(void)
{
	if (chance(15))
		return between(200, 3000);
	return long_tailed(chance(20) ? 200000 : 25000);
}

static bool may_hang(const struct ring *ring)
{
	return (world.mode == MODE_RESET || world.mode == MODE_MIXED) &&
	       ring->sched.timeout != FOREVER && chance(4);
}

static struct job *make_job(const struct client *client, struct entity *entity)
{
	struct job *job = allocate(sizeof(*job));
	bool has_credits = entity->ring && world.mode != MODE_SERIAL;

	job->pid = current_pid();
	job->tid = current_tid();
	job->comm = client->comm;
	job->client = client->process->client;
	job->duration = job_duration();
	job_init(job, entity, has_credits ? (unsigned)between(1, 24) : 1);
	world.jobs_left++;
	add_dependencies(job);
	return job;
}

static void arm(struct job *job)
{
	struct entity *entity = job->entity;

	if (entity->ring)
		xe_job_prepare(job);
	spend(between(50, 800));
	job_arm(job);
	job->hangs = may_hang(job->sched->ring);
	*world.last_job = job;
	world.last_job = &job->next;
	if (job->hw_fence && !entity->ring->is_long_running)
		share(hw_shared, job->hw_fence);
}

/* Which entities a submission is for, in the order in which they are locked. Several jobs are armed
 * before they are pushed in a gang (amdgpu_cs.c: amdgpu_cs_submit(), an entity each), and where a
 * group's queues get jobs (panthor_drv.c: panthor_submit_ctx_push_jobs(), any number of an
 * entity). 6.1 has neither. */
static unsigned pick_entities(const struct process *process, struct entity **picked)
{
	unsigned n = 1, first = (unsigned)dice(process->n_entities);

	picked[0] = process->entities[first];
	if (world.kernel == LINUX_6_1 || world.mode == MODE_SERIAL || !chance(15))
		return n;
	while (n < MAX_GANG && chance(70)) {
		if (first + 1 < process->n_entities && chance(60))
			first++;
		else if (process->entities[first]->n_choice > 1)
			break;
		picked[n++] = process->entities[first];
	}
	return n;
}

/* amdgpu_cs.c: amdgpu_cs_submit(); xe_exec.c: xe_exec_ioctl(); v3d_submit.c */
static void submit(struct client *client)
{
	struct entity *entities[MAX_GANG];
	struct job *jobs[MAX_GANG];
	struct fence *finished[MAX_GANG];
	unsigned n = pick_entities(client->process, entities);
	bool early = chance(30);

	spend(between(300, 4000));
	for (unsigned i = 0; i < n; i++)
		jobs[i] = make_job(client, entities[i]);
	for (unsigned i = 0; i < n; i++)
		if (!i || entities[i] != entities[i - 1])
			mutex_lock(&entities[i]->submission);
	for (unsigned i = 0; i < n; i++) {
		arm(jobs[i]);
		finished[i] = fence_get(&jobs[i]->s_fence->finished);
		if (early)
			share(shared, finished[i]);
	}
	/* The gang's leader waits until the others are scheduled. */
	for (unsigned i = 0; i + 1 < n; i++)
		if (entities[i] != entities[n - 1])
			job_add_dependency(jobs[n - 1], &jobs[i]->s_fence->scheduled);
	spend(between(20, 500));
	for (unsigned i = 0; i < n; i++)
		job_push(jobs[i]);
	for (unsigned i = 0; i < n; i++)
		if (!i || entities[i] != entities[i - 1])
			mutex_unlock(&entities[i]->submission);
	fence_put(client->last);
	client->last = fence_get(finished[n - 1]);
	for (unsigned i = 0; i < n; i++) {
		if (!early)
			share(shared, finished[i]);
		fence_put(finished[i]);
	}
	spend(between(200, 2000));
}

static void client_exits(struct client *client)
{
	struct process *process = client->process;

	fence_put(client->last);
	if (--process->n_threads)
		return;
	for (unsigned i = 0; i < process->n_entities; i++)
		entity_destroy(process->entities[i], process->is_killed);
}

static void client_main(void *arg)
{
	struct client *client = arg;
	struct process *process = client->process;

	while (client->n_jobs && !process->is_killed) {
		unsigned burst = chance(30) ? (unsigned)between(2, 8) : 1;

		sleep_for(long_tailed(chance(15) ? 200000 : 15000));
		for (; burst && client->n_jobs && !process->is_killed; burst--, client->n_jobs--)
			submit(client);
		if (!client->last || !chance(35))
			continue;
		if (chance(20))
			fence_wait(client->last, between(0, 50000), 'S');
		else
			while (!process->is_killed && !fence_wait(client->last, 200000, 'S')) {
			}
	}
	client_exits(client);
	if (!--threads_left)
		for (unsigned i = 0; i < N_SHARED; i++) {
			struct fence *fence = shared[i], *hw_fence = hw_shared[i];

			shared[i] = hw_shared[i] = NULL;
			fence_put(fence);
			fence_put(hw_fence);
		}
}

/* Looks at drivers' fences; where the driver can tell, who looks signals. */
static void poller_main(void *arg)
{
	(void)arg;
	while (threads_left) {
		struct fence *fence;

		sleep_for(between(1000, 20000));
		fence = fence_get(hw_shared[dice(N_SHARED)]);
		if (fence) {
			fence_is_signalled(fence);
			fence_put(fence);
		}
	}
}

/* -- Others -- */

/* A thread that has nothing to do with the GPU. */
struct bystander {
	const char *comm;
	int tid, priority;
	char state;
	uint64_t sleeps, runs;
};

static const struct bystander bystanders[] = {
	{ "cc1", 5021, PRIORITY, 'D', 20000, 90000 },
	{ "Xorg", 812, PRIORITY, 'S', 60000, 25000 },
	/* kernel/rcu/tree.c: rcu_gp_fqs_loop(), swait_event_idle_timeout_exclusive() */
	{ "rcu_preempt", 17, PRIORITY, 'I', 80000, 3000 },
	/* kernel/irq/manage.c: setup_irq_thread(), sched_set_fifo() */
	{ "irq/61-snd", 433, PRIORITY_IRQ_THREAD, 'S', 120000, 6000 },
	{ "cc1", 5022, PRIORITY, 'S', 30000, 60000 },
};

static void bystander_main(void *arg)
{
	const struct bystander *self = arg;

	set_fifo(self->priority);
	while (threads_left) {
		sleep_in(self->state, long_tailed(self->sleeps));
		spend(long_tailed(self->runs));
	}
	for (;;) {
		prepare_to_sleep_in(self->state);
		schedule();
	}
}

static void other_irq(void *arg)
{
	(void)arg;
	spend(between(300, 7000));
}

/* Interrupts of other devices. */
static void other_irq_arrives(void *arg)
{
	(void)arg;
	interrupt((int)dice((uint64_t)machine.n_cpus), other_irq, NULL);
	if (threads_left)
		at(machine.now + long_tailed(40000), other_irq_arrives, NULL);
}

static void start_bystanders(void)
{
	unsigned n = (unsigned)between(0, sizeof(bystanders) / sizeof(bystanders[0]));

	for (unsigned i = 0; i < n; i++) {
		const struct bystander *one = &bystanders[i];

		name_thread(one->tid, one->comm);
		thread_start(one->tid, one->tid, bystander_main, (void *)one);
	}
	if (chance(70))
		other_irq_arrives(NULL);
	if (chance(25))
		irq_thread_start(434);
}

/* Of real time, so it shares its CPU with nobody: where a job was run last, so that threads that
 * hand jobs over wait for it. */
static void hog_main(void *arg)
{
	(void)arg;
	set_fifo(PRIORITY_HOG);
	while (threads_left) {
		pin(world.run_cpu);
		sleep_for(between(1000000, 4000000));
		spend(between(1000000, 6000000));
	}
}

static void start_hog(void)
{
	name_thread(6001, "hog");
	thread_start(6001, 6001, hog_main, NULL);
}

static void kill_process(void *arg)
{
	((struct process *)arg)->is_killed = true;
}

/* -- The world -- */

static void add_sched(struct sched *sched)
{
	world.scheds[world.n_scheds++] = sched;
	if (world.kernel == LINUX_6_1)
		sched_start_thread(sched, 200 + (int)world.n_scheds);
}

static const char *const v3d_dev = "fec00000.gpu", *const gpu_dev[] = { "0000:03:00.0",
									"0000:0a:00.0" };

static void add_ring(const char *name, const char *dev, unsigned depth)
{
	struct ring *ring = allocate(sizeof(*ring));
	bool may_reset = world.mode == MODE_RESET || world.mode == MODE_MIXED;
	bool is_amdgpu = dev != v3d_dev;

	ring->name = name;
	ring->timeline = name;
	ring->dev = dev;
	ring->fence_driver = is_amdgpu ? "amdgpu" : "v3d";
	ring->has_fallback = is_amdgpu;
	ring->resubmits = !is_amdgpu || world.kernel == LINUX_6_1 || chance(50);
	serial_ring_init(ring, is_amdgpu ? &amdgpu_driver : &v3d_driver, depth,
			 may_reset ? 1500000 : FOREVER);
	rings[n_rings++] = ring;
	add_sched(&ring->sched);
}

static unsigned depth(void)
{
	return world.mode == MODE_SERIAL ? 1 : (unsigned)between(2, 6);
}

static void make_rings(void)
{
	if (world.mode != MODE_FIRMWARE && world.mode != MODE_LONG_RUNNING) {
		add_ring("gfx_0.0.0", gpu_dev[0], depth());
		add_ring("comp_1.0.0", gpu_dev[0], depth());
		if (chance(60))
			add_ring("comp_1.1.0", gpu_dev[0], depth());
		if (chance(60))
			add_ring("sdma0", gpu_dev[0], depth());
		if (chance(60))
			add_ring("v3d_csd", v3d_dev, depth());
		/* a second card, whose rings have the same names */
		if (world.mode == MODE_MIXED && chance(40)) {
			add_ring("gfx_0.0.0", gpu_dev[1], depth());
			add_ring("comp_1.0.0", gpu_dev[1], depth());
		}
	}
	if (world.mode == MODE_FIRMWARE || world.mode == MODE_LONG_RUNNING ||
	    (world.mode == MODE_MIXED && world.kernel >= LINUX_6_12)) {
		n_engines = (unsigned)between(1, MAX_ENGINES);
		engines[0] = (struct engine){ .name = "rcs0", .class = "rcs" };
		engines[1] = (struct engine){ .name = "ccs0", .class = "ccs" };
		/* Two tiles have a GuC each, so that two queues may have the same name. */
		if (chance(30))
			engines[1] = (struct engine){ .name = "rcs0", .class = "rcs" };
		for (unsigned i = 0; i < n_engines; i++)
			engine_init(&engines[i], i ? (unsigned)between(1, 3) : 1);
	}
}

static struct entity *make_queue(void)
{
	struct ring *ring = allocate(sizeof(*ring));
	struct entity *entity = allocate(sizeof(*entity));
	struct sched **choice = allocate(sizeof(struct sched *));
	bool may_reset = world.mode == MODE_MIXED;
	struct engine *engine;

	engine = &engines[dice(n_engines)];
	xe_queue_init(ring, engine, ++engine->last_guc_id,
		      world.mode == MODE_LONG_RUNNING && chance(60), may_reset ? 2500000 : FOREVER);
	add_sched(&ring->sched);
	choice[0] = &ring->sched;
	entity_init(entity, choice, 1, 1);
	entity->ring = ring;
	return entity;
}

static struct entity *make_entity(void)
{
	struct entity *entity = allocate(sizeof(*entity));
	struct sched **choice = allocate(MAX_RINGS * sizeof(struct sched *));
	unsigned n = 1, first = (unsigned)dice(n_rings);

	if (n_engines && (!n_rings || chance(50)))
		return make_queue();
	choice[0] = &rings[first]->sched;
	/* compute rings share the load */
	if (!strncmp(rings[first]->name, "comp", 4) && chance(70))
		for (unsigned i = 0; i < n_rings; i++)
			if (i != first && !strncmp(rings[i]->name, "comp", 4) &&
			    rings[i]->dev == rings[first]->dev)
				choice[n++] = &rings[i]->sched;
	entity_init(entity, choice, n, (unsigned)between(1, N_PRIORITIES - 1));
	entity->has_guilty = true;
	return entity;
}

static void make_process(unsigned number, unsigned jobs)
{
	static const char *const comms[] = { "glxgears",    "compositor", "blender",
					     "Web Content", "vkcube",	  "python3" };
	struct process *process = allocate(sizeof(*process));

	process->pid = 1000 + (int)number * 100;
	process->client = 7 + number * 3;
	process->comm = comms[number % 6];
	process->n_entities = (unsigned)between(1, 3);
	process->entities = allocate(process->n_entities * sizeof(struct entity *));
	for (unsigned i = 0; i < process->n_entities; i++) {
		process->entities[i] = make_entity();
		process->entities[i]->process = process;
	}
	process->n_threads = chance(60) ? 1 : (unsigned)between(2, 3);
	for (unsigned i = 0; i < process->n_threads; i++) {
		struct client *client = allocate(sizeof(*client));
		int tid = process->pid + (int)i;

		client->process = process;
		client->n_jobs = jobs / process->n_threads;
		client->comm = i ? text("%.9s:gl%u", process->comm, i) : process->comm;
		name_thread(tid, client->comm);
		threads_left++;
		thread_start(process->pid, tid, client_main, client);
	}
	if (chance(world.mode == MODE_SERIAL ? 10 : 30))
		at(machine.now + between(200000, 6000000), kill_process, process);
}

void load_start(uint64_t seed)
{
	unsigned n;

	dice_seed(seed * 64 + world.kernel * 8 + world.mode);
	machine_start((int)between(2, 6));
	machine.irq_cpu = chance(50) ? 0 : -1;
	/* 6.1 has round robin alone */
	world.is_fifo = world.is_fair || (world.kernel >= LINUX_6_12 && !chance(20));
	world.is_event_late = chance(50);
	world.last_job = &world.jobs;
	world.scheds = allocate(64 * sizeof(struct sched *));
	workers_start((unsigned)between(3, 8), 60);
	make_rings();
	n = (unsigned)between(2, 5);
	for (unsigned i = 0; i < n; i++)
		make_process(i, world.jobs_wanted / n + 1);
	if (n_engines) {
		name_thread(900, "poller");
		thread_start(900, 900, poller_main, NULL);
	}
	if (machine.watcher)
		start_bystanders();
	if (world.has_hog)
		start_hog();
}
