// Layered drawing of one connected part of a scope, and the layout of a scope from its parts, the same as
// component_layout.py and scope_layout.py. A cell is {member, width, height, ports, labelled, selfArrows}.

const LINE_EXTENT = { left: 4, right: 4, line: true };
const MIN_GAP = 26, MAX_GAP = 84, BORDER_GAP = 14, BOTTOM_BAND = 4;
const TITLE_HEIGHT = 26, SCOPE_PADDING = 14, PART_GAP = 30, ASPECT = 1.7;

const newDrawing = () => ({ width: 0, height: 0, origins: new Map(), routes: new Map(), ports: new Map(),
  widths: new Map(), padding: 0, crossings: 0 });

function routeTo(drawing, stream, end) { return drawing.routes.get(stream).get(end); }

function drawComponent(cells, nets, title, hints) {
  const nodes = buildNodes(cells, nets, title), pins = pinsOf(cells, nets);
  let layers = [];
  const depth = nodes.layer.reduce((most, layer) => Math.max(most, layer), -1) + 1;
  for (let n = 0; n < depth; n++) layers.push([]);
  nodes.layer.forEach((layer, node) => layers[layer].push(node));
  const fixed = fixEntries(nodes, layers, hints);
  const links = nodes.wires.map((w) => ({ upper: w.upper, lower: w.lower,
    upperPin: pinFraction(nodes.cell[w.upper], w.stream), lowerPin: pinFraction(nodes.cell[w.lower], w.stream) }));
  const graph = layered(layers, links, nodes.title, fixed);
  layers = orderLayers(graph);
  const crossings = countCrossings(graph, layers);
  const beside = wiresBeside(nodes);
  arrangeAllPins(nodes, pins, layers, beside);
  const offset = (node, stream) => (nodes.cell[node] ? pins.get(nodes.cell[node].member).offset.get(stream) : 0);
  const joints = nodes.wires.map((w) => ({ upper: w.upper, lower: w.lower,
    upperOffset: offset(w.upper, w.stream), lowerOffset: offset(w.lower, w.stream), beside: beside.has(w) }));
  const extents = nodes.cell.map((cell, node) => nodeExtent(cell, pins, node === nodes.title ? title : null));
  const x = placeNodes(layers, extents, joints, nodes.trunks, nodes.title);
  return assemble(nodes, pins, nets, layers, x, extents, joints, title, crossings);
}

function nodeExtent(cell, pins, title) {
  if (title) return { left: title.width / 2, right: title.width / 2, line: false };
  return cell ? pins.get(cell.member) : LINE_EXTENT;
}

function buildNodes(cells, nets, title) {
  const nodes = { layer: [], cell: [], wires: [], member: new Map(), port: new Map(), bend: new Map(), trunks: [],
    shared: new Set(), title: null };
  const add = (layer, cell = null) => { nodes.layer.push(layer); nodes.cell.push(cell); return nodes.layer.length - 1; };
  const index = new Map(cells.map((cell, number) => [cell.member, number])), edges = [];
  for (const net of nets)
    if (net.hub !== BORDER)
      for (const end of net.ends)
        if (end !== BORDER) {
          const pair = [index.get(net.hub), index.get(end)];
          edges.push(net.stream.down ? pair : pair.reverse());
        }
  const layers = levelsOf(cells.length, edges);
  const first = title ? 1 : 0, last = layers.reduce((most, layer) => Math.max(most, layer), -1) + first + 1;
  if (title) nodes.title = add(0);
  cells.forEach((cell, number) => nodes.member.set(cell.member, add(layers[number] + first, cell)));
  for (const net of nets) {
    if (net.hub === BORDER) nodes.port.set(net.stream, add(net.stream.down ? 0 : last));
    else if (net.ends.includes(BORDER)) nodes.port.set(net.stream, add(net.stream.down ? last : 0));
  }
  for (const net of nets) addLines(nodes, net, add);
  return nodes;
}

