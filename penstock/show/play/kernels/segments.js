// Reductions of rows by segment ids, in order (segment_sum and its kind) and in any order (unsorted_segment_sum).

function sortedSegments(data, segmentIds) {
  if (!rankOf(data)) throw new PlayError("input must be at least rank 1");
  if (rankOf(segmentIds) !== 1) throw new PlayError(`segment_ids should be a vector. Its shape is ${listed(segmentIds.shape)}`);
  const ids = numbersOf(segmentIds), count = data.shape[0];
  if (ids.length !== count)
    throw new PlayError(`segment_ids should be the same size as dimension 0 of input. It has ${ids.length} entries for ${count} rows`);
  const falls = ids.findIndex((id, i) => i > 0 && id < ids[i - 1]);
  if (falls > 0)
    throw new PlayError(`segment ids are not increasing: segment_ids[${falls}] = ${ids[falls]} follows ${ids[falls - 1]}; unsorted_segment_sum and its kind take ids in any order`);
  if (count && ids[0] < 0) throw new PlayError(`segment ids must be >= 0, but segment_ids[0] = ${ids[0]}`);
  const inner = data.shape.slice(1);
  return { ids, shape: possibleSizes([count ? ids[count - 1] + 1 : 0, ...inner]), width: sizeOfShape(inner) };
}

function unsortedSegments(data, segmentIds, numSegments) {
  if (rankOf(numSegments)) throw new PlayError(`num_segments should be a scalar, not shape ${listed(numSegments.shape)}`);
  const count = Number(numSegments.data[0]), ids = numbersOf(segmentIds);
  if (count < 0) throw new PlayError(`Input num_segments == ${count} must not be negative.`);
  if (!sameShape(data.shape.slice(0, rankOf(segmentIds)), segmentIds.shape))
    throw new PlayError(`data.shape = ${listed(data.shape)} does not start with segment_ids.shape = ${listed(segmentIds.shape)}`);
  const bad = ids.findIndex((id) => id >= count);
  if (bad >= 0) throw new PlayError(`${entryText("segment_ids", segmentIds.shape, bad)} = ${segmentIds.data[bad]} is out of range [0, ${count})`);
  const inner = data.shape.slice(rankOf(segmentIds));
  return { ids, shape: possibleSizes([count, ...inner]), width: sizeOfShape(inner) };
}

// The elements of `data` that each element of the result is made of; rows with a negative id are left out.
function segmentGroups({ ids, shape, width }) {
  const groups = Array.from({ length: sizeOfShape(shape) }, () => []);
  ids.forEach((id, row) => {
    for (let i = 0; id >= 0 && i < width; i++) groups[id * width + i].push(row * width + i);
  });
  return groups;
}

// `absent` gives the value of a segment that has no rows; without it that is the neutral one.
function playSegments(type, places, op, absent = null) {
  playOp(type, {
    run(args) {
      const [data] = args, found = places(...args);
      const inPairs = places === sortedSegments && found.width === 1 && op === "Add";
      const groups = segmentGroups(found);
      const made = narrowed(combinedSegments(op, widened(data), groups, found.shape, inPairs), data.dtype);
      if (absent !== null) groups.forEach((members, to) => (made.data[to] = members.length ? made.data[to] : absent(data.dtype)));
      return [made];
    },
    moves: (args) => [segmentGroups(places(...args)).map((members) => members.map((element) => [0, element]))],
  });
}

function combinedSegments(op, data, groups, shape, inPairs) {
  const made = filledTensor(data.dtype, shape, neutralOf(op, data.dtype));
  const fold = combinerOf(op, data.dtype);
  groups.forEach((members, to) => {
    if (inPairs && members.length) {
      // NumPy adds the rest of a segment up first, then the first element to it.
      const [first, ...rest] = members, start = newData(data.dtype, 1);
      copyRow(start, 0, data.data, first, partsOf(data.dtype));
      if (rest.length) addRuns(start, 0, data.dtype, data.data, rest, rest.length);
      fold(made.data, to, start, 0);
    } else for (const member of members) fold(made.data, to, data.data, member);
  });
  return made;
}

playSegments("SegmentSum", sortedSegments, "Add");
playSegments("SegmentProd", sortedSegments, "Mul");
playSegments("SegmentMax", sortedSegments, "Maximum", zeroOf);
playSegments("SegmentMin", sortedSegments, "Minimum", zeroOf);

playOp("SegmentMean", {
  run([data, segmentIds]) {
    const found = sortedSegments(data, segmentIds), groups = segmentGroups(found);
    if (isIntType(data.dtype)) return [intSegmentMeans(data, groups, found.shape)];
    const wide = widened(data), made = combinedSegments("Add", wide, groups, found.shape, found.width === 1);
    const counts = castTensor(tensorOf("float64", found.shape, Float64Array.from(groups, (members) => Math.max(members.length, 1))), wide.dtype);
    return [narrowed(mapBinary(PLAY_KERNELS.get("RealDiv").law, made, counts), data.dtype)];
  },
  moves: ([data, segmentIds]) => [segmentGroups(sortedSegments(data, segmentIds)).map((members) => members.map((element) => [0, element]))],
});

function intSegmentMeans(data, groups, shape) {
  const made = zerosOf(data.dtype, shape);
  groups.forEach((members, to) => (made.data[to] = intMean(data, [members], [], members.length).data[0]));
  return made;
}

// The far end of the dtype's finite numbers.
const endOf = (op) => (dtype) => (isFloatType(dtype) ? LARGEST_FLOATS[dtype] * (op === "Maximum" ? -1 : 1) : neutralOf(op, dtype));

playSegments("UnsortedSegmentSum", unsortedSegments, "Add");
playSegments("UnsortedSegmentProd", unsortedSegments, "Mul");
playSegments("UnsortedSegmentMax", unsortedSegments, "Maximum", endOf("Maximum"));
playSegments("UnsortedSegmentMin", unsortedSegments, "Minimum", endOf("Minimum"));
