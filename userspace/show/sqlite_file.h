/* SPDX-License-Identifier: MIT */
/* SQLite on a file that is open: no path is looked up, so that nobody can put another file there.
 */
#ifndef LANE_SHOW_SQLITE_FILE_H
#define LANE_SHOW_SQLITE_FILE_H

#include <sqlite3.h>

/* Opens the empty file as a database; it stays the caller's. Returns SQLite's code; *db is the
 * caller's even if that is an error. */
int show_sqlite_open(int fd, sqlite3 **db);

#endif
