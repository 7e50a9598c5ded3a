//! `causeway call`: any tool of the running server, and exactly what a client would get.

use std::io::Read as _;

use serde_json::{Value, json};

use crate::{
    ask,
    cli::{Global, ServerArgs},
    exit::{Exit, Failure},
    output::{print, print_json},
};

const EXAMPLE: &str = "\
Example:
  causeway call list_repos
  causeway call search_codebase '{\"query\": \"retry with back-off\", \"limit\": 3}'
  echo '{\"pattern\": \"parse_args\"}' | causeway call search_symbols - --json

Prints the text of the answer; with --json its structured content, or the whole result where there is none.
Ends with 4 if the server cannot be reached, with 5 if the answer is an error.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Args {
    /// Name of the tool
    tool: String,
    /// Its arguments, a JSON object; - reads standard input
    #[arg(value_name = "JSON", default_value = "{}", hide_default_value = true)]
    arguments: String,
    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) async fn run(args: Args, global: &Global) -> anyhow::Result<Exit> {
    let arguments = read_arguments(&args.arguments)?;
    let server = ask::require_server(&args.server, global)?;
    let answered = server.call(&args.tool, arguments).await?;
    let whole = || json!({ "content": [{ "type": "text", "text": answered.text }], "isError": answered.is_error });
    if global.json {
        print_json(&answered.structured.clone().unwrap_or_else(whole))?;
    } else {
        print(&answered.text)?;
    }
    Ok(if answered.is_error { Exit::ToolError } else { Exit::Done })
}

fn read_arguments(given: &str) -> anyhow::Result<Value> {
    let mut text = given.to_owned();
    if given == "-" {
        text.clear();
        std::io::stdin().read_to_string(&mut text)?;
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(arguments)) => Ok(Value::Object(arguments)),
        Ok(_) => Err(not_an_object("it is JSON of another kind")),
        Err(error) => Err(not_an_object(&error.to_string())),
    }
}

fn not_an_object(reason: &str) -> anyhow::Error {
    let message = format!("the arguments are a JSON object, such as '{{\"query\": \"retry\"}}': {reason}");
    Failure::new(Exit::Usage, message).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_an_object() {
        assert_eq!(read_arguments("{\"limit\": 3}").unwrap(), json!({"limit": 3}));
        for wrong in ["[]", "retry", "{"] {
            let error = read_arguments(wrong).unwrap_err();
            assert_eq!(crate::exit::of(&error), Exit::Usage, "{error}");
        }
    }
}
