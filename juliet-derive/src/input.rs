//! The borrowed view of a type: what `check` looks at and `expand` turns into tokens.
//!
//! In: the tokens of a struct or enum. Out: [`Container`], or `None` where the shape as a whole is refused. Every node keeps its tokens, so
//! that a later rule can point at them.

use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{
    Attribute, Data, DataEnum, DataStruct, DeriveInput, Expr, ExprLit, Fields, GenericParam, Lit, LitStr, Member, Meta,
    Type,
};

use crate::attr::{ContainerAttrs, FieldAttrs, Place, VariantAttrs};
use crate::ctxt::Ctxt;
use crate::names::pascal;

/// Which macro is at work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Derive {
    /// `#[derive(Entity)]`.
    Entity,
    /// `#[derive(Component)]`.
    Component,
    /// `#[derive(Property)]`.
    Property,
}

impl Derive {
    /// Whether the type becomes a class, with a name of its own in files.
    pub(crate) fn is_class(self) -> bool {
        self != Self::Property
    }

    /// The name of the macro.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Entity => "Entity",
            Self::Component => "Component",
            Self::Property => "Property",
        }
    }
}

/// A struct or enum.
pub(crate) struct Container<'a> {
    /// All of it.
    pub(crate) input: &'a DeriveInput,
    /// Its name in files.
    pub(crate) name: String,
    /// Doc comment.
    pub(crate) doc: String,
    /// Options.
    pub(crate) attrs: ContainerAttrs,
    /// Fields or variants.
    pub(crate) data: Body<'a>,
}

/// What a type consists of.
pub(crate) enum Body<'a> {
    /// Named fields; none for a unit struct.
    Struct(Vec<Field<'a>>),
    /// The one field of a tuple struct.
    Newtype(Box<Field<'a>>),
    /// Variants.
    Enum(Vec<Variant<'a>>),
}

/// A field.
pub(crate) struct Field<'a> {
    /// The variant it belongs to, of an enum.
    pub(crate) variant: Option<&'a syn::Ident>,
    /// How Rust names it.
    pub(crate) member: Member,
    /// Where its name stands.
    pub(crate) span: Span,
    /// Its type.
    pub(crate) ty: &'a Type,
    /// Its name in files: the node spelling.
    pub(crate) name: String,
    /// The colon spelling.
    pub(crate) key: String,
    /// Doc comment.
    pub(crate) doc: String,
    /// Options.
    pub(crate) attrs: FieldAttrs,
}

/// A variant.
pub(crate) struct Variant<'a> {
    /// How Rust names it.
    pub(crate) ident: &'a syn::Ident,
    /// Its text in files.
    pub(crate) name: String,
    /// Doc comment.
    pub(crate) doc: String,
    /// Options.
    pub(crate) attrs: VariantAttrs,
    /// How its data stands.
    pub(crate) style: Style,
    /// Its data.
    pub(crate) fields: Vec<Field<'a>>,
}

/// How the data of a variant stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// There is none.
    Unit,
    /// By place.
    Tuple,
    /// By name.
    Struct,
}

impl Field<'_> {
    /// The name as Rust people know it, without `r#`.
    pub(crate) fn rust_name(&self) -> String {
        match &self.member {
            Member::Named(ident) => ident.unraw().to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        }
    }

    /// Whether files know the field.
    pub(crate) fn is_property(&self) -> bool {
        self.attrs.skip.is_none()
    }
}

