//! Modules of Nest that register a client for the services in their folders: `HttpModule.register({ baseURL: "http://cart" })`.

use graph::FileIdx;

use super::RequestReader;

impl RequestReader<'_, '_, '_> {
    /// Returns true if several modules in the nearest folder with modules register a client: a service may be of each of them.
    pub(super) fn has_several_nest_clients(&self, file: FileIdx) -> bool {
        let program = self.values.program();
        let own = folder(program.path(file));
        let modules = program.file_indices().filter(|module| {
            let path = program.path(*module);
            path.ends_with(".module.ts") && own.starts_with(folder(path))
        });
        let modules: Vec<FileIdx> = modules.collect();
        let nearest = modules.iter().map(|module| folder(program.path(*module)).len()).max();
        let of_nearest = modules.iter().filter(|module| Some(folder(program.path(**module)).len()) == nearest);
        of_nearest.filter(|module| self.registers_client(**module)).nth(1).is_some()
    }

    fn registers_client(&self, module: FileIdx) -> bool {
        let sites = self.values.code(module).sites.iter();
        sites.filter_map(|site| self.values.call(module, site.expression)).any(|call| {
            let object = call.object.and_then(|object| self.values.dotted(module, object));
            matches!(call.name, "register" | "registerAsync") && object.is_some_and(|name| name == "HttpModule")
        })
    }
}

/// Returns the folder of a file, with a slash behind it; empty for the root.
fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..=end])
}
