// SPDX-License-Identifier: MIT
// A kernel's name. The GPU has only its instructions; the runtime keeps the compiler's ELF file of
// each program in its memory, whose section .text.NAME has the same. So the process's memory is
// searched for such files, once for each kernel that is not known yet.
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xe.h"

#define EM_INTELGT 205
#define MAX_BYTES  8192 /* of a kernel are compared */
#define MAX_SKIP   512	/* a kernel may be entered so far behind its begin */
#define CHUNK	   (1u << 20)
#define MAX_REGION (1ull << 29) /* what is larger is no heap: a sanitizer's shadow */
#define KNOWN	   512

struct known {
	uint64_t hash;
	char name[96];
};

static struct known known[KNOWN];
static unsigned int n_known;

struct search {
	const uint8_t *code; /* the GPU's */
	int memory;
	char *name;
	size_t size;
	unsigned int score;
};

static bool get(const struct search *search, uint64_t at, void *to, size_t n)
{
	return pread(search->memory, to, n, (off_t)at) == (ssize_t)n;
}

// How many of a thousand bytes are the same: addresses are filled in when a kernel is put into
// memory.
static unsigned int likeness(const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++)
		same += a[i] == b[i];
	return n ? (unsigned int)(same * 1000 / n) : 0;
}

static void compare(struct search *search, uint64_t text, uint64_t size, const char *name)
{
	static uint8_t bytes[MAX_BYTES];
	size_t n = size < MAX_BYTES ? size : MAX_BYTES;

	if (!get(search, text, bytes, n))
		return;
	for (size_t skip = 0; skip <= MAX_SKIP && skip + 64 <= n; skip += 64) {
		unsigned int score = likeness(search->code, bytes + skip, n - skip);

		if (score > search->score) {
			search->score = score;
			snprintf(search->name, search->size, "%s", name);
		}
	}
}

static void look_into(struct search *search, uint64_t at)
{
	Elf64_Ehdr head;
	Elf64_Shdr section, strings;
	char name[96];

	if (!get(search, at, &head, sizeof(head)) || head.e_machine != EM_INTELGT ||
	    head.e_shentsize != sizeof(section) ||
	    !get(search, at + head.e_shoff + (uint64_t)head.e_shstrndx * sizeof(strings), &strings,
		 sizeof(strings)))
		return;
	for (unsigned int i = 0; i < head.e_shnum; i++) {
		if (!get(search, at + head.e_shoff + (uint64_t)i * sizeof(section), &section,
			 sizeof(section)) ||
		    section.sh_type != SHT_PROGBITS)
			continue;
		memset(name, 0, sizeof(name));
		if (pread(search->memory, name, sizeof(name) - 1,
			  (off_t)(at + strings.sh_offset + section.sh_name)) > 0 &&
		    strncmp(name, ".text.", 6) == 0)
			compare(search, at + section.sh_offset, section.sh_size, name + 6);
	}
}

static void search_memory(struct search *search)
{
	static const char magic[] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT };
	uint8_t *chunk = malloc(CHUNK);
	uint64_t start, end, inode;
	char line[512], rights[8];
	FILE *maps = fopen("/proc/self/maps", "re");

	while (chunk && maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s %*s %*s %lu", &start, &end, rights, &inode) != 4 ||
		    inode || strcmp(rights, "rw-p") != 0 || end - start > MAX_REGION)
			continue;
		for (; start < end; start += CHUNK - sizeof(magic)) {
			ssize_t n = pread(search->memory, chunk,
					  end - start < CHUNK ? end - start : CHUNK, (off_t)start);
			uint8_t *at = chunk;

			while (n > 0 &&
			       (at = memmem(at, (size_t)(chunk + n - at), magic, sizeof(magic)))) {
				look_into(search, start + (uint64_t)(at - chunk));
				at++;
			}
			if (end - start <= CHUNK)
				break;
		}
	}
	if (maps)
		fclose(maps);
	free(chunk);
}

void xe_kernel_name(struct xe_queue *queue, uint64_t address, char *name, size_t size)
{
	static uint8_t code[MAX_BYTES];
	struct search search = { .code = code, .name = name, .size = size };
	uint64_t hash = 14695981039346656037ull;

	memset(code, 0, sizeof(code));
	for (size_t i = 0; i < sizeof(code) && xe_vm_read(queue->vm, address + i, code + i, 64);
	     i += 64)
		;
	for (size_t i = 0; i < 1024; i++)
		hash = (hash ^ code[i]) * 1099511628211ull;
	for (unsigned int i = 0; i < n_known; i++) {
		if (known[i].hash == hash) {
			snprintf(name, size, "%s", known[i].name);
			return;
		}
	}
	search.memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	search_memory(&search);
	close(search.memory);
	if (search.score < 900)
		snprintf(name, size, "%016lx", hash);
	if (n_known < KNOWN) {
		known[n_known].hash = hash;
		snprintf(known[n_known++].name, sizeof(known->name), "%s", name);
	}
}
