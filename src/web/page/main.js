// The table: holds the game, asks the program what a position looks like, and connects board, buttons, players and panels.

import { Arranger } from "./arrange.js";
import { Board, say } from "./board.js";
import { Clicks } from "./clicks.js";
import { Clocks } from "./clocks.js";
import { Game, load } from "./game.js";
import { Graph } from "./graph.js";
import { Players } from "./players.js";
import { Server } from "./server.js";
import { Setup, fitNetworks } from "./setup.js";
import { at, colour, fromLink, fromWords, html, other, toLink, words } from "./text.js";
import { Thoughts, hints, judge, showShare } from "./thoughts.js";

const server = new Server();
const board = new Board(at("frame"));
const clicks = new Clicks();
const thoughts = new Thoughts();
const graph = new Graph(at("graph"));

const table = { game: null, view: null, answer: null, play, began, thought, refresh, complain, failed };
table.clocks = new Clocks(table);
const players = new Players(server, table);
const arranger = new Arranger(server);
/// Bytes of a file: a message to the program has at most 64 kB.
const LARGEST = 60_000;
let catalogue = null;
let looking = 0;

/// Asks what the position looks like, shows it, and lets whoever is to move move. After a refusal everything is as it was.
async function look(more = [], moved = false) {
  const number = ++looking;
  const thought = more.length ? table.clocks.thought() : null;
  const before = table.game.ply;
  const view = await server.ask({ ask: "look", ...table.game.place(more) });
  if (number !== looking) return false;
  if (more.length) {
    table.game.cut();
    // Whoever plays on wants an answer.
    table.game.paused = false;
  }
  table.game.settle(view.moves);
  table.clocks.spent(thought, before);
  Object.assign(table, { view, answer: null });
  lateness();
  table.clocks.turn();
  show(moved);
  table.game.keep();
  players.go();
  return true;
}

/// A flag that fell where the game stands ends it.
function lateness() {
  const { game, view } = table;
  if (game.flag && !view.outcome) Object.assign(view, { late: game.flag, outcome: other(game.flag), margin: null, ways: [] });
}

/// The time of the side to move is over.
async function flagFell(player) {
  const { game } = table;
  game.flags[game.number()] = player;
  players.analysing = false;
  const quitting = players.quit();
  lateness();
  table.clocks.turn();
  show();
  game.keep();
  await quitting;
}

async function play(move) {
  try {
    await look([move], true);
  } catch (error) {
    complain(error);
  }
}

async function goTo(ply, paused = true) {
  const { game } = table;
  const before = game.ply;
  game.ply = Math.max(0, Math.min(game.moves.length, ply));
  game.paused = paused && game.ply < game.moves.length;
  await look().catch((error) => {
    game.ply = before;
    complain(error);
  });
}

/// Back to where a person was to move last.
async function undo() {
  const { game } = table;
  const people = Object.values(game.seats).some((seat) => seat.who === "person");
  let ply = game.ply - 1;
  while (people && ply > 0 && game.seats[game.moves[ply][0]]?.who !== "person") ply--;
  await goTo(ply);
}

async function redo() {
  const { game } = table;
  let ply = game.ply + 1;
  while (ply < game.moves.length && game.seats[game.moves[ply][0]]?.who !== "person") ply++;
  await goTo(ply, false);
}

/// Begins another game; the one before stays if the program refuses this one.
async function begin(settings, paused = false) {
  const error = await tried(settings, paused);
  if (error) complain(error);
}

/// The same; returns what was refused.
async function tried(settings, paused = false) {
  const before = table.game;
  table.game = new Game(settings);
  fitNetworks(table.game, catalogue);
  table.game.paused = paused;
  try {
    await look();
  } catch (error) {
    table.game = before;
    if (before) await look();
    return error;
  }
  return null;
}

function show(moved = false) {
  const { game, view } = table;
  const can = new Set(view.ways.flatMap(([, trails]) => trails.map((trail) => trail[0])));
  clicks.set(view.ways, view.board);
  const last = view.last ?? [];
  const labels = (spot) => say(spot, { can: isPersons() && can.has(spot.name), last: last.includes(spot.name) });
  board.draw(view.board, { last, moved: moved ? view.last : null, labels });
  board.preview(false);
  // What went wrong before is no matter any more.
  if (!complain.lasts) at("toast").classList.remove("on");
  thoughts.clear();
  showMarks();
  const entry = catalogue.games.find((entry) => entry.name === game.name);
  at("title").textContent = `${entry?.title ?? game.name} ${words(game.variant)}`.trim();
  document.title = `${entry?.title ?? game.name} · Treeline`;
  showMoves();
  refresh();
}

const isPersons = () => !table.view.outcome && !players.isEngines && !table.arranging;

