//! Templates for work on files, which loads no entity: see [`upkeep`](crate::upkeep).

use juliet_core::archive::Inherited;
use juliet_core::class::ClassKind;
use juliet_core::entity::Position;
use juliet_core::mem::ErasedRef;

use super::{Loaded, TemplateHandle};
use crate::world::World;

impl World {
    /// Reads the templates that files name. What is wrong with one is told where it is named.
    pub(crate) fn read_templates<'p>(&mut self, paths: impl IntoIterator<Item = &'p str>) -> Loaded {
        self.load_templates(paths, &mut Vec::new())
    }

    /// What a file inherits that names this template.
    pub(crate) fn inherited_from(&self, template: TemplateHandle) -> Option<Inherited<'_>> {
        self.templates.inherited(template)
    }

    /// The value of a template.
    pub(crate) fn image_of(&self, template: TemplateHandle) -> Option<ErasedRef<'_>> {
        self.templates.image(template)
    }

    /// A component of a template.
    pub(crate) fn component_of(&self, template: TemplateHandle, kind: ClassKind) -> Option<ErasedRef<'_>> {
        self.templates.images.component_value(template.0, kind)
    }

    /// Where what is based on a template is, if it does not say.
    pub(crate) fn template_position(&self, template: TemplateHandle) -> Option<Position> {
        self.templates.position(template)
    }

    /// A template and those it is based on, nearest first.
    pub(crate) fn chain_of(&self, template: TemplateHandle) -> impl Iterator<Item = TemplateHandle> {
        self.templates.chain(Some(template)).map(|it| it.handle)
    }
}
