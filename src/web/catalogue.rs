//! What can be chosen: games with their variants, searchers with their options, networks, limits. The page makes its forms of it.

use crate::files::Form;
use crate::options::{Kind, Spec, Value as Setting, Values};
use crate::session::{DEFAULT_GAME, networks, options};
use serde_json::{Value, json};

/// Options of the session that a page may set; the others are the server's.
const OFFERED: [&str; 6] = [
    "seconds",
    "simulations",
    "nodes",
    "depth",
    "seed",
    "network",
];

pub fn all(defaults: &Values) -> Value {
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
    let networks = networks::shipped().map(|n| json!({"name": n.name, "game": n.game}));
    let offered = defaults.rows();
    let offered = offered.filter(|(spec, ..)| OFFERED.contains(&spec.name));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "game": DEFAULT_GAME,
        "games": games.collect::<Vec<_>>(),
        "searchers": searchers.collect::<Vec<_>>(),
        "networks": networks.collect::<Vec<_>>(),
        "options": offered.map(row).collect::<Vec<_>>(),
        "threads": options::threads(defaults),
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

fn row((spec, value, _): (&'static Spec, &Setting, &Setting)) -> Value {
    let mut told = kind(spec.kind);
    told["name"] = json!(spec.name);
    told["default"] = json!(value.to_string());
    told["help"] = json!(spec.help);
    told["range"] = json!(spec.kind.to_string());
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
