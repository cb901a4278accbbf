// Ops that cut a tensor: a block of it, its parts along an axis, its rows.

playMove("Slice", (input, begin, size) => {
  const rank = rankOf(input);
  if (!sameShape(begin.shape, [rank]) || !sameShape(size.shape, [rank]))
    throw new PlayError(`Expected begin and size arguments to be 1-D tensors of size ${rank}, but got shapes ${listed(begin.shape)} and ${listed(size.shape)} instead.`);
  const starts = numbersOf(begin);
  const shape = numbersOf(size).map((count, i) => {
    const whole = input.shape[i], start = starts[i];
    if (start < 0 || start > whole) throw new PlayError(`Expected begin[${i}] in [0, ${whole}], but got ${start}`);
    if (count !== -1 && (count < 0 || count > whole - start)) throw new PlayError(`Expected size[${i}] in [0, ${whole - start}], but got ${count}`);
    return count === -1 ? whole - start : count;
  });
  return [blockPlaces(input.shape, starts, shape)];
});

// The block of a tensor that begins at `starts`.
function blockPlaces(whole, starts, shape) {
  const steps = stridesOf(whole);
  return { shape, from: steppedPlaces(shape, steps, starts.reduce((sum, start, d) => sum + start * steps[d], 0)) };
}

// Parts of the given sizes along dimension `at`.
function partsPlaces(whole, at, sizes, of) {
  let start = 0;
  return sizes.map((size) => {
    const starts = whole.map((_, d) => (d === at ? start : 0));
    start += size;
    return { ...blockPlaces(whole, starts, whole.map((n, d) => (d === at ? size : n))), of };
  });
}

function checkedSplitDim(splitDim, rank) {
  const at = oneNumber(splitDim, "split_dim");
  if (at < -rank || at >= rank) throw new PlayError(`-input rank(-${rank}) <= split_dim < input rank (${rank}), but got ${at}`);
  return at < 0 ? at + rank : at;
}

playMove("Split", (splitDim, numSplit, value) => {
  const at = checkedSplitDim(splitDim, rankOf(value)), count = Number(numSplit), whole = value.shape[at];
  if (whole % count)
    throw new PlayError(`Number of ways to split should evenly divide the split dimension, but got split_dim ${at} (size = ${whole}) and num_split ${count}`);
  return partsPlaces(value.shape, at, new Array(count).fill(whole / count), 1);
});

playMove("SplitV", (value, sizeSplits, splitDim, numSplit) => {
  const at = checkedSplitDim(splitDim, rankOf(value));
  if (!sameShape(sizeSplits.shape, [Number(numSplit)]))
    throw new PlayError(`size_splits must be a vector of ${numSplit} sizes, but has shape ${listed(sizeSplits.shape)}`);
  return partsPlaces(value.shape, at, settledSizes(numbersOf(sizeSplits), value.shape[at]), 0);
});

// Sizes with what is left in the place of -1.
function settledSizes(sizes, whole) {
  const open = sizes.filter((size) => size === -1).length;
  if (open > 1 || Math.min(...sizes) < -1)
    throw new PlayError(`size_splits holds sizes, one of which may be -1, but is ${listed(sizes)}`);
  const taken = sizes.reduce((sum, size) => sum + Math.max(size, 0), 0);
  if (taken > whole || (taken < whole && !open))
    throw new PlayError(
      "Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the size of the input along split_dim if not fully specified." +
        `  Got: ${taken}; size_splits is ${listed(sizes)}, the dimension's size ${whole}`,
    );
  return sizes.map((size) => (size === -1 ? whole - taken : size));
}

playMove("Unpack", (value, num) => {
  if (!rankOf(value)) throw new PlayError("axis = 0 not in [0, 0): a scalar has no rows to unpack");
  const [count, ...shape] = value.shape;
  if (num !== null && count !== Number(num)) throw new PlayError(`Input shape axis 0 must equal ${num}, got shape ${listed(value.shape)}`);
  return Array.from(countTo(count), (row) => ({ shape, from: rowPlaces([row], sizeOfShape(shape)) }));
});

playMove("DiagPart", (input) => {
  const rank = rankOf(input), half = rank / 2, steps = stridesOf(input.shape);
  if (rank % 2 || !rank) throw new PlayError(`The rank of the tensor should be even and positive, got shape ${listed(input.shape)}`);
  const shape = input.shape.slice(0, half);
  shape.forEach((size, i) => {
    if (size !== input.shape[i + half])
      throw new PlayError(`Invalid shape ${listed(input.shape)}: dimensions ${i} and ${i + half} do not match.`);
  });
  return [{ shape, from: steppedPlaces(shape, shape.map((_, d) => steps[d] + steps[d + half])) }];
});
