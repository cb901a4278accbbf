"""Failed runs as folders: written by `Session.repro` and PENSTOCK_REPRO, opened by `load_repro`, made small by
`penstock minify`."""

from .repro_run import load_repro as load_repro
