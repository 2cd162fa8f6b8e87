// SPDX-License-Identifier: MIT
// Kernels with many atomics, each as it is met and, by -D, with each change that `gpulane atomics` proposes, written as
// its words say. tests/atomics/run applies every proposal that is made, and compares results.
#if defined(PRIVATISE) || defined(BY_GROUP)
#define MEET barrier(CLK_LOCAL_MEM_FENCE)
// Of one word without a loop: pocl 3.1 loses the barriers behind such loops.
#define THE_WORD if (get_local_id(0) == 0)
#define EACH(w, words) for (uint w = get_local_id(0); w < words; w += get_local_size(0))
#endif
#ifdef AGGREGATE
// Neither pocl nor Oclgrind has sub-groups: here a group is one, by local memory.
#define SUB_GROUPS __local uint sub_group_[1024];
#define get_sub_group_local_id() get_local_id(0)
#define sub_group_reduce_add(v) reduce_add(sub_group_, v)
#define sub_group_scan_exclusive_add(v) scan_add(sub_group_, v)
#define sub_group_broadcast(v, lane) broadcast(sub_group_, v, lane)
uint scan_add(__local uint *all, uint v)
{
	uint sum = 0;

	barrier(CLK_LOCAL_MEM_FENCE);
	all[get_local_id(0)] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; i < get_local_id(0); i++)
		sum += all[i];
	return sum;
}
uint broadcast(__local uint *all, uint v, uint lane)
{
	barrier(CLK_LOCAL_MEM_FENCE);
	all[get_local_id(0)] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	return all[lane];
}
#define sub_group_reduce_max(v) reduce_max(sub_group_, v)
uint reduce_max(__local uint *all, uint v)
{
	uint most = 0;

	scan_add(all, v);
	for (uint i = 0; i < get_local_size(0); i++)
		most = max(most, all[i]);
	return most;
}
uint reduce_add(__local uint *all, uint v)
{
	uint sum = scan_add(all, v) + v;

	return broadcast(all, sum, get_local_size(0) - 1);
}
#endif

__kernel void histogram(__global const uchar *in, __global uint *bins, uint n)
{
	uint i = get_global_id(0);
#ifdef PRIVATISE
	__local uint own[16];

	EACH(w, 16)
		own[w] = 0;
	MEET;
	if (i < n)
		atomic_inc(&own[in[i] / 16]);
	MEET;
	EACH(w, 16)
		atomic_add(&bins[w], own[w]);
#else
	if (i >= n)
		return;
	atomic_inc(&bins[in[i] / 16]);
#endif
}

__kernel void rgb(__global const uchar4 *in, __global uint *bins, uint n)
{
	uint i = get_global_id(0);
#ifdef PRIVATISE
	__local uint own[768];

	EACH(w, 768)
		own[w] = 0;
	MEET;
	if (i < n) {
		uchar4 p = in[i];

		atomic_inc(&own[p.x]);
		atomic_inc(&own[256 + p.y]);
		atomic_inc(&own[512 + p.z]);
	}
	MEET;
	EACH(w, 768)
		atomic_add(&bins[w], own[w]);
#else
	if (i >= n)
		return;
	uchar4 p = in[i];

	atomic_inc(&bins[p.x]);
	atomic_inc(&bins[256 + p.y]);
	atomic_inc(&bins[512 + p.z]);
#endif
}

// The same kernel with its atomics on one line: the same advice.
__kernel void rgb_line(__global const uchar4 *in, __global uint *bins, uint n)
{
	uint i = get_global_id(0);
#ifdef PRIVATISE
	__local uint own[768];

	EACH(w, 768)
		own[w] = 0;
	MEET;
	if (i < n) {
		uchar4 p = in[i];

		atomic_inc(&own[p.x]); atomic_inc(&own[256 + p.y]); atomic_inc(&own[512 + p.z]);
	}
	MEET;
	EACH(w, 768)
		atomic_add(&bins[w], own[w]);
#else
	if (i >= n)
		return;
	uchar4 p = in[i];

	atomic_inc(&bins[p.x]); atomic_inc(&bins[256 + p.y]); atomic_inc(&bins[512 + p.z]);
#endif
}

