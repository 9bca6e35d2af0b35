//! The values that a method stands for: its own over the defaults of `specs`.

use super::method::Method;
use super::specs::SECTIONS;
use crate::options::Values;

impl Method {
    /// The values of all keys, section by section.
    pub fn values(&self) -> Vec<Values> {
        SECTIONS
            .iter()
            .map(|section| {
                let mut preset: Vec<(&str, &str)> = self
                    .preset
                    .iter()
                    .filter(|(name, ..)| *name == section.name)
                    .map(|(_, key, value)| (*key, *value))
                    .collect();
                if section.name == "run" {
                    preset.push(("method", self.name));
                }
                Values::preset(section.specs, &preset)
            })
            .collect()
    }
}
