//! Lowered snippets of Ruby.

use model::Language;

use super::check_all;

fn check(snippets: &[(&str, &[&str])]) {
    check_all(Language::Ruby, snippets);
}

#[test]
fn routes() {
    check(&[
        (
            "Rails.application.routes.draw do\n  get \"/x\", to: \"a#b\"\n  get \"/y\" => \"a#c\"\n  resources :users, only: %i[index show] do\n    member { post :run }\n  end\nend",
            &[
                "1 in -: Rails.application",
                "2 in -: get(\"/x\", *{to: \"a#b\"})",
                "3 in -: get(*{/y: \"a#c\"})",
                "5 in -: post(\"run\")",
                "5 in -: member(fn() => post(\"run\"))",
                "4 in -: resources(\"users\", *{only: [\"index\", \"show\"]}, fn() => member(fn() => post(\"run\")))",
                "1 in -: Rails.application.routes.draw(fn() => resources(\"users\", *{only: [\"index\", \"show\"]}, fn() => member(fn() => post(\"run\"))))",
            ],
        ),
        (
            "class App < Sinatra::Base\n  get('/a/:id') { |id| f id }\nend",
            &["def App() < Sinatra.Base", "id", "2 in App: f(id)", "2 in App: get(\"/a/:id\", fn(id) => f(id))"],
        ),
    ]);
}

#[test]
fn clients_and_fields() {
    check(&[
        (
            "class A\n  URL = \"http://x\"\n  def initialize(client, url: \"d\")\n    @client = client\n    @conn ||= Faraday.new(url: ENV[\"X\"]) { |f| f.adapter :net }\n  end\n  def show(id)\n    @client.get(\"#{URL}/x/#{id}\" + \"/y\", { \"a\" => 1 }, headers: h).body\n  end\nend",
            &[
                "def A()",
                "def URL = \"http://x\"",
                "def initialize(client, url?) = new Faraday(*{url: ENV[\"X\"]}, fn(f) => f.adapter(\"net\"))",
                "def show(id) = this.client.get(\"{}/x/{}\"{URL, id} + \"/y\", {a: integer}, *{headers: h}).body",
                "field A.client = client",
                "field A.conn = new Faraday(*{url: ENV[\"X\"]}, fn(f) => f.adapter(\"net\"))",
                "client",
                "url = \"d\"",
                "f",
                "id",
                "5 in initialize: f.adapter(\"net\")",
                "5 in initialize: new Faraday(*{url: ENV[\"X\"]}, fn(f) => f.adapter(\"net\"))",
                "8 in show: this.client.get(\"{}/x/{}\"{URL, id} + \"/y\", {a: integer}, *{headers: h})",
            ],
        ),
        (
            "url = ENV.fetch(\"Y\", \"d\"); url += \"/z\"; Net::HTTP.get(URI.parse(url)); stub = Acme::Greeter::Stub.new(\"h:1\", :insecure)",
            &[
                "url = ENV.fetch(\"Y\", \"d\")",
                "url = url + \"/z\"",
                "stub = new Acme.Greeter.Stub(\"h:1\", \"insecure\")",
                "1 in -: ENV.fetch(\"Y\", \"d\")",
                "1 in -: URI.parse(url)",
                "1 in -: Net.HTTP.get(URI.parse(url))",
                "1 in -: new Acme.Greeter.Stub(\"h:1\", \"insecure\")",
            ],
        ),
    ]);
}

#[test]
fn values_and_bindings() {
    check(&[
        (
            "a, b = f(1); x = c ? \"p\" : \"q\"; y = x || \"d\"; s = \"a\" \"b\"; t = format(\"%s/x\" % y, z); l = ->(v) { v.w }",
            &[
                "a = f(integer)#0",
                "b = f(integer)#1",
                "x = (\"p\" | \"q\")",
                "y = (x | \"d\")",
                "s = \"a\" + \"b\"",
                "t = format(\"%s/x\" % y, z)",
                "v",
                "l = fn(v) => v.w",
                "1 in -: f(integer)",
                "1 in -: format(\"%s/x\" % y, z)",
            ],
        ),
        (
            "module M\n  def self.bar = 1\n  scope :active, -> { where(a: 1) }\n  def n\n    super(1)\n    case x when 1 then \"p\" else \"q\" end\n  end\nend",
            &[
                "def M()",
                "def bar() = integer",
                "def n() = (\"p\" | \"q\")",
                "3 in M: where(*{a: integer})",
                "3 in M: scope(\"active\", fn() => where(*{a: integer}))",
                "5 in n: super(integer)",
            ],
        ),
    ]);
}

#[test]
fn heredocs_have_their_text() {
    check(&[(
        "a(<<~SQL, <<-'B')\n  select x\n  from y\nSQL\n  c\nB\nd = <<~E\n  f\nE\n",
        &["d = \"f\"", "1 in -: a(\"select x\\n  from y\", \"c\")"],
    )]);
}
