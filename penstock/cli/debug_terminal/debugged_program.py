"""`penstock debug`: a program under the debugger, from its options to its exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ...printable_text import print_safely
from ...runtime.session.run_hooks import runs_given_to
from .debug_prompt import DebugPrompt
from .program_start import EndProgram, run_as_main
from .run_choice import RunChoice
from .run_stops import RunStops
from .typed_lines import line_source


def debug_program(
    program: str,
    arguments: Sequence[str],
    is_module: bool,
    numbers: Sequence[int],
    fetches: Sequence[str],
    on_error: bool,
    fused: bool,
    commands: str | None,
) -> int:
    """Run a program and stop at its runs; returns its exit code, or 1 where a command failed or found no run.

    Raises:
        OSError: the program cannot be read.
    """
    lines = line_source(commands)
    choice = RunChoice(tuple(numbers), tuple(fetches), on_error, fused)
    prompt = DebugPrompt(lines)
    stops = RunStops(choice, prompt)
    try:
        with runs_given_to(stops):
            end = run_as_main(program, arguments, is_module)
    except EndProgram as ended:
        return int(ended.code or 0)
    sys.stdout.flush()
    complaint = stops.seen.complaint(choice)
    if prompt.left and not complaint:
        complaint = f"the program ended before {'; '.join(prompt.left)}"
    if complaint:
        print_safely(f"penstock debug: {complaint}", sys.stderr)
    if end.code or lines.is_typed:
        print_safely(f"penstock debug: {end.text}", sys.stderr)
    return end.code or (1 if complaint and commands is not None else 0)
