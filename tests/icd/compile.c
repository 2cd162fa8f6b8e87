// SPDX-License-Identifier: MIT
// Programs: clang compiles OpenCL C to a shared object whose functions call the built-ins of
// run.c.
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "icd.h"

static void say(cl_program program, const char *text)
{
	free(program->log);
	program->log = strdup(text);
}

static void read_log(cl_program program, const char *path)
{
	char text[4096];
	FILE *file = fopen(path, "re");
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[n] = 0;
	say(program, text);
	if (file)
		fclose(file);
}

/* Runs the compiler without what was loaded into this program for its sake. */
static bool run_compiler(const char *const *argv, const char *log)
{
	static const char *const ours[] = { "LD_PRELOAD=", "OPENCL_LAYERS=", "OCL_ICD_VENDORS=",
					    "GPULANE_ICD=" };
	posix_spawn_file_actions_t actions;
	size_t n = 0, kept = 0;
	int status = -1;
	char **clean;
	pid_t pid;

	while (environ[n])
		n++;
	clean = calloc(n + 1, sizeof(*clean));
	for (size_t i = 0; clean && i < n; i++) {
		bool drop = false;

		for (size_t o = 0; o < sizeof(ours) / sizeof(ours[0]); o++)
			drop |= !strncmp(environ[i], ours[o], strlen(ours[o]));
		if (!drop)
			clean[kept++] = environ[i];
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (clean && !posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, clean))
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	posix_spawn_file_actions_destroy(&actions);
	free(clean);
	return status == 0;
}

static bool write_source(const char *path, const char *source)
{
	FILE *file = fopen(path, "we");
	bool written = file && fputs(source, file) >= 0;

	return file && !fclose(file) && written;
}

