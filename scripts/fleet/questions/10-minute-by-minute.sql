-- Minute by minute: how many requests ended, how long they waited for the GPU, how many were late, in the last hour there is.
SELECT time, sumIf(count, stage = 'total') AS requests, round(sumIf(ns, stage = 'host_queue') / sumIf(count, stage = 'host_queue') / 1e6, 3) AS wait_ms, sum(hits) AS late
FROM gpulane.rows WHERE of = 'request' AND stage IN ('total', 'host_queue') AND time > (SELECT max(time) FROM gpulane.minutes) - 3600
GROUP BY time ORDER BY time
