// The form for a new game, made of what the program says can be chosen: games, their variants, searchers and their options.

import { field } from "./fields.js";
import { KINDS } from "./clock.js";
import { engine, person } from "./game.js";
import { at, colour, fromWords, html, words } from "./text.js";

const SEATS = [["b", "Person, moves first"], ["w", "Person"]];

/// A network of another game, or one that this program does not have, gives way to the usual one.
export function fitNetworks({ name, seats }, catalogue) {
  const fits = (network) => ["auto", "none"].includes(network) || catalogue.networks.some((one) => one.name === network && one.game === name);
  for (const { options } of Object.values(seats)) if (options && !fits(options.network)) delete options.network;
}

export class Setup {
  #catalogue;
  #dialog = at("setup");
  #chosen;
  #fields = {};
  #refused = null;
  /// Draws the seats again.
  #fills = [];

  constructor(catalogue) {
    this.#catalogue = catalogue;
  }

  /// Resolves to what a new game begins with, or to null. `refused`: what was wrong with it before.
  ask(game, refused = null) {
    this.#refused = refused;
    this.#chosen = { name: game.name, variant: { ...game.variant }, seats: structuredClone(game.seats), time: { kind: "none", ...game.time } };
    this.#draw();
    if (refused) this.#fields.position.value = game.position ?? "";
    this.#dialog.showModal();
    return new Promise((resolve) => {
      this.#dialog.onclose = () => resolve(this.#dialog.returnValue === "start" ? this.#read() : null);
      this.#dialog.returnValue = "";
    });
  }

