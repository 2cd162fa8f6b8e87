// SPDX-License-Identifier: MIT
// Unwinds copies of stacks by elfutils' libdw, where that is installed.
#include "capture/unwind.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "capture/process_map.h"

#define LIBRARY "libdw.so.1"

/* As elfutils/libdwfl.h and libdw.h have them. */
typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl_Thread Dwfl_Thread;
typedef struct Dwfl_Frame Dwfl_Frame;
typedef struct Dwarf_CFI Dwarf_CFI;

struct dwfl_callbacks {
	int (*find_elf)(Dwfl_Module *module, void **data, const char *name, uint64_t base,
			char **file, void **elf);
	int (*find_debuginfo)(Dwfl_Module *module, void **data, const char *name, uint64_t base,
			      const char *file, const char *link, uint32_t crc, char **found);
	int (*section_address)(void);
	char **debuginfo_path;
};

struct dwfl_thread_callbacks {
	pid_t (*next_thread)(Dwfl *dwfl, void *arg, void **thread_arg);
	bool (*get_thread)(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg);
	bool (*memory_read)(Dwfl *dwfl, uint64_t address, uint64_t *to, void *arg);
	bool (*set_initial_registers)(Dwfl_Thread *thread, void *thread_arg);
	void (*detach)(Dwfl *dwfl, void *arg);
	void (*thread_detach)(Dwfl_Thread *thread, void *thread_arg);
};

enum {
	DWARF_CB_OK,
	DWARF_CB_ABORT
};

typedef int frame_function(Dwfl_Frame *frame, void *arg);

#define FUNCTIONS(F)                                                                               \
	F(Dwfl *, dwfl_begin, const struct dwfl_callbacks *)                                       \
	F(void, dwfl_end, Dwfl *)                                                                  \
	F(int, dwfl_linux_proc_maps_report, Dwfl *, FILE *)                                        \
	F(int, dwfl_report_end, Dwfl *, void *, void *)                                            \
	F(bool, dwfl_attach_state, Dwfl *, void *, pid_t, const struct dwfl_thread_callbacks *,    \
	  void *)                                                                                  \
	F(bool, dwfl_thread_state_registers, Dwfl_Thread *, int, unsigned int, const uint64_t *)   \
	F(int, dwfl_getthread_frames, Dwfl *, pid_t, frame_function *, void *)                     \
	F(bool, dwfl_frame_pc, Dwfl_Frame *, uint64_t *, bool *)                                   \
	F(Dwfl_Module *, dwfl_addrmodule, Dwfl *, uint64_t)                                        \
	F(Dwarf_CFI *, dwfl_module_eh_cfi, Dwfl_Module *, uint64_t *)                              \
	F(int, dwarf_cfi_addrframe, Dwarf_CFI *, uint64_t, void **)

#define POINTER(result, name, ...) result (*name)(__VA_ARGS__);
static struct {
	bool is_tried, is_whole;
	FUNCTIONS(POINTER)
} dw;

struct lane_unwinder {
	Dwfl *dwfl;
	const char *root;
	int32_t pid;
	/* What is unwound now. */
	const struct lane_bpf_stack_copy *copy;
	uint64_t *addresses;
	unsigned int n, most;
	bool is_cut;
};

bool capture_unwind_can(void)
{
	void *library, *function;

	if (dw.is_tried)
		return dw.is_whole;
	dw.is_tried = true;
#ifdef __x86_64__
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
#else
	library = NULL;
#endif
	dw.is_whole = library;
#define FIND(result, name, ...)                                                                    \
	function = library ? dlsym(library, #name) : NULL;                                         \
	dw.is_whole &= function != NULL;                                                           \
	memcpy(&dw.name, &function, sizeof(function));
	FUNCTIONS(FIND)
	return dw.is_whole;
}

/* Whose files are asked for: libdw asks when it needs one. */
static const struct lane_unwinder *asking;

static int find_elf(Dwfl_Module *module, void **data, const char *name, uint64_t base, char **file,
		    void **elf)
{
	(void)module;
	(void)data;
	(void)name;
	*file = NULL;
	*elf = NULL;
	return capture_process_file_open(asking->root, asking->pid, base);
}

/* The tables for exceptions are in the files themselves. */
static int find_nothing(Dwfl_Module *module, void **data, const char *name, uint64_t base,
			const char *file, const char *link, uint32_t crc, char **found)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)found;
	return -1;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	(void)arg;
	(void)thread_arg;
	return 0;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl;
	(void)tid;
	*thread_arg = arg;
	return true;
}

