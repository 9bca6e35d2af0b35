//! One table of options: name, default, range and help, declared once.
//!
//! Games, searchers and the session each declare a `&'static [Spec]`; parsing, listing, the configuration file and the
//! command line all read these rows. Knows nothing of what an option does.

mod words;

pub use words::Words;

use std::fmt;

/// What an option accepts.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A whole number in `min..=max`; with `off` also the word `off`.
    Int { min: i64, max: i64, off: bool },
    /// A whole number in `min..=max`, or `auto` for whoever reads the option to decide.
    Count { min: i64, max: i64 },
    /// A finite number in `min..=max`; with `off` also the word `off`.
    Real { min: f64, max: f64, off: bool },
    /// `on` or `off`.
    Flag,
    /// One of the words.
    Choice(&'static [&'static str]),
    /// A name of one word that whoever reads the option checks; the field says what it names.
    Name(&'static str),
    /// One line of text that whoever reads the option checks; the field says what it may be.
    Text(&'static str),
    /// A board size `WxH`, or `N` for `NxN`; each side within its range.
    Size {
        columns: (u32, u32),
        rows: (u32, u32),
    },
}

/// The most bytes of a text: as long as a path may be.
const LONGEST_TEXT: usize = 4096;

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    pub name: &'static str,
    pub kind: Kind,
    /// The default as a user would type it; `Values::new` parses it.
    pub default: &'static str,
    /// One line, no tab, no full stop at the end.
    pub help: &'static str,
}

/// A parsed value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Off,
    Auto,
    Int(i64),
    Real(f64),
    Flag(bool),
    Word(&'static str),
    Name(String),
    Size(u32, u32),
}

/// Why an option was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OptionError {
    #[error("unknown option '{name}'; known: {known}")]
    Unknown { name: String, known: String },
    #[error("option {name} takes {range}, not '{found}'")]
    Range {
        name: String,
        range: String,
        found: String,
    },
    #[error("'{found}' is not of the form name=value")]
    Form { found: String },
    #[error("{0}")]
    Unfit(String),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_off = |off: bool| if off { " or off" } else { "" };
        match *self {
            Kind::Int { min, max, off } => write!(f, "{min}..{max}{}", or_off(off)),
            Kind::Real { min, max, off } => write!(f, "{min}..{max}{}", or_off(off)),
            Kind::Count { min, max } => write!(f, "{min}..{max} or auto"),
            Kind::Flag => f.write_str("on|off"),
            Kind::Choice(words) => f.write_str(&words.join("|")),
            Kind::Name(what) => write!(f, "the name of {what}"),
            Kind::Text(what) => f.write_str(what),
            Kind::Size { columns, rows } => {
                write!(f, "{}x{}..{}x{}", columns.0, rows.0, columns.1, rows.1)
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Off => f.write_str("off"),
            Value::Auto => f.write_str("auto"),
            Value::Int(v) => write!(f, "{v}"),
            Value::Real(v) => write!(f, "{v}"),
            Value::Flag(v) => f.write_str(if *v { "on" } else { "off" }),
            Value::Word(v) => f.write_str(v),
            Value::Name(v) => f.write_str(v),
            Value::Size(w, h) => write!(f, "{w}x{h}"),
        }
    }
}

