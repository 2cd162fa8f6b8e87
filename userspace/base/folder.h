/* SPDX-License-Identifier: MIT */
/*
 * Making files and folders where somebody else may write, too: a folder is opened once and all
 * work is done below what was opened, never by its path again. Nothing is written through a link.
 */
#ifndef LANE_BASE_FOLDER_H
#define LANE_BASE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Opens the folder that `path` lies in; *name, the caller's, is path's last part. A link on the way
 * is followed when it is root's, this process's user's, or that of the user who called sudo:
 * anybody else's is an error, since it may lead anywhere. *fd is the caller's, -1 after an error.
 */
struct lane_error *lane_folder_of(const char *path, int *fd, char **name) LANE_MUST_CHECK;

/*
 * Makes the folder `name` below parent_fd and opens it. One that is there already is an error; so
 * is one that somebody has put in its place meanwhile: it is empty and this process's. `path` is
 * for messages. *fd is the caller's, -1 after an error.
 */
struct lane_error *lane_folder_make(int parent_fd, const char *name, mode_t mode, const char *path,
				    int *fd) LANE_MUST_CHECK;

/* Removes what is in the open folder fd. What cannot be removed stays. */
void lane_folder_empty(int fd);

/* Removes `name` below parent_fd when it still is the empty folder that fd is. */
void lane_folder_remove(int parent_fd, const char *name, int fd);

/* A plain number of a user or a group, as SUDO_UID and SUDO_GID say it, that is not root's. */
bool lane_sudo_id(const char *text, uint32_t *id);

/*
 * The user on whose behalf root runs this process, by sudo; false when there is none. What
 * SUDO_UID says counts only for root, and only when it is a plain number that is not 0.
 */
bool lane_sudo_user(uid_t *uid);

/* A file or folder that is being written: it has a temporary name until it is complete. */
struct lane_output {
	char *path; /* for messages */
	char *name;
	char *part; /* the temporary name; NULL: there is nothing under it */
	int dir_fd; /* of the folder it lies in */
	int fd;	    /* of what is being written; -1: nothing */
	bool is_folder;
	bool is_private;	  /* its owner's alone, as recordings are; set before it is begun */
	struct lane_output *next; /* among those that have been begun */
};

#define LANE_OUTPUT_NONE ((struct lane_output){ .dir_fd = -1, .fd = -1 })

/*
 * Finds out where path lies. A folder must not be there yet. A file may be there, and stays as it
 * is until the new one is complete; anything else of that name (a link, a device) is an error. *out
 * is the caller's, to be given to lane_output_deinit, also after an error.
 */
struct lane_error *lane_output_init(struct lane_output *out, const char *path,
				    bool is_folder) LANE_MUST_CHECK;

/* Begins, or begins again: what had been written before is removed. Then out->fd is open. */
struct lane_error *lane_output_begin(struct lane_output *out) LANE_MUST_CHECK;

/* Gives what has been written its name. */
struct lane_error *lane_output_commit(struct lane_output *out) LANE_MUST_CHECK;

/* Removes what has been begun and has not got its name. */
void lane_output_drop(struct lane_output *out);

/* The same, and frees everything. */
void lane_output_deinit(struct lane_output *out);

/*
 * Removes everything that has been begun and has not got its name, from a signal's handler: the
 * process ends then. Frees nothing.
 */
void lane_outputs_abandon(void);

/*
 * Writes a file as a whole: `write` is given a stream to print to. The file is there when it is
 * complete, or not at all.
 */
struct lane_error *lane_output_file(const char *path, void (*write)(FILE *to, const void *arg),
				    const void *arg) LANE_MUST_CHECK;

#endif
