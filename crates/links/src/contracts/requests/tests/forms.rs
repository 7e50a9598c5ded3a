//! Requests as the common stacks write them: a base that a framework injects, a wrapper of another file, a builder, a setting.

use super::requests;

/// Form, path of the file, code, request.
const FORMS: &[(&str, &str, &str, &str)] = &[
    // ---------------- Java / Spring
    (
        "bean of WebClient by name in another file",
        "A.java",
        r#"class A { private final WebClient cartWebClient; A(WebClient cartWebClient) { this.cartWebClient = cartWebClient; } void f() { cartWebClient.get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Bean public WebClient cartWebClient(WebClient.Builder builder, @Value("${cart.url}") String url) { return builder.baseUrl(url).build(); } }"#,
        "GET /items {env:cart.url}",
    ),
    (
        "only bean of WebClient",
        "A.java",
        r#"class A { private final WebClient webClient; A(WebClient webClient) { this.webClient = webClient; } void f() { webClient.get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Bean public WebClient client() { return WebClient.builder().baseUrl("http://cart").build(); } }"#,
        "GET /items http://cart",
    ),
    (
        "bean of WebClient of Kotlin",
        "A.kt",
        r#"@Service class A(private val cartWebClient: WebClient) { fun f(id: String) { cartWebClient.get().uri("/{id}", id).retrieve() } }
//- /WebConfig.kt
@Configuration class WebConfig { @Bean fun cartWebClient(builder: WebClient.Builder, properties: UrlProperties): WebClient = builder.baseUrl("${properties.cartUrl}/items").filter(f()).build()
 @Bean fun payWebClient(builder: WebClient.Builder): WebClient = builder.baseUrl("http://pay").build() }
//- /UrlProperties.kt
@ConfigurationProperties(prefix = "services")
data class UrlProperties(val cartUrl: String)"#,
        "GET /items/{} {env:services.cartUrl}",
    ),
    (
        "RestClient of a builder in a constructor",
        "A.java",
        r#"class A { private final RestClient client; A(RestClient.Builder builder, @Value("${cart.url}") String url) { this.client = builder.baseUrl(url).build(); } void f() { client.get().uri("/items/{id}", 1).retrieve(); } }"#,
        "GET /items/{} {env:cart.url}",
    ),
    (
        "WebClient with a load balanced builder",
        "A.java",
        r#"class A { private final WebClient.Builder webClientBuilder; A(WebClient.Builder b) { webClientBuilder = b; } void f() { webClientBuilder.build().get().uri("http://cart/api/items", uriBuilder -> uriBuilder.queryParam("a", 1).build()).retrieve(); } }"#,
        "GET /api/items http://cart",
    ),
    (
        "uriBuilder with scheme and host",
        "A.java",
        r#"class A { WebClient client; void f() { client.get().uri(b -> b.scheme("http").host("cart").path("/items/{id}").build(1)).retrieve(); } }"#,
        "GET /items/{} http://cart",
    ),
    (
        "HTTP interface of a factory",
        "C.java",
        r#"@Configuration class C { @Bean Cart cart() { RestClient client = RestClient.builder().baseUrl("http://cart").build(); HttpServiceProxyFactory factory = HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client)).build(); return factory.createClient(Cart.class); } }
//- /Cart.java
interface Cart { @GetExchange("/items/{id}") Item f(String id); }"#,
        "GET /items/{} http://cart",
    ),
    (
        "constant of a class of Java",
        "A.java",
        r#"class A { RestTemplate rest; void f() { rest.getForObject(Urls.CART + "/items", Item.class); } }
//- /Urls.java
class Urls { static final String CART = "http://cart"; }"#,
        "GET /items http://cart",
    ),
    (
        "helper of a static class of Java",
        "A.java",
        r#"class A { void f() { HttpUtil.get("http://cart/items", Item.class); } }
//- /HttpUtil.java
class HttpUtil { static <T> T get(String url, Class<T> type) { return new RestTemplate().getForObject(url, type); } }"#,
        "GET /items http://cart",
    ),
    (
        "injected helper of Java",
        "A.java",
        r#"class A { private final ApiGateway gateway; void f() { gateway.call("/items"); } }
//- /ApiGateway.java
class ApiGateway { @Value("${cart.url}") String base; RestTemplate rest; Object call(String path) { return rest.postForObject(base + path, null, Object.class); } }"#,
        "POST /items {env:cart.url}",
    ),
    (
        "base class of Java",
        "A.java",
        r#"class A extends BaseClient { A(@Value("${cart.url}") String url) { super(url); } void f() { load("/items"); } }
//- /BaseClient.java
abstract class BaseClient { protected final String base; RestTemplate rest; BaseClient(String base) { this.base = base; } protected Object load(String path) { return rest.getForObject(base + path, Object.class); } }"#,
        "GET /items {env:cart.url}",
    ),
    (
        "StringBuilder",
        "A.java",
        r#"class A { RestTemplate rest; void f() { StringBuilder url = new StringBuilder("http://cart"); url.append("/items"); rest.getForObject(url.toString(), Item.class); } }"#,
        "GET /items http://cart",
    ),
    (
        "chained StringBuilder",
        "A.java",
        r#"class A { RestTemplate rest; void f() { String url = new StringBuilder("http://cart").append("/items/").append(id).toString(); rest.getForObject(url, Item.class); } }"#,
        "GET /items/{} http://cart",
    ),
    (
        "formatted of a text",
        "A.java",
        r#"class A { RestTemplate rest; void f() { rest.getForObject("http://%s/items/%d".formatted("cart", 1), Item.class); } }"#,
        "GET /items/{} http://cart",
    ),
    (
        "MessageFormat",
        "A.java",
        r#"class A { RestTemplate rest; void f() { rest.getForObject(MessageFormat.format("http://cart/items/{0}", id), Item.class); } }"#,
        "GET /items/{} http://cart",
    ),
    (
        "environment of Spring",
        "A.java",
        r#"class A { Environment env; RestTemplate rest; void f() { rest.delete(env.getProperty("cart.url") + "/items/1"); } }"#,
        "DELETE /items/1 {env:cart.url}",
    ),
    (
        "RequestEntity",
        "A.java",
        r#"class A { RestTemplate rest; void f() { rest.exchange(RequestEntity.post("http://cart/items").body(x), Item.class); } }"#,
        "POST /items http://cart",
    ),
    (
        "MicroProfile config",
        "A.java",
        r#"class A { @ConfigProperty(name = "cart.url") String url; Client client = ClientBuilder.newClient(); void f() { client.target(url).path("/items").request().get(); } }"#,
        "GET /items {env:cart.url}",
    ),
    (
        "OkHttp with a built URL",
        "A.java",
        r#"class A { OkHttpClient c; void f() { HttpUrl url = HttpUrl.parse("http://cart").newBuilder().addPathSegment("items").build(); Request r = new Request.Builder().url(url).delete().build(); c.newCall(r).execute(); } }"#,
        "DELETE /items http://cart",
    ),
    (
        "Feign with a constant",
        "A.java",
        r#"@FeignClient(value = Names.CART) interface A { @PostMapping(Names.PATH + "/new") Item f(); }
//- /Names.java
class Names { public static final String CART = "cart"; public static final String PATH = "/items"; }"#,
        "POST /items/new http://cart",
    ),
    (
        "Feign that extends an interface",
        "A.java",
        r#"@FeignClient("cart") interface A extends CartApi {}
//- /CartApi.java
interface CartApi { @GetMapping("/items/{id}") Item f(String id); }"#,
        "GET /items/{} http://cart",
    ),
    // ---------------- Kotlin
    (
        "Ktor with a URL block",
        "A.kt",
        r#"class A(private val client: HttpClient) { suspend fun f(id: String) { client.get { url("http://cart/items/$id") } } }"#,
        "GET /items/{} http://cart",
    ),
    // ---------------- C#
    (
        "helper of a static class of C#",
        "A.cs",
        r#"class A { string _cart = Environment.GetEnvironmentVariable(Constants.Cart); async Task F(string id) { string url = $"http://{_cart}/items/{id}"; await HttpHelper.GetAsync(url, this.Request); } }
//- /HttpHelper.cs
static class HttpHelper { static HttpClient httpClient = new HttpClient();
 public static Task<HttpResponseMessage> GetAsync(string url, HttpRequest origin) { return Send(new HttpRequestMessage(HttpMethod.Get, url).AddOutboundHeaders(origin)); }
 static async Task<HttpResponseMessage> Send(HttpRequestMessage message) { return await httpClient.SendAsync(message); } }
//- /Constants.cs
static class Constants { public const string Cart = "CART_ADDR"; }"#,
        "GET /items/{} http://{env:CART_ADDR}",
    ),
    (
        "helper of C# with a made method",
        "A.cs",
        r#"class A { async Task F() { await HttpHelper.PatchAsync("http://cart/items", null); } }
//- /HttpHelper.cs
static class HttpHelper { static HttpClient httpClient = new HttpClient();
 public static Task<HttpResponseMessage> PatchAsync(string url, HttpContent content) { return httpClient.SendAsync(new HttpRequestMessage(new HttpMethod("PATCH"), url) { Content = content }); } }"#,
        "PATCH /items http://cart",
    ),
    (
        "helper of C# with an initializer",
        "A.cs",
        r#"class A { async Task F() { await HttpHelper.PostAsync(id, "http://cart/items", null); } }
//- /HttpHelper.cs
static class HttpHelper { static HttpClient _c = new HttpClient();
 public static Task<HttpResponseMessage> PostAsync(Guid id, string url, HttpContent content) { var request = new HttpRequestMessage { Method = HttpMethod.Post, RequestUri = new Uri(url), Content = content }; return Send(id, request); }
 static async Task<HttpResponseMessage> Send(Guid id, HttpRequestMessage request) { return await _c.SendAsync(request); } }"#,
        "POST /items http://cart",
    ),
    (
        "property of C# that a constructor assigns",
        "A.cs",
        r#"class A : Controller { private string _cart { get; set; } public A(IOptions<Config> options) { _cart = Environment.GetEnvironmentVariable("CART_ADDR") ?? options.Value.Services.Cart; }
 async Task F() { await new HttpClient().GetAsync($"http://{_cart}/items"); } }"#,
        "GET /items http://{env:CART_ADDR}",
    ),
    (
        "property of C# that a method assigns",
        "A.cs",
        r#"static class A { private static string _cart { get; set; } public static void Init(Config c) { _cart = Environment.GetEnvironmentVariable("CART_ADDR") ?? c.Services.Cart; }
 static async Task F() { await new HttpClient().GetAsync($"http://{_cart}/items"); } }"#,
        "GET /items http://{env:CART_ADDR}",
    ),
    (
        "options of C#",
        "A.cs",
        r#"class A { private readonly UrlsConfig _urls; private readonly HttpClient _http; public A(HttpClient http, IOptions<UrlsConfig> config) { _http = http; _urls = config.Value; }
 async Task F(string id) { await _http.GetAsync(_urls.Cart + UrlsConfig.Ops.Item(id)); } }
