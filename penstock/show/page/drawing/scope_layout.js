// Layout of one scope, the same as scope_layout.py: its connected parts side by side, below its title and within its border.

const TITLE_HEIGHT = 26, SCOPE_PADDING = 14, PART_GAP = 24, TITLE_GAP = 6, INNER_SHARE = 0.9;

// With `across` the result will be turned, so the title has a strip of its own on the left, which becomes the top.
function drawScope(cells, nets, title, room, hints, across) {
  const [bordered, parts] = connectedParts(cells, nets), pad = title ? SCOPE_PADDING : 0, whole = newDrawing();
  const left = title && across ? TITLE_HEIGHT + TITLE_GAP : pad;
  whole.padding = pad;
  let x = left;
  if (bordered) {
    const main = drawPart(bordered.cells, bordered.nets, across ? null : title, hints, room);
    const down = across && !nets.some(entersAbove) ? pad : 0;
    insertPart(whole, main, left, down);
    x = left + main.width + (parts.length ? PART_GAP : 0);
    whole.width = left + main.width;
    whole.height = down + main.height;
  }
  shelveParts(whole, parts.map((part) => drawPart(part.cells, part.nets, null, new Map(), room)), x,
    title && !across ? title.height + TITLE_GAP : pad, room);
  if (title && across) whole.height = Math.max(whole.height, pad + title.width);
  else if (title) whole.width = Math.max(whole.width, pad + title.width);
  whole.width += pad;
  if (parts.length || !nets.some(leavesBelow)) whole.height += pad;
  return whole;
}

// The room of each scope: the width of the scope around it, shared by the numbers of boxes, at about its height.
function roomsOf(scopes, room) {
  const counts = new Map(scopes.map((scope) => [scope, 0])), rooms = new Map();
  for (const scope of scopes) {
    const boxes = scope.members.filter((member) => member.box).length;
    for (let outer = scope; outer; outer = outer.parent) counts.set(outer, counts.get(outer) + boxes);
  }
  for (const scope of scopes) { // parents come first
    const outer = scope.parent && rooms.get(scope.parent);
    rooms.set(scope, outer ? { width: outer.width * counts.get(scope) / counts.get(scope.parent),
      height: INNER_SHARE * outer.height } : room);
  }
  return rooms;
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

function shelveParts(whole, parts, left, top, room) {
  if (!parts.length) return;
  const ordered = [...parts].sort((a, b) => b.height - a.height);
  const area = parts.reduce((sum, part) => sum + (part.width + PART_GAP) * (part.height + PART_GAP), 0);
  const limit = left + Math.max(...parts.map((part) => part.width), Math.sqrt(area * room.width / room.height));
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
  whole.climbs += part.climbs;
  for (const [member, [left, top]] of part.origins) whole.origins.set(member, [left + x, top + y]);
  for (const [stream, ends] of part.routes) {
    const moved = new Map();
    for (const [end, points] of ends) moved.set(end, points.map(([a, b]) => [a + x, b + y]));
    whole.routes.set(stream, moved);
  }
  for (const [stream, port] of part.ports) whole.ports.set(stream, port + x);
}
