"""Random programs in which control edges order all uses of each variable, so that any engine must run them alike.

TensorFlow promises no order where no path leads. Here a read comes after the last write made before it, and a write
after the last write and all reads since. This module needs NumPy alone: TensorFlow's side imports it too.
"""

from __future__ import annotations

from dataclasses import replace

from .sequential_programs import (
    Choose,
    Node,
    Program,
    Run,
    chooser,
    new_node_of_any_kind,
    new_program,
    new_run,
    written,
)


class OrderedProgram:
    """A program that grows, with the control edges that order its uses of variables.

    Args:
        seed: what the program and its runs are made of.
    """

    def __init__(self, seed: int) -> None:
        self._choose: Choose = chooser(seed)
        self.program: Program = new_program(self._choose)
        self._last_write: dict[int, int] = {}
        self._reads: dict[int, list[int]] = {i: [i] for i in range(len(self.program.values))}

    def grow(self, most: int) -> None:
        """Add up to so many nodes."""
        for _ in range(1 + self._choose(most)):
            self._append(new_node_of_any_kind(self._choose, self.program))

    def run(self) -> Run:
        """A run that feeds no variable, as for TensorFlow that is a feed of one read.

        It feeds no write either that a node both reads and waits for: graphs have one edge for both, which a feed cuts.
        """
        run = new_run(self._choose, self.program)
        nodes = self.program.nodes
        kept = {place for place, node in enumerate(nodes) if node.kind == "start"}
        kept |= {place for node in nodes for place in node.inputs if place in node.controls}
        return replace(run, feeds={place: value for place, value in run.feeds.items() if place not in kept})

    def _append(self, node: Node) -> None:
        place = len(self.program.nodes)
        before: set[int] = set(node.controls)
        writes = written(node)
        for variable in (node.variable, *writes) if node.kind in ("read", "write", "update") else ():
            if variable in self._last_write:
                before.add(self._last_write[variable])
            if variable in writes:
                before.update(self._reads.get(variable, ()))
        self.program.nodes.append(replace(node, controls=tuple(sorted(before))))
        for variable in writes:
            self._last_write[variable] = place
            self._reads[variable] = []
        if node.kind == "read":
            self._reads.setdefault(node.variable, []).append(place)
