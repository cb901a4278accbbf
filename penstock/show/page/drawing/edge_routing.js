// Edge routing, connection points and the width of text, the same as edge_routing.py, connection_points.py and
// text_measure.py. A picture is {boxes, arrows, scopes}: boxes know their `scope`, scopes their `parent` and `depth`.

const LABEL_SIZE = 13, DETAIL_SIZE = 11, ARROW_SIZE = 10.5, LINE_HEIGHT = 15, BOX_PADDING = 12, BOX_MIN_WIDTH = 84, MOST_CONSTANTS = 4;
const LABEL_ROOM = 19, LABEL_HEIGHT = 13, PIN_ROOM = 12, WIDEST_SPREAD = 30, CORNER = 12, LOOP_ROOM = 24;
const BORDER = { border: true };

const WIDE_LETTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60\u3000-\u303f\p{Emoji_Presentation}]/u;
const widthOf = new Map();

function letterWidth(letter) {
  let width = widthOf.get(letter);
  if (width === undefined) {
    if ("ijl.,:;'|!I".includes(letter)) width = 0.33;
    else if ('frt()[]{}/\\ -"*`'.includes(letter)) width = 0.43;
    else if ("mwMW@%".includes(letter)) width = 0.98;
    else if (/\p{Mn}/u.test(letter)) width = 0;
    else if (WIDE_LETTER.test(letter)) width = 1.08;
    else if (letter !== letter.toLowerCase()) width = 0.74;
    else width = letter.codePointAt(0) < 128 ? 0.63 : 0.8;
    widthOf.set(letter, width);
  }
  return width;
}

function textWidth(text, size) {
  let sum = 0;
  for (const letter of text) sum += letterWidth(letter);
  return sum * size;
}

// The invisible characters of invisible_characters.py; with the flag u a surrogate matches only without its other half.
const UNSEEN = new RegExp("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e"
  + "\\u2060-\\u206f\\ud800-\\udfff\\ufeff\\ufff9-\\ufffb\\ufffe\\uffff\\u{e0001}\\u{e0020}-\\u{e007f}]", "gu");

function visible(text) {
  return text.replace(UNSEEN, (letter) => {
    const code = letter.codePointAt(0), hex = code.toString(16);
    return code < 0x100 ? "\\x" + hex.padStart(2, "0") : code < 0x10000 ? "\\u" + hex.padStart(4, "0") : "\\U" + hex.padStart(8, "0");
  });
}

// On one line, with an ellipsis in the middle: names differ at their ends.
function shorten(text, longest = 44) {
  const line = visible(text.trim().replace(/[\s\x1c-\x1f\x85]+/g, " "));
  if (line.length <= longest) return line;
  const letters = Array.from(line);
  if (letters.length <= longest) return line;
  const tail = (longest - 1) >> 1;
  return letters.slice(0, longest - 1 - tail).join("") + "\u2026" + letters.slice(letters.length - tail).join("");
}

// The constants written in a box, one a line; of many the first three.
function constantLines({ constants }) {
  const lines = constants.map(({ line }) => line);
  return lines.length <= MOST_CONSTANTS ? lines
    : [...lines.slice(0, MOST_CONSTANTS - 1), `and ${lines.length - MOST_CONSTANTS + 1} more constants`];
}

const NO_ROOM = { width: 0, height: 0 };

function boxText(box) {
  const saysMore = box.type && box.type.toLowerCase() !== box.label.toLowerCase();
  const head = [box.label, ...(saysMore ? [box.type] : []), ...constantLines(box)];
  const lines = [...head, ...box.detail].map((line) => shorten(line));
  // A box has room for what the run says of it from the start, so that nothing moves when a step is played.
  const ran = box.ran ? [...head, ...box.ran].map((line) => shorten(line)) : lines;
  const widthOfLine = (line, row) => textWidth(line, row ? DETAIL_SIZE : LABEL_SIZE);
  const widest = Math.max(...lines.map(widthOfLine), ...(box.ran ? ran.map(widthOfLine) : []));
  const room = LAYER.roomOf ? LAYER.roomOf(box) : NO_ROOM; // below the lines
  return {
    lines,
    ran,
    room: room.height,
    width: Math.max(BOX_MIN_WIDTH, widest + 2 * BOX_PADDING, room.width),
    height: LINE_HEIGHT * Math.max(lines.length, ran.length) + BOX_PADDING + 2 + room.height,
  };
}

