//! Modules of Nest that give a client its base: `HttpModule.register({ baseURL: "http://cart" })` serves the `HttpService` of its folder.

use graph::FileIdx;
use model::code::{Expression, ExpressionId};

use super::RequestReader;
use crate::contracts::{text_value::TextValue, values::CallShape};

/// Clients of Nest.
const CLIENTS: [&str; 2] = ["@nestjs/axios.HttpService()", "@nestjs/common.HttpService()"];

impl<'p> RequestReader<'_, '_, 'p> {
    /// Returns the base that the modules in the nearest folder give to a client; `None` if several of them give one, since a service may be of
    /// each of them.
    pub(super) fn base_of_module(&mut self, file: FileIdx, client: ExpressionId) -> Option<TextValue> {
        let origin = self.values.origin(file, client)?;
        if !CLIENTS.contains(&origin.path.as_str()) {
            return None;
        }
        let modules = self.nearest_modules(file);
        modules.iter().for_each(|module| self.values.cx.consult(*module));
        let registered: Vec<(FileIdx, CallShape<'p>)> =
            modules.into_iter().flat_map(|module| self.registrations(module)).collect();
        let [(module, registered)] = registered[..] else { return None };
        let base = match registered.named(&["baseURL"]) {
            Some(base) => base,
            None => {
                // `registerAsync({ useFactory: () => ({ baseURL }) })`.
                let factory = registered.named(&["useFactory"])?;
                let Expression::Function { results, .. } = self.values.expression(module, factory) else {
                    return None;
                };
                let (home, fields) = self.values.object(module, *results.first()?, 0)?;
                let code = self.values.code(home);
                fields.iter().find(|(name, _)| code.name(*name) == "baseURL").map(|(_, value)| *value)?
            }
        };
        Some(self.values.text(module, base)).filter(|base| !base.is_computed())
    }

    /// Returns the modules in the nearest folder around a file that has any.
    fn nearest_modules(&self, file: FileIdx) -> Vec<FileIdx> {
        let program = self.values.program();
        let own = folder(program.path(file));
        let depth = |module: &FileIdx| folder(program.path(*module)).len();
        let around = program.file_indices().filter(|module| {
            let path = program.path(*module);
            path.ends_with(".module.ts") && own.starts_with(folder(path))
        });
        let around: Vec<FileIdx> = around.collect();
        let nearest = around.iter().map(depth).max();
        around.into_iter().filter(|module| Some(depth(module)) == nearest).collect()
    }

    /// Returns the calls of a module that register a client.
    fn registrations(&self, module: FileIdx) -> Vec<(FileIdx, CallShape<'p>)> {
        let sites = self.values.program().code(module).sites.iter();
        let calls = sites.filter_map(|site| self.values.call(module, site.expression));
        let registers = |call: &CallShape<'p>| {
            let object = call.object.and_then(|object| self.values.dotted(module, object));
            matches!(call.name, "register" | "registerAsync") && object.is_some_and(|name| name == "HttpModule")
        };
        calls.filter(registers).map(|call| (module, call)).collect()
    }
}

/// Returns the folder of a file, with a slash behind it; empty for the root.
fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..=end])
}
