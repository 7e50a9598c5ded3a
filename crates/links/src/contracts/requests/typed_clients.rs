//! Typed clients, whose base stands where they are made.
//!
//! The container of .NET gives a class a client: `services.AddHttpClient<CartClient>(c => c.BaseAddress = new Uri("http://cart"))`.
//! Refit, Retrofit and Feign make one of an interface: `RestService.For<ICart>("http://cart")`,
//! `new Retrofit.Builder().baseUrl("http://cart").build().create(Cart.class)`, `Feign.builder().target(Cart.class, "http://cart")`.

use graph::{FileIdx, Node, SymbolIdx};
use model::{
    Language,
    code::{Expression, ExpressionId, NameId, ScopeId},
};

use super::{HttpRequest, RequestReader, bases, interfaces};
use crate::{
    contract::ContractUse,
    contracts::{
        text_value::TextValue,
        url::with_base,
        values::{CallShape, ValueSource},
    },
};

/// Ends of the names of the files that register the clients of an application of .NET.
const REGISTRATIONS: [&str; 8] = [
    "Program.cs",
    "Startup.cs",
    "Extensions.cs",
    "Extension.cs",
    "DependencyInjection.cs",
    "Registration.cs",
    "Configuration.cs",
    "Module.cs",
];

/// Maximum number of such files of one repository.
const MAX_REGISTRATIONS: usize = 50;

/// Maximum number of members behind the type of a class literal: `class`, `java`.
const MAX_MEMBERS: usize = 3;

/// Maximum number of calls and variables between a factory of HTTP interfaces and its client.
const MAX_ADAPTERS: u32 = 8;

impl<'p> RequestReader<'_, '_, 'p> {
    /// Returns the requests of the clients that a file makes or registers, with the bases that stand there.
    pub(super) fn typed_clients(&mut self, file: FileIdx) -> Vec<ContractUse> {
        let language = self.values.program().language(file);
        let mut found = Vec::new();
        for site in &self.values.code(file).sites {
            if let (Language::CSharp, Expression::Make { made, arguments }) =
                (language, self.values.expression(file, site.expression))
            {
                let base = arguments.iter().find_map(|argument| self.base_of_sidecar(file, *argument));
                if let (Some(base), Some((_, name))) = (base, self.values.written_name(file, *made)) {
                    found.extend(self.requests_of_class(self.values.code(file).name(name), &base));
                }
                continue;
            }
            let Some(shape) = self.values.call(file, site.expression) else { continue };
            let client = match language {
                Language::CSharp => self.client_of_dotnet(file, &shape),
                Language::Java | Language::Kotlin => self.client_of_builder(file, &shape),
                _ => return found,
            };
            if let Some((class, base)) = client {
                found.extend(self.requests_of_class(class, &base));
            }
        }
        found
    }

    /// Returns the class or interface of a client of .NET, and its base.
    fn client_of_dotnet(&mut self, file: FileIdx, shape: &CallShape<'p>) -> Option<(&'p str, TextValue)> {
        let is_service = shape.name == "For" && shape.object.is_some_and(|of| self.is_rest_service(file, of));
        if !is_service && !matches!(shape.name, "AddHttpClient" | "AddRefitClient") {
            return None;
        }
        let class = self.type_argument(file, shape.call)?;
        let behind = self.parent(file, shape.call).and_then(|call| self.values.call(file, call));
        let configured = behind.filter(|call| call.name == "ConfigureHttpClient");
        let closures = shape.arguments.iter().chain(configured.iter().flat_map(|call| call.arguments));
        let base = match shape.at(0).filter(|_| is_service) {
            Some(client) => self.base_of_client(file, client),
            None => closures.copied().find_map(|closure| self.base_of_closure(file, closure)),
        };
        Some((class, base?))
    }

