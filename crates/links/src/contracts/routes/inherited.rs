//! Routes that a controller takes from its interfaces and base classes: `interface CartApi { @Get("/items") … }`,
//! `abstract class Scheduler { @PostMapping("/start") … }`.

use graph::{FileIdx, Node, SymbolIdx};
use model::{Language, SymbolKind, code::ScopeId};

use rustc_hash::FxHashMap;

use super::{
    Registration, RouteHandler, RouteReader,
    decorated::{verb_of, with_class},
};
use crate::contracts::decorations::{DecorationCall, decorations_of};

/// Decorations of a class whose routes may stand on an interface or a base class.
const CONTROLLERS: [&str; 6] = ["Controller", "RestController", "RequestMapping", "Path", "ApiController", "Route"];

/// Maximum number of base classes above a controller.
const MAX_BASES: u32 = 4;

/// A decorated method of an interface or a base class.
struct InheritedRoute<'p> {
    declared: SymbolIdx,
    /// The method of a nearer base that overrides it.
    overridden_by: Option<SymbolIdx>,
    call: DecorationCall<'p>,
}

impl<'p> RouteReader<'_, '_, 'p> {
    /// Returns the registrations of the controllers of a file whose routes stand on an interface or a base class.
    pub(super) fn inherited(&mut self, file: FileIdx) -> Vec<Registration> {
        let program = self.values.program();
        let language = program.language(file);
        if !has_inherited_routes(language) {
            return Vec::new();
        }
        let mut found: Vec<Registration> = Vec::new();
        let mut seen: Vec<SymbolIdx> = Vec::new();
        for decoration in &self.values.code(file).decorations {
            let class = program.symbol(file, decoration.definition);
            if program.definition(class).kind != SymbolKind::Class
                || seen.contains(&class)
                || !self.is_controller(class)
            {
                continue;
            }
            seen.push(class);
            let inherited = self.inherited_routes(class);
            if inherited.is_empty() {
                continue;
            }
            let of_class: Vec<SymbolIdx> =
                program.symbols_of(file).filter(|member| program.parent(*member) == Some(class)).collect();
            let paths_of_class = self.class_paths(class);
            for InheritedRoute { declared, overridden_by, call } in inherited {
                let own = of_class.iter().copied().find(|own| self.method_key(*own) == self.method_key(declared));
                // The decorations of TypeScript are those of one method.
                if own.is_some() && language == Language::TypeScript {
                    continue;
                }
                let near = overridden_by.unwrap_or(declared);
                // A method of an interface without a body has no other handler.
                let Some(handling) = own.or(program.shape(near).body.map(|_| near)) else { continue };
                let has_own_route = own.is_some_and(|own| {
                    decorations_of(self.values, own).iter().any(|one| verb_of(one.name, language).is_some())
                });
                let Some((methods, paths)) = self.route_of(declared, &call).filter(|_| !has_own_route) else {
                    continue;
                };
                let handler = RouteHandler { node: Some(Node::Symbol(handling)), is_inline: false };
                let line = program.definition(own.unwrap_or(class)).name_line;
                let of_paths = paths_of_class.iter().flat_map(|class| paths.iter().map(|path| with_class(class, path)));
                let of_paths: Vec<String> = of_paths.collect();
                found.extend(of_paths.into_iter().map(|path| Registration {
                    methods: methods.clone(),
                    path: self.with_action(&path, Some(class), handling),
                    handler,
                    router: None,
                    call: decoration.expression,
                    scope: program.shape(handling).body.unwrap_or(ScopeId(0)),
                    line,
                }));
            }
        }
        found
    }

    /// Returns true for a class whose routes are those of its subclasses: an abstract one that is no controller itself, and that a
    /// controller extends.
    pub(super) fn is_base_of_controllers(&mut self, class: SymbolIdx) -> bool {
        let program = self.values.program();
        let is_base = has_inherited_routes(program.language(program.file_of(class)))
            && program.definition(class).kind == SymbolKind::Class
            && program.definition(class).signature.split_whitespace().any(|word| word == "abstract")
            && !self.is_controller(class);
        if !is_base {
            return false;
        }
        if let Some(known) = self.extended.get(&class) {
            return *known;
        }
        let is_extended = self.is_extended_by_controller(class);
        self.extended.insert(class, is_extended);
        is_extended
    }

    fn is_extended_by_controller(&mut self, class: SymbolIdx) -> bool {
        let program = self.values.program();
        let language = program.language(program.file_of(class));
        for file in program.file_indices().filter(|file| program.language(*file) == language) {
            let mut decorated: Vec<SymbolIdx> = Vec::new();
            for decoration in &program.code(file).decorations {
                decorated.push(program.symbol(file, decoration.definition));
            }
            decorated.dedup();
            decorated.retain(|one| program.definition(*one).kind == SymbolKind::Class && self.is_controller(*one));
            for controller in decorated {
                let mut bases = vec![controller];
                for _ in 0..MAX_BASES {
                    bases = bases.into_iter().flat_map(|base| self.values.base_types(base)).collect();
                    if bases.contains(&class) {
                        self.values.cx.consult(file);
                        return true;
                    }
                }
            }
        }
        false
    }

    fn is_controller(&self, class: SymbolIdx) -> bool {
        decorations_of(self.values, class).iter().any(|call| CONTROLLERS.contains(&call.name))
    }

