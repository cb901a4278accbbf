// Cells in the drawing: the elements of a small value below the lines of its box, or the beginning of a large one.
//
// A *grid* is where the elements of a value stand: {name, left, top, columns, wide, shown: elements in order, more}. Boxes
// get the room of their values as they are when the picture is laid out. They grow when a value gets larger, and do not
// shrink, so that little moves. Floats have room for some digits from the start, and get no more.

const CELL_HEIGHT = 16, CELL_SIZE = 10.5, CELL_LEAST = 22, CELL_MOST = 54, CELL_FLOAT = 42, CELL_PAD = 5, SLAB_GAP = 4, GRID_GAP = 5, ROOM_EDGE = 8;
const MOST_GRIDS = 4; // values of one box
const MOST_RELAID = 150; // boxes
// The most cells of a value, by the number of boxes in view: 2,500 cells take 10 ms to lay out.
const CELL_FORMS = [[24, { rows: 6, columns: 8 }], [120, { rows: 3, columns: 6 }], [Infinity, { rows: 1, columns: 4 }]];
const roomByBox = new Map(); // id -> the most room that its values needed: [{rows, columns, wide}]
const drawnCells = new Map(); // name -> {grid, cells: [group], of: tensor, box}

// The text of an element in at most `longest` letters. A float has six digits at most: to find its shortest text takes
// ten times as long.
function briefElement(tensor, cell, longest = 7) {
  if (isFloatType(tensor.dtype)) return briefFloat(tensor.data[cell], longest);
  if (kindOf(tensor.dtype) === "v") return briefContent(tensor.data[cell]);
  const full = kindOf(tensor.dtype) === "s" ? stringOfBytes(tensor.data[cell]) : elementText(tensor, cell);
  return full.length <= longest ? full : `${full.slice(0, longest - 1)}\u2026`;
}

// Of a TensorArray how many elements are written: "2 of 4".
function briefContent(content) {
  if (content === null) return "none";
  return "data" in content ? "tensor" : `${[...content.entries.values()].filter((value) => value !== null).length} of ${content.size}`;
}

function briefFloat(value, longest) {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  for (let digits = 6; digits > 1; digits--) {
    const text = String(Number(value.toPrecision(digits)));
    if (text.length <= longest) return text;
  }
  const short = value.toExponential(1);
  return short.length <= longest ? short : value.toExponential(0);
}

// The text of bytes, where they are UTF-8; otherwise each byte as a letter.
function stringOfBytes(bytes) {
  try {
    return visible(decodeURIComponent(escape(bytes)));
  } catch {
    return visible(bytes);
  }
}

// The dimensions that a grid shows: images of one channel are rows and columns.
const gridDims = (dims) => (dims.length > 2 && dims[dims.length - 1] === 1 ? dims.slice(0, -1) : dims);

// Rows and columns of a value: the last dimension runs across; a vector is one row.
function gridShape(tensor, form) {
  const shape = gridDims(tensor.shape), across = shape.length ? shape[shape.length - 1] : 1, count = sizeOf(tensor);
  const down = across ? count / across : 0, columns = Math.min(across, form.columns), rows = Math.min(down, form.rows);
  return { across, down, columns, rows, more: columns < across || rows < down };
}

let cellForm = CELL_FORMS[0][1];
const chooseForm = ({ boxes }) => { [, cellForm] = CELL_FORMS.find(([most]) => boxes.length <= most); };

function widthOfCells(tensor, { across, columns, rows }) {
  let widest = CELL_LEAST;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      widest = Math.max(widest, textWidth(briefElement(tensor, row * across + column), CELL_SIZE) + 2 * CELL_PAD);
  return Math.min(Math.ceil(widest), CELL_MOST);
}

// The room that the values of a box need now.
function neededRoom(box) {
  return valuesOfBox(box).slice(0, MOST_GRIDS).map((name) => {
    const tensor = tensorAt(placeOfName(name));
    if (!tensor) return { rows: 1, columns: 1, wide: CELL_LEAST, isFloat: false, gaps: 0, more: false };
    const found = gridShape(tensor, cellForm), isFloat = isFloatType(tensor.dtype);
    return { rows: Math.max(found.rows, 1), columns: Math.max(found.columns, 1), wide: isFloat ? Math.max(widthOfCells(tensor, found), CELL_FLOAT) : widthOfCells(tensor, found), isFloat,
      gaps: gapsIn(tensor.shape, found.rows), more: found.more };
  });
}

// The gaps between the slabs of a value with three or more dimensions, among its first rows.
const slabRows = (dims) => (gridDims(dims).length > 2 ? gridDims(dims).at(-2) : Infinity);
const gapsIn = (dims, rows) => (rows && slabRows(dims) ? Math.floor((rows - 1) / slabRows(dims)) : 0);

// The room of a box: the largest of what its values needed so far. `grown` tells whether it is larger than before.
function keptRoom(box) {
  const needed = neededRoom(box), known = roomByBox.get(box.id), before = known && known.form === cellForm ? known : [];
  const room = needed.map((each, i) => {
    const old = before[i] || each;
    return { rows: Math.max(each.rows, old.rows), columns: Math.max(each.columns, old.columns), wide: Math.max(each.wide, old.wide),
      gaps: Math.max(each.gaps, old.gaps), more: each.more || old.more, isFloat: each.isFloat };
  });
  const grown = room.length !== before.length || room.some((each, i) =>
    Object.keys(each).some((key) => each[key] !== before[i][key] && !(key === "wide" && each.isFloat && before[i].isFloat)));
  return { room: Object.assign(room, { form: cellForm }), grown };
}

