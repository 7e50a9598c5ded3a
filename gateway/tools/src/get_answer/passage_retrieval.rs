//! Reads the files of the best hits and returns the passages in them that may answer a question, as sentences with code.

use futures::future::{join, join_all};
use model::{FileClass, Language, LineSpan};
use proto::v1;

use super::{
    answer_text::quotation,
    asked_terms::AskedTerms,
    best_location,
    body::Citation,
    evidence_retrieval::AnswerEvidence,
    extractive_answer::QuestionTerms,
    passage_lines,
    passages::{self, PassageFile},
    question::Question,
    sentences::sentences,
    shortened::shortened,
    side_folders,
};
use federation::{
    answer::Answer, call::CallContext, fetch::StoredSource, outline, plan::Plan, repo_idx::RepoIdx, repo_mentions,
    symbol_matches, symbol_ref,
};

/// Maximum number of files whose definitions are compared, and of lines of one.
const MAX_FILES: usize = 10;
const MAX_FILE_LINES: u32 = 4_000;

/// Maximum number of passages.
const MAX_PASSAGES: usize = 3;

/// Maximum length of a signature.
const MAX_SIGNATURE_CHARS: usize = 160;

/// Maximum number of lines of a function that only hands on.
const MAX_SHORT_LINES: u32 = 3;

/// Minimum score of a further passage, relative to the best one.
const MIN_RELATIVE_SCORE: f32 = 0.6;

/// A definition that may answer a question, with its lines that have most of it.
#[derive(Debug, Clone)]
pub(super) struct FoundPassage {
    pub(super) repo_idx: RepoIdx,
    pub(super) path: String,
    pub(super) symbol: v1::Symbol,
    /// The type that it is a member of, if the question names a topic, of which the type tells more.
    owner: Option<v1::Symbol>,
    /// The quoted lines, as an answer shows them.
    pub(super) code: String,
    /// True for a method of an interface without a body.
    is_declared_only: bool,
    /// The definitions of its name that have a body, if it has none and the question asks for a place.
    bodies: Vec<(String, Citation)>,
    /// Share of the information of the question in it, from 0 to 1.
    pub(super) share: f32,
    score: f32,
}

