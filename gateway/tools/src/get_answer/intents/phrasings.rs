//! The phrasings of each intent, as patterns. The first that matches decides.

mod callers;
mod configuration;
mod coverage;
mod dependencies;
mod dependents;
mod entry_points;
mod errors;
mod history;
mod impact;
mod links;
mod location;
mod ownership;
mod purpose;
mod words;

use super::QuestionIntent;
pub(super) use words::{CLASSES, LEADS, TAILS};

/// Patterns in order: the phrasings of a special intent come before those of a general one, with which they share verbs.
pub(super) const PHRASINGS: &[(QuestionIntent, &[&str])] = &[
    (QuestionIntent::Tests, coverage::PHRASINGS),
    (QuestionIntent::Ownership, ownership::PHRASINGS),
    (QuestionIntent::History, history::PHRASINGS),
    (QuestionIntent::Impact, impact::PHRASINGS),
    (QuestionIntent::Links, links::PATHS),
    (QuestionIntent::Errors, errors::PHRASINGS),
    (QuestionIntent::Configuration, configuration::PHRASINGS),
    (QuestionIntent::EntryPoints, entry_points::PHRASINGS),
    (QuestionIntent::Callers, callers::OPEN),
    (QuestionIntent::Links, links::PHRASINGS),
    (QuestionIntent::Callers, callers::PHRASINGS),
    (QuestionIntent::Dependents, dependents::PHRASINGS),
    (QuestionIntent::Dependencies, dependencies::PHRASINGS),
    (QuestionIntent::Location, location::PHRASINGS),
    (QuestionIntent::Errors, errors::HANDLERS),
    (QuestionIntent::Configuration, configuration::QUANTITIES),
    (QuestionIntent::Purpose, purpose::PHRASINGS),
];
