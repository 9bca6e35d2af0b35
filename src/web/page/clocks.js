// The clocks of a game in progress: they run while somebody is to move at the end of it, stand while one looks back, and are restored
// by taking back. A flag that falls ends the game at the position where it fell.

import { full, moved, text, thinking } from "./clock.js";
import { at } from "./text.js";

const EVERY = 100;

export class Clocks {
  #table;
  #timer = null;
  /// Called when the flag of the side to move falls.
  onflag = () => {};

  /// `table` has `game` and `view`.
  constructor(table) {
    this.#table = table;
  }

  /// Whether they run.
  get running() {
    const { game, view, arranging } = this.#table;
    return Boolean(game?.time && view && !view.outcome && game.atEnd && !game.paused && !arranging);
  }

  /// What a side has left where the game stands, the thought in progress included.
  left(player) {
    const { game, view } = this.#table;
    const state = this.#known()[player];
    if (game.flag === player) return { ...state, left: 0 };
    return view.turn === player && this.running ? thinking(game.time, state, this.#thought()) : state;
  }

  /// Another position is shown: the clock of whose turn it is begins to run.
  turn() {
    const { game } = this.#table;
    if (!game.time) return this.#stop();
    this.#known();
    if (!this.running) game.since = null;
    else if (game.since?.number !== game.number()) game.since = { number: game.number(), when: Date.now() };
    if (this.running) this.#timer ??= setInterval(() => this.#tick(), EVERY);
    else this.#stop();
    this.show();
  }

  /// The thought of the move that is made now; to be asked for before it is.
  thought() {
    const { game, view } = this.#table;
    return game.time && view ? { player: view.turn, state: this.#known()[view.turn], others: this.#known(), seconds: this.running ? this.#thought() : 0 } : null;
  }

  /// The move is made.
  spent(thought, before) {
    const { game } = this.#table;
    if (!thought || !game.time) return;
    const { player, state, others, seconds } = thought;
    const { left, stones } = moved(game.time, state, seconds);
    for (const number of game.line.slice(before, game.ply)) game.clocks[number] = { ...others, [player]: { left, stones } };
  }

  show() {
    const { game, view } = this.#table;
    for (const player of ["b", "w"]) {
      const clock = at(`clock-${player}`);
      if (!clock) continue;
      clock.hidden = !game.time;
      if (!game.time) continue;
      const state = this.left(player);
      clock.textContent = text(game.time, state);
      clock.classList.toggle("short", state.left < 10);
      clock.classList.toggle("runs", this.running && view.turn === player);
    }
  }

  #thought() {
    const { since } = this.#table.game;
    return since ? Math.max(0, Date.now() - since.when) / 1000 : 0;
  }

  /// Where nothing was measured, for example behind a move that was clicked in the list, it is as at the last move that was.
  #known() {
    const { game } = this.#table;
    for (let ply = game.ply; ply > 0; ply--) if (game.clocks[game.number(ply)]) return game.clocks[game.number(ply)];
    return (game.clocks[0] ??= { b: full(game.time), w: full(game.time) });
  }

  #tick() {
    const { view } = this.#table;
    if (!this.running) return this.#stop();
    this.show();
    if (this.left(view.turn).fallen) this.onflag(view.turn);
  }

  #stop() {
    clearInterval(this.#timer);
    this.#timer = null;
    if (this.#table.view) this.show();
  }
}
