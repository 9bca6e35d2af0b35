//! How positions look to a network over planes: which version, and of what size.

/// One way of showing positions to a network over planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// Goes with every network file.
    pub version: u32,
    /// What each plane holds, and whose view it is.
    pub help: &'static str,
    /// Whether the board is shown as the player to move sees it; else as player one does.
    pub by_mover: bool,
}

/// The sizes of an encoding on one board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    pub planes: usize,
    pub rows: usize,
    pub columns: usize,
    /// Outputs of a policy head.
    pub policy: usize,
}

impl Shape {
    fn cells(self) -> usize {
        (self.rows * self.columns).max(1)
    }

    /// Planes that show an action, one of the policy's outputs, to a learned model.
    pub fn action_planes(self) -> usize {
        self.policy.div_ceil(self.cells())
    }

    /// Shows action number `action` in its planes, which are zeros. It is one cell where a policy has an output for each cell of
    /// so many planes. Where it has one for a column at most, it is the whole column, so that every row is near it.
    pub fn show_action(self, action: usize, planes: &mut [f32]) {
        if self.policy > self.columns {
            planes[action] = 1.0;
            return;
        }
        for row in planes[..self.cells()].chunks_exact_mut(self.columns) {
            row[action] = 1.0;
        }
    }
}

/// How a game numbers its moves. A game never changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbering {
    /// The encoding, an index of [`super::Planes::encodings`], whose policy outputs are the numbers.
    pub encoding: usize,
    /// How many moves that share an output have numbers of their own.
    pub sharers: usize,
}

impl Default for Numbering {
    /// The outputs of version 1, which no two moves of a position share.
    fn default() -> Self {
        Numbering {
            encoding: 0,
            sharers: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_a_cell_or_a_column() {
        let shown = |policy, action| {
            let shape = Shape {
                planes: 2,
                rows: 2,
                columns: 3,
                policy,
            };
            let mut planes = vec![0.0; shape.action_planes() * 6];
            shape.show_action(action, &mut planes);
            let on = planes.iter().enumerate().filter(|(_, x)| **x == 1.0);
            (planes.len(), on.map(|(i, _)| i).collect::<Vec<_>>())
        };
        assert_eq!(shown(3, 1), (6, vec![1, 4]));
        assert_eq!(shown(2, 0), (6, vec![0, 3]));
        assert_eq!(shown(7, 6), (12, vec![6]));
        assert_eq!(shown(6, 4), (6, vec![4]));
    }
}
