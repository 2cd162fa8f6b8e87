// SPDX-License-Identifier: MIT
// libFuzzer: the files of a watch: a hit, the state with its histories, the configuration. What is
// read is written and read again, and says the same.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void hit(const char *text)
{
	struct lane_hit first, again;
	char *written = NULL, *line = NULL;
	size_t n;
	FILE *to;

	if (!watch_hit_load(&first, text))
		return;
	to = open_memstream(&written, &n);
	watch_hit_save(&first, to);
	fclose(to);
	if (!watch_hit_load(&again, written) || memcmp(&first, &again, sizeof(first)) != 0)
		abort();
	to = open_memstream(&line, &n);
	watch_hit_describe(to, &first);
	fclose(to);
	/* One line each, whatever names hold. */
	if (memchr(line, 0x1b, n))
		abort();
	free(written);
	free(line);
}

static void state(const char *text)
{
	static struct lane_store store;
	struct lane_history *history;
	struct lane_hit any = { .what = LANE_ROW_REQUEST, .process = "p" };

	memset(&store, 0, sizeof(store));
	store.config = (struct lane_store_config){ 5, 5, 1 << 20 };
	if (watch_history_create(&history))
		abort();
	if (watch_store_load(&store, history, text)) {
		struct lane_hits *group = watch_store_count(&store, &any);
		uint64_t ns;

		(void)watch_store_wants(&store, group, &any, 0, 1);
		watch_history_advance(history, 1);
		(void)watch_usual_percentile(watch_history_of(history, "p", "e"),
					     LANE_TRACK_REQUEST, 999000, &ns);
	}
	watch_history_destroy(history);
}

static void settings(const char *text)
{
	struct lane_watch_settings read;
	struct lane_error *err;

	watch_settings_init(&read);
	err = watch_settings_read(&read, text, "fuzz");
	if (!err)
		err = watch_settings_check(&read);
	lane_error_free(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = malloc(bytes + 1);

	if (!text)
		return 0;
	memcpy(text, data, bytes);
	text[bytes] = 0;
	hit(text);
	state(text);
	settings(text);
	free(text);
	return 0;
}
