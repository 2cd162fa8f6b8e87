/* SPDX-License-Identifier: MIT */
/* The terminal of `gpulane top`, by ncurses. */
#ifndef LANE_CMD_TOP_SCREEN_H
#define LANE_CMD_TOP_SCREEN_H

#include "base/error.h"

struct lane_top_view;

struct lane_error *cmd_top_screen_begin(void) LANE_MUST_CHECK;
struct lane_error *cmd_top_screen_show(struct lane_top_view *view) LANE_MUST_CHECK;
/* The key that has been pressed, -1: none. Waits at most so long. */
int cmd_top_screen_key(int timeout_ms);
void cmd_top_screen_end(void);

/* What cmd_top_screen_key says when the terminal has another size. */
#define LANE_TOP_RESIZED 0x10000

#endif
