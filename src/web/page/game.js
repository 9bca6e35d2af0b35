// The game that the page holds: where it began, its moves, which of them are shown, who plays, what the engine thought. Kept over a
// reload in the tab's own storage, and in the address so that it can be passed on.

import { fromLink, other, toLink } from "./text.js";

const KEPT = "treeline-game";
const USUAL = "treeline-usual";

export const engine = (searcher = "", seconds = 1) => ({ who: "engine", searcher, seconds, options: {} });
export const person = () => ({ who: "person", searcher: "", seconds: 1, options: {} });

export class Game {
  constructor({ name, variant = {}, position = null, moves, tree = [], line = [], values = {}, names = {}, event = null, seats, time = null, clocks = {}, flags = {}, since = null }) {
    Object.assign(this, { name, variant, position, names, event });
    // Every move tried, `[number of the move before, player, move]`. They are numbered from 1; 0 is the start.
    this.tree = tree;
    // The numbers of the moves shown as the game.
    this.line = line;
    // Moves of a link, before the rules have seen them.
    this.asked = moves;
    this.seats = seats ?? { b: person(), w: engine() };
    this.ply = this.moves.length;
    // By the number of the move before it: Black's expected score and how sure that is.
    this.values = values;
    // How the game is timed, null where it is not; by number of the last move what both have left; where whose flag fell; since when
    // the side to move thinks.
    Object.assign(this, { time, clocks, flags, since });
    // An engine waits until it is asked to go on.
    this.paused = false;
  }

  /// The moves shown, each with its player.
  get moves() {
    return this.asked ?? this.line.map((number) => this.tree[number - 1].slice(1));
  }

  /// The number of the move that led to the position after `ply` moves.
  number(ply = this.ply) {
    return ply ? this.line[ply - 1] : 0;
  }

  /// Whose flag fell in the position shown.
  get flag() {
    return this.atEnd ? (this.flags[this.number()] ?? null) : null;
  }

  get value() {
    return this.values[this.number()] ?? null;
  }

  set value(value) {
    if (value) this.values[this.number()] = value;
  }

  /// The values along the line, by ply.
  course() {
    const plies = [0, ...this.line].map((number, ply) => [ply, this.values[number]]);
    return Object.fromEntries(plies.filter(([, value]) => value));
  }

  /// The question about the first `ply` moves and these after them.
  place(more = []) {
    const moves = this.moves.slice(0, this.ply).map(([player, move]) => (player ? [player, move] : move));
    const place = { game: this.name, variant: this.variant, moves: [...moves, ...more] };
    if (this.position) place.position = this.position;
    return place;
  }

  /// What was asked and what the rules made of it: passes may have come in.
  settle(moves) {
    this.asked = undefined;
    const line = [];
    for (const [player, move] of moves) {
      const before = line.at(-1) ?? 0;
      const known = this.tree.findIndex(([after, whose, text]) => after === before && whose === player && text === move);
      line.push(known < 0 ? this.tree.push([before, player, move]) : known + 1);
    }
    if (line.some((number, i) => this.line[i] !== number)) this.line = line;
    this.ply = line.length;
  }

  /// By number: the moves that follow it.
  following() {
    const found = [[], ...this.tree.map(() => [])];
    for (const [i, [before]] of this.tree.entries()) found[before].push(i + 1);
    return found;
  }

  /// Makes the move of this number and what was played first after it part of the line, and shows it.
  choose(number) {
    if (!this.line.includes(number)) {
      const line = [];
      for (let at = number; at; at = this.tree[at - 1][0]) line.unshift(at);
      const following = this.following();
      for (let at = number; (at = following[at][0]); ) line.push(at);
      this.line = line;
    }
    return this.line.indexOf(number) + 1;
  }

  /// What a file is to hold: the line as the game, and all other moves as variations, numbered behind it.
  record() {
    const others = this.tree.map((_, i) => i + 1).filter((number) => !this.line.includes(number));
    const numbers = new Map([0, ...this.line, ...others].map((number, i) => [number, i]));
    const { name, variant, position, moves, names, event } = this;
    const variations = others.map((number) => {
      const [before, player, move] = this.tree[number - 1];
      return [numbers.get(before), player, move];
    });
    const record = { game: name, variant, position, moves, variations, names, event };
    const late = this.flags[this.number(moves.length)];
    return late ? { ...record, result: other(late) } : record;
  }

  get atEnd() {
    return this.ply === this.moves.length;
  }

  /// Another move will follow the position shown; those that did stay in the tree.
  cut() {
    this.line.length = this.ply;
  }

  keep() {
    const { name, variant, position, tree, line, values, names, event, seats, time, clocks, flags, since, ply, paused } = this;
    store(sessionStorage, KEPT, { name, variant, position, tree, line, values, names, event, seats, time, clocks, flags, since, ply, paused });
    store(localStorage, USUAL, { name, variant, seats, time });
    history.replaceState(null, "", toLink(this));
  }

  /// The game of this tab, or of the address, or one like the last.
  static restore(usual) {
    const linked = fromLink(location.hash);
    const kept = Game.#kept();
    const last = load(localStorage, USUAL);
    if (kept && (!linked || toLink(kept) === location.hash)) return kept;
    if (linked) {
      const game = new Game({ ...linked, seats: last?.seats });
      // Whoever follows a link wants to look first.
      game.paused = linked.moves.length > 0;
      return game;
    }
    return new Game(last?.name ? { ...last } : { name: usual });
  }

  static #kept() {
    const kept = load(sessionStorage, KEPT);
    if (!kept?.name || !kept.line) return null;
    const game = new Game(kept);
    game.ply = Math.min(kept.ply, game.line.length);
    game.paused = kept.paused;
    return game;
  }

  static forget() {
    sessionStorage.removeItem(KEPT);
    localStorage.removeItem(USUAL);
  }
}

// Storage may be shut or full; then a reload has the address only.
function store(storage, name, value) {
  try {
    storage.setItem(name, JSON.stringify(value));
  } catch {}
}

export function load(storage, name) {
  try {
    return JSON.parse(storage.getItem(name));
  } catch {
    return null;
  }
}
