// SPDX-License-Identifier: MIT
// Errors as objects: creation, context, one line of text.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"

struct lane_error {
	enum lane_error_code code;
	const char *message; /* points behind the structure, or to a constant */
};

struct lane_error lane_enomem = { LANE_ERROR_FAILED, "out of memory" };

static struct lane_error *error_create(enum lane_error_code code, const char *suffix,
				       const char *format, va_list args)
{
	va_list again;
	struct lane_error *err;
	size_t suffix_bytes = suffix ? strlen(suffix) + 2 : 0;
	char *message;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (n < 0)
		return &lane_enomem;
	err = malloc(sizeof(*err) + (size_t)n + suffix_bytes + 1);
	if (!err)
		return &lane_enomem;
	message = (char *)(err + 1);
	vsnprintf(message, (size_t)n + 1, format, args);
	if (suffix)
		sprintf(message + n, ": %s", suffix);
	lane_clean(message, LANE_CLEAN_LINE);
	err->code = code;
	err->message = message;
	return err;
}

struct lane_error *lane_error(const char *format, ...)
{
	va_list args;
	struct lane_error *err;

	va_start(args, format);
	err = error_create(LANE_ERROR_FAILED, NULL, format, args);
	va_end(args);
	return err;
}

struct lane_error *lane_error_usage(const char *format, ...)
{
	va_list args;
	struct lane_error *err;

	va_start(args, format);
	err = error_create(LANE_ERROR_USAGE, NULL, format, args);
	va_end(args);
	return err;
}

struct lane_error *lane_error_found(const char *format, ...)
{
	va_list args;
	struct lane_error *err;

	va_start(args, format);
	err = error_create(LANE_ERROR_FOUND, NULL, format, args);
	va_end(args);
	return err;
}

struct lane_error *lane_error_errno(int errnum, const char *format, ...)
{
	va_list args;
	struct lane_error *err;

	va_start(args, format);
	err = error_create(LANE_ERROR_FAILED, strerror(errnum), format, args);
	va_end(args);
	return err;
}

struct lane_error *lane_error_context(struct lane_error *err, const char *format, ...)
{
	va_list args;
	struct lane_error *outer;

	if (!err)
		return NULL;
	va_start(args, format);
	outer = error_create(err->code, err->message, format, args);
	va_end(args);
	if (outer == &lane_enomem)
		return err;
	lane_error_free(err);
	return outer;
}

const char *lane_error_message(const struct lane_error *err)
{
	return err->message;
}

enum lane_error_code lane_error_code(const struct lane_error *err)
{
	return err->code;
}

void lane_error_free(struct lane_error *err)
{
	if (err != &lane_enomem)
		free(err);
}
