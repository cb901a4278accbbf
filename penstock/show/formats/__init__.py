"""Pictures, plans and runs as files, and as displays of notebooks."""
