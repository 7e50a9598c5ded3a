//! Snapshots of one page of each type, and pages of parts without facts.

use model::{FileClass, Language, LineSpan, SymbolKind};
use pages::{
    FilePart, InfraKind, InfraPart, LanguagePart, MemberPart, ModulePart, NamePart, OverviewPart, Page, PastPart,
    RelatedItem, RelatedItems, SymbolPart,
};

fn name<'a>(kind: SymbolKind, name: &'a str, signature: &'a str, doc: &'a str, n_uses: u32) -> NamePart<'a> {
    NamePart { kind, name, container: "", signature, doc, n_uses }
}

fn relations<'a>(strongest: &[(&'a str, u32)], n_all: u32) -> RelatedItems<'a> {
    RelatedItems {
        strongest: strongest.iter().map(|(name, count)| RelatedItem { name, count: *count }).collect(),
        n_all,
    }
}

fn names() -> Vec<NamePart<'static>> {
    let doc = "What a customer wants to buy.\n\nIt is never empty.";
    let add = NamePart {
        container: "Cart",
        ..name(SymbolKind::Method, "add", "def add(self, item: Item, count: int = 1) -> None", "Adds items. Twice.", 12)
    };
    vec![
        name(SymbolKind::Class, "Cart", "class Cart(Base)", doc, 31),
        add,
        name(SymbolKind::Function, "total", "def total(cart)", "", 2),
        name(SymbolKind::Function, "helper", "def helper()", "", 0),
    ]
}

fn past() -> PastPart<'static> {
    PastPart {
        n_recent: 14,
        is_at_least: false,
        owners: vec![("Ada Lovelace", 0.62), ("Grace Hopper", 0.3), ("Passer-by", 0.05)],
        changes_with: vec!["shop/order.py", "tests/test_cart.py"],
        subjects: vec!["Round totals half to even (#812)", "Carts know their currency"],
    }
}

fn file(path: &str) -> FilePart<'_> {
    FilePart {
        path,
        language: Language::Python,
        class: FileClass::Source,
        n_lines: 210,
        doc: "Carts, and what they cost.\n\nMore about `Cart` here.",
        names: names(),
        used_by: relations(&[("shop/checkout.py", 9), ("shop/api.py", 1)], 7),
        tested_by: relations(&[("tests/test_cart.py", 14)], 1),
        documented_in: relations(&[("docs/cart.md", 2)], 1),
        depends_on: relations(&[("shop/item.py", 6)], 1),
        packages: relations(&[("sqlalchemy", 11), ("attrs", 1)], 2),
        past: past(),
    }
}

#[track_caller]
fn check(page: &Page, max_bytes: usize) {
    assert!(page.text.len() <= max_bytes, "{} bytes", page.text.len());
    let heading = format!("{} | {} | {}\n\n", page.page_type.name(), page.path, page.title);
    insta::assert_snapshot!(page.page_type.name(), heading + &page.text);
}

#[test]
fn a_file() {
    check(&pages::file(&file("shop/cart.py")), 1_500);
}

#[test]
fn a_file_without_a_doc_shows_the_doc_of_its_namesake_type() {
    let page = pages::file(&FilePart { doc: "", ..file("shop/cart.py") });
    assert!(page.text.contains("\n\nWhat a customer wants to buy.\n"), "{}", page.text);
    assert_eq!(page.text.matches("What a customer").count(), 1, "{}", page.text);
}

#[test]
fn tests_and_documents_list_their_contents() {
    let test = FilePart { class: FileClass::Test, ..file("tests/test_cart.py") };
    assert!(pages::file(&test).text.contains("\nTests: Cart, add, total, helper\n"));
    let document = FilePart { class: FileClass::Docs, language: Language::Markdown, ..file("docs/cart.md") };
    assert!(pages::file(&document).text.contains("\nSections: Cart, add, total, helper\n"));
}

#[test]
fn a_module() {
    let part = ModulePart {
        path: "shop",
        package: Some("parcel-shop"),
        purpose: "Everything that is sold, from the cart to the bill.",
        members: vec![
            MemberPart { path: "cart.py", doc: "Carts, and what they cost. More." },
            MemberPart { path: "item.py", doc: "" },
        ],
        n_members: 2,
        names: names(),
        used_by: relations(&[("api", 40), (".", 2)], 2),
        tested_by: relations(&[("tests", 70)], 1),
        depends_on: relations(&[("store", 12)], 1),
        packages: relations(&[("sqlalchemy", 11)], 1),
        past: PastPart { is_at_least: true, changes_with: Vec::new(), ..past() },
    };
    check(&pages::module(&part), 2_500);
}

