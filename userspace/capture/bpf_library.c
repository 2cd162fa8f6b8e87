// SPDX-License-Identifier: MIT
// The loaders of OpenCL and Level Zero that programs use, and the functions in them that can be
// hooked.
#include "capture/bpf_library.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

/* --- the dynamic linker's cache (glibc: sysdeps/generic/dl-cache.h) ------------------------------
 */

#define CACHE_MAGIC "glibc-ld.so.cache1.1"
#define FLAGS_AMD64 0x0303 /* FLAG_ELF_LIBC6 | FLAG_X8664_LIB64 */

struct cache_entry {
	int32_t flags;
	uint32_t key;	/* where the name is */
	uint32_t value; /* where the path is */
	uint32_t os_version;
	uint64_t hwcap;
};

struct cache_header {
	char magic[20];
	uint32_t n_entries;
	uint32_t string_bytes;
	uint32_t unused[5];
};

/* The string at an offset, NULL when it does not end in the text. */
static const char *cache_string(const char *text, size_t bytes, uint32_t offset)
{
	if (offset >= bytes || !memchr(text + offset, 0, bytes - offset))
		return NULL;
	return text + offset;
}

const char *capture_ld_cache_find(const char *text, size_t bytes, const char *name)
{
	struct cache_header header;

	if (bytes < sizeof(header))
		return NULL;
	memcpy(&header, text, sizeof(header));
	if (memcmp(header.magic, CACHE_MAGIC, sizeof(header.magic)) ||
	    header.n_entries > (bytes - sizeof(header)) / sizeof(struct cache_entry))
		return NULL;
	for (uint32_t i = 0; i < header.n_entries; i++) {
		struct cache_entry entry;
		const char *key;

		memcpy(&entry, text + sizeof(header) + i * sizeof(entry), sizeof(entry));
		key = cache_string(text, bytes, entry.key);
		if (entry.flags == FLAGS_AMD64 && key && !strcmp(key, name))
			return cache_string(text, bytes, entry.value);
	}
	return NULL;
}

static bool find_in_cache(const char *name, char *path, size_t bytes)
{
	LANE_CLEANUP(lane_close) int fd = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
	const char *found = NULL;
	struct stat stat;
	char *text;

	if (fd < 0 || fstat(fd, &stat) || stat.st_size <= 0)
		return false;
	text = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return false;
	found = capture_ld_cache_find(text, (size_t)stat.st_size, name);
	if (found)
		snprintf(path, bytes, "%s", found);
	munmap(text, (size_t)stat.st_size);
	return found;
}

static bool find_file(const char *name, char *path, size_t bytes)
{
	static const char *const directories[] = { "/usr/local/lib", "/usr/lib/x86_64-linux-gnu",
						   "/usr/lib64", "/usr/lib" };

	if (find_in_cache(name, path, bytes))
		return true;
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		snprintf(path, bytes, "%s/%s", directories[i], name);
		if (!access(path, R_OK))
			return true;
	}
	return false;
}

/* --- what it exports
 * ------------------------------------------------------------------------------ */

/* Where in the file an address is, 0 when it is in no segment of code. */
static uint64_t file_offset(Elf *elf, uint64_t address)
{
	size_t n;
	GElf_Phdr segment;

	if (elf_getphdrnum(elf, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_X))
			continue;
		if (address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
			return address - segment.p_vaddr + segment.p_offset;
	}
	return 0;
}

static void take_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			 struct lane_bpf_library *library)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	if (!data || !header->sh_entsize)
		return;
	for (size_t i = 0; i < header->sh_size / header->sh_entsize; i++) {
		const char *name;
		unsigned int number;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF ||
		    GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		number = name ? lane_cl_function_by_name(name) : 0;
		if (!number || library->offsets[number])
			continue;
		library->offsets[number] = file_offset(elf, symbol.st_value);
		library->n_functions += library->offsets[number] != 0;
	}
}

static void read_exports(Elf *elf, struct lane_bpf_library *library)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr file;
	GElf_Shdr header;

	if (!gelf_getehdr(elf, &file) || file.e_machine != EM_X86_64)
		return;
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
			take_symbols(elf, section, &header, library);
}

struct lane_error *capture_bpf_library_find(const char *path, const char *name,
					    struct lane_bpf_library *library)
{
	LANE_CLEANUP(lane_close) int fd = -1;
	Elf *elf;

	memset(library, 0, sizeof(*library));
	if (path)
		snprintf(library->path, sizeof(library->path), "%s", path);
	else if (!find_file(name, library->path, sizeof(library->path)))
		return lane_error("%s: not there (apt-get install ocl-icd-libopencl1, or say where "
				  "it is with --opencl-library)",
				  name);
	fd = open(library->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return lane_error_errno(errno, "%s", library->path);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		read_exports(elf, library);
		elf_end(elf);
	}
	if (!library->n_functions)
		return lane_error("%s: exports no OpenCL function, nor Level Zero's (for amd64)",
				  library->path);
	return NULL;
}

/* --- the table for the programs
 * --------------------------------------------------------------------- */

static const char *const return_types[LANE_CLF_COUNT] = {
#define CLF(name, kind, command, type, ...) [LANE_CLF_##name] = #type,
#include "base/opencl.def"
};

static uint8_t position(unsigned int number, enum lane_cl_role role)
{
	int at = lane_cl_param(number, role);

	return at < 0 ? LANE_BPF_NO_ARG : (uint8_t)at;
}

static uint8_t returns(unsigned int number)
{
	if (!strcmp(return_types[number], "cl_int") || !strcmp(return_types[number], "uint32_t"))
		return LANE_BPF_RETURNS_STATUS;
	return strcmp(return_types[number], "void") ? LANE_BPF_RETURNS_HANDLE
						    : LANE_BPF_RETURNS_NOTHING;
}

void capture_bpf_library_calls(struct lane_bpf_call calls[LANE_CLF_COUNT])
{
	memset(calls, 0, LANE_CLF_COUNT * sizeof(*calls));
	for (unsigned int i = 1; i < LANE_CLF_COUNT; i++) {
		const struct lane_cl_function *function = &lane_cl_functions[i];

		calls[i] = (struct lane_bpf_call){
			.queue = position(i, LANE_CLR_QUEUE),
			.object = position(i, LANE_CLR_OBJECT),
			.size = position(i, LANE_CLR_SIZE),
			.region = position(i, LANE_CLR_REGION),
			.dimensions = position(i, LANE_CLR_DIM),
			.global = position(i, LANE_CLR_GLOBAL),
			.local = position(i, LANE_CLR_LOCAL),
			.blocking = position(i, LANE_CLR_BLOCKING),
			.waits = position(i, LANE_CLR_WAITS),
			.event = position(i, LANE_CLR_EVENT),
			.error = position(i, LANE_CLR_ERROR),
			.returns = returns(i),
			.command = function->kind == LANE_CLK_ENQUEUE &&
				   function->command != LANE_CLC_NONE,
			.one = function->command == LANE_CLC_TASK,
		};
	}
}
