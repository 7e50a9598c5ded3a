//! Resources of clouds in Terraform, CloudFormation, SAM and Serverless: queues and subscriptions that get the messages of a topic,
//! and functions that consume them.

use graph::Inference;

use super::{DeploymentFact, containers, index::DeploymentIndex, tree::TreeNode};
use crate::contract::ContractKind;

/// Types of Terraform whose name is that of a topic or queue.
const NAMED_TYPES: [&str; 6] = [
    "aws_sns_topic",
    "aws_sqs_queue",
    "google_pubsub_topic",
    "google_pubsub_subscription",
    "azurerm_servicebus_queue",
    "azurerm_servicebus_topic",
];

/// Properties with the name of a resource of CloudFormation.
const NAMES: [&str; 3] = ["TopicName", "QueueName", "Name"];

fn bound(to: String, from: String, line: u32) -> DeploymentFact {
    DeploymentFact::offer(ContractKind::Topic, &to, &from, line)
}

fn consumed(topic: String, line: u32) -> DeploymentFact {
    DeploymentFact { kind: ContractKind::Topic, key: topic, member: String::new(), line, is_offer: false, serves: true }
}

/// Returns the identifiers and names of the topics and queues of a file of Terraform: `aws_sqs_queue.orders` and its name.
pub(super) fn terraform_names<'t>(root: TreeNode<'t>) -> impl Iterator<Item = (String, &'t str)> {
    root.children().filter_map(|block| {
        let (kind, label) = labels(block)?;
        let name = block.text_of("name");
        let is_known = NAMED_TYPES.contains(&kind) && !name.is_empty() && !name.contains('{');
        is_known.then(|| (format!("{kind}.{label}"), name))
    })
}

/// Returns the type and the label of a resource.
fn labels<'t>(block: TreeNode<'t>) -> Option<(&'t str, &'t str)> {
    block.key().strip_prefix("resource ")?.split_once(' ')
}

/// Returns the name of the topic or queue that an expression of Terraform refers to: of `aws_sqs_queue.orders.arn`, or of an address.
fn terraform_name(cx: &mut Inference<'_>, index: &DeploymentIndex, path: &str, value: &str) -> Option<String> {
    let inner = value.trim_start_matches("{env:").trim_end_matches('}');
    let mut parts = inner.split('.');
    let (kind, label) = (parts.next()?, parts.next().unwrap_or_default());
    if NAMED_TYPES.contains(&kind) {
        let known = index.cloud_name(path, &format!("{kind}.{label}"));
        if let Some((file, name)) = known {
            cx.consult(file);
            return Some(name.to_owned());
        }
        return Some(label.to_owned()).filter(|label| !label.is_empty());
    }
    let last = value.rsplit([':', '/']).next()?;
    (!last.contains(['{', '}']) && value.contains(':')).then(|| last.to_owned())
}

/// Returns the subscriptions of a file of Terraform.
pub(super) fn terraform(
    cx: &mut Inference<'_>,
    index: &DeploymentIndex,
    path: &str,
    root: TreeNode<'_>,
) -> Vec<DeploymentFact> {
    let mut facts = Vec::new();
    for block in root.children() {
        let Some((kind, label)) = labels(block) else { continue };
        let mut named = |key: &str| terraform_name(cx, index, path, block.text_of(key));
        let line = block.line();
        match kind {
            "aws_sns_topic_subscription" => {
                let topic = named("topic_arn").map(|topic| format!("sns:{topic}"));
                facts.extend(match block.text_of("protocol") {
                    "sqs" => {
                        topic.zip(named("endpoint")).map(|(topic, queue)| bound(format!("sqs:{queue}"), topic, line))
                    }
                    "lambda" => topic.map(|topic| consumed(topic, line)),
                    _ => None,
                });
            }
            "aws_lambda_event_source_mapping" => {
                facts.extend(named("event_source_arn").map(|queue| consumed(format!("sqs:{queue}"), line)));
            }
            "google_pubsub_subscription" => {
                let name = block.text_of("name");
                let name = if name.is_empty() || name.contains('{') { label } else { name };
                facts.extend(
                    named("topic").map(|topic| bound(format!("pubsub:{name}"), format!("pubsub:{topic}"), line)),
                );
            }
            _ => {}
        }
    }
    facts
}

/// Returns a setting whose value refers to a topic or queue of Terraform with the name of this resource.
pub(super) fn with_terraform_name(
    cx: &mut Inference<'_>,
    index: &DeploymentIndex,
    path: &str,
    fact: DeploymentFact,
) -> DeploymentFact {
    let is_reference = NAMED_TYPES.iter().any(|kind| fact.member.trim_start_matches("{env:").starts_with(kind));
    let name =
        (fact.kind == ContractKind::Config && is_reference).then(|| terraform_name(cx, index, path, &fact.member));
    DeploymentFact { member: name.flatten().unwrap_or(fact.member), ..fact }
}

