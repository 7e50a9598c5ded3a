//! Types as they are written.

use model::code::{Literal, NameId, TypeExpression, TypeId};

use super::{Ecmascript, Place};
use crate::node::Node;

/// How deep a path of names is read.
const MAX_PATH: usize = 16;

impl Ecmascript<'_, '_> {
    /// Lowers what stands after a colon: a type, or what a function says of its argument.
    pub(super) fn annotation(&mut self, node: Node<'_>, at: Place) -> Option<TypeId> {
        let inner = node.named_child(0)?;
        Some(self.written(inner, at))
    }

    /// Lowers a type.
    pub(super) fn written(&mut self, node: Node<'_>, at: Place) -> TypeId {
        self.deeper(|code| code.written_here(node, at)).unwrap_or(TypeId(0))
    }

    fn written_here(&mut self, node: Node<'_>, at: Place) -> TypeId {
        let written = match node.kind() {
            "type_identifier" | "identifier" | "nested_type_identifier" | "nested_identifier" | "predefined_type" => {
                self.named(node, Box::default(), at)
            }
            "generic_type" => {
                let arguments = self.type_arguments(node, at);
                match node.child_by_field_name("name") {
                    Some(name) => self.named(name, arguments, at),
                    None => TypeExpression::Unknown,
                }
            }
            "union_type" => TypeExpression::Union(self.parts(node, "union_type", at)),
            "intersection_type" => TypeExpression::Intersection(self.parts(node, "intersection_type", at)),
            "array_type" => match node.named_child(0) {
                Some(item) => TypeExpression::List(self.written(item, at)),
                None => TypeExpression::Unknown,
            },
            "parenthesized_type" | "readonly_type" | "optional_type" | "rest_type" => {
                return node.named_child(0).map_or(TypeId(0), |inner| self.written(inner, at));
            }
            "tuple_type" => {
                let mut parts = Vec::new();
                let mut cursor = node.walk();
                for part in node.named_children(&mut cursor) {
                    let annotation = part.child_by_field_name("type");
                    parts.push(match annotation {
                        Some(annotation) => self.annotation(annotation, at).unwrap_or(TypeId(0)),
                        None => self.written(part, at),
                    });
                }
                TypeExpression::Tuple(parts.into_boxed_slice())
            }
            "function_type" => return self.function_type(node, "return_type", at),
            "constructor_type" => {
                let made = self.function_type(node, "type", at);
                let name = self.lowering.name("new");
                TypeExpression::Object(Box::new([(name, made)]))
            }
            "object_type" | "interface_body" => return self.object_type(node, at),
            "this_type" | "this" => TypeExpression::This { scope: at.this },
            "type_query" => match node.named_child(0) {
                Some(value) => {
                    let value = self.expression(value, at);
                    TypeExpression::Of(value)
                }
                None => TypeExpression::Unknown,
            },
            "lookup_type" => return self.lookup(node, at),
            "conditional_type" => {
                let mut both = Vec::new();
                for field in ["consequence", "alternative"] {
                    if let Some(one) = node.child_by_field_name(field) {
                        both.push(self.written(one, at));
                    }
                }
                TypeExpression::Union(both.into_boxed_slice())
            }
            "literal_type" => return self.literal_type(node),
            "template_literal_type" => TypeExpression::Literal(Literal::Text(None)),
            "type_predicate" => match node.child_by_field_name("type") {
                Some(told) => self.predicate("is", told, at),
                None => TypeExpression::Unknown,
            },
            "asserts" => match node.named_child(0).and_then(|told| told.child_by_field_name("type")) {
                Some(told) => self.predicate("asserts", told, at),
                None => TypeExpression::Unknown,
            },
            _ => TypeExpression::Unknown,
        };
        self.lowering.written(written)
    }

    /// What a function says of its argument: `is<A>`, `asserts<A>`.
    fn predicate(&mut self, how: &str, told: Node<'_>, at: Place) -> TypeExpression {
        let told = self.written(told, at);
        let path = Box::new([self.lowering.name(how)]);
        TypeExpression::Named { path, arguments: Box::new([told]), scope: at.block }
    }

    fn named(&mut self, node: Node<'_>, arguments: Box<[TypeId]>, at: Place) -> TypeExpression {
        match self.path_of(node) {
            Some(path) => TypeExpression::Named { path, arguments, scope: at.block },
            None => TypeExpression::Unknown,
        }
    }

    /// Returns the names of `a.b.c`, of types and of values; nothing for what is no such path.
    pub(super) fn path_of(&mut self, node: Node<'_>) -> Option<Box<[NameId]>> {
        let mut names = Vec::new();
        let mut at = node;
        for _ in 0..MAX_PATH {
            let (outer, name) = match at.kind() {
                "identifier" | "type_identifier" | "predefined_type" => {
                    names.push(self.lowering.name_of(at));
                    names.reverse();
                    return Some(names.into_boxed_slice());
                }
                "nested_type_identifier" => (at.child_by_field_name("module"), at.child_by_field_name("name")),
                "nested_identifier" | "member_expression" => {
                    (at.child_by_field_name("object"), at.child_by_field_name("property"))
                }
                _ => return None,
            };
            names.push(self.lowering.name_of(name?));
            at = outer?;
        }
        None
    }

