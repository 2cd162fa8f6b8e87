// SPDX-License-Identifier: MIT
// Marks ranges by ITT, NVTX and ROCTX. What ittnotify_static.c and nvtx3's headers have in a
// program is written here anew, by their structures: the first call loads the library that the
// variable names, and without one nothing happens.
//   program itt|nvtx|roctx|all
//   program fork               a child marks ranges, and executes nothing
//   program constructor FILE   plugin.c, whose constructor marks ranges
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void nap(void)
{
	usleep(1000);
}

static void *library_of(const char *variable)
{
	const char *path = getenv(variable);

	return path ? dlopen(path, RTLD_LAZY) : NULL;
}

static void in_thread(void *(*function)(void *), void *arg)
{
	pthread_t thread;

	pthread_create(&thread, NULL, function, arg);
	pthread_join(thread, NULL);
}

/* --- ITT --- */

struct itt_id {
	unsigned long long d1, d2, d3;
};

struct itt_string {
	const char *text;
	void *wide;
	int extra1;
	void *extra2;
	struct itt_string *next;
};

struct itt_domain {
	volatile int flags;
	const char *name;
	void *wide;
	int extra1;
	void *extra2;
	struct itt_domain *next;
};

static struct itt_domain *(*itt_domain_create)(const char *);
static struct itt_string *(*itt_string_create)(const char *);
static void (*itt_task_begin)(const struct itt_domain *, struct itt_id, struct itt_id,
			      struct itt_string *);
static void (*itt_task_end)(const struct itt_domain *);
static void (*itt_overlapped_begin)(const struct itt_domain *, struct itt_id, struct itt_id,
				    struct itt_string *);
static void (*itt_overlapped_end)(const struct itt_domain *, struct itt_id);
static void (*itt_frame_begin)(const struct itt_domain *, struct itt_id *);
static void (*itt_frame_end)(const struct itt_domain *, struct itt_id *);
static int (*itt_event_create)(const char *, int);
static int (*itt_event_start)(int);
static int (*itt_event_end)(int);
static void (*itt_pause)(void);

static void pause_alone(void)
{
}

struct itt_function {
	const char *name;
	void **pointer;
	void *init, *null;
	int group;
};

#define ITT(name, pointer)                                                                         \
	{                                                                                          \
		"__itt_" #name, (void **)&(pointer), NULL, NULL, 1                                 \
	}

static struct itt_function itt_functions[] = {
	ITT(domain_create, itt_domain_create),
	ITT(string_handle_create, itt_string_create),
	{ "__itt_pause", (void **)&itt_pause, NULL, pause_alone, 1 },
	ITT(task_begin, itt_task_begin),
	ITT(task_end, itt_task_end),
	ITT(task_begin_overlapped, itt_overlapped_begin),
	ITT(task_end_overlapped, itt_overlapped_end),
	ITT(frame_begin_v3, itt_frame_begin),
	ITT(frame_end_v3, itt_frame_end),
	ITT(event_create, itt_event_create),
	ITT(event_start, itt_event_start),
	ITT(event_end, itt_event_end),
	{ NULL, NULL, NULL, NULL, 0 },
};

static struct {
	unsigned char magic[8];
	unsigned long major, minor, build;
	volatile long initialized, has_mutex, counter;
	pthread_mutex_t mutex;
	void *lib, *handler;
	const char **path;
	struct itt_function *functions;
	void *rest[10];
} itt_global = { { 0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30 },
		 3,
		 27,
		 1,
		 .mutex = PTHREAD_MUTEX_INITIALIZER,
		 .functions = itt_functions };

static void itt_init(void)
{
	void *library = library_of("INTEL_LIBITTNOTIFY64");
	void (*init)(void *, int) =
		library ? (void (*)(void *, int))dlsym(library, "__itt_api_init") : NULL;

	if (init)
		init(&itt_global, -1);
}

static struct itt_domain *domain, *other;
static struct itt_string *flight;

static void *end_flight(void *id)
{
	if (domain && domain->flags)
		itt_overlapped_end(domain, *(struct itt_id *)id);
	return NULL;
}

static void *end_event(void *event)
{
	itt_event_end(*(int *)event);
	return NULL;
}

