// SPDX-License-Identifier: MIT
// Random machines whose drivers use drm_sched.
#include "random.h"

#define MAX_RINGS 10

static void put_settings(struct maker *m, const char *kernel)
{
	unsigned int cpus = pick(m, 1, 4);

	fprintf(m->to, "mode sched\nlinux %s\ncpus %u\nirq-cpu %u\n", kernel, cpus,
		pick(m, 0, cpus - 1));
	fprintf(m->to, "duration %ums\n", pick(m, 5, 40));
	fprintf(m->to, "irq-delay %s\n",
		ONE_OF(m, "0", "500ns..3us", "1us..10us", "1us..40us", "0ns..200us"));
	fprintf(m->to, "step %s\n", ONE_OF(m, "0", "0ns..1ns", "1ns", "40ns..400ns", "100ns..2us"));
	fprintf(m->to, "ack %s\n", ONE_OF(m, "0", "200ns..1us", "1us..5us", "5us..50us"));
	fprintf(m->to, "switch %s\n", ONE_OF(m, "0", "100ns..600ns", "1us..4us"));
	fprintf(m->to, "idle-exit %s\n", ONE_OF(m, "0", "1us..5us", "1us..80us"));
	fprintf(m->to, "slice %s\n", ONE_OF(m, "500us", "1ms", "3ms"));
	fprintf(m->to, "dependencies %u\nforeign %u\ngangs %u\nslots %u\n",
		chance(m, 30) ? 0 : pick(m, 5, 50), chance(m, 50) ? 0 : pick(m, 2, 25),
		chance(m, 70) ? 0 : pick(m, 5, 30), pick(m, 1, 3));
	if (chance(m, 50))
		fprintf(m->to, "tells-driver\n");
	if (chance(m, 30))
		fprintf(m->to, "in-turn\n");
}

struct machine {
	unsigned int rings;
	bool may_hang;
	bool is_old;
};

static void put_ring(struct maker *m, struct machine *machine, const char *name, const char *device,
		     const char *driver, const char *kind)
{
	bool is_firmware = kind[0] == 'f';

	fprintf(m->to, "ring 0/0:%u %s %s %s %s depth %u", machine->rings++, name, device, driver,
		kind, is_firmware ? pick(m, 2, 16) : pick(m, 1, chance(m, 40) ? 1 : 6));
	if (machine->may_hang)
		fprintf(m->to, " timeout %s hang %u reset %s", ONE_OF(m, "400us", "1500us", "3ms"),
			pick(m, 0, 5),
			is_firmware ? "ban" : ONE_OF(m, "resubmit", "force", "signal"));
	if (!is_firmware && chance(m, 25))
		fprintf(m->to, " loses-interrupts");
	if (!is_firmware && chance(m, 25))
		fprintf(m->to, " keeps-fences");
	if (!is_firmware && chance(m, 15))
		fprintf(m->to, " two-fences");
	if (is_firmware && chance(m, 20))
		fprintf(m->to, " long");
	fputc('\n', m->to);
}

static void put_card(struct maker *m, struct machine *machine, const char *device)
{
	put_ring(m, machine, "gfx_0.0.0", device, "amdgpu", "serial");
	if (chance(m, 60))
		put_ring(m, machine, "comp_1.0.0", device, "amdgpu", "serial");
	if (chance(m, 40))
		put_ring(m, machine, "comp_1.1.0", device, "amdgpu", "serial");
	if (chance(m, 40))
		put_ring(m, machine, "sdma0", device, "amdgpu", "serial");
}

static void put_queues(struct maker *m, struct machine *machine)
{
	static const char *const names[] = { "rcs1", "rcs2", "ccs3", "bcs4" };
	unsigned int n = pick(m, 1, 4);

	for (unsigned int i = 0; i < n && machine->rings < MAX_RINGS; i++)
		put_ring(m, machine, names[i], "0000:00:02.0", "xe", "firmware");
}

