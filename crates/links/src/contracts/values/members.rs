//! Members of values: fields of types, names of modules, members of objects.

use graph::{FileIdx, Node, SymbolIdx, Ty};
use model::{
    Language,
    code::{Expression, ExpressionId, NameId},
};

use super::{ValueReader, ValueSource, folder};
use crate::contracts::{decorations::decoration_call, imports::local_name};

/// Maximum number of segments of a dotted name.
const MAX_SEGMENTS: usize = 8;

/// Maximum number of base types of a type.
const MAX_BASE_TYPES: usize = 32;

/// Folders of sources, below which the folders are those of the packages.
const SOURCE_ROOTS: [&str; 3] = ["src/main/java/", "src/main/kotlin/", "src/main/scala/"];

/// Maximum number of types of one name that are compared.
const MAX_TYPES: usize = 50;

impl<'p> ValueReader<'_, 'p> {
    pub(super) fn member_sources(&mut self, file: FileIdx, of: ExpressionId, name: NameId) -> Vec<ValueSource> {
        if let Some(owner) = self.own_object(file, of) {
            let own = self.field_sources(file, owner, name, 0);
            if !own.is_empty() {
                return own;
            }
        }
        let ty = self.cx.type_of(file, of);
        for one in ty.alternatives() {
            if let Ty::Object(applied) | Ty::Class(applied) = one {
                // Without inference, the only type of a name is meant, however far away it is.
                let is_by_name = matches!(one, Ty::Class(_)) && self.has_types_by_name(file);
                if is_by_name && (self.is_of_object(file, of) || !self.is_near(file, applied.of)) {
                    continue;
                }
                let found = self.field_sources(file, applied.of, name, 0);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        let of_module = self.module_member_sources(file, of, name);
        if !of_module.is_empty() {
            return of_module;
        }
        if let Some((file, value)) = self.object_field(file, of, name, 0) {
            return vec![ValueSource::Expression(file, value)];
        }
        let of_type = self.constant_of_type(file, of, name);
        if of_type.is_empty() { self.declared_field(file, of, name) } else { of_type }
    }

    /// Returns the sources of a field of a value whose type the code declares, in languages without inference: `urls.cart` of a parameter
    /// `urls: ServiceUrls`.
    fn declared_field(&mut self, file: FileIdx, of: ExpressionId, name: NameId) -> Vec<ValueSource> {
        if !self.has_types_by_name(file) {
            return Vec::new();
        }
        let sources = self.sources(file, of);
        match self.class_of_sources(sources) {
            Some(class) => self.field_sources(file, class, name, 0),
            None => Vec::new(),
        }
    }

    /// Returns the literal constant of a type that the code names, in languages without inference: `Keys.Cart`. The type is the only
    /// one of its name that has the member, and is in the file, in its folder, or in an imported namespace.
    fn constant_of_type(&mut self, file: FileIdx, of: ExpressionId, name: NameId) -> Vec<ValueSource> {
        let program = self.program();
        let language = program.language(file);
        if !self.has_types_by_name(file) || self.is_of_object(file, of) {
            return Vec::new();
        }
        let Some(written) = self.dotted(file, of) else { return Vec::new() };
        let last = written.rsplit(['.', '\\']).next().unwrap_or(&written);
        let (Some(named), member) = (program.name_named(last), program.name(file, name)) else { return Vec::new() };
        let types = program.named(named).iter().copied().take(MAX_TYPES).filter(|symbol| {
            program.definition(*symbol).kind.is_type()
                && program.language(program.file_of(*symbol)) == language
                && !program.members(*symbol, member).is_empty()
        });
        match types.collect::<Vec<_>>()[..] {
            [only] if self.is_near(file, only) => {
                let sources = self.field_sources(file, only, name, 0);
                let is_literal = |source: &ValueSource| match source {
                    ValueSource::Expression(home, value) => {
                        self.literal(*home, *value).is_some() && self.code(*home).holes(*value).is_empty()
                    }
                    // The type of a constant is no value.
                    ValueSource::Declared(..) => true,
                    _ => false,
                };
                if sources.iter().all(is_literal) { sources } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    /// Returns true for languages without inference, whose types are known by their bare names.
    fn has_types_by_name(&self, file: FileIdx) -> bool {
        let language = self.program().language(file);
        matches!(language, Language::CSharp | Language::Kotlin | Language::Scala | Language::Php)
    }

    /// Returns true if a dotted name begins with an object, a variable or a member of the type around it.
    fn is_of_object(&self, file: FileIdx, of: ExpressionId) -> bool {
        let mut at = of;
        for _ in 0..MAX_SEGMENTS {
            match self.expression(file, at) {
                Expression::Member { of, .. } | Expression::Path { of, .. } => at = *of,
                Expression::Name { name, scope, n_before } => {
                    let name = self.program().name(file, *name);
                    let is_member = |owner: SymbolIdx| {
                        let mut members = self.program().members(owner, name).iter();
                        members.any(|member| !self.program().definition(*member).kind.is_type())
                    };
                    return self.cx.binding_before(file, name, *scope, *n_before).is_some()
                        || self.type_around(file, *scope).is_some_and(is_member);
                }
                Expression::Type(_) => return false,
                _ => return true,
            }
        }
        true
    }

    /// Returns true if a type is in a file, in its folder, or in a namespace that it imports: the last part of a namespace is that of the
    /// folder of the type. In C#, the namespaces of the folders above need no import, and a file above may import for all.
    fn is_near(&mut self, file: FileIdx, of: SymbolIdx) -> bool {
        let program = self.program();
        let home = folder(program.path(program.file_of(of)));
        let own = folder(program.path(file));
        let is_below =
            |above: &str| above.is_empty() || own.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'));
        let is_of_dotnet = program.language(file) == Language::CSharp;
        let last = |text: &'p str| text.rsplit(['.', '\\', '/']).next().unwrap_or(text);
        let name = &*program.definition(of).name;
        let is_imported = |import: &'p model::Import| {
            let module = last(&import.module);
            module == name || import.name == name || !module.is_empty() && module == last(home)
        };
        home == own
            || is_of_dotnet && is_below(home)
            || program.facts(file).imports.iter().any(is_imported)
            || is_of_dotnet
                && self.shared_imports(own).into_iter().any(|of| program.facts(of).imports.iter().any(is_imported))
    }

    /// Returns the type of the object whose method contains an expression, if the expression is that object.
    pub(in crate::contracts) fn own_object(&self, file: FileIdx, of: ExpressionId) -> Option<SymbolIdx> {
        let value = match self.expression(file, of) {
            // `self` of Python is a binding.
            Expression::Name { name, scope, n_before } => {
                let name = self.program().name(file, *name);
                let binding = self.cx.binding_before(file, name, *scope, *n_before)?;
                self.expression(file, self.code(file).bindings[binding as usize].value?)
            }
            other => other,
        };
        match value {
            Expression::This { scope } => self.type_around(file, *scope),
            _ => None,
        }
    }

    /// Returns the sources of a name of an imported module: `config.BASE`.
    fn module_member_sources(&mut self, file: FileIdx, of: ExpressionId, name: NameId) -> Vec<ValueSource> {
        let program = self.program();
        let Expression::Name { name: module, .. } = self.expression(file, of) else { return Vec::new() };
        let (module, member) = (program.text(program.name(file, *module)), program.name(file, name));
        let imports = &program.facts(file).imports;
        for (idx, import) in imports.iter().enumerate() {
            if local_name(program.language(file), import) != module {
                continue;
            }
            if import.module == "django.conf" {
                return self.django_sources(member);
            }
            for target in self.cx.import_targets(file, idx) {
                let Node::File(target) = target else { continue };
                self.cx.consult(target);
                // The object that a module exports may have a name that is also one of its variables.
                let exported = self.exported_sources(target, program.text(member));
                if !exported.is_empty() {
                    return exported;
                }
                let of_file = program.top(target, member).to_vec();
                let in_package = program.named(member).iter().copied().filter(|symbol| {
                    program.language(file) == Language::Go
                        && folder(program.path(program.file_of(*symbol))) == folder(program.path(target))
                });
                let symbols = if of_file.is_empty() { in_package.collect() } else { of_file };
                symbols.iter().for_each(|symbol| self.cx.consult(program.file_of(*symbol)));
                return symbols.into_iter().flat_map(|symbol| self.symbol_sources(symbol)).collect();
            }
        }
        Vec::new()
    }

    /// Returns the sources of a name in the settings of Django, which are the module `settings` of the project.
    fn django_sources(&mut self, member: graph::Name) -> Vec<ValueSource> {
        let program = self.program();
        let is_setting = |symbol: &SymbolIdx| {
            let path = program.path(program.file_of(*symbol));
            program.parent(*symbol).is_none() && (path.ends_with("settings.py") || path.contains("/settings/"))
        };
        let named: Vec<SymbolIdx> = program.named(member).iter().copied().filter(is_setting).collect();
        named.into_iter().flat_map(|symbol| self.symbol_sources(symbol)).collect()
    }

    /// Returns the sources of an exported name that no definition has: `exports.base = x`, `module.exports = {base: x}`.
    pub(super) fn exported_sources(&mut self, file: FileIdx, name: &str) -> Vec<ValueSource> {
        let code = self.code(file);
        let mut named = code.exports.iter().filter(|export| code.name(export.name) == name).map(|export| export.value);
        let value = named.next_back().map(|value| (file, value)).or_else(|| {
            let (home, fields) = self.exported_object(file, 0)?;
            let code = self.code(home);
            fields.iter().find(|(field, _)| code.name(*field) == name).map(|(_, value)| (home, *value))
        });
        value.map(|(home, value)| ValueSource::Expression(home, value)).into_iter().collect()
    }

    /// Returns the fields of the object that is the value of a module: `module.exports = {…}`, `export default {…}`.
    fn exported_object(&mut self, file: FileIdx, depth: u32) -> Option<(FileIdx, &'p [(NameId, ExpressionId)])> {
        self.cx.consult(file);
        let code = self.code(file);
        let whole = code.exports.iter().filter(|export| matches!(code.name(export.name), "=" | "default"));
        let values: Vec<ExpressionId> = whole.map(|export| export.value).collect();
        values.into_iter().rev().find_map(|value| self.object(file, value, depth + 1))
    }

    /// Returns the file that an import of a whole module means.
    pub(super) fn imported_file(&mut self, file: FileIdx, module: NameId) -> Option<FileIdx> {
        let module = self.code(file).name(module);
        let imports = &self.program().facts(file).imports;
        let import_idx = imports.iter().position(|import| import.module == module)?;
        self.cx.import_targets(file, import_idx).into_iter().find_map(|target| match target {
            Node::File(target) => Some(target),
            Node::Symbol(_) => None,
        })
    }

    /// Returns the field of an object that a name or member means: `config.base` of `const config = {base: "…"}`.
    fn object_field(
        &mut self,
        file: FileIdx,
        of: ExpressionId,
        name: NameId,
        depth: u32,
    ) -> Option<(FileIdx, ExpressionId)> {
        let wanted = self.code(file).name(name);
        let (file, fields) = self.object(file, of, depth)?;
        let code = self.code(file);
        fields.iter().find(|(field, _)| code.name(*field) == wanted).map(|(_, value)| (file, *value))
    }

    /// Returns the fields of the object that an expression means.
    pub(in crate::contracts) fn object(
        &mut self,
        file: FileIdx,
        expression: ExpressionId,
        depth: u32,
    ) -> Option<(FileIdx, &'p [(NameId, ExpressionId)])> {
        if depth > 4 {
            return None;
        }
        match self.expression(file, expression) {
            Expression::Object(fields) => Some((file, fields)),
            Expression::Dereferenced { of } | Expression::Cast { of, .. } => self.object(file, *of, depth + 1),
            Expression::Import { module, name } if name.is_none_or(|name| self.code(file).name(name) == "default") => {
                let target = self.imported_file(file, *module)?;
                self.exported_object(target, depth + 1)
            }
            Expression::Name { .. } => {
                let sources = self.sources(file, expression);
                sources.into_iter().find_map(|source| match source {
                    ValueSource::Expression(file, value) => self.object(file, value, depth + 1),
                    _ => None,
                })
            }
            Expression::Member { of, name } => {
                let (file, value) = self.object_field(file, *of, *name, depth + 1)?;
                self.object(file, value, depth + 1)
            }
            _ => None,
        }
    }

    /// Returns the sources of a field of a type: its declaration, and what code assigns to it.
    pub(in crate::contracts) fn field_sources(
        &mut self,
        file: FileIdx,
        owner: SymbolIdx,
        name: NameId,
        depth: u32,
    ) -> Vec<ValueSource> {
        let program = self.program();
        let interned = program.name(file, name);
        let home = program.file_of(owner);
        self.cx.consult(home);
        let code = self.code(home);
        let members = program.members(owner, interned).to_vec();
        let owner_id = program.definition_id(owner);
        let facts =
            code.fields.iter().filter(|fact| fact.owner == owner_id && program.name(home, fact.name) == interned);
        let bound = self.bound_setting(owner, program.text(interned));
        let mut found: Vec<ValueSource> = bound.map(ValueSource::Variable).into_iter().collect();
        for fact in facts {
            found.extend(fact.value.map(|value| ValueSource::Expression(home, value)));
            found.extend(fact.declared.map(|declared| ValueSource::Declared(home, declared)));
        }
        for at in if home == file { vec![home] } else { vec![home, file] } {
            let assigned: Vec<_> = self.assignments(at).of_field(interned).collect();
            for (object, value) in assigned {
                let is_own = object.is_none_or(|object| self.is_object_of(at, object, owner));
                found.extend(is_own.then_some(value.source(at)));
            }
            // A constructor that no code writes takes the fields by their names: `Settings(cart_url=url)`.
            let given: Vec<_> = self.assignments(at).of_keyword(interned).collect();
            for (callee, value) in given {
                let is_own = matches!(self.cx.type_of(at, callee), Ty::Class(applied) if applied.of == owner);
                found.extend(is_own.then_some(ValueSource::Expression(at, value)));
            }
        }
        found.extend(members.iter().flat_map(|member| self.symbol_sources(*member)));
        if found.is_empty() && depth < 3 {
            for base in self.base_types(owner) {
                found = self.field_sources(file, base, name, depth + 1);
                if !found.is_empty() {
                    break;
                }
            }
        }
        found
    }

    /// Returns the base types of a type that are defined in the repository.
    pub(in crate::contracts) fn base_types(&mut self, of: SymbolIdx) -> Vec<SymbolIdx> {
        let program = self.program();
        let home = program.file_of(of);
        let mut found = Vec::new();
        for base in &program.shape(of).bases {
            let Some((_, name)) = self.written_name(home, base.base) else { continue };
            let mut symbols = self.global_symbols(home, name);
            if symbols.is_empty() && has_packages(program.language(home)) {
                let by_name = self.class_of_name(home, self.code(home).name(name));
                symbols.extend(by_name.filter(|class| self.is_visible_by_name(home, *class)));
                symbols.iter().for_each(|symbol| self.cx.consult(program.file_of(*symbol)));
            }
            found.extend(symbols.into_iter().filter(|symbol| program.definition(*symbol).kind.is_type()));
        }
        found.retain(|base| *base != of);
        found
    }

    /// Returns the base types of a type by their distance, each type once.
    pub(in crate::contracts) fn base_levels(&mut self, of: SymbolIdx, n_levels: usize) -> Vec<Vec<SymbolIdx>> {
        let mut visited = vec![of];
        let mut levels: Vec<Vec<SymbolIdx>> = Vec::new();
        let mut open = vec![of];
        for _ in 0..n_levels {
            let mut bases = Vec::new();
            for base in open.into_iter().flat_map(|class| self.base_types(class)) {
                if visited.len() <= MAX_BASE_TYPES && !visited.contains(&base) {
                    visited.push(base);
                    bases.push(base);
                }
            }
            if bases.is_empty() {
                break;
            }
            levels.push(bases.clone());
            open = bases;
        }
        levels
    }

    /// Returns true if a file can use a type by its bare name: the type is of the same package, or the file imports all names of its
    /// package. A name that the file imports means another type.
    fn is_visible_by_name(&self, file: FileIdx, class: SymbolIdx) -> bool {
        let program = self.program();
        let language = program.language(file);
        let name = &*program.definition(class).name;
        let imports = &program.facts(file).imports;
        // An import of C# without an alias is one of a whole namespace.
        let is_dotnet = language == Language::CSharp;
        let binds_name = |import: &model::Import| !is_dotnet || !import.alias.is_empty();
        let package = package_folder(program.path(program.file_of(class)));
        // Inference resolves no import of these languages to a file: the namespace of the import must end as the folder of the type.
        if let Some(import) = imports.iter().find(|import| binds_name(import) && local_name(language, import) == name) {
            let separators = ['.', '\\'];
            let module = import.module.strip_suffix(name).unwrap_or(&import.module).trim_end_matches(separators);
            let last = module.rsplit(separators).next().unwrap_or_default();
            return !last.is_empty() && package.rsplit('/').next() == Some(last);
        }
        let own = package_folder(program.path(file));
        // A namespace of C# sees those around it.
        let is_around = package.is_empty() || own.strip_prefix(package).is_some_and(|rest| rest.starts_with('/'));
        let is_imported = |import: &model::Import| {
            let module = import.module.rsplit(['.', '\\']).next().unwrap_or_default();
            (is_dotnet || import.name == "*") && !module.is_empty() && package.rsplit('/').next() == Some(module)
        };
        own == package || is_dotnet && is_around || imports.iter().any(is_imported)
    }

    /// Returns the setting that a framework binds to a field of a type: `cart.url` of `@ConfigurationProperties("cart")`, and the
    /// field itself of `BaseSettings`.
    pub(in crate::contracts) fn bound_setting(&self, owner: SymbolIdx, field: &str) -> Option<String> {
        let program = self.program();
        let (home, definition) = (program.file_of(owner), program.definition_id(owner));
        let code = self.code(home);
        if program.language(home) == Language::Python {
            let mut bases = program.shape(owner).bases.iter();
            let is_bound = bases.any(|base| {
                self.written_name(home, base.base).is_some_and(|(_, name)| code.name(name) == "BaseSettings")
            });
            return is_bound.then(|| self.variable_of_field(owner, field));
        }
        if !matches!(program.language(home), Language::Java | Language::Kotlin) {
            return None;
        }
        let decorations = code.decorations.iter().filter(|decoration| decoration.definition == definition);
        let prefix = decorations.into_iter().find_map(|decoration| {
            let called = decoration_call(self, home, decoration)
                .filter(|one| matches!(one.name, "ConfigurationProperties" | "ConfigMapping"))?;
            let written = called.named(self, &["prefix", "value"]).or(called.positional.first().copied())?;
            self.literal(home, written)
        })?;
        Some(format!("{prefix}.{field}"))
    }

    fn is_object_of(&mut self, file: FileIdx, object: ExpressionId, owner: SymbolIdx) -> bool {
        let ty = self.cx.type_of(file, object);
        ty.alternatives().iter().any(|one| matches!(one, Ty::Object(applied) if applied.of == owner))
    }

    /// Returns the setting that an annotation gives to a field: `@Value("${cart.url}")`, `@ConfigProperty(name = "cart.url")`.
    pub(super) fn annotated_setting(&self, symbol: SymbolIdx) -> Option<String> {
        let program = self.program();
        let (file, definition) = (program.file_of(symbol), program.definition_id(symbol));
        let code = self.code(file);
        let decorations = code.decorations.iter().filter(|decoration| decoration.definition == definition);
        decorations.into_iter().find_map(|decoration| {
            let Expression::Call { callee, arguments, .. } = code.expression(decoration.expression) else {
                return None;
            };
            let Expression::Name { name, .. } = code.expression(*callee) else { return None };
            let text = arguments.first().and_then(|first| match code.expression(*first) {
                Expression::Object(fields) => {
                    let is_name = |(field, _): &&(NameId, ExpressionId)| matches!(code.name(*field), "name" | "value");
                    self.literal(file, fields.iter().find(is_name)?.1)
                }
                _ => self.literal(file, *first),
            })?;
            match code.name(*name) {
                "Value" => Some(text.trim_start_matches("${").trim_end_matches('}').to_owned()),
                "ConfigProperty" | "Property" => Some(text.to_owned()),
                _ => None,
            }
        })
    }
}

/// Returns true for languages in which a file sees the types of its package or namespace.
fn has_packages(language: Language) -> bool {
    matches!(language, Language::Java | Language::Kotlin | Language::CSharp | Language::Scala | Language::Php)
}

/// Returns the folder of a file below its folder of sources.
fn package_folder(path: &str) -> &str {
    let below = SOURCE_ROOTS.iter().find_map(|root| path.split_once(root)).map_or(path, |(_, below)| below);
    folder(below)
}
