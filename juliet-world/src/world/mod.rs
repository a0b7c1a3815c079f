//! The owner of entities and of what is known about their files.

mod components;
mod derived;
mod docs;
mod edit;
mod game;
mod inspect;
mod load;
mod overrides;
mod parts;
mod play;
mod remove;
mod report;
mod save;
mod settings;
mod templates;
mod unknown;
mod values;

pub use components::{ComponentError, ComponentRow};
pub use edit::SetError;
use edit::unknown;
use game::Game;
pub use game::{CommandError, CommandFailure, Commands, FrameReport, ListedReport, SpawnTicket, SystemTable, Target};
pub use inspect::{Difference, Level, Reason, Row, Why};
pub use load::{LoadOptions, LoadReport, Progress, Timings};
pub(crate) use load::{has_files, load, read_project};
pub use overrides::{OverrideError, Subject};
pub use play::{KeepError, KeepFailure, PlayError, StopReport};
pub(crate) use remove::Removed;
pub use remove::RestoreError;
pub(crate) use report::{recovery, refused};
pub use save::{SaveError, SaveReport};
pub use settings::SETTINGS_FILE;
pub(crate) use templates::Loaded;
pub use templates::{
    CreateTemplateError, Impact, RereadReport, TEMPLATE_CAPACITY, TEMPLATE_DEPTH, TemplateError, TemplateHandle,
    TemplateInUse, TemplateRefused,
};
pub(crate) use unknown::{LineCount, list};
pub use unknown::{Unknown, UnknownData};
pub use values::PutError;

use juliet_core::class::ClassKind;
use juliet_core::diag::nearest;
use juliet_core::entity::{
    AllocateError, BaseRef, Capacity, Compaction, EntityHandle, EntityItem, EntityManager, InstantiateError, Mut,
    Position, SpawnError as Refused, Stale,
};
use juliet_core::mem::ErasedRef;
use juliet_core::mem::OwnedValue;
use juliet_core::text::{NodeKind, Spelling, parse_integer};
use juliet_core::{ClassRegistry, Entity};

use parts::Ledger;
use save::{Attempt, Outcome, Scratch};
use templates::{Instances, Templates};

use crate::folder::{self, Exhausted, IdSource, Namespace, NamespaceError};
use crate::project::{Project, ProjectError};

/// Entities, and the text of the file each of them came from.
///
/// Dropping a world writes nothing; [`save`](Self::save) does.
///
/// # Panics
/// None of its own. Defaults, clones, drops and adapters of the user's run inside of [`spawn_class`](Self::spawn_class),
/// [`duplicate`](Self::duplicate), [`remove`](Self::remove), [`restore`](Self::restore), [`reset`](Self::reset) and the like; where one
/// panics, the panic goes on to the caller and the world stays whole: `entities().validate()` finds nothing.
pub struct World {
    pub(crate) manager: EntityManager,
    pub(crate) project: Option<Project>,
    /// Relative to the content folder.
    pub(crate) folder: Box<str>,
    templates: Templates,
    instances: Instances,
    /// By base index.
    files: Vec<Option<EntityFile>>,
    pub(crate) pending: Vec<Removed>,
    /// Texts that the last save could not put in their place.
    attempts: Vec<Attempt>,
    ids: Option<IdSource>,
    /// Ids in files that were refused: never given out.
    pub(crate) reserved: Vec<u64>,
    pub(crate) spelling: Spelling,
    /// The world has no settings file yet.
    pub(crate) new_settings: bool,
    game: Game,
    /// What was authored, while the world plays.
    authored: Option<Box<play::State>>,
}

/// The text an entity comes from.
#[derive(Clone, Debug)]
pub(crate) struct EntityFile {
    /// As diagnostics name it; for a copy that was never saved, the file of its original.
    pub(crate) label: Box<str>,
    /// What the file held when it was read or written.
    pub(crate) text: Box<str>,
    /// Whether this is the entity's own file on disk. The text of a copy is that of its original.
    pub(crate) saved: bool,
}

