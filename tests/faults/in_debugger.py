"""Faults in the debugger: breakpoints, what a step gave before, kept states."""

from .planted_fault import faults

FAULTS = faults("tests/runtime/debugger", [
    ("a breakpoint on values ignores names with a number", "runtime/debugger/breakpoints.py",
     "if not (fnmatchcase(node, names) or fnmatchcase(name, names)):", "if not fnmatchcase(node, names):"),
    ("a breakpoint on a shape stops at another rank only", "runtime/debugger/breakpoints.py",
     "len(wanted) == value.ndim and all(", "len(wanted) == value.ndim or all("),
    ("nan=True also stops at an infinite number", "runtime/debugger/breakpoints.py",
     "watch = Watch(nan=nan, inf=inf)", "watch = Watch(nan=nan, inf=True)"),
    ("an effect that ran after an edit is not run again for other inputs", "runtime/debugger/effect_journal.py",
     "return None if found is None or found[0] != fingerprint(inputs) else", "return None if found is None else"),
    ("inputs of equal bytes and another shape are the same", "runtime/debugger/effect_journal.py",
     "found.append((array.dtype.str, array.shape, content))", "found.append((array.dtype.str, content))"),
    ("the journal holds each result in memory that fits alone", "runtime/debugger/effect_journal.py",
     "if self.held + size > self._memory:", "if size > self._memory:"),
    ("going back draws other random numbers", "runtime/debugger/step_history.py",
     "        self._random.restore(found.random)\n", ""),
    ("states are never dropped", "runtime/debugger/step_history.py",
     "        if self.held > self._memory:\n            self._thin()\n", ""),
    ("a kept state shares the times of its frames", "runtime/debugger/run_state.py",
     "made.times, made.last = self.times[: self.position], self.last", "made.times, made.last = self.times, self.last"),
    ("a kept state shares values with the run", "runtime/debugger/run_state.py",
     "FrozenFrame(f.code, f.path, f.slots.copy(), f.position,", "FrozenFrame(f.code, f.path, f.slots, f.position,"),
    ("a state that goes on from a kept one forgets what depends on an edit", "runtime/debugger/run_state.py",
     "set(self.changed)\n", "set()\n"),
])  # fmt: skip
