"""HOW to compute: plans, kernels, backends, sessions."""

if __name__ != "penstock.runtime":
    raise ImportError("this folder is a link for people to find the layer; in programs: import penstock.runtime")
