"""The rules by which operations are written as nodes of ONNX, by kinds."""
