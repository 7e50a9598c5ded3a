//! The known clients: by the origin of the called function or object, the form of the call.

mod inherited;

use graph::FileIdx;
use model::{
    Language,
    code::{Expression, ExpressionId, Literal},
};

use super::methods;
use crate::contracts::values::{CallShape, ValueReader};

/// The source of the method of a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum MethodSource {
    Fixed(&'static str),
    Argument(usize),
    /// The option `method`, with its default.
    Option(&'static str),
}

/// The form of a call that sends a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CallForm {
    /// The position of the argument with the URL.
    pub(super) url: usize,
    pub(super) method: MethodSource,
}

/// A call of a client.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClientCall {
    pub(super) form: CallForm,
    /// The call or constructor that made the client.
    pub(super) made_by: Option<(FileIdx, ExpressionId)>,
    /// True if only the name of the object tells that it is a client.
    pub(super) is_by_name: bool,
    /// True if the client sends relative URLs to a host that the code does not name.
    pub(super) has_unknown_host: bool,
}

/// A kind of client: how its functions are called.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ClientStyle {
    /// `client.get(url)`, `client.request(method, url)`.
    Verbs,
    /// As `Verbs`, and the client itself is a function: `axios(url, {method})`.
    CallableVerbs,
    /// `fetch(url, {method})`.
    Function,
    /// `client.getForObject(url)`, `client.exchange(url, method)`.
    Spring,
    /// `client.GetAsync(url)`, `client.PostAsJsonAsync(url)`.
    DotNet,
    /// `Tesla.get(client, url)`.
    VerbsBehindClient,
    /// `open(url)`: always GET.
    Open,
    /// `new(method, url)`.
    MethodUrl,
    /// `new(context, method, url)`.
    ContextMethodUrl,
    /// `Request(url, method=…)`.
    UrlOptions,
}

use ClientStyle::*;

