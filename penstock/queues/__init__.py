"""Queues, what fills them, readers of files, and batches of examples."""
