-- Since which kernel: the median and the 99th percentile of the wait for the GPU, kernel by kernel.
SELECT process, kernel, n AS requests,
	round(if(s50 < 256, s50, bitShiftLeft(toUInt64(s50 % 128 + 129), toUInt64(intDiv(s50, 128) - 1)) - 1) / 1e6, 3) AS p50_ms,
	round(if(s99 < 256, s99, bitShiftLeft(toUInt64(s99 % 128 + 129), toUInt64(intDiv(s99, 128) - 1)) - 1) / 1e6, 3) AS p99_ms
FROM (
	SELECT process, kernel, sumMapMerge(spread) AS merged, merged.1 AS slots, arrayCumSum(merged.2) AS upto, upto[-1] AS n,
		toUInt32(slots[arrayFirstIndex(x -> x >= ceil(n * 0.5), upto)]) AS s50,
		toUInt32(slots[arrayFirstIndex(x -> x >= ceil(n * 0.99), upto)]) AS s99
	FROM gpulane.hours WHERE stage = 'host_queue' AND of = 'request' GROUP BY process, kernel
) WHERE n > 0 ORDER BY process, kernel
