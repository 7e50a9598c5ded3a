//! Frameworks with routes, and clients that send requests. Most are cases of the tests of their readers.

use super::{ContractKind, NearMiss, NotationRow};
use crate::contracts::{requests::tests as requests, routes::tests as routes};

/// Framework, case of the tests of routes, path of their near miss; a near miss that is written here has its code.
#[rustfmt::skip]
const ROUTES: &[(&str, &str, &str, &str)] = &[
    ("net/http", "net/http", "mux.go", ""),
    ("net/http with patterns of methods", "net/http with a method", "a.go", "package a\nimport \"net/http\"\nfunc show(w http.ResponseWriter, r *http.Request) {}\nfunc f(mux *http.ServeMux) { mux.HandleFunc(\"DELETE /items/{id}\", show) }"),
    ("net/http with a base", "base of a variable", "a.go", "package a\nimport (\"net/http\"; \"os\")\nvar base = os.Getenv(\"BASE\")\nfunc f() { http.Get(base+\"/items\") }"),
    ("gorilla", "gorilla", "gorilla.go", ""),
    ("chi", "chi", "chi.go", ""),
    ("gin", "gin", "gin.go", ""),
    ("echo", "echo", "echo.go", ""),
    ("fiber", "fiber", "fiber.go", ""),
    ("Express", "Express", "express.js", ""),
    ("Fastify", "Fastify", "fastify.js", ""),
    ("Fastify with route()", "route of Fastify", "fastify.js", ""),
    ("Koa", "Koa", "koa.js", ""),
    ("Nest", "Nest", "nest.ts", ""),
    ("Next.js pages", "pages of Next.js", "lib/pages.ts", ""),
    ("Next.js app", "app of Next.js", "lib/route.ts", ""),
    ("Hono", "Hono", "hono.ts", ""),
    ("tRPC", "tRPC", "trpc.ts", ""),
    ("Flask", "Flask", "flask.py", ""),
    ("FastAPI", "FastAPI", "fastapi.py", ""),
    ("FastAPI with routers", "included router of FastAPI", "main.py", "from fastapi import FastAPI\nimport items\napp = FastAPI()\napp.include_router(items.router, prefix='/v2')\n//- /items.py\nfrom fastapi import APIRouter\nrouter = APIRouter()\n@router.get('/items')\ndef show(): pass"),
    ("FastAPI with calls", "call form of FastAPI", "a.py", "app = FastAPI()\ndef show(): pass\napp.add_exception_handler('/items', show)"),
    ("Django", "Django", "django.py", ""),
    ("Django REST framework", "view set of Django", "drf.py", ""),
    ("aiohttp server", "aiohttp", "aiohttp.py", ""),
    ("Starlette", "Starlette", "starlette.py", ""),
    ("Spring in Java", "Spring", "Spring.java", ""),
    ("Spring in Kotlin", "Spring of Kotlin", "A.kt", "@RestController\n@RequestMapping(\"/api\")\nclass A {\n    @Cacheable(\"/items\")\n    fun show() {}\n}"),
    ("JAX-RS", "JAX-RS", "Jaxrs.java", ""),
    ("Ktor server", "Ktor", "Ktor.kt", ""),
    ("Micronaut", "Micronaut", "Micronaut.java", ""),
    ("Quarkus", "Quarkus", "A.java", "@Path(\"/api\") @ApplicationScoped class A { @CacheResult(cacheName = \"/items\") void drop() {} }"),
    ("ASP.NET controllers", "controller of ASP.NET", "Aspnet.cs", ""),
    ("ASP.NET minimal", "minimal ASP.NET", "Minimal.cs", ""),
    ("Rails", "Rails", "rails.rb", ""),
    ("Sinatra", "Sinatra", "sinatra.rb", ""),
    ("Laravel", "Laravel", "laravel.php", ""),
    ("Symfony", "Symfony", "symfony.php", ""),
    ("Slim", "Slim", "slim.php", ""),
    ("Phoenix", "Phoenix", "phoenix.ex", ""),
    ("axum", "axum", "axum.rs", ""),
    ("actix", "actix", "actix.rs", ""),
    ("rocket", "rocket", "rocket.rs", ""),
    ("warp", "warp", "warp.rs", ""),
];

