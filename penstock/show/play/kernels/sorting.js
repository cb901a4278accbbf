// Sorting along an axis, the largest elements, distinct values, places in sorted rows. NaNs stand last in either direction.

// The members of a line in order; equal ones keep theirs.
function sortedLine(data, line, isDescending) {
  const compare = (a, b) => {
    const [x, y] = [data[a], data[b]];
    if (isNan(x) || isNan(y)) return Number(isNan(x)) - Number(isNan(y));
    const order = x < y ? -1 : x > y ? 1 : 0;
    return isDescending ? -order : order;
  };
  return [...line].sort(compare);
}

// For each line along `axis` its elements, and these in order.
function sortedLines(values, axis, isDescending) {
  const rank = rankOf(values);
  if (axis < -rank || axis >= rank) throw new PlayError(`axis must be in the range [${-rank}, ${rank}), but is ${axis}`);
  const { groups } = reducedGroups(values.shape, [axis < 0 ? axis + rank : axis], false);
  return groups.map((line) => [line, sortedLine(values.data, line, isDescending)]);
}

playMove("Sort", (values, axis, direction) => {
  const from = new Int32Array(sizeOf(values));
  for (const [line, ordered] of sortedLines(values, Number(axis), direction === "DESCENDING")) line.forEach((to, i) => (from[to] = ordered[i]));
  return [{ shape: values.shape, from }];
});

playOp("ArgSort", {
  run([values, axis, direction]) {
    const made = zerosOf("int32", values.shape);
    for (const [line, ordered] of sortedLines(values, Number(axis), direction === "DESCENDING")) {
      const places = new Map(line.map((element, i) => [element, i]));
      line.forEach((to, i) => (made.data[to] = places.get(ordered[i])));
    }
    return [made];
  },
  moves([values, axis, direction]) {
    const origins = new Array(sizeOf(values));
    for (const [line, ordered] of sortedLines(values, Number(axis), direction === "DESCENDING")) line.forEach((to, i) => (origins[to] = [[0, ordered[i]]]));
    return [origins];
  },
});

// ---- the largest elements

function largestPlaces(input, k) {
  if (!rankOf(input)) throw new PlayError("input must be >= 1-D, got shape []");
  if (rankOf(k)) throw new PlayError(`k must be scalar, got shape ${listed(k.shape)}`);
  const count = Number(k.data[0]), columns = input.shape[rankOf(input) - 1];
  if (count < 0) throw new PlayError(`Need k >= 0, got ${k.data[0]}`);
  if (count > columns) throw new PlayError(`input must have at least k columns. Had ${columns}, needed ${k.data[0]}`);
  const places = sortedLines(input, -1, true).flatMap(([, ordered]) => ordered.slice(0, count));
  return { shape: [...input.shape.slice(0, -1), count], places, columns };
}

playOp("TopKV2", {
  run([input, k]) {
    const { shape, places, columns } = largestPlaces(input, k);
    return [taken(input, shape, places), tensorOf("int32", shape, Int32Array.from(places, (place) => place % columns))];
  },
  moves([input, k]) {
    const { places } = largestPlaces(input, k);
    return [places.map((place) => [0, place]), places.map((place) => [[0, place]])];
  },
});

playOp("InTopKV2", {
  run([predictions, targets, k]) {
    if (rankOf(predictions) !== 2 || rankOf(targets) !== 1 || rankOf(k))
      throw new PlayError(
        `predictions must be 2-dimensional, targets 1-dimensional and k a scalar, not ${[predictions, targets, k].map((each) => listed(each.shape)).join(", ")}`,
      );
    const [rows, classes] = predictions.shape;
    if (sizeOf(targets) !== rows) throw new PlayError(`First dimension of predictions ${rows} must match length of targets ${sizeOf(targets)}`);
    const made = zerosOf("bool", [rows]);
    numbersOf(targets).forEach((target, row) => {
      const scores = predictions.data.subarray(row * classes, (row + 1) * classes);
      const isClass = target >= 0 && target < classes && scores.every(Number.isFinite);
      made.data[row] = Number(isClass && scores.filter((score) => score > scores[target]).length < Number(k.data[0]));
    });
    return [made];
  },
});

// ---- distinct values

// The first place of each value, and for each element the number of its value. NaNs are all distinct.
function distinctValues(x) {
  if (rankOf(x) !== 1) throw new PlayError(`unique expects a 1D vector. The shape is ${listed(x.shape)}`);
  const numbers = new Map(), firsts = [], numberOf = [];
  x.data.forEach((value, i) => {
    const known = isNan(value) ? undefined : numbers.get(value);
    if (known === undefined) {
      if (!isNan(value)) numbers.set(value, firsts.length);
      numberOf[i] = firsts.push(i) - 1;
    } else numberOf[i] = known;
  });
  return { firsts, numberOf };
}

playOp("Unique", {
  run([x, { dtype }]) {
    const { firsts, numberOf } = distinctValues(x);
    const numbers = castTensor(tensorOf("int32", x.shape, Int32Array.from(numberOf)), dtype);
    return [taken(x, [firsts.length], firsts), numbers];
  },
  moves([x]) {
    const { firsts, numberOf } = distinctValues(x);
    return [firsts.map((element) => [0, element]), numberOf.map((_, i) => [[0, i]])];
  },
});

// ---- places in sorted rows

playOp("SearchSorted", {
  run([sequence, values, side, { dtype }]) {
    const [rows, wanted] = [sequence.shape, values.shape];
    if (!rows.length || !wanted.length || !sameShape(rows.slice(0, -1), wanted.slice(0, -1)))
      throw new PlayError(`Leading dim_size of both tensors must match. The shapes are ${listed(rows)} and ${listed(wanted)}`);
    const width = rows[rows.length - 1], each = wanted[wanted.length - 1];
    const places = Array.from(values.data, (value, i) => placeInRow(sequence.data, Math.floor(i / each) * width, width, value, side === "right"));
    return [castTensor(tensorOf("int32", wanted, Int32Array.from(places)), dtype)];
  },
});

// How many elements of a row stand before `value`: those that are less, with `after` also equal ones.
function placeInRow(data, start, width, value, after) {
  let [low, high] = [0, width];
  while (low < high) {
    const middle = (low + high) >> 1, element = data[start + middle];
    const isEqual = element === value || (isNan(element) && isNan(value));
    if (element < value || (isNan(value) && !isNan(element)) || (after && isEqual)) low = middle + 1;
    else high = middle;
  }
  return low;
}

// ---- bins

playOp("HistogramFixedWidth", {
  run([values, range, bins, { dtype }]) {
    if (!sameShape(range.shape, [2])) throw new PlayError(`value_range should be a vector of 2 elements. Its shape is ${listed(range.shape)}`);
    const [low, high] = numbersOf(range);
    if (!(low < high)) throw new PlayError(`value_range should satisfy value_range[0] < value_range[1], but got '[${low}, ${high}]'`);
    if (rankOf(bins)) throw new PlayError(`nbins should be a scalar. Its shape is ${listed(bins.shape)}`);
    const count = Number(bins.data[0]);
    if (count <= 0) throw new PlayError(`nbins should be a positive number, but got '${count}'`);
    const made = zerosOf("int32", possibleSizes([count]));
    for (const value of numbersOf(values)) {
      if (isNan(value)) throw new PlayError("Histogram values must not contain NaN");
      made.data[Math.trunc(Math.min((Math.max(value, low) - low) / ((high - low) / count), count - 1))] += 1;
    }
    return [castTensor(made, dtype)];
  },
});
