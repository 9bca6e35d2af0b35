//! The page in a real browser: every game begun, played by clicking, taken back, reloaded, saved and opened.

use super::driver::{Browser, Driver};
use super::wire::Web;
use serde_json::{Value, json};
use std::path::Path;
use treeline::game::{Rng, random};

pub const POSITION: &str = "document.getElementById('frame').dataset.position";
pub const OVER: &str = "document.getElementById('frame').dataset.outcome";
pub const PLY: &str = "document.getElementById('frame').dataset.ply";
/// The page waits for a person, or the game is over.
pub const WAITS: &str = "document.getElementById('frame').dataset.waits === 'yes'";

/// Plays by clicking until the game is over.
fn play(browser: &Browser<'_>, rng: &mut Rng) {
    loop {
        browser.wait(WAITS);
        let ply: u32 = browser.text(PLY).parse().unwrap();
        if !browser.text(OVER).is_empty() {
            return;
        }
        let others = browser.script("return document.querySelectorAll('#others button').length");
        let mut places = places(browser);
        if places.is_empty() {
            assert_ne!(others, json!(0));
            browser.click("#others button");
        }
        // The places of one move, one after the other.
        while !places.is_empty() {
            let name = &places[random::pick(rng, places.len() as u32) as usize];
            browser.click(&format!(".spot[data-name=\"{name}\"]"));
            let ends =
                format!("{PLY} !== '{ply}' || document.querySelector('.spot[aria-pressed=true]')");
            browser.wait(&ends);
            let path = browser
                .script("return document.querySelectorAll('.spot[aria-pressed=true]').length");
            places = match browser.text(PLY) == ply.to_string() && path != json!(0) {
                true => self::places(browser),
                false => Vec::new(),
            };
        }
        browser.wait(&format!("Number({PLY}) > {ply}"));
    }
}

/// What can be clicked now.
fn places(browser: &Browser<'_>) -> Vec<String> {
    let script =
        "return [...document.querySelectorAll('.spot.origin')].map((spot) => spot.dataset.name)";
    let found = browser.script(script);
    let names = found.as_array().unwrap().iter().filter_map(Value::as_str);
    names.map(String::from).collect()
}

/// Begins a game by the form; `fields` are scripts that change it.
pub fn begin(browser: &Browser<'_>, game: &str, variant: &str) {
    browser.click("#new");
    browser.wait("document.querySelector('#setup[open]')");
    browser.click(&format!(".game:has(input[value=\"{game}\"])"));
    browser.wait(&format!(
        "document.querySelector('input[value=\"{game}\"]').checked"
    ));
    for (name, value) in variant
        .split_whitespace()
        .filter_map(|pair| pair.split_once('='))
    {
        let script = format!(
            "const label = [...document.querySelectorAll('#variant label')].find((l) => l.firstChild.textContent === '{name}');
             const field = label.querySelector('input, select'); field.value = '{value}';
             field.dispatchEvent(new Event('change', {{bubbles: true}}))"
        );
        browser.script(&script);
    }
    browser.script(
        "const field = document.querySelectorAll('.seat')[1].querySelector('.engine input[type=number]');
         field.value = 0.05; field.dispatchEvent(new Event('change', {bubbles: true}))",
    );
    browser.click("#setup .buttons .main");
    // The game before may have been another variant of the same one.
    let variant = variant.replace('=', "%3D").replace(' ', "+");
    browser.wait(&format!(
        "!document.querySelector('#setup[open]') && location.hash.includes('game={game}') && location.hash.includes('{variant}') && {PLY} === '0'"
    ));
}

