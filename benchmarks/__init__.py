"""How fast is Penstock, beside its peers and beside what the machine can do, in the same run?"""
