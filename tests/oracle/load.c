/* SPDX-License-Identifier: MIT */
/*
 * Programs: clients that build, submit, wait and poll, and busybodies that listen, poll, retire and
 * wait where it hurts most, on whatever CPU they are. Which of it happens how often, the seed says.
 */
#include "gpu.h"

enum {
	MAX_CLIENTS = 6,
	RECENT = 24
};

struct client {
	int pid;
	struct context *contexts[3];
	int n_contexts;
	unsigned burst, idle_percent, wait_percent;
};

static struct {
	struct client clients[MAX_CLIENTS];
	unsigned n_running;
	struct fiber *busybodies[2];
	unsigned provoked_percent;
	struct request *recent[RECENT];
	unsigned n_recent;
	uint64_t heartbeat;
} load;

static uint64_t some_work(void)
{
	return chance(10) ? between(200, 3000) : long_tailed(gpu.pace);
}

static void remember(struct request *rq)
{
	load.recent[load.n_recent++ % RECENT] = rq;
}

static struct request *some_request(void)
{
	unsigned n = load.n_recent < RECENT ? load.n_recent : RECENT;

	return n ? load.recent[dice(n)] : NULL;
}

/* -- What the driver does for a client -- */

/* i915_request.c:i915_request_create(): the oldest request is retired, unless it is the last. */
static struct request *create(struct context *ce, uint64_t work, bool is_user)
{
	struct link *first = ce->requests.next;

	if (first != &ce->requests && first->next != &ce->requests)
		request_retire(container(first, struct request, on_timeline));
	spend(between(200, 1500));
	return request_create(ce, work, is_user);
}

/* gem/i915_gem_execbuffer.c:eb_move_to_gpu(): the fences of the buffers' users. */
static void depend_on_others(struct request *rq)
{
	for (int n = chance(25) ? 1 + (int)dice(2) : 0; n; n--) {
		struct request *other = some_request();

		/* An older request only, of another engine: a client's own order does the rest. */
		if (other && other->context != rq->context && other->is_user &&
		    !(other->mask & rq->mask))
			request_await(rq, other);
	}
}

/* A batch that never ends, or one without a point of arbitration. */
static void may_hang(struct request *rq)
{
	unsigned how = (unsigned)dice(100);

	rq->hangs = how < 1;
	rq->is_stubborn = how < 5;
	if (how >= 1 && how < 3)
		rq->work_left += long_tailed(gpu.pace * 8);
	rq->faults = rq->hangs && chance(30);
	gpu.statistics.hangs += rq->hangs;
}

/* gem/i915_gem_execbuffer.c:i915_gem_do_execbuffer(), eb_submit(), eb_request_add() */
static struct request *execbuf(struct context *ce)
{
	struct request *rq, *before;

	spend(between(300, 2500));
	mutex_lock(&ce->mutex);
	rq = create(ce, some_work(), true);
	if (gpu.has_hangs)
		may_hang(rq);
	depend_on_others(rq);
	spend(between(100, 600));
	rq->queue_at = trace_wait(TRACE_QUEUE, rq, 0);
	spend(between(300, 2500));
	rq->add_at = trace(TRACE_ADD, rq);
	before = request_commit(rq);
	remember(rq);
	request_queue(rq, ce->prio);
	if (before)
		retire_requests(ce, before);
	mutex_unlock(&ce->mutex);
	return rq;
}

/* i915_request.c:i915_request_add(): the kernel's own, without a queue event. */
static void kernel_request(struct context *ce)
{
	struct request *rq;

	mutex_lock(&ce->mutex);
	rq = create(ce, between(500, 8000), false);
	spend(between(100, 600));
	rq->add_at = trace(TRACE_ADD, rq);
	request_commit(rq);
	gpu.statistics.kernel_requests++;
	request_queue(rq, ce->prio);
	mutex_unlock(&ce->mutex);
}

/* gt/intel_engine_heartbeat.c:heartbeat(): neither queue nor add; its priority is raised when it
 * lingers. */
