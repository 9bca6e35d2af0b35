//! `patterns(S)`: sums of pattern tables for S stages of the game: what its tensors are. How it is run is elsewhere.
//!
//! Which features make the cells of which patterns is in the file, too, so that a network goes on to mean the same when its
//! game declares other patterns.

use super::{Architecture, Kind, size};
use crate::NetError;
use crate::file::{Meta, Tensor, Tensors};
use crate::patterns::{Pattern, Tables};
use crate::stages::{self, whole};

pub const PATTERNS: Architecture = Architecture {
    name: "patterns",
    sizes: &[size("stages", (1, stages::MOST))],
    help: "sums of weights of patterns, tables for each stage of the game (M. Buro's Logistello)",
    kind: Kind::Patterns,
};

/// The tables and the weights of such a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Patterns {
    /// What is looked up where.
    pub tables: Tables,
    /// `stages [S]`: the fewest features of each stage; `bias [S]`; for each table K from 0 `tableK.features [places, cells,
    /// states - 1]`, `tableK.mirror [cells]` and `tableK.weight [S, states^cells]`, the first cell's state as the lowest digit.
    pub weights: Tensors,
}

impl Patterns {
    /// Reads the tables; the architecture says how many stages they must have.
    pub fn read(sizes: &[usize], meta: &Meta, weights: Tensors) -> Result<Patterns, NetError> {
        let (&[features], &[stages], 0) = (&meta.shape.input[..], sizes, meta.shape.policy) else {
            return Err(NetError::Architecture {
                text: meta.architecture.clone(),
                reason: format!(
                    "an input such as 128 (features of a side) and 0 policy outputs expected, {} found",
                    meta.shape
                ),
            });
        };
        let found = |name: &str| weights.get(name).ok_or_else(|| missing(name));
        let mut patterns = Vec::new();
        while weights.contains_key(&features_of(patterns.len())) {
            let at = patterns.len();
            let [name, mirror] = [features_of(at), mirror_of(at)];
            patterns.push(pattern(&name, found(&name)?, &mirror, found(&mirror)?)?);
        }
        let tables = Tables {
            features,
            stages: whole("stages", &found("stages")?.data)?,
            patterns,
        };
        if tables.stages.len() != stages {
            let reason = format!("shape [{stages}] expected for {}", meta.architecture);
            return Err(NetError::tensor("stages", reason));
        }
        tables.check()?;
        Ok(Patterns { tables, weights })
    }

    /// A network whose every value is 0.
    pub fn untrained(tables: Tables) -> Patterns {
        let zeros = |(name, shape): (String, Vec<usize>)| {
            let data = vec![0.0; shape.iter().product()];
            (name, Tensor { shape, data })
        };
        let mut weights: Tensors = needed(&tables).into_iter().map(zeros).collect();
        let mut put = |name: &str, numbers: &mut dyn Iterator<Item = usize>| {
            if let Some(tensor) = weights.get_mut(name) {
                tensor.data = numbers.map(|n| n as f32).collect();
            }
        };
        put("stages", &mut tables.stages.iter().copied());
        for (at, pattern) in tables.patterns.iter().enumerate() {
            let features = pattern.places.iter().flatten().flatten();
            put(&features_of(at), &mut features.copied());
            put(&mirror_of(at), &mut pattern.mirror.iter().copied());
        }
        Patterns { tables, weights }
    }

    /// The tensors of a file with these tables.
    pub(super) fn needed(&self) -> Vec<(String, Vec<usize>)> {
        needed(&self.tables)
    }

    /// `[stages][size]`, and one bias a stage.
    pub fn numbers(&self) -> (Vec<f32>, Vec<f32>) {
        let stages = self.tables.stages.len();
        let mut numbers = Vec::with_capacity(stages * self.tables.size());
        let data = |name: &str| self.weights.get(name).map_or(&[][..], |t| &t.data);
        for stage in 0..stages {
            for (at, pattern) in self.tables.patterns.iter().enumerate() {
                let size = pattern.size().unwrap_or(0);
                let all = data(&weight_of(at));
                numbers.extend_from_slice(
                    all.get(stage * size..(stage + 1) * size)
                        .unwrap_or_default(),
                );
            }
        }
        (numbers, data("bias").to_vec())
    }

