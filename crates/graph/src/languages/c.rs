//! C and C++ dialect: includes define visibility, namespaces and classes define scopes, arguments choose overloads.
//!
//! Both branches of a preprocessor condition are read. Definitions that only a macro expands to are unknown.

mod conditional_calls;
mod const_overloads;
mod conversions;
mod includes;
mod lookup;
mod namespaces;
mod overloads;
pub mod public_headers;
mod qualifiers;
mod signatures;
mod standard_library;
mod values;

use model::{
    SymbolKind,
    code::{ExpressionId, Flags, Literal, ScopeId, Site, TypeId},
};

use crate::{
    edge::Resolution,
    family::Family,
    infer::{CallArguments, Dialect, Inference, ResolvedMember, is_function},
    manifest::ManifestFile,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::{ModuleIdx, Ty},
};
use includes::Includes;
use lookup::LookupKind;
use namespaces::{GLOBAL, Namespace, Namespaces};

/// The C and C++ dialect of one program.
pub(crate) struct CDialect {
    includes: Includes,
    namespaces: Namespaces,
}

impl CDialect {
    /// Builds the include graph and the namespace tree of a program.
    pub(crate) fn lay_out(program: &Program<'_>, _manifests: &[ManifestFile<'_>]) -> CDialect {
        CDialect { includes: Includes::of(program), namespaces: Namespaces::of(program) }
    }
}

impl Dialect for CDialect {
    /// Returns the members that are defined outside of their classes (`void A::f() {}`).
    fn attachments(&self, cx: &mut Inference<'_>) -> Vec<(SymbolIdx, SymbolIdx)> {
        let program = cx.program;
        let mut found = Vec::new();
        for file in program.file_indices().filter(|file| Family::of(program.language(*file)) == Family::C) {
            for symbol in program.symbols_of(file) {
                let Some(receiver) = program.shape(symbol).receiver else { continue };
                if let Ty::Object(applied) = cx.written_type(file, receiver) {
                    found.push((applied.of, symbol));
                }
            }
        }
        found
    }

    fn type_of(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        self.expression_type(cx, file, expression)
    }

