//! Variables of the environment: those that repositories read, those about some words, and the lines that read one.

use std::collections::{BTreeMap, BTreeSet};

use ::links::ContractKind;
use model::LineSpan;

use super::super::{
    confidence::Confidence,
    links::{AnswerLink, facts},
};
use super::{
    IntentAnswer, IntentContext,
    cited_text::CitedText,
    events::terms,
    source_lines::{SourceLine, matching, read, retrieved_files},
};
use federation::{answer::Answer, fetch::SourceRequest, overlay::kind_name, repo_idx::RepoIdx};

/// Maximum number of listed variables, and of definitions that read them.
const MAX_VARIABLES: usize = 20;
const MAX_DEFINITIONS: usize = 3;

/// Parts of code that read a variable of the environment.
const READS: [&str; 11] = [
    "getenv",
    "os.environ",
    "process.env",
    "env::var",
    "import.meta.env",
    "lookupenv",
    "mapenv",
    "env[",
    "getenvironmentvariable",
    "env.get",
    "_required(",
];

/// Returns true for a name that may be of a variable of the environment.
pub(super) fn is_variable_name(subject: &str) -> bool {
    let is_upper = |word: &str| word.contains('_') && !word.chars().any(char::is_lowercase);
    subject.split(' ').any(is_upper)
}

/// Maximum number of lines that read a variable in an answer.
const MAX_READERS: usize = 2;

/// Returns the lines at which a variable of links is read: they show what replaces it if it is not set.
pub(super) async fn reading_lines(context: IntentContext<'_, '_>, links: &[AnswerLink]) -> Answer<Vec<CitedText>> {
    let request = |link: &AnswerLink| {
        let repo_idx = context.plan.asked.iter().copied().find(|one| context.plan.alias(*one) == link.user.repo)?;
        let lines = LineSpan { start: link.user.line, end: link.user.line };
        Some(SourceRequest { repo_idx, path: link.user.path.clone(), lines })
    };
    let of_variables = links.iter().filter(|link| link.kind == kind_name(ContractKind::Variable));
    let requests: Vec<SourceRequest> = of_variables.filter_map(request).take(MAX_READERS).collect();
    let lines = read(context, requests, |line| !line.trim().is_empty()).await;
    lines.map(|lines| {
        let said = |line: &SourceLine| {
            CitedText::cited(format!("It is read as {}", text::quote(&line.display_text())), line.place(context))
                .then(".")
        };
        lines.iter().map(said).collect()
    })
}

/// Answers which variables repositories read: those that links know, and those that the retrieved files read.
pub(super) async fn of_repositories(context: IntentContext<'_, '_>, named: &BTreeSet<RepoIdx>) -> Option<IntentAnswer> {
    let mut known: BTreeMap<String, CitedText> = BTreeMap::new();
    for fact in facts(context.call, context.overlay) {
        let is_setting = matches!(fact.link.kind, ContractKind::Config | ContractKind::Variable);
        if is_setting && named.contains(&fact.dependent()) {
            let reader = fact
                .link
                .evidence
                .iter()
                .rfind(|step| RepoIdx(step.repository) == fact.dependent() && step.content.starts_with("reads "));
            let (repo_idx, path, line) = match reader {
                Some(step) => (RepoIdx(step.repository), &*step.path, step.line),
                None => (fact.user, &*fact.link.user.path, fact.link.user.line),
            };
            let place = super::cited_text::citation(context.plan, repo_idx, path, (line, line));
            let name = fact.link.key.to_string();
            known
                .entry(name.clone())
                .or_insert_with(|| CitedText::cited(text::quote(&text::sanitise_name(&name)), place));
        }
    }
    let files = retrieved_files(context, named);
    let read_lines = matching(context, &files, is_read).await;
    for line in &read_lines.value {
        for name in variable_names(&line.text) {
            known.entry(name.clone()).or_insert_with(|| CitedText::cited(text::quote(&name), line.place(context)));
        }
    }
    let aliases: Vec<String> = named.iter().map(|repo_idx| text::quote(context.plan.alias(*repo_idx))).collect();
    let lead = format!("{} reads these variables: ", aliases.join(" and "));
    let n_known = known.len();
    // Marks of twenty places are longer than the names: those of one file share the first.
    let items = without_repeated_files(known.into_values().collect());
    let note = format!(
        "the list is of known links and of the {} files that match the question; get_impact of a variable has all its settings",
        files.len().min(super::source_lines::MAX_FILES)
    );
    let sentences = vec![CitedText::listed(&lead, items, MAX_VARIABLES, ".")];
    (n_known > 0).then(|| IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(read_lines.shortfalls))
}

