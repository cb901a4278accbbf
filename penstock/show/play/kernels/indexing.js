// Indexing: `tensor[1, ..., a:b, newaxis]`, its gradient, and an assignment to a part of a variable.
//
// An index has an item for each place between the brackets: an int, {record: "IndexOperand", number} for a tensor of
// `bounds`, {record: "Span", start, stop, step} of such numbers or nulls, "..." or null for newaxis.

const isSpan = (item) => item !== null && item.record === "Span";
const isBound = (item) => item !== null && item.record === "IndexOperand";

// The elements of an array of shape `whole` at an index; `complaint`, if there is one, is the error where there are none.
function indexPlaces(whole, { items }, bounds, complaint = null) {
  const given = bounds.map((bound) => oneNumber(bound, "an index"));
  const numberOf = (part) => (part === null ? null : isBound(part) ? given[part.number] : Number(part));
  const fail = (text) => {
    throw new PlayError(complaint || text);
  };
  const rank = whole.length, used = items.filter((item) => item !== null && item !== "...").length;
  if (used > rank) fail(rank ? `Index out of range using input dim ${rank}; input has only ${rank} dims` : "Attempting to slice scalar input.");
  const strides = stridesOf(whole), shape = [], steps = [];
  let start = 0, d = 0;
  const keep = (count, first, step) => {
    shape.push(count);
    steps.push(step * strides[d]);
    start += first * strides[d];
    d += 1;
  };
  for (const item of items.includes("...") ? items : [...items, "..."]) {
    if (item === null) {
      shape.push(1);
      steps.push(0);
    } else if (item === "...") for (let left = rank - used; left > 0; left--) keep(whole[d], 0, 1);
    else if (isSpan(item)) {
      const [from, to, by] = [item.start, item.stop, item.step].map(numberOf);
      if (by === 0) fail(`strides[${d}] must be non-zero`);
      keep(...spanOf(from, to, by === null ? 1 : by, whole[d]));
    } else {
      const number = numberOf(item), size = whole[d];
      if (number < -size || number >= size) fail(`slice index ${number < 0 ? number + size : number} of dimension ${d} out of bounds.`);
      start += (number < 0 ? number + size : number) * strides[d];
      d += 1;
    }
  }
  return { shape, from: steppedPlaces(shape, steps, start) };
}

// [count, first, step] of the elements that start:stop:step selects of `size`.
function spanOf(start, stop, step, size) {
  const least = step < 0 ? -1 : 0, most = step < 0 ? size - 1 : size;
  const bounded = (bound) => (bound < 0 ? Math.max(bound + size, least) : Math.min(bound, most));
  const first = start === null ? (step < 0 ? most : least) : bounded(start);
  const last = stop === null ? (step < 0 ? least : most) : bounded(stop);
  const way = step < 0 ? first - last : last - first;
  return [way > 0 ? Math.floor((way - 1) / Math.abs(step)) + 1 : 0, first, step];
}

function indexText({ items }) {
  const text = (part) => (part === null ? "" : isBound(part) ? `<tensor ${part.number}>` : String(part));
  const written = items.map((item) => {
    if (item === null) return "newaxis";
    if (!isSpan(item)) return text(item);
    return `${text(item.start)}:${text(item.stop)}${item.step === null ? "" : `:${text(item.step)}`}`;
  });
  return `[${written.join(", ")}]`;
}

playMove("StridedSlice", (tensor, index, bounds) => [indexPlaces(tensor.shape, index, bounds)]);

playMove("StridedSliceGrad", (shape, dy, index, bounds) => {
  const sizes = possibleSizes(sizesIn(shape));
  const place = indexPlaces(sizes, index, bounds, `the index ${indexText(index)} does not fit the shape ${listed(sizes)}`);
  if (!sameShape(place.shape, dy.shape))
    throw new PlayError(`dy has shape ${listed(dy.shape)}, but ${indexText(index)} of shape ${listed(sizes)} has ${listed(place.shape)}`);
  const from = new Int32Array(sizeOfShape(sizes)).fill(-1);
  place.from.forEach((to, element) => (from[to] = element));
  return [{ shape: sizes, from, of: 1 }];
});

playMove("ReplaceSlice", (tensor, value, index, bounds) => {
  const { shape } = tensor;
  const place = indexPlaces(shape, index, bounds, `the index ${indexText(index)} does not fit the shape ${listed(shape)}`);
  if (!sameShape(place.shape, value.shape))
    throw new PlayError(`the value has shape ${listed(value.shape)}, but ${indexText(index)} of the variable's shape ${listed(shape)} has ${listed(place.shape)}`);
  const from = countTo(sizeOf(tensor)), of = new Int32Array(from.length);
  place.from.forEach((to, element) => {
    from[to] = element;
    of[to] = 1;
  });
  return [{ shape, from, of }];
});
