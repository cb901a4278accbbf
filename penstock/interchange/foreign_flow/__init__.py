"""The control flow of TensorFlow's GraphDefs: what their nodes say, as a tree of conditionals and loops."""
