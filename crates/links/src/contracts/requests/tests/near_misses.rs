//! Code that looks like the forms of requests of common stacks, and the only requests that it sends.

use super::requests;

/// Form, path of the file, code, requests.
const NEAR_MISSES: &[(&str, &str, &str, &[&str])] = &[
    (
        "two beans of which none has the name",
        "A.java",
        r#"class A { private final WebClient client; A(WebClient client) { this.client = client; } void f() { client.get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Bean WebClient cart() { return WebClient.create("http://cart"); } @Bean WebClient pay() { return WebClient.create("http://pay"); } }"#,
        &["GET /items"],
    ),
    (
        "function that is no bean",
        "A.java",
        r#"class A { private final WebClient client; A(WebClient client) { this.client = client; } void f() { client.get().uri("/items").retrieve(); } }
//- /WebConfig.java
class WebConfig { WebClient client() { return WebClient.create("http://cart"); } }"#,
        &["GET /items"],
    ),
    (
        "bean of another application",
        "a/src/A.java",
        r#"class A { private final WebClient client; A(WebClient client) { this.client = client; } void f() { client.get().uri("/items").retrieve(); } }
//- /b/src/WebConfig.java
@Configuration class WebConfig { @Bean WebClient client() { return WebClient.create("http://cart"); } }"#,
        &["GET /items"],
    ),
    (
        "qualifier of another bean",
        "A.java",
        r#"class A { @Qualifier("payClient") @Autowired private WebClient client; void f() { client.get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Bean("cartClient") WebClient client() { return WebClient.create("http://cart"); } @Bean WebClient other() { return WebClient.create("http://other"); } }"#,
        &["GET /items"],
    ),
    (
        "base of another field of .NET",
        "A.cs",
        r#"class A { private readonly HttpClient _a; private readonly HttpClient _b; public A(HttpClient a, HttpClient b) { _a = a; _b = b; _b.BaseAddress = new Uri("http://cart"); } public Task F() { return _a.GetAsync("/items"); } }"#,
        &["GET /items"],
    ),
    (
        "two default bases of axios",
        "a.js",
        "import axios from 'axios'\naxios.defaults.baseURL = 'http://cart'\naxios.defaults.baseURL = 'http://pay'\nexport const f = () => axios.get('/items')",
        &["GET /items"],
    ),
    (
        "path of another URL",
        "a.ts",
        "function f() { const url = new URL('http://cart'); const other = new URL('http://pay'); other.pathname = '/items'; return fetch(url) }",
        &["GET / http://cart"],
    ),
    (
        "two paths of a URL",
        "a.ts",
        "function f(b) { const url = new URL('http://cart'); if (b) { url.pathname = '/items' } else { url.pathname = '/orders' } return fetch(url) }",
        &["GET / http://cart"],
    ),
    (
        "options that are spread",
        "a.ts",
        "function f() { return fetch('http://cart/items', { ...options(), headers: {} }) }",
        &["* /items http://cart"],
    ),
    (
        "method of a wrapper that nobody gives",
        "a.go",
        "package a\nimport \"net/http\"\nfunc do(method, path string) { http.NewRequest(method, \"http://cart\"+path, nil) }\nfunc f(m string) { do(m, \"/items\") }",
        &["* /items http://cart"],
    ),
    (
        "base class of another client",
        "a.ts",
        "class Base { constructor(protected base: string) {} get(path: string) { return fetch(`${this.base}${path}`) } }\nclass Cart extends Base { constructor() { super(process.env.CART_URL!) } }\nclass Pay extends Base { constructor(url: string) { super(url) } f() { return this.get('/items') } }",
        &["GET {}/items {}"],
    ),
    (
        "module of another folder",
        "src/cart/a.service.ts",
        "@Injectable() export class A { constructor(private http: HttpService) {} f() { return this.http.get('/items') } }\n//- /src/pay/pay.module.ts\n@Module({ imports: [HttpModule.register({ baseURL: 'http://pay' })] }) export class M {}",
        &["GET /items"],
    ),
    (
        "pieces of another builder of texts",
        "A.java",
        r#"class A { RestTemplate rest; void f() { StringBuilder url = new StringBuilder("http://cart"); StringBuilder log = new StringBuilder("x"); log.append("/items"); rest.getForObject(url.toString(), Item.class); } }"#,
        &["GET / http://cart"],
    ),
    (
        "list that no slash joins",
        "a.ts",
        "function f() { return fetch(['http://cart', 'items'].join(separator)) }",
        &[],
    ),
    (
        "address of another library",
        "a.js",
        "const http = require('./http')\nfunction f() { http.get({ host: 'cart', path: '/items' }) }",
        &["GET /items"],
    ),
    (
        "interface of a client without annotations",
        "A.java",
        r#"@FeignClient("cart") interface A extends CartApi {}
//- /CartApi.java
interface CartApi { @Cacheable("/items") Item f(String id); }"#,
        &[],
    ),
    (
        "field of a type of another name",
        "A.kt",
        r#"@Service class A(private val rest: RestTemplate, private val urls: Urls) { fun f() { rest.getForObject("${urls.cart}/items", Item::class.java) } }
//- /Other.kt
class Other { val cart = "http://cart" }"#,
        &["GET {}/items {env:urls.cart}"],
    ),
    (
        "block without a URL",
        "A.kt",
        "class A(private val client: HttpClient) { suspend fun f() { client.get { header(\"a\", \"http://cart/items\") } } }",
        &[],
    ),
    (
        "client that is given to a client with the same base class",
        "a.ts",
        "class Base { constructor(protected base: string) {} get(p: string) { return fetch(`${this.base}${p}`) } }\nclass Auth extends Base { constructor(u: string) { super(u) } }\nclass Cart extends Base { constructor(u: string, private auth: Auth) { super(u) } f() { return this.auth.get('/token') } }\nnew Cart('http://cart', new Auth('http://auth'))",
        &["GET {}/token {}"],
    ),
    (
        "client that a constructor makes beside a bean",
        "A.java",
        r#"class PayClient { private final WebClient client; PayClient(WebClient.Builder b, Discovery d) { this.client = b.baseUrl(d.urlOf("pay")).build(); } void f() { client.get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Bean WebClient cart() { return WebClient.create("http://cart"); } }"#,
        &["GET /items"],
    ),
    (
        "client that a variable of a constructor has, beside a bean",
        "A.java",
        r#"class PayClient { private final WebClient client; PayClient(Discovery d) { WebClient made = d.clientOf("pay"); this.client = made; } void f() { client.get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Bean WebClient cart() { return WebClient.create("http://cart"); } }"#,
        &[],
    ),
    (
        "builder whose base is replaced",
        "A.java",
        r#"class A { @Autowired private WebClient.Builder builder; void f(Discovery d) { builder.baseUrl(d.urlOf("pay")).build().get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Bean WebClient.Builder builder() { return WebClient.builder().baseUrl("http://cart"); } }"#,
        &["GET /items"],
    ),
    (
        "bean of another service below one folder",
        "src/pay/src/main/java/A.java",
        r#"class A { private final WebClient client; A(WebClient client) { this.client = client; } void f() { client.get().uri("/items").retrieve(); } }
//- /src/cart/src/main/java/WebConfig.java
@Configuration class WebConfig { @Bean WebClient client() { return WebClient.create("http://cart"); } }"#,
        &["GET /items"],
    ),
    (
        "parameter with a qualifier",
        "A.java",
        r#"import org.springframework.beans.factory.annotation.Qualifier;
class A { private final WebClient webClient; A(@Qualifier("payClient") WebClient webClient) { this.webClient = webClient; } void f() { webClient.get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Primary @Bean WebClient webClient() { return WebClient.create("http://cart"); } @Bean WebClient payClient() { return WebClient.create("http://pay"); } }"#,
        &["GET /items"],
    ),
    (
        "parameter with a qualifier in Kotlin",
        "A.kt",
        r#"import org.springframework.beans.factory.annotation.*
@Service class A(@Qualifier("payClient") private val webClient: WebClient) { fun f() { webClient.get().uri("/items").retrieve() } }
//- /WebConfig.kt
@Configuration class WebConfig { @Bean fun webClient(): WebClient = WebClient.create("http://cart")
 @Bean fun payClient(): WebClient = WebClient.create("http://pay") }"#,
        &["GET /items"],
    ),
    (
        "qualifier that is a constant",
        "A.java",
        r#"class A { @Qualifier(Beans.PAY) @Autowired private WebClient client; void f() { client.get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Bean WebClient client() { return WebClient.create("http://cart"); } @Bean(Beans.PAY) WebClient other() { return WebClient.create("http://pay"); } }"#,
        &["GET /items"],
    ),
    (
        "second bean in a file of any name",
        "A.java",
        r#"class A { @Autowired private WebClient client; void f() { client.get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Bean WebClient cart() { return WebClient.create("http://cart"); } }
//- /Wiring.java
@Configuration class Wiring { @Bean WebClient pay() { return WebClient.create("http://pay"); } }"#,
        &["GET /items"],
    ),
    (
        "two primary beans",
        "A.java",
        r#"class A { @Autowired private WebClient client; void f() { client.get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Primary @Bean WebClient cart() { return WebClient.create("http://cart"); } @Primary @Bean WebClient pay() { return WebClient.create("http://pay"); } }"#,
        &["GET /items"],
    ),
    (
        "bean with one of two bases",
        "A.java",
        r#"class A { @Autowired private WebClient client; void f() { client.get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Bean WebClient cart(Env env) { if (env.isTest()) { return WebClient.create("http://pay"); } return WebClient.create("http://cart"); } }"#,
        &["GET /items"],
    ),
    (
        "bean whose annotation has another name than its function",
        "A.java",
        r#"class A { @Autowired private WebClient client; void f() { client.get().uri("/items").retrieve(); } }
//- /WebConfig.java
@Configuration class WebConfig { @Bean("cart") WebClient client() { return WebClient.create("http://cart"); } @Bean WebClient pay() { return WebClient.create("http://pay"); } }"#,
        &["GET /items"],
    ),
    (
        "interface of a library with the name of another one",
        "shop/A.java",
        r#"import com.vendor.CrudApi;
@FeignClient("cart") interface A extends CrudApi {}
//- /pay/CrudApi.java
interface CrudApi { @GetMapping("/items/{id}") Item f(String id); }"#,
        &[],
    ),
    (
        "interface of another package",
        "shop/A.java",
        r#"@FeignClient("cart") interface A extends CrudApi {}
//- /pay/CrudApi.java
interface CrudApi { @GetMapping("/items/{id}") Item f(String id); }"#,
        &[],
    ),
    (
        "class of a library with the name of another one",
        "src/Cart.php",
        "<?php\nnamespace App;\nuse Vendor\\ApiClient;\nclass Cart extends ApiClient { function f() { return $this->load('/items'); } }\n//- /src/Pay/ApiClient.php\n<?php\nnamespace App\\Pay;\nuse GuzzleHttp\\Client;\nclass ApiClient { private Client $c; function load($p) { return $this->c->get('http://pay' . $p); } }",
        &[],
    ),
    (
        "inherited overloads of as many parameters",
        "A.cs",
        r#"class A : ApiBase { Task F() { return Load("/items"); } }
//- /ApiBase.cs
class ApiBase { HttpClient _h = new HttpClient(); protected Task Load(int id) { return _h.DeleteAsync("http://cart/" + id); } protected Task Load(string path) { return _h.GetAsync("http://cart" + path); } }"#,
        &[],
    ),
    (
        "inherited function with other parameters",
        "A.cs",
        r#"class A : ApiBase { Task F() { return Load("/items"); } }
//- /ApiBase.cs
class ApiBase { HttpClient _h = new HttpClient(); protected Task Load(string host, string path) { return _h.GetAsync("http://cart" + path); } }"#,
        &[],
    ),
    (
        "global function of PHP with the name of an inherited one",
        "a.php",
        "<?php\nclass Cart extends ApiBase { function f() { return get('/items'); } }\n//- /ApiBase.php\n<?php\nuse GuzzleHttp\\Client;\nclass ApiBase { private Client $c; function get($p) { return $this->c->get('http://pay' . $p); } }",
        &[],
    ),
    (
        "field with the name of a keyword of another language",
        "A.kt",
        r#"class A(private val base: CartApi) : ApiBase() { fun f() = base.get("/items") }
//- /ApiBase.kt
open class ApiBase { private val rest = RestTemplate()
 fun get(path: String) = rest.getForObject("http://pay$path", Item::class.java) }"#,
        &[],
    ),
    (
        "function with the name of a keyword of another language",
        "a.js",
        "class Base { constructor(url) { this.url = url } load(path) { return fetch(this.url + path) } }\nclass Cart extends Base { f(base) { base('http://pay'); return this.load('/items') } }",
        &["GET {}/items {}"],
    ),
    (
        "constructor of the base class that another method calls",
        "a.py",
        "import requests\nclass Base:\n    def __init__(self, url):\n        self.url = url\n    def load(self, path):\n        return requests.get(self.url + path)\nclass Cart(Base):\n    def reset(self):\n        super().__init__('http://pay')\n    def f(self):\n        return self.load('/items')",
        &["GET {}/items {}"],
    ),
];

#[test]
fn code_that_looks_like_such_forms_is_read_as_it_is() {
    let mut wrong = Vec::new();
    for (form, path, code, expected) in NEAR_MISSES {
        let found = requests(path, code);
        if found != *expected {
            wrong.push(format!("{form}: {expected:?}, found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
