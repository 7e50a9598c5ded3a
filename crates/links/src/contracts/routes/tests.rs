//! Routes of each framework: a declaration, and calls that only look like one.

use crate::testing::contracts;

/// Returns the routes of the files of a fixture as `METHOD PATH -> HANDLER`.
fn routes(path: &str, code: &str) -> Vec<String> {
    let lines = contracts(&format!("//- /{path}\n{code}")).into_iter();
    lines.filter_map(|line| Some(line.strip_prefix("/ ")?.trim_end_matches(" -> ").to_owned())).collect()
}

/// Framework, path of the file, code, route.
#[rustfmt::skip]
pub(in crate::contracts) const ROUTES: &[(&str, &str, &str, &str)] = &[
    // Go.
    ("net/http", "a.go", "package a\nimport \"net/http\"\nfunc show(w http.ResponseWriter, r *http.Request) {}\nfunc f() { http.HandleFunc(\"/items\", show) }", "* /items -> a.go::show"),
    ("net/http with a method", "a.go", "package a\nimport \"net/http\"\nfunc show(w http.ResponseWriter, r *http.Request) {}\nfunc f(mux *http.ServeMux) { mux.HandleFunc(\"GET /items/{id}\", show) }", "GET /items/{id} -> a.go::show"),
    ("net/http with a wrapper", "a.go", "package a\nimport \"net/http\"\nfunc show(w http.ResponseWriter, r *http.Request) {}\nfunc log(h http.Handler) http.Handler { return h }\nfunc f(mux *http.ServeMux) { mux.Handle(\"POST /items\", log(http.HandlerFunc(show))) }", "POST /items -> a.go::show"),
    ("base of a variable", "a.go", "package a\nimport (\"net/http\"; \"os\")\nvar base = os.Getenv(\"BASE\")\nfunc show(w http.ResponseWriter, r *http.Request) {}\nfunc f() { http.HandleFunc(base+\"/items\", show) }", "* /items -> a.go::show"),
    ("gorilla", "a.go", "package a\nimport \"github.com/gorilla/mux\"\ntype S struct{}\nfunc (s *S) show() {}\nfunc f(s *S) { r := mux.NewRouter(); r.HandleFunc(\"/items/{id}\", s.show).Methods(\"GET\", \"HEAD\") }", "HEAD /items/{id} -> a.go::S.show"),
    ("routes of an interface", "A.java", "interface CartApi { @Get(\"/items/{id}\") Item show(String id); }\n@Controller(\"/cart\") class CartController implements CartApi { @Override public Item show(String id) { return null; } }", "GET /cart/items/{id} -> A.java::CartController.show"),
    ("prefix of gorilla", "a.go", "package a\nimport \"github.com/gorilla/mux\"\nfunc show() {}\nfunc f() { r := mux.NewRouter(); r.Methods(\"GET\").PathPrefix(\"/items\").HandlerFunc(show) }", "GET /items/* -> a.go::show"),
    ("subrouter of gorilla", "a.go", "package a\nimport \"github.com/gorilla/mux\"\nfunc show() {}\nfunc f() { r := mux.NewRouter(); s := r.PathPrefix(\"/api\").Subrouter(); s.Path(\"/items\").Methods(http.MethodPost).HandlerFunc(show) }", "POST /api/items -> a.go::show"),
    ("chi", "a.go", "package a\nimport \"github.com/go-chi/chi/v5\"\nfunc show() {}\nfunc f() { r := chi.NewRouter(); r.Route(\"/api\", func(r chi.Router) { r.With(auth).Get(\"/items\", show) }) }", "GET /api/items -> a.go::show"),
    ("mount of chi", "a.go", "package a\nimport \"github.com/go-chi/chi/v5\"\nfunc show() {}\nfunc items() chi.Router { r := chi.NewRouter(); r.Get(\"/items\", show); return r }\nfunc f() { r := chi.NewRouter(); r.Mount(\"/api\", items()) }", "GET /api/items -> a.go::show"),
    ("gin", "a.go", "package a\nimport \"github.com/gin-gonic/gin\"\nfunc show(c *gin.Context) {}\nfunc f() { r := gin.Default(); g := r.Group(\"/api\"); g.GET(\"/items/:id\", auth(), show) }", "GET /api/items/:id -> a.go::show"),
    ("group of gin as an argument", "a.go", "package a\nimport \"github.com/gin-gonic/gin\"\nfunc show(c *gin.Context) {}\nfunc items(g *gin.RouterGroup) { g.POST(\"/items\", show) }\nfunc f() { r := gin.Default(); api := r.Group(\"/api\"); items(api) }", "POST /api/items -> a.go::show"),
    ("echo", "a.go", "package a\nimport \"github.com/labstack/echo/v4\"\nfunc show(c echo.Context) error { return nil }\nfunc f() { e := echo.New(); e.DELETE(\"/items/:id\", show) }", "DELETE /items/:id -> a.go::show"),
    ("fiber", "a.go", "package a\nimport \"github.com/gofiber/fiber/v2\"\nfunc show(c *fiber.Ctx) error { return nil }\nfunc f() { app := fiber.New(); app.Group(\"/api\").Put(\"/items\", show) }", "PUT /api/items -> a.go::show"),
    // JavaScript and TypeScript.
    ("Express", "a.js", "const app = require('express')()\nfunction show(req, res) {}\napp.get('/items/:id', auth, show)", "GET /items/:id -> a.js::show"),
    ("Express with a wrapper", "a.js", "const app = require('express')()\nfunction show(req, res) {}\nconst wrap = (f) => (req, res) => f(req, res)\napp.post('/items', wrap(show))", "POST /items -> a.js::show"),
    ("route of Express", "a.js", "const router = express.Router()\nfunction show(req, res) {}\nrouter.route('/items').get(show)", "GET /items -> a.js::show"),
    ("mounted router of Express", "app.js", "const express = require('express')\nconst app = express()\nconst items = require('./items')\napp.use('/api', items)\n//- /items.js\nconst express = require('express')\nconst router = express.Router()\nfunction show(req, res) {}\nrouter.get('/items', show)\nmodule.exports = router", "GET /api/items -> items.js::show"),
    ("Fastify", "a.js", "async function show(req, reply) {}\nfastify.put('/items', show)", "PUT /items -> a.js::show"),
    ("route of Fastify", "a.js", "async function show(req, reply) {}\nfastify.route({ method: 'DELETE', url: '/items', handler: show })", "DELETE /items -> a.js::show"),
    ("plugin of Fastify", "a.js", "async function show(req, reply) {}\nasync function items(fastify) { fastify.get('/items', show) }\nfastify.register(items, { prefix: '/api' })", "GET /api/items -> a.js::show"),
    ("Koa", "a.js", "const Router = require('@koa/router')\nconst router = new Router({ prefix: '/api' })\nasync function show(ctx) {}\nrouter.get('/items', show)", "GET /api/items -> a.js::show"),
    ("Hono", "a.ts", "import { Hono } from 'hono'\nconst app = new Hono()\nconst show = (c) => c.json({})\napp.get('/items', show)", "GET /items -> a.ts::show"),
    ("closure of a mounted router", "app.js", "const express = require('express')\nconst app = express()\nconst items = require('./items')\napp.use('/api', items)\n//- /items.js\n(function () {\n  const express = require('express')\n  const router = express.Router()\n  router.get('/items', (req, res) => {})\n  module.exports = router\n})()", "GET /api/items -> "),
    ("router of an object", "app.ts", "import express from 'express'\nimport { Items } from './items'\nconst app = express()\napp.use('/api', new Items().router)\n//- /items.ts\nimport { Router } from 'express'\nexport class Items { public router = Router()\n constructor() { this.router.get('/items', this.show) }\n show(req: Request, res: Response) {} }", "GET /api/items -> items.ts::Items.show"),
    ("service of Helidon", "Main.java", "class Main { void f() { Items items = new Items(); Routing.builder().register(\"/items\", items).build(); } }\n//- /Items.java\nclass Items implements Service { public void update(Routing.Rules rules) { rules.get(\"/{id}\", this::show); } void show(ServerRequest a, ServerResponse b) {} }", "GET /items/{id} -> Items.java::Items.update"),
    ("group in a field", "routes.go", "package items\nfunc (h *handlers) MapRoutes() { h.group.GET(\"/items/:id\", h.Show()) }\n//- /handlers.go\npackage items\ntype handlers struct { group *echo.Group }\nfunc NewHandlers(group *echo.Group) *handlers { return &handlers{group: group} }\nfunc (h *handlers) Show() echo.HandlerFunc { return func(c echo.Context) error { return nil } }\n//- /main.go\npackage items\nfunc main() { e := echo.New(); h := NewHandlers(e.Group(\"/api\")); h.MapRoutes() }", "GET /api/items/:id -> handlers.go::handlers.Show"),
    ("router in a field", "app.ts", "import express from 'express'\nimport { makeItems } from './items'\nclass App { private app = express(); private items = makeItems()\n start() { this.app.use('/api', this.items) } }\n//- /items.ts\nimport { Router } from 'express'\nfunction show(req: Request, res: Response) {}\nexport function makeItems() { const router = Router(); router.get('/items', show); return router }", "GET /api/items -> items.ts::show"),
    ("repository of Spring Data REST", "A.java", "@RepositoryRestResource(path = \"orders\") interface A extends CrudRepository<Order, Long> { }", "GET /orders/{id} -> A.java::A"),
    ("entity of Spring Data REST", "A.java", "@RepositoryRestResource interface A extends JpaRepository<Category, Long> { }", "POST /categories -> A.java::A"),
    ("search of Spring Data REST", "A.java", "@RepositoryRestResource(path = \"orders\") interface A extends CrudRepository<Order, Long> { @RestResource(path = \"customer\") Page<Order> findByCustomer(String id); }", "GET /orders/search/customer -> A.java::A.findByCustomer"),
    ("Crud of NestJS", "a.ts", "@Crud({ model: { type: Item } })\n@Controller('/items')\nexport class A { constructor(public service: S) {} }", "DELETE /items/{id} -> a.ts::A"),
    ("path with an enumeration", "a.ts", "import { ROUTE } from './routes'\n@Controller(`/${ROUTE.SHOP}`)\nclass A { @Get(ROUTE.ITEMS) show() {} }\n//- /routes.ts\nexport enum ROUTE { SHOP = 'shop', ITEMS = 'items' }", "GET /shop/items -> a.ts::A.show"),
    ("mounted app of Hono", "a.ts", "import { Hono } from 'hono'\nconst items = new Hono()\nconst show = (c) => c.json({})\nitems.post('/items', show)\nconst app = new Hono()\napp.route('/api', items)", "POST /api/items -> a.ts::show"),
    ("Nest", "a.ts", "@Controller('items')\nclass A { @Get(':id') show() {} }", "GET /items/:id -> a.ts::A.show"),
    ("Nest without a path", "a.ts", "@Controller('items')\nclass A { @Post() make() {} }", "POST /items -> a.ts::A.make"),
    ("pages of Next.js", "pages/api/items/[id].ts", "export default function handler(req, res) {}", "* /api/items/[id] -> pages/api/items/[id].ts::handler"),
    ("app of Next.js", "src/app/api/items/route.ts", "export async function GET(req: Request) {}\nexport async function POST(req: Request) {}", "POST /api/items -> src/app/api/items/route.ts::POST"),
    ("SvelteKit", "src/routes/api/items/+server.ts", "export async function GET() {}", "GET /api/items -> src/routes/api/items/+server.ts::GET"),
    ("tRPC", "a.ts", "export const appRouter = router({ items: publicProcedure.query(() => list()), make: publicProcedure.input(x).mutation(() => make()) })", "GET /trpc/items -> "),
    // Python.
    ("Flask", "a.py", "app = Flask(__name__)\n@app.route('/items/<int:id>', methods=['PUT'])\ndef show(id): pass", "PUT /items/<int:id> -> a.py::show"),
    ("blueprint of Flask", "a.py", "bp = Blueprint('b', __name__, url_prefix='/api')\n@bp.get('/items')\ndef show(): pass", "GET /api/items -> a.py::show"),
    ("call form of Flask", "a.py", "app = Flask(__name__)\ndef show(): pass\napp.add_url_rule('/items', 'show', show)", "GET /items -> a.py::show"),
    ("FastAPI", "a.py", "app = FastAPI()\n@app.post('/items/{id}')\nasync def show(id: int): pass", "POST /items/{id} -> a.py::show"),
    ("router of FastAPI", "a.py", "router = APIRouter(prefix='/api')\n@router.get('/items')\ndef show(): pass", "GET /api/items -> a.py::show"),
    ("included router of FastAPI", "main.py", "from fastapi import FastAPI\nimport items\napp = FastAPI()\napp.include_router(items.router, prefix='/api')\n//- /items.py\nfrom fastapi import APIRouter\nrouter = APIRouter()\n@router.get('/items')\ndef show(): pass", "GET /api/items -> items.py::show"),
    ("router of FastAPI that a package imports", "main.py", "from fastapi import FastAPI\nfrom shop import items_router\napp = FastAPI()\napp.include_router(items_router, prefix='/api')\n//- /shop/__init__.py\nfrom shop.items import router as items_router\n//- /shop/items.py\nfrom fastapi import APIRouter\nrouter = APIRouter()\n@router.get('/items')\ndef show(): pass", "GET /api/items -> shop/items.py::show"),
    ("prefix of a setting of FastAPI", "main.py", "from fastapi import FastAPI\nimport items\nfrom config import settings\napp = FastAPI()\napp.include_router(items.router, prefix=settings.PREFIX)\n//- /config.py\nfrom pydantic_settings import BaseSettings\nclass Settings(BaseSettings):\n    PREFIX: str = '/api'\nsettings = Settings()\n//- /items.py\nfrom fastapi import APIRouter\nrouter = APIRouter()\n@router.get('/items')\ndef show(): pass", "GET /api/items -> items.py::show"),
    ("call form of FastAPI", "a.py", "app = FastAPI()\ndef show(): pass\napp.add_api_route('/items', show, methods=['POST'])", "POST /items -> a.py::show"),
    ("called decorator", "a.py", "class A:\n    def __init__(self):\n        self.app = FastAPI()\n        self.app.post('/items/{id}')(self.make)\n    async def make(self, id): pass", "POST /items/{id} -> a.py::A.make"),
    ("Django", "shop/urls.py", "from django.urls import path\nfrom . import views\nurlpatterns = [path('items/<int:id>/', views.show)]\n//- /shop/views.py\ndef show(request, id): pass", "* /items/<int:id>/ -> shop/views.py::show"),
    ("include of Django", "site/urls.py", "from django.urls import include, path\nurlpatterns = [path('api/', include('shop.urls'))]\n//- /shop/urls.py\nfrom django.urls import path\nfrom .views import show\nurlpatterns = [path('items/', show)]\n//- /shop/views.py\ndef show(request): pass", "* /api/items/ -> shop/views.py::show"),
    ("view set of Django", "urls.py", "from rest_framework.routers import DefaultRouter\nfrom views import ItemViewSet\nrouter = DefaultRouter()\nrouter.register('items', ItemViewSet)\n//- /views.py\nclass ItemViewSet:\n    def list(self, request): pass", "GET /items/ -> views.py::ItemViewSet.list"),
    ("aiohttp", "a.py", "from aiohttp import web\nasync def show(request): pass\napp = web.Application()\napp.router.add_get('/items', show)", "GET /items -> a.py::show"),
    ("table of aiohttp", "a.py", "from aiohttp import web\nasync def show(request): pass\napp = web.Application()\napp.add_routes([web.post('/items', show)])", "POST /items -> a.py::show"),
    ("Starlette", "a.py", "from starlette.routing import Route\ndef show(request): pass\nroutes = [Route('/items', show, methods=['DELETE'])]", "DELETE /items -> a.py::show"),
    ("Tornado", "a.py", "import tornado.web\nclass Items(tornado.web.RequestHandler): pass\ndef make(): return tornado.web.Application([(r'/items', Items)])", "* /items -> a.py::Items"),
    // Java and Kotlin.
    ("Spring", "A.java", "@RestController @RequestMapping(\"/api\") class A { @GetMapping(\"/items/{id}\") void show() {} }", "GET /api/items/{id} -> A.java::A.show"),
    ("Spring with values", "A.java", "@RequestMapping(value = \"/api\", produces = \"application/json\") class A { static final String P = \"/items\"; @RequestMapping(path = P + \"/x\", method = RequestMethod.POST) void make() {} }", "POST /api/items/x -> A.java::A.make"),
    ("Spring with several paths", "A.java", "class A { @PutMapping({\"/items\", \"/things\"}) void put() {} }", "PUT /things -> A.java::A.put"),
    ("Spring without a path", "A.java", "@RequestMapping(\"/items\") class A { @DeleteMapping void drop() {} }", "DELETE /items -> A.java::A.drop"),
    ("Spring of Kotlin", "A.kt", "@RestController\n@RequestMapping(\"/api\")\nclass A {\n    @GetMapping(\"/items\")\n    fun show() {}\n}", "GET /api/items -> A.kt::A.show"),
    ("JAX-RS", "A.java", "@Path(\"/items\") class A { @GET @Path(\"{id}\") void show() {} }", "GET /items/{id} -> A.java::A.show"),
    ("JAX-RS without a path", "A.java", "@Path(\"/items\") class A { @POST void make() {} }", "POST /items -> A.java::A.make"),
    ("Micronaut", "A.java", "@Controller(\"/items\") class A { @Get(\"/{id}\") void show() {} }", "GET /items/{id} -> A.java::A.show"),
    ("Quarkus", "A.java", "@Path(\"/api\") @ApplicationScoped class A { @DELETE @Path(\"/items\") void drop() {} }", "DELETE /api/items -> A.java::A.drop"),
    ("Vert.x", "A.java", "import io.vertx.ext.web.Router;\nclass A { void f(Vertx v) { Router router = Router.router(v); router.get(\"/items/:id\").produces(\"json\").handler(this::show); } void show(RoutingContext c) {} }", "GET /items/:id -> A.java::A.f"),
    ("Vert.x with a method", "A.java", "import io.vertx.ext.web.Router;\nclass A { void f(Router router) { router.route(HttpMethod.PUT, \"/items\").handler(this::put); } void put(RoutingContext c) {} }", "PUT /items -> A.java::A.f"),
    ("functions of WebFlux", "A.java", "class A { RouterFunction<ServerResponse> f(Items items) { return RouterFunctions.route(GET(\"/items/{id}\").and(accept(JSON)), items::show).andRoute(POST(\"/items\"), items::make); } }\nclass Items { Mono show(ServerRequest r) { return null; } Mono make(ServerRequest r) { return null; } }", "POST /items -> A.java::A.f"),
    ("function in a block of Ktor", "A.kt", "fun Application.module() {\n    routing {\n        route(\"/api\") {\n            itemRoutes()\n        }\n    }\n}\nfun Route.itemRoutes() {\n    get(\"/items\") { call.respond(1) }\n}", "GET /api/items -> A.kt::itemRoutes"),
    ("Ktor", "A.kt", "fun Application.module() {\n    routing {\n        route(\"/api\") {\n            get(\"/items\") { call.respond(1) }\n        }\n    }\n}", "GET /api/items -> A.kt::module"),
    // C#.
    ("controller of ASP.NET", "A.cs", "[ApiController]\n[Route(\"api/[controller]\")]\npublic class ItemsController { [HttpGet(\"{id}\")] public void Show() {} }", "GET /api/items/{id} -> A.cs::ItemsController.Show"),
    ("controller with a route", "A.cs", "[Route(\"api/items\")]\npublic class A { [HttpPost]\n[Route(\"new\")] public void Make() {} }", "POST /api/items/new -> A.cs::A.Make"),
    ("controller without a path", "A.cs", "[Route(\"api/items\")]\npublic class A { [HttpDelete] public void Drop() {} }", "DELETE /api/items -> A.cs::A.Drop"),
    ("minimal ASP.NET", "A.cs", "var app = WebApplication.Create();\napp.MapGet(\"/items/{id}\", (int id) => id);", "GET /items/{id} -> "),
    ("FastEndpoints", "A.cs", "class Show : Endpoint<Query, Item> { public override void Configure() { Get(\"/items/{id}\"); AllowAnonymous(); } }", "GET /items/{id} -> "),
    ("extension of a group of ASP.NET", "P.cs", "class P { static void Main(WebApplication app) { app.MapGroup(\"/api\").MapItems(); } }\nstatic class Items { static void Show() {} public static RouteGroupBuilder MapItems(this RouteGroupBuilder group) { group.MapGet(\"/items\", Show); return group; } }", "GET /api/items -> P.cs::Items.Show"),
    ("group of ASP.NET", "A.cs", "class A { static void Show() {} static void Map(WebApplication app) { var api = app.MapGroup(\"/api\"); api.MapPost(\"/items\", Show); } }", "POST /api/items -> A.cs::A.Show"),
    // Ruby.
    ("Rails", "config/routes.rb", "Rails.application.routes.draw do\n  namespace :api do\n    get '/items', to: 'items#index'\n  end\nend\n//- /app/items_controller.rb\nclass ItemsController\n  def index\n  end\nend", "GET /api/items -> app/items_controller.rb::ItemsController.index"),
    ("resources of Rails", "config/routes.rb", "Rails.application.routes.draw do\n  resources :items, only: [:index, :show]\nend\n//- /app/items_controller.rb\nclass ItemsController\n  def show\n  end\nend", "GET /items/{id} -> app/items_controller.rb::ItemsController.show"),
    ("WEBrick", "a.rb", "require 'webrick'\nserver = WEBrick::HTTPServer.new :Port => 80\nserver.mount_proc '/items' do |req, res|\n  res.body = '1'\nend", "* /items/* -> "),
    ("Sinatra", "a.rb", "require 'sinatra'\npost '/items' do\n  1\nend", "POST /items -> "),
    // PHP.
    ("Laravel", "routes/api.php", "<?php\nRoute::get('/items/{id}', [ItemController::class, 'show']);\n//- /ItemController.php\n<?php\nclass ItemController { public function show() {} }", "GET /items/{id} -> ItemController.php::ItemController.show"),
    ("group of Laravel", "routes/api.php", "<?php\nRoute::prefix('api')->group(function () { Route::post('/items', 'ItemController@store'); });\n//- /ItemController.php\n<?php\nclass ItemController { public function store() {} }", "POST /api/items -> ItemController.php::ItemController.store"),
    ("API of Laravel", "routes/api.php", "<?php\nRoute::get('/items', [ItemController::class, 'show']);\n//- /ItemController.php\n<?php\nclass ItemController { public function show() {} }\n//- /bootstrap/app.php\n<?php\nreturn Application::configure(basePath: dirname(__DIR__))->withRouting(web: __DIR__.'/../routes/web.php', api: __DIR__.'/../routes/api.php')->create();", "GET /api/items -> ItemController.php::ItemController.show"),
    ("resource of Laravel", "routes/api.php", "<?php\nRoute::apiResource('items', ItemController::class);\n//- /ItemController.php\n<?php\nclass ItemController { public function store() {} }", "POST /items -> ItemController.php::ItemController.store"),
    ("Symfony", "A.php", "<?php\n#[Route('/api')]\nclass A { #[Route('/items', methods: ['PUT'])] public function put() {} }", "PUT /api/items -> A.php::A.put"),
    ("annotation of Symfony", "A.php", "<?php\nuse Symfony\\Component\\Routing\\Annotation\\Route;\n/**\n * @Route(\"/api\")\n */\nclass A {\n    /**\n     * Stores one.\n     * @Route(path=\"/items/{id}\", methods={\"PUT\"})\n     */\n    public function put() {}\n}", "PUT /api/items/{id} -> A.php::A.put"),
    ("Slim", "a.php", "<?php\n$app = AppFactory::create();\n$app->get('/items', function ($req, $res) { return $res; });", "GET /items -> "),
    // Elixir.
    ("Phoenix", "router.ex", "defmodule Web.Router do\n  scope \"/api\", Web do\n    get \"/items\", ItemController, :index\n  end\nend\n//- /item.ex\ndefmodule Web.ItemController do\n  def index(conn, _) do\n    conn\n  end\nend", "GET /api/items -> item.ex::Web.ItemController.index"),
    ("resources of Phoenix", "router.ex", "defmodule Web.Router do\n  resources \"/items\", ItemController, only: [:show]\nend", "GET /items/{id} -> "),
    // Rust.
    ("axum", "a.rs", "async fn show() {}\nfn app() { Router::new().route(\"/items/{id}\", get(show).post(make)); }", "GET /items/{id} -> a.rs::show"),
    ("nest of axum", "a.rs", "async fn show() {}\nfn items() -> Router { Router::new().route(\"/items\", get(show)) }\nfn app() -> Router { Router::new().nest(\"/api\", items()) }", "GET /api/items -> a.rs::show"),
    ("actix", "a.rs", "#[actix_web::get(\"/items/{id}\")]\nasync fn show() {}", "GET /items/{id} -> a.rs::show"),
    ("resource of actix", "a.rs", "async fn show() {}\nfn f(c: &mut ServiceConfig) { c.service(web::resource(\"/items\").route(web::put().to(show))); }", "PUT /items -> a.rs::show"),
    ("rocket", "a.rs", "#[post(\"/items\", data = \"<x>\")]\nfn make() {}", "POST /items -> a.rs::make"),
    ("warp", "a.rs", "async fn show() {}\nfn f() { warp::path(\"items\").and(warp::path::param()).and(warp::get()).and_then(show); }", "GET /items/{} -> a.rs::show"),
];

