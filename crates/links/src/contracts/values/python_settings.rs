//! The variables that a class of pydantic binds to its fields: a prefix of the class, and a name of the field itself.

use graph::SymbolIdx;
use model::code::{Expression, ExpressionId};

use super::{ValueReader, keyword_arguments};

/// Options of a field that name its variable.
const FIELD_OPTIONS: [&str; 3] = ["env", "validation_alias", "alias"];

impl ValueReader<'_, '_> {
    /// Returns the variable of a field of a class with settings: `SHOP_CART_URL` of `cart_url` with `env_prefix="SHOP_"`.
    pub(super) fn variable_of_field(&self, owner: SymbolIdx, field: &str) -> String {
        let stated = self.member_values(owner, field).into_iter().find_map(|value| {
            let call = self.call(self.program().file_of(owner), value)?;
            (call.name == "Field").then(|| self.option_of(owner, value, &FIELD_OPTIONS))?
        });
        stated.unwrap_or_else(|| format!("{}{field}", self.prefix_of_settings(owner).unwrap_or_default()))
    }

    /// Returns the prefix in `model_config = SettingsConfigDict(env_prefix="SHOP_")`, or in the class `Config` within the class.
    fn prefix_of_settings(&self, owner: SymbolIdx) -> Option<String> {
        let program = self.program();
        let configured = self.member_values(owner, "model_config").into_iter();
        if let Some(prefix) = configured.filter_map(|value| self.option_of(owner, value, &["env_prefix"])).next() {
            return Some(prefix);
        }
        let inner = program.members(owner, program.name_named("Config")?).first().copied()?;
        let values = self.member_values(inner, "env_prefix").into_iter();
        let file = program.file_of(inner);
        values.filter_map(|value| self.literal(file, value)).next().map(str::to_owned)
    }

    fn member_values(&self, owner: SymbolIdx, name: &str) -> Vec<ExpressionId> {
        let program = self.program();
        let Some(name) = program.name_named(name) else { return Vec::new() };
        program.members(owner, name).iter().flat_map(|member| program.shape(*member).values.iter().copied()).collect()
    }

    /// Returns the text of an option of a call.
    fn option_of(&self, owner: SymbolIdx, call: ExpressionId, names: &[&str]) -> Option<String> {
        let file = self.program().file_of(owner);
        let code = self.code(file);
        let Expression::Call { arguments, .. } = code.expression(call) else { return None };
        let fields = arguments.iter().filter_map(|argument| keyword_arguments(code, *argument)).flatten();
        let option = fields.into_iter().find(|(name, _)| names.contains(&code.name(*name)))?;
        self.literal(file, option.1).map(str::to_owned)
    }
}
