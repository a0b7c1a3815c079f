//! The parts that both macros share: entries of the property table, adapters, default values, the documentation table.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, Generics, LitStr, Member, Visibility};

use super::{at, markers, replace_self, respan};
use crate::attr::{Migrate, RangeAttr};
use crate::check::{Numeric, numeric, string_literal};
use crate::input::{Container, Field};
use crate::source;

/// A type's tokens in the forms that generated code needs.
pub(super) struct Owner<'a> {
    pub(super) container: &'a Container<'a>,
    /// Its generics with all bounds.
    pub(super) generics: &'a Generics,
    /// `Pair<T>`.
    pub(super) ty: TokenStream,
    /// `Pair::<T>`, for expressions.
    pub(super) turbofish: TokenStream,
}

impl<'a> Owner<'a> {
    pub(super) fn new(container: &'a Container<'a>, generics: &'a Generics) -> Self {
        let ident = respan(&container.input.ident);
        let (_, ty_generics, _) = generics.split_for_impl();
        let fish = ty_generics.as_turbofish();
        Self { container, generics, ty: quote!(#ident #ty_generics), turbofish: quote!(#ident #fish) }
    }

    /// One entry of the table.
    ///
    /// ```text
    /// __juliet::Property::of::<AssetRef<Mesh>>(
    ///     "MeshAsset: ; mesh_asset\n", 11, ::core::mem::offset_of!(Inert, mesh_asset),
    ///     <AssetRef<Mesh> as __juliet::PropertyValue>::ENTRY,
    ///     &__juliet::Meta { default: "\"Assets/Meshes/Cube.obj\"", ..__juliet::Meta::EMPTY },
    /// )
    /// ```
    /// The offset does not come through `__juliet`, and `Property::of` takes the description of that very type alone: an entry is true
    /// whatever else stands where `#[jasset(crate = …)]` leads. Where the data of a variant lies is not known: its offset is 0 and means nothing.
    pub(super) fn entry(&self, field: &Field<'_>) -> TokenStream {
        let openings = format!("{}: ; {}\n", field.key, field.name);
        let split = Literal::usize_unsuffixed(field.key.len() + 2);
        let (owner, member, meta) = (&self.ty, member(field), meta(field));
        let ty = field.ty;
        let place = match field.variant {
            Some(_) => quote!(#openings, #split, 0),
            None => quote!(#openings, #split, ::core::mem::offset_of!(#owner, #member)),
        };
        if field.attrs.with.is_some() {
            let (adapter, (_, ty_generics, _)) = (adapter(field), self.generics.split_for_impl());
            return quote!(__juliet::Property::adapted::<#adapter #ty_generics>(#place, #meta));
        }
        let entry = quote_spanned!(at(ty.span())=> <#ty as __juliet::PropertyValue>::ENTRY);
        quote!(__juliet::Property::of::<#ty>(#place, #entry, #meta))
    }

    /// Adapters of the fields with `with = module`.
    ///
    /// ```text
    /// struct __JulietAdapter_period(__juliet::core::marker::PhantomData<fn() -> ()>);
    /// impl __juliet::Adapter for __JulietAdapter_period {
    ///     type Value = Duration;
    ///     const NAME: &'static … str = "Duration";
    ///     const PLAIN: …bool = __juliet::Probe::<Duration>::PLAIN;
    ///     fn default_value() -> Duration { Duration::from_secs(1) }
    ///     fn read(text: &… str) -> …::Result<Duration, __juliet::String> { __juliet::adapted_read(seconds::read(text)) }
    ///     fn write(value: &Duration) -> __juliet::String { __juliet::adapted_write(seconds::write(value)) }
    /// }
    /// ```
    pub(super) fn adapters(&self) -> TokenStream {
        self.container.properties().filter_map(|field| self.adapter_of(field)).collect()
    }

    fn adapter_of(&self, field: &Field<'_>) -> Option<TokenStream> {
        let module = field.attrs.with.as_ref()?;
        let (adapter, ty, name) = (adapter(field), field.ty, source::text(field.ty));
        let (impl_generics, ty_generics, where_clause) = self.generics.split_for_impl();
        let markers = markers(self.generics);
        let (text, value) = (local("text"), local("value"));
        let read = quote_spanned!(at(module.span())=> #module::read(#text));
        let write = quote_spanned!(at(module.span())=> #module::write(#value));
        let default = self.adapter_default(field);
        let value_ty = quote_spanned!(at(ty.span())=> #ty);
        Some(quote! {
            struct #adapter #impl_generics (__juliet::core::marker::PhantomData<fn() -> #markers>);
            #[automatically_derived]
            impl #impl_generics __juliet::Adapter for #adapter #ty_generics #where_clause {
                type Value = #value_ty;
                const NAME: &'static __juliet::core::primitive::str = #name;
                const PLAIN: __juliet::core::primitive::bool = __juliet::Probe::<#ty>::PLAIN;
                fn default_value() -> #ty {
                    #default
                }
                fn read(
                    #text: &__juliet::core::primitive::str,
                ) -> __juliet::core::result::Result<#ty, __juliet::String> {
                    __juliet::adapted_read(#read)
                }
                fn write(#value: &#ty) -> __juliet::String {
                    __juliet::adapted_write(#write)
                }
            }
        })
    }

    /// The default of an adapted field, where `Self` would be the adapter.
    fn adapter_default(&self, field: &Field<'_>) -> TokenStream {
        match &field.attrs.default {
            Some(default) => replace_self(default_expr(field, default), &self.turbofish),
            None if self.container.attrs.default && field.variant.is_none() => {
                let (owner, member) = (&self.ty, member(field));
                quote! {
                    __juliet::core::clone::Clone::clone(&<#owner as __juliet::core::default::Default>::default().#member)
                }
            }
            None => own_default(field),
        }
    }

    /// The body of `default_value`.
    ///
    /// ```text
    /// Self { mass: 1.0, health: <f32 as __juliet::PropertyValue>::default_value() }
    /// ```
    /// or, with `#[jasset(default)]` on the type,
    /// ```text
    /// let mut __juliet_value = <Self as …::Default>::default();
    /// __juliet_value.mass = 1.0;
    /// __juliet_value
    /// ```
    pub(super) fn default_body(&self) -> TokenStream {
        let fields: Vec<&Field<'_>> = self.container.fields().collect();
        if !self.container.attrs.default {
            let inits = self.inits(&fields);
            return quote!(Self { #inits });
        }
        let base = quote!(<Self as __juliet::core::default::Default>::default());
        let value = local("value");
        let assigned: Vec<TokenStream> = fields
            .iter()
            .filter_map(|field| {
                let (member, default) = (member(field), default_expr(field, field.attrs.default.as_ref()?));
                Some(quote!(#value.#member = #default;))
            })
            .collect();
        if assigned.is_empty() {
            return base;
        }
        quote! {
            let mut #value = #base;
            #(#assigned)*
            #value
        }
    }

    /// `mass: 1.0, health: <f32 as __juliet::PropertyValue>::default_value(),`
    pub(super) fn inits<'f>(&self, fields: impl IntoIterator<Item = &'f &'f Field<'f>>) -> TokenStream {
        let inits = fields.into_iter().map(|field| {
            let (member, ty) = (member(field), field.ty);
            let value = match (&field.attrs.default, &field.attrs.with) {
                (_, Some(_)) if field.is_property() => self.adapter_call(field),
                (Some(default), _) => default_expr(field, default),
                (None, _) if field.is_property() => {
                    quote_spanned!(at(ty.span())=> <#ty as __juliet::PropertyValue>::default_value())
                }
                (None, _) => own_default(field),
            };
            quote!(#member: #value,)
        });
        inits.collect()
    }

    fn adapter_call(&self, field: &Field<'_>) -> TokenStream {
        let adapter = adapter(field);
        let (_, ty_generics, _) = self.generics.split_for_impl();
        quote!(<#adapter #ty_generics as __juliet::Adapter>::default_value())
    }

    /// Whether the skipped fields are `Copy`, as a constant expression.
    pub(super) fn plain(&self) -> TokenStream {
        let skipped: Vec<_> =
            self.container.fields().filter(|field| !field.is_property()).map(|field| field.ty).collect();
        if skipped.is_empty() { quote!(true) } else { quote!(#(__juliet::Probe::<#skipped>::PLAIN)&&*) }
    }

    /// Brings the other half of `Probe` into scope, where it is needed.
    pub(super) fn probe_scope(&self) -> TokenStream {
        let probed = self.container.fields().any(|field| !field.is_property() || field.attrs.with.is_some());
        if probed {
            quote!(
                use __juliet::NotPlain as _;
            )
        } else {
            TokenStream::new()
        }
    }

    /// A function that nobody calls: it compiles only if the struct has the fields that the macro saw and no others, and each has the
    /// very type that the table says, whatever another attribute macro made of the struct afterwards (a `*mut` admits no conversion);
    /// and if ranges stand on numbers.
    ///
    /// ```text
    /// fn __juliet_described(__juliet_value: &mut Inert) {
    ///     let Inert { mesh_asset: _, mass: _, } = __juliet_value;
    ///     let _: (*mut AssetRef<Mesh>, *mut f32,) = (&mut __juliet_value.mesh_asset, &mut __juliet_value.mass,);
    ///     __juliet::assert_ranged::<Kilograms>();
    /// }
    /// ```
    pub(super) fn described(&self) -> TokenStream {
        let fields: Vec<&Field<'_>> = self.container.fields().collect();
        let (owner, pattern, value) = (&self.ty, &self.turbofish, local("value"));
        let (impl_generics, _, where_clause) = self.generics.split_for_impl();
        let types = fields.iter().map(|field| field.ty);
        let members: Vec<Member> = fields.iter().map(|field| member(field)).collect();
        let typed = (!fields.is_empty()).then(|| quote!(let _: (#(*mut #types,)*) = (#(&mut #value.#members,)*);));
        let asserted = fields.iter().map(|field| asserted(field));
        quote! {
            fn __juliet_described #impl_generics (#value: &mut #owner) #where_clause {
                let #pattern { #(#members: _,)* } = #value;
                #typed
                #(#asserted)*
            }
        }
    }

    /// The constant that carries the documentation.
    ///
    /// ```text
    /// impl Inert {
    ///     #[doc = "…table…"]
    ///     pub const PROPERTIES: &'static [__juliet::Property] = …;
    /// }
    /// ```
    pub(super) fn constant(&self, value: &TokenStream) -> TokenStream {
        let (owner, vis) = (&self.ty, visibility(&self.container.input.vis));
        let (impl_generics, _, where_clause) = self.generics.split_for_impl();
        let doc = doc_table(self.container);
        quote! {
            impl #impl_generics #owner #where_clause {
                #[doc = #doc]
                #vis const PROPERTIES: &'static [__juliet::Property] = #value;
            }
        }
    }
}

/// The name of the adapter of a field.
pub(super) fn adapter(field: &Field<'_>) -> Ident {
    let name = field.rust_name();
    match field.variant {
        Some(variant) => format_ident!("__JulietAdapter_{}_{name}", variant.unraw().to_string()),
        None => format_ident!("__JulietAdapter_{name}"),
    }
}

/// What the compiler is to check of the type of a field: that a range stands on numbers, that a key can be one.
pub(super) fn asserted(field: &Field<'_>) -> TokenStream {
    let key = field.attrs.range.as_ref().map(|range| &range.key);
    let key = key.or(field.attrs.step.as_ref().map(|step| &step.key));
    let ranged = key.filter(|_| numeric(field.ty) == Numeric::Unknown).map(|key| {
        let ty = located(field.ty, key.span());
        quote_spanned!(at(key.span())=> __juliet::assert_ranged::<#ty>();)
    });
    let keyed = field.attrs.key.as_ref().filter(|_| field.is_property()).map(|_| {
        let ty = field.ty;
        quote_spanned!(at(ty.span())=> __juliet::assert_key::<#ty>();)
    });
    quote!(#ranged #keyed)
}

/// The name of a local variable or parameter, invisible to expressions of the user's.
pub(super) fn local(name: &str) -> Ident {
    Ident::new(&format!("__juliet_{name}"), Span::mixed_site())
}

pub(super) fn member(field: &Field<'_>) -> Member {
    match &field.member {
        Member::Named(ident) => Member::Named(respan(ident)),
        Member::Unnamed(index) => Member::Unnamed(index.clone()),
    }
}

fn visibility(vis: &Visibility) -> TokenStream {
    quote!(#vis).into_iter().map(call_site).collect()
}

/// Lints about a visibility are the struct's, not the constant's.
fn call_site(mut token: TokenTree) -> TokenTree {
    if let TokenTree::Group(group) = &token {
        let inner: TokenStream = group.stream().into_iter().map(call_site).collect();
        token = proc_macro2::Group::new(group.delimiter(), inner).into();
    }
    token.set_span(at(token.span()));
    token
}

/// `<F as Default>::default()`.
fn own_default(field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    quote_spanned!(at(ty.span())=> <#ty as __juliet::core::default::Default>::default())
}

/// A default as the user wrote it; a string literal stands for a value of the field's type.
fn default_expr(field: &Field<'_>, default: &Expr) -> TokenStream {
    match string_literal(default) {
        Some(text) => {
            let ty = located(field.ty, text.span());
            quote_spanned!(at(text.span())=> <#ty as __juliet::FromLiteral>::from_literal(#text))
        }
        None => quote!(#default),
    }
}

/// The tokens of a type with their own names, so that errors about it stand at another place.
fn located(tokens: impl ToTokens, place: Span) -> TokenStream {
    let mut moved = TokenStream::new();
    for mut token in tokens.into_token_stream() {
        if let TokenTree::Group(group) = &token {
            let span = group.span();
            token = proc_macro2::Group::new(group.delimiter(), located(group.stream(), place)).into();
            token.set_span(span);
        }
        token.set_span(token.span().located_at(place));
        moved.extend([token]);
    }
    moved
}

/// What a property says about itself.
///
/// ```text
/// &__juliet::Meta { unit: "kg", ..__juliet::Meta::EMPTY }      or      __juliet::Meta::NONE
/// ```
fn meta(field: &Field<'_>) -> TokenStream {
    let attrs = &field.attrs;
    let mut set = Vec::new();
    let mut text = |name: &str, value: &str| {
        if !value.is_empty() {
            let name = format_ident!("{name}");
            set.push(quote!(#name: #value));
        }
    };
    text("doc", &field.doc);
    text("default", &attrs.default.as_ref().map_or_else(String::new, source::text));
    text("unit", &attrs.unit.as_ref().map_or_else(String::new, LitStr::value));
    text("group", &attrs.group.as_ref().map_or_else(String::new, LitStr::value));
    if let Some(RangeAttr { min, max, .. }) = attrs.range {
        let (min, max) = (float(min), float(max));
        set.push(quote! {
            range: __juliet::core::option::Option::Some(__juliet::Range { min: #min, max: #max })
        });
    }
    if let Some(step) = &attrs.step {
        let step = float(step.value);
        set.push(quote!(step: #step));
    }
    if let Some(since) = &attrs.since {
        let version = Literal::u32_unsuffixed(since.version);
        set.push(quote!(since: #version));
    }
    if !attrs.aliases.is_empty() {
        let aliases = attrs.aliases.iter().map(LitStr::value);
        set.push(quote!(aliases: &[#(#aliases),*]));
    }
    if attrs.hidden {
        set.push(quote!(hidden: true));
    }
    if attrs.read_only {
        set.push(quote!(read_only: true));
    }
    if set.is_empty() {
        return quote!(__juliet::Meta::NONE);
    }
    quote!(&__juliet::Meta { #(#set,)* ..__juliet::Meta::EMPTY })
}

/// A number as tokens, infinities by name.
fn float(value: f64) -> TokenStream {
    let digits = if value.is_finite() {
        let literal = Literal::f64_unsuffixed(value.abs());
        quote!(#literal)
    } else {
        quote!(__juliet::core::f64::INFINITY)
    };
    if value.is_sign_negative() { quote!(-#digits) } else { digits }
}

/// The table in rustdoc: one row a property.
fn doc_table(container: &Container<'_>) -> String {
    let name = &container.name;
    if container.properties().next().is_none() {
        let end = Some(doc_of_old_files(container)).filter(|doc| !doc.is_empty()).map(|doc| format!("\n{doc}"));
        return format!("The properties of `{name}` in files: none.{}", end.unwrap_or_default());
    }
    let mut out = format!(
        "The properties of `{name}` in files.\n\n\
         | Key | Type | Unit | Range | Default | Since | Description |\n\
         |---|---|---|---|---|---|---|\n"
    );
    for field in container.properties() {
        let attrs = &field.attrs;
        let since = attrs.since.as_ref().map_or_else(String::new, |since| since.version.to_string());
        let cells = [
            code(&field.key),
            type_text(field.ty),
            escape(&attrs.unit.as_ref().map_or_else(String::new, LitStr::value)),
            code(&attrs.range.as_ref().map_or_else(String::new, range_text)),
            code(&attrs.default.as_ref().map_or_else(String::new, source::text)),
            since,
            escape(&first_paragraph(&field.doc)),
        ];
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    out + &doc_of_old_files(container)
}

/// What rustdoc says below the table of keys that are gone and of migrations.
fn doc_of_old_files(container: &Container<'_>) -> String {
    let mut out = String::new();
    let keys: Vec<String> = container.attrs.removed.iter().map(|key| code(&key.value())).collect();
    if !keys.is_empty() {
        out.push_str(&format!("\nRemoved, so that their lines say nothing: {}.\n", keys.join(", ")));
    }
    match &container.attrs.migrate {
        None => {}
        Some(Migrate::Whole(_)) => out.push_str("\nFiles of older versions are migrated.\n"),
        Some(Migrate::Steps(steps)) => {
            let last = steps.last().map_or(0, |step| step.from);
            out.push_str(&format!("\nFiles up to version {last} are migrated.\n"));
        }
    }
    out
}

/// A type in a cell: as the source has it, but for maps.
fn type_text(ty: &syn::Type) -> String {
    if let syn::Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && matches!(last.ident.to_string().as_str(), "IndexMap" | "BTreeMap")
        && let syn::PathArguments::AngleBracketed(list) = &last.arguments
        && let (Some(syn::GenericArgument::Type(key)), Some(syn::GenericArgument::Type(item))) =
            (list.args.get(0), list.args.get(1))
    {
        return format!("map of {} to {}", type_text(key), type_text(item));
    }
    code(&source::text(ty))
}

/// `0..=1000000`: the numbers, not how the source spells them, so that pages made from the tables show the same.
fn range_text(range: &RangeAttr) -> String {
    let end = |end: f64| match end {
        _ if end.is_infinite() => String::new(),
        _ if end == 0.0 || (1e-6..1e15).contains(&end.abs()) => end.to_string(),
        _ => format!("{end:e}"),
    };
    let equals = if range.max.is_infinite() { "" } else { "=" };
    format!("{}..{equals}{}", end(range.min), end(range.max))
}

fn first_paragraph(doc: &str) -> String {
    doc.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect::<Vec<_>>().join(" ")
}

/// `text` in a cell as code: a backtick inside needs a longer fence, a bar a backslash.
fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let fence = if text.contains('`') { "``" } else { "`" };
    format!("{fence}{}{fence}", escape(text))
}

fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
