//! Settings that a program registers as objects, and reads by paths: `registerAs('shop', () => ({cart: {url: process.env.CART_URL}}))` and
//! `config.get('shop.cart.url')` of Nest.

use graph::FileIdx;
use model::{
    Language,
    code::{Expression, ExpressionId},
};

use super::{MAX_DEPTH, TextValue};
use crate::contracts::values::ValueReader;

/// Maximum number of files with settings that are read for one path.
const MAX_FILES: usize = 30;

/// Maximum number of parts of a path.
const MAX_PARTS: usize = 6;

impl ValueReader<'_, '_> {
    /// Returns the value at a path in the settings that the repository registers.
    pub(super) fn registered_setting(&mut self, file: FileIdx, path: &str, depth: u32) -> Option<TextValue> {
        let program = self.program();
        let is_language = matches!(program.language(file), Language::JavaScript | Language::TypeScript | Language::Tsx);
        let keys: Vec<&str> = path.split('.').collect();
        if !is_language || keys.len() < 2 || keys.len() > MAX_PARTS || depth > MAX_DEPTH {
            return None;
        }
        let homes = program.settings_files(has_settings).iter().take(MAX_FILES);
        homes.copied().find_map(|home| {
            // A file without the setting may have it later.
            self.cx.consult(home);
            let (object, rest) = self.registered_object(home, &keys)?;
            let value = self.at_path(home, object, rest)?;
            let text = self.text_within(home, value, None, depth + 1);
            (!text.is_computed()).then_some(text)
        })
    }

    /// Returns the object of a file that a path begins in, and the keys that follow in it.
    fn registered_object<'k>(&self, home: FileIdx, keys: &'k [&'k str]) -> Option<(ExpressionId, &'k [&'k str])> {
        let code = self.code(home);
        let named = code.sites.iter().find_map(|site| {
            let call = self.call(home, site.expression).filter(|call| call.name == "registerAs")?;
            let is_named = self.literal(home, call.at(0)?) == keys.first().copied();
            let Expression::Function { results, .. } = self.expression(home, call.at(1)?) else { return None };
            results.first().copied().filter(|_| is_named)
        });
        if let Some(object) = named {
            return Some((object, &keys[1..]));
        }
        // `export default () => ({shop: {…}})`.
        let program = self.program();
        let functions = program.symbols_of(home).filter(|symbol| program.shape(*symbol).parameters.is_empty());
        let whole = functions.flat_map(|symbol| program.shape(symbol).values.iter().copied()).find(|value| {
            let Expression::Object(fields) = code.expression(*value) else { return false };
            fields.iter().any(|(name, _)| Some(code.name(*name)) == keys.first().copied())
        });
        whole.map(|object| (object, keys))
    }

    fn at_path(&self, home: FileIdx, object: ExpressionId, keys: &[&str]) -> Option<ExpressionId> {
        let code = self.code(home);
        keys.iter().try_fold(object, |at, key| {
            let Expression::Object(fields) = code.expression(at) else { return None };
            fields.iter().find(|(name, _)| code.name(*name) == *key).map(|(_, value)| *value)
        })
    }
}

/// Returns true for the path of a file with settings, by its name or folder.
fn has_settings(path: &str) -> bool {
    let is_script = path.ends_with(".ts") || path.ends_with(".js");
    is_script && path.rsplit('/').take(2).any(|part| part.starts_with("config") || part.contains(".config"))
}

#[cfg(test)]
mod tests {
    use crate::testing::{consulted, contracts};

    #[test]
    fn paths_lead_to_the_values_of_registered_objects() {
        let registered =
            "registerAs('shop', () => ({ port: 1, cart: { url: process.env.CART_URL || 'http://cart' } }))";
        let whole = "() => ({ shop: { cart: { url: process.env.CART_URL } } })";
        for (home, text, expected) in [
            ("config/shop.ts", registered, Some("- GET /items {env:CART_URL}|http://cart by a.ts::A.run:4 0.9")),
            ("configuration.ts", whole, Some("- GET /items {env:CART_URL} by a.ts::A.run:4 0.9")),
            ("config/shop.ts", "registerAs('other', () => ({ cart: { url: process.env.CART_URL } }))", None),
            ("models/shop.ts", registered, None),
        ] {
            let lines = contracts(&format!(
                "//- /{home}\nexport default {text}\n//- /a.ts\nimport axios from 'axios'\nexport class A {{\n  constructor(private config: ConfigService) {{}}\n  run() {{ return axios.get(`${{this.config.get<string>('shop.cart.url')}}/items`) }}\n}}\n"
            ));
            let found = lines.iter().find(|line| line.contains("CART_URL") && line.starts_with("- GET"));
            assert_eq!(found.map(String::as_str), expected, "{home} {text}\n{lines:#?}");
        }
    }

    #[test]
    fn files_that_may_get_the_setting_are_consulted() {
        let fixture = "//- /config/shop.ts\nexport default registerAs('other', () => ({}))\n//- /models/shop.ts\nexport default registerAs('shop', () => ({}))\n//- /a.ts\nimport axios from 'axios'\nexport class A {\n  constructor(private config: ConfigService) {}\n  run() { return axios.get(`${this.config.get<string>('shop.cart.url')}/items`) }\n}\n";
        let found = consulted(fixture, "a.ts");
        assert!(found.iter().any(|path| path == "config/shop.ts"), "{found:?}");
        assert!(!found.iter().any(|path| path == "models/shop.ts"), "{found:?}");
    }
}