/// Keeps the mark of the first item of each file.
pub(super) fn without_repeated_files(items: Vec<CitedText>) -> Vec<CitedText> {
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    let shortened = items.into_iter().map(|item| {
        let is_new = item.citations.iter().any(|place| seen.insert((place.repo.clone(), place.path.clone())));
        let bare = item.text.split(" [").next().unwrap_or(&item.text).to_owned();
        if is_new { item } else { CitedText::plain(bare) }
    });
    shortened.collect()
}

/// Returns true for a line that reads a variable of the environment. One that only sets a variable reads none.
fn is_read(line: &str) -> bool {
    let line = line.to_lowercase();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_set = |read: &str, rest: &str| {
        let behind = match rest.strip_prefix('.') {
            Some(member) => Some(member.trim_start_matches(is_part)),
            None if read.ends_with('[') || rest.starts_with('[') => rest.split_once(']').map(|(_, behind)| behind),
            None => None,
        };
        let value = behind.and_then(|behind| behind.trim_start().strip_prefix('='));
        value.is_some_and(|value| !value.starts_with(['=', '~', '>']))
    };
    let places = |read: &'static str| line.match_indices(read).map(move |(at, _)| (read, at + read.len()));
    READS.into_iter().flat_map(places).any(|(read, end)| !is_set(read, &line[end..]))
}

/// Maximum number of words before the variables in a question for them: `what are all`.
const MAX_WORDS_BEFORE: usize = 3;

/// Returns true if a question asks which variables of the environment there are.
pub(super) fn asks_which(question: &str) -> bool {
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_plural = |word: &str| matches!(word, "variables" | "vars");
    let asks = words.first().is_some_and(|first| matches!(*first, "which" | "what" | "list" | "show" | "are"));
    let at = words.windows(2).position(|pair| matches!(pair[0], "environment" | "env") && is_plural(pair[1]));
    // `Which file reads the environment variables?` asks for a file.
    let is_grammar = |word: &&str| ranking::query::is_stop_word(word) || matches!(*word, "all" | "other");
    asks && at.is_some_and(|at| (1..=MAX_WORDS_BEFORE).contains(&at) && words[1..at].iter().all(is_grammar))
}

/// Text that finds the code that reads variables of the environment.
const SEARCHED: &str = "environment variable os.environ getenv process.env env::var lookupenv";

/// Maximum number of variables that are an answer to a question for some of them, since a reader must choose.
const MAX_ALL: usize = 12;

/// Answers with all variables that the found files of repositories read, if they are few; `None` if they read none. No word of the
/// question chooses among them.
pub(super) async fn all_variables(context: IntentContext<'_, '_>, named: &BTreeSet<RepoIdx>) -> Option<IntentAnswer> {
    let Answer { value: own, shortfalls } = super::clause_evidence::retrieve(context, SEARCHED).await;
    let plan = context.plan.without(&shortfalls);
    let own_context = IntentContext { plan: &plan, evidence: &own.evidence, ..context };
    let asked = if named.is_empty() { context.plan.asked.iter().copied().collect() } else { named.clone() };
    let product = super::source_lines::files_of_settings(own_context, &asked);
    let product: Vec<(RepoIdx, String)> =
        product.into_iter().filter(|(_, path)| !super::super::side_folders::is_in_side_folder(path)).collect();
    let found = matching(own_context, &product, is_read).await.after(shortfalls);
    let mut known: BTreeMap<(RepoIdx, String), CitedText> = BTreeMap::new();
    for line in &found.value {
        for name in variable_names(&line.text) {
            let item = CitedText::cited(text::quote(&name), line.place(context));
            known.entry((line.repo_idx, name)).or_insert(item);
        }
    }
    if known.is_empty() || known.len() > MAX_ALL {
        return None;
    }
    let lead = "These variables of the environment are read in the code that was found: ";
    let sentences = vec![CitedText::listed(lead, known.into_values().collect(), MAX_ALL, ".")];
    let note =
        "the answer is of the files that match `environment variable`; get_impact of a variable has all its readers";
    Some(IntentAnswer::new(sentences, Confidence::Low, note).with_shortfalls(found.shortfalls))
}

