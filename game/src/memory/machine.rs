//! How much memory the machine has, and how much of it is free: what Linux says, and the limits of the control groups that
//! this process is in. Other systems say nothing.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of memory that this process could have at most; `None` where nobody says.
pub fn total() -> Option<u64> {
    let limits = groups().into_iter().filter_map(|group| group.limit());
    meminfo("MemTotal:").into_iter().chain(limits).min()
}

/// Bytes that it could still take; `None` where nobody says.
pub fn free() -> Option<u64> {
    let left = groups().into_iter().filter_map(|group| {
        let used = group.number("memory.current", "memory.usage_in_bytes")?;
        Some(group.limit()?.saturating_sub(used))
    });
    meminfo("MemAvailable:").into_iter().chain(left).min()
}

fn meminfo(name: &str) -> Option<u64> {
    let told = fs::read_to_string("/proc/meminfo").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes << 10)
}

/// A control group's folder.
struct Group(PathBuf);

impl Group {
    fn limit(&self) -> Option<u64> {
        self.number("memory.max", "memory.limit_in_bytes")
    }

    /// What a file of version 2 says, or else of version 1; `None` for "max" and where there is no such file.
    fn number(&self, name: &str, old_name: &str) -> Option<u64> {
        [name, old_name].iter().find_map(|name| {
            let told = fs::read_to_string(self.0.join(name)).ok()?;
            told.trim().parse().ok()
        })
    }
}

/// The group of this process and those around it, in both versions; seen from within a container they may be the root alone.
fn groups() -> Vec<Group> {
    let told = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut groups = Vec::new();
    for line in told.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let root = match controllers {
            "" => "/sys/fs/cgroup",
            _ if controllers.split(',').any(|name| name == "memory") => "/sys/fs/cgroup/memory",
            _ => continue,
        };
        let path = Path::new(path.trim_start_matches('/'));
        groups.extend(
            path.ancestors()
                .map(|path| Group(Path::new(root).join(path))),
        );
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_machine_has_more_than_is_free_of_it() {
        let (total, free) = (total().unwrap(), free().unwrap());
        assert!((1 << 20) < free && free <= total, "{free} {total}");
    }

    #[test]
    fn a_group_says_a_number_or_nothing() {
        let folder = std::env::temp_dir().join(format!("treeline-group-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let group = Group(folder.clone());
        assert_eq!(group.limit(), None);
        fs::write(folder.join("memory.max"), "max\n").unwrap();
        assert_eq!(group.limit(), None);
        fs::write(folder.join("memory.max"), "536870912\n").unwrap();
        assert_eq!(group.limit(), Some(512 << 20));
        fs::remove_dir_all(&folder).unwrap();
    }
}
