//! The events of a file system: where there are none, and names whose events mean nothing.

use std::path::Path;

/// Returns true for the swap, backup and lock files of editors, which live as long as a file is open.
pub fn is_temporary_name(name: &[u8]) -> bool {
    let is_swap =
        name.starts_with(b".") && [b".swp", b".swo", b".swx"].iter().any(|ending| name.ends_with(ending.as_slice()));
    is_swap
        || name == b"4913"
        || name.ends_with(b"~")
        || name.starts_with(b".#")
        || name.ends_with(b"___jb_tmp___")
        || name.ends_with(b"___jb_old___")
        || (name.len() > 2 && name.starts_with(b"#") && name.ends_with(b"#"))
}

/// Returns true if the file system of a folder reports changes. One over the network reports only those of this machine.
#[cfg(target_os = "linux")]
pub fn has_change_events(folder: &Path) -> bool {
    /// Magic numbers of NFS, SMB, SMB 2, CIFS, FUSE, 9P, AFS, Ceph and VirtualBox; see statfs(2).
    const WITHOUT_EVENTS: &[u32] =
        &[0x6969, 0x517B, 0xFE53_4D42, 0xFF53_4D42, 0x6573_5546, 0x0102_1997, 0x5346_414F, 0x00C3_6400, 0x786F_4256];
    rustix::fs::statfs(folder).is_ok_and(|found| !WITHOUT_EVENTS.contains(&(found.f_type as u32)))
}

/// Returns true if the file system of a folder reports changes.
#[cfg(not(target_os = "linux"))]
pub fn has_change_events(_folder: &Path) -> bool {
    true
}
