//! Variables of the environment and settings of the application, in the notation of each language and framework.

use graph::FileIdx;
use model::{
    Language,
    code::{Expression, ExpressionId},
};

use super::{CallFrame, MAX_DEPTH, TextValue};
use crate::contracts::values::{ValueReader, ValueSource};

/// Objects whose members and elements are variables of the environment.
const ENVIRONMENTS: [&str; 13] = [
    "process.env",
    "import.meta.env",
    "env",
    "Bun.env",
    "Deno.env",
    "os.environ",
    "environ",
    "ENV",
    "$_ENV",
    "_ENV",
    "__ENV",
    "$_SERVER",
    "Environment",
];

/// Functions that read a variable of the environment by its name, by the last name of their path, in small letters.
const READERS: [&str; 16] = [
    "getenv",
    "getenvironmentvariable",
    "lookupenv",
    "var",
    "var_os",
    "env",
    "get_env",
    "fetch_env",
    "fetch_env!",
    "getenvordefault",
    "getenvdefault",
    "environment",
    "mustgetenv",
    "option_env",
    "requireenv",
    "envor",
];

/// Functions of objects with the settings of an application, by their last name, in small letters.
const GETTERS: [&str; 17] = [
    "get",
    "getordefault",
    "fetch",
    "getstring",
    "get_string",
    "getvalue",
    "getorthrow",
    "getproperty",
    "getrequiredvalue",
    "getconnectionstring",
    "require",
    "value",
    "config",
    "string",
    "get_config",
    "getrequiredsection",
    "getsection",
];

/// Packages that read the command line of Go.
const FLAGS: [&str; 2] = ["flag", "pflag"];

/// Functions of these packages that read a text.
const FLAG_READERS: [&str; 2] = ["String", "StringP"];

/// Parts of the names of objects with the settings of an application.
const SETTINGS_OBJECTS: [&str; 9] =
    ["config", "conf", "settings", "viper", "environ", "env", "properties", "props", "configuration"];

/// Types of .NET with the settings of an application.
const CONFIGURATIONS: [&str; 5] =
    ["IConfiguration", "IConfigurationRoot", "IConfigurationSection", "ConfigurationManager", "IConfigurationManager"];

impl ValueReader<'_, '_> {
    /// Returns the variable that an expression reads, with its default as an alternative.
    pub(super) fn setting(
        &mut self,
        file: FileIdx,
        expression: ExpressionId,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> Option<TextValue> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.expression(file, expression) {
            Expression::Member { of, name } => {
                let name = self.code(file).name(*name);
                if name == "Value"
                    && let Some(section) = self.section(file, *of, 0)
                {
                    return Some(TextValue::variable(&section));
                }
                let is_environment = is_variable_name(name) && self.is_environment(file, *of);
                is_environment.then(|| TextValue::variable(name))
            }
            Expression::Element { of, index: Some(index) } => {
                let name = self.setting_key(file, *of, *index, frame, depth)?;
                let name = name.as_str();
                if let Some(section) = self.section(file, *of, 0).filter(|_| is_setting_name(name)) {
                    return Some(TextValue::variable(&format!("{section}:{name}")));
                }
                let object = self.settings_object(file, *of)?;
                let stored = self.element_values(file, *of, name);
                if !stored.is_empty() {
                    let values = stored.into_iter().map(|value| self.text_within(file, value, frame, depth + 1));
                    return Some(TextValue::any_of(values.collect::<Vec<_>>()));
                }
                (is_environment(&object) || is_settings_object(&object) && is_setting_name(name))
                    .then(|| TextValue::variable(name))
            }
            Expression::Call { .. } => self.setting_of_call(file, expression, frame, depth),
            _ => None,
        }
    }

