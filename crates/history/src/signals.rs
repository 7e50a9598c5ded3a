//! Computes the signals of a file: churn, ownership, co-change, last changes and messages.

use std::cmp::Ordering;

use model::{FileChange, FileHistory, Message, Ownership, history::RECENT_SECONDS};
use rustc_hash::FxHashMap;

use crate::{
    History, MAX_MESSAGES_OF_FILE,
    co_change::CoChanges,
    decay,
    people::person_key,
    state::{FileCommit, first_touch, newest_touches},
};

/// Maximum number of owners of one file. The others own almost nothing.
pub const MAX_OWNERS: usize = 5;

/// Maximum number of listed changes of one file.
pub const MAX_CHANGES: usize = 10;

/// The signals of the files of a history. Prepared once; the signals of each file are computed on demand.
pub struct Signals<'a> {
    pub(crate) history: &'a History,
    /// The age in seconds and the weight of each commit.
    pub(crate) ages: Vec<(u64, f64)>,
    /// The person of each author: the first author whose name has an equal [`person_key`].
    people: Vec<u32>,
    pub(crate) co_changes: CoChanges<'a>,
}

impl<'a> Signals<'a> {
    /// Prepares the signals of the files that exist. A history also contains files that a subtree merge brought in under other
    /// names, or that a merge lost; the list of files of the commit is authoritative.
    pub fn new(history: &'a History, exists: impl Fn(&str) -> bool) -> Signals<'a> {
        let newest = history.newest.get().unwrap_or(0);
        let age = |commit: &FileCommit| decay::age(newest, commit.at);
        let ages = history.commits.iter().map(age).map(|age| (age, decay::weight(age))).collect();
        let mut seen = FxHashMap::default();
        let people = history.authors.names.iter().zip(0..);
        let people = people.map(|(name, position): (_, u32)| *seen.entry(person_key(name)).or_insert(position));
        Signals { history, ages, people: people.collect(), co_changes: CoChanges::new(history, exists) }
    }

    /// Returns the paths of all existing files, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &'a str> {
        self.co_changes.paths()
    }

    /// Returns the signals of a file; `None` if it does not exist.
    pub fn file(&self, path: &str) -> Option<FileHistory> {
        let touches = self.co_changes.touches(path)?;
        let human_touches: Vec<&u32> =
            touches.iter().filter(|touch| !self.history.commits[**touch as usize].is_robot).collect();
        let mut file = FileHistory {
            n_commits: count(human_touches.len()),
            changes: newest_touches(&self.history.commits, touches)
                .into_iter()
                .map(|touch| self.change(touch))
                .collect(),
            first_change: first_touch(&self.history.commits, touches).map(|touch| self.change(touch)),
            co_changes: self.co_changes.of_file(path, |touch| self.ages[touch as usize].1),
            ..FileHistory::default()
        };
        let (mut churn, mut fix_churn) = (0.0, 0.0);
        let mut shares: Vec<AuthorShare> = Vec::new();
        for touch in human_touches {
            let commit = &self.history.commits[*touch as usize];
            let (age, weight) = self.ages[*touch as usize];
            let window = age / RECENT_SECONDS;
            file.n_recent += u32::from(window == 0);
            file.n_before += u32::from(window == 1);
            churn += weight;
            if commit.is_fix {
                file.n_fixes += 1;
                fix_churn += weight;
            }
            let person = self.people[commit.author as usize];
            let name = commit.author;
            shares.push(AuthorShare { person, name, weight, n_recent: u32::from(window == 0), last: *touch });
        }
        (file.churn, file.fix_churn) = (churn as f32, fix_churn as f32);
        self.add_owners(&mut file, sum_by_person(shares), churn);
        Some(file)
    }

    /// Returns the messages of the informative commits of a file, newest first: commits by people that did not touch too many
    /// files.
    pub fn messages(&self, path: &str) -> impl Iterator<Item = Message<'a>> + use<'a> {
        let commits = &self.history.commits;
        let touches = self.co_changes.touches(path).into_iter().flatten().rev();
        let informative = touches.map(|touch| &commits[*touch as usize]).filter(|commit| commit.is_informative());
        informative.take(MAX_MESSAGES_OF_FILE).map(|commit| Message {
            subject: &commit.subject,
            body: &commit.body,
            n_files: commit.n_files,
        })
    }

    pub(crate) fn change(&self, touch: u32) -> FileChange {
        let commit = &self.history.commits[touch as usize];
        FileChange {
            commit: commit.id.expect("the first and the last commits of a file and recent commits keep their ids"),
            at: commit.at,
            age: self.ages[touch as usize].0,
            author: self.history.authors.names[commit.author as usize].clone(),
            subject: commit.subject.clone(),
            is_robot: commit.is_robot,
        }
    }