impl<'a> Container<'a> {
    /// Reads a type. Faults go to `cx`; `None` if its shape is refused.
    pub(crate) fn parse(cx: &Ctxt, input: &'a DeriveInput, derive: Derive) -> Option<Self> {
        let place = match (&input.data, derive) {
            (_, Derive::Entity) => Place::Entity,
            (_, Derive::Component) => Place::Component,
            (Data::Enum(_), Derive::Property) => Place::Enum,
            (_, Derive::Property) => Place::Property,
        };
        let attrs = ContainerAttrs::parse(cx, &input.attrs, place);
        refuse_generics(cx, input, derive);
        refuse_packed(cx, input);
        let data = match &input.data {
            Data::Struct(data) => parse_struct(cx, input, data, derive),
            Data::Enum(data) if derive == Derive::Property => parse_enum(cx, input, data),
            Data::Enum(data) => {
                let what = if derive == Derive::Entity { "an entity" } else { "a component" };
                let message = format!(
                    "`{}` is an enum; {what} is a struct with named fields (a unit enum can be the type of a field: `#[derive(Property)]`)",
                    input.ident.unraw()
                );
                cx.error(data.enum_token, message);
                None
            }
            Data::Union(data) => {
                let message = format!("`{}` is a union; supported: {}", input.ident.unraw(), supported(derive));
                cx.error(data.union_token, message);
                None
            }
        }?;
        let name = attrs.name.as_ref().map_or_else(|| input.ident.unraw().to_string(), LitStr::value);
        Some(Self { input, name, doc: docs(&input.attrs), attrs, data })
    }

    /// The fields of a struct, those of all variants of an enum.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Field<'a>> {
        let (fields, variants): (&[Field<'a>], &[Variant<'a>]) = match &self.data {
            Body::Struct(fields) => (fields, &[]),
            Body::Newtype(field) => (std::slice::from_ref(field), &[]),
            Body::Enum(variants) => (&[], variants),
        };
        fields.iter().chain(variants.iter().flat_map(|variant| &variant.fields))
    }

    /// The fields that files know.
    pub(crate) fn properties(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields().filter(|field| field.is_property())
    }
}

/// The shapes a macro takes.
fn supported(derive: Derive) -> &'static str {
    match derive {
        Derive::Entity | Derive::Component => "structs with named fields and unit structs",
        Derive::Property => "structs with named fields, unit structs, tuple structs of one field, and enums",
    }
}

fn refuse_generics(cx: &Ctxt, input: &DeriveInput, derive: Derive) {
    let name = input.ident.unraw();
    for param in &input.generics.params {
        match param {
            GenericParam::Lifetime(lifetime) => cx.error(
                &lifetime.lifetime,
                format!("`{name}` borrows: a value that lives in an arena owns all it has; use owned types such as `String`"),
            ),
            GenericParam::Type(_) | GenericParam::Const(_) if derive.is_class() => cx.error(
                param,
                format!(
                    "`{name}` is generic: its one name in files cannot stand for several types; derive `{}` for a struct without parameters (a generic struct can be the type of a field: `#[derive(Property)]`)",
                    derive.name()
                ),
            ),
            GenericParam::Type(_) | GenericParam::Const(_) => {}
        }
    }
}

fn refuse_packed(cx: &Ctxt, input: &DeriveInput) {
    for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
        let Meta::List(list) = &attr.meta else { continue };
        for token in list.tokens.clone() {
            if matches!(&token, proc_macro2::TokenTree::Ident(ident) if ident == "packed") {
                cx.error(
                    token,
                    format!("`{}` is packed: its fields cannot be borrowed; remove `packed`", input.ident.unraw()),
                );
            }
        }
    }
}

fn parse_struct<'a>(cx: &Ctxt, input: &DeriveInput, data: &'a DataStruct, derive: Derive) -> Option<Body<'a>> {
    match (&data.fields, derive) {
        (Fields::Named(fields), _) => Some(Body::Struct(
            fields.named.iter().enumerate().map(|field| parse_field(cx, field, Place::Field, None)).collect(),
        )),
        (Fields::Unit, _) => Some(Body::Struct(Vec::new())),
        (Fields::Unnamed(fields), Derive::Property) if fields.unnamed.len() == 1 => {
            let field =
                fields.unnamed.iter().enumerate().map(|field| parse_field(cx, field, Place::Inner, None)).next()?;
            Some(Body::Newtype(Box::new(field)))
        }
        (Fields::Unnamed(fields), _) => {
            let message = format!(
                "`{}` is a tuple struct{}; its fields have no names to be keys in files. Supported: {}",
                input.ident.unraw(),
                if derive == Derive::Property { format!(" of {} fields", fields.unnamed.len()) } else { String::new() },
                supported(derive)
            );
            cx.error(fields, message);
            None
        }
    }
}

