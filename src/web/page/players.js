// Who moves next, and what the engine is asked for: a move where it plays, its thoughts where somebody wants to see them.

/// Between the moves of two engines, so that one can watch.
const PAUSE = 350;
/// Seconds that it looks at a position when asked to analyse.
const LOOK = 60;
const EVERY = 0.15;

export class Players {
  #server;
  #table;
  #turn = 0;
  thinking = false;
  analysing = false;

  /// `table` knows the game and shows it: `game`, `view`, `play(move)`, `began()`, `thought(answer, done)`, `refresh()`, `complain(error)`.
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

  /// A position was reached: whoever has to do something does it. `once`: the engine moves even for a person.
  async go(once = false) {
    const turn = ++this.#turn;
    const { game, view } = this.#table;
    if (this.thinking) await this.#server.ask({ ask: "stop" }).catch(() => {});
    if (turn !== this.#turn) return;
    this.thinking = false;
    if (view.outcome) return this.#table.refresh();
    const plays = once || this.isEngines;
    if (!plays && !this.analysing) return this.#table.refresh();
    const question = { ask: "think", ...game.place(), reportDuringSearchEvery: EVERY };
    const seat = this.seat;
    if (plays) {
      question.seconds = seat.seconds;
      if (seat.searcher) question.searcher = seat.searcher;
      if (seat.options) question.options = seat.options;
    } else question.seconds = LOOK;
    const began = performance.now();
    this.thinking = true;
    this.#table.refresh();
    this.#table.began();
    try {
      const mine = () => turn === this.#turn;
      const answer = await this.#server.ask(question, (so_far) => mine() && this.#table.thought(so_far, false));
      if (!mine()) return;
      this.thinking = false;
      if (!answer.rootInfo) return this.#table.refresh();
      this.#table.thought(answer, true);
      if (plays && answer.move) {
        const both = game.seats.b.who === "engine" && game.seats.w.who === "engine";
        const left = PAUSE - (performance.now() - began);
        if (both && left > 0) await new Promise((done) => setTimeout(done, left));
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
      this.#table.complain(error);
    }
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
