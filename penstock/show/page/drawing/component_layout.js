// Layered drawing of one connected part of a scope, the same as component_layout.py: order, x and y of its nodes, then the
// lines.

const LINE_EXTENT = { left: 4, right: 4, line: true }, PORT_HEIGHT = 4;

const newDrawing = () => ({ width: 0, height: 0, origins: new Map(), routes: new Map(), ports: new Map(),
  widths: new Map(), padding: 0, crossings: 0, climbs: 0 });

function routeTo(drawing, stream, end) { return drawing.routes.get(stream).get(end); }

function drawComponent(cells, nets, title, hints) {
  const nodes = buildNodes(cells, nets, Boolean(title)), pins = pinsOf(cells, nets);
  let layers = [];
  const depth = nodes.layer.reduce((most, layer) => Math.max(most, layer), -1) + 1;
  for (let n = 0; n < depth; n++) layers.push([]);
  nodes.layer.forEach((layer, node) => layers[layer].push(node));
  const fixed = fixEntries(nodes, layers, hints);
  const links = nodes.wires.map((w) => ({ upper: w.upper, lower: w.lower,
    upperPin: pinFraction(nodes.cell[w.upper], w.stream), lowerPin: pinFraction(nodes.cell[w.lower], w.stream) }));
  const graph = layered(layers, links, nodes.title, fixed);
  layers = keptOrder(graph, nodes);
  const crossings = countCrossings(graph, layers);
  const beside = wiresBeside(nodes);
  arrangeAllPins(nodes, pins, layers, beside);
  const joints = nodes.wires.map((w) => ({ upper: w.upper, lower: w.lower, upperOffset: pinOffset(nodes, pins, w.upper, w.stream),
    lowerOffset: pinOffset(nodes, pins, w.lower, w.stream), beside: beside.has(w) }));
  const extents = nodes.cell.map((cell, node) => nodeExtent(cell, pins, node === nodes.title ? title : null));
  const x = placeNodes(layers, extents, joints, nodes.trunks, nodes.title);
  return assemble(nodes, pins, nets, layers, x, extents, joints, title, crossings);
}

const pinOffset = (nodes, pins, node, stream) =>
  (nodes.cell[node] ? pins.get(nodes.cell[node].member).offset.get(stream) : 0);

function nodeExtent(cell, pins, title) {
  if (title) return { left: title.width / 2, right: title.width / 2, line: false };
  return cell ? pins.get(cell.member) : LINE_EXTENT;
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
  const wires = joints.map((joint) => ({ upper: joint.upper, lower: joint.lower,
    start: x[joint.upper] + joint.upperOffset, stop: x[joint.lower] + joint.lowerOffset }));
  const bodies = extents.map((extent, node) => nodeBody(nodes, pins, layers, x[node], extent, node, title));
  const rows = stackRows(layers, bodies, wires);
  drawing.height = rows.height;
  for (const [member, node] of nodes.member) {
    const pin = pins.get(member);
    drawing.origins.set(member, [x[node] - pin.width / 2, rows.tops[node] + pin.above]);
    drawing.widths.set(member, pin.width);
  }
  for (const [stream, node] of nodes.port) drawing.ports.set(stream, x[node]);
  const slants = new Map();
  nodes.wires.forEach((wire, number) => {
    if (!slants.has(wire.stream)) slants.set(wire.stream, new Map());
    slants.get(wire.stream).set(`${wire.upper} ${wire.lower}`, rows.slants[number]);
  });
  for (const net of nets) {
    drawing.routes.set(net.stream, new Map());
    for (const end of net.ends)
      drawing.routes.get(net.stream).set(end, routeLine(nodes, pins, net, end, x, slants.get(net.stream), drawing));
  }
  return drawing;
}

function nodeBody(nodes, pins, layers, x, extent, node, title) {
  const left = x - extent.left, right = x + extent.right, cell = nodes.cell[node], layer = nodes.layer[node];
  if (cell) return { left, right, height: cellHeight(pins.get(cell.member)), solid: true, port: false };
  if (layer !== 0 && layer !== layers.length - 1) return { left, right, height: 0, solid: false, port: false };
  return { left, right, height: title && !layer ? title.height : PORT_HEIGHT, solid: node === nodes.title, port: true };
}

function routeLine(nodes, pins, net, end, x, slants, drawing) {
  const stream = net.stream, step = stream.down ? 1 : -1, bends = nodes.bend.get(stream);
  const hub = nodeOf(nodes, stream, net.hub), last = nodeOf(nodes, stream, end);
  const points = [touchPoint(nodes, pins, net.hub, stream, x, drawing, true)];
  let at = hub, across = points[0][0];
  for (let layer = nodes.layer[hub] + step; layer !== nodes.layer[last] + step; layer += step) {
    const following = layer === nodes.layer[last] ? last : bends.get(layer);
    const [top, bottom] = slants.get(stream.down ? `${at} ${following}` : `${following} ${at}`);
    points.push([across, stream.down ? top : bottom]);
    at = following;
    across = x[following] + pinOffset(nodes, pins, following, stream);
    points.push([across, stream.down ? bottom : top]);
  }
  return [...points, touchPoint(nodes, pins, end, stream, x, drawing, false)];
}

// Where a line touches its hub or end.
function touchPoint(nodes, pins, member, stream, x, drawing, leaving) {
  const across = x[nodeOf(nodes, stream, member)], onUpper = leaving !== stream.down;
  if (member === BORDER) return [across, onUpper ? drawing.height : 0];
  const top = drawing.origins.get(member)[1], pin = pins.get(member);
  return [across + pin.offset.get(stream), onUpper ? top : top + pin.height];
}
