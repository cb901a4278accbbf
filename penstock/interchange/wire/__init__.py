"""Protocol buffers: messages as dataclasses and their binary form, whoever defines the messages."""
