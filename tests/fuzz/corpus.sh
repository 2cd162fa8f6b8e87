# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
# What each fuzz target begins with, sourced: directories; a target that is not named begins with nothing.
declare -A corpus=([report]="tests/fuzz/corpus/report" [text]="tests/golden/norm" [atp]="tests/import/good tests/import/bad"
	[model]="tests/fuzz/corpus/model" [recording]="tests/fuzz/corpus/recording" [pairs]="tests/fuzz/corpus/pairs"
	[ctf]="tests/fuzz/corpus/ctf" [metadata]="tests/fuzz/corpus/metadata tests/golden/norm/lttng-2.13.rec")
