//! The page in a real browser: clocks, positions set up by clicks, dragging, and who thinks when.

use super::browser::{OVER, PLY, POSITION, WAITS};
use super::driver::{Browser, Driver};
use super::wire::Web;
use serde_json::json;

const STATUS: &str = "document.getElementById('status').textContent";
const THINKS: &str = "document.getElementById('frame').dataset.thinks === 'yes'";

fn clock(player: &str) -> String {
    format!("document.getElementById('clock-{player}').textContent")
}

fn place(name: &str) -> String {
    format!(".spot[data-name=\"{name}\"]")
}

/// Sets a field of the open form, as a person would.
fn fill(browser: &Browser<'_>, selector: &str, value: &str) {
    browser.script(&format!(
        "const field = document.querySelector('{selector}'); field.value = '{value}';
         field.dispatchEvent(new Event('change', {{bubbles: true}}))"
    ));
}

/// Begins a game with clocks by the form.
fn begin_timed(browser: &Browser<'_>, kind: &str, fields: &[(&str, &str)]) {
    browser.click("#new");
    browser.wait("document.querySelector('#setup[open]')");
    fill(browser, "select[name=clocks]", kind);
    for (name, value) in fields {
        fill(browser, &format!("input[name=time-{name}]"), value);
    }
    browser.click("#setup .buttons .main");
    browser.wait(&format!(
        "!document.querySelector('#setup[open]') && {PLY} === '0' && {OVER} === '' && !document.getElementById('clock-b').hidden"
    ));
}

