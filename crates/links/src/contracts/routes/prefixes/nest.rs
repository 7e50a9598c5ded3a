//! The prefix that an application of NestJS gives to the routes of its controllers: `app.setGlobalPrefix("api")`.

use graph::FileIdx;
use model::{Language, code::Expression};

use super::RouteReader;
use crate::contracts::values::CallShape;

/// Names of the file that starts an application, which is in a folder around its controllers.
const STARTS: [&str; 5] = ["main.ts", "main.js", "bootstrap.ts", "server.ts", "index.ts"];

/// The package of controllers.
const PACKAGE: &str = "@nestjs/common";

/// Maximum number of paths without the prefix.
const MAX_EXCLUDED: usize = 64;

impl<'p> RouteReader<'_, '_, 'p> {
    /// Returns the prefix of the routes of a controller; empty if none is known, and for a path that the application excludes.
    pub(super) fn prefix_of_nest(&mut self, file: FileIdx, route: &str) -> String {
        let program = self.values.program();
        let is_of_script = matches!(program.language(file), Language::TypeScript | Language::JavaScript);
        if !is_of_script || !program.facts(file).imports.iter().any(|import| import.module == PACKAGE) {
            return String::new();
        }
        let mut folder = program.path(file);
        while let Some((outer, _)) = folder.rsplit_once('/').or((!folder.is_empty()).then_some(("", ""))) {
            folder = outer;
            let homes = STARTS.map(|name| program.file_at(&in_folder(folder, name)));
            for home in homes.into_iter().flatten() {
                // A file without the prefix may have it later.
                self.values.cx.consult(home);
                if let Some(started) = self.started_prefix(home, route) {
                    return started;
                }
            }
        }
        String::new()
    }

    /// Returns the prefix that a file gives to an application that it starts; `None` if it starts none.
    fn started_prefix(&mut self, home: FileIdx, route: &str) -> Option<String> {
        let sites = &self.values.code(home).sites;
        let calls: Vec<CallShape<'p>> =
            sites.iter().filter_map(|site| self.values.call(home, site.expression)).collect();
        let is_factory = |call: &&CallShape<'p>| {
            let object = call.object.and_then(|object| self.values.dotted(home, object));
            call.name == "create" && object.as_deref() == Some("NestFactory")
        };
        calls.iter().find(is_factory)?;
        let Some(call) = calls.iter().find(|call| call.name == "setGlobalPrefix") else { return Some(String::new()) };
        let path = call.at(0).and_then(|path| self.route_text(home, path)).unwrap_or_default();
        let path = path.trim_matches('/');
        let is_without = path.is_empty() || self.is_excluded(home, call, route);
        Some(if is_without { String::new() } else { format!("/{path}") })
    }

    /// Returns true if the options of a prefix exclude a path with all methods: `{ exclude: ["health", "docs/*", { path: "jobs" }] }`.
    fn is_excluded(&self, home: FileIdx, call: &CallShape<'p>, route: &str) -> bool {
        let code = self.values.code(home);
        let Some(Expression::List(items)) = call.named(&["exclude"]).map(|list| code.expression(list)) else {
            return false;
        };
        let mut excluded = items.iter().take(MAX_EXCLUDED).filter_map(|item| match code.expression(*item) {
            Expression::Object(fields) => {
                let field =
                    |key: &str| fields.iter().find(|(name, _)| code.name(*name) == key).map(|(_, value)| *value);
                // Another route of the path may have the method.
                let is_of_all = field("method").is_none_or(|method| {
                    self.values.dotted(home, method).is_some_and(|method| method.ends_with("RequestMethod.ALL"))
                });
                self.values.literal(home, field("path").filter(|_| is_of_all)?)
            }
            _ => self.values.literal(home, *item),
        });
        let route = route.trim_matches('/');
        excluded.any(|path| match path.find(['*', '(', '{']) {
            Some(wildcard) => route.starts_with(path[..wildcard].trim_start_matches('/')),
            None => path.trim_matches('/') == route,
        })
    }
}

fn in_folder(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests {
    use crate::testing::contracts;

    #[test]
    fn the_application_around_a_controller_has_the_prefix() {
        let controller = "import { Controller, Get } from '@nestjs/common'\n@Controller('items')\nexport class A { @Get('all') all() {} }\n";
        let main = |call: &str| {
            format!(
                "import {{ NestFactory }} from '@nestjs/core'\nasync function start() {{ const app = await NestFactory.create(M); {call} }}\n"
            )
        };
        for (place, code, expected) in [
            ("src/main.ts", main("app.setGlobalPrefix('api');"), "/api/items/all"),
            ("src/main.ts", main("app.setGlobalPrefix(process.env.PREFIX || '/api/v1/');"), "/api/v1/items/all"),
            ("main.ts", main("app.setGlobalPrefix('api');"), "/api/items/all"),
            // Near misses.
            ("src/main.ts", main(""), "/items/all"),
            ("other/main.ts", main("app.setGlobalPrefix('api');"), "/items/all"),
            ("src/main.ts", main("app.setGlobalPrefix('api', { exclude: ['items/all'] });"), "/items/all"),
            ("src/main.ts", main("app.setGlobalPrefix('api', { exclude: ['items/*'] });"), "/items/all"),
            ("src/main.ts", main("app.setGlobalPrefix('api', { exclude: ['other/*'] });"), "/api/items/all"),
            (
                "src/main.ts",
                main("app.setGlobalPrefix('api', { exclude: [{ path: 'items/all', method: RequestMethod.POST }] });"),
                "/api/items/all",
            ),
            (
                "src/main.ts",
                main("app.setGlobalPrefix('api', { exclude: [{ path: 'items/all', method: RequestMethod.ALL }] });"),
                "/items/all",
            ),
            ("src/main.ts", "function start(app) { app.setGlobalPrefix('api'); }\n".to_owned(), "/items/all"),
        ] {
            let found = contracts(&format!("//- /src/items/a.ts\n{controller}//- /{place}\n{code}"));
            let route = format!("/ GET {expected} -> src/items/a.ts::A.all");
            assert!(found.contains(&route), "{place} {code}: {found:?}");
        }
    }
}