/// Declarations that only look like routes.
#[rustfmt::skip]
pub(in crate::contracts) const NEAR_MISSES: &[(&str, &str)] = &[
    ("A.java", "class A { void f(Cache cache) { cache.get(\"/items\").handler(this::show); } void show(Object o) {} }"),
    ("A.java", "import io.vertx.ext.web.client.WebClient;\nclass A { void f(WebClient client) { client.get(\"/items\").handler(this::show); } void show(Object o) {} }"),
    ("A.java", "import io.vertx.ext.web.Router;\nclass A { void f(Router router, Provider p) { router.route(\"/api/*\").handler(JWTAuthHandler.create(p)); } }"),
    ("A.cs", "class Cache : Store { public override void Configure() { Get(\"/items\"); } }"),
    ("A.java", "class A { void f(Planner p) { p.route(by(\"/items\"), this::show); } void show(Object o) {} }"),
    ("A.cs", "class A { void Load() { Get(\"/items\"); } }"),
    ("a.go", "package a\nimport \"net/http\"\nfunc f() { http.Get(\"/items\") }"),
    ("a.go", "package a\nfunc f(c *Cache, x Item) { c.Put(\"/items\", x) }"),
    ("a.go", "package a\nfunc f(e *Events, h func()) { e.On(\"/items\", h) }"),
    ("a.ts", "axios.get('/items', { params: {} })"),
    ("a.ts", "cache.get('/items')"),
    ("a.ts", "api.post('/items', body)"),
    ("lib/route.ts", "export function GET() {}"),
    ("src/util/get.ts", "export async function GET() {}"),
    ("a.py", "import requests\nrequests.get('/items')"),
    ("a.py", "@cache.memoize('/items')\ndef show(): pass"),
    ("a.py", "@get\ndef show(): pass"),
    ("A.java", "@FeignClient(name = \"cart\") interface A { @GetMapping(\"/items\") void show(); }"),
    ("A.java", "class A { @Test(\"/items\") void show() {} }"),
    ("A.java", "interface A { @GET(\"/items\") void show(); }"),
    ("A.kt", "class A { fun f(map: Map<String, Int>) { map.get(\"/items\") } }"),
    ("A.cs", "class A { void F(HttpClient c) { c.GetAsync(\"/items\"); } }"),
    ("A.cs", "interface A { [Get(\"/items\")] Task F(); }"),
    ("a.rb", "def f\n  get('/items')\nend"),
    ("a.php", "<?php\nfunction f($client) { $client->get('/items'); }"),
    ("a.ex", "defmodule A do\n  def f(m) do\n    Map.get(m, \"/items\")\n  end\nend"),
    ("a.rs", "fn f(c: &Client) { c.get(\"/items\"); }"),
    // One of each framework: its names in other libraries, and its other functions.
    ("mux.go", "package a\nimport \"net/http\"\nfunc f(mux *http.ServeMux) { mux.Handler(r) }"),
    ("gorilla.go", "package a\nimport \"github.com/gorilla/mux\"\nfunc f(r *mux.Router) { r.Get(\"items\") }"),
    ("chi.go", "package a\nimport \"github.com/go-chi/chi/v5\"\nfunc f(r *http.Request) { chi.URLParam(r, \"/items\") }"),
    ("gin.go", "package a\nimport \"github.com/gin-gonic/gin\"\nfunc f(c *gin.Context) { c.Redirect(302, \"/items\"); c.Get(\"/items\") }"),
    ("echo.go", "package a\nimport \"github.com/labstack/echo/v4\"\nfunc f(c echo.Context) { c.Redirect(302, \"/items\") }"),
    ("fiber.go", "package a\nimport \"github.com/gofiber/fiber/v2\"\nfunc f(c *fiber.Ctx) { c.Redirect(\"/items\") }"),
    ("express.js", "const app = require('express')()\napp.get('view engine')\napp.set('/items', 1)"),
    ("fastify.js", "fastify.inject({ method: 'GET', url: '/items' })"),
    ("koa.js", "const Router = require('@koa/router')\nconst router = new Router()\nrouter.url('/items', 1)"),
    ("hono.ts", "import { Hono } from 'hono'\nconst app = new Hono()\napp.request('/items')"),
    ("nest.ts", "class A { @Body('items') show() {} }"),
    ("lib/pages.ts", "export default function handler(req, res) {}"),
    ("svelte.ts", "export async function load() {}"),
    ("trpc.ts", "const x = table({ items: column.text() })"),
    ("flask.py", "app = Flask(__name__)\n@app.errorhandler('/items')\ndef show(): pass"),
    ("fastapi.py", "app = FastAPI()\n@app.exception_handler('/items')\ndef show(): pass"),
    ("django.py", "from pathlib import path\nx = path('/items', view)"),
    ("drf.py", "registry.register('items', ItemView)"),
    ("aiohttp.py", "from aiohttp import web\nasync def f(s):\n    await s.get('/items')"),
    ("starlette.py", "def f(): return Router('/items')"),
    ("tornado.py", "x = make([('/items', Items)])"),
    ("Spring.java", "class A { @Cacheable(\"/items\") void show() {} }"),
    ("Jaxrs.java", "@Path(\"/items\") class A { void show() {} }"),
    ("Micronaut.java", "@Singleton class A { @Named(\"/items\") void show() {} }"),
    ("Ktor.kt", "fun f(store: Store) { store.route(\"/items\", 1) }"),
    ("Aspnet.cs", "public class A { [Theory(\"items\")] public void Show() {} }"),
    ("Minimal.cs", "class A { void F(Mapper m) { m.Map(1); m.MapTo(\"/items\"); } }"),
    ("rails.rb", "class A\n  def f\n    resources_for :items\n  end\nend"),
    ("sinatra.rb", "def f(store)\n  store.post '/items' do\n    1\n  end\nend"),
    ("laravel.php", "<?php\nRoute::currentRouteName('/items');"),
    ("symfony.php", "<?php\nclass A { #[Cache('/items')] public function show() {} }"),
    ("slim.php", "<?php\nfunction f($app) { $app->setBasePath('/items'); }"),
    ("phoenix.ex", "defmodule A do\n  def f do\n    Plug.get(\"/items\", 1)\n  end\nend"),
    ("Hidden.java", "@RepositoryRestResource(exported = false) interface A extends CrudRepository<Order, Long> { }"),
    ("axum.rs", "fn f(store: Store) { store.route(\"/items\"); }"),
    ("actix.rs", "#[derive(get)]\nstruct A;"),
    ("rocket.rs", "#[doc(\"/items\")]\nfn show() {}"),
    ("warp.rs", "fn f() { store::path(\"items\").and_then(show); }"),
];

