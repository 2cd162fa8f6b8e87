/* SPDX-License-Identifier: MIT */
/*
 * The socket of a watch, in its folder: who may open that may ask for a recording. A word is one
 * line, and so is the answer; who does not send one is not waited for.
 */
#ifndef LANE_WATCH_SOCKET_H
#define LANE_WATCH_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define LANE_SOCKET_WORD 64

/* Listens on DIR/socket, anew; dir_fd is the folder's. *fd is the caller's. */
struct lane_error *watch_socket_listen(int dir_fd, int *fd) LANE_MUST_CHECK;

/* Takes a word that has come (a line's text, cut at size); false: none has. Answers it. */
bool watch_socket_take(int fd, char *word, size_t size);

/* Sends a word to the watch of the folder `path` and waits for its answer. */
struct lane_error *watch_socket_send(const char *path, const char *word) LANE_MUST_CHECK;

#endif
