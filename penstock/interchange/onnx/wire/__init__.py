"""ONNX files: messages, tensors, types, data in other files."""