fn parse_field<'a>(
    cx: &Ctxt,
    (index, field): (usize, &'a syn::Field),
    place: Place,
    variant: Option<&'a syn::Ident>,
) -> Field<'a> {
    let attrs = FieldAttrs::parse(cx, &field.attrs, place);
    let (member, span, rust_name) = match &field.ident {
        Some(ident) => (Member::Named(ident.clone()), ident.span(), ident.unraw().to_string()),
        None => (Member::from(index), first_span(&field.ty), index.to_string()),
    };
    let name = attrs.name.as_ref().map_or(rust_name, LitStr::value);
    let key = pascal(&name);
    Field { variant, member, span, ty: &field.ty, name, key, doc: docs(&field.attrs), attrs }
}

fn parse_enum<'a>(cx: &Ctxt, input: &DeriveInput, data: &'a DataEnum) -> Option<Body<'a>> {
    if data.variants.is_empty() {
        cx.error(data.enum_token, format!("`{}` has no variants, so that it has no values", input.ident.unraw()));
        return None;
    }
    let mut variants = Vec::with_capacity(data.variants.len());
    for variant in &data.variants {
        let attrs = VariantAttrs::parse(cx, &variant.attrs);
        let (style, place) = match &variant.fields {
            Fields::Unit => (Style::Unit, Place::VariantField),
            Fields::Unnamed(_) => (Style::Tuple, Place::VariantItem),
            Fields::Named(_) => (Style::Struct, Place::VariantField),
        };
        let fields = variant.fields.iter().enumerate();
        let fields = fields.map(|field| parse_field(cx, field, place, Some(&variant.ident))).collect();
        let name = attrs.name.as_ref().map_or_else(|| variant.ident.unraw().to_string(), LitStr::value);
        variants.push(Variant { ident: &variant.ident, name, doc: docs(&variant.attrs), attrs, style, fields });
    }
    Some(Body::Enum(variants))
}

fn first_span(tokens: impl ToTokens) -> Span {
    tokens.into_token_stream().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}

/// The doc comment among `attrs`: lines joined by line feeds, without the blank after `///` and without blank lines at both ends.
pub(crate) fn docs(attrs: &[Attribute]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
        let Meta::NameValue(meta) = &attr.meta else { continue };
        let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = crate::attr::peel(&meta.value) else { continue };
        let text = text.value();
        // `///` gives one line with a blank in front; `/** */` several, decorated with asterisks.
        let block = text.contains('\n');
        lines.extend(text.split('\n').map(|line| {
            if !block {
                return line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned();
            }
            let line = line.trim();
            line.strip_prefix("* ").unwrap_or(if line == "*" { "" } else { line }).to_owned()
        }));
    }
    let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| !line.trim().is_empty()).map_or(first, |last| last + 1);
    lines[first..last].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_of_all_forms_are_joined() {
        let input: DeriveInput = syn::parse_quote! {
            /// First line.
            ///   indented
            #[doc = " second attribute "]
            #[doc(hidden)]
            struct A;
        };
        assert_eq!(docs(&input.attrs), "First line.\n  indented\nsecond attribute");
    }

    #[test]
    fn block_docs_lose_their_asterisks() {
        let input: DeriveInput = syn::parse_quote! {
            #[doc = "*\n * One.\n *\n * Two.\n "]
            struct A;
        };
        assert_eq!(docs(&input.attrs), "One.\n\nTwo.");
    }
}
