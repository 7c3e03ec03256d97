"""The way to the supervisor: a bounded queue that callbacks fill, a thread that empties it, a thread that hears orders."""

from __future__ import annotations

import base64
import collections
import hashlib
import json
import os
import socket
import sys
import threading
import time
from typing import Any, Callable, Deque, Dict, Optional, Union

SOCKET_VARIABLE = "ACTA_EVENTS"
PROTOCOL = 1

# How many messages wait at most; one more is counted as lost.
CAPACITY = 65_536
# How long the queue fills at most before it is emptied, in seconds.
ROUND_S = 0.002
# The longest line in bytes, its end included.
MAX_LINE_BYTES = 65_536
# How many bytes of a phase's name travel; of a longer one the digest goes along.
NAME_BYTES = 512
# The longest log message in bytes.
MESSAGE_BYTES = 4096
# How long the end of the program waits for what is still to be sent, in seconds.
CLOSE_S = 2.0

Message = Dict[str, Any]


def wire_name(name: Union[str, bytes]) -> Union[str, Dict[str, str]]:
    """A phase's name as it travels: text, or base64 for what is no UTF-8, with the digest of the whole where it is cut."""
    whole = name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")
    kept = whole[:NAME_BYTES]
    parts: Dict[str, str] = {}
    if len(whole) > NAME_BYTES:
        parts["digest"] = hashlib.sha256(whole).hexdigest()
    try:
        text = kept.decode("utf-8")
    except UnicodeDecodeError:
        parts["base64"] = base64.b64encode(kept).decode("ascii")
        return parts
    if not parts:
        return text
    parts["text"] = text
    return parts


def cut(text: str, most: int) -> str:
    """Cuts a text to so many bytes of UTF-8."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


class Link:
    """A connection to the supervisor; one that could not be made, or broke, takes messages and drops them."""

    def __init__(self, on_cancel: Callable[[str, int], None]) -> None:
        self._on_cancel = on_cancel
        self._queue: Deque[Message] = collections.deque()
        self._lost_events = 0
        self._lost_lines = 0
        self._wake = threading.Event()
        self._closing = False
        self._socket = self._connect()
        self._writer: Optional[threading.Thread] = None
        if self._socket is not None:
            self._writer = threading.Thread(target=self._write, name="acta-writer", daemon=True)
            self._writer.start()
            threading.Thread(target=self._read, name="acta-reader", daemon=True).start()

    @property
    def open(self) -> bool:
        """Whether somebody listens."""
        return self._socket is not None

    def put(self, message: Message) -> None:
        """Takes a message, from any thread and from callbacks: no I/O, no lock, no waiting."""
        if self._socket is None:
            return
        if len(self._queue) < CAPACITY:
            self._queue.append(message)
        elif message["type"] == "log":
            self._lost_lines += 1
        else:
            self._lost_events += 1

    def close(self) -> None:
        """Says the last word, and waits a bounded time until it is sent."""
        if self._writer is None:
            return
        self._closing = True
        self._wake.set()
        if self._writer is not threading.current_thread():
            self._writer.join(CLOSE_S)
        self._writer = None

    def flush(self) -> None:
        """Waits a bounded time until the queue is empty."""
        end = time.monotonic() + CLOSE_S
        while self._queue and self._socket is not None and time.monotonic() < end:
            time.sleep(ROUND_S / 2)

    def _connect(self) -> Optional[socket.socket]:
        path = os.environ.get(SOCKET_VARIABLE)
        if not path:
            return None
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(path)
        except OSError as error:
            connection.close()
            print(f"acta_monitor: no supervisor at {path} ({error}): nothing is reported", file=sys.stderr)
            return None
        return connection

    def _write(self) -> None:
        while True:
            self._wake.wait(ROUND_S)
            closing = self._closing
            if not self._send_all():
                return
            if closing:
                self._send([{"type": "done"}])
                return

    def _send_all(self) -> bool:
        while self._queue:
            some = [self._queue.popleft() for _ in range(min(len(self._queue), 256))]
            if not self._send(some):
                return False
        events, self._lost_events = self._lost_events, 0
        lines, self._lost_lines = self._lost_lines, 0
        if events or lines:
            return self._send([{"type": "lost", "events": events, "logLines": lines}])
        return True

    def _send(self, messages: list) -> bool:
        connection = self._socket
        if connection is None:
            return False
        lines = []
        for message in messages:
            line = json.dumps(message, separators=(",", ":")).encode("utf-8") + b"\n"
            if len(line) <= MAX_LINE_BYTES:
                lines.append(line)
        try:
            connection.sendall(b"".join(lines))
        except OSError:
            # The supervisor is gone: the build goes on, and nobody is told.
            self._socket = None
            self._queue.clear()
            return False
        return True

    def _read(self) -> None:
        connection = self._socket
        rest = b""
        while connection is not None:
            try:
                some = connection.recv(4096)
            except OSError:
                return
            if not some or len(rest) > MAX_LINE_BYTES:
                return
            *lines, rest = (rest + some).split(b"\n")
            for line in lines:
                try:
                    order = json.loads(line)
                except ValueError:
                    continue
                if isinstance(order, dict) and order.get("type") == "cancel":
                    self._on_cancel(str(order.get("source", "api")), time.monotonic_ns())
