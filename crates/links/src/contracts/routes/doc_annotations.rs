//! Routes by annotations in the documentation of classes and methods of PHP: `@Route("/items/{id}", methods={"PUT"})`, `@Get("/items")`.

use graph::{FileIdx, Node, SymbolIdx};
use model::{
    Language, SymbolKind,
    code::{ExpressionId, ScopeId},
};

use super::{Registration, RouteHandler, RouteReader, calls::or_any, joined};
use crate::contracts::requests::methods;

/// An annotation of a route.
#[derive(Debug, PartialEq)]
struct RouteAnnotation<'t> {
    /// Empty if the annotation names none.
    methods: Vec<String>,
    path: &'t str,
}

impl RouteReader<'_, '_, '_> {
    /// Returns the registrations of the annotated methods of a file.
    pub(super) fn annotated_in_docs(&self, file: FileIdx) -> Vec<Registration> {
        let program = self.values.program();
        if program.language(file) != Language::Php {
            return Vec::new();
        }
        let methods = program.symbols_of(file).filter(|symbol| {
            program.definition(*symbol).kind == SymbolKind::Method && program.definition(*symbol).doc.contains('@')
        });
        methods.flat_map(|method| self.annotated_method(file, method)).collect()
    }

    fn annotated_method(&self, file: FileIdx, method: SymbolIdx) -> Vec<Registration> {
        let program = self.values.program();
        let of_class = program.parent(method).map_or("", |class| program.definition(class).doc.as_str());
        let base = annotations(of_class).into_iter().next().map_or("", |annotation| annotation.path);
        let found = annotations(&program.definition(method).doc).into_iter().map(|annotation| Registration {
            methods: or_any(annotation.methods),
            path: joined(base, annotation.path),
            handler: RouteHandler { node: Some(Node::Symbol(method)), is_inline: false },
            router: None,
            // No expression makes the route.
            call: ExpressionId(u32::MAX),
            scope: program.shape(method).body.unwrap_or(ScopeId(0)),
            line: program.definition(method).name_line,
        });
        found.filter(|one| program.file_of(method) == file && one.path.starts_with('/')).collect()
    }
}

/// Returns the annotations of routes in a documentation.
fn annotations(doc: &str) -> Vec<RouteAnnotation<'_>> {
    let starts = doc.match_indices('@').filter_map(|(at, _)| {
        let rest = &doc[at + 1..];
        let (name, arguments) = rest.split_once('(')?;
        let name = name.rsplit('\\').next()?;
        let verb = if name == "Route" { None } else { Some(methods::of_name(name)?) };
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '\\';
        rest[..rest.len() - arguments.len() - 1].chars().all(is_name).then_some((verb, arguments))
    });
    starts.filter_map(|(verb, arguments)| annotation(verb, arguments)).collect()
}

fn annotation(verb: Option<String>, arguments: &str) -> Option<RouteAnnotation<'_>> {
    let mut depth = 1usize;
    let mut in_text = false;
    let end = arguments.char_indices().find_map(|(at, c)| {
        match c {
            '"' => in_text = !in_text,
            '(' if !in_text => depth += 1,
            ')' if !in_text => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let arguments = &arguments[..end];
    let after = |name: &str| {
        let rest = arguments.split_once(name)?.1.trim_start();
        rest.strip_prefix('=').map(str::trim_start)
    };
    let first = Some(arguments.trim_start()).filter(|first| first.starts_with('"'));
    let path = first.or_else(|| after("path")).and_then(|rest| rest.strip_prefix('"')?.split('"').next())?;
    let listed = after("methods").map_or("", |rest| rest.split(['}', ')']).next().unwrap_or_default());
    let stated = listed.split('"').filter_map(methods::of_name);
    Some(RouteAnnotation { methods: verb.into_iter().chain(stated).collect(), path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_have_a_path_and_methods() {
        for (doc, expected) in [
            ("@Route(\"/items\")", Some((&[][..], "/items"))),
            (
                "Stores.\n@Route(path=\"/items/{id}\", methods={\"PUT\", \"POST\"})",
                Some((&["PUT", "POST"], "/items/{id}")),
            ),
            ("@Rest\\Get(\"/items\", name=\"a(b)\")", Some((&["GET"], "/items"))),
            ("@param string $path (\"/items\")", None),
            ("@Route(name=\"items\")", None),
            ("@Routed(\"/items\")", None),
        ] {
            let found = annotations(doc).into_iter().next().map(|one| (one.methods, one.path));
            let expected =
                expected.map(|(methods, path)| (methods.iter().map(|one| (*one).to_owned()).collect(), path));
            assert_eq!(found, expected, "{doc}");
        }
    }
}
