// Editing a cell: a field over it, in the drawing or in a table. Enter puts the value in, Escape leaves the old one.

const editorField = element("input", { id: "cell-editor", type: "text", autocomplete: "off", spellcheck: "false" });
const editorSays = element("p", { id: "cell-says", role: "alert" });
const editorBox = element("div", { id: "cell-edit", hidden: true }, editorField, editorSays);
editorField.setAttribute("aria-describedby", "cell-says");
let editing = null; // {name, cell, text: what the cell holds}
document.body.append(editorBox);

// Opens the field over `spot`, the element of a cell; `typed` takes the place of the old text.
function openEditor(spot, typed = null) {
  const { name, cell } = spot.cellOf, tensor = tensorAt(placeOfName(name));
  if (editedAs(name) === null || !tensor) return announce(`${name} is computed; feeds, constants and variables can be edited`);
  const area = spot.getBoundingClientRect(), text = kindOf(tensor.dtype) === "s" ? stringOfBytes(tensor.data[cell]) : elementText(tensor, cell);
  editing = { name, cell, text };
  editorField.value = typed === null ? text : typed;
  editorField.setAttribute("aria-label", `${name}${placeWords(cell, tensor.shape)}, ${tensor.dtype}`);
  editorField.removeAttribute("aria-invalid");
  editorSays.textContent = "";
  editorBox.hidden = false;
  const wide = Math.max(area.width + 8, 84, Math.min(textWidth(text, 13) + 26, 260));
  const left = Math.min(Math.max(area.left + area.width / 2 - wide / 2, 4), innerWidth - wide - 4);
  editorBox.style.left = `${left}px`;
  editorBox.style.top = `${Math.min(Math.max(area.top + area.height / 2 - 14, 2), innerHeight - 60)}px`;
  editorField.style.width = `${wide}px`;
  editorField.focus();
  if (typed === null) editorField.select();
}

function closeEditor(withFocus = true) {
  if (!editing) return;
  const { name, cell } = editing;
  editing = null;
  editorBox.hidden = true;
  if (withFocus) focusCell(name, cell);
}

// Puts the typed value in; false where it does not fit, which the line below the field says.
function acceptEdit() {
  if (!editing) return true;
  const { name, cell, text } = editing;
  if (editorField.value === text) return true;
  try {
    editCell(name, cell, editorField.value);
    return true;
  } catch (error) {
    if (!(error instanceof PlayError)) throw error;
    editorSays.textContent = error.message;
    editorField.setAttribute("aria-invalid", "true");
    return false;
  }
}

editorField.addEventListener("keydown", (event) => {
  event.stopPropagation();
  if (event.key === "Escape") closeEditor();
  else if (event.key === "Enter" || event.key === "Tab") {
    event.preventDefault();
    if (!acceptEdit()) return;
    const { name, cell } = editing;
    closeEditor();
    if (event.key === "Tab") focusCell(name, cell + (event.shiftKey ? -1 : 1));
  }
});

editorField.addEventListener("blur", () => {
  if (!editing) return;
  acceptEdit();
  closeEditor(false);
});

// ---- cells of tables --------------------------------------------------------------------------------------------

function tableWithCell(name, cell) {
  return tables.find((table) => table.name === name && table.cells.has(cell)) || null;
}

// The keyboard goes to a cell of the card; false where it is not there.
function focusCell(name, cell) {
  const table = tableWithCell(name, cell);
  if (!table) return false;
  for (const made of table.cells.values()) made.tabIndex = -1;
  const made = table.cells.get(cell);
  made.tabIndex = 0;
  made.focus();
  return true;
}

// Whether a key begins a value of this dtype: for numbers a digit, a sign, or the n of nan and the i of inf.
function beginsValue({ key, ctrlKey, metaKey, altKey }, dtype) {
  if (key.length !== 1 || ctrlKey || metaKey || altKey) return false;
  return { s: /[^\s]/, b: /[tf01]/i, i: /[-+\d]/, u: /[+\d]/, f: /[-+.\dni]/i, c: /[-+.\dnij]/i, v: /^$/ }[kindOf(dtype)].test(key);
}

panel.addEventListener("keydown", (event) => {
  const made = event.target.closest("td");
  if (!made || !made.cellOf) return;
  const { name } = made.cellOf, row = [...made.parentNode.querySelectorAll("td")], rowNumber = [...made.closest("tbody").rows];
  const besides = { ArrowLeft: row[row.indexOf(made) - 1], ArrowRight: row[row.indexOf(made) + 1], Home: row[0], End: row[row.length - 1] };
  const rowsAround = (by) => {
    for (let at = rowNumber.indexOf(made.parentNode) + by; rowNumber[at]; at += by) {
      const cells = rowNumber[at].querySelectorAll("td");
      if (cells.length) return cells[Math.min(row.indexOf(made), cells.length - 1)];
    }
    return undefined;
  };
  const known = { ...besides, ArrowUp: undefined, ArrowDown: undefined };
  if (event.key in known) {
    const to = event.key === "ArrowUp" ? rowsAround(-1) : event.key === "ArrowDown" ? rowsAround(1) : besides[event.key];
    if (to) focusCell(to.cellOf.name, to.cellOf.cell);
  } else if (event.key === "Enter" || event.key === "F2") openEditor(made);
  else if (editedAs(name) !== null && beginsValue(event, tensorAt(placeOfName(name)).dtype)) openEditor(made, event.key);
  else if (event.key === "Escape") canvas.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
  if (event.key === "Escape") { chosenCell = null; markOrigin(null); }
});

panel.addEventListener("click", (event) => {
  const made = event.target.closest("td");
  if (!made || !made.cellOf) return;
  focusCell(made.cellOf.name, made.cellOf.cell);
  if (editedAs(made.cellOf.name) !== null) openEditor(made);
});

// ---- cells of the drawing ---------------------------------------------------------------------------------------

canvas.addEventListener("click", (event) => {
  const made = event.target.closest("g.cell");
  if (!made || (drag && drag.moved)) return;
  event.stopImmediatePropagation();
  const { name, cell } = made.cellOf, box = drawnCells.get(name).box;
  select(box.origin);
  chosenCell = { name, cell };
  markOrigin(chosenCell);
  const drawn = drawnCells.get(name);
  if (editedAs(name) !== null && drawn && drawn.cells[cell]) openEditor(drawn.cells[cell]);
  noteAddress();
});

canvas.addEventListener("wheel", () => closeEditor(false));
window.addEventListener("resize", () => closeEditor(false));
