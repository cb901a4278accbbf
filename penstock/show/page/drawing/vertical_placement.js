// Vertical placement, the same as vertical_placement.py: the y of every node and of every slanted piece of a line, once all
// x are fixed. A box lies below what shares some x with it and was placed before.

const MIN_GAP = 24, MAX_GAP = 64, PLAIN_GAP = 14, SIDE_AIR = 8, LINE_HALF = 4, ALIGNED = 40.5, NOISE = 0.01;

// bodies: {left, right, height, solid, port}; wires: {upper, lower, start, stop}. Returns {tops, slants, height}.
function stackRows(layers, bodies, wires) {
  const stack = { bodies, wires, objects: [], node: new Array(bodies.length).fill(0), group: new Array(wires.length).fill(0),
    starts: [-Infinity], owners: [-1], fed: bodies.map(() => []), feeds: new Set(), floor: 0,
    portsBelow: wires.some((wire) => bodies[wire.lower].port) };
  const layerOf = new Array(bodies.length), gaps = layers.map(() => []);
  layers.forEach((layer, number) => layer.forEach((node) => { layerOf[node] = number; }));
  wires.forEach((wire, number) => {
    stack.fed[wire.lower].push(wire.upper);
    stack.feeds.add(wire.upper);
    gaps[layerOf[wire.upper]].push(number);
  });
  layers.forEach((layer, number) => {
    addLayer(stack, layer, number);
    for (const group of wireGroups(gaps[number], wires)) addGroup(stack, group);
  });
  lowerLateOnes(stack);
  return rowsOf(stack);
}

// The wires of one gap by shared x.
function wireGroups(gap, wires) {
  const groups = [], left = (number) => Math.min(wires[number].start, wires[number].stop);
  let reach = -Infinity;
  for (const number of [...gap].sort((a, b) => left(a) - left(b) || a - b)) {
    if (left(number) - LINE_HALF >= reach - NOISE) groups.push([]);
    groups[groups.length - 1].push(number);
    reach = Math.max(reach, wires[number].start + LINE_HALF, wires[number].stop + LINE_HALF);
  }
  return groups;
}

function firstAtLeast(values, wanted) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1; else high = middle;
  }
  return low;
}

// The objects that a new one over this range lies below.
function objectsUnder(stack, left, right) {
  left += NOISE;
  let first = firstAtLeast(stack.starts, left);
  if (first === stack.starts.length || stack.starts[first] > left) first--;
  return new Set(stack.owners.slice(first, firstAtLeast(stack.starts, right - NOISE)).filter((owner) => owner >= 0));
}

function coverRange(stack, left, right, owner) {
  const first = firstAtLeast(stack.starts, left), last = firstAtLeast(stack.starts, right);
  const resumed = stack.owners[last - 1], endsHere = last < stack.starts.length && stack.starts[last] === right;
  stack.starts.splice(first, last - first, ...(endsHere ? [left] : [left, right]));
  stack.owners.splice(first, last - first, ...(endsHere ? [owner] : [owner, resumed]));
}

const bottomOf = (object) => object.top + object.height;

function addObject(stack, height, above, isNode, least) {
  let top = least;
  for (const [other, gap] of above) top = Math.max(top, bottomOf(stack.objects[other]) + gap);
  stack.objects.push({ height, above, top, late: false, isNode });
  return stack.objects.length - 1;
}

function addLayer(stack, layer, number) {
  const { bodies, objects } = stack;
  if (!number && layer.some((node) => bodies[node].port))
    stack.floor = Math.max(...layer.map((node) => bodies[node].height)) + PLAIN_GAP;
  for (const node of layer) {
    const body = bodies[node], side = body.solid ? SIDE_AIR : 0, fed = stack.fed[node];
    const above = [...objectsUnder(stack, body.left - side, body.right + side)]
      .map((other) => [other, body.solid && objects[other].isNode ? PLAIN_GAP : 0]);
    const made = stack.node[node] = addObject(stack, body.height, above, true, body.solid && number ? stack.floor : 0);
    objects[made].late = fed.length ? fed.every((upper) => objects[stack.node[upper]].late)
      : Boolean(number && body.solid && !body.port);
  }
  for (const node of layer) coverRange(stack, bodies[node].left, bodies[node].right, stack.node[node]);
  alignRow(layer.filter((node) => bodies[node].solid).map((node) => objects[stack.node[node]]));
}

// Boxes of one layer whose tops differ by little stand at one height.
function alignRow(row) {
  let top = Infinity;
  for (const each of row.sort((a, b) => b.top - a.top)) {
    if (top - each.top > Math.max(ALIGNED, 0.25 * each.height)) top = each.top;
    each.top = top;
  }
}

function addGroup(stack, group) {
  const { bodies, objects } = stack, wires = group.map((number) => stack.wires[number]);
  const sideways = wires.map((wire) => Math.abs(wire.start - wire.stop)), slanted = sideways.filter((by) => by > 1).length;
  const boxes = wires.some((wire) => bodies[wire.lower].solid), ports = wires.every((wire) => bodies[wire.upper].port);
  const least = boxes && !ports ? MIN_GAP : boxes || slanted ? PLAIN_GAP : 0;
  const height = slanted ? Math.min(least + 0.06 * Math.max(...sideways) + 1.5 * slanted, MAX_GAP) : least;
  const left = Math.min(...wires.map((wire) => Math.min(wire.start, wire.stop))) - LINE_HALF;
  const right = Math.max(...wires.map((wire) => Math.max(wire.start, wire.stop))) + LINE_HALF;
  const made = addObject(stack, height, [...objectsUnder(stack, left, right)].map((other) => [other, 0]), false, 0);
  objects[made].late = wires.every((wire) => objects[stack.node[wire.upper]].late);
  coverRange(stack, left, right, made);
  for (const number of group) stack.group[number] = made;
}

// Moves nodes that nothing above holds, with their lines, down to what they feed.
function lowerLateOnes(stack) {
  const { bodies, objects } = stack, room = objects.map(() => Infinity), first = new Set();
  for (const node of stack.feeds) if (bodies[node].solid && !stack.fed[node].length) first.add(stack.node[node]);
  for (let number = objects.length - 1; number >= 0; number--) {
    const each = objects[number];
    if ((each.late || first.has(number)) && room[number] !== Infinity) each.top = Math.max(each.top, room[number] - each.height);
    for (const [other, gap] of each.above) room[other] = Math.min(room[other], each.top - gap);
  }
}

function rowsOf({ bodies, objects, node, group, portsBelow }) {
  let height = 0;
  for (const each of objects) height = Math.max(height, bottomOf(each));
  bodies.forEach((body, number) => {
    if (body.solid && portsBelow) height = Math.max(height, bottomOf(objects[node[number]]) + PLAIN_GAP);
  });
  return { tops: node.map((each) => objects[each].top), height,
    slants: group.map((each) => [objects[each].top, bottomOf(objects[each])]) };
}
