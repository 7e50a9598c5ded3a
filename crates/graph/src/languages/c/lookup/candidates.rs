//! Selection among the visible definitions of one name.

use std::cmp::Reverse;

use model::{SymbolKind, code::Flags};

use super::{
    super::{
        CDialect, includes,
        signatures::{MAX_CANDIDATES, same_parameters},
    },
    LookupKind, or_external,
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
        symbols: &[SymbolIdx],
        kind: LookupKind,
    ) -> Option<Ty> {
        if symbols.is_empty() {
            return None;
        }
        let program = cx.program;
        let kind_of = |symbol: SymbolIdx| program.definition(symbol).kind;
        let is_seen = |symbol: SymbolIdx| self.includes.is_visible(file, program.file_of(symbol));
        if kind == LookupKind::Value {
            let functions: Vec<SymbolIdx> = symbols
                .iter()
                .copied()
                .filter(|symbol| {
                    is_function(kind_of(*symbol)) && kind_of(*symbol) != SymbolKind::Macro && is_seen(*symbol)
                })
                .collect();
            if !functions.is_empty() {
                return Some(Ty::function(&self.add_definitions(program, file, &functions, symbols), None));
            }
            let is_variable = |symbol: SymbolIdx| {
                matches!(kind_of(symbol), SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Variant)
            };
            if let Some(variable) = symbols.iter().find(|symbol| is_variable(**symbol) && is_seen(**symbol)) {
                return Some(or_external(cx.symbol_value(*variable, None)));
            }
        }
        if let Some(of) = self.preferred_type(program, file, symbols) {
            cx.consult(program.file_of(of));
            if let Some(ambiguous) = self.ambiguous_alias(cx, of, symbols) {
                return Some(ambiguous);
            }
            // An alias of a value has the type of that value; an alias of a type is applied later, when its arguments
            // are known.
            return Some(match kind {
                LookupKind::Value => cx.symbol_value(of, None),
                LookupKind::Type => Ty::class(of),
            });
        }
        let macros = symbols.iter().find(|symbol| kind_of(**symbol) == SymbolKind::Macro && is_seen(**symbol));
        macros.filter(|_| kind == LookupKind::Value).map(|found| Ty::function(&[*found], None))
    }

    /// Returns `External` for an alias that has different targets under different build conditions.
    fn ambiguous_alias(&self, cx: &mut Inference<'_>, alias: SymbolIdx, symbols: &[SymbolIdx]) -> Option<Ty> {
        let program = cx.program;
        let is_alias = |symbol: SymbolIdx| program.definition(symbol).kind == SymbolKind::TypeAlias;
        if !is_alias(alias) || !program.shape(alias).type_parameters.is_empty() {
            return None;
        }
        let own = cx.variable(alias);
        let variants = symbols
            .iter()
            .copied()
            .filter(|other| *other != alias && is_alias(*other) && program.file_of(*other) == program.file_of(alias));
        let variants: Vec<SymbolIdx> = variants.collect();
        let is_clear = variants.iter().all(|variant| cx.variable(*variant) == own);
        (!is_clear).then_some(Ty::External)
    }

    /// Adds the definitions of functions that are only declared.
    fn add_definitions(
        &self,
        program: &Program<'_>,
        file: FileIdx,
        functions: &[SymbolIdx],
        all: &[SymbolIdx],
    ) -> Vec<SymbolIdx> {
        let mut found: Vec<SymbolIdx> = Vec::new();
        if all.len() > MAX_CANDIDATES {
            return functions.to_vec();
        }
        for function in functions {
            let is_declaration = program.shape(*function).flags.has(Flags::DECLARATION);
            let bodies: Vec<SymbolIdx> = match is_declaration {
                false => Vec::new(),
                true => {
                    all.iter().copied().filter(|one| self.is_definition_of(program, file, *one, *function)).collect()
                }
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
        is_function(program.definition(body).kind)
            && program.definition(body).kind != SymbolKind::Macro
            && !shape.flags.has(Flags::DECLARATION)
            && (!shape.flags.has(Flags::PRIVATE) || self.includes.is_visible(file, body_file))
            && same_parameters(program, body, declared)
    }

    /// Chooses the type among definitions of one name: prefers visible types, then primary templates over
    /// specialisations, then types over aliases, then the nearest file.
    fn preferred_type(&self, program: &Program<'_>, file: FileIdx, symbols: &[SymbolIdx]) -> Option<SymbolIdx> {
        let types = symbols.iter().copied().filter(|symbol| program.definition(*symbol).kind.is_type());
        let types = types.filter(|symbol| program.definition(*symbol).kind != SymbolKind::Module);
        types.min_by_key(|symbol| {
            let definition = program.definition(*symbol);
            let symbol_file = program.file_of(*symbol);
            let is_specialised = definition.signature.contains(&format!("{}<", definition.name));
            let is_far = !self.includes.is_visible(file, symbol_file);
            let is_alias = definition.kind == SymbolKind::TypeAlias;
            let n_shared = includes::n_shared(program.path(file), program.path(symbol_file));
            (is_far, is_specialised, is_alias, symbol_file != file, Reverse(n_shared), *symbol)
        })
    }
}
