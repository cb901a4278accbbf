"""The passes, one a file; `runtime.passes.pipeline` lists them."""
