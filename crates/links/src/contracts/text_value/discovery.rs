//! Names of services that code looks up in discovery: `discovery.getInstances("cart")`, `balancer.choose("cart").getHost()`.

use graph::FileIdx;
use model::code::{Expression, ExpressionId};

use super::TextValue;
use crate::contracts::values::{CallShape, ValueReader, ValueSource};

/// Functions that look a service up by its name.
const LOOKUPS: [&str; 5] =
    ["getInstances", "choose", "getNextServerFromEureka", "getInstancesByAppId", "getApplication"];

/// Words in the names of objects that know the services of a network.
const REGISTRIES: [&str; 6] = ["discovery", "balancer", "eureka", "consul", "registry", "nacos"];

/// Maximum number of calls and variables between an instance and the call that looks it up.
const MAX_STEPS: usize = 8;

impl<'p> ValueReader<'_, 'p> {
    /// Returns the address or the host of a service that is looked up by its name.
    pub(super) fn discovered(&mut self, file: FileIdx, call: &CallShape<'p>) -> Option<TextValue> {
        let is_whole = match call.name {
            "getUri" | "getHomePageUrl" => true,
            "getHost" | "getHostName" | "getIPAddr" => false,
            _ => return None,
        };
        let name = self.looked_up(file, call.object?)?;
        Some(TextValue::literal(&if is_whole { format!("http://{name}") } else { name.to_owned() }))
    }

    /// Returns the name by which an instance was looked up.
    fn looked_up(&mut self, file: FileIdx, instance: ExpressionId) -> Option<&'p str> {
        let (mut file, mut at) = (file, instance);
        for _ in 0..MAX_STEPS {
            if let Some(call) = self.call(file, at) {
                let object = call.object?;
                if LOOKUPS.contains(&call.name) {
                    let of = self.dotted(file, object)?.to_ascii_lowercase();
                    return self.literal(file, call.at(0)?).filter(|_| REGISTRIES.iter().any(|word| of.contains(word)));
                }
                at = object;
                continue;
            }
            (file, at) = match self.expression(file, at) {
                Expression::Element { of, .. } | Expression::Dereferenced { of } | Expression::Tried { of } => {
                    (file, *of)
                }
                _ => self.sources(file, at).into_iter().find_map(|source| match source {
                    ValueSource::Expression(home, value) => Some((home, value)),
                    _ => None,
                })?,
            };
        }
        None
    }
}
