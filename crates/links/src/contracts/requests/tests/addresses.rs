//! Requests whose address stands elsewhere: in settings, in functions, in discovery, and in the code that makes the client.

use super::requests;

/// Form, path of the file, code, request.
#[rustfmt::skip]
const ADDRESSES: &[(&str, &str, &str, &str)] = &[
    ("base with a slash at its end", "a.js", "import { crapienv } from './config.js'\nconst S = { ID: crapienv.ID }\nconst U = { LOGIN: 'api/auth/login' }\nfunction f() { return fetch(S.ID + U.LOGIN, { method: 'POST' }) }", "POST {}/api/auth/login {}"),
    ("environment of Vite", "a.tsx", "async function f() { return fetch(`${import.meta.env.VITE_CART_URL}/items`) }", "GET /items {env:VITE_CART_URL}"),
    ("environment of Vite with a default", "a.ts", "const B = import.meta.env.VITE_CART_URL || 'http://cart'\nfunction f() { return fetch(B + '/items') }", "GET /items {env:VITE_CART_URL}|http://cart"),
    ("flag of Go", "a.go", "package a\nimport (\"flag\"; \"net/http\")\nfunc main() { cart := flag.String(\"cart-addr\", \"http://cart:80\", \"address\"); http.Get(*cart + \"/items\") }", "GET /items {env:cart-addr}|http://cart:80"),
    ("concatenation by a method", "a.js", "const B = process.env.CART_URL\nfunction f() { return fetch(B.concat('/items/', id)) }", "GET /items/{} {env:CART_URL}"),
    ("flag with a letter", "a.go", "package a\nimport (\"github.com/spf13/pflag\"; \"net/http\")\nfunc main() { cart := pflag.StringP(\"cart-addr\", \"c\", \"http://cart\", \"address\"); http.Get(*cart + \"/items\") }", "GET /items {env:cart-addr}|http://cart"),
    ("default of a map of Java", "A.java", "class A { String url() { String at = \"http://\" + System.getenv().getOrDefault(\"CART\", \"localhost:80\"); return at + \"/items\"; }\n void f() { URI uri = new URI(url()); HttpRequest.newBuilder().uri(uri).build(); } }", "GET /items http://{env:CART}|http://localhost:80"),
    ("annotated parameter", "A.java", "class A { private final String uri; private final RestTemplate rest;\n A(RestTemplate rest, @Value(\"http://${CART_ADDR}/items\") String uri) { this.uri = uri; this.rest = rest; }\n void f(String id) { rest.getForObject(uri + \"/\" + id, Item.class); } }", "GET /items/{} http://{env:CART_ADDR}"),
    ("annotated parameter with a default", "A.java", "class A { private String host; private RestTemplate rest;\n A(@Value(\"${cart.host:cart}\") String host) { this.host = host; }\n String url() { return String.format(\"http://%s/cart/\", host); }\n void f(long id) { rest.getForObject(url() + id, Item.class); } }", "GET /cart/{} http://{env:cart.host}|http://cart"),
    ("discovery of Spring", "A.java", "class A { DiscoveryClient discovery; RestTemplate rest;\n void f() { String at = discovery.getInstances(\"cart-service\").get(0).getUri().toString(); rest.getForObject(at + \"/items\", Item.class); } }", "GET /items http://cart-service"),
    ("instance of a load balancer", "A.java", "class A { LoadBalancerClient balancer; RestTemplate rest;\n void f() { ServiceInstance one = balancer.choose(\"CART\"); rest.getForObject(\"http://\" + one.getHost() + \":\" + one.getPort() + \"/items\", Item.class); } }", "GET /items http://CART:{}"),
    ("client of JAX-RS", "A.java", "class A { void f() { ClientBuilder.newClient().target(System.getenv(\"CART_URL\")).path(\"items\").path(id).request().get(); } }", "GET /items/{} {env:CART_URL}"),
    ("target of JAX-RS in a variable", "A.java", "class A { void f(Client client) { WebTarget target = client.target(\"http://cart\").path(\"items\"); target.request().post(Entity.json(x)); } }", "POST /items http://cart"),
    ("settings of Django", "shop/views.py", "import requests\nfrom django.conf import settings\ndef f(): requests.get(settings.CART_URL + '/items')\n//- /shop/settings.py\nimport os\nCART_URL = os.environ.get('CART', 'http://cart')", "GET /items {env:CART}|http://cart"),
    ("variable in another case", "A.cs", "class A { string E() { var at = Environment.GetEnvironmentVariable(\"CART\"); if (at == null) { return \"http://localhost:1/items\"; } return $\"http://{at}/items\"; }\n void F() { var m = new HttpRequestMessage(HttpMethod.Get, E()); } }", "GET /items http://localhost:1|http://{env:CART}"),
    ("wrapper that is a closure", "a.js", "const CART = process.env.CART_URL\nconst itemsUrl = `${CART}/items`\napp.get('/x', async () => { await get(itemsUrl) })\nconst get = (url) => fetch(url).then((data) => data.text())", "GET /items {env:CART_URL}"),
    ("wrapper with a URL of the package", "a.go", "package a\nimport (\"net/http\"; \"os\")\nvar items = os.Getenv(\"CART\") + \"/items\"\nfunc f() string { return send(ctx, items) }\nfunc send(ctx context.Context, url string) string { http.NewRequestWithContext(ctx, \"GET\", url, nil) }", "GET /items {env:CART}"),
    ("client of Dapr", "P.cs", "class P { void F(IServiceCollection s) { s.AddSingleton<CartClient>(_ => new CartClient(DaprClient.CreateInvokeHttpClient(\"cart-service\"))); } }\nclass CartClient { private HttpClient _http; public CartClient(HttpClient http) { _http = http; }\n Task F() { return _http.GetFromJsonAsync<Item>($\"items/{id}\"); } }", "GET /items/{} http://cart-service"),
    ("component of Vue", "A.vue", "<template>\n <p>it's</p>\n</template>\n<script>\nexport default { methods: { f() { fetch('/api/items', { method: 'POST' }) } } }\n</script>\n<style>p { color: red }</style>", "POST /api/items"),
    ("client of a component of Vue", "A.vue", "<template><p/></template>\n<script lang=\"ts\">\nexport default { methods: { f() { this.$http.get('/items').then(() => {}) } } }\n</script>", "GET /items"),
    ("object around an instance of axios", "b.js", "import { api } from './api'\nimport { PATHS } from './paths'\nexport function f(id) { return api.put(PATHS.CART.ONE(id), {}) }\n//- /api.js\nimport axios from 'axios'\nconst instance = axios.create({ baseURL: process.env.CART_URL })\nexport const api = { put: (url, data, config) => instance.put(url, data, config) }\n//- /paths.js\nexport const PATHS = { CART: { ONE: (id) => `/cart/items/${id}` } }", "PUT /cart/items/{} {env:CART_URL}"),
    ("function that makes a client", "a.ts", "import axios from 'axios'\nfunction client() { return axios.create({ baseURL: process.env.CART_URL }) }\nexport function f() { return client().get('/items') }", "GET /items {env:CART_URL}"),
    ("path.join", "a.ts", "import path from 'path'\nimport axios from 'axios'\nfunction f(id: string) { return axios.get('http://' + path.join(process.env.CART_ADDR, '/items', id)) }", "GET /items/{} http://{env:CART_ADDR}"),
    ("url.resolve", "a.js", "const url = require('url')\nfunction f() { return fetch(url.resolve(process.env.CART_URL, '/items')) }", "GET /items {env:CART_URL}"),
    ("required variable", "a.ts", "function requireEnv(name: string): string { const v = process.env[name]; if (!v) { throw new Error(name) } return v }\nconst B = requireEnv('CART_URL')\nfunction f() { return fetch(B + '/items') }", "GET /items {env:CART_URL}"),
    ("configuration of Laravel", "app/A.php", "<?php\nclass A { function f($id) { return Http::get(config('services.cart.url') . '/items/' . $id); } }\n//- /config/services.php\n<?php\nreturn ['cart' => ['url' => env('CART_URL', 'http://cart')]];", "GET /items/{} {env:CART_URL}|http://cart"),
    ("UriComponentsBuilder", "A.java", "class A { @Value(\"${cart.url}\") private String base; RestTemplate rest;\n void f() { rest.exchange(UriComponentsBuilder.fromHttpUrl(base).path(\"/items\").queryParam(\"x\", 1).toUriString(), HttpMethod.GET, null, Item.class); } }", "GET /items {env:cart.url}"),
    ("UriComponentsBuilder of a whole URL", "A.java", "class A { RestTemplate rest;\n void f() { URI uri = UriComponentsBuilder.fromUriString(\"http://cart/items/{id}\").buildAndExpand(1).toUri(); rest.getForObject(uri, Item.class); } }", "GET /items/{} http://cart"),
    ("bean of properties", "A.java", "class A { private final CartProperties properties; RestTemplate rest;\n void f() { rest.getForObject(properties.getUrl() + \"/items\", Item.class); } }\n//- /CartProperties.java\n@ConfigurationProperties(prefix = \"cart\")\nclass CartProperties { private String url = \"http://cart\"; public String getUrl() { return url; } }", "GET /items {env:cart.url}|http://cart"),
    ("address that a branch gives", "A.java", "class A { RestTemplate rest;\n void f(int id) { String url; if (id > 1) { url = \"http://cart/items/\" + id; } rest.getForObject(url, Item.class); } }", "GET /items/{} http://cart"),
    ("empty address that a branch replaces", "A.java", "class A { RestTemplate rest;\n void f(int id) { String url = \"\"; if (id > 1) { url = \"http://cart/items/\" + id; } rest.getForObject(url, Item.class); } }", "GET /items/{} http://cart"),
    ("method of options that a variable holds", "a.ts", "const send = async (method: string, path: string, body: any = null) => {\n  const options: Options = { method: method.toUpperCase(), headers: {} };\n  return fetch(path, method === 'GET' ? undefined : options);\n};\nconst api = { post: (path: string, body: any) => send('POST', path, body) };\nexport function f() { return api.post('http://cart/items', 1); }", "POST /items http://cart"),
    ("method in capitals of a language", "a.ts", "export function f() { const method = 'put'; return fetch('http://cart/items', { method: method.toLocaleUpperCase('en') }); }", "PUT /items http://cart"),
    ("options that a function completes", "a.ts", "export function f() { return fetch('http://cart/items', withToken({ method: 'PUT' })); }", "PUT /items http://cart"),
    ("options of which nothing is known", "a.ts", "export function f() { return fetch('http://cart/items', options()); }", "* /items http://cart"),
    ("record of properties", "A.java", "class A { private final ServiceUrls urls; RestClient rest;\n void f() { rest.get().uri(urls.cart() + \"/items\").retrieve(); } }\n//- /ServiceUrls.java\n@ConfigurationProperties(prefix = \"services\")\npublic record ServiceUrls(String cart, String pay) {}", "GET /items {env:services.cart}"),
    ("client that the container makes", "P.cs", "class P { void F(WebApplicationBuilder builder) { builder.Services.AddHttpClient<ICart, Cart>(c => c.BaseAddress = new Uri(builder.Configuration[\"ApiSettings:GatewayAddress\"]!)); } }\nclass Cart : ICart { private readonly HttpClient _client; public Cart(HttpClient client) { _client = client; } public Task F() { return _client.GetAsync(\"/items\"); } }", "GET /items {env:ApiSettings:GatewayAddress}"),
    ("environment of Angular", "a.ts", "import { environment } from './environment'\nclass S { constructor(private http: HttpClient) {} f() { return this.http.get(environment.apiUrl + '/items') } }\n//- /environment.ts\nexport const environment = { production: false, apiUrl: 'http://localhost:8080' }", "GET /items http://localhost:8080"),
    ("settings of pydantic", "a.py", "import httpx\nfrom config import settings\nasync def f():\n    async with httpx.AsyncClient() as c:\n        await c.post(f'{settings.CART_URL}/items')\n//- /config.py\nfrom pydantic_settings import BaseSettings\nclass Settings(BaseSettings):\n    CART_URL: str = 'http://cart'\nsettings = Settings()", "POST /items {env:CART_URL}|http://cart"),
    ("field of pydantic in small letters", "a.py", "import httpx\nfrom config import settings\nasync def f():\n    async with httpx.AsyncClient() as c:\n        await c.get(f'{settings.cart_url}/items')\n//- /config.py\nfrom pydantic_settings import BaseSettings\nclass Settings(BaseSettings):\n    cart_url: str = 'http://cart'\ndef get_settings():\n    return Settings()\nsettings = get_settings()", "GET /items {env:cart_url}|http://cart"),
    ("viper", "a.go", "package a\nimport (\"net/http\"; \"github.com/spf13/viper\")\nfunc f() { http.Get(viper.GetString(\"cart.url\") + \"/items\") }", "GET /items {env:cart.url}"),
    ("helper with host and path", "a.py", "import requests\ndef send(host, path):\n    return requests.get('http://' + host + path)\ndef f():\n    send('cart:80', '/items')", "GET /items http://cart:80"),
    ("member of an object that has the name of a variable", "a.js", "const axios = require('axios')\nconst endpoints = require('./endpoints')\nfunction f(id) { return axios.get(endpoints.cartUrl + '/' + id) }\n//- /endpoints.js\n(function () {\n  const cartUrl = process.env.CART_URL\n  module.exports = { cartUrl: `${cartUrl}/items` }\n}())", "GET /items/{} {env:CART_URL}"),
    ("member with the name of a computed variable", "a.js", "const axios = require('axios')\nconst endpoints = require('./endpoints')\nfunction f(id) { return axios.get(endpoints.cartUrl + '/' + id) }\n//- /endpoints.js\n(function () {\n  const config = require('./config')\n  function value(name) { const value = config.env(name); return value }\n  const { services } = config.keyMap()\n  const cartUrl = value(services.CART, true)\n  module.exports = { value, cartUrl: `${cartUrl}/items` }\n}())", "GET {}/items/{} {env:cartUrl}"),
    ("destructured member of a module", "a.js", "const axios = require('axios')\nconst endpoints = require('./endpoints')\nfunction f(id) { const { cartUrl } = endpoints; return axios.get(cartUrl) }\n//- /endpoints.js\n(function () {\n  const cartUrl = process.env.CART_URL\n  module.exports = { cartUrl: `${cartUrl}/items` }\n}())", "GET /items {env:CART_URL}"),
    ("helper that completes a URL", "a.js", "const axios = require('axios')\nconst { CART_HOST } = process.env\nfunction buildUrl(host, path) {\n  let base = host\n  if (!base.startsWith('http')) { base = `http://${base}` }\n  const rest = path.startsWith('/') ? path : `/${path}`\n  return base.replace(/x/, '') + rest\n}\nfunction f(id) { return axios.get(buildUrl(CART_HOST, '/items')) }", "GET /items {env:CART_HOST}"),
    ("helper of Java that completes a URL", "A.java", "class A { private final String host; A(@Value(\"${CART_HOST}\") String host) { this.host = host; }\n Item f(String id) { String url = Urls.build(host, \"/items/\" + id); return new RestTemplate().getForObject(url, Item.class); } }\nclass Urls { static String build(String host, String path) { if (host.startsWith(\"http\")) { return host + path; } String base = \"http://\" + host; return base + path; } }", "GET /items/{} {env:CART_HOST}|http://{env:CART_HOST}"),
    ("helper of Rust that completes a URL", "a.rs", "fn build(host: &str, path: &str) -> String { if host.starts_with(\"http\") { return format!(\"{}{}\", host, path); } format!(\"http://{}{}\", host, path) }\nasync fn f() { let host = std::env::var(\"CART_HOST\").unwrap(); let client = reqwest::Client::new(); client.post(build(&host, &format!(\"/items?id={}\", 1))).send().await; }", "POST /items {env:CART_HOST}|http://{env:CART_HOST}"),
    ("scheme that is joined with a host", "a.js", "const axios = require('axios')\nconst path = require('path')\nfunction f() { return axios.get(path.join('http://', process.env.CART_HOST, '/items')) }", "GET /items http://{env:CART_HOST}"),
    ("client that middleware makes", "a.js", "app.get('/x', (req, res) => req.svcClient('x').delete(req.base + '/items/' + id))", "DELETE {}/items/{} {}"),
    ("enum of TypeScript", "a.ts", "import { PATHS } from './paths'\nclass S { constructor(private http: HttpClient) {} f() { return this.http.get('/api/' + PATHS.ITEMS) } }\n//- /paths.ts\nexport enum PATHS { ITEMS = 'items' }", "GET /api/items"),
    ("enum of Python", "a.py", "import requests\nfrom paths import Paths\ndef f(): requests.get('http://cart' + Paths.ITEMS.value)\n//- /paths.py\nfrom enum import Enum\nclass Paths(str, Enum):\n    ITEMS = '/items'", "GET /items http://cart"),
    ("enum of Java", "A.java", "class A { RestTemplate rest; void f() { rest.getForObject(\"http://cart\" + Paths.ITEMS, Item.class); } }\nfinal class Paths { static final String ITEMS = \"/items\"; }", "GET /items http://cart"),
    ("RequestEntity", "A.java", "class A { RestTemplate rest; void f(URI uri) { RequestEntity.post(URI.create(\"http://cart/items\")).accept(x).build(); } }", "POST /items http://cart"),
    ("configuration of NestJS", "a.ts", "class S { constructor(private http: HttpService, private config: ConfigService) {}\n f() { return this.http.get(`${this.config.get<string>('CART_URL')}/items`) } }", "GET /items {env:CART_URL}"),
    ("structure of Go with variables", "a.go", "package a\nimport \"net/http\"\ntype Config struct {\n CartURL string `envconfig:\"CART_URL\"`\n}\ntype S struct { cfg Config }\nfunc (s *S) f() { http.Get(s.cfg.CartURL + \"/items\") }", "GET /items {env:CART_URL}"),
    ("structure of Go with keys", "a.go", "package a\nimport \"net/http\"\ntype Config struct {\n Services Services `mapstructure:\"services\"`\n}\ntype Services struct {\n Cart string `mapstructure:\"cartUrl\"`\n}\nfunc f(cfg *Config) { http.Get(cfg.Services.Cart + \"/items\") }", "GET /items {env:services.cartUrl}"),
    ("structure of Go without tags", "a.go", "package a\nimport \"net/http\"\ntype Config struct { BaseURL string }\nfunc f(c *Config) { http.Get(c.BaseURL + \"/items\") }", "GET {}/items {}"),
    ("options of .NET", "A.cs", "class UrlsConfig { public string Cart { get; set; } }\nclass A { private readonly HttpClient _http; private readonly UrlsConfig _urls; Task F() { return _http.GetStringAsync(_urls.Cart + \"/items\"); } }", "GET /items {env:UrlsConfig:Cart}|{env:Urls:Cart}"),
    ("Dapr of Go", "a.go", "package a\nimport dapr \"github.com/dapr/go-sdk/client\"\nfunc f(c dapr.Client, id string) { c.InvokeMethod(ctx, \"cart\", \"items/\"+id, \"GET\") }", "GET /items/{} http://cart"),
    ("Dapr of Python", "a.py", "from dapr.clients import DaprClient\ndef f():\n    with DaprClient() as d:\n        d.invoke_method('cart', 'items', data=b, http_verb='PUT')", "PUT /items http://cart"),
    ("Dapr of .NET", "A.cs", "class A { DaprClient dapr; Task F() { return dapr.InvokeMethodAsync<Item>(HttpMethod.Get, \"cart\", \"items\"); } }", "GET /items http://cart"),
    ("Dapr of JavaScript", "a.ts", "import { DaprClient, HttpMethod } from '@dapr/dapr'\nfunction f(client: DaprClient) { return client.invoker.invoke('cart', 'items', HttpMethod.POST, {}) }", "POST /items http://cart"),
    ("Kiota of Java", "ItemsRequestBuilder.java", "public class ItemsRequestBuilder extends BaseRequestBuilder { public ItemsRequestBuilder(final RequestAdapter a) { super(a, \"{+baseurl}/items/{id}{?page*}\", new HashMap<>()); } public Item get() { return get(null); } public RequestInformation toGetRequestInformation() { return null; } }", "GET {}/items/{} {}"),
    ("prefix of settings of pydantic", "a.py", "import requests\nfrom pydantic_settings import BaseSettings, SettingsConfigDict\nclass Settings(BaseSettings):\n    model_config = SettingsConfigDict(env_prefix='SHOP_')\n    cart_url: str\nsettings = Settings()\ndef f(): requests.get(f'{settings.cart_url}/items')", "GET /items {env:SHOP_cart_url}"),
    ("field of pydantic with a variable", "a.py", "import requests\nfrom pydantic import BaseSettings, Field\nclass Settings(BaseSettings):\n    cart: str = Field(..., env='CART_URL')\nsettings = Settings()\ndef f(): requests.get(settings.cart + '/items')", "GET /items {env:CART_URL}"),
    ("mapping of Quarkus", "A.java", "@ConfigMapping(prefix = \"cart\") interface CartConfig { String url(); }\nclass A { RestTemplate rest; CartConfig config; void f() { rest.getForObject(config.url() + \"/items\", Item.class); } }", "GET /items {env:cart.url}"),
    ("constructor of Go with an interface", "a.go", "package a\nimport (\"net/http\"; \"os\"; \"fmt\")\ntype API interface { f() }\ntype server struct { cartURL string }\nfunc NewServer(db *DB, cartURL string) API { return &server{cartURL: cartURL} }\nfunc (s *server) f() { http.NewRequest(\"POST\", fmt.Sprintf(\"%s/%s/\", s.cartURL, \"items\"), nil) }\nfunc main() { NewServer(db, os.Getenv(\"CART_URL\")) }", "POST /items {env:CART_URL}"),
    ("one of two methods, with an identifier", "a.ts", "async function f(x) { await fetch('/api/items' + (x.id ? '/' + x.id : ''), { method: (x.id) ? 'PUT' : 'POST' }) }", "PUT /api/items/{}"),
    ("one of two methods, without an identifier", "a.ts", "async function f(x) { await fetch('/api/items' + (x.id ? '/' + x.id : ''), { method: (x.id) ? 'PUT' : 'POST' }) }", "POST /api/items"),
    ("one of two methods to one path", "a.ts", "async function f(x) { const method = x.isNew ? 'POST' : 'PATCH'; await fetch(`/api/items/${x.id}`, { method }) }", "PATCH /api/items/{}"),
    ("wrapper of wrappers with a path without a slash", "a.ts", "const B = process.env.GATEWAY_URL\nasync function send(resource, isUrl) { const url = isUrl ? resource : `${B}/api/${resource}`; return fetch(url) }\nexport async function load(resource) { return send(resource, false) }\nexport async function get(resource) { return load(resource) }\nasync function f() { const url = `items?${q ? q : ''}${n !== undefined ? '&page=' + n : m ? '&page=' + m : ''}`; return get(url) }", "GET /items {env:GATEWAY_URL}/api"),
    ("header of a sidecar", "a.js", "const axios = require('axios')\nconst dapr = `http://localhost:${process.env.DAPR_HTTP_PORT || 3500}`\nfunction f(id) { return axios.get(`${dapr}/items/${id}`, { headers: { 'dapr-app-id': 'cart' } }) }", "GET /items/{} http://cart"),
    ("header of a sidecar in Python", "a.py", "import os, requests\nbase = os.getenv('BASE_URL', 'http://localhost') + ':' + os.getenv('DAPR_HTTP_PORT', '3500')\nheaders = {'dapr-app-id': 'cart'}\ndef f(): requests.post('%s/items' % (base), headers=headers)", "POST /items http://cart"),
    ("header of a sidecar in Go", "a.go", "package a\nimport \"net/http\"\nfunc f(base string) { req, _ := http.NewRequest(\"POST\", \"http://localhost:3500/items\", nil); req.Header.Add(\"dapr-app-id\", \"cart\") }", "POST /items http://cart"),
    ("target of JAX-RS without a known address", "A.java", "class A { private final WebTarget target; A(AppConfig config) { this.target = ClientBuilder.newClient().target(config.find()).path(\"api/items/\"); } void f() { var random = this.target.path(\"random\"); random.request(TEXT).rx(X.class).get(Item.class); } }", "GET {}/api/items/random {}"),
    ("section of a mapping of Quarkus", "A.java", "@ConfigMapping(prefix = \"shop\") interface ShopConfig { Cart cart(); interface Cart { String baseUrl(); } }\nclass A { RestTemplate rest; ShopConfig config; void f() { rest.getForObject(config.cart().baseUrl() + \"/items\", Item.class); } }", "GET /items {env:shop.cart.baseUrl}"),
    ("dictionary of addresses", "a.py", "import os, requests\nURLS = {'cart': os.environ['CART_URL'], 'pay': 'http://pay'}\ndef f(): return requests.get(f\"{URLS.get('cart')}/items\")", "GET /items {env:CART_URL}"),
    ("key of a caller", "a.py", "import requests\nURLS = {'cart': 'http://cart', 'pay': 'http://pay'}\ndef forward(method, service, path): return requests.request(method, f\"{URLS[service]}{path}\")\ndef f(): return forward('PUT', 'cart', '/items')", "PUT /items http://cart"),
    ("named client of .NET", "A.cs", "class A { IHttpClientFactory f; async Task F() { var c = f.CreateClient(\"cart\"); await c.GetAsync(\"/items\"); } }\n//- /Program.cs\nclass P { static void Main(IServiceCollection s) { s.AddHttpClient(\"cart\", c => { c.BaseAddress = new Uri(\"http://cart\"); }); } }", "GET /items http://cart"),
    ("path of a sidecar", "a.js", "function f(id) { return fetch(`http://localhost:3500/v1.0/invoke/cart/method/items/${id}`) }", "GET /items/{} http://cart"),
];

