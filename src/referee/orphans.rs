//! What engines started and left behind: a process that leaves its engine's group is not killed with it.
//!
//! On Linux this process can ask to become the parent of such orphans; whatever children it has when a match is over are theirs.
//! A process of its own is what that wants, since it takes every child for an engine's, so the command line asks for it.

/// Makes orphans of the engines started from now on children of this process.
#[cfg(target_os = "linux")]
pub fn adopt() {
    if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        log::debug!("what engines leave behind is not adopted: {error}");
    }
}

/// Kills all children of this process and waits for them. For the end, when no engine runs any more.
#[cfg(target_os = "linux")]
pub fn end() {
    use rustix::process::{Signal, WaitOptions, kill_process, waitpid};
    // Each that dies may leave children of its own; one that the system cannot kill is not waited for for ever.
    for _ in 0..1000 {
        let children = children();
        if children.is_empty() {
            return;
        }
        for child in children {
            // It is ours until it is waited for, so that nobody else has its number.
            let _ = kill_process(child, Signal::KILL);
            let _ = waitpid(Some(child), WaitOptions::NOHANG);
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    log::warn!("processes that engines started cannot be ended");
}

/// The children of all threads.
#[cfg(target_os = "linux")]
fn children() -> Vec<rustix::process::Pid> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let lists = threads.flatten().filter_map(|thread| {
        // Not there where the kernel was built without it.
        std::fs::read_to_string(thread.path().join("children")).ok()
    });
    let numbers = lists.flat_map(|list| {
        let numbers = list.split_whitespace().filter_map(|word| word.parse().ok());
        numbers.collect::<Vec<i32>>()
    });
    numbers.filter_map(rustix::process::Pid::from_raw).collect()
}

#[cfg(not(target_os = "linux"))]
pub fn adopt() {}

#[cfg(not(target_os = "linux"))]
pub fn end() {}
