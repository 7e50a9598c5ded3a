//! The priority of threads that compute: they give way to those that serve connections.
//!
//! A pool of threads takes all cores. With the same priority, a rejection, a probe or the end of a call would wait for the time slices
//! of its threads.

/// The nice value that is added: a third of the weight of a thread that serves connections.
#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
const LOWERED_BY: i32 = 5;

/// Lowers the priority of the calling thread, for its whole life. Other systems than Linux would lower that of the whole process.
pub fn lower() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(LOWERED_BY) {
        tracing::debug!(%error, "the priority of a thread cannot be lowered");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn only_the_priority_of_the_calling_thread_is_lowered() {
        let before = getpriority_process(None).unwrap();
        let lowered = std::thread::spawn(|| {
            lower();
            getpriority_process(None).unwrap()
        });
        assert_eq!(lowered.join().unwrap(), (before + LOWERED_BY).min(19));
        assert_eq!(getpriority_process(None).unwrap(), before);
    }
}