static bool read_copy(Dwfl *dwfl, uint64_t address, uint64_t *to, void *arg)
{
	struct lane_unwinder *unwinder = arg;
	uint64_t at = address - unwinder->copy->registers[7];

	(void)dwfl;
	if (at > unwinder->copy->n || unwinder->copy->n - at < sizeof(*to)) {
		unwinder->is_cut = true; /* libdw takes it for the outermost frame's */
		return false;
	}
	memcpy(to, unwinder->copy->bytes + at, sizeof(*to));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct lane_unwinder *unwinder = arg;
	uint64_t registers[LANE_BPF_REGISTERS];

	memcpy(registers, unwinder->copy->registers, sizeof(registers));
	return dw.dwfl_thread_state_registers(thread, 0, LANE_BPF_REGISTERS, registers);
}

/* Without a table libdw guesses, by the frame pointer. */
static bool has_table(Dwfl *dwfl, uint64_t address)
{
	Dwfl_Module *module = dw.dwfl_addrmodule(dwfl, address);
	uint64_t bias = 0;
	Dwarf_CFI *cfi = module ? dw.dwfl_module_eh_cfi(module, &bias) : NULL;
	void *frame = NULL;
	bool has = cfi && !dw.dwarf_cfi_addrframe(cfi, address - bias, &frame);

	free(frame);
	return has;
}

/* Behind the first frame the address is that behind the call, where another function may begin. */
static int take_frame(Dwfl_Frame *frame, void *arg)
{
	struct lane_unwinder *unwinder = arg;
	uint64_t address;
	bool is_exact;

	if (!dw.dwfl_frame_pc(frame, &address, &is_exact))
		return DWARF_CB_ABORT;
	if (unwinder->n < unwinder->most)
		unwinder->addresses[unwinder->n++] = address;
	else
		unwinder->is_cut = true;
	unwinder->is_cut |= !has_table(unwinder->dwfl, address - !is_exact);
	return unwinder->is_cut ? DWARF_CB_ABORT : DWARF_CB_OK;
}

struct lane_unwinder *capture_unwind_open(const char *root, int32_t pid)
{
	static const struct dwfl_callbacks callbacks = { .find_elf = find_elf,
							 .find_debuginfo = find_nothing };
	static const struct dwfl_thread_callbacks of_thread = {
		.next_thread = next_thread,
		.get_thread = get_thread,
		.memory_read = read_copy,
		.set_initial_registers = set_registers,
	};
	struct lane_unwinder *unwinder = capture_unwind_can() ? calloc(1, sizeof(*unwinder)) : NULL;
	LANE_CLEANUP(lane_fclose) FILE *maps = NULL;
	char path[300];

	if (!unwinder)
		return NULL;
	*unwinder = (struct lane_unwinder){ .root = root, .pid = pid };
	asking = unwinder;
	snprintf(path, sizeof(path), "%s/proc/%d/maps", root, pid);
	maps = fopen(path, "re");
	unwinder->dwfl = maps ? dw.dwfl_begin(&callbacks) : NULL;
	if (unwinder->dwfl && !dw.dwfl_linux_proc_maps_report(unwinder->dwfl, maps) &&
	    !dw.dwfl_report_end(unwinder->dwfl, NULL, NULL) &&
	    dw.dwfl_attach_state(unwinder->dwfl, NULL, pid, &of_thread, unwinder))
		return unwinder;
	capture_unwind_close(unwinder);
	return NULL;
}

unsigned int capture_unwind(struct lane_unwinder *unwinder, const struct lane_bpf_stack_copy *copy,
			    uint64_t *addresses, unsigned int most, bool *is_cut)
{
	asking = unwinder;
	unwinder->copy = copy;
	unwinder->addresses = addresses;
	unwinder->n = 0;
	unwinder->most = most;
	unwinder->is_cut = false;
	/* An error ends it, as where the copy ends. */
	*is_cut = dw.dwfl_getthread_frames(unwinder->dwfl, unwinder->pid, take_frame, unwinder) ||
		  unwinder->is_cut || !unwinder->n;
	return unwinder->n;
}

void capture_unwind_close(struct lane_unwinder *unwinder)
{
	if (!unwinder)
		return;
	if (unwinder->dwfl)
		dw.dwfl_end(unwinder->dwfl);
	free(unwinder);
}
