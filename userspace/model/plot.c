// SPDX-License-Identifier: MIT
// Line plots as SVG: axes, a grid, one line with dots per series, a legend.
#include "model/plot.h"

#include <math.h>

#define WIDTH  880
#define HEIGHT 520
#define LEFT   80
#define RIGHT  220
#define TOP    50
#define BOTTOM 60

static const char *const colours[] = { "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e",
				       "#8c564b", "#e377c2", "#17becf", "#7f7f7f", "#bcbd22" };

#define N_COLOURS (sizeof(colours) / sizeof(colours[0]))

struct plot_scale {
	double x0, x1, y1;
	int log_x;
};

static void escaped(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", file);
		else if (*text == '>')
			fputs("&gt;", file);
		else if (*text == '&')
			fputs("&amp;", file);
		else
			fputc(*text, file);
	}
}

static void label(FILE *file, double x, double y, const char *style, const char *text)
{
	fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
	escaped(file, text);
	fputs("</text>\n", file);
}

static double place(double x, int log_x)
{
	return log_x ? log2(x) : x;
}

static double at_x(const struct plot_scale *s, double x)
{
	double span = s->x1 - s->x0;

	return LEFT +
	       (span > 0 ? (place(x, s->log_x) - s->x0) / span : 0.5) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct plot_scale *s, double y)
{
	return HEIGHT - BOTTOM - y / s->y1 * (HEIGHT - TOP - BOTTOM);
}

/* 1, 2 or 5 times a power of ten, for about eight steps up to span. */
static double nice_step(double span)
{
	double unit = pow(10, floor(log10(span / 8)));
	double times = span / 8 / unit;

	return unit * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static struct plot_scale measure(const struct lane_plot *plot)
{
	struct plot_scale s = { INFINITY, -INFINITY, 0, plot->log_x };

	for (size_t i = 0; i < plot->n_series; i++) {
		for (size_t k = 0; k < plot->series[i].n; k++) {
			s.x0 = fmin(s.x0, place(plot->series[i].x[k], s.log_x));
			s.x1 = fmax(s.x1, place(plot->series[i].x[k], s.log_x));
			s.y1 = fmax(s.y1, plot->series[i].y[k]);
		}
	}
	if (s.x0 > s.x1)
		s.x0 = s.x1 = 0;
	s.y1 = s.y1 > 0 ? s.y1 * 1.05 : 1;
	return s;
}

static void axes(FILE *file, const struct lane_plot *plot, const struct plot_scale *s)
{
	double step = nice_step(s->y1);
	char text[32];

	for (double y = 0; y <= s->y1; y += step) {
		snprintf(text, sizeof(text), "%g", y);
		fprintf(file, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", LEFT, at_y(s, y),
			WIDTH - RIGHT);
		label(file, LEFT - 6, at_y(s, y) + 4, "text-anchor=\"end\"", text);
	}
	step = s->log_x ? 1 : nice_step(s->x1 > s->x0 ? s->x1 - s->x0 : 1);
	for (double x = ceil(s->x0 / step) * step; x <= s->x1 + step / 1000; x += step) {
		double value = s->log_x ? exp2(x) : x;

		snprintf(text, sizeof(text), "%g", value);
		fprintf(file, "<path d=\"M%.1f %dV%d\" stroke=\"#ddd\"/>\n", at_x(s, value), TOP,
			HEIGHT - BOTTOM);
		label(file, at_x(s, value), HEIGHT - BOTTOM + 18, "text-anchor=\"middle\"", text);
	}
	label(file, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16, "text-anchor=\"middle\"",
	      plot->x_label);
	label(file, 20, HEIGHT / 2.0, "text-anchor=\"middle\" transform=\"rotate(-90 20 260)\"",
	      plot->y_label);
	label(file, LEFT, TOP - 20, "font-size=\"16\"", plot->title);
}

void model_plot_write(FILE *file, const struct lane_plot *plot)
{
	struct plot_scale s = measure(plot);

	fprintf(file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
		"font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT);
	axes(file, plot, &s);
	for (size_t i = 0; i < plot->n_series; i++) {
		const struct lane_series *series = &plot->series[i];
		const char *colour = colours[i % N_COLOURS];

		fprintf(file,
			"<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"",
			colour);
		for (size_t k = 0; k < series->n; k++)
			fprintf(file, "%.1f,%.1f ", at_x(&s, series->x[k]), at_y(&s, series->y[k]));
		fputs("\"/>\n", file);
		for (size_t k = 0; series->n <= 80 && k < series->n; k++)
			fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n",
				at_x(&s, series->x[k]), at_y(&s, series->y[k]), colour);
		fprintf(file, "<path d=\"M%d %zuh20\" stroke=\"%s\" stroke-width=\"3\"/>\n",
			WIDTH - RIGHT + 14, TOP + 10 + 17 * i, colour);
		label(file, WIDTH - RIGHT + 40, (double)(TOP + 14 + 17 * i), "", series->name);
	}
	fputs("</svg>\n", file);
}
