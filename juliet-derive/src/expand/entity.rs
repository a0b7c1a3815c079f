//! `#[derive(Entity)]` and `#[derive(Component)]`.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::LitStr;
use syn::spanned::Spanned;

use super::table::{Owner, local};
use super::{at, in_scope, removed};
use crate::attr::Migrate;
use crate::input::{Container, Derive};
use crate::names::crc;

/// The implementation of an entity type.
///
/// ```text
/// const _: () = {
///     use ::juliet::__private as __juliet;
///     static __JULIET_PROPERTIES: [__juliet::Property; 1] = [__juliet::Property::of::<f32>(…)];
///     static __JULIET_CLASS: __juliet::Class =
///         __juliet::Class::of::<Inert>("Inert", 0x…, 2, "A static prop.", &__JULIET_PROPERTIES, true);
///     unsafe impl __juliet::Entity for Inert {
///         const CLASS: &'static __juliet::Class = &__JULIET_CLASS;
///         fn default_value() -> Self { Self { mass: 1.0 } }
///     }
///     fn __juliet_described(__juliet_value: &mut Inert) { … }
///     impl Inert { pub const PROPERTIES: &'static [__juliet::Property] = &__JULIET_PROPERTIES; }
/// };
/// ```
/// Of a component also `impl __juliet::Component for Velocity {}`.
pub(super) fn expand(container: &Container<'_>, derive: Derive) -> TokenStream {
    let owner = Owner::new(container, &container.input.generics);
    let ty = &owner.ty;
    let where_clause = &container.input.generics.where_clause;
    let (probe_scope, adapters) = (owner.probe_scope(), owner.adapters());
    let entries: Vec<_> = container.properties().map(|field| owner.entry(field)).collect();
    let count = Literal::usize_unsuffixed(entries.len());
    let class = class(container, &owner, derive);
    let default_body = owner.default_body();
    let post_init = post_init(container);
    let described = owner.described();
    let constant = owner.constant(&quote!(&__JULIET_PROPERTIES));
    let marker = (derive == Derive::Component)
        .then(|| quote!(#[automatically_derived] impl __juliet::Component for #ty #where_clause {}));
    let body = quote! {
        #probe_scope
        #adapters
        static __JULIET_PROPERTIES: [__juliet::Property; #count] = [#(#entries),*];
        static __JULIET_CLASS: __juliet::Class = #class;
        #[automatically_derived]
        unsafe impl __juliet::Entity for #ty #where_clause {
            const CLASS: &'static __juliet::Class = &__JULIET_CLASS;
            fn default_value() -> Self {
                #default_body
            }
            #post_init
        }
        #marker
        #described
        #constant
    };
    in_scope(container.input, container.attrs.krate.as_ref(), body)
}

/// ```text
/// __juliet::Class::of::<Inert>(…)
///     .with_aliases(&["Prop"]).with_removed(&["OldTag"]).with_post_init::<Inert>().with_migrate(&[(1, from_1)])
///     .as_component().with_casts(&[…])
/// ```
fn class(container: &Container<'_>, owner: &Owner<'_>, derive: Derive) -> TokenStream {
    let (ty, name, doc, plain) = (&owner.ty, &container.name, &container.doc, owner.plain());
    let crc = Literal::u32_unsuffixed(crc(name));
    let version = Literal::u32_unsuffixed(container.attrs.version.map_or(1, |(version, _)| version));
    let aliases: Vec<String> = container.attrs.aliases.iter().map(LitStr::value).collect();
    let with_aliases = (!aliases.is_empty()).then(|| quote!(.with_aliases(&[#(#aliases),*])));
    let with_removed = removed(&container.attrs.removed);
    let with_post_init = container.attrs.post_init.is_some().then(|| quote!(.with_post_init::<#ty>()));
    let with_migrate = container.attrs.migrate.as_ref().map(with_migrate);
    let as_component = (derive == Derive::Component).then(|| quote!(.as_component()));
    let with_casts = with_casts(container, owner);
    quote! {
        __juliet::Class::of::<#ty>(#name, #crc, #version, #doc, &__JULIET_PROPERTIES, #plain)
            #with_aliases #with_removed #with_post_init #with_migrate #as_component #with_casts
    }
}

/// The ways from a value to the traits it is visited through; safe code, which compiles only if the type implements them.
///
/// ```text
/// .with_casts(const { &[__juliet::TraitCast::new(const { &__juliet::Cast::<dyn Damageable> {
///     get: |__juliet_value| match __juliet_value.downcast_ref::<Crate>() { …Some(it) => …Some(it), …None => …None },
///     get_mut: |__juliet_value| …,
/// } })] })
/// ```
fn with_casts(container: &Container<'_>, owner: &Owner<'_>) -> Option<TokenStream> {
    let (ty, traits) = (&owner.ty, &container.attrs.implements);
    let cast = |method: TokenStream| {
        let value = local("value");
        quote! {
            |#value| match #value.#method::<#ty>() {
                __juliet::core::option::Option::Some(__juliet_it) => __juliet::core::option::Option::Some(__juliet_it),
                __juliet::core::option::Option::None => __juliet::core::option::Option::None,
            }
        }
    };
    let (get, get_mut) = (cast(quote!(downcast_ref)), cast(quote!(downcast_mut)));
    (!traits.is_empty()).then(|| {
        quote! {
            .with_casts(const {
                &[#(__juliet::TraitCast::new(const { &__juliet::Cast::<#traits> { get: #get, get_mut: #get_mut } })),*]
            })
        }
    })
}

/// One function for all older versions is a step that every version passes.
fn with_migrate(migrate: &Migrate) -> TokenStream {
    match migrate {
        Migrate::Whole(run) => {
            let last = Literal::u32_unsuffixed(u32::MAX);
            quote!(.with_migrate(&[(#last, #run)]))
        }
        Migrate::Steps(steps) => {
            let from = steps.iter().map(|step| Literal::u32_unsuffixed(step.from));
            let run = steps.iter().map(|step| &step.run);
            quote!(.with_migrate(&[#((#from, #run)),*]))
        }
    }
}

/// ```text
/// fn post_init(&mut self) { after_loading(self); }
/// ```
fn post_init(container: &Container<'_>) -> TokenStream {
    let Some(path) = &container.attrs.post_init else { return TokenStream::new() };
    let call = quote_spanned!(at(path.span())=> #path(self));
    quote! {
        fn post_init(&mut self) {
            let _: () = #call;
        }
    }
}
