//! Classes and interfaces of other repositories: inherited, implemented and overridden.

use super::*;

#[test]
fn python_classes_inherit_from_another_repository() {
    check(
        "//- app/pyproject.toml
[project]
name = \"app\"
dependencies = [\"kit\"]
//- app/src/app/a.py
from kit import Base
class Own(Base):
    def run(self):
        self.start()
        super().stop()
//- kit/src/kit/__init__.py
from .base import Base
//- kit/src/kit/base.py
class Base:
    def start(self): ...
    def stop(self): ...
//- kit/tests/kit/__init__.py
class Base: ...
",
        &[
            "src/app/a.py::Own.run:4 calls kit/src/kit/base.py::Base.start",
            "src/app/a.py::Own.run:5 calls kit/src/kit/base.py::Base.stop",
            "src/app/a.py::Own:2 extends kit/src/kit/base.py::Base",
            "src/app/a.py::Own:2 references kit/src/kit/base.py::Base",
        ],
    );
}

#[test]
fn go_methods_implement_foreign_interfaces_without_naming_them() {
    check(
        "//- app/go.mod
module example.org/app
require example.org/kit v1.0.0
//- app/main.go
package main
import \"example.org/kit/store\"
type file struct{}
func (f *file) Log(text string) {}
func (f *file) Close() error { return nil }
type other struct{}
func (o *other) Log() {}
func run() { store.Use(&file{}) }
//- kit/go.mod
module example.org/kit
//- kit/store/store.go
package store
type closer interface { Close() error }
type Logger interface { closer; Log(text string) }
func Use(l Logger) {}
",
        &[
            "main.go::file.Close:5 dispatch kit/store/store.go::closer.Close",
            "main.go::file.Log:4 dispatch kit/store/store.go::Logger.Log",
            "main.go::file:3 implements kit/store/store.go::Logger",
            "main.go::file:3 implements kit/store/store.go::closer",
            "main.go::run:8 calls kit/store/store.go::Use",
        ],
    );
}

#[test]
fn methods_override_those_of_foreign_bases() {
    check(
        "//- app/package.json
{\"name\": \"app\", \"dependencies\": {\"kit\": \"1\"}}
//- app/a.ts
import { Plugin } from 'kit';
class Middle extends Plugin {}
class Own extends Middle {
    constructor() { super() }
    start(name: string) {}
    own() {}
}
//- kit/package.json
{\"name\": \"kit\", \"main\": \"index.ts\"}
//- kit/index.ts
interface Startable { start(name: string): void }
export class Plugin implements Startable {
    constructor() {}
    start(name: string) {}
    stop() {}
}
",
        &[
            "a.ts::Middle:2 extends kit/index.ts::Plugin",
            "a.ts::Middle:2 references kit/index.ts::Plugin",
            "a.ts::Own.constructor:4 calls kit/index.ts::Plugin.constructor",
            "a.ts::Own.start:5 dispatch kit/index.ts::Plugin.start",
            "a.ts::Own.start:5 dispatch kit/index.ts::Startable.start",
        ],
    );
}
