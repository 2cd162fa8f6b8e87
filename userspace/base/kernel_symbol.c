// SPDX-License-Identifier: MIT
// The functions of a kernel by their addresses.
#include "base/kernel_symbol.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/sort.h"
#include "base/vector.h"

/* No function of the kernel is as long: what lies further behind one is code without a name. */
#define MOST_BYTES 65536
/* And none has as many: Debian's has 0.2 million with its modules. */
#define MOST_FUNCTIONS (1u << 20)

LANE_ORDER(by_address, struct lane_kernel_function, LANE_UP(address) ?: LANE_UP(name))

static bool kernel_symbol_keep_name(struct lane_kernel_functions *functions, const char *name,
				    uint32_t *at)
{
	size_t bytes = strlen(name) + 1;

	if (functions->text_bytes + bytes > UINT32_MAX ||
	    !LANE_GROW(functions->text, functions->text_room, functions->text_bytes + bytes))
		return false;
	*at = (uint32_t)functions->text_bytes;
	memcpy(functions->text + functions->text_bytes, name, bytes);
	functions->text_bytes += bytes;
	return true;
}

struct lane_error *lane_kernel_functions_read(FILE *file, struct lane_kernel_functions *functions)
{
	LANE_CLEANUP(lane_free) char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, file) > 0) {
		struct lane_kernel_function *function;
		uint64_t address;
		char name[256], type;
		uint32_t at;

		if (sscanf(line, "%" SCNx64 " %c %255s", &address, &type, name) != 3 || !address ||
		    !strchr("tTwW", type))
			continue;
		if (functions->n == MOST_FUNCTIONS)
			return lane_error("more functions than a kernel has");
		function = kernel_symbol_keep_name(functions, name, &at)
				   ? LANE_APPEND(functions->of, functions->n, functions->room)
				   : NULL;
		if (!function)
			return &lane_enomem;
		*function = (struct lane_kernel_function){ .address = address, .name = at };
	}
	LANE_SORT(functions->of, functions->n, by_address);
	return NULL;
}

const char *lane_kernel_function_at(const struct lane_kernel_functions *functions, uint64_t address,
				    uint64_t *offset)
{
	size_t n = LANE_BEFORE(functions->n, i, functions->of[i].address <= address);

	if (!n || address - functions->of[n - 1].address >= MOST_BYTES)
		return NULL;
	*offset = address - functions->of[n - 1].address;
	/* Of several names at one address the first one in kallsyms. */
	while (n > 1 && functions->of[n - 2].address == functions->of[n - 1].address)
		n--;
	return functions->text + functions->of[n - 1].name;
}

void lane_kernel_functions_free(struct lane_kernel_functions *functions)
{
	free(functions->of);
	free(functions->text);
	*functions = (struct lane_kernel_functions){ 0 };
}
