// Ops that change a shape, or the order of elements along axes: reshape, squeeze, transpose, reverse, roll.

// ---- the same order

playMove("Reshape", (tensor, shape) => [{ shape: reshapedSizes(tensor, shape), from: null }]);

function reshapedSizes(tensor, shape) {
  if (rankOf(shape) > 1) throw new PlayError(`sizes input must be 1-D, not ${listed(shape.shape)}`);
  const sizes = numbersOf(shape);
  let hole = null;
  sizes.forEach((size, i) => {
    if (size < -1) throw new PlayError(`Size ${i} must be non-negative, not ${size}`);
    if (size === -1 && hole !== null) throw new PlayError(`Only one input size may be -1, not both ${hole} and ${i}`);
    if (size === -1) hole = i;
  });
  const given = possibleSizes(sizes.filter((size) => size !== -1));
  const count = sizeOfShape(given), found = sizeOf(tensor);
  const has = `Input to reshape is a tensor with ${found} values, but the requested shape`;
  if (hole === null) {
    if (count !== found) throw new PlayError(`${has} has ${count}`);
    return sizes;
  }
  if (count === 0 && found === 0) {
    const product = (numbers) => sizeOfShape(numbers.filter((size) => size > 0));
    sizes[hole] = Math.floor(product(tensor.shape) / product(given));
    return sizes;
  }
  if (count === 0 || found % count) throw new PlayError(`${has} requires a multiple of ${count}`);
  sizes[hole] = found / count;
  return sizes;
}

playMove("Squeeze", (input, dims) => [{ shape: squeezedSizes(input.shape, dims || []), from: null }]);

function squeezedSizes(shape, dims) {
  if (!dims.length) return shape.filter((size) => size !== 1);
  const gone = dims.map(Number).map((dim) => {
    const at = dim < 0 ? dim + shape.length : dim;
    if (at < 0 || at >= shape.length) throw new PlayError(`Tried to squeeze dim index ${dim} for tensor with ${shape.length} dimensions.`);
    if (shape[at] !== 1) throw new PlayError(`Can not squeeze dim[${at}], expected a dimension of 1, got ${shape[at]}`);
    return at;
  });
  return shape.filter((_, i) => !gone.includes(i));
}

playMove("ExpandDims", (input, dim) => {
  if (sizeOf(dim) !== 1) throw new PlayError(`'dim' must be a tensor with a single value, not ${listed(dim.shape)}`);
  const rank = rankOf(input), given = Number(dim.data[0]);
  if (given < -1 - rank || given > rank) throw new PlayError(`Tried to expand dim index ${dim.data[0]} for tensor with ${rank} dimensions.`);
  const at = given < 0 ? given + rank + 1 : given;
  return [{ shape: [...input.shape.slice(0, at), 1, ...input.shape.slice(at)], from: null }];
});

// ---- another order of axes

playMove("Transpose", (a, perm) => {
  const order = axesOrder(rankOf(a), perm), steps = stridesOf(a.shape);
  const shape = order.map((d) => a.shape[d]);
  return [{ shape, from: steppedPlaces(shape, order.map((d) => steps[d])) }];
});

function axesOrder(rank, perm) {
  if (perm === null) return [...countTo(rank)].reverse();
  if (!sameShape(perm.shape, [rank])) throw new PlayError(`transpose expects a vector of size ${rank}. But input(1) is a vector of size ${sizeOf(perm)}`);
  const order = numbersOf(perm).map((dim) => {
    if (dim < -rank || dim >= rank) throw new PlayError(`${dim} is out of range [0 .. ${rank})`);
    return dim < 0 ? dim + rank : dim;
  });
  for (let dim = 0; dim < rank; dim++) if (!order.includes(dim)) throw new PlayError(`${dim} is missing from {${order.join(",")}}.`);
  return order;
}

// ---- another order along an axis

// Element i along dimension d comes from place(i, the element's place, size) along it.
function alongAxes(shape, place) {
  const steps = stridesOf(shape);
  return Int32Array.from({ length: sizeOfShape(shape) }, (_, element) => {
    const at = placeOf(element, shape);
    return place(at).reduce((sum, i, d) => sum + i * steps[d], 0);
  });
}

playMove("Reverse", (tensor, dims) => {
  const { shape } = tensor;
  if (shape.length > 8) throw new PlayError("reverse is not implemented for tensors of rank > 8.");
  if (!sameShape(dims.shape, [shape.length]))
    throw new PlayError(`'dims' must have the same number of values as 'input' has dimensions. 'input' has ${shape.length}, 'dims' has ${sizeOf(dims)} values`);
  return [{ shape, from: alongAxes(shape, (at) => at.map((i, d) => (dims.data[d] ? shape[d] - 1 - i : i))) }];
});

playMove("ReverseSequence", (input, seqLengths, seqDim) => {
  const { shape } = input, axis = Number(seqDim);
  checkSequences(shape, seqLengths, axis);
  const lengths = numbersOf(seqLengths);
  const turned = (at) => at.map((i, d) => (d === axis && i < lengths[at[0]] ? lengths[at[0]] - 1 - i : i));
  return [{ shape, from: alongAxes(shape, turned) }];
});

function checkSequences(shape, lengths, axis) {
  if (rankOf(lengths) !== 1) throw new PlayError(`seq_lengths must be 1-dim, not ${rankOf(lengths)}`);
  if (axis === 0) throw new PlayError("batch_dim == seq_dim == 0");
  if (axis < 0) throw new PlayError(`Invalid seq_dim ${axis}`);
  if (axis >= shape.length) throw new PlayError(`seq_dim must be < input rank ( ${axis} vs. ${shape.length})`);
  if (sizeOf(lengths) !== shape[0]) throw new PlayError(`Length of seq_lengths != input.dims(0), (${sizeOf(lengths)} vs. ${shape[0]})`);
  for (const [isBad, rule] of [[(length) => length < 0, "< 0"], [(length) => length > shape[axis], `> input.dims(${axis})`]]) {
    const at = lengths.data.findIndex(isBad);
    if (at >= 0) throw new PlayError(`seq_lens(${at}) ${rule}: it is ${lengths.data[at]} and must be in [0, ${shape[axis]}]`);
  }
}

playMove("Roll", (input, shift, axis) => {
  const { shape } = input, rank = shape.length;
  if (rank < 1) throw new PlayError("input must be 1-D or higher");
  for (const [label, vector] of [["shift", shift], ["axis", axis]])
    if (rankOf(vector) > 1) throw new PlayError(`${label} must be a scalar or a 1-D vector. Found: ${listed(vector.shape)}`);
  if (!sameShape(shift.shape, axis.shape))
    throw new PlayError(`shift and axis must have the same size. Their shapes are ${listed(shift.shape)} and ${listed(axis.shape)}`);
  const by = new Array(rank).fill(0), shifts = numbersOf(shift);
  numbersOf(axis).forEach((each, i) => {
    if (each < -rank || each >= rank) throw new PlayError(`axis ${each >= 0 ? axis.data[i] : BigInt(axis.data[i]) + BigInt(rank)} is out of range`);
    const d = each < 0 ? each + rank : each;
    by[d] = (by[d] + shifts[i]) % (shape[d] || 1);
  });
  return [{ shape, from: alongAxes(shape, (at) => at.map((i, d) => (i - by[d] + shape[d]) % shape[d])) }];
});
