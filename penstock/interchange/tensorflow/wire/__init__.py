"""Protocol buffers: fields, messages, tensors, text."""
