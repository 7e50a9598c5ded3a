//! Members of values: of their types, of the bases of their types, of modules.

use std::{collections::VecDeque, rc::Rc};

use model::code::{BaseKind, Flags, ScopeId};
use rustc_hash::FxHashSet;

use super::{Inference, ResolvedMember, applied_to_own, as_object};
use crate::{
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::{Applied, OWN_TYPE, Ty},
};

/// Maximum number of bases that are searched for a member.
const MAX_BASES: usize = 64;

impl<'p> Inference<'p> {
    /// Returns a member of a value, as a value.
    pub(crate) fn member_value(&mut self, file: FileIdx, of: &Ty, name: Name) -> Ty {
        match of {
            Ty::Union(types) => {
                let values: Vec<Ty> = types.iter().map(|ty| self.member_value(file, ty, name)).collect();
                Ty::one_of(values)
            }
            Ty::Intersection(types) => Ty::all_of(types.iter().map(|ty| self.member_value(file, ty, name))),
            of => match self.member(file, of, name) {
                ResolvedMember::Symbols(symbols) => self.symbols_value(&symbols, Some(Rc::new(of.clone()))),
                ResolvedMember::Value(value) => value,
                ResolvedMember::Unknown => Ty::Unknown,
            },
        }
    }

    /// Returns a member of a value whose type is no union.
    pub(crate) fn member(&mut self, file: FileIdx, of: &Ty, name: Name) -> ResolvedMember {
        match of {
            Ty::Unknown => ResolvedMember::Unknown,
            Ty::External => ResolvedMember::Value(Ty::External),
            Ty::Object(applied) | Ty::Class(applied) => {
                let dialect = self.dialect(self.program.file_of(applied.of));
                if let Some(found) = dialect.member(self, file, of, name) {
                    return found;
                }
                if let Some(symbols) = self.member_of_object(file, of, name) {
                    return ResolvedMember::Symbols(symbols);
                }
                match self.field_value(of, name) {
                    Some(value) => ResolvedMember::Value(value),
                    None => self.dialect(file).builtin_member(self, file, of, name),
                }
            }
            Ty::Parameter { of: owner, index: OWN_TYPE } => {
                let object = Ty::Object(applied_to_own(self.program, *owner));
                self.member(file, &object, name)
            }
            Ty::Parameter { of: owner, index } => {
                let bounds = self.bounds(*owner, *index);
                let found = bounds.iter().map(|bound| self.member_value(file, bound, name)).find(|ty| !ty.is_unknown());
                match found {
                    Some(value) => ResolvedMember::Value(value),
                    None => self.dialect(file).builtin_member(self, file, of, name),
                }
            }
            Ty::Module(module) => {
                let found = self.dialects.of(module.family).module_member(self, *module, name);
                if found.is_unknown() { ResolvedMember::Unknown } else { ResolvedMember::Value(found) }
            }
            Ty::Record(fields) => match fields.iter().find(|(field, _)| *field == name) {
                Some((_, value)) => ResolvedMember::Value(value.clone()),
                None => self.dialect(file).builtin_member(self, file, of, name),
            },
            other => self.dialect(file).builtin_member(self, file, other, name),
        }
    }

    /// Returns a type and its bases in the repository, in the order in which members are searched.
    pub fn type_and_bases(&mut self, of: SymbolIdx) -> Vec<SymbolIdx> {
        let applied = applied_to_own(self.program, of);
        self.lineage(&applied).into_iter().map(|base| base.of).collect()
    }

    /// Returns the definitions of a member of an object or a type: those in its type, else those in the first base that has any.
    pub(crate) fn member_of_object(&mut self, _file: FileIdx, of: &Ty, name: Name) -> Option<Vec<SymbolIdx>> {
        let (Ty::Object(applied) | Ty::Class(applied)) = of else { return None };
        for base in self.lineage(applied) {
            let members = self.program.members(base.of, name);
            if !members.is_empty() {
                self.consult(self.program.file_of(base.of));
                return Some(self.of_kind(members, matches!(of, Ty::Class(_))));
            }
        }
        None
    }

    /// Chooses static members or instance members, if a name has both.
    fn of_kind(&self, members: &[SymbolIdx], of_type: bool) -> Vec<SymbolIdx> {
        let is_of_kind = |member: &&SymbolIdx| self.program.shape(**member).flags.has(Flags::STATIC) == of_type;
        let of_kind: Vec<SymbolIdx> = members.iter().filter(is_of_kind).copied().collect();
        if of_kind.is_empty() { members.to_vec() } else { of_kind }
    }

    /// Returns the type of a field that code assigns to objects of a type (`self.x = …`).
    pub(crate) fn field_value(&mut self, of: &Ty, name: Name) -> Option<Ty> {
        let (Ty::Object(applied) | Ty::Class(applied)) = of else { return None };
        for base in self.lineage(applied) {
            let file = self.program.file_of(base.of);
            let owner = self.program.definition_id(base.of);
            let code = self.program.code(file);
            let facts: Vec<_> = code
                .fields
                .iter()
                .filter(|fact| fact.owner == owner && self.program.name(file, fact.name) == name)
                .collect();
            if facts.is_empty() {
                continue;
            }
            self.consult(file);
            let declared = facts.iter().find_map(|fact| fact.declared);
            let ty = match declared {
                Some(declared) => self.written_type(file, declared),
                None => {
                    let values: Vec<_> = facts.iter().filter_map(|fact| fact.value).collect();
                    self.deeper(|cx| cx.common_type(file, &values)).unwrap_or(Ty::Unknown)
                }
            };
            return Some(ty.substitute(base.of, &base.arguments));
        }
        None
    }

