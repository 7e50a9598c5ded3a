//! The meaning of types that the code writes.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{NameId, ScopeId, TypeExpression, TypeId},
};

use super::{Inference, as_object};
use crate::{
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::{Applied, OWN_TYPE, Ty},
};

/// Maximum nesting depth of scopes.
const MAX_SCOPES: usize = 400;

impl<'p> Inference<'p> {
    /// Returns an object of a written type.
    pub fn written_type(&mut self, file: FileIdx, written: TypeId) -> Ty {
        if written == TypeId(0) {
            return Ty::Unknown;
        }
        if let Some(known) = self.written.get(&(file, written)) {
            return known.clone().unwrap_or(Ty::Unknown);
        }
        self.written.insert((file, written), None);
        let found = self.deeper(|cx| match cx.dialect(file).written_type(cx, file, written) {
            Some(ty) => ty,
            None => cx.common_type_meaning(file, written),
        });
        let ty = found.unwrap_or(Ty::Unknown);
        self.written.insert((file, written), Some(ty.clone()));
        ty
    }

    fn all_written(&mut self, file: FileIdx, types: &[TypeId]) -> Rc<[Ty]> {
        types.iter().map(|written| self.written_type(file, *written)).collect::<Vec<_>>().into()
    }

    /// Returns an object of a written type by the rules that most languages share.
    pub(crate) fn common_type_meaning(&mut self, file: FileIdx, written: TypeId) -> Ty {
        let program = self.program;
        let dialect = self.dialect(file);
        match program.code(file).written(written) {
            TypeExpression::Unknown => Ty::Unknown,
            TypeExpression::Named { path, arguments, scope } => {
                let arguments = self.all_written(file, arguments);
                self.named_type(file, path, arguments, *scope)
            }
            TypeExpression::Union(types) => Ty::one_of(self.all_written(file, types).iter().cloned()),
            TypeExpression::Intersection(types) => Ty::Intersection(self.all_written(file, types)),
            TypeExpression::Tuple(types) => Ty::Tuple(self.all_written(file, types)),
            TypeExpression::List(item) => {
                let item = self.written_type(file, *item);
                dialect.written_list(item)
            }
            TypeExpression::Map { key, value } => {
                let (key, value) = (self.written_type(file, *key), self.written_type(file, *value));
                dialect.written_map(key, value)
            }
            TypeExpression::Function { parameters, result } => {
                let parameters = self.all_written(file, parameters);
                let result = result.map_or(Ty::External, |result| self.written_type(file, result));
                Ty::FunctionType { parameters, result: Rc::new(result) }
            }
            TypeExpression::Object(fields) => {
                let fields: Vec<(Name, Ty)> = fields
                    .iter()
                    .map(|(name, written)| (program.name(file, *name), self.written_type(file, *written)))
                    .collect();
                Ty::Record(fields.into())
            }
            TypeExpression::Pointer(to) => self.written_type(file, *to),
            TypeExpression::Of(expression) => self.type_of(file, *expression),
            TypeExpression::This { scope } => match self.type_around(file, *scope) {
                Some(of) => Ty::Parameter { of, index: OWN_TYPE },
                None => Ty::Unknown,
            },
            TypeExpression::Literal(literal) => dialect.literal(self, *literal),
            TypeExpression::Member { of, name } => {
                let of = self.written_type(file, *of);
                self.member_value(file, &of, program.name(file, *name))
            }
        }
    }

    /// Returns an object of the type that a path of names means in a scope.
    pub(crate) fn named_type(&mut self, file: FileIdx, path: &[NameId], arguments: Rc<[Ty]>, scope: ScopeId) -> Ty {
        let program = self.program;
        let path: Vec<Name> = path.iter().map(|name| program.name(file, *name)).collect();
        let Some((first, rest)) = path.split_first() else { return Ty::Unknown };
        let mut at = self.type_name(file, *first, scope);
        for name in rest {
            at = self.member_value(file, &at, *name);
        }
        match at {
            Ty::Class(applied) => self.applied(applied, arguments),
            Ty::Unknown | Ty::External => {
                let builtin = self.dialect(file).builtin_type(self, file, &path, &arguments);
                if builtin.is_unknown() { at } else { builtin }
            }
            Ty::Module(_) | Ty::Function { .. } => Ty::Unknown,
            other => other,
        }
    }