    /// Returns the base of a client that a factory makes by its name: `factory.CreateClient("cart")` of
    /// `services.AddHttpClient("cart", c => c.BaseAddress = new Uri("http://cart"))`. Several applications may register the name: that in the
    /// longest common folder counts.
    pub(super) fn base_of_named_client(&mut self, made_by: Option<(FileIdx, ExpressionId)>) -> Option<TextValue> {
        let (home, made) = made_by?;
        let program = self.values.program();
        let call = self.values.call(home, made).filter(|call| call.name == "CreateClient")?;
        let name = self.values.text(home, call.at(0)?).as_literal()?;
        let may_register = |file: &FileIdx| {
            let path = program.path(*file);
            program.language(*file) == Language::CSharp && REGISTRATIONS.iter().any(|end| path.ends_with(end))
        };
        let files: Vec<FileIdx> = program.file_indices().filter(may_register).take(MAX_REGISTRATIONS).collect();
        let registration_of = |file: FileIdx| {
            self.values.cx.consult(file);
            let sites = &self.values.code(file).sites;
            let calls: Vec<CallShape<'p>> =
                sites.iter().filter_map(|site| self.values.call(file, site.expression)).collect();
            let mut registered = calls.into_iter().filter(|call| call.name == "AddHttpClient");
            let base = registered.find_map(|call| {
                let is_same = self.values.text(file, call.at(0)?).as_literal()? == name;
                let closures = call.positional().skip(1).filter(|_| is_same);
                closures.collect::<Vec<_>>().into_iter().find_map(|closure| self.base_of_closure(file, closure))
            })?;
            Some((n_common_folders(program.path(home), program.path(file)), base))
        };
        let mut found: Vec<(usize, TextValue)> = files.into_iter().filter_map(registration_of).collect();
        if found.iter().any(|(_, base)| *base != found[0].1) {
            let n_most = found.iter().map(|(n_folders, _)| *n_folders).max()?;
            found.retain(|(n_folders, _)| *n_folders == n_most);
        }
        let (_, base) = found.first()?;
        found.iter().all(|(_, other)| other == base).then(|| base.clone())
    }

    /// Returns the service that a client of Dapr invokes: `DaprClient.CreateInvokeHttpClient("cart")`.
    fn base_of_sidecar(&self, file: FileIdx, argument: ExpressionId) -> Option<TextValue> {
        let call = self.values.call(file, argument).filter(|call| call.name == "CreateInvokeHttpClient")?;
        let service = self.values.literal(file, call.at(0).or_else(|| call.named(&["appId"]))?)?;
        Some(TextValue::literal(&format!("http://{service}")))
    }

    /// Returns the interface of a client that Retrofit or Feign makes, and its base.
    fn client_of_builder(&mut self, file: FileIdx, shape: &CallShape<'p>) -> Option<(&'p str, TextValue)> {
        let object = shape.object.filter(|_| matches!(shape.name, "create" | "target" | "createClient"))?;
        let interface = match shape.at(0) {
            Some(class) => self.class_literal(file, class)?,
            None => self.type_argument(file, shape.call)?,
        };
        let base = match shape.name {
            "create" => bases::base_of(self.values, Some((file, object)))?,
            "createClient" => self.base_of_adapter(file, object, 0)?,
            _ => self.values.text(file, shape.at(1)?),
        };
        Some((interface, base)).filter(|(_, base)| !base.is_computed())
    }

    /// Returns the base of the client that a factory of HTTP interfaces adapts:
    /// `HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client)).build()`.
    fn base_of_adapter(&mut self, file: FileIdx, factory: ExpressionId, depth: u32) -> Option<TextValue> {
        if depth > MAX_ADAPTERS {
            return None;
        }
        if let Some(call) = self.values.call(file, factory) {
            if let Some(base) = bases::base_of(self.values, Some((file, factory))) {
                return Some(base);
            }
            let parts: Vec<ExpressionId> = call.object.into_iter().chain(call.positional().take(2)).collect();
            return parts.into_iter().find_map(|part| self.base_of_adapter(file, part, depth + 1));
        }
        let is_name =
            matches!(self.values.expression(file, factory), Expression::Name { .. } | Expression::Member { .. });
        let sources = if is_name { self.values.sources(file, factory) } else { Vec::new() };
        let known = sources.into_iter().find_map(|source| match source {
            ValueSource::Expression(home, value) => self.base_of_adapter(home, value, depth + 1),
            _ => None,
        });
        known.or_else(|| self.base_of_injected(file, factory).filter(|_| is_name))
    }

