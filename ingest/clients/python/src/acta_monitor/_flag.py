"""The single cancellation state of a build: one integer that callbacks read.

::

    IDLE --request--> REQUESTED --a step answers "stop"--> ACKNOWLEDGED
     +--the write begins--> WRITING --request--> WRITING_REQUESTED      (the request waits)

Callbacks only read it; whoever changes it holds a lock for the few instructions that this takes.
"""

from __future__ import annotations

import threading

IDLE, REQUESTED, ACKNOWLEDGED, WRITING, WRITING_REQUESTED = range(5)

# Each state as an event tells it.
STATE_NAMES = ("none", "requested", "acknowledged", "none", "requested")


def stops(state: int) -> bool:
    """Whether a step that reads this state answers "stop"."""
    return state in (REQUESTED, ACKNOWLEDGED)


class CancelFlag:
    """The state."""

    def __init__(self) -> None:
        self.value = IDLE
        self._lock = threading.Lock()

    def request(self) -> str:
        """Asks to stop; says ``delivered``, ``deferred`` (a plan is being written) or ``again``."""
        with self._lock:
            if self.value == IDLE:
                self.value = REQUESTED
                return "delivered"
            if self.value == WRITING:
                self.value = WRITING_REQUESTED
                return "deferred"
            return "again"

    def acknowledge(self) -> None:
        """A step has answered "stop"."""
        with self._lock:
            if self.value == REQUESTED:
                self.value = ACKNOWLEDGED

    def begin_write(self) -> None:
        """Begins the time in which requests wait."""
        with self._lock:
            self.value = WRITING if self.value == IDLE else WRITING_REQUESTED

    def end_write(self) -> None:
        """Ends it: a request that waited stands."""
        with self._lock:
            self.value = IDLE if self.value == WRITING else REQUESTED

    @property
    def asked(self) -> bool:
        """Whether anybody has asked."""
        return self.value not in (IDLE, WRITING)
