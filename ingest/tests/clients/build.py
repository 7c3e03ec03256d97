"""Builds MODEL into PLAN in Python, as the parity tests ask for it.

ACTA_TEST_STYLE    managed: with the helpers; attached: only the monitor; asyncio: build_async, whose task is cancelled
ACTA_TEST_SIGINT   start, step, finish: sends SIGINT to this process from inside that callback
Ends with 9 if no plan came out.
"""

import asyncio
import os
import signal
import sys

import acta_monitor
import tensorrt_rtx as trt

model, plan_path = sys.argv[1:3]
style = os.environ.get("ACTA_TEST_STYLE", "managed")
interrupt_in = os.environ.get("ACTA_TEST_SIGINT")
PHASE = "Optimizing graph"


class Interrupting(acta_monitor.monitor_class(trt)):
    """Sends SIGINT from inside a callback, before or after the monitor's own part."""

    on_phase = None

    def phase_start(self, name, parent, steps):
        if interrupt_in == "start" and name == PHASE:
            os.kill(os.getpid(), signal.SIGINT)
        super().phase_start(name, parent, steps)
        if self.on_phase is not None and name == PHASE:
            self.on_phase()

    def step_complete(self, name, step):
        goes_on = super().step_complete(name, step)
        if interrupt_in == "step" and name == PHASE and step == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return goes_on

    def phase_finish(self, name):
        if interrupt_in == "finish" and name == PHASE:
            os.kill(os.getpid(), signal.SIGINT)
        super().phase_finish(name)


monitor = Interrupting()
builder = trt.Builder(monitor.logger())
network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
parser = trt.OnnxParser(network, builder.logger)
config = builder.create_builder_config()


async def cancelled_task():
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    monitor.on_phase = lambda: loop.call_soon_threadsafe(task.cancel)
    return await acta_monitor.build_async(builder, network, config, monitor=monitor)


if style == "attached":
    with open(model, "rb") as file:
        assert parser.parse(file.read())
    config.progress_monitor = monitor
    plan = builder.build_serialized_network(network, config)
    if plan is None:
        sys.exit(9)
    with open(plan_path, "wb") as file:
        file.write(plan)
else:
    try:
        if style == "asyncio":
            assert monitor.parse(parser, model)
            plan = asyncio.run(cancelled_task())
        else:
            with monitor:
                assert monitor.parse(parser, model)
                plan = acta_monitor.build(builder, network, config, monitor=monitor)
    except (acta_monitor.BuildCancelled, asyncio.CancelledError):
        sys.exit(9)
    monitor.save(plan, plan_path)
