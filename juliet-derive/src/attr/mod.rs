//! The grammar of `#[jasset(…)]`.
//!
//! In: the attributes of one struct, enum, field or variant. Out: their typed options with the tokens they came from. Everything that is
//! wrong goes to the [`Ctxt`](crate::ctxt::Ctxt), and reading goes on behind the next comma.

mod container;
mod field;
mod value;
mod variant;

pub(crate) use container::{ContainerAttrs, Migrate};
pub(crate) use field::{FieldAttrs, RangeAttr};
pub(crate) use value::{number, peel};
pub(crate) use variant::VariantAttrs;

/// Where an attribute stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// On a struct with `#[derive(Entity)]`.
    Entity,
    /// On a struct with `#[derive(Component)]`.
    Component,
    /// On a struct with `#[derive(Property)]`.
    Property,
    /// On an enum with `#[derive(Property)]`.
    Enum,
    /// On a named field.
    Field,
    /// On the field of a tuple struct.
    Inner,
    /// On a variant of an enum.
    Variant,
    /// On a named field of a variant.
    VariantField,
    /// On an unnamed field of a variant.
    VariantItem,
}

impl Place {
    /// The options that may stand here.
    pub(crate) fn allowed(self) -> &'static [&'static str] {
        match self {
            Self::Entity | Self::Component => {
                &["version", "name", "alias", "removed", "migrate", "post_init", "implements", "default", "crate"]
            }
            Self::Property => &["name", "removed", "default", "crate"],
            Self::Enum => &["name", "default", "crate"],
            Self::Field => &[
                "default",
                "skip",
                "name",
                "alias",
                "range",
                "step",
                "unit",
                "group",
                "hidden",
                "read_only",
                "since",
                "with",
                "key",
            ],
            Self::VariantField => &["default", "skip", "name", "alias", "range", "step", "unit", "with"],
            Self::Inner | Self::VariantItem => &["default", "range", "step", "unit", "with"],
            Self::Variant => &["name", "alias", "removed", "default"],
        }
    }

    /// The place as it reads after "on".
    fn noun(self) -> &'static str {
        match self {
            Self::Entity => "a struct with `#[derive(Entity)]`",
            Self::Component => "a struct with `#[derive(Component)]`",
            Self::Property => "a struct with `#[derive(Property)]`",
            Self::Enum => "an enum with `#[derive(Property)]`",
            Self::Field => "a named field of a struct",
            Self::Inner => "the field of a tuple struct",
            Self::Variant => "a variant",
            Self::VariantField => "a named field of a variant",
            Self::VariantItem => "an unnamed field of a variant",
        }
    }
}

/// Where an option that does not belong at `place` would belong.
fn home(option: &str, place: Place) -> Option<Place> {
    let homes = match place {
        Place::Inner | Place::VariantField | Place::VariantItem => [Place::Field, Place::Entity, Place::Variant],
        _ => [Place::Entity, Place::Field, Place::Variant],
    };
    homes.into_iter().find(|&other| other != place && other.allowed().contains(&option))
}
