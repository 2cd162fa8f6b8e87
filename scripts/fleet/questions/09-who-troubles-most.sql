-- Who troubles most hosts: culprits by the number of hosts on which they delay somebody.
SELECT culprit, uniqMerge(hosts) AS on_hosts, uniq(process) AS processes, round(sumMerge(ns) / 1e9, 3) AS seconds
FROM gpulane.hours WHERE of = 'request' AND stage != 'total' AND culprit != '' GROUP BY culprit ORDER BY on_hosts DESC, seconds DESC LIMIT 20
