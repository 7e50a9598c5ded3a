//! Questions with a known intent: who owns X, what breaks if X changes, what raises X.
//!
//! In reading order: the phrasings (`pattern`, `phrasings`, `clauses`), the thing that a question names (`subject`), the parts of an
//! answer (`cited_text`, `users`, `source_lines`), and one file per intent. Each answer is composed from the facts that the
//! other tools show, so that no tool contradicts it. A question that no intent answers is answered from text.

mod cited_text;
mod clauses;
mod configuration;
mod cues;
mod dependencies;
mod dependency_groups;
mod entry_points;
mod errors;
mod errors_by_words;
mod events;
mod file_imports;
mod flows;
mod history;
mod impact;
mod links;
mod location;
mod mentions;
mod module;
mod module_answers;
mod module_links;
mod named_settings;
mod ownership;
mod packages_by_task;
mod pattern;
mod phrasings;
mod purpose;
mod quantities;
mod raises;
mod registration;
mod source_lines;
mod subcommands;
mod subject;
mod test_commands;
mod test_coverage;
mod test_lines;
mod tests_by_text;
mod tests_by_words;
mod users;
mod value_lists;
mod values;
mod versions;

use ranking::query::content_words;

use federation::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    overlay::Overlay,
    plan::Plan,
    repo_mentions,
    scope::GraphScope,
};

use super::{
    body::Citation,
    confidence::Confidence,
    definition_users,
    evidence_retrieval::AnswerEvidence,
    link_answer::{self, LinkOutcome},
    link_question::LinkQuestion,
    links::AnswerLink,
    passage_retrieval::FoundPassage,
};
use crate::may_miss::MayMiss;
use cited_text::CitedText;
pub(super) use clauses::{RoutedQuestion, read};
pub(super) use events::asks_for_past;
use subject::{Description, Subject};

/// The intent of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuestionIntent {
    Ownership,
    History,
    Impact,
    Callers,
    Dependents,
    Dependencies,
    Links,
    EntryPoints,
    Purpose,
    Tests,
    Configuration,
    Errors,
    Location,
}

impl QuestionIntent {
    #[cfg(test)]
    const ALL: [QuestionIntent; 13] = [
        QuestionIntent::Ownership,
        QuestionIntent::History,
        QuestionIntent::Impact,
        QuestionIntent::Callers,
        QuestionIntent::Dependents,
        QuestionIntent::Dependencies,
        QuestionIntent::Links,
        QuestionIntent::EntryPoints,
        QuestionIntent::Purpose,
        QuestionIntent::Tests,
        QuestionIntent::Configuration,
        QuestionIntent::Errors,
        QuestionIntent::Location,
    ];

    /// Returns true if users of a definition answer it.
    fn is_about_users(self) -> bool {
        matches!(self, QuestionIntent::Impact | QuestionIntent::Callers | QuestionIntent::Dependents)
    }

    /// Returns true if the links between repositories may answer it.
    fn is_about_links(self) -> bool {
        self.is_about_users() || self == QuestionIntent::Configuration
    }
}

/// The sources of an answer.
#[derive(Clone, Copy)]
pub(super) struct IntentContext<'c, 'a> {
    pub(super) call: &'c CallContext<'a>,
    /// The repositories that the caller asks.
    pub(super) plan: &'c Plan,
    pub(super) overlay: &'c Overlay,
    /// Names are looked up in the asked repositories; users are searched in all.
    pub(super) scope: &'c GraphScope,
    pub(super) evidence: &'c AnswerEvidence,
}

/// The answer to a question with a known intent.
pub(super) struct IntentAnswer {
    /// Complete sentences, the most important one first.
    sentences: Vec<CitedText>,
    links: Vec<AnswerLink>,
    confidence: Confidence,
    /// The tool that has the whole list.
    note: String,
    /// The links that it may miss.
    may_miss: Option<MayMiss>,
    shortfalls: Shortfalls,
}

impl IntentAnswer {
    fn new(sentences: Vec<CitedText>, confidence: Confidence, note: impl Into<String>) -> IntentAnswer {
        let (links, shortfalls) = (Vec::new(), Shortfalls::default());
        IntentAnswer { sentences, links, confidence, note: note.into(), may_miss: None, shortfalls }
    }

    fn with_may_miss(self, may_miss: Option<MayMiss>) -> IntentAnswer {
        IntentAnswer { may_miss, ..self }
    }

    fn with_shortfalls(self, shortfalls: Shortfalls) -> IntentAnswer {
        IntentAnswer { shortfalls: self.shortfalls.and(&shortfalls), ..self }
    }

