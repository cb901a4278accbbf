"""The VOCABULARY: one declaration per op."""

if __name__ != "penstock.ops":
    raise ImportError("this folder is a link for people to find the layer; in programs: import penstock.ops")
