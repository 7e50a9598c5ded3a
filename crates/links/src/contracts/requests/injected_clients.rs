//! Clients that the container of Spring injects: `WebClient cartClient` of a field or parameter, which a function with `@Bean` makes with its
//! base.
//!
//! The container takes the bean that a qualifier names, else the only one of the type, else the primary one, else the one with the name of the
//! variable.

use graph::{FileIdx, SymbolIdx};
use model::{
    Language,
    code::{Expression, ExpressionId, TypeExpression, TypeId},
};

use super::{RequestReader, bases};
use crate::contracts::{
    decorations::{DecorationCall, decoration_call, decorations_of},
    text_value::TextValue,
    values::ValueSource,
    visibility::is_test_or_example,
};

/// Types of clients that have a base.
const CLIENTS: [&str; 6] =
    ["WebClient", "RestClient", "RestTemplate", "WebClient.Builder", "RestClient.Builder", "RestOperations"];

/// Annotations of functions whose result the container injects.
const PRODUCERS: [&str; 2] = ["Bean", "Produces"];

/// Annotations that name the value to inject.
const QUALIFIERS: [&str; 3] = ["Qualifier", "Named", "Resource"];

/// Maximum number of files with annotations that are searched for beans. A repository with more has no known beans, since no bean could be
/// called the only one.
const MAX_DECLARATIONS: usize = 5000;

/// Calls of a builder that replace the base of its client.
const REBASED: [&str; 4] = ["baseUrl", "rootUri", "uriBuilderFactory", "uriTemplateHandler"];

/// Maximum number of steps from a client to the value that a constructor takes.
const MAX_STEPS: usize = 4;

/// Maximum number of calls between a client and the call that has the URL.
const MAX_CHAIN: usize = 12;

/// A function whose result the container injects.
#[derive(Debug, Clone)]
pub(super) struct ClientBean {
    function: SymbolIdx,
    /// The names that it may be injected by.
    names: Vec<String>,
    /// The type of its result as written.
    client: String,
    is_primary: bool,
}

/// The origin of a client of a declared type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClientOrigin {
    /// The code makes it.
    Made,
    /// A parameter gives it.
    Parameter,
    /// The container sets the field.
    Field,
}

/// An annotation that names the bean to inject.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BeanQualifier {
    /// The name; `None` if it is no literal.
    name: Option<String>,
}

impl<'p> RequestReader<'_, '_, 'p> {
    /// Returns the base of the client on which a chain of calls begins, if the container injects it.
    pub(super) fn base_of_injected(&mut self, file: FileIdx, object: ExpressionId) -> Option<TextValue> {
        let language = self.values.program().language(file);
        if !matches!(language, Language::Java | Language::Kotlin) {
            return None;
        }
        let client = self.first_of_chain(file, object)?;
        let variable = self.values.dotted(file, client)?;
        let variable = variable.rsplit('.').next()?;
        let sources = self.values.sources(file, client);
        let (home, declared) = sources.iter().find_map(|source| match source {
            ValueSource::Declared(home, declared) => Some((*home, *declared)),
            _ => None,
        })?;
        let written = self.type_text(home, declared).filter(|written| CLIENTS.contains(&written.as_str()))?;
        let origin = self.client_origin(&sources);
        if origin == ClientOrigin::Made {
            return None;
        }
        let qualifier = self.qualifier_of(home, variable);
        let beans: Vec<ClientBean> = self
            .client_beans()
            .iter()
            .filter(|bean| bean.client == written && self.is_of(file, bean))
            .cloned()
            .collect();
        if beans.len() > 1 && origin == ClientOrigin::Parameter && self.may_have_qualifier(home) {
            return None;
        }
        let bean = injected(&beans, qualifier.as_ref(), variable)?;
        self.base_of_bean(bean.function)
    }

