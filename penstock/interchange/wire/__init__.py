"""Protocol buffers: messages as dataclasses and their binary form, for any set of messages."""
