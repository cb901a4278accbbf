// Gradients of TensorArrays, which are variants too: see ops/tensor_array/gradient_elements.py, variant_sums.py and
// variant_boxing.py. What is missing counts as zero.

const gradientElements = (dtype, values = []) => withElements(newElements({ dtype, dynamic: true, identical: false, sums: true, label: "gradient" }, 0, null), values);
const NO_ELEMENTS = newElements({ dtype: "float32", dynamic: false, identical: false, sums: false, label: "" }, 0, null);

function presentElements(box) {
  const content = contentOf(box);
  return content === null ? NO_ELEMENTS : requireElements(content);
}

const foundElement = (elements, index) => (index < elements.size && elements.entries.get(index)) || null;
const zerosOfSizes = (sizes, dtype) => zerosOf(dtype, possibleSizes(sizesIn(sizes)));

function requireLike(part, found, index) {
  if (found.dtype !== part.dtype || !sameShape(found.shape, part.shape))
    throw new PlayError(`the element at index ${index} is ${found.dtype} of shape ${listed(found.shape)}, but ${part.dtype} of shape ${listed(part.shape)} is read`);
}

// ---- one element

playOp("PlaceElement", {
  run: ([index, value]) => [boxed(gradientElements(value.dtype, [[scalarNumber(index, "index"), value]]))],
  moves: (args, [made]) => [movesOfElements(made, (at, i) => [[1, i]])],
});

playOp("ElementOrZeros", {
  run: ([array, index, sizes, { dtype }]) => [foundElement(presentElements(array), scalarNumber(index, "index")) || zerosOfSizes(sizes, dtype)],
  moves: ([, index], [made]) => [Array.from({ length: sizeOf(made) }, (_, i) => [0, `${scalarNumber(index, "index")}:${i}`])],
});

playOp("AddElement", {
  run([array, index, value]) {
    const content = contentOf(array), elements = content === null ? gradientElements(value.dtype) : requireElements(content);
    return [boxed(withElements(elements, [[scalarNumber(index, "index"), value]]))];
  },
  moves: ([array, index], [made]) => [movesOfWrites(array, made, (at, i) => (at === scalarNumber(index, "index") ? [[2, i]] : []))],
});

// ---- rows and parts

playOp("PlaceRows", {
  run([value, indices]) {
    const places = placesOfRows(value, indices);
    return [boxed(gradientElements(value.dtype, rowTensors(value).map((row, i) => [places[i], row])))];
  },
  moves: ([value, indices], [made]) => [movesOfElements(made, movesIntoRows(0, value, placesOfRows(value, indices)))],
});

playOp("RowsOrZeros", {
  run([array, sizes, { dtype }, shape, indices]) {
    const elements = presentElements(array), made = zerosOfSizes(sizes, dtype);
    const places = placesOfRows(made, indices);
    return [joinedData(rowTensors(made).map((row, i) => elementLike(elements, places[i], row)), dtype, made.shape)];
  },
  moves: ([, , , , indices], [made]) => [movesOfRows(made, placesOfRows(made, indices))],
});

function elementLike(elements, index, part) {
  const found = foundElement(elements, index);
  if (found) requireLike(part, found, index);
  return found || part;
}

playOp("PlaceParts", {
  run: ([value, lengths]) => [boxed(gradientElements(value.dtype, partsOfRows(value, lengths).map((part, i) => [i, part])))],
  moves: ([value, lengths], [made]) => [movesOfElements(made, movesIntoParts(0, value, lengths))],
});

playOp("PartsOrZeros", {
  run([array, lengths, sizes, { dtype }]) {
    const elements = presentElements(array), made = zerosOfSizes(sizes, dtype);
    return [joinedData(partsOfRows(made, lengths).map((part, i) => elementLike(elements, i, part)), dtype, made.shape)];
  },
  moves: ([, lengths], [made]) => [movesOfParts(made, partsOfRows(made, lengths).map(sizeOf))],
});

// ---- sums

playOp("AddVariants", {
  run([x, y]) {
    if (!sameShape(x.shape, y.shape)) throw new PlayError(`x has shape ${listed(x.shape)} and y has shape ${listed(y.shape)}; a sum of variants needs two of one shape`);
    return [tensorOf("variant", x.shape, x.data.map((content, i) => sumOfContents(content, y.data[i])))];
  },
  moves([x, y], [made]) {
    if (made.shape.length) return [null];
    const of = [x, y].map((each) => movesOfElements(each, () => true));
    return [movesOfElements(made, (index, i) => of.flatMap((has, operand) => (has[`${index}:${i}`] ? [[operand, `${index}:${i}`]] : [])))];
  },
});

function sumOfContents(content, other) {
  if (content === null || other === null) return content === null ? other : content;
  if (isElements(content)) return withElements(content, [...requireElements(other).entries].filter(([, value]) => value !== null));
  if (isElements(other) || content.dtype !== other.dtype || !sameShape(content.shape, other.shape))
    throw new PlayError(`one variant holds ${describedContent(content)}, the other ${describedContent(other)}; a sum needs TensorArrays, or arrays of one dtype and shape`);
  return PLAY_KERNELS.get(content.dtype === "variant" ? "AddVariants" : "Add").run([content, other], {})[0];
}

// ---- a tensor as one element

playOp("WrapVariant", { run: ([value]) => [boxed(value)] });
playOp("NoVariant", { run: ([shape]) => [zerosOf("variant", shape)] });
playOp("UnwrapVariant", { run: ([value, { dtype }, shape]) => [heldTensor(contentOf(value), dtype, shape)] });

playOp("UnwrapVariantOrZeros", {
  run([value, sizes, { dtype }, shape]) {
    const content = contentOf(value);
    return [content === null ? zerosOfSizes(sizes, dtype) : heldTensor(content, dtype, shape)];
  },
});

function heldTensor(content, dtype, shape) {
  if (content === null || isElements(content)) throw new PlayError(`the variant holds ${describedContent(content)}, not a tensor of ${dtype}`);
  if (content.dtype !== dtype || !fitsShape(content.shape, shape))
    throw new PlayError(`the variant holds an array of ${content.dtype} ${listed(content.shape)}; expected ${dtype} ${sizesText(shape)}`);
  return content;
}
