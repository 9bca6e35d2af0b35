// The form for a new game, made of what the program says can be chosen: games, their variants, searchers and their options.

import { engine, person } from "./game.js";
import { at, colour, fromWords, html, words } from "./text.js";

const SEATS = [["b", "Person, moves first"], ["w", "Person"]];

export class Setup {
  #catalogue;
  #dialog = at("setup");
  #chosen;
  #fields = {};

  constructor(catalogue) {
    this.#catalogue = catalogue;
  }

  /// Resolves to what a new game begins with, or to null.
  ask(game) {
    this.#chosen = { name: game.name, variant: { ...game.variant }, seats: structuredClone(game.seats) };
    this.#draw();
    this.#dialog.showModal();
    return new Promise((resolve) => {
      this.#dialog.onclose = () => resolve(this.#dialog.returnValue === "start" ? this.#read() : null);
      this.#dialog.returnValue = "";
    });
  }

  #draw() {
    const close = () => this.#dialog.close("cancel");
    const form = html("form", { method: "dialog", onsubmit: () => (this.#dialog.returnValue = "start") },
      html("h2", { id: "setup-title" }, "New game"),
      html("fieldset", { class: "games" }, html("legend", {}, "Game"), ...this.#catalogue.games.map((game) => this.#game(game))),
      html("div", { id: "variant" }),
      ...SEATS.map(([player]) => this.#seat(player)),
      html("details", {}, html("summary", {}, "Begin from a position"),
        html("label", {}, "On one line, as “position” tells it ", (this.#fields.position = html("input", { name: "position", spellcheck: "false", autocomplete: "off" })))),
      html("div", { class: "buttons" },
        html("button", { type: "button", onclick: close }, "Cancel"),
        html("button", { class: "main", value: "start" }, "Start")));
    this.#dialog.replaceChildren(form);
    this.#variant();
  }

  #game({ name, title, help }) {
    const choose = () => {
      this.#chosen.name = name;
      this.#chosen.variant = {};
      this.#variant();
    };
    return html("label", { class: "game", title: help }, html("input", { type: "radio", name: "game", value: name, checked: name === this.#chosen.name, autofocus: name === this.#chosen.name, onchange: choose }), html("span", {}, title));
  }

  #variant() {
    const game = this.#catalogue.games.find((game) => game.name === this.#chosen.name);
    const fields = game.options.map((option) => this.#field(option, this.#chosen.variant));
    at("variant").replaceChildren(html("p", { class: "help" }, game.help), html("div", { class: "fields" }, ...fields));
  }

  /// A field for an option that writes into `values` what differs from the default.
  #field(option, values) {
    const { name, kind, help, range } = option;
    const usual = option.default;
    const now = values[name] ?? usual;
    const write = (text) => (text === usual || text === "" ? delete values[name] : (values[name] = text));
    const hint = `${help} (${range}; usually ${usual})`;
    let field;
    if (kind === "flag")
      field = html("input", { type: "checkbox", checked: now === "on", onchange: (event) => write(event.target.checked ? "on" : "off") });
    else if (kind === "choice")
      field = html("select", { onchange: (event) => write(event.target.value) }, ...option.words.map((word) => html("option", { selected: word === now }, word)));
    else if (kind === "number" && !option.also)
      field = html("input", { type: "number", min: option.min, max: option.max, step: option.whole ? 1 : "any", value: now, onchange: (event) => write(event.target.value) });
    else if (kind === "size" && option.columns[1] <= 32 && String(option.columns) === String(option.rows)) {
      const short = (text) => (/^(\d+)x\1$/.test(text) ? text.split("x")[0] : text);
      field = html("input", { value: short(now), size: 6, pattern: "\\d+(x\\d+)?", title: hint, onchange: (event) => write(event.target.value) });
    } else field = html("input", { value: now, size: 8, spellcheck: "false", onchange: (event) => write(event.target.value) });
    return html("label", { title: hint }, name.replaceAll("-", " "), " ", field);
  }

  #seat(player) {
    const seat = this.#chosen.seats[player];
    const details = html("span", { class: "engine" });
    const fill = () => {
      details.hidden = seat.who !== "engine";
      const [name, ...options] = (seat.searcher || "auto").split(/\s+/);
      const searcher = this.#catalogue.searchers.find((searcher) => searcher.name === name) ?? this.#catalogue.searchers[0];
      const values = fromWords(options.join(" "));
      const write = () => {
        const text = `${searcher.name} ${words(values)}`.trim();
        seat.searcher = text === "auto" ? "" : text;
      };
      const choose = (event) => {
        seat.searcher = event.target.value === "auto" ? "" : event.target.value;
        fill();
      };
      const fields = searcher.options.map((option) => this.#field(option, values));
      const more = html("details", { class: "options", onchange: write }, html("summary", {}, "its options"), html("div", { class: "fields" }, ...fields));
      details.replaceChildren(
        html("label", {}, "seconds a move ", html("input", { type: "number", min: 0.05, max: 3600, step: "any", value: seat.seconds, required: true, onchange: (event) => (seat.seconds = Number(event.target.value)) })),
        html("label", { title: searcher.help }, "searcher ", html("select", { onchange: choose }, ...this.#catalogue.searchers.map(({ name, help }) => html("option", { value: name, title: help, selected: name === searcher.name }, name)))),
        html("p", { class: "help" }, searcher.help),
        ...(fields.length ? [more] : []));
    };
    fill();
    const who = (value, text) => html("label", {}, html("input", { type: "radio", name: `seat-${player}`, value, checked: seat.who === value, onchange: () => {
      seat.who = value;
      fill();
    } }), text);
    return html("fieldset", { class: "seat" }, html("legend", {}, html("span", { class: `disc ${player}` }), `${colour(player)}${player === "b" ? ", moves first" : ""}`), who("person", "Person"), who("engine", "Engine"), details);
  }

  #read() {
    const { name, variant, seats } = this.#chosen;
    const kept = (seat) => (seat.who === "engine" ? { ...engine(), ...seat } : { ...person(), ...seat });
    return { name, variant, seats: { b: kept(seats.b), w: kept(seats.w) }, position: this.#fields.position.value.trim() || null };
  }
}
