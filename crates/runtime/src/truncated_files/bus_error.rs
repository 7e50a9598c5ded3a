//! The handler of SIGBUS.
#![allow(unsafe_code)]

use std::{io, mem, os::raw::c_int, ptr, sync::atomic::Ordering};

use super::N_REPLACED;

/// The mappings of the process, one on a line: `start-end permissions offset device inode path`.
const MAPPINGS: &[u8] = b"/proc/self/maps\0";

/// Maximum length of a line of them: a path of 4,096 bytes, in which a line feed takes four, and 100 bytes before it.
const MAX_LINE_BYTES: usize = 17 << 10;

/// Ends of the paths of files that the library for git maps.
const GIT_FILES: [&[u8]; 5] = [b".pack", b".idx", b"/multi-pack-index", b"/commit-graph", b".graph"];

/// Their folders.
const FOLDERS: [&[u8]; 2] = [b"/objects/pack/", b"/objects/info/"];

/// The end of the path of a file that was removed.
const REMOVED: &[u8] = b" (deleted)";

/// Handles SIGBUS from now on.
pub(super) fn handle() -> io::Result<()> {
    // SAFETY: a zeroed `sigaction` is valid, and the handler calls only functions that are safe in a signal handler.
    let status = unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = on_bus_error as *const () as usize;
        // Without an alternative stack, whose 8 KiB are too small for a line.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigaction(libc::SIGBUS, &action, ptr::null_mut())
    };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Replaces the truncated part of a mapping, or has the signal end the process when the read is tried again.
extern "C" fn on_bus_error(_: c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid description of the signal. `errno` belongs to this thread, and is restored for the code that the
    // signal interrupted.
    unsafe {
        let errno = *libc::__errno_location();
        let address = (*info).si_addr() as usize;
        let is_replaced =
            (*info).si_code == libc::BUS_ADRERR && end_of_git_file(address).is_some_and(|end| replace(address, end));
        if is_replaced {
            N_REPLACED.fetch_add(1, Ordering::SeqCst);
        } else {
            libc::signal(libc::SIGBUS, libc::SIG_DFL);
        }
        *libc::__errno_location() = errno;
    }
}

/// Maps zeros over the pages from that of an address to the end of its mapping.
fn replace(address: usize, end: usize) -> bool {
    // SAFETY: the pages belong to a mapping of a file that can only be read and that its owner reads as bytes. The call changes nothing
    // else, and is a system call alone.
    unsafe {
        let page = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap_or(4096);
        let start = address & !(page - 1);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        let mapped = libc::mmap(start as *mut libc::c_void, end - start, libc::PROT_READ, flags, -1, 0);
        mapped != libc::MAP_FAILED
    }
}

/// Returns the end of the mapping with an address, if it is one of a file of git. It allocates nothing, as a signal handler must.
fn end_of_git_file(address: usize) -> Option<usize> {
    let mut line = [0; MAX_LINE_BYTES];
    let mut n_bytes = 0;
    let mut end = None;
    let mut chunk = [0_u8; 4096];
    // SAFETY: the path ends in a zero, and the kernel writes into the chunk no more than its length.
    let maps = unsafe { libc::open(MAPPINGS.as_ptr().cast(), libc::O_RDONLY | libc::O_CLOEXEC) };
    while end.is_none() && maps >= 0 {
        // SAFETY: as above.
        let n_read = unsafe { libc::read(maps, chunk.as_mut_ptr().cast(), chunk.len()) };
        let Some(read) = usize::try_from(n_read).ok().filter(|n_read| *n_read > 0) else { break };
        for byte in &chunk[..read] {
            if *byte != b'\n' {
                if let Some(place) = line.get_mut(n_bytes) {
                    *place = *byte;
                }
                n_bytes += 1;
                continue;
            }
            end = end.or_else(|| line.get(..n_bytes).and_then(|line| end_of_mapping(line, address)));
            n_bytes = 0;
        }
    }
    if maps >= 0 {
        // SAFETY: the descriptor was opened above.
        unsafe { libc::close(maps) };
    }
    end
}

