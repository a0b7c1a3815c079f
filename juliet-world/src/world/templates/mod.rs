//! Templates: the images that instances are copied from, and which instances there are.
//!
//! ```text
//! path ──► CRC-32 ──► slot ──► Template { path, file, overrides, parent, children, instances }
//!                       └────► image: a row of its class in an arena of their own
//! ```
//!
//! A template is read once, at the first file that names it, and keeps its slot, so that handles stay valid however often it is read
//! again. Invariants: the image of a template is its parent's (or the defaults of its class) with what it overrides; every live instance
//! is in the list of its template, and `at` of its record says where.

mod change;
mod components;
mod create;
mod files;
mod instances;
mod read;

use std::collections::HashMap;
use std::sync::OnceLock;

use juliet_core::archive::{Inherited, Overrides, class_line};
use juliet_core::class::ClassKind;
use juliet_core::entity::{Capacity, EntityHandle, EntityManager, Position};
use juliet_core::mem::{ErasedRef, OwnedValue, ReserveError};
use juliet_core::{Class, ClassRegistry};

pub use change::{Impact, TemplateInUse, TemplateRefused};
pub use create::CreateTemplateError;
pub(super) use instances::Instances;
use instances::Members;
pub(crate) use read::Loaded;
pub(super) use read::{Failure, template_of};
pub use read::{RereadReport, TemplateError};

use super::EntityFile;
use super::parts::Says;

/// How long a chain of templates can be.
pub const TEMPLATE_DEPTH: usize = 16;

/// How many templates a world holds if nothing else is said.
pub const TEMPLATE_CAPACITY: u16 = 1024;

/// Where templates lie.
pub(super) const TEMPLATE_FOLDER: &str = "Assets/Templates/";

/// A template of a world. Valid until the template is removed, also after its file was read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TemplateHandle(pub(super) EntityHandle);

impl TemplateHandle {
    /// The template of an image.
    pub(in crate::world) fn from_image(image: EntityHandle) -> Self {
        Self(image)
    }

    /// The number that a base holds: 0 is for none.
    pub(super) fn number(self) -> u16 {
        u16::try_from(self.0.index() + 1).unwrap_or_default()
    }
}

/// What is known of one template beside its image.
#[derive(Clone, Debug)]
pub(super) struct Template {
    pub(super) handle: TemplateHandle,
    /// Normalised, from `Assets/` on.
    pub(super) path: Box<str>,
    /// `None` until it is saved for the first time.
    pub(super) file: Option<EntityFile>,
    pub(super) overrides: Overrides,
    /// What its file says about components, by kind.
    pub(super) components: Vec<(ClassKind, Says)>,
    pub(super) parent: Option<TemplateHandle>,
    pub(super) children: Vec<TemplateHandle>,
    /// Its instances, without those of templates based on it.
    instances: Members,
}

/// All templates of a world.
pub(super) struct Templates {
    pub(super) images: EntityManager,
    /// By slot of the image.
    entries: Vec<Option<Template>>,
    by_crc: HashMap<u32, TemplateHandle>,
    /// Templates that cannot be used, so that each is read and told once.
    failures: HashMap<Box<str>, Failure>,
    /// What templates without a parent inherit, by kind.
    defaults: HashMap<ClassKind, OwnedValue>,
    /// What a component inherits that no template has, by kind; made when it is first asked for.
    component_defaults: Box<[OnceLock<OwnedValue>]>,
    /// Files of templates that were removed since the last save.
    pub(super) removed: Vec<EntityFile>,
    capacity: u16,
}

impl Templates {
    pub(super) fn new(registry: ClassRegistry, capacity: u16) -> Result<Self, ReserveError> {
        // The number of a template has 16 bits, one of them is that of no template.
        let capacity = capacity.min(u16::MAX - 1);
        let component_defaults = registry.components().iter().map(|_| OnceLock::new()).collect();
        Ok(Self {
            component_defaults,
            images: EntityManager::with_capacity(registry, Capacity::entities(u32::from(capacity)))?,
            entries: Vec::new(),
            by_crc: HashMap::new(),
            failures: HashMap::new(),
            defaults: HashMap::new(),
            removed: Vec::new(),
            capacity,
        })
    }

    /// The same templates, with images of their own; handles hold in both.
    pub(super) fn fork(&self) -> Result<Self, ReserveError> {
        Ok(Self {
            images: self.images.fork()?,
            component_defaults: self.component_defaults.iter().map(|_| OnceLock::new()).collect(),
            entries: self.entries.clone(),
            by_crc: self.by_crc.clone(),
            failures: self.failures.clone(),
            defaults: self.defaults.keys().filter_map(|&kind| Some((kind, self.default_of(kind)?))).collect(),
            removed: self.removed.clone(),
            capacity: self.capacity,
        })
    }

    fn default_of(&self, kind: ClassKind) -> Option<OwnedValue> {
        OwnedValue::new(self.images.registry(), kind).ok()
    }

    /// The template behind a handle.
    pub(super) fn get(&self, handle: TemplateHandle) -> Option<&Template> {
        self.entries.get(handle.0.index() as usize)?.as_ref().filter(|it| it.handle == handle)
    }

    pub(super) fn get_mut(&mut self, handle: TemplateHandle) -> Option<&mut Template> {
        self.entries.get_mut(handle.0.index() as usize)?.as_mut().filter(|it| it.handle == handle)
    }

    /// The template with the number that bases hold; `None` for 0.
    #[inline]
    pub(super) fn numbered(&self, number: u16) -> Option<&Template> {
        self.entries.get(usize::from(number).checked_sub(1)?)?.as_ref()
    }