    /// Returns the answer with another sentence before it.
    fn after_sentence(self, first: Option<CitedText>) -> IntentAnswer {
        IntentAnswer { sentences: first.into_iter().chain(self.sentences).collect(), ..self }
    }

    fn of_links(found: link_answer::LinkAnswer) -> IntentAnswer {
        let link_answer::LinkAnswer { text, citations, links, confidence, note, may_miss } = found;
        let sentences = vec![CitedText { text, citations }];
        IntentAnswer { sentences, links, confidence, note, may_miss, shortfalls: Shortfalls::default() }
    }
}

/// The answers of all questions in a text, joined.
pub(super) struct JoinedAnswer {
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
    pub(super) links: Vec<AnswerLink>,
    pub(super) confidence: Confidence,
    pub(super) note: String,
    /// The users or links that it may miss.
    pub(super) may_miss: Option<MayMiss>,
    pub(super) shortfalls: Shortfalls,
}

/// Answers questions one after the other; `None` if no intent answers one of them.
pub(super) async fn answer_all(context: IntentContext<'_, '_>, questions: &[RoutedQuestion]) -> Option<JoinedAnswer> {
    let mut answers: Vec<IntentAnswer> = Vec::new();
    for question in questions {
        answers.push(answer(context, question).await?);
    }
    join(context, questions, answers).await
}

/// Answers a text that no phrasing matches as a whole by the cues of its questions; `None` if its first question is not answered. `tried`
/// are the questions that have no answer.
pub(super) async fn answer_by_cues(
    context: IntentContext<'_, '_>,
    text: &str,
    tried: &[RoutedQuestion],
) -> Option<JoinedAnswer> {
    let cues::CuedQuestions { questions, mut unread } = cues::read(text, tried);
    let mut answers: Vec<IntentAnswer> = Vec::new();
    for (place, question) in questions.iter().enumerate() {
        match answer(context, question).await {
            Some(found) => answers.push(found),
            None if place == 0 => break,
            None => unread.push(question.text.clone()),
        }
    }
    if answers.is_empty() {
        return None;
    }
    let joined = join(context, &questions, answers).await?;
    let not_answered = unread.iter().map(|clause| format!("not answered: {}", text::quote(clause)));
    let notes: Vec<String> = std::iter::once(joined.note.clone()).chain(not_answered).collect();
    let note = notes.into_iter().filter(|note| !note.is_empty()).collect::<Vec<_>>().join("; ");
    Some(JoinedAnswer { note, confidence: joined.confidence.at_most(Confidence::Medium), ..joined })
}

/// Answers a question for a flow from the chain between its ends, or from the passage that matches best; `None` if it asks for none.
pub(super) async fn answer_flow(
    context: IntentContext<'_, '_>,
    text: &str,
    has_sides: bool,
    passages: &[FoundPassage],
) -> Option<JoinedAnswer> {
    let found = if flows::asks(text) { flows::answer(context, text, has_sides, passages).await } else { None };
    join(context, &[], vec![found?]).await
}

