//! The collector of all errors of one type, so that they are reported in one build.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Collects errors; must be read by [`finish`](Ctxt::finish).
#[derive(Default)]
pub(crate) struct Ctxt {
    /// `None` once they were read.
    errors: RefCell<Option<Vec<syn::Error>>>,
}

impl Ctxt {
    /// An empty collector.
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())) }
    }

    /// An error over all of `tokens`.
    pub(crate) fn error(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// An error at one place.
    pub(crate) fn error_at(&self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// An error that `syn` worded.
    pub(crate) fn push(&self, error: syn::Error) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// All errors as `compile_error!` items; `None` if there are none.
    pub(crate) fn finish(self) -> Option<TokenStream> {
        let errors = self.errors.take().unwrap_or_default();
        (!errors.is_empty()).then(|| errors.iter().map(syn::Error::to_compile_error).collect())
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.errors.borrow().is_none(), "the errors of a type were collected and not read");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_is_nothing() {
        assert!(Ctxt::new().finish().is_none());
    }

    #[test]
    fn all_errors_come_at_once() {
        let cx = Ctxt::new();
        cx.error_at(Span::call_site(), "first");
        cx.error(quote::quote!(a b), "second");
        let tokens = cx.finish().map(|tokens| tokens.to_string()).unwrap_or_default();
        assert!(tokens.contains("first") && tokens.contains("second"), "{tokens}");
    }

    #[test]
    #[should_panic(expected = "not read")]
    fn errors_cannot_be_dropped_unread() {
        drop(Ctxt::new());
    }
}
