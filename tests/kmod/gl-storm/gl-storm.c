// SPDX-License-Identifier: GPL-2.0
/*
 * A storm of softirqs on one CPU, until it is unloaded: a tasklet spins and schedules itself again,
 * `slices` times, so that the kernel leaves it to ksoftirqd (kernel/softirq.c), and a timer begins
 * it anew.
 */
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/timer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define timer_delete_sync del_timer_sync
#endif

static int cpu = 1;
module_param(cpu, int, 0444);
MODULE_PARM_DESC(cpu, "Where it is");
static unsigned int slices = 3;
module_param(slices, uint, 0444);
MODULE_PARM_DESC(slices, "How often the tasklet runs");
static unsigned int slice_us = 5000;
module_param(slice_us, uint, 0444);
MODULE_PARM_DESC(slice_us, "How long each time");
static unsigned int rest_ms = 8;
module_param(rest_ms, uint, 0444);
MODULE_PARM_DESC(rest_ms, "Pause until it begins anew");

static unsigned int left;
static bool is_over;

static void begin(struct timer_list *timer);
static DEFINE_TIMER(timer, begin);

static void rest(void)
{
	if (READ_ONCE(is_over))
		return;
	timer.expires = jiffies + msecs_to_jiffies(rest_ms);
	add_timer_on(&timer, cpu);
}

static void spin(struct tasklet_struct *tasklet)
{
	u64 end_ns = ktime_get_ns() + slice_us * 1000ull;

	while (ktime_get_ns() < end_ns)
		cpu_relax();
	if (--left)
		tasklet_schedule(tasklet);
	else
		rest();
}

static DECLARE_TASKLET(storm, spin);

static void begin(struct timer_list *unused)
{
	left = slices;
	tasklet_schedule(&storm);
}

static int __init gl_storm_init(void)
{
	if (!slices || cpu < 0 || !cpu_online(cpu))
		return -EINVAL;
	rest();
	return 0;
}

static void __exit gl_storm_exit(void)
{
	WRITE_ONCE(is_over, true);
	timer_delete_sync(&timer);
	tasklet_kill(&storm);
	timer_delete_sync(&timer);
}

module_init(gl_storm_init);
module_exit(gl_storm_exit);
MODULE_DESCRIPTION("A storm of softirqs, for tests");
MODULE_LICENSE("GPL");
