// SPDX-License-Identifier: MIT
// gpulane top's terminal.
#include <curses.h>
#include <stdlib.h>

#include "base/error.h"
#include "cmd/top_screen.h"
#include "show/top.h"

static SCREEN *screen;

/* What a look is on this terminal. */
static attr_t looks[] = {
	[LANE_TOP_PLAIN] = A_NORMAL, [LANE_TOP_TITLE] = A_BOLD, [LANE_TOP_HEADING] = A_REVERSE,
	[LANE_TOP_BUSY] = A_BOLD,    [LANE_TOP_BAD] = A_BOLD,
};

static void choose_colours(void)
{
	if (getenv("NO_COLOR") || !has_colors() || start_color() == ERR)
		return;
	use_default_colors();
	init_pair(1, COLOR_GREEN, -1);
	init_pair(2, COLOR_RED, -1);
	looks[LANE_TOP_BUSY] = A_BOLD | (attr_t)COLOR_PAIR(1);
	looks[LANE_TOP_BAD] = A_BOLD | (attr_t)COLOR_PAIR(2);
}

struct lane_error *cmd_top_screen_begin(void)
{
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return lane_error("top: the terminal `%s' is not known (set TERM, or use --batch)",
				  getenv("TERM") ? getenv("TERM") : "");
	set_term(screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	curs_set(0);
	choose_colours();
	return NULL;
}

void cmd_top_screen_end(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

static void put_line(void *arg, const char *text, enum lane_top_look look)
{
	int *row = arg;

	attrset((int)looks[look]);
	mvaddstr(*row, 0, text);
	for (int x = getcurx(stdscr);
	     look == LANE_TOP_HEADING && x < COLS && getcury(stdscr) == *row; x++)
		addch(' ');
	attrset(A_NORMAL);
	(*row)++;
}

struct lane_error *cmd_top_screen_show(struct lane_top_view *view)
{
	struct lane_error *err;
	int row = 0;

	view->width = COLS > 0 ? (unsigned int)COLS : 1;
	view->height = LINES > 0 ? (unsigned int)LINES : 1;
	erase();
	err = show_top_draw(view, put_line, &row);
	refresh();
	return err;
}

int cmd_top_screen_key(int timeout_ms)
{
	int key;

	timeout(timeout_ms);
	key = getch();
	if (key == KEY_RESIZE)
		return LANE_TOP_RESIZED;
	return key == ERR ? -1 : key;
}
