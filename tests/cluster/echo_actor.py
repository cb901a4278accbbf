"""A small actor for tests of the connection."""

from __future__ import annotations

import asyncio
import threading
import time


class EchoActor:
    """Answers with what it is sent, slowly where it is asked to."""

    def __init__(self, word: str = "") -> None:
        self.word = word
        self.closed = False

    async def ping(self, *_: object) -> tuple[bytes, ...]:
        return (b"",)

    async def echo(self, header: bytes, *frames: memoryview) -> tuple[bytes | memoryview, ...]:
        return (header, *frames)

    async def made_with(self, *_: object) -> tuple[bytes, ...]:
        return (self.word.encode(),)

    async def size(self, _: bytes, *frames: memoryview) -> tuple[bytes, ...]:
        return (str([type(frame).__name__ + str(len(frame)) for frame in frames]).encode(),)

    async def sleep(self, header: bytes) -> tuple[bytes, ...]:
        await asyncio.sleep(float(header))
        return (b"slept",)

    async def block(self, header: bytes) -> tuple[bytes, ...]:
        """Keeps the loop of the worker from running."""
        time.sleep(float(header))
        return (b"blocked",)

    async def fail(self, header: bytes) -> tuple[bytes, ...]:
        raise ValueError(header.decode())

    async def threads(self, *_: object) -> tuple[bytes, ...]:
        return (str(threading.active_count()).encode(),)

    async def close(self, *_: object) -> tuple[bytes, ...]:
        self.closed = True
        return ()
