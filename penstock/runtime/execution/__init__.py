"""Execution: binding of steps to kernels, the executor's loop, parallel steps, errors of a run."""
