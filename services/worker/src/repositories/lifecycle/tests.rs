//! Every transition of every state, and the pauses between retries.

use embed::EmbedError;
use model::CommitId;

use super::*;

const QUEUED: LifecycleState = LifecycleState::Queued { lane: RunLane::Text, is_forced: false };
const QUEUED_FORCED: LifecycleState = LifecycleState::Queued { lane: RunLane::Text, is_forced: true };
const QUEUED_VECTORS: LifecycleState = LifecycleState::Queued { lane: RunLane::Vectors, is_forced: false };

fn indexing(lane: RunLane, next: AfterRun) -> LifecycleState {
    LifecycleState::Indexing { lane, next }
}

fn load(has_text: bool) -> Option<RunShortfall> {
    Some(RunShortfall::Load(PendingLoad { commit: CommitId([1; 20]), has_text, reason: "not stored".to_owned() }))
}

fn vectors_failed() -> Option<RunShortfall> {
    let error = EmbedError::Unavailable("refused".to_owned());
    Some(RunShortfall::Vectors(MissingVectors::Failed(error)))
}

/// A transition, at the time that all of a test share.
type Transition = fn(&mut RepositoryLifecycle, Instant);

const TRANSITIONS: [(&str, Transition); 12] = [
    ("cloned", |one, _| one.cloned()),
    ("clone_lost", |one, _| one.clone_lost()),
    ("enqueue", |one, _| one.enqueue(false)),
    ("enqueue forced", |one, _| one.enqueue(true)),
    ("head_moved", |one, _| one.head_moved()),
    ("retry_if_due", |one, now| _ = one.retry_if_due(now)),
    ("start_run", |one, _| _ = one.start_run()),
    ("complete_run", |one, now| one.complete_run(None, now)),
    ("vectors pending", |one, now| {
        one.complete_run(Some(RunShortfall::Vectors(MissingVectors::Pending)), now);
    }),
    ("fail_run", |one, now| one.fail_run("broken".to_owned(), Duration::ZERO, now)),
    ("stop_run", |one, _| one.stop_run()),
    ("retire", |one, now| one.retire(now)),
];

#[test]
fn a_refusal_is_like_a_lost_clone_until_it_ends() {
    let now = Instant::now();
    let refused = || Some(UnreadReason::Refused("`HEAD` is a pipe".to_owned()));
    for state in [
        LifecycleState::NotCloned,
        LifecycleState::Idle,
        QUEUED_FORCED,
        indexing(RunLane::Vectors, AfterRun::RunAgain),
        LifecycleState::AwaitsRetry { lane: RunLane::Text, at: now },
        LifecycleState::Retired { since: now },
    ] {
        let [mut lost, mut unread] =
            [(); 2].map(|()| RepositoryLifecycle { state, ..RepositoryLifecycle::new(true, now) });
        lost.clone_lost();
        unread.note_unread(refused());
        assert_eq!(unread.state, lost.state, "{state:?}");
        lost.cloned();
        lost.head_moved();
        unread.note_unread(None);
        assert_eq!(unread.state, lost.state, "{state:?}");
        unread.note_unread(None);
        assert_eq!(unread.state, lost.state, "{state:?}: nothing is new");
    }
}

