-- What is not known: requests with bounds only or with nothing, and events lost, by kernel.
SELECT kernel, known, bounded, unknown, events, lost
FROM (SELECT kernel, sumMerge(count) AS known, sumMerge(bounded) AS bounded, sumMerge(unknown) AS unknown FROM gpulane.hours
	WHERE of = 'request' AND stage = 'total' GROUP BY kernel)
ANY LEFT JOIN (SELECT kernel, sum(events) AS events, sum(lost) AS lost FROM gpulane.minutes GROUP BY kernel) USING kernel ORDER BY kernel
