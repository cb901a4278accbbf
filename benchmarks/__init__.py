"""How fast is Penstock, beside its peers and on the same machine in the same run?"""
