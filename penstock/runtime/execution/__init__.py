"""The loop over a plan's steps: binding, the executor, parallel steps, errors of a run."""
