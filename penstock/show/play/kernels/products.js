// Sums of products: matrix products, einsum, the vector product.

// The number of the element [batch..., row, column] of a matrix operand, whether it is transposed or not.
function matrixView(tensor, isTurned, batch) {
  const { shape } = tensor, lead = shape.length - 2;
  const [rows, columns] = shape.slice(lead);
  const places = broadcastPlaces(shape.slice(0, lead), batch);
  const start = (b) => (places === null ? b : places[b]) * rows * columns;
  return isTurned ? (b, i, j) => start(b) + j * columns + i : (b, i, j) => start(b) + i * columns + j;
}

// The shapes of a product, and where its operands' elements are.
function productOf(a, b, turnsA, turnsB) {
  [a, b].forEach((each, i) => {
    if (rankOf(each) < 2) throw new PlayError(`In[${i}] ndims must be >= 2: ${rankOf(each)}`);
  });
  const sides = (each, isTurned) => (isTurned ? each.shape.slice(-2).reverse() : each.shape.slice(-2));
  const [rows, inner] = sides(a, turnsA), [innerB, columns] = sides(b, turnsB);
  if (inner !== innerB)
    throw new PlayError(`Matrix size-incompatible: In[0]: ${listed(a.shape)}, In[1]: ${listed(b.shape)}: the inner sizes are ${inner} and ${innerB}`);
  let batch;
  try {
    batch = broadcastShapes(a.shape.slice(0, -2), b.shape.slice(0, -2));
  } catch (error) {
    throw new PlayError(`In[0] and In[1] must have compatible batch dimensions: ${listed(a.shape)} vs. ${listed(b.shape)}`);
  }
  const shape = possibleSizes([...batch, rows, columns]);
  return { shape, inner, left: matrixView(a, turnsA, batch), right: matrixView(b, turnsB, batch) };
}

// Calls visit(element of the result, [batch, row, column]) for all.
function eachOfProduct(shape, visit) {
  const [rows, columns] = shape.slice(-2);
  for (let to = 0; to < sizeOfShape(shape); to++) visit(to, Math.floor(to / (rows * columns)), Math.floor(to / columns) % rows, to % columns);
}

playOp("MatMul", {
  run([a, b, transposeA, transposeB, adjointA, adjointB]) {
    const { shape, inner, left, right } = productOf(a, b, transposeA || adjointA, transposeB || adjointB);
    const [x, y] = [conjugatedIf(adjointA, widened(a)), conjugatedIf(adjointB, widened(b))];
    const made = zerosOf(x.dtype, shape), addProduct = productAdder(x.dtype);
    eachOfProduct(shape, (to, batch, i, j) => {
      for (let k = 0; k < inner; k++) addProduct(made.data, to, x.data, left(batch, i, k), y.data, right(batch, k, j));
    });
    return [narrowed(made, a.dtype)];
  },
  moves([a, b, transposeA, transposeB, adjointA, adjointB]) {
    const { shape, inner, left, right } = productOf(a, b, transposeA || adjointA, transposeB || adjointB);
    const origins = [];
    eachOfProduct(shape, (to, batch, i, j) => {
      origins[to] = Array.from(countTo(inner), (k) => [[0, left(batch, i, k)], [1, right(batch, k, j)]]).flat();
    });
    return [origins];
  },
});

const conjugatedIf = (isAdjoint, tensor) => (isAdjoint && isComplexType(tensor.dtype) ? PLAY_KERNELS.get("Conj").run([tensor])[0] : tensor);

// (target, i, x, j, y, k): target[i] += x[j] * y[k].
function productAdder(dtype) {
  const multiply = combinerOf("Mul", dtype), add = combinerOf("Add", dtype), product = newData(dtype, 1), parts = partsOf(dtype);
  return (target, i, x, j, y, k) => {
    copyRow(product, 0, x, j, parts);
    multiply(product, 0, y, k);
    add(target, i, product, 0);
  };
}

// ---- einsum

// The labels of an operand's dimensions: letters, and negative numbers for those of "...", counted from the right.
function dimensionLabels(term, rank) {
  const [before, after] = term.includes("...") ? term.split("...") : [term, ""];
  const inner = term.includes("...") ? rank - before.length - after.length : 0;
  return [...before, ...Array.from({ length: inner }, (_, i) => i - inner), ...after];
}

