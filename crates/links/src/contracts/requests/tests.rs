//! Requests of each client: a request, and calls that only look like one.

mod addresses;
mod forms;
mod narrowed;
mod near_misses;
mod objects;

use crate::testing::contracts;

/// Returns the requests of a file as `METHOD PATH ADDRESS`.
fn requests(path: &str, code: &str) -> Vec<String> {
    let fixture = format!("//- /{path}\n{code}");
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "*"];
    let is_request = |line: &String| {
        line.strip_prefix("- ").is_some_and(|rest| methods.iter().any(|method| rest.starts_with(&format!("{method} "))))
    };
    let lines = contracts(&fixture).into_iter().filter(is_request);
    lines.map(|line| line[2..].split(" by ").next().unwrap_or_default().to_owned()).collect()
}

/// Client, path of the file, code, request.
#[rustfmt::skip]
pub(in crate::contracts) const REQUESTS: &[(&str, &str, &str, &str)] = &[
    // Go.
    ("net/http function", "a.go", "package a\nimport (\"net/http\"; \"os\")\nfunc f() { http.Get(os.Getenv(\"CART_URL\") + \"/items\") }", "GET /items {env:CART_URL}"),
    ("net/http NewRequest", "a.go", "package a\nimport (\"net/http\"; \"fmt\")\nfunc f(id string) { http.NewRequest(http.MethodPut, fmt.Sprintf(\"http://cart:80/items/%s\", id), nil) }", "PUT /items/{} http://cart:80"),
    ("net/http NewRequestWithContext", "a.go", "package a\nimport \"net/http\"\nconst base = \"http://cart\"\nfunc f() { http.NewRequestWithContext(ctx, \"DELETE\", base+\"/items\", nil) }", "DELETE /items http://cart"),
    ("net/http client", "a.go", "package a\nimport \"net/http\"\ntype S struct { c *http.Client; addr string }\nfunc New() *S { return &S{c: &http.Client{}, addr: \"http://cart\"} }\nfunc (s *S) f() { s.c.Get(s.addr + \"/items\") }", "GET /items http://cart"),
    ("field from a variable", "a.go", "package a\nimport \"net/http\"\ntype S struct { addr string }\nfunc main() { s := new(S); mapEnv(&s.addr, \"CART_ADDR\") }\nfunc (s *S) f() { url := \"http://\" + s.addr; http.NewRequest(\"POST\", url, nil) }", "POST / http://{env:CART_ADDR}"),
    ("resty", "a.go", "package a\nimport \"github.com/go-resty/resty/v2\"\nfunc f() { c := resty.New(); c.R().SetResult(x).Get(\"http://cart/items\") }", "GET /items http://cart"),
    ("url.JoinPath", "a.go", "package a\nimport (\"net/http\"; \"net/url\"; \"os\")\nfunc f() { u, _ := url.JoinPath(os.Getenv(\"CART_URL\"), \"items\", id); http.Get(u) }", "GET /items/{} {env:CART_URL}"),
    ("wrapper", "a.go", "package a\nimport \"net/http\"\nfunc get(path string) { http.Get(\"http://cart\" + path) }\nfunc f() { get(\"/items\") }", "GET /items http://cart"),
    ("helper for a URL", "a.go", "package a\nimport \"net/http\"\nfunc url(path string) string { return \"http://cart\" + path }\nfunc f() { http.Get(url(\"/items\")) }", "GET /items http://cart"),
    // JavaScript and TypeScript.
    ("fetch", "a.ts", "async function f(id: string) { return fetch(`/api/items/${id}`) }", "GET /api/items/{}"),
    ("fetch with a method", "a.ts", "const B = process.env.CART_URL || 'http://cart'\nfunction f() { return fetch(B + '/items', { method: 'POST' }) }", "POST /items {env:CART_URL}|http://cart"),
    ("fetch with a template", "a.ts", "const B = process.env.CART_URL\nfunction f() { return fetch(`${B}/items`) }", "GET /items {env:CART_URL}"),
    ("new URL", "a.ts", "function f() { return fetch(new URL('/items', process.env.CART_URL)) }", "GET /items {env:CART_URL}"),
    ("axios", "a.js", "const axios = require('axios')\nfunction f() { axios.put('http://cart/items/1', {}) }", "PUT /items/1 http://cart"),
    ("axios with options", "a.js", "import axios from 'axios'\nfunction f() { axios({ method: 'post', url: 'http://cart/items' }) }", "POST /items http://cart"),
    ("instance of axios", "a.ts", "import axios from 'axios'\nconst api = axios.create({ baseURL: process.env.CART_URL })\nexport function f() { return api.get('/items') }", "GET /items {env:CART_URL}"),
    ("got", "a.ts", "import got from 'got'\nfunction f() { got.post('http://cart/items') }", "POST /items http://cart"),
    ("ky", "a.ts", "import ky from 'ky'\nconst api = ky.create({ prefixUrl: 'http://cart' })\nfunction f() { api.get('items') }", "GET /items http://cart"),
    ("undici", "a.ts", "import { request } from 'undici'\nfunction f() { request('http://cart/items', { method: 'DELETE' }) }", "DELETE /items http://cart"),
    ("superagent", "a.js", "const superagent = require('superagent')\nfunction f() { superagent.get('http://cart/items') }", "GET /items http://cart"),
    ("request", "a.js", "const request = require('request')\nfunction f() { request.get('http://cart/items', cb) }", "GET /items http://cart"),
    ("Angular", "a.ts", "import { HttpClient } from '@angular/common/http'\nclass S { private url = '/api/items'; constructor(private http: HttpClient) {}\n f(id: number) { return this.http.get<Item>(`${this.url}/${id}`) } }", "GET /api/items/{}"),
    ("Nest", "a.ts", "import { HttpService } from '@nestjs/axios'\nclass S { constructor(private readonly httpService: HttpService) {}\n f() { return this.httpService.post('http://cart/items', {}) } }", "POST /items http://cart"),
    ("wrapper of two levels", "a.ts", "const B = 'http://cart'\nfunction request(method: string, path: string) { return fetch(B + path, { method }) }\nfunction post(path: string) { return request('POST', path) }\nfunction f() { return post('/items') }", "POST /items http://cart"),
    ("options of a wrapper", "a.ts", "class C { constructor(private base: string, private fetchImpl: typeof fetch) {}\n f() { return this.send('/items', { method: 'POST' }) }\n send(path: string, init: RequestInit) { return this.fetchImpl(`${this.base}${path}`, init) } }", "POST {}/items {}"),
    ("wrapper with an object", "a.ts", "interface P { url: string; method?: string }\nconst request = async <T>({ url = '', method = 'GET', query = {} }: P): Promise<T> => { const response = await fetch(`${base()}${url}?${new URLSearchParams(query)}`, { method }); return response.json() }\nfunction f() { return request<string[]>({ url: `/api/items` }) }", "GET {}/api/items {}"),
    ("named wrapper with a method", "a.ts", "const request = async <T>({ url = '', method = 'GET' }): Promise<T> => { return fetch(`http://cart${url}`, { method }) }\nfunction f() { return request<string[]>({ url: `/api/items`, method: 'POST' }) }", "POST /api/items http://cart"),
    ("given or own session", "a.py", "import requests\nclass A:\n    def __init__(self, session=None):\n        self.http = session or requests.Session()\n    def f(self): return self.http.get('http://cart/items')", "GET /items http://cart"),
    ("base of an unknown object", "a.js", "const axios = require('axios')\nfunction f(config) { return axios.get(`${config.baseUrl}/items`) }", "GET {}/items {}"),
    ("wrapper with a parameter that has fields", "a.js", "function send(options) { return fetch('http://cart' + options.url, { method: options.method }) }\nfunction f(id) { return send({ url: '/items/' + id, method: 'PUT' }) }", "PUT /items/{} http://cart"),
    ("options in a variable", "a.ts", "function f() { const options = { method: 'PUT' }\n return fetch('/api/items', options) }", "PUT /api/items"),
    ("options with a URL in a variable", "a.js", "const request = require('request')\nfunction f(id) { var options = { uri: 'http://cart/items/' + id, method: 'DELETE' }; request(options, function () {}) }", "DELETE /items/{} http://cart"),
    ("k6", "load.js", "import http from 'k6/http'\nexport default function () { http.get(`${__ENV.BASE}/items`) }", "GET /items {env:BASE}"),
    ("http of Node.js", "a.js", "const http = require('http')\nfunction f() { http.request({ hostname: process.env.CART_HOST, port: 80, path: '/items', method: 'PUT' }, cb) }", "PUT /items http://{env:CART_HOST}"),
    ("openapi-fetch", "a.ts", "import createClient from 'openapi-fetch'\nconst client = createClient<paths>({ baseUrl: 'http://cart' })\nfunction f() { client.GET('/items/{id}', {}) }", "GET /items/{} http://cart"),
    ("openapi-typescript-fetch", "a.ts", "import { Fetcher } from 'openapi-typescript-fetch'\nconst fetcher = Fetcher.for<paths>()\nconst get = fetcher.path('/items').method('get').create()", "GET {}/items {}"),
    ("openapi-typescript-codegen", "gen/ItemsService.ts", "export class ItemsService { public static get(id: string) { return __request(OpenAPI, { method: 'GET', url: '/items/{id}' }) } }", "GET {}/items/{} {}"),
    ("openapi-generator of TypeScript", "gen/ItemsApi.ts", "export class ItemsApi extends runtime.BaseAPI { async get(id: string) { const response = await this.request({ path: `/items/{id}`.replace('{id}', id), method: 'GET', headers }) } }", "GET {}/items/{} {}"),
    ("openapi-generator of Python", "gen/items_api.py", "class ItemsApi:\n    def get_item(self, id):\n        return self.api_client.call_api('/items/{id}', 'GET', path_params)", "GET {}/items/{} {}"),
    ("openapi-generator of JavaScript", "gen/DefaultApi.js", "export default class DefaultApi { getItem(id) { return this.apiClient.callApi('/items/{id}', 'PUT', pathParams) } }", "PUT {}/items/{} {}"),
    ("openapi-generator of Ruby", "gen/items_api.rb", "class ItemsApi\n  def get_item(id, opts = {})\n    local_var_path = '/items/{id}'.sub('{' + 'id' + '}', CGI.escape(id.to_s))\n    @api_client.call_api(:DELETE, local_var_path, opts)\n  end\nend", "DELETE {}/items/{} {}"),
    ("openapi-generator of Kotlin", "gen/ItemsApi.kt", "class ItemsApi(basePath: String) : ApiClient(basePath) { fun config(id: String): RequestConfig<Unit> { return RequestConfig(method = RequestMethod.PUT, path = \"/items/{id}\".replace(\"{id}\", id), query = q) } }", "PUT {}/items/{} {}"),
    ("openapi-generator of C#", "gen/ItemsApi.cs", "public class ItemsApi { public Item GetItem(string id) { return this.Client.Get<Item>(\"/items/{id}\", options, this.Configuration); } }", "GET /items/{}"),
    ("openapi-generator of PHP", "gen/ItemsApi.php", "<?php\nuse GuzzleHttp\\Psr7\\Request;\nclass ItemsApi { function request($host) { $resourcePath = '/items/{id}'; return new Request('PATCH', $host . $resourcePath); } }", "PATCH {}/items/{} {}"),
    ("request of PSR-7", "a.php", "<?php\nuse GuzzleHttp\\Psr7\\Request;\nfunction f($client) { $client->send(new Request('PUT', 'http://cart/items')); }", "PUT /items http://cart"),
    ("branches of a URL", "a.ts", "function f(id?: string) { const url = id ? '/api/items/' + id : '/api/lists'\n return fetch(url) }", "GET /api/lists"),
    ("MicroProfile with a key", "A.java", "@Path(\"/items\") @RegisterRestClient(configKey = \"cart-client\") interface A { @GET @Path(\"/new\") Item f(); }", "GET /items/new {env:quarkus.rest-client.cart-client.url}"),
    ("openapi-generator of Java", "gen/ItemsApi.java", "class ItemsApi { Item getItem(String id) { String localVarPath = \"/items/{id}\"; return apiClient.invokeAPI(localVarPath, \"GET\", p); } }", "GET {}/items/{} {}"),
    ("openapi-generator of Go", "gen/api.go", "package gen\nimport \"net/http\"\nfunc (a *ItemsApi) Get(ctx C) { localVarPath := a.base + \"/items\"; a.client.prepareRequest(ctx, localVarPath, http.MethodGet, body) }", "GET {}/items {}"),
    ("field of a settings object", "a.py", "import os\nimport requests\nfrom pydantic import BaseModel\nclass Settings(BaseModel):\n    cart_url: str\nclass App:\n    def __init__(self, settings: Settings):\n        self.settings = settings\n    def show(self):\n        return requests.post(self.settings.cart_url, timeout=1)\ndef settings():\n    return Settings(cart_url=f\"http://{os.getenv('CART_HOST', 'cart')}/items\")", "POST /items http://{env:CART_HOST}|http://cart"),
    ("node-fetch", "a.js", "const fetch = require('node-fetch')\nfunction f() { fetch('http://cart/items') }", "GET /items http://cart"),
    ("jQuery", "a.js", "function f() { $.ajax({ url: '/api/items', type: 'POST' }) }", "POST /api/items"),
    ("Nuxt", "a.ts", "async function f() { return $fetch('/api/items') }", "GET /api/items"),
    // Python.
    ("requests", "a.py", "import os, requests\ndef f(): requests.get(os.environ['CART_URL'] + '/items')", "GET /items {env:CART_URL}"),
    ("requests with a format", "a.py", "import os, requests\nURL = os.environ.get('CART_URL', 'http://cart')\ndef f(id): requests.post('{}/items/{}'.format(URL, id))", "POST /items/{} {env:CART_URL}|http://cart"),
    ("requests with a percent", "a.py", "import requests\ndef f(id): requests.put('http://%s/items/%s' % ('cart', id))", "PUT /items/{} http://cart"),
    ("requests.request", "a.py", "import requests\ndef f(): requests.request('PATCH', 'http://cart/items')", "PATCH /items http://cart"),
    ("session", "a.py", "import requests\nclass C:\n    def __init__(self, base='http://cart'):\n        self.base = base\n        self.session = requests.Session()\n    def f(self):\n        return self.session.delete(f'{self.base}/items')", "DELETE {}/items {}|http://cart"),
    ("httpx", "a.py", "import httpx\nclient = httpx.Client(base_url='http://cart')\ndef f(): client.get('/items')", "GET /items http://cart"),
    ("httpx with a block", "a.py", "import httpx\nasync def f():\n    async with httpx.AsyncClient(base_url='http://cart') as c:\n        await c.post('/items')", "POST /items http://cart"),
    ("aiohttp", "a.py", "import aiohttp\nasync def f():\n    async with aiohttp.ClientSession() as session:\n        async with session.get('http://cart/items') as r:\n            pass", "GET /items http://cart"),
    ("urllib", "a.py", "from urllib.request import urlopen\ndef f(): urlopen('http://cart/items')", "GET /items http://cart"),
    ("urllib with a method", "a.py", "import urllib.request\ndef f(): urllib.request.Request('http://cart/items', method='PUT')", "PUT /items http://cart"),
    ("urljoin", "a.py", "import requests\nfrom urllib.parse import urljoin\ndef f(): requests.get(urljoin('http://cart', '/items'))", "GET /items http://cart"),
    ("Locust", "locustfile.py", "from locust import HttpUser\nclass U(HttpUser):\n    def f(self): self.client.get('/items')", "GET {}/items {}"),
    ("setting of Flask", "a.py", "import os, requests\napp = Flask(__name__)\napp.config['CART'] = 'http://{}/items'.format(os.environ.get('CART_ADDR'))\ndef f(): requests.get(app.config['CART'])", "GET /items http://{env:CART_ADDR}"),
    ("constant of another file", "a.py", "import requests\nfrom config import CART\ndef f(): requests.get(CART + '/items')\n//- /config.py\nimport os\nCART = os.getenv('CART_URL')", "GET /items {env:CART_URL}"),
    ("constructed client of Python", "a.py", "import os, requests\nclass Cart:\n    def __init__(self, base):\n        self.base = base\n    def f(self): requests.get(f'{self.base}/items')\ncart = Cart(os.environ['CART_URL'])", "GET /items {env:CART_URL}"),
    ("constructed client of Go", "a.go", "package a\nimport (\"net/http\"; \"os\")\ntype Cart struct { base string }\nfunc NewCart(base string) *Cart { return &Cart{base: base} }\nfunc (c *Cart) f() { http.Get(c.base + \"/items\") }\nfunc main() { NewCart(os.Getenv(\"CART_URL\")) }", "GET /items {env:CART_URL}"),
    ("constructed client of TypeScript", "a.ts", "class Cart { private base: string\n constructor(base: string) { this.base = base }\n f() { return fetch(`${this.base}/items`) } }\nexport const cart = new Cart(process.env.CART_URL)", "GET /items {env:CART_URL}"),
    ("constructed client of Java", "A.java", "class Cart { private String base; Cart(String base) { this.base = base; } void f() { new HttpPost(base + \"/items\"); } }\nclass B { void g() { new Cart(System.getenv(\"CART_URL\")); } }", "POST /items {env:CART_URL}"),
    // Java and Kotlin.
    ("RestTemplate", "A.java", "class A { @Value(\"${cart.url}\") private String url; private final RestTemplate rest = new RestTemplate();\n void f() { rest.getForObject(url + \"/items/{id}\", Item.class, 1); } }", "GET /items/{} {env:cart.url}"),
    ("RestTemplate exchange", "A.java", "class A { RestTemplate rest; void f() { rest.exchange(\"http://cart/items\", HttpMethod.PUT, e, Item.class); } }", "PUT /items http://cart"),
    ("WebClient", "A.java", "class A { private final WebClient client = WebClient.create(\"http://cart\"); void f() { client.post().uri(\"/items\").retrieve(); } }", "POST /items http://cart"),
    ("WebClient with a builder", "A.java", "class A { WebClient client = WebClient.builder().baseUrl(\"http://cart\").build(); void f() { client.get().uri(b -> b.path(\"/items\").build()).retrieve(); } }", "GET /items http://cart"),
    ("RestClient", "A.java", "class A { RestClient client; void f() { client.method(HttpMethod.DELETE).uri(\"http://cart/items\").retrieve(); } }", "DELETE /items http://cart"),
    ("Feign", "A.java", "@FeignClient(name = \"cart\", path = \"/v1\") interface A { @GetMapping(\"/items/{id}\") Item f(); }", "GET /v1/items/{} http://cart"),
    ("Feign behind a mapping", "A.java", "@RequestMapping(\"/v1\") @FeignClient(\"cart\") interface A { @GetMapping(\"/items\") Item f(); }", "GET /v1/items http://cart"),
    ("Feign with a URL", "A.java", "@FeignClient(name = \"cart\", url = \"${cart.url}\") interface A { @RequestMapping(method = RequestMethod.POST, value = \"/items\") Item f(); }", "POST /items {env:cart.url}"),
    ("HTTP interface without an annotation", "A.java", "interface A { @GetExchange(\"/items\") Item f(); }", "GET /items"),
    ("HTTP interface", "A.java", "@HttpExchange(\"http://cart\") interface A { @GetExchange(\"/items\") Item f(); }", "GET /items http://cart"),
    ("OkHttp", "A.java", "class A { void f() { new Request.Builder().url(\"http://cart/items\").post(body).build(); } }", "POST /items http://cart"),
    ("Retrofit", "A.java", "interface A { @GET(\"/items/{id}\") Call<Item> f(); }", "GET /items/{}"),
    ("JDK", "A.java", "class A { void f() { HttpRequest.newBuilder(URI.create(\"http://cart/items\")).PUT(b).build(); } }", "PUT /items http://cart"),
    ("JDK with uri", "A.java", "class A { void f() { HttpRequest.newBuilder().uri(URI.create(String.format(\"http://%s/items\", System.getenv(\"CART_HOST\")))).GET().build(); } }", "GET /items http://{env:CART_HOST}"),
    ("Apache", "A.java", "class A { void f() { new HttpPost(\"http://cart/items\"); } }", "POST /items http://cart"),
    ("Micronaut", "A.java", "@Client(\"http://cart\") interface A { @Get(\"/items\") Item f(); }", "GET /items http://cart"),
    ("MicroProfile", "A.java", "@RegisterRestClient(baseUri = \"http://cart\") interface A { @GET @Path(\"/items\") Item f(); }", "GET /items http://cart"),
    ("Ktor", "A.kt", "class A { val client = HttpClient(CIO)\n suspend fun f() { client.get(\"http://cart/items\") } }", "GET /items http://cart"),
    ("RestTemplate of Kotlin", "A.kt", "class A(private val rest: RestTemplate) { fun f() { rest.postForEntity(\"http://cart/items\", x, Item::class.java) } }", "POST /items http://cart"),
    // C#.
    ("HttpClient", "A.cs", "class A { private readonly HttpClient _http; async Task F() { await _http.GetAsync(\"http://cart/items\"); } }", "GET /items http://cart"),
    ("HttpClient with JSON", "A.cs", "class A { private readonly HttpClient _http; async Task F(int id) { await _http.PostAsJsonAsync($\"http://cart/items/{id}\", x); } }", "POST /items/{} http://cart"),
    ("HttpClient with a setting", "A.cs", "class A { HttpClient http; IConfiguration configuration; Task F() { return http.GetStringAsync(configuration[\"Services:Cart\"] + \"/items\"); } }", "GET /items {env:Services:Cart}"),
    ("HttpRequestMessage", "A.cs", "class A { void F() { var m = new HttpRequestMessage(HttpMethod.Put, \"http://cart/items\"); } }", "PUT /items http://cart"),
    ("BaseAddress", "A.cs", "class A { void F() { var c = new HttpClient { BaseAddress = new Uri(\"http://cart\") }; c.GetAsync(\"/items\"); } }", "GET /items http://cart"),
    ("typed client", "P.cs", "class P { void F(IServiceCollection s) { s.AddHttpClient<CartClient>(o => o.BaseAddress = new(\"http://cart\")); } }\nclass CartClient(HttpClient http) { Task F() { return http.GetAsync(\"/items\"); } }", "GET /items http://cart"),
    ("Refit", "A.cs", "interface A { [Get(\"/items/{id}\")] Task<Item> F(int id); }", "GET /items/{}"),
    ("Refit with a client", "A.cs", "interface ICart { [Get(\"/items/{id}\")] Task<Item> F(int id); }\nclass Cart { Cart(IConfiguration config, HttpClient http) { string at = config.GetSection(\"Services\").GetValue<string>(\"Cart\"); http.BaseAddress = new Uri($\"http://{at}/api\"); c = RestService.For<ICart>(http, new RefitSettings { A = 1 }); } }", "GET /api/items/{} http://{env:Services:Cart}"),
    ("Refit with an address", "A.cs", "interface ICart { [Post(\"/items\")] Task F(Item i); }\nclass Cart { Cart(IConfiguration config) { c = RestService.For<ICart>(config.GetSection(\"Cart\").Value); } }", "POST /items {env:Cart}"),
    ("Retrofit with a base", "A.java", "interface Cart { @GET(\"items/{id}\") Call<Item> f(@Path(\"id\") int id); }\nclass A { Cart cart() { Retrofit r = new Retrofit.Builder().baseUrl(\"http://cart/api/\").addConverterFactory(f()).build(); return r.create(Cart.class); } }", "GET /api/items/{} http://cart"),
    ("Retrofit in Kotlin", "A.kt", "interface Cart { @POST(\"items\") fun f(@Body i: Item): Call<Item> }\nfun cart(): Cart { return Retrofit.Builder().baseUrl(\"http://cart/\").build().create(Cart::class.java) }", "POST /items http://cart"),
    ("Feign's own annotation", "A.java", "interface Cart { @RequestLine(\"PUT /items/{id}\") void f(@Param(\"id\") int id); }\nclass A { Cart cart() { return Feign.builder().target(Cart.class, \"http://cart\"); } }", "PUT /items/{} http://cart"),
    ("Feign's builder", "A.java", "interface Cart { @GetMapping(\"/items\") List<Item> f(); }\nclass A { Cart cart() { return Feign.builder().encoder(e()).target(Cart.class, System.getenv(\"CART_URL\")); } }", "GET /items {env:CART_URL}"),
    // Ruby.
    ("Net::HTTP", "a.rb", "require 'net/http'\ndef f\n  Net::HTTP.get(URI(\"#{ENV['CART_URL']}/items\"))\nend", "GET /items {env:CART_URL}"),
    ("Net::HTTP request", "a.rb", "require 'net/http'\ndef f\n  Net::HTTP::Post.new(URI('http://cart/items'))\nend", "POST /items http://cart"),
    ("Faraday", "a.rb", "def f\n  conn = Faraday.new(url: 'http://cart')\n  conn.get('/items')\nend", "GET /items http://cart"),
    ("HTTParty", "a.rb", "def f\n  HTTParty.post('http://cart/items')\nend", "POST /items http://cart"),
    ("RestClient of Ruby", "a.rb", "def f\n  RestClient.get('http://cart/items')\nend", "GET /items http://cart"),
    // PHP.
    ("Guzzle", "a.php", "<?php\nuse GuzzleHttp\\Client;\nfunction f() { $client = new Client(['base_uri' => 'http://cart']); $client->request('POST', '/items'); }", "POST /items http://cart"),
    ("Guzzle verb", "a.php", "<?php\nuse GuzzleHttp\\Client;\nclass A { private Client $http; function f() { $this->http->get('http://cart/items'); } }", "GET /items http://cart"),
    ("curl of PHP", "a.php", "<?php\nfunction f() { $c = curl_init(getenv('CART_URL') . '/items'); }", "GET /items {env:CART_URL}"),
    ("Laravel", "a.php", "<?php\nfunction f() { Http::put('http://cart/items'); }", "PUT /items http://cart"),
    // Elixir.
    ("Req", "a.ex", "defmodule A do\n  def f do\n    Req.get!(\"http://cart/items\")\n  end\nend", "GET /items http://cart"),
    ("Tesla", "a.ex", "defmodule A do\n  def f(client) do\n    Tesla.post(client, \"http://cart/items\", %{})\n  end\nend", "POST /items http://cart"),
    ("HTTPoison", "a.ex", "defmodule A do\n  def f do\n    HTTPoison.get(System.get_env(\"CART_URL\") <> \"/items\")\n  end\nend", "GET /items {env:CART_URL}"),
    // Rust.
    ("reqwest", "a.rs", "async fn f() { reqwest::get(\"http://cart/items\").await.unwrap(); }", "GET /items http://cart"),
    ("client of reqwest", "a.rs", "use reqwest::Client;\nasync fn f(client: &Client, id: u32) { client.post(format!(\"http://cart/items/{id}\")).send().await; }", "POST /items/{} http://cart"),
    ("reqwest with a variable", "a.rs", "async fn f() { let base = std::env::var(\"CART_URL\").unwrap_or(\"http://cart\".to_string()); reqwest::Client::new().get(format!(\"{}/items\", base)).send().await; }", "GET /items {env:CART_URL}|http://cart"),
    ("ureq", "a.rs", "fn f() { ureq::put(\"http://cart/items\").call(); }", "PUT /items http://cart"),
    ("hyper", "a.rs", "use hyper::Request;\nfn f() { Request::builder().method(\"POST\").uri(\"http://cart/items\").body(b); }", "POST /items http://cart"),
    // Dart and shell.
    ("http of Dart", "a.dart", "import 'package:http/http.dart' as http;\nvoid f() { http.get(Uri.parse('http://cart/items')); }", "GET /items http://cart"),
    ("curl", "a.sh", "curl -s -X POST http://cart/items -d '{}'", "POST /items http://cart"),
    ("HTTPie", "a.sh", "http http://cart/items id=1 name=cup", "POST /items http://cart"),
    ("HTTPie with a query", "a.sh", "http http://cart/items id==1", "GET /items http://cart"),
    ("HTTPie with options", "a.sh", "http http://cart/items --timeout=5 --verify=no -a bob@x.org:pw", "GET /items http://cart"),
    ("HTTPie with a method", "a.sh", "http PUT http://cart/items id=1", "PUT /items http://cart"),
    ("HTTPie with GET", "a.sh", "http GET http://cart/items id=1", "GET /items http://cart"),
    ("HTTPie with flags of curl", "a.sh", "http -I --form -d http://cart/items", "GET /items http://cart"),
    ("hey with a type", "a.sh", "hey -m POST -T application/json -d '{}' http://cart/items", "POST /items http://cart"),
    ("hey with a body", "a.sh", "hey -d '{}' http://cart/items", "GET /items http://cart"),
    ("wget with a timeout", "a.sh", "wget -T 5 -d http://cart/items", "GET /items http://cart"),
    ("curl with data and GET", "a.sh", "curl -X GET -d a http://cart/items", "GET /items http://cart"),
    ("curl with data in the query", "a.sh", "curl -d a -G http://cart/items", "GET /items http://cart"),
    ("curl with a file", "a.sh", "curl -T a.txt http://cart/items", "PUT /items http://cart"),
    ("hey", "a.sh", "hey -z 10s -m POST -D a.json http://cart/items", "POST /items http://cart"),
    ("Locust with another class", "locustfile.py", "from locust import HttpUser\nclass Database:\n    host = 'db:5432'\nclass U(HttpUser):\n    def f(self): self.client.get('/items')", "GET {}/items {}"),
    ("Locust with a user without a host", "locustfile.py", "from locust import HttpUser\nclass A(HttpUser):\n    host = 'http://a'\nclass B(HttpUser):\n    def f(self): self.client.get('/items')", "GET {}/items {}"),
    ("Locust with an inherited host", "locustfile.py", "from locust import HttpUser\nclass Base(HttpUser):\n    host = 'http://cart'\nclass B(Base):\n    def f(self): self.client.get('/items')", "GET /items http://cart"),
    ("Locust with a port", "locustfile.py", "from locust import HttpUser\nclass U(HttpUser):\n    host = 'http://cart'\n    def f(self): self.client.get(':81/items')", "GET /items http://cart:81"),
    ("curl with a variable", "a.sh", "curl \"$CART_URL/items\"", "GET /items {env:CART_URL}"),
];

