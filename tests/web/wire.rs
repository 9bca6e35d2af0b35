//! `treeline web` as anybody with a socket meets it: the real binary, requests written by hand, frames of a WebSocket.

use crate::common::PATIENCE;
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// The program on a port that the system chooses.
pub struct Web {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub host: String,
    /// What it printed.
    pub address: String,
}

impl Web {
    pub fn start(arguments: &[&str]) -> Self {
        Web::listen("0", arguments)
    }

    pub fn listen(at: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_treeline"))
            .args(["web", "--no-open", "--listen", at])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        errors.read_line(&mut line).unwrap();
        // Whatever it logs later must not fill the pipe.
        std::thread::spawn(move || io::copy(&mut errors, &mut io::stderr()));
        let address = line.trim().rsplit(' ').next().unwrap().to_string();
        let port = address.split(':').nth(2).unwrap().split('/').next();
        Web {
            child,
            host: format!("127.0.0.1:{}", port.unwrap()),
            address,
        }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The answer to a request for `path` with these lines of its head; `Host` is added where none of them is one.
    pub fn get(&self, path: &str, lines: &[&str]) -> Answer {
        let mut stream = self.connect();
        let mut head = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
        let named = |line: &&str| line.to_lowercase().starts_with("host:");
        if !lines.iter().any(named) {
            head += &format!("Host: {}\r\n", self.host);
        }
        for line in lines {
            head += &format!("{line}\r\n");
        }
        stream.write_all((head + "\r\n").as_bytes()).unwrap();
        Answer::read(&mut BufReader::new(stream))
    }

    /// A page's dialogue.
    pub fn page(&self) -> Page {
        let origin = format!("Origin: http://{}", self.host);
        self.try_page(&[&origin]).unwrap()
    }

    /// The same with these lines in the request; the answer where the server does not agree.
    pub fn try_page(&self, lines: &[&str]) -> Result<Page, Answer> {
        let mut stream = self.connect();
        let mut head = "GET /talk HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            .to_string();
        if !lines.iter().any(|line| line.starts_with("Host:")) {
            head += &format!("Host: {}\r\n", self.host);
        }
        for line in lines {
            head += &format!("{line}\r\n");
        }
        stream.write_all((head + "\r\n").as_bytes()).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let answer = Answer::read(&mut reader);
        match answer.status {
            101 => Ok(Page { stream, reader }),
            _ => Err(answer),
        }
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// KiB that the process holds; `None` where the system does not say.
    pub fn kibibytes(&self) -> Option<u64> {
        let path = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(path).ok()?;
        let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a server answers.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// In lower case.
    pub head: String,
    pub body: String,
}

impl Answer {
    fn read(reader: &mut BufReader<TcpStream>) -> Self {
        let mut head = String::new();
        while reader.read_line(&mut head).unwrap() > 0 && !head.ends_with("\r\n\r\n") {}
        let status = head
            .split(' ')
            .nth(1)
            .map_or(0, |code| code.parse().unwrap());
        let head = head.to_lowercase();
        let length = head.split("content-length: ").nth(1);
        let length = length.and_then(|rest| rest.split('\r').next()?.parse().ok());
        let mut body = Vec::new();
        if status != 101 {
            // A reset after the answer is no less an answer, and who was refused an upgrade may go on asking.
            let _ = reader
                .take(length.unwrap_or(u64::MAX))
                .read_to_end(&mut body);
        }
        let body = String::from_utf8_lossy(&body).into_owned();
        Answer { status, head, body }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(&format!("{name}: ")))
    }
}

/// One side of a WebSocket.
pub struct Page {
    pub stream: TcpStream,
    reader: BufReader<TcpStream>,
}

pub const TEXT: u8 = 1;
pub const BINARY: u8 = 2;

impl Page {
    /// Sends one frame; an error when the other side is gone.
    pub fn send(&mut self, kind: u8, content: &[u8]) -> io::Result<()> {
        let mut frame = header(kind, content.len());
        // A mask of zeros changes nothing.
        frame.extend([0; 4]);
        frame.extend(content);
        self.stream.write_all(&frame)
    }

    pub fn say(&mut self, question: &Value) {
        self.send(TEXT, question.to_string().as_bytes()).unwrap();
    }

    /// The next text, or the code with which the other side closed; 0 where it just went away.
    pub fn hear(&mut self) -> Result<Value, u16> {
        loop {
            let mut head = [0; 2];
            if self.reader.read_exact(&mut head).is_err() {
                return Err(0);
            }
            let mut length = u64::from(head[1] & 127);
            if length >= 126 {
                let mut bytes = [0; 8];
                let count = if length == 126 { 2 } else { 8 };
                self.reader.read_exact(&mut bytes[8 - count..]).unwrap();
                length = u64::from_be_bytes(bytes);
            }
            let mut content = vec![0; length as usize];
            self.reader.read_exact(&mut content).unwrap();
            match head[0] & 15 {
                1 => return Ok(serde_json::from_slice(&content).unwrap()),
                8 => return Err(u16::from_be_bytes([content[0], content[1]])),
                _ => {}
            }
        }
    }

    /// The last answer to a question, and how many came before it.
    pub fn ask(&mut self, question: &Value) -> Value {
        self.say(question);
        self.last(&question["id"])
    }

    /// The last answer to the question of this number; others are thrown away.
    pub fn last(&mut self, id: &Value) -> Value {
        loop {
            let answer = self.hear().unwrap();
            if answer["id"] == *id && answer["isDuringSearch"] != true {
                return answer;
            }
        }
    }
}

/// The head of a masked frame of so many bytes.
pub fn header(kind: u8, length: usize) -> Vec<u8> {
    let mut head = vec![0x80 | kind];
    match length {
        0..126 => head.push(0x80 | length as u8),
        126..65536 => {
            head.push(0x80 | 126);
            head.extend((length as u16).to_be_bytes());
        }
        _ => {
            head.push(0x80 | 127);
            head.extend((length as u64).to_be_bytes());
        }
    }
    head
}
