//! Any bytes as a dialogue: the server must answer every line in a whole frame and come to its end.

#![no_main]

use libfuzzer_sys::fuzz_target;
use treeline::server::{Source, serve};
use treeline_fuzz::{check_replies, settings};

fuzz_target!(|input: &[u8]| {
    let mut output = Vec::new();
    let reader = std::io::Cursor::new(input.to_vec());
    serve(reader, &mut output, &settings(), Source::Connection).expect("memory does not fail");
    check_replies(&String::from_utf8(output).expect("replies are UTF-8"));
});
