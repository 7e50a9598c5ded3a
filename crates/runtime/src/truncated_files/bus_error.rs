//! The handler of SIGBUS.
#![allow(unsafe_code)]

use std::{
    env, io, mem,
    os::{raw::c_int, unix::ffi::OsStringExt},
    ptr,
    sync::OnceLock,
};

use super::note;

/// The mappings of the process, one on a line: `start-end permissions offset device inode path`.
const MAPPINGS: &[u8] = b"/proc/self/maps\0";

/// Maximum length of a line of them: a path of 4,096 bytes, in which a line feed takes four, and 100 bytes before it.
const MAX_LINE_BYTES: usize = 17 << 10;

/// The path of the program, whose constants are mapped like files of git.
static PROGRAM: OnceLock<Vec<u8>> = OnceLock::new();

/// A part of the names of shared libraries, of which the same is true.
const LIBRARY: &[u8] = b".so";

/// Handles SIGBUS from now on.
pub(super) fn handle() -> io::Result<()> {
    PROGRAM.get_or_init(|| env::current_exe().map_or_else(|_| Vec::new(), |path| path.into_os_string().into_vec()));
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

/// A mapping in which a read failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailedMapping {
    /// A file that the library for git maps, and the end of the mapping.
    OfGit(usize),
    /// Zeros: another thread has replaced the part meanwhile, so that the read succeeds when it is tried again.
    Replaced,
    Other,
}