/// Clients by their origin. `*` at the end stands for anything that the client makes of itself: options, middleware, builders.
#[rustfmt::skip]
const CLIENTS: &[(&str, ClientStyle)] = &[
    // Go.
    ("net/http", Verbs), ("net/http.DefaultClient", Verbs), ("net/http.Client()", Verbs), ("http", Verbs),
    ("net/http.NewRequest", MethodUrl), ("net/http.NewRequestWithContext", ContextMethodUrl),
    ("http.NewRequest", MethodUrl), ("http.NewRequestWithContext", ContextMethodUrl),
    ("net/http/httptest.NewRequest", MethodUrl),
    ("github.com/go-resty/resty/v2*", Verbs), ("github.com/go-resty/resty*", Verbs), ("resty.dev/v3*", Verbs),
    ("github.com/hashicorp/go-retryablehttp", Verbs), ("github.com/hashicorp/go-retryablehttp.NewClient()", Verbs),
    ("github.com/hashicorp/go-retryablehttp.NewRequest", MethodUrl),
    ("golang.org/x/net/context/ctxhttp", VerbsBehindClient), ("github.com/imroc/req/v3*", Verbs),
    ("github.com/valyala/fasthttp", Verbs), ("github.com/gofiber/fiber/v2", Verbs), ("github.com/gofiber/fiber/v3/client*", Verbs), ("go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp", VerbsBehindClient),
    // JavaScript and TypeScript.
    ("fetch", Function), ("window.fetch", Function), ("globalThis.fetch", Function), ("node-fetch", Function),
    ("node-fetch.default", Function), ("cross-fetch", Function), ("isomorphic-fetch", Function), ("undici.fetch", Function),
    ("undici.request", Function), ("undici", Verbs), ("ofetch", Function), ("ofetch.ofetch", Function), ("$fetch", Function),
    ("useFetch", Function), ("useLazyFetch", Function), ("ofetch.$fetch", Function),
    ("axios", CallableVerbs), ("axios.create()", CallableVerbs), ("axios.AxiosInstance()", CallableVerbs),
    ("axios.default", CallableVerbs), ("axios.default.create()", CallableVerbs), ("axios.Axios()", CallableVerbs), ("AxiosInstance()", CallableVerbs),
    ("axios.AxiosStatic()", CallableVerbs), ("got", CallableVerbs), ("got.extend()", CallableVerbs), ("got.got", CallableVerbs), ("ky", CallableVerbs),
    ("ky.create()", CallableVerbs), ("ky.extend()", CallableVerbs), ("ky-universal", CallableVerbs), ("superagent", CallableVerbs), ("needle", Verbs),
    ("superagent.agent()", Verbs), ("request", CallableVerbs), ("request-promise", CallableVerbs), ("request-promise-native", CallableVerbs),
    ("request.defaults()", CallableVerbs), ("phin", Function), ("wretch", Function), ("bent", Function),
    ("@angular/common/http.HttpClient()", Verbs), ("@angular/http.Http()", Verbs), ("HttpClient()", Verbs),
    ("@nestjs/axios.HttpService()", Verbs), ("@nestjs/axios.HttpService().axiosRef", CallableVerbs), ("@nestjs/common.HttpService()", Verbs),
    ("$http", CallableVerbs), ("$", Verbs), ("jquery", Verbs), ("$.ajax", Function), ("k6/http", Verbs), ("@playwright/test.request", Verbs),
    // Python.
    ("requests", Verbs), ("requests.Session()", Verbs), ("requests.session()", Verbs), ("requests.sessions.Session()", Verbs),
    ("httpx", Verbs), ("httpx.Client()", Verbs), ("httpx.AsyncClient()", Verbs), ("aiohttp.ClientSession()", Verbs),
    ("aiohttp", Verbs), ("urllib.request.urlopen", Open), ("urllib.request.urlretrieve", Open), ("urllib.request.Request", UrlOptions), ("urllib.request.Request()", UrlOptions),
    ("urllib3", Verbs), ("urllib3.PoolManager()", Verbs), ("locust.HttpSession()", Verbs), ("requests_html.HTMLSession()", Verbs),
    ("requests_futures.sessions.FuturesSession()", Verbs), ("treq", Verbs), ("niquests", Verbs), ("uplink", Verbs), ("authlib.integrations.httpx_client.AsyncOAuth2Client()", Verbs),
    // Java, Kotlin and Scala.
    ("RestTemplate()", Spring), ("RestOperations()", Spring), ("RestTemplateBuilder.build()", Spring), ("RestTemplateBuilder().build()", Spring),
    ("RequestEntity", Verbs), ("AsyncRestTemplate()", Spring), ("OAuth2RestTemplate()", Spring), ("Unirest", Verbs), ("HttpClients.createDefault()", Verbs),
    ("HttpClient.newHttpClient()", Verbs), ("HttpClient.create()*", Verbs), ("BlockingHttpClient()", Verbs), ("Fuel", Verbs), ("khttp", Verbs),
    // C#.
    ("IHttpClientFactory().CreateClient()", DotNet), ("HttpClient()", DotNet), ("RestClient()", DotNet), ("IFlurlClient()", DotNet),
    ("DaprClient()", DotNet), ("HttpRequestMessage()", MethodUrl),
    // Ruby.
    ("Net.HTTP", Verbs), ("Net::HTTP", Verbs), ("Net.HTTP.new()", Verbs), ("HTTParty", Verbs), ("Faraday", Verbs), ("Faraday.new()", Verbs), ("RestClient", Verbs),
    ("HTTP", Verbs), ("Typhoeus", Verbs), ("Excon", Verbs), ("Excon.new()", Verbs), ("HTTPX", Verbs), ("Faraday()", Verbs), ("Excon()", Verbs), ("Net.HTTP()", Verbs), ("Faraday.Connection()", Verbs), ("RestClient.Request.execute", UrlOptions), ("URI.open", Open), ("Net.HTTP.start()", Verbs),
    // PHP.
    ("Http", Verbs), ("Client()", Verbs), ("GuzzleHttp.Client()", Verbs), ("GuzzleHttp\\Client()", Verbs), ("HttpClientInterface()", Verbs), ("ClientInterface()", Verbs),
    ("curl_init", Open), ("Request()", MethodUrl), ("HttpClient.create()", Verbs), ("PendingRequest()", Verbs), ("Http*", Verbs),
    // Elixir.
    ("Req", Verbs), ("Req.new()", Verbs), ("HTTPoison", Verbs), ("Tesla", VerbsBehindClient), ("Finch.build", MethodUrl), ("HTTPotion", Verbs), ("Mojito", Verbs),
    // Rust.
    ("reqwest", Verbs), ("reqwest.Client()", Verbs), ("reqwest.Client.new()", Verbs), ("reqwest.blocking", Verbs), ("reqwest.blocking.Client()", Verbs),
    ("reqwest.blocking.Client.new()", Verbs), ("reqwest.Client.builder()*", Verbs), ("reqwest.ClientBuilder.new()*", Verbs), ("Client.new()", Verbs),
    ("reqwest_middleware.ClientWithMiddleware()", Verbs), ("ureq", Verbs), ("ureq.Agent()", Verbs), ("ureq.agent()", Verbs), ("surf", Verbs), ("isahc", Verbs), ("attohttpc", Verbs), ("minreq", Verbs),
    ("hyper.Request", Verbs), ("http.Request", Verbs), ("hyper.Client()", Verbs), ("hyper.Client.new()", Verbs), ("awc.Client()", Verbs), ("awc.Client.default()", Verbs), ("gloo_net.http.Request", Verbs),
    // Dart and Swift.
    ("package:http/http.dart", Verbs), ("http.Client()", Verbs), ("package:dio/dio.dart.Dio()", Verbs), ("Dio()", Verbs), ("package:http/http.dart.Client()", Verbs),
    ("AF", Verbs), ("Alamofire", Verbs), ("AF.request", UrlOptions), ("URLRequest", UrlOptions),
];

