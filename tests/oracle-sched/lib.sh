# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What tests/oracle-sched/run and tests/oracle-sched/compare share, sourced; B is the build directory.

# The simulator; the sanitizer's remark on fibers says nothing about it.
oracle() {
	"$B/tests/oracle-sched/gpulane-oracle-sched" "$@" 2> >(grep -v 'makecontext/swapcontext' >&2)
}

# checker TRUTH TOLD [TICK] - `count WHAT N` and `wrong ...` lines
checker() {
	jq -nr --slurpfile truth "$1" --slurpfile told "$2" --argjson tick "${3:-1}" -f tests/oracle-sched/check.jq
}

# pretend HOW TRUTH - the truth as it might be told
pretend() {
	jq -c --arg how "$1" -f tests/oracle-sched/pretend.jq "$2"
}