    fn add_owners(&self, file: &mut FileHistory, mut shares: Vec<AuthorShare>, total: f64) {
        let name = |share: &AuthorShare| self.history.authors.names[share.name as usize].clone();
        let by_name = |a: &AuthorShare, b: &AuthorShare| {
            let names = &self.history.authors.names;
            names[a.name as usize].cmp(&names[b.name as usize])
        };
        shares.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| by_name(a, b)));
        let mut held_weight = 0.0;
        let holders = shares.iter().take_while(|share| {
            let is_needed = held_weight <= total / 2.0;
            held_weight += share.weight;
            is_needed
        });
        file.bus_factor = count(holders.count());
        file.n_authors = count(shares.len());
        let owners = shares.iter().take(MAX_OWNERS);
        file.owners =
            owners.map(|share| Ownership { author: name(share), share: (share.weight / total) as f32 }).collect();
        let most_recent =
            |a: &&AuthorShare, b: &&AuthorShare| -> Ordering { (a.n_recent, a.last).cmp(&(b.n_recent, b.last)) };
        file.recent_owner = shares.iter().filter(|share| share.n_recent > 0).max_by(most_recent).map(name);
    }
}

/// The share of one person in a file.
struct AuthorShare {
    person: u32,
    /// The spelling of the name in the person's newest commit to the file.
    name: u32,
    weight: f64,
    n_recent: u32,
    last: u32,
}