    /// Returns the name of a method with the number of its parameters: an overload overrides no other one. TypeScript has none.
    fn method_key(&self, method: SymbolIdx) -> (&'p str, usize) {
        let program = self.values.program();
        let is_script = program.language(program.file_of(method)) == Language::TypeScript;
        let n_parameters = if is_script { 0 } else { program.shape(method).parameters.len() };
        (&program.definition(method).name, n_parameters)
    }

    /// Returns the methods of the interfaces and base classes of a class with their decorations, the nearest ones first. A method
    /// whose override has a route of its own has none.
    fn inherited_routes(&mut self, class: SymbolIdx) -> Vec<InheritedRoute<'p>> {
        let program = self.values.program();
        let language = program.language(program.file_of(class));
        // The nearest method of each name, and true if it has a route.
        let mut nearer: FxHashMap<(&'p str, usize), (SymbolIdx, bool)> = FxHashMap::default();
        let mut found = Vec::new();
        let mut bases = self.values.base_types(class);
        for _ in 0..MAX_BASES {
            let mut next = Vec::new();
            let mut of_level = Vec::new();
            for base in bases {
                // Interfaces of C# give no attributes, and may be clients.
                if language == Language::CSharp && program.definition(base).kind != SymbolKind::Class {
                    continue;
                }
                let home = program.file_of(base);
                self.values.cx.consult(home);
                if program.definition(base).kind == SymbolKind::Class {
                    next.extend(self.values.base_types(base));
                }
                for member in program.symbols_of(home).filter(|member| program.parent(*member) == Some(base)) {
                    let key = self.method_key(member);
                    let calls = decorations_of(self.values, member);
                    let has_route = calls.iter().any(|call| verb_of(call.name, language).is_some());
                    of_level.push((key, (member, has_route)));
                    let overridden_by = nearer.get(&key);
                    if overridden_by.is_some_and(|(_, has_route)| *has_route || language == Language::TypeScript) {
                        continue;
                    }
                    let overridden_by = overridden_by.map(|(method, _)| *method);
                    found.extend(calls.into_iter().map(|call| InheritedRoute {
                        declared: member,
                        overridden_by,
                        call,
                    }));
                }
            }
            for (key, of_key) in of_level {
                let known = nearer.entry(key).or_insert(of_key);
                known.1 |= of_key.1;
            }
            bases = next;
        }
        found
    }
}

fn has_inherited_routes(language: Language) -> bool {
    use Language::*;
    matches!(language, Java | Kotlin | CSharp | TypeScript)
}

#[cfg(test)]
mod tests {
    use crate::testing::contracts;

    #[test]
    fn controllers_have_the_routes_of_their_bases() {
        for (path, code, expected) in [
            (
                "A.java",
                "abstract class Base { @PostMapping(\"/start\") public void start() {} }\n@RestController @RequestMapping(\"/jobs\") class Jobs extends Base { }",
                &["POST /jobs/start -> A.java::Base.start"][..],
            ),
            (
                "A.java",
                "abstract class Base { @PostMapping(\"/start\") public void start() {} }\n@RestController @RequestMapping(\"/jobs\") class Jobs extends Base { @Override public void start() {} }",
                &["POST /jobs/start -> A.java::Jobs.start"],
            ),
            (
                "A.cs",
                "public abstract class Base { [HttpGet(\"all\")] public void All() {} }\n[Route(\"api/[controller]\")]\npublic class ItemsController : Base { }",
                &["GET /api/items/all -> A.cs::Base.All"],
            ),
            (
                "a.ts",
                "abstract class Base { @Get('all') all() {} }\n@Controller('items')\nexport class Items extends Base { }",
                &["GET /items/all -> a.ts::Base.all"],
            ),
            // The nearest override has the route, and an overload is none.
            (
                "A.java",
                "abstract class Root { @PostMapping(\"/old\") public void start() {} }\nabstract class Base extends Root { @PostMapping(\"/start\") public void start() {} }\n@RestController @RequestMapping(\"/jobs\") class Jobs extends Base { }",
                &["POST /jobs/start -> A.java::Base.start"],
            ),
            (
                "A.java",
                "abstract class Base { @PostMapping(\"/start\") public void start() {} }\n@RestController @RequestMapping(\"/jobs\") class Jobs extends Base { public void start(int id) {} }",
                &["POST /jobs/start -> A.java::Base.start"],
            ),
            // Near misses: decorations and attributes that are not inherited, a base without controllers, and a class that is no
            // controller.
            (
                "a.ts",
                "abstract class Base { @Get('all') all() {} }\n@Controller('items')\nexport class Items extends Base { all() {} }",
                &[],
            ),
            (
                "A.cs",
                "public interface IItems { [HttpGet(\"all\")] void All(); }\n[Route(\"api/[controller]\")]\npublic class ItemsController : IItems { public void All() {} }",
                &[],
            ),
            (
                "A.java",
                "abstract class Base { @PostMapping(\"/start\") public void start() {} }",
                &["POST /start -> A.java::Base.start"],
            ),
            (
                "A.java",
                "abstract class Base { @PostMapping(\"/start\") public void start() {} }\nclass Jobs extends Base { }",
                &["POST /start -> A.java::Base.start"],
            ),
            (
                "A.java",
                "@RestController abstract class Base { @PostMapping(\"/start\") public void start() {} }",
                &["POST /start -> A.java::Base.start"],
            ),
        ] {
            let lines = contracts(&format!("//- /{path}\n{code}")).into_iter();
            let found: Vec<String> = lines.filter_map(|line| Some(line.strip_prefix("/ ")?.to_owned())).collect();
            assert_eq!(found, expected, "{code}");
        }
    }
}
