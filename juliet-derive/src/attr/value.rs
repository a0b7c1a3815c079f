//! The options of an attribute before their meaning is known: `name`, `name = expression` or `name(…)`, and the conversion of values.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Meta, Path, Token, UnOp};

use super::{Place, home};
use crate::ctxt::Ctxt;
use crate::names::nearest;

/// One option of an attribute.
pub(crate) struct Item {
    /// Its name as it was written.
    pub(crate) key: Ident,
    /// What stands behind it.
    pub(crate) value: Value,
}

/// What stands behind the name of an option.
pub(crate) enum Value {
    /// Nothing.
    None,
    /// `= expression`.
    Expr(Expr),
    /// `(…)`.
    List(TokenStream),
}

/// All options of the `#[jasset(…)]` attributes among `attrs`, in order: those that may stand at `place`, each once (`alias` and
/// `removed` as often as wanted).
pub(crate) fn items(cx: &Ctxt, attrs: &[Attribute], place: Place) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("jasset")) {
        let list = match &attr.meta {
            Meta::Path(_) => continue,
            Meta::List(list) if matches!(list.delimiter, syn::MacroDelimiter::Paren(_)) => list,
            Meta::List(_) | Meta::NameValue(_) => {
                cx.error(&attr.meta, "options stand in parentheses: `#[jasset(option, option = value)]`");
                continue;
            }
        };
        let parser = |input: ParseStream<'_>| {
            parse_list(cx, input, place, &mut items);
            Ok(())
        };
        if let Err(error) = parser.parse2(list.tokens.clone()) {
            cx.push(error);
        }
    }
    items
}

fn parse_list(cx: &Ctxt, input: ParseStream<'_>, place: Place, items: &mut Vec<Item>) {
    while !input.is_empty() {
        match parse_item(input, place) {
            Ok(item) => accept(cx, item, place, items),
            Err(error) => {
                cx.push(error);
                skip_to_comma(input);
            }
        }
        if !input.is_empty() && !input.peek(Token![,]) {
            cx.error_at(input.span(), "expected `,` between options");
            skip_to_comma(input);
        }
        // A comma, or the end.
        let _: syn::Result<Token![,]> = input.parse();
    }
}

fn parse_item(input: ParseStream<'_>, place: Place) -> syn::Result<Item> {
    let key = input.call(Ident::parse_any).map_err(|error| {
        syn::Error::new(
            error.span(),
            format!("expected the name of an option; allowed here: {}", join(place.allowed())),
        )
    })?;
    if input.peek(syn::token::Paren) {
        let list;
        syn::parenthesized!(list in input);
        return Ok(Item { key, value: Value::List(list.parse()?) });
    }
    if !input.peek(Token![=]) {
        return Ok(Item { key, value: Value::None });
    }
    let eq: Token![=] = input.parse()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new(eq.span, format!("expected a value after `{key} =`")));
    }
    Ok(Item { key, value: Value::Expr(input.parse()?) })
}

fn skip_to_comma(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        let _: syn::Result<proc_macro2::TokenTree> = input.parse();
    }
}

/// Keeps an item that may stand here and is the first of its name.
fn accept(cx: &Ctxt, item: Item, place: Place, items: &mut Vec<Item>) {
    let name = item.key.unraw().to_string();
    let allowed = place.allowed();
    if !allowed.contains(&name.as_str()) {
        let message = match home(&name, place) {
            Some(other) => {
                format!(
                    "`{name}` belongs on {}, not on {}; allowed here: {}",
                    other.noun(),
                    place.noun(),
                    join(allowed)
                )
            }
            None => match nearest(&name, allowed.iter().copied()) {
                Some(near) => {
                    format!("unknown option `{name}`; did you mean `{near}`? Allowed here: {}", join(allowed))
                }
                None => format!("unknown option `{name}`; allowed here: {}", join(allowed)),
            },
        };
        cx.error(&item.key, message);
        return;
    }
    if !matches!(name.as_str(), "alias" | "removed") && items.iter().any(|other| other.key.unraw() == name) {
        cx.error(&item.key, format!("duplicate option `{name}`; it was given before"));
        return;
    }
    items.push(item);
}

