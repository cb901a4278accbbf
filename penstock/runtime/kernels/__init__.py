"""Fast kernels of the ops that move elements, and the compiled loops that they call."""