__kernel void compact(__global const uint *in, __global uint *out, __global uint *count, uint n)
{
	uint i = get_global_id(0);
#ifdef BY_GROUP
	__local uint own[1], base[1];
	uint mine = 0;
	int keep = i < n && in[i] & 1;

	THE_WORD
		own[0] = 0;
	MEET;
	if (keep)
		mine = atomic_inc(&own[0]);
	MEET;
	THE_WORD
		base[0] = atomic_add(&count[0], own[0]);
	MEET;
	if (keep)
		out[base[0] + mine] = in[i];
#elif defined(AGGREGATE)
	SUB_GROUPS
	int keep = i < n && in[i] & 1;
	uint v = keep, first = 0;
	uint all = sub_group_reduce_add(v);

	if (get_sub_group_local_id() == 0)
		first = atomic_add(count, all);
	uint at = sub_group_broadcast(first, 0) + sub_group_scan_exclusive_add(v);
	if (keep)
		out[at] = in[i];
#else
	if (i < n && in[i] & 1) {
		uint at = atomic_inc(count);

		out[at] = in[i];
	}
#endif
}

// As compact by groups: there is nothing left to propose.
__kernel void compact_group(__global const uint *in, __global uint *out, __global uint *count, uint n)
{
	__local uint c, base;
	uint i = get_global_id(0), l = get_local_id(0), at = 0;
	int keep = i < n && in[i] & 1;

	if (l == 0)
		c = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
#ifdef AGGREGATE
	SUB_GROUPS
	uint v = keep, first = 0;
	uint all = sub_group_reduce_add(v);

	if (get_sub_group_local_id() == 0)
		first = atomic_add(&c, all);
	at = sub_group_broadcast(first, 0) + sub_group_scan_exclusive_add(v);
#else
	if (keep)
		at = atomic_inc(&c);
#endif
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0)
		base = atomic_add(count, c);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (keep)
		out[base + at] = in[i];
}

__kernel void insert(__global const uint *keys, __global uint *table, uint mask, uint n)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	uint k = keys[i], h = k * 2654435761u & mask;

	for (;;) {
		uint was = atomic_cmpxchg(&table[h], 0u, k);

		if (was == 0 || was == k)
			return;
		h = h + 1 & mask;
	}
}

// The gradient of an embedding: a row of the table for each token, a work-item for each of its D words.
__kernel void embed_int(__global const uint *tokens, __global const int *grad, __global int *table, uint D)
{
	uint i = get_global_id(0), t = i / D, d = i % D;
#ifdef PRIVATISE
	__local int own[1024];

	EACH(w, 1024)
		own[w] = 0;
	MEET;
	atomic_add(&own[tokens[t] * D + d], grad[i]);
	MEET;
	EACH(w, 1024)
		atomic_add(&table[w], own[w]);
#else
	atomic_add(&table[tokens[t] * D + d], grad[i]);
#endif
}

void add_float(volatile __global uint *p, float v)
{
	uint old = *p, was;

	do {
		was = old;
		old = atomic_cmpxchg(p, was, as_uint(as_float(was) + v));
	} while (old != was);
}

__kernel void embed_float(__global const uint *tokens, __global const float *grad, __global uint *table, uint D)
{
	uint i = get_global_id(0), t = i / D, d = i % D;

	add_float(&table[tokens[t] * D + d], grad[i]);
}

// Hooking of connected components: the larger root below the smaller one.
__kernel void union_find(__global const uint2 *edge, __global uint *parent, uint n)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	uint a = edge[i].x, b = edge[i].y;

	for (;;) {
		while (a != parent[a])
			a = parent[a];
		while (b != parent[b])
			b = parent[b];
		if (a == b)
			return;
		if (a < b) {
			uint t = a;

			a = b;
			b = t;
		}
		if (atomic_cmpxchg(&parent[a], a, b) == a)
			return;
	}
}

