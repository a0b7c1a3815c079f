//! A template changes → its instances follow, through all levels, in what they do not override.
//!
//! The cost is that of the changed leaves times the instances and templates below; nothing else of the world is looked at, and no file is
//! opened. Instances do not become dirty: they say what they said.

use juliet_core::archive::{
    ItemPath, ItemSays, LeafPath, LeafSet, Named, Overrides, find_named, inherit, inherit_leaf, path_of_leaf,
};
use juliet_core::class::value;
use juliet_core::entity::EntityHandle;
use juliet_core::mem::{ErasedRef, OwnedValue};
use juliet_core::text::{Document, NodeKind};

use std::collections::HashSet;

use super::{TEMPLATE_DEPTH, TemplateHandle};
use crate::world::edit::is_position;
use crate::world::parts::{Part, Says};
use crate::world::{EntityFile, SetError, Subject, World, unknown};

/// Whom a change of a template reaches, and who is shielded from it by an override of its own or of a template between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impact {
    /// Instances that would follow.
    pub reached: Vec<EntityHandle>,
    /// Instances that would not.
    pub shielded: Vec<EntityHandle>,
    /// Templates below that would follow.
    pub reached_templates: Vec<TemplateHandle>,
    /// Templates below that would not.
    pub shielded_templates: Vec<TemplateHandle>,
}

impl Impact {
    /// Adds that of another part of the same template: whoever either reaches is reached.
    fn add(&mut self, other: Self) {
        fn join<T: Copy + Eq + std::hash::Hash>(own: [&mut Vec<T>; 2], other: [Vec<T>; 2]) {
            let [reached, shielded] = own;
            let [more, others] = other;
            let known: HashSet<T> = reached.iter().copied().collect();
            reached.extend(more.into_iter().filter(|it| !known.contains(it)));
            let known: HashSet<T> = reached.iter().chain(&*shielded).copied().collect();
            shielded.extend(others.into_iter().filter(|it| !known.contains(it)));
            let known: HashSet<T> = reached.iter().copied().collect();
            shielded.retain(|it| !known.contains(it));
        }
        join([&mut self.reached, &mut self.shielded], [other.reached, other.shielded]);
        join(
            [&mut self.reached_templates, &mut self.shielded_templates],
            [other.reached_templates, other.shielded_templates],
        );
    }
}

/// A template cannot be removed: something is based on it. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the template `{path}` is in use by {}", told_users(files))]
pub struct TemplateInUse {
    /// Its path.
    pub path: Box<str>,
    /// Its instances.
    pub instances: Vec<EntityHandle>,
    /// Templates based on it.
    pub templates: Vec<TemplateHandle>,
    /// The files of both.
    pub files: Vec<Box<str>>,
}

/// The first file of some, and how many others there are.
fn told_users(files: &[Box<str>]) -> String {
    match files {
        [] => "something that has no file".to_owned(),
        [one] => one.to_string(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
    }
}

/// Why an entity or a template does not become based on a template. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateRefused {
    /// The entity or template is gone.
    #[error("the entity or template is gone")]
    Stale,
    /// They are of two classes.
    #[error("`{template}` is of class `{theirs}`, not `{ours}`")]
    Class {
        /// The template's path.
        template: Box<str>,
        /// Its class.
        theirs: Box<str>,
        /// Class of the one that was to be based on it.
        ours: Box<str>,
    },
    /// The program does not know the class, and so not what would be inherited.
    #[error("the class `{class}` is not known to this program; what is in the file stays as it is")]
    UnknownClass {
        /// The class that the file names.
        class: Box<str>,
    },
    /// The templates would be based on one another in a ring, or the chain would be too long.
    #[error("{why}")]
    Chain {
        /// The ring, or the limit.
        why: Box<str>,
    },
}

impl World {
    /// Removes a template. Its file goes at the next save. One that is gone already is no error.
    ///
    /// # Errors
    /// [`TemplateInUse`] if it has instances or other templates are based on it.
    pub fn remove_template(&mut self, handle: TemplateHandle) -> Result<(), TemplateInUse> {
        let Some(template) = self.templates.get(handle) else { return Ok(()) };
        if !template.instances.is_empty() || !template.children.is_empty() {
            let instances: Vec<_> = self.instances.of(template.instances).collect();
            let templates = template.children.clone();
            let path = template.path.clone();
            let files = instances
                .iter()
                .filter_map(|&it| self.file_of(it))
                .chain(templates.iter().filter_map(|&it| self.file_of(it)));
            let files = files.map(Into::into).collect();
            return Err(TemplateInUse { path, instances, templates, files });
        }
        if let Some(template) = self.templates.take(handle) {
            self.templates.removed.extend(template.file.filter(|file: &EntityFile| file.saved));
        }
        Ok(())
    }

