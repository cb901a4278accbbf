// gather_tree: the path to each beam, read backwards from the last step that counts.

playMove("GatherTree", (ids, parents, lengths, end) => {
  if (rankOf(ids) !== 3) throw new PlayError(`the shape of step_ids must be [t, b, w], but is ${listed(ids.shape)}`);
  if (rankOf(end)) throw new PlayError(`the shape of end_token must be that of a scalar, but is ${listed(end.shape)}`);
  const [steps, batch, width] = ids.shape, size = batch * width, beams = Array.from(countTo(size), (i) => i % width);
  if (!sameShape(ids.shape, parents.shape) || !sameShape(lengths.shape, [batch]))
    throw new PlayError(`step_ids has shape ${listed(ids.shape)}, parent_ids ${listed(parents.shape)} and max_sequence_lengths ${listed(lengths.shape)}; the first two must be the same, and the last one must be (batch,)`);
  const from = new Int32Array(steps * size), of = new Int32Array(steps * size).fill(3);
  for (let time = steps - 1; time >= 0; time--)
    for (let i = 0; i < size; i++) {
      const row = Math.floor(i / width), at = time * size + row * width + beams[i];
      if (time >= lengths.data[row]) continue;
      [from[time * size + i], of[time * size + i]] = [at, 0];
      const parent = parents.data[at];
      if (time && (parent < 0 || parent >= width))
        throw new PlayError(`Saw invalid parent id ${parent} at (batch, time, beam) == (${row}, ${time - 1}, ${i % width}): there are ${width} beams`);
      beams[i] = parent;
    }
  for (let i = 0; i < size; i++) {
    let hasEnded = false;
    for (let at = i; at < from.length; at += size) {
      if (hasEnded) [from[at], of[at]] = [0, 3];
      hasEnded = hasEnded || of[at] === 3 || ids.data[from[at]] === end.data[0];
    }
  }
  return [{ shape: ids.shape, from, of }];
});
