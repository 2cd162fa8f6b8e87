// Kernels whose access patterns tests/model/run computes for itself.
__kernel void histogram(__global const uint *in, __global uint *out)
{
	__local uint first[5]; // so that the bins do not begin at 0
	__local uint bins[COPIES * PITCH];
	uint lane = get_local_id(0);

	first[lane % 5] = lane;
	for (uint i = lane; i < COPIES * PITCH; i += get_local_size(0))
		bins[i] = first[0] & 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&bins[lane % COPIES * PITCH + in[get_global_id(0)]], 1);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = lane; i < 32; i += get_local_size(0))
		for (uint c = 0; c < COPIES; c++)
			atomic_add(&out[i], bins[c * PITCH + i]);
}

// In iteration k only the lanes of one parity vote.
__kernel void parity(__global const uint *in, __global uint *out)
{
	__local uint seen[128];
	uint lane = get_local_id(0);

	for (uint i = lane; i < 128; i += get_local_size(0))
		seen[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
	for (uint k = 0; k < 4; k++)
		if ((lane + k) & 1)
			atomic_inc(&seen[k * 32 + lane % 32]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lane < 32)
		out[lane] = seen[lane] + seen[32 + lane] + seen[64 + lane] + seen[96 + lane];
}

// A chain of LENGTH dependent multiply-adds.
__kernel void chain(__global const uint *in, __global uint *out)
{
	float x = in[get_global_id(0)];

#pragma unroll 1
	for (int i = 0; i < LENGTH; i++)
		x = mad(x, 0.5f, 1.0f);
	out[get_local_id(0) % 32] = (uint)x;
}

// After listing 1 of "The Pipeline Performance Model": one 8x8 tile of a product with TILES tiles a row.
__kernel void mmul(__global const uint *in, __global uint *out)
{
	__local float a[8][8];
	__local float b[8][8];
	int x = get_local_id(0) % 8;
	int y = get_local_id(0) / 8;
	float sum = 0;

#pragma unroll 1
	for (int t = 0; t < TILES; t++) {
		a[y][x] = in[(y * TILES + t) * 8 + x];
		b[y][x] = in[(t * 8 + y) * 8 + x];
		barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
		for (int k = 0; k < 8; k++)
			sum = mad(a[y][k], b[k][x], sum);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_local_id(0)] = (uint)sum;
}

// A loop of arithmetic that a loop through memory hides: neither needs the other.
__kernel void hidden(__global const uint *in, __global uint *out)
{
	float x = get_local_id(0);
	uint at = get_local_id(0);

#pragma unroll 1
	for (int i = 0; i < 200; i++)
		x = mad(x, 0.5f, 1.0f); // hidden
#pragma unroll 1
	for (int i = 0; i < 10; i++)
		at = in[at % 32];
	out[get_local_id(0) % 32] = (uint)x + at;
}
