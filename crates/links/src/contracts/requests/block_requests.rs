//! Requests of Ktor that a block describes: `client.get { url("http://cart/items") }`, and the base that a block gives to a client:
//! `HttpClient { defaultRequest { url("http://cart") } }`.

use graph::FileIdx;
use model::{
    Language,
    code::{Expression, ExpressionId},
};

use super::{HttpRequest, KNOWN_CLIENT, RequestReader, methods};
use crate::contracts::{
    text_value::{CallFrame, TextValue},
    url::with_base,
    values::CallShape,
};

/// The origin of a client of Ktor.
const CLIENT: &str = "HttpClient()";

/// Maximum number of calls directly in a block.
const MAX_CALLS: usize = 40;

impl<'p> RequestReader<'_, '_, 'p> {
    /// Returns the request that the block behind a call of a client describes.
    pub(super) fn request_of_block(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<HttpRequest> {
        if self.values.program().language(file) != Language::Kotlin {
            return None;
        }
        let (object, block) = (shape.object?, shape.arguments.last().copied()?);
        let method = methods::of_name(shape.name).or((shape.name == "request").then(|| "*".to_owned()))?;
        if !self.is_block(file, block) {
            return None;
        }
        let origin = self.values.origin(file, object).filter(|origin| origin.path == CLIENT)?;
        let base = self.base_of_blocks(origin.made_by);
        let written = shape.at(0).filter(|first| *first != block);
        let url = match written {
            Some(url) => self.values.text_in_call(file, url, frame),
            None => self.url_in_block(file, block, frame)?,
        };
        Some(HttpRequest { method, url: with_base(base.as_ref(), &url), confidence: KNOWN_CLIENT })
    }

    fn is_block(&self, file: FileIdx, argument: ExpressionId) -> bool {
        matches!(self.values.expression(file, argument), Expression::Function { .. })
    }

    /// Returns the URL of `url("…")` directly in a block: blocks in it may send other requests.
    fn url_in_block(&mut self, file: FileIdx, block: ExpressionId, frame: Option<&CallFrame<'_>>) -> Option<TextValue> {
        let calls = self.calls_of_block(file, block).into_iter();
        let url = calls
            .filter(|call| call.name == "url")
            .find_map(|call| call.at(0).filter(|argument| !self.is_block(file, *argument)))?;
        Some(self.values.text_in_call(file, url, frame)).filter(|url| !url.is_computed())
    }

    /// Returns the base that `defaultRequest` in the block of the call which makes a client gives to it.
    fn base_of_blocks(&mut self, made_by: Option<(FileIdx, ExpressionId)>) -> Option<TextValue> {
        let (home, made) = made_by?;
        let call = self.values.call(home, made)?;
        let block = call.arguments.last().copied().filter(|block| self.is_block(home, *block))?;
        let defaults = self.calls_of_block(home, block).into_iter().find(|call| call.name == "defaultRequest")?;
        let block = defaults.arguments.last().copied().filter(|block| self.is_block(home, *block))?;
        self.url_in_block(home, block, None)
    }

    /// Returns the calls of the receiver of a block that stand directly in the block.
    fn calls_of_block(&self, file: FileIdx, block: ExpressionId) -> Vec<CallShape<'p>> {
        let code = self.values.code(file);
        let Expression::Function { scope: body, .. } = self.values.expression(file, block) else { return Vec::new() };
        let sites = code.sites.iter().filter(|site| site.scope == *body).take(MAX_CALLS);
        let calls = sites.filter_map(|site| self.values.call(file, site.expression));
        calls.filter(|call| call.object.is_none()).collect()
    }
}
