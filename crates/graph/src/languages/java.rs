//! Java.

use crate::{
    dialect::Dialect,
    infer::Inference,
    names::Name,
    program::{FileIdx, Manifest, Program},
    ty::Ty,
};

/// What is known of the modules of a program.
pub(crate) struct Java;

impl Java {
    /// Lays out the modules of a program.
    pub(crate) fn lay_out(_program: &Program<'_>, _manifests: &[Manifest<'_>]) -> Java {
        Java
    }
}

impl Dialect for Java {
    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        cx.symbols_value(cx.program.top(file, name), None)
    }
}
