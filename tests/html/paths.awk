# SPDX-License-Identifier: MIT
# The longest request, 7:n, behind n - 1 others: `among` ones that ran in its time, each as long, or, where `kind` says so, before it: they were
# preempted, or nobody says when they were signalled.
function rq(at, what, ctx, seqno, more) { printf "%.0f 0 %d/%d tracepoint i915_request_%s ctx=%d dev=0 seqno=%d%s\n", at, ctx + 73, ctx + 73, what, ctx, seqno, more }
function fence(at, what, ctx, seqno) { if (kind != "unsignalled") printf "%.0f 0 0/0 tracepoint dma_fence_%s context=%d seqno=%d\n", at, what, ctx, seqno }
function made(at, ctx, seqno) { rq(at, "queue", ctx, seqno); rq(at, "add", ctx, seqno); rq(at, "submit", ctx, seqno) }
function goes_in(at, ctx, seqno, prio) { rq(at, "execute", ctx, seqno); rq(at, "in", ctx, seqno, " port=0 prio=" prio) }
function ends(at, ctx, seqno) { fence(at, "signaled", ctx, seqno); rq(at, "out", ctx, seqno, " completed=1"); rq(at + 100, "retire", ctx, seqno) }
BEGIN {
	print "gpulane-events 1\ninfo release 6.1.0\ninfo submission execlists"
	n_events = split("queue add submit execute unsubmit in out retire", events, " ")
	for (i = 1; i <= n_events; i++)
		print "recorded i915_request_" events[i]
	if (kind != "unsignalled")
		print "recorded dma_fence_signaled\nrecorded dma_fence_enable_signal"
	t = 1000000
	if (kind == "among")
		made(t, 7, n)
	for (i = 1; i < n; i++) {
		made(t, 8, i); goes_in(t, 8, i, 0); fence(t, "enable_signal", 8, i)
		if (kind == "preempted") {
			made(t + 200, 9, i); rq(t + 210, "unsubmit", 8, i); goes_in(t + 220, 9, i, 1024); rq(t + 230, "out", 8, i, " completed=0"); fence(t + 240, "enable_signal", 9, i)
			fence(t + 500, "signaled", 9, i); rq(t + 510, "execute", 8, i); rq(t + 510, "out", 9, i, " completed=1"); rq(t + 520, "in", 8, i, " port=0 prio=0"); rq(t + 530, "retire", 9, i)
		}
		t += 1000
		fence(t, "signaled", 8, i); rq(t, "out", 8, i, " completed=1")
		if (kind != "among")
			rq(t + 10, "retire", 8, i)
		t += kind == "among" ? 0 : 20
	}
	if (kind != "among")
		made(t, 7, n)
	goes_in(t, 7, n, 0); fence(t, "enable_signal", 7, n)
	ends(t + (kind == "among" ? 1000 : 50000000), 7, n)
}
