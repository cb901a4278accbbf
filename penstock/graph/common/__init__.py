"""What all layers use below the model: locks, hooks, imports at first use, source lines, tracebacks."""
