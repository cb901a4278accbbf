"""Instructions of LLVM IR in the order in which they are written."""

from __future__ import annotations


class IrLines:
    """The instructions of a function, or of a part of one."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def add(self, line: str) -> None:
        """Add an instruction without a result."""
        self.lines.append(f"  {line}")

    def do(self, text: str) -> str:
        """Add an instruction and return the register of its result."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def label(self, name: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{name}:")
