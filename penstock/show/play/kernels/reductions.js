// Reductions along axes: sums, means, products, extremes, all and any. Each result element shows what it was made of.

// The axes of a reduction, counted from the front and in order; null means all of them.
function reducedAxes(axis, rank) {
  if (axis === null) return [...countTo(rank)];
  if (rankOf(axis) > 1) throw new PlayError(`axis must be a scalar or a vector, not ${spaced(axis.shape)}`);
  const axes = [];
  for (const given of numbersOf(axis)) {
    if (given < -rank || given >= rank)
      throw new PlayError(`Invalid reduction dimension (${given} for input with ${rank} dimension(s)); axes must be in [${-rank}, ${rank})`);
    const counted = given < 0 ? given + rank : given;
    if (axes.includes(counted))
      throw new PlayError(`Invalid reduction arguments: Axes contains duplicate dimension: ${counted}; each axis may be given once`);
    axes.push(counted);
  }
  return axes.sort((a, b) => a - b);
}

// The members of each group: the elements of `shape`, row by row, that are reduced to each element of the result.
function reducedGroups(shape, axes, keepDims) {
  const kept = shape.map((size, d) => (axes.includes(d) ? 1 : size));
  const groups = Array.from({ length: sizeOfShape(kept) }, () => []);
  const strides = stridesOf(kept);
  steppedPlaces(shape, strides.map((step, d) => (axes.includes(d) ? 0 : step))).forEach((group, element) => groups[group].push(element));
  return { groups, shape: keepDims ? kept : shape.filter((_, d) => !axes.includes(d)) };
}

// How many members of a group lie together in memory: the sizes of the last axes, if these are reduced.
function runOf(shape, axes) {
  let run = 1;
  for (let d = shape.length - 1; d >= 0 && (axes.includes(d) || shape[d] === 1); d--) run *= shape[d];
  return run;
}

// `combine(x, groups, shape, run)` makes the result.
function playReduction(type, combine) {
  const groupsOf = (x, axis, keepDims) => {
    const axes = reducedAxes(axis, rankOf(x));
    return { axes, ...reducedGroups(x.shape, axes, keepDims) };
  };
  playOp(type, {
    run([x, axis, keepDims]) {
      const { axes, groups, shape } = groupsOf(x, axis, keepDims);
      return [axes.length ? combine(x, groups, shape, runOf(x.shape, axes)) : x];
    },
    moves([x, axis, keepDims]) {
      const { axes, groups } = groupsOf(x, axis, keepDims);
      return [groups.map((members) => (axes.length ? members.map((element) => [0, element]) : [0, members[0]]))];
    },
  });
}

// A reduction by an op of two elements, one after the other.
function foldedBy(op, x, groups, shape) {
  const wide = widened(x), fold = combinerOf(op, wide.dtype);
  const made = filledTensor(wide.dtype, shape, neutralOf(op, wide.dtype));
  groups.forEach((members, to) => members.forEach((member) => fold(made.data, to, wide.data, member)));
  return narrowed(made, x.dtype);
}

function summed(x, groups, shape, run) {
  const made = zerosOf(x.dtype, shape);
  groups.forEach((members, to) => addRuns(made.data, to, x.dtype, x.data, members, run));
  return made;
}

playReduction("Sum", (x, groups, shape, run) => narrowed(summed(widened(x), groups, shape, run), x.dtype));

playReduction("Mean", (x, groups, shape, run) => {
  const count = groups.length ? groups[0].length : 0;
  if (isIntType(x.dtype)) return intMean(x, groups, shape, count);
  const wide = widened(x), total = summed(wide, groups, shape, run);
  if (isComplexType(x.dtype) && !count) return total;
  if (isComplexType(x.dtype)) return mapBinary(PLAY_KERNELS.get("RealDiv").law, total, castTensor(scalarTensor("float64", count), x.dtype));
  return narrowed(tensorOf(wide.dtype, shape, total.data.map((sum) => sum / count)), x.dtype);
});

// The quotient of the 64-bit sum, towards zero.
function intMean(x, groups, shape, count) {
  const made = zerosOf(x.dtype, shape), isUnsigned = x.dtype === "uint64";
  groups.forEach((members, to) => {
    const total = wrapped64(members.reduce((sum, member) => sum + BigInt(x.data[member]), 0n), isUnsigned);
    const mean = total / BigInt(Math.max(count, 1));
    made.data[to] = isBigType(x.dtype) ? mean : Number(mean);
  });
  return made;
}

