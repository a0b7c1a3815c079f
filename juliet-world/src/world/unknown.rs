//! What the program does not know in the files of a world: what it is called, and the list of it.
//!
//! An entity of an unknown class is one without properties; its file says everything about it, and stays as it is but for id and position.

use juliet_core::archive::{
    Findings, Inherit, Inherited, Opened, TemplateLine, UnknownPart, class_line, open_with, unknown_lines,
};
use juliet_core::text::NodeKind;

use super::{EntityFile, Subject, World};

/// Something in a file that the program does not know. It is kept as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The file, as diagnostics name it.
    pub file: Box<str>,
    /// The entity or template that came from it; `None` in a list of files that are not loaded.
    pub subject: Option<Subject>,
    /// The class of the file, as the file or the template above it names it; of a line in the section of a component, that component.
    pub class: Box<str>,
    /// Its line, from 1.
    pub line: u32,
    /// What it is.
    pub what: UnknownData,
}

/// What the program does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownData {
    /// The class of the file; its keys are not listed, and the line is that which says the class or the template. Sections and directives
    /// are listed as in any other file.
    Class {
        /// The name.
        name: Box<str>,
    },
    /// A key.
    Key {
        /// As the file spells it.
        key: Box<str>,
        /// Its text, trimmed.
        text: Box<str>,
    },
    /// A line that takes an inherited item out, of a list that is not there.
    Removal {
        /// As the file spells it, without the mark.
        key: Box<str>,
    },
    /// The data of a component.
    Section {
        /// Name of the component.
        name: Box<str>,
    },
    /// A directive.
    Directive {
        /// Its name.
        name: Box<str>,
        /// Its text, trimmed.
        text: Box<str>,
    },
}

impl World {
    /// The name of a class as files have it, also of one that the program does not know; `None` for what is gone. O(1), for an unknown class
    /// a look at the directives of its file, or of the templates above it.
    pub fn class_name(&self, subject: impl Into<Subject>) -> Option<&str> {
        let subject = subject.into();
        let (_, class) = self.class_of(subject).ok()?;
        Some(self.unknown_class(subject).unwrap_or(class.name()))
    }

    /// The class that a file or a template above it names, if the program does not know it.
    pub(super) fn unknown_class(&self, subject: Subject) -> Option<&str> {
        let (_, class) = self.class_of(subject).ok()?;
        if class.is_known() {
            return None;
        }
        let own = self.file_of_subject(subject).and_then(|file| class_line(&file.text)).map(|node| node.value);
        let above = || self.templates.unknown_class_of(self.template_of(subject)?);
        Some(own.or_else(above).unwrap_or(class.name()))
    }

    /// Everything in the files of this world's entities and templates that the program does not know, sorted by file and line.
    ///
    /// Files that were left out are not among them: [`Project::unknown`](crate::Project::unknown) lists what can be read of those, too. Goes
    /// through the texts as they were read or last saved, all of them: O(bytes), no file is opened.
    pub fn unknown(&self) -> Vec<Unknown> {
        let mut found = Vec::new();
        let templates = self.templates.iter().map(|it| Subject::Template(it.handle));
        let entities = self.manager.iter().map(|base| Subject::Entity(base.handle()));
        for subject in templates.chain(entities) {
            let Some(file) = self.file_of_subject(subject).filter(|file| file.saved) else { continue };
            self.list_of(subject, file, &mut found);
        }
        found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        found
    }

    fn list_of(&self, subject: Subject, file: &EntityFile, found: &mut Vec<Unknown>) {
        let (Ok((kind, _)), Some(name)) = (self.class_of(subject), self.class_name(subject)) else { return };
        let inherited = Inherited { kind, unknown: None, file: "" };
        let mut inherit = |_: &TemplateLine<'_>| Inherit::From(inherited);
        let opened = open_with(self.registry(), &file.label, &file.text, &mut inherit, &mut Findings::new());
        if let Some(opened) = opened {
            list(&opened, Some(subject), name, found);
        }
    }
}

/// Adds what `opened`, a file of the class called `class`, holds that is not known. Linear in its text.
pub(crate) fn list(opened: &Opened<'_>, subject: Option<Subject>, class: &str, found: &mut Vec<Unknown>) {
    let file = opened.source().file();
    let text = opened.document().text();
    let mut add = |class: &str, line, what| {
        found.push(Unknown { file: file.into(), subject, class: class.into(), line, what });
    };
    let mut lines = LineCount::default();
    if !opened.class().is_known() {
        let at = class_line(text).map_or_else(|| opened.template_span().start, |node| node.name_at);
        add(class, LineCount::default().of(text, at), UnknownData::Class { name: class.into() });
    }
    for unknown in unknown_lines(opened) {
        let node = &unknown.node;
        let what = match (unknown.part, node.kind) {
            (UnknownPart::Key, _) if unknown.component.is_none() && !opened.class().is_known() => continue,
            (UnknownPart::Key, NodeKind::Removal) => UnknownData::Removal { key: node.name.into() },
            (UnknownPart::Key, _) => UnknownData::Key { key: node.name.into(), text: node.value.into() },
            (UnknownPart::Section, _) => UnknownData::Section { name: node.value.into() },
            (UnknownPart::Directive, _) => UnknownData::Directive { name: node.name.into(), text: node.value.into() },
        };
        let class = unknown.component.map_or(class, |component| component.name());
        add(class, lines.of(text, node.name_at), what);
    }
}

/// Numbers of lines, for offsets that grow.
#[derive(Default)]
pub(crate) struct LineCount {
    at: usize,
    line: u32,
}

impl LineCount {
    /// The line, from 1, that holds the byte at `offset`, which is not before the last one asked for.
    pub(crate) fn of(&mut self, text: &str, offset: usize) -> u32 {
        let between = text.as_bytes().get(self.at..offset).unwrap_or_default();
        self.line += between.iter().filter(|&&byte| byte == b'\n').count() as u32;
        self.at = self.at.max(offset);
        self.line + 1
    }
}
