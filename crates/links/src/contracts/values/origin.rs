//! The origin of a value, as the path by which it is reached: `axios.create()`, `net/http.Client()`, `requests.Session()`.
//!
//! The path begins with the module of an import or with a name of the language. A value of a type and a value that a
//! constructor makes have the same path. Types of Java, Kotlin, C# and Scala are written without their package.

use graph::{FileIdx, Ty};
use model::{
    Language,
    code::{Expression, ExpressionId, NameId, TypeId},
};

use super::{ValueReader, ValueSource};
use crate::contracts::imports::local_name;

/// Precedes a name that the repository itself defines.
const OWN: &str = "./";

/// Maximum number of steps from a use to the import of its module.
const MAX_DEPTH: u32 = 12;

/// The origin of a value.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::contracts) struct Origin {
    /// The path.
    pub(in crate::contracts) path: String,
    /// The call or constructor that made the value, if it is in the code: its arguments are the configuration of a client.
    pub(in crate::contracts) made_by: Option<(FileIdx, ExpressionId)>,
}

impl Origin {
    fn of_path(path: impl Into<String>) -> Origin {
        Origin { path: path.into(), made_by: None }
    }

    fn member(self, name: &str) -> Origin {
        // `async with client() as c` and `client().__aenter__()` give the object itself.
        if matches!(name, "__aenter__" | "__enter__") {
            return self;
        }
        Origin { path: format!("{}.{name}", self.path), made_by: self.made_by }
    }

    fn called(self, file: FileIdx, call: ExpressionId) -> Origin {
        let is_entered = self.path.ends_with("()") && self.made_by.is_some_and(|made| made != (file, call));
        match is_entered {
            true => self,
            false => Origin { path: self.path + "()", made_by: Some((file, call)) },
        }
    }
}

