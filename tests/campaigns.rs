//! tools/campaigns: what it is told is what `treeline learn` understands, and it begins, goes on and saves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use treeline::learn::config::Config;
use treeline_nets::arch::Network;

const PATIENCE: Duration = Duration::from_secs(120);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn each_is_a_configuration_that_its_saved_weights_fit() {
    let mut count = 0;
    for file in fs::read_dir(root().join("tools/campaigns")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        count += 1;
        let config = Config::read(&path).unwrap();
        let run = config.get("run");
        // That many cores are its own is said when it starts.
        assert_eq!(run.int("threads"), None, "{}", path.display());
        let name = path.with_extension("safetensors");
        let saved = root()
            .join("nets/campaigns")
            .join(name.file_name().unwrap());
        if saved.exists() {
            let network = Network::read(&saved).unwrap();
            let meta = network.meta();
            assert_eq!(meta.game, config.variant.entry.name);
            assert_eq!(meta.architecture, run.name("architecture"));
        }
    }
    assert!(count > 0);
}

/// A campaign in a folder that goes with the test.
struct Campaign(PathBuf);

impl Campaign {
    fn new() -> Campaign {
        let name = format!("treeline-campaign-{}", std::process::id());
        let place = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).unwrap();
        let text = "# Small.\n[run]\ngame = \"othello size=6\"\narchitecture = \"patterns(2)\"\n\
            [stop]\nminutes = \"off\"\n[play]\ngames = 8\nportion = 4\nnodes = 20\n[train]\nbatch = 64\n[watch]\nminutes = \"off\"\n";
        fs::write(place.join("small.toml"), text).unwrap();
        Campaign(place)
    }

    fn run(&self, command: &str) -> String {
        self.run_with(command, &[])
    }

    /// As hungry as the tests beside it, which would starve it otherwise.
    fn start_at_once(&self) -> String {
        self.run_with("start", &["--niceness", "0"])
    }

    fn run_with(&self, command: &str, more: &[&str]) -> String {
        let at = |name: &str| self.0.join(name);
        let output = Command::new("python3")
            .arg(root().join("tools/campaigns/campaign.py"))
            .args(["small", command, "--treeline"])
            .arg(env!("CARGO_BIN_EXE_treeline"))
            .arg("--config")
            .arg(at("small.toml"))
            .arg("--runs")
            .arg(at("runs"))
            .arg("--weights")
            .arg(at("weights"))
            .args(more)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success() || command == "stop", "{said}");
        said
    }

    fn await_file(&self, name: &str) {
        let path = self.0.join(name);
        let begun = Instant::now();
        while !path.exists() {
            assert!(begun.elapsed() < PATIENCE, "{name}: {}", self.run("status"));
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A run has the lowest priority, and on a busy machine it takes a while to say something.
    fn await_log(&self, words: &str) {
        let begun = Instant::now();
        while !self.read("runs/small.log").contains(words) {
            let log = self.read("runs/small.log");
            assert!(begun.elapsed() < PATIENCE, "{words}: {log}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Niceness alone counts only among the tasks of its own session, where Linux groups them.
    fn yields(&self, niceness: u32) {
        let begun = Instant::now();
        // It has its priority before it is known to learn.
        while self.run("status").contains("does not learn") {
            assert!(begun.elapsed() < PATIENCE, "{}", self.run("status"));
        }
        let standing: serde_json::Value =
            serde_json::from_str(&self.read("runs/small.json")).unwrap();
        if let Ok(group) = fs::read_to_string(format!("/proc/{}/autogroup", standing["pid"])) {
            let expected = format!("nice {niceness}");
            assert!(group.trim_end().ends_with(&expected), "{group}");
        }
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Campaign {
    fn drop(&mut self) {
        self.run("stop");
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn it_begins_goes_on_saves_and_begins_from_what_was_saved() {
    let campaign = Campaign::new();
    assert!(campaign.start_at_once().contains("small learns in"));
    campaign.yields(0);
    assert!(campaign.run("start").contains("learns already"));
    campaign.await_file("runs/small/network.safetensors");
    assert!(campaign.run("stop").contains("goes on"));
    assert!(campaign.run("status").contains("does not learn"));

    campaign.run("save");
    assert!(campaign.run("save").contains("saved already"));
    let first: serde_json::Value =
        serde_json::from_str(&campaign.read("weights/small.jsonl")).unwrap();
    let generations = |row: &serde_json::Value| row["generation"].as_u64().unwrap();
    assert!(generations(&first) > 0 && first["core_hours"].as_f64() >= Some(0.0));

    // One core unless it is told others, and as many games at once; where there are none of those, one.
    let threads = |cores: &str| {
        let dry = campaign.run_with("start", &["--dry-run", "--cores", cores]);
        let line = dry.lines().find_map(|line| line.strip_prefix("threads = "));
        line.unwrap().parse::<usize>().unwrap()
    };
    assert_eq!((threads("1"), threads("5000,6000")), (1, 1));
    let every: Vec<String> = (0..4096).map(|core| core.to_string()).collect();
    assert!(threads(&every.join(",")) >= std::thread::available_parallelism().unwrap().get());
    campaign.start_at_once();
    campaign.await_log("goes on in");
    campaign.run("stop");
    assert!(campaign.read("runs/small.log").contains("begins in"));

    // Another machine has what was saved, and nothing else.
    fs::remove_dir_all(campaign.0.join("runs")).unwrap();
    campaign.start_at_once();
    assert!(
        campaign
            .read("runs/small/learn.toml")
            .contains("weights/small.safetensors")
    );
    campaign.await_file("runs/small/network.safetensors");
    campaign.run("stop");
    campaign.run("save");
    let ladder = campaign.read("weights/small.jsonl");
    let last: serde_json::Value = serde_json::from_str(ladder.lines().last().unwrap()).unwrap();
    assert!(generations(&last) > generations(&first), "{ladder}");

    campaign.run("start");
    campaign.yields(19);
}
