// SPDX-License-Identifier: MIT
// Takes the page's files into the program.
#include "show/html_assets.h"

/* ASSET(name, files): the files, given to .incbin one by one, and a byte 0. */
#define ASSET(name, files)                                                                         \
	__asm__(".section .rodata\n\t.global " #name "\n" #name ":\n" files "\t.byte 0\n"          \
		"\t.previous\n");

#define FILE_OF(path) "\t.incbin \"userspace/show/html/" path "\"\n"

ASSET(lane_html_head, FILE_OF("head.html"))
ASSET(lane_html_style, FILE_OF("style.css"))
ASSET(lane_html_body, FILE_OF("body.html"))
ASSET(lane_html_code,
      FILE_OF("data.js") FILE_OF("text.js") FILE_OF("figures.js") FILE_OF("rows.js")
	      FILE_OF("opencl.js") FILE_OF("paint.js") FILE_OF("range.js") FILE_OF("histogram.js")
		      FILE_OF("detail.js") FILE_OF("search.js") FILE_OF("critical.js")
			      FILE_OF("address.js") FILE_OF("view.js"))

void show_html_text(FILE *to, const char *text)
{
	for (; *text; text++)
		if (*text == '<')
			fputs("&lt;", to);
		else if (*text == '&')
			fputs("&amp;", to);
		else
			putc(*text, to);
}
