//! A section of the configuration, and shorthands for its rows.

use crate::options::{Kind, Spec};

/// What counts are at most, where nothing else says it.
pub const BIG: i64 = 1_000_000_000;

/// One table of the file.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    pub name: &'static str,
    /// What it is about, in a line.
    pub help: &'static str,
    pub specs: &'static [Spec],
    /// The methods that know it; none: all do.
    pub methods: &'static [&'static str],
}

pub const fn int(
    name: &'static str,
    (min, max): (i64, i64),
    off: bool,
    default: &'static str,
    help: &'static str,
) -> Spec {
    let kind = Kind::Int { min, max, off };
    Spec {
        name,
        kind,
        default,
        help,
    }
}

pub const fn real(
    name: &'static str,
    (min, max): (f64, f64),
    off: bool,
    default: &'static str,
    help: &'static str,
) -> Spec {
    let kind = Kind::Real { min, max, off };
    Spec {
        name,
        kind,
        default,
        help,
    }
}

pub const fn text(
    name: &'static str,
    what: &'static str,
    default: &'static str,
    help: &'static str,
) -> Spec {
    let kind = Kind::Text(what);
    Spec {
        name,
        kind,
        default,
        help,
    }
}

pub const fn choice(
    name: &'static str,
    words: &'static [&'static str],
    default: &'static str,
    help: &'static str,
) -> Spec {
    let kind = Kind::Choice(words);
    Spec {
        name,
        kind,
        default,
        help,
    }
}

pub const fn flag(name: &'static str, default: &'static str, help: &'static str) -> Spec {
    let kind = Kind::Flag;
    Spec {
        name,
        kind,
        default,
        help,
    }
}
