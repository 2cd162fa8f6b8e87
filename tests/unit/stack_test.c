// SPDX-License-Identifier: MIT
// Stacks: the kernel's functions, where files lie in a process, frames that are told once, and
// which frames the code shows to be sure.
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/build_id.h"
#include "capture/bpf_shared.h"
#include "capture/bpf_stack.h"
#include "base/kernel_symbol.h"
#include "capture/perf_map.h"
#include "capture/process_map.h"
#include "capture/unwind.h"
#include "latency/elf_code.h"
#include "latency/stacks.h"

static void read_functions(const char *text, struct lane_kernel_functions *functions)
{
	FILE *file = fmemopen((char *)text, strlen(text), "r");

	assert_null(lane_kernel_functions_read(file, functions));
	fclose(file);
}

static const char *at(const struct lane_kernel_functions *functions, uint64_t address,
		      uint64_t *offset)
{
	const char *name = lane_kernel_function_at(functions, address, offset);

	return name ? name : "none";
}

TEST(kernel_functions_by_address)
{
	struct lane_kernel_functions functions = { 0 };
	uint64_t offset = 0;

	read_functions("ffffffffa0001000 t of_module\t[gpu]\n"
		       "ffffffff81000100 T second\n"
		       "ffffffff81000100 W its_alias\n"
		       "ffffffff81000000 T first\n"
		       "ffffffff81000180 D data\n"
		       "0000000000000000 T hidden\n"
		       "no line\n",
		       &functions);
	assert_string_equal(at(&functions, 0xffffffff81000000, &offset), "first");
	assert_int_equal(offset, 0);
	assert_string_equal(at(&functions, 0xffffffff810000ff, &offset), "first");
	assert_int_equal(offset, 0xff);
	assert_string_equal(at(&functions, 0xffffffff81000190, &offset), "second");
	assert_int_equal(offset, 0x90);
	assert_string_equal(at(&functions, 0xffffffffa0001001, &offset), "of_module");
	/* Before all of them, and so far behind one that it is none of its code. */
	assert_string_equal(at(&functions, 0xffffffff80ffffff, &offset), "none");
	assert_string_equal(at(&functions, 0xffffffff81010100, &offset), "none");
	lane_kernel_functions_free(&functions);
}

TEST(kernel_hides_its_addresses)
{
	struct lane_kernel_functions functions = { 0 };
	uint64_t offset;

	read_functions("0000000000000000 T first\n0000000000000000 T second\n", &functions);
	assert_string_equal(at(&functions, 0x10, &offset), "none");
	lane_kernel_functions_free(&functions);
}

/* A file may say what it likes: of a million and more none is named. */
TEST(more_functions_than_a_kernel_has)
{
	static const char line[] = "1 t a\n";
	struct lane_kernel_functions functions = { 0 };
	struct lane_error *err;
	FILE *file = tmpfile();

	assert_non_null(file);
	for (int i = 0; i <= 1 << 20; i++)
		fputs(line, file);
	rewind(file);
	err = lane_kernel_functions_read(file, &functions);
	assert_non_null(err);
	lane_error_free(err);
	lane_kernel_functions_free(&functions);
	fclose(file);
}

/* --- this program's own code --- */

#define PART __attribute__((noinline, noclone, noipa, optimize("no-omit-frame-pointer")))

static uint64_t returns_to;

PART static void is_called(void)
{
	returns_to = (uint64_t)(uintptr_t)__builtin_return_address(0);
	__asm__ volatile("" ::: "memory");
}

PART static void calls(void)
{
	is_called();
	__asm__ volatile("" ::: "memory");
}

struct own {
	struct lane_process_map map;
	const struct lane_mapping *mapping;
	struct lane_elf *elf;
};

static uint64_t place_of(const struct own *own, uint64_t address)
{
	return address - own->mapping->begin + own->mapping->offset;
}

static void own_code(struct own *own)
{
	*own = (struct own){ 0 };
	capture_process_map_read(&own->map, "", getpid(), 1);
	own->mapping = capture_process_map_at(&own->map, (uint64_t)(uintptr_t)is_called);
	assert_non_null(own->mapping);
	own->elf = latency_elf_open(own->mapping->path, own->mapping->build, NULL);
	assert_non_null(own->elf);
}