    /// Whom a change of `key` in a template would reach and who is shielded; of any property if `key` is `None`. An item of a map or keyed
    /// list, or a part of one, is named by its key: `Loot[gold].Count`, a property of a component by that: `Velocity/Linear`, or `Velocity/` for
    /// any of it. Instances are listed by template, nearest first. O(instances below × components).
    ///
    /// # Errors
    /// [`SetError::UnknownProperty`], [`SetError::UnknownComponent`]; for a property [`SetError::UnknownClass`].
    pub fn impact(&self, handle: TemplateHandle, key: Option<&str>) -> Result<Impact, SetError> {
        let subject = Subject::Template(handle);
        let mut impact = Impact::default();
        if self.templates.get(handle).is_none() {
            return Ok(impact);
        }
        let Some(key) = key else {
            for part in self.parts_of(subject) {
                let class = self.class_of_part(subject, part);
                let mut of_part = Impact::default();
                let changed = all_leaves(class.map_or(0, |class| class.ty().leaves()));
                self.collect_impact(handle, part, &changed, None, &mut of_part);
                impact.add(of_part);
            }
            return Ok(impact);
        };
        let key = self.key_of(subject, key)?;
        if key.is_whole() {
            self.collect_impact(handle, key.part, &all_leaves(key.class.ty().leaves()), None, &mut impact);
            return Ok(impact);
        }
        let named = find_named(key.class.ty(), key.rest).map_err(|_| unknown(key.class, key.rest))?;
        let (leaves, item) = match &named {
            Named::Property(path) => (path.first_leaf()..path.first_leaf() + path.leaves(), None),
            Named::Item(path) => {
                let value = self.value_of(subject, key.part);
                let items = value.and_then(|it| path.list.follow(it)).and_then(ErasedRef::keyed);
                let key = items.and_then(|items| path.canonical(items)).unwrap_or_else(|| path.key.to_owned());
                let covered = path.covered();
                (0..covered.max().map_or(1, |last| last + 1), Some(Item { path, key }))
            }
        };
        let mut changed = LeafSet::new();
        for leaf in leaves {
            if item.as_ref().is_none_or(|item| item.path.covered().any(|part| part == leaf)) {
                changed.insert(leaf);
            }
        }
        self.collect_impact(handle, key.part, &changed, item.as_ref(), &mut impact);
        Ok(impact)
    }

    /// `changed` are leaves of the part, or of `item` if there is one.
    fn collect_impact(
        &self,
        handle: TemplateHandle,
        part: Part,
        changed: &LeafSet,
        item: Option<&Item<'_>>,
        impact: &mut Impact,
    ) {
        let Some(template) = self.templates.get(handle) else { return };
        let passing = |subject: Subject, overrides: &Overrides| match part {
            Part::Component(kind) if self.says(subject, kind) == Some(&Says::Without) => LeafSet::new(),
            _ => passes(changed, item, overrides),
        };
        for instance in self.instances.of(template.instances) {
            let overrides = self.effective_overrides(instance.into(), part);
            let is_shielded = passing(instance.into(), &overrides).is_empty();
            let list = if is_shielded { &mut impact.shielded } else { &mut impact.reached };
            list.push(instance);
        }
        for &child in &template.children {
            let passing = passing(child.into(), self.marked(child.into(), part));
            let list = if passing.is_empty() { &mut impact.shielded_templates } else { &mut impact.reached_templates };
            list.push(child);
            self.collect_impact(child, part, &passing, item, impact);
        }
    }

    /// Why `parent` cannot be what `template` is based on.
    pub(in crate::world) fn parent_fault(&self, template: TemplateHandle, parent: TemplateHandle) -> Option<String> {
        let mut names: Vec<&str> = self.templates.get(template).iter().map(|it| &*it.path).collect();
        for above in self.templates.chain(Some(parent)) {
            names.push(&above.path);
            if above.handle == template {
                return Some(format!("template cycle: {}", names.join(" → ")));
            }
        }
        let deepest = self.templates.below(template).into_iter().map(|it| self.templates.depth(it)).max();
        let below = deepest.unwrap_or_default().saturating_sub(self.templates.depth(template));
        (self.templates.depth(parent) + 1 + below > TEMPLATE_DEPTH)
            .then(|| format!("more than {TEMPLATE_DEPTH} templates would be based on one another"))
    }

    pub(in crate::world) fn set_parent(&mut self, handle: TemplateHandle, parent: Option<TemplateHandle>) {
        let Some(template) = self.templates.get_mut(handle) else { return };
        let old = std::mem::replace(&mut template.parent, parent);
        if old == parent {
            return;
        }
        self.templates.leave_parent(handle, old);
        if let Some(parent) = parent.and_then(|parent| self.templates.get_mut(parent)) {
            parent.children.push(handle);
        }
    }

    /// Gives the image of a template the value `new`, which differs in `changed`, and everything below it what it inherits. The instances
    /// below are settled: what was written through guards counts as it was written, before what it is compared with changes.
    pub(in crate::world) fn put_image(&mut self, handle: TemplateHandle, new: &OwnedValue, changed: &LeafSet) {
        if let Some(image) = self.templates.images.value_mut_unmarked(handle.0) {
            value::assign(image, new.as_ref());
        }
        let paths: Vec<LeafPath> = changed.iter().filter_map(|leaf| path_of_leaf(new.ty(), leaf)).collect();
        self.pass_on(handle, new, &paths);
    }

