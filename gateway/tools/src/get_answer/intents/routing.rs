//! The answers of questions with a known intent: each from the file of its intent, about the subject that fits it.

use federation::{answer::Answer, repo_mentions};

use super::super::{
    confidence::Confidence,
    link_answer::{self, LinkOutcome},
    link_question::LinkQuestion,
    passage_retrieval::FoundPassage,
};
use super::{
    IntentAnswer, IntentContext, JoinedAnswer, QuestionIntent, clause_evidence, clause_text,
    clauses::RoutedQuestion,
    configuration, cues, dependencies, entry_points, environment_variables, errors, extras, flows, handlers, history,
    impact,
    intent_answer::join,
    links, location, module_answers, ownership, package_presence, purpose, quantity_words,
    subject::{self, Description, Subject, SubjectNode},
    subject_doubt::{self, JudgedSubject, SubjectTrust},
    subject_fit::fitting,
    subject_lookup::Spelling,
    test_coverage, users, users_of_match, values, variants,
};

/// Answers questions one after the other; the questions that no intent answers, if one is among them.
pub(in super::super) async fn answer_all(
    context: IntentContext<'_, '_>,
    questions: &[RoutedQuestion],
) -> Result<Option<JoinedAnswer>, Vec<RoutedQuestion>> {
    let mut answers: Vec<IntentAnswer> = Vec::new();
    let is_single = questions.iter().all(|question| question.text == questions[0].text);
    for question in questions {
        // Another part of the text may have an answer without this one.
        let failed = || if is_single { questions.to_vec() } else { vec![question.clone()] };
        if is_single {
            answers.push(answer(context, question).await.ok_or_else(failed)?);
            continue;
        }
        let Answer { value: own, shortfalls } = clause_evidence::retrieve(context, &question.searched_text()).await;
        let plan = context.plan.without(&shortfalls);
        let own_context = IntentContext { plan: &plan, evidence: &own.evidence, ..context };
        answers.push(answer(own_context, question).await.ok_or_else(failed)?.with_shortfalls(shortfalls));
    }
    Ok(join(context, questions, answers).await)
}

/// Answers a text that no phrasing matches as a whole by the cues of its questions; `None` if no question of it is answered by its
/// intent. Each of several questions is answered from what is retrieved for it alone, and one without an intent from the text that matches
/// it. `tried` are the questions that have no answer.
pub(in super::super) async fn answer_by_cues(
    context: IntentContext<'_, '_>,
    text: &str,
    tried: &[RoutedQuestion],
) -> Option<JoinedAnswer> {
    let parts = cues::read(text, tried);
    let mut answers: Vec<IntentAnswer> = Vec::new();
    let mut unread: Vec<&str> = Vec::new();
    let mut n_routed = 0;
    for part in &parts {
        if parts.len() == 1 {
            answers.extend(match &part.question {
                Some(question) => answer(context, question).await,
                None => None,
            });
            n_routed = answers.len();
            continue;
        }
        let Answer { value: own, shortfalls } = clause_evidence::retrieve(context, &part.searched_text()).await;
        let plan = context.plan.without(&shortfalls);
        let own_context = IntentContext { plan: &plan, evidence: &own.evidence, ..context };
        let routed = match &part.question {
            Some(question) => answer(own_context, question).await,
            None => None,
        };
        n_routed += usize::from(routed.is_some());
        let found = match routed {
            // The same question follows in other words.
            None if is_restated(text, &part.text) => continue,
            None if part.is_question => match variants::answer(own_context, &part.text).await {
                None => clause_text::answer(own_context, &own.question).await,
                known => known,
            },
            known => known,
        };
        match found {
            Some(found) => answers.push(found.with_shortfalls(shortfalls)),
            None => unread.push(&part.text),
        }
    }
    if n_routed == 0 {
        return None;
    }
    let questions: Vec<RoutedQuestion> = parts.iter().filter_map(|part| part.question.clone()).collect();
    let joined = join(context, &questions, answers).await?;
    let not_answered = unread.iter().map(|clause| format!("not answered: {}", text::quote(clause)));
    let notes: Vec<String> = std::iter::once(joined.note.clone()).chain(not_answered).collect();
    let note = notes.into_iter().filter(|note| !note.is_empty()).collect::<Vec<_>>().join("; ");
    Some(JoinedAnswer { note, confidence: joined.confidence.at_most(Confidence::Medium), ..joined })
}

/// Returns true if a clause is followed by the same question in other words.
fn is_restated(text: &str, clause: &str) -> bool {
    let rest = text.find(clause).map_or("", |at| &text[at + clause.len()..]);
    rest.starts_with(':') || rest.trim_start_matches([',', ' ']).starts_with("i.e.")
}

/// Answers a question for a flow from the chain between its ends, or from the passage that matches best; `None` if it asks for none.
pub(in super::super) async fn answer_flow(
    context: IntentContext<'_, '_>,
    text: &str,
    has_sides: bool,
    passages: &[FoundPassage],
) -> Option<JoinedAnswer> {
    let found = match flows::asks(text) {
        true => flows::answer(context, text, has_sides, passages).await,
        false if users_of_match::asks(text) => users_of_match::answer(context, passages).await,
        false => None,
    };
    join(context, &[], vec![found?]).await
}

