"""The monitor."""

from __future__ import annotations

import atexit
import hashlib
import os
import threading
import time
from typing import Any, Dict, List, Optional, Type, Union

from . import _library
from ._flag import IDLE, REQUESTED, STATE_NAMES, CancelFlag, stops
from ._link import MESSAGE_BYTES, PROTOCOL, Link, cut, wire_name
from ._signals import Interrupts

Path = Union[str, "os.PathLike[str]"]

_SEVERITIES = ("internal_error", "error", "warning", "info", "verbose")


class ActaMonitor:
    """An ``IProgressMonitor`` that reports to ``acta run`` and answers cancels.

    ``ActaMonitor()`` makes an object that is also a ``trt.IProgressMonitor`` of the bindings ``trt``: those given, else
    the ones that the program has imported (``tensorrt_rtx`` before ``tensorrt``). As a context manager it handles
    Ctrl-C from its begin to its end; one that is only attached does so from the first phase to the last.

    A step answers from one local attribute. Nothing that fails here, nor a supervisor that goes away, stops a build.
    """

    def __new__(cls, trt: Any = None, *, signals: bool = True) -> "ActaMonitor":
        real = monitor_class(trt) if cls is ActaMonitor else cls
        return super(ActaMonitor, real).__new__(real)

    def __init__(self, trt: Any = None, *, signals: bool = True) -> None:
        bindings = getattr(type(self), "_trt", None)
        if bindings is not None:
            bindings.IProgressMonitor.__init__(self)
        self._signals = signals
        self._flag = CancelFlag()
        self._threads: Dict[int, int] = {}
        self._open_phases = 0
        self._auto_signals = False
        self._entered = 0
        self._request_lock = threading.Lock()
        self._model: Optional[Dict[str, Any]] = None
        self._interrupts = Interrupts(lambda at: self._request("ctrl_c", "Ctrl-C", at))
        self._link = Link(self._ordered)
        from . import __version__

        self._link.put(
            {
                "type": "hello",
                "protocol": PROTOCOL,
                "pid": os.getpid(),
                "language": "python",
                "client": f"acta_monitor {__version__}",
            }
        )
        library = _library.describe() if self._link.open else None
        if library is not None:
            self._link.put(library)
        atexit.register(self.close)

    # --- What the program does with it ------------------------------------------------------------------------------

    def __enter__(self) -> "ActaMonitor":
        self._entered += 1
        if self._entered == 1 and self._signals:
            self._interrupts.install()
        return self

    def __exit__(self, *_error: Any) -> None:
        self._entered -= 1
        if self._entered == 0:
            self._interrupts.restore()
            self._link.flush()

    def close(self) -> None:
        """Says the last word to the supervisor; the monitor can still cancel after it."""
        self._link.close()
        atexit.unregister(self.close)

    def request_cancel(self, source: str = "api", reason: Optional[str] = None) -> None:
        """Asks the build to stop at the library's next step, from any thread.

        ``source`` is one of ``ctrl_c``, ``ci``, ``ide``, ``service``, ``api``, ``event_loop``.
        """
        self._request(source, reason, time.monotonic_ns())

    @property
    def cancel_requested(self) -> bool:
        """Whether anybody has asked to stop."""
        return self._flag.asked or self._interrupts.pending_at is not None

    def parse(self, parser: Any, model: Union[Path, bytes]) -> bool:
        """Parses an ONNX file (or its bytes), and tells the supervisor how long it took and what was parsed."""
        self.milestone("parse_begins")
        if isinstance(model, bytes):
            data, source = model, None
            parsed = bool(parser.parse(data))
        else:
            source = os.fspath(model)
            with open(source, "rb") as file:
                data = file.read()
            # The path goes along: weights may lie in files beside the model.
            parsed = bool(parser.parse(data, source))
        self.milestone("parse_ends")
        self._model = {"source": source, "digest": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        return parsed

    def describe(self, builder: Any, network: Any, config: Any) -> None:
        """Tells the supervisor which network is built, and how the builder is set up where it differs from its defaults."""
        if not self._link.open:
            return
        if self._model is not None:
            strongly_typed = _is_strongly_typed(getattr(type(self), "_trt", None), network)
            self._link.put(
                {
                    "type": "network",
                    **self._model,
                    "layers": int(network.num_layers),
                    "inputs": _tensors(network.num_inputs, network.get_input),
                    "outputs": _tensors(network.num_outputs, network.get_output),
                    "stronglyTyped": strongly_typed,
                }
            )
        self._link.put({"type": "config", **_config(builder, config)})

    def milestone(self, name: str) -> None:
        """Says that a moment is there: ``parse_begins``, ``build_begins``, ``build_returned``, ``write_ends`` ..."""
        self._link.put({"type": "milestone", "milestone": name, "at": str(time.monotonic_ns())})

    def save(self, plan: Any, path: Path) -> None:
        """Writes a plan beside its place and renames it when it is whole; a cancel meanwhile waits and is recorded."""
        target = os.path.abspath(os.fspath(path))
        folder, name = os.path.split(target)
        partial = os.path.join(folder, f".{name}.acta-partial-{os.getpid()}")
        self._flag.begin_write()
        self.milestone("write_begins")
        try:
            with open(partial, "wb") as file:
                file.write(memoryview(plan))
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, target)
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except BaseException:
            if os.path.exists(partial):
                os.unlink(partial)
            raise
        finally:
            self.milestone("write_ends")
            self._flag.end_write()
        self.artifact(target, "plan")

    def artifact(self, path: Path, kind: str = "other") -> None:
        """Names a file that the program made: ``plan``, ``bundle``, ``timing_cache`` or ``other``."""
        self._link.put({"type": "artifact", "path": os.path.abspath(os.fspath(path)), "kind": kind})

    def log(self, severity: str, message: str) -> None:
        """Passes a log line on: ``internal_error``, ``error``, ``warning``, ``info``."""
        at = str(time.monotonic_ns())
        self._link.put({"type": "log", "severity": severity, "message": cut(message, MESSAGE_BYTES), "at": at})

    def logger(self, min_severity: Any = None) -> Any:
        """A ``trt.ILogger`` that passes the library's lines on, and prints warnings and errors on stderr."""
        return _logger_class(type(self)._trt)(self, min_severity)  # type: ignore[attr-defined]

    # --- What the library calls -------------------------------------------------------------------------------------

    def phase_start(self, phase_name: str, parent_phase: Optional[str], num_steps: int) -> None:
        """Called by TensorRT when a phase begins."""
        at = time.monotonic_ns()
        try:
            self._open_phases += 1
            if self._open_phases == 1 and self._signals and not self._interrupts.installed:
                self._auto_signals = self._interrupts.install()
            parent = wire_name(parent_phase) if parent_phase else None
            self._event("start", phase_name, at, self._flag.value, parent=parent, steps=num_steps)
        except KeyboardInterrupt:
            self._request("ctrl_c", "Ctrl-C", at)
        except Exception as error:  # A monitor that fails must not stop a build.
            self._failed(error)

    def step_complete(self, phase_name: str, step: int) -> bool:
        """Called by TensorRT when a step is done; False stops the build."""
        at = time.monotonic_ns()
        state = self._flag.value
        try:
            if self._interrupts.pending_at is not None and state == IDLE:
                self._request("ctrl_c", "Ctrl-C", self._interrupts.pending_at)
                state = self._flag.value
            self._event("step", phase_name, at, state, step=step, stop=stops(state))
            if state == REQUESTED:
                self._flag.acknowledge()
        except KeyboardInterrupt:
            self._request("ctrl_c", "Ctrl-C", at)
        except Exception as error:
            self._failed(error)
        return not stops(state)

    def phase_finish(self, phase_name: str) -> None:
        """Called by TensorRT when a phase ends."""
        at = time.monotonic_ns()
        try:
            self._event("finish", phase_name, at, self._flag.value)
            self._open_phases -= 1
            if self._open_phases == 0 and self._auto_signals:
                self._auto_signals = False
                self._interrupts.restore()
        except KeyboardInterrupt:
            self._request("ctrl_c", "Ctrl-C", at)
        except Exception as error:
            self._failed(error)

    # --- Inside -----------------------------------------------------------------------------------------------------

    def _event(self, kind: str, name: str, at: int, state: int, **more: Any) -> None:
        ident = threading.get_ident()
        thread = self._threads.get(ident)
        if thread is None:
            thread = self._threads.setdefault(ident, len(self._threads))
        message: Dict[str, Any] = {"type": kind, "name": wire_name(name), "at": str(at), "thread": thread}
        message.update(more, cancel=STATE_NAMES[state])
        self._link.put(message)

    def _request(self, source: str, reason: Optional[str], at: int) -> None:
        # In one piece, so that the supervisor hears of the request before any step that answers it.
        with self._request_lock:
            if self._flag.asked:
                return
            self._link.put({"type": "requested", "source": source, "reason": reason, "at": str(at)})
            if self._flag.request() == "deferred":
                self._link.put({"type": "deferred", "at": str(at)})

    def _ordered(self, _source: str, at: int) -> None:
        delivery = self._flag.request()
        if delivery != "again":
            self._link.put({"type": delivery, "at": str(at)})

    def _failed(self, error: Exception) -> None:
        self.log("warning", f"acta_monitor failed and went on: {error!r}")


