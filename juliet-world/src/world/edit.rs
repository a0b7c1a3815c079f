//! Properties by name: what an inspector, a console or a script reads and writes.

use juliet_core::archive::{
    ItemFault, ItemSays, LeafPath, Named, changed_leaves, find_named, mark_items, path_of_leaf, rebase, write_value,
};
use juliet_core::class::shape::{Fault, Place};
use juliet_core::class::{Kind, Property, PropertyType, value};
use juliet_core::diag::nearest;
use juliet_core::entity::Stale;
use juliet_core::mem::OwnedValue;
use juliet_core::mem::{ErasedMut, ErasedRef, PropertyValue};
use juliet_core::text::{Spelling, numbers};

use super::parts::Part;
use super::{Subject, World};

/// Why a property was not set. The entity is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// The entity is gone.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// The program does not know the class of the entity: nothing but its place can be set.
    #[error("the class `{class}` is not known to this program: its properties stay as they are in the file")]
    UnknownClass {
        /// The class that the file names.
        class: Box<str>,
    },
    /// The program has no component of this name.
    #[error("this program has no component `{component}`{}", suggestion.as_ref().map_or_else(String::new, |it| format!("; did you mean `{it}`?")))]
    UnknownComponent {
        /// What was asked for.
        component: Box<str>,
        /// A component of nearly that name.
        suggestion: Option<Box<str>>,
    },
    /// The entity has no such component.
    #[error("there is no component `{component}` here; add it first")]
    NoComponent {
        /// Its name.
        component: Box<str>,
    },
    /// The class has no such property.
    #[error("`{class}` has no property `{key}`{}", suggestion.as_ref().map_or_else(String::new, |it| format!("; did you mean `{it}`?")))]
    UnknownProperty {
        /// Name of the class.
        class: Box<str>,
        /// What was asked for.
        key: Box<str>,
        /// A property of nearly that name.
        suggestion: Option<Box<str>>,
    },
    /// The key names a struct where one value is meant.
    #[error("`{key}` has several values; name one of them, such as `{first}`")]
    Struct {
        /// The key.
        key: Box<str>,
        /// The first value below it.
        first: Box<str>,
    },
    /// The key names something else where an item is meant.
    #[error("`{key}` is no item of a map or keyed list; an item is named by its key in brackets, such as `Loot[gold]`")]
    NoItem {
        /// The key.
        key: Box<str>,
    },
    /// The value has another type than the property.
    #[error("`{key}` is of type {expected}, not {found}")]
    Type {
        /// The property.
        key: Box<str>,
        /// Its type.
        expected: Box<str>,
        /// Type of the value.
        found: Box<str>,
    },
    /// The text is not a value of the property.
    #[error("{key}: expected {expected}, found {found}{}", help.as_ref().map_or_else(String::new, |it| format!("; {it}")))]
    Text {
        /// The property.
        key: Box<str>,
        /// What the property takes.
        expected: Box<str>,
        /// What the text says.
        found: Box<str>,
        /// A way out, where one is near: what an adapter says, or a name that is nearly right.
        help: Option<Box<str>>,
    },
}

/// A type as Rust code names it, items included.
pub(super) fn type_name(ty: &PropertyType) -> Box<str> {
    match ty.kind() {
        Kind::Option { item } => format!("Option<{}>", type_name(item.get())).into(),
        Kind::List { item } | Kind::KeyedList { item, .. } => format!("Vec<{}>", type_name(item.get())).into(),
        Kind::Map { key, item } => format!("{}<{}, {}>", ty.name(), type_name(key.get()), type_name(item.get())).into(),
        Kind::Array { count, item } => format!("[{}; {count}]", type_name(item.get())).into(),
        _ => ty.name().into(),
    }
}

/// The names of the base property.
pub(super) fn is_position(key: &str) -> bool {
    matches!(key, "Position" | "position")
}