/// Returns the facts of a template of CloudFormation or SAM, and of a service of Serverless.
pub(super) fn templates(root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let mut facts = serverless(root);
    let Some(resources) = root.get("Resources").filter(|one| one.has_children()) else { return facts };
    facts.extend(containers::facts(root));
    let globals = root.at(&["Globals", "Function"]);
    facts.extend(globals.into_iter().flat_map(|function| containers::variables(function, "")));
    let resources = Resources(resources);
    for resource in resources.0.children() {
        let Some(properties) = resource.get("Properties") else { continue };
        let kind = resource.text_of("Type");
        match kind {
            "AWS::SNS::Subscription" => {
                facts.extend(resources.subscription(resources.named(properties.get("TopicArn")), properties));
            }
            "AWS::SNS::Topic" => {
                let subscriptions = properties.get("Subscription").into_iter().flat_map(TreeNode::children);
                facts.extend(
                    subscriptions.filter_map(|one| resources.subscription(resources.name_of(resource.key()), one)),
                );
            }
            "AWS::Lambda::EventSourceMapping" => {
                let queue = resources.named(properties.get("EventSourceArn"));
                facts.extend(queue.map(|queue| consumed(format!("sqs:{queue}"), resource.line())));
            }
            "AWS::Serverless::Function" | "AWS::Lambda::Function" => {
                facts.extend(containers::variables(properties, ""));
                let events = properties.get("Events").into_iter().flat_map(TreeNode::children);
                facts.extend(events.filter_map(|event| {
                    let (key, broker) = match event.text_of("Type") {
                        "SQS" => ("Queue", "sqs"),
                        "SNS" => ("Topic", "sns"),
                        _ => return None,
                    };
                    let name = resources.named(event.at(&["Properties", key]))?;
                    Some(consumed(format!("{broker}:{name}"), event.line()))
                }));
            }
            _ => {}
        }
    }
    facts.into_iter().map(|fact| resources.with_name(fact)).collect()
}

/// The resources of a template.
struct Resources<'t>(TreeNode<'t>);

impl Resources<'_> {
    /// Returns the name of a resource: the property, else its identifier in the template.
    fn name_of(&self, id: &str) -> Option<String> {
        let properties = self.0.get(id)?.get("Properties");
        let written =
            properties.and_then(|all| NAMES.iter().map(|name| all.text_of(name)).find(|name| !name.is_empty()));
        Some(written.filter(|name| !name.contains('{')).unwrap_or(id).to_owned())
    }

    /// Returns the name of the resource that a value refers to: `!Ref Id`, `!GetAtt Id.Arn`, `{Ref: Id}`, or an address.
    fn named(&self, node: Option<TreeNode<'_>>) -> Option<String> {
        let node = node?;
        let attribute = node.get("Fn::GetAtt").map(|one| one.children().next().unwrap_or(one));
        let value = node.get("Ref").or(attribute).unwrap_or(node).value();
        let id = value.trim_start_matches("{env:").trim_end_matches('}').split('.').next()?;
        let last = value.rsplit([':', '/']).next()?;
        let written = (value.contains(':') && !last.contains(['{', '}'])).then(|| last.to_owned());
        self.name_of(id).or(written)
    }

    fn subscription(&self, topic: Option<String>, subscription: TreeNode<'_>) -> Option<DeploymentFact> {
        let topic = format!("sns:{}", topic?);
        let line = subscription.line();
        match subscription.text_of("Protocol") {
            "sqs" => Some(bound(format!("sqs:{}", self.named(subscription.get("Endpoint"))?), topic, line)),
            "lambda" => Some(consumed(topic, line)),
            _ => None,
        }
    }

    /// Returns a setting whose value refers to a resource with the name of this resource.
    fn with_name(&self, fact: DeploymentFact) -> DeploymentFact {
        let id = fact.member.split('.').next().unwrap_or_default();
        let name = self.name_of(id).filter(|_| fact.kind == ContractKind::Config);
        DeploymentFact { member: name.unwrap_or(fact.member), ..fact }
    }
}

/// Returns the settings and events of the functions of a `serverless.yml`.
fn serverless(root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let Some(provider) = root.get("provider").filter(|_| root.get("service").is_some()) else { return Vec::new() };
    let functions = || root.get("functions").into_iter().flat_map(TreeNode::children);
    let with_variables = std::iter::once(provider).chain(functions());
    let mut facts: Vec<DeploymentFact> = with_variables.flat_map(|one| containers::variables(one, "")).collect();
    let events = functions().filter_map(|function| function.get("events")).flat_map(TreeNode::children);
    facts.extend(events.flat_map(TreeNode::children).filter(|event| matches!(event.key(), "sqs" | "sns")).filter_map(
        |event| {
            let named = ["arn", "topicName"].iter().find_map(|key| event.get(key)).unwrap_or(event);
            let name = named.value().rsplit([':', '/']).next()?;
            (!name.is_empty() && !name.contains('{')).then(|| consumed(format!("{}:{name}", event.key()), event.line()))
        },
    ));
    facts
}
