// SPDX-License-Identifier: MIT
// libFuzzer: a program's file without its first four bytes, which names the functions of stacks.
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build_id.h"
#include "file.h"
#include "latency/elf_code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char path[64], id[LANE_BUILD_ID_TEXT];
	uint8_t *file = malloc(SELFMAG + bytes);
	int fd;
	struct lane_elf *elf;
	uint64_t begin, to;

	if (!file)
		abort();
	memcpy(file, ELFMAG, SELFMAG);
	memcpy(file + SELFMAG, data, bytes);
	fd = fuzz_file(file, SELFMAG + bytes, path);
	free(file);
	elf = lane_build_id(fd, id) ? latency_elf_open(path, id, NULL) : NULL;
	for (uint64_t place = 0; elf && place < bytes; place += 7) {
		const char *name = latency_elf_function(elf, place, &begin);

		if (name && (!*name || begin > place))
			fuzz_fail("%s begins at %#jx, behind %#jx", name, (uintmax_t)begin,
				  (uintmax_t)place);
		if (name)
			(void)latency_elf_keeps_frame(elf, begin, place);
		(void)latency_elf_call_before(elf, place, &to);
	}
	latency_elf_close(elf);
	close(fd);
	return 0;
}