function einsumLayout(inputs, equation) {
  const [left, result] = equation.split("->");
  const labels = left.split(",").map((term, i) => {
    const letters = term.replace("...", "").length, rank = rankOf(inputs[i]);
    if (term.includes("...") ? rank < letters : rank !== letters)
      throw new PlayError(`an input of shape ${listed(inputs[i].shape)} does not fit the labels '${term}' of ${equation}`);
    return dimensionLabels(term, rank);
  });
  const sizes = new Map();
  inputs.forEach(({ shape }, i) =>
    shape.forEach((size, d) => {
      const label = labels[i][d], known = sizes.has(label) ? sizes.get(label) : size;
      if (known !== size && !(typeof label === "number" && (known === 1 || size === 1)))
        throw new PlayError(`Expected dimension ${known} for label ${label} of the input shaped ${listed(shape)} but got dimension ${size}`);
      sizes.set(label, known === 1 ? size : known);
    }),
  );
  const extra = Math.max(0, ...[...sizes.keys()].filter((label) => typeof label === "number").map((label) => -label));
  if (extra && !result.includes("...")) throw new PlayError(`the result of ${equation} has no place for the dimensions of ...`);
  const out = dimensionLabels(result, result.replace("...", "").length + extra);
  const summed = [...sizes.keys()].filter((label) => !out.includes(label));
  const steps = inputs.map(({ shape }, i) => stepsByLabel(shape, labels[i]));
  return { sizes, out, summed, steps };
}

// How far a step along a label moves in an operand; an axis of size 1 under "..." is repeated.
function stepsByLabel(shape, labels) {
  const steps = new Map(), strides = stridesOf(shape);
  labels.forEach((label, d) => steps.set(label, (steps.get(label) || 0) + (shape[d] === 1 ? 0 : strides[d])));
  return steps;
}

// For each operand the elements that make up the result: those of its first element, then those of the second, ...
function einsumPlaces(inputs, equation) {
  const { sizes, out, summed, steps } = einsumLayout(inputs, equation);
  const walk = [...out, ...summed], whole = walk.map((label) => sizes.get(label));
  const places = steps.map((each) => steppedPlaces(possibleSizes(whole), walk.map((label) => each.get(label) || 0)));
  return { shape: out.map((label) => sizes.get(label)), places, inner: sizeOfShape(summed.map((label) => sizes.get(label))) };
}

playOp("Einsum", {
  run([inputs, equation]) {
    const { shape, places, inner } = einsumPlaces(inputs, equation), wide = inputs.map(widened), { dtype } = wide[0];
    const made = zerosOf(dtype, shape), count = sizeOfShape(shape);
    const add = combinerOf("Add", dtype), addProduct = productAdder(dtype);
    for (let to = 0; to < count; to++)
      for (let k = to * inner; k < (to + 1) * inner; k++)
        if (wide.length === 1) add(made.data, to, wide[0].data, places[0][k]);
        else addProduct(made.data, to, wide[0].data, places[0][k], wide[1].data, places[1][k]);
    return [narrowed(made, inputs[0].dtype)];
  },
  moves([inputs, equation]) {
    const { shape, places, inner } = einsumPlaces(inputs, equation);
    const members = (to) => Array.from({ length: inner }, (_, k) => places.map((each, operand) => [operand, each[to * inner + k]])).flat();
    return [Array.from(countTo(sizeOfShape(shape)), members)];
  },
});

// ---- the vector product of 3-vectors

playOp("Cross", {
  run([a, b]) {
    checkCross(a, b);
    const part = (tensor, k) => taken(tensor, tensor.shape.slice(0, -1), countTo(sizeOf(tensor) / 3).map((row) => 3 * row + k));
    const product = (i, j) => mapBinary(PLAY_KERNELS.get("Mul").law, part(a, i), part(b, j));
    const made = zerosOf(a.dtype, a.shape);
    for (let i = 0; i < 3; i++) {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3];
      mapBinary(PLAY_KERNELS.get("Sub").law, product(j, k), product(k, j)).data.forEach((value, row) => (made.data[3 * row + i] = value));
    }
    return [made];
  },
  moves([a, b]) {
    checkCross(a, b);
    const others = (e) => [e - (e % 3) + ((e + 1) % 3), e - (e % 3) + ((e + 2) % 3)];
    return [Array.from(countTo(sizeOf(a)), (e) => [0, 1].flatMap((operand) => others(e).map((element) => [operand, element])))];
  },
});

function checkCross(a, b) {
  if (!sameShape(a.shape, b.shape)) throw new PlayError(`Both inputs must be of same shape: ${listed(a.shape)} vs. ${listed(b.shape)}`);
  if (!rankOf(a)) throw new PlayError("Input must be at least 1D[]");
  if (a.shape[rankOf(a) - 1] !== 3) throw new PlayError(`Cross-products are only defined for 3-element vectors. The shape is ${listed(a.shape)}`);
}