static void heartbeat(struct engine *engine)
{
	struct request *rq = engine->systole;
	struct context *ce = engine->kernel_context;

	if (engine->tasklet.run)
		tasklet_flush(&engine->tasklet);
	if (rq && request_completed(rq))
		rq = engine->systole = NULL;
	if (rq && gpu.has_hangs && rq->prio == PRIO_BARRIER) {
		reset_for_heartbeat(engine);
		return;
	}
	if (rq) {
		int prio = rq->prio < 0		       ? 0
			   : rq->prio < PRIO_HEARTBEAT ? PRIO_HEARTBEAT
						       : PRIO_BARRIER;

		bh_disable();
		request_boost(rq, prio);
		bh_enable();
		return;
	}
	if (!mutex_trylock(&ce->mutex))
		return;
	spend(between(200, 800));
	rq = engine->systole = request_create(ce, between(300, 1500), false);
	rq->is_heartbeat = true;
	request_commit(rq);
	gpu.statistics.kernel_requests++;
	request_queue(rq, PRIO_MIN);
	mutex_unlock(&ce->mutex);
}

/* dma-fence.c:dma_fence_wait_timeout(), from a sync_file or another driver */
static void fence_wait(struct request *rq, uint64_t timeout)
{
	trace(TRACE_FENCE_WAIT_START, rq);
	request_wait(rq, timeout);
	trace(TRACE_FENCE_WAIT_END, rq);
}

static void wait_for(struct request *rq)
{
	uint64_t timeout = chance(20) ? between(500, gpu.pace) : 100 * gpu.pace + 1000000;

	if (chance(20))
		fence_wait(rq, timeout);
	else
		request_wait(rq, timeout);
}

static void poll_for(struct request *rq)
{
	for (unsigned n = (unsigned)between(1, 40); n && !fence_is_signaled(rq); n--)
		spend(between(100, 2000));
}

static void nobody_cares(struct request *rq, struct fence_callback *callback)
{
	(void)rq;
	(void)callback;
}

static void listen_to(struct request *rq)
{
	struct fence_callback *callback = allocate(sizeof(*callback));

	callback->run = nobody_cares;
	fence_add_callback(rq, callback);
}

/* -- Several requests in one go -- */

static bool has(struct request *const list[], int n, const struct request *rq)
{
	for (int i = 0; i < n; i++)
		if (list[i] == rq)
			return true;
	return false;
}

static void swap(struct request **a, struct request **b)
{
	struct request *first = *a;

	*a = *b;
	*b = first;
}

/* In order of submission, in reverse, or mixed. */
static void arrange(struct request *list[], int n)
{
	unsigned how = (unsigned)dice(3);

	if (how == 1)
		for (int i = 0; i < n / 2; i++)
			swap(&list[i], &list[n - 1 - i]);
	if (how == 2)
		for (int i = n - 1; i > 0; i--)
			swap(&list[i], &list[dice((uint64_t)i + 1)]);
}

/*
 * Two to six of the latest requests: the last of all, those of one context, any, or the oldest, of
 * which some are complete; seldom such as are signalled.
 */
static int some_requests(struct request *list[])
{
	int wanted = (int)between(2, MAX_ARRAY), n = 0;
	unsigned recent = load.n_recent < RECENT ? load.n_recent : RECENT, how = (unsigned)dice(4);
	const struct request *first = some_request();

	for (unsigned i = 1; i <= recent && n < wanted; i++) {
		unsigned age = how == 3 ? recent + 1 - i : i;
		struct request *rq = load.recent[(load.n_recent - age) % RECENT];

		if (rq->is_signaled && !chance(10))
			continue;
		if (how == 1 && rq->context != first->context)
			continue;
		if (how == 2 && chance(50))
			continue;
		if (!has(list, n, rq))
			list[n++] = rq;
	}
	arrange(list, n);
	return n;
}

static struct fence_array *some_array(void)
{
	struct request *list[MAX_ARRAY];
	int n = some_requests(list);

