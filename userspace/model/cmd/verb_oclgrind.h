/* SPDX-License-Identifier: MIT */
/* A pattern file, or an OpenCL program that Oclgrind runs with gpulane's plugin for one. */
#ifndef LANE_MODEL_CMD_VERB_OCLGRIND_H
#define LANE_MODEL_CMD_VERB_OCLGRIND_H

#include "model/cmd/verb.h"

struct model_oclgrind {
	const char *verb;   /* for errors */
	const char *which;  /* likewise: what is asked for where there is neither or both */
	const char *file;   /* NULL: none */
	const char *kernel; /* only this; NULL: all */
	const char *out;    /* keep the pattern file here */
	const char *plugin;
	const char *build;
	char **program; /* NULL: none */
	int is_kernel;	/* it is a file for oclgrind-kernel */
};

enum {
	MODEL_KEY_OUT = 512,
	MODEL_KEY_PLUGIN,
	MODEL_KEY_BUILD,
};

#define MODEL_OCLGRIND_OPTIONS                                                                     \
	{ "kernel", 'k', "NAME", 0, "only this kernel", 1 },                                       \
		{ "out", MODEL_KEY_OUT, "FILE", 0, "with a program: keep the pattern file", 2 },   \
		{ "build-options",                                                                 \
		  MODEL_KEY_BUILD,                                                                 \
		  "OPTIONS",                                                                       \
		  0,                                                                               \
		  "with a program: further OpenCL build options",                                  \
		  2 },                                                                             \
	{                                                                                          \
		"plugin", MODEL_KEY_PLUGIN, "FILE", 0,                                             \
			"with a program: another plugin than gpulane's", 2                         \
	}

/* Takes one of the options above and of the verbs', and the file. */
error_t model_oclgrind_option(struct model_oclgrind *o, struct model_common *common, int key,
			      char *arg);

/* Takes what is behind `--' as the program. Returns how many arguments are in front of it. */
int model_oclgrind_split(struct model_oclgrind *o, int argc, char **argv);

/* What is made of a pattern file. */
typedef struct lane_error *model_judge_fn(void *arg, const char *file);

/*
 * Judges the file; or runs the program, judges what came of it, and removes that unless it is to be
 * kept. preset is the device where none is named: warps are as wide as it has them.
 */
struct lane_error *model_oclgrind_judge(const struct model_oclgrind *o,
					const struct model_common *common, const char *preset,
					model_judge_fn *judge, void *arg) LANE_MUST_CHECK;

#endif
