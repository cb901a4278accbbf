"""Pages: their data in Python, what draws and controls them in JavaScript."""
