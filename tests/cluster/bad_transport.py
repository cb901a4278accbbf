"""Actors that lose messages between workers, delay them, or never answer."""

from __future__ import annotations

import asyncio
from typing import Any

from penstock.cluster.client.plain_messages import pack, unpack
from penstock.cluster.worker.worker_actor import WorkerHost


class DelayingHost(WorkerHost):
    """Values from other workers arrive late."""

    async def put(self, *parts: Any) -> list[Any]:
        await asyncio.sleep(0.3)
        return await super().put(*parts)


class DroppingHost(WorkerHost):
    """Values from other workers get lost."""

    async def put(self, *parts: Any) -> list[Any]:
        return pack({})


class HangingHost(WorkerHost):
    """What other workers send is never confirmed."""

    async def put(self, *parts: Any) -> list[Any]:
        await asyncio.sleep(3600.0)
        return pack({})


class LateHost(WorkerHost):
    """The answer of a run that has succeeded is late."""

    async def run(self, *parts: Any) -> list[Any]:
        answer = await super().run(*parts)
        if "error" not in unpack(answer)[0]:
            await asyncio.sleep(5.0)
        return answer


class MuteHost(WorkerHost):
    """It neither runs anything nor gives a sign of life."""

    async def run(self, *parts: Any) -> list[Any]:
        await asyncio.sleep(3600.0)
        return pack({})

    async def ping(self, *parts: Any) -> list[Any]:
        await asyncio.sleep(3600.0)
        return pack({})
