//! The limit on the size of files (`ulimit -f`), which ends whoever writes beyond it without a word.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// SIGXFSZ, which tokio has no name for: 25 wherever Linux runs but on MIPS and PA-RISC, and on macOS, too.
const FILE_SIZE_EXCEEDED: i32 = 25;

/// Makes a write beyond the limit fail like one to a full disk, instead of ending the process. Wants a runtime; holds
/// until the process ends, since tokio never takes a handler away again.
pub fn make_an_error() -> io::Result<()> {
    signal(SignalKind::from_raw(FILE_SIZE_EXCEEDED)).map(drop)
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process::Command};

    use super::*;

    /// Says that the limit is set already.
    const LIMITED: &str = "CAUSEWAY_TEST_FILE_SIZE_LIMITED";

    #[tokio::test]
    async fn a_write_beyond_the_limit_fails() {
        if env::var_os(LIMITED).is_none() {
            // A limit holds for a whole process, so this test runs once more, alone in one.
            let this = "file_size_limit::tests::a_write_beyond_the_limit_fails";
            let limited = Command::new("sh")
                .args(["-c", "ulimit -f 8 && exec \"$0\" --exact \"$1\""])
                .arg(env::current_exe().unwrap())
                .arg(this)
                .env(LIMITED, "1")
                .output()
                .unwrap();
            assert!(limited.status.success(), "{limited:?}");
            return;
        }
        make_an_error().unwrap();
        let path = env::temp_dir().join(format!("causeway-file-size-{}", std::process::id()));
        let written = fs::write(&path, vec![0; 1 << 20]);
        fs::remove_file(&path).unwrap();
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