    /// Returns the object on which a chain of calls begins: `client` of `client.get().uri(x)`; `None` if a call sets another base.
    fn first_of_chain(&self, file: FileIdx, object: ExpressionId) -> Option<ExpressionId> {
        let mut at = object;
        for _ in 0..MAX_CHAIN {
            let Some(call) = self.values.call(file, at) else { break };
            if REBASED.contains(&call.name) {
                return None;
            }
            match call.object {
                Some(object) => at = object,
                None => break,
            }
        }
        Some(at)
    }

    /// Returns true if a file imports an annotation that names a bean: the annotations of parameters are no facts.
    fn may_have_qualifier(&self, file: FileIdx) -> bool {
        let last = |text: &str| text.rsplit('.').next().unwrap_or_default().to_owned();
        self.values.program().facts(file).imports.iter().any(|import| match import.name.as_str() {
            "*" => ["annotation", "inject"].contains(&last(&import.module).as_str()),
            "" => QUALIFIERS.contains(&last(&import.module).as_str()),
            name => QUALIFIERS.contains(&name),
        })
    }

    /// Returns the origin of a client with these sources.
    fn client_origin(&mut self, sources: &[ValueSource]) -> ClientOrigin {
        let mut open = sources.to_vec();
        for _ in 0..MAX_STEPS {
            let mut next = Vec::new();
            for source in open {
                match source {
                    ValueSource::Parameter(..) => return ClientOrigin::Parameter,
                    ValueSource::Expression(home, value) => match self.values.expression(home, value) {
                        Expression::Literal(_) => {}
                        Expression::Name { .. } => next.extend(self.values.sources(home, value)),
                        _ => return ClientOrigin::Made,
                    },
                    ValueSource::Declared(..) | ValueSource::Variable(_) => {}
                }
            }
            if next.is_empty() {
                return ClientOrigin::Field;
            }
            open = next;
        }
        ClientOrigin::Made
    }

    /// Returns a type without its package: `WebClient.Builder`.
    fn type_text(&self, file: FileIdx, written: TypeId) -> Option<String> {
        let code = self.values.code(file);
        let TypeExpression::Named { path, .. } = code.written(written) else { return None };
        let names = path.iter().map(|name| code.name(*name)).skip_while(|name| !name.starts_with(char::is_uppercase));
        Some(names.collect::<Vec<_>>().join("."))
    }

    /// Returns the qualifier that an annotation of a field is.
    fn qualifier_of(&self, file: FileIdx, variable: &str) -> Option<BeanQualifier> {
        let program = self.values.program();
        let named = program.named(program.name_named(variable)?).iter().copied();
        let fields = named.filter(|symbol| program.file_of(*symbol) == file);
        fields.flat_map(|field| decorations_of(self.values, field)).find_map(|decoration| {
            let is_qualifier = QUALIFIERS.contains(&decoration.name) && self.argument_of_name(&decoration).is_some();
            is_qualifier.then(|| BeanQualifier { name: self.name_of(&decoration) })
        })
    }

    /// Returns the argument of an annotation that is a name.
    fn argument_of_name(&self, decoration: &DecorationCall<'_>) -> Option<ExpressionId> {
        let written = decoration.positional.first().copied();
        written.or_else(|| decoration.named(self.values, &["value", "name"]))
    }

    /// Returns the name that an annotation has as its argument.
    fn name_of(&self, decoration: &DecorationCall<'_>) -> Option<String> {
        let written = self.argument_of_name(decoration)?;
        self.values.literal(decoration.file, written).map(str::to_owned)
    }