/// Returns the quoted names of variables in a line: capitals with underscores or alone.
fn variable_names(line: &str) -> Vec<String> {
    let is_name = |word: &&str| {
        let starts = word.chars().next().is_some_and(|c| c.is_ascii_uppercase());
        starts && word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    let quoted = line.split(['"', '\'', '`']).skip(1).step_by(2);
    let accessed =
        line.split("env.").skip(1).filter_map(|rest| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next());
    quoted.chain(accessed).filter(is_name).map(str::to_owned).collect()
}

/// Answers which variables of the environment are about some words: their names or their lines have one.
pub(super) async fn variables_about(
    context: IntentContext<'_, '_>,
    files: &[(RepoIdx, String)],
    words: &[String],
) -> Option<IntentAnswer> {
    let asked: BTreeSet<String> = words.iter().flat_map(|word| terms(word)).collect();
    let is_about = |line: &str| is_read(line) && terms(line).iter().any(|term| asked.contains(term));
    let found = matching(context, files, is_about).await;
    let mut by_reader: Vec<(String, Vec<CitedText>)> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for line in &found.value {
        for name in variable_names(&line.text).into_iter().filter(|name| seen.insert(name.clone())).collect::<Vec<_>>()
        {
            let within = super::source_lines::definition_at(context, line).await;
            let reader = within.map_or_else(|| "Code outside of definitions".to_owned(), |within| text::quote(&within));
            let named = CitedText::cited(text::quote(&name), line.place(context));
            match by_reader.iter_mut().find(|(known, _)| *known == reader) {
                Some((_, names)) => names.push(named),
                None => by_reader.push((reader, vec![named])),
            }
        }
    }
    let sentence = |(reader, names): (String, Vec<CitedText>)| {
        let noun = if names.len() == 1 { "variable" } else { "variables" };
        CitedText::listed(&format!("{reader} reads the {noun} "), names, MAX_VARIABLES, ".")
    };
    let sentences: Vec<CitedText> = by_reader.into_iter().take(MAX_DEFINITIONS).map(sentence).collect();
    (!sentences.is_empty()).then(|| {
        let note = "the answer is of the files that match the question; get_impact of a variable has all its readers";
        IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(found.shortfalls)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_known_by_their_notation() {
        assert_eq!(variable_names(r#"port := os.Getenv("PORT_A") + env["x"]"#), ["PORT_A"]);
        assert_eq!(variable_names("const url = process.env.BASE_URL;"), ["BASE_URL"]);
        assert!(is_variable_name("CART_ADDR variable") && !is_variable_name("the cart"));
        for (line, expected) in [
            ("port = ENV[\"PORT\"]", true),
            ("port = os.environ[\"PORT\"]", true),
            ("os.environ[\"PORT\"] = port", false),
            ("if os.environ[\"PORT\"] == port:", true),
            ("environ[\"SERVER_PORT\"] = server[1]", false),
            ("the port of a dock", false),
            ("os.environ[\"A\"] = os.environ[\"B\"]", true),
            ("if ENV[\"PORT\"] =~ /a/", true),
            ("ENV[\"PORT\"] = \"1\"", false),
            ("process.env.PORT = \"1\"", false),
            ("if (process.env.PORT === \"1\")", true),
            ("os.environ.get(\"PORT\")", true),
        ] {
            assert_eq!(is_read(line), expected, "{line}");
        }
        for (question, expected) in [
            ("Which environment variables switch the crane off?", true),
            ("what env vars does the dock have", true),
            ("Which environment variable is read last?", false),
            ("which variables does the dock have in this environment", false),
            ("How are environment variables parsed?", false),
            ("What are the environment variables of the dock?", true),
            ("What prefix do environment variables need?", false),
            ("Which file reads the environment variables?", false),
            ("What is the default of the environment variables parser?", false),
        ] {
            assert_eq!(asks_which(question), expected, "{question}");
        }
    }
}
