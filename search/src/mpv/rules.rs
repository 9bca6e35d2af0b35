//! The choices at one state.

use super::table::Expanded;

/// The child of the largest `w_i/n_i + C·P_i·sqrt(n_p)/(1 + n_i)`, the first of equals (MPV Eqs. 2.1 and 2.2): a child
/// without a visit has mean 0, and n_p is 1 at least.
pub fn puct(own: &Expanded, exploration: f32) -> usize {
    best(own, |i| rate(own, i, exploration))
}

/// The large tree's choice: what the small tree visited most, the better one by PUCT of several; PUCT where the small tree has
/// visited nothing.
pub fn guided(guide: &Expanded, own: &Expanded, exploration: f32) -> usize {
    let most = guide.visits.iter().copied().max().unwrap_or(0);
    best(own, |i| match guide.visits[i] == most {
        true => rate(own, i, exploration),
        false => f64::NEG_INFINITY,
    })
}

pub fn likeliest(own: &Expanded) -> usize {
    best(own, |i| f64::from(own.priors[i]))
}

/// The most visited child, the better mean of several.
pub fn most_visited(own: &Expanded) -> usize {
    let most = own.visits.iter().copied().max().unwrap_or(0);
    best(own, |i| match own.visits[i] == most {
        true => own.mean(i),
        false => f64::NEG_INFINITY,
    })
}

fn rate(own: &Expanded, i: usize, exploration: f32) -> f64 {
    let root = (own.total().max(1) as f64).sqrt();
    let bonus = f64::from(exploration) * f64::from(own.priors[i]) * root;
    own.mean(i) + bonus / (1.0 + f64::from(own.visits[i]))
}

/// The first child of the largest value.
fn best(own: &Expanded, value: impl Fn(usize) -> f64) -> usize {
    let mut found = (0, f64::NEG_INFINITY);
    for i in 0..own.visits.len() {
        let value = value(i);
        if value > found.1 {
            found = (i, value);
        }
    }
    found.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::ForOne;

    fn node(visits: &[u32], sums: &[f64], priors: &[f32]) -> Expanded {
        Expanded {
            value: ForOne(0.0),
            visits: visits.into(),
            sums: sums.into(),
            priors: priors.into(),
        }
    }

    #[test]
    fn choices_by_hand() {
        // n_p = 9: ½ + 0.2·3/5, -0.25 + 0.7·3/5, 0 + 0.1·3/2.
        let own = node(&[4, 4, 1], &[2.0, -1.0, 0.0], &[0.2, 0.7, 0.1]);
        assert_eq!(puct(&own, 1.0), 0);
        // Ten times as much exploration: 1.7, 3.95, 1.5.
        assert_eq!(puct(&own, 10.0), 1);
        // Without a visit the prior decides, and the first of equals.
        assert_eq!(puct(&node(&[0; 3], &[0.0; 3], &[0.3, 0.35, 0.35]), 1.0), 1);
        // The guide's favourite, whatever PUCT says; of two, the one that PUCT likes better.
        assert_eq!(
            guided(&node(&[1, 2, 6], &[0.0; 3], &[0.1; 3]), &own, 1.0),
            2
        );
        assert_eq!(
            guided(&node(&[6, 6, 1], &[0.0; 3], &[0.1; 3]), &own, 10.0),
            1
        );
        assert_eq!(guided(&node(&[0; 3], &[0.0; 3], &[0.1; 3]), &own, 1.0), 0);
        assert_eq!((most_visited(&own), likeliest(&own)), (0, 1));
    }
}