/// Why there is no new entity.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The world is full.
    #[error(transparent)]
    Full(#[from] AllocateError),
    /// The class is not in the world's registry.
    #[error("the class `{class}` is not registered in this world{}", suggestion.map_or_else(String::new, |it| format!("; did you mean `{it}`?")))]
    UnknownClass {
        /// Its name.
        class: Box<str>,
        /// A class of nearly that name.
        suggestion: Option<&'static str>,
    },
    /// This working copy has no namespace for ids.
    #[error(transparent)]
    Namespace(#[from] NamespaceError),
    /// The namespace has no id left.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// The entity to be copied is gone.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// The template is gone.
    #[error("the template is gone")]
    NoTemplate,
}

impl From<InstantiateError> for SpawnError {
    fn from(error: InstantiateError) -> Self {
        match error {
            InstantiateError::Allocate(error) => Self::Full(error),
            // Images are of the class they are copied to.
            _ => Self::NoTemplate,
        }
    }
}

impl World {
    /// An empty world without a folder: it cannot be saved.
    ///
    /// # Errors
    /// [`ProjectError::Memory`] if the address space cannot be reserved.
    pub fn new(registry: ClassRegistry) -> Result<Self, ProjectError> {
        Self::build(registry, None, "".into(), &LoadOptions::default(), false)
    }

    pub(crate) fn in_folder(
        project: Project,
        folder: Box<str>,
        options: &LoadOptions<'_>,
        new_settings: bool,
    ) -> Result<Self, ProjectError> {
        Self::build(project.registry().clone(), Some(project), folder, options, new_settings)
    }

    fn build(
        registry: ClassRegistry,
        project: Option<Project>,
        folder: Box<str>,
        options: &LoadOptions<'_>,
        new_settings: bool,
    ) -> Result<Self, ProjectError> {
        let capacity = options.capacity.map_or_else(Capacity::default, Capacity::entities);
        let templates = options.template_capacity.unwrap_or(TEMPLATE_CAPACITY);
        let manager = EntityManager::with_capacity(registry.clone(), capacity).map_err(ProjectError::Memory)?;
        Ok(Self {
            instances: Instances::new(manager.capacity()),
            manager,
            templates: Templates::new(registry.clone(), templates).map_err(ProjectError::Memory)?,
            project,
            folder,
            files: Vec::new(),
            pending: Vec::new(),
            attempts: Vec::new(),
            ids: None,
            reserved: Vec::new(),
            spelling: Spelling::Colon,
            new_settings,
            game: Game::new(),
            authored: None,
        })
    }

    /// The spelling of files of new entities; the colon spelling if never set. Existing files keep theirs.
    pub fn set_new_file_spelling(&mut self, spelling: Spelling) {
        self.spelling = spelling;
    }

    /// The entities, for reading. Iteration, counts, look-up by id and `validate` are here.
    #[inline]
    pub fn entities(&self) -> &EntityManager {
        &self.manager
    }

    /// The classes.
    pub fn registry(&self) -> &ClassRegistry {
        self.manager.registry()
    }

    /// How many entities there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.manager.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All entities in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = BaseRef<'_>> {
        self.manager.iter()
    }

    /// All entities of class `T` with their values, in the order of their rows.
    pub fn iter_of<T: Entity>(&self) -> impl Iterator<Item = (EntityHandle, &T)> {
        self.manager.iter_of()
    }

    /// All entities of class `T`, to be changed; only those that are written to become dirty. What instances then have that differs from their
    /// templates is overridden from then on. Looks first at the instances of `T` that were written before.
    pub fn iter_of_mut<T: Entity>(&mut self) -> impl Iterator<Item = EntityItem<'_, T>> {
        if self.templates.is_any() {
            let dirty = self.manager.dirty();
            let of_class = dirty.filter(|&it| self.manager.base(it).is_some_and(|base| base.class() == T::CLASS));
            let written: Vec<EntityHandle> = of_class.collect();
            written.into_iter().for_each(|handle| self.settle(handle));
        }
        self.manager.iter_of_mut()
    }

    /// Id, class and position of an entity; `None` for a stale handle. O(1).
    #[inline]
    pub fn base(&self, handle: EntityHandle) -> Option<BaseRef<'_>> {
        self.manager.base(handle)
    }

    /// The value of an entity of class `T`; `None` for a stale handle or another class. O(1).
    #[inline]
    pub fn get<T: Entity>(&self, handle: EntityHandle) -> Option<&T> {
        self.manager.get(handle)
    }

    /// The value of an entity of class `T`, to be changed. Writing through it marks the entity, reading does not. O(1); for an instance that
    /// was written before, O(properties).
    ///
    /// What an instance then has that differs from its template, bit for bit, is overridden from then on.
    #[inline]
    pub fn get_mut<T: Entity>(&mut self, handle: EntityHandle) -> Option<Mut<'_, T>> {
        if self.manager.is_dirty(handle) {
            self.settle(handle);
        }
        self.manager.get_mut(handle)
    }

    /// The value of an entity of any class, for reading through its property table. O(1).
    #[inline]
    pub fn value(&self, handle: EntityHandle) -> Option<ErasedRef<'_>> {
        self.manager.value(handle)
    }

    /// Where an entity is, in metres; `None` for a stale handle.
    #[inline]
    pub fn position(&self, handle: EntityHandle) -> Option<Position> {
        self.manager.position(handle)
    }

    /// Where an entity is, to be changed. Writing through it marks the entity, reading does not.
    #[inline]
    pub fn position_mut(&mut self, handle: EntityHandle) -> Option<Mut<'_, Position>> {
        self.manager.position_mut(handle)
    }

    /// Calls `each` for every position. Marks every entity; the fastest way to move all of them.
    pub fn for_each_position_mut(&mut self, each: impl FnMut(&mut Position)) {
        self.manager.for_each_position_mut(each);
    }

    /// The entity with this id. O(1).
    pub fn find_by_id(&self, id: u64) -> Option<EntityHandle> {
        self.manager.find_by_id(id)
    }

    /// Creates an entity with a new id, which holds `value`. It is dirty until it is saved; its file will be named after the id.
    ///
    /// # Errors
    /// [`SpawnError`] if the world is full, the class is not registered, or there is no id to give.
    pub fn spawn<T: Entity>(&mut self, value: T, position: impl Into<Position>) -> Result<EntityHandle, SpawnError> {
        if self.registry().find_kind::<T>().is_none() {
            return Err(SpawnError::UnknownClass { class: T::CLASS.name().into(), suggestion: None });
        }
        let position = position.into();
        let id = self.next_id()?;
        match self.manager.spawn(value, *position) {
            Ok(handle) => Ok(self.begin(handle, id)),
            Err(Refused::CapacityExceeded { class, capacity, .. }) => {
                Err(AllocateError::CapacityExceeded { class, capacity }.into())
            }
            Err(Refused::NotRegistered { class, .. }) => {
                Err(SpawnError::UnknownClass { class: class.into(), suggestion: None })
            }
        }
    }

    /// Creates an entity of the class called `class`, with the defaults of all properties.
    ///
    /// # Errors
    /// Those of [`spawn`](Self::spawn).
    ///
    /// # Panics
    /// If the user's default does; there is no new entity then.
    pub fn spawn_class(&mut self, class: &str, position: impl Into<Position>) -> Result<EntityHandle, SpawnError> {
        match self.registry().find_by_name(class) {
            Some((kind, _)) => self.spawn_kind(kind, position),
            None => {
                let names = self.registry().classes().iter().map(|class| class.name());
                Err(SpawnError::UnknownClass { class: class.into(), suggestion: nearest(class, names) })
            }
        }
    }

    fn spawn_kind(&mut self, kind: ClassKind, position: impl Into<Position>) -> Result<EntityHandle, SpawnError> {
        let position = position.into();
        let id = self.next_id()?;
        let handle = self.manager.allocate(kind)?;
        if let Some(mut place) = self.manager.position_mut(handle) {
            *place = position;
        }
        Ok(self.begin(handle, id))
    }

    /// Gives a new entity its id.
    fn begin(&mut self, handle: EntityHandle, id: u64) -> EntityHandle {
        // A new id of the own namespace is above every id of it in this world.
        let _ = self.manager.set_id(handle, id);
        self.forget_file(handle);
        handle
    }

    /// Creates a copy of an entity with a new id and a file of its own, unknown lines of the original's file included. The copy of an instance is
    /// an instance of the same template with the same overrides.
    ///
    /// # Errors
    /// [`SpawnError::Stale`] if the original is gone, else those of [`spawn`](Self::spawn).
    pub fn duplicate(&mut self, original: EntityHandle) -> Result<EntityHandle, SpawnError> {
        let base = self.manager.base(original).ok_or(Stale { handle: original })?;
        let (kind, position) = (base.kind(), base.position());
        let mut copy = OwnedValue::new(self.registry(), kind)
            .map_err(|_| SpawnError::UnknownClass { class: base.class().name().into(), suggestion: None })?;
        if let Some(value) = self.manager.value(original) {
            juliet_core::class::value::assign(copy.as_mut(), value);
        }
        self.settle(original);
        let handle = self.spawn_kind(kind, position)?;
        if let Some(mut value) = self.manager.value_mut(handle) {
            juliet_core::class::value::assign(value.as_mut(), copy.as_ref());
        }
        self.copy_components(original, handle)?;
        if let Some(template) = self.template_of(original) {
            let overrides = self.instances.overrides(original).clone();
            let components = self.instances.components(original).to_vec();
            self.move_to_template(handle, Some(template), Ledger { overrides, components });
        }
        if let Some(file) = self.file(original) {
            let copy = EntityFile { saved: false, ..file.clone() };
            self.set_file(handle, copy);
        }
        Ok(handle)
    }

    /// A new id of this working copy.
    fn next_id(&mut self) -> Result<u64, SpawnError> {
        if self.ids.is_none() {
            let namespace = match &self.project {
                Some(project) if !self.is_playing() => folder::load_namespace(project.file_system(), project.root())?,
                _ => Namespace::UNSAVED,
            };
            let mut ids = IdSource::new(namespace);
            self.manager.iter().for_each(|base| ids.reserve(base.id()));
            self.reserved.iter().for_each(|&id| ids.reserve(id));
            self.pending.iter().for_each(|removed| ids.reserve(removed.id));
            self.ids = Some(ids);
        }
        match &mut self.ids {
            Some(ids) => Ok(ids.allocate()?),
            None => Err(SpawnError::Exhausted(Exhausted { namespace: 0 })),
        }
    }

    /// Whether an entity or a template differs from what is on disk; `false` for a stale handle. O(1) for one nobody wrote to, else a
    /// comparison with the text of its file.
    pub fn is_dirty(&self, subject: impl Into<Subject>) -> bool {
        let subject = subject.into();
        self.manager_of(subject).is_dirty(subject.handle())
            && !matches!(self.outcome(subject, &mut Scratch::default()), Outcome::Clean)
    }

    /// The entities that differ from disk, in the order of their slots. O(touched entities).
    pub fn dirty(&self) -> Vec<EntityHandle> {
        let mut scratch = Scratch::default();
        let touched = self.manager.dirty();
        touched.filter(|&handle| !matches!(self.outcome(handle.into(), &mut scratch), Outcome::Clean)).collect()
    }

    /// The templates that differ from disk. O(touched templates).
    pub fn dirty_templates(&self) -> Vec<TemplateHandle> {
        let mut scratch = Scratch::default();
        let touched = self.templates.images.dirty().map(TemplateHandle::from_image);
        touched.filter(|&handle| !matches!(self.outcome(handle.into(), &mut scratch), Outcome::Clean)).collect()
    }

    /// The file of an entity or a template as diagnostics name it: the one it was read from, or the one it will be saved to.
    pub fn file_of(&self, subject: impl Into<Subject>) -> Option<String> {
        let subject = subject.into();
        self.manager_of(subject).base(subject.handle())?;
        Some(format!("{}{}", self.prefix(), self.path_of(subject)))
    }

    /// Packs bases and rows, so that iteration meets no holes. Handles of entities that moved change; the result maps old to new.
    pub fn compact(&mut self) -> Compaction {
        let compaction = self.manager.compact();
        let with_template = compaction.moves.iter().filter_map(|&(old, new)| {
            let number = self.manager.base(new)?.template();
            (number != 0).then_some((old, new, number))
        });
        let instances: Vec<_> = with_template.collect();
        self.instances.relocate(&mut self.templates, &instances);
        let mut moved: Vec<(EntityHandle, Option<EntityFile>)> = Vec::new();
        for &(old, new) in &compaction.moves {
            moved.push((new, self.take_file(old)));
        }
        for (new, file) in moved {
            if let Some(file) = file {
                self.set_file(new, file);
            }
        }
        compaction
    }

    /// Ids that a refused file names are never given out, so that mending the file brings no duplicate.
    pub(crate) fn reserve_ids_of(&mut self, text: &str) {
        let nodes = juliet_core::text::Document::new(text).nodes();
        let ids = nodes.filter(|node| node.kind == NodeKind::Directive && node.name == "id");
        self.reserved.extend(ids.filter_map(|node| parse_integer::<u64>(node.value).ok()));
    }

    pub(crate) fn prefix(&self) -> &str {
        self.project.as_ref().map_or("", Project::prefix)
    }

    /// A path relative to the content folder.
    pub(crate) fn below_root<'l>(&self, label: &'l str) -> &'l str {
        label.strip_prefix(self.prefix()).unwrap_or(label)
    }

    /// The path of a subject's file relative to the content folder.
    pub(crate) fn path_of(&self, subject: Subject) -> String {
        match (self.file_of_subject(subject), subject) {
            (Some(file), _) if file.saved => self.below_root(&file.label).to_owned(),
            (_, Subject::Entity(handle)) => {
                let id = self.manager.base(handle).map_or(0, |base| base.id());
                format!("{}/Entities/{id:#018X}.jasset", self.folder).replace("0X", "0x")
            }
            (_, Subject::Template(handle)) => {
                let path = self.templates.get(handle).map_or("", |it| &it.path);
                path.strip_prefix(folder::CONTENT_ROOT).unwrap_or(path).trim_start_matches('/').to_owned()
            }
        }
    }

    pub(crate) fn file_of_subject(&self, subject: Subject) -> Option<&EntityFile> {
        match subject {
            Subject::Entity(handle) => self.file(handle),
            Subject::Template(handle) => self.templates.get(handle)?.file.as_ref(),
        }
    }

    pub(crate) fn set_file_of(&mut self, subject: Subject, file: EntityFile) {
        match subject {
            Subject::Entity(handle) => self.set_file(handle, file),
            Subject::Template(handle) => {
                if let Some(template) = self.templates.get_mut(handle) {
                    template.file = Some(file);
                }
            }
        }
    }

    #[inline]
    pub(crate) fn file(&self, handle: EntityHandle) -> Option<&EntityFile> {
        match self.files.get(handle.index() as usize) {
            Some(Some(file)) => Some(file),
            // Of what was authored while the world plays.
            _ => self.authored.as_ref()?.file(handle).filter(|_| self.manager.contains(handle)),
        }
    }

    /// The text of an entity that is gone from its slot, or about to go.
    fn take_file(&mut self, handle: EntityHandle) -> Option<EntityFile> {
        let own = self.files.get_mut(handle.index() as usize).and_then(Option::take);
        own.or_else(|| self.authored.as_ref()?.file(handle).cloned())
    }

    pub(crate) fn set_file(&mut self, handle: EntityHandle, file: EntityFile) {
        let index = handle.index() as usize;
        if index >= self.files.len() {
            self.files.resize_with(index + 1, || None);
        }
        self.files[index] = Some(file);
    }

    fn forget_file(&mut self, handle: EntityHandle) {
        if let Some(file) = self.files.get_mut(handle.index() as usize) {
            *file = None;
        }
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("folder", &self.folder).field("len", &self.len()).finish_non_exhaustive()
    }
}
