//! Routers that are mounted under a path, in the same file or from another one.

use std::collections::BTreeSet;

use graph::{FileIdx, SymbolIdx, Ty};
use model::{
    Language,
    code::{Expression, ExpressionId, ScopeId},
};

use super::{FoundRoute, Registration, RouteReader, joined, prefixes::GROUPS};
use crate::contracts::values::{CallShape, ValueSource};

/// Maximum nesting depth of mounted routers.
pub(super) const MAX_MOUNTS: u32 = 6;

/// Maximum number of mounted routers that are read for one mount. Routers that mount each other would have no end.
const MAX_READ: u32 = 500;

/// Maximum number of routes that one file mounts.
const MAX_MOUNTED: usize = 5_000;

/// Maximum number of files that are searched for the methods of one type of Go.
const MAX_FILES_OF_CLASS: usize = 100;

/// Functions that mount a router, another argument, under a path, the first argument or an option.
const MOUNTS: [&str; 14] = [
    "use",
    "include_router",
    "register_blueprint",
    "mount",
    "Mount",
    "route",
    "register",
    "nest",
    "add_subapp",
    "Handle",
    "include",
    "nest_service",
    "blueprint",
    "add_router",
];

/// The routes that a file mounts.
#[derive(Default)]
pub(super) struct MountedRoutes {
    pub(super) routes: Vec<FoundRoute>,
    /// The calls that mount.
    pub(super) calls: Vec<ExpressionId>,
    /// Registrations of the file itself that have their routes here.
    pub(super) own_calls: BTreeSet<ExpressionId>,
}

/// A router that is mounted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Mounted {
    /// The routes that a variable has.
    Router(FileIdx, RouterIdentity),
    /// The routes that the body of a function registers.
    Function(SymbolIdx),
    /// The routes that the methods of a class register.
    Class(SymbolIdx),
    /// All routes of a file.
    File(FileIdx),
}

/// The variable that holds a router.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RouterIdentity {
    Symbol(SymbolIdx),
    /// The number of a binding.
    Binding(u32),
}

impl<'p> RouteReader<'_, '_, 'p> {
    /// Returns the routes that a file mounts. `own` are its registrations.
    pub(super) fn mounts(&mut self, file: FileIdx, own: &[Registration]) -> MountedRoutes {
        let code = self.values.code(file);
        let mut found = MountedRoutes::default();
        for site in &code.sites {
            let Some(call) = self.values.call(file, site.expression) else { continue };
            if own.iter().any(|one| one.call == site.expression) || found.routes.len() > MAX_MOUNTED {
                continue;
            }
            let mount = self.mount(file, &call);
            let in_block = if mount.is_none() { self.block_mount(file, &call, site.scope) } else { None };
            let in_block = in_block.map(|(prefix, mounted)| (prefix, None, mounted));
            let Some((path, router, mounted)) = mount.or(in_block) else { continue };
            let outer = router.map_or_else(String::new, |router| self.prefix(file, router, 0));
            let prefix = joined(&outer, &path);
            self.n_mounts = 0;
            let routes = self.routes_of(mounted, &prefix, 0);
            if !routes.is_empty() {
                found.calls.push(site.expression);
            }
            for (home, registration, prefix) in routes {
                let line = if home == file { registration.line } else { site.line };
                if home == file {
                    found.own_calls.insert(registration.call);
                }
                found.routes.extend(self.found(home, &registration, &prefix, line));
            }
        }
        found
    }

    /// Reads a call that mounts a router: its path, the object that it is mounted on, and the router.
    fn mount(&mut self, file: FileIdx, call: &CallShape<'p>) -> Option<(String, Option<ExpressionId>, Mounted)> {
        let language = self.values.program().language(file);
        let is_mount = MOUNTS.contains(&call.name);
        if !is_mount {
            return self.function_mount(file, call);
        }
        if call.name == "Handle" && language != Language::Go {
            return None;
        }
        let path = call.arguments.iter().find_map(|argument| {
            self.option(file, *argument)
                .or_else(|| self.route_text(file, *argument).filter(|text| text.starts_with('/')))
        });
        // Django: `path("api/", include("app.urls"))` is read as a registration; `include` alone mounts nothing.
        let mounted = call.arguments.iter().find_map(|argument| self.mounted(file, *argument, 0))?;
        let path = path.unwrap_or_default();
        Some((path.trim_end_matches('/').to_owned(), call.object, mounted))
    }

