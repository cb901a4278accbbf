"""The rules of operators: how nodes of ONNX are read, by kinds."""
