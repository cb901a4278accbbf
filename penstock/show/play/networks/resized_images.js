// Images of another size, by the nearest pixel or by interpolation, and the gradients of these.
//
// Taps of an axis: for each position of the new size a list of [pixel, weight], in float32 as resizing_kernels.py has them.

// Where the positions of a resized axis lie on the old one.
function placesOfAxis(old, size, corners, half, isBetween) {
  const scale = Math.fround(corners && size > 1 ? (old - 1) / (size - 1) : old / size);
  return Array.from(countTo(size), (i) => {
    if (!half) return Math.fround(i * scale);
    const at = Math.fround((i + 0.5) * scale);
    return isBetween ? Math.fround(at - 0.5) : at;
  });
}

const withinAxis = (place, old) => Math.min(Math.max(place, 0), Math.max(old - 1, 0));

function nearestTaps(old, size, corners, half) {
  return placesOfAxis(old, size, corners, half, false).map((at) => [[withinAxis(Math.floor(corners ? Math.fround(at + 0.5) : at), old), 1]]);
}

function linearTaps(old, size, corners, half) {
  return placesOfAxis(old, size, corners, half, true).map((at) => {
    const weight = Math.fround(at - Math.floor(at));
    return [[withinAxis(Math.floor(at), old), Math.fround(1 - weight)], [withinAxis(Math.ceil(at), old), weight]];
  });
}

// The weight of a pixel at a distance of i / 1024, and of 1 + i / 1024.
function cubicWeights(i, half) {
  const r = Math.fround, a = half ? -0.5 : -0.75, near = r(i / 1024), far = r(near + 1);
  const inner = r(r(r(r(r(r(a + 2) * near) - r(a + 3)) * near) * near) + 1);
  return [inner, r(r(r(r(r(r(a * far) - r(5 * a)) * far) + r(8 * a)) * far) - r(4 * a))];
}

function cubicTaps(old, size, corners, half) {
  const r = Math.fround;
  return placesOfAxis(old, size, corners, half, true).map((at) => {
    const whole = Math.floor(at), step = roundHalfToEven(r(r(at - whole) * 1024));
    const [one, two] = [cubicWeights(step, half), cubicWeights(1024 - step, half)];
    let weights = [one[1], one[0], two[0], two[1]];
    const pixels = [-1, 0, 1, 2].map((by) => withinAxis(whole + by, old));
    if (half) { // pixels outside have no weight, and the others share it
      weights = weights.map((weight, tap) => (pixels[tap] === whole + tap - 1 ? weight : 0));
      const total = weights.reduce((sum, weight) => r(sum + weight));
      if (Math.abs(total) >= 1000 * 2 ** -126) weights = weights.map((weight) => r(weight * r(1 / total)));
    }
    return pixels.map((pixel, tap) => [pixel, weights[tap]]);
  });
}

// ---- arguments

function requireResizing(images, [height, width], corners, half, isGradient) {
  if (half && corners) throw new PlayError("If half_pixel_centers is True, align_corners must be False.");
  if (images.shape.length !== 4) throw new PlayError(`input must be 4-dimensional: ${listed(images.shape)}`);
  if (height <= 0 || width <= 0) throw new PlayError(`output dimensions must be positive: ${height} x ${width}`);
  if (!images.shape[1] || !images.shape[2]) throw new PlayError(`input image must be of non-zero size: ${listed(images.shape)}`);
  if (!images.shape[3] && !isGradient) throw new PlayError("image must have at least one channel");
}

// The shape of the result whose height and width are an operand.
function resizedShape(images, size, corners, half, isGradient = false) {
  if (images.shape.length === 4 && !(half && corners) && (size.shape.length !== 1 || size.shape[0] !== 2))
    throw new PlayError(`shape_t must have two elements: ${listed(size.shape)}`);
  const [height, width] = numbersOf(size);
  requireResizing(images, [height, width], corners, half, isGradient);
  return [images.shape[0], height, width, images.shape[3]];
}

// The shape of the images that were resized, and checks of their gradients.
function originalShape(grads, original, corners, half) {
  if (original.shape.length !== 4) throw new PlayError(`original_image must be 4-dimensional: ${listed(original.shape)}`);
  requireResizing(grads, original.shape.slice(1, 3), corners, half, true);
  if (grads.shape[0] !== original.shape[0] || grads.shape[3] !== original.shape[3])
    throw new PlayError(`grads ${listed(grads.shape)} and original_image ${listed(original.shape)} have other batches or channels`);
  return original.shape;
}

// ---- one axis after the other

function walkAxis(shape, axis, size, visit) {
  const inner = sizeOfShape(shape.slice(axis + 1)), outer = sizeOfShape(shape.slice(0, axis));
  for (let o = 0; o < outer; o++) for (let p = 0; p < size; p++) for (let i = 0; i < inner; i++) visit(o, p, i, inner);
}

const withSize = (shape, axis, size) => shape.map((each, d) => (d === axis ? size : each));

