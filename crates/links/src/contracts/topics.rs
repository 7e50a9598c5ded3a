//! Topics, queues and subjects that code publishes to and consumes from, and background jobs.

use graph::{FileIdx, Inference, Program};
use model::{
    DocumentEntry, DocumentFormat, SymbolKind,
    code::{Expression, Literal},
};

use super::{
    deployment::is_of_broker,
    enclosing::{enclosing_node, entries},
    visibility::is_test_or_example,
};
use crate::contract::{ContractKind, ContractUse};

/// Maximum number of definitions of a constant's name that are looked at.
const MAX_CONSTANTS: usize = 50;

/// Returns the topics that a file uses. The key is `BROKER:TOPIC`, or `BROKER:{env:NAME}` with the default as the member.
pub(super) fn uses(cx: &mut Inference<'_>, file: FileIdx) -> Vec<ContractUse> {
    let program = cx.program;
    if is_test_or_example(program.path(file)) {
        return Vec::new();
    }
    entries(program, file, DocumentFormat::Messages).filter_map(|entry| topic_use(cx, file, entry)).collect()
}

fn topic_use(cx: &mut Inference<'_>, file: FileIdx, entry: &DocumentEntry) -> Option<ContractUse> {
    let (broker, direction) = entry.key.split_once(' ')?;
    let (topic, default) = entry.value.split_once('|').unwrap_or((&entry.value, ""));
    let topic = match topic.strip_prefix("{name:").or_else(|| topic.strip_prefix("{task:")) {
        Some(name) if topic.starts_with("{name:") => constant(cx, name.trim_end_matches('}'))?,
        Some(task) => format!("{}.{}", python_module(cx.program.path(file)), task.trim_end_matches('}')),
        None => topic.to_owned(),
    };
    Some(ContractUse {
        kind: ContractKind::Topic,
        key: format!("{broker}:{topic}"),
        member: default.to_owned(),
        node: enclosing_node(cx.program, file, entry.line),
        line: entry.line,
        confidence: 0.9,
        n_sites: 1,
        serves: direction == "consume",
    })
}

/// Returns the text of the constant with a name, if all constants with this name have the same; the variable that its file reads, if
/// none is written.
fn constant(cx: &mut Inference<'_>, name: &str) -> Option<String> {
    let program: &Program<'_> = cx.program;
    let symbols = program.named(program.name_named(name)?);
    let mut texts: Vec<&str> = Vec::new();
    let mut files: Vec<FileIdx> = Vec::new();
    for symbol in symbols.iter().take(MAX_CONSTANTS) {
        let kinds = [SymbolKind::Constant, SymbolKind::Variable, SymbolKind::Field, SymbolKind::Property];
        if !kinds.contains(&program.definition(*symbol).kind) {
            continue;
        }
        let file = program.file_of(*symbol);
        cx.consult(file);
        files.push(file);
        let code = program.code(file);
        let [value] = &*program.shape(*symbol).values else { continue };
        if let Expression::Literal(Literal::Text(Some(text))) = code.expression(*value) {
            texts.push(code.name(*text));
        }
    }
    texts.dedup();
    match texts.as_slice() {
        [text] if !text.is_empty() && !text.contains('{') => Some((*text).to_owned()),
        [] => {
            let mut variables: Vec<&str> = files.iter().flat_map(|file| topic_variables(program, *file)).collect();
            variables.sort_unstable();
            variables.dedup();
            Some(format!("{{env:{}}}", variables.first().filter(|_| variables.len() == 1)?))
        }
        _ => None,
    }
}

/// Returns the variables of a file that name a topic. A constant may have its value from a function that reads one.
fn topic_variables<'p>(program: &Program<'p>, file: FileIdx) -> impl Iterator<Item = &'p str> + use<'p> {
    let variables = entries(program, file, DocumentFormat::Variables).map(|entry| entry.key.as_str());
    variables.filter(|variable| is_of_broker(variable))
}

/// Returns the module of a file of Python: `app.tasks` of `src/app/tasks.py`.
fn python_module(path: &str) -> String {
    let path = path.strip_prefix("src/").unwrap_or(path);
    path.strip_suffix(".py").unwrap_or(path).trim_end_matches("/__init__").replace('/', ".")
}
