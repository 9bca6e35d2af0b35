//! Positions set up by hand.

use super::wire::Web;
use serde_json::{Value, json};

/// What lies on the places of a view, as a page says it.
fn places(view: &Value) -> serde_json::Map<String, Value> {
    let spots = view["board"]["spots"].as_array().unwrap().iter();
    let lies = |spot: &Value| match (&spot["seeds"], &spot["piece"]) {
        (Value::Null, Value::Null) => None,
        (Value::Null, piece) => {
            let crown = if spot["crowned"] == true {
                " crowned"
            } else {
                ""
            };
            Some(json!(format!("{}{crown}", piece.as_str().unwrap())))
        }
        (seeds, _) => Some(seeds.clone()),
    };
    spots
        .filter_map(|spot| Some((spot["name"].as_str()?.to_string(), lies(spot)?)))
        .collect()
}

#[test]
fn a_position_is_set_up_place_by_place_in_every_game() {
    let web = Web::start(&[]);
    let mut page = web.page();
    for entry in treeline::games::ENTRIES {
        let question = json!({"id": 1, "ask": "look", "game": entry.name});
        let start = page.ask(&question);
        let pieces = start["pieces"].as_array().unwrap().len();
        let seeds = start["board"]["spots"][0]["seeds"].is_number();
        assert_eq!(pieces == 0, seeds, "{}: {start}", entry.name);
        // Some moves on, whoever is to move.
        let mut place = json!({"id": 2, "ask": "look", "game": entry.name, "moves": []});
        let mut view = start;
        for _ in 0..9 {
            let ways = view["ways"].as_array().unwrap();
            let way = ways[ways.len() / 2][0].clone();
            let step = json!([view["turn"], way]);
            place["moves"].as_array_mut().unwrap().push(step);
            view = page.ask(&place);
        }
        let arrange = json!({"id": 3, "ask": "arrange", "game": entry.name, "places": places(&view), "turn": view["turn"]});
        let set = page.ask(&arrange);
        assert!(set["position"].is_string(), "{}: {set}", entry.name);
        let again =
            json!({"id": 4, "ask": "look", "game": entry.name, "position": set["position"]});
        let again = page.ask(&again);
        assert_eq!(again["board"], view["board"], "{}", entry.name);
        assert_eq!(again["turn"], view["turn"], "{}", entry.name);
    }
    let draughts = json!({"15": "w crowned", "41": "b"});
    let question =
        json!({"id": 5, "ask": "arrange", "game": "draughts", "places": draughts, "turn": "w"});
    assert_eq!(page.ask(&question)["position"], "B:W41:BK15");
}

#[test]
fn what_a_game_cannot_have_is_refused_with_the_reason() {
    let web = Web::start(&[]);
    let mut page = web.page();
    for (game, places, turn, field, reason) in [
        (
            "connect-four",
            json!({"a2": "b"}),
            "w",
            "places",
            "floats in column a",
        ),
        ("connect-four", json!({"a1": "b"}), "b", "places", ""),
        (
            "draughts",
            json!({"b1": "b", "1": "w"}),
            "b",
            "places",
            "light square",
        ),
        ("draughts", json!({"1": "b", "50": "w"}), "b", "places", ""),
        ("hex", json!({"z99": "b"}), "b", "places", "no such place"),
        ("hex", json!({"a1": 3}), "b", "places", "can lie"),
        ("hex", json!({"a1": "x"}), "b", "places", "piece"),
        ("kalah", json!({}), "b", "places", "seeds"),
        ("kalah", json!({"b 1": -1}), "b", "places", "seeds"),
        ("kalah", json!({"b 1": "w"}), "b", "places", "kind"),
        ("hex", json!({"a1": "b"}), "x", "turn", "b or w"),
        ("hex", json!([]), "b", "places", "object"),
    ] {
        let question =
            json!({"id": 1, "ask": "arrange", "game": game, "places": places, "turn": turn});
        let refused = page.ask(&question);
        assert_eq!(refused["field"], field, "{question}: {refused}");
        let said = refused["error"].as_str().unwrap();
        assert!(said.contains(reason), "{question}: {said}");
    }
}