playReduction("Prod", (x, groups, shape) => foldedBy("Mul", x, groups, shape));
playReduction("Max", (x, groups, shape) => foldedBy("Maximum", x, groups, shape));
playReduction("Min", (x, groups, shape) => foldedBy("Minimum", x, groups, shape));
playReduction("Any", (x, groups, shape) => tensorOf("bool", shape, Uint8Array.from(groups, (members) => members.some((member) => x.data[member]))));
playReduction("All", (x, groups, shape) => tensorOf("bool", shape, Uint8Array.from(groups, (members) => members.every((member) => x.data[member]))));

// ---- where the extreme is

function playArgExtreme(type, isBetter) {
  const groupsOf = (x, axis) => {
    if (rankOf(axis)) throw new PlayError(`axis must be a scalar, not ${spaced(axis.shape)}`);
    const rank = rankOf(x), given = Number(axis.data[0]);
    if (given < -rank || given >= rank) throw new PlayError(`Expected dimension in the range [${-rank}, ${rank}), but got ${axis.data[0]}`);
    const at = given < 0 ? given + rank : given;
    if (!x.shape[at]) throw new PlayError(`Reduction axis ${at} is empty in shape ${listed(x.shape)}`);
    return reducedGroups(x.shape, [at], false);
  };
  playOp(type, {
    run([x, axis, { dtype }]) {
      const { groups, shape } = groupsOf(x, axis);
      const made = zerosOf(dtype, shape);
      groups.forEach((members, to) => {
        let best = 0;
        members.forEach((member, i) => (best = isBetter(x.data[member], x.data[members[best]], i) ? i : best));
        made.data[to] = isBigType(dtype) ? BigInt(best) : best;
      });
      return [made];
    },
    moves: ([x, axis]) => [groupsOf(x, axis).groups.map((members) => members.map((element) => [0, element]))],
  });
}

// NaN counts as the worst value: the first one of an axis that has nothing better.
const isNan = (value) => value !== value;
playArgExtreme("ArgMax", (a, b) => a > b || (isNan(b) && a > -Infinity));
playArgExtreme("ArgMin", (a, b) => a < b || (isNan(b) && a < Infinity));

// ---- running sums and products

function playScan(type, op) {
  const scanAxis = (x, axis) => {
    if (rankOf(axis)) throw new PlayError(`ScanOp: axis must be a scalar, not ${spaced(axis.shape)}`);
    const rank = rankOf(x), given = Number(axis.data[0]);
    if (given < -rank || given >= rank) throw new PlayError(`ScanOp: Expected scan axis in the range [${-rank}, ${rank}), but got ${axis.data[0]}`);
    return given < 0 ? given + rank : given;
  };
  // The elements along the axis in the order in which they are added.
  const linesOf = (x, axis, reverse) => {
    const { groups } = reducedGroups(x.shape, [scanAxis(x, axis)], false);
    return reverse ? groups.map((members) => members.reverse()) : groups;
  };
  playOp(type, {
    run([x, axis, exclusive, reverse]) {
      const made = zerosOf(x.dtype, x.shape), fold = combinerOf(op, x.dtype), parts = partsOf(x.dtype);
      const neutral = filledTensor(x.dtype, [], neutralOf(op, x.dtype)).data;
      for (const line of linesOf(x, axis, reverse))
        line.forEach((element, i) => {
          if (i) {
            copyRow(made.data, element, made.data, line[i - 1], parts);
            fold(made.data, element, x.data, exclusive ? line[i - 1] : element);
          } else copyRow(made.data, element, exclusive ? neutral : x.data, exclusive ? 0 : element, parts);
        });
      return [made];
    },
    moves([x, axis, exclusive, reverse]) {
      const origins = new Array(sizeOf(x));
      for (const line of linesOf(x, axis, reverse))
        line.forEach((element, i) => (origins[element] = line.slice(0, exclusive ? i : i + 1).map((member) => [0, member])));
      return [origins];
    },
  });
}

playScan("Cumsum", "Add");
playScan("Cumprod", "Mul");
