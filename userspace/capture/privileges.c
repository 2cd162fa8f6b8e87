// SPDX-License-Identifier: MIT
// Gives up capabilities for good.
#include "capture/privileges.h"

#include <errno.h>
#include <stddef.h>
#include <sys/capability.h>
#include <sys/prctl.h>

struct lane_error *capture_drop_privileges(bool keep_chown)
{
	const cap_value_t chown = CAP_CHOWN;
	cap_t kept = cap_init();
	struct lane_error *err = NULL;

	if (!kept ||
	    (keep_chown && (cap_set_flag(kept, CAP_PERMITTED, 1, &chown, CAP_SET) ||
			    cap_set_flag(kept, CAP_EFFECTIVE, 1, &chown, CAP_SET))) ||
	    cap_set_proc(kept) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = lane_error_errno(errno, "capabilities cannot be given up");
	cap_free(kept);
	return err;
}