    #[inline]
    fn numbered_mut(&mut self, number: u16) -> Option<&mut Template> {
        self.entries.get_mut(usize::from(number).checked_sub(1)?)?.as_mut()
    }

    /// The template at a normalised path; an error names the one whose path has the same CRC-32.
    fn find(&self, path: &str) -> Result<Option<TemplateHandle>, &str> {
        let Some(&handle) = self.by_crc.get(&crc32fast::hash(path.as_bytes())) else { return Ok(None) };
        match self.get(handle) {
            Some(template) if &*template.path == path => Ok(Some(handle)),
            Some(template) => Err(&template.path),
            None => Ok(None),
        }
    }

    /// Whether there is a template at all.
    pub(super) fn is_any(&self) -> bool {
        !self.images.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Template> {
        self.entries.iter().flatten()
    }

    /// Its class and position stand at its image.
    pub(super) fn image(&self, handle: TemplateHandle) -> Option<ErasedRef<'_>> {
        self.images.value(handle.0)
    }

    /// Where instances are made that say nothing of their own.
    pub(super) fn position(&self, handle: TemplateHandle) -> Option<Position> {
        self.images.position(handle.0)
    }

    /// Kind and class.
    pub(super) fn class_of(&self, handle: TemplateHandle) -> Option<(ClassKind, &'static Class)> {
        self.images.base(handle.0).map(|base| (base.kind(), base.class()))
    }

    /// What a file inherits that names this template.
    pub(super) fn inherited(&self, handle: TemplateHandle) -> Option<Inherited<'_>> {
        let (kind, _) = self.class_of(handle)?;
        let template = self.get(handle)?;
        let file = template.file.as_ref().map_or(&*template.path, |file| &*file.label);
        Some(Inherited { kind, unknown: self.unknown_class_of(handle), file })
    }

    /// The class that a template or one above it names, if the program does not know that.
    pub(super) fn unknown_class_of(&self, handle: TemplateHandle) -> Option<&str> {
        let (_, class) = self.class_of(handle).filter(|(_, class)| !class.is_known())?;
        let named = self.chain(Some(handle)).find_map(|it| class_line(&it.file.as_ref()?.text));
        Some(named.map_or(class.name(), |node| node.value))
    }

    /// What a template takes from its parent, or from the defaults of its class.
    pub(super) fn base_of(&self, handle: TemplateHandle) -> Option<ErasedRef<'_>> {
        match self.get(handle)?.parent {
            Some(parent) => self.image(parent),
            None => Some(self.defaults.get(&self.images.base(handle.0)?.kind())?.as_ref()),
        }
    }

    /// The default of a component type.
    pub(super) fn default_of_component(&self, kind: ClassKind) -> Option<ErasedRef<'_>> {
        let default = self.component_defaults.get(usize::from(kind))?;
        if default.get().is_none() {
            let _ = default.set(OwnedValue::component(self.images.registry(), kind).ok()?);
        }
        default.get().map(OwnedValue::as_ref)
    }

    /// How many templates stand above and with this one.
    pub(super) fn depth(&self, handle: TemplateHandle) -> usize {
        self.chain(Some(handle)).count()
    }

    /// A template, its parent, and so on up to the first that has none.
    pub(super) fn chain(&self, first: Option<TemplateHandle>) -> impl Iterator<Item = &Template> {
        std::iter::successors(first.and_then(|it| self.get(it)), |it| self.get(it.parent?))
    }

    /// Every template below this one, nearest first.
    pub(super) fn below(&self, handle: TemplateHandle) -> Vec<TemplateHandle> {
        let mut found = vec![handle];
        let mut next = 0;
        while let Some(&template) = found.get(next) {
            found.extend(self.get(template).map_or(&[][..], |it| &it.children));
            next += 1;
        }
        found.remove(0);
        found
    }

    /// A new template, without a parent's values in its image; full is `None`.
    fn insert(&mut self, path: &str, kind: ClassKind, parent: Option<TemplateHandle>) -> Option<TemplateHandle> {
        if !self.defaults.contains_key(&kind) {
            self.defaults.insert(kind, self.default_of(kind)?);
        }
        if self.images.len() >= usize::from(self.capacity) {
            return None;
        }
        let handle = TemplateHandle(self.images.allocate(kind).ok()?);
        let index = handle.0.index() as usize;
        if index >= self.entries.len() {
            self.entries.resize_with(index + 1, || None);
        }
        self.entries[index] = Some(Template {
            handle,
            path: path.into(),
            file: None,
            overrides: Overrides::NONE,
            components: Vec::new(),
            parent,
            children: Vec::new(),
            instances: Members::default(),
        });
        self.by_crc.insert(crc32fast::hash(path.as_bytes()), handle);
        self.failures.remove(path);
        if let Some(parent) = parent.and_then(|parent| self.get_mut(parent)) {
            parent.children.push(handle);
        }
        Some(handle)
    }

    /// Takes a template out that has neither instances nor children.
    fn take(&mut self, handle: TemplateHandle) -> Option<Template> {
        self.get(handle)?;
        let template = self.entries.get_mut(handle.0.index() as usize)?.take()?;
        self.by_crc.remove(&crc32fast::hash(template.path.as_bytes()));
        self.leave_parent(handle, template.parent);
        let _ = self.images.remove(handle.0);
        Some(template)
    }

    fn leave_parent(&mut self, handle: TemplateHandle, parent: Option<TemplateHandle>) {
        if let Some(parent) = parent.and_then(|parent| self.get_mut(parent)) {
            parent.children.retain(|&child| child != handle);
        }
    }
}