    pub(super) fn type_arguments(&mut self, node: Node<'_>, at: Place) -> Box<[TypeId]> {
        let Some(list) = node.child_by_field_name("type_arguments") else { return Box::default() };
        let mut arguments = Vec::new();
        let mut cursor = list.walk();
        for argument in list.named_children(&mut cursor).filter(|argument| argument.kind() != "comment") {
            arguments.push(self.written(argument, at));
        }
        arguments.into_boxed_slice()
    }

    /// Collects the parts of a union or an intersection, which nest to the left; what says that a value may be absent goes.
    fn parts(&mut self, node: Node<'_>, kind: &str, at: Place) -> Box<[TypeId]> {
        let mut nodes = Vec::new();
        let mut chain = node;
        loop {
            let mut cursor = chain.walk();
            let children: Vec<Node> =
                chain.named_children(&mut cursor).filter(|part| part.kind() != "comment").collect();
            let first = children.first().copied();
            nodes.extend(children.into_iter().skip(1).rev());
            match first {
                Some(first) if first.kind() == kind => chain = first,
                Some(first) => {
                    nodes.push(first);
                    break;
                }
                None => break,
            }
        }
        nodes.reverse();
        nodes.retain(|part| !self.is_absent(*part));
        nodes.into_iter().map(|part| self.written(part, at)).collect()
    }

    fn is_absent(&self, node: Node<'_>) -> bool {
        let is_word = matches!(node.kind(), "literal_type" | "predefined_type" | "undefined" | "null");
        is_word && matches!(self.lowering.text(node), "null" | "undefined" | "void" | "never")
    }

    pub(super) fn function_type(&mut self, node: Node<'_>, result: &str, at: Place) -> TypeId {
        let parameters = self.parameter_types(node, at);
        let result = node.child_by_field_name(result).map(|result| match result.kind() {
            "type_annotation" | "type_predicate_annotation" | "asserts_annotation" => {
                self.annotation(result, at).unwrap_or(TypeId(0))
            }
            _ => self.written(result, at),
        });
        self.lowering.written(TypeExpression::Function { parameters, result })
    }

    fn object_type(&mut self, node: Node<'_>, at: Place) -> TypeId {
        if let Some(signature) = node.named_child(0).filter(|only| only.kind() == "index_signature") {
            let mut cursor = signature.walk();
            let clause = signature.named_children(&mut cursor).find(|child| child.kind() == "mapped_type_clause");
            if let Some(clause) = clause {
                return self.mapped(signature, clause, at);
            }
        }
        let members = self.type_members(node, at);
        self.lowering.written(TypeExpression::Object(members.into_boxed_slice()))
    }

    /// `{ [K in keyof A]: … }` and `{ [K in B]: A[K] }` have members of `A`, whatever is made of them; other mapped types
    /// are maps.
    fn mapped(&mut self, signature: Node<'_>, clause: Node<'_>, at: Place) -> TypeId {
        let keys = clause.child_by_field_name("type");
        let value = signature.child_by_field_name("type").and_then(|annotation| annotation.named_child(0));
        let (Some(keys), Some(value)) = (keys, value) else { return TypeId(0) };
        let of = match (keys.kind(), value.kind()) {
            ("index_type_query", _) => keys.named_child(0),
            (_, "lookup_type") => value.named_child(0),
            _ => None,
        };
        if let Some(of) = of {
            return self.written(of, at);
        }
        let value = self.written(value, at);
        self.lowering.written(TypeExpression::Map { key: TypeId(0), value })
    }

    /// `A["b"]`; any other index stands for one of the values, named `[]`.
    fn lookup(&mut self, node: Node<'_>, at: Place) -> TypeId {
        let (Some(of), Some(key)) = (node.named_child(0), node.named_child(1)) else { return TypeId(0) };
        let of = self.written(of, at);
        let name = match key.named_child(0) {
            Some(text) if key.kind() == "literal_type" && text.kind() == "string" => self.property_name(text),
            _ => self.lowering.name("[]"),
        };
        self.lowering.written(TypeExpression::Member { of, name })
    }

    fn literal_type(&mut self, node: Node<'_>) -> TypeId {
        let literal = match node.named_child(0).map(|inner| inner.kind()) {
            Some("string") => {
                let text = node.named_child(0).map(|inner| self.lowering.text(inner)).unwrap_or_default();
                let name = self.lowering.name(text.trim_matches(['"', '\'']));
                Literal::Text(Some(name))
            }
            Some("number" | "unary_expression") => Literal::Integer,
            Some("true" | "false") => Literal::Boolean,
            _ => Literal::Null,
        };
        self.lowering.written(TypeExpression::Literal(literal))
    }
}
