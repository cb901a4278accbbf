"""From the last stage to a plan: placement, steps, alias analysis, live ranges, buffer donation, memory offsets."""
