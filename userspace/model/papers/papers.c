// SPDX-License-Identifier: MIT
// What the papers' devices have besides those that gpulane ships.
#include "model/papers/papers.h"

#include "model/papers/global.h"

static const struct lane_device_kind kinds[] = {
	{ "global",
	  0,
	  {
#define N(name, need, min, max, preset)                                                            \
	{ #name, LANE_KEY_##need, LANE_KEY_WHOLE, min, max, preset },
		  LANE_GLOBAL_NUMBERS(N)
#undef N
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
