//! The prefix that the bootstrap of Laravel gives to all routes of a file: `/api` to those of `routes/api.php`.

use graph::FileIdx;
use model::Language;

use crate::contracts::values::ValueReader;

/// The file of routes, and the files that register it.
const ROUTES: &str = "routes/api.php";
const BOOTSTRAP: &str = "bootstrap/app.php";
const PROVIDER: &str = "app/Providers/RouteServiceProvider.php";

/// Returns the prefix of a file of routes; empty if the application is not known to give one.
pub(super) fn prefix_of_file(values: &mut ValueReader<'_, '_>, file: FileIdx) -> String {
    let program = values.program();
    let path = program.path(file);
    let Some(root) = path.strip_suffix(ROUTES).filter(|_| program.language(file) == Language::Php) else {
        return String::new();
    };
    let homes = [BOOTSTRAP, PROVIDER].map(|name| program.file_at(&format!("{root}{name}")));
    // A file without the prefix may have it later.
    homes.iter().flatten().for_each(|home| values.cx.consult(*home));
    let values = &*values;
    let [bootstrap, provider] = homes;
    let of_bootstrap = bootstrap.and_then(|home| {
        let calls = values.code(home).sites.iter().filter_map(|site| values.call(home, site.expression));
        let routing = calls.into_iter().find(|call| call.name == "withRouting")?;
        routing.named(&["api"])?;
        let stated = routing.named(&["apiPrefix"]).map(|prefix| values.literal(home, prefix).unwrap_or_default());
        Some(stated.unwrap_or("api").to_owned())
    });
    let of_provider = || {
        let home = provider?;
        let calls = values.code(home).sites.iter().filter_map(|site| values.call(home, site.expression));
        let prefix = calls.into_iter().find(|call| call.name == "prefix")?;
        values.literal(home, prefix.at(0)?).map(str::to_owned)
    };
    let prefix = of_bootstrap.or_else(of_provider).unwrap_or_default();
    if prefix.is_empty() { prefix } else { format!("/{}", prefix.trim_matches('/')) }
}

#[cfg(test)]
mod tests {
    use crate::testing::consulted;

    #[test]
    fn the_bootstrap_of_the_same_application_is_consulted() {
        let routes = "<?php\nRoute::get('/items', [ItemController::class, 'show']);\n";
        let fixture = format!(
            "//- /shop/routes/api.php\n{routes}//- /shop/bootstrap/app.php\n<?php\nreturn 1;\n//- /other/bootstrap/app.php\n<?php\nreturn 1;\n"
        );
        assert!(consulted(&fixture, "shop/routes/api.php").contains(&"shop/bootstrap/app.php".to_owned()));
        assert!(!consulted(&fixture, "shop/routes/api.php").contains(&"other/bootstrap/app.php".to_owned()));
    }
}
