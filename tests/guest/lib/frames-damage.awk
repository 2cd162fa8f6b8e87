# A dump of which something is missing, and says so. -v seed=N and one of:
#   -v lost=PERCENT  so many of the events are lost, singly and in bursts
#   -v absent=EVENT  events of that name could not be recorded
#   -v from_ns=NS    the recording begins then
function tell() {
	if (!n)
		return
	printf "%s 0 -/- - gpulane_lost count=%d begin_ns=%s end_ns=%s lost_cpu=%d\n", $1, n, begin, $1, is_one ? cpu : -1
	n = 0
}
BEGIN { srand(seed) }
!/^[0-9]/ {
	if (absent && $1 == "recorded" && $2 == absent)
		$1 = "absent"
	print
	next
}
absent && $5 == absent { next }
from_ns && $1 < from_ns { next }
lost && (burst > 0 || rand() < lost / 100 / 3) {
	# Two of three losses in a burst, so that there are `lost` of a hundred.
	burst = burst > 0 ? burst - 1 : int(rand() * 5)
	if (!n) { begin = $1; is_one = 1; cpu = $2 }
	is_one = is_one && cpu == $2
	n++
	next
}
{ tell(); print }
