// SPDX-License-Identifier: GPL-2.0
/*
 * Runs i915's mock selftests when it is loaded: the driver's own code fires its events without a
 * GPU.
 *
 * They run in the process that loads the module, and loading ends when they do: with success when
 * every test passed, else with the test's error. The module then stays loaded; unload it to run
 * them again.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "gl-i915-selftest.h"

static char *select = "";
module_param(select, charp, 0400);
MODULE_PARM_DESC(select, "which tests, commas between: requests,timelines,... (default: all)");

static char *filter = "";
module_param(filter, charp, 0400);
MODULE_PARM_DESC(
	filter, "which subtests, as i915.st_filter: TEST/SUBTEST or !TEST/SUBTEST, commas between");

static uint seed = 1;
module_param(seed, uint, 0400);
MODULE_PARM_DESC(seed, "st_random_seed (default 1)");

static uint timeout_ms = 500;
module_param(timeout_ms, uint, 0400);
MODULE_PARM_DESC(timeout_ms, "st_timeout, how long a repeating subtest repeats (default 500)");

static int __init gl_selftest_init(void)
{
	struct i915_selftest saved = i915_selftest;
	int err;

	if (timeout_ms == 0 || seed == 0)
		return -EINVAL;
	err = i915_mock_selftests_select(select);
	if (err) {
		pr_err("gl-selftest: select=%s: no such test\n", select);
		return err;
	}
	i915_selftest.filter = *filter ? filter : NULL;
	i915_selftest.random_seed = seed;
	i915_selftest.timeout_ms = timeout_ms;
	/* run, and do not go on to load a driver; -ENOTTY afterwards is success, anything else the
	 * error */
	i915_selftest.mock = -1;
	i915_mock_selftests();
	err = i915_selftest.mock == -ENOTTY ? 0 : i915_selftest.mock;
	i915_selftest = saved;
	i915_mock_selftests_select("");
	if (err > 0)
		err = -EIO;
	pr_info("gl-selftest: %s%s: %d\n", *select ? select : "all", *filter ? " (filtered)" : "",
		err);
	return err;
}

static void __exit gl_selftest_exit(void)
{
}

module_init(gl_selftest_init);
module_exit(gl_selftest_exit);
MODULE_DESCRIPTION("Runs i915's mock selftests");
MODULE_LICENSE("GPL");
