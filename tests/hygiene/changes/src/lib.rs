//! Attribute macros that change a struct after a derive has seen it.

use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// Makes every `f32` of an item an `f64`.
#[proc_macro_attribute]
pub fn widen(_: TokenStream, item: TokenStream) -> TokenStream {
    item.into_iter()
        .map(|token| match token {
            TokenTree::Ident(ident) if ident.to_string() == "f32" => Ident::new("f64", Span::call_site()).into(),
            TokenTree::Group(group) => Group::new(group.delimiter(), widen(TokenStream::new(), group.stream())).into(),
            token => token,
        })
        .collect()
}

/// Gives a struct another field, whose bytes must not be copied.
#[proc_macro_attribute]
pub fn extend(_: TokenStream, item: TokenStream) -> TokenStream {
    item.into_iter()
        .map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let mut fields = group.stream();
                fields.extend("unique: Option<&'static mut u8>,".parse::<TokenStream>().unwrap_or_default());
                Group::new(Delimiter::Brace, fields).into()
            }
            token => token,
        })
        .collect()
}