    fn written_type(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        self.resolve_written_type(cx, file, written)
    }

    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        self.resolve_in_enclosing_namespaces(cx, file, GLOBAL, name, LookupKind::Value)
    }

    /// Resolves the name of a type in the namespaces that the file opens, the innermost first: its scope is unknown.
    fn global_type(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        let opened = self.namespaces.opened_in(file).iter();
        let mut found = opened.map(|at| self.resolve_in_enclosing_namespaces(cx, file, *at, name, LookupKind::Type));
        found
            .find(|found| !found.is_unknown())
            .unwrap_or_else(|| self.resolve_in_enclosing_namespaces(cx, file, GLOBAL, name, LookupKind::Type))
    }

    fn module_member(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        let members = self.namespaces.members(Namespace(module.index), name);
        cx.symbols_value(members, None)
    }

    fn builtin_member(&self, cx: &mut Inference<'_>, _file: FileIdx, of: &Ty, name: Name) -> ResolvedMember {
        standard_library::member(of, cx.program.text(name)).map_or(ResolvedMember::Unknown, ResolvedMember::Value)
    }

    /// Returns the constructors of a class. An aggregate has none.
    fn constructors(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
        let program = cx.program;
        let same_named = program.members(of, program.name_of(of));
        same_named.iter().copied().filter(|one| program.definition(*one).kind == SymbolKind::Constructor).collect()
    }

    fn choose(
        &self,
        cx: &mut Inference<'_>,
        candidates: &[SymbolIdx],
        arguments: &CallArguments<'_>,
    ) -> Vec<SymbolIdx> {
        self.select_overloads(cx, candidates, arguments)
    }

    fn literal(&self, _cx: &mut Inference<'_>, literal: Literal) -> Ty {
        standard_library::literal(literal)
    }

    fn awaited_type(&self, _cx: &mut Inference<'_>, _of: Ty) -> Ty {
        Ty::Unknown
    }

    fn item(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty) -> Ty {
        if let Some(item) = standard_library::item(&of) {
            return item;
        }
        let begin = self.result_of_member(cx, file, &of, "begin");
        self.dereferenced_type(cx, begin)
    }

    fn element(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty, _index: Option<ExpressionId>) -> Ty {
        match standard_library::element(&of) {
            Some(element) => element,
            None => self.result_of_member(cx, file, &of, "operator[]"),
        }
    }

    fn part(&self, _cx: &mut Inference<'_>, _file: FileIdx, of: Ty, index: u32) -> Ty {
        standard_library::part(&of, index).unwrap_or(Ty::Unknown)
    }

    fn dereferenced_type(&self, cx: &mut Inference<'_>, of: Ty) -> Ty {
        if let Some(inner) = standard_library::dereferenced(&of) {
            return inner;
        }
        let Ty::Object(applied) = &of else { return of };
        let file = cx.program.file_of(applied.of);
        for operator in ["operator->", "operator*"] {
            let actual = self.result_of_member(cx, file, &of, operator);
            if !actual.is_unknown() {
                return standard_library::dereferenced(&actual).unwrap_or(actual);
            }
        }
        of
    }

    fn written_list(&self, item: Ty) -> Ty {
        standard_library::pointer(item)
    }

    fn this(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        standard_library::pointer(cx.object_around(file, scope))
    }

    fn call_members(&self, cx: &mut Inference<'_>, of: &Ty) -> Vec<SymbolIdx> {
        let Ty::Object(applied) = of else { return Vec::new() };
        let file = cx.program.file_of(applied.of);
        let name = cx.program.name_named("operator()");
        name.and_then(|name| cx.member_of_object(file, of, name)).unwrap_or_default()
    }

    /// Returns the free functions of a name without a visible declaration. The declaration may come from a macro, from a
    /// generated file, or from a file that includes this one.
    fn by_name_alone(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name, is_member: bool) -> Vec<SymbolIdx> {
        if is_member {
            return Vec::new();
        }
        let program = cx.program;
        let mut found: Vec<SymbolIdx> = program.named(name).to_vec();
        found.retain(|one| {
            let definition = program.definition(*one);
            let shape = program.shape(*one);
            let symbol_file = program.file_of(*one);
            let parent = definition.parent.map(|parent| program.symbol(symbol_file, model::code::DefinitionId(parent)));
            let is_free = parent.is_none_or(|parent| program.definition(parent).kind == SymbolKind::Module)
                && shape.receiver.is_none()
                || shape.flags.has(Flags::FRIEND);
            Family::of(program.language(symbol_file)) == Family::C
                && is_function(definition.kind)
                && is_free
                && !shape.flags.has(Flags::DECLARATION)
                && (!shape.flags.has(Flags::PRIVATE) || self.includes.is_visible(file, symbol_file))
        });
        let seen: Vec<SymbolIdx> =
            found.iter().copied().filter(|one| self.includes.is_visible(file, program.file_of(*one))).collect();
        let found = if seen.is_empty() { found } else { seen };
        match found.split_first() {
            Some((first, rest)) if rest.iter().all(|one| self.is_conditional_variant(program, *first, *one)) => {
                vec![*first]
            }
            _ => found,
        }
    }

    fn callee(&self, cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> Option<Ty> {
        self.const_overload_callee(cx, file, site)
    }

    /// Returns false for `TEST(a, b) { … }`: the macro expands to a function of another name.
    fn is_caller(&self, program: &Program<'_>, function: SymbolIdx) -> bool {
        let is_macro = |symbol: &SymbolIdx| program.definition(*symbol).kind == SymbolKind::Macro;
        program.definition(function).kind != SymbolKind::Function
            || program.shape(function).declared.is_some()
            || !program.named(program.name_of(function)).iter().any(is_macro)
    }

    fn revise_targets(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        site: &Site,
        found: &mut Vec<(SymbolIdx, Resolution)>,
    ) {
        self.mark_conditional_calls(cx, file, site, found);
    }

    fn import_targets(&self, _cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        self.includes.target(file, import).map(Node::File).into_iter().collect()
    }
}

impl CDialect {
    /// Returns true if two functions are variants of one function under different build conditions.
    fn is_conditional_variant(&self, program: &Program<'_>, a: SymbolIdx, b: SymbolIdx) -> bool {
        program.file_of(a) == program.file_of(b) && signatures::same_parameters(program, a, b)
    }

    /// Returns the result type of a member function, without regard to its arguments.
    fn result_of_member(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: &str) -> Ty {
        let Some(name) = cx.program.name_named(name) else { return Ty::Unknown };
        let first = cx.member_of_object(file, of, name).and_then(|found| found.first().copied());
        let Some(first) = first else { return Ty::Unknown };
        let result = cx.result_of(first);
        cx.for_receiver(result, first, Some(of))
    }
}

#[cfg(test)]
mod tests;
