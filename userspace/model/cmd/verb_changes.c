// SPDX-License-Identifier: MIT
// `gpulane model pattern --changes`: what could be changed in a kernel, and what that would gain.
#include "model/cmd/verb_changes.h"

#include <stdio.h>

#include "model/cmd/verb.h"
#include "model/change.h"

void model_tell_missing(const char *kernel, const char *so, const struct lane_lacking *missing)
{
	if (missing->text[0])
		fprintf(stderr,
			"gpulane: model pattern: %s: %s, because the device does not know %s "
			"(gpulane calibrate measures it; where that was refused, calibrate again "
			"with more --rounds)\n",
			kernel, so, missing->text);
}

struct lane_error *model_changes(json_object *result, const struct lane_pattern_kernel *kernel,
				 const struct lane_device *device)
{
	uint64_t groups = kernel->groups / (kernel->launches ? kernel->launches : 1);
	struct lane_proposals found;
	struct lane_error *err = model_propose(kernel, device, groups, &found);

	if (!err)
		model_tell_missing(kernel->name, "no change is proposed", &found.missing);
	for (uint32_t i = 0; !err && i < found.n; i++) {
		const struct lane_proposal *p = &found.proposal[i];
		json_object *row = model_row(result);

		model_put_text(row, "kernel", kernel->name);
		model_put_text(row, "array",
			       p->array == LANE_NO_ARRAY ? "-" : kernel->array[p->array].name);
		model_put_text(row, "change", lane_change_names[p->kind]);
		model_put_text(row, "detail", p->detail);
		model_put_real(row, "gain", p->gain, 3);
		model_put_real(row, "gain_least", p->least, 3);
		model_put_real(row, "gain_most", p->most, 3);
	}
	return err;
}