async fn join(
    context: IntentContext<'_, '_>,
    questions: &[RoutedQuestion],
    answers: Vec<IntentAnswer>,
) -> Option<JoinedAnswer> {
    let confidence = answers.iter().map(|answer| answer.confidence).min()?;
    let mut notes: Vec<String> = Vec::new();
    let new_notes = answers.iter().map(|answer| &answer.note).filter(|note| !note.is_empty());
    new_notes.for_each(|note| {
        if !notes.contains(note) {
            notes.push(note.clone())
        }
    });
    let shortfalls = answers.iter().fold(Shortfalls::default(), |all, answer| all.and(&answer.shortfalls));
    let links = answers.iter().flat_map(|answer| answer.links.clone()).collect();
    let IntentContext { call, plan, overlay, evidence, .. } = context;
    let may_miss = match answers.iter().find_map(|answer| answer.may_miss.clone()) {
        None if questions.iter().any(|question| question.intent.is_about_users()) => {
            definition_users::users_missed(call, plan, overlay, &evidence.definitions).await
        }
        known => known,
    };
    let mut sentences: Vec<CitedText> = Vec::new();
    // Two questions about one thing may have a sentence in common.
    for sentence in answers.into_iter().flat_map(|answer| answer.sentences) {
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    let whole = CitedText::join(sentences, "\n");
    Some(JoinedAnswer {
        text: whole.text,
        citations: whole.citations,
        links,
        confidence,
        note: notes.join("; "),
        may_miss,
        shortfalls,
    })
}

async fn answer(context: IntentContext<'_, '_>, question: &RoutedQuestion) -> Option<IntentAnswer> {
    let RoutedQuestion { intent, subjects, text } = question;
    let first = subjects.first()?;
    if *intent == QuestionIntent::Links {
        // A third thing is the place of the other two, and named first.
        let [one, other] = subjects.last_chunk::<2>()?;
        return links::answer(context, [one, other], text).await;
    }
    if intent.is_about_links() && subjects.len() == 1 {
        let of_links = LinkQuestion::Users(first.clone());
        let is_variable = *intent != QuestionIntent::Configuration || configuration::is_variable_name(first);
        let asked = if is_variable { Some(of_links) } else { None };
        if let Some(asked) = asked
            && let LinkOutcome::Linked(found) =
                link_answer::answer(context.call, context.plan, context.overlay, &asked).await
        {
            let readers = match intent {
                QuestionIntent::Configuration => configuration::reading_lines(context, &found.links).await,
                _ => Answer::complete(Vec::new()),
            };
            let answer = IntentAnswer::of_links(found);
            let sentences = answer.sentences.into_iter().chain(readers.value).collect();
            return Some(IntentAnswer { sentences, ..answer }.with_shortfalls(readers.shortfalls));
        }
    }
    let resolved = match subjects.as_slice() {
        // The error that is named, in the code that raises it.
        [place, error] if *intent == QuestionIntent::Errors && !error.contains(' ') => &format!("{error} in {place}"),
        _ => first,
    };
    let subject = subject::resolve(context, resolved).await;
    let shortfalls = subject.shortfalls;
    let mut subject = subject.value;
    if let Subject::Module(module) = &subject
        && !module.namesakes.is_empty()
    {
        if !matches!(intent, QuestionIntent::Configuration | QuestionIntent::Errors) {
            return Some(module_answers::of_namesakes(context, module).with_shortfalls(shortfalls));
        }
        // These are answered from text, in which no module is preferred.
        let words = resolved.split(' ').map(str::to_owned).collect();
        subject = Subject::Description(Description { named: Default::default(), within: None, words });
    }
    if let Subject::Module(module) = &subject
        && let Some(answered) = module_answers::answer(context, module, *intent, text).await
    {
        return Some(answered.with_shortfalls(shortfalls));
    }
    let mut subject = fitting(context, *intent, subject, resolved);
    // A thing that must be installed for another one is no part of its code.
    if let (QuestionIntent::Dependencies, Subject::Nodes(_), true) =
        (intent, &subject, text.to_lowercase().contains("install"))
    {
        let words = resolved.split(' ').map(str::to_owned).collect();
        subject =
            Subject::Description(Description { named: repo_mentions::named(context.plan, text), within: None, words });
    }
    if let (QuestionIntent::Configuration, Subject::Description(_), Some((one, other))) =
        (intent, &subject, resolved.split_once(" and "))
        && let Some(found) = of_both_settings(context, [one, other], text).await
    {
        return Some(found.with_shortfalls(shortfalls));
    }
    let answered = match intent {
        QuestionIntent::Ownership => ownership::answer(context, &subject).await,
        QuestionIntent::History => history::answer(context, &subject, text).await,
        QuestionIntent::Impact => impact::answer(context, &subject).await,
        QuestionIntent::Callers | QuestionIntent::Dependents => users::answer(context, &subject).await,
        QuestionIntent::Dependencies => dependencies::answer(context, &subject, text).await,
        QuestionIntent::EntryPoints => entry_points::answer(context, &subject, text).await,
        QuestionIntent::Purpose => purpose::answer(context, &subject).await,
        QuestionIntent::Tests => test_coverage::answer(context, &subject).await,
        QuestionIntent::Configuration => configuration::answer(context, &subject, text).await,
        QuestionIntent::Errors => errors::answer(context, &subject, subjects.last()?, text).await,
        QuestionIntent::Location => location::answer(context, &subject),
        QuestionIntent::Links => None,
    };
    answered.map(|answer| answer.with_shortfalls(shortfalls))
}

/// Returns the subject that an intent can be about: the only asked repository if nothing is named in it, and a description rather than
/// fields that have a plain word of the question as their name.
fn fitting(context: IntentContext<'_, '_>, intent: QuestionIntent, subject: Subject, written: &str) -> Subject {
    let is_of_repository = matches!(intent, QuestionIntent::EntryPoints | QuestionIntent::Dependencies);
    match subject {
        Subject::Description(description) if is_of_repository => {
            let named = repo_mentions::named(context.plan, written);
            let is_alias = |word: &String| {
                let mut aliases = named.iter().map(|repo_idx| context.plan.alias(*repo_idx));
                aliases.any(|alias| alias.eq_ignore_ascii_case(word))
            };
            let is_bare = description.words.iter().all(is_alias);
            match context.plan.asked.as_slice() {
                _ if is_bare && !named.is_empty() => Subject::Repositories(named),
                [only] if is_bare => Subject::Repositories([*only].into()),
                _ => Subject::Description(description),
            }
        }
        Subject::Nodes(nodes)
            if (intent.is_about_users() && nodes.iter().all(|node| is_plain_value(node, written)))
                || (intent == QuestionIntent::Tests && nodes.iter().all(|node| is_one_word_of(node, written))) =>
        {
            let words = written.split(' ').map(str::to_owned).collect();
            Subject::Description(Description { named: Default::default(), within: None, words })
        }
        // A plain word that only code of tests has as a name describes something of the product.
        Subject::Nodes(nodes)
            if intent != QuestionIntent::Tests && nodes.iter().all(|node| is_word_of_tests(node, written)) =>
        {
            let words = written.split(' ').map(str::to_owned).collect();
            Subject::Description(Description {
                named: repo_mentions::named(context.plan, written),
                within: None,
                words,
            })
        }
        subject => subject,
    }
}

/// Returns true for a definition of a test that a sentence may name by accident: its name is a plain word.
fn is_word_of_tests(node: &subject::SubjectNode, written: &str) -> bool {
    let Some(symbol) = &node.card.symbol else { return false };
    let class = node.card.file.as_ref().map(|file| model::FileClass::from(file.class()));
    let is_plain = symbol.name.chars().all(|c| c.is_ascii_lowercase());
    class == Some(model::FileClass::Test) && is_plain && !written.to_lowercase().contains("test")
}

/// Returns true for a value whose name is one word of a description, such as `API` of "API versioning": tests are about the whole.
fn is_one_word_of(node: &subject::SubjectNode, written: &str) -> bool {
    let Some(symbol) = &node.card.symbol else { return false };
    let is_value = matches!(node.kind(), "field" | "variable" | "property" | "parameter" | "constant");
    let is_word = !ranking::query::is_identifier(&symbol.name) && written.split(' ').any(|word| word == symbol.name);
    let place = format!("{} {}", symbol.container, node.path()).to_lowercase();
    let others: Vec<&str> = content_words(written).into_iter().filter(|word| *word != symbol.name).collect();
    let is_alone = others.is_empty() && symbol.name.chars().all(|c| c.is_ascii_lowercase());
    let is_other = |word: &&str| !place.contains(&word.to_lowercase()) && !VALUE_KINDS.contains(word);
    is_value && is_word && (is_alone || others.iter().any(is_other))
}

/// Words that say that a name is one of a value.
const VALUE_KINDS: [&str; 7] = ["field", "variable", "property", "attribute", "parameter", "setting", "option"];

/// Returns true for a field or variable that a sentence may name by accident: one of its plain words is the name, among others.
fn is_plain_value(node: &subject::SubjectNode, written: &str) -> bool {
    let Some(symbol) = &node.card.symbol else { return false };
    let is_value = matches!(node.kind(), "field" | "variable" | "property" | "parameter");
    let is_plain = symbol.name.chars().all(|c| c.is_ascii_lowercase());
    let is_beside_others = written.split(' ').any(|word| word != symbol.name);
    is_value && is_plain && is_beside_others && !written.split(' ').any(|word| VALUE_KINDS.contains(&word))
}

/// Answers about two settings that a question joins by `and`, if both have an answer.
async fn of_both_settings(context: IntentContext<'_, '_>, settings: [&str; 2], question: &str) -> Option<IntentAnswer> {
    let mut both: Option<IntentAnswer> = None;
    for setting in settings {
        let Answer { value: subject, shortfalls } = subject::resolve(context, setting).await;
        let of_setting = configuration::of_setting(context, &subject, question).await;
        let found = match of_setting.filter(configuration::has_quantity) {
            Some(found) => found,
            None => {
                let named = repo_mentions::named(context.plan, setting);
                values::answer(context, &named, (setting, question), values::WantedForm::Any).await?.1
            }
        };
        let found = found.with_shortfalls(shortfalls);
        both = Some(match both {
            None => found,
            Some(first) => {
                let confidence = first.confidence.at_most(found.confidence);
                let shortfalls = found.shortfalls;
                let sentences = first.sentences.into_iter().chain(found.sentences).collect();
                IntentAnswer { sentences, confidence, ..first }.with_shortfalls(shortfalls)
            }
        });
    }
    both
}