/// Words of the names of objects that are clients where nothing else is known of them: `apiClient`, `$http`, `svcClient("cart")`.
const CLIENT_WORDS: [&str; 19] = [
    "client",
    "http",
    "https",
    "api",
    "axios",
    "session",
    "request",
    "requests",
    "requester",
    "rest",
    "resttemplate",
    "webclient",
    "httpx",
    "ajax",
    "fetcher",
    "httpclient",
    "apiclient",
    "restclient",
    "httpservice",
];

/// Returns the form of a call that a client sends its request with; `None` if the call is of no client.
pub(super) fn of_call(values: &mut ValueReader<'_, '_>, file: FileIdx, shape: &CallShape<'_>) -> Option<ClientCall> {
    let language = values.program().language(file);
    if !may_be_of_client(shape.name) && !has_url_option(values, file, shape) {
        return None;
    }
    if !may_be_url(values, file, shape, language) {
        return None;
    }
    let is_verb = methods::of_name(shape.name).is_some();
    let whole = if is_verb { None } else { values.origin(file, shape.callee) };
    if let Some(origin) = &whole
        && let Some(form) = style_of(&origin.path, language).and_then(form_of_function)
    {
        let made_by = whole.as_ref().and_then(|origin| origin.made_by);
        return Some(ClientCall { form, made_by, is_by_name: false, has_unknown_host: false });
    }
    let object = shape.object?;
    let origin = values.origin(file, object);
    let path = origin.as_ref().map_or("", |origin| origin.path.as_str());
    let made_by = origin.as_ref().and_then(|origin| origin.made_by);
    if let Some(style) = style_of(path, language) {
        let form = form_with_options(style, shape, language).or_else(|| form_of_member(style, shape.name))?;
        return Some(ClientCall { form, made_by, is_by_name: false, has_unknown_host: false });
    }
    if is_user_of_load_generator(values, file, object) {
        let form = form_of_member(Verbs, shape.name)?;
        return Some(ClientCall { form, made_by: None, is_by_name: false, has_unknown_host: true });
    }
    // A method of the repository is no client, however its object is named; neither is what a known module makes.
    let is_of_repository = matches!(values.cx.type_of(file, shape.callee), graph::Ty::Function { .. });
    let is_made = made_by.is_some_and(|(home, _)| path.ends_with("()") && is_of_module(values, home, path));
    let form = form_of_member(Verbs, shape.name).or_else(|| form_of_member(DotNet, shape.name));
    if !is_of_repository && inherited::is_inherited(values, file, object, shape.name) {
        return Some(ClientCall { form: form?, made_by: None, is_by_name: true, has_unknown_host: true });
    }
    let is_client = has_client_name(&object_name(values, file, object)?);
    (is_client && !is_of_repository && !is_made).then_some(())?;
    Some(ClientCall { form: form?, made_by: None, is_by_name: true, has_unknown_host: false })
}

/// Returns the name of the object of a call: the last part of `a.b.client`, and the function of `a.client("cart")`.
fn object_name(values: &mut ValueReader<'_, '_>, file: FileIdx, object: ExpressionId) -> Option<String> {
    let named = match values.call(file, object) {
        Some(call) if !call.name.is_empty() => call.name.to_owned(),
        _ => values.dotted(file, object)?,
    };
    Some(named.rsplit('.').next().unwrap_or(&named).to_owned())
}