    /// Returns the functions of the repository whose results are injected clients; none if not all of its files can be searched.
    fn client_beans(&mut self) -> Vec<ClientBean> {
        if let Some(known) = &self.beans {
            return known.clone();
        }
        let program = self.values.program();
        let may_declare = |file: &FileIdx| {
            let path = program.path(*file);
            matches!(program.language(*file), Language::Java | Language::Kotlin)
                && !program.code(*file).decorations.is_empty()
                && !is_test_or_example(path)
        };
        let files: Vec<FileIdx> = program.file_indices().filter(may_declare).take(MAX_DECLARATIONS + 1).collect();
        let is_whole = files.len() <= MAX_DECLARATIONS;
        let mut found = Vec::new();
        for file in files.into_iter().filter(|_| is_whole) {
            let decorations = program.code(file).decorations.iter();
            let produced: Vec<SymbolIdx> = decorations
                .filter(|decoration| {
                    let call = decoration_call(self.values, file, decoration);
                    call.is_some_and(|call| PRODUCERS.contains(&call.name))
                })
                .map(|decoration| program.symbol(file, decoration.definition))
                .collect();
            // Each of them may become a bean of a client.
            if !produced.is_empty() {
                self.values.cx.consult(file);
            }
            found.extend(produced.into_iter().filter_map(|function| self.client_bean(file, function)));
        }
        self.beans = Some(found.clone());
        found
    }

    fn client_bean(&self, file: FileIdx, function: SymbolIdx) -> Option<ClientBean> {
        let program = self.values.program();
        let declared = program.shape(function).declared?;
        let client = self.type_text(file, declared).filter(|client| CLIENTS.contains(&client.as_str()))?;
        let decorations = decorations_of(self.values, function);
        let producer = decorations.iter().find(|decoration| PRODUCERS.contains(&decoration.name))?;
        // A name of the annotation replaces that of the function.
        let own = match self.argument_of_name(producer) {
            Some(_) => self.name_of(producer),
            None => Some(program.definition(function).name.clone()),
        };
        let named = decorations.iter().filter(|decoration| QUALIFIERS.contains(&decoration.name));
        let names = named.filter_map(|decoration| self.name_of(decoration)).chain(own).collect();
        let is_primary = decorations.iter().any(|decoration| decoration.name == "Primary");
        Some(ClientBean { function, names, client, is_primary })
    }

    /// Returns true if a bean is of the application of a file: a repository may have several.
    fn is_of(&self, file: FileIdx, bean: &ClientBean) -> bool {
        let program = self.values.program();
        let application = |path: &'p str| {
            let (application, _) =
                path.split_once("/src/main/").or_else(|| path.split_once("src/")).unwrap_or_default();
            application.trim_end_matches('/')
        };
        application(program.path(file)) == application(program.path(program.file_of(bean.function)))
    }

    /// Returns the base of the client that a function makes; `None` if it makes one of several.
    fn base_of_bean(&mut self, function: SymbolIdx) -> Option<TextValue> {
        let program = self.values.program();
        let home = program.file_of(function);
        self.values.cx.consult(home);
        let made: Vec<ExpressionId> = program.shape(function).values.to_vec();
        let bases = made.into_iter().map(|value| {
            let made_by = match self.values.expression(home, value) {
                Expression::Call { .. } | Expression::Make { .. } => Some((home, value)),
                _ => self.values.origin(home, value).and_then(|origin| origin.made_by),
            };
            bases::base_of(self.values, made_by)
        });
        let mut bases: Vec<Option<TextValue>> = bases.collect();
        bases.dedup();
        if bases.len() == 1 { bases.pop()? } else { None }
    }
}

/// Returns the bean that a container injects; `None` if several may be meant.
fn injected<'b>(beans: &'b [ClientBean], qualifier: Option<&BeanQualifier>, variable: &str) -> Option<&'b ClientBean> {
    let of_name = |name: &str| {
        let mut named = beans.iter().filter(|bean| bean.names.iter().any(|one| one == name));
        named.next().filter(|_| named.next().is_none())
    };
    match (qualifier, beans) {
        (Some(qualifier), _) => of_name(qualifier.name.as_deref()?),
        (None, [only]) => Some(only),
        (None, _) => {
            let mut primary = beans.iter().filter(|bean| bean.is_primary);
            match (primary.next(), primary.next()) {
                (Some(only), None) => Some(only),
                (Some(_), Some(_)) => None,
                (None, _) => of_name(variable),
            }
        }
    }
}
