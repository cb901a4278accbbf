// Ops that make a tensor out of sizes or bounds, or tell the sizes of one.

playMove("Fill", (dims, value) => {
  const shape = possibleSizes(sizesIn(dims));
  requireScalar(value, "value", true);
  return [{ shape, from: new Int32Array(sizeOfShape(shape)), of: 1 }];
});

const dtypeFor = (tensor, wanted) => (wanted ? wanted.dtype : tensor.dtype);

playOp("ZerosLike", { run: ([tensor, wanted]) => [zerosOf(dtypeFor(tensor, wanted), tensor.shape)] });
playOp("OnesLike", { run: ([tensor, wanted]) => [filledTensor(dtypeFor(tensor, wanted), tensor.shape, neutralOf("Mul", dtypeFor(tensor, wanted)))] });

const int32Of = (shape, numbers) => tensorOf("int32", shape, Int32Array.from(numbers));
playOp("Shape", { run: ([input]) => [int32Of([rankOf(input)], input.shape)] });
playOp("Size", { run: ([input]) => [int32Of([], [sizeOf(input)])] });
playOp("Rank", { run: ([input]) => [int32Of([], [rankOf(input)])] });

playOp("BroadcastGradientArgs", {
  run([s0, s1]) {
    const [first, second] = [sizesIn(s0), sizesIn(s1)], rank = Math.max(first.length, second.length);
    broadcastShapes(first, second);
    const padded = [first, second].map((sizes) => [...new Array(rank - sizes.length).fill(1), ...sizes]);
    const axes = padded.map((sizes) => sizes.flatMap((size, d) => (size === 1 ? [d] : [])));
    return axes.map((each) => castTensor(int32Of([each.length], each), s0.dtype));
  },
});

// ---- sequences

playOp("Range", {
  run([start, limit, delta, { dtype }]) {
    const bounds = [start, limit, delta];
    bounds.forEach((bound, i) => requireScalar(bound, ["start", "limit", "delta"][i], true));
    if (isIntType(dtype)) return [rangeOfInts(dtype, ...bounds.map((bound) => BigInt(bound.data[0])))];
    const [first, end, step] = bounds.map((bound) => bound.data[0]), round = rounderOf(dtype);
    checkDirection(first, end, step, dtype);
    const steps = round(round(end - first) / step);
    if (!Number.isFinite(steps)) throw new PlayError(`Requires a finite number of steps, but (limit - start) / delta is ${floatText(steps)}`);
    const [length] = possibleSizes([Math.ceil(steps)]);
    const made = zerosOf(dtype, [length]);
    for (let i = 0; i < length; i++) made.data[i] = round(i * step + first);
    return [made];
  },
});

const floatText = (number) => (Number.isNaN(number) ? "nan" : String(number).replace("Infinity", "inf"));

function rangeOfInts(dtype, first, end, step) {
  checkDirection(first, end, step, dtype);
  const way = step > 0n ? end - first : first - end, by = step > 0n ? step : -step;
  const [length] = possibleSizes([Number((way + by - 1n) / by)]);
  const made = zerosOf(dtype, [length]);
  for (let i = 0; i < length; i++) made.data[i] = isBigType(dtype) ? BigInt(i) * step + first : Number(BigInt(i) * step + first);
  return made;
}

function checkDirection(first, end, step, dtype) {
  const text = (bound) => (typeof bound === "bigint" ? String(bound) : pythonFloat(bound, dtype));
  if (Number(step) === 0) throw new PlayError("Requires delta != 0");
  if (step > 0 && !(first <= end)) throw new PlayError(`Requires start <= limit when delta > 0: ${text(first)}/${text(end)}`);
  if (!(step > 0) && !(first >= end)) throw new PlayError(`Requires start >= limit when delta < 0: ${text(first)}/${text(end)}`);
}

// 5.0, as Python writes a float.
function pythonFloat(number, dtype) {
  const text = shortestText(number, dtype);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

playOp("LinSpace", {
  run([start, stop, num]) {
    const count = oneNumber(num, "num", true);
    if (count < 0) throw new PlayError(`Requires num >= 0: ${count}`);
    const law = (type) => PLAY_KERNELS.get(type).law;
    const [first, last] = [widened(start), widened(stop)], { dtype } = first;
    const steps = castTensor(int32Of([], [Math.max(count - 1, 1)]), dtype);
    let delta;
    try {
      delta = mapBinary(law("RealDiv"), mapBinary(law("Sub"), last, first), steps);
    } catch (error) {
      throw new PlayError(`Incompatible shapes: ${spaced(start.shape)} vs. ${spaced(stop.shape)}`);
    }
    possibleSizes([count, ...delta.shape]);
    const numbers = castTensor(int32Of([count, ...delta.shape.map(() => 1)], countTo(count)), dtype);
    const made = mapBinary(law("Add"), mapBinary(law("Mul"), numbers, delta), first);
    const width = sizeOf(delta) * partsOf(dtype);
    const putRow = (row, value) => mapBinary(law("Add"), value, zerosOf(dtype, delta.shape)).data.forEach((part, i) => (made.data[row * width + i] = part));
    if (count) putRow(0, first);
    if (count > 1) putRow(count - 1, last);
    return [narrowed(made, start.dtype)];
  },
});
