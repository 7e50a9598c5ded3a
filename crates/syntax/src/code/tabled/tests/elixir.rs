//! Lowered snippets of Elixir.

use model::Language;

use super::check_all;

fn check(snippets: &[(&str, &[&str])]) {
    check_all(Language::Elixir, snippets);
}

#[test]
fn routes() {
    check(&[
        (
            "defmodule A.Router do\n  use A, :router\n  scope \"/api\", A do\n    pipe_through :api\n    get \"/x/:id\", UserController, :show\n    resources \"/u\", UserController, only: [:index]\n  end\nend",
            &[
                "def A.Router()",
                "2 in A.Router: use(A, \"router\")",
                "4 in A.Router: pipe_through(\"api\")",
                "5 in A.Router: get(\"/x/:id\", UserController, \"show\")",
                "6 in A.Router: resources(\"/u\", UserController, *{only: [\"index\"]})",
                "3 in A.Router: scope(\"/api\", A, fn() => resources(\"/u\", UserController, *{only: [\"index\"]}))",
            ],
        ),
        (
            "defmodule P do\n  get \"/a\" do\n    send_resp(conn, 200, \"x\")\n  end\nend",
            &[
                "def P()",
                "3 in P: send_resp(conn, integer, \"x\")",
                "2 in P: get(\"/a\", fn() => send_resp(conn, integer, \"x\"))",
            ],
        ),
    ]);
}

#[test]
fn clients() {
    check(&[(
        "defmodule C do\n  @base \"http://x\"\n  plug Tesla.Middleware.BaseUrl, \"http://b\"\n  def get(id, opts \\\\ []) do\n    url = \"#{@base}/x/#{id}\" <> \"/y\"\n    Req.get!(url, headers: h, json: %{a: 1})\n  end\n  defp short(a), do: a\nend",
        &[
            "def C()",
            "def base = \"http://x\"",
            "def get(id, opts?) = Req.get!(url, *{headers: h, json: {a: integer}})",
            "def short(a) = a",
            "id",
            "opts = []",
            "url = \"{}/x/{}\"{base, id} + \"/y\"",
            "a",
            "3 in C: plug(Tesla.Middleware.BaseUrl, \"http://b\")",
            "6 in get: Req.get!(url, *{headers: h, json: {a: integer}})",
        ],
    )]);
}

#[test]
fn values_and_bindings() {
    check(&[
        (
            "def f(%{a: a} = x, [h | t]) when is_map(x) do\n  {:ok, r} = HTTPoison.post(url, \"b\")\n  e = System.get_env(\"X\") || \"d\"\n  c = Application.get_env(:a, :b)[:url]\n  r |> g(1) |> B.h()\n  %Foo{a: e, b: conn.params[\"c\"]}\nend",
            &[
                "def f(x, _) = new Foo({a: e, b: conn.params[\"c\"]})",
                "x",
                "r = HTTPoison.post(url, \"b\")#1",
                "e = (System.get_env(\"X\") | \"d\")",
                "c = Application.get_env(\"a\", \"b\")[\"url\"]",
                "2 in f: HTTPoison.post(url, \"b\")",
                "3 in f: System.get_env(\"X\")",
                "4 in f: Application.get_env(\"a\", \"b\")",
                "5 in f: g(r, integer)",
                "5 in f: B.h(g(r, integer))",
                "6 in f: new Foo({a: e, b: conn.params[\"c\"]})",
            ],
        ),
        (
            "fun = fn x, y -> x.z end\nEnum.map(list, &f(&1))\nm = %{\"a\" => 1}\n%{k: k} = m",
            &[
                "x",
                "y",
                "fun = fn(x, y) => x.z",
                "m = {a: integer}",
                "k = m.k",
                "2 in -: f(integer)",
                "2 in -: Enum.map(list, f(integer))",
            ],
        ),
    ]);
}
