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

/* Of verbs whose options have it as `oclgrind'. */
#define MODEL_OCLGRIND_OPTIONS                                                                     \
	MODEL_OPTION("kernel", 'k', model_word, oclgrind.kernel, "NAME", "only this kernel"),      \
		MODEL_OPTION("out", 0, model_word, oclgrind.out, "FILE",                           \
			     "with a program: keep the pattern file"),                             \
		MODEL_OPTION("build-options", 0, model_word, oclgrind.build, "OPTIONS",            \
			     "with a program: further OpenCL build options"),                      \
		MODEL_OPTION("plugin", 0, model_word, oclgrind.plugin, "FILE",                     \
			     "with a program: another plugin than gpulane's")

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
