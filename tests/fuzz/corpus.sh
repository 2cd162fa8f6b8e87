# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
# What each fuzz target begins with, sourced: directories; a target that is not named begins with nothing. And its share
# of all inputs, per thousand: what takes a trace through the whole pipeline makes some hundred a second, a reader 50000.
traces="tests/fuzz/corpus/report tests/golden/report tests/golden/commands tests/golden/critical tests/golden/requests tests/golden/json"
declare -A corpus=([report]="$traces" [lists]="$traces" [page]="$traces" [perfetto]="$traces" [export]="$traces"
	[rewrite]="$traces tests/golden/norm" [text]="tests/golden/norm" [atp]="tests/import/good"
	[model]="tests/fuzz/corpus/model" [recording]="tests/fuzz/corpus/recording" [pairs]="tests/fuzz/corpus/pairs"
	[ctf]="tests/fuzz/corpus/ctf" [metadata]="tests/fuzz/corpus/metadata tests/golden/norm/lttng-2.13.rec"
	[foreign]="tests/fuzz/corpus/foreign" [ctf2]="tests/fuzz/corpus/ctf2" [tsdl]="tests/fuzz/corpus/tsdl tests/fuzz/corpus/metadata"
	[tracedat]="tests/fuzz/corpus/tracedat" [perfdata]="tests/fuzz/corpus/perfdata" [printed]="tests/fuzz/corpus/printed" [pftrace]="tests/fuzz/corpus/pftrace"
	[elf]="tests/fuzz/corpus/elf" [http]="tests/fuzz/corpus/http" [watch]="tests/fuzz/corpus/watch")
declare -A share=([watch]=20 [pftrace]=40 [tracedat]=40 [perfdata]=40 [printed]=40 [atp]=98 [recording]=105 [pairs]=100 [elf]=20 [http]=10 [tcp]=15 [tsdl]=110 [ctf2]=50 [foreign]=40 [text]=40 [rewrite]=30 [metadata]=20 [ctf]=15 [model]=10 [write]=8
	[perfetto]=4 [report]=3 [lists]=3 [export]=2 [page]=2)