/// Returns the best passages for a question in the files of its best hits, the best first.
pub(super) async fn passages(
    call: &CallContext<'_>,
    plan: &Plan,
    evidence: &AnswerEvidence,
    (question, terms): (&Question, &QuestionTerms<'_>),
) -> Answer<Vec<FoundPassage>> {
    let files = files(evidence, passages::asks_for_tests(&question.text));
    let aliases: Vec<String> = repo_mentions::named(plan, &question.text)
        .iter()
        .flat_map(|repo_idx| ranking::analyser::terms(plan.alias(*repo_idx)))
        .collect();
    let mut asked = AskedTerms::of(&terms.terms, &question.names, &aliases);
    let paths: Vec<(RepoIdx, &str)> = files.iter().map(|(repo_idx, path, _)| (*repo_idx, path.as_str())).collect();
    let fetched = call.fetch_stored(plan, &paths, MAX_FILE_LINES);
    let outlined = join_all(paths.iter().map(|(repo_idx, path)| outline_of(call, *repo_idx, path)));
    let (Answer { value: sources, mut shortfalls }, outlines) = join(fetched, outlined).await;
    let mut symbols: Vec<Vec<v1::Symbol>> = Vec::new();
    for outlined in outlines {
        shortfalls.extend(outlined.shortfalls);
        symbols.push(outlined.value);
    }
    let compared: Vec<PassageFile<'_>> = files
        .iter()
        .zip(sources.iter().zip(&symbols))
        .enumerate()
        .map(|(rank, ((_, path, ranks), (source, symbols)))| PassageFile {
            path,
            rank,
            lines: source.as_ref().map_or_else(Vec::new, |source| source.compared().lines().collect()),
            symbols,
            ranks: ranks.iter().copied().collect(),
        })
        .collect();
    let asks_for_result = passage_lines::asks_for_result(&question.text);
    let best = passages::best(&compared, &mut asked, terms, MAX_PASSAGES);
    let found = best.into_iter().map(|passage| {
        let file = &compared[passage.file_idx];
        let (repo_idx, path, _) = &files[passage.file_idx];
        let symbol = symbols[passage.file_idx][passage.symbol_idx].clone();
        let first_line = outline::span(symbol.lines.unwrap_or_default()).start as usize;
        let first_line = file.lines.get(first_line.wrapping_sub(1)).copied().unwrap_or_default();
        let cleaned = sources[passage.file_idx].as_ref().map(StoredSource::shown).unwrap_or_default();
        let lines: Vec<&str> = cleaned.lines().collect();
        let is_topic = question.is_topic();
        let owner = if is_topic { passages::owner(&symbols[passage.file_idx], &symbol, &mut asked) } else { None };
        let shown = |LineSpan { start, end }: LineSpan| {
            // A last line of invisible characters is no line any more.
            let last = (end as usize).min(lines.len());
            let quoted = passage_lines::shown_lines(&lines[start as usize - 1..last], start);
            let own = outline::span(symbol.lines.unwrap_or_default());
            let (first, last) = (own.start.max(1) as usize - 1, (own.end as usize).min(lines.len()));
            let returns = match asks_for_result && first < last {
                true => passage_lines::shown_returns(&lines[first..last], own.start.max(1), (start, end)),
                false => String::new(),
            };
            [quoted, returns].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
        };
        FoundPassage {
            repo_idx: *repo_idx,
            path: path.clone(),
            code: passage.lines.map(shown).unwrap_or_default(),
            owner: owner.cloned(),
            is_declared_only: passages::is_declared_only(&symbols[passage.file_idx], &symbol, first_line),
            symbol,
            bodies: Vec::new(),
            share: passage.share,
            score: passage.score,
        }
    });
    let mut found: Vec<FoundPassage> = found.collect();
    if best_location::asks_for_place(&question.text)
        && let Some(first) = found.first_mut().filter(|first| first.is_declared_only)
    {
        let bodies = bodies_of(call, plan, first).await;
        shortfalls.extend(bodies.shortfalls);
        first.bodies = bodies.value;
    }
    Answer { value: found, shortfalls }
}

/// Maximum number of definitions of a name that are read, of those whose files are compared, and of those that are told.
const MAX_NAMESAKES: u32 = 20;
const MAX_COMPARED: usize = 6;
const MAX_BODIES: usize = 2;

/// Returns the functions of the product with the name of one without a body, which may be its implementations.
async fn bodies_of(call: &CallContext<'_>, plan: &Plan, passage: &FoundPassage) -> Answer<Vec<(String, Citation)>> {
    let own = call.visible.plan_for(vec![passage.repo_idx], false);
    let query = Some(v1::symbols_request::Query::Name(passage.symbol.name.clone()));
    let request = v1::SymbolsRequest { query, limit: MAX_NAMESAKES, ..Default::default() };
    let Answer { value: replies, mut shortfalls } = call.symbols(&own, &request).await;
    let is_longer = |one: &symbol_matches::DefinitionMatch| {
        let is_product = one.class == FileClass::Source && !side_folders::is_in_side_folder(&one.path);
        let lines = outline::span(one.symbol.lines.unwrap_or_default());
        let is_abstract = one.symbol.signature.contains("abstract ");
        is_product
            && !is_abstract
            && one.symbol.name == passage.symbol.name
            && passages::is_callable(&one.symbol)
            && lines.end > lines.start
    };
    let found = symbol_matches::rank(&own, replies).into_iter().filter(is_longer).take(MAX_COMPARED);
    let found: Vec<symbol_matches::DefinitionMatch> = found.collect();
    // Another interface declares a method over several lines as well.
    let outlines = join_all(found.iter().map(|one| outline_of(call, one.repo_idx, &one.path))).await;
    let mut bodies: Vec<(String, Citation)> = Vec::new();
    for (one, Answer { value: symbols, shortfalls: of_file }) in found.iter().zip(outlines) {
        shortfalls.extend(of_file);
        if symbols.is_empty() || passages::is_of_interface(&symbols, &one.symbol) {
            continue;
        }
        let lines = outline::span(one.symbol.lines.unwrap_or_default());
        let citation = Citation {
            repo: plan.alias(one.repo_idx).to_owned(),
            path: text::sanitise_name(&one.path).into_owned(),
            start_line: lines.start,
            end_line: lines.end,
            symbol_id: Some(symbol_ref::id(&one.path, &one.symbol)),
        };
        bodies.push((passages::name_of(&one.symbol), citation));
    }
    Answer { value: bodies, shortfalls }
}

/// Returns the sentence with the functions that have a body, by name and place; a reader is told if there are more.
fn told_bodies(bodies: &[String]) -> String {
    let shown = &bodies[..bodies.len().min(MAX_BODIES)];
    let verb = if shown.len() == 1 { "has" } else { "have" };
    let more = if bodies.len() > shown.len() { ", and so have others" } else { "" };
    format!("It has no body; of its name, {} {verb} one{more}.", shown.join(" and "))
}

/// The repository and the path of a file, and the ranks of its found definitions by node.
type RankedPath = (RepoIdx, String, Vec<(u32, usize)>);

/// Returns the files of code among the hits; those of tests only for a question about tests.
fn files(evidence: &AnswerEvidence, with_tests: bool) -> Vec<RankedPath> {
    let is_wanted = |class: FileClass| match class {
        FileClass::Source => true,
        FileClass::Test => with_tests,
        _ => false,
    };
    let is_quoted = |repo_idx: &RepoIdx| evidence.quoted.is_empty() || evidence.quoted.contains(repo_idx);
    let hits = evidence.hits.iter().filter(|hit| is_quoted(&hit.repo_idx));
    let ranks = |hit: &super::evidence::EvidenceHit| {
        let of_place = |place: &super::evidence::EvidencePlace| Some((place.symbol.as_ref()?.node, place.rank));
        hit.places.iter().filter_map(of_place).collect()
    };
    hits.filter(|hit| is_wanted(FileClass::from(hit.file.class())))
        .filter(|hit| !matches!(Language::of_path(&hit.file.path), Language::Markdown | Language::Text))
        .map(|hit| (hit.repo_idx, hit.file.path.clone(), ranks(hit)))
        .take(MAX_FILES)
        .collect()
}

/// Returns the definitions of a file.
async fn outline_of(call: &CallContext<'_>, repo_idx: RepoIdx, path: &str) -> Answer<Vec<v1::Symbol>> {
    let plan = call.visible.plan_for(vec![repo_idx], false);
    let Answer { value: replies, shortfalls } = call.outline(&plan, path, 1).await;
    let file = outline::files(&plan, replies).into_iter().find(|file| file.path == path);
    Answer { value: file.map(|file| file.outline.symbols).unwrap_or_default(), shortfalls }
}

impl FoundPassage {
    /// Returns true if a definition of a file is that of the passage.
    pub(super) fn is_of(&self, repo_idx: RepoIdx, path: &str, node: Option<u32>) -> bool {
        self.repo_idx == repo_idx && self.path == path && node == Some(self.symbol.node)
    }

    /// Returns true for a function whose telling lines are known.
    pub(super) fn has_body(&self) -> bool {
        passages::is_callable(&self.symbol) && !self.code.is_empty()
    }

    /// Returns true for a function that reads or sets a value.
    pub(super) fn is_accessor(&self) -> bool {
        passages::is_accessor(&self.symbol)
    }

    /// Returns true for a function of at most three lines, of which one at most is a statement.
    pub(super) fn is_short(&self) -> bool {
        let lines = outline::span(self.symbol.lines.unwrap_or_default());
        passages::is_callable(&self.symbol) && lines.end < lines.start + MAX_SHORT_LINES
    }

    pub(super) fn citation(&self, plan: &Plan) -> Citation {
        self.citation_of(plan, &self.symbol)
    }

    /// Returns the citation of a definition in its file.
    fn citation_of(&self, plan: &Plan, symbol: &v1::Symbol) -> Citation {
        let lines = outline::span(symbol.lines.unwrap_or_default());
        Citation {
            repo: plan.alias(self.repo_idx).to_owned(),
            path: text::sanitise_name(&self.path).into_owned(),
            start_line: lines.start,
            end_line: lines.end,
            symbol_id: Some(symbol_ref::id(&self.path, symbol)),
        }
    }

    /// Returns the sentence that says what the definition is, with its place: the first one of its comment, or its signature.
    pub(super) fn sentence(&self, plan: &Plan) -> String {
        self.sentence_of(plan, &self.symbol)
    }

    fn sentence_of(&self, plan: &Plan, symbol: &v1::Symbol) -> String {
        let doc = sentences(&text::clean(&symbol.doc)).into_iter().find(|one| !super::gates::is_instruction(one));
        let name = passages::name_of(symbol);
        let said = match doc {
            Some(doc) => quotation(Some(&name), &doc),
            None => {
                let signature = outline::signature(&symbol.signature);
                let shown = shortened(&signature, MAX_SIGNATURE_CHARS);
                if shown.is_empty() || shown == name { text::quote(&name) } else { quotation(Some(&name), &shown) }
            }
        };
        format!("{said} {}", self.citation_of(plan, symbol).mark())
    }
}

/// Returns the passages that are nearly as good as the first one.
pub(super) fn close_passages(passages: &[FoundPassage]) -> &[FoundPassage] {
    let best = passages.first().map_or(0.0, |passage| passage.score);
    let n_close = passages.iter().take_while(|passage| passage.score >= MIN_RELATIVE_SCORE * best).count();
    &passages[..n_close]
}

/// Maximum number of tokens of an answer up to which the code of a further passage is shown.
const MAX_TOKENS: usize = 230;

/// Returns close passages as the lines of an answer with their citations: the type of the best one, if the question names a topic, the sentence
/// and the code of the best one, and the sentences of the others, with the code of the second one if it is short enough. Which of two close passages answers is the reader's choice.
pub(super) fn answer_lines(plan: &Plan, passages: &[FoundPassage]) -> (Vec<String>, Vec<Citation>) {
    let (mut lines, mut citations): (Vec<String>, Vec<Citation>) = (Vec::new(), Vec::new());
    if let Some((passage, owner)) = passages.first().and_then(|passage| Some((passage, passage.owner.as_ref()?))) {
        lines.push(passage.sentence_of(plan, owner));
        citations.push(passage.citation_of(plan, owner));
    }
    for (place, passage) in passages.iter().enumerate() {
        lines.push(passage.sentence(plan));
        citations.push(passage.citation(plan));
        if !passage.bodies.is_empty() {
            let named = passage.bodies.iter().map(|(name, place)| format!("{} {}", text::quote(name), place.mark()));
            lines.push(told_bodies(&named.collect::<Vec<_>>()));
            citations.extend(passage.bodies.iter().take(MAX_BODIES).map(|(_, place)| place.clone()));
        }
        let n_tokens = lines.iter().map(|line| text::estimate_tokens(line)).sum::<usize>();
        let has_room = place == 1 && n_tokens + text::estimate_tokens(&passage.code) <= MAX_TOKENS;
        if (place == 0 || has_room) && !passage.code.is_empty() {
            lines.push(passage.code.clone());
        }
    }
    (lines, citations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_bodies_are_told() {
        for (bodies, expected) in [
            (&["`A.open`"][..], "It has no body; of its name, `A.open` has one."),
            (&["`A.open`", "`B.open`"], "It has no body; of its name, `A.open` and `B.open` have one."),
            (&["`A`", "`B`", "`C`"], "It has no body; of its name, `A` and `B` have one, and so have others."),
        ] {
            let bodies: Vec<String> = bodies.iter().map(|one| (*one).to_owned()).collect();
            assert_eq!(told_bodies(&bodies), expected);
        }
    }
}