/// Calls that only look like requests.
#[rustfmt::skip]
pub(in crate::contracts) const NEAR_MISSES: &[(&str, &str)] = &[
    ("a.go", "package a\nfunc f(c *Cache) { c.Get(\"/items/a\") }"),
    ("a.go", "package a\nimport \"path\"\nfunc f() { path.Join(\"/items\", \"get\") }"),
    ("a.go", "package a\nimport \"github.com/gin-gonic/gin\"\nfunc get(c *gin.Context) {}\nfunc f() { r := gin.Default(); r.GET(\"/items\", get) }"),
    ("a.go", "package a\nimport \"net/http\"\nfunc f(r *http.Request) { r.Header.Get(\"/items/a\") }"),
    ("a.ts", "app.get('/items/:id', (req, res) => {})"),
    ("a.ts", "const m = new Map<string, number>()\nm.get('/items/a')\nm.delete('/items/a')"),
    ("a.ts", "import { cache } from './cache'\ncache.get('/items/a')"),
    ("a.ts", "const params = new URLSearchParams()\nparams.get('/items/a')"),
    ("a.ts", "import fs from 'fs'\nfs.open('/items/a')"),
    ("a.py", "import os\nos.path.join('/usr', 'get')"),
    ("a.py", "d = {}\nd.get('/items/a')"),
    ("a.py", "from app import cache\ncache.delete('/items/a')"),
    ("a.py", "from django.test import Client\nclass T:\n    def f(self): self.store.get('/items/a')"),
    ("A.java", "class A { Map<String, Integer> map; void f() { map.get(\"/items/a\"); } }"),
    ("A.java", "class A { Registry registry; void f() { registry.put(\"/items/a\", 1); } }"),
    ("A.kt", "class A { val map = HashMap<String, Int>()\n fun f() { map.get(\"/items/a\") } }"),
    ("A.cs", "class A { Dictionary<string, int> d; void F() { d.GetAsync(\"/items/a\"); } }"),
    ("a.rb", "def f(h)\n  h.get('/items/a')\nend"),
    ("a.php", "<?php\nfunction f($cache) { $cache->get('/items/a'); }"),
    ("a.ex", "defmodule A do\n  def f(m) do\n    Map.get(m, \"/items/a\")\n  end\nend"),
    ("a.rs", "use std::collections::HashMap;\nfn f(m: &HashMap<String, u32>) { m.get(\"/items/a\"); }"),
    ("a.sh", "echo http://cart/items"),
    ("a.ts", "cache.GET('/items/a')"),
    ("a.ts", "queue.request({ name: '/items/a', kind: 'GET' })"),
    ("a.py", "def f(api): api.call_api('items', 'now')"),
    ("a.rb", "def f(api)\n  api.call_api(:items, '/items/a')\nend"),
    ("a.kt", "fun f() { PageConfig(method = \"GET\", path = \"/items/a\") }"),
    ("a.cs", "class A { Cache Store; void F() { this.Store.Get<Item>(\"/items/a\"); } }"),
    ("a.php", "<?php\nfunction f() { return new Page('GET', '/items/a'); }"),
    // One of each client: its names in other libraries, and its other functions.
    ("resty.go", "package a\nimport \"github.com/go-resty/resty/v2\"\nfunc f() { resty.New().SetHeader(\"/items/a\", \"b\") }"),
    ("fetch.ts", "import { fetch } from './cache'\nfetch('/items/a')"),
    ("axios.ts", "import axios from 'axios'\naxios.isCancel('/items/a')"),
    ("got.ts", "const got = '/items/a'\nuse(got)"),
    ("ky.ts", "import ky from './ky'\nky.get('/items/a')"),
    ("undici.ts", "import { Pool } from 'undici'\nPool.name('/items/a')"),
    ("superagent.js", "const superagent = require('./superagent')\nsuperagent.get('/items/a')"),
    ("angular.ts", "class S { constructor(private router: Router) {}\n f() { this.router.get('/items/a') } }"),
    ("nest.ts", "class S { constructor(private store: HttpStore) {}\n f() { this.store.post('/items/a', {}) } }"),
    ("k6.js", "import { check } from 'k6'\ncheck('/items/a', {})"),
    ("jquery.js", "$('#a').data('/items/a')"),
    ("session.py", "import requests\ns = requests.Session()\ns.mount('/items/a', adapter)"),
    ("httpx.py", "import httpx\nhttpx.Headers({'a': '/items/a'})"),
    ("aiohttp.py", "from aiohttp import web\nweb.json_response('/items/a')"),
    ("urllib.py", "from urllib.parse import quote\nquote('/items/a')"),
    ("locust.py", "from locust import events\nclass U:\n    def f(self): self.store.get('/items/a')"),
    ("RestTemplate.java", "class A { RestTemplate rest; void f() { rest.setUriTemplateHandler(\"/items/a\"); } }"),
    ("WebClient.java", "class A { Page b; void f() { b.uri(\"/items/a\"); } }"),
    ("Feign.java", "interface A { @Named(\"/items/a\") Item f(); }"),
    ("OkHttp.java", "class A { void f() { new Page.Builder().url(\"/items/a\").build(); } }"),
    ("Retrofit.java", "class A { @GET(\"/items/a\") Call<Item> f() { return null; } }"),
    ("Jdk.java", "class A { void f() { Path.of(\"/items/a\"); } }"),
    ("Apache.java", "class A { void f() { new HttpHeader(\"/items/a\"); } }"),
    ("Micronaut.java", "@Named(\"cart\") interface A { @Query(\"/items/a\") Item f(); }"),
    ("Ktor.kt", "class A(private val repo: Repo) { fun f() { repo.get(\"/items/a\") } }"),
    ("HttpClient.cs", "class A { Cache http2; void F() { http2.GetAsync(\"/items/a\"); } }"),
    ("Refit.cs", "class A { [Fact(\"/items/a\")] void F() {} }"),
    ("net_http.rb", "def f\n  Net::FTP.get('/items/a')\nend"),
    ("faraday.rb", "def f(conn)\n  conn.fetch_setting('/items/a')\nend"),
    ("httparty.rb", "def f\n  Party.post('/items/a')\nend"),
    ("guzzle.php", "<?php\nuse App\\Client;\nfunction f() { $s = new Store(); $s->request('POST', '/items/a'); }"),
    ("curl.php", "<?php\nfunction f() { curl_setopt('/items/a'); }"),
    ("tesla.ex", "defmodule A do\n  def f(c) do\n    Store.post(c, \"/items/a\", 1)\n  end\nend"),
    ("req.ex", "defmodule A do\n  def f do\n    Request.build(\"/items/a\")\n  end\nend"),
    ("reqwest.rs", "use crate::store::Client;\nfn f(store: &Store) { store.post(\"/items/a\"); }"),
    ("ureq.rs", "fn f() { queue::put(\"/items/a\"); }"),
    ("hyper.rs", "fn f() { Page::builder().method(\"POST\").uri(\"/items/a\"); }"),
    ("a.dart", "import 'store.dart';\nvoid f() { store.get('/items/a'); }"),
];

