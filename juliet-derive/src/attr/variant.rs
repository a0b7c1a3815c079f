//! Options of a variant.

use proc_macro2::Span;
use syn::{Attribute, LitStr};

use super::{Place, value};
use crate::ctxt::Ctxt;

/// Options of a variant.
#[derive(Default)]
pub(crate) struct VariantAttrs {
    /// The text in files.
    pub(crate) name: Option<LitStr>,
    /// Further texts that are read.
    pub(crate) aliases: Vec<LitStr>,
    /// Keys of fields that are gone.
    pub(crate) removed: Vec<LitStr>,
    /// The variant is the default of the enum.
    pub(crate) default: Option<Span>,
    /// The variant has std's `#[default]`.
    pub(crate) std_default: bool,
}

impl VariantAttrs {
    /// Reads the options of one variant.
    pub(crate) fn parse(cx: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut out = Self { std_default: attrs.iter().any(|attr| attr.path().is_ident("default")), ..Self::default() };
        for item in value::items(cx, attrs, Place::Variant) {
            match item.key.to_string().as_str() {
                "name" => out.name = item.string(cx, "\"VeryRed\""),
                "alias" => out.aliases.extend(item.strings(cx, "\"OldName\"")),
                "removed" => out.removed.extend(item.strings(cx, "\"OldKey\"")),
                "default" => out.default = item.flag(cx),
                _ => {}
            }
        }
        out
    }
}
