// SPDX-License-Identifier: MIT
// What the papers' devices have besides those that gpulane ships.
#include "model/papers/papers.h"

static const struct lane_device_kind kinds[] = {
	{ "global",
	  0,
	  {
		  { "clusters", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 256, 0 },
		  { "units_per_cluster", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 32, 0 },
		  { "partitions", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 64, 0 },
		  { "partition_bytes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 32, 65536, 0 },
		  { "segment_bytes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 4, 4096, 0 },
		  { "lock_bytes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 4, 4096, 0 },
		  { "cluster_queue", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 65536, 0 },
		  { "controller_queue", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 65536, 0 },
		  { "issue", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 1000, 0 },
		  { "latency", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 1000, 0 },
		  { "hop", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 0, 10000, 0 },
		  { "packet", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 1000, 0 },
		  { "retry", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 10000, 0 },
		  { "dram_latency", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 0, 10000, 0 },
		  { "dram_burst", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 10000, 0 },
		  { "alu_lanes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 64, 0 },
		  { "alu", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 10000, 0 },
		  { "banks", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, LANE_GLOBAL_BANKS, 1 },
		  { "page_bytes", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 32, 65536, 2048 },
		  { "bank_busy", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 0, 10000, 0 },
		  { "loop_free", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 0, 64, 0 },
		  { "loop_bound", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 0, 64, 0 },
		  { "loop_latency", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 1000, 1 },
	  } },
	{ "softgpu",
	  0,
	  {
		  { "max_warps", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 1024, 0 },
		  { "max_threads", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 65536, 0 },
		  { "max_blocks", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 1024, 0 },
		  { "registers", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 1 << 20, 0 },
		  { "shared_bytes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 0, 1 << 20, 0 },
		  { "stages", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 64, 0 },
	  } },
	{ "fit",
	  1,
	  {
		  { "instruction", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 1000000, 0 },
		  { "memory", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 1000000, 0 },
		  { "microblaze_ms", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 1000000, 0 },
	  } },
	{ "microblaze",
	  0,
	  {
		  { "instruction", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 1000000, 0 },
	  } },
	{ "power",
	  1,
	  {
		  { "dynamic_w", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 10000, 0 },
		  { "static_w", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 10000, 0 },
	  } },
};

void model_papers_begin(void)
{
	model_device_more(kinds, sizeof(kinds) / sizeof(kinds[0]));
}