_classes: Dict[type, Type[ActaMonitor]] = {}


def monitor_class(trt: Any = None) -> Type[ActaMonitor]:
    """The monitor as a class of these bindings, for whoever wants to derive from it.

    A class that overrides a callback calls the one that it overrides.
    """
    trt = trt if trt is not None else _library.find_bindings()
    base = trt.IProgressMonitor
    if base not in _classes:
        _classes[base] = type("ActaMonitor", (ActaMonitor, base), {"_trt": trt, "__module__": __name__})
    return _classes[base]


def _logger_class(trt: Any) -> Any:
    class ActaLogger(trt.ILogger):  # type: ignore[misc, name-defined]
        """Passes the library's lines on."""

        def __init__(self, monitor: ActaMonitor, min_severity: Any) -> None:
            trt.ILogger.__init__(self)
            self._monitor = monitor
            self._min = int(trt.ILogger.Severity.WARNING if min_severity is None else min_severity)

        def log(self, severity: Any, message: str) -> None:
            number = int(severity)
            if number < len(_SEVERITIES) - 1:
                self._monitor.log(_SEVERITIES[number], message)
            if number <= self._min:
                os.write(2, f"[TRT] {message}\n".encode("utf-8", "replace"))

    return ActaLogger


def _tensors(count: int, get: Any) -> List[Dict[str, Any]]:
    tensors = []
    for index in range(min(count, 64)):
        tensor = get(index)
        try:
            dims = [int(size) for size in tensor.shape]
        except ValueError:  # The number of dimensions itself is open.
            dims = []
        tensors.append({"name": cut(tensor.name, 256), "dtype": _dtype(tensor.dtype), "dims": dims})
    return tensors


