//! The engine's warnings, told to Python's logger `treeline`.

use log::{LevelFilter, Log, Metadata, Record};
use pyo3::prelude::*;

struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let method = match record.level() {
            log::Level::Error => "error",
            _ => "warning",
        };
        let text = record.args().to_string();
        // Nobody could be told that it failed.
        let _ = Python::try_attach(|py| -> PyResult<()> {
            let logger = py
                .import("logging")?
                .call_method1("getLogger", ("treeline",))?;
            logger.call_method1(method, ("%s", text))?;
            Ok(())
        });
    }

    fn flush(&self) {}
}

/// From now on; a second time changes nothing.
pub fn begin() {
    if log::set_logger(&Logger).is_ok() {
        log::set_max_level(LevelFilter::Warn);
    }
}
