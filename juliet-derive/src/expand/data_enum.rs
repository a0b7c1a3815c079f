//! `#[derive(Property)]` on an enum with data.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::LitStr;

use super::property::{chosen_variant, implementation};
use super::table::{Owner, asserted, local, member};
use super::{respan, table};
use crate::input::{Field, Style, Variant};

/// A safe table of what each variant holds, and a way to each field: where fields lie in an enum is not known.
///
/// ```text
/// impl __juliet::DataEnum for Mode {
///     const VARIANTS: &'static [__juliet::DataVariant] = &[__juliet::DataVariant {
///         name: "Wait", aliases: &[], doc: "", style: __juliet::VariantStyle::Tuple, removed: &[],
///         fields: &[__juliet::Property::of::<f32>("0: ; 0\n", 3, 0, …)],
///     }];
///     fn variant(&self) -> …usize { match self { Self::Wait { .. } => 0 } }
///     fn with_variant(__juliet_index: …usize) -> Self { match __juliet_index { _ => Self::Wait { 0: 1.0 } } }
///     fn field(&self, __juliet_index: …usize) -> …Option<__juliet::ErasedRef<'_>> {
///         match (self, __juliet_index) {
///             (Self::Wait { 0: __juliet_value, .. }, 0) => …Some(__juliet::ErasedRef::new(__juliet_value)),
///             _ => …None,
///         }
///     }
///     fn field_mut(&mut self, …) -> … { … }
/// }
/// static __JULIET_TYPE: __juliet::PropertyType = __juliet::PropertyType::data_enum::<Mode>("Mode", "", true);
/// unsafe impl __juliet::PropertyValue for Mode { … }
/// fn __juliet_described(__juliet_value: &mut Mode) { … }
/// ```
pub(super) fn expand(owner: &Owner<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let container = owner.container;
    let (ty, name, doc, plain) = (&owner.ty, &container.name, &container.doc, owner.plain());
    let (probe_scope, adapters, described) = (owner.probe_scope(), owner.adapters(), described(owner, variants));
    let (impl_generics, _, where_clause) = owner.generics.split_for_impl();
    let table = variants.iter().map(|variant| entry(owner, variant));
    let idents: Vec<_> = variants.iter().map(|variant| respan(variant.ident)).collect();
    let numbers: Vec<_> = (0..variants.len()).map(Literal::usize_unsuffixed).collect();
    let index = local("index");
    let values = variants.iter().enumerate().map(|(place, variant)| {
        let ident = respan(variant.ident);
        let fields: Vec<&Field<'_>> = variant.fields.iter().collect();
        let inits = owner.inits(&fields);
        let value = if variant.style == Style::Unit { quote!(Self::#ident) } else { quote!(Self::#ident { #inits }) };
        let number = Literal::usize_unsuffixed(place);
        if place + 1 == variants.len() { quote!(_ => #value,) } else { quote!(#number => #value,) }
    });
    let shared = arms(owner, variants, &quote!(ErasedRef));
    let exclusive = arms(owner, variants, &quote!(ErasedMut));
    let default_body = if container.attrs.default {
        quote!(<Self as __juliet::core::default::Default>::default())
    } else {
        let chosen = Literal::usize_unsuffixed(chosen_variant(variants));
        quote!(<Self as __juliet::DataEnum>::with_variant(#chosen))
    };
    let type_value = quote!(__juliet::PropertyType::data_enum::<#ty>(#name, #doc, #plain));
    let implementation = implementation(owner, &type_value, &default_body);
    quote! {
        #probe_scope
        #adapters
        #[automatically_derived]
        impl #impl_generics __juliet::DataEnum for #ty #where_clause {
            const VARIANTS: &'static [__juliet::DataVariant] = &[#(#table),*];
            fn variant(&self) -> __juliet::core::primitive::usize {
                match self {
                    #(Self::#idents { .. } => #numbers,)*
                }
            }
            fn with_variant(#index: __juliet::core::primitive::usize) -> Self {
                match #index {
                    #(#values)*
                }
            }
            fn field(
                &self,
                #index: __juliet::core::primitive::usize,
            ) -> __juliet::core::option::Option<__juliet::ErasedRef<'_>> {
                match (self, #index) {
                    #shared
                    _ => __juliet::core::option::Option::None,
                }
            }
            fn field_mut(
                &mut self,
                #index: __juliet::core::primitive::usize,
            ) -> __juliet::core::option::Option<__juliet::ErasedMut<'_>> {
                match (self, #index) {
                    #exclusive
                    _ => __juliet::core::option::Option::None,
                }
            }
        }
        #implementation
        #described
    }
}

/// ```text
/// __juliet::DataVariant { name: "Wait", aliases: &[], doc: "", style: …, removed: &[], fields: &[…] }
/// ```
fn entry(owner: &Owner<'_>, variant: &Variant<'_>) -> TokenStream {
    let (name, doc, aliases) = (&variant.name, &variant.doc, variant.attrs.aliases.iter().map(LitStr::value));
    let style = match variant.style {
        Style::Unit => quote!(Unit),
        Style::Tuple => quote!(Tuple),
        Style::Struct => quote!(Struct),
    };
    let removed = variant.attrs.removed.iter().map(LitStr::value);
    let entries = properties(variant).map(|field| owner.entry(field));
    quote! {
        __juliet::DataVariant {
            name: #name,
            aliases: &[#(#aliases),*],
            doc: #doc,
            style: __juliet::VariantStyle::#style,
            removed: &[#(#removed),*],
            fields: &[#(#entries),*],
        }
    }
}

fn properties<'v, 'a>(variant: &'v Variant<'a>) -> impl Iterator<Item = &'v Field<'a>> {
    variant.fields.iter().filter(|field| field.is_property())
}

/// The arms that lead to each field.
///
/// ```text
/// (Self::Wait { 0: __juliet_value, .. }, 0) => …Some(__juliet::ErasedRef::new(__juliet_value)),
/// ```
fn arms(owner: &Owner<'_>, variants: &[Variant<'_>], erased: &TokenStream) -> TokenStream {
    let value = local("value");
    let arm = |variant: &Variant<'_>, (place, field): (usize, &Field<'_>)| {
        let (ident, member, number) = (respan(variant.ident), member(field), Literal::usize_unsuffixed(place));
        let borrow = match field.attrs.with {
            Some(_) => {
                let (adapter, (_, ty_generics, _)) = (table::adapter(field), owner.generics.split_for_impl());
                let fish = ty_generics.as_turbofish();
                quote!(__juliet::#erased::adapted::<#adapter #fish>(#value))
            }
            None => quote!(__juliet::#erased::new(#value)),
        };
        quote! {
            (Self::#ident { #member: #value, .. }, #number) => __juliet::core::option::Option::Some(#borrow),
        }
    };
    variants.iter().flat_map(|variant| properties(variant).enumerate().map(move |field| arm(variant, field))).collect()
}

/// As of a struct: compiles only if each variant has the fields that the macro saw and no others, of the very types.
///
/// ```text
/// fn __juliet_described(__juliet_value: &mut Mode) {
///     match __juliet_value {
///         Mode::Wait { 0: __juliet_field0, } => { let _: (*mut f32,) = (__juliet_field0,); }
///     }
/// }
/// ```
fn described(owner: &Owner<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let (ty, path, value) = (&owner.ty, &owner.turbofish, local("value"));
    let (impl_generics, _, where_clause) = owner.generics.split_for_impl();
    let arms = variants.iter().map(|variant| {
        let ident = respan(variant.ident);
        let members = variant.fields.iter().map(member);
        let names: Vec<_> = (0..variant.fields.len()).map(|place| local(&format!("field{place}"))).collect();
        let types = variant.fields.iter().map(|field| field.ty);
        let typed = (!names.is_empty()).then(|| quote!(let _: (#(*mut #types,)*) = (#(#names,)*);));
        let asserted = variant.fields.iter().map(asserted);
        quote! {
            #path::#ident { #(#members: #names,)* } => {
                #typed
                #(#asserted)*
            }
        }
    });
    quote! {
        fn __juliet_described #impl_generics (#value: &mut #ty) #where_clause {
            match #value {
                #(#arms)*
            }
        }
    }
}