function fixEntries(nodes, layers, hints) {
  if (nodes.title === null || !hints.size) return false;
  const rank = new Map();
  for (const [stream, node] of nodes.port) rank.set(node, hints.has(stream) ? hints.get(stream) : 0);
  const of = (node) => (rank.has(node) ? rank.get(node) : -Infinity);
  layers[0].sort((a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0));
  return true;
}

const nodeOf = (nodes, stream, member) => (member === BORDER ? nodes.port.get(stream) : nodes.member.get(member));

// One trunk of bends from the hub to the farthest end; each end hangs on it one layer before.
function addLines(nodes, net, add) {
  const stream = net.stream, hub = nodeOf(nodes, stream, net.hub), step = stream.down ? 1 : -1;
  const trunk = [hub], bends = new Map(), tip = () => trunk[trunk.length - 1];
  const wire = (one, other) => nodes.wires.push(
    stream.down ? { upper: one, lower: other, stream } : { upper: other, lower: one, stream });
  nodes.bend.set(stream, bends);
  if (net.ends.length > 1) nodes.shared.add(stream);
  const ends = net.ends.map((end) => nodeOf(nodes, stream, end));
  ends.sort((a, b) => (nodes.layer[a] - nodes.layer[b]) * step);
  for (const end of ends) {
    while (nodes.layer[tip()] + step !== nodes.layer[end] && nodes.layer[tip()] !== nodes.layer[end]) {
      const bend = add(nodes.layer[tip()] + step);
      bends.set(nodes.layer[bend], bend);
      wire(tip(), bend);
      trunk.push(bend);
    }
    wire(tip(), end);
  }
  // A port is a bend too: it may move along the border to keep its line straight.
  const line = net.hub === BORDER ? trunk : trunk.slice(1);
  if (net.ends.includes(BORDER)) line.push(nodes.port.get(stream));
  if (line.length) nodes.trunks.push(stream.down ? [...line] : [...line].reverse());
}

function pinFraction(cell, stream) {
  if (!cell || !cell.ports) return 0.5;
  return Math.min(Math.max(cell.ports.get(stream) / cell.width, 0.01), 0.99);
}

// The wires that hardly pull at their ends: those between a box and a bend of a line with several ends, and those from a
// node that feeds only this box, such as a constant, if the box has a larger input too.
function wiresBeside(nodes) {
  const above = nodes.layer.map(() => 0), below = nodes.layer.map(() => 0), beside = new Set(), leaves = new Set();
  for (const wire of nodes.wires) {
    above[wire.lower]++;
    below[wire.upper]++;
    if (nodes.shared.has(wire.stream) && !nodes.cell[wire.upper] !== !nodes.cell[wire.lower]) beside.add(wire);
  }
  for (const wire of nodes.wires)
    if (nodes.cell[wire.upper] && !above[wire.upper] && below[wire.upper] === 1) leaves.add(wire);
  const larger = new Set(nodes.wires.filter((wire) => !beside.has(wire) && !leaves.has(wire)).map((wire) => wire.lower));
  for (const wire of leaves) if (larger.has(wire.lower)) beside.add(wire);
  return beside;
}