#[test]
fn a_repository() {
    let part = OverviewPart {
        name: "Parcel Shop",
        purpose: "Sells parcels to people who like parcels.",
        languages: vec![LanguagePart { name: "python", n_files: 41 }, LanguagePart { name: "typescript", n_files: 7 }],
        modules: vec![
            MemberPart { path: "shop", doc: "Everything that is sold." },
            MemberPart { path: "api", doc: "" },
        ],
        makes: relations(&[("parcel-shop", 1)], 1),
        packages: relations(&[("sqlalchemy", 90), ("flask", 31)], 2),
        entry_points: relations(&[("api/main.py", 1)], 1),
        routes: relations(&[("GET /carts/{}", 1)], 1),
        services: relations(&[("CartService", 1)], 1),
        names: names(),
        infra: relations(&[("Dockerfile", 1), (".github/workflows/ci.yml", 1)], 2),
        busiest: relations(&[("shop/cart.py", 14)], 20),
        past: past(),
    };
    check(&pages::overview(&part), 5_000);
}

#[test]
fn infrastructure() {
    for (path, text) in [
        (
            "Dockerfile",
            "FROM rust:1.90 AS build\nRUN cargo build\nFROM debian:12\nEXPOSE 8080\nENTRYPOINT [\"shop\"]\n",
        ),
        (
            "docker-compose.yml",
            "services:\n  api:\n    build: .\n    ports:\n      - \"80:8080\"\n  db:\n    image: postgres:17\nvolumes:\n  data:\n",
        ),
        (
            "deploy/api.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: api\nspec:\n  template:\n    spec:\n      containers:\n      - image: shop:1\n        ports:\n        - containerPort: 8080\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: api\n",
        ),
        ("charts/shop/Chart.yaml", "name: shop\ndescription: A shop for parcels\ndependencies:\n  - name: redis\n"),
        (
            ".github/workflows/ci.yml",
            "name: CI\non:\n  push:\n  pull_request:\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - name: Run the tests\n        run: make test\n",
        ),
        (".gitlab-ci.yml", "stages:\n  - build\n  - ship\nimage: rust:1\nunit:\n  stage: build\n  script: make\n"),
        (".travis.yml", "language: go\nscript: make\n"),
        ("Jenkinsfile", "pipeline { stages { stage('Build') { } stage(\"Ship it\") { } } }\n"),
        ("Makefile", "CC = cc\n.PHONY: all\nall: build test\nbuild:\n\tcc x.c\n%.o: %.c\ntest: build\n"),
        ("CMakeLists.txt", "project(shop VERSION 1)\nadd_library(cart STATIC a.c)\nfind_package(Threads)\n"),
        ("Procfile", "web: gunicorn shop\nworker: celery\n"),
    ] {
        let kind = InfraKind::of_path(path).or_else(|| InfraKind::of_text(path, text));
        let part = InfraPart {
            path,
            kind: kind.expect("the path or the text tells the kind"),
            text,
            doc: "",
            names: Vec::new(),
            used_by: RelatedItems::default(),
            depends_on: RelatedItems::default(),
            past: PastPart::default(),
        };
        insta::assert_snapshot!(format!("infra_{}", path.replace(['/', '.'], "_")), pages::infra(&part).text);
    }
}

#[test]
fn a_symbol() {
    let part = SymbolPart {
        path: "shop/cart.py",
        qualified_name: "Cart.add",
        kind: SymbolKind::Method,
        lines: LineSpan { start: 20, end: 34 },
        signature: "def add(self, item: Item, count: int = 1) -> None",
        doc: "Adds items. Twice.\n\n:param item: which",
        used_by: relations(&[("shop/checkout.py::checkout", 2)], 1),
        uses: relations(&[("shop/item.py::Item.price", 1)], 1),
    };
    check(&pages::symbol(&part), 1_500);
}

#[test]
fn unknown_facts_are_omitted() {
    let part = FilePart {
        doc: "",
        names: Vec::new(),
        used_by: RelatedItems::default(),
        tested_by: RelatedItems::default(),
        documented_in: RelatedItems::default(),
        depends_on: RelatedItems::default(),
        packages: RelatedItems::default(),
        past: PastPart::default(),
        ..file("shop/empty.py")
    };
    assert_eq!(pages::file(&part).text, "# shop/empty.py\npython source, 210 lines\n");
    assert_eq!(pages::overview(&OverviewPart::default()).text, "# Repository\n");
}

#[test]
fn pages_respect_their_size() {
    let long = "a very long word of many ".repeat(400);
    let many: Vec<(&str, u32)> = vec![(long.as_str(), 3); 50];
    let names = vec![name(SymbolKind::Function, "f", &long, &long, 3); 50];
    let past = PastPart { subjects: vec![&long; 9], changes_with: vec![&long; 9], ..past() };
    let part = FilePart {
        doc: &long,
        names,
        used_by: relations(&many, 50),
        depends_on: relations(&[("shop/a/file/somewhere.py", 1); 50], 50),
        past,
        ..file(&long)
    };
    let page = pages::file(&part);
    assert!(page.text.len() <= 1_500, "{} bytes", page.text.len());
}