function showMarks() {
  const free = isPersons();
  const next = free ? clicks.next() : new Set();
  const direct = free ? clicks.ends() : new Set();
  // Where nearly every place is a move, marks would only hide the board.
  const quiet = !clicks.path.length && (next.size > 0.4 * table.view.board.spots.length || table.view.ways.some(([, trails]) => trails.some((trail) => trail.length > 1)));
  board.mark({ last: table.view.last ?? [], path: clicks.path, next: quiet ? new Set() : new Set([...next, ...direct]), origins: next, quiet });
}

function status() {
  const { game, view } = table;
  if (table.arranging) return "Set up a position: choose a piece, click places.";
  if (view.late) return `The time of ${colour(view.late)} is over: ${colour(view.outcome)} wins.`;
  if (view.outcome) {
    const by = view.margin ? ` by ${Math.abs(view.margin)}` : "";
    return view.outcome === "draw" ? "The game is drawn." : `${colour(view.outcome)} wins${by}.`;
  }
  const turn = colour(view.turn);
  if (players.isEngines) return `${turn} is thinking …`;
  if (game.paused && game.seats[view.turn].who === "engine") return `${turn} to move. Press “Engine plays” for its move, or move for it.`;
  if (view.ways.length === 1 && !view.ways[0][1].length) return `${turn} can only ${view.ways[0][0]}.`;
  if (clicks.path.length) return `${turn}: ${clicks.path.join(" – ")} – …`;
  return `${turn} to move.`;
}

function seatText(player) {
  const seat = table.game.seats[player];
  return seat.who === "person" ? "Person" : ["Engine", table.game.time || seat.seconds === "off" ? "" : `${seat.seconds} s`, seat.searcher, words(seat.options ?? {})].filter(Boolean).join(", ");
}

/// Person and engine change places; the engine keeps its settings.
function change(player) {
  const { game } = table;
  const seat = game.seats[player];
  game.seats[player] = { ...seat, who: seat.who === "person" ? "engine" : "person" };
  // Whoever calls an engine wants it to play.
  if (game.atEnd) game.paused = false;
  table.clocks.turn();
  game.keep();
  show();
  players.go();
}

/// Everything around the board.
function refresh() {
  const { game, view } = table;
  if (!view) return;
  at("status").textContent = status();
  // For tests and scripts: what is shown, and whether it waits for a person.
  Object.assign(at("frame").dataset, { position: view.position, outcome: view.outcome ?? "", ply: game.ply, waits: isPersons() || view.outcome ? "yes" : "no", thinks: players.thinking ? "yes" : "no" });
  for (const player of ["b", "w"]) {
    const here = !view.outcome && view.turn === player;
    at(`player-${player}`).replaceChildren(html("span", { class: `disc ${player}` }), html("strong", {}, game.names[player] ?? colour(player)), html("button", { class: "plain", title: `Change to ${game.seats[player].who === "person" ? "the engine" : "a person"}`, onclick: () => change(player) }, seatText(player)), html("span", { class: "clock", id: `clock-${player}`, role: "timer", hidden: true }), ...(here ? [html("span", { class: "turn" }, players.thinking && players.isEngines ? "thinking" : "to move")] : []));
  }
  table.clocks.show();
  for (const id of ["controls", "others"]) at(id).hidden = Boolean(table.arranging);
  at("setup-position").setAttribute("aria-pressed", String(Boolean(table.arranging)));
  const others = isPersons() ? view.ways.filter(([, trails]) => !trails.length) : [];
  at("others").replaceChildren(...others.map(([move]) => html("button", { class: "main", onclick: () => play(move) }, sentence(move))));
  at("undo").disabled = at("back").disabled = at("first").disabled = game.ply === 0;
  at("redo").disabled = at("forth").disabled = at("last").disabled = game.atEnd;
  at("go").disabled = Boolean(view.outcome) || players.isEngines;
  at("analyse").disabled = Boolean(view.outcome);
  at("analyse").setAttribute("aria-pressed", String(players.analysing));
  at("stop").disabled = !players.thinking;
  if (view.outcome && !view.late) game.value ??= judge({ moveInfos: [], rootInfo: { result: view.outcome } });
  showShare(game.value ?? game.course()[game.ply - 1] ?? null);
  graph.draw(game.course(), game.moves.length, game.ply);
}

const sentence = (move) => (move[0].toUpperCase() + move.slice(1)).replaceAll("-", " ");

/// Lists within lists; what lies deeper is not indented further.
const DEEPEST = 6;

