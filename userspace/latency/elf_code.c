// SPDX-License-Identifier: MIT
// The functions of an ELF file, and the few instructions of amd64 that a stack can be checked by.
#include "latency/elf_code.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_id.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/sort.h"
#include "base/vector.h"
#include "latency/debuginfod.h"

/* Of one file; the largest libraries have 300,000. */
#define MAX_FUNCTIONS  1000000
#define MAX_TEXT_BYTES (64u << 20) /* of their names */
#define MAX_PARTS      16

struct elf_function {
	uint64_t address, bytes;
	uint32_t name;
};

/* A part of the file that is loaded to be run. */
struct elf_part {
	uint64_t offset, address, bytes;
};

struct lane_elf {
	int fd;
	struct elf_part parts[MAX_PARTS];
	unsigned int n_parts;
	struct elf_function *functions; /* by address */
	uint32_t n, room;
	char *text; /* their names */
	size_t text_bytes, text_room;
};

LANE_ORDER(by_address, struct elf_function, LANE_UP(address) ?: LANE_DOWN(bytes))

/* A name may have its version behind it: clock_nanosleep@GLIBC_2.2.5. */
static bool add_function(struct lane_elf *elf, const GElf_Sym *symbol, const char *name)
{
	size_t bytes = strcspn(name, "@") + 1;
	struct elf_function *function;

	if (elf->n >= MAX_FUNCTIONS || elf->text_bytes + bytes > MAX_TEXT_BYTES ||
	    !LANE_GROW(elf->text, elf->text_room, elf->text_bytes + bytes))
		return false;
	function = LANE_APPEND(elf->functions, elf->n, elf->room);
	if (!function)
		return false;
	*function = (struct elf_function){ .address = symbol->st_value,
					   .bytes = symbol->st_size,
					   .name = (uint32_t)elf->text_bytes };
	memcpy(elf->text + elf->text_bytes, name, bytes - 1);
	elf->text[elf->text_bytes + bytes - 1] = '\0';
	elf->text_bytes += bytes;
	return true;
}

static void read_table(struct lane_elf *elf, Elf *from, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

	for (size_t i = 0; i < n && i < MAX_FUNCTIONS; i++) {
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF ||
		    !symbol.st_size ||
		    (GELF_ST_TYPE(symbol.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC))
			continue;
		name = elf_strptr(from, header->sh_link, symbol.st_name);
		if (name && *name && !add_function(elf, &symbol, name))
			return;
	}
}