  #draw() {
    const close = () => this.#dialog.close("cancel");
    this.#fills = [];
    const form = html("form", { method: "dialog", onsubmit: () => (this.#dialog.returnValue = "start") },
      html("h2", { id: "setup-title" }, "New game"),
      ...(this.#refused ? [html("p", { class: "refused", role: "alert" }, this.#refused.message)] : []),
      html("fieldset", { class: "games" }, html("legend", {}, "Game"), ...this.#catalogue.games.map((game) => this.#game(game))),
      html("div", { id: "variant" }),
      ...SEATS.map(([player]) => this.#seat(player)),
      this.#clocks(),
      html("details", {}, html("summary", {}, "Begin from a position"),
        html("label", {}, "On one line, as “position” tells it ", (this.#fields.position = html("input", { name: "position", spellcheck: "false", autocomplete: "off" })))),
      html("div", { class: "buttons" },
        html("button", { type: "button", onclick: close }, "Cancel"),
        html("button", { class: "main", value: "start" }, "Start")));
    this.#dialog.replaceChildren(form);
    this.#variant();
  }

  /// The same clock for both sides.
  #clocks() {
    const { time } = this.#chosen;
    const details = html("span", { class: "fields" });
    const fill = () => {
      const fields = KINDS[time.kind].fields;
      for (const [name, , usual] of fields) time[name] ??= usual;
      details.replaceChildren(...fields.map(([name, label, , least]) =>
        html("label", {}, `${label} `, html("input", { type: "number", name: `time-${name}`, min: least, max: 86400, step: name === "stones" || name === "periods" ? 1 : "any", value: time[name], required: true, onchange: ({ target }) => (time[name] = Number(target.value)) }))));
    };
    fill();
    const choose = ({ target }) => {
      for (const name of Object.keys(time)) delete time[name];
      time.kind = target.value;
      fill();
    };
    const kinds = Object.entries(KINDS).map(([kind, { title }]) => html("option", { value: kind, selected: kind === time.kind }, title));
    return html("fieldset", { class: "clocks" }, html("legend", {}, "Clocks"), html("select", { name: "clocks", "aria-label": "Clocks", onchange: choose }, ...kinds), details, html("p", { class: "help" }, "With clocks an engine divides its time by itself; its seconds a move do not count."));
  }

  #game({ name, title, help }) {
    const choose = () => {
      this.#chosen.name = name;
      this.#chosen.variant = {};
      this.#variant();
      fitNetworks(this.#chosen, this.#catalogue);
      for (const fill of this.#fills) fill();
    };
    return html("label", { class: "game", title: help }, html("input", { type: "radio", name: "game", value: name, checked: name === this.#chosen.name, autofocus: name === this.#chosen.name, onchange: choose }), html("span", {}, title));
  }

  #variant() {
    const game = this.#catalogue.games.find((game) => game.name === this.#chosen.name);
    const fields = game.options.map((option) => field(option, this.#chosen.variant));
    at("variant").replaceChildren(html("p", { class: "help" }, game.help), html("div", { class: "fields" }, ...fields));
  }

  /// The networks by name: those for this game, and what is usual.
  #network(values) {
    const option = this.#catalogue.options.find(({ name }) => name === "network");
    const fit = this.#catalogue.networks.filter(({ game }) => game === this.#chosen.name);
    // The usual one may be for another game.
    const usual = [null, this.#chosen.name].includes(this.#catalogue.networkFor) ? option.default : "auto";
    const names = new Set([usual, "auto", "none", ...fit.map(({ name }) => name)]);
    return field({ ...option, default: usual, kind: "choice", words: [...names], range: [...names].join(", ") }, values);
  }

  /// How well it plays, which a newcomer looks for first.
  #level({ help }, values, write) {
    const choose = ({ target }) => {
      if (target.value) values.level = target.value;
      else delete values.level;
      write();
    };
    const options = Array.from({ length: 9 }, (_, i) => String(i + 1));
    const option = (value, text) => html("option", { value, selected: value === (values.level ?? "") }, text);
    return html("label", { title: help }, "level ", html("select", { class: "level", onchange: choose }, option("", "all it can"), ...options.map((value) => option(value, value === "1" ? "1, a beginner" : value))));
  }

  #seat(player) {
    const seat = this.#chosen.seats[player];
    seat.options ??= {};
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
      const level = searcher.options.find(({ name }) => name === "level");
      const fields = searcher.options.filter((option) => option !== level).map((option) => field(option, values, true));
      const more = html("details", { class: "options", onchange: write }, html("summary", {}, "its options"), html("div", { class: "fields" }, ...fields));
      const general = this.#catalogue.options.filter(({ name }) => name !== "seconds" && name !== "network");
      const limits = html("details", { class: "options" }, html("summary", {}, "limits, threads and more"), html("div", { class: "fields" }, ...general.map((option) => field(option, seat.options, true))));
      details.replaceChildren(
        ...(level ? [this.#level(level, values, write)] : []),
        html("label", { title: "empty: no limit of time; without another one it thinks until Stop" }, "seconds a move ", html("input", { type: "number", min: 0.05, max: 3600, step: "any", value: seat.seconds === "off" ? "" : seat.seconds, placeholder: "no limit", onchange: (event) => (seat.seconds = event.target.value === "" ? "off" : Number(event.target.value)) })),
        html("label", { title: searcher.help }, "searcher ", html("select", { onchange: choose }, ...this.#catalogue.searchers.map(({ name, help }) => html("option", { value: name, title: help, selected: name === searcher.name }, name)))),
        this.#network(seat.options),
        html("p", { class: "help" }, searcher.help),
        ...(fields.length ? [more] : []),
        limits);
    };
    fill();
    this.#fills.push(fill);
    const who = (value, text) => html("label", {}, html("input", { type: "radio", name: `seat-${player}`, value, checked: seat.who === value, onchange: () => {
      seat.who = value;
      fill();
    } }), text);
    return html("fieldset", { class: "seat" }, html("legend", {}, html("span", { class: `disc ${player}` }), `${colour(player)}${player === "b" ? ", moves first" : ""}`), who("person", "Person"), who("engine", "Engine"), details);
  }

  #read() {
    const { name, variant, seats, time } = this.#chosen;
    const kept = (seat) => (seat.who === "engine" ? { ...engine(), ...seat } : { ...person(), ...seat });
    return { name, variant, time: time.kind === "none" ? null : time, seats: { b: kept(seats.b), w: kept(seats.w) }, position: this.#fields.position.value.trim() || null };
  }
}