// ---- arrows, scope by scope -----------------------------------------------------------------------------------

function meetingScope(a, b) {
  while (a !== b) { if (a.depth >= b.depth) a = a.parent; else b = b.parent; }
  return a;
}

// The member of `scope` that is, or holds, the box.
function memberWithin(scope, box) {
  if (box.scope === scope) return box.member;
  let inner = box.scope;
  while (inner.parent !== scope) inner = inner.parent;
  return inner.member;
}

// The pieces of an arrow from source to target, {scope, hub, end}; `meeting` is the one in the innermost scope that holds both.
function piecesOf(arrow) {
  const { source, target } = arrow, scope = meetingScope(source.scope, target.scope);
  const meeting = { scope, hub: memberWithin(scope, source), end: memberWithin(scope, target) }, leaving = [], entering = [];
  for (let at = source.scope; at !== scope; at = at.parent) leaving.push({ scope: at, hub: memberWithin(at, source), end: BORDER });
  for (let at = target.scope; at !== scope; at = at.parent) entering.push({ scope: at, hub: BORDER, end: memberWithin(at, target) });
  return { arrow, pieces: [...leaving, meeting, ...entering.reverse()], meeting, stream: null };
}

// Every scope gets `members` and `nets`; returns the arrows with their pieces and streams, the stream of a self arrow being null.
function scopesOf(picture) {
  for (const scope of picture.scopes) { scope.members = []; scope.nets = new Map(); scope.member = { scope }; }
  const seated = new Set([picture.scopes[0]]); // boxes come in program order: a scope stands where its first box stands
  const seat = (scope) => {
    if (seated.has(scope)) return;
    seated.add(scope);
    seat(scope.parent);
    scope.parent.members.push(scope.member);
  };
  for (const box of picture.boxes) {
    seat(box.scope);
    box.member = { box };
    box.scope.members.push(box.member);
  }
  const routed = picture.arrows.map(piecesOf);
  rankMembers(picture, routed);
  const copies = new Map(), streams = new Map();
  for (const item of routed) {
    const { arrow, meeting, pieces } = item;
    if (arrow.source === arrow.target) continue;
    const down = meeting.hub.rank < meeting.end.rank, carried = [arrow.kind, arrow.label, ...arrow.tensors].join("\u0000");
    const same = `${arrow.source.id}\u0001${arrow.target.id}\u0001${carried}`;
    const copy = copies.get(same) || 0;
    copies.set(same, copy + 1);
    const key = `${arrow.source.id}\u0001${copy}\u0001${down}\u0001${carried}`;
    if (!streams.has(key)) streams.set(key, { source: arrow.source, label: arrow.label, ran: arrow.ran, down });
    item.stream = streams.get(key);
    for (const { scope, hub, end } of pieces) {
      if (!scope.nets.has(item.stream)) scope.nets.set(item.stream, { stream: item.stream, hub, ends: [] });
      const net = scope.nets.get(item.stream);
      if (!net.ends.includes(end)) net.ends.push(end);
    }
  }
  return routed;
}

function rankMembers(picture, routed) {
  for (const scope of picture.scopes) {
    scope.edges = [];
    scope.members.forEach((member, number) => { member.number = number; });
  }
  for (const { meeting } of routed) meeting.scope.edges.push([meeting.hub.number, meeting.end.number]);
  for (const scope of picture.scopes) {
    const rank = flowOrder(scope.members.length, scope.edges);
    scope.members.forEach((member, number) => { member.rank = rank[number]; });
  }
}

