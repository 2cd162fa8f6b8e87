# What a filtered recording holds against an unfiltered one of the same time, both as babeltrace2 prints
# them (--clock-cycles): `filtered.py CHECK ALL FILTERED [ARGUMENT]`, silent when all is well.
import collections
import re
import sys

LINE = re.compile(r"^\[(\d+)\].* ([a-z0-9_]+): \{ cpu_id = (\d+) \}, \{(.*?)\}, \{(.*)\}")
FIELD = re.compile(r"(\w+) = (?:\( (\"[^\"]*\") : container = (\d+) \)|(\"[^\"]*\"|0x[0-9A-Fa-f]+|-?\d+))")


def fields(text):
    return {m[1]: (m[2] or m[4]).strip('"') for m in FIELD.finditer(text)}


def load(path):
    events = []
    for line in open(path):
        m = LINE.match(line)
        if not m:
            sys.exit(f"{path}: {line}: not understood")
        events.append((int(m[1]), m[2], int(m[3]), fields(m[4]), fields(m[5])))
    return events


def keys(events):
    """Per kind and context, in order, what identifies a request's events."""
    out = collections.defaultdict(list)
    for _, name, _, _, f in events:
        if name.startswith("i915_request_"):
            out[name, f["ctx"]].append((f["seqno"], f["class"], f["instance"]))
        elif name.startswith("dma_fence_"):
            out[name, f["context"]].append(f["seqno"])
    return out


def contexts(events):
    return {f["ctx"] for _, name, _, _, f in events if name.startswith("i915_request_")}


def want(condition, *what):
    if not condition:
        sys.exit(" ".join(str(w) for w in what))


def same_contexts(everything, filtered, wanted):
    """The filtered recording has these contexts' events, all of them, and no others'."""
    a, b = keys(everything), keys(filtered)
    want(contexts(filtered) == wanted, "contexts", contexts(filtered), "wanted", wanted)
    want(len(contexts(everything)) > len(wanted), "nothing to leave out")
    for kind, ctx in set(a) | set(b):
        if ctx in wanted and not kind.startswith("dma_fence_wait"):
            want(a[kind, ctx] == b[kind, ctx], kind, ctx, len(a[kind, ctx]), len(b[kind, ctx]))


def by_process(everything, filtered, pid):
    owners = {f["ctx"] for _, name, _, c, f in everything
              if name == "i915_request_queue" and c["pid"] == pid}
    want(owners, "process", pid, "has no context")
    same_contexts(everything, filtered, owners)
    for name in ("execute", "in", "out", "retire"):
        want(any(k == "i915_request_" + name for k, _ in keys(filtered)), "no", name)


def by_engine(everything, filtered, engine):
    wanted = tuple(engine.split(":"))
    chosen = [e for e in everything if (e[4].get("class"), e[4].get("instance")) == wanted]
    others = [e for e in filtered if e[1].startswith("i915_")
              and (e[4]["class"], e[4]["instance"]) != wanted]
    want(not others, "another engine's", others[:1])
    want(chosen and len(contexts(everything)) > len(contexts(chosen)), "nothing to leave out")
    a, b = keys(chosen), keys(filtered)
    for key in set(a) | set(b):
        if key[0].startswith("i915_"):
            want(a[key] == b[key], key, len(a[key]), len(b[key]))


def culprits(everything, filtered, pid):
    """Every switch of a followed thread, and those on its CPU while it could run and did not."""
    have = collections.Counter()
    for _, name, cpu, _, f in filtered:
        if name == "sched_switch":
            have[cpu, f["prev_tid"], f["next_tid"]] += 1
    waiting, needed, foreign, total = {}, collections.Counter(), 0, 0
    begin, end = filtered[0][0], filtered[-1][0]
    for when, name, cpu, _, f in everything:
        if not begin <= when <= end:
            continue
        if name in ("sched_wakeup", "sched_wakeup_new") and f["tid"] == pid:
            waiting[pid] = int(f["target_cpu"])
        elif name == "sched_migrate_task" and f["tid"] == pid and pid in waiting:
            waiting[pid] = int(f["dest_cpu"])
        elif name == "sched_switch":
            total += 1
            ours = pid in (f["prev_tid"], f["next_tid"])
            if ours or cpu in waiting.values():
                needed[cpu, f["prev_tid"], f["next_tid"]] += 1
                foreign += not ours
            if f["next_tid"] == pid:
                waiting.pop(pid, None)
            if f["prev_tid"] == pid:
                waiting.pop(pid, None)
                if f["prev_state"] == "0":
                    waiting[pid] = cpu
    want(foreign, "nobody ran in the thread's place")
    # a switch at the moment of the wake-up may be on either side of it
    short = {k: n - have[k] for k, n in needed.items() if have[k] < n}
    want(sum(short.values()) <= 2, "missing switches", short)
    want(sum(have.values()) < total, "all switches recorded", total)


everything, filtered = load(sys.argv[2]), load(sys.argv[3])
{"process": by_process, "engine": by_engine, "culprits": culprits}[sys.argv[1]](
    everything, filtered, sys.argv[4])