    /// Gives everything below a template the leaves at `paths` of its image, of which `image` is a copy.
    pub(in crate::world) fn pass_on(&mut self, handle: TemplateHandle, image: &OwnedValue, paths: &[LeafPath]) {
        if paths.is_empty() {
            return;
        }
        let Some(template) = self.templates.get(handle) else { return };
        let Some((_, class)) = self.templates.class_of(handle) else { return };
        let leaves = paths.iter().filter_map(|path| Some((path, path.follow(image.as_ref())?)));
        let leaves: Vec<(&LeafPath, ErasedRef<'_>)> = leaves.collect();
        for instance in self.instances.of(template.instances) {
            let overrides = self.instances.overrides(instance);
            // One that is shielded from everything is not fetched.
            if leaves.iter().all(|(path, _)| overrides.contains(path.first_leaf())) {
                continue;
            }
            let Some(mut to) = self.manager.value_mut_unmarked(instance) else { continue };
            let mut reached = false;
            for (path, inherited) in &leaves {
                reached |= inherit_leaf(to.reborrow(), *inherited, path, overrides);
            }
            if reached {
                class.run_post_init(to);
            }
        }
        for child in template.children.clone() {
            let Some(overrides) = self.templates.get(child).map(|it| it.overrides.clone()) else { continue };
            let Some(to) = self.templates.images.value_mut_unmarked(child.0) else { continue };
            let changed = inherit(to, image.as_ref(), &overrides);
            let passing: Vec<LeafPath> = paths.iter().filter(|it| changed.contains(it.first_leaf())).cloned().collect();
            let Some(copy) = self.copy_of_image(child) else { continue };
            self.pass_on(child, &copy, &passing);
        }
    }

    /// Before a template moves: instances and templates whose files name no position stay where they are, which their files have to say
    /// from then on. O(text of the files directly below); no file is opened.
    pub(in crate::world) fn hold_places(&mut self, handle: TemplateHandle) {
        let Some(template) = self.templates.get(handle) else { return };
        let is_unsaid = |file: Option<&EntityFile>| file.is_some_and(|file| !says_position(&file.text));
        let instances = self.instances.of(template.instances).filter(|&it| is_unsaid(self.file(it)));
        let children = template.children.iter().copied();
        let children = children.filter(|&it| is_unsaid(self.file_of_subject(it.into())));
        let (instances, children): (Vec<EntityHandle>, Vec<TemplateHandle>) = (instances.collect(), children.collect());
        for instance in instances {
            let _ = self.manager.mark_dirty(instance);
        }
        for child in children {
            let _ = self.templates.images.mark_dirty(child.0);
        }
    }

    /// A copy of a template's image.
    pub(in crate::world) fn copy_of_image(&self, handle: TemplateHandle) -> Option<OwnedValue> {
        let (kind, _) = self.templates.class_of(handle)?;
        let mut copy = OwnedValue::new(self.registry(), kind).ok()?;
        value::assign(copy.as_mut(), self.templates.image(handle)?);
        Some(copy)
    }

    /// Settles every instance below a template.
    pub(in crate::world) fn settle_below(&mut self, handle: TemplateHandle) {
        let mut below = self.templates.below(handle);
        below.push(handle);
        for template in below {
            let written: Vec<EntityHandle> = match self.templates.get(template) {
                Some(template) => {
                    self.instances.of(template.instances).filter(|&it| self.manager.is_dirty(it)).collect()
                }
                None => continue,
            };
            written.into_iter().for_each(|instance| self.settle(instance));
        }
    }
}

fn says_position(text: &str) -> bool {
    let nodes = Document::new(text).nodes();
    let mut nodes = nodes.take_while(|node| node.kind != NodeKind::Directive || node.name != "component");
    nodes.any(|node| node.kind == NodeKind::Property && is_position(node.name))
}

/// An item of a map or keyed list.
struct Item<'n> {
    path: &'n ItemPath<'n>,
    /// Its key as a ledger names it.
    key: String,
}

impl Item<'_> {
    /// Whether a part of the item is overridden.
    fn is_shielded(&self, part: u32, overrides: &Overrides) -> bool {
        let leaf = self.path.leaf();
        overrides.contains(leaf)
            || match overrides.item(leaf, &self.key) {
                None => false,
                Some(ItemSays::Removed) => true,
                Some(ItemSays::Leaves(parts)) => parts.contains(part),
            }
    }
}

/// Every leaf of a class.
fn all_leaves(count: u32) -> LeafSet {
    let mut all = LeafSet::new();
    all.insert_all(0, count);
    all
}

/// The leaves of `changed`, of the class or of an item, that are not overridden.
fn passes(changed: &LeafSet, item: Option<&Item<'_>>, overrides: &Overrides) -> LeafSet {
    let is_shielded = |leaf| match item {
        Some(item) => item.is_shielded(leaf, overrides),
        None => overrides.contains(leaf),
    };
    let mut passing = LeafSet::new();
    for leaf in changed.iter().filter(|&leaf| !is_shielded(leaf)) {
        passing.insert(leaf);
    }
    passing
}