impl Kind {
    /// Reads `text`; `None` when it is not a value of this kind or out of range.
    pub fn parse(&self, text: &str) -> Option<Value> {
        let text = text.trim();
        match *self {
            Kind::Int { off: true, .. } | Kind::Real { off: true, .. } if text == "off" => {
                Some(Value::Off)
            }
            Kind::Count { .. } if text == "auto" => Some(Value::Auto),
            Kind::Int { min, max, .. } | Kind::Count { min, max } => {
                let v: i64 = text.parse().ok()?;
                (min..=max).contains(&v).then_some(Value::Int(v))
            }
            Kind::Real { min, max, .. } => {
                let v: f64 = text.parse().ok()?;
                (min..=max).contains(&v).then_some(Value::Real(v))
            }
            Kind::Flag => match text {
                "on" | "true" | "yes" | "1" => Some(Value::Flag(true)),
                "off" | "false" | "no" | "0" => Some(Value::Flag(false)),
                _ => None,
            },
            Kind::Choice(words) => words.iter().find(|w| **w == text).map(|w| Value::Word(w)),
            Kind::Name(_) => {
                let named = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
                (!text.is_empty() && text.len() <= 64 && text.chars().all(named))
                    .then(|| Value::Name(text.to_string()))
            }
            Kind::Text(_) => (!text.is_empty()
                && text.len() <= LONGEST_TEXT
                && !text.chars().any(char::is_control))
            .then(|| Value::Name(text.to_string())),
            Kind::Size { columns, rows } => {
                let (w, h) = match text.split_once(['x', 'X']) {
                    Some((w, h)) => (w.parse().ok()?, h.parse().ok()?),
                    None => {
                        let n = text.parse().ok()?;
                        (n, n)
                    }
                };
                ((columns.0..=columns.1).contains(&w) && (rows.0..=rows.1).contains(&h))
                    .then_some(Value::Size(w, h))
            }
        }
    }
}

/// A set of rows with their current values.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    spec: &'static Spec,
    default: Value,
    value: Value,
}

impl PartialEq for Spec {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Values {
    /// All options of `specs` at their defaults.
    pub fn new(specs: &'static [Spec]) -> Self {
        let rows = specs.iter().map(|spec| Row {
            spec,
            default: default_of(spec),
            value: default_of(spec),
        });
        Values {
            rows: rows.collect(),
        }
    }

    /// The same with the defaults that a preset names, as `(option, text)`.
    pub fn preset(specs: &'static [Spec], preset: &[(&str, &str)]) -> Self {
        let mut values = Values::new(specs);
        for (name, text) in preset {
            let set = values.set(name, text);
            debug_assert!(set.is_ok(), "{set:?}");
            if let Err(error) = set {
                log::error!("a preset is wrong: {error}");
            }
        }
        for row in &mut values.rows {
            row.default = row.value.clone();
        }
        values
    }

    /// Every row with its value and its default, in declared order.
    pub fn rows(&self) -> impl Iterator<Item = (&'static Spec, &Value, &Value)> + '_ {
        self.rows
            .iter()
            .map(|row| (row.spec, &row.value, &row.default))
    }

    /// Whether an option of that name is in the table.
    pub fn has(&self, name: &str) -> bool {
        self.rows.iter().any(|row| row.spec.name == name)
    }

    /// The value of `name`, if there is such an option.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.rows
            .iter()
            .find(|row| row.spec.name == name)
            .map(|row| &row.value)
    }

    /// Sets `name` from its text; on error nothing changes.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), OptionError> {
        let known = || {
            let names: Vec<_> = self.rows.iter().map(|row| row.spec.name).collect();
            if names.is_empty() {
                "none".to_string()
            } else {
                names.join(", ")
            }
        };
        let Some(at) = self.rows.iter().position(|row| row.spec.name == name) else {
            return Err(OptionError::Unknown {
                name: shorten(name),
                known: known(),
            });
        };
        let spec = self.rows[at].spec;
        let value = spec.kind.parse(text).ok_or_else(|| OptionError::Range {
            name: spec.name.to_string(),
            range: spec.kind.to_string(),
            found: shorten(text),
        })?;
        self.rows[at].value = value;
        Ok(())
    }