impl<'p> ValueReader<'_, 'p> {
    /// Returns the origin of a value; `None` if nothing is known of it.
    pub(in crate::contracts) fn origin(&mut self, file: FileIdx, expression: ExpressionId) -> Option<Origin> {
        self.origin_within(file, expression, 0)
    }

    fn origin_within(&mut self, file: FileIdx, expression: ExpressionId, depth: u32) -> Option<Origin> {
        if depth > MAX_DEPTH || !self.may_step() {
            return None;
        }
        let code = self.code(file);
        match code.expression(expression) {
            Expression::Name { name, .. } => {
                let sources = self.sources(file, expression);
                self.origin_of_sources(file, sources, depth).or_else(|| self.global_origin(file, *name))
            }
            Expression::Member { of, name } | Expression::Path { of, name } => {
                let sources = self.sources(file, expression);
                if let Some(found) = self.origin_of_sources(file, sources, depth) {
                    return Some(found);
                }
                let of = self.origin_within(file, *of, depth + 1)?;
                Some(of.member(code.name(*name)))
            }
            Expression::This { .. } => Some(Origin::of_path("this")),
            Expression::Call { callee, .. } => {
                if let Some(found) = self.origin_of_result(file, expression, *callee, depth) {
                    return Some(found);
                }
                let callee = self.origin_within(file, *callee, depth + 1)?;
                Some(callee.called(file, expression))
            }
            Expression::Make { made, .. } => {
                let made = self.origin_of_type(file, *made, depth)?;
                Some(Origin { made_by: Some((file, expression)), ..made })
            }
            Expression::Awaited { of }
            | Expression::Tried { of }
            | Expression::Dereferenced { of }
            | Expression::Cast { of, .. }
            | Expression::Part { of, index: 0 } => self.origin_within(file, *of, depth + 1),
            Expression::Matched { of, .. } => self.origin_within(file, *of, depth + 1),
            Expression::Import { module, name } => {
                let sources = self.sources(file, expression);
                if let Some(found) = self.origin_of_sources(file, sources, depth) {
                    return Some(found);
                }
                let module = Origin::of_path(code.name(*module));
                Some(match name {
                    Some(name) => module.member(code.name(*name)),
                    None => module,
                })
            }
            Expression::Either(choices) => self.origin_of_choices(file, choices, depth),
            Expression::Operation { operator, left, right: Some(right) }
                if matches!(code.name(*operator), "||" | "??" | "or" | "?:") =>
            {
                self.origin_of_choices(file, &[*left, *right], depth)
            }
            Expression::Type(written) => {
                let of = self.origin_of_type(file, *written, depth)?;
                Some(Origin::of_path(of.path.trim_end_matches("()")))
            }
            _ => None,
        }
    }

    /// Returns the origin of a value that is one of several: one that the code makes, as in `options.client || axios.create()`, tells more
    /// than one that callers may give.
    fn origin_of_choices(&mut self, file: FileIdx, choices: &[ExpressionId], depth: u32) -> Option<Origin> {
        let mut found: Vec<Origin> =
            choices.iter().filter_map(|one| self.origin_within(file, *one, depth + 1)).collect();
        let made = found.iter().position(|origin| origin.made_by.is_some()).unwrap_or_default();
        (!found.is_empty()).then(|| found.swap_remove(made))
    }

    fn origin_of_sources(&mut self, file: FileIdx, sources: Vec<ValueSource>, depth: u32) -> Option<Origin> {
        let _ = file;
        sources.into_iter().find_map(|source| match source {
            ValueSource::Expression(file, value) => self.origin_within(file, value, depth + 1),
            ValueSource::Declared(file, written) => self.origin_of_type(file, written, depth + 1),
            ValueSource::Parameter(..) | ValueSource::Variable(_) => None,
        })
    }

    /// Returns the origin of the result of a function of the repository.
    fn origin_of_result(
        &mut self,
        file: FileIdx,
        call: ExpressionId,
        callee: ExpressionId,
        depth: u32,
    ) -> Option<Origin> {
        let function = match self.cx.type_of(file, callee) {
            Ty::Function { candidates, .. } => *candidates.first()?,
            _ => self.own_factory(file, call)?,
        };
        let program = self.program();
        let shape = program.shape(function);
        let home = program.file_of(function);
        self.cx.consult(home);
        let returned = shape.values.iter().find_map(|value| self.origin_within(home, *value, depth + 1));
        returned.or_else(|| self.origin_of_type(home, shape.declared?, depth + 1))
    }

    /// Returns the function of the type around a call that it runs, in C#: `var client = CreateCartClient();`.
    fn own_factory(&self, file: FileIdx, call: ExpressionId) -> Option<graph::SymbolIdx> {
        let is_without_inference = self.program().language(file) == Language::CSharp;
        let shape = self.call(file, call).filter(|_| is_without_inference)?;
        self.own_function(file, &shape)
    }

    /// Returns the origin of an object of a written type.
    pub(in crate::contracts) fn origin_of_type(
        &mut self,
        file: FileIdx,
        written: TypeId,
        depth: u32,
    ) -> Option<Origin> {
        use model::code::TypeExpression::*;
        let code = self.code(file);
        match code.written(written) {
            Named { path, .. } => {
                let first = *path.first()?;
                let language = self.program().language(file);
                if has_packages(language) {
                    // `java.net.http.HttpClient` is written as `HttpClient`, `Request.Builder` as it is.
                    let names = path.iter().map(|name| code.name(*name));
                    let names = names.skip_while(|name| !name.starts_with(char::is_uppercase));
                    let written: Vec<&str> = names.collect();
                    let last = code.name(*path.last()?);
                    let name = if written.is_empty() { last.to_owned() } else { written.join(".") };
                    let own = if self.is_own_type(language, last) { OWN } else { "" };
                    return Some(Origin::of_path(format!("{own}{name}()")));
                }
                let origin = self.global_origin(file, first)?;
                let path = path[1..].iter().fold(origin.path, |path, name| format!("{path}.{}", code.name(*name)));
                Some(Origin::of_path(path + "()"))
            }
            Pointer(of) => self.origin_of_type(file, *of, depth + 1),
            Tuple(parts) | Union(parts) => parts.iter().find_map(|of| self.origin_of_type(file, *of, depth + 1)),
            Of(of) => self.origin_within(file, *of, depth + 1),
            _ => None,
        }
    }

    /// Returns true if the repository defines a type of this name in a language.
    fn is_own_type(&self, language: Language, name: &str) -> bool {
        let program = self.program();
        let named = program.name_named(name).map_or(&[][..], |name| program.named(name));
        named.iter().any(|symbol| {
            program.definition(*symbol).kind.is_type() && program.language(program.file_of(*symbol)) == language
        })
    }

    /// Returns the origin of a name at the level of a file: an imported one, or a name of the language or the file.
    fn global_origin(&mut self, file: FileIdx, name: NameId) -> Option<Origin> {
        let program = self.program();
        let language = program.language(file);
        let text = self.code(file).name(name);
        if !program.top(file, program.name(file, name)).is_empty() {
            return Some(Origin::of_path(format!("{OWN}{text}")));
        }
        for (idx, import) in program.facts(file).imports.iter().enumerate() {
            let binds_no_name = import.name == "*" && import.alias.is_empty();
            if binds_no_name || local_name(language, import) != text {
                continue;
            }
            if !self.cx.import_targets(file, idx).is_empty() {
                return Some(Origin::of_path(format!("{OWN}{text}")));
            }
            let is_module = matches!(import.name.as_str(), "" | "default" | "*");
            let path = match (language, is_module) {
                // `import a.b` of Python binds `a`.
                (Language::Python, true) if import.alias.is_empty() => text.to_owned(),
                (language, true) if has_packages(language) => text.to_owned(),
                (_, true) => import.module.clone(),
                (language, false) if has_packages(language) => import.name.clone(),
                (Language::Rust, false) => format!("{}.{}", import.module.replace("::", "."), import.name),
                (_, false) => format!("{}.{}", import.module, import.name),
            };
            return Some(Origin::of_path(path.replace("::", ".")));
        }
        Some(Origin::of_path(text))
    }
}

/// Returns true for languages whose types are known by their bare names here.
fn has_packages(language: Language) -> bool {
    matches!(language, Language::Java | Language::Kotlin | Language::Scala | Language::CSharp | Language::Php)
}
