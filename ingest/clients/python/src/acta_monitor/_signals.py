"""Ctrl-C during a build call.

A build call holds Python's main thread inside the library. Python runs signal handlers on that thread only, between two
of its own instructions: inside a callback, or when the call has returned. A handler that raises may do so before the
callback's first line, where nothing can catch it; the library's binding then drops it in ``phase_start`` and
``phase_finish``, and the Ctrl-C is lost.

So the handler here never raises: it notes the request in one attribute, which the next step reads. Beside it, the
signal's byte arrives in a socket (``signal.set_wakeup_fd``, written by C code at the moment of the signal), and a thread
that waits there takes the time and tells the supervisor, also while the library makes no callback for minutes.
"""

from __future__ import annotations

import signal
import socket
import threading
import time
from typing import Any, Callable, Optional


class Interrupts:
    """Handles SIGINT between ``install`` and ``restore``; both on the main thread, else they do nothing."""

    def __init__(self, on_interrupt: Callable[[int], None]) -> None:
        self.pending_at: Optional[int] = None
        self._on_interrupt = on_interrupt
        self._previous: Any = None
        self._previous_fd = -1
        self._sockets: Optional[tuple] = None
        self.installed = False

    def install(self) -> bool:
        """Begins, unless this is not the main thread, or the program ignores SIGINT or handles it in its own way."""
        if self.installed or threading.current_thread() is not threading.main_thread():
            return False
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            return False
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        self._sockets = (ours, theirs)
        threading.Thread(target=self._watch, args=(ours,), name="acta-signals", daemon=True).start()
        # From here on no handler raises.
        self._previous = signal.signal(signal.SIGINT, self._note)
        self._previous_fd = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        self.installed = True
        return True

    def restore(self) -> None:
        """Ends: the program's own handler is back."""
        if not self.installed or threading.current_thread() is not threading.main_thread():
            return
        signal.set_wakeup_fd(self._previous_fd)
        signal.signal(signal.SIGINT, self._previous)
        self.installed = False
        if self._sockets is not None:
            ours, theirs = self._sockets
            self._sockets = None
            # The end of the stream ends the thread, after whatever is still in it.
            theirs.close()

    def _note(self, _number: int, _frame: Any) -> None:
        if self.pending_at is None:
            self.pending_at = time.monotonic_ns()

    def _watch(self, ours: socket.socket) -> None:
        with ours:
            while True:
                numbers = ours.recv(64)
                if not numbers:
                    return
                if signal.SIGINT in numbers:
                    self._on_interrupt(time.monotonic_ns())
