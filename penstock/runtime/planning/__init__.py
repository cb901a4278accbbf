"""From the last stage to a plan: placement, steps, aliasing, live ranges, offsets."""