impl World {
    /// Gives the property `key` of an entity or a template a value and says whether that changed it. A property that has the value already
    /// is not touched: it does not become dirty, and it is no override if it was none.
    ///
    /// What is set is overridden from then on. What is below a template follows. `key` is a key in either spelling, dotted for nested
    /// properties; one of a component stands behind its name, `Velocity/Linear`; an item of a map or keyed list is named by its key in
    /// brackets, `Loot[gold].Count`, and made if it is not there: behind all others, or in its inherited place if it was taken out. `value` is
    /// of the property's type exactly.
    ///
    /// O(size of the whole value), all items included, for a template also of each value below that follows: who sets many items of one
    /// list takes [`get_mut`](Self::get_mut), or sets the list as a whole.
    ///
    /// # Errors
    /// [`SetError`]; everything is then as it was.
    pub fn set<T: PropertyValue>(
        &mut self,
        subject: impl Into<Subject>,
        key: &str,
        value: T,
    ) -> Result<bool, SetError> {
        let subject = subject.into();
        if is_position(key) {
            let Some(&[x, y, z]) = as_position(&value) else {
                return Err(SetError::Type { key: key.into(), expected: "Vec3".into(), found: type_name(T::TYPE) });
            };
            return self.set_position(subject, [x, y, z]);
        }
        self.assign(subject, key, ErasedRef::new(&value))
    }

