//! The field `clock`: how a game is timed, and what the side to move has left.

use super::field::Field;
use crate::session::Timing;
use serde_json::Value;

/// A clock in the middle of a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnClock {
    pub timing: Timing,
    /// Seconds on the clock of the side to move.
    pub left: f64,
    /// 0 in main time; moves to make in Canadian overtime, periods in byo-yomi.
    pub stones: u32,
}

/// Longer than any game, in seconds; keeps sums finite.
const LONGEST: f64 = 1e7;

/// `{"kind": "increment", "main": 300, "increment": 2, "left": 250.5}`, or of the kind `canadian` with `period` and `stones`, or
/// `byoyomi` with `period` and `periods`; `stonesLeft` where overtime has begun.
pub fn read_clock(value: Option<&Value>) -> Result<Option<OnClock>, Field> {
    let object = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(object)) => object,
        Some(_) => return Err(refuse("expected an object")),
    };
    let seconds = |name: &str| match object.get(name).and_then(Value::as_f64) {
        Some(seconds) if (0.0..=LONGEST).contains(&seconds) => Ok(seconds),
        _ => Err(refuse(&format!(
            "{name}: expected seconds from 0 to 10000000"
        ))),
    };
    let count = |name: &str, least: u64| match object.get(name).and_then(Value::as_u64) {
        Some(count) if (least..=100_000).contains(&count) => Ok(count as u32),
        _ => Err(refuse(&format!("{name}: expected {least} to 100000"))),
    };
    let timing = match object.get("kind").and_then(Value::as_str) {
        Some("increment") => Timing::Increment {
            main: seconds("main")?,
            increment: seconds("increment")?,
        },
        Some("canadian") => Timing::Canadian {
            main: seconds("main")?,
            period: seconds("period")?,
            stones: count("stones", 1)?,
        },
        Some("byoyomi") => Timing::Byoyomi {
            main: seconds("main")?,
            period: seconds("period")?,
            periods: count("periods", 1)?,
        },
        _ => return Err(refuse("kind: expected increment, canadian or byoyomi")),
    };
    let stones = match object.get("stonesLeft") {
        None | Some(Value::Null) => 0,
        Some(_) => count("stonesLeft", 0)?,
    };
    Ok(Some(OnClock {
        timing,
        left: seconds("left")?,
        stones,
    }))
}

fn refuse(text: &str) -> Field {
    Field::new("clock", text)
}
