//! Fields of messages: those that a constructor sets, and those that accessors read and write.

use std::collections::BTreeMap;

use graph::{FileIdx, Node};
use model::{
    Import, Language, ReferenceKind,
    code::{DefinitionId, Expression, ExpressionId, NameId, Site},
};
use rustc_hash::FxHashMap;

use super::{
    RpcUse, flow, messages,
    service_name::{self, ServiceName},
};
use crate::contracts::{
    enclosing::{node_around, node_of},
    values::{ValueReader, keyword_arguments},
};

/// Beginnings of the names of accessors.
const ACCESSORS: [&str; 6] = ["get", "set", "has", "add", "clear", "Get"];

/// Returns the uses of fields in a file. `rpcs` are its other uses: their packages have the messages too.
pub(super) fn uses(values: &mut ValueReader<'_, '_>, file: FileIdx, rpcs: &[RpcUse]) -> Vec<RpcUse> {
    let imports = messages::imports_of_messages(values.program(), file, rpcs);
    if imports.is_empty() {
        return Vec::new();
    }
    let mut reader = FieldReader { values, file, imports };
    let sites = &reader.values.code(file).sites;
    let mut found: Vec<RpcUse> = sites.iter().flat_map(|site| reader.of_site(site)).collect();
    found.extend(reader.of_literals());
    found
}

/// A message of generated code.
struct NamedMessage {
    /// The module that it is imported from.
    module: String,
    name: String,
}

struct FieldReader<'r, 'c, 'p> {
    values: &'r mut ValueReader<'c, 'p>,
    file: FileIdx,
    /// Imports of generated code, by local name.
    imports: FxHashMap<&'p str, (usize, &'p Import)>,
}

impl<'p> FieldReader<'_, '_, 'p> {
    fn of_site(&mut self, site: &Site) -> Vec<RpcUse> {
        let code = self.values.code(self.file);
        let fields = |names: &[(NameId, ExpressionId)]| -> Vec<String> {
            names.iter().map(|(name, _)| code.name(*name).to_owned()).filter(|name| !name.is_empty()).collect()
        };
        let (message, fields) = match code.expression(site.expression) {
            Expression::Make { made, arguments } => {
                let Some(Expression::Object(set)) = arguments.last().map(|last| code.expression(*last)) else {
                    return Vec::new();
                };
                let path = flow::type_path(code, *made).unwrap_or_default();
                (self.message_of_path(&path), fields(set))
            }
            Expression::Call { callee, arguments, .. } => {
                match arguments.iter().find_map(|one| keyword_arguments(code, *one)) {
                    Some(set) => (self.message_of_path(&flow::path_of(code, *callee).unwrap_or_default()), fields(set)),
                    None => match arguments[..] {
                        // `create(QuerySchema, {id: 1})` of protobuf-es.
                        [schema, set] if matches!(code.expression(set), Expression::Object(_)) => {
                            let Expression::Object(set) = code.expression(set) else { return Vec::new() };
                            let path = flow::path_of(code, schema).unwrap_or_default();
                            let is_schema = path.last().is_some_and(|last| last.ends_with("Schema"));
                            (self.message_of_path(&path).filter(|_| is_schema), fields(set))
                        }
                        _ => self.accessor(*callee),
                    },
                }
            }
            _ => return Vec::new(),
        };
        let Some(message) = message else { return Vec::new() };
        let node = node_around(self.values.program(), self.file, site.scope);
        field_uses(&message, fields, node, site.line)
    }