    /// Returns the router that an argument of a mount means.
    fn mounted(&mut self, file: FileIdx, argument: ExpressionId, depth: u32) -> Option<Mounted> {
        if depth > 3 {
            return None;
        }
        let program = self.values.program();
        if let Some(class) = self.registering_class(file, argument) {
            return Some(Mounted::Class(class));
        }
        match self.values.expression(file, argument) {
            Expression::Name { name, scope, n_before } => {
                let interned = program.name(file, *name);
                if let Some(binding) = self.values.cx.binding_before(file, interned, *scope, *n_before) {
                    let value = self.values.code(file).bindings[binding as usize].value;
                    let imported = value.filter(|value| {
                        matches!(
                            self.values.expression(file, *value),
                            Expression::Import { .. } | Expression::Call { .. }
                        )
                    });
                    let other = imported.and_then(|value| self.mounted(file, value, depth + 1));
                    return other.or(Some(Mounted::Router(file, RouterIdentity::Binding(binding))));
                }
                let symbol = self.values.global_symbols(file, *name).first().copied();
                match symbol {
                    Some(symbol) => self.mounted_symbol(symbol),
                    None => self.imported_file(file, self.values.code(file).name(*name)).map(Mounted::File),
                }
            }
            Expression::Member { of, name } | Expression::Path { of, name } => {
                match self.member_symbol(file, *of, self.values.code(file).name(*name)) {
                    Some(symbol) => self.mounted_symbol(symbol),
                    None => self.mounted_field(file, argument, depth),
                }
            }
            Expression::Import { .. } => self.imported_module(file, argument).map(Mounted::File),
            Expression::Call { callee, .. } => {
                let call = self.values.call(file, argument)?;
                if let Ty::Function { candidates, .. } = self.values.cx.type_of(file, *callee) {
                    return Some(Mounted::Function(*candidates.first()?));
                }
                // `router.routes()` of Koa, `StripPrefix("/api", router)`, `include("app.urls")`.
                let object = call
                    .object
                    .filter(|_| matches!(call.name, "routes" | "middleware" | "handler" | "router" | "into_service"));
                let inner = object.and_then(|object| self.mounted(file, object, depth + 1));
                let text =
                    call.at(0).and_then(|first| self.values.literal(file, first)).filter(|_| call.name == "include");
                if let Some(module) = text {
                    return self.python_module(module).map(Mounted::File);
                }
                let wrapped =
                    (call.name == "StripPrefix" || call.name == "include").then(|| call.positional().last()).flatten();
                inner.or_else(|| wrapped.and_then(|wrapped| self.mounted(file, wrapped, depth + 1)))
            }
            Expression::Function { .. } | Expression::Definition(_) => None,
            Expression::Awaited { of } => self.mounted(file, *of, depth + 1),
            _ => None,
        }
    }

    /// Returns the router that code stores in a field: `this.items` of `this.items = createItems()`.
    fn mounted_field(&mut self, file: FileIdx, field: ExpressionId, depth: u32) -> Option<Mounted> {
        self.values.sources(file, field).into_iter().find_map(|source| match source {
            ValueSource::Expression(home, value) => {
                self.values.cx.consult(home);
                self.mounted(home, value, depth + 1)
            }
            _ => None,
        })
    }

    /// Returns the class of an object, or of the object that has a router, if its methods register routes: `new Items()`, `items.router`.
    pub(super) fn registering_class(&mut self, file: FileIdx, argument: ExpressionId) -> Option<SymbolIdx> {
        let of = match self.values.expression(file, argument) {
            Expression::Member { of, .. } => Some(*of),
            _ => None,
        };
        [Some(argument), of].into_iter().flatten().find_map(|object| {
            let Ty::Object(applied) = self.values.cx.type_of(file, object) else { return None };
            let homes = self.files_of_class(applied.of);
            let is_registering = homes.into_iter().any(|home| {
                self.values.cx.consult(home);
                let registrations = self.registrations(home);
                registrations.iter().any(|one| self.is_within(home, one.scope, applied.of))
            });
            is_registering.then_some(applied.of)
        })
    }