//- /UrlsConfig.cs
class UrlsConfig { public class Ops { public static string Item(string id) => $"/items/{id}"; } public string Cart { get; set; } }
//- /Startup.cs
class Startup { void F(IServiceCollection services, IConfiguration configuration) { services.Configure<UrlsConfig>(configuration.GetSection("Urls")); } }"#,
        "GET /items/{} {env:UrlsConfig:Cart}|{env:Urls:Cart}",
    ),
    (
        "typed client by an interface",
        "P.cs",
        r#"class P { void F(IServiceCollection s, IConfiguration c) { s.AddHttpClient<ICart, Cart>(o => { var u = c["Cart:Url"] ?? "http://cart"; o.BaseAddress = new Uri(u); }); } }
//- /Cart.cs
class Cart : ICart { private readonly HttpClient _h; public Cart(HttpClient h) { _h = h; } public Task F(string id) { return _h.GetFromJsonAsync<Item>($"/items/{id}"); } }"#,
        "GET /items/{} {env:Cart:Url}|http://cart",
    ),
    (
        "typed client with a provider",
        "P.cs",
        r#"class P { void F(IServiceCollection s) { s.AddHttpClient<Cart>((sp, client) => { client.BaseAddress = new Uri(sp.GetRequiredService<IConfiguration>()["Cart:Url"]); }); } }
//- /Cart.cs
class Cart { private readonly HttpClient _h; public Cart(HttpClient h) { _h = h; } public Task F() { return _h.DeleteAsync("items/1"); } }"#,
        "DELETE /items/1 {env:Cart:Url}",
    ),
    (
        "base address in a constructor",
        "A.cs",
        r#"class A { private readonly HttpClient _h; public A(HttpClient h, IConfiguration c) { _h = h; _h.BaseAddress = new Uri(c.GetValue<string>("Cart:Url")); } public Task F() { return _h.PutAsync("/items/1", null); } }"#,
        "PUT /items/1 {env:Cart:Url}",
    ),
    (
        "string.Format",
        "A.cs",
        r#"class A { HttpClient h; Task F(int id) { return h.GetAsync(string.Format("{0}/items/{1}", "http://cart", id)); } }"#,
        "GET /items/{} http://cart",
    ),
    (
        "QueryHelpers",
        "A.cs",
        r#"class A { HttpClient h; Task F(int id) { return h.GetAsync(QueryHelpers.AddQueryString("http://cart/items", "a", "b")); } }"#,
        "GET /items http://cart",
    ),
    (
        "Uri of two parts",
        "A.cs",
        r#"class A { HttpClient h; Task F(int id) { return h.GetAsync(new Uri(new Uri("http://cart"), "/items")); } }"#,
        "GET /items http://cart",
    ),
    // ---------------- Go
    (
        "client of Go with a base",
        "a.go",
        r#"package a
import ("net/http"; "os"; "fmt")
type Client struct { baseURL string; http *http.Client }
func New(url string) *Client { return &Client{baseURL: url, http: http.DefaultClient} }
func (c *Client) Item(id string) { req, _ := http.NewRequest("GET", fmt.Sprintf("%s/items/%s", c.baseURL, id), nil); c.http.Do(req) }
func main() { c := New(os.Getenv("CART_URL")); c.Item("1") }"#,
        "GET /items/{} {env:CART_URL}",
    ),
    (
        "client of Go in another package",
        "cart/client.go",
        r#"package cart
import "net/http"
type Client struct { url string }
func NewClient(url string) *Client { return &Client{url: url} }
func (c *Client) Item(id string) { http.Get(c.url + "/items/" + id) }
//- /main.go
package main
import ("os"; "shop/cart")
func main() { c := cart.NewClient(os.Getenv("CART_URL")); c.Item("1") }
//- /go.mod
module shop
"#,
        "GET /items/{} {env:CART_URL}",
    ),
    (
        "config of Go",
        "a.go",
        r#"package a
import ("net/http"; "os")
type Config struct { CartURL string }
func Load() *Config { return &Config{CartURL: getEnv("CART_URL", "http://cart")} }
func getEnv(key, fallback string) string { if v, ok := os.LookupEnv(key); ok { return v }; return fallback }
type H struct { cfg *Config }
func (h *H) F() { http.Get(h.cfg.CartURL + "/items") }"#,
        "GET /items {env:CART_URL}|http://cart",
    ),
    (
        "viper unmarshal",
        "a.go",
        r#"package a
import ("net/http"; "github.com/spf13/viper")
type Config struct { CartURL string `mapstructure:"CART_URL"` }
func Load() (c Config) { viper.Unmarshal(&c); return }
func F(c Config) { http.Get(c.CartURL + "/items") }"#,
        "GET /items {env:CART_URL}",
    ),
    (
        "url.URL of Go",
        "a.go",
        r#"package a
import ("net/http"; "net/url")
func F() { u := url.URL{Scheme: "http", Host: "cart", Path: "/items"}; http.Get(u.String()) }"#,
        "GET /items http://cart",
    ),
    (
        "parsed URL of Go with a path",
        "a.go",
        r#"package a
import ("net/http"; "net/url")
func F() { u, _ := url.Parse("http://cart"); u.Path = "/items"; http.Get(u.String()) }"#,
        "GET /items http://cart",
    ),
    (
        "wrapper of Go with a method",
        "a.go",
        r#"package a
import ("net/http"; "os")
var base = os.Getenv("CART_URL")
func do(method, path string, body any) { req, _ := http.NewRequest(method, base+path, nil); http.DefaultClient.Do(req) }
func F() { do(http.MethodPut, "/items/1", nil) }"#,
        "PUT /items/1 {env:CART_URL}",
    ),
    (
        "wrapper of Go of another package",
        "main.go",
        r#"package main
import "shop/httpx"
func main() { httpx.PostJSON("http://cart/items", nil) }
//- /httpx/httpx.go
package httpx
import "net/http"
func PostJSON(url string, v any) { http.Post(url, "application/json", nil) }
//- /go.mod
module shop
"#,
        "POST /items http://cart",
    ),
    (
        "fiber agent",
        "a.go",
        r#"package a
import "github.com/gofiber/fiber/v2"
func F() { agent := fiber.Get("http://cart/items"); agent.Bytes() }"#,
        "GET /items http://cart",
    ),
    (
        "strings.Builder",
        "a.go",
        r#"package a
import ("net/http"; "strings")
func F() { http.Get(strings.Join([]string{"http://cart", "items"}, "/")) }"#,
        "GET /items http://cart",
    ),
    // ---------------- JS / TS
    (
        "instance of axios of another file",
        "a.ts",
        r#"import { api } from './lib/api'
export const f = async (id: string) => { const { data } = await api.get(`/items/${id}`); return data }
//- /lib/api.ts
import axios from 'axios'
const API_URL = process.env.NEXT_PUBLIC_CART_URL || 'http://cart'
export const api = axios.create({ baseURL: `${API_URL}/api`, headers: {} })"#,
        "GET /api/items/{} {env:NEXT_PUBLIC_CART_URL}|http://cart",
    ),
    (
        "class with an instance of axios",
        "a.ts",
        r#"import axios, { AxiosInstance } from 'axios'
export class Cart { private client: AxiosInstance; constructor() { this.client = axios.create({ baseURL: process.env.CART_URL }) }
 async f(id: string) { return (await this.client.get(`/items/${id}`)).data } }"#,
        "GET /items/{} {env:CART_URL}",
    ),
    (
        "class with a base of its constructor",
        "a.ts",
        r#"import axios from 'axios'
export class Cart { constructor(private readonly baseUrl = process.env.CART_URL ?? 'http://cart') {} async f() { return axios.post(`${this.baseUrl}/items`, {}) } }"#,
        "POST /items {env:CART_URL}|http://cart",
    ),
    (
        "config package of Node",
        "a.js",
        r#"const axios = require('axios')
const config = require('config')
exports.f = () => axios.get(config.get('cart.url') + '/items')
//- /config/default.json
{"cart": {"url": "http://cart"}}"#,
        "GET /items {env:cart.url}",
    ),
    (
        "ConfigService of Nest",
        "a.ts",
        r#"@Injectable() export class A { private readonly url: string; constructor(private readonly http: HttpService, private readonly config: ConfigService) { this.url = this.config.get<string>('CART_URL', 'http://cart') }
 f() { return firstValueFrom(this.http.get(`${this.url}/items`)) } }"#,
        "GET /items {env:CART_URL}|http://cart",
    ),
    (
        "registered configuration of Nest",
        "a.ts",
        r#"@Injectable() export class A { constructor(private readonly http: HttpService, private readonly config: ConfigService) {}
 f() { const base = this.config.getOrThrow('services.cart'); return this.http.post(`${base}/items`, {}) } }
