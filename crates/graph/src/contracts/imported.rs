//! Uses of other packages: which of their names a file takes, and which of its definitions use them.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    Import, Language, Reference, ReferenceKind,
    code::{DefinitionId, Expression},
};

use super::{ContractKind, Use, packages::Packages};
use crate::{
    dialect::Family,
    infer::Inference,
    program::{FileIdx, Program},
    resolve::Node,
};

/// A name that is taken from a package by way of what its own manifest declares.
const DECLARED: f32 = 0.95;

/// A name of a package that no manifest here declares: it may be another package of the same name.
const UNDECLARED: f32 = 0.4;

/// Returns the uses of names of other packages in a file.
pub(super) fn uses(cx: &mut Inference<'_>, file: FileIdx) -> Vec<Use> {
    let program = cx.program;
    let mut found = Found::default();
    let mut locals: BTreeMap<&str, Origin> = BTreeMap::new();
    let dialect = cx.dialect(file);
    for (index, import) in program.facts(file).imports.iter().enumerate() {
        if !dialect.imported(cx, file, index).is_empty() {
            continue;
        }
        let Some(origin) = origin(program, file, import) else { continue };
        let taken = if import.name.is_empty() { module_within(program, file, import) } else { None };
        let taken = taken.unwrap_or_else(|| origin.member.clone());
        found.add(&origin, taken, Node::File(file), import.line);
        let local = local_name(program.language(file), import);
        // What is imported as `_` or `.` has no name.
        if import.name != "*" && !matches!(local, "_" | ".") {
            locals.insert(local, origin);
        }
    }
    let crates = crates(program, file);
    let shadows = Shadows::of(program, file);
    for reference in &program.facts(file).references {
        let node = reference
            .enclosing
            .map_or(Node::File(file), |enclosing| Node::Symbol(program.symbol(file, DefinitionId(enclosing))));
        let (first, rest) = split_first(&reference.receiver);
        let origin = match first {
            "" => locals.get(reference.name.as_str()),
            first => locals.get(first).or_else(|| crates.get(first)),
        };
        let Some(origin) = origin else { continue };
        if shadows.hides(program, file, reference, first) {
            continue;
        }
        let member = match (first, origin.kind) {
            // The module itself, by its name alone, is no use of anything in it, except where modules are values.
            ("", Meaning::Module) if !is_ecmascript(program.language(file)) => continue,
            ("", _) => origin.member.clone(),
            (_, Meaning::Module | Meaning::Either) => {
                origin.inner(&join_path(program.language(file), rest, &reference.name))
            }
            // A member of a name that was taken: `Type.method`.
            (_, Meaning::Name) if rest.is_empty() => format!("{}.{}", origin.member, reference.name),
            _ => continue,
        };
        if is_name(&member) {
            found.add(origin, member, node, reference.line);
        }
    }
    found.uses.into_values().collect()
}

/// Returns the module that `import a.b` of Python takes, where it binds only the package.
fn module_within(program: &Program<'_>, file: FileIdx, import: &Import) -> Option<String> {
    let (_, inner) = import.module.split_once('.')?;
    (program.language(file) == Language::Python && import.alias.is_empty()).then(|| inner.to_owned())
}

/// What a local name stands for.
#[derive(Debug, Clone)]
struct Origin {
    key: String,
    /// Within the package: `module::Name`; a module alone where the name is one; empty for the package.
    member: String,
    kind: Meaning,
    confidence: f32,
}

/// What is taken by an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Module,
    /// A type, function or value.
    Name,
    /// A module or a function or value: `from a import b`, `use a::b`.
    Either,
}

impl Origin {
    /// Returns a name within the module that this is.
    fn inner(&self, name: &str) -> String {
        if self.member.is_empty() { name.to_owned() } else { format!("{}::{name}", self.member) }
    }
}

#[derive(Default)]
struct Found {
    uses: BTreeMap<(String, String, Node), Use>,
}

impl Found {
    fn add(&mut self, origin: &Origin, member: String, node: Node, line: u32) {
        let key = (origin.key.clone(), member.clone(), node);
        let one = self.uses.entry(key).or_insert_with(|| Use {
            kind: ContractKind::PackageSymbol,
            key: origin.key.clone(),
            member,
            node,
            line,
            confidence: origin.confidence,
            n_sites: 0,
            serves: false,
        });
        one.n_sites += 1;
        one.line = one.line.min(line);
    }
}

