//! Resources that stand for several routes, and actions that are named by a text: Rails, Laravel, Phoenix, Django REST.

use graph::FileIdx;
use model::{
    Language,
    code::{Expression, ExpressionId, ScopeId},
};

use super::{Registration, RouteHandler, RouteReader};
use crate::contracts::values::CallShape;

/// The routes of a resource: action, method, and the path behind that of the resource.
const ACTIONS: [(&str, &str, &str); 7] = [
    ("index", "GET", ""),
    ("create", "POST", ""),
    ("show", "GET", "/{id}"),
    ("update", "PUT", "/{id}"),
    ("update", "PATCH", "/{id}"),
    ("destroy", "DELETE", "/{id}"),
    ("new", "GET", "/new"),
];

/// The routes of a view set of Django REST: action, method, and the path behind that of the set.
const VIEWSET_ACTIONS: [(&str, &str, &str); 6] = [
    ("list", "GET", "/"),
    ("create", "POST", "/"),
    ("retrieve", "GET", "/{id}/"),
    ("update", "PUT", "/{id}/"),
    ("partial_update", "PATCH", "/{id}/"),
    ("destroy", "DELETE", "/{id}/"),
];

/// Returns the routes of `resources :items`, `Route::apiResource("items", C::class)`, `resources "/items", ItemController`.
pub(super) fn registrations<'p>(
    reader: &mut RouteReader<'_, '_, 'p>,
    file: FileIdx,
    shape: &CallShape<'p>,
    scope: ScopeId,
    line: u32,
) -> Vec<Registration> {
    let is_single = matches!(shape.name, "resource" | "singleton");
    let language = reader.values.program().language(file);
    let is_resource = match language {
        Language::Ruby | Language::Elixir => matches!(shape.name, "resources" | "resource"),
        Language::Php => matches!(shape.name, "resource" | "apiResource" | "resources" | "apiResources"),
        _ => false,
    };
    let Some(first) = shape.at(0).filter(|_| is_resource) else { return Vec::new() };
    let Some(name) = reader.values.literal(file, first) else { return Vec::new() };
    let path = shape.named(&["path"]).and_then(|path| reader.values.literal(file, path)).unwrap_or(name);
    let only = shape.named(&["only"]).map(|only| names(reader, file, only));
    let except = shape.named(&["except"]).map(|except| names(reader, file, except)).unwrap_or_default();
    let is_plural = language == Language::Php || !is_single;
    let controller = shape.at(1).and_then(|controller| reader.values.dotted(file, controller));
    let controller = match controller {
        Some(controller) => {
            controller.trim_end_matches(".class").rsplit(['.', '\\']).next().unwrap_or_default().to_owned()
        }
        None => format!("{}Controller", camel_case(name.rsplit('/').next().unwrap_or(name))),
    };
    let is_listed = |action: &str| {
        let is_of_form = action == "new" && matches!(language, Language::Php | Language::Elixir);
        let is_index = !is_plural && action == "index";
        let is_chosen = only.as_ref().is_none_or(|only| only.iter().any(|one| one == action));
        is_chosen && !is_of_form && !is_index && !except.iter().any(|one| one == action)
    };
    let actions = ACTIONS.iter().filter(|(action, ..)| is_listed(action)).map(|(action, method, behind)| {
        let behind = if is_plural { behind } else { behind.trim_start_matches("/{id}") };
        (if language == Language::Php && *action == "create" { "store" } else { action }, *method, behind)
    });
    let resource = ResourceRoutes { path, class: &controller, router: shape.object };
    actions.map(|action| resource.registration(reader, shape.call, action, scope, line)).collect()
}

/// A set of routes below a path whose handlers are the methods of a class.
struct ResourceRoutes<'r> {
    path: &'r str,
    class: &'r str,
    router: Option<ExpressionId>,
}