/// Returns true if a word of a name is that of a client, and the last one not that of a collection of them.
fn has_client_name(name: &str) -> bool {
    const COLLECTIONS: [&str; 12] = [
        "map", "cache", "store", "storage", "list", "pool", "config", "registry", "factory", "router", "headers",
        "params",
    ];
    let mut words: Vec<String> = vec![String::new()];
    let mut is_after_lower = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || c.is_ascii_uppercase() && is_after_lower {
            words.push(String::new());
        }
        is_after_lower = c.is_ascii_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
    }
    let is_collection = words.last().is_some_and(|last| COLLECTIONS.contains(&last.as_str()));
    !is_collection && words.iter().any(|word| CLIENT_WORDS.contains(&word.as_str()))
}

/// Returns true if an origin begins with a module that a file imports from elsewhere.
fn is_of_module(values: &ValueReader<'_, '_>, file: FileIdx, path: &str) -> bool {
    let program = values.program();
    let language = program.language(file);
    program.facts(file).imports.iter().any(|import| {
        let local = crate::contracts::imports::local_name(language, import);
        [import.module.as_str(), local].iter().any(|name| {
            let rest = path.strip_prefix(name).filter(|_| !name.is_empty());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(']))
        })
    })
}

/// Returns true if an argument of a call may be a URL. Most calls with the name of a method read a map by a key.
fn may_be_url(values: &ValueReader<'_, '_>, file: FileIdx, shape: &CallShape<'_>, language: Language) -> bool {
    use Language::*;
    // Clients of these languages have no base that a relative URL without a slash follows.
    let needs_slash = matches!(language, Java | Kotlin | Scala | Go | Rust | C | Cpp);
    let is_url = |argument: ExpressionId| match values.expression(file, argument) {
        Expression::Literal(Literal::Text(_)) => {
            !needs_slash || values.literal(file, argument).is_none_or(|text| text.contains('/'))
        }
        Expression::Literal(_) | Expression::Function { .. } | Expression::This { .. } => false,
        _ => true,
    };
    shape.arguments.iter().take(4).any(|argument| is_url(*argument))
}

/// Returns true for the call of a function by its bare name with an object that has a URL: `api({ url: "/items" })`.
fn has_url_option(values: &ValueReader<'_, '_>, file: FileIdx, shape: &CallShape<'_>) -> bool {
    let fields = match shape.at(0).filter(|_| shape.object.is_none()).map(|first| values.expression(file, first)) {
        Some(Expression::Object(fields)) => fields,
        _ => return false,
    };
    fields.iter().any(|(name, _)| values.code(file).name(*name) == "url")
}

/// Returns the style of the client with this origin.
fn style_of(path: &str, language: Language) -> Option<ClientStyle> {
    let path = path.strip_prefix("this.").unwrap_or(path);
    let of_language = |style: ClientStyle| match (path, style) {
        // `HttpClient` is a class of Angular, of Ktor and of .NET.
        ("HttpClient()", DotNet) => language == Language::CSharp,
        ("HttpClient()", _) => language != Language::CSharp,
        ("http" | "request" | "Http" | "HTTP" | "Client()" | "Request()" | "$", _) => is_home(path, language),
        _ => true,
    };
    let is_same = |of: &str| match of.strip_suffix('*') {
        Some(start) => path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '('])),
        None => of == path,
    };
    CLIENTS.iter().find(|(of, style)| is_same(of) && of_language(*style)).map(|(_, style)| *style)
}

/// Returns true if a short name means a client in a language.
fn is_home(name: &str, language: Language) -> bool {
    use Language::*;
    match name {
        "http" => matches!(language, Go | Dart),
        "request" | "$" => matches!(language, JavaScript | TypeScript | Tsx),
        "Http" | "Client()" | "Request()" => language == Php,
        _ => language == Ruby,
    }
}

