// Setting up a position by clicks: what can lie on a place, and what lies there, come from the program; it also says what is wrong with
// the whole.

import { at, colour, html } from "./text.js";

export class Arranger {
  #bar = at("arrange");
  #server;
  #place = null;
  #board = null;
  #turn = "b";
  #tool = null;
  /// Called with the board to draw.
  ondraw = () => {};
  /// Called with the position to begin with, or null.
  ondone = () => {};

  constructor(server) {
    this.#server = server;
  }

  get on() {
    return Boolean(this.#board);
  }

  /// Begins with what a view shows of the game and variant of `place`.
  begin(place, view) {
    this.#place = { game: place.game, variant: place.variant };
    this.#board = structuredClone(view.board);
    this.#turn = view.turn;
    const tools = this.#tools(view.pieces);
    this.#tool = tools[0];
    const radio = (player) => html("label", {}, html("input", { type: "radio", name: "arrange-turn", value: player, checked: player === this.#turn, onchange: () => (this.#turn = player) }), `${colour(player)} to move`);
    this.#bar.replaceChildren(
      html("p", { id: "arrange-note", role: "alert" }),
      html("div", { class: "tools", role: "radiogroup", "aria-label": "What a click lays" }, ...tools.map((tool, i) => this.#button(tool, i === 0))),
      html("div", { class: "tools" }, radio("b"), radio("w"),
        html("button", { id: "arrange-clear", onclick: () => this.#clear() }, "Clear"),
        html("button", { id: "arrange-cancel", onclick: () => this.end(null) }, "Cancel"),
        html("button", { id: "arrange-start", class: "main", onclick: () => this.#start() }, "Begin here")));
    this.#bar.hidden = false;
    this.ondraw(this.#board);
  }

  /// A place was clicked: what lies there already goes, and anything else comes in its stead.
  click(name) {
    const spot = this.#board.spots.find((spot) => spot.name === name);
    if (!spot) return;
    this.#tool.lay(spot);
    this.#note("");
    this.ondraw(this.#board);
  }

  end(position) {
    this.#board = null;
    this.#bar.hidden = true;
    this.#bar.replaceChildren();
    this.ondone(position);
  }

  #tools(pieces) {
    const empty = { title: "Empty", lay: (spot) => this.#empty(spot) };
    if (!pieces.length) {
      const more = (by) => (spot) => (spot.seeds = Math.max(0, spot.seeds + by));
      return [{ title: "One seed more", lay: more(1) }, { title: "One seed less", lay: more(-1) }, empty];
    }
    const lay = ({ piece, crowned }) => (spot) => {
      const same = spot.piece === piece && Boolean(spot.crowned) === crowned;
      this.#empty(spot);
      if (!same) Object.assign(spot, crowned ? { piece, crowned } : { piece });
    };
    return [...pieces.map((kind) => ({ title: `${colour(kind.piece)} ${kind.crowned ? "king" : "piece"}`, disc: kind, lay: lay(kind) })), empty];
  }

  #button(tool, first) {
    const { disc, title } = tool;
    const choose = ({ currentTarget }) => {
      this.#tool = tool;
      for (const button of currentTarget.parentElement.children) button.setAttribute("aria-checked", String(button === currentTarget));
    };
    return html("button", { role: "radio", "aria-checked": String(first), "data-tool": title, onclick: choose }, ...(disc ? [html("span", { class: `disc ${disc.piece}` }, disc.crowned ? "♛" : "")] : []), title);
  }

  #empty(spot) {
    delete spot.piece;
    delete spot.crowned;
    if (spot.seeds !== undefined) spot.seeds = 0;
  }

  #clear() {
    this.#board.spots.forEach((spot) => this.#empty(spot));
    this.#note("");
    this.ondraw(this.#board);
  }

  async #start() {
    const lies = ({ seeds, piece, crowned }) => (seeds !== undefined ? seeds : crowned ? `${piece} crowned` : piece);
    const places = this.#board.spots.filter(({ seeds, piece }) => seeds || piece).map((spot) => [spot.name, lies(spot)]);
    try {
      const { position } = await this.#server.ask({ ask: "arrange", ...this.#place, places: Object.fromEntries(places), turn: this.#turn });
      this.end(position);
    } catch (error) {
      this.#note(error.message);
    }
  }

  #note(text) {
    at("arrange-note").textContent = text;
  }
}
