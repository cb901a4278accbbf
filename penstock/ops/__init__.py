"""The ops: one declaration per op, one file per family."""

if __name__ != "penstock.ops":
    raise ImportError("this folder is a link for people to find the layer; in programs: import penstock.ops")
