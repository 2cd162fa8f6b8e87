// SPDX-License-Identifier: MIT
// The build id of an ELF file, from its program headers: they are there when all else is stripped.
#include "base/build_id.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Real files have a dozen headers, and notes of some hundred bytes. */
#define MAX_HEADERS    64
#define MAX_NOTE_BYTES 4096

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

/* A note's name and what it holds are padded to this. */
static size_t padded(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

static void put_digits(const unsigned char *id, size_t bytes, char text[LANE_BUILD_ID_TEXT])
{
	for (size_t i = 0; i < bytes && 2 * i + 2 < LANE_BUILD_ID_TEXT; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
}

static bool in_notes(const unsigned char *notes, size_t bytes, char text[LANE_BUILD_ID_TEXT])
{
	ElfW(Nhdr) note;

	for (size_t at = 0; bytes - at >= sizeof(note);) {
		size_t left, name_bytes, id_bytes;
		const unsigned char *name;

		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		left = bytes - at;
		if (note.n_namesz > left || padded(note.n_namesz) > left)
			return false;
		name_bytes = padded(note.n_namesz);
		if (note.n_descsz > left - name_bytes)
			return false;
		name = notes + at;
		id_bytes = note.n_descsz;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(name, "GNU", sizeof("GNU")) && id_bytes) {
			put_digits(name + name_bytes, id_bytes, text);
			return true;
		}
		if (padded(id_bytes) > left - name_bytes)
			return false;
		at += name_bytes + padded(id_bytes);
	}
	return false;
}

bool lane_build_id(int fd, char text[LANE_BUILD_ID_TEXT])
{
	unsigned char notes[MAX_NOTE_BYTES];
	ElfW(Ehdr) header;

	*text = '\0';
	if (!read_at(fd, &header, sizeof(header), 0) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] !=
		    (sizeof(header) == sizeof(Elf64_Ehdr) ? ELFCLASS64 : ELFCLASS32) ||
	    header.e_phentsize != sizeof(ElfW(Phdr)))
		return false;
	for (unsigned int i = 0; i < header.e_phnum && i < MAX_HEADERS; i++) {
		ElfW(Phdr) part;

		if (!read_at(fd, &part, sizeof(part), header.e_phoff + i * sizeof(part)))
			return false;
		if (part.p_type == PT_NOTE && part.p_filesz <= sizeof(notes) &&
		    read_at(fd, notes, part.p_filesz, part.p_offset) &&
		    in_notes(notes, part.p_filesz, text))
			return true;
	}
	return false;
}
