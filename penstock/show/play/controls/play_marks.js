// Marks on cells: what an edit changed, where the looked-at element came from and where it goes, with lines in the drawing.

let marked = null; // the element that is looked at: {name, cell}
let chosenCell = null; // the element that a click or a link chose; it stays marked while the mouse is elsewhere
let changedNames = new Map(); // name -> cells that the last edit changed; null: all
const MOST_LINES = 60;
const linesOfCells = shape("g", { class: "cell-lines" });
const liveRegion = element("p", { id: "play-live", role: "status", "aria-live": "polite" });
const cellSays = element("p", { id: "cell-fact" });
document.body.append(liveRegion);

function announce(text) {
  liveRegion.textContent = text;
}

const hasChanged = (name, cell) => {
  const cells = changedNames.get(name);
  return cells === null || (cells !== undefined && cells.has(cell));
};

// Looks at an element; null looks at none. `byMouse`: the chosen one comes back when the mouse leaves.
function markOrigin(element) {
  marked = element;
  paintMarks();
}

let marksNow = null; // {key, found}: the origins of the marked element, for as long as its frame does not change

function paintMarks() {
  const found = marked && shownTensor(marked.name) ? originsOfElement(marked) : null;
  marksNow = found;
  const own = marked && keyOfCell(marked);
  const classOf = (name, cell, isEdited, first) => {
    const key = keyOfCell({ name, cell }), classes = [first];
    if (isEdited) classes.push("editable");
    if (hasChanged(name, cell) && !isWaiting(name)) classes.push("changed-cell");
    if (found && key === own) classes.push("own-cell");
    if (found && found.sources.has(key)) classes.push("source-cell");
    if (found && found.targets.has(key)) classes.push("target-cell");
    return classes.filter(Boolean).join(" ");
  };
  for (const spot of drawnCells.values()) {
    const isEdited = editedAs(spot.name) !== null;
    for (const cell in spot.cells) setClass(spot.cells[cell], classOf(spot.name, Number(cell), isEdited, "cell"));
  }
  for (const table of tables) {
    const isEdited = editedAs(table.name) !== null;
    for (const [cell, made] of table.cells) setClass(made, classOf(table.name, cell, isEdited, ""));
  }
  drawLines(found);
  sayCell(found);
}

function drawLines(found) {
  if (linesOfCells.parentNode !== world) world.append(linesOfCells);
  if (!found) return linesOfCells.replaceChildren();
  const parts = [];
  for (const [from, to] of found.lines) {
    const a = spotOfCell(from), b = spotOfCell(to);
    if (!a || !b || parts.length >= MOST_LINES) continue;
    const drop = Math.sign(b[1] - a[1]) * CELL_HEIGHT / 2, middle = (a[1] + b[1]) / 2; // from border to border
    parts.push(shape("path", { d: `M${a[0]} ${a[1] + drop} C${a[0]} ${middle} ${b[0]} ${middle} ${b[0]} ${b[1] - drop}`, class: "cell-line" }));
  }
  linesOfCells.replaceChildren(...parts);
}

function spotOfCell({ name, cell, turns }) {
  if (turns) return null; // in another iteration
  const spot = drawnCells.get(name), made = spot && spot.cells[cell];
  return made ? made.spotAt : null;
}

// The line below the drawing: "mul:0[1, 2] = 0.25, float32; made of x:0[1, 2] and w:0[2]".
function sayCell(found) {
  const tensor = marked && shownTensor(marked.name);
  if (!tensor || marked.cell >= sizeOf(tensor)) return cellSays.replaceChildren();
  const told = (elements) => {
    const list = [...elements.values()].map((each) => inTurns(each, () => {
      const { name, cell, turns } = each, shown = shownTensor(name), where = turns ? [...turns].map(([, at]) => at).join(", ") : "";
      const value = turns && shown ? ` = ${shorten(briefElement(shown, cell, 12), 14)}` : "";
      return `${shorten(name, 30)}${shown ? placeWords(cell, shown.shape) : ""}${where ? ` of iteration ${where}` : ""}${value}`;
    }));
    return list.length > 4 ? `${list.slice(0, 3).join(", ")} and ${list.length - 3} more` : list.join(", ");
  };
  const text = kindOf(tensor.dtype) === "s" ? JSON.stringify(stringOfBytes(tensor.data[marked.cell])) : elementText(tensor, marked.cell);
  const parts = [`${shorten(marked.name, 40)}${placeWords(marked.cell, tensor.shape)} = ${shorten(text, 60)}`, tensor.dtype];
  if (found.sources.size) parts.push(`made of ${told(found.sources)}`);
  if (found.targets.size) parts.push(`goes into ${told(found.targets)}`);
  cellSays.textContent = parts.join("; ");
}

function setAllTheWay(all) {
  allTheWay = all;
  const box = document.getElementById("all-the-way");
  if (box) box.checked = all;
  paintMarks();
}

// ---- looking ----------------------------------------------------------------------------------------------------

function lookAt(event) {
  const made = event.target.closest && event.target.closest("g.cell, td");
  const found = made && made.cellOf ? made.cellOf : chosenCell;
  if (found === marked || (found && marked && keyOfCell(found) === keyOfCell(marked))) return;
  markOrigin(found);
}

canvas.addEventListener("pointerover", lookAt);
canvas.addEventListener("pointerleave", () => markOrigin(chosenCell));
panel.addEventListener("pointerover", lookAt);
panel.addEventListener("pointerleave", () => markOrigin(chosenCell));
panel.addEventListener("focusin", (event) => {
  if (!event.target.cellOf) return;
  chosenCell = event.target.cellOf;
  markOrigin(chosenCell);
  noteAddress();
});
