"""How deep the evaluation of known values is nested in a thread; a failed call puts it back (`graph.model.journal`)."""

from __future__ import annotations

import threading


class EvaluationDepth(threading.local):
    value = 0


depth = EvaluationDepth()
