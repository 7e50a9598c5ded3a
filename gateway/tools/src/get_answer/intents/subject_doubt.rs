//! Doubt about a subject: the share of the telling words of a question that the thing has which they were resolved to.
//!
//! A name is looked up by one or two words, and a thing that has one of them may be another one. So the definitions that the search found are
//! compared with it: one that has far more of the words is the subject, and a thing that has few of them is none.

use std::collections::BTreeSet;

use model::FileClass;
use proto::v1;
use ranking::{
    analyser,
    query::{content_words, is_stop_word},
};

use super::super::{asked_terms::AskedTerms, evidence::EvidenceHit, side_folders::is_in_side_folder};
use super::{
    IntentContext, QuestionIntent,
    events::terms,
    module::AskedModule,
    subject::{Description, Subject, SubjectNode},
    subject_words::{KINDS, REPOSITORY_KINDS, is_name},
};
use federation::{
    answer::{Answer, Shortfalls},
    nodes::NodeRef,
    repo_mentions,
};

/// Share of a word's weight by the place that has it; the name, the container and the path count whole.
const IN_COMMENT: f32 = 0.8;

/// Minimum share of the telling words in a thing, below which it is another one.
const MIN_SHARE: f32 = 0.34;

/// Minimum share of the telling words in a thing that an answer is sure of.
pub(super) const SURE_SHARE: f32 = 0.51;

/// Minimum share of the telling words in a definition that the search found, to be the subject.
const FOUND_SHARE: f32 = 0.75;

/// Minimum gain of a definition that the search found over the one that was looked up by name.
const MIN_GAIN: f32 = 0.3;

/// Minimum length of a word that is the name of a definition of one word. A shorter one may only be a part of the subject.
const MIN_NAME_CHARS: usize = 8;

/// Maximum number of adjacent words that are compared with a name.
const MAX_JOINED_WORDS: usize = 4;

/// Maximum number of found definitions that are compared.
const MAX_COMPARED: usize = 24;

/// The trust in a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SubjectTrust {
    /// It has few of the telling words: the question is for another thing.
    Wrong,
    /// It has some of them.
    Doubtful,
    /// It has most of them, or is written as a name.
    Sure,
}

impl SubjectTrust {
    fn of_share(share: f32) -> SubjectTrust {
        match share {
            _ if share >= SURE_SHARE => SubjectTrust::Sure,
            _ if share >= MIN_SHARE => SubjectTrust::Doubtful,
            _ => SubjectTrust::Wrong,
        }
    }
}

/// The telling words of a subject as a question has it, with their weights.
pub(super) struct TellingWords {
    asked: AskedTerms,
    /// The words that are written as names of code.
    names: Vec<String>,
    /// The words without case: `berthplan` is `BerthPlan`.
    folded_words: Vec<String>,
}

impl TellingWords {
    /// Returns the words of a subject without those of the grammar, of kinds, and of repositories.
    pub(super) fn of(context: IntentContext<'_, '_>, written: &str) -> TellingWords {
        let aliases: BTreeSet<String> =
            context.plan.asked.iter().flat_map(|repo_idx| terms(context.plan.alias(*repo_idx))).collect();
        let weight = |term: &String| {
            let known = context.evidence.terms.iter().find(|(known, _)| known == term);
            known.map_or(1.0, |(_, weight)| *weight)
        };
        TellingWords::weighted(written, &aliases, weight)
    }

    fn weighted(written: &str, aliases: &BTreeSet<String>, weight: impl Fn(&String) -> f32) -> TellingWords {
        let is_kind = |word: &str| {
            let word = word.to_lowercase();
            KINDS.contains(&word.as_str()) || REPOSITORY_KINDS.contains(&word.as_str())
        };
        let words = || content_words(written).into_iter().filter(|word| !is_stop_word(word));
        let of_words = |words: Vec<&str>| -> BTreeSet<String> { words.into_iter().flat_map(terms).collect() };
        let telling = of_words(words().filter(|word| !is_kind(word)).collect());
        let telling: BTreeSet<String> = telling.difference(aliases).cloned().collect();
        // A subject of nothing but such words is named by them.
        let telling = if telling.is_empty() { of_words(words().collect()) } else { telling };
        let weighted: Vec<(String, f32)> = telling.into_iter().map(|term| (term.clone(), weight(&term))).collect();
        let names = words().filter(|word| is_name(word)).map(str::to_owned).collect();
        let folded_words = words().map(analyser::fold).collect();
        TellingWords { asked: AskedTerms::of(&weighted, &[], &[]), names, folded_words }
    }

    /// Returns the share of the words in a definition; `None` if nothing telling is asked for.
    fn share_of_definition(&mut self, symbol: Option<&v1::Symbol>, path: &str) -> Option<f32> {
        let Some(symbol) = symbol else { return self.share(path, "") };
        let strong = format!("{} {} {path}", symbol.name, symbol.container);
        let weak = format!("{} {}", symbol.signature, text::first_sentence(&symbol.doc));
        self.share(&strong, &weak)
    }

    fn share_of_node(&mut self, node: &SubjectNode) -> Option<f32> {
        self.share_of_definition(node.card.symbol.as_ref(), node.path())
    }