//- /configuration.ts
export default () => ({ services: { cart: process.env.CART_URL } })"#,
        "POST /items {env:CART_URL}",
    ),
    (
        "HttpModule of Nest",
        "a.module.ts",
        r#"@Module({ imports: [HttpModule.register({ baseURL: process.env.CART_URL })], providers: [A] }) export class M {}
//- /a.service.ts
import { HttpService } from '@nestjs/axios'
@Injectable() export class A { constructor(private http: HttpService) {} f() { return this.http.get('/items') } }"#,
        "GET /items {env:CART_URL}",
    ),
    (
        "host that a function gives",
        "a.js",
        r#"const helpers = { getHost: async function () { const r = await fetch('/api/host'); return (await r.json()).host },
 one: async function (id, host) { if (!host) { host = await this.getHost() } const url = host + '/items/' + id; return fetch(url) } }"#,
        "GET {}/items/{} {}",
    ),
    (
        "field of a component",
        "a.js",
        r#"export default class P extends Component { async componentDidMount() { this.apiHost = await helpers.getHost(); const url = this.apiHost + '/items/all'; const res = await fetch(url); } }"#,
        "GET {}/items/all {}",
    ),
    (
        "axios default base",
        "a.js",
        r#"import axios from 'axios'
axios.defaults.baseURL = process.env.VUE_APP_CART_URL
export const f = () => axios.get('/items')"#,
        "GET /items {env:VUE_APP_CART_URL}",
    ),
    (
        "object of endpoints",
        "a.ts",
        r#"import axios from 'axios'
import { ENDPOINTS } from './endpoints'
export const f = (id: string) => axios.put(ENDPOINTS.items.one(id), {})
//- /endpoints.ts
const BASE = 'http://cart'
export const ENDPOINTS = { items: { one: (id: string) => `${BASE}/items/${id}` } }"#,
        "PUT /items/{} http://cart",
    ),
    (
        "validated environment",
        "a.ts",
        r#"import { env } from './env'
export const f = () => fetch(`${env.CART_URL}/items`)
//- /env.ts
import { z } from 'zod'
const schema = z.object({ CART_URL: z.string().url().default('http://cart') })
export const env = schema.parse(process.env)"#,
        "GET /items {env:CART_URL}",
    ),
    (
        "URL with a path name",
        "a.ts",
        r#"function f() { const url = new URL(process.env.CART_URL); url.pathname = '/items'; return fetch(url) }"#,
        "GET /items {env:CART_URL}",
    ),
    (
        "join of a list",
        "a.ts",
        r#"function f() { return fetch([process.env.CART_URL, 'items', id].join('/')) }"#,
        "GET /items/{} {env:CART_URL}",
    ),
    (
        "wrapper of another file with options",
        "a.ts",
        r#"import { request } from './http'
export const f = (id: string) => request(`/items/${id}`, { method: 'PATCH', body: '' })
//- /http.ts
const BASE = import.meta.env.VITE_CART_URL
export async function request(path: string, options: RequestInit = {}) { const res = await fetch(`${BASE}${path}`, { ...options, headers: {} }); return res.json() }"#,
        "PATCH /items/{} {env:VITE_CART_URL}",
    ),
    (
        "wrapper class with a static method",
        "a.ts",
        r#"import { Http } from './http'
export const f = () => Http.post('/items', {})
//- /http.ts
import axios from 'axios'
export class Http { static async post(path: string, data: any) { return axios.post(`${process.env.CART_URL}${path}`, data) } }"#,
        "POST /items {env:CART_URL}",
    ),
    (
        "hook of React Query",
        "a.tsx",
        r#"export function useItems() { return useQuery({ queryKey: ['items'], queryFn: () => axios.get('/api/items').then(r => r.data) }) }"#,
        "GET /api/items",
    ),
    // ---------------- Python
    (
        "wrapper of a class of Python",
        "a.py",
        r#"import requests, os
class Client:
    def __init__(self, base_url):
        self.base_url = base_url
        self.session = requests.Session()
    def _request(self, method, path, **kwargs):
        return self.session.request(method, self.base_url + path, **kwargs)
    def get(self, path):
        return self._request('GET', path)
    def item(self, id):
        return self.get(f'/items/{id}')
client = Client(os.environ['CART_URL'])"#,
        "GET /items/{} {env:CART_URL}",
    ),
    (
        "subclass of a client of Python",
        "a.py",
        r#"from base import BaseClient
import os
class Cart(BaseClient):
    def __init__(self):
        super().__init__(base_url=os.getenv('CART_URL', 'http://cart'))
    async def item(self, id):
        return await self.get(f'/items/{id}')
//- /base.py
import httpx
class BaseClient:
    def __init__(self, base_url):
        self.base_url = base_url
    async def get(self, path):
        async with httpx.AsyncClient() as client:
            return await client.get(f'{self.base_url}{path}')"#,
        "GET /items/{} {env:CART_URL}|http://cart",
    ),
    (
        "class attribute of Python",
        "a.py",
        r#"import requests, os
class Cart:
    BASE = os.environ.get('CART_URL')
    def f(self):
        return requests.get(self.BASE + '/items')"#,
        "GET /items {env:CART_URL}",
    ),
    (
        "dictionary of services of Python",
        "a.py",
        r#"import httpx, os
SERVICES = {'cart': os.getenv('CART_URL', 'http://cart')}
async def f():
    async with httpx.AsyncClient() as c:
        await c.get(f"{SERVICES['cart']}/items")"#,
        "GET /items {env:CART_URL}|http://cart",
    ),
    (
        "decouple",
        "a.py",
        r#"import requests
from decouple import config
CART = config('CART_URL', default='http://cart')
def f(): requests.get(CART + '/items')"#,
        "GET /items {env:CART_URL}|http://cart",
    ),
    (
        "environ of Django",
        "shop/views.py",
        r#"import requests
from django.conf import settings
def f(): requests.post(f'{settings.CART_URL}/items', json={})
//- /shop/settings.py
import environ
env = environ.Env()
CART_URL = env('CART_URL', default='http://cart')"#,
        "POST /items {env:CART_URL}|http://cart",
    ),
    (
        "current_app of Flask",
        "a.py",
        r#"import requests
from flask import current_app
def f(): requests.get(current_app.config['CART_URL'] + '/items')
//- /config.py
import os
class Config:
    CART_URL = os.environ.get('CART_URL') or 'http://cart'"#,
        "GET /items {env:CART_URL}",
    ),
    (
        "module with a client of Python",
        "a.py",
        r#"from http_client import client
def f(): return client.post('/items', json={})
//- /http_client.py
import httpx, os
client = httpx.Client(base_url=os.environ['CART_URL'])"#,
        "POST /items {env:CART_URL}",
    ),
    (
        "URL of yarl",
        "a.py",
        r#"import aiohttp
from yarl import URL
async def f(session: aiohttp.ClientSession):
    async with session.get(URL('http://cart') / 'items') as r: pass"#,
        "GET /items http://cart",
    ),
    (
        "method of getattr",
        "a.py",
        r#"import requests
def call(service_url, path, method='GET'):
    return requests.request(method, f'{service_url}{path}')
def f(): return call('http://cart', '/items', method='DELETE')"#,
        "DELETE /items http://cart",
    ),
    // ---------------- Ruby, PHP, Rust, Elixir
    (
        "trait of Laravel",
        "a.php",
        "<?php\nnamespace App\\Services;\nuse App\\Traits\\ConsumesExternalService;\nclass CartService { use ConsumesExternalService; public $baseUri; public function __construct() { $this->baseUri = config('services.cart.base_uri'); }\n public function item($id) { return $this->performRequest('GET', \"/items/{$id}\"); } }\n//- /app/Traits/ConsumesExternalService.php\n<?php\nnamespace App\\Traits;\nuse GuzzleHttp\\Client;\ntrait ConsumesExternalService { public function performRequest($method, $requestUrl, $form = []) { $client = new Client(['base_uri' => $this->baseUri]); $response = $client->request($method, $requestUrl, ['form_params' => $form]); return $response->getBody()->getContents(); } }\n//- /config/services.php\n<?php\nreturn ['cart' => ['base_uri' => env('CART_URL')]];",
        "GET /items/{} {env:CART_URL}",
    ),
    (
        "pending request of Laravel",
        "a.php",
        "<?php\nuse Illuminate\\Support\\Facades\\Http;\nclass A { function f() { return Http::withToken('x')->timeout(3)->post(env('CART_URL') . '/items', []); } }",
        "POST /items {env:CART_URL}",
    ),
    (
        "base of Laravel",
        "a.php",
        "<?php\nuse Illuminate\\Support\\Facades\\Http;\nclass A { function f() { return Http::baseUrl(env('CART_URL'))->get('/items'); } }",
        "GET /items {env:CART_URL}",
    ),
    (
        "sprintf of PHP",
        "a.php",
        "<?php\nuse GuzzleHttp\\Client;\nclass A { private Client $c; function f($id) { $this->c->delete(sprintf('http://cart/items/%s', $id)); } }",
        "DELETE /items/{} http://cart",
    ),
    (
        "field of Rust",
        "a.rs",
        "use reqwest::Client;\nstruct Cart { client: Client, base: String }\nimpl Cart { fn new() -> Self { Cart { client: Client::new(), base: std::env::var(\"CART_URL\").unwrap_or_else(|_| \"http://cart\".into()) } }\n async fn f(&self, id: u32) { let url = format!(\"{}/items/{}\", self.base, id); self.client.get(&url).send().await; } }",
        "GET /items/{} {env:CART_URL}|http://cart",
    ),
    (
        "join of Rust",
        "a.rs",
        "use reqwest::{Client, Url};\nasync fn f(c: &Client) { let url = Url::parse(\"http://cart\").unwrap().join(\"/items\").unwrap(); c.get(url).send().await; }",
        "GET /items http://cart",
    ),
    (
        "constant of Dart",
        "a.dart",
        "import 'package:http/http.dart' as http;\nconst base = 'http://cart';\nFuture f() => http.post(Uri.parse('$base/items'), body: {});",
        "POST /items http://cart",
    ),
    (
        "base class of PHP in another namespace",
        "src/Cart.php",
        "<?php\nnamespace App;\nuse App\\Http\\ApiClient;\nclass Cart extends ApiClient { function f() { return $this->load('/items'); } }\n//- /src/Http/ApiClient.php\n<?php\nnamespace App\\Http;\nuse GuzzleHttp\\Client;\nclass ApiClient { private Client $c; function load($p) { return $this->c->get('http://cart' . $p); } }",
        "GET /items http://cart",
    ),
    (
        "static function of a base class of PHP",
        "a.php",
        "<?php\nclass Cart extends ApiBase { function f() { return static::load('/items'); } function g() { return parent::load('/orders'); } }\n//- /ApiBase.php\n<?php\nuse GuzzleHttp\\Client;\nclass ApiBase { static function load($p) { $c = new Client(); return $c->get('http://cart' . $p); } }",
        "GET /items http://cart",
    ),
    (
        "base class of C# in another namespace",
        "Shop/A.cs",
        r#"using Common.Clients;
class A : ApiBase { Task F() { return Load("/items"); } }
//- /Common/Clients/ApiBase.cs
namespace Common.Clients; class ApiBase { HttpClient _h = new HttpClient(); protected Task Load(string path) { return _h.GetAsync("http://cart" + path); } }"#,
        "GET /items http://cart",
    ),
    (
        "base class of Kotlin that an import names",
        "shop/A.kt",
        r#"package shop
import common.ApiBase
class A : ApiBase() { fun f() = load("/items") }
//- /common/ApiBase.kt
package common
open class ApiBase { private val rest = RestTemplate()
 fun load(path: String) = rest.getForObject("http://cart$path", Item::class.java) }"#,
        "GET /items http://cart",
    ),
];

#[test]
fn forms_of_common_stacks_are_read() {
    let mut missing = Vec::new();
    for (form, path, code, expected) in FORMS {
        let found = requests(path, code);
        if !found.iter().any(|one| one == expected) {
            missing.push(format!("{form}: `{expected}` is not in {found:?}"));
        }
    }
    assert!(missing.is_empty(), "{} of {}:\n{}", missing.len(), FORMS.len(), missing.join("\n"));
}
