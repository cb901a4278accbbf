"""The session: its plan cache, planned calls, listeners and run hooks."""