    fn share(&mut self, strong: &str, weak: &str) -> Option<f32> {
        if self.asked.is_empty() {
            return None;
        }
        let strong = self.asked.bits(strong);
        let weak = self.asked.bits(weak) & !strong;
        Some(self.asked.share(strong) + IN_COMMENT * self.asked.share(weak))
    }

    /// Returns true for a definition with one of the names as it is written, for one whose name the words are, and for a route, which is
    /// looked up by its exact path.
    fn names_definition(&self, node: &SubjectNode) -> bool {
        if node.card.route.is_some() {
            return true;
        }
        let last = |name: &str| name.rsplit(['.', ':', '#']).next().unwrap_or(name).to_owned();
        let is_of = |name: &String| match &node.card.symbol {
            Some(symbol) => last(name).trim_end_matches("()") == symbol.name,
            None => node.path().ends_with(name.as_str()),
        };
        let is_joined = node.card.symbol.as_ref().is_some_and(|symbol| self.has_name_in_words(&symbol.name));
        self.names.iter().any(is_of) || is_joined
    }

    /// Returns true if adjacent words are a name in another notation. A short word is no name of one word: it may be a part of the subject.
    fn has_name_in_words(&self, name: &str) -> bool {
        let folded = analyser::fold(name);
        let is_distinctive = folded.len() >= MIN_NAME_CHARS || analyser::words(name).len() > 1;
        let min_words = if is_distinctive { 1 } else { 2 };
        (min_words..=MAX_JOINED_WORDS).any(|n| self.folded_words.windows(n).any(|adjacent| adjacent.concat() == folded))
    }

    fn share_of_module(&mut self, module: &AskedModule) -> Option<f32> {
        let purpose = module.module.purpose.as_ref().map(|purpose| text::first_sentence(&purpose.text));
        self.share(&format!("{} {}", module.module.path, module.module.package), &purpose.unwrap_or_default())
    }

    /// Returns the share of the words in a file and the definitions that the search found in it.
    pub(super) fn share_of_hit(&mut self, hit: &EvidenceHit) -> Option<f32> {
        let best = hit.places.iter().filter_map(|place| place.symbol.as_ref()).take(1);
        let of_places = best.filter_map(|symbol| self.share_of_definition(Some(symbol), &hit.file.path));
        let of_places = of_places.fold(0.0, f32::max);
        Some(self.share(&hit.file.path, &hit.purpose)?.max(of_places))
    }
}

/// A subject with the trust in it.
pub(super) struct JudgedSubject {
    pub(super) subject: Subject,
    pub(super) trust: SubjectTrust,
}

/// Returns the subject that has most of the telling words: the one that was looked up, or a definition that the search found. A thing that has
/// few of them becomes a description.
pub(super) async fn judge(
    context: IntentContext<'_, '_>,
    intent: QuestionIntent,
    subject: Subject,
    written: &str,
) -> Answer<JudgedSubject> {
    let sure = |subject| Answer::complete(JudgedSubject { subject, trust: SubjectTrust::Sure });
    let mut telling = TellingWords::of(context, written);
    let share = match &subject {
        Subject::Repositories(_) | Subject::Description(_) => None,
        Subject::Nodes(nodes) if nodes.iter().any(|node| telling.names_definition(node)) => None,
        Subject::Nodes(nodes) => nodes.iter().filter_map(|node| telling.share_of_node(node)).reduce(f32::max),
        Subject::Module(module) => telling.share_of_module(module),
    };
    let Some(share) = share else { return sure(subject) };
    // Of several definitions of a name, those with most of the words are meant.
    let subject = match subject {
        Subject::Nodes(mut nodes) => {
            nodes.retain(|node| telling.share_of_node(node).is_none_or(|own| own + f32::EPSILON >= share));
            Subject::Nodes(nodes)
        }
        subject => subject,
    };
    // A name that nothing has is no other thing.
    let may_be_found = is_about_definitions(intent) && telling.names.is_empty();
    let found = if may_be_found { best_found(context, &mut telling) } else { None };
    let mut shortfalls = Shortfalls::default();
    let better = found.filter(|(of_found, _)| *of_found >= FOUND_SHARE && *of_found >= share + MIN_GAIN);
    if let Some((_, at)) = better {
        let plan = context.call.visible.plan_for(vec![at.repo_idx], false);
        let mut cards = context.call.describe(&plan, &BTreeSet::from([at])).await;
        shortfalls.extend(cards.shortfalls);
        if let Some(card) = cards.value.remove(&at) {
            let subject = Subject::Nodes(vec![SubjectNode { at, card }]);
            return Answer { value: JudgedSubject { subject, trust: SubjectTrust::Doubtful }, shortfalls };
        }
    }
    let trust = SubjectTrust::of_share(share);
    if trust != SubjectTrust::Wrong {
        return Answer { value: JudgedSubject { subject, trust }, shortfalls };
    }
    let words = content_words(written).into_iter().filter(|word| !is_stop_word(word)).map(str::to_owned).collect();
    let named = repo_mentions::named(context.plan, written);
    let subject = Subject::Description(Description { named, within: None, words });
    Answer { value: JudgedSubject { subject, trust }, shortfalls }
}

