-- What the hosts of a fleet tell (docs/fleet.md), for ClickHouse from 18.16 on; to be given to each shard. The cluster is
-- called gpulane. Tables *_local are a shard's own; those without it are all shards'. A host's rows are on one shard.

CREATE DATABASE IF NOT EXISTS gpulane;

-- A row as `gpulane watch --rows` writes it. Durations in ns; ns: the sum of the upper bounds, least_ns of the lower ones.
CREATE TABLE IF NOT EXISTS gpulane.rows_local (
	time DateTime, host String, kernel String, driver String, gpu String, engine String,
	process String, of String, stage String, cause String, culprit String,
	count UInt64, bounded UInt64, unknown UInt64, hits UInt64, least_ns UInt64, ns UInt64, max_ns UInt64,
	slots Array(UInt16), counts Array(UInt32)
) ENGINE = MergeTree PARTITION BY toDate(time) ORDER BY (process, stage, host, time);

CREATE TABLE IF NOT EXISTS gpulane.rows AS gpulane.rows_local
	ENGINE = Distributed(gpulane, gpulane, rows_local, cityHash64(host));

-- A hit.
CREATE TABLE IF NOT EXISTS gpulane.hits_local (
	time_ns UInt64, time DateTime DEFAULT toDateTime(intDiv(time_ns, 1000000000)), host String, kernel String,
	driver String, gpu String, engine String, process String, of String, cause String, culprit String,
	ns UInt64, limit_ns UInt64, repeats UInt64, lost UInt64, recording String, not_written String
) ENGINE = MergeTree PARTITION BY toDate(time) ORDER BY (process, culprit, host, time_ns);

CREATE TABLE IF NOT EXISTS gpulane.hits AS gpulane.hits_local
	ENGINE = Distributed(gpulane, gpulane, hits_local, cityHash64(host));

-- How a host's minute was: events seen and lost.
CREATE TABLE IF NOT EXISTS gpulane.minutes_local (
	time DateTime, host String, kernel String, events UInt64, lost UInt64, losses UInt64, rows UInt64, names UInt64,
	unwritten UInt64
) ENGINE = MergeTree PARTITION BY toDate(time) ORDER BY (host, time);

CREATE TABLE IF NOT EXISTS gpulane.minutes AS gpulane.minutes_local
	ENGINE = Distributed(gpulane, gpulane, minutes_local, cityHash64(host));

-- The roll-up that most questions are asked of: an hour of all hosts with a kernel. Its histogram is merged by adding what is
-- under the same slot.
CREATE TABLE IF NOT EXISTS gpulane.hours_local (
	hour DateTime, kernel String, driver String, engine String,
	process String, of String, stage String, cause String, culprit String,
	hosts AggregateFunction(uniq, String),
	count AggregateFunction(sum, UInt64), bounded AggregateFunction(sum, UInt64), unknown AggregateFunction(sum, UInt64),
	hits AggregateFunction(sum, UInt64), least_ns AggregateFunction(sum, UInt64), ns AggregateFunction(sum, UInt64),
	max_ns AggregateFunction(max, UInt64), spread AggregateFunction(sumMap, Array(UInt16), Array(UInt32))
) ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(hour)
	ORDER BY (process, stage, culprit, cause, of, kernel, driver, engine, hour);

CREATE MATERIALIZED VIEW IF NOT EXISTS gpulane.hours_of_rows TO gpulane.hours_local AS
	SELECT toStartOfHour(time) AS hour, kernel, driver, engine, process, of, stage, cause, culprit,
		uniqState(host) AS hosts, sumState(count) AS count, sumState(bounded) AS bounded, sumState(unknown) AS unknown,
		sumState(hits) AS hits, sumState(least_ns) AS least_ns, sumState(ns) AS ns, maxState(max_ns) AS max_ns,
		sumMapState(slots, counts) AS spread
	FROM gpulane.rows_local GROUP BY hour, kernel, driver, engine, process, of, stage, cause, culprit;

CREATE TABLE IF NOT EXISTS gpulane.hours AS gpulane.hours_local ENGINE = Distributed(gpulane, gpulane, hours_local);

-- An hour of a host, without the histogram: where it is.
CREATE TABLE IF NOT EXISTS gpulane.host_hours_local (
	hour DateTime, host String, kernel String, driver String, gpu String, engine String, process String, of String,
	stage String, count AggregateFunction(sum, UInt64), hits AggregateFunction(sum, UInt64),
	ns AggregateFunction(sum, UInt64), max_ns AggregateFunction(max, UInt64)
) ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(hour)
	ORDER BY (process, stage, host, hour, kernel, driver, gpu, engine, of);

CREATE MATERIALIZED VIEW IF NOT EXISTS gpulane.host_hours_of_rows TO gpulane.host_hours_local AS
	SELECT toStartOfHour(time) AS hour, host, kernel, driver, gpu, engine, process, of, stage,
		sumState(count) AS count, sumState(hits) AS hits, sumState(ns) AS ns, maxState(max_ns) AS max_ns
	FROM gpulane.rows_local GROUP BY hour, host, kernel, driver, gpu, engine, process, of, stage;

CREATE TABLE IF NOT EXISTS gpulane.host_hours AS gpulane.host_hours_local
	ENGINE = Distributed(gpulane, gpulane, host_hours_local);
