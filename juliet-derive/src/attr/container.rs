//! Options of a struct or enum.

use proc_macro2::Span;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Path, Token, Type, TypeTraitObject};

use super::{Place, value};
use crate::ctxt::Ctxt;

/// Options of a struct or enum.
#[derive(Default)]
pub(crate) struct ContainerAttrs {
    /// Version of the class, and where it stands.
    pub(crate) version: Option<(u32, Span)>,
    /// The name in files.
    pub(crate) name: Option<LitStr>,
    /// Former names.
    pub(crate) aliases: Vec<LitStr>,
    /// Keys of properties that are gone.
    pub(crate) removed: Vec<LitStr>,
    /// What reads files of older versions.
    pub(crate) migrate: Option<Migrate>,
    /// Traits through which values are visited.
    pub(crate) implements: Vec<TypeTraitObject>,
    /// Function that runs after loading.
    pub(crate) post_init: Option<Path>,
    /// Where the crate is found.
    pub(crate) krate: Option<Path>,
    /// Whether defaults come from the type's own `Default`.
    pub(crate) default: bool,
}

/// `migrate = path`, or `migrate(1 => path, 2 => path)`.
pub(crate) enum Migrate {
    /// One function for files of every older version.
    Whole(Path),
    /// A chain: each step takes files of its version and of those before it, down to that of the step before.
    Steps(Vec<MigrateStep>),
}

/// `1 => from_1`.
pub(crate) struct MigrateStep {
    /// The newest version of the files it takes.
    pub(crate) from: u32,
    /// Where that stands.
    pub(crate) span: Span,
    /// The function.
    pub(crate) run: Path,
}

impl ContainerAttrs {
    /// Reads the options of one type.
    pub(crate) fn parse(cx: &Ctxt, attrs: &[Attribute], place: Place) -> Self {
        let mut out = Self::default();
        for item in value::items(cx, attrs, place) {
            match item.key.to_string().as_str() {
                "version" => out.version = item.version(cx),
                "name" => out.name = item.string(cx, "\"Crate\""),
                "alias" => out.aliases.extend(item.strings(cx, "\"OldName\"")),
                "removed" => out.removed.extend(item.strings(cx, "\"OldKey\"")),
                "migrate" => out.migrate = migrate(cx, &item),
                "post_init" => out.post_init = item.path(cx, "my_module::post_init"),
                "implements" => out.implements = implements(cx, &item),
                "crate" => out.krate = item.path_or_string(cx, "\"juliet\""),
                "default" => out.default = container_default(cx, &item),
                _ => {}
            }
        }
        out
    }
}

fn migrate(cx: &Ctxt, item: &value::Item) -> Option<Migrate> {
    let value::Value::List(tokens) = &item.value else {
        return item.path(cx, "my_module::migrate").map(Migrate::Whole);
    };
    let parser = |input: ParseStream<'_>| Punctuated::<RawStep, Token![,]>::parse_terminated(input);
    match parser.parse2(tokens.clone()) {
        Ok(steps) if steps.is_empty() => {
            cx.error(&item.key, "`migrate` needs at least one step: `migrate(1 => from_1, 2 => from_2)`");
            None
        }
        Ok(steps) => {
            let steps = steps.into_iter().filter_map(|RawStep { from, run }| {
                let (from, span) = value::version_of(cx, &from)?;
                Some(MigrateStep { from, span, run })
            });
            Some(Migrate::Steps(steps.collect()))
        }
        Err(error) => {
            cx.push(error);
            None
        }
    }
}

/// `implements(dyn Damageable, dyn Named)`.
fn implements(cx: &Ctxt, item: &value::Item) -> Vec<TypeTraitObject> {
    const EXAMPLE: &str = "`implements(dyn Damageable)`";
    let value::Value::List(tokens) = &item.value else {
        cx.error(&item.key, format!("`implements` takes traits in parentheses: {EXAMPLE}"));
        return Vec::new();
    };
    let mut traits = Vec::new();
    match Punctuated::<Type, Token![,]>::parse_terminated.parse2(tokens.clone()) {
        Ok(list) if list.is_empty() => cx.error(&item.key, format!("`implements` needs at least one trait: {EXAMPLE}")),
        Ok(list) => {
            for ty in list {
                match ty {
                    Type::TraitObject(object) if object.dyn_token.is_some() => traits.push(object),
                    other => {
                        let text = crate::source::text(&other);
                        cx.error(&other, format!("expected a trait behind `dyn`, such as {EXAMPLE}, found `{text}`"));
                    }
                }
            }
        }
        Err(error) => cx.push(error),
    }
    traits
}

/// A step before its number is known to be one.
struct RawStep {
    from: Expr,
    run: Path,
}

impl Parse for RawStep {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let wrong = |span| syn::Error::new(span, "expected a step of a migration, such as `1 => from_1`");
        let from: Lit = input.parse().map_err(|error| wrong(error.span()))?;
        input.parse::<Token![=>]>().map_err(|error| wrong(error.span()))?;
        let run = input.call(Path::parse_mod_style).map_err(|error| wrong(error.span()))?;
        Ok(Self { from: Expr::Lit(ExprLit { attrs: Vec::new(), lit: from }), run })
    }
}

/// `default` stands alone on a type.
fn container_default(cx: &Ctxt, item: &value::Item) -> bool {
    if let value::Value::Expr(expr) = &item.value {
        cx.error(
            value::tokens(expr),
            "`default` takes no value on a type: it says that all defaults come from the type's own `Default`; a single default belongs on its field",
        );
        return false;
    }
    item.flag(cx).is_some()
}
