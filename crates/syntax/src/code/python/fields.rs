//! Field ids of the grammar of Python.

use crate::code::field_ids::field_ids;

field_ids! {
    PythonFieldIds of grammars::PYTHON {
        alias = "alias",
        alternative = "alternative",
        argument = "argument",
        arguments = "arguments",
        attribute = "attribute",
        body = "body",
        condition = "condition",
        consequence = "consequence",
        definition = "definition",
        function = "function",
        guard = "guard",
        key = "key",
        left = "left",
        module_name = "module_name",
        name = "name",
        object = "object",
        operator = "operator",
        parameters = "parameters",
        return_type = "return_type",
        right = "right",
        subject = "subject",
        superclasses = "superclasses",
        type_ = "type",
        type_parameters = "type_parameters",
        value = "value",
    }
}