fn whole_story(game: &str, variant: &str) {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&["--set", "memory=256", "--set", "threads=1"]);
    let browser = driver.browser(folder.path());
    browser.visit(&web.address);
    browser.wait(WAITS);
    begin(&browser, game, variant);
    let mut rng = random::seeded(11);
    play(&browser, &mut rng);
    let (position, ply) = (browser.text(POSITION), browser.text(PLY));
    assert!(ply.parse::<u32>().unwrap() > 5, "{game}: {ply} plies");
    // A reload loses nothing.
    browser.reload();
    browser.wait(&format!("{POSITION} === {}", json!(position)));
    assert_eq!(browser.text(PLY), ply);
    // Nor does taking back and playing again.
    browser.click("#undo");
    browser.wait(&format!("Number({PLY}) < {ply}"));
    browser.wait(WAITS);
    let (before, taken) = (browser.text(POSITION), browser.text(PLY));
    browser.reload();
    browser.wait(&format!("{POSITION} === {}", json!(before)));
    assert_eq!(browser.text(PLY), taken);
    browser.click("#last");
    browser.wait(&format!("{POSITION} === {}", json!(position)));
    // A link leads a stranger to the same position.
    let link = browser.text("location.href");
    let strange = tempfile::tempdir().unwrap();
    let stranger = driver.browser(strange.path());
    stranger.visit(&link);
    stranger.wait(&format!("{POSITION} === {}", json!(position)));
    // So do the saved files, which the engine's commands read, too.
    let mut engine = crate::common::Engine::start(&[]);
    for form in forms(game, variant) {
        let file = save(&browser, folder.path(), game, form);
        begin(&stranger, "kalah", "");
        stranger.send("#file", &file.display().to_string());
        stranger.wait(&format!("{POSITION} === {}", json!(position)));
        assert_eq!(stranger.text(PLY), ply, "{form}");
        engine.ok("set_game breakthrough");
        engine.ok(&format!("load {}", file.display()));
        assert_eq!(engine.ok("position"), position, "{form}");
    }
    for page in [&browser, &stranger] {
        assert_eq!(page.complaints(), Vec::<String>::new());
    }
}

/// What a game is saved as; transcripts are of one board only.
fn forms(game: &str, variant: &str) -> &'static [&'static str] {
    match game {
        "othello" if variant.is_empty() => &["transcript", "txt", "sgf", "ggf"],
        "draughts" => &["txt", "sgf", "pdn"],
        "othello" => &["txt", "sgf", "ggf"],
        _ => &["txt", "sgf"],
    }
}