static void itt(void)
{
	/* Its name has no NUL. */
	static const char line[] = "itt event and what is behind it";
	struct itt_id none = { 0, 0, 0 }, id = { 7, 8, 9 };
	struct itt_string *outer, *inner;
	int event;

	itt_init();
	domain = itt_domain_create ? itt_domain_create("org.example") : NULL;
	other = itt_domain_create ? itt_domain_create("org.other") : NULL;
	printf("itt: the same domain again: %d\n",
	       itt_domain_create ? itt_domain_create("org.example") == domain : 1);
	if (itt_pause)
		itt_pause();
	if (!domain || !domain->flags)
		return;
	outer = itt_string_create("itt outer");
	inner = itt_string_create("itt inner");
	flight = itt_string_create("itt flight");
	for (int i = 0; i < 3; i++) {
		itt_task_begin(domain, none, none, outer);
		/* Not nested: each domain has its own. */
		itt_task_begin(other, none, none, inner);
		nap();
		itt_task_end(domain);
		nap();
		itt_task_end(other);
	}
	itt_overlapped_begin(domain, id, none, flight);
	nap();
	in_thread(end_flight, &id);
	itt_frame_begin(domain, NULL);
	nap();
	itt_frame_end(domain, NULL);
	event = itt_event_create(line, 9);
	for (int i = 0; i < 2; i++) {
		itt_event_start(event);
		nap();
		/* That thread has none of its own. */
		in_thread(end_event, &event);
		nap();
		itt_event_end(event);
		itt_event_start(1000); /* nobody's */
	}
}

/* --- NVTX --- */

typedef void (*nvtx_function)(void);

struct nvtx_attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

static nvtx_function core[16], core2[16];

static nvtx_function *core_table[16], *core2_table[16];

static int get_table(int module, nvtx_function ***table, unsigned int *n)
{
	*table = module == 1 ? core_table : module == 5 ? core2_table : NULL;
	*n = 16;
	return *table != NULL;
}

static struct {
	size_t bytes;
	int (*get)(int, nvtx_function ***, unsigned int *);
} callbacks = { sizeof(callbacks), get_table };

static const void *exports(uint32_t id)
{
	return id == 1 ? &callbacks : NULL;
}

#define NVTX(table, id, type) ((type)(table)[id])

/* plugin.c calls both. */
int push(const char *message);
int pop(void);

int push(const char *message)
{
	return core[9] ? NVTX(core, 9, int (*)(const char *))(message) : -2;
}

int pop(void)
{
	return core[11] ? NVTX(core, 11, int (*)(void))() : -2;
}

static void *end_range(void *id)
{
	if (core[7])
		NVTX(core, 7, void (*)(uint64_t))(*(uint64_t *)id);
	return NULL;
}

static void nvtx_init(void)
{
	int (*init)(const void *(*)(uint32_t)) =
		(int (*)(const void *(*)(uint32_t)))dlsym(RTLD_DEFAULT, "InitializeInjectionNvtx2");
	void *library = init ? NULL : library_of("NVTX_INJECTION64_PATH");

	for (int i = 0; i < 16; i++) {
		core_table[i] = &core[i];
		core2_table[i] = &core2[i];
	}
	if (library)
		init = (int (*)(const void *(*)(uint32_t)))dlsym(library,
								 "InitializeInjectionNvtx2");
	dlerror(); /* of its own look-up */
	if (init && !init(exports))
		puts("nvtx: refused");
}

/* What a program sees of the library's look-ups. */
static void untouched(const char *which)
{
	int is = errno;
	const char *text = dlerror();

	printf("%s: errno %d, dlerror %s\n", which, is, text ? text : "none");
}

