// Ops that join tensors, repeat one, or put zeros around it: concat, pack, stack, tile, pad, broadcast_to, diag.

playMove("Concat", (concatDim, values) => {
  const axis = joinedAxis(concatDim, values);
  return [joinedPlaces(values, axis, 1)];
});

function joinedAxis(concatDim, values) {
  const first = values[0].shape, rank = first.length;
  const axis = oneNumber(concatDim, "concat_dim", true);
  if (!rank) throw new PlayError("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
  if (axis < -rank || axis >= rank) throw new PlayError(`ConcatOp : Expected concatenating dimensions in the range [${-rank}, ${rank}), but got ${concatDim.data[0]}`);
  const at = axis < 0 ? axis + rank : axis;
  values.forEach(({ shape }, i) => {
    const found = `shape[0] = ${listed(first)} vs. shape[${i}] = ${listed(shape)}`;
    if (shape.length !== rank) throw new PlayError(`ConcatOp : Ranks of all input tensors should match: ${found}`);
    const bad = shape.findIndex((size, d) => d !== at && size !== first[d]);
    if (bad >= 0) throw new PlayError(`ConcatOp : Dimension ${bad} in both shapes must be equal: ${found}`);
  });
  return at;
}

// Tensors one behind the other along dimension `at`; `first` is the operand number of the first one.
function joinedPlaces(values, at, first) {
  const { shape: like, dtype } = values[0];
  const shape = like.map((size, d) => (d === at ? values.reduce((sum, each) => sum + each.shape[at], 0) : size));
  const from = new Int32Array(sizeOfShape(shape)), of = new Int32Array(from.length);
  const inner = sizeOfShape(like.slice(at + 1));
  for (let row = 0, to = 0; row < sizeOfShape(like.slice(0, at)); row++)
    values.forEach((each, number) => {
      const width = each.shape[at] * inner;
      for (let i = 0; i < width; i++, to++) {
        from[to] = row * width + i;
        of[to] = first + number;
      }
    });
  return { shape, from, of, dtype };
}

function stackedPlaces(values, at) {
  const { shape, dtype } = values[0];
  const rows = values.map((each) => withShape(each, [...shape.slice(0, at), 1, ...shape.slice(at)]));
  return { ...joinedPlaces(rows, at, 0), dtype };
}

playMove("Pack", (values) => {
  const first = values[0].shape;
  const bad = values.findIndex((each) => !sameShape(each.shape, first));
  if (bad >= 0) throw new PlayError(`Shapes of all inputs must match: values[0].shape = ${listed(first)} != values[${bad}].shape = ${listed(values[bad].shape)}`);
  return [stackedPlaces(values, 0)];
});

playMove("Stack", (values, axis) => {
  const first = values[0].shape, rank = first.length, given = Number(axis);
  if (given < -rank - 1 || given > rank)
    throw new PlayError(`Attr(axis) must be inside [-(rank+1), rank+1), where rank = ${rank}, but received axis is:${given}`);
  const bad = values.findIndex((each) => !sameShape(each.shape, first));
  if (bad >= 0)
    throw new PlayError(`Every dimension of input[0] and input[${bad}] is expected to be equal, but their shapes are ${listed(first)} and ${listed(values[bad].shape)}`);
  return [stackedPlaces(values, given < 0 ? given + rank + 1 : given)];
});

// ---- repeating

playMove("Tile", (input, multiples) => {
  const rank = rankOf(input), steps = stridesOf(input.shape);
  if (!sameShape(multiples.shape, [rank]))
    throw new PlayError(`Expected multiples argument to be a vector of length ${rank} but got length ${sizeOf(multiples)}`);
  const factors = numbersOf(multiples);
  const bad = factors.findIndex((factor) => factor < 0);
  if (bad >= 0) throw new PlayError(`Expected multiples[${bad}] >= 0, but got ${factors[bad]}`);
  const shape = possibleSizes(factors.map((factor, d) => factor * input.shape[d]));
  // Each dimension as two: the repetition, and the element in it.
  const pairs = steppedPlaces(factors.flatMap((factor, d) => [factor, input.shape[d]]), steps.flatMap((step) => [0, step]));
  return [{ shape, from: pairs }];
});

playMove("BroadcastTo", (input, shape) => {
  if (rankOf(shape) !== 1) throw new PlayError(`shape must be a vector of {int32,int64}, got shape ${listed(shape.shape)}`);
  const sizes = sizesIn(shape), given = input.shape, lead = sizes.length - given.length;
  if (lead < 0) throw new PlayError(`Rank of input (${given.length}) must be no greater than rank of output shape (${sizes.length}).`);
  if (given.some((size, d) => size !== 1 && size !== sizes[lead + d])) throw new PlayError(`Incompatible shapes: ${listed(given)} vs. ${listed(sizes)}`);
  possibleSizes(sizes);
  return [{ shape: sizes, from: broadcastPlaces(given, sizes) }];
});

// ---- zeros around elements

playMove("Pad", (input, paddings) => {
  const { shape: given } = input;
  if (rankOf(paddings) !== 2 || paddings.shape[1] !== 2) throw new PlayError(`paddings must be a matrix with 2 columns: ${listed(paddings.shape)}`);
  if (paddings.shape[0] !== given.length)
    throw new PlayError(`The first dimension of paddings must be the rank of inputs${listed(paddings.shape)} ${listed(given)}`);
  const pairs = numbersOf(paddings);
  for (let d = 0; d < given.length; d++)
    if (pairs[2 * d] < 0 || pairs[2 * d + 1] < 0) throw new PlayError(`Paddings must be non-negative: ${pairs[2 * d]} ${pairs[2 * d + 1]}`);
  const shape = possibleSizes(given.map((size, d) => pairs[2 * d] + size + pairs[2 * d + 1]));
  const from = new Int32Array(sizeOfShape(shape)).fill(-1);
  const inside = blockPlaces(shape, given.map((_, d) => pairs[2 * d]), given).from;
  inside.forEach((place, element) => (from[place] = element));
  return [{ shape, from }];
});

playMove("Diag", (diagonal) => {
  if (!rankOf(diagonal)) throw new PlayError("Input must be at least rank 1, got 0");
  const count = sizeOf(diagonal);
  possibleSizes([count, count]);
  const from = new Int32Array(count * count).fill(-1);
  for (let i = 0; i < count; i++) from[i * (count + 1)] = i;
  return [{ shape: [...diagonal.shape, ...diagonal.shape], from }];
});