/// The file once the browser has written it.
fn save(browser: &Browser<'_>, folder: &Path, game: &str, form: &str) -> std::path::PathBuf {
    browser.click("#save");
    browser.click(&format!("#choice button[data-form={form}]"));
    let path = folder.join(format!("{game}.{form}"));
    let begin = std::time::Instant::now();
    while !std::fs::read_to_string(&path).is_ok_and(|text| text.ends_with(['\n', ')'])) {
        assert!(
            begin.elapsed() < crate::common::PATIENCE,
            "nothing was saved"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    path
}

#[test]
fn breakthrough() {
    whole_story("breakthrough", "size=5x5");
}

#[test]
fn connect_four() {
    whole_story("connect-four", "");
}

#[test]
fn draughts() {
    whole_story("draughts", "");
}

#[test]
fn hex_with_swap() {
    whole_story("hex", "size=5");
}

#[test]
fn kalah() {
    whole_story("kalah", "");
}

#[test]
fn lines_of_action() {
    whole_story("lines-of-action", "");
}

#[test]
fn othello() {
    whole_story("othello", "size=6");
}

#[test]
fn othello_with_its_transcript() {
    whole_story("othello", "");
}

#[test]
fn swapping_passing_and_two_engines() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&["--set", "memory=256"]);
    let browser = driver.browser(folder.path());
    // A link to a position in which White may swap.
    browser.visit(&format!(
        "{}#game=hex&variant=size%3D5+swap%3Don&moves=b.c3",
        web.address
    ));
    browser.wait(&format!("{PLY} === '1'"));
    browser.click("#go");
    browser.wait(&format!("Number({PLY}) === 2"));
    browser.click("#back");
    browser.wait(&format!("{PLY} === '1'"));
    // Two persons.
    browser.click("#new");
    browser.click(".seat:nth-of-type(3) label:has(input[value=person])");
    browser.click("#setup .buttons .main");
    browser.wait(&format!("{PLY} === '0'"));
    browser.click(".spot[data-name=c3]");
    browser.wait("document.querySelector('#others button')");
    assert_eq!(
        browser.text("document.querySelector('#others button').textContent"),
        "Swap pieces"
    );
    browser.click("#others button");
    browser.wait(&format!(
        "{PLY} === '2' && document.querySelector('#others').childElementCount === 0"
    ));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn another_move_leaves_the_first_in_the_tree() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&["--set", "memory=256"]);
    let browser = driver.browser(folder.path());
    browser.visit(&format!("{}#game=hex&variant=size%3D5", web.address));
    browser.wait(WAITS);
    // Two persons.
    browser.click("#new");
    browser.click(".seat:nth-of-type(3) label:has(input[value=person])");
    browser.click("#setup .buttons .main");
    browser.wait(&format!("{PLY} === '0'"));
    let put = |name: &str, ply: &str| {
        browser.click(&format!(".spot[data-name={name}]"));
        browser.wait(&format!("{PLY} === '{ply}'"));
    };
    for (i, name) in ["a1", "b1", "c1"].into_iter().enumerate() {
        put(name, &(i + 1).to_string());
    }
    let first = browser.text(POSITION);
    for ply in ["2", "1"] {
        browser.click("#back");
        browser.wait(&format!("{PLY} === '{ply}'"));
    }
    put("d4", "2");
    put("e5", "3");
    let second = browser.text(POSITION);
    let moves =
        "[...document.querySelectorAll('#moves button')].map((b) => b.textContent).join(' ')";
    let aside = "[...document.querySelectorAll('#moves .variation button')].map((b) => b.textContent).join(' ')";
    let go = |page: &Browser<'_>, number: u32, position: &str| {
        page.click(&format!("#moves button[data-number=\"{number}\"]"));
        page.wait(&format!("{POSITION} === {}", json!(position)));
    };
    assert_eq!(browser.text(aside), "d4 e5");
    // Both lines are there after a reload and can be gone to.
    browser.reload();
    browser.wait(&format!("{POSITION} === {}", json!(second)));
    assert_eq!(browser.text(moves), "a1 b1 d4 e5 c1");
    go(&browser, 3, &first);
    go(&browser, 5, &second);
    // The line shown is the game of the file, and the other one its variation.
    let file = save(&browser, folder.path(), "hex", "sgf");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.ends_with(";B[a1](;W[d4];B[e5])(;W[b1];B[c1]))"),
        "{text}"
    );
    let strange = tempfile::tempdir().unwrap();
    let stranger = driver.browser(strange.path());
    stranger.visit(&web.address);
    stranger.wait(WAITS);
    stranger.send("#file", &file.display().to_string());
    stranger.wait(&format!("{POSITION} === {}", json!(second)));
    assert_eq!(stranger.text(aside), "b1 c1");
    go(&stranger, 5, &first);
    for page in [&browser, &stranger] {
        assert_eq!(page.complaints(), Vec::<String>::new());
    }
}

#[test]
fn analysis_shows_candidates_and_stops_when_told() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let web = Web::start(&["--set", "memory=256"]);
    let [browser, other] = [0, 1].map(|n| driver.browser(folders[n].path()));
    browser.visit(&format!("{}#game=breakthrough", web.address));
    other.visit(&format!("{}#game=othello", web.address));
    for page in [&browser, &other] {
        page.wait(WAITS);
    }
    let position = other.text(POSITION);
    browser.click("#analyse");
    browser.wait(
        "document.querySelector('#lines tbody tr .score') && document.querySelector('.hint text')",
    );
    browser.click("#stop");
    browser.wait("document.getElementById('stop').disabled");
    let work = browser.text("document.getElementById('work').textContent");
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(
        browser.text("document.getElementById('work').textContent"),
        work
    );
    assert_eq!(other.text(POSITION), position);
    for page in [&browser, &other] {
        assert_eq!(page.complaints(), Vec::<String>::new());
    }
}

