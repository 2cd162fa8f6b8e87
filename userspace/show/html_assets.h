/* SPDX-License-Identifier: MIT */
/* What pages are made of: the files of html/, as they are, each with a byte 0 at its end; text. */
#ifndef LANE_SHOW_HTML_ASSETS_H
#define LANE_SHOW_HTML_ASSETS_H

#include <stdio.h>

/* What the page's script begins with, before the files. */
#define LANE_HTML_STRICT "\n\"use strict\";\n"

extern const char lane_html_head[], lane_html_style[], lane_html_body[], lane_html_code[];

/* Text between tags; it is fit to be shown already. */
void show_html_text(FILE *to, const char *text);

#endif
