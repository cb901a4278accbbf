// Ops that write slices into a tensor at places that another tensor names.

const spreadText = (indices, updates) => (sizeOf(indices) || sizeOf(updates)) && !(sizeOf(indices) && sizeOf(updates));

playMove("TensorScatterUpdate", (tensor, indices, updates) => {
  checkUpdate(tensor.shape, indices, updates);
  const { shape } = tensor, depth = indices.shape[rankOf(indices) - 1];
  const from = countTo(sizeOf(tensor)), of = new Int32Array(from.length);
  if (sizeOf(updates)) {
    const width = sizeOfShape(shape.slice(depth));
    flatIndex(indices, shape.slice(0, depth), `shape ${listed(shape)}`).forEach((to, row) => {
      for (let i = 0; i < width; i++) {
        from[to * width + i] = row * width + i;
        of[to * width + i] = 2;
      }
    });
  }
  return [{ shape, from, of }];
});

function checkUpdate(shape, indices, updates) {
  if (!rankOf(indices)) throw new PlayError("Indices shape must have rank at least one. Found:[]");
  if (!rankOf(updates)) throw new PlayError("Updates shape must have rank at least one. Found:[]");
  if (rankOf(indices) < 2)
    throw new PlayError(`Indices shape must have rank at least two. Found:${listed(indices.shape)}: a single index vector is written [[i, j]]`);
  if (spreadText(indices, updates) || (sizeOf(indices) && !sizeOfShape(shape))) throw new PlayError("Indices and updates specified for empty output shape");
  const batch = indices.shape.slice(0, -1), depth = indices.shape[batch.length];
  if (!sameShape(updates.shape.slice(0, batch.length), batch))
    throw new PlayError(`Outer dimensions of indices and update must match. Indices shape: ${listed(indices.shape)}, updates shape:${listed(updates.shape)}`);
  if (depth > shape.length || !sameShape(updates.shape.slice(batch.length), shape.slice(depth)))
    throw new PlayError(`Inner dimensions of output shape must match inner dimensions of updates shape. Output: ${listed(shape)} updates: ${listed(updates.shape)}`);
}

// ---- scatter_nd: updates at one place are added

playOp("ScatterNd", {
  run([indices, updates, shape]) {
    const { sizes, rows, width } = additionPlaces(indices, updates, shape);
    const made = zerosOf(updates.dtype, sizes);
    const add = combinerOf(updates.dtype === "bool" ? "LogicalOr" : "Add", updates.dtype);
    rows.forEach((to, row) => {
      for (let i = 0; i < width; i++) add(made.data, to * width + i, updates.data, row * width + i);
    });
    return [made];
  },
  moves([indices, updates, shape]) {
    const { sizes, rows, width } = additionPlaces(indices, updates, shape);
    const origins = new Array(sizeOfShape(sizes)).fill(null);
    rows.forEach((to, row) => {
      for (let i = 0; i < width; i++) (origins[to * width + i] = origins[to * width + i] || []).push([1, row * width + i]);
    });
    return [origins];
  },
});

function additionPlaces(indices, updates, shape) {
  if (rankOf(shape) !== 1) throw new PlayError(`Shape must be a vector, but has shape ${listed(shape.shape)}`);
  const sizes = sizesIn(shape);
  checkAddition(sizes, indices, updates);
  possibleSizes(sizes);
  const depth = indices.shape[rankOf(indices) - 1];
  const rows = sizeOf(updates) ? flatIndex(indices, sizes.slice(0, depth), `shape ${listed(sizes)}`) : [];
  return { sizes, rows, width: rows.length ? sizeOf(updates) / rows.length : 0 };
}