    /// Returns a type and all of its bases with their type arguments, nearest first and each once.
    ///
    /// The order is depth first, unless the language searches breadth first.
    pub(crate) fn lineage(&mut self, of: &Applied) -> Vec<Applied> {
        let mut lineage = Vec::new();
        let mut seen = FxHashSet::default();
        let breadth_first = self.dialect(self.program.file_of(of.of)).looks_breadth_first();
        let mut open = VecDeque::from([of.clone()]);
        while let Some(applied) = open.pop_front() {
            if !seen.insert(applied.of) || lineage.len() >= MAX_BASES {
                continue;
            }
            let bases = self.bases(applied.of);
            let bases = bases.iter().map(|base| base.substitute(applied.of, &applied.arguments));
            let bases = bases.filter_map(|base| if let Ty::Object(base) = base { Some(base) } else { None });
            if breadth_first {
                open.extend(bases);
            } else {
                bases.rev().for_each(|base| open.push_front(base));
            }
            lineage.push(applied);
        }
        lineage
    }

    /// Returns the type of a value as one of its bases.
    pub(crate) fn as_base(&mut self, of: &Ty, base: SymbolIdx) -> Option<Applied> {
        match of {
            Ty::Object(applied) | Ty::Class(applied) if applied.of == base => Some(applied.clone()),
            Ty::Object(applied) | Ty::Class(applied) => {
                self.lineage(&applied.clone()).into_iter().find(|ancestor| ancestor.of == base)
            }
            Ty::Parameter { of: owner, index: OWN_TYPE } => {
                let own = applied_to_own(self.program, *owner);
                self.lineage(&own).into_iter().find(|ancestor| ancestor.of == base)
            }
            Ty::Parameter { of: owner, index } => {
                let bounds = self.bounds(*owner, *index);
                bounds.iter().find_map(|bound| self.as_base(bound, base))
            }
            _ => None,
        }
    }

    /// Returns the types that a type inherits members from, as objects, in terms of its own type parameters.
    pub(crate) fn bases(&mut self, of: SymbolIdx) -> Rc<[Ty]> {
        if let Some(known) = self.bases.get(&of) {
            return known.clone().unwrap_or_else(|| Rc::new([]));
        }
        self.bases.insert(of, None);
        let file = self.program.file_of(of);
        self.consult(file);
        let dialect = self.dialect(file);
        let found: Rc<[Ty]> = self.deeper(|cx| dialect.bases(cx, of)).unwrap_or_default().into();
        self.bases.insert(of, Some(Rc::clone(&found)));
        found
    }

    /// Returns the bases of a type as the code declares them.
    pub(crate) fn written_bases(&mut self, of: SymbolIdx) -> Vec<Ty> {
        let file = self.program.file_of(of);
        let bases = &self.program.typed_shape(of).bases;
        bases.iter().map(|base| as_object(self.written_type(file, base.base))).collect()
    }

    /// Returns the direct bases of a type, with the kind of each.
    pub(crate) fn base_symbols(&mut self, of: SymbolIdx) -> Vec<(BaseKind, SymbolIdx)> {
        let file = self.program.file_of(of);
        let bases = &self.program.typed_shape(of).bases;
        let mut found = Vec::new();
        for base in bases {
            if let Ty::Object(applied) | Ty::Class(applied) = self.written_type(file, base.base) {
                found.push((base.kind, applied.of));
            }
        }
        found
    }

    /// Returns the bounds of a type parameter, as objects.
    pub(crate) fn bounds(&mut self, of: SymbolIdx, index: u32) -> Vec<Ty> {
        let file = self.program.file_of(of);
        let Some(parameter) = self.program.shape(of).type_parameters.get(index as usize) else { return Vec::new() };
        parameter.bounds.iter().map(|bound| as_object(self.written_type(file, *bound))).collect()
    }

    /// Returns the object that `self` or `this` is in a scope: an object of the innermost type around it.
    pub(crate) fn object_around(&mut self, file: FileIdx, scope: ScopeId) -> Ty {
        match self.type_around(file, scope) {
            Some(enclosing) => Ty::Object(applied_to_own(self.program, enclosing)),
            None => Ty::Unknown,
        }
    }

    /// Returns the innermost type that encloses a scope, even if the scope is in a member outside of the type.
    pub(crate) fn type_around(&self, file: FileIdx, scope: ScopeId) -> Option<SymbolIdx> {
        let program = self.program;
        let definition = program.code(file).definition_around(scope)?;
        let mut at = Some(program.symbol(file, definition));
        for _ in 0..MAX_BASES {
            let symbol = at?;
            if program.definition(symbol).kind.is_type() {
                return Some(symbol);
            }
            at = program.parent(symbol);
        }
        None
    }

    /// Returns the object that `super` is in a scope.
    pub(crate) fn super_object(&mut self, file: FileIdx, scope: ScopeId) -> Ty {
        let Some(enclosing) = self.type_around(file, scope) else { return Ty::Unknown };
        let bases = self.bases(enclosing);
        Ty::one_of(bases.iter().take(1).cloned())
    }
}