// The streams that carry a visible label: each text once per line that leaves a box.
const labelledStreams = (routed) => new Set(routed.map(({ stream }) => stream).filter((stream) => stream && stream.label));

// ---- pins: where lines touch a box ----------------------------------------------------------------------------

const labelWidth = ({ label, ran }) => Math.max(...[label, ran || label].map((text) => textWidth(shorten(text), ARROW_SIZE)));

function pinsOf(cells, nets) {
  const sides = new Map(cells.map((cell) => [cell.member, new Map()]));
  const touch = (member, top, stream) => {
    const at = sides.get(member);
    if (!at.has(top)) at.set(top, []);
    at.get(top).push(stream);
  };
  for (const net of nets) {
    if (net.hub !== BORDER) touch(net.hub, !net.stream.down, net.stream);
    for (const end of net.ends) if (end !== BORDER) touch(end, net.stream.down, net.stream);
  }
  return new Map(cells.map((cell) => [cell.member, pinsOn(cell, sides.get(cell.member))]));
}

function pinsOn(cell, sides) {
  const half = cell.width / 2, offset = new Map();
  const pins = { width: cell.width, height: cell.height, left: half, right: half, above: 0, below: 0, offset,
    sides: new Map(), rooms: new Map() };
  if (cell.ports) {
    for (const streams of sides.values())
      for (const stream of streams) offset.set(stream, cell.ports.get(stream) - half);
    return pins;
  }
  const spans = new Map(), labelled = (stream) => cell.labelled.has(stream);
  let any = false;
  for (const [top, streams] of sides) {
    let span = 0;
    for (const stream of streams) {
      any = any || labelled(stream);
      pins.rooms.set(stream, labelled(stream) ? roomBeside(cell, stream) : PIN_ROOM);
    }
    for (const stream of streams) span += pins.rooms.get(stream);
    spans.set(top, span);
    if (streams.length > 1 && streams.some(labelled)) pins.width = Math.max(pins.width, span);
    pins[top ? "above" : "below"] = Math.max(0, ...streams.map((stream) => roomAlong(cell, stream)));
  }
  const reach = any ? Math.max(pins.width, ...spans.values()) / 2 : pins.width / 2;
  pins.left = reach;
  pins.right = cell.selfArrows ? Math.max(reach, pins.width / 2 + LOOP_ROOM) : reach;
  pins.sides = sides;
  return pins;
}

// The room that a label needs along the side of its box, and between its box and the next.
const roomBeside = (cell, stream) => (cell.across ? LABEL_HEIGHT + 6 : labelWidth(stream) + 10);
const roomAlong = (cell, stream) => (!cell.labelled.has(stream) ? 0 : cell.across ? labelWidth(stream) + 10 : LABEL_ROOM);

const cellHeight = (pins) => pins.above + pins.height + pins.below;

function arrangePins(pins, desired, main) {
  for (const [top, streams] of pins.sides) {
    const ordered = [...streams].sort((a, b) => desired.get(top).get(a) - desired.get(top).get(b));
    const places = spread(pins, ordered.map((stream) => pins.rooms.get(stream)), top && main ? ordered.indexOf(main) : -1);
    ordered.forEach((stream, at) => pins.offset.set(stream, places[at]));
  }
}

function spread(pins, rooms, middle) {
  const inner = pins.width - 2 * CORNER;
  if (rooms.every((room) => room === PIN_ROOM)) {
    if (middle >= 0) {
      const step = Math.min(WIDEST_SPREAD, inner / 2 / Math.max(middle, rooms.length - 1 - middle, 1));
      return rooms.map((_, number) => (number - middle) * step);
    }
    const step = Math.min(WIDEST_SPREAD, inner / Math.max(rooms.length - 1, 1));
    return rooms.map((_, number) => (number - (rooms.length - 1) / 2) * step);
  }
  let at = -rooms.reduce((sum, room) => sum + room, 0) / 2;
  return rooms.map((room) => { const place = at + room / 2; at += room; return place; });
}