#[test]
fn clocks_run_are_restored_and_end_the_game() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&["--set", "memory=256", "--set", "threads=1"]);
    let browser = driver.browser(folder.path());
    browser.visit(&format!("{}#game=hex&variant=size%3D7", web.address));
    browser.wait(WAITS);
    begin_timed(
        &browser,
        "increment",
        &[("main", "100"), ("increment", "0")],
    );
    let [black, white] = ["b", "w"].map(clock);
    assert_eq!(browser.text(&white), "1:40");
    browser.wait(&format!("{black} !== '1:40'"));
    browser.click(&place("d4"));
    // The engine's clock ran while it thought, and the time of the person's move stays taken.
    browser.wait(&format!("{PLY} === '2'"));
    let used = browser.text(&white);
    assert_ne!(used, "1:40");
    // A reload gives no time back, and taking a move back does.
    browser.reload();
    browser.wait(&format!("{PLY} === '2' && {white} === {}", json!(used)));
    assert_ne!(browser.text(&black), "1:40");
    browser.click("#undo");
    browser.wait(&format!(
        "{PLY} === '0' && {white} === '1:40' && {black} === '1:40'"
    ));
    browser.click("#redo");
    browser.wait(&format!("{PLY} === '2' && {white} === {}", json!(used)));
    // Nobody moves: the flag falls, which ends the game, also after a reload.
    begin_timed(&browser, "move", &[("period", "1")]);
    browser.wait(&format!("{OVER} === 'w'"));
    let over = "The time of Black is over: White wins.";
    assert_eq!(browser.text(STATUS), over);
    browser.reload();
    browser.wait(&format!("{STATUS} === {}", json!(over)));
    browser.click(&place("d4"));
    assert_eq!(browser.text(PLY), "0");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn positions_are_set_up_by_clicks_and_refused_with_the_reason() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&["--set", "memory=128"]);
    let browser = driver.browser(folder.path());
    let note = "document.getElementById('arrange-note').textContent";
    let open = |game: &str| {
        browser.visit("about:blank");
        browser.visit(&format!("{}#game={game}", web.address));
        browser.wait(WAITS);
        browser.click("#setup-position");
        browser.click("#arrange-clear");
    };
    let lay = |tool: &str, at: &str| {
        browser.click(&format!("#arrange [data-tool=\"{tool}\"]"));
        browser.click(&place(at));
    };
    open("draughts");
    lay("White king", "15");
    lay("Black piece", "41");
    lay("Black piece", "b1");
    browser.click("#arrange input[value=b]");
    browser.click("#arrange-start");
    browser.wait(&format!("{note}.includes('b1 is a light square')"));
    // The same piece again takes it away.
    browser.click(&place("b1"));
    browser.click("#arrange-start");
    browser.wait(&format!("{POSITION} === 'W:W41:BK15' && {WAITS}"));
    browser.click(&place("41"));
    browser.click(&place("37"));
    browser.wait(&format!("Number({PLY}) >= 1"));
    open("connect-four");
    lay("Black piece", "d2");
    browser.click("#arrange-start");
    browser.wait(&format!("{note}.includes('floats')"));
    // Cancelled, the game is what it was.
    browser.click("#arrange-cancel");
    browser.wait(&format!(
        "document.getElementById('arrange').hidden && {WAITS}"
    ));
    assert_eq!(
        browser.text("document.querySelectorAll('.piece').length"),
        "0"
    );
    open("kalah");
    browser.click("#arrange-start");
    browser.wait(&format!("{note}.includes('seeds')"));
    for at in ["b 1", "b 1", "w 6"] {
        lay("One seed more", at);
    }
    browser.click("#arrange-start");
    browser.wait(&format!("{POSITION} === '2,0,0,0,0,0:0 0,0,0,0,0,1:0 b'"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn pieces_are_dragged_by_mouse_and_by_touch() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&["--set", "memory=128"]);
    let browser = driver.browser(folder.path());
    for pointer in ["mouse", "touch"] {
        browser.visit("about:blank");
        browser.visit(&format!(
            "{}#game=breakthrough&variant=size%3D5x5",
            web.address
        ));
        browser.wait(WAITS);
        // A piece on its way over a place takes no click from it.
        browser.script("document.querySelector('.spot[data-name=c1] .piece').style.transform = 'translate(0, -100px)'");
        for pressed in ["true", "false"] {
            browser.click(&place("c2"));
            browser.wait(&format!(
                "document.querySelector('{}').getAttribute('aria-pressed') === '{pressed}'",
                place("c2")
            ));
        }
        // Nowhere to go: it lies where it lay.
        browser.drag(pointer, &place("c2"), &place("c5"));
        assert_eq!(
            browser.text("document.querySelectorAll('.dragged').length"),
            "0"
        );
        browser.drag(pointer, &place("c2"), &place("d3"));
        browser.wait(&format!("Number({PLY}) >= 1"));
        let first = browser.text("document.querySelector('#moves button').textContent");
        assert_eq!(first, "c2d3", "{pointer}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_long_capture_is_shown_step_by_step() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&["--set", "memory=128"]);
    let browser = driver.browser(folder.path());
    // 32 takes 28, 19 and then 10 or another way three pieces, too.
    let open = || {
        browser.visit("about:blank");
        browser.visit(&format!(
            "{}#game=draughts&position=W%3AW32%3AB28%2C19%2C9%2C10%2C45",
            web.address
        ));
        browser.wait(WAITS);
    };
    let path = "[...document.querySelectorAll('.spot[aria-pressed=true]')].map((s) => s.dataset.name).join(' ')";
    open();
    for (at, there) in [("32", "32"), ("23", "23 32"), ("14", "14 23 32")] {
        browser.click(&place(at));
        browser.wait(&format!("{path} === '{there}'"));
        assert_eq!(browser.text(PLY), "0");
    }
    browser.click(&place("3"));
    browser.wait(&format!("Number({PLY}) >= 1"));
    let first = "document.querySelector('#moves button').textContent";
    assert_eq!(browser.text(first), "32x3");
    // By dragging: to the next step, and on from there; and by its last square.
    open();
    browser.drag("mouse", &place("32"), &place("23"));
    browser.wait(&format!("{path} === '23 32'"));
    browser.drag("mouse", &place("23"), &place("14"));
    browser.wait(&format!("{path} === '14 23 32'"));
    browser.drag("mouse", &place("14"), &place("5"));
    browser.wait(&format!("Number({PLY}) >= 1"));
    assert_eq!(browser.text(first), "32x5");
    open();
    browser.drag("touch", &place("32"), &place("5"));
    browser.wait(&format!("Number({PLY}) >= 1"));
    assert_eq!(browser.text(first), "32x5");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn who_was_chosen_thinks_on_and_analyses() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&["--set", "memory=128", "--set", "threads=1"]);
    let browser = driver.browser(folder.path());
    browser.visit(&format!("{}#game=hex&variant=size%3D7", web.address));
    browser.wait(WAITS);
    browser.click("#new");
    browser.wait("document.querySelector('#setup[open]')");
    browser.script(
        "const seat = document.querySelectorAll('.seat')[1];
         const set = (field, change) => { change(field); field.dispatchEvent(new Event('change', {bubbles: true})); };
         const named = (name) => [...seat.querySelectorAll('.engine label')].find((l) => l.firstChild.textContent === name).querySelector('input, select');
         set(named('searcher '), (field) => (field.value = 'mcts'));
         set(named('seconds a move '), (field) => (field.value = 0.05));
         set(named('network'), (field) => (field.value = 'hex-fcgp6x64'));
         set(named('ponder'), (field) => (field.checked = true))",
    );
    browser.click("#setup .buttons .main");
    browser.wait(&format!(
        "document.querySelector('#player-w button').textContent.includes('ponder=on') && {WAITS}"
    ));
    assert_eq!(browser.text(THINKS), "false");
    browser.click(&place("d4"));
    // It has moved, thinks on, and the person may move.
    browser.wait(&format!("{PLY} === '2' && {WAITS} && {THINKS}"));
    // That the network is of no use to it is said once.
    let toast = "document.getElementById('toast')";
    let said = browser.text(&format!("{toast}.textContent"));
    assert_eq!(said, "mcts makes no use of the network hex-fcgp6x64.");
    browser.script(&format!("{toast}.textContent = ''"));
    let free = "[...document.querySelectorAll('.spot:not(:has(.piece))')][0].dataset.name";
    browser.click(&place(&browser.text(free)));
    browser.wait(&format!("{PLY} === '4' && {WAITS} && {THINKS}"));
    assert_eq!(browser.text(&format!("{toast}.textContent")), "");
    browser.click("#stop");
    browser.wait(&format!("!({THINKS})"));
    // The analysis is by the engine of the form; it is told who thought when it ends.
    browser.click("#analyse");
    browser.wait("document.querySelector('#lines tbody tr .score')");
    browser.click("#stop");
    let work = "document.getElementById('work').textContent";
    browser.wait(&format!("{work}.includes('mcts') && !({THINKS})"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn after_taking_back_the_engine_answers_again() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&["--set", "memory=128"]);
    let browser = driver.browser(folder.path());
    browser.visit(&format!("{}#game=hex&variant=size%3D5", web.address));
    browser.wait(WAITS);
    browser.click(&place("a1"));
    browser.wait(&format!("{PLY} === '2' && {WAITS}"));
    browser.click("#undo");
    browser.wait(&format!("{PLY} === '0' && {WAITS}"));
    browser.click(&place("b1"));
    browser.wait(&format!("{PLY} === '2' && {WAITS}"));
    let stone = "document.querySelector('.spot[data-name=b1] .piece.b') !== null";
    assert_eq!(browser.text(stone), "true");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_game_that_is_refused_leaves_the_form_open_as_it_was() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&["--set", "memory=128"]);
    let browser = driver.browser(folder.path());
    browser.visit(&format!("{}#game=hex&variant=size%3D5", web.address));
    browser.wait(WAITS);
    browser.click("#new");
    browser.wait("document.querySelector('#setup[open]')");
    fill(&browser, "#variant input", "40");
    fill(&browser, "#setup .seat select.level", "3");
    browser.click("#setup .buttons .main");
    browser.wait("document.querySelector('#setup[open] .refused')");
    let said = browser.text("document.querySelector('#setup .refused').textContent");
    assert!(said.contains("2x2..19x19, not '40'"), "{said}");
    let kept = browser.text("document.querySelector('#variant input').value");
    assert_eq!(kept, "40");
    fill(&browser, "#variant input", "4");
    browser.click("#setup .buttons .main");
    browser.wait(&format!(
        "!document.querySelector('#setup[open]') && {WAITS}"
    ));
    browser.wait("document.querySelectorAll('.spot').length === 16");
    assert_eq!(browser.text(STATUS), "Black to move.");
}