    /// Applies a type to arguments. An alias is replaced by its target.
    pub(crate) fn applied(&mut self, class: Applied, arguments: Rc<[Ty]>) -> Ty {
        let of = class.of;
        let arguments = if arguments.is_empty() { class.arguments } else { arguments };
        if self.program.definition(of).kind == SymbolKind::TypeAlias && self.program.shape(of).declared.is_some() {
            return self.variable(of).substitute(of, &arguments);
        }
        let arguments = self.with_defaults(of, arguments);
        Ty::Object(Applied { of, arguments })
    }

    fn with_defaults(&mut self, of: SymbolIdx, arguments: Rc<[Ty]>) -> Rc<[Ty]> {
        let parameters = &self.program.shape(of).type_parameters;
        if arguments.len() >= parameters.len() || parameters.iter().all(|parameter| parameter.default.is_none()) {
            return arguments;
        }
        let file = self.program.file_of(of);
        let missing: Vec<Ty> = parameters[arguments.len()..]
            .iter()
            .map(|parameter| parameter.default.map_or(Ty::Unknown, |default| self.written_type(file, default)))
            .collect();
        arguments.iter().cloned().chain(missing).collect::<Vec<_>>().into()
    }

    /// Returns the type that a name means at a place of a file.
    pub(crate) fn type_name(&mut self, file: FileIdx, name: Name, scope: ScopeId) -> Ty {
        let program = self.program;
        let code = program.code(file);
        let mut at = Some(scope);
        for _ in 0..MAX_SCOPES {
            let Some(scope) = at.and_then(|scope_id| code.scopes.get(scope_id.index())) else { break };
            if let Some(definition) = scope.definition {
                let symbol = program.symbol(file, definition);
                if let Some(found) = self.type_in_definition(symbol, name) {
                    return found;
                }
            }
            at = scope.parent;
        }
        self.global_type(file, name)
    }

    /// Returns a type that is visible by its bare name in a definition: a type parameter, the type itself, or a type nested in
    /// it or in its owner.
    fn type_in_definition(&mut self, enclosing: SymbolIdx, name: Name) -> Option<Ty> {
        let program = self.program;
        let owner = program.parent(enclosing).filter(|owner| program.definition(*owner).kind.is_type());
        for symbol in [Some(enclosing), owner].into_iter().flatten() {
            let file = program.file_of(symbol);
            let parameters = &program.shape(symbol).type_parameters;
            if let Some(index) = parameters.iter().position(|parameter| program.name(file, parameter.name) == name) {
                return Some(Ty::Parameter { of: symbol, index: index as u32 });
            }
            if program.definition(symbol).kind.is_type() && program.name_of(symbol) == name {
                return Some(Ty::class(symbol));
            }
            let inner: Vec<SymbolIdx> =
                self.member_types(symbol, name).into_iter().filter(|inner| *inner != enclosing).collect();
            if let Some(first) = inner.first() {
                return Some(self.symbol_value(*first, None));
            }
        }
        None
    }

    fn member_types(&mut self, of: SymbolIdx, name: Name) -> Vec<SymbolIdx> {
        let program = self.program;
        let is_type = |symbol: &&SymbolIdx| program.definition(**symbol).kind.is_type();
        let own: Vec<SymbolIdx> = program.members(of, name).iter().filter(is_type).copied().collect();
        if !own.is_empty() || !program.definition(of).kind.is_type() {
            return own;
        }
        // Only bases that are already in the cache are searched: the name of a base must not depend on itself.
        let Some(Some(bases)) = self.bases.get(&of).cloned() else { return own };
        let mut found = Vec::new();
        for base in bases.iter() {
            if let Ty::Object(applied) = as_object(base.clone()) {
                found.extend(program.members(applied.of, name).iter().filter(is_type).copied());
            }
        }
        found
    }
}