static void own_code_ends(struct own *own)
{
	latency_elf_close(own->elf);
	capture_process_map_free(&own->map);
}

TEST(functions_of_a_file)
{
	struct own own;
	uint64_t begin = 0, called = 0;

	calls();
	own_code(&own);
	assert_string_equal(latency_elf_function(own.elf,
						 place_of(&own, (uint64_t)(uintptr_t)is_called),
						 &begin),
			    "is_called");
	assert_int_equal(begin, place_of(&own, (uint64_t)(uintptr_t)is_called));
	assert_string_equal(latency_elf_function(own.elf, place_of(&own, returns_to) - 1, &begin),
			    "calls");
	assert_null(latency_elf_function(own.elf, UINT64_MAX, &begin));
#ifdef __x86_64__
	assert_int_equal(latency_elf_call_before(own.elf, place_of(&own, returns_to), &called),
			 LANE_CALL_DIRECT);
	assert_int_equal(called, place_of(&own, (uint64_t)(uintptr_t)is_called));
	/* Nothing returns to a function's beginning, or to nowhere. */
	assert_int_equal(latency_elf_call_before(own.elf, begin, &called), LANE_CALL_NONE);
	assert_int_equal(latency_elf_call_before(own.elf, UINT64_MAX, &called), LANE_CALL_NONE);
	assert_int_equal(latency_elf_call_before(own.elf, 0, &called), LANE_CALL_NONE);
	/* Its frame pointer is there once it has been set up. */
	assert_true(latency_elf_keeps_frame(own.elf, begin, place_of(&own, returns_to)));
	assert_false(latency_elf_keeps_frame(own.elf, begin, begin + 1));
	assert_false(latency_elf_keeps_frame(own.elf, UINT64_MAX, UINT64_MAX));
#endif
	own_code_ends(&own);
}

/* What this process has compiled, as it would tell perf; `more` is written behind it. */
static void writes_a_map(const char *more)
{
	char name[64];
	FILE *file;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	file = fopen(name, *more ? "ae" : "we");
	assert_non_null(file);
	fputs(*more ? more
		    : "1000 100 first\n1100 80 py::frame:/opt/a b.py\nno line\n2000 10 \n3000 1",
	      file);
	fclose(file);
}

static const char *compiled(const struct lane_perf_map *map, uint64_t address, uint64_t *offset)
{
	const char *name = capture_perf_map_at(map, address, offset);

	return name ? name : "none";
}

TEST(functions_compiled_meanwhile)
{
	struct lane_perf_map map = { 0 };
	uint64_t offset = 0;
	char name[64];

	writes_a_map("");
	capture_perf_map_read(&map, "", getpid(), 1);
	assert_string_equal(compiled(&map, 0x1010, &offset), "first");
	assert_int_equal(offset, 0x10);
	assert_string_equal(compiled(&map, 0x117f, &offset), "py::frame:/opt/a b.py");
	assert_string_equal(compiled(&map, 0x1180, &offset), "none");
	assert_string_equal(compiled(&map, 0x2000, &offset), "none");
	/* Its line was still being written. */
	assert_string_equal(compiled(&map, 0x3000, &offset), "none");
	/* What was written last is what is there. */
	writes_a_map("00 late\n1000 20 second\n");
	capture_perf_map_read(&map, "", getpid(), 1);
	assert_string_equal(compiled(&map, 0x30ff, &offset), "late");
	assert_string_equal(compiled(&map, 0x1010, &offset), "second");
	assert_string_equal(compiled(&map, 0x1020, &offset), "first");
	capture_perf_map_free(&map);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	unlink(name);
	/* A link may lead anywhere. */
	assert_int_equal(symlink("/etc/passwd", name), 0);
	capture_perf_map_read(&map, "", getpid(), 1);
	assert_int_equal(map.read_to, 0);
	unlink(name);
	capture_perf_map_read(&map, "", getpid(), 1);
	assert_int_equal(map.n, 0);
	capture_perf_map_free(&map);
}