/// Code that looks alike, and sends nothing or not to the address.
#[rustfmt::skip]
const NEAR_MISSES: &[(&str, &str, &str)] = &[
    ("port behind a host", "a.js", "const h = process.env.HOST\nfunction f() { return fetch(`http://${h}:80/items`) }"),
    ("flag without an address", "a.go", "package a\nimport (\"flag\"; \"net/http\")\nfunc main() { n := flag.String(\"n\", \"\", \"\"); store(*n + \"/items\") }"),
    ("target of a build", "A.java", "class A { void f(Build build) { build.target(\"http://cart\").path(\"items\"); } }"),
    ("instances of something else", "A.java", "class A { void f(Pool pool) { pool.getInstances(\"cart\").get(0).getUri(); } }"),
    ("map of a client", "a.ts", "function f(clientMap: Map<string, string>) { return clientMap.get('/items') }"),
    ("client of something else", "a.js", "const redis = require('redis')\nconst client = redis.createClient()\nfunction f() { client.get('/items') }"),
    ("object that is no client", "a.js", "function f(store) { return store('x').get('/items') }"),
    ("page without a script", "A.vue", "<template>\n <p>fetch('/api/items')</p>\n</template>"),
    ("template without a base", "Items.java", "class Items extends Page { Items() { super(\"/items/{id}\"); } Item get() { return null; } }"),
    ("method that a service invokes on itself", "a.js", "function f(script) { return script.invoke('cart', 'items') }"),
    ("function of Blazor", "a.js", "function f() { return DotNet.invokeMethodAsync('Cart', 'Refresh') }"),
    ("method by reflection", "A.java", "import org.apache.commons.beanutils.MethodUtils;\nclass A { void f(Object bean) { MethodUtils.invokeMethod(bean, \"cart\", \"items\"); } }"),
    ("invoker of something else", "a.ts", "function f(rules) { return rules.invoker.invoke('cart', 'items') }"),
    ("wrapper of a map", "a.ts", "const m = new Map()\nfunction load(key) { return m.get(key) }\nfunction get(key) { return load(key) }\nget('items')"),
    ("path of something else than a target", "A.java", "class A { void f(Node node) { node.path(\"items\").request().get(); } }"),
    ("structure of Go without settings", "a.go", "package a\nimport \"net/http\"\ntype Page struct { Next string }\nfunc f(p *Page) { http.Get(p.Next) }"),
];

