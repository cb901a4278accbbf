"""How many kernels did this thread start on a GPU?

A run starts what it starts on the thread that called it, so the difference of two counts is what lies between them.
Counted are the package's own kernels and replays of captured steps, not what the array module starts by itself.
"""

from __future__ import annotations

import threading


class Launches(threading.local):
    """count: kernels. replays: captured steps that were started as one."""

    count = 0
    replays = 0

    @property
    def total(self) -> int:
        """All that was started."""
        return self.count + self.replays


LAUNCHES = Launches()