    /// Returns the files that have methods of a class. In Go, any file of its package may have some.
    fn files_of_class(&self, class: SymbolIdx) -> Vec<FileIdx> {
        let program = self.values.program();
        let home = program.file_of(class);
        if program.language(home) != Language::Go {
            return vec![home];
        }
        let others = program.member_files(class).iter().copied().take(MAX_FILES_OF_CLASS);
        std::iter::once(home).chain(others).collect()
    }

    /// Returns true if a scope is in a method of a class.
    fn is_within(&self, file: FileIdx, scope: ScopeId, class: SymbolIdx) -> bool {
        self.values.type_around(file, scope) == Some(class)
    }

    fn mounted_symbol(&mut self, symbol: SymbolIdx) -> Option<Mounted> {
        let program = self.values.program();
        let home = program.file_of(symbol);
        self.values.cx.consult(home);
        if program.shape(symbol).body.is_some() {
            return Some(Mounted::Function(symbol));
        }
        Some(Mounted::Router(home, RouterIdentity::Symbol(symbol)))
    }

    /// Returns the definition of a name of an imported module: `items.router`.
    fn member_symbol(&mut self, file: FileIdx, of: ExpressionId, name: &str) -> Option<SymbolIdx> {
        let program = self.values.program();
        let module = self.values.dotted(file, of)?;
        let module = module.rsplit('.').next()?;
        let home = self.imported_file(file, module)?;
        program.top(home, program.name_named(name)?).first().copied()
    }

    /// Returns the file that an imported name means.
    fn imported_file(&mut self, file: FileIdx, name: &str) -> Option<FileIdx> {
        let program = self.values.program();
        let imports = &program.facts(file).imports;
        let language = program.language(file);
        for (idx, import) in imports.iter().enumerate() {
            let is_named = crate::contracts::imports::local_name(language, import) == name
                || import.module.rsplit(['.', '/']).next() == Some(name);
            if !is_named {
                continue;
            }
            let target = self.values.cx.import_targets(file, idx).into_iter().next()?;
            let home = super::file_of(program, target);
            self.values.cx.consult(home);
            return Some(home);
        }
        None
    }

    /// Returns the file of `require("./items")`.
    fn imported_module(&mut self, file: FileIdx, import: ExpressionId) -> Option<FileIdx> {
        match self.values.cx.type_of(file, import) {
            Ty::Module(module) => Some(FileIdx(module.index)),
            Ty::Object(applied) | Ty::Class(applied) => Some(self.values.program().file_of(applied.of)),
            Ty::Function { candidates, .. } => Some(self.values.program().file_of(*candidates.first()?)),
            _ => self.relative_module(file, import),
        }
    }

    /// Returns the file of a relative module whose value is a router, of which the type is not known.
    fn relative_module(&self, file: FileIdx, import: ExpressionId) -> Option<FileIdx> {
        let program = self.values.program();
        let code = self.values.code(file);
        let Expression::Import { module, .. } = code.expression(import) else { return None };
        let mut folders: Vec<&str> = program.path(file).split('/').collect();
        folders.pop();
        for part in code.name(*module).split('/') {
            match part {
                "." => {}
                ".." => {
                    folders.pop()?;
                }
                part => folders.push(part),
            }
        }
        let stem = folders.join("/");
        if !code.name(*module).starts_with('.') {
            return None;
        }
        let ends = ["", ".js", ".ts", ".mjs", ".cjs", "/index.js", "/index.ts"];
        ends.iter().find_map(|end| program.file_at(&format!("{stem}{end}")))
    }

    /// Returns the file of a module of Python that is named in a text.
    pub(super) fn python_module(&mut self, module: &str) -> Option<FileIdx> {
        let program = self.values.program();
        let path = module.replace('.', "/");
        let direct = program.file_at(&format!("{path}.py")).or_else(|| program.file_at(&format!("{path}/__init__.py")));
        let end = format!("/{path}.py");
        let found = direct.or_else(|| program.file_indices().find(|file| program.path(*file).ends_with(&end)))?;
        self.values.cx.consult(found);
        Some(found)
    }

