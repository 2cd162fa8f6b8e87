// SPDX-License-Identifier: MIT
// The head of a request (RFC 9112); its fields are not looked at.
#include "watch/http.h"

#include <stdbool.h>
#include <string.h>

/* Whether the head's end, an empty line, is there. */
static bool has_end(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] != '\n')
			continue;
		if (i + 1 < n && bytes[i + 1] == '\n')
			return true;
		if (i + 2 < n && bytes[i + 1] == '\r' && bytes[i + 2] == '\n')
			return true;
	}
	return false;
}

static bool http_is_word(const char *text, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(text, word, n);
}

/* A token's character, as methods have. */
static bool is_token(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       (c && strchr("!#$%&'*+-.^_`|~", c));
}

static enum lane_http http_read_line(const char *line, size_t n)
{
	const char *end = line + n, *target, *version;
	size_t method = 0, path;

	while (method < n && is_token(line[method]))
		method++;
	if (!method || method == n || line[method] != ' ')
		return LANE_HTTP_BAD;
	target = line + method + 1;
	version = memchr(target, ' ', (size_t)(end - target));
	if (!version || version == target)
		return LANE_HTTP_BAD;
	path = (size_t)(version - target);
	version++;
	if (end - version != 8 || memcmp(version, "HTTP/", 5))
		return LANE_HTTP_BAD;
	if (version[5] != '1' || version[6] != '.' || version[7] < '0' || version[7] > '9')
		return LANE_HTTP_VERSION;
	if (!http_is_word(line, method, "GET") && !http_is_word(line, method, "HEAD"))
		return LANE_HTTP_METHOD;
	if (memchr(target, '?', path))
		path = (size_t)((const char *)memchr(target, '?', path) - target);
	if (!http_is_word(target, path, "/metrics"))
		return LANE_HTTP_NOT_FOUND;
	return http_is_word(line, method, "HEAD") ? LANE_HTTP_HEAD : LANE_HTTP_GET;
}

enum lane_http watch_http_read(const char *bytes, size_t n)
{
	const char *end = n ? memchr(bytes, '\n', n) : NULL;
	size_t line;

	/* What begins as no method does is not waited for. */
	for (size_t i = 0; i < n && i < 8 && bytes[i] != ' '; i++)
		if (!is_token(bytes[i]))
			return LANE_HTTP_BAD;
	if (n > LANE_HTTP_BYTES)
		return LANE_HTTP_TOO_LARGE;
	if (!end || !has_end(bytes, n))
		return n == LANE_HTTP_BYTES ? LANE_HTTP_TOO_LARGE : LANE_HTTP_MORE;
	line = (size_t)(end - bytes);
	if (line && bytes[line - 1] == '\r')
		line--;
	return http_read_line(bytes, line);
}
