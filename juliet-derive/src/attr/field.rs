//! Options of a field.

use proc_macro2::Span;
use syn::{Attribute, Expr, ExprLit, ExprRange, Ident, Lit, LitStr, Path, RangeLimits};

use super::value::{Item, number};
use super::{Place, value};
use crate::ctxt::Ctxt;

/// Options of a field.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    /// The default.
    pub(crate) default: Option<Expr>,
    /// The field is not a property.
    pub(crate) skip: Option<Ident>,
    /// The name in files.
    pub(crate) name: Option<LitStr>,
    /// Further names that are read.
    pub(crate) aliases: Vec<LitStr>,
    /// Sensible values.
    pub(crate) range: Option<RangeAttr>,
    /// Step of an input widget.
    pub(crate) step: Option<Number>,
    /// Unit of the value.
    pub(crate) unit: Option<LitStr>,
    /// Heading in an inspector.
    pub(crate) group: Option<LitStr>,
    /// Not shown.
    pub(crate) hidden: bool,
    /// Not edited.
    pub(crate) read_only: bool,
    /// Class version that introduced the property.
    pub(crate) since: Option<Since>,
    /// Module that reads and writes the value.
    pub(crate) with: Option<Path>,
    /// The field is the key of its struct in lists.
    pub(crate) key: Option<Ident>,
    /// All options that were given, for rules that point at them.
    pub(crate) given: Vec<Ident>,
}

/// `range = min..=max`.
pub(crate) struct RangeAttr {
    /// Smallest value; negative infinity if open.
    pub(crate) min: f64,
    /// Largest value; infinity if open.
    pub(crate) max: f64,
    /// The option's name.
    pub(crate) key: Ident,
    /// The value as it was written.
    pub(crate) expr: Expr,
}

/// `step = 0.5`.
pub(crate) struct Number {
    /// The value.
    pub(crate) value: f64,
    /// The option's name.
    pub(crate) key: Ident,
}

/// `since = 2`.
pub(crate) struct Since {
    /// The version.
    pub(crate) version: u32,
    /// Where it stands.
    pub(crate) span: Span,
}

impl FieldAttrs {
    /// Reads the options of one field.
    pub(crate) fn parse(cx: &Ctxt, attrs: &[Attribute], place: Place) -> Self {
        let mut out = Self::default();
        for item in value::items(cx, attrs, place) {
            out.given.push(item.key.clone());
            match item.key.to_string().as_str() {
                "default" => out.default = item.expr(cx, "1.0").cloned(),
                "skip" => out.skip = item.flag(cx).map(|_| item.key.clone()),
                "name" => out.name = item.string(cx, "\"mesh_asset\""),
                "alias" => out.aliases.extend(item.strings(cx, "\"old_name\"")),
                "range" => out.range = range(cx, &item),
                "step" => out.step = step(cx, &item),
                "unit" => out.unit = item.string(cx, "\"kg\""),
                "group" => out.group = item.string(cx, "\"Physics\""),
                "hidden" => out.hidden = item.flag(cx).is_some(),
                "read_only" => out.read_only = item.flag(cx).is_some(),
                "since" => out.since = item.version(cx).map(|(version, span)| Since { version, span }),
                "key" => out.key = item.flag(cx).map(|_| item.key.clone()),
                "with" => out.with = item.path(cx, "my_module"),
                _ => {}
            }
        }
        out
    }
}

/// `min..=max`, `min..` or `..=max`, of number literals.
fn range(cx: &Ctxt, item: &Item) -> Option<RangeAttr> {
    const EXAMPLE: &str = "0.0..=1.0";
    let expr = item.expr(cx, EXAMPLE)?;
    let Expr::Range(ExprRange { start, limits, end, .. }) = expr else {
        cx.error(expr, format!("expected a range of numbers, such as `range = {EXAMPLE}`, `0.0..` or `..=1.0`"));
        return None;
    };
    if let (RangeLimits::HalfOpen(_), Some(end)) = (limits, end) {
        let start = start.as_ref().map_or_else(String::new, crate::source::text);
        let hint = format!("{start}..={}", crate::source::text(end));
        cx.error(expr, format!("a range includes its end: write `{hint}`"));
        return None;
    }
    if start.is_none() && end.is_none() {
        cx.error(expr, "a range needs at least one end, such as `0.0..` or `..=1.0`");
        return None;
    }
    let min = range_end(cx, start.as_deref(), f64::NEG_INFINITY);
    let max = range_end(cx, end.as_deref(), f64::INFINITY);
    let (min, max) = (min?, max?);
    if min > max {
        cx.error(expr, "the range is empty: its first number is larger than its last");
        return None;
    }
    Some(RangeAttr { min, max, key: item.key.clone(), expr: expr.clone() })
}

fn range_end(cx: &Ctxt, expr: Option<&Expr>, open: f64) -> Option<f64> {
    let Some(expr) = expr else { return Some(open) };
    let value = number(expr);
    if value.is_none() {
        cx.error(
            expr,
            "expected a finite number, such as `1`, `-2.5` or `1.0e6`; leave the end out where there is no limit",
        );
    }
    value
}

fn step(cx: &Ctxt, item: &Item) -> Option<Number> {
    let expr = item.expr(cx, "0.5")?;
    match number(expr) {
        Some(value) if value > 0.0 => Some(Number { value, key: item.key.clone() }),
        _ => {
            let hint = match value::peel(expr) {
                Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => "; write it without quotes",
                _ => "",
            };
            cx.error(expr, format!("expected a number larger than 0, such as `step = 0.5`{hint}"));
            None
        }
    }
}
