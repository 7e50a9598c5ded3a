//! Settings that a framework binds to the fields of an object: `@ConfigurationProperties`, `BaseSettings`, `config()` of Laravel.

use graph::{FileIdx, Ty};
use model::{
    Language,
    code::{Expression, ExpressionId},
};

use super::{CallFrame, TextValue};
use crate::contracts::values::{CallShape, ValueReader};

/// Maximum number of sections within sections.
const MAX_SECTIONS: u32 = 4;

impl<'p> ValueReader<'_, 'p> {
    /// Returns the value behind a getter without code, or that of a key in a file of settings.
    pub(super) fn property_text(
        &mut self,
        file: FileIdx,
        call: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> TextValue {
        match self.program().language(file) {
            Language::Php if call.name == "config" && call.object.is_none() => {
                self.file_setting(file, call, frame, depth)
            }
            Language::Java | Language::Kotlin if call.arguments.is_empty() => {
                self.field_behind_getter(file, call, depth)
            }
            _ => TextValue::computed(),
        }
    }

    /// Returns the field that a getter of a record or of Lombok stands for: `urls.cart()`, `urls.getCart()`.
    fn field_behind_getter(&mut self, file: FileIdx, call: &CallShape<'p>, depth: u32) -> TextValue {
        let Some(object) = call.object else { return TextValue::computed() };
        let field = call.name.strip_prefix("get").filter(|rest| rest.starts_with(char::is_uppercase));
        let field = field.map_or_else(|| call.name.to_owned(), lower_first);
        let ty = self.cx.type_of(file, object);
        let owners = ty.alternatives().iter().filter_map(|one| match one {
            Ty::Object(applied) => Some(applied.of),
            _ => None,
        });
        for owner in owners.collect::<Vec<_>>() {
            let bound = self.bound_setting(owner, &field).or_else(|| {
                let section = self.bound_section(file, object, 0)?;
                Some(format!("{section}.{field}"))
            });
            let name = self.program().name_named(&field);
            let members = name.map_or_else(Vec::new, |name| self.program().members(owner, name).to_vec());
            let sources = members.into_iter().flat_map(|member| self.symbol_sources(member)).collect();
            let written = self.text_of_sources(sources, None, depth + 1);
            let text = match bound {
                Some(setting) => TextValue::variable(&setting).or(written),
                None => written,
            };
            if !text.is_computed() {
                return text;
            }
        }
        TextValue::computed()
    }

    /// Returns the section of settings that a getter of a bound type gives: `shop.cart` of `shop.cart()`, an object of which
    /// `@ConfigMapping(prefix = "shop")` is a part.
    fn bound_section(&mut self, file: FileIdx, object: ExpressionId, depth: u32) -> Option<String> {
        let call = self.call(file, object).filter(|call| depth < MAX_SECTIONS && call.arguments.is_empty())?;
        let of = call.object?;
        let name = call.name.strip_prefix("get").filter(|rest| rest.starts_with(char::is_uppercase));
        let name = name.map_or_else(|| call.name.to_owned(), lower_first);
        let owner = self.cx.type_of(file, of).definition();
        let own = owner.and_then(|owner| self.bound_setting(owner, &name));
        own.or_else(|| Some(format!("{}.{name}", self.bound_section(file, of, depth + 1)?)))
    }

    /// Returns the value of `config('services.cart.url')`, which `config/services.php` has.
    fn file_setting(
        &mut self,
        file: FileIdx,
        call: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> TextValue {
        let Some(key) = call.at(0).and_then(|key| self.literal(file, key)) else { return TextValue::computed() };
        let default =
            call.at(1).map_or_else(TextValue::computed, |value| self.text_within(file, value, frame, depth + 1));
        let mut keys = key.split('.');
        let Some(name) = keys.next() else { return default };
        let keys: Vec<&str> = keys.collect();
        let program = self.program();
        let path = format!("config/{name}.php");
        let home = program.file_indices().find(|one| {
            let of = program.path(*one);
            of.ends_with(&path) && of[..of.len() - path.len()].chars().next_back().is_none_or(|c| c == '/')
        });
        let Some(home) = home.filter(|_| !keys.is_empty()) else { return default };
        self.cx.consult(home);
        let code = self.code(home);
        let value = code.expressions.iter().find_map(|expression| {
            keys.iter().try_fold((expression, None), |(of, _), key| {
                let Expression::Object(fields) = of else { return None };
                let (_, value) = fields.iter().find(|(name, _)| code.name(*name) == *key)?;
                Some((code.expression(*value), Some(*value)))
            })
        });
        match value.and_then(|(_, value): (_, Option<ExpressionId>)| value) {
            Some(value) => self.text_within(home, value, None, depth + 1).or(default),
            None => default,
        }
    }
}

fn lower_first(name: &str) -> String {
    let mut rest = name.chars();
    rest.next().map_or_else(String::new, |first| first.to_lowercase().chain(rest).collect())
}