/// Returns what an import takes from which package; nothing for one of the standard library, or of this repository.
fn origin(program: &Program<'_>, file: FileIdx, import: &Import) -> Option<Origin> {
    let packages = &program.promised.packages;
    let (key, module, confidence) = match program.language(file) {
        Language::JavaScript | Language::TypeScript | Language::Tsx => npm(packages, &import.module)?,
        Language::Python => python(packages, &import.module)?,
        Language::Go => go(packages, &import.module)?,
        Language::Rust => cargo(packages, &import.module)?,
        Language::Java | Language::Kotlin | Language::Scala => java(program, &import.module)?,
        _ => return None,
    };
    if packages.makes(&key) {
        return None;
    }
    let whole = import.name.is_empty() || import.name == "*";
    let language = program.language(file);
    let member = match (module.as_str(), import.name.as_str()) {
        // `import a.b` binds `a`.
        (_, "") if language == Language::Python && import.alias.is_empty() => String::new(),
        (module, _) if whole => module.to_owned(),
        // What a module of JavaScript is as a whole.
        (module, "default") if is_ecmascript(language) => module.to_owned(),
        ("", name) => name.to_owned(),
        (module, name) => format!("{module}::{name}"),
    };
    let last = member.rsplit([':', '.']).next().unwrap_or_default();
    let kind = match language {
        Language::Java | Language::Kotlin | Language::Scala => Meaning::Name,
        Language::Python if whole => Meaning::Module,
        // Small letters are what modules and functions have.
        Language::Python | Language::Rust if !last.is_empty() && starts_upper(last) => Meaning::Name,
        Language::Python | Language::Rust => Meaning::Either,
        language if is_ecmascript(language) && import.name == "default" => Meaning::Module,
        _ if whole => Meaning::Module,
        _ => Meaning::Name,
    };
    Some(Origin { key, member, kind, confidence })
}

/// Names of functions that stand before what is imported: parameters and local variables.
struct Shadows<'p> {
    by_definition: BTreeMap<u32, BTreeSet<&'p str>>,
    /// What is written as `of::name`, which no variable stands before.
    paths: BTreeSet<(&'p str, &'p str)>,
}

/// How many definitions may lie in each other.
const MAX_AROUND: usize = 400;

impl<'p> Shadows<'p> {
    fn of(program: &Program<'p>, file: FileIdx) -> Shadows<'p> {
        let code = program.code(file);
        let imported: BTreeSet<&str> =
            program.facts(file).imports.iter().map(|import| local_name(program.language(file), import)).collect();
        // By scope the definition around it; scopes come after those around them.
        let mut around: Vec<Option<u32>> = Vec::with_capacity(code.scopes.len());
        for scope in &code.scopes {
            let outer = scope.parent.and_then(|parent| around.get(parent.index()).copied().flatten());
            around.push(scope.definition.map(|definition| definition.0).or(outer));
        }
        let mut by_definition: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
        for binding in &code.bindings {
            let is_import = binding.value.is_some_and(|value| {
                matches!(code.expression(value), Expression::Import { .. } | Expression::Member { .. })
            });
            let definition = around.get(binding.scope.index()).copied().flatten();
            let name = code.name(binding.name);
            if let Some(definition) = definition.filter(|_| !is_import && imported.contains(name)) {
                by_definition.entry(definition).or_default().insert(name);
            }
        }
        let path_of = |expression: &Expression| match expression {
            Expression::Path { of, name } => match code.expression(*of) {
                Expression::Name { name: of, .. } => Some((code.name(*of), code.name(*name))),
                _ => None,
            },
            _ => None,
        };
        let paths = code.expressions.iter().filter_map(path_of).collect();
        Shadows { by_definition, paths }
    }

    /// Says whether what a use begins with is bound in its definition, or in one around it. Types are never variables.
    fn hides(&self, program: &Program<'_>, file: FileIdx, used: &Reference, first: &str) -> bool {
        let name = if first.is_empty() { used.name.as_str() } else { first };
        let is_path = used.receiver.contains("::") || self.paths.contains(&(first, used.name.as_str()));
        if used.kind != ReferenceKind::Call || is_path {
            return false;
        }
        let enclosing = used.enclosing;
        let definitions = &program.facts(file).definitions;
        let outwards =
            std::iter::successors(enclosing, |at| definitions.get(*at as usize)?.parent.filter(|outer| outer < at));
        let mut all = outwards.take(MAX_AROUND).filter_map(|at| self.by_definition.get(&at));
        all.any(|names| names.contains(name))
    }
}

fn is_ecmascript(language: Language) -> bool {
    Family::of(language) == Family::Ecmascript
}

/// Says whether this can be the name of a definition; what stands before a member may be any expression.
fn is_name(member: &str) -> bool {
    member.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '/' | '-' | '#'))
}