    /// Returns the registrations of a mounted router with their files and prefixes, and those of the routers that it mounts.
    pub(super) fn routes_of(
        &mut self,
        mounted: Mounted,
        prefix: &str,
        depth: u32,
    ) -> Vec<(FileIdx, Registration, String)> {
        self.n_mounts += 1;
        if depth > MAX_MOUNTS || self.n_mounts > MAX_READ {
            return Vec::new();
        }
        let program = self.values.program();
        let homes = match mounted {
            Mounted::Router(file, _) | Mounted::File(file) => vec![file],
            Mounted::Function(symbol) => vec![program.file_of(symbol)],
            Mounted::Class(symbol) => self.files_of_class(symbol),
        };
        homes.into_iter().flat_map(|home| self.routes_in(home, mounted, prefix, depth)).collect()
    }

    /// Returns the registrations of a mounted router in one file.
    fn routes_in(
        &mut self,
        home: FileIdx,
        mounted: Mounted,
        prefix: &str,
        depth: u32,
    ) -> Vec<(FileIdx, Registration, String)> {
        self.values.cx.consult(home);
        let registrations = self.registrations(home);
        let mut found = Vec::new();
        for registration in registrations.iter() {
            if !self.is_of(home, registration.router, registration.scope, mounted) {
                continue;
            }
            let own = self.prefixes_of(home, registration).into_iter();
            found.extend(own.map(|own| (home, registration.clone(), joined(prefix, &own))));
        }
        for site in &self.values.code(home).sites {
            let Some(call) = self.values.call(home, site.expression) else { continue };
            if !MOUNTS.contains(&call.name)
                || registrations.iter().any(|one| one.call == site.expression)
                || !self.is_of(home, call.object, site.scope, mounted)
            {
                continue;
            }
            if let Some((path, router, inner)) = self.mount(home, &call).filter(|(.., inner)| *inner != mounted) {
                let own = router.map_or_else(String::new, |router| self.prefix(home, router, 0));
                let prefix = joined(prefix, &joined(&own, &path));
                found.extend(self.routes_of(inner, &prefix, depth + 1));
            }
            if found.len() > MAX_MOUNTED {
                break;
            }
        }
        found
    }

    /// Returns true if a router that is used in a scope is the mounted one.
    pub(super) fn is_of(
        &mut self,
        file: FileIdx,
        router: Option<ExpressionId>,
        scope: ScopeId,
        mounted: Mounted,
    ) -> bool {
        match mounted {
            Mounted::File(_) => true,
            Mounted::Class(class) => self.is_within(file, scope, class),
            Mounted::Function(function) => {
                let around = self.values.code(file).definition_around(scope);
                around.is_some_and(|around| self.values.program().symbol(file, around) == function)
            }
            Mounted::Router(_, identity) => router.and_then(|router| self.identity(file, router, 0)) == Some(identity),
        }
    }

    /// Returns the variable that a router begins with: `router` of `router.group("/x").get`.
    fn identity(&mut self, file: FileIdx, router: ExpressionId, depth: u32) -> Option<RouterIdentity> {
        if depth > 8 {
            return None;
        }
        let program = self.values.program();
        match self.values.expression(file, router) {
            Expression::Name { name, scope, n_before } => {
                let interned = program.name(file, *name);
                match self.values.cx.binding_before(file, interned, *scope, *n_before) {
                    Some(binding) => {
                        // A group of a router is a part of it.
                        let value = self.values.code(file).bindings[binding as usize].value;
                        let is_group = |reader: &Self, value: ExpressionId| {
                            reader
                                .values
                                .call(file, value)
                                .is_some_and(|call| call.object.is_some() && GROUPS.contains(&call.name))
                        };
                        match value.filter(|value| is_group(self, *value)) {
                            Some(value) => self.identity(file, value, depth + 1),
                            None => Some(RouterIdentity::Binding(binding)),
                        }
                    }
                    None => self.values.global_symbols(file, *name).first().copied().map(RouterIdentity::Symbol),
                }
            }
            Expression::Call { .. } => {
                let object = self.values.call(file, router)?.object?;
                self.identity(file, object, depth + 1)
            }
            _ => None,
        }
    }
}
