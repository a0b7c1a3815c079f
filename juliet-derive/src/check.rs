//! Rules over several options, fields and variants of one type.
//!
//! In: the view of a type. Out: errors in the [`Ctxt`]; no tokens are built here.

use std::collections::HashMap;

use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Expr, ExprLit, GenericArgument, Lit, LitStr, PathArguments, Type};

use crate::attr::{Migrate, number};
use crate::ctxt::Ctxt;
use crate::input::{Body, Container, Derive, Field, Style, Variant};
use crate::names::{key_fault, pascal, reserved, word_fault};

/// Largest length of a key in bytes: the split between both spellings, behind `Key: `, is 16 bits wide.
const KEY_MAX_BYTES: usize = u16::MAX as usize - 2;

/// Checks one type.
pub(crate) fn check(cx: &Ctxt, container: &Container<'_>, derive: Derive) {
    names_of_container(cx, container);
    check_migration(cx, container);
    match &container.data {
        Body::Struct(fields) => {
            for field in fields {
                check_field(cx, container, field, derive);
            }
            check_keys(cx, fields, &container.attrs.removed, derive);
            check_key_field(cx, container, fields, derive);
        }
        Body::Newtype(field) => {
            check_field(cx, container, field, derive);
            refuse_removed(cx, &container.attrs.removed, "a tuple struct");
        }
        Body::Enum(variants) => {
            check_variants(cx, variants);
            check_enum_default(cx, container, variants);
            for variant in variants {
                variant.fields.iter().for_each(|field| check_field(cx, container, field, derive));
                if variant.style == Style::Struct {
                    check_keys(cx, &variant.fields, &variant.attrs.removed, derive);
                } else {
                    refuse_removed(cx, &variant.attrs.removed, "a variant without named fields");
                }
            }
        }
    }
}

fn names_of_container(cx: &Ctxt, container: &Container<'_>) {
    if let Some(name) = &container.attrs.name
        && let Some(fault) = word_fault(&name.value())
    {
        cx.error(name, fault);
    }
    let mut seen = vec![container.name.clone()];
    for alias in &container.attrs.aliases {
        let text = alias.value();
        if let Some(fault) = word_fault(&text) {
            cx.error(alias, fault);
        }
        if seen.contains(&text) {
            cx.error(alias, format!("duplicate name: `{}` goes by `{text}` already", container.input.ident.unraw()));
        }
        seen.push(text);
    }
}

/// `removed` names keys, and there are none.
fn refuse_removed(cx: &Ctxt, removed: &[LitStr], what: &str) {
    for key in removed {
        cx.error(key, format!("`removed` names keys that are gone, and {what} has no keys"));
    }
}

/// Steps go upwards and end below the version of the class.
fn check_migration(cx: &Ctxt, container: &Container<'_>) {
    let Some(Migrate::Steps(steps)) = &container.attrs.migrate else { return };
    let version = container.attrs.version.map_or(1, |(version, _)| version);
    let mut last = 0;
    for step in steps {
        let from = step.from;
        if from >= version {
            let message = format!(
                "the step takes files of version {from}, but `{}` has version {version}; raise `version`",
                container.input.ident.unraw()
            );
            cx.error_at(step.span, message);
        } else if from <= last {
            cx.error_at(step.span, format!("steps go upwards: {from} stands behind {last}"));
        }
        last = last.max(from);
    }
}

fn check_field(cx: &Ctxt, container: &Container<'_>, field: &Field<'_>, derive: Derive) {
    if let Some(skip) = &field.attrs.skip {
        for option in field.attrs.given.iter().filter(|option| *option != "skip" && *option != "default") {
            cx.error(
                option,
                format!(
                    "`{}` has no meaning for `{}`, which `{skip}` keeps out of files; beside `skip` only `default` is allowed",
                    option.unraw(),
                    field.rust_name()
                ),
            );
        }
        return;
    }
    check_type(cx, field);
    check_numbers(cx, field);
    if let (true, Some(since)) = (derive.is_class(), &field.attrs.since) {
        let version = container.attrs.version.map_or(1, |(version, _)| version);
        if since.version > version {
            cx.error_at(
                since.span,
                format!(
                    "`{}` is said to exist since version {}, but `{}` has version {version}",
                    field.rust_name(),
                    since.version,
                    container.input.ident.unraw()
                ),
            );
        }
    }
}