/// Returns true if a call of this name may send a request; most calls of a file do not.
fn may_be_of_client(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_verb = methods::METHODS.iter().any(|method| {
        let rest = lower.strip_prefix(&method.to_ascii_lowercase());
        rest.is_some_and(|rest| {
            rest.trim_end_matches('!').is_empty() || rest.starts_with("for") || rest.ends_with("async")
        })
    });
    is_verb
        || lower.starts_with("fetch")
        || matches!(
            lower.trim_end_matches('!'),
            "postform"
                | "post_form"
                | "getjson"
                | "get_response"
                | "getbytes"
                | "getstring"
                | "fetch"
                | "$fetch"
                | "ofetch"
                | "usefetch"
                | "uselazyfetch"
                | "axios"
                | "got"
                | "ky"
                | "request"
                | "newrequest"
                | "newrequestwithcontext"
                | "urlopen"
                | "urlretrieve"
                | "exchange"
                | "execute"
                | "send"
                | "ajax"
                | "del"
                | "curl_init"
                | "open"
                | "build"
                | "superagent"
                | "phin"
                | "requestasync"
                | "build_request"
                | "$http"
                | "rp"
                | "nodefetch"
                | "default"
                | "asyncdel"
                | "method"
                | "retrieve"
                | "needle"
                | "wretch"
        )
}

/// Returns the form of a call of a function that is a client itself.
fn form_of_function(style: ClientStyle) -> Option<CallForm> {
    let url = 0;
    Some(match style {
        Function | CallableVerbs | UrlOptions => CallForm { url, method: MethodSource::Option("GET") },
        Open => CallForm { url, method: MethodSource::Fixed("GET") },
        MethodUrl => CallForm { url: 1, method: MethodSource::Argument(0) },
        ContextMethodUrl => CallForm { url: 2, method: MethodSource::Argument(1) },
        Verbs | Spring | DotNet | VerbsBehindClient => return None,
    })
}

/// Returns the form of `axios.request({ url, method })`, whose only argument has the parts of the request.
fn form_with_options(style: ClientStyle, shape: &CallShape<'_>, language: Language) -> Option<CallForm> {
    let is_of_script = matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx);
    let is_request = style == CallableVerbs && shape.name == "request" && shape.positional().count() == 1;
    (is_of_script && is_request).then_some(CallForm { url: 0, method: MethodSource::Option("GET") })
}

/// Returns the form of a call of a member of a client.
fn form_of_member(style: ClientStyle, name: &str) -> Option<CallForm> {
    let url = 0;
    let lower = name.trim_end_matches('!').to_ascii_lowercase();
    let verb = |name: &str| methods::METHODS.iter().find(|method| method.eq_ignore_ascii_case(name)).copied();
    match style {
        Verbs | CallableVerbs => match lower.as_str() {
            "request" | "execute" | "method" | "build_request" => {
                Some(CallForm { url: 1, method: MethodSource::Argument(0) })
            }
            "del" | "asyncdel" => Some(CallForm { url, method: MethodSource::Fixed("DELETE") }),
            "postform" | "post_form" | "getjson" | "get_response" | "getbytes" | "getstring" => {
                let method = if lower.starts_with("post") { "POST" } else { "GET" };
                Some(CallForm { url, method: MethodSource::Fixed(method) })
            }
            name => Some(CallForm { url, method: MethodSource::Fixed(verb(name)?) }),
        },
        VerbsBehindClient => Some(CallForm { url: 1, method: MethodSource::Fixed(verb(&lower)?) }),
        Spring => {
            if lower == "exchange" || lower == "execute" {
                return Some(CallForm { url, method: MethodSource::Argument(1) });
            }
            let end = lower.find("for").unwrap_or(lower.len());
            Some(CallForm { url, method: MethodSource::Fixed(verb(&lower[..end])?) })
        }
        DotNet => {
            let rest = lower.strip_suffix("async")?;
            let method = methods::METHODS.iter().find(|method| rest.starts_with(&method.to_ascii_lowercase()))?;
            let what = &rest[method.len()..];
            let is_known = matches!(what, "" | "asjson" | "string" | "fromjson" | "bytearray" | "stream" | "json");
            is_known.then_some(CallForm { url, method: MethodSource::Fixed(method) })
        }
        Function | Open | MethodUrl | ContextMethodUrl | UrlOptions => None,
    }
}

/// Returns true for the client of a simulated user: `self.client` in a file that imports Locust.
pub(super) fn is_user_of_load_generator(values: &ValueReader<'_, '_>, file: FileIdx, object: ExpressionId) -> bool {
    let program = values.program();
    program.language(file) == Language::Python
        && values.dotted(file, object).is_some_and(|name| name.ends_with(".client"))
        && program.facts(file).imports.iter().any(|import| import.module.split('.').next() == Some("locust"))
}