/* Each file is looked into once, however often it is mapped; mappings are found by their addresses.
 */
TEST(mappings_by_address)
{
	struct lane_process_map map = { 0 };

	capture_process_map_read(&map, "", getpid(), 1);
	for (uint32_t i = 0; i < map.n; i++) {
		assert_ptr_equal(capture_process_map_at(&map, map.of[i].begin), &map.of[i]);
		assert_ptr_equal(capture_process_map_at(&map, map.of[i].end - 1), &map.of[i]);
		for (uint32_t k = 0; k < i; k++)
			if (!strcmp(map.of[i].path, map.of[k].path))
				assert_string_equal(map.of[i].build, map.of[k].build);
	}
	assert_null(capture_process_map_at(&map, 0));
	assert_null(capture_process_map_at(&map, UINT64_MAX));
	capture_process_map_free(&map);
}

TEST(files_of_mappings)
{
	int fd = capture_process_file_open("", getpid(), (uint64_t)(uintptr_t)is_called);
	struct stat of, own;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &of), 0);
	assert_int_equal(stat("/proc/self/exe", &own), 0);
	assert_int_equal(of.st_ino, own.st_ino);
	close(fd);
	assert_int_equal(capture_process_file_open("", getpid(), 0x10), -1);
	assert_int_equal(capture_process_file_open("", getpid(), (uint64_t)(uintptr_t)&fd), -1);
	assert_int_equal(capture_process_file_open("/nowhere", getpid(), 0x10), -1);
}

TEST_IN_FOLDER(another_file_is_not_taken)
{
	struct own own;
	char build[LANE_BUILD_ID_TEXT];
	int fd;

	(void)state;
	own_code(&own);
	assert_null(latency_elf_open(own.mapping->path, "00112233", NULL));
	assert_null(latency_elf_open(own.mapping->path, "", NULL));
	assert_null(latency_elf_open("/nothing/there", own.mapping->build, NULL));
	own_code_ends(&own);
	check_write("text", "this is no program, though it is long enough for a header of one....");
	fd = open("text", O_RDONLY | O_CLOEXEC);
	assert_false(lane_build_id(fd, build));
	assert_string_equal(build, "");
	close(fd);
}

/* Of a program that was cut off anywhere, or changed anywhere, nothing is read that is not there.
 */
TEST_IN_FOLDER(damaged_files)
{
	unsigned char head[4096];
	char build[LANE_BUILD_ID_TEXT];
	struct own own;
	FILE *file;
	size_t n;

	(void)state;
	own_code(&own);
	file = fopen(own.mapping->path, "re");
	n = fread(head, 1, sizeof(head), file);
	fclose(file);
	for (size_t i = 0; i < n; i += i < 1024 ? 7 : 97) {
		FILE *damaged = fopen("damaged", "we");

		head[i] ^= 0xff;
		fwrite(head, 1, i % 2 ? n : i, damaged);
		head[i] ^= 0xff;
		fclose(damaged);
		file = fopen("damaged", "re");
		lane_build_id(fileno(file), build);
		fclose(file);
		latency_elf_close(latency_elf_open("damaged", build, NULL));
	}
	own_code_ends(&own);
}

/* --- frames are told once --- */

struct told {
	struct lane_p_gpulane_stack_frame of[32];
	unsigned int n;
};

static struct lane_error *tell(void *data, const struct lane_wire *record)
{
	struct told *told = data;

	assert_int_equal(record->kind, LANE_STACK_FRAME);
	assert_true(told->n < 32);
	memcpy(&told->of[told->n++], record + 1, sizeof(told->of[0]));
	return NULL;
}

static bool is_gone;

static bool read_addresses(void *arg, bool user, uint32_t id, uint64_t *addresses)
{
	(void)arg;
	if (is_gone || id == 99)
		return false;
	addresses[0] = user ? (uint64_t)(uintptr_t)is_called : 0x10 + id;
	addresses[1] = user ? 0x20 : 0x11 + id;
	return true;
}

struct stack_event {
	struct lane_wire wire;
	struct lane_p_gpulane_stack p;
};