/// Every state with every transition; a pair that is not listed leaves the state as it is.
#[test]
fn every_transition_of_every_state() {
    use AfterRun::{AwaitClone, ByOutcome, RunAgain};
    use LifecycleState::{AwaitsRetry, Idle, NotCloned, Retired};
    use RunLane::{Text, Vectors};

    let now = Instant::now();
    let retry = |lane, seconds| AwaitsRetry { lane, at: now + Duration::from_secs(seconds) };
    let run = |next| indexing(Text, next);
    let vector_run = |next| indexing(Vectors, next);
    let changes: Vec<(LifecycleState, Vec<(&str, LifecycleState)>)> = vec![
        (NotCloned, vec![("cloned", Idle)]),
        (
            Idle,
            vec![
                ("clone_lost", NotCloned),
                ("enqueue", QUEUED),
                ("enqueue forced", QUEUED_FORCED),
                ("head_moved", QUEUED),
            ],
        ),
        (QUEUED, vec![("clone_lost", NotCloned), ("enqueue forced", QUEUED_FORCED), ("start_run", run(ByOutcome))]),
        (QUEUED_FORCED, vec![("clone_lost", NotCloned), ("start_run", run(ByOutcome))]),
        (
            QUEUED_VECTORS,
            vec![
                ("clone_lost", NotCloned),
                ("enqueue forced", LifecycleState::Queued { lane: Vectors, is_forced: true }),
                ("head_moved", QUEUED),
                ("start_run", vector_run(ByOutcome)),
                // The run of an older life cycle: this one has not read the repository yet.
                ("complete_run", QUEUED),
                ("vectors pending", QUEUED),
            ],
        ),
        (
            run(ByOutcome),
            vec![
                ("clone_lost", run(AwaitClone)),
                ("enqueue", run(RunAgain)),
                ("enqueue forced", run(RunAgain)),
                ("head_moved", run(RunAgain)),
                ("complete_run", Idle),
                ("vectors pending", QUEUED_VECTORS),
                ("fail_run", retry(Text, 10)),
                ("stop_run", Idle),
            ],
        ),
        (
            vector_run(ByOutcome),
            vec![
                ("clone_lost", vector_run(AwaitClone)),
                ("enqueue", vector_run(RunAgain)),
                ("enqueue forced", vector_run(RunAgain)),
                ("head_moved", run(RunAgain)),
                ("complete_run", Idle),
                ("vectors pending", QUEUED_VECTORS),
                ("fail_run", retry(Vectors, 10)),
                ("stop_run", Idle),
            ],
        ),
        (
            run(RunAgain),
            vec![
                ("clone_lost", run(AwaitClone)),
                ("complete_run", QUEUED),
                ("vectors pending", QUEUED),
                ("fail_run", QUEUED),
                ("stop_run", QUEUED),
            ],
        ),
        (
            run(AwaitClone),
            vec![
                ("cloned", run(ByOutcome)),
                ("complete_run", NotCloned),
                ("vectors pending", NotCloned),
                ("fail_run", NotCloned),
                ("stop_run", NotCloned),
            ],
        ),
        (
            retry(Vectors, 0),
            vec![
                ("clone_lost", NotCloned),
                ("enqueue", QUEUED_VECTORS),
                ("enqueue forced", LifecycleState::Queued { lane: Vectors, is_forced: true }),
                ("head_moved", QUEUED),
                ("retry_if_due", QUEUED_VECTORS),
                ("complete_run", retry(Text, 0)),
                ("vectors pending", retry(Text, 0)),
            ],
        ),
        (
            retry(Text, 1),
            vec![
                ("clone_lost", NotCloned),
                ("enqueue", QUEUED),
                ("enqueue forced", QUEUED_FORCED),
                ("head_moved", QUEUED),
            ],
        ),
        (Retired { since: now }, vec![]),
    ];
    for (from, listed) in changes {
        for (name, transition) in TRANSITIONS {
            let mut lifecycle = RepositoryLifecycle { state: from, ..RepositoryLifecycle::new(true, now) };
            transition(&mut lifecycle, now);
            let unlisted = if name == "retire" { Retired { since: now } } else { from };
            let expected = listed.iter().find(|(of, _)| *of == name).map_or(unlisted, |(_, to)| *to);
            assert_eq!(lifecycle.state, expected, "{name} of {from:?}");
        }
    }
}

#[test]
fn pauses_grow_until_a_run_succeeds() {
    let now = Instant::now();
    let mut lifecycle = RepositoryLifecycle::new(true, now);
    let mut pause_after = |ended: &dyn Fn(&mut RepositoryLifecycle)| {
        lifecycle.enqueue(false);
        lifecycle.start_run();
        ended(&mut lifecycle);
        match lifecycle.state {
            LifecycleState::AwaitsRetry { lane, at } => Some((lane, (at - now).as_secs())),
            _ => None,
        }
    };
    let fails = |one: &mut RepositoryLifecycle| one.fail_run("broken".to_owned(), Duration::ZERO, now);
    let lacks = |shortfall: fn() -> Option<RunShortfall>| {
        move |one: &mut RepositoryLifecycle| one.complete_run(shortfall(), now)
    };
    assert_eq!(pause_after(&fails), Some((RunLane::Text, 10)));
    assert_eq!(pause_after(&lacks(vectors_failed)), Some((RunLane::Vectors, 20)));
    assert_eq!(pause_after(&fails), Some((RunLane::Vectors, 30)));
    assert_eq!(pause_after(&lacks(|| load(false))), Some((RunLane::Text, 2)));
    assert_eq!(pause_after(&lacks(|| load(true))), Some((RunLane::Text, 4)));
    assert_eq!(pause_after(&fails), Some((RunLane::Text, 10)));
    assert_eq!(pause_after(&lacks(|| None)), None);
    assert_eq!(pause_after(&lacks(|| load(false))), Some((RunLane::Text, 2)));
    for _ in 0..70 {
        pause_after(&fails);
    }
    assert_eq!(pause_after(&fails), Some((RunLane::Text, 300)));
}

