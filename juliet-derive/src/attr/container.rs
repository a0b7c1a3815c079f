//! Options of a struct or enum.

use proc_macro2::Span;
use syn::{Attribute, LitStr, Path};

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
    /// Function that reads files of older versions.
    pub(crate) migrate: Option<Path>,
    /// Function that runs after loading.
    pub(crate) post_init: Option<Path>,
    /// Where the crate is found.
    pub(crate) krate: Option<Path>,
    /// Whether defaults come from the type's own `Default`.
    pub(crate) default: bool,
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
                "migrate" => out.migrate = item.path(cx, "my_module::migrate"),
                "post_init" => out.post_init = item.path(cx, "my_module::post_init"),
                "crate" => out.krate = item.path_or_string(cx, "\"juliet\""),
                "default" => out.default = container_default(cx, &item),
                _ => {}
            }
        }
        out
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
