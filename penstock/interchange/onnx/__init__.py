"""ONNX: models of other systems, read and written."""
