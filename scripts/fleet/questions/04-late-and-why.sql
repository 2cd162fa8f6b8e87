-- What was late, why and by whom: the hits, grouped as watch groups them, with the worst one's recording.
SELECT process, cause, culprit, count() AS hits, uniq(host) AS on_hosts, round(max(ns) / 1e6, 3) AS ms_most, argMax(host, ns) AS worst_host, argMax(recording, ns) AS worst_recording
FROM gpulane.hits GROUP BY process, cause, culprit ORDER BY hits DESC LIMIT 20
