//! Types as they are written.

use model::code::{Literal, NameId, TypeExpression, TypeId};

use super::{EcmascriptLowering, LexicalContext, UNKNOWN_TYPE};
use crate::node::SyntaxNode;

/// Maximum length of a path of names.
const MAX_PATH_NAMES: usize = 16;

impl EcmascriptLowering<'_, '_> {
    /// Lowers the type after a colon, which may be a type predicate.
    pub(super) fn lower_annotation(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> Option<TypeId> {
        let inner = node.named_child(0)?;
        Some(self.lower_type(inner, context))
    }

    /// Lowers a type.
    pub(super) fn lower_type(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> TypeId {
        self.deeper(|lowering| lowering.lower_type_node(node, context)).unwrap_or(UNKNOWN_TYPE)
    }

    fn lower_type_node(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> TypeId {
        let written = match node.kind() {
            "type_identifier" | "identifier" | "nested_type_identifier" | "nested_identifier" | "predefined_type" => {
                self.named_type(node, Box::default(), context)
            }
            "generic_type" => {
                let arguments = self.lower_type_arguments(node, context);
                match node.child_by_field_name("name") {
                    Some(name) => self.named_type(name, arguments, context),
                    None => TypeExpression::Unknown,
                }
            }
            "union_type" => TypeExpression::Union(self.lower_union_parts(node, "union_type", context)),
            "intersection_type" => {
                TypeExpression::Intersection(self.lower_union_parts(node, "intersection_type", context))
            }
            "array_type" => match node.named_child(0) {
                Some(item) => TypeExpression::List(self.lower_type(item, context)),
                None => TypeExpression::Unknown,
            },
            "parenthesized_type" | "readonly_type" | "optional_type" | "rest_type" => {
                return node.named_child(0).map_or(UNKNOWN_TYPE, |inner| self.lower_type(inner, context));
            }
            "tuple_type" => {
                let mut parts = Vec::new();
                let mut cursor = node.walk();
                for part in node.named_children(&mut cursor) {
                    let annotation = part.child_by_field_name("type");
                    parts.push(match annotation {
                        Some(annotation) => self.lower_annotation(annotation, context).unwrap_or(UNKNOWN_TYPE),
                        None => self.lower_type(part, context),
                    });
                }
                TypeExpression::Tuple(parts.into_boxed_slice())
            }
            "function_type" => return self.lower_function_type(node, "return_type", context),
            "constructor_type" => {
                let made = self.lower_function_type(node, "type", context);
                let name = self.out.intern("new");
                TypeExpression::Object(Box::new([(name, made)]))
            }
            "object_type" | "interface_body" => return self.lower_object_type(node, context),
            "this_type" | "this" => TypeExpression::This { scope: context.this },
            "type_query" => match node.named_child(0) {
                Some(value) => {
                    let value = self.lower_expression(value, context);
                    TypeExpression::Of(value)
                }
                None => TypeExpression::Unknown,
            },
            "lookup_type" => return self.lower_lookup_type(node, context),
            "conditional_type" => {
                let mut both = Vec::new();
                for field in ["consequence", "alternative"] {
                    if let Some(one) = node.child_by_field_name(field) {
                        both.push(self.lower_type(one, context));
                    }
                }
                TypeExpression::Union(both.into_boxed_slice())
            }
            "literal_type" => return self.lower_literal_type(node),
            "template_literal_type" => TypeExpression::Literal(Literal::Text(None)),
            "type_predicate" => match node.child_by_field_name("type") {
                Some(predicate) => self.lower_predicate("is", predicate, context),
                None => TypeExpression::Unknown,
            },
            "asserts" => match node.named_child(0).and_then(|predicate| predicate.child_by_field_name("type")) {
                Some(predicate) => self.lower_predicate("asserts", predicate, context),
                None => TypeExpression::Unknown,
            },
            _ => TypeExpression::Unknown,
        };
        self.out.add_type(written)
    }

    /// Lowers a type predicate as `is<A>` or `asserts<A>`.
    fn lower_predicate(&mut self, keyword: &str, predicate: SyntaxNode<'_>, context: LexicalContext) -> TypeExpression {
        let predicate = self.lower_type(predicate, context);
        let path = Box::new([self.out.intern(keyword)]);
        TypeExpression::Named { path, arguments: Box::new([predicate]), scope: context.block }
    }

    fn named_type(
        &mut self,
        node: SyntaxNode<'_>,
        arguments: Box<[TypeId]>,
        context: LexicalContext,
    ) -> TypeExpression {
        match self.intern_path(node) {
            Some(path) => TypeExpression::Named { path, arguments, scope: context.block },
            None => TypeExpression::Unknown,
        }
    }

    /// Returns the names of `a.b.c`, for types and values; `None` for anything else.
    pub(super) fn intern_path(&mut self, node: SyntaxNode<'_>) -> Option<Box<[NameId]>> {
        let mut names = Vec::new();
        let mut at = node;
        for _ in 0..MAX_PATH_NAMES {
            let (outer, name) = match at.kind() {
                "identifier" | "type_identifier" | "predefined_type" => {
                    names.push(self.out.intern_node(at));
                    names.reverse();
                    return Some(names.into_boxed_slice());
                }
                "nested_type_identifier" => (at.child_by_field_name("module"), at.child_by_field_name("name")),
                "nested_identifier" | "member_expression" => {
                    (at.child_by_field_name("object"), at.child_by_field_name("property"))
                }
                _ => return None,
            };
            names.push(self.out.intern_node(name?));
            at = outer?;
        }
        None
    }

    pub(super) fn lower_type_arguments(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> Box<[TypeId]> {
        let Some(list) = node.child_by_field_name("type_arguments") else { return Box::default() };
        let mut arguments = Vec::new();
        let mut cursor = list.walk();
        for argument in list.named_children(&mut cursor).filter(|argument| argument.kind() != "comment") {
            arguments.push(self.lower_type(argument, context));
        }
        arguments.into_boxed_slice()
    }

    /// Lowers the parts of a union or intersection, which nest to the left. Parts that denote an absent value are
    /// dropped.
    fn lower_union_parts(&mut self, node: SyntaxNode<'_>, kind: &str, context: LexicalContext) -> Box<[TypeId]> {
        let mut nodes = Vec::new();
        let mut chain = node;
        loop {
            let mut cursor = chain.walk();
            let children: Vec<SyntaxNode> =
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
        nodes.retain(|part| !self.is_absent_type(*part));
        nodes.into_iter().map(|part| self.lower_type(part, context)).collect()
    }

    fn is_absent_type(&self, node: SyntaxNode<'_>) -> bool {
        let is_word = matches!(node.kind(), "literal_type" | "predefined_type" | "undefined" | "null");
        is_word && matches!(self.out.text(node), "null" | "undefined" | "void" | "never")
    }

    pub(super) fn lower_function_type(
        &mut self,
        node: SyntaxNode<'_>,
        result: &str,
        context: LexicalContext,
    ) -> TypeId {
        let parameters = self.lower_parameter_types(node, context);
        let result = node.child_by_field_name(result).map(|result| match result.kind() {
            "type_annotation" | "type_predicate_annotation" | "asserts_annotation" => {
                self.lower_annotation(result, context).unwrap_or(UNKNOWN_TYPE)
            }
            _ => self.lower_type(result, context),
        });
        self.out.add_type(TypeExpression::Function { parameters, result })
    }

    fn lower_object_type(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> TypeId {
        if let Some(signature) = node.named_child(0).filter(|only| only.kind() == "index_signature") {
            let clause = signature.named_child_of_kind("mapped_type_clause");
            if let Some(clause) = clause {
                return self.lower_mapped_type(signature, clause, context);
            }
        }
        let members = self.lower_type_members(node, context);
        self.out.add_type(TypeExpression::Object(members.into_boxed_slice()))
    }

    /// Lowers a mapped type. `{ [K in keyof A]: … }` and `{ [K in B]: A[K] }` have the members of `A`, whatever their
    /// new types; other mapped types are maps.
    fn lower_mapped_type(
        &mut self,
        signature: SyntaxNode<'_>,
        clause: SyntaxNode<'_>,
        context: LexicalContext,
    ) -> TypeId {
        let keys = clause.child_by_field_name("type");
        let value = signature.child_by_field_name("type").and_then(|annotation| annotation.named_child(0));
        let (Some(keys), Some(value)) = (keys, value) else { return UNKNOWN_TYPE };
        let of = match (keys.kind(), value.kind()) {
            ("index_type_query", _) => keys.named_child(0),
            (_, "lookup_type") => value.named_child(0),
            _ => None,
        };
        if let Some(of) = of {
            return self.lower_type(of, context);
        }
        let value = self.lower_type(value, context);
        self.out.add_type(TypeExpression::Map { key: UNKNOWN_TYPE, value })
    }

    /// `A["b"]`. Any other index denotes an element, named `[]`.
    fn lower_lookup_type(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> TypeId {
        let (Some(of), Some(key)) = (node.named_child(0), node.named_child(1)) else { return UNKNOWN_TYPE };
        let of = self.lower_type(of, context);
        let name = match key.named_child(0) {
            Some(text) if key.kind() == "literal_type" && text.kind() == "string" => self.property_name(text),
            _ => self.out.intern("[]"),
        };
        self.out.add_type(TypeExpression::Member { of, name })
    }

    fn lower_literal_type(&mut self, node: SyntaxNode<'_>) -> TypeId {
        let literal = match node.named_child(0).map(|inner| inner.kind()) {
            Some("string") => {
                let text = node.named_child(0).map(|inner| self.out.text(inner)).unwrap_or_default();
                let name = self.out.intern(text.trim_matches(['"', '\'']));
                Literal::Text(Some(name))
            }
            Some("number" | "unary_expression") => Literal::Integer,
            Some("true" | "false") => Literal::Boolean,
            _ => Literal::Null,
        };
        self.out.add_type(TypeExpression::Literal(literal))
    }
}
