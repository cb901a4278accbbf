// The ops behind tf.TensorArray: new ones, sizes, writes and reads of one element, of rows and of parts.

playOp("TensorArray", {
  run: ([size, { dtype }, shape, dynamic, identical, label]) => [boxed(newElements({ dtype, dynamic, identical, sums: false, label }, scalarNumber(size, "size"), shape))],
});

playOp("TensorArrayGrad", {
  run([array]) {
    const { facts, size, shape } = elementsOf(array);
    return [boxed(newElements({ ...facts, sums: true, label: `${facts.label}@grad` }, size, shape))];
  },
});

playOp("TensorArraySize", { run: ([array]) => [scalarTensor("int32", elementsOf(array).size)] });

// ---- writing

playOp("TensorArrayWrite", {
  run: ([array, index, value]) => [boxed(withElements(elementsOf(array), [[scalarNumber(index, "index"), value]]))],
  moves: ([array, index], [made]) => [movesOfWrites(array, made, (at, i) => (at === scalarNumber(index, "index") ? [[2, i]] : []))],
});

playOp("TensorArrayScatter", {
  run([array, value, indices]) {
    const elements = elementsOf(array), places = placesOfRows(value, indices), highest = Math.max(-1, ...places);
    if (highest >= elements.size && !elements.facts.dynamic) throw new PlayError(`Max scatter index must be < array size (${highest} vs. ${elements.size})`);
    return [boxed(withElements(elements, rowTensors(value).map((row, i) => [places[i], row])))];
  },
  moves: ([array, value, indices], [made]) => [movesOfWrites(array, made, movesIntoRows(1, value, placesOfRows(value, indices)))],
});

playOp("TensorArraySplit", {
  run([array, value, lengths]) {
    const elements = elementsOf(array), parts = partsOfRows(value, lengths), count = sizeOf(lengths);
    if (count !== elements.size && !elements.facts.dynamic)
      throw new PlayError(`TensorArray's size is not equal to the size of lengths (${elements.size} vs. ${count}), and the TensorArray is not marked as dynamically resizeable`);
    return [boxed(withElements(elements, parts.map((part, i) => [i, part])))];
  },
  moves: ([array, value, lengths], [made]) => [movesOfWrites(array, made, movesIntoParts(1, value, lengths))],
});

playOp("TensorArrayClear", {
  run([array, indices]) {
    const elements = elementsOf(array), entries = new Map(elements.entries);
    const places = indices === null ? Array.from({ length: elements.size }, (_, i) => i) : numbersOf(indices);
    for (const place of places) entries.set(place, null);
    return [boxed({ ...elements, entries })];
  },
  moves: (args, [made]) => [movesOfElements(made, (index, i) => [[0, `${index}:${i}`]])],
});

// ---- reading

playOp("TensorArrayRead", {
  run([array, index, { dtype }, shape]) {
    const elements = elementsOf(array), found = readElement(elements, scalarNumber(index, "index"));
    checkRead(elements, found, dtype, shape);
    return [found];
  },
  moves: ([, index], [made]) => [Array.from({ length: sizeOf(made) }, (_, i) => [0, `${scalarNumber(index, "index")}:${i}`])],
});

playOp("TensorArrayGather", {
  run([array, { dtype }, shape, clear, indices]) {
    const elements = elementsOf(array);
    if (indices !== null && rankOf(indices) !== 1) throw new PlayError(`indices must be a vector, not of shape ${listed(indices.shape)}`);
    const places = indices === null ? Array.from({ length: elements.size }, (_, i) => i) : numbersOf(indices);
    const rest = shape === null ? null : shape.slice(1), row = knownSizes(rest);
    if (!places.length) return [zerosOf(dtype, [0, ...(row || shapeOfNone(elements.shape))])];
    const found = places.map((place) => readElement(elements, place, row || elements.shape));
    const again = places.findIndex((place, i) => places.indexOf(place) < i);
    if (clear && again >= 0) throw readTwice(elements, places[again]);
    const first = found[0].shape, bad = found.findIndex((each) => !sameShape(each.shape, first));
    if (bad >= 0) throw new PlayError(`TensorArray has inconsistent shapes.  Index 0 has shape: ${listed(first)} but index ${bad} has shape: ${listed(found[bad].shape)}`);
    checkRead(elements, found[0], dtype, rest);
    return [joinedData(found, dtype, [found.length, ...first])];
  },
  moves: ([array, , , , indices], [made]) => [movesOfRows(made, indices === null ? everyPlace(elementsOf(array)) : numbersOf(indices))],
});

playOp("TensorArrayConcat", {
  run([array, { dtype }, shape]) {
    const elements = elementsOf(array), values = Array.from({ length: elements.size }, (_, i) => readElement(elements, i));
    const lengthsOf = (numbers) => tensorOf("int64", [numbers.length], BigInt64Array.from(numbers, BigInt));
    const rest = shape === null ? null : shape.slice(1);
    if (!values.length) return [zerosOf(dtype, [0, ...(knownSizes(rest) || shapeOfNone(elements.shape).slice(1))]), lengthsOf([])];
    const like = values[0].shape.slice(1);
    values.forEach((value, i) => {
      if (!value.shape.length) throw new PlayError(`Concat saw a scalar shape at index ${i} but requires at least vectors.  Did you mean to call pack?`);
      const found = value.shape.slice(1);
      if (!sameShape(found, like))
        throw new PlayError(`TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: ${listed(like)} but index ${i} has (excepting dimension 0) shape: ${listed(found)}`);
    });
    if (shape !== null) checkRead(elements, values[0], dtype, [null, ...rest]);
    const counts = values.map((value) => value.shape[0]);
    return [joinedData(values, dtype, [counts.reduce((sum, count) => sum + count, 0), ...like]), lengthsOf(counts)];
  },
  moves([array], [made]) {
    const elements = elementsOf(array), sizes = everyPlace(elements).map((i) => sizeOf(readElement(elements, i)));
    return [movesOfParts(made, sizes), null];
  },
});

playOp("StackedRows", {
  run([value, shape]) {
    if (!value.shape[0]) shapeOfNone(shape);
    return [value];
  },
  moves: ([value]) => [Array.from({ length: sizeOf(value) }, (_, cell) => [0, cell])],
});