#[test]
fn what_a_link_or_a_file_holds_is_never_executed() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&[]);
    let browser = driver.browser(folder.path());
    let script = "%3Cimg+src%3Dx+onerror%3D%22window.hurt%3D1%22%3E";
    for link in [
        format!("#game={script}"),
        format!("#game=hex&moves={script}"),
        format!("#game=hex&variant=size%3D{script}"),
        format!("#game=hex&position={script}"),
        "#game=__proto__&variant=__proto__%3D1".to_string(),
    ] {
        browser.visit("about:blank");
        browser.visit(&format!("{}{link}", web.address));
        browser.wait("document.getElementById('toast').classList.contains('on')");
        browser.wait(WAITS);
    }
    let path = folder
        .path()
        .join("<img src=x onerror='window.hurt=1'>.txt");
    for text in [
        "set_game <img/src=x/onerror='window.hurt=1'>\n",
        "set_game hex\nplay b <script>window.hurt=1</script>\n",
        "<script>window.hurt=1</script>",
        "(;GM[11]",
        "(;GM[11]PB[<img src=x onerror='window.hurt=1'>];B[zz99])",
        "(;GM[Othello]BO[8 <script>window.hurt=1</script> *];)",
        "(;GM[11];B[a\u{1}1])",
        "[FEN \"<script>window.hurt=1</script>\"]\n*",
        &"a1 ".repeat(30_000),
        "",
    ] {
        std::fs::write(&path, text).unwrap();
        browser.script("document.getElementById('toast').classList.remove('on')");
        browser.send("#file", &path.display().to_string());
        browser.wait("document.getElementById('toast').classList.contains('on')");
    }
    // Names are shown as they are.
    let name = "<img src=x onerror='window.hurt=1'>";
    std::fs::write(&path, format!("(;GM[11]PB[{name}];B[a1])")).unwrap();
    browser.send("#file", &path.display().to_string());
    browser.wait(&format!("{PLY} === '1'"));
    let shown = browser.text("document.querySelector('#player-b strong').textContent");
    assert_eq!(shown, name);
    assert_eq!(browser.script("return window.hurt ?? null"), Value::Null);
    assert_eq!(
        browser.script("return document.querySelectorAll('#table img, aside img').length"),
        json!(0)
    );
}

#[test]
fn a_game_can_be_played_by_keyboard() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&["--set", "memory=256"]);
    let browser = driver.browser(folder.path());
    browser.visit(&format!("{}#game=connect-four", web.address));
    browser.wait(WAITS);
    const RIGHT: char = '\u{e014}';
    browser.script("document.querySelector('.spot[tabindex=\"0\"]').focus()");
    for _ in 0..3 {
        browser.press(RIGHT);
    }
    assert!(
        browser
            .text("document.activeElement.getAttribute('aria-label')")
            .starts_with("d6")
    );
    browser.press('\u{e007}');
    browser.wait(&format!(
        "Number({PLY}) >= 1 && document.querySelector('[aria-label^=\"d1, black piece\"]')"
    ));
    browser.wait(WAITS);
    browser.press('u');
    browser.wait(&format!("{PLY} === '0'"));
}

#[test]
fn the_form_chooses_network_and_options_and_opens_what_is_wrong() {
    let Some(driver) = Driver::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let web = Web::start(&["--set", "memory=256", "--set", "threads=2"]);
    let browser = driver.browser(folder.path());
    browser.visit(&format!("{}#game=hex&variant=size%3D5", web.address));
    browser.wait(WAITS);
    browser.click("#new");
    browser.wait("document.querySelector('#setup[open]')");
    let set = |name: &str, value: &str| {
        browser.script(&format!(
            "const seat = document.querySelectorAll('.seat')[1];
             const label = [...seat.querySelectorAll('.engine label')].find((l) => l.firstChild.textContent === '{name}');
             const field = label.querySelector('input, select'); field.value = '{value}';
             field.dispatchEvent(new Event('change', {{bubbles: true}}))"
        ));
    };
    set("network", "hex-fcgp6x64");
    set("depth", "0");
    browser.click("#setup .buttons .main");
    browser.wait("document.querySelector('.seat .options[open] :invalid')");
    set("depth", "3");
    set("seconds a move ", "0.05");
    browser.click("#setup .buttons .main");
    let seat = "document.querySelector('#player-w button')?.textContent";
    browser.wait(&format!(
        "{seat} === 'Engine, 0.05 s, network=hex-fcgp6x64 depth=3'"
    ));
    // It plays so, and stays so over a reload.
    browser.click(".spot[data-name=c3]");
    browser.wait(&format!("{PLY} === '2'"));
    browser.visit(&web.address);
    browser.wait(&format!("{seat}?.includes('depth=3')"));
    // Another game has other networks.
    begin(&browser, "kalah", "");
    browser.wait(&format!("{seat} === 'Engine, 0.05 s, depth=3'"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