    /// The same tables with other weights, laid out as [`Patterns::numbers`] has them.
    pub fn with_numbers(&self, numbers: &[f32], bias: &[f32]) -> Patterns {
        let mut made = Patterns::untrained(self.tables.clone());
        for stage in numbers.chunks_exact(self.tables.size()).enumerate() {
            let (stage, mut rest) = stage;
            for (at, pattern) in self.tables.patterns.iter().enumerate() {
                let size = pattern.size().unwrap_or(0);
                let (own, others) = rest.split_at(size);
                rest = others;
                if let Some(tensor) = made.weights.get_mut(&weight_of(at)) {
                    tensor.data[stage * size..(stage + 1) * size].copy_from_slice(own);
                }
            }
        }
        if let Some(tensor) = made.weights.get_mut("bias") {
            tensor.data.copy_from_slice(bias);
        }
        made
    }

    /// The same function with room for more: with the stages of `wanted`, and with those of its patterns that are missing here,
    /// whose weights are zeros. An error where a stage would be divided otherwise than by new stages within it.
    pub fn grown(&self, wanted: &Tables) -> Result<Patterns, NetError> {
        let fail = |reason: String| Err(NetError::architecture("patterns", reason));
        let own = &self.tables;
        if own.features != wanted.features {
            return fail(format!(
                "{} features of a side do not grow to {}",
                own.features, wanted.features
            ));
        }
        let of_old = match stages::divided(&own.stages, &wanted.stages) {
            Ok(of_old) => of_old,
            Err(reason) => return fail(reason),
        };
        let missing = wanted.patterns.iter().filter(|p| !own.patterns.contains(p));
        let tables = Tables {
            patterns: own.patterns.iter().chain(missing).cloned().collect(),
            ..wanted.clone()
        };
        tables.check()?;
        let (weights, bias) = self.numbers();
        let (size, large) = (own.size(), tables.size());
        let mut numbers = Vec::with_capacity(large * tables.stages.len());
        for old in &of_old {
            numbers.extend_from_slice(&weights[old * size..(old + 1) * size]);
            numbers.resize(numbers.len() + large - size, 0.0);
        }
        let bias: Vec<f32> = of_old.iter().map(|old| bias[*old]).collect();
        Ok(Patterns::untrained(tables).with_numbers(&numbers, &bias))
    }
}

fn features_of(table: usize) -> String {
    format!("table{table}.features")
}

fn mirror_of(table: usize) -> String {
    format!("table{table}.mirror")
}

fn weight_of(table: usize) -> String {
    format!("table{table}.weight")
}

fn missing(name: &str) -> NetError {
    NetError::tensor(name, "expected, and not there")
}

fn needed(tables: &Tables) -> Vec<(String, Vec<usize>)> {
    let stages = tables.stages.len();
    let mut needed = vec![
        ("stages".to_string(), vec![stages]),
        ("bias".to_string(), vec![stages]),
    ];
    for (at, pattern) in tables.patterns.iter().enumerate() {
        let (places, cells) = (pattern.places.len(), pattern.cells());
        needed.extend([
            (features_of(at), vec![places, cells, pattern.states() - 1]),
            (mirror_of(at), vec![cells]),
            (weight_of(at), vec![stages, pattern.size().unwrap_or(0)]),
        ]);
    }
    needed
}

fn pattern(
    name: &str,
    features: &Tensor,
    mirror: &str,
    mirrored: &Tensor,
) -> Result<Pattern, NetError> {
    let numbers = whole(name, &features.data)?;
    let (cells, states) = match features.shape[..] {
        [_, cells, states] if cells > 0 && states > 0 => (cells, states),
        _ => {
            let found = &features.shape;
            let reason = format!("shape [places, cells, states - 1] expected, {found:?} found");
            return Err(NetError::tensor(name, reason));
        }
    };
    let place = |place: &[usize]| place.chunks(states).map(<[usize]>::to_vec).collect();
    let places: Vec<Vec<Vec<usize>>> = numbers.chunks(cells * states).map(place).collect();
    Ok(Pattern {
        places,
        mirror: whole(mirror, &mirrored.data)?,
    })
}

/// Patterns for a board of which nothing is known: four features a pattern, one after the other, and each for itself.
pub fn anywhere(features: usize, stages: usize) -> Tables {
    let cell = |feature| vec![feature];
    let single = Pattern::plain((0..features).map(|f| vec![cell(f)]).collect());
    let cells = features.min(4);
    let starts = (0..features / cells.max(1)).map(|n| n * cells);
    let groups = starts.map(|first| (first..first + cells).map(cell).collect());
    Tables {
        features,
        stages: (0..stages).collect(),
        patterns: vec![single, Pattern::plain(groups.collect())],
    }
}
