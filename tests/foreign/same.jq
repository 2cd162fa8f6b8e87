# What reports of one run say, whoever recorded it: all but times, which each tracer takes on its own.
{ requests: (.requests | { complete, partial, unknown }), lost: .lost.events,
  contexts: [.contexts[] | { context, client, engine, requests }],
  clients: [.clients[] | { client, complete, partial, unknown, waits, preempted }],
  engines: [.engines[] | { engine, requests, runs, preemptions, host_queue_max, device_queue_max }],
  culprits: ([.cpu_preemptions[] | select(.runnable_ns > 10000000) | { thread, culprit, cpu }] | sort) }
