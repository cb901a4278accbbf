"""Messages of TensorFlow's graphs and models with the interface of protobuf's classes."""
