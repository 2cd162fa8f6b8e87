/* SPDX-License-Identifier: MIT */
/*
 * The micro-benchmarks of the calibration, OpenCL C. Each repeats an operation n times
 * LANE_UNROLL_* in a way that a compiler cannot shorten: every instruction needs the one before it.
 */
#ifndef LANE_MODEL_METER_KERNELS_H
#define LANE_MODEL_METER_KERNELS_H

#define LANE_UNROLL_OP	   32 /* instructions of a round of the op_ kernels */
#define LANE_UNROLL_MEMORY 8  /* likewise, of those that touch memory */
#define LANE_CHASE_WORDS   (1u << 21)
#define LANE_PAD_WORDS	   12288u /* most local memory that is used, 48 KiB */

/* Text of one OpenCL program. */
static const char lane_meter_kernels[] =
	"#define R4(x) x x x x\n"
	"#define R8(x) R4(x) R4(x)\n"
	"#define R32(x) R8(x) R8(x) R8(x) R8(x)\n"
	"#define FLOAT_OP(name, step) \\\n"
	"__kernel void op_##name(__global float *out, int n, float a, float b) { \\\n"
	"	float x = a + get_local_id(0); \\\n"
	"	for (int i = 0; i < n; i++) { R32(step) } \\\n"
	"	out[get_global_id(0)] = x; }\n"
	"#define INT_OP(name, step) \\\n"
	"__kernel void op_##name(__global float *out, int n, float a, float b) { \\\n"
	"	uint c = (uint)(a * 3.0f), d = (uint)(b * 5.0f), x = c + get_local_id(0); \\\n"
	"	for (int i = 0; i < n; i++) { R32(step) } \\\n"
	"	out[get_global_id(0)] = x; }\n"
	"FLOAT_OP(fadd, x = x + a;)\n"
	"FLOAT_OP(fmul, x = x * a;)\n"
	"FLOAT_OP(fmadd, x = fma(x, a, b);)\n"
	"FLOAT_OP(fdiv, x = b / x;)\n"
	"FLOAT_OP(cos, x = native_cos(x);)\n"
	"INT_OP(imul, x = x * x;)\n"
	"INT_OP(idiv, x = c / (x | 1);)\n"
	"__kernel void op_memory(__global float *out, int n, __global const uint *next) {\n"
	"	uint i = get_global_id(0);\n"
	"	for (int k = 0; k < n; k++) { R8(i = next[i];) }\n"
	"	out[get_global_id(0)] = i; }\n"
	"__kernel void op_local(__global float *out, int n, int first, int step) {\n"
	"	__local uint next[1024];\n"
	"	uint i = get_local_id(0) * first & 1023;\n"
	"	for (uint k = get_local_id(0); k < 1024; k += get_local_size(0))\n"
	"		next[k] = k + step & 1023;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (int k = 0; k < n; k++) { R8(i = next[i];) }\n"
	"	out[get_global_id(0)] = i; }\n"
	"__kernel void op_barrier(__global float *out, int n) {\n"
	"	__local volatile uint word;\n"
	"	for (int k = 0; k < n; k++) {\n"
	"		if (get_local_id(0) == k) word = k;\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"	out[get_global_id(0)] = word; }\n"
	"__kernel void local_atomic(__global float *out, int n, __global const uint *word,\n"
	"		int lanes, int warp, int shift, __local uint *pad) {\n"
	"	uint lane = get_local_id(0) % warp;\n"
	"	uint w = word[lane] + get_local_id(0) / warp * shift;\n"
	"	if (lane < lanes) pad[w] = 0;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (lane < lanes)\n"
	"		for (int k = 0; k < n; k++) { R8(w += atomic_add(&pad[w], 1) >> 31;) }\n"
	"	out[get_global_id(0)] = w; }\n"
	"#define GLOBAL_OP(name, step) \\\n"
	"__kernel void global_##name(__global float *out, int n, volatile __global uint *data, \\\n"
	"		int lane_step, int warp_step, int group_step, int lanes, int warp) { \\\n"
	"	uint lane = get_local_id(0) % warp; \\\n"
	"	uint i = get_group_id(0) * group_step + get_local_id(0) / warp * warp_step + \\\n"
	"		lane * lane_step; \\\n"
	"	uint v = 0; \\\n"
	"	if (lane < lanes) \\\n"
	"		for (int k = 0; k < n; k++) { R8(step) } \\\n"
	"	out[get_global_id(0)] = v + i; }\n"
	"GLOBAL_OP(load, v += data[i]; i += v >> 31;)\n"
	"GLOBAL_OP(store, data[i] = k;)\n"
	"GLOBAL_OP(load_store, data[i] = data[i] + 1;)\n"
	"GLOBAL_OP(red, atomic_inc(&data[i]);)\n"
	"GLOBAL_OP(atomic, v = atomic_inc(&data[i]); i += v >> 31;)\n";

#endif
