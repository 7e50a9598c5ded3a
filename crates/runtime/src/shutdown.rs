//! Shutdown signals, and the deadline of a shutdown.

use std::{io, process, thread, time::Duration};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::telemetry;

/// Exit code after the second signal: that of a shell for an interrupted program.
const INTERRUPTED: i32 = 130;

/// Exit code after the deadline.
const TOO_LATE: i32 = 1;

/// Maximum wait for a notice to be printed. Standard error may be blocked.
const NOTICE_DEADLINE: Duration = Duration::from_millis(100);

/// Returns a token that the first SIGTERM or SIGINT cancels. The second one ends the process at once, and so does `deadline` after
/// the first one.
///
/// Signals have a separate thread with a separate runtime. So they are obeyed while all other threads are blocked, for example by
/// a store on a full disk.
pub fn on_signal(deadline: Duration) -> io::Result<CancellationToken> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut signals = {
        let _entered = runtime.enter();
        ShutdownSignals { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? }
    };
    let stop = CancellationToken::new();
    let token = stop.clone();
    let obey = async move {
        signals.next().await;
        token.cancel();
        if tokio::time::timeout(deadline, signals.next()).await.is_ok() {
            process::exit(INTERRUPTED);
        }
        telemetry::tell(&format!("the process did not end within {} s, and is cut off", deadline.as_secs_f32()));
        telemetry::flush_log(NOTICE_DEADLINE);
        process::exit(TOO_LATE);
    };
    thread::Builder::new().name("signals".to_owned()).spawn(move || runtime.block_on(obey))?;
    Ok(stop)
}

/// The signals that ask a process to end.
struct ShutdownSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl ShutdownSignals {
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        env,
        io::{BufRead as _, BufReader},
        process::{Command, Stdio},
        sync::mpsc,
    };

    use super::*;

    /// Set in the process that gets the signals: the deadline in milliseconds.
    const DEADLINE: &str = "CAUSEWAY_TEST_SHUTDOWN_DEADLINE";

    /// Sends signals to a process whose main thread is blocked, and returns its exit code.
    fn end_blocked_process(deadline: Duration, signals: &[&str]) -> Option<i32> {
        let this = "shutdown::tests::a_blocked_process_obeys_signals";
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "--nocapture", this]).env(DEADLINE, deadline.as_millis().to_string());
        let mut blocked = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(blocked.stdout.take().unwrap()).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.ends_with("blocked")), "it prints this when it is ready");
        for signal in signals {
            assert!(Command::new("kill").args([*signal, &blocked.id().to_string()]).status().unwrap().success());
        }
        blocked.wait().unwrap().code()
    }

    #[test]
    fn a_blocked_process_obeys_signals() {
        if let Ok(deadline) = env::var(DEADLINE) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            return runtime.block_on(async {
                let stop = on_signal(Duration::from_millis(deadline.parse().unwrap())).unwrap();
                println!("blocked");
                // The only thread of this runtime.
                let (_never, wait) = mpsc::channel::<()>();
                wait.recv().unwrap();
                drop(stop);
            });
        }
        assert_eq!(end_blocked_process(Duration::from_millis(10), &["-TERM"]), Some(TOO_LATE));
        assert_eq!(end_blocked_process(Duration::from_secs(3_600), &["-TERM", "-INT"]), Some(INTERRUPTED));
    }
}
