// Ops that read a tensor at places that another tensor names: gather, gather_nd, boolean_mask, multiplex, one_hot.

playMove("Gather", (params, indices) => {
  if (!rankOf(params)) throw new PlayError("params must be at least 1 dimensional");
  const shape = possibleSizes([...indices.shape, ...params.shape.slice(1)]);
  if (sizeOfShape(shape)) checkRange("indices", indices, params.shape[0]);
  return [{ shape, from: rowPlaces(sizeOfShape(shape) ? numbersOf(indices) : [], sizeOfShape(params.shape.slice(1))) }];
});

// The row that each index vector names, of an array whose first dimensions are `outer`.
function flatIndex(indices, outer, into) {
  const depth = outer.length, batch = indices.shape.slice(0, -1), count = sizeOfShape(batch);
  const numbers = numbersOf(indices), steps = stridesOf(outer);
  return Int32Array.from({ length: count }, (_, row) => {
    const vector = numbers.slice(row * depth, (row + 1) * depth);
    if (vector.some((i, k) => i < 0 || i >= outer[k]))
      throw new PlayError(`${entryText("indices", batch, row)} = [${indices.data.slice(row * depth, (row + 1) * depth).join(", ")}] does not index into ${into}`);
    return vector.reduce((sum, i, k) => sum + i * steps[k], 0);
  });
}

playMove("GatherNd", (params, indices) => {
  if (!rankOf(params)) throw new PlayError("params must be at least a vector");
  if (!rankOf(indices)) throw new PlayError("indices must be at least a vector");
  const batch = indices.shape.slice(0, -1), depth = indices.shape[batch.length];
  if (depth > rankOf(params)) throw new PlayError(`index innermost dimension length must be <= params rank; saw: ${depth} vs. ${rankOf(params)}`);
  if (!sizeOf(params) && sizeOfShape(batch)) throw new PlayError(`Requested more than 0 entries, but params is empty.  Params shape: ${listed(params.shape)}`);
  const rows = flatIndex(indices, params.shape.slice(0, depth), `param shape ${listed(params.shape)}`);
  const inner = params.shape.slice(depth);
  return [{ shape: possibleSizes([...batch, ...inner]), from: rowPlaces(rows, sizeOfShape(inner)) }];
});

playMove("BooleanMask", (tensor, mask, axis) => {
  let at = axis === null ? 0 : oneNumber(axis, "axis");
  if (at < 0) at += rankOf(tensor);
  const covered = at >= 0 ? tensor.shape.slice(at, at + rankOf(mask)) : [];
  if (covered.length !== rankOf(mask) || (rankOf(mask) > 1 && !sameShape(covered, mask.shape)))
    throw new PlayError(
      `Shapes ${listed(covered)} and ${listed(mask.shape)} are incompatible: the mask must have the shape of the dimensions that it covers, here from axis ${at} of ${listed(tensor.shape)}`,
    );
  const chosen = trueElements(mask), count = sizeOfShape(covered);
  const bad = chosen.findIndex((place) => place >= count);
  if (bad >= 0) throw new PlayError(`indices[${bad}] = ${chosen[bad]} is not in [0, ${count})`);
  const before = tensor.shape.slice(0, at), after = tensor.shape.slice(at + rankOf(mask));
  const rows = Array.from({ length: sizeOfShape(before) }, (_, row) => chosen.map((place) => row * count + place)).flat();
  return [{ shape: [...before, chosen.length, ...after], from: rowPlaces(rows, sizeOfShape(after)) }];
});

// The numbers of the elements that are not 0.
function trueElements({ dtype, data }) {
  const count = data.length / partsOf(dtype), found = [];
  for (let i = 0; i < count; i++) if (isComplexType(dtype) ? data[2 * i] || data[2 * i + 1] || isNanAt(data, i) : data[i] || data[i] !== data[i]) found.push(i);
  return found;
}

const isNanAt = (data, i) => data[2 * i] !== data[2 * i] || data[2 * i + 1] !== data[2 * i + 1];

playOp("Where", {
  run([condition]) {
    const rank = rankOf(condition);
    if (!rank) throw new PlayError("WhereOp : Unhandled input dimensions: 0; a scalar has no index");
    const places = trueElements(condition);
    const entries = places.flatMap((place) => placeOf(place, condition.shape));
    return [tensorOf("int64", [places.length, rank], BigInt64Array.from(entries, BigInt))];
  },
  moves: ([condition]) => [trueElements(condition).flatMap((place) => condition.shape.map(() => [[0, place]]))],
});

playMove("Multiplex", (inputs, index) => {
  checkCandidates(inputs, index);
  const { shape: like, dtype } = inputs[0];
  const shape = [index.shape[0], ...like.slice(1)], width = sizeOfShape(like.slice(1));
  const choice = numbersOf(index);
  return [{ shape, from: countTo(sizeOfShape(shape)), of: Int32Array.from({ length: choice.length * width }, (_, i) => choice[Math.floor(i / width)]), dtype }];
});

function checkCandidates(inputs, index) {
  const { shape } = inputs[0];
  const bad = inputs.findIndex((each) => !sameShape(each.shape, shape));
  if (bad >= 0)
    throw new PlayError(`All the candidate tensors must have the same size: inputs[0] is ${listed(shape)}, inputs[${bad}] is ${listed(inputs[bad].shape)}`);
  if (shape.length < 2) throw new PlayError(`The rank of candidate tensors must be not less than 2, but is ${shape.length}`);
  if (rankOf(index) !== 2 || index.shape[1] !== 1)
    throw new PlayError(`The index tensor must be a vector with batchSize x 1, but its shape is ${listed(index.shape)}`);
  if (index.shape[0] > shape[0])
    throw new PlayError(
      `The 2nd-dim of input cannot be smaller than batchSize of the index tensor: index has ${index.shape[0]} rows, the candidates have ${shape[0]}`,
    );
  const at = index.data.findIndex((entry) => entry < 0 || entry >= inputs.length);
  if (at < 0) return;
  const rule = index.data[at] < 0 ? "index must be nonnegative" : "index exceeds the number of candidate tensors";
  throw new PlayError(`${rule}: ${entryText("index", index.shape, at)} = ${index.data[at]}, and there are ${inputs.length} candidates`);
}

playMove("OneHot", (indices, depth, on, off, axis) => {
  const at = Number(axis) === -1 ? rankOf(indices) : Number(axis);
  if (at > rankOf(indices)) throw new PlayError(`Expected axis to be -1 or between [0, ${rankOf(indices) + 1}).  But received: ${at}`);
  const count = oneNumber(depth, "depth");
  if (count < 0) throw new PlayError(`depth must be non-negative, got: ${count}`);
  for (const [label, value] of [["on_value", on], ["off_value", off]])
    if (rankOf(value)) throw new PlayError(`${label} must be a scalar, but got: ${spaced(value.shape)}`);
  const shape = possibleSizes([...indices.shape.slice(0, at), count, ...indices.shape.slice(at)]);
  const from = new Int32Array(sizeOfShape(shape)), of = new Int32Array(from.length).fill(3);
  const inner = sizeOfShape(indices.shape.slice(at));
  numbersOf(indices).forEach((hot, i) => {
    if (hot >= 0 && hot < count) of[(Math.floor(i / inner) * count + hot) * inner + (i % inner)] = 2;
  });
  return [{ shape, from, of, dtype: on.dtype }];
});
