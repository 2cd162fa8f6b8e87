/* SPDX-License-Identifier: MIT */
/*
 * Line plots as SVG, for sweeps: one file that every browser shows, written without a library.
 */
#ifndef LANE_MODEL_PLOT_H
#define LANE_MODEL_PLOT_H

#include <stddef.h>
#include <stdio.h>

struct lane_series {
	const char *name;
	const double *x; /* ascending */
	const double *y;
	size_t n;
};

struct lane_plot {
	const char *title;
	const char *x_label;
	const char *y_label;
	int log_x; /* logarithmic to base 2; all x must be above 0 */
	const struct lane_series *series;
	size_t n_series;
};

/* Writes the plot; the caller looks at ferror(). The y axis begins at 0. */
void model_plot_write(FILE *file, const struct lane_plot *plot);

#endif