    /// Like [`set`](Self::set), from the text that a file would hold: `2.5`, `1, 2, 3`, `Angry`, `none`.
    ///
    /// # Errors
    /// [`SetError`]; everything is then as it was.
    pub fn set_text(&mut self, subject: impl Into<Subject>, key: &str, text: &str) -> Result<bool, SetError> {
        let subject = subject.into();
        let told = |fault: Fault<'_>| SetError::Text {
            key: key.into(),
            expected: fault.expected.into(),
            found: if fault.told.is_empty() { format!("`{}`", fault.found).into() } else { fault.told.into() },
            help: fault.help.map(Into::into),
        };
        let text = text.trim_matches([' ', '\t']);
        if is_position(key) {
            let position = numbers::<f32, 3>(text).map_err(|fault| told(Fault::of_vector(fault, text)))?;
            return self.set_position(subject, position);
        }
        let place = self.place_of(subject, key)?;
        let named = named(place.class, place.rest)?;
        let mut scratch = OwnedValue::copy_of(self.live_value(subject, place.part)?);
        let Some(to) = named.follow_or_insert(scratch.as_mut()) else { return Err(bad_key(&named, key)) };
        value::read(to, text, Place::Line).map_err(told)?;
        check_key(&named, key, scratch.as_ref())?;
        self.put_named(subject, place.part, &named, scratch)
    }

    /// The text of the property `key` as a file in the colon spelling would hold it; `None` for a stale handle or an unknown key.
    pub fn get_text(&self, subject: impl Into<Subject>, key: &str) -> Option<String> {
        let subject = subject.into();
        let (manager, handle) = (self.manager_of(subject), subject.handle());
        let mut out = Vec::new();
        if is_position(key) {
            let [x, y, z, _] = manager.position(handle)?.to_array();
            write_value(ErasedRef::new(&glam::Vec3::new(x, y, z)), Spelling::Colon, &mut out);
        } else {
            let key = self.key_of_any(subject, key).ok()?;
            let value = self.value_of(subject, key.part)?;
            match key.is_whole() {
                true => write_value(value, Spelling::Colon, &mut out),
                false => {
                    let named = find_named(key.class.ty(), key.rest).ok()?;
                    write_value(named.follow(value)?, Spelling::Colon, &mut out);
                }
            }
        }
        String::from_utf8(out).ok()
    }

    /// The value of the property `key`; `None` for a stale handle, an unknown key or another type. The place of an entity is no property
    /// of its class: see [`position`](Self::position).
    pub fn get_property<T: PropertyValue>(&self, subject: impl Into<Subject>, key: &str) -> Option<&T> {
        let subject = subject.into();
        let key = self.key_of_any(subject, key).ok()?;
        let value = self.value_of(subject, key.part)?;
        match key.is_whole() {
            true => value.downcast_ref(),
            false => find_named(key.class.ty(), key.rest).ok()?.follow(value)?.downcast_ref(),
        }
    }

    /// Gives the property `key` the default of its class and says whether that changed it. For an instance that is an override like any
    /// other value; see [`revert`](Self::revert) for what is inherited. A part of an item has the default of its type; a whole item has none.
    ///
    /// # Errors
    /// [`SetError`] if the entity is gone or has no such property.
    pub fn reset(&mut self, subject: impl Into<Subject>, key: &str) -> Result<bool, SetError> {
        let subject = subject.into();
        if is_position(key) {
            return self.set_position(subject, [0.0; 3]);
        }
        let place = self.place_of(subject, key)?;
        let named = named(place.class, place.rest)?;
        let current = self.live_value(subject, place.part)?;
        let fresh = OwnedValue::like(current);
        if let Some(default) = named.follow(fresh.as_ref()) {
            return self.assign(subject, key, default);
        }
        // An item that the class does not have by default has the defaults of its type.
        let Named::Item(path) = &named else { return Ok(false) };
        let items = path.list.follow(current).and_then(ErasedRef::keyed);
        let item = items.and_then(|items| items.item(items.find(path.key).ok()??)).map(OwnedValue::like);
        match (&path.rest, &item) {
            (Some(_), Some(item)) => match path.follow(item.as_ref()) {
                Some(default) => self.assign(subject, key, default),
                None => Ok(false),
            },
            // A whole item has no default beside that of being there or not.
            (None, _) => Err(SetError::NoItem { key: key.into() }),
            _ => Ok(false),
        }
    }

    /// Moves an entity and says whether that changed its place. The position of a template is that of files that name none when they are
    /// loaded; what is below it stays where it is.
    ///
    /// # Errors
    /// [`SetError::Stale`].
    pub fn set_position(&mut self, subject: impl Into<Subject>, position: [f32; 3]) -> Result<bool, SetError> {
        let subject = subject.into();
        let handle = subject.handle();
        let old = self.manager_of(subject).position(handle).ok_or(Stale { handle })?.to_array();
        if old[..3].iter().zip(&position).all(|(a, b)| value::same(ErasedRef::new(a), ErasedRef::new(b))) {
            return Ok(false);
        }
        if let Subject::Template(template) = subject {
            self.hold_places(template);
        }
        if let Some(mut place) = self.manager_of_mut(subject).position_mut(handle) {
            *place = glam::Vec3::from(position).into();
        }
        Ok(true)
    }

    /// Takes an item out of a map or a keyed list and says whether it was there. An inherited item is recorded as removed.
    ///
    /// # Errors
    /// [`SetError`]; everything is then as it was.
    pub fn remove_item(&mut self, subject: impl Into<Subject>, key: &str) -> Result<bool, SetError> {
        let subject = subject.into();
        let place = self.place_of(subject, key)?;
        let named = named(place.class, place.rest)?;
        let Named::Item(path) = &named else { return Err(SetError::NoItem { key: key.into() }) };
        if path.rest.is_some() {
            return Err(SetError::NoItem { key: key.into() });
        }
        let mut copy = OwnedValue::copy_of(self.live_value(subject, place.part)?);
        let Some(items) = path.list.follow_mut(copy.as_mut()).and_then(ErasedMut::keyed) else { return Ok(false) };
        match items.find(path.key) {
            Ok(Some(index)) => items.remove(index),
            Ok(None) => return Ok(false),
            Err(_) => return Err(bad_key(&named, key)),
        }
        self.put(subject, place.part, Some(&path.list), copy.as_ref())
    }

    fn assign(&mut self, subject: Subject, key: &str, new: ErasedRef<'_>) -> Result<bool, SetError> {
        let place = self.place_of(subject, key)?;
        let named = named(place.class, place.rest)?;
        let current = self.live_value(subject, place.part)?;
        let ty = match &named {
            Named::Property(path) => path.property().ty(),
            Named::Item(path) => path.ty(),
        };
        if ty.type_id() != new.ty().type_id() {
            return Err(SetError::Type { key: key.into(), expected: type_name(ty), found: type_name(new.ty()) });
        }
        if named.follow(current).is_some_and(|current| value::same(current, new)) {
            return Ok(false);
        }
        let mut copy = OwnedValue::copy_of(current);
        match named.follow_or_insert(copy.as_mut()) {
            Some(to) => drop(value::assign(to, new)),
            None => return Err(bad_key(&named, key)),
        }
        check_key(&named, key, copy.as_ref())?;
        self.put_named(subject, place.part, &named, copy)
    }

    /// [`put`](Self::put) of what a key names. An inherited item that was taken out and is set again goes back to its inherited place, where
    /// its line will put it when the file is read.
    fn put_named(
        &mut self,
        subject: Subject,
        part: Part,
        named: &Named<'_>,
        mut new: OwnedValue,
    ) -> Result<bool, SetError> {
        self.settle_subject(subject);
        if let Named::Item(path) = named
            && let Some(inherited) = self.inherited_by(subject, part).and_then(|it| path.list.follow(it))
            && let Some(list) = path.list.follow_mut(new.as_mut())
            && let Some(key) = inherited.keyed().and_then(|items| path.canonical(items))
            && self.marked(subject, part).item(path.leaf(), &key) == Some(&ItemSays::Removed)
        {
            let mut says = self.marked(subject, part).clone();
            says.insert_item(path.leaf(), &key, 0, path.item_type().leaves());
            rebase(list, inherited, path.leaf(), &says);
        }
        self.put(subject, part, Some(named.property()), new.as_ref())
    }

    /// Gives the property at `path`, or every one with `None`, what `new`, a whole value, has there, and marks what that changes.
    pub(super) fn put(
        &mut self,
        subject: Subject,
        part: Part,
        path: Option<&LeafPath>,
        new: ErasedRef<'_>,
    ) -> Result<bool, SetError> {
        let first_leaf = path.map_or(0, LeafPath::first_leaf);
        self.settle_subject(subject);
        let whole = self.live_value(subject, part)?;
        let (Some(current), Some(piece)) = (at(path, whole), at(path, new)) else { return Ok(false) };
        let changed = changed_leaves(current, piece);
        let paths = changed.iter().filter_map(|leaf| path_of_leaf(whole.ty(), first_leaf + leaf));
        let paths: Vec<LeafPath> = paths.collect();
        if paths.is_empty() {
            return Ok(false);
        }
        let mut marks = self.marked(subject, part).clone();
        if let Some(inherited) = self.inherited_by(subject, part) {
            for path in &paths {
                let leaf = path.first_leaf();
                match (path.follow(whole), path.follow(new), path.follow(inherited)) {
                    (Some(was), Some(is), Some(inherited)) if is.ty().is_keyed() => {
                        mark_items(was, is, inherited, leaf, &mut marks);
                    }
                    _ => drop(marks.insert(leaf)),
                }
            }
            self.mark(subject, part, marks);
        }
        let mut value = self.value_of_mut(subject, part).ok_or(Stale { handle: subject.handle() })?;
        let to = match path {
            Some(path) => path.follow_mut(value.as_mut()),
            None => Some(value.as_mut()),
        };
        if let (Some(to), Some(from)) = (to, at(path, new)) {
            value::assign(to, from);
        }
        match (subject, part) {
            (Subject::Template(template), Part::Body) => {
                if let Some(image) = self.copy_of_image(template) {
                    self.pass_on(template, &image, &paths);
                }
            }
            (Subject::Template(template), Part::Component(kind)) => self.pass_component_on(template, kind),
            (Subject::Entity(_), _) => {}
        }
        Ok(true)
    }
}

