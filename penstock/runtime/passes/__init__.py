"""The graph passes, one per file; `runtime.passes.pipeline` lists them in order."""
