-- Where it is worst: the hosts on which a request waits longest for the GPU on average.
SELECT host, kernel, process, sumMerge(count) AS requests, round(sumMerge(ns) / sumMerge(count) / 1e6, 3) AS ms_each, round(maxMerge(max_ns) / 1e6, 3) AS ms_most
FROM gpulane.host_hours WHERE stage = 'host_queue' AND of = 'request'
GROUP BY host, kernel, process HAVING requests > 0 ORDER BY ms_each DESC LIMIT 20
