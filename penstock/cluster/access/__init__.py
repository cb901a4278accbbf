"""How a session reaches workers: Dask, certificates, who is alive."""