static void nvtx(void)
{
	struct nvtx_attributes attributes = { 3, sizeof(attributes), .message_type = 3 };
	const void *nvtx_domain;
	uint64_t ids[2];
	int result;

	nvtx_init();
	for (int i = 0; i < 4; i++) {
		char name[32];

		snprintf(name, sizeof(name), "nvtx step %d", i);
		errno = EXDEV;
		result = push(name);
		untouched("nvtx push");
		printf("nvtx: push %d\n", result);
		push("nvtx a name that is far longer than the sixty-three bytes that a range has "
		     "for it");
		nap();
		result = pop();
		printf("nvtx: pop %d %d\n", result, pop());
	}
	if (!core[5] || !core2[12])
		return;
	for (int i = 0; i < 2; i++)
		ids[i] = NVTX(core, 5, uint64_t(*)(const char *))(i ? "nvtx later" : "nvtx first");
	nap();
	in_thread(end_range, &ids[0]);
	nap();
	in_thread(end_range, &ids[1]);
	/* Two of one name across each other. */
	for (int i = 0; i < 2; i++, nap())
		ids[i] = NVTX(core, 5, uint64_t(*)(const char *))("nvtx both");
	for (int i = 0; i < 2; i++, nap())
		end_range(&ids[i]);
	/* No range has the number 0; and one has an empty name. */
	push("nvtx zero");
	push("");
	nap();
	ids[0] = 0;
	end_range(&ids[0]);
	pop();
	nap();
	pop();
	push("nvtx \342\202\254\342\202\254\342\202\254\342\202\254\342\202\254"
	     "\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254"
	     "\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254"
	     "\342\202\254\342\202\254\342\202\254\342\202\254");
	pop();
	nvtx_domain = NVTX(core2, 12, const void *(*)(const char *))("org.example");
	attributes.message = NVTX(core2, 10, const void *(*)(const void *, const char *))(
		nvtx_domain, "nvtx registered");
	NVTX(core2, 4, int (*)(const void *, const void *))(nvtx_domain, &attributes);
	nap();
	attributes.message_type = 2;
	attributes.message = L"nvtx wide";
	NVTX(core, 8, int (*)(const void *))(&attributes);
	nap();
	NVTX(core2, 5, int (*)(const void *))(nvtx_domain);
	pop();
	/* ITT's domain of that name is another one. */
	if (!domain)
		return;
	itt_task_begin(domain, (struct itt_id){ 0 }, (struct itt_id){ 0 }, flight);
	NVTX(core2, 4, int (*)(const void *, const void *))(nvtx_domain, &attributes);
	itt_task_end(domain);
	nap();
	NVTX(core2, 5, int (*)(const void *))(nvtx_domain);
}

/* --- ROCTX --- */

int roctxRangePushA(const char *message);
int roctxRangePop(void);
uint64_t roctxRangeStartA(const char *message);
void roctxRangeStop(uint64_t id);

static void *stop_range(void *id)
{
	roctxRangeStop(*(uint64_t *)id);
	return NULL;
}

static void roctx(void)
{
	int result;
	uint64_t id;

	errno = EXDEV;
	result = roctxRangePushA("roctx outer");
	untouched("roctx");
	roctxRangeStop(0);
	nap();
	printf("roctx: push %d %d\n", result, roctxRangePushA("roctx inner"));
	nap();
	result = roctxRangePop();
	printf("roctx: pop %d %d\n", result, roctxRangePop());
	id = roctxRangeStartA("roctx flight");
	nap();
	in_thread(stop_range, &id);
	printf("roctx: id %d\n", (int)id);
}

static int is_loaded(const char *what)
{
	char line[4096];
	FILE *maps = fopen("/proc/self/maps", "r");
	int is = 0;

	while (!is && fgets(line, sizeof(line), maps))
		is = strstr(line, what) != NULL;
	fclose(maps);
	return is;
}

/* The parent has marked no range when it forks, and marks one when the child is over. */
static void forked(void)
{
	nvtx_init();
	if (!fork()) {
		push("fork child");
		pop();
		printf("fork: LTTng in the child: %d\n", is_loaded("lttng-ust"));
		_exit(0);
	}
	wait(NULL);
	push("fork parent");
	pop();
}

static int constructor(const char *file)
{
	void (*join)(void);
	void *plugin;

	nvtx_init();
	plugin = dlopen(file, RTLD_NOW);
	join = plugin ? (void (*)(void))dlsym(plugin, "join") : NULL;
	if (!join)
		return 1;
	join();
	return 0;
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "all";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(which, "constructor") && argc > 2)
		return constructor(argv[2]);
	if (!strcmp(which, "fork"))
		forked();
	if (!strcmp(which, "itt") || !strcmp(which, "all"))
		itt();
	if (!strcmp(which, "nvtx") || !strcmp(which, "all"))
		nvtx();
	if (!strcmp(which, "roctx") || !strcmp(which, "all"))
		roctx();
	return 7;
}
