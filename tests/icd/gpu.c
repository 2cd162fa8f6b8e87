// SPDX-License-Identifier: MIT
// The GPU below the simulated OpenCL device: the replay driver's engines, or engines that are
// arithmetic.
#include "gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../kmod/replay/uapi.h"
#include "base/table.h"

#define ENGINES	  8
#define TICK_NS	  52
#define TELL_MS	  60000 /* after that it will never be told */
#define USER_STEP 2	/* seqnos count in twos, as the driver's */

struct times {
	uint64_t start_ns;
	uint64_t end_ns;
};

/* A context of the arithmetic. */
struct context {
	unsigned int engine;
	uint64_t seqno;
};

static pthread_mutex_t gpu_lock = PTHREAD_MUTEX_INITIALIZER;
static int device = -1;
static struct lane_table known; /* (ctx, seqno) -> struct times */
static struct context *contexts;
static uint64_t n_contexts;
static uint64_t engine_free[ENGINES];
static int64_t clock_offset, clock_drift;
static uint64_t clock_origin;

uint64_t gpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void gpu_clock_set(int64_t offset_ns, int64_t drift_ppb)
{
	clock_origin = gpu_now();
	clock_offset = offset_ns;
	clock_drift = drift_ppb;
}

uint64_t gpu_clock(uint64_t cpu_ns)
{
	__int128 since = (__int128)cpu_ns - (__int128)clock_origin;
	__int128 ns = (__int128)cpu_ns + clock_offset + since * clock_drift / 1000000000;

	return ns < 0 ? 0 : (uint64_t)ns / TICK_NS * TICK_NS;
}

bool gpu_open(void)
{
	device = open(GLR_DEVICE, O_RDWR | O_CLOEXEC);
	return device >= 0;
}

static uint64_t arithmetic_context(unsigned int class)
{
	struct context *more = realloc(contexts, (n_contexts + 1) * sizeof(*contexts));

	if (!more)
		return 0;
	contexts = more;
	contexts[n_contexts++] = (struct context){ .engine = class % ENGINES };
	return n_contexts;
}

uint64_t gpu_context(unsigned int class, unsigned int instance, int prio)
{
	struct glr_context context = { .class = (uint16_t) class,
				       .instance = (uint16_t)instance,
				       .prio = prio };
	uint64_t ctx;

	if (device >= 0)
		return ioctl(device, GLR_IOC_CONTEXT, &context) ? 0 : context.ctx;
	pthread_mutex_lock(&gpu_lock);
	ctx = arithmetic_context(class);
	pthread_mutex_unlock(&gpu_lock);
	return ctx;
}

static void remember(uint64_t ctx, uint64_t seqno, uint64_t start_ns, uint64_t end_ns)
{
	struct times *times = malloc(sizeof(*times));

	if (!times)
		return;
	*times = (struct times){ start_ns, end_ns };
	lane_table_put(&known, ctx, seqno, times);
}

static bool arithmetic_submit(uint64_t ctx, uint64_t duration_ns, const struct gpu_request *deps,
			      unsigned int n_deps, struct gpu_request *request)
{
	uint64_t start = gpu_now();
	struct context *context;

	if (!ctx || ctx > n_contexts)
		return false;
	context = &contexts[ctx - 1];
	if (engine_free[context->engine] > start)
		start = engine_free[context->engine];
	for (unsigned int i = 0; i < n_deps; i++) {
		const struct times *dep = lane_table_get(&known, deps[i].ctx, deps[i].seqno);

		if (dep && dep->end_ns > start)
			start = dep->end_ns;
	}
	context->seqno += USER_STEP;
	*request = (struct gpu_request){ ctx, context->seqno };
	engine_free[context->engine] = start + duration_ns;
	remember(ctx, request->seqno, start, start + duration_ns);
	return true;
}

bool gpu_submit(uint64_t ctx, uint64_t duration_ns, const struct gpu_request *deps,
		unsigned int n_deps, struct gpu_request *request)
{
	struct glr_submit submit = { .ctx = ctx, .duration_ns = duration_ns };
	bool done;

	if (device < 0) {
		pthread_mutex_lock(&gpu_lock);
		done = arithmetic_submit(ctx, duration_ns, deps, n_deps, request);
		pthread_mutex_unlock(&gpu_lock);
		return done;
	}
	for (unsigned int i = 0; i < n_deps; i++) {
		/* What the driver has no room for is waited for here. */
		if (submit.n_deps == GLR_MAX_DEPS)
			gpu_wait(&deps[i]);
		else
			submit.deps[submit.n_deps++] =
				(struct glr_fence){ deps[i].ctx, deps[i].seqno };
	}
	if (ioctl(device, GLR_IOC_SUBMIT, &submit))
		return false;
	*request = (struct gpu_request){ ctx, submit.seqno };
	return true;
}

static void sleep_until(uint64_t ns)
{
	struct timespec at = { .tv_sec = (time_t)(ns / 1000000000u),
			       .tv_nsec = (long)(ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

void gpu_wait(const struct gpu_request *request)
{
	struct glr_wait wait = { .ctx = request->ctx,
				 .seqno = request->seqno,
				 .timeout_ns = ~0ull };
	uint64_t start, end;

	if (device < 0) {
		if (gpu_times(request, &start, &end))
			sleep_until(end);
		return;
	}
	while (ioctl(device, GLR_IOC_WAIT, &wait) && (errno == EINTR || errno == EAGAIN))
		;
}

/* Takes what the driver tells of requests that are retired. */
static void hear(void)
{
	struct glr_truth truth[64];
	ssize_t n;

	while (device >= 0 && (n = read(device, truth, sizeof(truth))) > 0)
		for (size_t i = 0; i < (size_t)n / sizeof(truth[0]); i++)
			remember(truth[i].ctx, truth[i].seqno, truth[i].first_start_ns,
				 truth[i].end_ns);
}

bool gpu_times(const struct gpu_request *request, uint64_t *start_ns, uint64_t *end_ns)
{
	const struct timespec pause = { .tv_nsec = 200000 };
	struct times *times = NULL;

	for (int waited = 0; waited < 5 * TELL_MS && !times; waited++) {
		if (waited)
			nanosleep(&pause, NULL);
		pthread_mutex_lock(&gpu_lock);
		times = lane_table_get(&known, request->ctx, request->seqno);
		if (!times) {
			hear();
			times = lane_table_get(&known, request->ctx, request->seqno);
		}
		if (times) {
			*start_ns = times->start_ns;
			*end_ns = times->end_ns;
		}
		pthread_mutex_unlock(&gpu_lock);
		if (device < 0)
			break;
	}
	return times != NULL;
}

bool gpu_done(const struct gpu_request *request)
{
	const struct times *times;
	bool done;

	pthread_mutex_lock(&gpu_lock);
	hear();
	times = lane_table_get(&known, request->ctx, request->seqno);
	done = times && (device >= 0 || times->end_ns <= gpu_now());
	pthread_mutex_unlock(&gpu_lock);
	return done;
}
