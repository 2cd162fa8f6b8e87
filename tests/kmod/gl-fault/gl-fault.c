// SPDX-License-Identifier: GPL-2.0
/* Breaks the kernel on request, to test that the guest harness sees it. Loading fails where it
 * returns. */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/string.h>

static char *kind = "";
module_param(kind, charp, 0400);
MODULE_PARM_DESC(kind, "warn, oops or hang");

static void spin(void *unused)
{
	for (;;)
		cpu_relax();
}

static int __init gl_fault_init(void)
{
	if (!strcmp(kind, "warn")) {
		WARN(1, "gl-fault: a warning on request\n");
	} else if (!strcmp(kind, "oops")) {
		WRITE_ONCE(*(int *)8, 0);
	} else if (!strcmp(kind, "hang")) {
		smp_call_function(spin, NULL, 0);
		local_irq_disable();
		spin(NULL);
	}
	return -EINVAL;
}

module_init(gl_fault_init);
MODULE_DESCRIPTION("Breaks the kernel on request");
MODULE_LICENSE("GPL");
