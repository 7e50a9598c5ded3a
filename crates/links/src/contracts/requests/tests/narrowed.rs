//! Code that only looks as if an application, a class, a block or a module gave a client its base, or a request its method.

use super::requests;

/// Form, path of the file, code, requests.
#[rustfmt::skip]
const CASES: &[(&str, &str, &str, &[&str])] = &[
    // The base of axios.
    ("default base of the application", "shop/src/views/items.js", "import axios from 'axios'\nexport const f = () => axios.get('/items')\n//- /shop/src/main.js\nimport axios from 'axios'\naxios.defaults.baseURL = 'http://cart'\n//- /shop/package.json\n{\"name\": \"shop\"}", &["GET /items http://cart"]),
    ("default base beside the sources", "shop/src/items.js", "import axios from 'axios'\nexport const f = () => axios.get('/items')\n//- /shop/index.js\nimport axios from 'axios'\naxios.defaults.baseURL = 'http://cart'", &["GET /items http://cart"]),
    ("default base of another application", "services/orders/src/report.js", "import axios from 'axios'\nexport const f = () => axios.get('/items')\n//- /services/gateway/src/index.js\nimport axios from 'axios'\naxios.defaults.baseURL = 'http://cart'", &["GET /items"]),
    ("default base of another package", "services/orders/report.js", "import axios from 'axios'\nexport const f = () => axios.get('/items')\n//- /index.js\nimport axios from 'axios'\naxios.defaults.baseURL = 'http://cart'\n//- /services/orders/package.json\n{\"name\": \"orders\"}\n//- /package.json\n{\"name\": \"all\"}", &["GET /items"]),
    ("default base of a test", "src/items.js", "import axios from 'axios'\nexport const f = () => axios.get('/items')\n//- /src/client.test.js\nimport axios from 'axios'\naxios.defaults.baseURL = 'http://cart'\n//- /src/api.spec.ts\nimport axios from 'axios'\naxios.defaults.baseURL = 'http://cart'", &["GET /items"]),
    ("two default bases of an application", "src/items.js", "import axios from 'axios'\nexport const f = () => axios.get('/items')\n//- /src/main.js\nimport axios from 'axios'\naxios.defaults.baseURL = 'http://cart'\n//- /src/api.js\nimport axios from 'axios'\naxios.defaults.baseURL = 'http://pay'", &["GET /items"]),
    // Builders of texts.
    ("pieces of a builder", "A.java", "class A { RestTemplate rest; void f(String id) { StringBuilder u = new StringBuilder(\"http://cart\"); u.append(\"/items\"); u.append(\"/\").append(id); rest.getForObject(u.toString(), X.class); } }", &["GET /items/{} http://cart"]),
    ("pieces around a block with the use", "A.java", "class A { RestTemplate rest; void f() { StringBuilder u = new StringBuilder(\"http://cart\"); u.append(\"/items\"); try { rest.getForObject(u.toString(), X.class); } catch (Exception e) { } } }", &["GET /items http://cart"]),
    ("pieces of two branches", "A.java", "class A { RestTemplate rest; void f(boolean all) { StringBuilder u = new StringBuilder(\"http://cart\"); if (all) { u.append(\"/items\"); } else { u.append(\"/orders\"); } rest.getForObject(u.toString(), X.class); } }", &[]),
    ("pieces of two branches of C#", "A.cs", "class A { HttpClient http; async Task F(bool all) { var u = new StringBuilder(\"http://cart\"); if (all) { u.Append(\"/items\"); } else { u.Append(\"/orders\"); } await http.GetAsync(u.ToString()); } }", &[]),
    ("pieces of two branches of Kotlin", "A.kt", "class A(private val rest: RestTemplate) { fun f(all: Boolean) { val u = StringBuilder(\"http://cart\"); if (all) { u.append(\"/items\") } else { u.append(\"/orders\") }\n rest.getForObject(u.toString(), X::class.java) } }", &[]),
    ("pieces of a loop", "A.java", "class A { RestTemplate rest; void f(List<String> ids) { StringBuilder u = new StringBuilder(\"http://cart\"); for (String id : ids) { u.append(\"/items\"); } rest.getForObject(u.toString(), X.class); } }", &[]),
    ("builder that another method changes", "A.java", "class A { RestTemplate rest; void f() { StringBuilder u = new StringBuilder(\"http://cart/items\"); u.setLength(11); u.append(\"/orders\"); rest.getForObject(u.toString(), X.class); } }", &[]),
    ("builder that another function changes", "A.java", "class A { RestTemplate rest; void f() { StringBuilder u = new StringBuilder(\"http://cart/items\"); addPath(u); rest.getForObject(u.toString(), X.class); } }", &[]),
    // Clients of .NET.
    ("base of the own field", "A.cs", "class A { private readonly HttpClient _http; public A(HttpClient http) { _http = http; _http.BaseAddress = new Uri(\"http://cart\"); } public Task F() { return _http.GetAsync(\"/items\"); } }", &["GET /items http://cart"]),
    ("base of the own field behind `this`", "A.cs", "class A { private readonly HttpClient http; public A(HttpClient http) { this.http = http; this.http.BaseAddress = new Uri(\"http://cart\"); } public Task F() { return http.GetAsync(\"/items\"); } }", &["GET /items http://cart"]),
    ("base of the parameter of a field", "A.cs", "class A { private readonly HttpClient _http; public A(HttpClient http) { http.BaseAddress = new Uri(\"http://cart\"); _http = http; } public Task F() { return _http.GetAsync(\"/items\"); } }", &["GET /items http://cart"]),
    ("base of a field of another class", "A.cs", "class A { private readonly HttpClient _http; public A(HttpClient http) { _http = http; _http.BaseAddress = new Uri(\"http://cart\"); } }\nclass B { private readonly HttpClient _http; public B(HttpClient http) { _http = http; } public Task F() { return _http.GetAsync(\"/items\"); } }", &["GET /items"]),
    ("base of the parameter of another function", "A.cs", "class A { void Set(HttpClient client) { client.BaseAddress = new Uri(\"http://cart\"); } Task F(HttpClient client) { return client.GetAsync(\"/items\"); } }", &["GET /items"]),
    ("base of the parameter of a lambda", "Program.cs", "class P { void Main(IServiceCollection s) { s.AddHttpClient(\"cart\", client => { client.BaseAddress = new Uri(\"http://cart\"); }); } Task F(HttpClient client) { return client.GetAsync(\"/items\"); } }", &["GET /items"]),
    // Requests of Node.js.
    ("method of the options of a caller", "a.js", "const https = require('https')\nfunction send(url, options) { return https.request(url, options) }\nfunction f() { send('http://cart/items', { method: 'POST' }) }", &["POST /items http://cart"]),
    ("options without a method", "a.js", "const https = require('https')\nfunction f() { https.request('http://cart/items', { timeout: 1 }, (res) => {}) }", &["GET /items http://cart"]),
    ("handler of a response", "a.ts", "import http from 'http'\nexport const f = () => http.get('http://cart/items', (res) => {})", &["GET /items http://cart"]),
    ("unknown options", "a.js", "const https = require('https')\nfunction f() { https.request('http://cart/items', options()) }", &["* /items http://cart"]),
    ("options of a member", "a.js", "const https = require('https')\nclass A { f() { https.request('http://cart/items', this.options) } }", &["* /items http://cart"]),
    ("options of another object", "a.js", "const http = require('http')\nfunction f(opts) { http.request({ hostname: 'cart', path: '/items', ...opts }) }", &["* /items http://cart"]),
    ("parameter with the name of a module", "a.ts", "export const handlers = http => [http.get('/items', (req, res) => {})]", &[]),
    ("parameter with the name of an imported module", "a.ts", "import http from 'http'\nexport const handlers = http => [http.get({ host: 'cart', path: '/items' })]", &["GET /items"]),
    // Modules of Nest.
    ("one of several modules of a folder registers a client", "src/a.service.ts", "import { HttpService } from '@nestjs/axios'\n@Injectable() export class A { constructor(private http: HttpService) {} f() { return this.http.get('/items') } }\n//- /src/b.module.ts\n@Module({ imports: [HttpModule.register({ baseURL: 'http://cart' })] }) export class B {}\n//- /src/a.module.ts\n@Module({}) export class C {}", &["GET /items http://cart"]),
    ("several modules of a folder register a client", "src/a.service.ts", "import { HttpService } from '@nestjs/axios'\n@Injectable() export class A { constructor(private http: HttpService) {} f() { return this.http.get('/items') } }\n//- /src/cart.module.ts\n@Module({ imports: [HttpModule.register({ baseURL: 'http://cart' })] }) export class B {}\n//- /src/pay.module.ts\n@Module({ imports: [HttpModule.register({ baseURL: 'http://pay' })] }) export class C {}", &["GET /items"]),
    // Clients of Ktor.
    ("base of a client of Ktor", "A.kt", "class A { val client = HttpClient(CIO) { defaultRequest { url(\"http://cart\") } }\n suspend fun f() { client.get { url(\"/items\") } } }", &["GET /items http://cart"]),
    ("URL of a nested request of Ktor", "A.kt", "class A { val client = HttpClient { install(Auth) { bearer { refreshTokens { client.post { url(\"http://auth/token\") } } } } }\n suspend fun f() { client.get { url(\"/items\") } } }", &["GET /items", "POST /token http://auth"]),
    ("URL of a block in a request of Ktor", "A.kt", "class A { val client = HttpClient(CIO)\n suspend fun f() { client.get { onError { url(\"http://auth/token\") } } } }", &[]),
    // Constants of Kotlin.
    ("constant of a nested object", "A.kt", "const val BASE = \"http://cart\"\nclass A(private val rest: RestTemplate) { object Pay { const val BASE = \"http://pay\" }\n fun f() { rest.getForObject(\"$BASE/items\", X::class.java) } }", &["GET /items http://cart"]),
    ("constant of a companion", "A.kt", "class A(private val rest: RestTemplate) { companion object { const val BASE = \"http://cart\" }\n fun f() { rest.getForObject(\"$BASE/items\", X::class.java) } }", &["GET /items http://cart"]),
];

#[test]
fn links_are_drawn_only_where_the_code_is_certain() {
    let mut wrong = Vec::new();
    for (form, path, code, expected) in CASES {
        let found = requests(path, code);
        if found != *expected {
            wrong.push(format!("{form}: {expected:?}, found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