const gridHeight = ({ rows, gaps, more }) => rows * CELL_HEIGHT + gaps * SLAB_GAP + (more ? 12 : 0);
const hasLabels = (box) => valuesOfBox(box).length > 1;

function roomOf(box) {
  if (box.closed && !valuesOfBox(box).length) return NO_ROOM;
  const { room } = keptRoom(box);
  roomByBox.set(box.id, room);
  if (!room.length) return NO_ROOM;
  const label = hasLabels(box) ? 20 : 0;
  const more = valuesOfBox(box).length > MOST_GRIDS ? 12 : 0;
  return { width: Math.max(...room.map(({ columns, wide }) => columns * wide)) + 2 * label + 2 * ROOM_EDGE,
    height: room.reduce((sum, each) => sum + gridHeight(each) + GRID_GAP, 3) + more };
}

// ---- drawing ---------------------------------------------------------------------------------------------------

function drawCells(placed) {
  const { box, x, y, width, height, room } = placed;
  if (!room) return;
  const names = valuesOfBox(box), shown = names.slice(0, MOST_GRIDS), kept = roomByBox.get(box.id);
  let top = y + height - room - 2;
  const made = shape("g", { class: "cells" });
  shown.forEach((name, i) => {
    const spot = { name, box, middle: x + width / 2, top, room: kept[i], group: shape("g", { class: "grid" }), cells: [], of: undefined };
    if (names.length > 1) made.append(svgText(x + ROOM_EDGE - 2, top + 12, `:${i}`, "grid-label", "start"));
    made.append(spot.group);
    drawnCells.set(name, spot);
    drawGrid(spot);
    top += gridHeight(kept[i]) + GRID_GAP;
  });
  if (names.length > MOST_GRIDS) made.append(svgText(x + width / 2, top + 7, `and ${names.length - MOST_GRIDS} more`, "grid-more"));
  placed.element.append(made);
}

// Draws the cells of a value anew; they stay where the value keeps its shape.
function drawGrid(spot) {
  const tensor = shownTensor(spot.name);
  spot.of = tensor;
  spot.cells = [];
  if (!tensor) return spot.group.replaceChildren(svgText(spot.middle, spot.top + 12, "\u00b7", "cell-none"));
  const found = gridShape(tensor, { rows: spot.room.rows, columns: spot.room.columns }), { wide } = spot.room, parts = [];
  const left = spot.middle - (found.columns * wide) / 2, slab = slabRows(tensor.shape), isEdited = editedAs(spot.name) !== null;
  spot.letters = Math.max(3, Math.floor((wide - 2 * CELL_PAD + 4) / 5.9));
  for (let row = 0; row < found.rows; row++) {
    const y = spot.top + row * CELL_HEIGHT + Math.floor(row / slab) * SLAB_GAP;
    for (let column = 0; column < found.columns; column++) {
      const x = left + column * wide, cell = row * found.across + column;
      const text = svgText(x + wide / 2, y + 11.7, briefElement(tensor, cell, spot.letters), "cell-text");
      const made = shape("g", { class: isEdited ? "cell editable" : "cell" }, shape("rect", { x, y, width: wide, height: CELL_HEIGHT }), text);
      Object.assign(made, { cellOf: { name: spot.name, cell }, spotAt: [x + wide / 2, y + CELL_HEIGHT / 2] });
      spot.cells[cell] = made;
      parts.push(made);
    }
  }
  if (found.more) parts.push(svgText(spot.middle, spot.top + gridHeight({ ...found, gaps: gapsIn(tensor.shape, found.rows) }) - 1, moreWords(tensor, found), "grid-more"));
  if (!sizeOf(tensor)) parts.push(svgText(spot.middle, spot.top + 12, `empty ${shapeWords(tensor.shape)}`, "grid-more"));
  spot.group.replaceChildren(...parts);
}

const moreWords = (tensor, { columns, rows }) => `${columns * rows} of ${sizeOf(tensor)}`;

// Shows the value of a name as it is now; the elements that differ get new texts.
function showCells(spot) {
  const tensor = shownTensor(spot.name), before = spot.of;
  if (tensor === before) return;
  if (!tensor || !before || !sameShape(tensor.shape, before.shape) || tensor.dtype !== before.dtype) return drawGrid(spot);
  for (const cell of changedCells(before, tensor))
    if (spot.cells[cell]) spot.cells[cell].lastChild.textContent = briefElement(tensor, cell, spot.letters);
  spot.of = tensor;
}

// Whether a value needs more room than its box has. A picture of many boxes stays: laying it out takes too long.
function needsRoom() {
  if (layout.boxes.length > MOST_RELAID) return false;
  const changed = new Set([...drawnCells.values()].filter(({ name, of }) => of !== shownTensor(name)).map(({ box }) => box));
  return [...changed].some((box) => keptRoom(box).grown);
}
