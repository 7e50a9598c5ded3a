//! A made-up repository in six languages, whose files use each other over several steps; each file in some versions.

/// Path, and the versions of its text; the first is where a repository begins, none is a file that is not there.
///
/// If two files have a version in common, removing one and adding the other is a rename.
pub(crate) const FILES: &[(&str, &[Option<&str>])] = &[
    ("py/pyproject.toml", &[Some("[project]\nname = \"dock\"\n"), Some("[project]\nname = \"pier\"\n"), None]),
    (
        "py/dock/crane.py",
        &[
            Some(
                "class Crane:\n    def lift(self):\n        return 1\n\n    def drop(self):\n        return self.lift()\n",
            ),
            Some("class Crane:\n    def lift(self):\n        return 2\n\n    def drop(self):\n        return 3\n"),
            Some("class Crane:\n    def drop(self):\n        return 1\n"),
            Some("class Winch:\n    def lift(self):\n        return 1\n\nclass Crane(Winch):\n    pass\n"),
            None,
        ],
    ),
    (
        "py/dock/yard.py",
        &[
            Some("from dock.crane import Crane\n\ndef make():\n    return Crane()\n"),
            Some("from dock.boom import Boom\n\ndef make():\n    return Boom()\n"),
            Some("from dock.crane import Crane\n\ndef build():\n    return Crane()\n"),
            Some("from dock.crane import *\n\ndef make() -> 'Crane':\n    pass\n"),
            None,
        ],
    ),
    (
        "py/dock/boom.py",
        &[
            Some("class Boom:\n    def lift(self):\n        return 'boom'\n"),
            Some("class Boom:\n    def swing(self):\n        return 'boom'\n"),
            None,
        ],
    ),
    (
        "py/dock/__init__.py",
        &[Some("from .yard import make\n"), Some(""), Some("from .boom import Boom as make\n"), None],
    ),
    (
        "py/main.py",
        &[
            Some("import dock\n\ndef run():\n    crane = dock.make()\n    crane.lift()\n    crane.drop()\n\nrun()\n"),
            Some("from dock.yard import make\n\ndef run():\n    make().lift()\n"),
            None,
        ],
    ),
    ("py/test_main.py", &[None, Some("from main import run\n\ndef test_run():\n    run()\n")]),
    ("go/go.mod", &[Some("module example.com/dock\n\ngo 1.22\n"), Some("module example.com/pier\n\ngo 1.22\n"), None]),
    (
        "go/crane/crane.go",
        &[
            Some(
                "package crane\n\ntype Crane struct{ Hook }\n\nfunc New() *Crane { return &Crane{} }\n\nfunc (c *Crane) Lift() int { return c.Grab() }\n",
            ),
            Some(
                "package crane\n\ntype Crane struct{ Hook }\n\nfunc New() *Crane {\n\tc := &Crane{}\n\tc.Lift()\n\treturn c\n}\n\nfunc (c *Crane) Lift() int { return 1 }\n",
            ),
            Some(
                "package crane\n\ntype Crane struct{}\n\nfunc New() Hook { return Hook{} }\n\nfunc (c *Crane) Lift() int { return 2 }\n",
            ),
            None,
        ],
    ),
    (
        "go/crane/hook.go",
        &[
            Some("package crane\n\ntype Hook struct{}\n\nfunc (h Hook) Grab() int { return 0 }\n"),
            Some("package crane\n\ntype Hook struct{}\n\nfunc (h Hook) Hold() int { return 0 }\n"),
            Some("package crane\n\ntype Hook interface{ Grab() int }\n"),
            None,
        ],
    ),
    (
        "go/crane/server.go",
        &[
            Some(
                "package crane\n\ntype Server struct{}\n\nfunc NewServer() *Server { return &Server{} }\n\nfunc (s *Server) AddItem() int { return 1 }\n",
            ),
            Some(
                "package crane\n\n// Server serves.\ntype Server struct{}\n\nfunc NewServer() *Server { return &Server{} }\n\n\nfunc (s *Server) AddItem() int { return 1 }\n",
            ),
            None,
        ],
    ),
    (
        "go/serve.go",
        &[
            Some(
                "package main\n\nimport (\n\t\"example.com/dock/crane\"\n\tpb \"example.com/genproto/cart\"\n\t\"google.golang.org/grpc\"\n)\n\nfunc serve() {\n\tserver := grpc.NewServer()\n\tpb.RegisterCartServer(server, crane.NewServer())\n}\n",
            ),
            None,
        ],
    ),
    (
        "go/main.go",
        &[
            Some(
                "package main\n\nimport \"example.com/dock/crane\"\n\nfunc main() {\n\tc := crane.New()\n\tc.Lift()\n\tc.Grab()\n}\n",
            ),
            Some("package main\n\nimport k \"example.com/dock/crane\"\n\nfunc main() { k.New().Lift() }\n"),
            None,
        ],
    ),
    (
        "ts/package.json",
        &[
            Some("{\"name\": \"@dock/web\", \"main\": \"src/index.ts\"}\n"),
            Some("{\"name\": \"@pier/web\", \"dependencies\": {\"left-pad\": \"1\"}}\n"),
            None,
        ],
    ),
    (
        "ts/src/crane.ts",
        &[
            Some("export class Crane {\n  lift() { return 1; }\n  drop() { return this.lift(); }\n}\n"),
            Some("export class Crane {\n  lift() { return 2; }\n  drop() { return 2; }\n}\n"),
            Some("export class Crane {\n  hoist() { return 1; }\n}\nexport function lift() {}\n"),
            Some("class Crane {\n  lift() { return 1; }\n}\nexport default Crane;\n"),
            None,
        ],
    ),
    (
        "ts/src/yard.ts",
        &[
            Some(
                "import { Crane } from './crane';\nexport const make = () => new Crane();\nexport function other() { return make(); }\n",
            ),
            Some(
                "import Crane from './crane';\nexport const make = () => new Crane();\nexport function other() { return make(); }\n",
            ),
            Some(
                "export interface Lifting { lift(): number }\nexport function other(): Lifting { return null as any; }\n",
            ),
            None,
        ],
    ),
    (
        "ts/src/index.ts",
        &[Some("export * from './yard';\n"), Some("export { make as other } from './yard';\n"), Some(""), None],
    ),
    (
        "ts/src/main.ts",
        &[
            Some(
                "import { other } from './index';\nexport function run() {\n  const crane = other();\n  crane.lift();\n}\nrun();\n",
            ),
            Some("import * as all from '.';\nexport function run() { all.other().lift(); }\n"),
            None,
        ],
    ),
    (
        "ts/src/server.ts",
        &[
            Some(
                "import express from 'express';\nimport { run } from './main';\nconst app = express();\napp.get('/cranes/:id', run);\n",
            ),
            Some(
                "import express from 'express';\nimport { run } from './main';\nconst app = express();\napp.post('/cranes', run);\nfetch('/cranes/7');\n",
            ),
            None,
        ],
    ),
    (
        "rs/Cargo.toml",
        &[
            Some("[package]\nname = \"dock\"\nversion = \"0.1.0\"\n"),
            Some("[package]\nname = \"pier\"\nversion = \"0.1.0\"\n"),
            None,
        ],
    ),
    (
        "rs/src/lib.rs",
        &[
            Some(
                "mod crane;\nmod yard;\npub use yard::make;\n\npub fn run() {\n    let crane = make();\n    crane.lift();\n    crane.swing();\n}\n",
            ),
            Some("mod crane;\nmod yard;\n\npub fn run() {\n    yard::make().lift();\n}\n"),
            Some("pub fn run() {}\n"),
            None,
        ],
    ),
    (
        "rs/src/crane.rs",
        &[
            Some(
                "pub struct Crane;\n\nimpl Crane {\n    pub fn lift(&self) -> u32 {\n        1\n    }\n}\n\npub trait Swing {\n    fn swing(&self) {}\n}\n",
            ),
            Some(
                "pub struct Crane;\n\nimpl Crane {\n    pub fn lift(&self) -> u32 {\n        helper()\n    }\n}\n\nfn helper() -> u32 {\n    2\n}\n\npub trait Swing {\n    fn swing(&self) {}\n}\n",
            ),
            Some("pub struct Crane;\n\npub trait Swing {\n    fn lift(&self) {}\n}\n"),
            None,
        ],
    ),
    (
        "rs/src/yard.rs",
        &[
            Some(
                "use crate::crane::{Crane, Swing};\n\nimpl Swing for Crane {}\n\npub fn make() -> Crane {\n    Crane\n}\n",
            ),
            Some("use crate::crane::Crane;\n\npub fn make() -> Option<Crane> {\n    None\n}\n"),
            Some(
                "pub struct Other;\n\nimpl Other {\n    pub fn lift(&self) {}\n}\n\npub fn make() -> Other {\n    Other\n}\n",
            ),
            None,
        ],
    ),
    (
        "rs/src/yard/mod.rs",
        &[
            None,
            Some(
                "pub struct Other;\n\nimpl Other {\n    pub fn lift(&self) {}\n}\n\npub fn make() -> Other {\n    Other\n}\n",
            ),
        ],
    ),
    (
        "java/src/main/java/dock/Crane.java",
        &[
            Some(
                "package dock;\n\npublic class Crane extends Machine {\n    public int lift() { return start(); }\n    public int lift(int n) { return n; }\n}\n",
            ),
            Some("package dock;\n\npublic class Crane {\n    public int lift(String s) { return 1; }\n}\n"),
            Some("package dock;\n\npublic class Crane extends Machine {\n    public int lift() { return 7; }\n}\n"),
            Some("package port;\n\npublic class Crane {\n    public int lift() { return 7; }\n}\n"),
            None,
        ],
    ),
    (
        "java/src/main/java/dock/Machine.java",
        &[
            Some(
                "package dock;\n\npublic class Machine {\n    protected int start() { return 0; }\n    public Machine self() { return this; }\n}\n",
            ),
            Some("package dock;\n\npublic interface Machine {\n    int start();\n}\n"),
            None,
        ],
    ),
    (
        "java/src/main/java/app/Main.java",
        &[
            Some(
                "package app;\n\nimport dock.Crane;\n\npublic class Main {\n    public static void main(String[] args) {\n        Crane crane = new Crane();\n        crane.lift();\n        crane.self();\n    }\n}\n",
            ),
            Some(
                "package app;\n\nimport dock.*;\n\npublic class Main {\n    static void run() { new Crane().lift(3); }\n}\n",
            ),
            None,
        ],
    ),
    (
        "c/crane.h",
        &[
            Some(
                "#ifndef CRANE_H\n#define CRANE_H\n#include \"hook.h\"\nstruct crane { struct hook hook; };\nint crane_lift(struct crane *crane);\n#endif\n",
            ),
            Some("int crane_lift(int n);\n"),
            Some("int crane_drop(void);\n"),
            None,
        ],
    ),
    (
        "c/hook.h",
        &[Some("struct hook { int (*grab)(void); };\nint hook_grab(void);\n"), Some("int hook_hold(void);\n"), None],
    ),
    (
        "c/crane.c",
        &[
            Some(
                "#include \"crane.h\"\n\nstatic int helper(void) { return hook_grab(); }\n\nint crane_lift(struct crane *crane) { return helper(); }\n",
            ),
            Some("#include \"crane.h\"\n\nint crane_lift(struct crane *crane) { return 1; }\n"),
            None,
        ],
    ),
    (
        "c/hook.c",
        &[
            Some("#include \"hook.h\"\n\nint hook_grab(void) { return 0; }\n"),
            Some("int hook_hold(void) { return 0; }\n"),
            None,
        ],
    ),
    ("c/claw.c", &[None, Some("#include \"hook.h\"\n\nint hook_grab(void) { return 0; }\n")]),
    (
        "c/main.c",
        &[
            Some(
                "#include \"crane.h\"\n\nint main(void) {\n    struct crane crane;\n    return crane_lift(&crane) + hook_grab();\n}\n",
            ),
            Some("int main(void) { return crane_lift(0); }\n"),
            None,
        ],
    ),
    (
        "go/crane/claw_other.go",
        &[
            None,
            Some("//go:build !linux\n\npackage crane\n\nfunc (h Hook) Grab() int { return 1 }\n"),
            Some("//go:build linux\n\npackage crane\n\nfunc (h Hook) Grab() int { return 1 }\n"),
        ],
    ),
    (
        "cpp/crane.hpp",
        &[
            Some(
                "#pragma once\nclass Crane {\npublic:\n  int lift() { return 1; }\n};\nclass Winch {\npublic:\n  int lift() { return 2; }\n};\ninline auto make() { return Crane(); }\n",
            ),
            Some(
                "#pragma once\nclass Crane {\npublic:\n  int lift() { return 1; }\n};\nclass Winch {\npublic:\n  int lift() { return 2; }\n};\ninline auto make() { return Winch(); }\n",
            ),
            Some("#pragma once\nclass Winch {\npublic:\n  int lift() { return 2; }\n};\ninline Winch make();\n"),
            None,
        ],
    ),
    (
        "cpp/main.cpp",
        &[Some("#include \"crane.hpp\"\n\nint main() {\n  auto crane = make();\n  return crane.lift();\n}\n"), None],
    ),
    (
        "other/crane.rb",
        &[
            Some("class Crane\n  def hoist_up\n    1\n  end\n\n  def let_down\n    2\n  end\nend\n"),
            Some(
                "class Crane\n  def before\n    1\n  end\n\n  def let_down\n    2\n  end\n\n  def hoist_up\n    1\n  end\nend\n",
            ),
            Some("class Crane\n  def let_down\n    2\n  end\nend\n"),
            None,
        ],
    ),
    (
        "other/main.rb",
        &[
            Some("require_relative 'crane'\n\ndef run\n  crane = Crane.new\n  crane.hoist_up\n  crane.let_down\nend\n"),
            Some("def run\n  Crane.new.hoist_up\nend\n"),
            None,
        ],
    ),
    ("other/winch.rb", &[Some("def unrelated\nend\n"), Some("def hoist_up\nend\n")]),
    (
        "other/Crane.kt",
        &[
            Some(
                "package dock\n\nopen class Machine { fun start() = 1 }\n\nclass Crane : Machine() {\n    fun liftIt() = start()\n}\n\nfun makeCrane() = Crane()\n",
            ),
            Some(
                "package dock\n\nopen class Machine { fun start() = 1 }\n\nclass Crane : Machine() {\n    fun other() = 1\n    fun liftIt() = start()\n}\n\nfun makeCrane() = Machine()\n",
            ),
            None,
        ],
    ),
    (
        "other/Main.kt",
        &[
            Some(
                "package app\n\nimport dock.Crane\nimport dock.makeCrane\n\nfun main() {\n    makeCrane().liftIt()\n    Crane().liftIt()\n}\n",
            ),
            Some("package app\n\nfun main() {}\n"),
        ],
    ),
    (
        "docs/example.py",
        &[
            Some("from ship import Ship\n\ndef dock_all():\n    Ship().moor()\n"),
            Some("from ship import Ship\n\ndef first():\n    pass\n\ndef dock_all():\n    Ship().moor()\n"),
            None,
        ],
    ),
    (
        "docs/ship.py",
        &[
            Some("class Ship:\n    def moor(self):\n        pass\n"),
            Some("class Boat:\n    pass\n\nclass Ship:\n    def sail(self):\n        pass\n"),
        ],
    ),
    (
        "docs/guide.md",
        &[
            Some("# Guide\n\nCall `dock_all` of `docs/example.py`, then `Ship.moor`.\n"),
            Some("# Guide\n\nCall `moor`.\n"),
            None,
        ],
    ),
    (
        "proto/dock.proto",
        &[
            Some(
                "syntax = \"proto3\";\npackage dock.v1;\nservice Docks {\n  rpc Lift(LiftRequest) returns (LiftReply);\n}\nmessage LiftRequest {}\nmessage LiftReply {}\n",
            ),
            Some(
                "syntax = \"proto3\";\npackage dock.v2;\nservice Docks {\n  rpc Lift(LiftRequest) returns (LiftRequest);\n}\nmessage LiftRequest {}\n",
            ),
            None,
        ],
    ),
];
