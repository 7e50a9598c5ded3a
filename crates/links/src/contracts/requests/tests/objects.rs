//! Requests that are objects, and clients that another file makes.

use super::requests;

/// Form, path of the file, code, request.
#[rustfmt::skip]
const OBJECTS: &[(&str, &str, &str, &str)] = &[
    ("request of the Fetch API", "a.ts", "function f() { const request = new Request('http://cart/items', { method: 'POST' }); return fetch(request) }", "POST /items http://cart"),
    ("request of the Fetch API in its call", "a.ts", "function f() { return fetch(new Request(`${process.env.CART_URL}/items`, { method: 'PUT' })) }", "PUT /items {env:CART_URL}"),
    ("request of the Fetch API without options", "a.ts", "function f() { const request = new Request('http://cart/items'); return fetch(request) }", "GET /items http://cart"),
    ("request of the Fetch API with unknown options", "a.ts", "function f(options: RequestInit) { return fetch(new Request('http://cart/items', options)) }", "* /items http://cart"),
    ("axios with options in a variable", "a.js", "const axios = require('axios')\nfunction f() { const config = { method: 'put', url: 'http://cart/items' }; return axios.request(config) }", "PUT /items http://cart"),
    ("instance of axios with options", "a.ts", "import axios from 'axios'\nconst client = axios.create({ baseURL: 'http://cart' })\nfunction f() { return client.request({ method: 'POST', url: '/items' }) }", "POST /items http://cart"),
    ("called instance of axios", "a.ts", "import axios from 'axios'\nconst client = axios.create({ baseURL: 'http://cart' })\nfunction f() { return client({ method: 'DELETE', url: '/items' }) }", "DELETE /items http://cart"),
    ("default export of an instance of axios", "a.ts", "import api from './api'\nexport function f() { return api.get('items/') }\n//- /api.ts\nimport axios from 'axios'\nconst api = axios.create({ baseURL: process.env.CART_URL })\nexport default api", "GET /items {env:CART_URL}"),
    ("module that is an instance of axios", "a.js", "const api = require('./api')\nfunction f() { return api.post('/items') }\n//- /api.js\nconst axios = require('axios')\nmodule.exports = axios.create({ baseURL: 'http://cart' })", "POST /items http://cart"),
    ("imported function of an instance of axios", "a.js", "import request from './request'\nexport function f(data) { return request({ url: '/items', method: 'post', data }) }\n//- /request.js\nimport axios from 'axios'\nconst service = axios.create({ baseURL: process.env.VUE_APP_CART })\nexport default service", "POST /items {env:VUE_APP_CART}"),
    ("message of .NET with fields", "A.cs", "class A { HttpClient http; async Task F() { var m = new HttpRequestMessage { Method = HttpMethod.Put, RequestUri = new Uri(\"http://cart/items\") }; await http.SendAsync(m); } }", "PUT /items http://cart"),
    ("message of .NET with later fields", "A.cs", "class A { HttpClient http; async Task F() { var m = new HttpRequestMessage(); m.Method = HttpMethod.Delete; m.RequestUri = new Uri(\"http://cart/items\"); await http.SendAsync(m); } }", "DELETE /items http://cart"),
    ("request of RestSharp", "A.cs", "class A { async Task F(RestClient client) { var request = new RestRequest(\"/items/all\"); await client.ExecuteAsync(request); } }", "GET /items/all"),
    ("request of RestSharp with a method in its initializer", "A.cs", "class A { async Task F(RestClient client) { var request = new RestRequest(\"/items/all\") { Method = Method.Put }; await client.ExecuteAsync(request); } }", "PUT /items/all"),
    ("request of RestSharp with an initializer alone", "A.cs", "class A { async Task F(RestClient client) { var request = new RestRequest { Resource = \"/items/all\", Method = Method.DELETE }; await client.ExecuteAsync(request); } }", "DELETE /items/all"),
    ("request of RestSharp with a later method", "A.cs", "class A { async Task F(RestClient client) { var request = new RestRequest(\"/items/all\"); request.Method = Method.Post; await client.ExecuteAsync(request); } }", "POST /items/all"),
    ("function that makes a client of .NET", "A.cs", "static class Keys { public const string Cart = \"CART_ADDR\"; }\nclass A { IHttpClientFactory f; IConfiguration config; private string CartUrl => $\"http://{config[Keys.Cart]}/\";\n async Task F(int id) { var path = $\"items/{id}\"; using var c = Make(); await c.GetAsync(path); }\n private HttpClient Make() { var client = f.CreateClient(); client.BaseAddress = new Uri(CartUrl); return client; } }", "GET /items/{} http://{env:CART_ADDR}"),
    ("base that is assigned to a client of .NET", "A.cs", "class A { async Task F() { var c = new HttpClient(); c.BaseAddress = new Uri(\"http://cart\"); await c.GetAsync(\"/items\"); } }", "GET /items http://cart"),
    ("request that httpx builds", "a.py", "import httpx\ndef f():\n    client = httpx.Client(base_url='http://cart')\n    request = client.build_request('DELETE', '/items')\n    client.send(request)", "DELETE /items http://cart"),
    ("entity of Spring", "A.java", "class A { RestTemplate rest; void f() { RequestEntity<Item> e = new RequestEntity<>(item, HttpMethod.PUT, URI.create(\"http://cart/items\")); rest.exchange(e, Item.class); } }", "PUT /items http://cart"),
    ("entity of Spring with a type", "A.java", "class A { RestTemplate rest; void f(Item post) { RequestEntity<Item> e = new RequestEntity<>(post, HttpMethod.PUT, URI.create(\"http://cart/items\"), type); rest.exchange(e, Item.class); } }", "PUT /items http://cart"),
];