#[test]
fn routes_of_each_framework_are_read() {
    let mut missing = Vec::new();
    for (framework, path, code, expected) in ROUTES {
        let found = routes(path, code);
        // Code at the level of a file has no function as its handler.
        let is_found = |one: &String| {
            one == expected || expected.ends_with(" -> ") && one.starts_with(expected.trim_end_matches(" -> "))
        };
        if !found.iter().any(is_found) {
            missing.push(format!("{framework}: `{expected}` is not in {found:?}"));
        }
    }
    assert!(missing.is_empty(), "{} of {}:\n{}", missing.len(), ROUTES.len(), missing.join("\n"));
}

#[test]
fn methods_of_a_type_are_found_in_a_package_of_many_files() {
    let others: String = (0..150).map(|n| format!("//- /a{n:03}.go\npackage items\nfunc a{n}() {{}}\n")).collect();
    let package = "//- /handlers.go
package items
type handlers struct { group *echo.Group }
func NewHandlers(group *echo.Group) *handlers { return &handlers{group: group} }
func (h *handlers) Show() echo.HandlerFunc { return func(c echo.Context) error { return nil } }
//- /main.go
package items
func main() { e := echo.New(); h := NewHandlers(e.Group(\"/api\")); h.MapRoutes() }
//- /routes.go
package items
func (h *handlers) MapRoutes() { h.group.GET(\"/items/:id\", h.Show()) }
";
    let found = contracts(&format!("{others}{package}"));
    let expected = "/ GET /api/items/:id -> handlers.go::handlers.Show";
    assert!(found.iter().any(|line| line == expected), "{found:?}");
}

#[test]
fn routers_that_mount_each_other_have_an_end() {
    let mounts: String = (0..30).map(|n| format!("a.use('/x{n}', b)\nb.use('/y{n}', a)\n")).collect();
    let code = format!(
        "const a = express.Router()\nconst b = express.Router()\na.get('/items', (req, res) => {{}})\n{mounts}"
    );
    assert!(routes("a.js", &code).iter().any(|route| route.starts_with("GET /y0/items")));
}

#[test]
fn declarations_that_look_like_routes_are_none() {
    let mut wrong = Vec::new();
    for (path, code) in NEAR_MISSES {
        let found = routes(path, code);
        if !found.is_empty() {
            wrong.push(format!("{code}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