/// At most one field is the key, of a struct that lists hold.
fn check_key_field(cx: &Ctxt, container: &Container<'_>, fields: &[Field<'_>], derive: Derive) {
    let mut first: Option<&Field<'_>> = None;
    for (field, key) in fields.iter().filter_map(|field| Some((field, field.attrs.key.as_ref()?))) {
        if !field.is_property() {
            continue;
        }
        let name = container.input.ident.unraw();
        if derive.is_class() {
            let what = match derive {
                Derive::Component => "a component, which is known by its entity",
                _ => "an entity, which is known by its id",
            };
            cx.error(
                key,
                format!(
                    "`{name}` is {what}; `key` belongs on a field of a struct with `#[derive(Property)]`, for lists of it"
                ),
            );
        } else if let Some(module) = &field.attrs.with {
            let module = crate::source::text(module);
            cx.error(
                key,
                format!("`key` has no meaning beside `with`: the text of `{module}` need not be that of a key"),
            );
        } else if let Some(first) = first {
            cx.error(
                key,
                format!("duplicate key; `{}` is the key of `{name}` already, and an item has one", first.rust_name()),
            );
        }
        first = first.or(Some(field));
    }
}

/// Range, step and a literal default against each other and against types known by their spelling.
fn check_numbers(cx: &Ctxt, field: &Field<'_>) {
    let keys = field.attrs.range.iter().map(|range| &range.key).chain(field.attrs.step.iter().map(|step| &step.key));
    if let Some(with) = &field.attrs.with {
        for key in keys {
            let module = crate::source::text(with);
            cx.error(key, format!("`{key}` has no meaning beside `with`: the text of `{module}` need not be a number"));
        }
    } else if numeric(field.ty) == Numeric::No {
        for key in keys {
            cx.error(
                key,
                format!(
                    "`{key}` needs a number; `{}` is of type `{}`",
                    field.rust_name(),
                    crate::source::text(field.ty)
                ),
            );
        }
    }
    let (Some(range), Some(default)) = (&field.attrs.range, &field.attrs.default) else { return };
    if let Some(value) = number(default)
        && !(range.min..=range.max).contains(&value)
    {
        cx.error(
            default,
            format!(
                "the default `{}` lies outside the range `{}`",
                crate::source::text(default),
                crate::source::text(&range.expr)
            ),
        );
    }
}

/// Whether a type holds numbers, as far as its spelling tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numeric {
    /// A number or a vector of numbers.
    Yes,
    /// Surely not.
    No,
    /// A type of the user's; the compiler decides.
    Unknown,
}

/// What the spelling of `ty` says about numbers.
pub(crate) fn numeric(ty: &Type) -> Numeric {
    match ty {
        Type::Group(group) => numeric(&group.elem),
        Type::Paren(paren) => numeric(&paren.elem),
        Type::Array(array) => numeric(&array.elem),
        Type::Path(path) if path.qself.is_none() => {
            let Some(last) = path.path.segments.last() else { return Numeric::Unknown };
            match last.ident.to_string().as_str() {
                "f32" | "f64" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64"
                | "u128" | "usize" => Numeric::Yes,
                "bool" | "char" | "String" | "InlineString" | "AssetRef" | "EntityRef" | "Quat" => Numeric::No,
                "Option" | "Vec" => item(&last.arguments).map_or(Numeric::Unknown, numeric),
                _ => Numeric::Unknown,
            }
        }
        _ => Numeric::Unknown,
    }
}

/// Whether a type can be a key, as far as its spelling tells.
pub(crate) fn spells_a_key(ty: &Type) -> bool {
    let Type::Path(path) = peel_type(ty) else { return false };
    let Some(last) = path.path.segments.last().filter(|_| path.qself.is_none()) else { return false };
    matches!(
        last.ident.to_string().as_str(),
        "i8" | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "char"
            | "String"
            | "InlineString"
    )
}