// Sorts the pins on each side of each box by where their lines go, so that lines do not cross at the box. Where one line
// from above is the main one, its pin is in the middle.
function arrangeAllPins(nodes, pins, layers, beside) {
  const seat = new Map(), desired = new Map(), main = new Map();
  for (const layer of layers) layer.forEach((node, position) => seat.set(node, position));
  for (const wire of nodes.wires)
    for (const [node, other, top] of [[wire.upper, wire.lower, false], [wire.lower, wire.upper, true]]) {
      const cell = nodes.cell[node];
      if (!cell) continue;
      if (!desired.has(cell.member)) desired.set(cell.member, new Map([[true, new Map()], [false, new Map()]]));
      const side = desired.get(cell.member).get(top);
      if (!side.has(wire.stream)) side.set(wire.stream, []);
      side.get(wire.stream).push(seat.get(other) + pinFraction(nodes.cell[other], wire.stream));
      if (!top || beside.has(wire)) continue;
      if (!main.has(cell.member)) main.set(cell.member, new Set());
      main.get(cell.member).add(wire.stream);
    }
  for (const [member, sides] of desired) {
    for (const side of sides.values())
      for (const [stream, far] of side) side.set(stream, far.reduce((sum, at) => sum + at, 0) / far.length);
    const only = [...(main.get(member) || [])];
    arrangePins(pins.get(member), sides, only.length === 1 ? only[0] : null);
  }
}

function assemble(nodes, pins, nets, layers, x, extents, joints, title, crossings) {
  const drawing = newDrawing();
  if (!layers.length) return drawing;
  const left = Math.min(...x.map((value, node) => value - extents[node].left));
  x = x.map((value) => value - left);
  drawing.width = Math.max(...x.map((value, node) => value + extents[node].right));
  drawing.crossings = crossings;
  const bands = layerBands(nodes, pins, layers, x, joints, title);
  drawing.height = bands[bands.length - 1][1];
  for (const [member, node] of nodes.member) {
    const [top, bottom] = bands[nodes.layer[node]], pin = pins.get(member);
    drawing.origins.set(member, [x[node] - pin.width / 2, top + (bottom - top - cellHeight(pin)) / 2 + pin.above]);
    drawing.widths.set(member, pin.width);
  }
  for (const [stream, node] of nodes.port) drawing.ports.set(stream, x[node]);
  for (const net of nets) {
    drawing.routes.set(net.stream, new Map());
    for (const end of net.ends)
      drawing.routes.get(net.stream).set(end, routeLine(nodes, pins, net, end, x, bands, drawing));
  }
  return drawing;
}

function layerBands(nodes, pins, layers, x, joints, title) {
  const farthest = layers.map(() => 0), lines = layers.map(() => 0), bands = [];
  for (const joint of joints) {
    const sideways = Math.abs(x[joint.upper] + joint.upperOffset - x[joint.lower] - joint.lowerOffset);
    const start = nodes.layer[joint.upper];
    farthest[start] = Math.max(farthest[start], sideways);
    lines[start] += sideways > 1 ? 1 : 0;
  }
  let y = 0;
  layers.forEach((layer, number) => {
    const heights = layer.filter((node) => nodes.cell[node]).map((node) => cellHeight(pins.get(nodes.cell[node].member)));
    let height = heights.length ? Math.max(...heights) : BOTTOM_BAND;
    if (title && number === 0) height = title.height;
    bands.push([y, y + height]);
    y += height + Math.min(leastGap(nodes, layers, number) + 0.08 * farthest[number] + 1.5 * lines[number], MAX_GAP);
  });
  return bands;
}

function leastGap(nodes, layers, number) {
  if (nodes.title !== null && number === 0) return BORDER_GAP;
  const following = layers[number + 1] || [];
  return following.some((node) => nodes.cell[node]) ? MIN_GAP : BORDER_GAP;
}

function routeLine(nodes, pins, net, end, x, bands, drawing) {
  const stream = net.stream, step = stream.down ? 1 : -1;
  const hubNode = nodeOf(nodes, stream, net.hub), endNode = nodeOf(nodes, stream, end);
  const touch = (member, node, leaving) => {
    const band = bands[nodes.layer[node]], begin = band[stream.down ? 0 : 1], stop = band[stream.down ? 1 : 0];
    if (member === BORDER) return [[x[node], begin], [x[node], stop]];
    const at = x[node] + pins.get(member).offset.get(stream), top = drawing.origins.get(member)[1];
    const bottom = top + pins.get(member).height;
    if (leaving) return [[at, stream.down ? bottom : top], [at, stop]];
    return [[at, begin], [at, stream.down ? top : bottom]];
  };
  const points = touch(net.hub, hubNode, true), bends = nodes.bend.get(stream);
  for (let layer = nodes.layer[hubNode] + step; layer !== nodes.layer[endNode]; layer += step) {
    const across = x[bends.get(layer)], [top, bottom] = bands[layer];
    points.push([across, stream.down ? top : bottom], [across, stream.down ? bottom : top]);
  }
  return [...points, ...touch(end, endNode, false)];
}

