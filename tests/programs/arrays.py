# SPDX-License-Identifier: MIT
# What PyOpenCL makes of OpenCL, by its own queues, events, call-backs and algorithms: prints what came out and what each call was
# told. Queues are as PyOpenCL makes them by itself, without profiling, but for one that asks for it.
import threading

import numpy as np
import pyopencl as cl
import pyopencl.array
import pyopencl.reduction
import pyopencl.scan

SOURCE = """
kernel void histogram(global const uint *in, global uint *bins) { atomic_inc(&bins[in[get_global_id(0)] % 16]); }
kernel void steps(global uint *x, uint n) { uint a = x[get_global_id(0)]; for (uint i = 0; i < n; i++) a = a * 7 + i; x[get_global_id(0)] = a; }
"""

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
print("queue", queue.properties)
program = cl.Program(context, SOURCE).build()
values = np.arange(65536, dtype=np.uint32) * np.uint32(2654435761)
source = cl.Buffer(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
bins = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
counted = np.empty(16, np.uint32)
cl.enqueue_fill_buffer(queue, bins, np.uint32(0), 0, 64)
for _ in range(10):
    program.histogram(queue, values.shape, None, source, bins)
cl.enqueue_copy(queue, counted, bins)
print("histogram", counted.tolist())

# an event without times says so, with the layer as without
event = program.histogram(queue, values.shape, (64,), source, bins)
event.wait()
try:
    print("unasked times", event.profile.end >= event.profile.start)
except cl.RuntimeError as error:
    print("unasked times", error.code)
timed = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
event = program.histogram(timed, values.shape, None, source, bins)
event.wait()
print("times", event.profile.queued <= event.profile.submit <= event.profile.start <= event.profile.end)

# a call-back, and a kernel that waits for an event of the program's
called = threading.Event()
gate = cl.UserEvent(context)
event = program.steps(queue, (16,), None, bins, np.uint32(100), wait_for=[gate])
event.set_callback(cl.command_execution_status.COMPLETE, lambda status: called.set())
queue.flush()
print("held", event.command_execution_status > 0)
gate.set_status(cl.command_execution_status.COMPLETE)
event.wait()
print("called back", called.wait(60))

array = cl.array.to_device(queue, values.astype(np.float32))
print("sum", float(cl.array.sum(array * 2 + 1).get()))
print("dot", float(cl.array.dot(array[:1024], array[:1024]).get()) > 0)
scan = cl.scan.InclusiveScanKernel(context, np.uint32, "a+b", neutral="0")
summed = cl.array.to_device(queue, np.ones(4096, np.uint32))
scan(summed)
print("scan", summed.get()[-1])

# four threads with a queue each
results = [0] * 4
def work(k):
    own = cl.CommandQueue(context)
    kernel = cl.Kernel(program, "steps")
    data = cl.array.to_device(own, np.full(256, k, np.uint32))
    for i in range(25):
        kernel(own, data.shape, None, data.data, np.uint32(10))
    results[k] = int(data.get()[0])
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("threads", results)
try:
    cl.Program(context, "kernel void no(").build()
except cl.RuntimeError as error:
    print("no program", error.code)
