//! The prefixes that an application of NestJS gives to the routes of its controllers: `app.setGlobalPrefix("api")`, and the versions of
//! `app.enableVersioning()`.

use graph::{FileIdx, Node};
use model::{
    Language,
    code::{Expression, ExpressionId, Literal},
};

use super::{Registration, RouteReader, joined};
use crate::contracts::{decorations::decorations_of, text_value::TextPart, values::CallShape};

/// Names of the file that starts an application, which is in a folder around its controllers.
const STARTS: [&str; 5] = ["main.ts", "main.js", "bootstrap.ts", "server.ts", "index.ts"];

/// The package of controllers.
const PACKAGE: &str = "@nestjs/common";

/// Maximum number of paths without the prefix.
const MAX_EXCLUDED: usize = 64;

/// Maximum number of versions of a controller.
const MAX_VERSIONS: usize = 16;

/// Prefixes and versions that the file with the start of a NestJS application gives to the routes of its controllers.
struct StartedApplication {
    /// The global prefix with its slash; empty if there is none, or if the route is excluded from it.
    prefix: String,
    /// Versions in paths; none if versions stand elsewhere, such as in a header.
    versioning: Option<UriVersioning>,
}

/// Versions in paths: `/v1/items`.
struct UriVersioning {
    /// Text before each version.
    mark: String,
    /// Segments of the versions of a controller that states none.
    default: Vec<String>,
}

impl<'p> RouteReader<'_, '_, 'p> {
    /// Returns the prefixes of a route of a controller, one for each of its versions; an empty one if none is known.
    pub(super) fn prefixes_of_nest(&mut self, file: FileIdx, registration: &Registration) -> Vec<String> {
        let Some(application) = self.application_around(file, &registration.path) else { return vec![String::new()] };
        let versions = application.versioning.map_or_else(Vec::new, |versioning| {
            self.stated_versions(file, registration, &versioning.mark).unwrap_or(versioning.default)
        });
        if versions.is_empty() {
            return vec![application.prefix];
        }
        versions.iter().map(|version| joined(&application.prefix, version)).collect()
    }

    /// Returns the application that a file in a folder around a controller starts.
    fn application_around(&mut self, file: FileIdx, route: &str) -> Option<StartedApplication> {
        let program = self.values.program();
        let is_of_script = matches!(program.language(file), Language::TypeScript | Language::JavaScript);
        if !is_of_script || !program.facts(file).imports.iter().any(|import| import.module == PACKAGE) {
            return None;
        }
        let mut folder = program.path(file);
        while let Some((outer, _)) = folder.rsplit_once('/').or((!folder.is_empty()).then_some(("", ""))) {
            folder = outer;
            let homes = STARTS.map(|name| program.file_at(&in_folder(folder, name)));
            for home in homes.into_iter().flatten() {
                // A file without the prefix may have it later.
                self.values.cx.consult(home);
                if let Some(started) = self.started_application(home, route) {
                    return Some(started);
                }
            }
        }
        None
    }

