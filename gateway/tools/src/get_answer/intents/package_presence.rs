//! Whether a repository requires a package: "does it depend on tokio?".

use proto::v1;

use super::super::{confidence::Confidence, side_folders::is_in_side_folder};
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation, counted},
    pattern::{ClauseWords, captures},
};
use crate::arguments::suggested;
use federation::{answer::Answer, repo_idx::RepoIdx, repo_mentions};

/// Required packages of a repository to read.
const MAX_READ: u32 = 1_000;

/// Phrasings of such questions.
const PHRASINGS: [&str; 2] = [
    "does|do {} [directly|actually|really|still|already] depend|rely on|upon {} [as] [a] [dependency]",
    "does|do {} [directly|actually|really|still|already] require|need|use|import {}",
];

/// Subjects that stand for the only repository that is asked.
const PRONOUNS: [&str; 8] =
    ["it", "this", "we", "this project", "the project", "this repo", "this repository", "this library"];

/// A package that a question names.
#[derive(Debug, PartialEq, Eq)]
struct AskedPackage {
    /// The thing that may require it.
    user: String,
    name: String,
}

/// Returns true if a clause asks whether a package is required.
pub(super) fn asks(clause: &str) -> bool {
    asked(clause).is_some()
}

/// Returns true if a clause asks whether the only asked repository requires a package, without its name.
pub(super) fn asks_by_pronoun(clause: &str) -> bool {
    asked(clause).is_some_and(|package| is_pronoun(&package.user))
}

fn is_pronoun(user: &str) -> bool {
    PRONOUNS.contains(&user.to_lowercase().as_str())
}

fn asked(clause: &str) -> Option<AskedPackage> {
    let words = ClauseWords::of(clause);
    let found = PHRASINGS.iter().find_map(|pattern| captures(pattern, &words))?;
    let [user, named] = found.as_slice() else { return None };
    let name = named.strip_prefix("the ").unwrap_or(named);
    // Several words describe something, and are no name.
    (!name.contains(' ')).then(|| AskedPackage { user: user.clone(), name: name.to_owned() })
}

/// Answers for the only repository that is named or asked; `None` if no package has the name, and others have a similar one.
pub(super) async fn answer(context: IntentContext<'_, '_>, clause: &str) -> Option<IntentAnswer> {
    let package = asked(clause)?;
    // A part of a repository may depend on anything.
    let named = repo_mentions::services_named(context.plan, &package.user);
    if named.is_empty() && !is_pronoun(&package.user) {
        return None;
    }
    let repo_idx: RepoIdx = match (named.len(), context.plan.asked.as_slice()) {
        (1, _) => *named.first()?,
        (0, [only]) => *only,
        _ => return None,
    };
    let plan = context.call.visible.plan_for(vec![repo_idx], false);
    let Answer { value: overviews, shortfalls } = context.call.overviews(&plan, MAX_READ).await;
    let overview = overviews.get(&repo_idx)?;
    let alias = text::quote(context.plan.alias(repo_idx));
    let shown = text::quote(&package.name);
    let found: Vec<&v1::DeclaredPackage> = required(overview, &package.name);
    // The product need not require a package that only an example or a test does.
    let of_product = found.iter().filter_map(|one| one.at.as_ref()).find(|at| !is_in_side_folder(&at.path));
    let note = format!("get_overview {} lists all packages", suggested("repo", context.plan.alias(repo_idx)));
    let (said, confidence) = match of_product.or(found.first().and_then(|one| one.at.as_ref())) {
        Some(at) => {
            let only = if of_product.is_some() { "" } else { ", beside the product" };
            let place = citation(context.plan, repo_idx, &at.path, (at.line, at.line));
            let said = format!("Yes: {alias} requires {shown}{only}");
            (CitedText::cited(said, place).then("."), Confidence::Medium)
        }
        // A file with the name may use the package by other means.
        None if is_unknown_name(overview, &package.name) && is_in_no_file(context, &package.name) => {
            (no_such_name(overview, &alias, &shown), Confidence::Low)
        }
        None => return None,
    };
    Some(IntentAnswer::new(vec![said], confidence, note).with_shortfalls(shortfalls))
}

/// Minimum length of a name that is compared with parts of other names.
const MIN_PART_CHARS: usize = 3;

