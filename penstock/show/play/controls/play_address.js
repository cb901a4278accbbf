// The edits, the plan, the fetches and the looked-at cell in the page's address, so that a link shows them again:
//
//   play.html#edit=x:0[1]=2.5,run,w[0]=nan&plan=optimised&fetch=loss:0&cell=loss:0[0]

const EDIT_FORM = /^(.*)\[(\d{1,9})\]=([^]*)$/;
const MOST_EDITS = 200, MOST_RUNS = 2000;

function sayPlay(say) {
  if (state.before) say("turn", "before");
  if (player.plan !== "written") say("plan", player.plan);
  if (fetchesNow) say("fetch", encodeList(fetchesNow) || "none");
  const list = [];
  for (const [key, cell, text] of edits) {
    const last = list[list.length - 1];
    if (key === "" && last && last.run) last.run += 1;
    else list.push(key === "" ? { run: 1 } : { text: `${key}[${cell}]=${text}` });
  }
  say("edit", encodeList(list.slice(-MOST_EDITS).map(({ run, text }) => (run ? `run*${run}` : text))));
  if (chosenCell) say("cell", encodeName(`${chosenCell.name}[${chosenCell.cell}]`));
  const turned = LOOPS.flatMap(({ node, repeats }, number) => (repeats && iterationOf[number] ? [`${node}[${iterationOf[number]}]`] : []));
  say("around", encodeList(turned));
}

function editsOf(text) {
  return decodeList(text).slice(0, MOST_EDITS).flatMap((each) => {
    const runs = /^run(?:\*(\d{1,4}))?$/.exec(each), found = EDIT_FORM.exec(each);
    if (runs) return Array.from({ length: Math.min(Number(runs[1] || 1), MOST_RUNS) }, () => ["", 0, "run"]);
    return found ? [[found[1], Number(found[2]), found[3]]] : [];
  });
}

const sameEdits = (a, b) => a.length === b.length && a.every((each, at) => each.every((part, i) => part === b[at][i]));

// Takes edits, plan and fetches from an address, before the page shows the rest of it.
function hearPlay(said) {
  const known = (name) => placesOfPlan("written").has(name) || ASKED.includes(name) || viewAt(0).byId.has(name);
  const wanted = editsOf(said.get("edit")), fetch = said.get("fetch") === "none" ? [] : decodeList(said.get("fetch")).filter(known);
  const plan = said.get("plan") === "optimised" ? "optimised" : "written";
  endFlow();
  closeEditor(false);
  state.before = said.get("turn") === "before";
  fetchesNow = said.has("fetch") && (fetch.length || said.get("fetch") === "none") ? fetch : null;
  const isSame = player.frame && plan === player.plan && sameEdits(wanted, edits);
  player.plan = plan;
  changedNames = new Map();
  finish(isSame ? runWanted() : hearEdits(wanted));
  usePlan();
  state.view = VIEW_OF_PLAN.get(player.inUse);
  fadeUnneeded();
  drawnCells.clear();
  roomByBox.clear();
  drawnAt = -1;
}

// The play as it opens, with these edits.
function* hearEdits(wanted) {
  moments = [];
  later = [];
  edits = [];
  curve = [];
  player.runs = 0;
  player.edited.clear();
  player.streams = player.firstStreams;
  player.inner = firstInner(DATA.play.plans.written);
  player.editedInner.clear();
  player.variables = new Map(player.first);
  for (const [name, made] of DATA.play.feeds) player.feeds.set(name, tensorOnce(made));
  yield* runWanted();
  const first = player.frame.values.slice(), { inUse } = player;
  yield* repeatEdits(wanted);
  if (player.inUse === inUse) markDifferences(first);
}

// Marks the cells that differ from the values before all edits.
function markDifferences(first) {
  const names = DATA.play.names[player.inUse];
  player.frame.values.forEach((tensor, slot) => {
    const cells = changedCells(first[slot], tensor);
    if (names[slot] && tensor && (cells === null || cells.length)) changedNames.set(names[slot], cells && new Set(cells));
  });
}

// What needs the drawing: the iterations of loops, and the looked-at cell.
function heardPlay(said) {
  for (const each of decodeList(said.get("around"))) {
    const found = /^(.*)\[(\d{1,9})\]$/.exec(each), number = found ? numberOfLoop(found[1]) : -1;
    if (number >= 0) iterationOf[number] = Number(found[2]);
  }
  const found = /^(.*)\[(\d{1,9})\]$/.exec(decodeName(said.get("cell"))), tensor = found && shownTensor(found[1]);
  chosenCell = tensor && Number(found[2]) < sizeOf(tensor) ? { name: found[1], cell: Number(found[2]) } : null;
  marked = chosenCell;
  for (const spot of drawnCells.values()) showCells(spot);
  paint();
  tell();
  showStepBar();
  showPlayBar();
}

async function copyLink() {
  clearTimeout(lateWrite);
  const parts = addressNow(), text = `${location.href.split("#")[0]}#${addressText(parts)}`;
  const isWhole = !edits.length || (parts.has("edit") && edits.length <= MOST_EDITS);
  const done = isWhole ? "The link is copied." : "The link is copied, without edits: there are too many for an address.";
  try {
    await navigator.clipboard.writeText(text);
    hint(done);
  } catch { // a page from a file may not use the clipboard in some browsers
    const field = element("textarea", { class: "unseen" }, text);
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    hint(isCopied ? done : "The address bar has the link.");
  }
  setTimeout(() => hint(""), 2500);
}
