// SPDX-License-Identifier: MIT
// Gives up capabilities for good.
#include "capture/privileges.h"

#include <errno.h>
#include <stddef.h>
#include <sys/capability.h>
#include <sys/prctl.h>

/* Keeps a capability, where the process has it. */
static bool privileges_keep(cap_t kept, cap_value_t value)
{
	cap_t held = cap_get_proc();
	cap_flag_value_t has = CAP_CLEAR;
	bool is_done;

	is_done = held && !cap_get_flag(held, value, CAP_PERMITTED, &has) &&
		  !cap_set_flag(kept, CAP_PERMITTED, 1, &value, has) &&
		  !cap_set_flag(kept, CAP_EFFECTIVE, 1, &value, has);
	cap_free(held);
	return is_done;
}

struct lane_error *capture_drop_privileges(bool keeps_chown, bool keeps_looking)
{
	cap_t kept = cap_init();
	struct lane_error *err = NULL;

	if (!kept || (keeps_chown && !privileges_keep(kept, CAP_CHOWN)) ||
	    (keeps_looking && (!privileges_keep(kept, CAP_SYS_PTRACE) ||
			       !privileges_keep(kept, CAP_DAC_READ_SEARCH))) ||
	    cap_set_proc(kept) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = lane_error_errno(errno, "capabilities cannot be given up");
	cap_free(kept);
	return err;
}
