"""The passes, one a file; `runtime.pipeline` lists them."""