// ---- one scope: its connected parts side by side ---------------------------------------------------------------

function drawScope(cells, nets, title, hints) {
  const [bordered, parts] = connectedParts(cells, nets), pad = title ? SCOPE_PADDING : 0, whole = newDrawing();
  whole.padding = pad;
  let x = pad;
  if (bordered) {
    const main = drawComponent(bordered.cells, bordered.nets, title, hints);
    insertPart(whole, main, pad, 0);
    x = pad + main.width + (parts.length ? PART_GAP : 0);
    whole.width = pad + main.width;
    whole.height = main.height;
  }
  shelveParts(whole, parts.map((part) => drawComponent(part.cells, part.nets, null, new Map())), x,
    title ? title.height + 6 : 0);
  whole.width = Math.max(whole.width, pad + (title ? title.width : 0)) + pad;
  const lower = nets.some((net) => (net.hub === BORDER && !net.stream.down)
    || (net.ends.includes(BORDER) && net.stream.down));
  if (parts.length || !lower) whole.height += pad;
  return whole;
}

function connectedParts(cells, nets) {
  const leader = new Map(cells.map((cell) => [cell.member, cell.member])), found = new Map();
  leader.set(BORDER, BORDER);
  const find = (member) => {
    while (leader.get(member) !== member) {
      leader.set(member, leader.get(leader.get(member)));
      member = leader.get(member);
    }
    return member;
  };
  for (const net of nets)
    for (const end of net.ends) {
      let a = find(net.hub), b = find(end);
      if (b === BORDER) [a, b] = [b, a];
      leader.set(b, a);
    }
  for (const cell of cells) {
    const key = find(cell.member);
    if (!found.has(key)) found.set(key, { cells: [], nets: [] });
    found.get(key).cells.push(cell);
  }
  for (const net of nets) found.get(find(net.hub)).nets.push(net);
  const bordered = found.get(BORDER) || null;
  found.delete(BORDER);
  return [bordered, [...found.values()]];
}

function shelveParts(whole, parts, left, top) {
  if (!parts.length) return;
  const ordered = [...parts].sort((a, b) => b.height - a.height);
  const area = parts.reduce((sum, part) => sum + (part.width + PART_GAP) * (part.height + PART_GAP), 0);
  const limit = left + Math.max(...parts.map((part) => part.width), Math.sqrt(area * ASPECT));
  let x = left, y = top, shelf = 0;
  for (const part of ordered) {
    if (x > left && x + part.width > limit) { x = left; y += shelf + PART_GAP; shelf = 0; }
    insertPart(whole, part, x, y);
    whole.width = Math.max(whole.width, x + part.width);
    whole.height = Math.max(whole.height, y + part.height);
    x += part.width + PART_GAP;
    shelf = Math.max(shelf, part.height);
  }
}

function insertPart(whole, part, x, y) {
  for (const [member, width] of part.widths) whole.widths.set(member, width);
  whole.crossings += part.crossings;
  for (const [member, [left, top]] of part.origins) whole.origins.set(member, [left + x, top + y]);
  for (const [stream, ends] of part.routes) {
    const moved = new Map();
    for (const [end, points] of ends) moved.set(end, points.map(([a, b]) => [a + x, b + y]));
    whole.routes.set(stream, moved);
  }
  for (const [stream, port] of part.ports) whole.ports.set(stream, port + x);
}
