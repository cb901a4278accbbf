"""The terminal of the debugger: `penstock debug program.py`."""
