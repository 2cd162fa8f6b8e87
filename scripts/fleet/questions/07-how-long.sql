-- How long a process's requests take: median, 95th, 99th and 99.9th percentile, and the longest.
SELECT process, n AS requests,
	arrayMap(s -> round(if(s < 256, s, bitShiftLeft(toUInt64(s % 128 + 129), toUInt64(intDiv(s, 128) - 1)) - 1) / 1e6, 3), wanted) AS p50_p95_p99_p999_ms, round(most / 1e6, 3) AS most_ms
FROM (
	SELECT process, sumMapMerge(spread) AS merged, merged.1 AS slots, arrayCumSum(merged.2) AS upto, upto[-1] AS n, maxMerge(max_ns) AS most,
		arrayMap(q -> toUInt32(slots[arrayFirstIndex(x -> x >= ceil(n * q), upto)]), [0.5, 0.95, 0.99, 0.999]) AS wanted
	FROM gpulane.hours WHERE stage = 'total' AND of = 'request' GROUP BY process
) WHERE n > 0 ORDER BY process