/// Answers a question for the kinds of a thing that there are; `None` if it asks for none, or too few are known.
pub(in super::super) async fn answer_variants(context: IntentContext<'_, '_>, text: &str) -> Option<JoinedAnswer> {
    join(context, &[], vec![variants::answer(context, text).await?]).await
}

async fn answer(context: IntentContext<'_, '_>, question: &RoutedQuestion) -> Option<IntentAnswer> {
    let RoutedQuestion { intent, subjects, text } = question;
    let first = subjects.first()?;
    if *intent == QuestionIntent::Links {
        // A third thing is the place of the other two, and named first.
        let [one, other] = subjects.last_chunk::<2>()?;
        return match links::answer(context, [one, other], text).await {
            None if package_presence::asks(text) => package_presence::answer(context, text).await,
            known => known,
        };
    }
    if intent.is_about_links() && subjects.len() == 1 {
        let of_links = LinkQuestion::Users(first.clone());
        let is_variable = *intent != QuestionIntent::Configuration || environment_variables::is_variable_name(first);
        let asked = if is_variable { Some(of_links) } else { None };
        if let Some(asked) = asked
            && let LinkOutcome::Linked(found) =
                link_answer::answer(context.call, context.plan, context.overlay, &asked).await
        {
            let readers = match intent {
                QuestionIntent::Configuration => environment_variables::reading_lines(context, &found.links).await,
                _ => Answer::complete(Vec::new()),
            };
            let answer = IntentAnswer::of_links(found);
            let sentences = answer.sentences.into_iter().chain(readers.value).collect();
            return Some(IntentAnswer { sentences, ..answer }.with_shortfalls(readers.shortfalls));
        }
    }
    if *intent == QuestionIntent::Dependencies && package_presence::asks(text) {
        let found = package_presence::answer(context, text).await;
        // A package with another name may be used for it: the words of a task are read below.
        if found.is_some() || !describes_task(text) {
            return found;
        }
    }
    // The groups of a manifest are not its dependencies.
    if *intent == QuestionIntent::Dependencies && extras::asks(text) {
        return extras::answer(context, text).await;
    }
    let resolved = match subjects.as_slice() {
        // The error that is named, in the code that raises it.
        [place, error] if *intent == QuestionIntent::Errors && !error.contains(' ') => &format!("{error} in {place}"),
        _ => first,
    };
    let found = subject::resolve_spelled(context, resolved, spelling_of_word(*intent)).await;
    let Answer { value: JudgedSubject { subject, trust }, shortfalls } =
        subject_doubt::judge(context, *intent, found.value, resolved).await.after(found.shortfalls);
    let most = match trust {
        SubjectTrust::Sure => Confidence::High,
        SubjectTrust::Doubtful | SubjectTrust::Wrong => Confidence::Medium,
    };
    let found = answer_about(context, question, (subject, resolved.as_str())).await;
    found.map(|found| IntentAnswer { confidence: found.confidence.at_most(most), ..found }.with_shortfalls(shortfalls))
}

/// Answers a question about its subject.
async fn answer_about(
    context: IntentContext<'_, '_>,
    question: &RoutedQuestion,
    (mut subject, resolved): (Subject, &str),
) -> Option<IntentAnswer> {
    let RoutedQuestion { intent, subjects, text } = question;
    // A package is asked for, and no call: `which crates bring TLS` is not about a function `tls`.
    let asks_package = *intent == QuestionIntent::Dependencies && asks_for_packages(text);
    if let Subject::Module(module) = &subject
        && !module.namesakes.is_empty()
    {
        if !matches!(intent, QuestionIntent::Configuration | QuestionIntent::Errors) {
            return Some(module_answers::of_namesakes(context, module));
        }
        // These are answered from text, in which no module is preferred.
        let words = resolved.split(' ').map(str::to_owned).collect();
        subject = Subject::Description(Description { named: Default::default(), within: None, words });
    }
    if let Subject::Module(module) = &subject
        && let Some(answered) = module_answers::answer(context, module, *intent, text).await
    {
        return Some(answered);
    }
    let mut subject = fitting(context, *intent, subject, resolved);
    // Most verbs for the code that catches an error are those of other questions.
    if may_ask_for_handlers(*intent) && (handlers::asks(text) || handlers::asks_for_absence(text)) {
        match &subject {
            Subject::Nodes(nodes) if nodes.iter().any(errors::may_be_error) => {
                if !handlers::asks(text) {
                    return None;
                }
                let found = handlers::answer(context, nodes).await;
                if found.is_some() || *intent == QuestionIntent::Errors {
                    return found;
                }
            }
            _ if *intent == QuestionIntent::Errors => return None,
            _ => {}
        }
    }
    // The way in which something works is in its lines, and not in its comment.
    if let (QuestionIntent::Purpose, Subject::Nodes(nodes)) = (intent, &subject)
        && flows::asks_for_way(text)
        && nodes.iter().all(SubjectNode::is_callable)
    {
        return flows::of_named(context, nodes).await;
    }
    // A thing that must be installed for another one is no part of its code.
    if let (QuestionIntent::Dependencies, Subject::Nodes(nodes)) = (intent, &subject)
        && (text.to_lowercase().contains("install")
            || (asks_package && !nodes.iter().any(|node| is_written(node, text))))
    {
        let words = resolved.split(' ').map(str::to_owned).collect();
        subject =
            Subject::Description(Description { named: repo_mentions::named(context.plan, text), within: None, words });
    }
    if let (QuestionIntent::Configuration, Subject::Description(_), Some((one, other))) =
        (intent, &subject, resolved.split_once(" and "))
        && let Some(found) = of_both_settings(context, [one, other], text).await
    {
        return Some(found);
    }
    // `What is the table called by default?` asks for a value.
    if *intent == QuestionIntent::Purpose && quantity_words::asks_for_default(text) {
        let found = configuration::answer(context, &subject, text).await;
        if found.is_some() {
            return found;
        }
    }
    match intent {
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
    }
}