/// Client, case of the tests of requests, path of their near miss; a near miss that is written here has its code.
#[rustfmt::skip]
const CLIENTS: &[(&str, &str, &str, &str)] = &[
    ("net/http client", "net/http NewRequest", "a.go", "package a\nimport \"net/http\"\nfunc f(r *http.Request) { r.Header.Get(\"http://cart:80/items/1\") }"),
    ("resty", "resty", "resty.go", ""),
    ("fetch", "fetch with a method", "fetch.ts", ""),
    ("axios", "axios", "axios.ts", ""),
    ("axios instances", "instance of axios", "a.ts", "import axios from 'axios'\nconst api = axios.create({ baseURL: process.env.CART_URL })\nexport function f() { return api.getUri({ url: '/items' }) }"),
    ("got", "got", "got.ts", ""),
    ("ky", "ky", "ky.ts", ""),
    ("undici", "undici", "undici.ts", ""),
    ("requests", "requests", "a.py", "import os, requests\ndef f(): requests.utils.unquote(os.environ['CART_URL'] + '/items')"),
    ("sessions of requests", "session", "session.py", ""),
    ("httpx", "httpx", "httpx.py", ""),
    ("aiohttp client", "aiohttp", "aiohttp.py", ""),
    ("urllib", "urllib", "urllib.py", ""),
    ("RestTemplate", "RestTemplate", "RestTemplate.java", ""),
    ("WebClient", "WebClient", "WebClient.java", ""),
    ("Feign", "Feign", "Feign.java", ""),
    ("OkHttp", "OkHttp", "OkHttp.java", ""),
    ("Retrofit", "Retrofit with a base", "Retrofit.java", ""),
    ("client of the JDK", "JDK", "Jdk.java", ""),
    ("HttpClient of .NET", "HttpClient", "HttpClient.cs", ""),
    ("Refit", "Refit with a client", "Refit.cs", ""),
    ("Net::HTTP", "Net::HTTP", "net_http.rb", ""),
    ("Faraday", "Faraday", "faraday.rb", ""),
    ("HTTParty", "HTTParty", "httparty.rb", ""),
    ("Guzzle", "Guzzle", "guzzle.php", ""),
    ("curl of PHP", "curl of PHP", "curl.php", ""),
    ("Tesla", "Tesla", "tesla.ex", ""),
    ("Req", "Req", "req.ex", ""),
    ("reqwest", "client of reqwest", "reqwest.rs", ""),
    ("ureq", "ureq", "ureq.rs", ""),
    ("hyper", "hyper", "hyper.rs", ""),
    ("generated clients of OpenAPI", "openapi-fetch", "a.ts", "import createClient from './store'\nconst client = createClient<paths>({ baseUrl: 'http://cart' })\nfunction f() { client.GET('/items/{id}', {}) }"),
    ("curl in a shell", "curl", "a.sh", "echo curl -s -X POST http://cart/items -d '{}'"),
];

/// Client, path of the file, request, code, near miss.
#[rustfmt::skip]
const OTHER_CLIENTS: &[(&str, &str, &str, &str, &str)] = &[
    ("request objects", "a.ts", "POST /items", "function f() { const request = new Request('http://cart/items', { method: 'POST' }); return fetch(request) }", "function f() { return new Request('http://cart/items', { method: 'POST' }) }"),
    ("curl in CI", ".github/workflows/ci.yml", "GET /items", "on: push\njobs:\n  a:\n    steps:\n    - run: |\n        curl http://cart/items\n", "on: push\njobs:\n  a:\n    steps:\n    - name: curl http://cart/items\n      run: make\n"),
    ("k6", "load.js", "GET /items", "import http from 'k6/http'\nexport default function () { http.get('http://cart/items') }", "import { check } from 'k6'\nexport default function () { check('http://cart/items', {}) }"),
    ("Locust", "locustfile.py", "GET /items", "from locust import HttpUser, task\nclass Buyer(HttpUser):\n    host = 'http://cart'\n    @task\n    def f(self):\n        self.client.get('/items')\n", "from locust import User, task\nclass Buyer(User):\n    host = 'http://cart'\n    @task\n    def f(self):\n        self.store.get('/items')\n"),
];

/// Returns a row for each framework. A request of TypeScript asks for the route.
pub(super) fn routes() -> Vec<NotationRow> {
    let row = |(name, case, near_path, near_code): &(&str, &str, &str, &str)| {
        let (_, path, code, route) = routes::ROUTES.iter().find(|row| row.0 == *case).expect("a case");
        let (route, _) = route.split_once(" -> ").expect("a handler");
        let (method, template) = route.split_once(' ').expect("a method");
        let asked: Vec<&str> =
            template.split('/').map(|part| if part.contains([':', '{', '[', '<']) { "1" } else { part }).collect();
        let asked_with = if method == "*" { "GET" } else { method };
        let user = format!(
            "//- /user.ts\nexport function load() {{ return fetch('http://cart{}', {{ method: '{asked_with}' }}) }}",
            asked.join("/")
        );
        let near = near_miss(near_path, near_code, routes::NEAR_MISSES);
        NotationRow::new(name, ContractKind::Http, "", &user, &format!("//- /{path}\n{code}"), NearMiss::Provider(near))
    };
    ROUTES.iter().map(row).collect()
}

/// Returns a row for each client. A route of Express answers.
pub(super) fn clients() -> Vec<NotationRow> {
    let of_case = |(name, case, near_path, near_code): &(&str, &str, &str, &str)| {
        let (_, path, code, request) = requests::REQUESTS.iter().find(|row| row.0 == *case).expect("a case");
        let near = near_miss(near_path, near_code, requests::NEAR_MISSES);
        client(name, request, &format!("//- /{path}\n{code}"), near)
    };
    let written = OTHER_CLIENTS.iter().map(|(name, path, request, code, near)| {
        client(name, request, &format!("//- /{path}\n{code}"), format!("//- /{path}\n{near}"))
    });
    CLIENTS.iter().map(of_case).chain(written).collect()
}

fn client(name: &str, request: &str, user: &str, near: String) -> NotationRow {
    let mut parts = request.split(' ');
    let (method, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let path = path.trim_start_matches("{}").replace("{}", ":id");
    let provider = format!(
        "//- /app.js\nconst app = require('express')()\nfunction show(req, res) {{}}\napp.{}('{path}', show)\napp.get('/items/a', show)\napp.post('/items/a', show)\napp.put('/items/a', show)",
        method.to_ascii_lowercase()
    );
    NotationRow::new(name, ContractKind::Http, "", user, &provider, NearMiss::User(near))
}

fn near_miss(path: &str, code: &str, listed: &[(&str, &str)]) -> String {
    let code = match code {
        "" => listed.iter().find(|(one, _)| *one == path).expect("a near miss").1,
        code => code,
    };
    format!("//- /{path}\n{code}")
}