impl ResourceRoutes<'_> {
    /// Returns the route of an action: its method in the class, its method of HTTP, and the path behind that of the resource.
    fn registration(
        &self,
        reader: &mut RouteReader<'_, '_, '_>,
        call: ExpressionId,
        (action, method, behind): (&str, &str, &str),
        scope: ScopeId,
        line: u32,
    ) -> Registration {
        let none = RouteHandler { node: None, is_inline: true };
        let handler = reader.member_of_class(self.class, action).unwrap_or(none);
        let path = format!("/{}{behind}", self.path.trim_matches('/'));
        Registration { methods: vec![method.to_owned()], path, handler, router: self.router, call, scope, line }
    }
}

/// Returns the routes of `router.register("items", ItemViewSet)`.
pub(super) fn viewset<'p>(
    reader: &mut RouteReader<'_, '_, 'p>,
    file: FileIdx,
    shape: &CallShape<'p>,
    scope: ScopeId,
    line: u32,
) -> Vec<Registration> {
    let (Some(path), Some(class)) = (shape.at(0), shape.at(1)) else { return Vec::new() };
    let (Some(path), Some(class)) = (reader.route_text(file, path), reader.values.dotted(file, class)) else {
        return Vec::new();
    };
    let class = class.rsplit('.').next().unwrap_or_default();
    let set = ResourceRoutes { path: &path, class, router: None };
    VIEWSET_ACTIONS.iter().map(|action| set.registration(reader, shape.call, *action, scope, line)).collect()
}

/// Returns true if a registration names an action by a text: `to: "items#show"`, `ItemController, :show`.
pub(super) fn has_action(reader: &mut RouteReader<'_, '_, '_>, file: FileIdx, shape: &CallShape<'_>) -> bool {
    action_names(reader, file, shape).is_some()
}

/// Returns the handler of an action that is named by a text.
pub(super) fn action(
    reader: &mut RouteReader<'_, '_, '_>,
    file: FileIdx,
    shape: &CallShape<'_>,
) -> Option<RouteHandler> {
    let (class, action) = action_names(reader, file, shape)?;
    Some(reader.member_of_class(&class, &action).unwrap_or(RouteHandler { node: None, is_inline: true }))
}

fn action_names(
    reader: &mut RouteReader<'_, '_, '_>,
    file: FileIdx,
    shape: &CallShape<'_>,
) -> Option<(String, String)> {
    match reader.values.program().language(file) {
        Language::Ruby => {
            let to = shape.named(&["to", "action"]).or_else(|| shape.at(1));
            let by_arrow = shape.at(0).filter(|_| to.is_none());
            let text = reader.values.literal(file, to.or(by_arrow)?)?;
            let (controller, action) = text.split_once('#')?;
            let controller = controller.rsplit('/').next().unwrap_or(controller);
            Some((format!("{}Controller", camel_case(controller)), action.to_owned()))
        }
        Language::Elixir => {
            let controller = reader.values.dotted(file, shape.at(1)?)?;
            let action = reader.values.literal(file, shape.at(2)?)?;
            let controller = controller.rsplit('.').next().unwrap_or_default().to_owned();
            Some((controller, action.trim_start_matches(':').to_owned()))
        }
        Language::Php => {
            let text = reader.values.literal(file, shape.at(1)?)?;
            let (controller, action) = text.split_once('@').or_else(|| text.split_once("::"))?;
            Some((controller.rsplit('\\').next().unwrap_or(controller).to_owned(), action.to_owned()))
        }
        _ => None,
    }
}

fn names(reader: &RouteReader<'_, '_, '_>, file: FileIdx, list: ExpressionId) -> Vec<String> {
    let items: Vec<ExpressionId> = match reader.values.expression(file, list) {
        Expression::List(items) | Expression::Tuple(items) => items.to_vec(),
        _ => vec![list],
    };
    let texts = items.into_iter().filter_map(|item| reader.values.literal(file, item));
    texts.map(|text| text.trim_start_matches(':').to_owned()).collect()
}

/// Returns `LineItems` of `line_items`.
fn camel_case(name: &str) -> String {
    let words = name.split(['_', '-']).map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    });
    words.collect()
}