    fn type_argument(&self, file: FileIdx, call: ExpressionId) -> Option<&'p str> {
        let code = self.values.code(file);
        let Expression::Call { type_arguments, .. } = code.expression(call) else { return None };
        let (_, name) = self.values.written_name(file, *type_arguments.last()?)?;
        Some(code.name(name))
    }

    /// Returns the type of `Cart.class` in Java and `Cart::class.java` in Kotlin.
    fn class_literal(&self, file: FileIdx, expression: ExpressionId) -> Option<&'p str> {
        let code = self.values.code(file);
        let mut at = expression;
        for _ in 0..MAX_MEMBERS {
            at = match code.expression(at) {
                Expression::Type(written) => {
                    let (_, name) = self.values.written_name(file, *written)?;
                    return Some(code.name(name));
                }
                Expression::Name { name, .. } if at != expression => return Some(code.name(*name)),
                Expression::Member { of, name } | Expression::Path { of, name } => {
                    if !matches!(code.name(*name), "class" | "java") {
                        return None;
                    }
                    *of
                }
                _ => return None,
            };
        }
        None
    }

    fn is_rest_service(&self, file: FileIdx, of: ExpressionId) -> bool {
        self.values.dotted(file, of).is_some_and(|object| object == "RestService" || object.ends_with(".RestService"))
    }

    /// Returns the base address of the first argument of `RestService.For`: an address, or a client that is assigned one beside the call.
    fn base_of_client(&mut self, file: FileIdx, client: ExpressionId) -> Option<TextValue> {
        let assigned = match self.values.code(file).expression(client) {
            Expression::Name { name, scope, .. } => {
                self.assigned_base(file, |of_name, of_scope| (of_name, of_scope) == (*name, *scope))
            }
            _ => None,
        };
        Some(self.values.text(file, assigned.unwrap_or(client))).filter(|base| !base.is_computed())
    }

    /// Returns the base address that a closure assigns to its client.
    fn base_of_closure(&mut self, file: FileIdx, closure: ExpressionId) -> Option<TextValue> {
        let code = self.values.code(file);
        let Expression::Function { scope: closure, .. } = code.expression(closure) else { return None };
        let assigned = self.assigned_base(file, |_, scope| code.is_within(scope, *closure))?;
        Some(self.values.text(file, assigned)).filter(|base| !base.is_computed())
    }

    /// Returns the first value that a file assigns to the `BaseAddress` of a client, which is known by its name and scope.
    fn assigned_base(&self, file: FileIdx, is_client: impl Fn(NameId, ScopeId) -> bool) -> Option<ExpressionId> {
        let code = self.values.code(file);
        code.expressions.iter().find_map(|expression| {
            let Expression::Operation { operator, left, right: Some(value) } = expression else { return None };
            let Expression::Member { of, name } = code.expression(*left) else { return None };
            let Expression::Name { name: client, scope, .. } = code.expression(*of) else { return None };
            let is_base = code.name(*operator) == "=" && code.name(*name) == "BaseAddress";
            (is_base && is_client(*client, *scope)).then_some(*value)
        })
    }

    /// Returns the requests of the methods of a class, behind a base.
    fn requests_of_class(&mut self, class: &str, base: &TextValue) -> Vec<ContractUse> {
        let program = self.values.program();
        let named = program.name_named(class).map_or(&[][..], |name| program.named(name));
        let classes: Vec<SymbolIdx> =
            named.iter().copied().filter(|symbol| program.definition(*symbol).kind.is_type()).collect();
        let [class] = classes[..] else { return Vec::new() };
        let home = program.file_of(class);
        self.values.cx.consult(home);
        let calls = self.calls_of(home).clone();
        let mut found = interfaces::uses_behind(self.values, class, base);
        for member in program.symbols_of(home).filter(|member| program.parent(*member) == Some(class)) {
            for call in calls.get(&program.definition_id(member)).into_iter().flatten() {
                let Some(request) = self.request(home, call.expression, None) else { continue };
                let url = with_base(Some(base), &request.url);
                if url != request.url {
                    found.extend(HttpRequest { url, ..request }.contract(Node::Symbol(member), call.line));
                }
            }
        }
        found
    }
}

/// Returns the number of folders at the beginning of two paths that are the same.
fn n_common_folders(a: &str, b: &str) -> usize {
    let folders = |path| str::rsplit_once(path, '/').map_or("", |(folder, _)| folder);
    folders(a).split('/').zip(folders(b).split('/')).take_while(|(a, b)| a == b).count()
}