static void see(struct lane_bpf_stacks *stacks, struct told *told, uint32_t kernel, uint32_t user)
{
	struct stack_event event = { .wire = { .kind = LANE_STACK, .pid = getpid(), .ts_ns = 5 },
				     .p = { .kernel = kernel, .user = user, .why = 1 } };

	told->n = 0;
	assert_null(capture_bpf_stacks_see(stacks, &event.wire, tell, told));
}

TEST(frames_are_told_once)
{
	const struct lane_bpf_stack_source source = { .read = read_addresses, .root = "" };
	struct lane_bpf_stacks *stacks;
	struct told told;

	assert_null(capture_bpf_stacks_open(&source, &stacks));
	is_gone = false;
	see(stacks, &told, 2, 3);
	assert_int_equal(told.n, 4);
	assert_int_equal(told.of[0].stack, 2);
	assert_int_equal(told.of[0].what, LANE_FRAME_OF_NOTHING);
	assert_int_equal(told.of[0].offset, 0x10);
	assert_int_equal(told.of[1].place, 1);
	assert_int_equal(told.of[1].frames, 2);
	assert_int_equal(told.of[2].stack, 3);
	assert_int_equal(told.of[2].what, LANE_FRAME_OF_FILE);
	assert_true(strstr(told.of[2].name, "stack_test") != NULL);
	assert_true(strlen(told.of[2].build) >= 16);
	assert_int_equal(told.of[3].what, LANE_FRAME_OF_NOTHING);
	see(stacks, &told, 2, 3);
	assert_int_equal(told.n, 0);
	see(stacks, &told, 4, 3);
	assert_int_equal(told.n, 2);
	assert_int_equal(told.of[0].stack, 4);
	see(stacks, &told, 0, LANE_STACK_LOST);
	assert_int_equal(told.n, 0);
	assert_int_equal(capture_bpf_stacks_lost(stacks), 0);
	see(stacks, &told, 99 * 2 + 2, 3);
	assert_int_equal(told.n, 0);
	assert_int_equal(capture_bpf_stacks_lost(stacks), 1);
	capture_bpf_stacks_close(stacks);
}

/* Where the recorder sees other numbers of processes than the kernel's, no process is looked at. */
TEST(beyond_the_namespace)
{
	const struct lane_bpf_stack_source source = { .read = read_addresses };
	struct lane_bpf_stacks *stacks;
	struct told told;

	assert_null(capture_bpf_stacks_open(&source, &stacks));
	see(stacks, &told, 0, 3);
	assert_int_equal(told.n, 2);
	assert_int_equal(told.of[0].what, LANE_FRAME_OF_NOTHING);
	capture_bpf_stacks_close(stacks);
}

/* --- what a recording's frames become --- */

static void take(struct lane_stacks *stacks, uint32_t place, uint32_t frames, uint32_t what,
		 const char *name, const char *build, uint64_t offset)
{
	struct lane_event event = { .wire = { .kind = LANE_STACK_FRAME, .pid = 7 } };
	struct lane_p_gpulane_stack_frame *frame = &event.u.gpulane_stack_frame;

	frame->stack = 1;
	frame->place = place;
	frame->frames = frames;
	frame->what = what;
	frame->offset = offset;
	snprintf(frame->name, sizeof(frame->name), "%s", name);
	snprintf(frame->build, sizeof(frame->build), "%s", build);
	assert_true(latency_stacks_frame(stacks, &event));
}

#ifdef __x86_64__
/* The innermost one has no frame pointer: who called it, or what did, stands in the next one's
 * call. */
