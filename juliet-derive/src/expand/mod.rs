//! Tokens. In: a checked type. Out: its expansion. Nothing here fails.
//!
//! Names of items in an expansion begin with `__juliet` or `__JULIET`, so that expressions of the user's never meet them; paths begin at
//! `__juliet`, an alias of the one crate path. `unsafe` and all else that lints look at keep the span of the macro.

mod data_enum;
mod entity;
mod fallback;
mod property;
mod table;

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::{DeriveInput, GenericParam, Generics, LitStr, Type, WherePredicate, parse_quote};

use crate::attr::{ContainerAttrs, Place};
use crate::check::{self, string_literal};
use crate::ctxt::Ctxt;
use crate::input::{Container, Derive, Field};
use crate::krate;

/// The whole work of a derive macro: tokens of a type in, tokens of its implementation or of its errors out.
pub(crate) fn derive(input: TokenStream, derive: Derive) -> TokenStream {
    let mut input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    name_self(&mut input);
    let cx = Ctxt::new();
    let container = Container::parse(&cx, &input, derive);
    if let Some(container) = &container {
        check::check(&cx, container, derive);
    }
    let errors = cx.finish();
    match (container, errors) {
        (Some(container), None) => match derive {
            Derive::Entity | Derive::Component => entity::expand(&container, derive),
            Derive::Property => property::expand(&container),
        },
        (container, errors) => {
            let chosen = match container {
                Some(container) => container.attrs.krate,
                None => krate_of(&input),
            };
            let stub = fallback::expand(&input, derive, chosen.as_ref());
            quote!(#errors #stub)
        }
    }
}

/// What `#[jasset(crate = …)]` says on a type whose shape was refused. Its faults were reported before.
fn krate_of(input: &DeriveInput) -> Option<syn::Path> {
    let cx = Ctxt::new();
    let attrs = ContainerAttrs::parse(&cx, &input.attrs, Place::Entity);
    drop(cx.finish());
    attrs.krate
}

/// Writes the type's own name for `Self` in the types of its fields: statics and helper types know no `Self`.
fn name_self(input: &mut DeriveInput) {
    let (ident, (_, ty_generics, _)) = (respan(&input.ident), input.generics.split_for_impl());
    let own = quote!(#ident #ty_generics);
    let fields: Vec<&mut syn::Field> = match &mut input.data {
        syn::Data::Struct(data) => data.fields.iter_mut().collect(),
        syn::Data::Enum(data) => data.variants.iter_mut().flat_map(|variant| &mut variant.fields).collect(),
        syn::Data::Union(_) => Vec::new(),
    };
    for field in fields {
        let ty = &field.ty;
        let tokens = quote!(#ty);
        if contains(tokens.clone(), &|ident| ident == "Self")
            && let Ok(named) = syn::parse2(replace_self(tokens, &own))
        {
            field.ty = named;
        }
    }
}

/// `tokens` with `with` for every `Self`.
fn replace_self(tokens: TokenStream, with: &TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(ident) if ident == "Self" => with.clone(),
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replace_self(group.stream(), with));
                inner.set_span(group.span());
                TokenTree::from(inner).into()
            }
            token => token.into(),
        })
        .collect()
}

/// Whether an identifier of `tokens`, however deep, is looked for.
fn contains(tokens: TokenStream, sought: &dyn Fn(&Ident) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => sought(&ident),
        TokenTree::Group(group) => contains(group.stream(), sought),
        _ => false,
    })
}

