"""The number of GPU kernels that the current thread has launched.

A run launches its kernels on the thread that called it, so the difference of two counts is the number of launches in
between. The package's own kernels and replays of captured steps are counted, not kernels that the array module
launches.
"""

from __future__ import annotations

import threading


class Launches(threading.local):
    """The counters of a thread.

    Attributes:
        count: launched kernels.
        replays: replays of captured segments.
    """

    count = 0
    replays = 0

    @property
    def total(self) -> int:
        """Launches and replays."""
        return self.count + self.replays


LAUNCHES = Launches()
