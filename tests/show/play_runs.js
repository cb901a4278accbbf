// Runs a playable graph in a browser as a reader would: run, edit, take back, switch plans. For test_play_agrees_with_python.

const fetchedOf = (play) => play.frame.plan.fetches.map((slot) => (play.frame.values[slot] ? tensorToData(play.frame.values[slot]) : null));
const errorsOf = (play) => [...play.frame.errors].map(([k, text]) => [play.frame.plan.steps[k].node, text]);
const snapshot = (play) => JSON.stringify(play.frame.values.map((value) => (value ? tensorToData(value) : null)));

function playCase({ data, edits }) {
  const play = newPlay(data);
  const made = { differences: [] };
  const look = (name) => (made[name] = { fetches: fetchedOf(play), errors: errorsOf(play), values: written(play) });
  const differs = (what, before) => before !== snapshot(play) && made.differences.push(what);
  finish(runPlay(play));
  look("written");
  const first = snapshot(play);
  const before = edits.map(([name]) => play.feeds.get(name) || play.variables.get(name));
  const told = finish(editPlay(play, edits.map(([name, cell, text], i) => [name, withCell(before[i], cell, text)])));
  made.ran = told.ran;
  look("edited");
  const after = snapshot(play);
  finish(runPlay(play));
  differs("an edit is not what a whole run gives", after);
  finish(editPlay(play, edits.map(([name], i) => [name, before[i]])));
  differs("an edit that was taken back leaves something", first);
  finish(selectPlan(play, "optimised"));
  look("optimised");
  finish(editPlay(play, edits.map(([name, cell, text], i) => [name, withCell(before[i], cell, text)])));
  look("open");
  finish(resetPlay(play));
  finish(selectPlan(play, "written"));
  differs("a reset is not the beginning", first);
  return made;
}

const written = (play) => writtenValues(play).map(([name, value]) => [name, tensorToData(value)]);
