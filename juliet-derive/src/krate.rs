//! Where generated code finds Juliet: the one path everything in an expansion starts at.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Path;

/// Crates that have a `__private` module, the nearest to a user first.
const CRATES: [(&str, &str); 2] = [("juliet", "juliet"), ("juliet-core", "juliet_core")];

/// The path of the crate: what `#[jasset(crate = …)]` says, else the name that the user's `Cargo.toml` gives it.
///
/// Inside a package of ours the name of its library serves for its examples, tests and doctests; the library itself says
/// `extern crate self as …`. Without a manifest (other build systems) the name is `juliet`.
pub(crate) fn path(chosen: Option<&Path>) -> TokenStream {
    if let Some(path) = chosen {
        return quote!(#path);
    }
    for (package, library) in CRATES {
        let name = match crate_name(package) {
            Ok(FoundCrate::Name(name)) => name,
            Ok(FoundCrate::Itself) => library.to_owned(),
            Err(_) => continue,
        };
        if let Ok(mut ident) = syn::parse_str::<Ident>(&name) {
            ident.set_span(Span::call_site());
            return quote!(::#ident);
        }
    }
    quote!(::juliet)
}