/// Returns true if a question asks which packages there are for something.
pub(super) fn asks_for_packages(question: &str) -> bool {
    const KINDS: [&str; 10] =
        ["library", "libraries", "package", "packages", "crate", "crates", "gem", "gems", "dependency", "dependencies"];
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.windows(2).any(|pair| matches!(pair[0], "which" | "what") && KINDS.contains(&pair[1]))
}

/// Returns true if a question has the name of a definition as it is written in the code, or names its file.
fn is_written(node: &SubjectNode, question: &str) -> bool {
    let name = node.card.symbol.as_ref().map(|symbol| symbol.name.as_str());
    let is_word = |name: &str| question.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
    // A plain word is no name.
    node.is_file() || name.is_some_and(|name| is_word(name) && name.contains(|c: char| c.is_uppercase() || c == '_'))
}

/// Returns true if a question names a kind of package and a task: a library for compression.
fn describes_task(question: &str) -> bool {
    const KINDS: [&str; 6] = ["librar", "package", "crate", "module", "third-party", "dependenc"];
    let lower = question.to_lowercase();
    KINDS.iter().any(|kind| lower.contains(kind)) && [" for ", " to "].iter().any(|word| lower.contains(word))
}

/// Returns the spelling of a plain word in questions of an intent: what is called has exactly its name, and a type of that name in another
/// case is something else.
fn spelling_of_word(intent: QuestionIntent) -> Spelling {
    if intent == QuestionIntent::Callers { Spelling::Written } else { Spelling::OfWords }
}

/// Returns true for an intent whose questions may be for the code that catches an error.
fn may_ask_for_handlers(intent: QuestionIntent) -> bool {
    matches!(
        intent,
        QuestionIntent::Errors | QuestionIntent::Location | QuestionIntent::Callers | QuestionIntent::Dependents
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_before_the_same_question_is_restated() {
        for (text, clause, expected) in [
            ("Where is it: who moors it?", "Where is it", true),
            ("Who moors it, i.e. who calls moor?", "Who moors it", true),
            ("Who moors it, and who calls moor?", "Who moors it", false),
        ] {
            assert_eq!(is_restated(text, clause), expected, "{text}");
        }
    }

    #[test]
    fn a_called_word_is_a_name_as_it_is_written() {
        for (question, expected) in [("Who calls close?", Spelling::Written), ("who owns close", Spelling::OfWords)] {
            let intent = super::super::clauses::read(question)[0].intent;
            assert!(spelling_of_word(intent) == expected, "{question}");
        }
    }

    #[test]
    fn packages_are_asked_for_by_their_kind() {
        for (question, expected) in [
            ("Which crates bring tide support?", true),
            ("what libraries does Dock.open use", true),
            ("which functions does the package call", false),
            ("what does it depend on", false),
        ] {
            assert_eq!(asks_for_packages(question), expected, "{question}");
        }
    }

    #[test]
    fn a_task_is_described_and_a_package_is_named() {
        for (question, expected) in [
            ("Does it use a third-party library for zstd?", true),
            ("does dock use a package to draw charts", true),
            ("does it depend on the package crane", false),
            ("does it need root for this", false),
        ] {
            assert_eq!(describes_task(question), expected, "{question}");
        }
    }

    #[test]
    fn questions_of_other_intents_are_not_for_handlers() {
        for (question, expected) in [
            ("Where is DockClosed caught?", true),
            ("Who last changed how DockClosed is handled?", false),
            ("Which tests cover how DockClosed is handled?", false),
        ] {
            let is_for_handlers = |one: &RoutedQuestion| may_ask_for_handlers(one.intent) && handlers::asks(&one.text);
            assert_eq!(super::super::clauses::read(question).iter().any(is_for_handlers), expected, "{question}");
        }
    }
}