    /// Sets every `name=value` of `pairs`, or none of them.
    pub fn set_pairs<'a>(
        &mut self,
        pairs: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), OptionError> {
        let mut changed = self.clone();
        for pair in pairs {
            let (name, text) = pair.split_once('=').ok_or_else(|| OptionError::Form {
                found: shorten(pair),
            })?;
            changed.set(name.trim(), text)?;
        }
        *self = changed;
        Ok(())
    }

    /// `name=value` of each option that is not at its default, space-separated.
    pub fn changed(&self) -> String {
        let parts: Vec<String> = self
            .rows
            .iter()
            .filter(|row| row.default != row.value)
            .map(|row| format!("{}={}", row.spec.name, row.value))
            .collect();
        parts.join(" ")
    }

    /// The whole number `name`; `None` when it is off or auto.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Some(Value::Int(v)) => Some(*v),
            Some(Value::Off | Value::Auto) => None,
            other => unsuited(name, other),
        }
    }

    /// The number `name`; `None` when it is off.
    pub fn real(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Some(Value::Real(v)) => Some(*v),
            Some(Value::Off) => None,
            other => unsuited(name, other),
        }
    }

    /// Whether the flag `name` is on.
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Some(Value::Flag(v)) => *v,
            other => unsuited::<bool>(name, other).unwrap_or(false),
        }
    }

    /// The word chosen for `name`.
    pub fn word(&self, name: &str) -> &'static str {
        match self.get(name) {
            Some(Value::Word(v)) => v,
            other => unsuited(name, other).unwrap_or(""),
        }
    }

    /// The name or text given for `name`.
    pub fn name(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Name(v)) => v,
            other => unsuited(name, other).unwrap_or(""),
        }
    }

    /// Columns and rows of the size `name`.
    pub fn size(&self, name: &str) -> (u32, u32) {
        match self.get(name) {
            Some(Value::Size(w, h)) => (*w, *h),
            other => unsuited(name, other).unwrap_or((0, 0)),
        }
    }
}

/// A caller asked for a row that it did not declare, or as another kind: a mistake in this program, never in the input.
fn unsuited<T>(name: &str, found: Option<&Value>) -> Option<T> {
    debug_assert!(false, "option {name} is {found:?} in the table");
    log::error!("option {name} is {found:?} in the table");
    None
}

fn default_of(spec: &Spec) -> Value {
    debug_assert!(spec.kind.parse(spec.default).is_some(), "{}", spec.name);
    spec.kind.parse(spec.default).unwrap_or(Value::Off)
}

/// At most 40 characters of what a user typed, for messages.
pub fn shorten(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.to_string()
    } else {
        let head: String = text.chars().take(39).collect();
        format!("{head}…")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[Spec] = &[
        Spec {
            name: "n",
            kind: Kind::Int {
                min: 1,
                max: 5,
                off: true,
            },
            default: "off",
            help: "",
        },
        Spec {
            name: "x",
            kind: Kind::Real {
                min: 0.0,
                max: 1.0,
                off: false,
            },
            default: "0.5",
            help: "",
        },
        Spec {
            name: "size",
            kind: Kind::Size {
                columns: (3, 8),
                rows: (4, 8),
            },
            default: "8x8",
            help: "",
        },
        Spec {
            name: "mode",
            kind: Kind::Choice(&["a", "b"]),
            default: "a",
            help: "",
        },
    ];

    #[test]
    fn a_value_out_of_range_names_the_range_and_changes_nothing() {
        let mut values = Values::new(SPECS);
        let error = values.set_pairs(["x=0.25", "n=9"]).unwrap_err();
        assert_eq!(error.to_string(), "option n takes 1..5 or off, not '9'");
        assert_eq!(values.real("x"), Some(0.5));
    }

    #[test]
    fn values_print_as_they_are_typed() {
        let mut values = Values::new(SPECS);
        assert_eq!(values.changed(), "");
        values.set_pairs(["size=6", "n=2", "mode=b"]).unwrap();
        assert_eq!(values.changed(), "n=2 size=6x6 mode=b");
        assert_eq!(values.size("size"), (6, 6));
    }

    #[test]
    fn texts_are_one_line_and_not_endless() {
        let kind = Kind::Text("anything");
        let taken = Value::Name("a b/c:1".into());
        assert_eq!(kind.parse(" a b/c:1 "), Some(taken));
        assert_eq!(kind.parse(&"x".repeat(4097)), None);
        for text in ["", "  ", "a\nb", "\u{7}"] {
            assert_eq!(kind.parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn not_a_number_is_refused() {
        let mut values = Values::new(SPECS);
        for text in ["nan", "inf", "-1", "1e400", ""] {
            assert!(values.set("x", text).is_err(), "{text}");
        }
        assert!(
            values
                .set("y", "1")
                .unwrap_err()
                .to_string()
                .contains("known: n, x")
        );
    }
}
