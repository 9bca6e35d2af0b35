//! Stages of a game, as networks of features tell them apart: by how many features a position has.

use crate::NetError;

/// Stages that a network may tell apart.
pub const MOST: usize = 64;

/// The fewest features of each stage as a file has them; an error says what is wrong with them.
pub fn read(name: &str, numbers: &[f32]) -> Result<Vec<usize>, NetError> {
    let stages = whole(name, numbers)?;
    match ascend(&stages) {
        true => Ok(stages),
        false => Err(NetError::tensor(name, expected())),
    }
}

/// Whether these are the fewest features of each stage: ascending from 0.
pub fn ascend(stages: &[usize]) -> bool {
    let ascend = stages.windows(2).all(|pair| pair[0] < pair[1]);
    ascend && stages.first() == Some(&0) && stages.len() <= MOST
}

/// What [`ascend`] asks, in words.
pub fn expected() -> String {
    format!(
        "1 to {MOST} stages expected, each beginning with more features than the one before, the first with 0"
    )
}

/// The stage of a position with so many features: the last that begins with no more.
#[inline]
pub fn of(stages: &[usize], features: usize) -> usize {
    stages
        .partition_point(|first| *first <= features)
        .saturating_sub(1)
}

/// For each of the `wanted` stages the one of `own` that it lies within; an error where one of `own` would be divided otherwise
/// than by new ones within it.
pub fn divided(own: &[usize], wanted: &[usize]) -> Result<Vec<usize>, String> {
    match own.iter().find(|first| !wanted.contains(first)) {
        Some(first) => Err(format!(
            "a stage that begins with {first} features does not grow into stages from {wanted:?}"
        )),
        None => Ok(wanted.iter().map(|first| of(own, *first)).collect()),
    }
}

/// The whole numbers of a tensor.
pub fn whole(name: &str, numbers: &[f32]) -> Result<Vec<usize>, NetError> {
    let number = |n: &f32| match n.fract() == 0.0 && (0.0..65536.0).contains(n) {
        true => Ok(*n as usize),
        false => {
            let reason = format!("whole numbers from 0 to 65535 expected, {n} found");
            Err(NetError::tensor(name, reason))
        }
    };
    numbers.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_stage_begins_with_its_fewest_features() {
        let stages = [0, 12, 20];
        let found = [0, 11, 12, 19, 20, 400].map(|features| of(&stages, features));
        assert_eq!(found, [0, 0, 1, 1, 2, 2]);
        assert_eq!(divided(&[0, 12], &[0, 6, 12]), Ok(vec![0, 0, 1]));
        assert!(divided(&[0, 12], &[0, 6]).is_err());
    }

    #[test]
    fn what_are_no_stages_is_refused() {
        for numbers in [&[][..], &[1.0], &[0.0, 0.0], &[0.0, 5.0, 4.0], &[0.0; 65]] {
            let said = read("stages", numbers).unwrap_err().to_string();
            assert!(said.contains("1 to 64 stages expected"), "{said}");
        }
        for numbers in [&[0.5][..], &[0.0, f32::NAN], &[0.0, 65536.0], &[-1.0]] {
            let said = read("stages", numbers).unwrap_err().to_string();
            assert!(said.contains("whole numbers"), "{said}");
        }
        assert_eq!(read("stages", &[0.0, 3.0]).unwrap(), [0, 3]);
    }
}
