//! Impact of a change of a thing: its users, their users, and the tests to run.

use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, counted},
    mentions,
    subject::Subject,
    test_coverage, users,
};
use crate::arguments::suggested;
use federation::answer::Answer;

/// Depth of the walk: the default of `get_impact`.
const DEPTH: usize = 3;

/// Maximum number of indirect users in the answer.
const MAX_INDIRECT: usize = 4;

pub(super) async fn answer(context: IntentContext<'_, '_>, subject: &Subject) -> Option<IntentAnswer> {
    let nodes = match subject {
        Subject::Nodes(nodes) => nodes,
        Subject::Repositories(named) => return users::of_repositories(context, named).await,
        Subject::Module(_) | Subject::Description(_) => return None,
    };
    let Answer { value: users, mut shortfalls } = users::of_nodes(context, nodes, DEPTH).await;
    let plan = context.plan;
    let mut sentences = users::direct_sentences(plan, nodes, &users);
    if let Some(first) = sentences.first_mut() {
        *first =
            CitedText { text: format!("A change may break its direct users first: {}", first.text), ..first.clone() };
    }
    let has_direct = !sentences.is_empty();
    if !has_direct {
        let mentioned = mentions::sentence(context, nodes).await;
        shortfalls.extend(mentioned.shortfalls);
        sentences.push(mentioned.value.unwrap_or_else(|| users::no_user(context, nodes, &users)));
    }
    if users.n_indirect > 0 {
        let n_others = users
            .repositories
            .iter()
            .filter(|repo_idx| nodes.iter().all(|node| node.at.repo_idx != **repo_idx))
            .count();
        let others = if n_others > 0 {
            format!(" in {} besides its own", counted(n_others, "repository"))
        } else {
            String::new()
        };
        let nearest_of = if users.n_indirect == 1 { ":" } else { ", the nearest of which are" };
        let n_indirect = counted(users.n_indirect, "indirect user");
        // The users of an interface may reach it by its implementations alone.
        let through = if has_direct { "Through these" } else { "Through other code" };
        let lead = format!("{through} it reaches {n_indirect}{others}{nearest_of} ");
        let mut nearest = users::cited(plan, &users.indirect);
        nearest.truncate(MAX_INDIRECT);
        sentences.push(CitedText::listed(&lead, nearest, MAX_INDIRECT, "."));
    }
    if users.n_tests > 0 {
        let lead = format!(
            "{} it; run first ",
            if users.n_tests == 1 { "1 test reaches".to_owned() } else { format!("{} tests reach", users.n_tests) }
        );
        let mut tests = users::cited(plan, &users.tests);
        tests.truncate(users::MAX_TESTS);
        sentences.push(CitedText::listed(&lead, tests, users::MAX_TESTS, "."));
    } else {
        let namesakes = test_coverage::tests_named_after(context, nodes, &users.tests).await.after(shortfalls);
        shortfalls = namesakes.shortfalls;
        let unknown = "No test that reaches it through known calls was found";
        sentences.push(if namesakes.value.is_empty() {
            CitedText::plain(format!("{unknown}."))
        } else {
            let lead = format!("{unknown}; by name, these are about it: ");
            CitedText::listed(&lead, namesakes.value, test_coverage::MAX_FILES, ".")
        });
    }
    sentences.extend(users::missed_sentence(&users));
    let note = format!("get_impact {} lists every user", suggested("target", &nodes[0].id(plan)));
    Some(IntentAnswer::new(sentences, users::confidence(nodes, &users), note).with_shortfalls(shortfalls))
}
