//! The file size limit (`ulimit -f`). By default, exceeding it ends the process without a message.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// SIGXFSZ, which tokio does not name: 25 on macOS and on Linux except for MIPS and PA-RISC.
const FILE_SIZE_EXCEEDED: i32 = 25;

/// Makes a write beyond the limit fail with an error, like one to a full disk, instead of ending the process. Requires
/// a tokio runtime. Lasts until the process ends, since tokio never removes a signal handler.
pub fn make_an_error() -> io::Result<()> {
    signal(SignalKind::from_raw(FILE_SIZE_EXCEEDED)).map(drop)
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process::Command};

    use super::*;

    /// Set in the process in which the limit holds.
    const LIMITED: &str = "CAUSEWAY_TEST_FILE_SIZE_LIMITED";

    #[tokio::test]
    async fn a_write_beyond_the_limit_fails() {
        if env::var_os(LIMITED).is_none() {
            // The limit applies to a whole process, so the test runs itself again in a separate process.
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
