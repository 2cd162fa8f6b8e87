/* SPDX-License-Identifier: MIT */
/*
 * What the OpenCL programs here share: options, images, a device to run on, ends on errors. They
 * use OpenCL as any program does; nothing in them knows of a tracer.
 */
#ifndef LANE_WORKLOADS_COMMON_H
#define LANE_WORKLOADS_COMMON_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One option --name: a number (value, between least and most), a word (text) or a switch (on). */
struct option_of {
	const char *name;
	const char *help;
	long *value;
	long least;
	long most;
	const char **text;
	bool *on;
};

#define OPTION_NUMBER(option, what, variable, from, to)                                            \
	{                                                                                          \
		.name = (option), .help = (what), .value = &(variable), .least = (from),           \
		.most = (to)                                                                       \
	}
#define OPTION_TEXT(option, what, variable)                                                        \
	{                                                                                          \
		.name = (option), .help = (what), .text = &(variable)                              \
	}
#define OPTION_SWITCH(option, what, variable)                                                      \
	{                                                                                          \
		.name = (option), .help = (what), .on = &(variable)                                \
	}

/* Reads the command line; ends the program (2) on what it does not know, after --help (0). */
void options_read(int argc, char **argv, const struct option_of *options, size_t n);

/* An image in grey, one uint16_t a pixel. */
struct image {
	unsigned int width;
	unsigned int height;
	uint16_t *pixels;
};

/*
 * Reads a PGM (P5, 8 or 16 bit), or where path is NULL makes one of that size, always the same:
 * slopes of which `noise` percent are noise, `levels` grey levels. Pixels of a file are scaled to
 * `levels`.
 */
void image_get(struct image *image, const char *path, long width, long height, long noise,
	       unsigned int levels);

/* Ways to lessen conflicts in an array of votes; the text in front of a program that uses them. */
struct ways {
	const char *hash; /* "xor", "add"; NULL: none */
	bool rows;	  /* an unused word behind every 32 */
	bool aggregate;	  /* lanes that want the same word add up first: on NVIDIA only */
	char text[1024];  /* PLACE(word), VOTE(address): see ways_text() */
};

/* Fills text; ends the program (2) on an unknown hash. */
void ways_text(struct ways *ways);

/* How many words an array of so many takes, with rows or a hash. */
unsigned int ways_words(const struct ways *ways, unsigned int words);

#define OPTIONS_WAYS(ways)                                                                         \
	OPTION_TEXT("hash", "xor or add: a word's row goes into its bank", (ways).hash),           \
		OPTION_SWITCH("rows", "an unused word behind every 32", (ways).rows),              \
		OPTION_SWITCH("aggregate", "lanes that want one word add up first (NVIDIA)",       \
			      (ways).aggregate)

/* The first device there is, a context on it and a program for it. */
struct opencl {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_program program;
};

/* front: text before the source, "" for none. */
void opencl_open(struct opencl *cl, const char *front, const char *source);
void opencl_close(struct opencl *cl);
cl_kernel opencl_kernel(struct opencl *cl, const char *name);
cl_mem opencl_buffer(struct opencl *cl, cl_mem_flags flags, size_t bytes, void *host);
cl_command_queue opencl_queue(struct opencl *cl, cl_command_queue_properties properties);
void opencl_arg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value);

/* The nanoseconds between a command's start and its end, by the device's clock. */
uint64_t opencl_duration(cl_event event);

/* Ends the program (1) when an OpenCL call failed. */
void must(cl_int status, const char *call);

/* Ends the program (1) when the device's result is not the CPU's; says where they differ first. */
void must_equal(const char *what, const uint32_t *device, const uint32_t *cpu, size_t n);

/* A checksum to print: the same for the same numbers. */
uint32_t checksum(const uint32_t *numbers, size_t n);

/* calloc that does not fail. */
void *need(size_t n, size_t size);

#endif