	return n < 2 ? NULL : fence_array_create(list, n, chance(20));
}

/* A timeline's points: single requests and arrays. */
static struct fence_chain *some_chain(void)
{
	struct fence_array *points[MAX_ARRAY];
	int wanted = (int)between(2, MAX_ARRAY), n = 0;

	while (n < wanted) {
		struct fence_array *array = chance(40) ? some_array() : NULL;
		struct request *rq = some_request();

		if (!rq)
			return NULL;
		points[n++] = array ? array : fence_array_create(&rq, 1, false);
	}
	return fence_chain_create(points, n);
}

static uint64_t array_timeout(void)
{
	return chance(30) ? between(500, gpu.pace) : 20 * gpu.pace + 200000;
}

static void listen_in_one_go(bool may_wait)
{
	struct fence_array *array = some_array();

	if (!array)
		return;
	if (chance(10) && fence_array_is_signaled(array))
		return;
	if (may_wait)
		fence_array_wait(array, array_timeout());
	else
		fence_array_listen(array);
}

static void listen_to_chain(void)
{
	struct fence_chain *chain = some_chain();

	if (chain)
		fence_chain_listen(chain);
}

static void retire_context(struct context *ce)
{
	if (!mutex_trylock(&ce->mutex))
		return;
	retire_requests(ce, NULL);
	mutex_unlock(&ce->mutex);
}

/* -- Threads -- */

static struct context *client_context(struct client *client);

/* A banned context takes no more requests: who has one goes on with another. */
static struct context *some_context(struct client *client)
{
	struct context **place = &client->contexts[dice((uint64_t)client->n_contexts)];

	if ((*place)->is_banned && gpu.n_contexts < MAX_CONTEXTS)
		*place = client_context(client);
	return *place;
}

static void client_thread(void *arg)
{
	struct client *client = arg;

	sleep_for(dice(gpu.pace * 3));
	while (gpu.n_requests < gpu.wanted_requests) {
		struct context *ce = some_context(client);
		struct request *rq = NULL;

		for (unsigned n = (unsigned)between(1, client->burst); n; n--)
			rq = execbuf(ce);
		if (gpu.has_arrays && chance(30))
			listen_in_one_go(chance(60));
		if (chance(client->wait_percent))
			wait_for(rq);
		else if (chance(15))
			poll_for(rq);
		if (chance(client->idle_percent))
			sleep_for(long_tailed(gpu.pace * 2));
		else
			spend(between(200, gpu.pace / 2 + 1000));
	}
	load.n_running--;
}

static void meddle(struct request *rq)
{
	unsigned what;

	if (gpu.has_arrays && chance(50)) {
		if (chance(80))
			listen_in_one_go(chance(15));
		else
			listen_to_chain();
		return;
	}
	what = (unsigned)dice(100);
	if (what < 35)
		listen_to(rq);
	else if (what < 55)
		fence_is_signaled(rq);
	else if (what < 75)
		retire_context(rq->context);
	else if (what < 88)
		request_wait(rq, between(500, gpu.pace));
	else if (gpu.mode != MODE_RING && rq->prio != PRIO_INVALID)
		request_boost(rq, chance(50) ? PRIO_MAX : rq->prio + 1);
}

/* Sleeps until a tasklet provokes it, or for a while. */
static void busybody_thread(void *arg)
{
	(void)arg;
	while (!gpu.is_over) {
		struct request *rq;

		sleep_for(long_tailed(gpu.pace * 3));
		rq = some_request();
		if (!rq || gpu.is_over)
			continue;
		spend(dice(4000));
		meddle(rq);
	}
}

static void kernel_thread(void *arg)
{
	struct context *ce = arg;

	while (load.n_running) {
		sleep_for(long_tailed(gpu.pace * 12));
		if (load.n_running)
			kernel_request(ce);
	}
}

