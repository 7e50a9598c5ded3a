//! Questions with a known intent: who owns X, what breaks if X changes, what raises X.
//!
//! In reading order: the phrasings (`pattern`, `phrasings`, `clauses`), the thing that a question names (`subject`, `subject_lookup`,
//! `subject_fit`), the choice of an intent (`routing`), the other clauses of a text (`clause_evidence`, `clause_text`), the parts of an
//! answer (`intent_answer`, `cited_text`, `users`, `source_lines`), and one file per intent. Each answer is composed from the facts that the
//! other tools show, so that no tool contradicts it. A question that no intent answers is answered from text.

mod assignments;
mod cited_text;
mod clause_evidence;
mod clause_text;
mod clauses;
mod code_limits;
mod configuration;
mod cue_rules;
mod cues;
mod dependencies;
mod dependency_groups;
mod described_settings;
mod documented_parameters;
mod entry_points;
mod environment_variables;
mod error_messages;
mod errors;
mod errors_by_words;
mod events;
mod exported_names;
mod extras;
mod file_imports;
mod file_purpose;
mod flow_outline;
mod flow_steps;
mod flows;
mod frames;
mod handler_lines;
mod handlers;
mod history;
mod impact;
mod intent_answer;
mod links;
mod location;
mod mentions;
mod module;
mod module_answers;
mod module_links;
mod named_commands;
mod named_raises;
mod named_settings;
mod named_values;
mod ownership;
mod package_presence;
mod packages_by_task;
mod pattern;
mod phrasings;
mod purpose;
mod quantities;
mod quantity_words;
mod raise_side;
mod raises;
mod readme_definition;
mod registration;
mod requirement_folders;
mod routing;
mod source_lines;
mod subcommands;
mod subject;
mod subject_doubt;
mod subject_fit;
mod subject_lookup;
mod subject_words;
mod test_commands;
mod test_coverage;
mod test_lines;
mod tests_by_text;
mod tests_by_words;
mod type_relations;
mod users;
mod users_of_match;
mod value_lists;
mod values;
mod variants;
mod versions;
mod weighted_terms;

pub(super) use clauses::read;
pub(super) use events::asks_for_past;
pub(super) use intent_answer::{IntentAnswer, IntentContext, JoinedAnswer, QuestionIntent};
pub(super) use routing::{answer_all, answer_by_cues, answer_flow, answer_variants};
