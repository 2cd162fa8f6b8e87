/* SPDX-License-Identifier: MIT */
/* The files of html/, as they are; each ends in a byte 0. */
#ifndef LANE_SHOW_HTML_ASSETS_H
#define LANE_SHOW_HTML_ASSETS_H

/* What the page's script begins with, before the files. */
#define LANE_HTML_STRICT "\n\"use strict\";\n"

extern const char lane_html_head[], lane_html_style[], lane_html_body[], lane_html_code[];

#endif