/// Returns the end of the mapping on a line if it has the address, is only read, and is of a file of git.
fn end_of_mapping(line: &[u8], address: usize) -> Option<usize> {
    let mut fields = line.splitn(3, |byte| matches!(byte, b'-' | b' '));
    let (start, end) = (hexadecimal(fields.next()?)?, hexadecimal(fields.next()?)?);
    let rest = fields.next()?;
    let path = rest.strip_suffix(REMOVED).unwrap_or(rest);
    let is_in = |folder: &[u8]| path.windows(folder.len()).any(|part| part == folder);
    let is_git_file = GIT_FILES.iter().any(|name| path.ends_with(name)) && FOLDERS.iter().any(|folder| is_in(folder));
    ((start..end).contains(&address) && rest.starts_with(b"r--") && is_git_file).then_some(end)
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    digits.iter().try_fold(0_usize, |number, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        number.checked_mul(16)?.checked_add(digit as usize)
    })
}

#[cfg(test)]
mod tests {
    use std::{env, fs, os::unix::process::ExitStatusExt, path::Path, process::Command};

    use memmap2::Mmap;

    use super::*;
    use crate::truncated_files::{count, survive};

    /// Set in the process that reads a truncated file: its path.
    const PATH: &str = "CAUSEWAY_TEST_TRUNCATED_FILE";

    /// Reads a file behind its new end, and returns the signal that ended the process.
    fn signal_of_reader(path: &Path) -> Option<i32> {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, vec![1; 3 * 4096]).unwrap();
        let this = "truncated_files::bus_error::tests::a_truncated_file_of_git_reads_as_zeros";
        let mut reader = Command::new(env::current_exe().unwrap());
        let status = reader.args(["--exact", "--nocapture", this]).env(PATH, path).output().unwrap().status;
        assert!(status.success() || status.signal().is_some(), "{path:?}: {status}");
        status.signal()
    }

    #[test]
    fn a_truncated_file_of_git_reads_as_zeros() {
        if let Some(path) = env::var_os(PATH) {
            survive().unwrap();
            let file = fs::File::options().read(true).write(true).open(path).unwrap();
            // SAFETY: the test is about a file that is truncated while it is mapped.
            let map = unsafe { Mmap::map(&file) }.unwrap();
            file.set_len(4096).unwrap();
            assert_eq!((map[4095], map[4096], map[3 * 4096 - 1]), (1, 0, 0));
            assert_eq!(count(), 1, "the rest of the file is replaced at once");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        for (name, is_survived) in [
            (".git/objects/pack/pack-1.pack", true),
            (".git/objects/pack/a b.idx", true),
            (".git/objects/info/commit-graph", true),
            ("data/objects/text/rows.idx", false),
            ("data/pack-1.pack", false),
        ] {
            let signal = signal_of_reader(&folder.path().join(name));
            assert_eq!(signal, (!is_survived).then_some(libc::SIGBUS), "{name}");
        }
    }

    #[test]
    fn mappings_are_read() {
        let line = b"7f00-7f20 r--s 00000000 fe:00 42                         /srv/a b/.git/objects/pack/pack-1.idx";
        for (address, end) in [(0x7f00, Some(0x7f20)), (0x7f1f, Some(0x7f20)), (0x7f20, None), (0x7eff, None)] {
            assert_eq!(end_of_mapping(line, address), end, "{address:x}");
        }
        let removed = [&line[..], REMOVED].concat();
        assert_eq!(end_of_mapping(&removed, 0x7f00), Some(0x7f20));
        assert_eq!(end_of_mapping(b"7f00-7f20 rw-p 0 fe:00 42 /srv/objects/pack/a.pack", 0x7f00), None);
        assert_eq!(end_of_mapping(b"7f00-7f20 r--p 0 fe:00 0 ", 0x7f00), None);
        assert_eq!(end_of_mapping(b"", 0), None);
    }
}