/// The one type between angle brackets.
fn item(arguments: &PathArguments) -> Option<&Type> {
    match arguments {
        PathArguments::AngleBracketed(list) if list.args.len() == 1 => match list.args.first() {
            Some(GenericArgument::Type(ty)) => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

/// Types that no property can have, known by their spelling.
fn check_type(cx: &Ctxt, field: &Field<'_>) {
    if field.attrs.with.is_some() {
        return;
    }
    let mut finder = Refused { cx, field: field.rust_name() };
    finder.visit_type(field.ty);
}

struct Refused<'c> {
    cx: &'c Ctxt,
    field: String,
}

impl Refused<'_> {
    fn refuse(&self, ty: impl ToTokens, why: &str) {
        let text = crate::source::text(&ty);
        let way_out = "for a runtime-only field add `#[jasset(skip)]`";
        self.cx.error(ty, format!("`{}`: `{text}` cannot be the type of a property: {why}; {way_out}", self.field));
    }
}

impl<'ast> Visit<'ast> for Refused<'_> {
    fn visit_type(&mut self, ty: &'ast Type) {
        match ty {
            Type::Reference(_) => self.refuse(ty, "it borrows; use an owned type such as `String`"),
            Type::FnPtr(_) => self.refuse(ty, "a function has no text"),
            Type::Ptr(_) => self.refuse(ty, "an address has no text"),
            Type::ImplTrait(_) | Type::TraitObject(_) => self.refuse(ty, "its size and shape are not known"),
            Type::Never(_) => self.refuse(ty, "it has no values"),
            Type::Slice(_) => self.refuse(ty, "its size is not known; use `Vec<T>` or `[T; N]`"),
            Type::Tuple(_) => self.refuse(ty, "its items have no names; use a struct with `#[derive(Property)]`"),
            _ => visit::visit_type(self, ty),
        }
    }

    fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
        if let Some(inner) = option_item(path)
            && let Type::Path(inner) = peel_type(inner)
            && option_item(inner).is_some()
        {
            self.refuse(path, "`none` could mean either level; use one `Option`");
            return;
        }
        visit::visit_type_path(self, path);
    }

    fn visit_expr(&mut self, _: &'ast Expr) {
        // The length of an array is no type.
    }
}

fn peel_type(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            _ => return ty,
        };
    }
}

fn option_item(path: &syn::TypePath) -> Option<&Type> {
    let last = path.path.segments.last().filter(|last| path.qself.is_none() && last.ident == "Option")?;
    item(&last.arguments)
}

/// One way in which a field is named, and where it says so.
struct Claim<'f> {
    /// The field; empty for a key that is removed.
    field: &'f str,
    alias: Option<&'f LitStr>,
    name: &'f str,
    span: Span,
}

impl Claim<'_> {
    /// How the claim reads in a sentence.
    fn told(&self) -> String {
        match self.alias {
            _ if self.field.is_empty() => format!("the removed key `{}`", self.name),
            Some(_) => format!("the alias `{}` of `{}`", self.name, self.field),
            None if self.name == self.field => format!("`{}`", self.field),
            None => format!("`{}` (named `{}`)", self.field, self.name),
        }
    }
}

