# shellcheck shell=bash
# shellcheck disable=SC2034 # the suites use what is set here
# The beginning of a suite's second half, in the guest that replay_suite boots: where it is, a folder of its own, the report.
TOP=$(realpath "$(dirname "$0")/../..")
cd "$TOP" || exit 1
T=$(mktemp -d /run/suite.XXXXXX)
chmod 755 "$T"
exec >"$GPULANE_OUT/report"
client=$B/tests/replay/gl-client
G=$B/gpulane
. tests/guest/lib/verdict.sh
