"""Basics of the runtime: choices of a session, cores and threads, the floating-point context of a run."""
