// Pooling that also says where the largest numbers are, as ops/pooling/argmax_pool_ops.py computes it. A place counts within
// an image, or within the whole array. The first number of a window stays where none is larger, NaN too.

function argmaxPlaces(x, attrs) {
  const windows = windowsOf(x.shape, withoutPairs(attrs)), places = new Array(sizeOfShape(windows.outputs)).fill(-1);
  for (const seen of tapsOfWindows(windows))
    for (const [position, element] of seen) if (places[position] < 0 || x.data[element] > x.data[places[position]]) places[position] = element;
  return [windows.outputs, places];
}

const imageSize = (x) => sizeOfShape(x.shape.slice(1));

playOp("MaxPoolWithArgmax", {
  run([x, ksize, strides, padding, { dtype }, whole]) {
    const [shape, elements] = argmaxPlaces(x, [ksize, strides, padding]), most = whole ? Infinity : imageSize(x);
    const places = zerosOf(dtype, shape), toPlace = isBigType(dtype) ? BigInt : Number;
    elements.forEach((element, position) => (places.data[position] = toPlace(whole ? element : element % most)));
    return [taken(x, shape, elements), places];
  },
  moves([x, ...attrs]) {
    const [, elements] = argmaxPlaces(x, attrs);
    return [elements.map((element) => [0, element]), elements.map((element) => [[0, element]])];
  },
});

// The elements of the whole array that the places name.
function checkedPlaces(type, x, places, windows, whole) {
  requirePositions(type, "argmax", places, windows);
  const most = whole ? sizeOf(x) : imageSize(x), numbers = numbersOf(places), inOrder = [...places.data].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [least, largest] = [inOrder[0], inOrder[inOrder.length - 1]]; // BigInts, which no number holds exactly
  if (numbers.length && !(least >= 0 && largest < most)) throw new PlayError(`${type}: Expected argmax to be in [0, ${most}), but its least and largest entries are ${least} and ${largest}`);
  const perImage = numbers.length / x.shape[0];
  return numbers.map((place, i) => (whole ? place : place + Math.floor(i / perImage) * most));
}

playOp("MaxPoolGradWithArgmax", {
  run([x, g, places, ksize, strides, padding, whole]) {
    const windows = windowsOf(x.shape, withoutPairs([ksize, strides, padding])), made = zerosOf(widenedType(x.dtype), x.shape), add = combinerOf("Add", made.dtype);
    requirePositions("MaxPoolGradWithArgmax", "grad", g, windows);
    checkedPlaces("MaxPoolGradWithArgmax", x, places, windows, whole).forEach((element, i) => add(made.data, element, g.data, i));
    return [narrowed(made, x.dtype)];
  },
  moves([x, g, places, ksize, strides, padding, whole]) {
    const from = Array.from(x.data, () => []);
    checkedPlaces("", x, places, { outputs: places.shape }, whole).forEach((element, i) => from[element].push([1, i]));
    return [from];
  },
});

const gradGradPlaces = (x, g, places, [ksize, strides, padding, whole]) => {
  const windows = windowsOf(x.shape, withoutPairs([ksize, strides, padding])), type = "MaxPoolGradGradWithArgmax";
  if (!sameShape(g.shape, x.shape)) throw new PlayError(`${type}: Expected grad shape to be ${listed(x.shape)}, but got ${listed(g.shape)}`);
  return [{ shape: windows.outputs, from: checkedPlaces(type, x, places, windows, whole), of: 1 }];
};
playMove("MaxPoolGradGradWithArgmax", (x, g, places, ...attrs) => gradGradPlaces(x, g, places, attrs));