/// Code that looks alike, and the only requests that it sends.
#[rustfmt::skip]
const NEAR_MISSES: &[(&str, &str, &str, &[&str])] = &[
    ("request that is not sent", "a.ts", "function f() { return new Request('http://cart/items', { method: 'POST' }) }", &[]),
    ("function with a URL that is no client", "a.js", "import card from './card'\nfunction f() { return card({ url: '/items', method: 'post' }) }\n//- /card.js\nexport default function card(options) { return options.url }", &[]),
    ("default export of something else", "a.ts", "import store from './store'\nexport function f() { return store.get('items/') }\n//- /store.ts\nconst store = new Map()\nexport default store", &[]),
    ("message of .NET without an address", "A.cs", "class A { HttpClient http; async Task F() { var m = new HttpRequestMessage(); m.Method = HttpMethod.Delete; await http.SendAsync(m); } }", &[]),
    ("message of .NET with two methods", "A.cs", "class A { HttpClient http; async Task F(bool b) { var m = new HttpRequestMessage(); if (b) { m.Method = HttpMethod.Delete; } else { m.Method = HttpMethod.Put; } m.RequestUri = new Uri(\"http://cart/items\"); await http.SendAsync(m); } }", &["* /items http://cart"]),
    ("request of RestSharp with an unknown method", "A.cs", "class A { async Task F(RestClient client, Method method) { var request = new RestRequest(\"/items/all\", method); await client.ExecuteAsync(request); } }", &["* /items/all"]),
    ("request of RestSharp with two methods", "A.cs", "class A { async Task F(RestClient client, bool b) { var request = new RestRequest(\"/items/all\"); if (b) { request.Method = Method.Post; } else { request.Method = Method.Put; } await client.ExecuteAsync(request); } }", &["* /items/all"]),
    ("method of another request of RestSharp", "A.cs", "class A { async Task F(RestClient client, RestRequest other) { other.Method = Method.Post; var request = new RestRequest(\"/items/all\"); await client.ExecuteAsync(request); } }", &["GET /items/all"]),
    ("base of another client of .NET", "A.cs", "class A { async Task F(HttpClient other) { var c = new HttpClient(); other.BaseAddress = new Uri(\"http://cart\"); await c.GetAsync(\"/items\"); } }", &["GET /items"]),
    ("client of .NET with two bases", "A.cs", "class A { async Task F(bool b) { var c = new HttpClient(); if (b) { c.BaseAddress = new Uri(\"http://cart\"); } else { c.BaseAddress = new Uri(\"http://pay\"); } await c.GetAsync(\"/items\"); } }", &["GET /items"]),
    ("constant of one of two types", "A.cs", "class X { static class Keys { public const string Cart = \"A_ADDR\"; } }\nclass Y { static class Keys { public const string Cart = \"B_ADDR\"; } }\nclass A { HttpClient c; IConfiguration config; async Task F() { await c.GetAsync($\"http://{config[Keys.Cart]}/items\"); } }", &["GET /items http://{}"]),
    ("constant of a type of another folder", "a/A.cs", "class A { HttpClient c; IConfiguration config; async Task F() { await c.GetAsync($\"http://{config[Keys.Cart]}/items\"); } }\n//- /b/Keys.cs\nstatic class Keys { public const string Cart = \"CART_ADDR\"; }", &["GET /items http://{}"]),
    ("constant of a type with the name of a field", "A.cs", "static class Keys { public const string Cart = \"CART_ADDR\"; }\nclass A { HttpClient c; IConfiguration config; Other Keys; async Task F() { await c.GetAsync($\"http://{config[Keys.Cart]}/items\"); } }", &["GET /items http://{}"]),
    ("member of a type that is computed", "A.cs", "static class Keys { public static string Cart = Load(); }\nclass A { HttpClient c; IConfiguration config; async Task F() { await c.GetAsync($\"http://{config[Keys.Cart]}/items\"); } }", &["GET /items http://{}"]),
    ("constant of an imported namespace", "a/A.cs", "using Shop.Names;\nclass A { HttpClient c; IConfiguration config; async Task F() { await c.GetAsync($\"http://{config[Keys.Cart]}/items\"); } }\n//- /Names/Keys.cs\nnamespace Shop.Names;\nstatic class Keys { public const string Cart = \"CART_ADDR\"; }", &["GET /items http://{env:CART_ADDR}"]),
    ("address of another message", "A.cs", "class A { async Task F(HttpRequestMessage other) { var m = new HttpRequestMessage(); other.RequestUri = new Uri(\"http://cart/items\"); } }", &[]),
    ("method of the client that sends", "A.cs", "class A { async Task F() { var client = new RestClient(\"http://cart\"); var request = new RestRequest(\"/items/all\"); await client.PostAsync(request); } }", &["POST /items/all http://cart"]),
    ("named client of two applications", "c/A.cs", "class A { IHttpClientFactory f; async Task F() { var c = f.CreateClient(\"cart\"); await c.GetAsync(\"/items\"); } }\n//- /a/Program.cs\nclass P { static void Main(IServiceCollection s) { s.AddHttpClient(\"cart\", c => { c.BaseAddress = new Uri(\"http://cart\"); }); } }\n//- /b/Program.cs\nclass P { static void Main(IServiceCollection s) { s.AddHttpClient(\"cart\", c => { c.BaseAddress = new Uri(\"http://other\"); }); } }", &["GET /items"]),
    ("named client of the own application", "b/A.cs", "class A { IHttpClientFactory f; async Task F() { var c = f.CreateClient(\"cart\"); await c.GetAsync(\"/items\"); } }\n//- /a/Program.cs\nclass P { static void Main(IServiceCollection s) { s.AddHttpClient(\"cart\", c => { c.BaseAddress = new Uri(\"http://cart\"); }); } }\n//- /b/Program.cs\nclass P { static void Main(IServiceCollection s) { s.AddHttpClient(\"cart\", c => { c.BaseAddress = new Uri(\"http://other\"); }); } }", &["GET /items http://other"]),
    ("named client of another name", "A.cs", "class A { IHttpClientFactory f; async Task F() { var c = f.CreateClient(\"pay\"); await c.GetAsync(\"/items\"); } }\n//- /Program.cs\nclass P { static void Main(IServiceCollection s) { s.AddHttpClient(\"cart\", c => { c.BaseAddress = new Uri(\"http://cart\"); }); } }", &["GET /items"]),
    ("key that the dictionary has not", "a.py", "import requests\nURLS = {'cart': 'http://cart'}\ndef f(): return requests.get(URLS.get('pay') + '/items')", &["GET {}/items {}"]),
    ("request of another library of PHP", "a.php", "<?php\nuse App\\Http\\Request;\nfunction f($log) { $log->write(new Request('PUT', 'http://cart/items')); }", &[]),
    ("request of another library of PHP that is sent", "a.php", "<?php\nuse App\\Http\\Request;\nfunction f($client) { $request = new Request('PUT', 'http://cart/items'); $client->sendRequest($request); }", &["PUT /items http://cart"]),
    ("field that several methods assign", "a.ts", "class A { private url = ''; all() { this.url = '/items'; } one() { this.url = '/orders/all'; } send() { return fetch(this.url); } }", &["GET /items"]),
    ("branches of one variable", "a.ts", "function f(b: boolean) { const url = b ? '/items' : '/orders/all'; return fetch(url); }", &["GET /items", "GET /orders/all"]),
    ("entity of a response", "A.java", "class A { Object f() { return new ResponseEntity<>(item, HttpStatus.OK); } }", &[]),
];

#[test]
fn requests_that_are_objects_are_read() {
    let mut wrong = Vec::new();
    for (form, path, code, expected) in OBJECTS {
        let found = requests(path, code);
        if found != [*expected] {
            wrong.push(format!("{form}: {expected}, found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), OBJECTS.len(), wrong.join("\n"));
}

#[test]
fn objects_that_look_like_requests_are_none() {
    for (form, path, code, expected) in NEAR_MISSES {
        assert_eq!(requests(path, code), *expected, "{form}");
    }
}