#[test]
fn runs_that_fail_with_the_same_reason_are_retried_ever_later() {
    let now = Instant::now();
    for (reasons, took, moves, expected) in [
        (vec!["bomb"; 8], 0, false, vec![10, 20, 40, 80, 160, 300, 300, 300]),
        (vec!["bomb"; 4], 12, false, vec![10, 108, 108, 108]),
        (vec!["bomb"; 4], 900, false, vec![10, 1_800, 1_800, 1_800]),
        // Another reason, or another commit.
        (vec!["a", "b", "a", "b"], 12, false, vec![10, 20, 30, 40]),
        (vec!["a", "b", "a", "b"], 900, false, vec![10, 900, 900, 900]),
        (vec!["bomb"; 4], 12, true, vec![10, 20, 30, 40]),
    ] {
        let mut lifecycle = RepositoryLifecycle::new(true, now);
        let pauses: Vec<u64> = (reasons.iter())
            .map(|reason| {
                lifecycle.enqueue(false);
                lifecycle.start_run();
                lifecycle.fail_run((*reason).to_owned(), Duration::from_secs(took), now);
                let LifecycleState::AwaitsRetry { at, .. } = lifecycle.state else { panic!("{lifecycle:?}") };
                assert_eq!(lifecycle.run_error.as_deref(), Some(*reason), "the reason stays visible");
                if moves {
                    lifecycle.head_moved();
                }
                (at - now).as_secs()
            })
            .collect();
        assert_eq!(pauses, expected, "{reasons:?} {took} {moves}");
    }
}

#[test]
fn a_failed_run_is_retried_when_its_cause_may_be_gone() {
    let now = Instant::now();
    let fail = |lifecycle: &mut RepositoryLifecycle| {
        lifecycle.start_run();
        lifecycle.fail_run("the disk is full".to_owned(), Duration::from_secs(900), now);
    };
    let mut lifecycle = RepositoryLifecycle::new(true, now);
    assert!(!lifecycle.cause_changed(), "nothing has failed");
    for _ in 0..3 {
        fail(&mut lifecycle);
        assert!(lifecycle.cause_changed() && lifecycle.has_planned_run());
        assert!(!lifecycle.cause_changed(), "it is queued");
    }
    fail(&mut lifecycle);
    let LifecycleState::AwaitsRetry { at, .. } = lifecycle.state else { panic!("{lifecycle:?}") };
    assert_eq!((at - now).as_secs(), 10, "the pauses begin again");
    // Missing vectors are no failure of a run.
    let mut lifecycle = RepositoryLifecycle::new(true, now);
    lifecycle.start_run();
    lifecycle.complete_run(vectors_failed(), now);
    assert!(!lifecycle.cause_changed());
}

#[test]
fn changed_files_of_git_shorten_the_pause_down_to_the_cost_of_a_run() {
    let now = Instant::now();
    for (took, n_failures, until_change, until_changed) in [
        (0, 1, 10, 0),
        (0, 6, 300, 0),
        (2, 1, 10, 0),
        (2, 6, 300, 18),
        (900, 1, 10, 0),
        // The pause is one for the cost.
        (900, 4, 1_800, 1_800),
    ] {
        let mut lifecycle = RepositoryLifecycle::new(true, now);
        lifecycle.files_changed();
        assert_eq!(lifecycle.state, QUEUED, "nothing has failed");
        // A busy repository changes after each failure.
        for failure in 1..=n_failures {
            lifecycle.enqueue(false);
            lifecycle.start_run();
            lifecycle.fail_run("bomb".to_owned(), Duration::from_secs(took), now);
            let pause = |one: &RepositoryLifecycle| match one.state {
                LifecycleState::AwaitsRetry { at, .. } => (at - now).as_secs(),
                state => panic!("{state:?}"),
            };
            let before = pause(&lifecycle);
            let changed = [(); 2].map(|()| {
                lifecycle.files_changed();
                pause(&lifecycle)
            });
            if failure == n_failures {
                assert_eq!((before, changed), (until_change, [until_changed; 2]), "{took} s, {n_failures} times");
            }
        }
        assert!(lifecycle.retry_if_due(now + Duration::from_secs(until_changed)));
    }
    // Missing vectors are no failure of a run.
    let mut lifecycle = RepositoryLifecycle::new(true, now);
    lifecycle.start_run();
    lifecycle.complete_run(vectors_failed(), now);
    let before = lifecycle.state;
    lifecycle.files_changed();
    assert_eq!(lifecycle.state, before);
}

#[test]
fn a_generation_is_behind_until_a_run_has_served_the_commit() {
    let now = Instant::now();
    for (shortfall, moves_meanwhile, is_behind) in [
        (None, false, false),
        (None, true, true),
        (vectors_failed(), false, false),
        (Some(RunShortfall::Vectors(MissingVectors::Pending)), false, false),
        (load(true), false, false),
        (load(false), false, true),
    ] {
        let mut lifecycle = RepositoryLifecycle::new(true, now);
        lifecycle.start_run();
        if moves_meanwhile {
            lifecycle.head_moved();
        }
        lifecycle.complete_run(shortfall, now);
        assert_eq!(lifecycle.behind_since.is_some(), is_behind, "{lifecycle:?}");
    }
}