TEST(functions_without_a_frame_pointer)
{
	struct lane_stacks stacks = { 0 };
	struct lane_wheres wheres;
	struct own own;

	calls();
	own_code(&own);
	take(&stacks, 0, 2, LANE_FRAME_OF_FILE, "/lib/gone.so", "77", 0x10);
	take(&stacks, 1, 2, LANE_FRAME_OF_FILE, own.mapping->path, own.mapping->build,
	     place_of(&own, returns_to));
	latency_stacks_find(&stacks, 7, 1, &wheres);
	assert_int_equal(wheres.n, 1); /* its file is not here: nothing is sure */
	assert_null(wheres.of[0].function);
	assert_string_equal(wheres.of[0].file, "gone.so");
	assert_true(wheres.is_cut);
	assert_false(wheres.is_bare);
	latency_stacks_deinit(&stacks);
	stacks = (struct lane_stacks){ 0 };
	/* At its first byte a function has not set up its frame pointer. */
	take(&stacks, 0, 2, LANE_FRAME_OF_FILE, own.mapping->path, own.mapping->build,
	     place_of(&own, (uint64_t)(uintptr_t)own_code_ends));
	take(&stacks, 1, 2, LANE_FRAME_OF_FILE, own.mapping->path, own.mapping->build,
	     place_of(&own, returns_to));
	latency_stacks_find(&stacks, 7, 1, &wheres);
	assert_int_equal(wheres.n, 3);
	assert_string_equal(wheres.of[0].function, "own_code_ends");
	assert_string_equal(wheres.of[1].function, "is_called");
	assert_true(wheres.of[1].is_around);
	assert_string_equal(wheres.of[2].function, "calls");
	assert_false(wheres.of[2].is_around);
	/* What no call is ahead of is no caller. */
	take(&stacks, 1, 2, LANE_FRAME_OF_FILE, own.mapping->path, own.mapping->build,
	     place_of(&own, (uint64_t)(uintptr_t)calls));
	latency_stacks_find(&stacks, 7, 1, &wheres);
	assert_int_equal(wheres.n, 1);
	assert_true(wheres.is_bare);
	latency_stacks_deinit(&stacks);
	own_code_ends(&own);
}
#endif

/* Who is unwound has called the next one, also one whose code is not here, or that was compiled. */
TEST(unwound_frames)
{
	struct lane_stacks stacks = { 0 };
	struct lane_wheres wheres;

	take(&stacks, 0, 4, LANE_FRAME_UNWOUND, "/lib/gone.so", "77", 0x10);
	take(&stacks, 1, 4, LANE_FRAME_UNWOUND, "/lib/gone.so", "77", 0x110);
	take(&stacks, 2, 4, LANE_FRAME_UNWOUND, "/bin/program", "78", 0x20);
	take(&stacks, 3, 4, LANE_FRAME_OF_PROGRAM, "compiled", "", 0x20);
	latency_stacks_find(&stacks, 7, 1, &wheres);
	assert_int_equal(wheres.n, 4);
	assert_string_equal(wheres.of[2].file, "program");
	assert_string_equal(wheres.of[3].function, "compiled");
	assert_false(wheres.of[3].is_around);
	assert_false(wheres.is_cut);
	/* The last one stands for what may be missing. */
	take(&stacks, 3, 4, LANE_FRAME_OF_NOTHING, "", "", 0);
	latency_stacks_find(&stacks, 7, 1, &wheres);
	assert_int_equal(wheres.n, 3);
	assert_true(wheres.is_cut);
	assert_false(wheres.is_bare);
	latency_stacks_deinit(&stacks);
}

#ifdef __x86_64__
/* --- copies of stacks are unwound --- */

static struct lane_bpf_stack_copy copied;

