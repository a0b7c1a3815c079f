//! The stub that stands in for an implementation when a type has errors, so that these are not followed by others.

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit::{self, Visit};
use syn::{DeriveInput, GenericParam, Path, Type};

use super::{in_scope, respan};
use crate::input::Derive;

/// A stub that claims nothing: no fields, no name. It never runs, since the program does not compile.
///
/// ```text
/// unsafe impl __juliet::Entity for Broken {
///     const CLASS: &'static __juliet::Class = &__juliet::Class::of::<Self>("", 0, 1, "", &[], false);
///     fn default_value() -> Self { loop {} }
/// }
/// ```
pub(super) fn expand(input: &DeriveInput, derive: Derive, krate: Option<&Path>) -> TokenStream {
    if input.generics.lifetimes().next().is_some() || !crosses_threads(input) {
        return TokenStream::new();
    }
    let ident = respan(&input.ident);
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let own = input.generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(&param.ident),
        _ => None,
    });
    let user = where_clause.iter().flat_map(|clause| &clause.predicates);
    let bounds = if input.generics.params.is_empty() {
        quote!(#where_clause)
    } else {
        quote! {
            where
                #(#user,)*
                #(#own: 'static,)*
                #ident #ty_generics: __juliet::core::marker::Send + __juliet::core::marker::Sync
        }
    };
    let (contract, constant) = match derive {
        Derive::Entity | Derive::Component => (
            quote!(Entity),
            quote!(
                const CLASS: &'static __juliet::Class = &__juliet::Class::of::<Self>("", 0, 1, "", &[], false);
            ),
        ),
        Derive::Property => (
            quote!(PropertyValue),
            quote! {
                const TYPE: &'static __juliet::PropertyType =
                    &__juliet::PropertyType::structure::<Self>("", "", &[], false);
            },
        ),
    };
    let marker = (derive == Derive::Component).then(
        || quote!(#[automatically_derived] impl #impl_generics __juliet::Component for #ident #ty_generics #bounds {}),
    );
    let body = quote! {
        #marker
        #[automatically_derived]
        unsafe impl #impl_generics __juliet::#contract for #ident #ty_generics #bounds {
            #constant
            fn default_value() -> Self {
                loop {}
            }
        }
    };
    in_scope(input, krate, body)
}

/// Whether nothing in the spelling of the type keeps it from being `Send + Sync`.
fn crosses_threads(input: &DeriveInput) -> bool {
    struct Finder(bool);
    impl<'ast> Visit<'ast> for Finder {
        fn visit_type(&mut self, ty: &'ast Type) {
            self.0 |= matches!(ty, Type::Ptr(_) | Type::TraitObject(_) | Type::ImplTrait(_));
            visit::visit_type(self, ty);
        }
    }
    let mut finder = Finder(false);
    finder.visit_derive_input(input);
    !finder.0
}