function checkAddition(sizes, indices, updates) {
  const low = [["Indices", indices], ["Updates", updates]].find(([, each]) => !rankOf(each));
  if (low) throw new PlayError(`${low[0]} shape must have rank at least one. Found:[]`);
  const count = sizeOfShape(sizes);
  if (spreadText(indices, updates) || (sizeOf(indices) && !count))
    throw new PlayError(`Indices and updates specified for empty output${count ? " shape" : `.  indices shape: ${listed(indices.shape)}`}`);
  const batch = indices.shape.slice(0, -1), depth = indices.shape[batch.length];
  const tail = `updates[shape=${listed(updates.shape)}]`;
  if (!batch.length || !sameShape(updates.shape.slice(0, batch.length), batch))
    throw new PlayError(`Dimensions [0,${batch.length || 1}) of indices[shape=${listed(indices.shape)}] must match dimensions [0,${batch.length || 1}) of ${tail}`);
  if (depth > sizes.length || !sameShape(updates.shape.slice(batch.length), sizes.slice(depth)))
    throw new PlayError(`Dimensions [${depth},${sizes.length}) of input[shape=${listed(sizes)}] must match dimensions [${batch.length},${rankOf(updates)}) of ${tail}`);
}

// ---- updates of rows of a variable

const ROW_LAWS = { add: "Add", sub: "Sub", mul: "Mul", div: "RealDiv", min: "Minimum", max: "Maximum" };

playOp("CombineRows", {
  run([tensor, indices, updates, how, vectors]) {
    const made = copyOfTensor(tensor), { rows, width, from } = rowsToCombine(tensor, indices, updates, vectors);
    const parts = partsOf(tensor.dtype);
    let combine = (target, to, source, at) => copyRow(target, to, source, at, parts);
    if (how === "div" && isIntType(tensor.dtype)) combine = dividedInPlace;
    else if (how !== "update") combine = combinerOf(ROW_LAWS[how], tensor.dtype);
    if (how === "div" && isIntType(tensor.dtype) && rows.length * width && updates.data.some((each) => !each)) throw new PlayError("Integer division by zero");
    rows.forEach((to, row) => {
      for (let i = 0; i < width; i++) combine(made.data, to * width + i, updates.data, from(row, i));
    });
    return [made];
  },
  moves([tensor, indices, updates, how, vectors]) {
    const { rows, width, from } = rowsToCombine(tensor, indices, updates, vectors);
    const origins = Array.from(countTo(sizeOf(tensor)), (i) => [0, i]);
    rows.forEach((to, row) => {
      for (let i = 0; i < width; i++) {
        const before = origins[to * width + i], added = [2, from(row, i)];
        origins[to * width + i] = how === "update" ? added : [...(typeof before[0] === "number" ? [before] : before), added];
      }
    });
    return [origins];
  },
});

function dividedInPlace(target, to, source, at) {
  const [value, by] = [target[to], source[at]];
  target[to] = typeof value === "bigint" ? value / by : Math.trunc(value / by);
}

function rowsToCombine(tensor, indices, updates, vectors) {
  const { shape } = tensor;
  let depth = 1, batch = indices.shape;
  if (vectors) {
    if (!rankOf(indices)) throw new PlayError("Indices shape must have rank at least one. Found:[]");
    batch = indices.shape.slice(0, -1);
    depth = indices.shape[batch.length];
    if (depth > shape.length) throw new PlayError(`index innermost dimension length must be <= params rank; saw: ${depth} vs. ${shape.length}`);
  } else if (!shape.length) throw new PlayError("a scalar has no rows to update");
  const inner = shape.slice(depth);
  if (rankOf(updates) && !sameShape(updates.shape, [...batch, ...inner]))
    throw new PlayError(
      "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], " +
        `got updates.shape ${listed(updates.shape)}, indices.shape ${listed(indices.shape)}, params.shape ${listed(shape)}`,
    );
  if (!vectors) checkRange("indices", indices, shape[0]);
  const rows = vectors ? flatIndex(indices, shape.slice(0, depth), `shape ${listed(shape)}`) : numbersOf(indices);
  const width = sizeOfShape(inner);
  return { rows, width, from: rankOf(updates) ? (row, i) => row * width + i : () => 0 };
}
