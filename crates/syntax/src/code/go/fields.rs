//! Field ids of the grammar of Go.

use crate::code::field_ids::field_ids;

field_ids! {
    GoFieldIds of grammars::GO {
        alias = "alias",
        arguments = "arguments",
        body = "body",
        capacity = "capacity",
        element = "element",
        end = "end",
        field = "field",
        function = "function",
        index = "index",
        initializer = "initializer",
        key = "key",
        left = "left",
        name = "name",
        operand = "operand",
        operator = "operator",
        parameters = "parameters",
        receiver = "receiver",
        result = "result",
        right = "right",
        start = "start",
        type_ = "type",
        type_arguments = "type_arguments",
        type_parameters = "type_parameters",
        value = "value",
    }
}
