"""The fuzz of control flow: random programs of branches and loops, in the configurations of the fuzz.

    python -m tests.fuzz.of_control --count 5000 --seed-start 0

`tests.control_flow.random_control` has the programs, `tests.control_flow.random_checks` what is compared: values with
Python loops on NumPy arrays, all bits with the interpreter without passes. Each seed has a program of
`tests.control_flow.effect_programs` too: writes, assertions and failing operations, some of which a run does not need;
they must happen as often in every configuration.
"""

from __future__ import annotations

import sys
from collections import Counter

from ..control_flow.effect_programs import EffectProgram
from ..control_flow.random_checks import complaint, complaint_of_effects
from ..control_flow.random_control import ControlProgram, control_program
from .seeds import seeds_of
from .ways import Way, ways_for


def judged(program: ControlProgram | EffectProgram, ways: list[Way]) -> str | None:
    """What is wrong with a program, errors of the build and of runs included."""
    try:
        if isinstance(program, EffectProgram):
            return complaint_of_effects(program, ways)
        return complaint(program, ways)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    ways, failures, tried = Counter[str](), 0, 0
    for seed in seeds_of("tests.fuzz.of_control", __doc__, arguments):
        tried += 1
        some = ways_for(seed)
        ways.update(way.name for way in some)
        for program in (control_program(seed), EffectProgram(seed)):
            found = judged(program, some)
            if found is not None:
                failures += 1
                print(f"seed {seed}: {found}\n{program}\n", flush=True)
    print(f"{2 * tried} programs in {sum(ways.values())} runs of {len(ways)} configurations, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
