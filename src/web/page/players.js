// Who moves next, and what the engine is asked for: a move where it plays, its thoughts where somebody wants to see them, thinking on
// while a person thinks where its seat says so.

import { told } from "./clock.js";
import { other } from "./text.js";

/// Between the moves of two engines, so that one can watch.
const PAUSE = 350;
/// Seconds that it looks at a position when asked to analyse, and that it thinks on the time of a person who may have left.
const LOOK = 60;
const PONDER = 600;
const EVERY = 0.15;
/// Options that limit a move, which an analysis does not have.
const LIMITS = ["seconds", "simulations", "nodes", "depth"];

export class Players {
  #server;
  #table;
  #turn = 0;
  #noted = new Set();
  thinking = false;
  analysing = false;

  /// `table` knows the game and shows it: `game`, `view`, `clocks`, `play(move)`, `began()`, `thought(answer, done)`, `refresh()`, `complain(error)`, `failed(error)`.
  constructor(server, table) {
    this.#server = server;
    this.#table = table;
  }

  get seat() {
    const { game, view } = this.#table;
    return game.seats[view.turn];
  }

  /// Whether an engine is to move here and now.
  get isEngines() {
    const { game, view } = this.#table;
    return !view.outcome && game.atEnd && !game.paused && this.seat.who === "engine";
  }

  /// The engine that is asked what it thinks: whose turn it is, or the opponent, or the one that would play here.
  get #adviser() {
    const { game, view } = this.#table;
    const seats = [this.seat, game.seats[other(view.turn)]];
    return seats.find((seat) => seat.who === "engine") ?? this.seat;
  }

  /// The engine that thinks on while a person is to move.
  get #ponderer() {
    const { game, view } = this.#table;
    const opponent = game.seats[other(view.turn)];
    const here = game.atEnd && !game.paused && game.ply > 0 && this.seat.who === "person";
    return here && opponent.who === "engine" && opponent.options?.ponder === "on" ? opponent : null;
  }

  #question(plays) {
    const { game, view, clocks } = this.#table;
    const seat = plays ? this.seat : this.analysing ? this.#adviser : this.#ponderer;
    if (!seat) return null;
    const question = { ask: "think", ...game.place() };
    if (seat.searcher) question.searcher = seat.searcher;
    if (seat.options) question.options = { ...seat.options };
    if (plays) {
      if (game.time) Object.assign(question, { clock: told(game.time, clocks.left(view.turn)), everyMove: false });
      else question.seconds = seat.seconds;
      return { ...question, reportDuringSearchEvery: EVERY };
    }
    for (const name of LIMITS) delete question.options?.[name];
    // Several candidates are compared; an engine that was given a number of its own keeps it.
    if (this.analysing) question.options = { multipv: "4", ...question.options };
    if (this.analysing) return { ...question, seconds: LOOK, fullStrength: true, reportDuringSearchEvery: EVERY };
    return { ...question, seconds: PONDER, fullStrength: true, everyMove: false, ponder: true };
  }

  /// A position was reached: whoever has to do something does it. `once`: the engine moves even for a person.
  async go(once = false) {
    const turn = ++this.#turn;
    const { game, view } = this.#table;
    if (this.thinking) await this.#server.ask({ ask: "stop" }).catch(() => {});
    if (turn !== this.#turn) return;
    this.thinking = false;
    const plays = once || this.isEngines;
    const question = view.outcome || this.#table.arranging ? null : this.#question(plays);
    if (!question) return this.#table.refresh();
    const began = performance.now();
    this.thinking = true;
    this.#table.refresh();
    if (!question.ponder) this.#table.began();
    try {
      const mine = () => turn === this.#turn;
      const answer = await this.#server.ask(question, (so_far) => mine() && this.#table.thought(so_far, false));
      if (!mine()) return;
      this.thinking = false;
      if (!answer.rootInfo || question.ponder) return this.#table.refresh();
      this.#table.thought(answer, true);
      this.#noteNetwork(question, answer.rootInfo);
      if (plays && answer.move) {
        const both = game.seats.b.who === "engine" && game.seats.w.who === "engine";
        const left = PAUSE - (performance.now() - began);
        if (both && !game.time && left > 0) await new Promise((done) => setTimeout(done, left));
        if (mine()) await this.#table.play(answer.move);
      } else {
        // It has looked for as long as it was to.
        this.analysing = false;
        this.#table.refresh();
      }
    } catch (error) {
      if (turn !== this.#turn) return;
      this.thinking = false;
      // What was lost with the line is asked again on the next one.
      if (error.lost) return this.go(once);
      this.analysing = false;
      game.paused = true;
      this.#table.failed(error);
    }
  }

  /// Says once of each searcher that it makes no use of the network chosen for it.
  #noteNetwork({ searcher = "", options }, { network, proven }) {
    const chosen = options?.network;
    if (!chosen || ["auto", "none", network].includes(chosen) || proven || network) return;
    const name = searcher.split(" ")[0] || "auto";
    if (this.#noted.has(`${name} ${chosen}`)) return;
    this.#noted.add(`${name} ${chosen}`);
    this.#table.complain(new Error(`${name} makes no use of the network ${chosen}.`), true);
  }

  /// The game is over, or another thing is done: nobody thinks any more.
  async quit() {
    ++this.#turn;
    if (this.thinking) await this.#server.ask({ ask: "stop" }).catch(() => {});
    this.thinking = false;
  }

  /// The engine says what it has. One that plays alone waits from then on.
  async stop() {
    const { game, view } = this.#table;
    const both = game.seats.b.who === "engine" && game.seats.w.who === "engine";
    if (both) game.paused = true;
    if (view.outcome || !this.thinking) return;
    if (both) {
      ++this.#turn;
      this.thinking = false;
    }
    await this.#server.ask({ ask: "stop" }).catch(() => {});
    this.#table.refresh();
  }
}
