"""The fuzz of TensorArrays in loops: random programs in the configurations of the fuzz, bit for bit.

    python -m tests.fuzz.of_arrays --count 5000 --seed-start 0

`tests.control_flow.array_programs` has the programs. Each runs by the interpreter without passes, then in other ways:
values must have the same bits, and what is an error must be the same error.
"""

from __future__ import annotations

import sys
from collections import Counter

from ..control_flow.array_checks import complaint
from ..control_flow.array_programs import ArrayProgram
from .seeds import seeds_of
from .ways import ways_for


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    ways, failures, tried = Counter[str](), 0, 0
    for seed in seeds_of("tests.fuzz.of_arrays", __doc__, arguments):
        tried += 1
        some = ways_for(seed)
        ways.update(way.name for way in some)
        program = ArrayProgram(seed)
        try:
            found = complaint(program, some)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if found is not None:
            failures += 1
            print(f"{program}\n    {found}\n", flush=True)
    print(f"{tried} programs in {sum(ways.values())} runs of {len(ways)} ways, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