/* The engines are awake: programs run, or one of their requests hangs. */
static bool is_awake(void)
{
	const struct request *rq = gpu.has_hangs ? gpu.requests : NULL;

	while (rq && (rq->is_retired || rq->is_heartbeat))
		rq = rq->all_next;
	return load.n_running || rq;
}

static void heartbeat_thread(void *arg)
{
	while (is_awake()) {
		sleep_for(load.heartbeat + dice(load.heartbeat / 4));
		if (is_awake())
			heartbeat(arg);
	}
}

/* gt/intel_gt_requests.c:retire_work_handler(); here more often than once in a second. */
static void retire_thread(void *arg)
{
	uint64_t last = machine.now;
	unsigned left = 0;

	(void)arg;
	while (load.n_running || gpu.n_unretired) {
		sleep_for(between(gpu.pace * 5, gpu.pace * 20));
		for (int i = 0; i < gpu.n_contexts; i++)
			retire_context(gpu.contexts[i]);
		if (gpu.n_unretired != left || load.n_running)
			last = machine.now;
		left = gpu.n_unretired;
		if (machine.now - last > 3000 * gpu.pace + 100000000)
			broken("%u requests never end", left);
	}
	gpu.is_over = true;
}

/* -- What the busybodies are provoked by -- */

void tasklet_begins(struct engine *engine)
{
	gpu.statistics.tasklets++;
	engine->tasklet_cpu = (uint64_t)current_cpu();
	engine->tasklet_began = n_events;
	if (chance(load.provoked_percent))
		wake(load.busybodies[dice(2)]);
}

static bool is_of_tasklet(const struct event *event)
{
	return event->kind == TRACE_IN || event->kind == TRACE_OUT ||
	       event->kind == TRACE_EXECUTE || event->kind == TRACE_EXECUTED ||
	       event->kind == TRACE_UNSUBMIT || event->kind == TRACE_PORTS;
}

void tasklet_ends(struct engine *engine)
{
	uint64_t foreign = 0, nested = 0;

	for (size_t i = engine->tasklet_began; i < n_events; i++) {
		if (events[i].cpu != engine->tasklet_cpu)
			foreign++;
		else if (!is_of_tasklet(&events[i]))
			nested++;
	}
	gpu.statistics.foreign_events += foreign;
	gpu.statistics.nested_events += nested;
	gpu.statistics.tasklet_overlaps += foreign || nested;
}

/* -- Setting up -- */

static void engine_setup(struct engine *engine, int id, int class, int instance)
{
	*engine = (struct engine){ .id = id, .class = class, .instance = instance };
	engine->mask = 1u << id;
	engine->lock = &engine->own_lock;
	engine->queue = engine;
	list_init(&engine->priolists);
	list_init(&engine->requests);
	list_init(&engine->virtuals);
	list_init(&engine->hold);
	breadcrumbs_init(&engine->breadcrumbs, engine);
	engine->active = engine->inflight;
	engine->timeslice = chance(80) ? between(gpu.pace / 3, gpu.pace * 3) + 2000 : 0;
	if (gpu.has_slices)
		engine->timeslice = between(gpu.pace / 10, gpu.pace / 2) + 1000;
	if (gpu.has_hangs && chance(75))
		engine->preempt_timeout = between(gpu.pace / 2, gpu.pace * 4) + 20000;
	switch (gpu.mode) {
	case MODE_LEGACY:
		legacy_setup(engine);
		break;
	case MODE_GUC:
		guc_setup(engine);
		break;
	case MODE_RING:
		ring_setup(engine);
		break;
	default:
		execlists_setup(engine);
	}
	engine->kernel_context = context_create(engine, PRIO_MIN, 0, false);
	engine->retire_worker = thread_start(60 + id, 60 + id, engine_retire_worker, engine);
}

static void engines_setup(void)
{
	static const int shapes[4][MAX_ENGINES] = {
		{ 0, -1 }, { 0, 1, -1 }, { 0, 2, 3, -1 }, { 2, 3, -1 }
	};
	static const int classes[MAX_ENGINES][2] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 2, 1 } };
	const int *shape = shapes[dice(4)];

	for (int i = 0; i < MAX_ENGINES && shape[i] >= 0; i++) {
		engine_setup(&gpu.engines[i], i, classes[shape[i]][0], classes[shape[i]][1]);
		gpu.n_engines++;
	}
}

