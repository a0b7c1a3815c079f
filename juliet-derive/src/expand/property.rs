//! `#[derive(Property)]`.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::LitStr;

use super::table::Owner;
use super::{bounded, data_enum, in_scope, removed, respan};
use crate::check::{Numeric, numeric, spells_a_key};
use crate::input::{Body, Container, Field, Style, Variant};

/// The implementation of a property type.
pub(super) fn expand(container: &Container<'_>) -> TokenStream {
    let generics = bounded(container);
    let owner = Owner::new(container, &generics);
    let body = match &container.data {
        Body::Struct(_) => structure(&owner),
        Body::Newtype(field) => newtype(&owner, field),
        Body::Enum(variants) if variants.iter().all(|variant| variant.style == Style::Unit) => {
            unit_enum(&owner, variants)
        }
        Body::Enum(variants) => data_enum::expand(&owner, variants),
    };
    in_scope(container.input, container.attrs.krate.as_ref(), body)
}

/// A struct with named fields.
///
/// ```text
/// static __JULIET_PROPERTIES: [__juliet::Property; 1] = [__juliet::Property::of::<…>(…)];
/// static __JULIET_TYPE: __juliet::PropertyType =
///     __juliet::PropertyType::structure::<Light>("Light", "", &__JULIET_PROPERTIES, true);
/// unsafe impl __juliet::PropertyValue for Light {
///     const TYPE: &'static __juliet::PropertyType = &__JULIET_TYPE;
///     const KEY_FIELD: …Option<usize> = …Some(0);     only with a field marked `key`
///     fn default_value() -> Self { Self { color: … } }
/// }
/// fn __juliet_described(__juliet_value: &mut Light) { … }
/// impl Light { pub const PROPERTIES: &'static [__juliet::Property] = &__JULIET_PROPERTIES; }
/// ```
/// No static can be generic: with parameters both are constants, `TYPE` over `PROPERTIES`.
fn structure(owner: &Owner<'_>) -> TokenStream {
    let container = owner.container;
    let (ty, name, doc, plain) = (&owner.ty, &container.name, &container.doc, owner.plain());
    let (probe_scope, adapters, described) = (owner.probe_scope(), owner.adapters(), owner.described());
    let with_removed = removed(&container.attrs.removed);
    let entries: Vec<_> = container.properties().map(|field| owner.entry(field)).collect();
    let default_body = owner.default_body();
    if container.input.generics.params.is_empty() {
        let count = Literal::usize_unsuffixed(entries.len());
        let constant = owner.constant(&quote!(&__JULIET_PROPERTIES));
        let type_value = quote! {
            __juliet::PropertyType::structure::<#ty>(#name, #doc, &__JULIET_PROPERTIES, #plain) #with_removed
        };
        let implementation = implementation(owner, &type_value, &default_body);
        return quote! {
            #probe_scope
            #adapters
            static __JULIET_PROPERTIES: [__juliet::Property; #count] = [#(#entries),*];
            #implementation
            #described
            #constant
        };
    }
    let constant = owner.constant(&quote!(&[#(#entries),*]));
    let type_value = quote! {
        __juliet::PropertyType::structure::<Self>(#name, #doc, <#ty>::PROPERTIES, #plain) #with_removed
    };
    let implementation = implementation(owner, &type_value, &default_body);
    quote!(#probe_scope #adapters #implementation #described #constant)
}

/// A tuple struct of one field.
///
/// ```text
/// static __JULIET_PROPERTY: __juliet::Property = __juliet::Property::of::<…>("0: ; 0\n", 3, …);
/// static __JULIET_TYPE: __juliet::PropertyType =
///     __juliet::PropertyType::newtype::<Kilograms>("Kilograms", "", &__JULIET_PROPERTY);
/// unsafe impl __juliet::PropertyValue for Kilograms { … }
/// impl __juliet::Ranged for Kilograms {}
/// impl __juliet::Key for ItemName {}
/// ```
fn newtype(owner: &Owner<'_>, field: &Field<'_>) -> TokenStream {
    let container = owner.container;
    let (ty, name, doc) = (&owner.ty, &container.name, &container.doc);
    let (probe_scope, adapters, described) = (owner.probe_scope(), owner.adapters(), owner.described());
    let (entry, default_body) = (owner.entry(field), owner.default_body());
    let ranged = newtype_ranged(owner, field);
    if container.input.generics.params.is_empty() {
        let type_value = quote!(__juliet::PropertyType::newtype::<#ty>(#name, #doc, &__JULIET_PROPERTY));
        let implementation = implementation(owner, &type_value, &default_body);
        return quote! {
            #probe_scope
            #adapters
            static __JULIET_PROPERTY: __juliet::Property = #entry;
            #implementation
            #ranged
            #described
        };
    }
    let type_value = quote! {
        __juliet::PropertyType::newtype::<Self>(#name, #doc, const { &#entry })
    };
    let implementation = implementation(owner, &type_value, &default_body);
    quote!(#probe_scope #adapters #implementation #ranged #described)
}

/// A wrapper of a number is a number: ranges may stand on it. A wrapper of a key is a key.
fn newtype_ranged(owner: &Owner<'_>, field: &Field<'_>) -> TokenStream {
    if field.attrs.with.is_some() {
        return TokenStream::new();
    }
    let (ty, (impl_generics, _, where_clause)) = (&owner.ty, owner.generics.split_for_impl());
    let markers = [("Ranged", numeric(field.ty) == Numeric::Yes), ("Key", spells_a_key(field.ty))];
    let markers = markers.iter().filter(|(_, holds)| *holds).map(|(name, _)| format_ident!("{name}"));
    quote! {
        #(
            #[automatically_derived]
            impl #impl_generics __juliet::#markers for #ty #where_clause {}
        )*
    }
}

/// An enum without data.
///
/// ```text
/// impl __juliet::UnitEnum for Mood {
///     const VARIANTS: &'static [__juliet::Variant] = &[__juliet::Variant { name: "Calm", aliases: &[], doc: "" }];
///     fn from_index(__juliet_index: …u32) -> …Option<Self> { match __juliet_index { 0 => …Some(Self::Calm), _ => …None } }
///     fn index(&self) -> …u32 { match self { Self::Calm => 0 } }
/// }
/// impl __juliet::Key for Mood {}
/// static __JULIET_TYPE: __juliet::PropertyType = __juliet::PropertyType::unit_enum::<Mood>("Mood", "");
/// unsafe impl __juliet::PropertyValue for Mood { … }
/// ```
fn unit_enum(owner: &Owner<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let container = owner.container;
    let (ty, name, doc) = (&owner.ty, &container.name, &container.doc);
    let (impl_generics, _, where_clause) = owner.generics.split_for_impl();
    let idents: Vec<_> = variants.iter().map(|variant| respan(variant.ident)).collect();
    let numbers: Vec<_> = (0..variants.len()).map(Literal::usize_unsuffixed).collect();
    let table = variants.iter().map(|variant| {
        let (name, doc, aliases) = (&variant.name, &variant.doc, variant.attrs.aliases.iter().map(LitStr::value));
        quote!(__juliet::Variant { name: #name, aliases: &[#(#aliases),*], doc: #doc })
    });
    let default_body = enum_default(container, variants);
    let type_value = quote!(__juliet::PropertyType::unit_enum::<#ty>(#name, #doc));
    let implementation = implementation(owner, &type_value, &default_body);
    quote! {
        #[automatically_derived]
        impl #impl_generics __juliet::UnitEnum for #ty #where_clause {
            const VARIANTS: &'static [__juliet::Variant] = &[#(#table),*];
            fn from_index(
                __juliet_index: __juliet::core::primitive::u32,
            ) -> __juliet::core::option::Option<Self> {
                match __juliet_index {
                    #(#numbers => __juliet::core::option::Option::Some(Self::#idents),)*
                    _ => __juliet::core::option::Option::None,
                }
            }
            fn index(&self) -> __juliet::core::primitive::u32 {
                match self {
                    #(Self::#idents => #numbers,)*
                }
            }
        }
        #[automatically_derived]
        impl #impl_generics __juliet::Key for #ty #where_clause {}
        #implementation
    }
}

/// The variant marked `#[jasset(default)]`; else what `#[jasset(default)]` on the enum asks for; else std's `#[default]`; else the first.
fn enum_default(container: &Container<'_>, variants: &[Variant<'_>]) -> TokenStream {
    if container.attrs.default {
        return quote!(<Self as __juliet::core::default::Default>::default());
    }
    let ident = variants.get(chosen_variant(variants)).map(|variant| respan(variant.ident));
    quote!(Self::#ident)
}

/// The place of the default among the variants, unless the enum has its own `Default`.
pub(super) fn chosen_variant(variants: &[Variant<'_>]) -> usize {
    let marked = variants.iter().position(|variant| variant.attrs.default.is_some());
    marked.or_else(|| variants.iter().position(|variant| variant.attrs.std_default)).unwrap_or(0)
}

/// The `unsafe impl`, with the description in a static unless the type is generic.
pub(super) fn implementation(owner: &Owner<'_>, type_value: &TokenStream, default_body: &TokenStream) -> TokenStream {
    let ty = &owner.ty;
    let (impl_generics, _, where_clause) = owner.generics.split_for_impl();
    let (item, value) = if owner.generics.params.is_empty() {
        (quote!(static __JULIET_TYPE: __juliet::PropertyType = #type_value;), quote!(&__JULIET_TYPE))
    } else {
        (TokenStream::new(), quote!(&#type_value))
    };
    let keyed = owner.container.properties().position(|field| field.attrs.key.is_some());
    let key_field = keyed.map(|index| {
        let index = Literal::usize_unsuffixed(index);
        quote! {
            const KEY_FIELD: __juliet::core::option::Option<__juliet::core::primitive::usize> =
                __juliet::core::option::Option::Some(#index);
        }
    });
    quote! {
        #item
        #[automatically_derived]
        unsafe impl #impl_generics __juliet::PropertyValue for #ty #where_clause {
            const TYPE: &'static __juliet::PropertyType = #value;
            #key_field
            fn default_value() -> Self {
                #default_body
            }
        }
    }
}