#[test]
fn requests_of_each_client_are_read() {
    let mut missing = Vec::new();
    for (client, path, code, expected) in REQUESTS {
        let found = requests(path, code);
        if !found.iter().any(|one| one == expected) {
            missing.push(format!("{client}: `{expected}` is not in {found:?}"));
        }
    }
    assert!(missing.is_empty(), "{} of {}:\n{}", missing.len(), REQUESTS.len(), missing.join("\n"));
}

#[test]
fn calls_that_look_like_requests_are_none() {
    let mut wrong = Vec::new();
    for (path, code) in NEAR_MISSES {
        let found = requests(path, code);
        if !found.is_empty() {
            wrong.push(format!("{code}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn wrappers_have_a_lower_confidence_and_send_nothing_themselves() {
    let lines = contracts(
        "//- /a.ts\nfunction get(path: string) { return fetch('http://cart' + path) }\nfunction f() { return get('/items') }",
    );
    let requests: Vec<&String> = lines.iter().filter(|line| line.starts_with("- GET")).collect();
    assert_eq!(requests, ["- GET /items http://cart by a.ts::f:2 0.7"]);
}

#[test]
fn values_of_modules_are_followed() {
    let request = "const request = require('request')\nconst urls = require('./urls')\nfunction f() { request(urls.cart + '/1') }";
    for (module, expected) in [
        ("module.exports = { cart: 'http://cart/items' }", &["- GET /items/1 http://cart by a.js::f:3 0.9"][..]),
        (
            "(function () {\n  const util = require('util')\n  let domain = ''\n  module.exports = { cart: util.format('http://cart%s/items', domain) }\n}())",
            &["- GET /items/1 http://cart by a.js::f:3 0.9"],
        ),
        ("exports.cart = 'http://cart/items'", &["- GET /items/1 http://cart by a.js::f:3 0.9"]),
        ("export default { cart: 'http://cart/items' }", &["- GET /items/1 http://cart by a.js::f:3 0.9"]),
        ("module.exports = { other: 'http://cart/items' }", &[]),
    ] {
        let lines = contracts(&format!("//- /urls.js\n{module}\n//- /a.js\n{request}"));
        let found: Vec<&String> = lines.iter().filter(|line| line.contains("http://cart")).collect();
        assert_eq!(found, expected, "{module}");
    }
}