/// What surrounds every expansion.
///
/// ```text
/// const _: () = {
///     use ::juliet::__private as __juliet;
///     …
/// };
/// ```
fn in_scope(input: &DeriveInput, krate: Option<&syn::Path>, body: TokenStream) -> TokenStream {
    let path = krate::path(krate);
    // What the user allows for the type is allowed for what repeats its tokens.
    let allows = input.attrs.iter().filter_map(|attr| match &attr.meta {
        syn::Meta::List(list) if list.path.is_ident("allow") || list.path.is_ident("expect") => Some(&list.tokens),
        _ => None,
    });
    let deprecated = has_deprecated(input).then(|| quote!(#[allow(deprecated)]));
    quote! {
        #(#[allow(#allows)])*
        #deprecated
        const _: () = {
            use #path::__private as __juliet;
            #body
        };
    }
}

/// Whether the type or a part of it is deprecated. That is a reason to warn those who use it, not those who wrote it.
fn has_deprecated(input: &DeriveInput) -> bool {
    let marked = |attrs: &[syn::Attribute]| attrs.iter().any(|attr| attr.path().is_ident("deprecated"));
    marked(&input.attrs)
        || match &input.data {
            syn::Data::Struct(data) => data.fields.iter().any(|field| marked(&field.attrs)),
            syn::Data::Enum(data) => data
                .variants
                .iter()
                .any(|variant| marked(&variant.attrs) || variant.fields.iter().any(|field| marked(&field.attrs))),
            syn::Data::Union(_) => false,
        }
}

/// The place of `span` with the names of the macro: diagnostics point there, lints see generated code.
fn at(span: Span) -> Span {
    span.resolved_at(Span::call_site())
}

/// ```text
/// .with_removed(&["OldTag"])     or nothing
/// ```
fn removed(keys: &[LitStr]) -> Option<TokenStream> {
    let keys: Vec<String> = keys.iter().map(LitStr::value).collect();
    (!keys.is_empty()).then(|| quote!(.with_removed(&[#(#keys),*])))
}

/// An identifier of the user's as generated code repeats it.
fn respan(ident: &Ident) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(at(ident.span()));
    ident
}

/// The type's generics, with the bounds that its implementation needs. Untouched if it has no parameters.
fn bounded(container: &Container<'_>) -> Generics {
    let mut generics = container.input.generics.clone();
    let params: Vec<Ident> = generics.type_params().map(|param| param.ident.clone()).collect();
    if params.is_empty() {
        return generics;
    }
    let own = respan(&container.input.ident);
    let (_, ty_generics, _) = container.input.generics.split_for_impl();
    let mut predicates: Vec<WherePredicate> =
        vec![parse_quote!(#own #ty_generics: __juliet::core::marker::Send + __juliet::core::marker::Sync)];
    // All bounds of a parameter in one place: lints look for parameters that are bounded in two.
    for param in generics.type_params_mut() {
        let (ident, bounds) = (&param.ident, std::mem::take(&mut param.bounds));
        predicates.push(parse_quote!(#ident: 'static + #bounds));
        param.colon_token = None;
    }
    for field in container.fields() {
        let used: Vec<&Ident> = params.iter().filter(|param| mentions(field.ty, param)).collect();
        if used.is_empty() {
            continue;
        }
        let ty = field.ty;
        if let Some(bound) = bound_of(field, container.attrs.default && field.variant.is_none()) {
            // A type that holds itself would need its own implementation to find its own implementation.
            if mentions(ty, &container.input.ident) {
                predicates.extend(used.iter().map(|param| -> WherePredicate { parse_quote!(#param: #bound) }));
            } else {
                predicates.push(parse_quote!(#ty: #bound));
            }
        }
    }
    generics.make_where_clause().predicates.extend(predicates);
    generics
}

/// What the type of a field has to implement for the expansion to compile.
fn bound_of(field: &Field<'_>, container_default: bool) -> Option<TokenStream> {
    let from_literal = field.attrs.default.as_ref().is_some_and(|default| string_literal(default).is_some());
    let default = field.attrs.default.is_none() && !container_default;
    match (field.is_property() && field.attrs.with.is_none(), from_literal, default) {
        (true, true, _) if field.attrs.key.is_some() => Some(quote!(__juliet::Key + __juliet::FromLiteral)),
        (true, false, _) if field.attrs.key.is_some() => Some(quote!(__juliet::Key)),
        (true, true, _) => Some(quote!(__juliet::PropertyValue + __juliet::FromLiteral)),
        (true, false, _) => Some(quote!(__juliet::PropertyValue)),
        (false, true, _) => Some(quote!(__juliet::FromLiteral)),
        (false, false, true) => Some(quote!(__juliet::core::default::Default)),
        (false, false, false) => None,
    }
}

/// Whether the tokens of `ty` contain `name`.
fn mentions(ty: &Type, name: &Ident) -> bool {
    contains(quote!(#ty), &|ident| ident == name)
}

/// The parameters of a type as a tuple of markers: `(PhantomData<T>, )`.
fn markers(generics: &Generics) -> TokenStream {
    let params = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(&param.ident),
        _ => None,
    });
    quote!((#(__juliet::core::marker::PhantomData<#params>,)*))
}

#[cfg(test)]
mod size;
#[cfg(test)]
mod tests;
