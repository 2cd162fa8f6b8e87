-- In which stage a process's requests spend their time.
SELECT process, stage, seconds, round(100 * seconds / all_seconds, 1) AS percent
FROM (SELECT process, stage, sumMerge(ns) / 1e9 AS seconds FROM gpulane.hours
	WHERE of = 'request' AND stage IN ('prepare', 'dependency', 'host_queue', 'device_queue', 'running', 'preempted', 'signal') GROUP BY process, stage)
ANY LEFT JOIN (SELECT process, sumMerge(ns) / 1e9 AS all_seconds FROM gpulane.hours
	WHERE of = 'request' AND stage = 'total' GROUP BY process) USING process
ORDER BY process, seconds DESC
