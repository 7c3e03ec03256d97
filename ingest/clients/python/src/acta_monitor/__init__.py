"""Reports a TensorRT build's phases to ``acta run``, and hears its cancels.

``ActaMonitor`` is an ``IProgressMonitor`` of whichever of ``tensorrt_rtx`` and ``tensorrt`` the program has imported.
``build`` and ``build_async`` make the build call with it. Nothing here can break a build: without a supervisor, or when
it goes away, the monitor only cancels when it is asked to.
"""

from ._build import BuildCancelled, BuildFailed, build, build_async
from ._monitor import ActaMonitor, monitor_class

__all__ = ["ActaMonitor", "BuildCancelled", "BuildFailed", "build", "build_async", "monitor_class"]
__version__ = "0.1.0"