/* Reads a table of symbols of this type, SHT_SYMTAB or SHT_DYNSYM. */
static void read_tables(struct lane_elf *elf, int fd, uint32_t type)
{
	Elf *from = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (from && (section = elf_nextscn(from, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			read_table(elf, from, section, &header);
	elf_end(from);
}

static void read_parts(struct lane_elf *elf)
{
	Elf *from = elf_begin(elf->fd, ELF_C_READ, NULL);
	size_t n = 0;

	if (from && elf_getphdrnum(from, &n))
		n = 0;
	for (size_t i = 0; i < n && i < INT32_MAX && elf->n_parts < MAX_PARTS; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(from, (int)i, &header) || header.p_type != PT_LOAD ||
		    !(header.p_flags & PF_X))
			continue;
		elf->parts[elf->n_parts++] = (struct elf_part){ .offset = header.p_offset,
								.address = header.p_vaddr,
								.bytes = header.p_filesz };
	}
	elf_end(from);
}

/* The file of a build id, -1: there is none. */
static int open_with_id(const char *path, const char *build)
{
	char id[LANE_BUILD_ID_TEXT];
	int fd = -1;

	lane_error_free(lane_file_open(AT_FDCWD, path, path, &fd));
	if (fd >= 0 && (!lane_build_id(fd, id) || strcmp(id, build) != 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The same of a file that a server has. */
static int open_fetched(const char *build, bool is_code)
{
	LANE_CLEANUP(lane_free) char *path = latency_debuginfod_find(build, is_code);

	return path ? open_with_id(path, build) : -1;
}

/* Where distributions put what they have stripped off, DIR/.build-id/12/3456.debug; or a server. */
static void read_debug(struct lane_elf *elf, const char *folder, const char *build)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(lane_close) int fd = -1;

	if (strlen(build) < 3 || strspn(build, "0123456789abcdef") != strlen(build))
		return;
	if (asprintf(&path, "%s/.build-id/%.2s/%s.debug", folder, build, build + 2) < 0) {
		path = NULL;
		return;
	}
	fd = open_with_id(path, build);
	if (fd < 0)
		fd = open_fetched(build, false);
	if (fd >= 0)
		read_tables(elf, fd, SHT_SYMTAB);
}

struct lane_elf *latency_elf_open(const char *path, const char *build, const char *debug)
{
	struct lane_elf *elf;
	int fd;

	if (!*build || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	fd = open_with_id(path, build);
	if (fd < 0 && debug)
		fd = open_fetched(build, true);
	elf = fd >= 0 ? calloc(1, sizeof(*elf)) : NULL;
	if (!elf) {
		lane_close(&fd);
		return NULL;
	}
	elf->fd = fd;
	read_parts(elf);
	read_tables(elf, fd, SHT_SYMTAB);
	if (!elf->n && debug)
		read_debug(elf, debug, build);
	if (!elf->n)
		read_tables(elf, fd, SHT_DYNSYM);
	LANE_SORT(elf->functions, elf->n, by_address);
	return elf;
}

static const struct elf_part *part_at(const struct lane_elf *elf, uint64_t place)
{
	for (unsigned int i = 0; i < elf->n_parts; i++)
		if (place >= elf->parts[i].offset &&
		    place - elf->parts[i].offset < elf->parts[i].bytes)
			return &elf->parts[i];
	return NULL;
}

/* Of several names of one function the one that programs use: fewer underscores lead it. */
static bool is_nicer(const char *name, const char *than)
{
	size_t leads = strspn(name, "_"), than_leads = strspn(than, "_");

	return leads != than_leads ? leads < than_leads : strlen(name) < strlen(than);
}

static const char *nicest_name(const struct lane_elf *elf, const struct elf_function *of)
{
	const char *name = elf->text + of->name;

	for (const struct elf_function *f = of;
	     f < elf->functions + elf->n && f->address == of->address; f++)
		if (f->bytes == of->bytes && is_nicer(elf->text + f->name, name))
			name = elf->text + f->name;
	return name;
}

/* Of functions that begin at one address the longest one is first. */
const char *latency_elf_function(const struct lane_elf *elf, uint64_t place, uint64_t *begin)
{
	const struct elf_part *part = part_at(elf, place);
	const struct elf_function *of;
	uint64_t address;
	size_t n;

	if (!part)
		return NULL;
	address = place - part->offset + part->address;
	n = LANE_BEFORE(elf->n, i, elf->functions[i].address <= address);
	while (n > 1 && elf->functions[n - 2].address == elf->functions[n - 1].address)
		n--;
	of = n ? &elf->functions[n - 1] : NULL;
	if (!of || address - of->address >= of->bytes || of->address < part->address)
		return NULL;
	*begin = of->address - part->address + part->offset;
	return nicest_name(elf, of);
}

#ifdef __x86_64__

static size_t read_code(const struct lane_elf *elf, uint64_t place, unsigned char *code,
			size_t bytes)
{
	ssize_t n = place <= INT64_MAX ? pread(elf->fd, code, bytes, (off_t)place) : -1;

	return n > 0 ? (size_t)n : 0;
}

#define PROLOGUE 24 /* compilers put a few other instructions between the two */

/* push %rbp, then mov %rsp,%rbp in one of its two forms. */
bool latency_elf_keeps_frame(const struct lane_elf *elf, uint64_t begin, uint64_t place)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned char code[PROLOGUE];
	size_t n = read_code(elf, begin, code, sizeof(code)), at = 0;

	if (n >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)))
		at = sizeof(endbr64);
	if (at >= n || code[at] != 0x55)
		return false;
	for (at++; at + 3 <= n; at++)
		if (!memcmp(code + at, "\x48\x89\xe5", 3) || !memcmp(code + at, "\x48\x8b\xec", 3))
			return place >= begin + at + 3;
	return false;
}

/* call to a register or through memory: ff with 2 in the middle of what follows; its lengths. */
static bool is_indirect(const unsigned char *code)
{
	static const unsigned char lengths[] = { 2, 3, 4, 6, 7 };

	for (size_t i = 0; i < sizeof(lengths); i++) {
		const unsigned char *at = code + 8 - lengths[i];

		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2)
			return true;
	}
	return false;
}

enum lane_elf_call latency_elf_call_before(const struct lane_elf *elf, uint64_t place, uint64_t *to)
{
	unsigned char code[8];
	int32_t distance;

	if (place < sizeof(code) || !part_at(elf, place) ||
	    read_code(elf, place - sizeof(code), code, sizeof(code)) != sizeof(code))
		return LANE_CALL_NONE;
	if (code[3] == 0xe8) {
		memcpy(&distance, code + 4, sizeof(distance));
		*to = place + (uint64_t)(int64_t)distance;
		if (part_at(elf, *to) == part_at(elf, place))
			return LANE_CALL_DIRECT;
	}
	return is_indirect(code) ? LANE_CALL_INDIRECT : LANE_CALL_NONE;
}

#else

/* Other machines' code is not read: then only the innermost frame is sure. */
bool latency_elf_keeps_frame(const struct lane_elf *elf, uint64_t begin, uint64_t place)
{
	(void)elf;
	(void)begin;
	(void)place;
	return false;
}

enum lane_elf_call latency_elf_call_before(const struct lane_elf *elf, uint64_t place, uint64_t *to)
{
	(void)elf;
	(void)place;
	(void)to;
	return LANE_CALL_NONE;
}

#endif

void latency_elf_close(struct lane_elf *elf)
{
	if (!elf)
		return;
	close(elf->fd);
	free(elf->functions);
	free(elf->text);
	free(elf);
}