/// The tree of moves: the first ones in a row, and others behind the move in whose place they were tried.
function showMoves() {
  const { game } = table;
  const following = game.following();
  const here = game.number();
  const row = (number) => {
    const [, player, move] = game.tree[number - 1];
    const at = game.line.indexOf(number);
    const kind = number === here ? "here" : at < 0 || at >= game.ply ? "ahead" : "";
    return html("li", { class: kind }, html("button", { class: "plain", "data-number": number, "aria-current": number === here ? "step" : undefined, onclick: () => goTo(game.choose(number)) }, html("span", { class: `disc ${player}` }), move));
  };
  const moves = at("moves");
  moves.replaceChildren();
  const todo = [];
  const branch = (list, depth, before) => {
    const [first, ...others] = following[before];
    if (!first) return;
    list.append(row(first));
    todo.push([list, depth, first]);
    for (const number of others) {
      const inner = depth < DEEPEST ? html("ol", { "aria-label": "Variation" }) : list;
      if (inner !== list) list.append(html("li", { class: "variation" }, inner));
      inner.append(row(number));
      todo.push([inner, depth + 1, number]);
    }
  };
  branch(moves, 0, 0);
  // The first one of a branch goes on until its end before the variations beside it are followed: those have lists of their own.
  while (todo.length) branch(...todo.pop());
  // Only the list is scrolled: the page stays where the board is seen.
  const shown = moves.querySelector(".here");
  if (shown) moves.scrollTop = shown.offsetTop - moves.clientHeight / 2;
}

/// The search that began came to nothing.
function failed(error) {
  thoughts.clear();
  complain(error);
}

/// Some searches tell nothing until they are through.
function began() {
  thoughts.clear("Thinking …");
}

function thought(answer, done) {
  table.answer = answer;
  thoughts.show(answer);
  const value = judge(answer);
  table.game.value = value;
  showHints();
  showShare(value);
  if (done) table.game.keep();
  graph.draw(table.game.course(), table.game.moves.length, table.game.ply);
}

function showHints() {
  const wanted = at("on-board").checked && table.answer;
  board.hint(wanted ? hints(table.answer, table.view.ways) : []);
}

function complain(error, lasts = false) {
  const toast = at("toast");
  complain.lasts = lasts;
  toast.textContent = error.message;
  toast.classList.add("on");
  clearTimeout(complain.timer);
  complain.timer = setTimeout(() => toast.classList.remove("on"), 6000);
  refresh();
}

function note(text) {
  complain(new Error(text), true);
}

async function click(name, origin = false) {
  if (table.arranging) return origin ? undefined : arranger.click(name);
  if (!isPersons()) return;
  if (origin && clicks.path.at(-1) === name) return;
  if (origin) clicks.path = [];
  const found = clicks.click(name);
  showMarks();
  at("status").textContent = status();
  if (found.length === 1) await play(found[0]);
  else if (found.length > 1) await choose(found);
}

/// Several moves look the same on the board.
function choose(moves) {
  const dialog = at("choice");
  const pick = (move) => () => {
    dialog.close();
    play(move);
  };
  dialog.replaceChildren(html("h2", { id: "choice-title" }, "Which move?"), ...moves.map((move) => html("button", { onclick: pick(move) }, move)));
  dialog.showModal();
}

let previewed = 0;
async function preview(line) {
  const number = ++previewed;
  await new Promise((done) => setTimeout(done, 150));
  if (number !== previewed) return;
  if (table.arranging) return;
  if (!line) {
    board.draw(table.view.board, { last: table.view.last ?? [], labels: (spot) => say(spot, {}) });
    board.preview(false);
    showMarks();
    showHints();
    return;
  }
  const view = await server.ask({ ask: "look", ...table.game.place(line.slice(0, 8)) }).catch(() => null);
  if (!view || number !== previewed) return;
  board.draw(view.board, { last: view.last ?? [], labels: (spot) => say(spot, {}) });
  board.preview(true);
}

/// Asks for a form where there are several, and hands the file to the browser.
function save() {
  const { game } = table;
  const { forms } = catalogue.games.find((entry) => entry.name === game.name);
  const dialog = at("choice");
  const pick = ({ name, title }) => html("button", { "data-form": name, onclick: () => {
    dialog.close();
    write(name);
  } }, title);
  dialog.replaceChildren(html("h2", { id: "choice-title" }, "Save as"), ...forms.map(pick));
  dialog.showModal();
}

