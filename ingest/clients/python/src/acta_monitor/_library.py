"""Which library is loaded: by what the process itself has mapped, and by the library's own word on its version."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any, Dict, Optional

_FAMILIES = (
    ("tensorrt_rtx", "libtensorrt_rtx.so", "libtensorrt_onnxparser_rtx.so"),
    ("tensorrt", "libnvinfer.so", "libnvonnxparser.so"),
)


def find_bindings() -> Any:
    """The Python package that the program uses: the one that it has imported, else the one that is installed."""
    for name in ("tensorrt_rtx", "tensorrt"):
        if name in sys.modules:
            return sys.modules[name]
    for name in ("tensorrt_rtx", "tensorrt"):
        try:
            return __import__(name)
        except ImportError:
            continue
    raise ImportError("acta_monitor needs tensorrt_rtx or tensorrt, and neither is installed")


def describe() -> Optional[Dict[str, Any]]:
    """The report of the loaded library; none where it cannot be found out."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            paths = {line.split(None, 5)[5].rstrip("\n") for line in maps if line.count("/")}
    except (OSError, IndexError):
        return None
    for family, library, parser in _FAMILIES:
        path = next((path for path in sorted(paths) if os.path.basename(path).startswith(library)), None)
        if path is None:
            continue
        try:
            loaded = ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
            numbers = [getattr(loaded, f"getInferLib{part}Version") for part in ("Major", "Minor", "Patch", "Build")]
            major, minor, patch, build = (max(0, int(number())) for number in numbers)
        except (OSError, AttributeError):
            return None
        parsers = (path for path in sorted(paths) if os.path.basename(path).startswith(parser))
        return {
            "type": "library",
            "family": family,
            "path": os.path.realpath(path),
            "parserPath": next((os.path.realpath(path) for path in parsers), None),
            "version": {"major": major, "minor": minor, "patch": patch, "build": build},
        }
    return None