/// Replaces the truncated part of a mapping, or has the signal end the process.
extern "C" fn on_bus_error(_: c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid description of the signal. `errno` belongs to this thread, and is restored for the code that the
    // signal interrupted.
    unsafe {
        let errno = *libc::__errno_location();
        let (address, code) = ((*info).si_addr() as usize, (*info).si_code);
        let failed = if code == libc::BUS_ADRERR { find_mapping(address) } else { FailedMapping::Other };
        match failed {
            FailedMapping::OfGit(end) if replace(address, end) => {}
            FailedMapping::Replaced => {}
            _ => {
                libc::signal(libc::SIGBUS, libc::SIG_DFL);
                // The read is tried again and ends the process. A signal that another process sent has to be raised again.
                if code <= 0 {
                    libc::raise(libc::SIGBUS);
                }
            }
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

/// Finds the mapping with an address, and counts it if it is of git. It allocates nothing, as a signal handler must.
fn find_mapping(address: usize) -> FailedMapping {
    let mut line = [0; MAX_LINE_BYTES];
    let mut n_bytes = 0;
    let mut found = None;
    let mut chunk = [0_u8; 4096];
    // SAFETY: the path ends in a zero, and the kernel writes into the chunk no more than its length.
    let maps = unsafe { libc::open(MAPPINGS.as_ptr().cast(), libc::O_RDONLY | libc::O_CLOEXEC) };
    while found.is_none() && maps >= 0 {
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
            if let Some(line) = line.get(..n_bytes).filter(|_| found.is_none()) {
                found = mapping_on_line(line, address);
                // It is counted before it is replaced: whoever reads zeros finds the count.
                if matches!(found, Some(FailedMapping::OfGit(_))) {
                    note(path_on_line(line));
                }
            }
            n_bytes = 0;
        }
    }
    if maps >= 0 {
        // SAFETY: the descriptor was opened above.
        unsafe { libc::close(maps) };
    }
    found.unwrap_or(FailedMapping::Other)
}

/// Returns the mapping on a line if it has the address. The library for git maps privately and reads only; an index is shared.
fn mapping_on_line(line: &[u8], address: usize) -> Option<FailedMapping> {
    let mut fields = line.splitn(3, |byte| matches!(byte, b'-' | b' '));
    let (start, end) = (hexadecimal(fields.next()?)?, hexadecimal(fields.next()?)?);
    if !(start..end).contains(&address) {
        return None;
    }
    // Permissions, offset, device, inode, and the path behind blanks.
    let mut fields = fields.next()?.splitn(5, |byte| *byte == b' ');
    let (permissions, inode) = (fields.next()?, fields.nth(2)?);
    let path = fields.next().unwrap_or_default().trim_ascii_start();
    let is_program = PROGRAM.get().is_some_and(|program| program == path);
    let is_library = path.windows(LIBRARY.len()).any(|part| part == LIBRARY);
    Some(match (permissions, inode) {
        (b"r--p", b"0") => FailedMapping::Replaced,
        (b"r--p", _) if !is_program && !is_library => FailedMapping::OfGit(end),
        _ => FailedMapping::Other,
    })
}

/// Returns the path on a line: the sixth field, behind blanks.
fn path_on_line(line: &[u8]) -> &[u8] {
    line.splitn(6, |byte| *byte == b' ').nth(5).unwrap_or_default().trim_ascii_start()
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    digits.iter().try_fold(0_usize, |number, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        number.checked_mul(16)?.checked_add(digit as usize)
    })
}

#[cfg(test)]
mod tests {
    use std::{os::unix::process::ExitStatusExt, process::Command, sync::Barrier, thread};

    use memmap2::{Mmap, MmapOptions};

    use super::*;
    use crate::truncated_files::{count, count_below, survive};

    /// Set in the process that reads truncated files: the way in which they are mapped.
    const MAPPED: &str = "CAUSEWAY_TEST_MAPPED";

    const N_THREADS: usize = 8;

    /// Returns a file of three pages that is truncated to one after it was mapped, and the length of a page.
    fn truncated(is_shared: bool) -> (Mmap, usize) {
        // SAFETY: it only reads a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut &file, &vec![1; 3 * page]).unwrap();
        // SAFETY: the test is about files that are truncated while they are mapped.
        let map = unsafe { if is_shared { Mmap::map(&file) } else { MmapOptions::new().map_copy_read_only(&file) } };
        file.set_len(page as u64).unwrap();
        (map.unwrap(), page)
    }

    /// Reads truncated files in another process, and returns the signal that ended it.
    fn signal_of_reader(mapped: &str) -> Option<i32> {
        let this = "truncated_files::bus_error::tests::a_truncated_file_of_git_reads_as_zeros";
        let mut reader = Command::new(env::current_exe().unwrap());
        let status = reader.args(["--exact", "--nocapture", this]).env(MAPPED, mapped).output().unwrap().status;
        assert!(status.success() || status.signal().is_some(), "{mapped}: {status}");
        status.signal()
    }

    #[test]
    fn a_truncated_file_of_git_reads_as_zeros() {
        if let Ok(mapped) = env::var(MAPPED) {
            survive().unwrap();
            if mapped == "sent" {
                // SAFETY: it has no other effect than the signal.
                unsafe { libc::raise(libc::SIGBUS) };
            }
            // Each file is read by threads that begin at once, and the second file after all of them.
            for n_before in [0, 1] {
                let (map, page) = truncated(mapped == "shared");
                let start = Barrier::new(N_THREADS);
                thread::scope(|scope| {
                    (0..N_THREADS).for_each(|_| {
                        scope.spawn(|| {
                            start.wait();
                            assert_eq!((map[page - 1], map[page], map[3 * page - 1]), (1, 0, 0));
                        });
                    });
                });
                assert!(count() > n_before, "{n_before}");
                let n_below = |folder: &str| count_below(&[std::fs::canonicalize(folder).unwrap()]);
                assert!(n_below(env::temp_dir().to_str().unwrap()) > n_before, "{n_before}");
                assert_eq!(n_below("/usr"), 0, "another folder");
            }
            return;
        }
        assert_eq!(signal_of_reader("private"), None);
        assert_eq!(signal_of_reader("shared"), Some(libc::SIGBUS), "a file of an index");
        assert_eq!(signal_of_reader("sent"), Some(libc::SIGBUS));
    }

    #[test]
    fn mappings_are_read() {
        use FailedMapping::{OfGit, Other, Replaced};
        let line = b"7f00-7f20 r--p 00000000 fe:00 42                         /srv/a b/.git/objects/pack/pack-1.idx";
        for (address, found) in
            [(0x7f00, Some(OfGit(0x7f20))), (0x7f1f, Some(OfGit(0x7f20))), (0x7f20, None), (0x7eff, None)]
        {
            assert_eq!(mapping_on_line(line, address), found, "{address:x}");
        }
        assert_eq!(path_on_line(line), b"/srv/a b/.git/objects/pack/pack-1.idx");
        assert_eq!(path_on_line(b"7f00-7f20 r--p 0 00:00 0"), b"");
        for (rest, found) in [
            (&b"r--s 0 fe:00 42 /data/a.idx"[..], Other),
            (b"rw-p 0 fe:00 42 /srv/objects/pack/a.pack", Other),
            (b"r--p 0 fe:00 42 /usr/lib/libc.so.6", Other),
            (b"r--p 0 00:00 0 ", Replaced),
            (b"r--p 0 00:00 0", Replaced),
        ] {
            assert_eq!(mapping_on_line(&[&b"7f00-7f20 "[..], rest].concat(), 0x7f00), Some(found));
        }
        assert_eq!(mapping_on_line(b"", 0), None);
    }
}
