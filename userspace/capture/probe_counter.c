// SPDX-License-Identifier: MIT
// Which of a GPU's counters can be read here: docs/counters.md.
#include <string.h>

#include "capture/driver.h"
#include "capture/probe_parts.h"

#define PMUS "/sys/bus/event_source/devices/"

/* Whether the card's PMU has this event, under the name that it has where there are several, or
 * alone. */
static bool probe_counter_has_event(const struct lane_probe *probe, const struct lane_card *card,
				    const char *event)
{
	char dev[64];

	snprintf(dev, sizeof(dev), "%s", card->dev);
	for (char *at = dev; *at; at++)
		*at = *at == ':' ? '_' : *at;
	return !capture_probe_access(probe, PMUS "%s_%s/events/%s", card->driver, dev, event) ||
	       !capture_probe_access(probe, PMUS "%s/events/%s", card->driver, event);
}

/* Of drivers without a PMU: what devfreq has, and amdgpu's files. */
static void probe_files(struct lane_probe *probe, const struct lane_card *card, const char *name)
{
	bool has_devfreq = !capture_probe_access(
		probe, "/sys/class/drm/%s/device/devfreq/%s/cur_freq", card->name, card->dev);
	bool has_levels =
		!capture_probe_access(probe, "/sys/class/drm/%s/device/pp_dpm_sclk", card->name);
	bool has_vram = !capture_probe_access(probe, "/sys/class/drm/%s/device/mem_info_vram_used",
					      card->name);

	capture_probe_add(probe, "driver", name, LANE_CHECK_FACT, NULL, NULL,
			  "%s%sclients' time and memory (--counters RATE,clients), where the "
			  "driver tells it in fdinfo%s",
			  has_devfreq ? "clock, " : "", has_vram ? "memory in use, " : "",
			  has_levels ? "; where the device is never suspended (power/control: on), "
				       "else with RATE,wake: clocks, power, heat, throttling"
				     : "");
}

void capture_probe_counters(struct lane_probe *probe, const struct lane_card *card)
{
	const char *clocks, *busy;
	char name[32], causes[32];
	bool is_virtual;

	snprintf(name, sizeof(name), "%s counters", card->name);
	snprintf(causes, sizeof(causes), "%s causes", card->name);
	if (!strcmp(card->driver, "i915")) {
		busy = probe_counter_has_event(probe, card, "rcs0-busy") ? "engines' busy time, "
									 : "";
		clocks = capture_probe_access(probe, "/sys/class/drm/%s/gt/gt0/rps_act_freq_mhz",
					      card->name)
				 ? ""
				 : "clock, ";
		capture_probe_add(
			probe, "driver", name, LANE_CHECK_FACT, NULL, NULL,
			"%s%sclients' time (RATE,clients); with --counters RATE,wake: throttling",
			busy, clocks);
		capture_probe_add(probe, "driver", causes, LANE_CHECK_FACT, NULL, NULL,
				  "of late requests: %s%ssuspended; RATE,clients: other_client; "
				  "RATE,wake: throttled",
				  *clocks ? "low_clock, " : "",
				  probe_counter_has_event(probe, card, "rc6-residency") ? "c6, "
											: "");
	} else if (!strcmp(card->driver, "xe")) {
		busy = probe_counter_has_event(probe, card, "engine-active-ticks")
			       ? "engines' busy time, "
			       : "";
		/* A virtual function has neither clocks nor clients' times. */
		is_virtual = capture_probe_access(
			probe, "/sys/class/drm/%s/device/tile0/gt0/freq0/act_freq", card->name);
		capture_probe_add(probe, "driver", name, LANE_CHECK_FACT, NULL, NULL,
				  "suspended time%s%s%s",
				  is_virtual ? ""
					     : "; with --counters RATE,wake, which keeps the GPU "
					       "awake: ",
				  is_virtual ? "" : busy,
				  is_virtual ? ""
					     : "clock, throttling, sleep, clients' time "
					       "(RATE,clients,wake)");
		capture_probe_add(probe, "driver", causes, LANE_CHECK_FACT, NULL, NULL,
				  "of late requests: suspended%s%s",
				  is_virtual ? "" : "; RATE,wake: low_clock, throttled, c6, ",
				  is_virtual ? ""
				  : probe_counter_has_event(probe, card, "../format/function")
					  ? "other_vf, other_client (RATE,clients,wake)"
					  : "other_client (RATE,clients,wake)");
	} else if (card->events != LANE_DRIVER_NONE) {
		probe_files(probe, card, name);
	}
}