fn npm(packages: &Packages, module: &str) -> Option<(String, String, f32)> {
    let is_path = module.starts_with(['.', '/', '#']) || module.contains(':');
    if is_path || module.is_empty() {
        return None;
    }
    let n_parts = if module.starts_with('@') { 2 } else { 1 };
    let end = module.match_indices('/').nth(n_parts - 1).map_or(module.len(), |(at, _)| at);
    let key = format!("npm:{}", &module[..end]);
    let is_declared = packages.requires(&key);
    // What is not declared where others are comes with the platform.
    if !is_declared && packages.requires_any("npm") {
        return None;
    }
    let confidence = if is_declared { DECLARED } else { UNDECLARED };
    Some((key, module[end..].trim_start_matches('/').to_owned(), confidence))
}

/// The name that Python imports need not be that of the distribution; it is declared where they are alike.
fn python(packages: &Packages, module: &str) -> Option<(String, String, f32)> {
    if module.starts_with('.') || module.is_empty() {
        return None;
    }
    let (root, rest) = module.split_once('.').unwrap_or((module, ""));
    let distribution = format!("pypi:{}", super::packages::normal_python(root));
    let is_declared = packages.requires(&distribution);
    if !is_declared && packages.requires_any("pypi") {
        return None;
    }
    let confidence = if is_declared { DECLARED } else { UNDECLARED };
    Some((format!("python:{root}"), rest.to_owned(), confidence))
}

/// A module of Go is the longest required path that an import begins with.
fn go(packages: &Packages, path: &str) -> Option<(String, String, f32)> {
    let modules = packages.required("go").filter_map(|declared| declared.key.strip_prefix("go:"));
    let module = modules
        .filter(|module| path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
        .max_by_key(|module| module.len())?;
    Some((format!("go:{module}"), path[module.len()..].trim_start_matches('/').to_owned(), DECLARED))
}

fn cargo(packages: &Packages, path: &str) -> Option<(String, String, f32)> {
    let path = path.trim_start_matches("::");
    let (root, rest) = path.split_once("::").unwrap_or((path, ""));
    let package = packages.required("cargo").find(|declared| declared.local == root)?;
    Some((package.key.clone(), rest.to_owned(), DECLARED))
}

/// A package of Java is its own key: its name begins with a domain, which is nobody else's.
fn java(program: &Program<'_>, module: &str) -> Option<(String, String, f32)> {
    let is_platform = ["java.", "javax.", "jdk.", "sun.", "kotlin.", "scala.", "android."]
        .iter()
        .any(|platform| module.starts_with(platform));
    if is_platform || !module.contains('.') {
        return None;
    }
    (!program.has_package(module)).then(|| (format!("java:{module}"), String::new(), DECLARED))
}

/// Returns the name that an import has in its file.
fn local_name(language: Language, import: &Import) -> &str {
    match (import.alias.as_str(), import.name.as_str()) {
        ("", "") if language == Language::Go => go_name(&import.module),
        ("", "") if language == Language::Python => import.module.split('.').next().unwrap_or_default(),
        ("", "") => import.module.rsplit([':', '/', '.']).next().unwrap_or_default(),
        ("", name) => name,
        (alias, _) => alias,
    }
}

/// Returns what a package of Go is called by those who import it: the last part of its path that is no version.
fn go_name(path: &str) -> &str {
    let is_version = |part: &str| part.strip_prefix('v').is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
    path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path)
}

/// Returns the crates that code may name without an import.
fn crates(program: &Program<'_>, file: FileIdx) -> BTreeMap<String, Origin> {
    if program.language(file) != Language::Rust {
        return BTreeMap::new();
    }
    let crates =
        program.promised.packages.required("cargo").filter(|declared| !program.promised.packages.makes(&declared.key));
    let origin =
        |key: &str| Origin { key: key.to_owned(), member: String::new(), kind: Meaning::Module, confidence: DECLARED };
    crates.map(|declared| (declared.local.clone(), origin(&declared.key))).collect()
}

/// Splits the first name off what stands before a name.
fn split_first(receiver: &str) -> (&str, &str) {
    let end = receiver.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$')).unwrap_or(receiver.len());
    (&receiver[..end], receiver[end..].trim_start_matches(['.', ':']))
}

/// Returns the rest of a path as what is offered is named: modules joined, a type before its member.
fn join_path(language: Language, rest: &str, name: &str) -> String {
    if rest.is_empty() {
        return name.to_owned();
    }
    let last = rest.rsplit(['.', ':']).next().unwrap_or(rest);
    let joint = if starts_upper(last) { "." } else { "::" };
    let rest = if language == Language::Python { rest.to_owned() } else { rest.replace('.', "::") };
    format!("{rest}{joint}{name}")
}

fn starts_upper(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase())
}
