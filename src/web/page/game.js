// The game that the page holds: where it began, its moves, which of them are shown, who plays, what the engine thought. Kept over a
// reload in the tab's own storage, and in the address so that it can be passed on.

import { fromLink, toLink } from "./text.js";

const KEPT = "treeline-game";
const USUAL = "treeline-usual";

export const engine = (searcher = "", seconds = 1) => ({ who: "engine", searcher, seconds });
export const person = () => ({ who: "person", searcher: "", seconds: 1 });

export class Game {
  constructor({ name, variant = {}, position = null, moves = [], seats }) {
    Object.assign(this, { name, variant, position, moves });
    this.seats = seats ?? { b: person(), w: engine() };
    this.ply = moves.length;
    // By ply: Black's expected score and how sure that is.
    this.values = {};
    // An engine waits until it is asked to go on.
    this.paused = false;
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
    const rest = this.moves.slice(this.ply);
    this.moves = [...moves, ...rest];
    this.ply = moves.length;
  }

  get atEnd() {
    return this.ply === this.moves.length;
  }

  /// Forgets what came after the position shown.
  cut() {
    this.moves.length = this.ply;
    for (const ply of Object.keys(this.values)) if (ply > this.ply) delete this.values[ply];
  }

  keep() {
    const { name, variant, position, moves, seats, ply, values, paused } = this;
    store(sessionStorage, KEPT, { name, variant, position, moves, seats, ply, values, paused });
    store(localStorage, USUAL, { name, variant, seats });
    history.replaceState(null, "", toLink(this));
  }

  /// The game of this tab, or of the address, or one like the last.
  static restore(usual) {
    const linked = fromLink(location.hash);
    const kept = load(sessionStorage, KEPT);
    const last = load(localStorage, USUAL);
    if (kept?.name && (!linked || toLink(kept) === location.hash))
      return Object.assign(new Game(kept), { ply: kept.ply, values: kept.values ?? {}, paused: kept.paused });
    if (linked) {
      const game = new Game({ ...linked, seats: last?.seats });
      // Whoever follows a link wants to look first.
      game.paused = linked.moves.length > 0;
      return game;
    }
    return new Game(last?.name ? { ...last } : { name: usual });
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