/// What lies at `path` in a whole value; the whole with `None`.
fn at<'v>(path: Option<&LeafPath>, whole: ErasedRef<'v>) -> Option<ErasedRef<'v>> {
    path.map_or(Some(whole), |path| path.follow(whole))
}

/// What a key names in a class.
pub(super) fn named<'n>(class: &'static juliet_core::Class, key: &'n str) -> Result<Named<'n>, SetError> {
    find_named(class.ty(), key).map_err(|fault| match fault {
        // The list is there: what is wrong is said of its items.
        ItemFault::UnknownPart(ty, part) => unknown_in(ty.name(), ty.fields(), part),
        ItemFault::NotKeyed(_) => SetError::NoItem { key: key.into() },
        _ => unknown(class, key),
    })
}

/// The brackets hold something that is no key.
#[cold]
fn bad_key(named: &Named<'_>, key: &str) -> SetError {
    let found = if let Named::Item(path) = named { path.key } else { key };
    SetError::Text { key: key.into(), expected: "a key".into(), found: format!("`{found}`").into(), help: None }
}

/// Refuses an item that was given another key than the brackets say: `whole` has none of that key then.
fn check_key(named: &Named<'_>, key: &str, whole: ErasedRef<'_>) -> Result<(), SetError> {
    match named {
        Named::Item(path) if named.follow(whole).is_none() => Err(SetError::Text {
            key: key.into(),
            expected: format!("an item of the key `{}`", path.key).into(),
            found: "another key".into(),
            help: None,
        }),
        _ => Ok(()),
    }
}

fn as_position<T: PropertyValue>(value: &T) -> Option<&[f32; 3]> {
    let value = ErasedRef::new(value);
    value.downcast_ref::<[f32; 3]>().or_else(|| value.downcast_ref::<glam::Vec3>().map(AsRef::as_ref))
}

#[cold]
pub(super) fn unknown(class: &juliet_core::Class, key: &str) -> SetError {
    unknown_in(class.name(), class.properties(), key)
}

#[cold]
fn unknown_in(class: &str, properties: &'static [Property], key: &str) -> SetError {
    let keys = properties.iter().map(if key.starts_with(char::is_uppercase) { Property::key } else { Property::name });
    SetError::UnknownProperty { class: class.into(), key: key.into(), suggestion: nearest(key, keys).map(Into::into) }
}
