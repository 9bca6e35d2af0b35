// A field for an option of the one table: the program tells its kind, range, default and help.

import { html } from "./text.js";

let described = 0;

/// A field that writes into `values` what differs from the default. `told`: help and range stand below it, not only in its tip.
export function field(option, values, told = false) {
  const { name, help, range } = option;
  const usual = option.default;
  const write = (text) => (text === usual || text === "" ? delete values[name] : (values[name] = text));
  const hint = `${help} (${range}; usually ${usual})`;
  const id = told ? `help-${++described}` : undefined;
  // What is wrong may lie in a part of the form that is folded.
  const oninvalid = (event) => {
    for (let at = event.target; (at = at.parentElement.closest("details")); ) at.open = true;
  };
  const input = entry(option, values[name] ?? usual, write, { "aria-describedby": id, oninvalid });
  const label = html("label", { title: hint }, name.replaceAll("-", " "), " ", input);
  return told ? html("div", { class: "told" }, label, html("p", { class: "help", id }, hint)) : label;
}

function entry(option, now, write, attributes) {
  const { kind, also } = option;
  const onchange = (event) => write(event.target.value.trim());
  if (kind === "flag")
    return html("input", { ...attributes, type: "checkbox", checked: now === "on", onchange: (event) => write(event.target.checked ? "on" : "off") });
  if (kind === "choice")
    return html("select", { ...attributes, onchange }, ...option.words.map((word) => html("option", { selected: word === now }, word)));
  if (kind === "number" && !also)
    return html("input", { ...attributes, type: "number", min: option.min, max: option.max, step: option.whole ? 1 : "any", value: now, onchange });
  if (kind === "number") {
    const check = ({ target }) => target.setCustomValidity(fits(option, target.value.trim()) ? "" : option.range);
    return html("input", { ...attributes, value: now, size: 8, spellcheck: "false", oninput: check, onchange: (event) => {
      check(event);
      onchange(event);
    } });
  }
  if (kind === "size" && option.columns[1] <= 32 && String(option.columns) === String(option.rows)) {
    const short = (text) => (/^(\d+)x\1$/.test(text) ? text.split("x")[0] : text);
    return html("input", { ...attributes, value: short(now), size: 6, pattern: "\\d+(x\\d+)?", onchange });
  }
  return html("input", { ...attributes, value: now, size: 8, spellcheck: "false", onchange });
}

/// Whether this is a number within the range, or the word that may stand for one.
function fits({ min, max, whole, also }, text) {
  const number = Number(text);
  return text === "" || text === also || (number >= min && number <= max && (!whole || Number.isInteger(number)));
}
