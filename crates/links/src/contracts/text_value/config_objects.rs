//! Fields of a type that a framework fills from settings: structures of Go that viper or envconfig reads, options of .NET.

use graph::{FileIdx, SymbolIdx};
use model::{
    Language,
    code::{Expression, ExpressionId, TypeExpression},
};

use super::TextValue;
use crate::contracts::values::{ValueReader, ValueSource};

/// Ends of the names of types with settings.
const TYPE_ENDS: [&str; 9] =
    ["Configuration", "Config", "Settings", "Setting", "Options", "Conf", "Cfg", "Environment", "Env"];

/// Keys of tags of Go whose value is the variable itself.
const VARIABLE_TAGS: [&str; 2] = ["env:\"", "envconfig:\""];

/// Keys of tags of Go whose value is the name of the field in a file of settings.
const FIELD_TAGS: [&str; 5] = ["mapstructure:\"", "yaml:\"", "koanf:\"", "toml:\"", "json:\""];

/// Words of a name that holds an address.
const ADDRESS_WORDS: [&str; 8] = ["url", "uri", "addr", "host", "endpoint", "base", "service", "target"];

/// Maximum number of objects within objects.
const MAX_NESTING: usize = 6;

impl ValueReader<'_, '_> {
    /// Returns the setting that a field of such a type has: `{env:CART_URL}` of ``CartURL string `env:"CART_URL"` ``, `{env:cart.url}` of
    /// `cfg.Cart.URL`, `{env:Urls:Cart}` of `UrlsConfig.Cart`.
    pub(super) fn config_object_setting(&mut self, file: FileIdx, expression: ExpressionId) -> Option<TextValue> {
        let language = self.program().language(file);
        if !matches!(language, Language::Go | Language::CSharp) {
            return None;
        }
        let mut keys: Vec<String> = Vec::new();
        let mut owner = None;
        let mut at = expression;
        while keys.len() < MAX_NESTING {
            let Expression::Member { of, name } = self.expression(file, at) else { break };
            let name = self.code(file).name(*name);
            let Some(of_type) = self.type_of_object(file, *of) else { break };
            let tag = self.field_tag(of_type, name);
            if let Some(FieldTag::Variable(variable)) = tag {
                return keys.is_empty().then(|| TextValue::variable(&variable));
            }
            let is_settings = is_settings_type(&self.program().definition(of_type).name);
            // A library of Go finds the fields by their tags.
            let is_found = if language == Language::Go { tag.is_some() } else { is_settings };
            if !is_found {
                break;
            }
            keys.push(match tag {
                Some(FieldTag::Key(key)) => key,
                _ => name.to_owned(),
            });
            if is_settings {
                owner = Some(of_type);
            }
            at = *of;
        }
        let owner = self.program().definition(owner?).name.clone();
        let is_address = |name: &String| {
            let lower = name.to_ascii_lowercase();
            ADDRESS_WORDS.iter().any(|word| lower.contains(word))
        };
        if !keys.iter().chain([&owner]).any(is_address) {
            return None;
        }
        keys.reverse();
        if language == Language::Go {
            return Some(TextValue::variable(&keys.join(".")));
        }
        let field = keys.join(":");
        let sections = [owner.as_str(), without_end(&owner)];
        Some(TextValue::any_of(sections.into_iter().map(|section| TextValue::variable(&format!("{section}:{field}")))))
    }

    /// Returns the type of an object; in C# also by the declaration of a field, and of `options.Value` the type of the options.
    fn type_of_object(&mut self, file: FileIdx, object: ExpressionId) -> Option<SymbolIdx> {
        if let Some(known) = self.cx.type_of(file, object).definition() {
            return Some(known);
        }
        let object = match self.expression(file, object) {
            Expression::Member { of, name } if matches!(self.code(file).name(*name), "Value" | "CurrentValue") => *of,
            _ => object,
        };
        let declared = self.sources(file, object).into_iter().find_map(|source| match source {
            ValueSource::Declared(home, declared) => Some((home, declared)),
            _ => None,
        });
        let (home, declared) = declared?;
        let code = self.code(home);
        let inner = match code.written(declared) {
            TypeExpression::Named { arguments, .. } => arguments.first().copied().unwrap_or(declared),
            _ => declared,
        };
        let (_, name) = self.written_name(home, inner)?;
        let program = self.program();
        let named = program.named(program.name_named(code.name(name))?);
        let mut types = named.iter().copied().filter(|symbol| program.definition(*symbol).kind.is_type());
        types.next().filter(|_| types.next().is_none())
    }

    /// Returns what the tag of a field of Go says.
    fn field_tag(&self, owner: SymbolIdx, field: &str) -> Option<FieldTag> {
        let program = self.program();
        if program.language(program.file_of(owner)) != Language::Go {
            return None;
        }
        let members = program.members(owner, program.name_named(field)?);
        members.iter().find_map(|member| FieldTag::of(&program.definition(*member).signature))
    }
}

/// The tag of a field.
#[derive(Debug, PartialEq)]
enum FieldTag {
    /// The variable of the environment.
    Variable(String),
    /// The key in a file of settings.
    Key(String),
}

impl FieldTag {
    fn of(signature: &str) -> Option<FieldTag> {
        let value = |keys: &[&str]| {
            keys.iter().find_map(|key| {
                let at = signature.find(key).filter(|at| !signature[..*at].ends_with(|c: char| c.is_alphanumeric()))?;
                let value = signature[at + key.len()..].split(['"', ',']).next().unwrap_or_default();
                Some(value.to_owned()).filter(|value| !value.is_empty() && value != "-")
            })
        };
        value(&VARIABLE_TAGS).map(FieldTag::Variable).or_else(|| value(&FIELD_TAGS).map(FieldTag::Key))
    }
}

fn is_settings_type(name: &str) -> bool {
    TYPE_ENDS.iter().any(|end| name.ends_with(end) || name.eq_ignore_ascii_case(end))
}

fn without_end(name: &str) -> &str {
    TYPE_ENDS.iter().find_map(|end| name.strip_suffix(end)).filter(|rest| !rest.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_name_variables_and_keys() {
        let variable = |name: &str| Some(FieldTag::Variable(name.to_owned()));
        let key = |name: &str| Some(FieldTag::Key(name.to_owned()));
        for (signature, expected) in [
            ("CartURL string `env:\"CART_URL,required\"`", variable("CART_URL")),
            ("CartURL string `json:\"x\" envconfig:\"CART_URL\"`", variable("CART_URL")),
            ("Cart Cart `mapstructure:\"cart\"`", key("cart")),
            ("Cart Cart `yaml:\"-\"`", None),
            ("Cart Cart `notenv:\"X\"`", None),
            ("Cart string", None),
        ] {
            assert_eq!(FieldTag::of(signature), expected, "{signature}");
        }
    }
}
