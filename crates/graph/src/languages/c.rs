//! C and C++: includes say what is seen, namespaces and classes what a name means, arguments which overload is called.
//!
//! Both branches of a condition exist. What only a macro writes does not.

mod doubts;
mod includes;
mod library;
mod lookup;
mod marks;
mod namespaces;
mod overloads;
mod values;

use model::{
    SymbolKind,
    code::{ExpressionId, Flags, Literal, ScopeId, Site, TypeId},
};

use crate::{
    dialect::{Dialect, Family},
    edge::Resolution,
    infer::{Arguments, Inference, Member, is_function},
    names::Name,
    program::{FileIdx, Manifest, Program, SymbolIdx},
    resolve::Node,
    ty::{ModuleIdx, Ty},
};
use includes::Includes;
use lookup::Wanted;
use namespaces::{GLOBAL, Namespace, Namespaces};

/// What is known of the modules of a program.
pub(crate) struct C {
    includes: Includes,
    namespaces: Namespaces,
}

impl C {
    /// Lays out the includes and namespaces of a program.
    pub(crate) fn lay_out(program: &Program<'_>, _manifests: &[Manifest<'_>]) -> C {
        C { includes: Includes::of(program), namespaces: Namespaces::of(program) }
    }
}

impl Dialect for C {
    /// Members that are written outside of their classes (`void A::f() {}`).
    fn attachments(&self, cx: &mut Inference<'_>) -> Vec<(SymbolIdx, SymbolIdx)> {
        let program = cx.program;
        let mut found = Vec::new();
        for file in program.file_indices().filter(|file| Family::of(program.language(*file)) == Family::C) {
            for symbol in program.symbols_of(file) {
                let Some(receiver) = program.shape(symbol).receiver else { continue };
                if let Ty::Object(applied) = cx.written(file, receiver) {
                    found.push((applied.of, symbol));
                }
            }
        }
        found
    }

    fn type_of(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        self.value(cx, file, expression)
    }

    fn written(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        self.type_written(cx, file, written)
    }

    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        self.in_namespaces(cx, file, GLOBAL, name, Wanted::Value)
    }

    fn global_type(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        self.in_namespaces(cx, file, GLOBAL, name, Wanted::Type)
    }

    fn module_member(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        let members = self.namespaces.members(Namespace(module.index), name);
        cx.symbols_value(members, None)
    }

    fn builtin_member(&self, cx: &mut Inference<'_>, _file: FileIdx, of: &Ty, name: Name) -> Member {
        library::member(of, cx.program.text(name)).map_or(Member::Unknown, Member::Value)
    }

    /// Returns the constructors of a class; none where it has none, as an aggregate.
    fn constructors(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
        let program = cx.program;
        let named = program.members(of, program.name_of(of));
        named.iter().copied().filter(|one| program.definition(*one).kind == SymbolKind::Constructor).collect()
    }

    fn choose(&self, cx: &mut Inference<'_>, candidates: &[SymbolIdx], arguments: &Arguments<'_>) -> Vec<SymbolIdx> {
        self.best(cx, candidates, arguments)
    }

    fn literal(&self, _cx: &mut Inference<'_>, literal: Literal) -> Ty {
        library::literal(literal)
    }

    fn awaited(&self, _cx: &mut Inference<'_>, _of: Ty) -> Ty {
        Ty::Unknown
    }

    fn item(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty) -> Ty {
        if let Some(item) = library::item(&of) {
            return item;
        }
        let begin = self.result_of_member(cx, file, &of, "begin");
        self.dereferenced(cx, begin)
    }

    fn element(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty, _index: Option<ExpressionId>) -> Ty {
        match library::element(&of) {
            Some(element) => element,
            None => self.result_of_member(cx, file, &of, "operator[]"),
        }
    }

    fn part(&self, _cx: &mut Inference<'_>, _file: FileIdx, of: Ty, index: u32) -> Ty {
        library::part(&of, index).unwrap_or(Ty::Unknown)
    }

    fn dereferenced(&self, cx: &mut Inference<'_>, of: Ty) -> Ty {
        if let Some(inner) = library::pointed_at(&of) {
            return inner;
        }
        let Ty::Object(applied) = &of else { return of };
        let file = cx.program.file_of(applied.of);
        for operator in ["operator->", "operator*"] {
            let given = self.result_of_member(cx, file, &of, operator);
            if !given.is_unknown() {
                return library::pointed_at(&given).unwrap_or(given);
            }
        }
        of
    }

    fn written_list(&self, item: Ty) -> Ty {
        library::pointer(item)
    }

    fn this(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        library::pointer(cx.object_around(file, scope))
    }

    fn call_members(&self, cx: &mut Inference<'_>, of: &Ty) -> Vec<SymbolIdx> {
        let Ty::Object(applied) = of else { return Vec::new() };
        let file = cx.program.file_of(applied.of);
        let name = cx.program.name_named("operator()");
        name.and_then(|name| cx.member_of_object(file, of, name)).unwrap_or_default()
    }

    /// A function that is declared nowhere in sight, but is there once: the declaration may be behind a macro, in a file
    /// that is generated, or with whoever includes this file.
    fn by_name_alone(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name, is_member: bool) -> Vec<SymbolIdx> {
        if is_member {
            return Vec::new();
        }
        let program = cx.program;
        let mut found: Vec<SymbolIdx> = program.named(name).to_vec();
        found.retain(|one| {
            let definition = program.definition(*one);
            let shape = program.shape(*one);
            let home = program.file_of(*one);
            let parent = definition.parent.map(|parent| program.symbol(home, model::code::DefinitionId(parent)));
            let is_free = parent.is_none_or(|parent| program.definition(parent).kind == SymbolKind::Module)
                && shape.receiver.is_none()
                || shape.flags.has(Flags::FRIEND);
            Family::of(program.language(home)) == Family::C
                && is_function(definition.kind)
                && is_free
                && !shape.flags.has(Flags::DECLARATION)
                && (!shape.flags.has(Flags::PRIVATE) || self.includes.sees(file, home))
        });
        let seen: Vec<SymbolIdx> =
            found.iter().copied().filter(|one| self.includes.sees(file, program.file_of(*one))).collect();
        let found = if seen.is_empty() { found } else { seen };
        match found.split_first() {
            Some((first, rest)) if rest.iter().all(|one| self.is_twin(program, *first, *one)) => vec![*first],
            _ => found,
        }
    }

    fn callee(&self, cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> Option<Ty> {
        self.callee_for_object(cx, file, site)
    }

    /// `TEST(a, b) { … }` is a function of another name, which a macro writes.
    fn is_caller(&self, program: &Program<'_>, function: SymbolIdx) -> bool {
        let is_macro = |symbol: &SymbolIdx| program.definition(*symbol).kind == SymbolKind::Macro;
        program.definition(function).kind != SymbolKind::Function
            || program.shape(function).declared.is_some()
            || !program.named(program.name_of(function)).iter().any(is_macro)
    }

    fn judge(&self, cx: &mut Inference<'_>, file: FileIdx, site: &Site, found: &mut Vec<(SymbolIdx, Resolution)>) {
        self.doubt(cx, file, site, found);
    }

    fn imported(&self, _cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        self.includes.target(file, import).map(Node::File).into_iter().collect()
    }
}

impl C {
    /// Says whether two functions are one under two conditions.
    fn is_twin(&self, program: &Program<'_>, a: SymbolIdx, b: SymbolIdx) -> bool {
        program.file_of(a) == program.file_of(b) && overloads::same_parameters(program, a, b)
    }

    /// Returns what a member function gives that is called without arguments that matter.
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
