//! What can be chosen: games with their variants, searchers with their options, networks, limits. The page makes its forms of it.

use crate::analysis::Usual;
use crate::files::Form;
use crate::options::{Kind, Spec, Value as Setting};
use crate::session::networks::{self, NamedNetwork};
use crate::session::{Caps, DEFAULT_GAME, options};
use serde_json::{Value, json};
use std::sync::Arc;

/// Options of the session that no page may set: they are about the program's own terminal and pipes, files of the machine, and the
/// command `solve`.
pub const WITHHELD: [&str; 6] = [
    "live",
    "margin",
    "linger",
    "solve-method",
    "solve-margin",
    options::BOOK,
];

/// `files` are the networks besides those of the program.
pub fn all(usual: &Usual, caps: Caps, files: &[Arc<NamedNetwork>]) -> Value {
    let defaults = &usual.options;
    let games = crate::games::ENTRIES.iter().map(|entry| {
        json!({
            "name": entry.name,
            "title": title(entry.name),
            "help": entry.help,
            "options": entry.defaults().rows().map(row).collect::<Vec<_>>(),
            "forms": forms(entry.name),
        })
    });
    let searchers = crate::search::entries().map(|entry| {
        json!({
            "name": entry.name,
            "help": entry.help,
            "options": entry.values().rows().map(row).collect::<Vec<_>>(),
        })
    });
    let shipped = networks::shipped().map(|n| json!({"name": n.name, "game": n.game}));
    let files = files.iter();
    let files = files.map(|n| json!({"name": n.name, "game": n.network.meta().game}));
    let offered = defaults.rows();
    let offered = offered.filter_map(|(spec, value, _)| offer(spec, value, caps));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "game": DEFAULT_GAME,
        "games": games.collect::<Vec<_>>(),
        "searchers": searchers.collect::<Vec<_>>(),
        "networks": shipped.chain(files).collect::<Vec<_>>(),
        "options": offered.collect::<Vec<_>>(),
        "threads": options::threads(defaults),
        "networkFor": usual.network_for,
    })
}

/// The forms in which a game can be saved, by the ends of their files' names.
fn forms(game: &str) -> Vec<Value> {
    let forms = Form::WRITTEN.into_iter();
    let fit = forms.filter(|form| form.only_for().is_none_or(|only| only == game));
    fit.map(|form| json!({"name": form.ending(), "title": form.title()}))
        .collect()
}

/// `connect-four` as a heading.
fn title(name: &str) -> String {
    let mut text = name.replace('-', " ");
    if let Some(first) = text.get_mut(0..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// An option of the session within the caps; `None` where nothing is left to choose.
fn offer(spec: &Spec, value: &Setting, caps: Caps) -> Option<Value> {
    let within = match (spec.name, spec.kind) {
        // `auto` is about the whole machine's memory and may be more than a search's part.
        ("memory", Kind::Count { min, max }) => Kind::Int {
            min,
            max: caps.memory.unwrap_or(max),
            off: false,
        },
        ("threads", Kind::Count { min, max }) => Kind::Count {
            min,
            max: caps.threads.unwrap_or(max),
        },
        (_, kind) => kind,
    };
    let single = match within {
        Kind::Int { min, max, .. } | Kind::Count { min, max } => min == max,
        _ => false,
    };
    (!single && !WITHHELD.contains(&spec.name)).then(|| told(spec, within, value))
}

fn row((spec, value, _): (&'static Spec, &Setting, &Setting)) -> Value {
    told(spec, spec.kind, value)
}

/// An option with the values that it may have here.
fn told(spec: &Spec, within: Kind, value: &Setting) -> Value {
    let mut told = kind(within);
    told["name"] = json!(spec.name);
    told["default"] = json!(value.to_string());
    told["help"] = json!(spec.help);
    told["range"] = json!(within.to_string());
    told
}

/// What a field for it has to know.
fn kind(kind: Kind) -> Value {
    match kind {
        Kind::Int { min, max, off } => {
            json!({"kind": "number", "whole": true, "min": min, "max": max, "also": if off { "off" } else { "" }})
        }
        Kind::Count { min, max } => {
            json!({"kind": "number", "whole": true, "min": min, "max": max, "also": "auto"})
        }
        Kind::Real { min, max, off } => {
            json!({"kind": "number", "whole": false, "min": min, "max": max, "also": if off { "off" } else { "" }})
        }
        Kind::Flag => json!({"kind": "flag"}),
        Kind::Choice(words) => json!({"kind": "choice", "words": words}),
        Kind::Size { columns, rows } => {
            json!({"kind": "size", "columns": columns, "rows": rows})
        }
        Kind::Name(_) | Kind::Text(_) => json!({"kind": "text"}),
    }
}
