// Coordinate assignment, the same as coordinate_assignment.py: weighted least squares under minimum distances, then long
// lines are made straight and small kinks are removed.

const ROUNDS = 10, FAINT = 1e-3, SNAP = 12, BESIDE = 1e-3;

// extents: {left, right, line}; joints: {upper, lower, upperOffset, lowerOffset, beside}; trunks: bends from top to bottom.
function placeNodes(layers, extents, joints, trunks, pinned) {
  const placing = preparePlacing(layers, extents, joints, trunks, pinned);
  pack(placing);
  for (let turn = 0; turn < ROUNDS; turn++) passOver(placing, turn % 2 === 0, turn >= ROUNDS - 4);
  for (const trunk of trunks) straighten(placing, trunk);
  snap(placing);
  seatPinned(placing);
  return placing.x;
}

function preparePlacing(layers, extents, joints, trunks, pinned) {
  const above = extents.map(() => []), below = extents.map(() => []);
  for (const joint of joints) {
    const lines = (extents[joint.upper].line ? 1 : 0) + (extents[joint.lower].line ? 1 : 0);
    const weight = joint.beside ? BESIDE : [1, 2, 8][lines], difference = joint.upperOffset - joint.lowerOffset;
    above[joint.lower].push([joint.upper, difference, weight]);
    below[joint.upper].push([joint.lower, -difference, weight]);
  }
  const gap = (a, b) => extents[a].right + (extents[a].line || extents[b].line ? 12 : 18) + extents[b].left;
  const gaps = layers.map((layer) => layer.slice(1).map((node, at) => gap(layer[at], node)));
  const seat = new Array(extents.length);
  layers.forEach((layer, number) => layer.forEach((node, position) => { seat[node] = [number, position]; }));
  return { layers, extents, trunks, pinned, above, below, gaps, seat, x: new Array(extents.length).fill(0) };
}

function solveLayer(desired, weights, gaps) {
  const shift = [0];
  for (const gap of gaps) shift.push(shift[shift.length - 1] + gap);
  const blocks = [];
  desired.forEach((value, at) => {
    let sum = (value - shift[at]) * weights[at], mass = weights[at], size = 1;
    while (blocks.length && blocks[blocks.length - 1][0] * mass > sum * blocks[blocks.length - 1][1]) {
      const earlier = blocks.pop();
      sum += earlier[0]; mass += earlier[1]; size += earlier[2];
    }
    blocks.push([sum, mass, size]);
  });
  const solved = [];
  for (const [sum, mass, size] of blocks) for (let n = 0; n < size; n++) solved.push(sum / mass);
  return solved.map((value, at) => value + shift[at]);
}

function pack(placing) {
  placing.layers.forEach((layer, number) => {
    const gaps = placing.gaps[number];
    let at = -gaps.reduce((sum, gap) => sum + gap, 0) / 2;
    layer.forEach((node, position) => { placing.x[node] = at; at += gaps[position] || 0; });
  });
}

function passOver(placing, down, both) {
  seatPinned(placing);
  const last = placing.layers.length - 1;
  for (let step = 0; step <= last; step++) {
    const number = down ? step : last - step, desired = [], weights = [];
    for (const node of placing.layers[number]) {
      let near = down ? placing.above[node] : placing.below[node];
      if (both || !near.length) near = [...placing.above[node], ...placing.below[node]];
      let mass = 0, total = 0;
      for (const [other, by, weight] of near) { mass += weight; total += (placing.x[other] + by) * weight; }
      desired.push(mass ? total / mass : placing.x[node]);
      weights.push(mass || FAINT);
    }
    const solved = solveLayer(desired, weights, placing.gaps[number]);
    placing.layers[number].forEach((node, at) => { placing.x[node] = solved[at]; });
  }
}

// The range of x in which the node on this seat does not touch its neighbours.
function roomAt(placing, [number, position]) {
  const layer = placing.layers[number], gaps = placing.gaps[number];
  const low = position ? placing.x[layer[position - 1]] + gaps[position - 1] : -Infinity;
  const high = position + 1 < layer.length ? placing.x[layer[position + 1]] - gaps[position] : Infinity;
  return [low, high];
}

function straighten(placing, trunk) {
  const seat = trunk.map((node) => placing.seat[node]);
  let start = 0;
  while (start < trunk.length) {
    let [low, high] = roomAt(placing, seat[start]), stop = start + 1;
    while (stop < trunk.length) {
      const [nextLow, nextHigh] = roomAt(placing, seat[stop]);
      if (Math.max(low, nextLow) > Math.min(high, nextHigh)) break;
      low = Math.max(low, nextLow); high = Math.min(high, nextHigh);
      stop++;
    }
    const target = desiredByTrunk(placing, trunk, start, stop);
    for (let at = start; at < stop; at++) placing.x[trunk[at]] = Math.min(Math.max(target, low), high);
    start = stop;
  }
}

function desiredByTrunk(placing, trunk, start, stop) {
  const first = trunk[start], last = trunk[stop - 1];
  if (stop === trunk.length && placing.below[last].length === 1)
    return placing.x[placing.below[last][0][0]] + placing.below[last][0][1];
  if (start === 0 && placing.above[first].length === 1)
    return placing.x[placing.above[first][0][0]] + placing.above[first][0][1];
  let sum = 0;
  for (let at = start; at < stop; at++) sum += placing.x[trunk[at]];
  return sum / (stop - start);
}

function snap(placing) {
  for (const layer of placing.layers) {
    for (const node of layer) {
      if (placing.extents[node].line || !placing.above[node].length) continue;
      const moves = placing.above[node].map(([other, by]) => placing.x[other] + by - placing.x[node]);
      const move = moves.reduce((best, by) =>
        (Math.abs(by) < Math.abs(best) || (Math.abs(by) === Math.abs(best) && by < best) ? by : best));
      const [low, high] = roomAt(placing, placing.seat[node]);
      if (Math.abs(move) < SNAP && low <= placing.x[node] + move && placing.x[node] + move <= high)
        placing.x[node] += move;
    }
  }
}

// The pinned node (a scope's title) stands at the left edge of all others where its layer allows.
function seatPinned(placing) {
  const node = placing.pinned;
  if (node === null || placing.x.length === 1) return;
  let least = Infinity;
  placing.x.forEach((x, n) => { if (n !== node) least = Math.min(least, x - placing.extents[n].left); });
  const high = roomAt(placing, placing.seat[node])[1];
  placing.x[node] = Math.min(least + placing.extents[node].left, high);
}