async function write(form) {
  try {
    const { name, text } = await server.ask({ ask: "write", form, ...table.game.record() });
    const file = new Blob([text], { type: "text/plain" });
    const link = html("a", { href: URL.createObjectURL(file), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } catch (error) {
    complain(error);
  }
}

async function open(file) {
  try {
    if (file.size > LARGEST) throw new Error("this file is larger than 60 kB and no saved game");
    const { name, variant } = table.game;
    const found = await server.ask({ ask: "open", text: await file.text(), game: name, variant });
    const line = found.tree.slice(0, found.length).map((_, i) => i + 1);
    const names = { b: found.names[0], w: found.names[1] };
    await begin({ name: found.game, variant: fromWords(found.variant), position: found.position, tree: found.tree, line, names, event: found.event, seats: table.game.seats }, true);
    if (found.games > 1) note(`The first of ${found.games} games in this file.`);
    else if (found.leftOut) note(`${found.leftOut} variations that cannot be played were left out.`);
  } catch (error) {
    complain(new Error(`${file.name.slice(0, 60)} cannot be opened: ${error.message}`));
  }
}

async function copy() {
  const link = location.origin + "/" + toLink(table.game);
  try {
    await navigator.clipboard.writeText(link);
    note("The link to this position was copied.");
  } catch {
    note("The address of this page is the link to this position.");
  }
}

function theme(flip) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  let chosen = load(localStorage, "treeline-theme") ?? (dark ? "dark" : "light");
  if (flip) {
    chosen = chosen === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("treeline-theme", JSON.stringify(chosen));
    } catch {}
  }
  document.documentElement.dataset.theme = chosen;
}

/// Clicks lay pieces until a position is taken as the start of a game, or not.
async function arrange() {
  if (table.arranging) return arranger.end(null);
  table.arranging = true;
  players.analysing = false;
  await players.quit();
  table.clocks.turn();
  clicks.set([], table.view.board);
  arranger.begin(table.game.place(), table.view);
  refresh();
}

async function arranged(position) {
  table.arranging = false;
  const { name, variant, seats, time } = table.game;
  if (position) return begin({ name, variant, position, seats, time });
  show();
  table.clocks.turn();
  await players.go();
}

function drawArranged(shown) {
  board.draw(shown, { last: [], labels: (spot) => say(spot, {}) });
  board.mark({ next: new Set(), origins: new Set(shown.spots.map(({ name }) => name)), quiet: true });
}

async function newGame() {
  if (table.arranging) arranger.end(null);
  let [from, refused] = [table.game, null];
  for (;;) {
    const settings = await new Setup(catalogue).ask(from, refused);
    refused = settings && (await tried(settings));
    if (!refused) return;
    from = settings;
  }
}

async function engineMove() {
  const { game } = table;
  const mine = game.seats[table.view.turn].who === "engine";
  if (mine || !game.atEnd) game.cut();
  game.paused = false;
  table.clocks.turn();
  showMoves();
  await players.go(true);
}

function analyse() {
  players.analysing = !players.analysing;
  if (!players.isEngines) players.go();
  else refresh();
}

function stop() {
  players.analysing = false;
  if (table.arranging) return arranger.end(null);
  players.stop();
  table.clocks.turn();
}

const actions = { new: newGame, "setup-position": arrange, open: () => at("file").click(), save, link: copy, theme: () => theme(true), first: () => goTo(0), back: () => goTo(table.game.ply - 1), forth: () => goTo(table.game.ply + 1), last: () => goTo(Infinity), undo, redo, go: engineMove, analyse, stop };
const keys = { n: "new", p: "setup-position", u: "undo", r: "redo", g: "go", a: "analyse", Escape: "stop", ArrowLeft: "back", ArrowRight: "forth", Home: "first", End: "last" };

function listen() {
  for (const [id, action] of Object.entries(actions)) at(id).addEventListener("click", action);
  at("file").addEventListener("change", (event) => {
    if (event.target.files[0]) open(event.target.files[0]);
    event.target.value = "";
  });
  at("on-board").addEventListener("change", showHints);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest("input, select, textarea")) return;
    const id = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!id || (at(id).disabled && id !== "stop") || (table.arranging && !["stop", "setup-position"].includes(id))) return;
    event.preventDefault();
    actions[id]();
  });
  // A link that is opened in this tab.
  addEventListener("hashchange", () => {
    const linked = fromLink(location.hash);
    if (linked && location.hash !== toLink(table.game)) begin({ ...linked, seats: table.game.seats }, true);
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
  });
  board.onclick = click;
  arranger.ondraw = drawArranged;
  arranger.ondone = arranged;
  table.clocks.onflag = flagFell;
  graph.onclick = (ply) => goTo(ply);
  thoughts.onplay = play;
  thoughts.onpreview = preview;
  server.onlink = (on) => document.body.classList.toggle("offline", !on);
}

async function start() {
  theme(false);
  catalogue = await server.ask({ ask: "catalogue" });
  at("version").textContent = `Treeline ${catalogue.version}.`;
  table.game = Game.restore(catalogue.game);
  fitNetworks(table.game, catalogue);
  try {
    await look();
  } catch (error) {
    // What was kept is of another program, or the address is wrong: begin anew.
    Game.forget();
    table.game = new Game({ name: catalogue.game });
    await look();
    complain(error);
  }
  listen();
}

start();
