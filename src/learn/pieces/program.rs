//! Which program this is: the same version in another build may play other games.

use std::sync::OnceLock;

/// The program's name, its version and a checksum of its file, such as `treeline 0.1.0, build 5d3ab2f1`. Two files that are
/// called alike play the same games.
pub fn program() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let version = env!("CARGO_PKG_VERSION");
        let bytes = std::env::current_exe().and_then(std::fs::read);
        match bytes {
            Ok(bytes) => format!("treeline {version}, build {:08x}", crc32c::crc32c(&bytes)),
            Err(error) => format!("treeline {version}, whose file cannot be read: {error}"),
        }
    })
}