    /// Returns what a file gives to the routes of the application that it starts; `None` if it starts none.
    fn started_application(&mut self, home: FileIdx, route: &str) -> Option<StartedApplication> {
        let sites = &self.values.code(home).sites;
        let calls: Vec<CallShape<'p>> =
            sites.iter().filter_map(|site| self.values.call(home, site.expression)).collect();
        let is_factory = |call: &&CallShape<'p>| {
            let object = call.object.and_then(|object| self.values.dotted(home, object));
            call.name == "create" && object.as_deref() == Some("NestFactory")
        };
        calls.iter().find(is_factory)?;
        let named = |name: &str| calls.iter().find(|call| call.name == name);
        let versioning = named("enableVersioning").and_then(|call| self.versioning(home, call));
        let Some(call) = named("setGlobalPrefix") else {
            return Some(StartedApplication { prefix: String::new(), versioning });
        };
        let path = call.at(0).and_then(|path| self.route_text(home, path)).unwrap_or_default();
        let path = path.trim_matches('/');
        let is_without = path.is_empty() || self.is_excluded(home, call, route);
        let prefix = if is_without { String::new() } else { format!("/{path}") };
        Some(StartedApplication { prefix, versioning })
    }

    /// Returns the versions in paths that a call switches on: `app.enableVersioning({ type: VersioningType.URI, defaultVersion: "1" })`.
    fn versioning(&mut self, home: FileIdx, call: &CallShape<'p>) -> Option<UriVersioning> {
        let options = call.at(0);
        let is_known =
            options.is_none_or(|options| matches!(self.values.expression(home, options), Expression::Object(_)));
        let is_of_uri = call
            .named(&["type"])
            .is_none_or(|kind| self.values.dotted(home, kind).is_some_and(|kind| kind.ends_with("VersioningType.URI")));
        let mark = match call.named(&["prefix"]) {
            None => "v",
            // `false` leaves the text out.
            Some(mark) if matches!(self.values.expression(home, mark), Expression::Literal(Literal::Boolean)) => "",
            Some(mark) => self.values.literal(home, mark).unwrap_or("{}"),
        };
        let default = call.named(&["defaultVersion"]);
        let default = default.map_or_else(Vec::new, |versions| self.segments_of_versions(home, versions, mark));
        (is_known && is_of_uri).then(|| UriVersioning { mark: mark.to_owned(), default })
    }

    /// Returns the versions that a handler or its controller states; `None` if neither does. The controller of an inherited handler is
    /// the class that inherits it.
    fn stated_versions(&mut self, file: FileIdx, registration: &Registration, mark: &str) -> Option<Vec<String>> {
        let Some(Node::Symbol(handler)) = registration.handler.node else { return None };
        let program = self.values.program();
        let of_handler = decorations_of(self.values, handler);
        let own = of_handler
            .iter()
            .find(|call| call.name == "Version")
            .and_then(|call| Some((call.file, *call.positional.first()?)));
        let mut decorations = self.values.code(file).decorations.iter();
        let registering = decorations.find(|decoration| decoration.expression == registration.call);
        let controller = registering
            .map(|decoration| program.symbol(file, decoration.definition))
            .filter(|symbol| program.definition(*symbol).kind.is_type())
            .or_else(|| program.parent(handler));
        let of_controller = || {
            let calls = decorations_of(self.values, controller?);
            let call = calls.into_iter().find(|call| call.name == "Controller")?;
            Some((call.file, call.named(self.values, &["version"])?))
        };
        let (file, versions) = own.or_else(of_controller)?;
        Some(self.segments_of_versions(file, versions, mark))
    }

    /// Returns the segments of versions: `/v1` and `/v2` of `["1", "2"]`. A route without a version has an empty one, and an unknown
    /// version has `/{}`.
    fn segments_of_versions(&mut self, file: FileIdx, versions: ExpressionId, mark: &str) -> Vec<String> {
        let items = match self.values.expression(file, versions) {
            Expression::List(items) => items.to_vec(),
            _ => vec![versions],
        };
        let each = items.into_iter().take(MAX_VERSIONS).map(|item| {
            if self.values.dotted(file, item).is_some_and(|name| name.ends_with("VERSION_NEUTRAL")) {
                return String::new();
            }
            let text = self.values.text(file, item);
            match text.alternatives.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] {
                [[TextPart::Text(version)]] if mark != "{}" => format!("/{mark}{version}"),
                _ => "/{}".to_owned(),
            }
        });
        each.collect()
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

    #[test]
    fn an_inherited_handler_has_the_version_of_its_controller() {
        let found = contracts(
            "//- /src/items/a.ts\nimport { Controller, Get } from '@nestjs/common'\nabstract class Base { @Get('all') all() {} }\n@Controller({ path: 'items', version: '2' })\nexport class A extends Base { }\n//- /src/main.ts\nimport { NestFactory } from '@nestjs/core'\nasync function start() { const app = await NestFactory.create(M); app.enableVersioning(); }\n",
        );
        let routes: Vec<&str> = found.iter().filter_map(|line| line.strip_prefix("/ GET ")).collect();
        assert_eq!(routes, ["/v2/items/all -> src/items/a.ts::Base.all"]);
    }

    #[test]
    fn versions_stand_in_paths() {
        let main = |call: &str| {
            format!(
                "import {{ NestFactory }} from '@nestjs/core'\nasync function start() {{ const app = await NestFactory.create(M); app.setGlobalPrefix('api'); {call} }}\n"
            )
        };
        let of_uri = "app.enableVersioning({ type: VersioningType.URI });";
        let with_default = "app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });";
        let plain = "@Controller('items')\nexport class A { @Get('all') all() {} }";
        let of_class = "@Controller({ path: 'items', version: '2' })\nexport class A { @Get('all') all() {} }";
        let of_method =
            "@Controller({ path: 'items', version: '2' })\nexport class A { @Version('3') @Get('all') all() {} }";
        let of_several =
            "@Controller({ path: 'items', version: ['1', VERSION_NEUTRAL] })\nexport class A { @Get('all') all() {} }";
        let of_constant = "const LATEST = '4'\n@Controller({ path: 'items', version: LATEST })\nexport class A { @Get('all') all() {} }";
        let of_unknown = "@Controller({ path: 'items', version: load() })\nexport class A { @Get('all') all() {} }";
        for (call, controller, expected) in [
            (of_uri, of_class, &["/api/v2/items/all"][..]),
            (of_uri, of_method, &["/api/v3/items/all"]),
            (of_uri, of_several, &["/api/items/all", "/api/v1/items/all"]),
            (with_default, plain, &["/api/v1/items/all"]),
            (with_default, of_class, &["/api/v2/items/all"]),
            ("app.enableVersioning();", of_class, &["/api/v2/items/all"]),
            ("app.enableVersioning({ prefix: false });", of_class, &["/api/2/items/all"]),
            ("app.enableVersioning({ prefix: 'version-' });", of_class, &["/api/version-2/items/all"]),
            // A constant is its value, and an unknown version an unknown segment.
            (of_uri, of_constant, &["/api/v4/items/all"]),
            (of_uri, of_unknown, &["/api/{}/items/all"]),
            ("app.enableVersioning({ prefix: load() });", of_class, &["/api/{}/items/all"]),
            ("app.enableVersioning({ defaultVersion: load() });", plain, &["/api/{}/items/all"]),
            // Near misses: no versions, versions in a header, and a controller without one.
            ("", of_class, &["/api/items/all"]),
            ("app.enableVersioning({ type: VersioningType.HEADER, header: 'v' });", of_class, &["/api/items/all"]),
            (of_uri, plain, &["/api/items/all"]),
        ] {
            let code = format!("import {{ Controller, Get, Version }} from '@nestjs/common'\n{controller}\n");
            let found = contracts(&format!("//- /src/items/a.ts\n{code}//- /src/main.ts\n{}", main(call)));
            let mut routes: Vec<&str> = found.iter().filter_map(|line| line.strip_prefix("/ GET ")).collect();
            routes.sort_unstable();
            let expected: Vec<String> =
                expected.iter().map(|path| format!("{path} -> src/items/a.ts::A.all")).collect();
            assert_eq!(routes, expected, "{call} {controller}");
        }
    }
}