/* As the kernel would copy it: registers as they are behind the call, and what the stack has. */
__attribute__((noinline)) static void copies(void)
{
	static const int order[LANE_BPF_REGISTERS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	struct iovec to = { copied.bytes, sizeof(copied.bytes) }, from = { NULL, to.iov_len };
	ucontext_t now;
	ssize_t n;

	getcontext(&now);
	for (int i = 0; i < LANE_BPF_REGISTERS; i++)
		copied.registers[i] = (uint64_t)now.uc_mcontext.gregs[order[i]];
	from.iov_base = (void *)(uintptr_t)copied.registers[7];
	n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	assert_true(n > 1024);
	copied.n = (uint64_t)n;
	copied.number = copied.end = 5;
}

__attribute__((noinline, optimize("omit-frame-pointer"))) static void in_the_middle(int n)
{
	volatile char room[300];

	room[n] = 1;
	copies();
	room[0] = room[n];
}

__attribute__((noinline, optimize("omit-frame-pointer"))) static void furthest_out(int n)
{
	volatile char room[200];

	room[n] = 1;
	in_the_middle(n + 1);
	room[0] = room[n];
}

static bool is_within(uint64_t address, void (*function)(void))
{
	return address - (uint64_t)(uintptr_t)function < 600;
}

TEST(copies_are_unwound)
{
	uint64_t addresses[64];
	struct lane_unwinder *unwinder;
	unsigned int n;
	bool is_cut;

	assert_true(capture_unwind_can());
	furthest_out(2);
	unwinder = capture_unwind_open("", getpid());
	assert_non_null(unwinder);
	n = capture_unwind(unwinder, &copied, addresses, 64, &is_cut);
	assert_in_range(n, 5, 63);
	assert_true(is_within(addresses[0], copies));
	assert_true(is_within(addresses[1], (void (*)(void))(uintptr_t)in_the_middle));
	assert_true(is_within(addresses[2], (void (*)(void))(uintptr_t)furthest_out));
	assert_false(is_cut);
	/* Less room; a stack that ends sooner; one that no file's code is at. */
	assert_int_equal(capture_unwind(unwinder, &copied, addresses, 2, &is_cut), 2);
	assert_true(is_cut);
	copied.n = 256;
	n = capture_unwind(unwinder, &copied, addresses, 64, &is_cut);
	assert_in_range(n, 1, 2);
	assert_true(is_cut);
	copied.registers[LANE_BPF_REGISTERS - 1] = 0x10;
	n = capture_unwind(unwinder, &copied, addresses, 64, &is_cut);
	assert_in_range(n, 0, 1);
	assert_true(is_cut);
	capture_unwind_close(unwinder);
	assert_null(capture_unwind_open("/nowhere", getpid()));
}

static bool give_copy(void *arg, uint32_t number, struct lane_bpf_stack_copy *copy)
{
	(void)arg;
	*copy = copied;
	return number == LANE_BPF_COPY_NUMBER(5u);
}

/* The same frames are one stack, which is told once. A copy that is gone is lost. */
TEST(unwound_stacks_are_told_once)
{
	const struct lane_bpf_stack_source source = { .read = read_addresses,
						      .copy = give_copy,
						      .root = "" };
	struct stack_event event = { .wire = { .kind = LANE_STACK, .pid = getpid(), .ts_ns = 5 },
				     .p = { .user = LANE_BPF_COPY_NUMBER(5u), .why = 1 } };
	const struct stack_event *put;
	static struct told told; /* the stack is copied, up to 8 KiB of it */
	struct lane_bpf_stacks *stacks;
	uint32_t number;

	furthest_out(2);
	assert_null(capture_bpf_stacks_open(&source, &stacks));
	put = (const struct stack_event *)capture_bpf_stacks_unwind(stacks, &event.wire);
	number = put->p.user;
	assert_true(number && !(number & LANE_BPF_COPY_BIT) && number & 1);
	assert_null(capture_bpf_stacks_see(stacks, &put->wire, tell, &told));
	assert_in_range(told.n, 5, 31);
	assert_int_equal(told.of[0].stack, number);
	assert_int_equal(told.of[1].what, LANE_FRAME_UNWOUND);
	assert_true(strstr(told.of[1].name, "stack_test") != NULL);
	assert_int_equal(told.of[told.n - 1].what, LANE_FRAME_OF_FILE);
	told.n = 0;
	put = (const struct stack_event *)capture_bpf_stacks_unwind(stacks, &event.wire);
	assert_int_equal(put->p.user, number);
	assert_null(capture_bpf_stacks_see(stacks, &put->wire, tell, &told));
	assert_int_equal(told.n, 0);
	event.p.user = LANE_BPF_COPY_NUMBER(6u);
	put = (const struct stack_event *)capture_bpf_stacks_unwind(stacks, &event.wire);
	assert_int_equal(put->p.user, LANE_STACK_LOST);
	assert_int_equal(capture_bpf_stacks_lost(stacks), 1);
	event.p.user = 3; /* of the map */
	assert_ptr_equal(capture_bpf_stacks_unwind(stacks, &event.wire), &event.wire);
	capture_bpf_stacks_close(stacks);
}

/* The number of the stack that is copied, as that of a process. */
static uint32_t unwound_of(struct lane_bpf_stacks *stacks, int32_t pid)
{
	const struct stack_event event = {
		.wire = { .kind = LANE_STACK, .pid = pid, .ts_ns = 5 },
		.p = { .user = LANE_BPF_COPY_NUMBER(5u), .why = 1 },
	};

	return ((const struct stack_event *)capture_bpf_stacks_unwind(stacks, &event.wire))->p.user;
}

/* More processes than have their files kept open: what was closed is opened again. */
TEST(many_processes_are_unwound)
{
	enum {
		PROCESSES = 40
	};
	const struct lane_bpf_stack_source source = { .read = read_addresses,
						      .copy = give_copy,
						      .root = "" };
	struct lane_bpf_stacks *stacks;
	pid_t children[PROCESSES];
	uint32_t numbers[PROCESSES], again[PROCESSES];

	furthest_out(2);
	assert_null(capture_bpf_stacks_open(&source, &stacks));
	for (int i = 0; i < PROCESSES; i++) {
		children[i] = fork(); /* what lies where is the same */
		assert_true(children[i] >= 0);
		if (!children[i]) {
			pause();
			_exit(0);
		}
		numbers[i] = unwound_of(stacks, children[i]);
	}
	for (int i = 0; i < PROCESSES; i++)
		again[i] = unwound_of(stacks, children[i]);
	for (int i = 0; i < PROCESSES; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	assert_memory_equal(again, numbers, sizeof(numbers));
	capture_bpf_stacks_close(stacks);
}

/* Each is another one: so many are known, and no more. */
TEST(unwound_stacks_are_bounded)
{
	const struct lane_bpf_stack_source source = { .read = read_addresses, .copy = give_copy };
	struct lane_bpf_stacks *stacks;

	assert_null(capture_bpf_stacks_open(&source, &stacks));
	for (uint64_t i = 0; i < 65536; i++) {
		copied.registers[LANE_BPF_REGISTERS - 1] = 0x10 + i;
		assert_int_not_equal(unwound_of(stacks, getpid()), LANE_STACK_LOST);
	}
	copied.registers[LANE_BPF_REGISTERS - 1] = 0x8;
	assert_int_equal(unwound_of(stacks, getpid()), LANE_STACK_LOST);
	assert_int_equal(capture_bpf_stacks_lost(stacks), 1);
	copied.registers[LANE_BPF_REGISTERS - 1] = 0x10;
	assert_int_not_equal(unwound_of(stacks, getpid()), LANE_STACK_LOST);
	capture_bpf_stacks_close(stacks);
}
#endif

TEST(frames_out_of_place)
{
	struct lane_stacks stacks = { 0 };
	struct lane_wheres wheres;

	take(&stacks, 3, 2, LANE_FRAME_OF_PROGRAM, "beyond", "", 0);
	take(&stacks, 0, 0, LANE_FRAME_OF_PROGRAM, "of none", "", 0);
	take(&stacks, 0, 100000, LANE_FRAME_OF_PROGRAM, "of too many", "", 0);
	latency_stacks_find(&stacks, 7, 1, &wheres);
	assert_int_equal(wheres.n, 0);
	take(&stacks, 1, 2, LANE_FRAME_OF_PROGRAM, "outer", "", 0);
	latency_stacks_find(&stacks, 7, 1, &wheres);
	assert_int_equal(wheres.n, 0); /* the inner one is missing */
	assert_true(wheres.is_cut);
	take(&stacks, 0, 2, LANE_FRAME_OF_PROGRAM, "inner", "", 0);
	latency_stacks_find(&stacks, 7, 1, &wheres);
	assert_int_equal(wheres.n, 2);
	assert_string_equal(wheres.of[1].function, "outer");
	latency_stacks_find(&stacks, 8, 1, &wheres);
	assert_int_equal(wheres.n, 0);
	latency_stacks_deinit(&stacks);
}
