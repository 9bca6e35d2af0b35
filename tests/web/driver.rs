//! A headless Chromium, driven by WebDriver (https://www.w3.org/TR/webdriver2/) over plain HTTP.

use crate::common::PATIENCE;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running chromedriver.
pub struct Driver {
    child: Child,
    address: String,
}

impl Driver {
    /// `None`, said loudly, where there is no chromedriver.
    pub fn start() -> Option<Self> {
        let spawned = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = spawned else {
            let note = "\nSKIPPED: the page is NOT tested in a browser; Debian: apt-get install chromium chromium-driver\n";
            let _ = std::io::stderr().write_all(note.as_bytes());
            return None;
        };
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| {
            let line = line.unwrap();
            let (_, port) = line.split_once("started successfully on port ")?;
            Some(port.trim_end_matches('.').to_string())
        });
        std::thread::spawn(move || lines.for_each(drop));
        let address = format!("127.0.0.1:{}", port.unwrap());
        Some(Driver { child, address })
    }

    /// A browser of its own, with nothing remembered.
    pub fn browser(&self, profile: &Path) -> Browser<'_> {
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,900",
            &format!("--user-data-dir={}", profile.display()),
        ];
        let options = json!({"args": arguments, "prefs": {"download.default_directory": profile}});
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let session = self.call("POST", "/session", &wanted);
        let id = session["sessionId"].as_str().unwrap();
        Browser {
            driver: self,
            path: format!("/session/{id}"),
        }
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        self.try_call(method, path, body)
            .unwrap_or_else(|error| panic!("{method} {path} {body}: {error}"))
    }

    fn try_call(&self, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = if method == "GET" {
            String::new()
        } else {
            body.to_string()
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let (mut length, mut line) = (0, String::new());
        while reader.read_line(&mut line).unwrap() > 2 {
            if let Some(count) = line.to_lowercase().strip_prefix("content-length:") {
                length = count.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let mut answer: Value = serde_json::from_slice(&body).unwrap();
        let value = answer["value"].take();
        match value.get("error") {
            Some(_) => Err(value),
            None => Ok(value),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A browser with one window.
pub struct Browser<'a> {
    driver: &'a Driver,
    path: String,
}

impl Browser<'_> {
    fn post(&self, path: &str, body: &Value) -> Value {
        let path = format!("{}{path}", self.path);
        self.driver.call("POST", &path, body)
    }

    pub fn visit(&self, address: &str) {
        self.post("/url", &json!({"url": address}));
    }

    pub fn reload(&self) {
        self.post("/refresh", &json!({}));
    }

    /// The value of a script that returns one.
    pub fn script(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    pub fn text(&self, script: &str) -> String {
        let found = self.script(&format!("return String({script})"));
        found.as_str().unwrap().to_string()
    }

    /// Waits until a JavaScript expression is true.
    pub fn wait(&self, expression: &str) {
        let begin = Instant::now();
        while self.script(&format!("return Boolean({expression})")) != json!(true) {
            assert!(
                begin.elapsed() < PATIENCE,
                "never true: {expression}; the page says: {}; {:?}",
                self.text("document.body.innerText"),
                self.complaints()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn element(&self, selector: &str) -> Option<String> {
        let path = format!("{}/element", self.path);
        let wanted = json!({"using": "css selector", "value": selector});
        let found = self.driver.try_call("POST", &path, &wanted).ok()?;
        Some(found.as_object()?.values().next()?.as_str()?.to_string())
    }

    /// Clicks as a mouse does; false where the thing is not there, not visible or covered.
    pub fn try_click(&self, selector: &str) -> bool {
        let Some(element) = self.element(selector) else {
            return false;
        };
        let path = format!("{}/element/{element}/click", self.path);
        self.driver.try_call("POST", &path, &json!({})).is_ok()
    }

    pub fn click(&self, selector: &str) {
        let begin = Instant::now();
        while !self.try_click(selector) {
            assert!(
                begin.elapsed() < PATIENCE,
                "cannot click {selector}: {}",
                self.text("document.body.innerText")
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Types into an element, or chooses a file by its path.
    pub fn send(&self, selector: &str, text: &str) {
        let element = self.element(selector).unwrap();
        self.post(&format!("/element/{element}/value"), &json!({"text": text}));
    }

    /// Presses a key wherever the focus is; WebDriver's code of it.
    pub fn press(&self, key: char) {
        let key = key.to_string();
        let actions = json!([{"type": "key", "id": "k", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key},
        ]}]);
        self.post("/actions", &json!({"actions": actions}));
    }

    /// Drags from the middle of one thing to that of another, by `mouse` or `touch`.
    pub fn drag(&self, pointer: &str, from: &str, to: &str) {
        let middle = |selector: &str| -> [i64; 2] {
            let script = format!(
                "const box = document.querySelector('{selector}').getBoundingClientRect();
                 return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]"
            );
            let found = self.script(&script);
            [0, 1].map(|i| found[i].as_i64().unwrap())
        };
        let ([x, y], [to_x, to_y]) = (middle(from), middle(to));
        let go = |x: i64, y: i64| json!({"type": "pointerMove", "duration": 30, "x": x, "y": y});
        let steps = json!([
            go(x, y), {"type": "pointerDown", "button": 0}, go((x + to_x) / 2, (y + to_y) / 2), go(to_x, to_y),
            {"type": "pointerUp", "button": 0},
        ]);
        let kind = json!({"pointerType": pointer});
        let actions =
            json!([{"type": "pointer", "id": pointer, "parameters": kind, "actions": steps}]);
        self.post("/actions", &json!({"actions": actions}));
    }

    /// What the page or its policy complained of since the last time.
    pub fn complaints(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({"type": "browser"}));
        let entries = entries.as_array().unwrap().iter();
        entries.map(|entry| entry["message"].to_string()).collect()
    }
}

impl Drop for Browser<'_> {
    fn drop(&mut self) {
        let _ = self.driver.try_call("DELETE", &self.path, &json!({}));
    }
}