// The largest of all, and those above a threshold.
__kernel void top_k(__global const uint *in, __global uint *top, __global uint *found, __global uint *best,
		    uint above, uint n)
{
	uint i = get_global_id(0);
	uint v = i < n ? in[i] : 0;
#ifdef PRIVATISE
	__local uint largest[1];

	THE_WORD
		largest[0] = 0;
	MEET;
	atomic_max(&largest[0], v);
	MEET;
	THE_WORD
		atomic_max(&best[0], largest[0]);
#elif defined(AGGREGATE)
	SUB_GROUPS
	uint most = sub_group_reduce_max(v);

	if (get_sub_group_local_id() == 0)
		atomic_max(best, most);
#else
	atomic_max(best, v);
#endif
#ifdef BY_GROUP
	__local uint own[1], base[1];
	uint mine = 0;

	THE_WORD
		own[0] = 0;
	MEET;
	if (v > above)
		mine = atomic_inc(&own[0]);
	MEET;
	THE_WORD
		base[0] = atomic_add(&found[0], own[0]);
	MEET;
	if (v > above)
		top[base[0] + mine] = v;
#elif defined(AGGREGATE)
	uint c = v > above, first = 0;
	uint all = sub_group_reduce_add(c);

	if (get_sub_group_local_id() == 0)
		first = atomic_add(found, all);
	uint at = sub_group_broadcast(first, 0) + sub_group_scan_exclusive_add(c);
	if (c)
		top[at] = v;
#else
	if (v > above) {
		uint at = atomic_inc(found);

		top[at] = v;
	}
#endif
}

// A histogram in local memory, by lanes that meet in few bins.
__kernel void local_histogram(__global const uchar *in, __global uint *bins, uint n)
{
#if defined(COPIES)
	__local uint h[4 * 32];
#define AT(b) ((b) * 32 + get_local_id(0) % 32)
#define WORDS (4 * 32)
#define SUM(b) ({ uint sum = 0; for (uint c = 0; c < 32; c++) sum += h[(b) * 32 + c]; sum; })
#elif defined(PADDING)
	__local uint h[5];
#define AT(b) ((b) + (b) / 32)
#define WORDS 5
#define SUM(b) h[AT(b)]
#elif defined(HASH)
	__local uint h[32];
#define AT(b) ((b) ^ (b) / 32 % 32)
#define WORDS 32
#define SUM(b) h[AT(b)]
#else
	__local uint h[4];
#define AT(b) (b)
#define WORDS 4
#define SUM(b) h[b]
#endif
	for (uint i = get_local_id(0); i < WORDS; i += get_local_size(0))
		h[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		atomic_add(&h[AT(in[i] / 64)], 1u);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint b = get_local_id(0); b < 4; b += get_local_size(0))
		atomic_add(&bins[b], SUM(b));
}

// Each work-item takes work until there is none: what a result decides in a loop is no base + own.
__kernel void queue(__global uint *next, __global uint *done, uint n)
{
	uint i;

	while ((i = atomic_inc(next)) < n)
		done[i] = i * i;
}

// A partial sum that the last group reads: its atomics may not wait for the group's end.
__kernel void last_group(__global const uint *in, __global uint *sum, __global uint *ticket, __global uint *out, uint n)
{
	uint i = get_global_id(0);

#ifdef AGGREGATE
	SUB_GROUPS
	uint v = i < n ? in[i] : 0;
	uint all = sub_group_reduce_add(v);

	if (get_sub_group_local_id() == 0)
		atomic_add(sum, all);
#else
	if (i < n)
		atomic_add(sum, in[i]);
#endif
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (get_local_id(0) == 0 && atomic_inc(ticket) == get_num_groups(0) - 1)
		*out = *(volatile __global uint *)sum;
}