/// Returns true for an intent whose questions are about one definition, and of which the search may know a better one.
fn is_about_definitions(intent: QuestionIntent) -> bool {
    intent.is_about_users() || intent == QuestionIntent::Purpose
}

/// Returns true for the container of the tests within a file of the product.
fn is_of_tests(container: &str) -> bool {
    container.split('.').any(|part| matches!(part, "test" | "tests"))
}

/// Returns the definition of the product among the hits that has most of the telling words, with its share; the better ranked one of equal
/// ones.
fn best_found(context: IntentContext<'_, '_>, telling: &mut TellingWords) -> Option<(f32, NodeRef)> {
    let is_product = |hit: &&EvidenceHit| {
        FileClass::from(hit.file.class()) == FileClass::Source && !is_in_side_folder(&hit.file.path)
    };
    let places = context.evidence.hits.iter().filter(is_product).flat_map(|hit| {
        let symbols = hit.places.iter().filter_map(|place| Some((place.rank, place.symbol.as_ref()?)));
        let symbols = symbols.filter(|(_, symbol)| !is_of_tests(&symbol.container));
        symbols.map(move |(rank, symbol)| (rank, hit, symbol))
    });
    let mut places: Vec<(usize, &EvidenceHit, &v1::Symbol)> = places.collect();
    places.sort_by_key(|(rank, _, _)| *rank);
    let scored = places.into_iter().take(MAX_COMPARED).filter_map(|(_, hit, symbol)| {
        let share = telling.share_of_definition(Some(symbol), &hit.file.path)?;
        Some((share, NodeRef { repo_idx: hit.repo_idx, node: symbol.node }))
    });
    scored.reduce(|best, next| if next.0 > best.0 { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the trust in a definition by its name, container, path and comment.
    fn trust(written: &str, [name, container, path, doc]: [&str; 4]) -> SubjectTrust {
        let symbol = v1::Symbol {
            name: name.to_owned(),
            container: container.to_owned(),
            doc: doc.to_owned(),
            ..Default::default()
        };
        let mut telling = TellingWords::weighted(written, &terms("harbour").into_iter().collect(), |_| 1.0);
        telling.share_of_definition(Some(&symbol), path).map_or(SubjectTrust::Sure, SubjectTrust::of_share)
    }

    #[test]
    fn a_thing_with_few_of_the_telling_words_is_another_one() {
        use SubjectTrust::{Doubtful, Sure, Wrong};
        let berth = ["Berth", "Pier", "dock/pier.rs", "Holds a ship until the tide is high."];
        for (written, expected) in [
            ("berth", Sure),
            ("berths of the pier", Sure),
            ("the berth of harbour", Sure),
            ("the class of a berth", Sure),
            // Its comment has the words.
            ("ship tide", Sure),
            ("mend old ship tide", Doubtful),
            ("berth for a crane", Doubtful),
            ("crane for night shifts at berth", Wrong),
            ("crane", Wrong),
        ] {
            assert_eq!(trust(written, berth), expected, "{written}");
        }
    }

    #[test]
    fn a_subject_of_words_for_kinds_is_named_by_them() {
        let table = ["Table", "", "src/table.rs", ""];
        assert_eq!((trust("table", table), trust("queue", table)), (SubjectTrust::Sure, SubjectTrust::Wrong));
    }

    #[test]
    fn tests_within_a_file_are_no_product() {
        for (container, expected) in [("tests", true), ("pier.test", true), ("Contest", false), ("", false)] {
            assert_eq!(is_of_tests(container), expected, "{container}");
        }
    }

    #[test]
    fn a_written_name_is_not_doubted() {
        for (name, written, expected) in [
            ("moorShip", "moorShip at night", true),
            ("moorShip", "Pier.moorShip", true),
            ("moorShip", "moorship", true),
            ("moorShip", "mooring ships", false),
            ("moorShip", "the moor ship", true),
            ("moorShip", "moor a big ship", false),
            ("moor", "moor ship", false),
            ("getTug", "gettug", true),
            ("getTug", "gettugs", false),
            ("Datasource", "the data source", true),
            ("Datasource", "the source data", false),
        ] {
            let symbol = Some(v1::Symbol { name: name.to_owned(), ..Default::default() });
            let telling = TellingWords::weighted(written, &BTreeSet::new(), |_| 1.0);
            assert_eq!(telling.names_definition(&node(symbol, None)), expected, "{name} {written}");
        }
        let telling = TellingWords::weighted("GET /berths", &BTreeSet::new(), |_| 1.0);
        for (route, expected) in [(Some(v1::Route::default()), true), (None, false)] {
            assert_eq!(telling.names_definition(&node(None, route.clone())), expected, "{route:?}");
        }
    }

    fn node(symbol: Option<v1::Symbol>, route: Option<v1::Route>) -> SubjectNode {
        let at = NodeRef { repo_idx: federation::repo_idx::RepoIdx(0), node: 0 };
        SubjectNode { at, card: v1::NodeCard { symbol, route, ..Default::default() } }
    }
}
