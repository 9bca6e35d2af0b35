"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const positions = data.positions, end = positions.length - 1;
const by = (id) => document.getElementById(id);
const rows = [...document.querySelectorAll("#moves tr[data-i]")];
// Position `at`, and how many moves of the line that was better than the one before it are shown.
let at = 0, step = 0;

function draw(shown) {
  shown.state.forEach((is, i) => {
    const place = by("s" + i);
    if (!place) return;
    place.dataset.is = is;
    place.classList.toggle("last", shown.last.includes(i));
    const seeds = place.querySelector(".seeds");
    if (seeds) seeds.textContent = is;
  });
  const arrow = by("arrow");
  if (arrow) arrow.setAttribute("points", shown.last.length > 1 ? shown.last.map((i) => data.centres[i].join(",")).join(" ") : "");
}

function show() {
  const position = positions[at], better = position.better || [];
  const shown = step ? better[step - 1] : position;
  draw(shown);
  by("says").textContent = step ? `${shown.says} (${step} of ${better.length})` : shown.says;
  rows.forEach((row) => row.classList.toggle("here", Number(row.dataset.i) === at));
  const x = end ? (640 * at) / end : 0;
  by("here").setAttribute("x1", x);
  by("here").setAttribute("x2", x);
  by("better").disabled = better.length === 0;
  by("first").disabled = by("back").disabled = at === 0;
  by("last").disabled = by("next").disabled = at === end;
  const row = rows[at - 1];
  // On a narrow screen the list is below the board, which has to stay in view.
  const beside = matchMedia("(min-width: 50rem)").matches;
  if (row && beside && document.activeElement === document.body) row.scrollIntoView({ block: "nearest" });
}

function go(to) {
  at = Math.max(0, Math.min(end, to));
  step = 0;
  show();
}

function line(by) {
  const better = positions[at].better || [];
  step = Math.max(0, Math.min(better.length, step + by));
  show();
}

function flaw() {
  const next = positions.findIndex((position, i) => i > at && position.flaw);
  const first = positions.findIndex((position) => position.flaw);
  if (first >= 0) go(next >= 0 ? next : first);
}

by("first").onclick = () => go(0);
by("back").onclick = () => go(at - 1);
by("next").onclick = () => go(at + 1);
by("last").onclick = () => go(end);
by("flaw").onclick = flaw;
by("better").onclick = () => line(1);
rows.forEach((row) => { row.onclick = () => go(Number(row.dataset.i)); });
by("graph").onclick = (event) => {
  const box = by("graph").getBoundingClientRect();
  go(Math.round((((event.clientX - box.left) / box.width) * 652 - 6) / 640 * end));
};
const keys = {
  ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(end),
  ArrowDown: () => line(1), ArrowUp: () => line(-1), b: () => line(1), n: flaw,
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
show();
