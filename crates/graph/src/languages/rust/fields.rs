//! Fields, pattern parts, iteration items and indexed elements.

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, TypeExpression},
};

use super::{
    MAX_DEREFERENCES, RustDialect,
    resolution::{NameResolution, RustNamespace},
    standard_library,
    type_bindings::TypeBindings,
};
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::{Applied, Ty},
};

/// Field index that denotes the whole matched value.
const WHOLE_VALUE: u32 = u32::MAX;

impl RustDialect {
    /// Returns a field of a value, with autoderef.
    pub(super) fn field(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Ty {
        let mut at = of.clone();
        for _ in 0..MAX_DEREFERENCES {
            match &at {
                Ty::External | Ty::Foreign(_) => return Ty::External,
                Ty::Union(types) => {
                    let fields: Vec<Ty> = types.iter().map(|ty| self.field(cx, ty, name)).collect();
                    return Ty::one_of(fields);
                }
                Ty::Tuple(parts) => {
                    let index = cx.program.text(name).parse::<usize>().ok();
                    return index.and_then(|index| parts.get(index)).cloned().unwrap_or(Ty::Unknown);
                }
                Ty::Object(applied) => {
                    if let Some(found) = self.field_of(cx, applied, name) {
                        return found;
                    }
                }
                _ => {}
            }
            match self.deref_target(cx, &at) {
                Some(next) => at = next,
                None => break,
            }
        }
        Ty::Unknown
    }

    /// Returns a field of a struct or tuple struct, with type arguments substituted.
    fn field_of(&self, cx: &mut Inference<'_>, of: &Applied, name: Name) -> Option<Ty> {
        let program = cx.program;
        let members = program.members(of.of, name);
        let field = members.iter().find(|symbol| program.definition(**symbol).kind == SymbolKind::Field);
        let ty = match field {
            Some(field) => cx.variable(*field),
            None => {
                let index = program.text(name).parse::<usize>().ok()?;
                let declared = program.shape(of.of).parameters.get(index)?.declared?;
                cx.written_type(program.file_of(of.of), declared)
            }
        };
        Some(ty.substitute(self.generic_owner(cx, of.of), &of.arguments))
    }

    /// Returns the definition that declares the type parameters of the fields.
    fn generic_owner(&self, cx: &Inference<'_>, of: SymbolIdx) -> SymbolIdx {
        match cx.program.definition(of).kind {
            SymbolKind::Variant => cx.program.parent(of).unwrap_or(of),
            _ => of,
        }
    }

    /// Returns the type of a field in a matched pattern.
    pub(super) fn pattern_field_type(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        of: ExpressionId,
        variant: ExpressionId,
        index: u32,
    ) -> Ty {
        let program = cx.program;
        let of = cx.type_of(file, of);
        let symbol = match self.resolve_path_expression(cx, file, variant, RustNamespace::Values) {
            NameResolution::Items(found, _) if !found.symbols.is_empty() => {
                let is_made = |symbol: &&SymbolIdx| {
                    let kind = program.definition(**symbol).kind;
                    kind == SymbolKind::Variant || kind == SymbolKind::Struct
                };
                found.symbols.iter().find(is_made).copied()
            }
            NameResolution::Type(Ty::Object(applied)) => Some(applied.of),
            _ => self.projected_variant(cx, file, &of, variant),
        };
        let Some(symbol) = symbol else { return self.library_pattern_field(cx, file, &of, variant) };
        let owner = self.generic_owner(cx, symbol);
        // Patterns look through boxes and references.
        let mut at = of;
        let mut arguments = None;
        for _ in 0..MAX_DEREFERENCES {
            if let Some(Ty::Object(applied)) =
                at.alternatives().iter().find(|ty| matches!(ty, Ty::Object(applied) if applied.of == owner))
            {
                arguments = Some(applied.arguments.clone());
                break;
            }
            match self.deref_target(cx, &at) {
                Some(next) => at = next,
                None => break,
            }
        }
        let arguments = arguments.unwrap_or_else(|| [].into());
        if index == WHOLE_VALUE {
            return Ty::Object(Applied { of: symbol, arguments });
        }
        let declared = program.shape(symbol).parameters.get(index as usize).and_then(|parameter| parameter.declared);
        match declared {
            Some(declared) => cx.written_type(program.file_of(symbol), declared).substitute(owner, &arguments),
            None => Ty::Unknown,
        }
    }

    /// Returns the variant that a pattern of an enum without a definition means: a macro makes `StateProj::Idle` of `State::Idle`.
    fn projected_variant(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        of: &Ty,
        variant: ExpressionId,
    ) -> Option<SymbolIdx> {
        let program = cx.program;
        let code = program.code(file);
        let name = match code.expression(variant) {
            Expression::Path { name, .. } => *name,
            Expression::Type(written) => match code.written(*written) {
                TypeExpression::Named { path, .. } if path.len() > 1 => *path.last()?,
                _ => return None,
            },
            _ => return None,
        };
        let name = program.name(file, name);
        let mut at = of.clone();
        for _ in 0..MAX_DEREFERENCES {
            for ty in at.alternatives() {
                let Ty::Object(applied) = ty else { continue };
                let mut members = program.members(applied.of, name).iter();
                if let Some(found) = members.find(|one| program.definition(**one).kind == SymbolKind::Variant) {
                    return Some(*found);
                }
            }
            at = self.deref_target(cx, &at)?;
        }
        None
    }

    /// Returns the content of `Some(x)`, `Ok(x)`, `Err(x)` and other library patterns.
    fn library_pattern_field(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, variant: ExpressionId) -> Ty {
        let program = cx.program;
        let name = match program.code(file).expression(variant) {
            Expression::Name { name, .. } | Expression::Path { name, .. } => program.code(file).name(*name),
            _ => return Ty::Unknown,
        };
        let place = match name {
            "Some" | "Ok" | "Ready" | "Borrowed" | "Owned" | "Included" | "Excluded" | "Continue" => 0,
            "Err" | "Break" => 1,
            _ => return Ty::External,
        };
        let parts: Vec<Ty> = of.alternatives().iter().map(|ty| part_of(ty, place)).collect();
        Ty::one_of(parts)
    }

    /// Returns the item type of iteration.
    pub(super) fn item_of(&self, cx: &mut Inference<'_>, of: &Ty) -> Ty {
        let mut at = of.clone();
        for _ in 0..MAX_DEREFERENCES {
            match &at {
                Ty::External | Ty::Foreign(_) => return Ty::External,
                Ty::Union(types) => {
                    let items: Vec<Ty> = types.iter().map(|ty| self.item_of(cx, ty)).collect();
                    return Ty::one_of(items);
                }
                Ty::Builtin { name: "Iterator", arguments } => {
                    return arguments.first().cloned().unwrap_or(Ty::Unknown);
                }
                Ty::Builtin { name, .. } => {
                    let function = standard_library::find_type(name).and_then(|of| of.function("into_iter"));
                    if let Some(function) = function {
                        at = TypeBindings::for_library_type(&at).instantiate(self, cx, &function.result);
                        continue;
                    }
                }
                Ty::Object(_) => {
                    if let Some(item) = cx.program.name_named("Item") {
                        let item = self.projection(cx, &at, item);
                        if !item.is_unknown() {
                            return item;
                        }
                    }
                }
                Ty::Parameter { of, index } => {
                    let bounds = self.bounds_of(cx, *of, *index);
                    let iterator =
                        bounds.into_iter().find(|bound| matches!(bound, Ty::Builtin { name: "Iterator", .. }));
                    if let Some(Ty::Builtin { arguments, .. }) = iterator {
                        return arguments.first().cloned().unwrap_or(Ty::Unknown);
                    }
                }
                _ => {}
            }
            match self.deref_target(cx, &at) {
                Some(next) => at = next,
                None => break,
            }
        }
        Ty::Unknown
    }

    /// Returns the type of an index expression. A range returns a slice of the same type.
    pub(super) fn element(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, index: Option<ExpressionId>) -> Ty {
        let code = cx.program.code(file);
        let is_range = index.is_some_and(|index| match code.expression(index) {
            Expression::Operation { operator, .. } => code.name(*operator) == "..",
            _ => false,
        });
        let mut at = of.clone();
        for _ in 0..MAX_DEREFERENCES {
            match &at {
                Ty::Builtin { name: "HashMap", arguments } => return arguments.get(1).cloned().unwrap_or(Ty::Unknown),
                Ty::Builtin { name: "Vec" | "slice" | "str" | "String" | "VecDeque", arguments } => {
                    return if is_range { at } else { arguments.first().cloned().unwrap_or(Ty::External) };
                }
                Ty::Object(_) => {
                    if let Some(output) = cx.program.name_named("Output") {
                        let output = self.projection(cx, &at, output);
                        if !output.is_unknown() {
                            return output;
                        }
                    }
                }
                Ty::External | Ty::Foreign(_) => return Ty::External,
                _ => {}
            }
            match self.deref_target(cx, &at) {
                Some(next) => at = next,
                None => break,
            }
        }
        Ty::Unknown
    }
}

/// Returns a type argument of a library type by position.
fn part_of(of: &Ty, place: usize) -> Ty {
    match of {
        Ty::Builtin { arguments, .. } => arguments.get(place).cloned().unwrap_or(Ty::Unknown),
        Ty::External | Ty::Foreign(_) => Ty::External,
        _ => Ty::Unknown,
    }
}