#[test]
fn addresses_that_stand_elsewhere_are_followed() {
    let mut wrong = Vec::new();
    for (form, path, code, expected) in ADDRESSES {
        let found = requests(path, code);
        if !found.iter().any(|one| one == expected) {
            wrong.push(format!("{form}: {expected}, found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), ADDRESSES.len(), wrong.join("\n"));
}

#[test]
fn code_that_looks_alike_sends_nothing_there() {
    for (form, path, code) in NEAR_MISSES {
        let found: Vec<String> = requests(path, code)
            .into_iter()
            .filter(|one| !one.starts_with("GET /items http://{env:HOST}:80"))
            .collect();
        assert!(found.is_empty(), "{form}: {found:?}");
    }
}

#[test]
fn an_assignment_replaces_those_before_it() {
    for (body, expected) in [
        (
            "String url; url = \"http://cart/items\"; rest.getForObject(url, Item.class); url = \"http://order/orders\"; rest.postForObject(url, o, Item.class);",
            &["GET /items http://cart", "POST /orders http://order"][..],
        ),
        // Near misses: the other branch is an alternative, unless the block around the use assigns the variable, too.
        (
            "String url; if (a) { url = \"http://cart/items\"; } else { url = \"http://order/items\"; } rest.getForObject(url, Item.class);",
            &["GET /items http://cart|http://order"],
        ),
        (
            "String url; if (a) { url = \"http://cart/items\"; } else { url = \"http://order/items\"; rest.getForObject(url, Item.class); }",
            &["GET /items http://order"],
        ),
        // It holds nothing before it is assigned.
        ("String url = null; rest.getForObject(url, Item.class); url = \"http://cart/items\";", &[]),
    ] {
        let code = format!("class A {{ RestTemplate rest;\n void f(boolean a, Order o) {{ {body} }} }}");
        assert_eq!(requests("A.java", &code), expected, "{body}");
    }
}
