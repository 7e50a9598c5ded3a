//! Routes that a controller takes from its interfaces and base classes: `interface CartApi { @Get("/items") … }`,
//! `abstract class Scheduler { @PostMapping("/start") … }`.

use graph::{FileIdx, Node, SymbolIdx};
use model::{Language, SymbolKind, code::ScopeId};

use super::{
    Registration, RouteHandler, RouteReader,
    decorated::{verb_of, with_class},
};
use crate::contracts::decorations::{DecorationCall, decorations_of};

/// Decorations of a class whose routes may stand on an interface or a base class.
const CONTROLLERS: [&str; 6] = ["Controller", "RestController", "RequestMapping", "Path", "ApiController", "Route"];

/// Maximum number of base classes above a controller.
const MAX_BASES: u32 = 4;

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
            for (declared, call) in inherited {
                let name = &program.definition(declared).name;
                let own = of_class.iter().copied().find(|own| program.definition(*own).name == *name);
                // A method of an interface without a body has no other handler.
                let Some(handling) = own.or(program.shape(declared).body.map(|_| declared)) else { continue };
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

    /// Returns true for a class whose routes are those of its subclasses: an abstract one that is no controller itself.
    pub(super) fn is_base_of_controllers(&self, class: SymbolIdx) -> bool {
        let program = self.values.program();
        has_inherited_routes(program.language(program.file_of(class)))
            && program.definition(class).kind == SymbolKind::Class
            && program.definition(class).signature.split_whitespace().any(|word| word == "abstract")
            && !self.is_controller(class)
    }

    fn is_controller(&self, class: SymbolIdx) -> bool {
        decorations_of(self.values, class).iter().any(|call| CONTROLLERS.contains(&call.name))
    }

    /// Returns the methods of the interfaces and base classes of a class with their decorations, the nearest ones first.
    fn inherited_routes(&mut self, class: SymbolIdx) -> Vec<(SymbolIdx, DecorationCall<'p>)> {
        let program = self.values.program();
        let mut found = Vec::new();
        let mut bases = self.values.base_types(class);
        for _ in 0..MAX_BASES {
            let mut next = Vec::new();
            for base in bases {
                let home = program.file_of(base);
                self.values.cx.consult(home);
                if program.definition(base).kind == SymbolKind::Class {
                    next.extend(self.values.base_types(base));
                }
                for member in program.symbols_of(home).filter(|member| program.parent(*member) == Some(base)) {
                    found.extend(decorations_of(self.values, member).into_iter().map(|call| (member, call)));
                }
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
            // Near misses: a base without controllers, and a class that is no controller.
            ("A.java", "abstract class Base { @PostMapping(\"/start\") public void start() {} }", &[]),
            (
                "A.java",
                "abstract class Base { @PostMapping(\"/start\") public void start() {} }\nclass Jobs extends Base { }",
                &[],
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