/* The built-ins are in this library; what is compiled names it as what it needs. */
static const char *own_path(void)
{
	Dl_info info;

	return dladdr((void *)own_path, &info) ? info.dli_fname : NULL;
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	if (file && getdelim(&text, &room, 0, file) < 0) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

/* Where a program is compiled. */
struct workshop {
	char directory[32];
	char source[64], expanded[64], object[64], log[64];
};

static bool open_workshop(struct workshop *shop)
{
	snprintf(shop->directory, sizeof(shop->directory), "/tmp/gl-icd.XXXXXX");
	if (!mkdtemp(shop->directory))
		return false;
	snprintf(shop->source, sizeof(shop->source), "%s/program.cl", shop->directory);
	snprintf(shop->expanded, sizeof(shop->expanded), "%s/expanded.cl", shop->directory);
	snprintf(shop->object, sizeof(shop->object), "%s/program.so", shop->directory);
	snprintf(shop->log, sizeof(shop->log), "%s/log", shop->directory);
	return true;
}

static void close_workshop(const struct workshop *shop)
{
	unlink(shop->source);
	unlink(shop->expanded);
	unlink(shop->object);
	unlink(shop->log);
	rmdir(shop->directory);
}

#define CLANG "clang", "-x", "cl", "-cl-std=CL1.2", "-w", "-O2", "-target", "x86_64-pc-linux-gnu"

/* The kernels' names may be made by macros: they are read from what the macros become. */
static bool compile_in(cl_program program, const struct workshop *shop)
{
	const char *expand[] = { CLANG, "-E", "-P", "-o", shop->expanded, shop->source, NULL };
	const char *compile[] = { CLANG,	"-fPIC", "-shared", "-nostdlib", "-o", shop->object,
				  shop->source, "-x",	 "none",    own_path(),	 NULL };
	bool done = write_source(shop->source, program->source) &&
		    run_compiler(expand, shop->log) && run_compiler(compile, shop->log);

	read_log(program, shop->log);
	if (!done)
		return false;
	program->expanded = read_text(shop->expanded);
	program->library = dlopen(shop->object, RTLD_NOW | RTLD_LOCAL);
	if (!program->library)
		say(program, dlerror());
	return program->library && program->expanded;
}

/* Compiles to path; false and a log when it cannot be. */
static bool compile_to(cl_program program, const char *path)
{
	struct workshop shop;
	char text[328];
	bool done;

	if (!open_workshop(&shop)) {
		say(program, "no directory for the compiler in /tmp");
		return false;
	}
	done = compile_in(program, &shop);
	/* To the cache in one step each, unless it is in another file system. */
	snprintf(text, sizeof(text), "%s.cl", path);
	if (done && *path && !rename(shop.expanded, text))
		(void)!rename(shop.object, path);
	close_workshop(&shop);
	return done;
}

static bool load(cl_program program)
{
	uint64_t hash = 14695981039346656037u;
	char path[320] = "", text[328];

	for (const char *c = program->source; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211u;
	if (*icd_options.cache) {
		snprintf(path, sizeof(path), "%s/%016llx.so", icd_options.cache,
			 (unsigned long long)hash);
		snprintf(text, sizeof(text), "%s.cl", path);
		program->expanded = read_text(text);
		if (program->expanded)
			program->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	if (program->library)
		return true;
	free(program->expanded);
	program->expanded = NULL;
	return compile_to(program, path);
}

/* --- signatures: the kernels' names and the kinds of their arguments
 * ------------------------------ */

static bool has_word(const char *from, const char *to, const char *word)
{
	size_t n = strlen(word);

	for (const char *c = from; c + n <= to; c++)
		if (!strncmp(c, word, n) &&
		    (c == from || !(isalnum((unsigned char)c[-1]) || c[-1] == '_')) &&
		    (c + n == to || !(isalnum((unsigned char)c[n]) || c[n] == '_')))
			return true;
	return false;
}

static enum icd_arg_kind kind_of(const char *from, const char *to)
{
	if (has_word(from, to, "__local") || has_word(from, to, "local"))
		return ICD_ARG_LOCAL;
	if (memchr(from, '*', (size_t)(to - from)))
		return ICD_ARG_POINTER;
	return has_word(from, to, "float") || has_word(from, to, "double") ? ICD_ARG_FLOAT
									   : ICD_ARG_INTEGER;
}

/* `at` is behind the opening parenthesis. */
static const char *read_arguments(struct icd_signature *signature, const char *at)
{
	while (*at && *at != ')') {
		size_t n = strcspn(at, ",)");

		if (signature->n_args < ICD_MAX_ARGS && n)
			signature->args[signature->n_args++] = kind_of(at, at + n);
		at += n + (at[n] == ',');
	}
	return at;
}

static void read_signatures(cl_program program)
{
	const char *at = program->expanded;

	while ((at = strstr(at, "kernel")) && program->n_kernels < 64) {
		struct icd_signature *signature = &program->kernels[program->n_kernels];
		const char *open = strchr(at, '('), *name = open;

		at += strlen("kernel");
		if (!open)
			break;
		while (name > at && isspace((unsigned char)name[-1]))
			name--;
		open++;
		for (const char *end = name;
		     name > at && (isalnum((unsigned char)name[-1]) || name[-1] == '_'); name--)
			(void)end;
		snprintf(signature->name, sizeof(signature->name), "%.*s",
			 (int)strspn(
				 name,
				 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
			 name);
		signature->function = dlsym(program->library, signature->name);
		if (!signature->function || !has_word(at, name, "void"))
			continue;
		at = read_arguments(signature, open);
		program->n_kernels++;
	}
}

void icd_compile(cl_program program)
{
	say(program, "");
	if (!load(program)) {
		program->status = CL_BUILD_ERROR;
		return;
	}
	program->n_kernels = 0;
	memset(program->kernels, 0, sizeof(program->kernels));
	program->has_barrier = strstr(program->source, "barrier");
	read_signatures(program);
	program->status = CL_BUILD_SUCCESS;
}

void icd_program_free(cl_program program)
{
	if (program->library)
		dlclose(program->library);
	free(program->source);
	free(program->expanded);
	free(program->log);
	free(program);
}
