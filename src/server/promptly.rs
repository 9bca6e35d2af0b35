//! Threads that wait and hand on: a line that stops a search must be read while searches keep every core busy.

/// Lets the system run this thread as soon as it has something to do, and only briefly, by asking for the shortest turns
/// (Linux from 6.12 on; elsewhere nothing changes). Its share of the processor stays what it was. Not for threads that compute:
/// they would change places all the time.
#[cfg(target_os = "linux")]
pub fn run_promptly() {
    /// The shortest that the system grants.
    const TURN_NANOSECONDS: u64 = 100_000;
    const MYSELF: libc::pid_t = 0;
    let size = size_of::<libc::sched_attr>();
    // SAFETY: a structure of integers, for which all zeroes are valid.
    let mut now: libc::sched_attr = unsafe { std::mem::zeroed() };
    // SAFETY: the system writes at most `size` bytes into `now`.
    let asked = unsafe { libc::syscall(libc::SYS_sched_getattr, MYSELF, &raw mut now, size, 0) };
    if asked != 0 || now.sched_policy != libc::SCHED_OTHER as u32 {
        return;
    }
    now.sched_runtime = TURN_NANOSECONDS;
    // SAFETY: the system reads `now.size` bytes of it, which it has just written there itself.
    if unsafe { libc::syscall(libc::SYS_sched_setattr, MYSELF, &raw const now, 0) } != 0 {
        log::debug!("no short turns: {}", std::io::Error::last_os_error());
    }
}

#[cfg(not(target_os = "linux"))]
pub fn run_promptly() {}