fn join(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The expression inside invisible groups and parentheses that came from a macro.
pub(crate) fn peel(mut expr: &Expr) -> &Expr {
    while let Expr::Group(group) = expr {
        expr = &group.expr;
    }
    expr
}

impl Item {
    fn name(&self) -> String {
        self.key.unraw().to_string()
    }

    /// The expression behind `=`, or an error that shows `example`.
    pub(crate) fn expr<'i>(&'i self, cx: &Ctxt, example: &str) -> Option<&'i Expr> {
        match &self.value {
            Value::Expr(expr) => Some(peel(expr)),
            Value::None => {
                cx.error(&self.key, format!("`{0}` needs a value: `{0} = {example}`", self.name()));
                None
            }
            Value::List(tokens) => {
                let message = format!("`{0}` takes its value behind `=`: `{0} = {example}`", self.name());
                if tokens.is_empty() {
                    cx.error(&self.key, message)
                } else {
                    cx.error(tokens, message)
                }
                None
            }
        }
    }

    /// A bare option.
    pub(crate) fn flag(&self, cx: &Ctxt) -> Option<Span> {
        match &self.value {
            Value::None => return Some(self.key.span()),
            Value::Expr(expr) => cx.error(expr, format!("`{}` takes no value", self.name())),
            Value::List(_) => cx.error(&self.key, format!("`{}` takes no value", self.name())),
        }
        None
    }

    /// A string literal that is not empty.
    pub(crate) fn string(&self, cx: &Ctxt, example: &str) -> Option<LitStr> {
        string(cx, self.expr(cx, example)?, example)
    }

    /// One string behind `=`, or any number of them in parentheses.
    pub(crate) fn strings(&self, cx: &Ctxt, example: &str) -> Vec<LitStr> {
        let Value::List(tokens) = &self.value else {
            return self.string(cx, example).into_iter().collect();
        };
        match Punctuated::<Expr, Token![,]>::parse_terminated.parse2(tokens.clone()) {
            Ok(list) if list.is_empty() => {
                cx.error(&self.key, format!("`{}` needs at least one string: `{0}({example})`", self.name()));
                Vec::new()
            }
            Ok(list) => list.iter().filter_map(|expr| string(cx, peel(expr), example)).collect(),
            Err(error) => {
                cx.push(error);
                Vec::new()
            }
        }
    }

    /// A whole number from 1 to `u32::MAX`.
    pub(crate) fn version(&self, cx: &Ctxt) -> Option<(u32, Span)> {
        version_of(cx, self.expr(cx, "2")?)
    }

    /// A path without quotes.
    pub(crate) fn path(&self, cx: &Ctxt, example: &str) -> Option<Path> {
        let expr = self.expr(cx, example)?;
        match expr {
            Expr::Path(path) if path.qself.is_none() && path.attrs.is_empty() => Some(path.path.clone()),
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                let hint = text.value();
                cx.error(expr, format!("expected a path; write it without quotes: `{} = {hint}`", self.name()));
                None
            }
            _ => {
                cx.error(expr, format!("expected a path, such as `{} = {example}`", self.name()));
                None
            }
        }
    }

    /// A path, with or without quotes.
    pub(crate) fn path_or_string(&self, cx: &Ctxt, example: &str) -> Option<Path> {
        let expr = self.expr(cx, example)?;
        if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = expr {
            return match text.parse_with(Path::parse_mod_style) {
                Ok(path) => Some(path),
                Err(_) => {
                    cx.error(expr, format!("expected the path of the crate, such as `{} = {example}`", self.name()));
                    None
                }
            };
        }
        self.path(cx, example)
    }
}

/// A whole number from 1 to `u32::MAX`, and where it stands.
pub(crate) fn version_of(cx: &Ctxt, expr: &Expr) -> Option<(u32, Span)> {
    let number = match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if int.suffix().is_empty() || int.suffix() == "u32" => {
            int.base10_parse::<u32>().ok().filter(|&number| number >= 1)
        }
        _ => None,
    };
    if number.is_none() {
        cx.error(expr, format!("expected an integer from 1 to {}, found `{}`", u32::MAX, crate::source::text(expr)));
    }
    Some((number?, expr.span()))
}

fn string(cx: &Ctxt, expr: &Expr, example: &str) -> Option<LitStr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.suffix().is_empty() => {
            if text.value().trim().is_empty() {
                cx.error(expr, format!("expected text, such as {example}; this is empty"));
                return None;
            }
            Some(text.clone())
        }
        _ => {
            cx.error(expr, format!("expected a string in quotes, such as {example}"));
            None
        }
    }
}

/// The value of a number literal with or without a sign; `None` if the expression is no such literal or not finite.
pub(crate) fn number(expr: &Expr) -> Option<f64> {
    let value = match peel(expr) {
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match peel(expr) {
            Expr::Lit(_) => -number(expr)?,
            _ => return None,
        },
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_digits().parse().ok()?,
        Expr::Lit(ExprLit { lit: Lit::Float(float), .. }) => float.base10_digits().parse().ok()?,
        _ => return None,
    };
    f64::is_finite(value).then_some(value)
}

/// For callers that only need to show where a value stands.
pub(crate) fn tokens(expr: &Expr) -> TokenStream {
    expr.to_token_stream()
}
