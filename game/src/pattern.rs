//! Tuples of cells whose states together are worth something: what evaluation by pattern tables looks up.

/// Cells that are looked up together, at one place of the board or at several that share their weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Of each place the cells, of each cell the features that mean its states 1, 2, …; without any of them its state is 0. All
    /// places have as many cells, all cells as many states.
    pub places: Vec<Vec<Vec<usize>>>,
    /// For each cell the one that takes its state in a mirror image which is worth the same; each cell itself where there is none.
    pub mirror: Vec<usize>,
}

/// The patterns of a game, and how a game's stage is seen, [`stages`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patterns {
    pub patterns: Vec<Pattern>,
    /// Features of positions at one end of the game and at the other, the fewer first: stages divide what is between.
    pub features: (usize, usize),
}

impl Pattern {
    /// One place; `features` says which mean a cell's states.
    pub fn at(cells: &[usize], features: impl Fn(usize) -> Vec<usize>) -> Pattern {
        Pattern::shared(&[cells.to_vec()], features)
    }

    /// Places that are images of each other under the board's symmetries, the cells of each in the order of the first's. Where
    /// the same cells come again in another order, that order is the mirror image of a place.
    pub fn shared(images: &[Vec<usize>], features: impl Fn(usize) -> Vec<usize>) -> Pattern {
        let sorted = |cells: &[usize]| {
            let mut cells = cells.to_vec();
            cells.sort_unstable();
            cells
        };
        let mut places: Vec<&Vec<usize>> = Vec::new();
        let mut mirror: Vec<usize> = (0..images.first().map_or(0, Vec::len)).collect();
        for image in images {
            match places.iter().find(|place| sorted(place) == sorted(image)) {
                None => places.push(image),
                Some(place) if *place != image => {
                    let of = |cell: &usize| image.iter().position(|other| other == cell);
                    mirror = place.iter().filter_map(of).collect();
                }
                Some(_) => {}
            }
        }
        let cells = |place: &Vec<usize>| place.iter().map(|cell| features(*cell)).collect();
        Pattern {
            places: places.into_iter().map(cells).collect(),
            mirror,
        }
    }
}

/// The fewest features of each of `count` stages, from 0 on, which divide what is between these numbers of them; fewer stages where
/// there are not so many features.
pub fn stages((fewest, most): (usize, usize), count: usize) -> Vec<usize> {
    let span = most.saturating_sub(fewest) + 1;
    let count = count.clamp(1, span);
    let first = |stage: usize| match stage {
        0 => 0,
        _ => fewest + stage * span / count,
    };
    (0..count).map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_the_same_cells_are_one_place_and_its_mirror() {
        let row = [vec![0, 1, 2], vec![2, 1, 0], vec![6, 7, 8], vec![8, 7, 6]];
        let pattern = Pattern::shared(&row, |cell| vec![cell, cell + 9]);
        assert_eq!(pattern.places.len(), 2);
        assert_eq!(pattern.places[1], [[6, 15], [7, 16], [8, 17]]);
        assert_eq!(pattern.mirror, [2, 1, 0]);
        let one = Pattern::at(&[4, 5], |cell| vec![cell]);
        assert_eq!((one.places.len(), one.mirror), (1, vec![0, 1]));
    }

    #[test]
    fn stages_divide_what_lies_between_the_ends() {
        assert_eq!(stages((4, 64), 1), [0]);
        assert_eq!(stages((4, 63), 4), [0, 19, 34, 49]);
        assert_eq!(stages((1, 3), 9), [0, 2, 3]);
    }
}
