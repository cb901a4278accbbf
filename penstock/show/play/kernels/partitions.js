// dynamic_partition takes an array apart by labels, dynamic_stitch puts rows together by their numbers.

function checkStarts(data, partitions) {
  if (!sameShape(data.shape.slice(0, rankOf(partitions)), partitions.shape))
    throw new PlayError(`data.shape must start with partitions.shape, got data.shape = ${listed(data.shape)}, partitions.shape = ${listed(partitions.shape)}`);
}

playMove("DynamicPartition", (data, partitions, numPartitions) => {
  checkStarts(data, partitions);
  checkRange("partitions", partitions, Number(numPartitions));
  const inner = data.shape.slice(rankOf(partitions)), rows = Array.from({ length: Number(numPartitions) }, () => []);
  partitions.data.forEach((label, row) => rows[label].push(row));
  return rows.map((chosen) => ({ shape: [chosen.length, ...inner], from: rowPlaces(chosen, sizeOfShape(inner)) }));
});

// What is left of a partition that nothing but a stitch reads: its check of the labels.
playMove("CheckPartitions", (data, partitions, numPartitions) => {
  checkStarts(data, partitions);
  checkRange("partitions", partitions, Number(numPartitions));
  return [{ shape: partitions.shape, from: null, of: 1 }];
});

// Of rows with one number the last one stays.
function stitchedPlaces(indices, data) {
  const shape = stitchedShape(indices, data), width = sizeOfShape(shape.slice(1));
  const from = new Int32Array(sizeOfShape(shape)).fill(-1), of = new Int32Array(from.length);
  indices.forEach((index, m) =>
    index.data.forEach((to, row) => {
      for (let i = 0; i < width; i++) {
        from[to * width + i] = row * width + i;
        of[to * width + i] = indices.length + m;
      }
    }),
  );
  return [{ shape, from, of, dtype: data[0].dtype }];
}

function stitchedShape(indices, data) {
  const constant = data[0].shape.slice(rankOf(indices[0]));
  indices.forEach((index, m) => {
    const { shape } = data[m], depth = rankOf(index);
    if (!sameShape(shape.slice(0, depth), index.shape))
      throw new PlayError(`data[${m}].shape = ${listed(shape)} does not start with indices[${m}].shape = ${listed(index.shape)}`);
    if (!sameShape(shape.slice(depth), constant))
      throw new PlayError(
        `Need data[0].shape[${rankOf(indices[0])}:] = data[${m}].shape[${depth}:], got data[0].shape = ${listed(data[0].shape)}, data[${m}].shape = ${listed(shape)}, ` +
          `indices[0].shape = ${listed(indices[0].shape)}, indices[${m}].shape = ${listed(index.shape)}`,
      );
  });
  let highest = -1;
  indices.forEach((index, m) => {
    const bad = index.data.findIndex((entry) => entry < 0);
    if (bad >= 0)
      throw new PlayError(`indices[${bad}] is out of range: ${entryText(`indices[${m}]`, index.shape, bad)} = ${index.data[bad]}, and an index must be >= 0`);
    for (const entry of index.data) highest = Math.max(highest, entry);
  });
  return possibleSizes([highest + 1, ...constant]);
}

playMove("DynamicStitch", stitchedPlaces);
playMove("ParallelDynamicStitch", stitchedPlaces);