    /// Returns the fields in literals of Go and Rust (`pb.Query{UserId: "1"}`), which are no calls: their lines are those of the
    /// references to their type, in the same order.
    fn of_literals(&self) -> Vec<RpcUse> {
        let (program, code) = (self.values.program(), self.values.code(self.file));
        if !matches!(program.language(self.file), Language::Go | Language::Rust) {
            return Vec::new();
        }
        let mut literals: BTreeMap<Vec<&str>, Vec<Vec<String>>> = BTreeMap::new();
        for expression in &code.expressions {
            let Expression::Make { made, arguments } = expression else { continue };
            let Some(path) = flow::type_path(code, *made) else { continue };
            let set = match arguments.last().map(|last| code.expression(*last)) {
                Some(Expression::Object(set)) => set.iter().map(|(name, _)| code.name(*name).to_owned()).collect(),
                _ => Vec::new(),
            };
            literals.entry(path).or_default().push(set);
        }
        let mut found = Vec::new();
        for (path, sets) in literals {
            let Some(message) = self.message_of_path(&path) else { continue };
            let references = program.facts(self.file).references.iter().filter(|reference| {
                let receiver = reference.receiver.split(['.', ':']).filter(|part| !part.is_empty());
                reference.kind == ReferenceKind::Construct
                    && receiver.chain([reference.name.as_str()]).eq(path.iter().copied())
            });
            let references: Vec<_> = references.collect();
            if references.len() != sets.len() {
                continue;
            }
            for (reference, set) in references.into_iter().zip(sets) {
                let node = node_of(program, self.file, reference.enclosing.map(DefinitionId));
                found.extend(field_uses(&message, set, node, reference.line));
            }
        }
        found
    }

    /// Returns the message and the field of an accessor: `query.GetUserId()`, `Query.newBuilder().setUserId(1)`.
    fn accessor(&mut self, callee: ExpressionId) -> (Option<NamedMessage>, Vec<String>) {
        let code = self.values.code(self.file);
        let Some((object, name)) = flow::member_of(code, callee) else { return (None, Vec::new()) };
        let field = ACCESSORS.iter().find_map(|start| {
            name.strip_prefix(start).filter(|field| field.starts_with(|c: char| c.is_ascii_uppercase()))
        });
        let Some(field) = field else { return (None, Vec::new()) };
        let mut fields = vec![field.to_owned()];
        // Repeated fields have accessors of the list.
        let is_list = |end: &str| field.strip_suffix(end).filter(|shorter| !shorter.is_empty()).map(str::to_owned);
        fields.extend(is_list("List").or_else(|| is_list("Map")));
        let message = self.values.origin(self.file, object).and_then(|origin| self.message_of_origin(&origin.path));
        (message, fields)
    }

    /// Returns the message that a path of names means: `pb.Query`, `shop_pb2.Query`, `QuerySchema`.
    fn message_of_path(&self, path: &[&str]) -> Option<NamedMessage> {
        let (_, import) = self.imports.get(path.first()?.trim_start_matches('&'))?;
        let name = path.iter().rev().find(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))?;
        let name = name.strip_suffix("Schema").filter(|name| !name.is_empty()).unwrap_or(name);
        Some(NamedMessage { module: import.module.clone(), name: name.to_owned() })
    }

    /// Returns the message of the origin of a value: `m.org/gen/shop.Query()`, `./pb.Query()`, `Query.newBuilder().setId()`.
    fn message_of_origin(&self, origin: &str) -> Option<NamedMessage> {
        // `./` precedes a name of the repository, and a relative module.
        let own = origin.trim_start_matches("./");
        let has_packages = matches!(
            self.values.program().language(self.file),
            Language::Java | Language::Kotlin | Language::Scala | Language::CSharp
        );
        let message = |import: &Import, rest: &str| {
            let name = rest.split(['.', '(']).find(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))?;
            Some(NamedMessage { module: import.module.clone(), name: name.to_owned() })
        };
        if has_packages {
            let (_, import) = self.imports.get(own.split(['.', '(']).next()?)?;
            return message(import, own);
        }
        self.imports.iter().find_map(|(local, (_, import))| {
            let rest = origin.strip_prefix(import.module.as_str()).or_else(|| own.strip_prefix(local))?;
            let is_whole = rest.starts_with(['.', '(']);
            // An imported type is named by its module or by itself.
            let rest = if import.name.is_empty() || rest.starts_with('.') { rest } else { local };
            is_whole.then(|| message(import, rest.trim_start_matches('.')))?
        })
    }
}

fn field_uses(message: &NamedMessage, fields: Vec<String>, node: Node, line: u32) -> Vec<RpcUse> {
    let hint = service_name::join_hints(std::slice::from_ref(&message.module));
    let use_of = |field: String| RpcUse {
        service: ServiceName::hinted(hint.clone(), &format!("{}.{field}", message.name), true),
        method: String::new(),
        address: String::new(),
        node,
        line,
        serves: false,
    };
    fields.into_iter().filter(|field| !field.is_empty()).map(use_of).collect()
}
