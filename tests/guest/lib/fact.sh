# shellcheck shell=bash
# Values of recordings, for suites in the guest, where jq starts slowly. $TOP: this tree. To be read behind tests/lib/suite.sh, whose `fact`
# this one takes the place of.

# fact DIR PATH - those of its recording.json that the path of json.awk names
fact() { awk -v path="$2" -f "$TOP/tests/guest/lib/json.awk" "$1/recording.json"; }

# total DIR PATH - their sum
total() { awk -v path="$2" -v sum=1 -f "$TOP/tests/guest/lib/json.awk" "$1/recording.json"; }
