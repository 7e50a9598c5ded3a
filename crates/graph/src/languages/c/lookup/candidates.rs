//! Selection among the visible definitions of one name.

use std::cmp::Reverse;

use model::{SymbolKind, code::Flags};

use super::{
    super::{
        CDialect, includes,
        signatures::{MAX_CANDIDATES, same_parameters},
    },
    LookupKind,
    named_definitions::NamedDefinitions,
    or_external,
};
use crate::{
    infer::{Inference, is_function},
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

impl CDialect {
    /// Returns the type of several definitions of one name, as far as a file sees them.
    pub(super) fn resolve_definitions(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        symbols: &NamedDefinitions<'_>,
        kind: LookupKind,
    ) -> Option<Ty> {
        if symbols.len() == 0 {
            return None;
        }
        let program = cx.program;
        let kind_of = |symbol: SymbolIdx| program.definition(symbol).kind;
        let visible = symbols.visible(program, &self.includes, file);
        // Those that are not selected decide, too: one that changes may be selected then.
        visible.iter().for_each(|symbol| cx.consult(program.file_of(*symbol)));
        if kind == LookupKind::Value {
            let functions: Vec<SymbolIdx> = visible
                .iter()
                .copied()
                .filter(|symbol| is_function(kind_of(*symbol)) && kind_of(*symbol) != SymbolKind::Macro)
                .collect();
            if !functions.is_empty() {
                return Some(Ty::function(&self.add_definitions(cx, file, &functions, symbols), None));
            }
            let is_variable = |symbol: SymbolIdx| {
                matches!(kind_of(symbol), SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Variant)
            };
            if let Some(variable) = visible.iter().find(|symbol| is_variable(**symbol)) {
                return Some(or_external(cx.symbol_value(*variable, None)));
            }
        }
        let nearest = preferred_type(program, file, visible.iter().copied());
        let is_reached =
            |symbol: &SymbolIdx| self.includes.reaches_repository_of(program, file, program.file_of(*symbol));
        let unseen = || symbols.iter().filter(is_reached);
        if let Some(of) = nearest.or_else(|| preferred_type(program, file, unseen())) {
            cx.consult(program.file_of(of));
            let Some(of) = self.certain_alias(cx, of, symbols) else { return Some(Ty::External) };
            // An alias of a value has the type of that value; an alias of a type is applied later, when its arguments
            // are known.
            return Some(match kind {
                LookupKind::Value => cx.symbol_value(of, None),
                LookupKind::Type => Ty::class(of),
            });
        }
        let macros = visible.iter().find(|symbol| kind_of(**symbol) == SymbolKind::Macro);
        macros.filter(|_| kind == LookupKind::Value).map(|found| Ty::function(&[*found], None))
    }

    /// Returns the alias that a build uses among those of one name in a file; `None` if several targets are possible.
    ///
    /// An alias may have different targets under different build conditions. A target in another repository is certain: a build
    /// that takes the other branch does not use this repository. A type of the own one may be a fallback for a missing library.
    fn certain_alias(
        &self,
        cx: &mut Inference<'_>,
        alias: SymbolIdx,
        symbols: &NamedDefinitions<'_>,
    ) -> Option<SymbolIdx> {
        let program = cx.program;
        let is_alias = |symbol: SymbolIdx| program.definition(symbol).kind == SymbolKind::TypeAlias;
        if !is_alias(alias) {
            return Some(alias);
        }
        let mut variants = symbols.in_file(program, program.file_of(alias));
        variants.retain(|one| is_alias(*one));
        let own = cx.variable(alias);
        if variants.iter().all(|variant| cx.variable(*variant) == own) {
            return Some(alias);
        }
        let mut foreign = variants.iter().copied().filter(|one| self.is_foreign_target(cx, *one));
        match (foreign.next(), foreign.next()) {
            (Some(only), None) => Some(only),
            _ => (!program.shape(alias).type_parameters.is_empty()).then_some(alias),
        }
    }

    /// Returns true for an alias of a type of another repository.
    fn is_foreign_target(&self, cx: &mut Inference<'_>, alias: SymbolIdx) -> bool {
        let (Ty::Class(applied) | Ty::Object(applied)) = cx.variable(alias) else { return false };
        let root = |symbol: SymbolIdx| cx.program.root_of_file(cx.program.file_of(symbol));
        root(applied.of) != root(alias)
    }

    /// Adds the definitions of functions that are only declared. All functions of the name count as consulted then.
    fn add_definitions(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        functions: &[SymbolIdx],
        all: &NamedDefinitions<'_>,
    ) -> Vec<SymbolIdx> {
        let program = cx.program;
        let mut found: Vec<SymbolIdx> = Vec::new();
        if all.len() > MAX_CANDIDATES {
            return functions.to_vec();
        }
        let is_declared = |symbol: SymbolIdx| program.shape(symbol).flags.has(Flags::DECLARATION);
        if functions.iter().any(|function| is_declared(*function)) {
            all.iter().for_each(|symbol| cx.consult(program.file_of(symbol)));
        }
        for function in functions {
            let is_declaration = is_declared(*function);
            let bodies: Vec<SymbolIdx> = match is_declaration {
                false => Vec::new(),
                true => all.iter().filter(|one| self.is_definition_of(program, file, *one, *function)).collect(),
            };
            // The declaration is kept as well, since only it has the default arguments.
            for one in bodies.into_iter().chain([*function]) {
                if !found.contains(&one) {
                    found.push(one);
                }
            }
        }
        found
    }

    /// Returns true if a function is the definition of a declaration.
    fn is_definition_of(&self, program: &Program<'_>, file: FileIdx, body: SymbolIdx, declared: SymbolIdx) -> bool {
        let shape = program.shape(body);
        let body_file = program.file_of(body);
        let root = program.root_of_file(body_file);
        [program.file_of(declared), file].into_iter().any(|one| program.root_of_file(one) == root)
            && is_function(program.definition(body).kind)
            && program.definition(body).kind != SymbolKind::Macro
            && !shape.flags.has(Flags::DECLARATION)
            && (!shape.flags.has(Flags::PRIVATE) || self.includes.is_visible(file, body_file))
            && same_parameters(program, body, declared)
    }
}

/// Chooses the type among definitions of one name that a file sees, or among those that it does not see: prefers primary templates over
/// specialisations, then types over aliases, then the nearest file.
fn preferred_type(program: &Program<'_>, file: FileIdx, symbols: impl Iterator<Item = SymbolIdx>) -> Option<SymbolIdx> {
    let types = symbols.filter(|symbol| program.definition(*symbol).kind.is_type());
    let types = types.filter(|symbol| program.definition(*symbol).kind != SymbolKind::Module);
    types.min_by_key(|symbol| {
        let definition = program.definition(*symbol);
        let symbol_file = program.file_of(*symbol);
        let is_specialised = definition.signature.contains(&format!("{}<", definition.name));
        let is_alias = definition.kind == SymbolKind::TypeAlias;
        let n_shared = includes::n_shared(program.path(file), program.path(symbol_file));
        (is_specialised, is_alias, symbol_file != file, Reverse(n_shared), *symbol)
    })
}

#[cfg(test)]
mod tests {
    use crate::{resolve, testing::with_codebase};

    /// Checks the other files that the uses in `main.cpp` depend on.
    #[track_caller]
    fn check_consulted(fixture: &str, expected: &[&str]) {
        with_codebase(fixture, |codebase| {
            let program = codebase.program();
            let main = program.file_at("main.cpp").expect("the fixture has it");
            let consulted = resolve(codebase, main).consulted.into_iter().filter(|file| *file != main);
            let paths: Vec<&str> = consulted.map(|file| program.path(file)).collect();
            assert_eq!(paths, expected, "{fixture}");
        });
    }

    #[test]
    fn overloads_that_a_call_does_not_choose_are_consulted() {
        let main = "//- /main.cpp
#include \"a.h\"
#include \"b.h\"
#include \"d.h\"
int main() { record(1); return 0; }
";
        // The bodies of declarations are consulted wherever they are.
        let declared = "//- /a.h
void record(int n);
//- /b.h
void record(int n, int m);
//- /c.cpp
void record(int n) {}
//- /d.h
void other(int n);
";
        check_consulted(&format!("{declared}{main}"), &["a.h", "b.h", "c.cpp"]);
        let defined = "//- /a.h
inline void record(int n) {}
//- /b.h
inline void record(int n, int m) {}
//- /c.cpp
static void record(long n) {}
//- /d.h
inline void other(int n) {}
";
        check_consulted(&format!("{defined}{main}"), &["a.h", "b.h"]);
    }
}