// `mix` makes a number of a position out of its taps and a function from pixels to numbers.
function mixedAxis(x, axis, taps, mix) {
  const made = zerosOf("float32", withSize(x.shape, axis, taps.length)), old = x.shape[axis];
  walkAxis(x.shape, axis, taps.length, (o, p, i, inner) => {
    made.data[(o * taps.length + p) * inner + i] = mix(taps[p], (pixel) => x.data[(o * old + pixel) * inner + i]);
  });
  return made;
}

// Each number added to the pixels of its taps, in the order of positions, times their weights where these count.
function addedAxis(g, axis, size, taps, isWeighted) {
  const made = zerosOf(g.dtype, withSize(g.shape, axis, size)), add = combinerOf("Add", g.dtype), round = rounderOf(g.dtype);
  const part = isWeighted ? newData(g.dtype, 1) : null;
  walkAxis(g.shape, axis, taps.length, (o, p, i, inner) => {
    const from = (o * taps.length + p) * inner + i;
    for (const [pixel, weight] of taps[p]) {
      const into = (o * size + pixel) * inner + i;
      if (part) add(made.data, into, ((part[0] = round(g.data[from] * weight)), part), 0);
      else add(made.data, into, g.data, from);
    }
  });
  return made;
}

// For each position of the new size the pixels with a weight.
function seenPixels(shape, rows, columns, visit) {
  const [batch, height, width, channels] = shape;
  for (let i = 0; i < batch; i++) for (let y = 0; y < rows.length; y++) for (let x = 0; x < columns.length; x++) for (let c = 0; c < channels; c++)
    for (const [row, a] of rows[y]) for (const [column, b] of columns[x])
      if (a && b) visit(((i * rows.length + y) * columns.length + x) * channels + c, ((i * height + row) * width + column) * channels + c);
}

const tapsOf = (ofAxis, old, size, corners, half) => [1, 2].map((d) => ofAxis(old[d], size[d], corners, half));

const distinctOrigins = (places) => places.map((each) => [...new Set(each)].map((element) => [0, element]));

const resizedBy = (ofAxis, axes, mix, keepsSize) => ({
  run([images, size, corners, half]) {
    const shape = resizedShape(images, size, corners, half), taps = tapsOf(ofAxis, images.shape, shape, corners, half);
    const x = castTensor(images, "float32");
    return [keepsSize && sameShape(shape, images.shape) ? x : axes.reduce((made, axis) => mixedAxis(made, axis, taps[axis - 1], mix), x)];
  },
  moves([images, size, corners, half]) {
    const shape = resizedShape(images, size, corners, half), places = Array.from({ length: sizeOfShape(shape) }, () => []);
    seenPixels(images.shape, ...tapsOf(ofAxis, images.shape, shape, corners, half), (position, pixel) => places[position].push(pixel));
    return [distinctOrigins(places)];
  },
});

const resizedBackBy = (ofAxis, shapeOf, typeOf, isWeighted) => ({
  run([grads, like, corners, half]) {
    const shape = shapeOf(grads, like, corners, half), dtype = typeOf(grads, like);
    const [rows, columns] = tapsOf(ofAxis, shape, grads.shape, corners, half), g = castTensor(grads, widenedType(dtype));
    return [castTensor(addedAxis(addedAxis(g, 2, shape[2], columns, isWeighted), 1, shape[1], rows, isWeighted), dtype)];
  },
  moves([grads, like, corners, half]) {
    const shape = shapeOf(grads, like, corners, half), places = Array.from({ length: sizeOfShape(shape) }, () => []);
    seenPixels(shape, ...tapsOf(ofAxis, shape, grads.shape, corners, half), (position, pixel) => places[pixel].push(position));
    return [distinctOrigins(places)];
  },
});

function mixLinear([[first], [second, weight]], at) {
  const one = at(first);
  return Math.fround(one + Math.fround(Math.fround(at(second) - one) * weight));
}

const mixCubic = (taps, at) => taps.map(([pixel, weight]) => Math.fround(at(pixel) * weight)).reduce((sum, part) => Math.fround(sum + part));

playMove("ResizeNearestNeighbor", (images, size, corners, half) => {
  const shape = resizedShape(images, size, corners, half), [rows, columns] = tapsOf(nearestTaps, images.shape, shape, corners, half);
  return [{ shape, from: placesIn(images.shape, shape, ([i, y, x, c]) => [i, rows[y][0][0], columns[x][0][0], c]) }];
});

playOp("ResizeBilinear", resizedBy(linearTaps, [2, 1], mixLinear, true));
playOp("ResizeBicubic", resizedBy(cubicTaps, [1, 2], mixCubic, false));
playOp("ResizeNearestNeighborGrad", resizedBackBy(nearestTaps, (grads, size, corners, half) => resizedShape(grads, size, corners, half, true), (grads) => grads.dtype, false));
playOp("ResizeBilinearGrad", resizedBackBy(linearTaps, originalShape, (_, original) => original.dtype, true));
playOp("ResizeBicubicGrad", resizedBackBy(cubicTaps, originalShape, (_, original) => original.dtype, true));
