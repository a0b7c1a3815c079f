//! How large expansions are: measured over `tests/schema/reference.rs`, printed for `cargo xtask expansion` to compare.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Attribute, Item, Meta};

use super::derive;
use crate::attr::Place;
use crate::input::Derive;

/// The file holds a workspace's worth of options and is compiled by the facade's tests.
const REFERENCE: &str = include_str!("../../../tests/schema/reference.rs");

/// A type of the reference file with its derive.
struct Type {
    name: String,
    item: Item,
    derive: Derive,
}

fn types() -> Vec<Type> {
    let items = syn::parse_file(REFERENCE).expect("it compiles").items;
    let types = items.into_iter().filter_map(|item| {
        let (ident, attrs) = match &item {
            Item::Struct(item) => (&item.ident, &item.attrs),
            Item::Enum(item) => (&item.ident, &item.attrs),
            _ => return None,
        };
        let derives: String = attrs.iter().filter(|it| it.path().is_ident("derive")).map(text).collect();
        let derive = match () {
            () if derives.contains("Entity") => Derive::Entity,
            () if derives.contains("Property") => Derive::Property,
            () => return None,
        };
        Some(Type { name: ident.to_string(), item, derive })
    });
    types.collect()
}

fn text(attribute: &Attribute) -> String {
    attribute.to_token_stream().to_string()
}

/// The expansion, of what a derive macro is given: the type without the derive.
fn expand(ty: &Type) -> TokenStream {
    let mut item = ty.item.clone();
    match &mut item {
        Item::Struct(item) => item.attrs.retain(|it| !it.path().is_ident("derive")),
        Item::Enum(item) => item.attrs.retain(|it| !it.path().is_ident("derive")),
        _ => {}
    }
    derive(item.to_token_stream(), ty.derive)
}

/// Words, marks and literals; a pair of brackets counts as two.
fn count(tokens: TokenStream) -> usize {
    let count = |token| match token {
        TokenTree::Group(group) => 2 + count(group.stream()),
        _ => 1,
    };
    tokens.into_iter().map(count).sum()
}

/// `expansion: PortCrane 2345 tokens 678 lines`, a line a type.
#[test]
#[expect(clippy::print_stdout, reason = "what `cargo xtask expansion` reads")]
fn sizes_of_expansions_are_printed() {
    for ty in types() {
        let tokens = expand(&ty);
        assert!(!tokens.to_string().contains("compile_error"), "{}", ty.name);
        let lines = prettyplease::unparse(&syn::parse2(tokens.clone()).expect("an expansion is items")).lines().count();
        println!("expansion: {} {} tokens {lines} lines", ty.name, count(tokens));
    }
}

#[test]
fn the_reference_uses_every_option() {
    let mut used = BTreeSet::new();
    let mut note = |place: Place, attributes: &[Attribute]| {
        for attribute in attributes.iter().filter(|it| it.path().is_ident("jasset")) {
            let Meta::List(list) = &attribute.meta else { continue };
            // An option begins the list or follows a comma; what it is given stands in brackets or behind `=`.
            let mut begins = true;
            for token in list.tokens.clone() {
                if let (true, TokenTree::Ident(ident)) = (begins, &token) {
                    used.insert(format!("{place:?}: {ident}"));
                }
                begins = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == ',');
            }
        }
    };
    for ty in types() {
        match &ty.item {
            Item::Struct(item) => {
                note(if matches!(ty.derive, Derive::Entity) { Place::Entity } else { Place::Property }, &item.attrs);
                let named = matches!(item.fields, syn::Fields::Named(_));
                item.fields.iter().for_each(|it| note(if named { Place::Field } else { Place::Inner }, &it.attrs));
            }
            Item::Enum(item) => {
                note(Place::Enum, &item.attrs);
                for variant in &item.variants {
                    note(Place::Variant, &variant.attrs);
                    let named = matches!(variant.fields, syn::Fields::Named(_));
                    let place = if named { Place::VariantField } else { Place::VariantItem };
                    variant.fields.iter().for_each(|it| note(place, &it.attrs));
                }
            }
            _ => {}
        }
    }
    let places = [
        Place::Entity,
        Place::Property,
        Place::Enum,
        Place::Field,
        Place::Inner,
        Place::Variant,
        Place::VariantField,
        Place::VariantItem,
    ];
    let all = places.iter().flat_map(|place| place.allowed().iter().map(move |option| format!("{place:?}: {option}")));
    let missing: Vec<String> = all.filter(|option| !used.contains(option)).collect();
    assert!(missing.is_empty(), "tests/schema/reference.rs has to use {missing:?}");
}