/// Sums up the shares of each person; the commits are ordered oldest first.
fn sum_by_person(mut shares: Vec<AuthorShare>) -> Vec<AuthorShare> {
    shares.sort_by_key(|share| share.person);
    shares.dedup_by(|next, sum| {
        let is_same = next.person == sum.person;
        if is_same {
            (sum.name, sum.last) = (next.name, next.last);
            sum.weight += next.weight;
            sum.n_recent += next.n_recent;
        }
        is_same
    });
    shares
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MAX_FILES_OF_INFORMATIVE_COMMIT, testing};

    fn file(lines: &[&str]) -> FileHistory {
        let history = testing::history(lines);
        Signals::new(&history, |_| true).file("x").expect("the file is there")
    }

    /// Returns the history of a file with one commit of each author.
    fn file_by(authors: &[&str]) -> FileHistory {
        let mut history = History::new(model::Extent::Whole);
        for (author, number) in authors.iter().zip(0..) {
            let mut commit = testing::commit("a 0 one: ~x", number);
            commit.author.name = (*author).to_owned();
            history.extend(commit);
        }
        Signals::new(&history, |_| true).file("x").expect("the file is there")
    }

    fn check<T: PartialEq + std::fmt::Debug>(lines: &[&str], signal: impl Fn(FileHistory) -> T, expected: T) {
        assert_eq!(signal(file(lines)), expected, "{lines:?}");
    }

    #[test]
    fn churn_halves_with_every_half_life_before_the_newest_commit() {
        let churn = |file: FileHistory| (file.n_commits, file.churn);
        check(&["a 0 one: +x"], churn, (1, 1.0));
        check(&["a 0 one: +x", "a 182 two: ~x"], churn, (2, 1.5));
        check(&["a 0 one: +x", "a 182 two: +y"], churn, (1, 0.5));
        check(&["a 0 one: +x", "merge 364 two:"], churn, (1, 0.25));
        check(&["a 0 one: +x", "c-bot 0 two: ~x"], churn, (1, 1.0));
        check(&["merge 0 one: +x"], churn, (0, 0.0));
        check(&["a 0 one: +x", "a 10 two: +y", "a 20000 three: +z"], churn, (1, (-10.0_f32 / 182.0).exp2()));
    }

    #[test]
    fn a_trend_compares_the_recent_window_with_the_one_before() {
        let trend = |file: FileHistory| (file.n_recent, file.n_before, file.trend());
        check(&["a 0 one: +x"], trend, (1, 0, 2.0));
        check(&["a 0 one: +x", "a 91 two: +y"], trend, (0, 1, 0.5));
        check(&["a 0 one: +x", "a 1 two: ~x", "a 91 three: ~x"], trend, (2, 1, 1.5));
        check(&["a 0 one: +x", "a 182 two: +y"], trend, (0, 0, 1.0));
    }

    #[test]
    fn fixes_are_counted() {
        let fixes = |file: FileHistory| (file.n_fixes, file.fix_churn);
        check(&["a 0 Add x: +x", "a 0 Fix x: ~x", "b 182 Prefix x: ~x"], fixes, (1, 0.5));
        check(&["a 0 Add x: +x", "c-bot 0 Fix x: ~x"], fixes, (0, 0.0));
    }

    #[test]
    fn owners_share_the_churn() {
        let owners = |file: FileHistory| {
            let owners = file.owners.iter().map(|owner| format!("{} {:.2}", owner.author, owner.share));
            (owners.collect::<Vec<_>>().join(", "), file.n_authors, file.bus_factor, file.recent_owner)
        };
        let owned = |text: &str, n, bus, recent: &str| (text.to_owned(), n, bus, Some(recent.to_owned()));
        check(&["a 0 one: +x"], owners, owned("a 1.00", 1, 1, "a"));
        check(&["a 0 one: +x", "b 0 two: ~x"], owners, owned("a 0.50, b 0.50", 2, 2, "b"));
        check(&["a 0 one: +x", "b 182 two: ~x"], owners, owned("b 0.67, a 0.33", 2, 1, "b"));
        check(&["ada 0 one: +x", "Ada 0 two: ~x"], owners, owned("Ada 1.00", 1, 1, "Ada"));
        assert_eq!(file_by(&["Ada M. Byron", "Ada Byron", "Ada Maria Byron"]).n_authors, 2);
        check(
            &["a 0 1: +x", "a 0 2: ~x", "a 0 3: ~x", "a 0 4: ~x", "a 0 5: ~x", "b 182 6: ~x", "b 182 7: ~x"],
            owners,
            owned("a 0.56, b 0.44", 2, 1, "b"),
        );
        check(&["a 0 one: +x", "b 200 two: +y"], owners, ("a 1.00".to_owned(), 1, 1, None));
        check(&["c-bot 0 one: +x"], owners, (String::new(), 0, 0, None));
        let many: Vec<String> = ('a'..='h').map(|author| format!("{author} 0 s: ~x")).collect();
        let many = file(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((many.owners.len(), many.n_authors, many.bus_factor), (MAX_OWNERS, 8, 5));
    }

    #[test]
    fn the_last_change_may_be_by_a_robot() {
        let last = |file: FileHistory| {
            file.last_change()
                .cloned()
                .map(|last| (last.subject, last.author, last.age / testing::DAY as u64, last.is_robot))
        };
        let expected =
            |subject: &str, author: &str, days, is_robot| Some((subject.to_owned(), author.to_owned(), days, is_robot));
        check(&["a 0 one: +x", "b 3 two: ~x", "a 5 three: +y"], last, expected("two", "b", 2, false));
        check(&["a 0 one: +x", "c-bot 3 two: ~x"], last, expected("two", "c-bot", 0, true));
        check(&["merge 0 one: +x"], last, None);
    }

    #[test]
    fn only_the_newest_changes_are_listed() {
        let lines: Vec<String> = (0..50).map(|day| format!("a {day} {day}: ~x")).collect();
        let file = file(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let subjects: Vec<&str> = file.changes.iter().map(|change| change.subject.as_str()).collect();
        assert_eq!(subjects, ["49", "48", "47", "46", "45", "44", "43", "42", "41", "40"]);
    }

    #[test]
    fn the_first_change_is_the_oldest_one() {
        let first = |file: FileHistory| file.first_change.map(|change| change.subject);
        check(&["a 0 one: +x", "a 9 two: ~x"], first, Some("one".to_owned()));
        check(&["a 0 one: +y", "a 9 two: y>x", "a 10 three: ~x"], first, Some("one".to_owned()));
        let lines: Vec<String> = (0..2 * MAX_CHANGES).map(|day| format!("a {day} number{day}: ~x")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        check(&lines, first, Some("number0".to_owned()));
        let saved = History::from_bytes(&testing::history(&lines).to_bytes()).expect("it is readable");
        let file = Signals::new(&saved, |_| true).file("x").expect("the file is there");
        assert_eq!(first(file), Some("number0".to_owned()));
    }

    #[test]
    fn changes_are_in_the_order_of_their_dates() {
        let subjects =
            |file: FileHistory| file.changes.into_iter().map(|change| change.subject).collect::<Vec<_>>().join(" ");
        // A walk visits an old side branch after newer commits of the first parent.
        check(&["a 0 one: +x", "a 9 nine: ~x", "b 3 side: ~x"], subjects, "nine side one".to_owned());
        check(&["a 5 one: +x", "a 5 two: ~x"], subjects, "two one".to_owned());
        let old_branch: Vec<String> = (0..20).map(|number| format!("b {} side{number}: ~x", number + 1)).collect();
        let lines = ["a 0 one: +x", "a 90 ninety: ~x"].into_iter().chain(old_branch.iter().map(String::as_str));
        let file = file(&lines.collect::<Vec<_>>());
        assert_eq!((file.changes.len(), file.changes[0].subject.as_str()), (MAX_CHANGES, "ninety"));
    }

    #[test]
    fn messages_of_informative_commits_are_returned() {
        let sweep: String = (0..MAX_FILES_OF_INFORMATIVE_COMMIT).map(|idx| format!(" +f{idx}")).collect();
        let sweep = format!("a 2 sweep: ~x{sweep}");
        let history = testing::history(&["a 0 one: +x", "c-bot 1 two: ~x", &sweep, "a 3 four: ~x ~y", "a 4 five: ~y"]);
        let signals = Signals::new(&history, |path| path != "y");
        let messages: Vec<_> = signals.messages("x").map(|message| (message.subject, message.n_files)).collect();
        assert_eq!(messages, [("four", 2), ("one", 1)]);
        assert_eq!((signals.messages("y").count(), signals.file("y")), (0, None));
    }

    #[test]
    fn any_date_is_accepted() {
        let far = i64::MAX / testing::DAY;
        for (first, last) in [(-far, far), (far, -far), (0, far), (-far, 0)] {
            let file = file(&[&format!("a {first} one: +x"), &format!("b {last} two: ~x")]);
            assert!(file.churn >= 1.0 && file.churn <= 2.0);
            let shares: f32 = file.owners.iter().map(|owner| owner.share).sum();
            assert!((shares - 1.0).abs() < 1e-6, "{file:?}");
        }
    }

    /// Checks that all figures of a file are finite and within their bounds.
    fn check_sane(lines: &[&str]) {
        let history = testing::history(lines);
        let signals = Signals::new(&history, |_| true);
        for path in signals.paths() {
            let file = signals.file(path).expect("a listed path has signals");
            let figures = [file.churn, file.fix_churn, file.trend()];
            assert!(figures.iter().all(|figure| figure.is_finite() && *figure >= 0.0), "{lines:?}: {file:?}");
            let shares = file.owners.iter().map(|owner| owner.share);
            let confidences = file.co_changes.iter().map(|other| other.confidence);
            assert!(shares.chain(confidences).all(|share| (0.0..=1.0001).contains(&share)), "{lines:?}: {file:?}");
            assert!(file.n_recent + file.n_before <= file.n_commits && file.churn <= file.n_commits as f32);
            assert!(file.bus_factor <= file.n_authors && file.owners.len() <= MAX_OWNERS);
        }
        for active in signals.activity() {
            assert!(active.change.age <= crate::ACTIVITY_SECONDS && !active.paths.is_empty(), "{lines:?}: {active:?}");
        }
    }

    #[test]
    fn odd_histories_stay_sane() {
        let far = i64::MAX / testing::DAY;
        let dates =
            ["0", "-20000", "1", "19000", "19001", "40000", &far.to_string(), &(-far).to_string()].map(str::to_owned);
        for first in &dates {
            for second in &dates {
                for authors in [["Ada", "Grace"], ["unknown", "root"], ["c-bot", "merge"], ["a@b", "Ada"]] {
                    let lines = [
                        format!("{} {first} Fix x: +x +y", authors[0]),
                        format!("{} {second} two: ~x ~y", authors[1]),
                        format!("{} 19000 three: ~x ~y", authors[0]),
                        format!("{} 18990 four: ~x ~y", authors[1]),
                    ];
                    check_sane(&lines.each_ref().map(String::as_str));
                }
            }
        }
        check_sane(&[]);
        check_sane(&["Ada 1 one: ~x"]);
    }

    #[test]
    fn a_future_commit_does_not_age_the_others() {
        let mut lines: Vec<String> = (0..200).map(|day| format!("Ada {} s: ~x", 19_000 + day)).collect();
        let before = file(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        lines.push("Grace 60000 from the future: ~x".to_owned());
        lines.push("Grace 0 from 1970: ~x".to_owned());
        let after = file(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        assert!((after.churn - before.churn - 1.0).abs() < 0.01, "{} {}", before.churn, after.churn);
        assert_eq!((after.n_before, after.n_commits), (before.n_before, 202));
    }

    #[test]
    fn a_large_history_is_summarised() {
        let mut history = History::new(model::Extent::Whole);
        for number in 0..200_000_u32 {
            let line = format!("Ada {} s: ~f{} ~f{}", number / 20, number % 500, number % 499);
            history.extend(testing::commit(&line, number));
        }
        let signals = Signals::new(&history, |_| true);
        assert_eq!(signals.activity().len(), crate::MAX_ACTIVE_COMMITS as usize);
        let file = signals.file("f7").expect("the file is there");
        assert!(file.n_commits > 700 && file.churn.is_finite() && file.changes.len() == MAX_CHANGES);
    }
}