    /// Returns the key of an element, if it is written, or if a constant has the key of a setting: `configuration[Keys.Cart]`.
    fn setting_key(
        &mut self,
        file: FileIdx,
        of: ExpressionId,
        key: ExpressionId,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> Option<String> {
        if let Some(written) = self.literal(file, key) {
            return Some(written.to_owned());
        }
        self.settings_object(file, of).filter(|object| is_environment(object) || is_settings_object(object))?;
        self.text_within(file, key, frame, depth + 1).as_literal()
    }

    /// Returns the name of the section of settings that an expression means: `Services:Cart` of
    /// `configuration.GetSection("Services").GetSection("Cart")`.
    fn section(&mut self, file: FileIdx, expression: ExpressionId, depth: u32) -> Option<String> {
        let call = self.call(file, expression)?;
        if depth > MAX_DEPTH || !matches!(call.name, "GetSection" | "GetRequiredSection") {
            return None;
        }
        let name = self.literal(file, call.at(0)?).filter(|name| is_setting_name(name))?;
        let object = call.object?;
        if self.dotted(file, object).is_some_and(|object| is_settings_object(&object)) {
            return Some(name.to_owned());
        }
        self.section(file, object, depth + 1).map(|outer| format!("{outer}:{name}"))
    }

    /// Returns the name of an object with settings. `System.getenv()` and `os.Environ()` are the environment. A container of .NET gives an
    /// object by its type: `provider.GetRequiredService<IConfiguration>()`.
    fn settings_object(&mut self, file: FileIdx, object: ExpressionId) -> Option<String> {
        match self.call(file, object) {
            Some(call) if call.arguments.is_empty() && is_reader(call.name) => Some("environ".to_owned()),
            Some(call) if matches!(call.name, "GetRequiredService" | "GetService") => {
                let Expression::Call { type_arguments, .. } = self.expression(file, object) else { return None };
                let (_, name) = self.written_name(file, *type_arguments.first()?)?;
                Some(self.code(file).name(name).to_owned())
            }
            _ => {
                let name = self.dotted(file, object)?;
                let declared = if is_settings_object(&name) { None } else { self.settings_type(file, object) };
                Some(declared.unwrap_or(name))
            }
        }
    }

    /// Returns a name of settings for a value that is declared as the configuration of .NET: `IConfiguration c`.
    fn settings_type(&mut self, file: FileIdx, object: ExpressionId) -> Option<String> {
        if self.program().language(file) != Language::CSharp {
            return None;
        }
        self.sources(file, object).into_iter().find_map(|source| match source {
            ValueSource::Declared(home, written) => {
                let (_, name) = self.written_name(home, written)?;
                let name = self.code(home).name(name);
                CONFIGURATIONS.contains(&name).then(|| "configuration".to_owned())
            }
            _ => None,
        })
    }

    fn is_environment(&self, file: FileIdx, of: ExpressionId) -> bool {
        self.dotted(file, of).is_some_and(|object| is_environment(&object))
    }

    fn setting_of_call(
        &mut self,
        file: FileIdx,
        expression: ExpressionId,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> Option<TextValue> {
        let call = self.call(file, expression)?;
        let key = call.at(0)?;
        let name = match self.literal(file, key) {
            Some(name) => name.to_owned(),
            // A constant, or a parameter of a function that reads a variable for its callers.
            None if is_reader(call.name) || call.name.eq_ignore_ascii_case("get") => {
                self.text_within(file, key, frame, depth + 1).as_literal()?
            }
            None => return None,
        };
        let lower = call.name.to_ascii_lowercase();
        let object = call.object.and_then(|object| self.settings_object(file, object)).unwrap_or_default();
        if FLAGS.contains(&object.as_str()) && FLAG_READERS.contains(&call.name) && is_setting_name(&name) {
            // `flag.String("cart-addr", "http://cart", "help")`: the last argument is no value.
            let position = if call.name == "StringP" { 2 } else { 1 };
            let default = call.at(position).map(|default| self.text_within(file, default, frame, depth + 1));
            let variable = TextValue::variable(&name);
            return Some(match default.filter(|default| default.as_literal().is_none_or(|text| !text.is_empty())) {
                Some(default) => variable.or(default),
                None => variable,
            });
        }
        let is_getter = GETTERS.contains(&lower.as_str()) || lower.starts_with("get") && is_variable_name(&name);
        let is_of_settings = is_getter && (is_environment(&object) || is_settings_object(&object));
        let section = call.object.filter(|_| is_getter).and_then(|object| self.section(file, object, 0));
        let is_of_settings = is_of_settings || section.is_some();
        let is_of_environment = is_reader(call.name) && is_setting_name(&name);
        // `mustEnv("CART_ADDR")`: a function with the name of a variable in capitals.
        let is_by_name = (lower.contains("env") || lower == "config") && is_variable_name(&name);
        if !(is_of_settings && is_setting_name(&name) || is_of_environment || is_by_name) {
            return None;
        }
        if is_of_settings && let Some(registered) = self.registered_setting(file, &name, depth) {
            return Some(registered);
        }
        let default = call.at(1).or_else(|| call.named(&["default", "defaultValue", "fallback"]));
        let variable = TextValue::variable(&section.map_or(name.clone(), |section| format!("{section}:{name}")));
        Some(match default {
            Some(default) => variable.or(self.text_within(file, default, frame, depth + 1)),
            None => variable,
        })
    }
}

/// Returns true for the name of a variable of the environment: capitals, digits and underscores, with at least one underscore or
/// four letters.
pub(in crate::contracts) fn is_variable_name(name: &str) -> bool {
    name.len() >= 3
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && (name.contains('_') || name.len() >= 4 || matches!(name, "URL" | "API"))
}

/// Returns true for the name of a setting: `services:cart`, `cart.url`, `CART_URL`.
fn is_setting_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 100
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-'))
}

fn is_reader(name: &str) -> bool {
    READERS.contains(&name.to_ascii_lowercase().as_str())
}

fn is_environment(object: &str) -> bool {
    ENVIRONMENTS.contains(&object)
}

fn is_settings_object(object: &str) -> bool {
    let last = object.rsplit('.').next().unwrap_or(object).trim_start_matches(['_', '$']).to_ascii_lowercase();
    SETTINGS_OBJECTS
        .iter()
        .any(|part| last == *part || last.starts_with(part) && part.len() > 4 || last.ends_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_and_objects_with_settings() {
        for (name, expected) in [
            ("CART_ADDR", true),
            ("PORT", true),
            ("URL", true),
            ("A1", false),
            ("GET", false),
            ("Cart", false),
            ("_X", false),
        ] {
            assert_eq!(is_variable_name(name), expected, "{name}");
        }
        for (object, expected) in [
            ("this.configService", true),
            ("viper", true),
            ("app.config", true),
            ("_configuration", true),
            ("cache", false),
        ] {
            assert_eq!(is_settings_object(object), expected, "{object}");
        }
    }
}