/* What is in the machine, one kind of driver or several. */
static void put_rings(struct maker *m, struct machine *machine)
{
	unsigned int what = pick(m, 0, 9);

	if (what < 5)
		put_card(m, machine, "0000:03:00.0");
	if (what == 4)
		put_card(m, machine, "0000:0a:00.0");
	if (what == 5 || chance(m, 15)) {
		put_ring(m, machine, "v3d_bin", "fec00000.gpu", "v3d", "serial");
		put_ring(m, machine, "v3d_render", "fec00000.gpu", "v3d", "serial");
	}
	if (what == 6 || (machine->rings < MAX_RINGS && chance(m, 10)))
		put_ring(m, machine, "acme", "acme.0", "acme", "unknown");
	if ((what >= 7 && !machine->is_old) || (machine->rings < 6 && chance(m, 10)))
		put_queues(m, machine);
	if (!machine->rings)
		put_ring(m, machine, "pan_js0", "ff9a0000.gpu", "panfrost", "serial");
}

static void put_contexts(struct maker *m, const struct machine *machine)
{
	m->contexts = machine->rings + pick(m, 0, 4);
	for (unsigned int c = 0; c < m->contexts; c++)
		fprintf(m->to, "context c%u 0/0:%u prio %s%s\n", c,
			c < machine->rings ? c : pick(m, 0, machine->rings - 1),
			ONE_OF(m, "0", "0", "0", "100", "512", "-50"),
			chance(m, 15) ? " moves" : "");
	fprintf(m->to, "lock l0\n");
}

static void put_part(struct maker *m, unsigned int context)
{
	static const char *const lengths[] = { "200ns..5us", "5us..80us", "50us..400us",
					       "300us..900us", "1us..500us" };
	unsigned int of = chance(m, 80) ? context : pick(m, 0, m->contexts - 1);

	if (chance(m, 50))
		fprintf(m->to, "compute %s\n",
			ONE_OF(m, "1us..20us", "30us..300us", "500us..1500us"));
	fprintf(m->to, "submit c%u times %u %s", of, chance(m, 50) ? 1 : pick(m, 2, 6),
		one_of(m, lengths, 5));
	if (chance(m, 25))
		fprintf(m->to, " after c%u", pick(m, 0, m->contexts - 1));
	fprintf(m->to, " prepare %s\n", ONE_OF(m, "0", "500ns..3us", "2us..20us", "10us..100us"));
	if (chance(m, 45))
		fprintf(m->to, "wait c%u%s\n", of, chance(m, 50) ? " fence" : "");
	if (chance(m, 4))
		fprintf(m->to, "close c%u\n", of);
}

static void put_threads(struct maker *m)
{
	unsigned int clients = pick(m, 1, 6), hogs = chance(m, 40) ? pick(m, 1, 3) : 0;

	for (unsigned int t = 0; t < clients; t++) {
		unsigned int context = pick(m, 0, m->contexts - 1), parts = pick(m, 1, 3);

		fprintf(m->to, "thread t%u pid %u tid %u prio %s start %uus%s\nloop %u\n", t,
			200 + t / 2 * 10, 200 + t / 2 * 10 + t % 2, chance(m, 20) ? "98" : "120",
			pick(m, 0, 2000), chance(m, 30) ? " cpu 0" : "", pick(m, 8, 40));
		for (unsigned int i = 0; i < parts; i++)
			put_part(m, context);
		if (chance(m, 60))
			fprintf(m->to, "sleep %s\n",
				ONE_OF(m, "5us..50us", "100us..800us", "1ms..4ms"));
		fprintf(m->to, "end\nend\n");
	}
	for (unsigned int t = 0; t < hogs; t++)
		fprintf(m->to,
			"thread hog%u pid %u start %uus%s\nloop forever\ncompute %s\nsleep "
			"%s\nend\nend\n",
			t, 300 + t, pick(m, 0, 5000), chance(m, 50) ? " cpu 0" : "",
			ONE_OF(m, "1ms", "3ms..9ms", "200us..4ms"), ONE_OF(m, "100us", "1ms..3ms"));
}

void random_sched(struct maker *m)
{
	const char *kernel = ONE_OF(m, "6.1", "6.12", "6.17");
	struct machine machine = { .may_hang = chance(m, 40),
				   .is_old = kernel[2] == '1' && !kernel[3] };

	put_settings(m, kernel);
	put_rings(m, &machine);
	put_contexts(m, &machine);
	put_threads(m);
}
