"""What every room of the runtime uses: choices of a session, cores and threads, the context of a run."""
