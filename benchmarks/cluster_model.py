"""A model of data-parallel training on a cluster, on paper and simulated: `python -m benchmarks.cluster_model`.

The formulas add up calls, compute and bytes. The simulation sends each message of a step, one after the other at its
sender and at its receiver, and adds gradients where they are summed. Both use the constants that were measured with two
workers on one machine.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

WORKERS = (1, 2, 4, 8, 16, 64, 256, 1000)


@dataclass(frozen=True, slots=True)
class Constants:
    """What was measured.

    Attributes:
        message_s: the time of the client's processor for one message and its answer.
        latency_s: seconds until a small value is there.
        bytes_per_s: how fast a large value goes from one worker to another.
        compute_s: a step on one core.
        weights: the bytes of all weights.
        variables: how many there are; they live on the workers in turn.
        add_bytes_per_s: how fast gradients are added.
    """

    message_s: float = 0.3e-3
    latency_s: float = 0.8e-3
    bytes_per_s: float = 1e9
    compute_s: float = 0.8
    weights: float = 7.5e6
    variables: int = 6
    add_bytes_per_s: float = 5e9


def on_paper(workers: int, tree: bool, c: Constants) -> float:
    """Seconds of a step, by formulas: the busiest owner sends its weights to all, and takes all gradients."""
    if workers == 1:
        return c.message_s + c.latency_s + c.compute_s
    owners = min(workers, c.variables)
    share = c.weights / owners
    calls = c.message_s * workers + c.latency_s
    there = c.latency_s + (workers - 1) * share / c.bytes_per_s
    if tree:
        rounds = (workers - 1).bit_length()
        back = rounds * (c.latency_s + c.weights / c.bytes_per_s + c.weights / c.add_bytes_per_s)
    else:
        back = c.latency_s + (workers - 1) * (share / c.bytes_per_s + share / c.add_bytes_per_s)
    return calls + there + c.compute_s / workers + back


def simulated(workers: int, tree: bool, c: Constants) -> float:
    """Seconds of a step, message by message."""
    sending: dict[int, float] = defaultdict(float)
    receiving: dict[int, float] = defaultdict(float)

    def send(source: int, target: int, size: float, ready: float) -> float:
        start = max(ready, sending[source], receiving[target] - c.latency_s)
        sending[source] = start + size / c.bytes_per_s
        receiving[target] = sending[source] + c.latency_s
        return receiving[target]

    told = [c.message_s * (i + 1) + c.latency_s for i in range(workers)]
    size = c.weights / c.variables
    owners = [i % workers for i in range(c.variables)]
    begin = list(told)
    for owner in owners:
        for step in range(1, workers):  # each owner begins with its neighbour
            target = (owner + step) % workers
            begin[target] = max(begin[target], send(owner, target, size, told[owner]))
    computed = [start + c.compute_s / workers for start in begin]
    end = 0.0
    for owner in owners:
        there = list(computed)
        if tree:
            members = [(owner + i) % workers for i in range(workers)]
            while len(members) > 1:
                for one, other in zip(members[::2], members[1::2], strict=False):
                    arrived = send(other, one, size, there[other])
                    there[one] = max(there[one], arrived) + size / c.add_bytes_per_s
                members = members[::2]
        else:
            total = there[owner]
            for step in range(1, workers):
                source = (owner + step) % workers
                total = max(total, send(source, owner, size, there[source])) + size / c.add_bytes_per_s
            there[owner] = total
        end = max(end, there[owner])
    return end


def main() -> None:
    """Print the speed-ups as rows of a table."""
    c = Constants()
    one = on_paper(1, False, c)
    for name, tree in (("ordered sums", False), ("sums in pairs", True)):
        for way, time in (("on paper", on_paper), ("simulated", simulated)):
            ups = [f"{one / time(workers, tree, c):.1f}" for workers in WORKERS]
            print(f"| {name}, {way}: times faster | {' | '.join(ups)} |")


if __name__ == "__main__":
    main()