# How the agent's own worker writes element types.
_DTYPES = {"float": "float32", "half": "float16", "bf16": "bfloat16"}


def _dtype(dtype: Any) -> str:
    name = str(dtype).rsplit(".", 1)[-1].lower()
    return _DTYPES.get(name, name)


def _is_strongly_typed(trt: Any, network: Any) -> bool:
    try:
        return bool(network.get_flag(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    except Exception:  # Bindings without the flag are of libraries that know strong typing only.
        return True


def _config(builder: Any, config: Any) -> Dict[str, Any]:
    default = builder.create_builder_config()
    on, off = int(config.flags) & ~int(default.flags), int(default.flags) & ~int(config.flags)
    facts: Dict[str, Any] = {"flagsOn": on, "flagsOff": off}
    level = config.builder_optimization_level
    if level != default.builder_optimization_level:
        facts["optimizationLevel"] = int(level)
    if getattr(builder, "max_threads", 1) != 1:
        facts["threads"] = int(builder.max_threads)
    if hasattr(config, "num_compute_capabilities"):
        targets = [int(config.get_compute_capability(index)) for index in range(config.num_compute_capabilities)]
        if targets != [int(default.get_compute_capability(i)) for i in range(default.num_compute_capabilities)]:
            facts["targets"] = targets
    return facts
