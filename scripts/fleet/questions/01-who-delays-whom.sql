-- Who delays whom: of the time that requests took in stages with a culprit, on how many hosts.
SELECT process, culprit, stage, round(sumMerge(ns) / 1e9, 3) AS seconds, sumMerge(count) AS requests, uniqMerge(hosts) AS on_hosts
FROM gpulane.hours WHERE of = 'request' AND stage != 'total' AND culprit != ''
GROUP BY process, culprit, stage ORDER BY seconds DESC LIMIT 20
