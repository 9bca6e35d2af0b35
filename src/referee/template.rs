//! Commands with gaps, `boardsize {size}`: what may stand between the braces, and filling it in.

use super::board::Variant;
use super::clock::Budget;
use crate::options::Value;

/// What the gaps of a command can be filled with.
#[derive(Debug, Clone, Default)]
pub struct Fill(Vec<(String, String)>);

/// A gap that nothing is known to fill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{{{0}}}")]
pub struct UnknownGap(pub String);

impl Fill {
    /// `{game}`, `{variant}`, `{columns}`, `{rows}`, `{size}` (one number for a square board) and every option of the game
    /// by its name, those that are on or off also as `{NAME-bit}`, 1 or 0.
    pub fn of_game(variant: &Variant) -> Self {
        let mut fill = Fill(vec![
            ("game".into(), variant.entry.name.into()),
            ("variant".into(), variant.values.changed()),
        ]);
        if let Some(grid) = variant.open().ok().and_then(|board| board.grid()) {
            let size = match grid.columns == grid.rows {
                true => grid.columns.to_string(),
                false => format!("{} {}", grid.columns, grid.rows),
            };
            fill.set("columns", grid.columns.to_string());
            fill.set("rows", grid.rows.to_string());
            fill.set("size", size);
        }
        for (spec, value, _) in variant.values.rows() {
            if fill.get(spec.name).is_none() {
                fill.set(spec.name, value.to_string());
            }
            if let Value::Flag(on) = value {
                fill.set(&format!("{}-bit", spec.name), u8::from(*on).to_string());
            }
        }
        fill
    }

    /// Adds `{seconds}`, `{milliseconds}` and `{centiseconds}` for a move, where there is a limit.
    pub fn with_time(mut self, budget: &Budget) -> Self {
        if let Some(seconds) = budget.seconds() {
            self.set("seconds", number(seconds));
            self.set("milliseconds", format!("{:.0}", 1e3 * seconds));
            self.set("centiseconds", format!("{:.0}", 1e2 * seconds));
        }
        self
    }

    pub fn set(&mut self, name: &str, value: String) {
        self.0.retain(|(known, _)| known != name);
        self.0.push((name.into(), value));
    }

    fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.0.iter().filter(|(known, _)| known == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// Fills the gaps; `Err` names the first one that cannot be filled. Braces around anything but a name stay.
    pub fn fill(&self, text: &str) -> Result<String, UnknownGap> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            out.push_str(before);
            let name = behind.split('}').next().unwrap_or_default();
            let is_name = behind.len() > name.len()
                && !name.is_empty()
                && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            if is_name {
                out.push_str(self.get(name).ok_or_else(|| UnknownGap(name.into()))?);
                rest = &behind[name.len() + 1..];
            } else {
                out.push('{');
                rest = behind;
            }
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// Seconds without needless digits.
pub fn number(seconds: f64) -> String {
    let text = format!("{seconds:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_or_named() {
        let fill = Fill::of_game(&Variant::read("hex size=9 swap=on").unwrap());
        assert_eq!(fill.fill("boardsize {size}").unwrap(), "boardsize 9");
        assert_eq!(
            fill.fill("set_game {game} {variant}").unwrap(),
            "set_game hex size=9x9 swap=on"
        );
        assert_eq!(fill.fill("a {swap} {C} {} {").unwrap(), "a on {C} {} {");
        assert_eq!(fill.fill("swap {swap-bit}").unwrap(), "swap 1");
        let wide = Fill::of_game(&Variant::read("breakthrough size=5x6").unwrap());
        assert_eq!(wide.fill("{size}").unwrap(), "5 6");
        assert_eq!(fill.fill("x {seconds}"), Err(UnknownGap("seconds".into())));
        assert_eq!(number(1.5), "1.5");
        assert_eq!(number(10.0), "10");
    }
}