/// Returns true if all required packages are known, there are some, and no name of one begins or ends like a name: a family of packages has
/// many names, and the question may mean any.
fn is_unknown_name(overview: &v1::RepositoryOverview, name: &str) -> bool {
    let is_whole = !overview.requires.is_empty() && overview.requires.len() >= overview.all_requires as usize;
    let wanted = name.to_lowercase();
    let is_alike = |package: &v1::DeclaredPackage| {
        let key = package.key.to_lowercase();
        let mut parts = key.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() >= MIN_PART_CHARS);
        key.contains(&wanted) || parts.any(|part| wanted.starts_with(part) || part.starts_with(&wanted))
    };
    is_whole && wanted.len() >= MIN_PART_CHARS && !overview.requires.iter().any(is_alike)
}

/// Returns true if a word of the question is in no file that was searched.
fn is_in_no_file(context: IntentContext<'_, '_>, name: &str) -> bool {
    let evidence = context.evidence;
    let is_undefined = evidence.undefined.iter().any(|one| one.is_nowhere && one.name.eq_ignore_ascii_case(name));
    let mut absent = evidence.unknown_words.iter().chain(&evidence.absent_in_named).chain(&evidence.absent_things);
    is_undefined || absent.any(|word| word.eq_ignore_ascii_case(name))
}

/// Returns the sentence that no required package has a name. A package with another name may do the same.
fn no_such_name(overview: &v1::RepositoryOverview, alias: &str, shown: &str) -> CitedText {
    let n_packages = counted(overview.requires.len(), "package");
    CitedText::plain(format!("None of the {n_packages} that the known manifests of {alias} require is named {shown}."))
}

/// Returns the required packages with a name. The name of a Go module or a package of Maven is its last part as well.
fn required<'o>(overview: &'o v1::RepositoryOverview, name: &str) -> Vec<&'o v1::DeclaredPackage> {
    let folded = |text: &str| text.replace(['_', '.'], "-").to_lowercase();
    let wanted = folded(name);
    let is_named = |package: &&v1::DeclaredPackage| {
        let full = package.key.split_once(':').map_or(package.key.as_str(), |(_, full)| full);
        let last = full.rsplit([':', '/']).next().unwrap_or(full);
        folded(full) == wanted || folded(last) == wanted
    };
    overview.requires.iter().filter(is_named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_a_package_name_it_by_one_word() {
        for (clause, expected) in [
            ("Does it depend on `crane`?", Some(("it", "crane"))),
            ("does dock still rely on crane-kit", Some(("dock", "crane-kit"))),
            ("Does dock use crane?", Some(("dock", "crane"))),
            ("Does dock require authentication?", Some(("dock", "authentication"))),
            ("does dock depend on the crane of the harbour", None),
            ("what does dock depend on?", None),
            ("does dock depend on", None),
        ] {
            let expected = expected.map(|(user, name)| AskedPackage { user: user.to_owned(), name: name.to_owned() });
            assert_eq!(asked(clause), expected, "{clause}");
        }
    }

    #[test]
    fn a_pronoun_stands_for_the_asked_repository() {
        for (clause, expected) in [
            ("Does it depend on crane?", true),
            ("does this project use crane", true),
            ("does the result depend on timing?", false),
            ("does dock depend on crane", false),
        ] {
            assert_eq!(asks_by_pronoun(clause), expected, "{clause}");
        }
    }

    #[test]
    fn a_name_is_unknown_only_beside_all_others() {
        let package = |key: &str| v1::DeclaredPackage { key: key.to_owned(), ..Default::default() };
        let requires = ["npm:@acme/crane", "maven:org.acme:spring-core", "npm:pg"].map(package).to_vec();
        let overview = |all_requires: u32| v1::RepositoryOverview {
            requires: requires.clone(),
            all_requires,
            ..Default::default()
        };
        for (name, all, expected) in [
            ("express", 3, true),
            ("express", 4, false),
            ("spring", 3, false),
            ("acme", 3, false),
            ("cranes", 3, false),
            ("go", 3, false),
        ] {
            assert_eq!(is_unknown_name(&overview(all), name), expected, "{name} of {all}");
        }
        assert!(!is_unknown_name(&v1::RepositoryOverview::default(), "express"));
    }

    #[test]
    fn packages_are_required_by_their_whole_names() {
        let keys = ["npm:@acme/crane", "go:example.org/tide", "maven:org.acme:berth_plan", "cargo:craned"];
        let package = |key: &str| v1::DeclaredPackage { key: key.to_owned(), ..Default::default() };
        let overview =
            v1::RepositoryOverview { requires: keys.map(package).to_vec(), all_requires: 4, ..Default::default() };
        for (name, expected) in [("crane", 1), ("tide", 1), ("berth-plan", 1), ("plan", 0), ("acme", 0), ("cranes", 0)]
        {
            assert_eq!(required(&overview, name).len(), expected, "{name}");
        }
    }
}
