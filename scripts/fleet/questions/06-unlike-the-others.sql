-- Which hosts are unlike the others: a process takes over three times as long there as in the fleet.
SELECT host, process, ms_each, fleet_ms_each, round(ms_each / fleet_ms_each, 2) AS times
FROM (SELECT host, process, sumMerge(ns) / sumMerge(count) / 1e6 AS ms_each FROM gpulane.host_hours
	WHERE of = 'request' AND stage = 'total' GROUP BY host, process)
ANY LEFT JOIN (SELECT process, sumMerge(ns) / sumMerge(count) / 1e6 AS fleet_ms_each FROM gpulane.hours
	WHERE of = 'request' AND stage = 'total' GROUP BY process) USING process
WHERE ms_each > 3 * fleet_ms_each ORDER BY times DESC LIMIT 20
