use super::playing::BUILDS;
use super::*;

fn session() -> Session {
    let mut options = Values::new(options::SPECS);
    options.set_pairs(["memory=32", "threads=1"]).unwrap();
    let game = Selection::plain("hex");
    let searcher = Selection::plain("mcts");
    Session::new(options, Caps::default(), &game, &searcher).unwrap()
}

/// The searchers that `act` tries to build.
fn builds(act: impl FnOnce()) -> usize {
    let before = BUILDS.get();
    act();
    BUILDS.get() - before
}

#[test]
fn a_searcher_is_built_once_for_each_command() {
    assert_eq!(builds(|| drop(session())), 1);
    let mut session = session();
    let words = |text: &str| vec![text.to_string()];
    let mut once = |act: &mut dyn FnMut(&mut Session)| assert_eq!(builds(|| act(&mut session)), 1);
    once(&mut |s| s.set_searcher("alpha-beta", &[]).unwrap());
    once(&mut |s| s.set_option("memory", "48").unwrap());
    once(&mut |s| s.set_game("othello", &[]).unwrap());
    once(&mut |s| s.resize(6, 6).unwrap());
    once(&mut |s| s.set_game("breakthrough", &words("size=5x7")).unwrap());
    once(&mut |s| s.set_network("test-tries").unwrap());
    // One is built for the solver's time, and one when the searcher is needed again.
    session.set_option("depth", "1").unwrap();
    let stop = search::Stop::default();
    assert_eq!(
        builds(|| drop(session.solve(Some(0.01), &stop, 1).unwrap())),
        1
    );
}

#[test]
fn what_cannot_be_changed_leaves_everything_as_it_was() {
    let mut session = session();
    session.game.play(Player::One, "a1").unwrap();
    session.set_option("simulations", "50").unwrap();
    let stop = search::Stop::default();
    session.genmove(Player::Two, false, &stop, 1).unwrap();
    let said = |session: &Session| {
        let options: Vec<_> = session.options().collect();
        let options: Vec<_> = options.into_iter().map(|(s, v, _)| (s.name, v)).collect();
        let last = session.last_search().map(LastSearch::json);
        (
            session.game.position(),
            session.searcher_name(),
            options,
            last,
        )
    };
    let before = said(&session);
    let words = |text: &str| vec![text.to_string()];
    assert!(
        session
            .set_searcher("mcts", &words("heuristic=none-such"))
            .is_err()
    );
    assert!(session.set_option("heuristic", "none-such").is_err());
    assert!(session.set_game("hex", &words("size=99")).is_err());
    assert!(
        session.set_network("test-tries").is_err(),
        "for another game"
    );
    assert!(session.resize(99, 99).is_err());
    assert_eq!(said(&session), before);
    // The tree is still warm.
    session.genmove(Player::Two, false, &stop, 2).unwrap();
    assert!(session.last_search().unwrap().stats.reused_nodes > 0);
}

#[test]
fn a_solver_says_how_it_stands() {
    let mut session = session();
    let words = |text: &str| vec![text.to_string()];
    session
        .set_game("breakthrough", &words("size=4x5"))
        .unwrap();
    let legal = session.game.legal_moves();
    let stop = search::Stop::default();
    let mut heard: Vec<Standing> = Vec::new();
    let every = Some(std::time::Duration::from_millis(1));
    let mut hear = |standing: &Standing| heard.push(standing.clone());
    let verdict = session.solve_reporting(Some(100.0), &stop, 1, every, &mut hear);
    assert!(verdict.unwrap().outcome.is_some());
    assert!(heard.is_sorted_by_key(|standing| standing.stats.nodes));
    let last = heard.last().expect("it takes longer than that");
    let [proof, disproof] = last.numbers.unwrap();
    assert!(last.stats.nodes > 0 && last.stats.depth > 0 && proof > 0 && disproof > 0);
    assert!(legal.contains(&last.line[0]), "{:?}", last.line);
}

#[test]
fn statistics_name_whom_auto_left_the_search_to() {
    let mut session = session();
    session.set_option("nodes", "200").unwrap();
    session.set_option("network", "none").unwrap();
    let stop = search::Stop::default();
    let mut deputy = |game: &str, searcher: &str| {
        session.set_game(game, &[]).unwrap();
        session.set_searcher(searcher, &[]).unwrap();
        session.genmove(Player::One, false, &stop, 1).unwrap();
        session.last_search().unwrap().deputy.clone()
    };
    for entry in games::ENTRIES {
        let named = deputy(entry.name, "auto").unwrap();
        let name = named.split(' ').next().unwrap();
        assert!(name == "solver" || search::find(name).is_some(), "{named}");
        assert_eq!(deputy(entry.name, "mcts"), None);
    }
}
