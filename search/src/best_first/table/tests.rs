use super::super::index::FIRST;
use super::*;
use treeline_game::random::mix;
use treeline_game::synthetic::Child;

fn table(bytes: usize) -> StateTable<Child> {
    StateTable::new(bytes, 4, Shape { shared: false }, 3)
}

fn add(table: &StateTable<Child>, key: u64) -> Option<Block> {
    let block = table.take(2)?;
    let known = Known::estimate(treeline_game::ForOne(0.0));
    Some(table.add(
        block,
        key,
        &[1, 2].map(Child),
        &[Word::new(known, 0); 2],
        |_| known,
    ))
}

/// No state is lost while the index grows, and what was cleared is not found again.
#[test]
fn the_index_grows_with_the_states_and_begins_small_again() {
    let mut table = table(64 << 20);
    for salt in 0..2u64 {
        table.begin();
        assert_eq!(table.index.used(), FIRST);
        let keys = || (0..200_000u64).map(|i| mix(i << 8 | salt));
        let others = (0..200_000u64).map(|i| mix(i << 8 | (1 - salt)));
        assert_eq!(others.filter(|key| table.find(*key).is_some()).count(), 0);
        let blocks: Vec<_> = keys()
            .enumerate()
            .map(|(i, key)| {
                if i % 16 == 0 {
                    table.make_room();
                }
                add(&table, key).unwrap()
            })
            .collect();
        let lost = keys()
            .zip(&blocks)
            .filter(|(key, block)| table.find(*key) != Some(**block));
        let lost = lost.count();
        assert!(lost < 400, "{lost}");
        let used = table.index.used();
        assert!(used * BUCKET < 2 * EASY * 200_000, "{used}");
        table.clear();
    }
}
