//! Imports that a local binding hides.

use std::collections::{BTreeMap, BTreeSet};

use graph::{Family, FileIdx, Program};
use model::{Reference, ReferenceKind, code::Expression};

use super::origin::local_name;

/// Local bindings, such as parameters and variables, that hide an import of the same name.
pub(super) struct ShadowedImports<'p> {
    /// By definition: the imports that it hides.
    by_definition: BTreeMap<u32, BTreeSet<&'p str>>,
    /// Uses of the form `of::name`, which no variable can hide.
    paths: BTreeSet<(&'p str, &'p str)>,
}

/// Maximum nesting depth of definitions.
const MAX_NESTING: usize = 400;

impl<'p> ShadowedImports<'p> {
    /// Finds the hidden imports of a file.
    pub(super) fn of(program: &Program<'p>, file: FileIdx) -> ShadowedImports<'p> {
        // In some of the languages without type inference, no variable hides an import.
        if !Family::of(program.language(file)).has_inference() {
            return ShadowedImports { by_definition: BTreeMap::new(), paths: BTreeSet::new() };
        }
        let code = program.code(file);
        let imported: BTreeSet<&str> =
            program.facts(file).imports.iter().map(|import| local_name(program.language(file), import)).collect();
        // By scope: its enclosing definition. An outer scope precedes its inner scopes.
        let mut definition_of_scope: Vec<Option<u32>> = Vec::with_capacity(code.scopes.len());
        for scope in &code.scopes {
            let outer = scope.parent.and_then(|parent| definition_of_scope.get(parent.index()).copied().flatten());
            definition_of_scope.push(scope.definition.map(|definition| definition.0).or(outer));
        }
        let mut by_definition: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
        for binding in &code.bindings {
            let is_import = binding.value.is_some_and(|value| {
                matches!(code.expression(value), Expression::Import { .. } | Expression::Member { .. })
            });
            let definition = definition_of_scope.get(binding.scope.index()).copied().flatten();
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
        ShadowedImports { by_definition, paths }
    }

    /// Returns true if the first name of a use is bound in its enclosing definition, or in an outer one. A type is never a
    /// variable.
    pub(super) fn hides(&self, program: &Program<'_>, file: FileIdx, used: &Reference, first: &str) -> bool {
        let name = if first.is_empty() { used.name.as_str() } else { first };
        let is_path = used.receiver.contains("::") || self.paths.contains(&(first, used.name.as_str()));
        if used.kind != ReferenceKind::Call || is_path {
            return false;
        }
        let enclosing = used.enclosing;
        let definitions = &program.facts(file).definitions;
        let outwards =
            std::iter::successors(enclosing, |at| definitions.get(*at as usize)?.parent.filter(|outer| outer < at));
        let mut all = outwards.take(MAX_NESTING).filter_map(|at| self.by_definition.get(&at));
        all.any(|names| names.contains(name))
    }
}