static bool has_virtual_engines(void)
{
	return gpu.mode != MODE_LEGACY && gpu.mode != MODE_GUC && gpu.mode != MODE_RING;
}

/* A virtual engine serves one context: gt/intel_execlists_submission.c:execlists_create_virtual().
 */
static struct context *virtual_context(int prio, int pid)
{
	struct virtual_engine *ve = allocate(sizeof(*ve));

	for (int i = 0; i < gpu.n_engines; i++)
		if (gpu.engines[i].class == 2)
			ve->siblings[ve->n_siblings++] = &gpu.engines[i];
	virtual_setup(ve);
	ve->context = context_create(&ve->base, prio, pid, true);
	return ve->context;
}

/* gt/intel_ring_submission.c: an engine has one timeline, whose numbers all contexts share. */
static struct context *client_context(struct client *client)
{
	static const int prios[8] = { -512, -1, 0, 0, 0, 1, 100, 1023 };
	struct engine *engine = &gpu.engines[dice((uint64_t)gpu.n_engines)];
	int prio = prios[dice(8)];

	if (gpu.mode == MODE_RING)
		return engine->kernel_context;
	if (has_virtual_engines() && engine->class == 2 && chance(40))
		return virtual_context(prio, client->pid);
	return context_create(engine, prio, client->pid, true);
}

static void client_setup(struct client *client, int n)
{
	*client = (struct client){ .pid = 1000 + 10 * n };
	client->n_contexts = 1 + (int)dice(3);
	client->burst = (unsigned)between(gpu.has_slices ? 4 : 1, gpu.has_slices ? 10 : 5);
	client->idle_percent = (unsigned)between(20, 95);
	client->wait_percent = (unsigned)dice(70);
	for (int i = 0; i < client->n_contexts; i++)
		client->contexts[i] = client_context(client);
	load.n_running++;
	thread_start(client->pid, client->pid, client_thread, client);
	if (chance(30)) {
		load.n_running++;
		thread_start(client->pid, client->pid + 1, client_thread, client);
	}
}

static void helpers_setup(void)
{
	for (int i = 0; i < gpu.n_engines; i++) {
		struct engine *engine = &gpu.engines[i];

		if (chance(60) || gpu.has_hangs)
			thread_start(70 + i, 70 + i, heartbeat_thread, engine);
		if (chance(40) && gpu.mode != MODE_RING)
			thread_start(80 + i, 80 + i, kernel_thread,
				     context_create(engine, PRIO_NORMAL, 80 + i, false));
	}
	for (int i = 0; i < 2; i++)
		load.busybodies[i] = thread_start(3000 + i, 3000 + i, busybody_thread, NULL);
	thread_start(90, 90, retire_thread, NULL);
}

void load_start(uint64_t seed, unsigned n_requests)
{
	static const uint64_t paces[4] = { 4000, 15000, 60000, 200000 };

	dice_seed(seed);
	gpu.wanted_requests = n_requests;
	gpu.last_request = &gpu.requests;
	gpu.pace = paces[dice(4)];
	gpu.is_user_irq_masked = gpu.mode == MODE_LEGACY || gpu.mode == MODE_RING || chance(40);
	machine_start((int)between(2, 6));
	machine.irq_cpu = chance(70) ? (int)dice((uint64_t)machine.n_cpus) : -1;
	load.provoked_percent = (unsigned)dice(60);
	load.heartbeat = gpu.pace * 10 + 50000;
	gpu.has_capture = gpu.has_hangs && chance(75);
	engines_setup();
	for (int i = 0, n = (int)between(2, MAX_CLIENTS); i < n; i++)
		client_setup(&load.clients[i], i);
	helpers_setup();
}