/// Every key names one property, is no directive, and can be read back. Names that differ only in spelling have one key.
fn check_keys(cx: &Ctxt, fields: &[Field<'_>], removed: &[LitStr], derive: Derive) {
    let owned: Vec<(String, Vec<String>)> = fields
        .iter()
        .map(|field| (field.rust_name(), field.attrs.aliases.iter().map(LitStr::value).collect()))
        .collect();
    let mut claims = Vec::new();
    for (field, (rust_name, aliases)) in fields.iter().zip(&owned) {
        if !field.is_property() {
            continue;
        }
        let span = field.attrs.name.as_ref().map_or(field.span, LitStr::span);
        claims.push(Claim { field: rust_name, alias: None, name: &field.name, span });
        claims.extend(field.attrs.aliases.iter().zip(aliases).map(|(alias, text)| Claim {
            field: rust_name,
            alias: Some(alias),
            name: text,
            span: alias.span(),
        }));
    }
    let gone: Vec<String> = removed.iter().map(LitStr::value).collect();
    let gone = removed.iter().zip(&gone);
    claims.extend(gone.map(|(key, text)| Claim { field: "", alias: None, name: text, span: key.span() }));
    // In order of declaration, so that the later one is at fault.
    let mut taken: HashMap<String, &Claim<'_>> = HashMap::with_capacity(claims.len());
    for claim in &claims {
        let key = pascal(claim.name);
        if let Some(fault) = key_fault(claim.name) {
            cx.error_at(claim.span, fault);
        } else if key.len() > KEY_MAX_BYTES {
            cx.error_at(claim.span, format!("a key is at most {KEY_MAX_BYTES} bytes long; this one has {}", key.len()));
        } else if let Some(what) = reserved(&key).filter(|_| derive.is_class()) {
            let message = format!("{} becomes the file key `{key}`, which is {what}; rename it", claim.told());
            cx.error_at(claim.span, message);
        } else if let Some(first) = taken.get(&key) {
            let message = format!("{} and {} both become the file key `{key}`", claim.told(), first.told());
            cx.error_at(claim.span, message);
        } else {
            taken.insert(key, claim);
        }
    }
}

fn check_variants(cx: &Ctxt, variants: &[Variant<'_>]) {
    let mut taken: HashMap<String, String> = HashMap::new();
    for variant in variants {
        let rust_name = variant.ident.unraw().to_string();
        let own_span = variant.attrs.name.as_ref().map_or(variant.ident.span(), LitStr::span);
        let texts = std::iter::once((variant.name.clone(), own_span))
            .chain(variant.attrs.aliases.iter().map(|alias| (alias.value(), alias.span())));
        for (text, span) in texts {
            if text.eq_ignore_ascii_case("none") {
                let message = format!(
                    "`{text}` is what an absent value is written as; give the variant another text, such as `#[jasset(name = \"Nothing\")]`"
                );
                cx.error_at(span, message);
            } else if let Some(fault) = word_fault(&text) {
                cx.error_at(span, fault);
            } else if let Some(first) = taken.get(&text) {
                cx.error_at(span, format!("`{rust_name}` and `{first}` both have the text `{text}`"));
            } else {
                taken.insert(text, rust_name.clone());
            }
        }
    }
}

fn check_enum_default(cx: &Ctxt, container: &Container<'_>, variants: &[Variant<'_>]) {
    let mut marked = variants.iter().filter_map(|variant| Some((variant, variant.attrs.default?)));
    let Some((first, span)) = marked.next() else { return };
    if container.attrs.default {
        cx.error_at(span, "the enum takes its default from its own `Default` already, by its `#[jasset(default)]`");
    }
    for (_, span) in marked {
        cx.error_at(span, format!("duplicate default; `{}` is the default already", first.ident.unraw()));
    }
}

/// Whether a default is a plain string literal, which stands for a value of the field's own type.
pub(crate) fn string_literal(default: &Expr) -> Option<&LitStr> {
    match crate::attr::peel(default) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_by_their_spelling() {
        assert_eq!(numeric(&syn::parse_quote!(f32)), Numeric::Yes);
        assert_eq!(numeric(&syn::parse_quote!([u8; 4])), Numeric::Yes);
        assert_eq!(numeric(&syn::parse_quote!(Option<i64>)), Numeric::Yes);
        assert_eq!(numeric(&syn::parse_quote!(Vec<String>)), Numeric::No);
        assert_eq!(numeric(&syn::parse_quote!(std::string::String)), Numeric::No);
        assert_eq!(numeric(&syn::parse_quote!(Kilograms)), Numeric::Unknown);
        assert_eq!(numeric(&syn::parse_quote!(<A as B>::C)), Numeric::Unknown);
    }
}
