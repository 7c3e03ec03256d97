"""The build call, with everything around it told to the supervisor."""

from __future__ import annotations

import asyncio
import concurrent.futures
from typing import Any, Optional

from ._monitor import ActaMonitor


class BuildCancelled(Exception):
    """The build was asked to stop, and stopped."""


class BuildFailed(Exception):
    """The library returned no plan, and nobody had asked it to stop."""


def build(builder: Any, network: Any, config: Any, *, monitor: Optional[ActaMonitor] = None) -> Any:
    """Builds a serialized engine under a monitor, and returns it.

    A cancel that came before the call is obeyed without it. Raises ``BuildCancelled`` or ``BuildFailed`` where no plan
    came out. A plan that came out although somebody had asked is returned: the library may ignore a late request.
    """
    if monitor is None:
        monitor = ActaMonitor()
    with monitor:
        monitor.describe(builder, network, config)
        if monitor.cancel_requested:
            monitor._link.put({"type": "done", "stoppedOutsideBuild": True})
            raise BuildCancelled("asked to stop before the build call")
        config.progress_monitor = monitor
        monitor.milestone("build_begins")
        plan = builder.build_serialized_network(network, config)
        monitor.milestone("build_returned")
        if plan is not None:
            return plan
        if monitor.cancel_requested:
            raise BuildCancelled("the library stopped at a step, as asked")
        raise BuildFailed("the library returned no plan; its log says why")


async def build_async(builder: Any, network: Any, config: Any, *, monitor: Optional[ActaMonitor] = None) -> Any:
    """Builds on a thread of its own while the event loop goes on.

    Cancelling the task asks the library to stop (source ``event_loop``), waits until its call has returned (nothing else
    can end it), and then raises ``asyncio.CancelledError``.
    """
    if monitor is None:
        monitor = ActaMonitor()
    loop = asyncio.get_running_loop()
    executor = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="acta-build")
    building = loop.run_in_executor(executor, lambda: build(builder, network, config, monitor=monitor))
    try:
        return await asyncio.shield(building)
    except asyncio.CancelledError:
        monitor.request_cancel("event_loop", "the asyncio task was cancelled")
        while not building.done():
            try:
                await asyncio.shield(building)
            except asyncio.CancelledError:
                continue  # Asked again: the library still has to return.
            except (BuildCancelled, BuildFailed):
                break
        raise
    finally:
        executor.shutdown(wait=False)
