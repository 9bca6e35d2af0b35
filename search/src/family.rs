//! Searchers whose values mean the same where the same judges: what was measured of one holds for the others.

use treeline_game::options::Values;

/// Each family under the name of its first.
const FAMILIES: &[&[&str]] = &[
    &["alpha-beta"],
    &["ubfm", "ubfm-plain", "descent"],
    &["puct", "az", "polygames", "az-uct", "az-la", "az-all"],
    &["mcts"],
];

/// Options that say who judges; at other values than a searcher's own they make another family of it.
const JUDGES: [&str; 2] = ["heuristic", "playout"];

/// The first of the searcher's family; `None` for one that has none, or is told to judge otherwise.
pub fn family(name: &str, values: &Values) -> Option<&'static str> {
    let family = FAMILIES.iter().find(|family| family.contains(&name))?;
    let own = super::find(name)?.values();
    let usual = |option: &&str| values.get(option) == own.get(option);
    JUDGES.iter().all(usual).then_some(family[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_of_searchers_and_end_where_another_judges() {
        for name in FAMILIES.iter().flat_map(|family| family.iter()) {
            assert!(super::super::find(name).is_some(), "{name}");
        }
        let of = |name: &str, pairs: &[&str]| {
            let mut values = super::super::find(name).unwrap().values();
            values.set_pairs(pairs.iter().copied()).unwrap();
            family(name, &values)
        };
        assert_eq!(of("descent", &[]), Some("ubfm"));
        assert_eq!(of("alpha-beta", &["pvs=off"]), Some("alpha-beta"));
        assert_eq!(of("alpha-beta", &["heuristic=other"]), None);
        assert_eq!(of("mcts", &["playout=greedy"]), None);
        assert_eq!(of("alpha-beta-classic", &[]), None);
        assert_eq!(of("auto", &[]), None);
    }
}
