//! The parts of a file: the lines of the entity itself, then a section for each of its components.
//!
//! ```text
//! ; entity_type: Rock        ┐
//! Scale: 2.0                 ┘ the body
//! ; component: Velocity      ┐
//! Linear: 1.0, 0.0, 0.0      ┘ a section, up to the next one or the end of the file
//! ```
//!
//! Every part says something about one value of one class, and is read, migrated and edited in the same way.

use core::ops::Range;
use std::collections::HashMap;

use super::findings::Findings;
use super::header::{at_value, check_class_version, duplicate, is_misplaced, misplaced};
use super::read::fault;
use crate::class::{Class, ClassKind, ClassRegistry, Role};
use crate::diag::{Code, Diagnostic, Source, nearest};
use crate::text::{Document, Node, NodeKind, Nodes};

/// The lines of a file that describe one value: the entity itself, or one of its components.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    pub(super) source: Source<'a>,
    /// The lines of this part alone.
    pub(super) document: Document<'a>,
    pub(super) kind: ClassKind,
    pub(super) class: &'static Class,
    pub(super) class_version: u32,
    /// What the file is.
    pub(super) role: Role,
    /// Whether the file names a template.
    pub(super) inherits: bool,
    pub(super) is_section: bool,
    /// From the first property on.
    pub(super) rest: Nodes<'a>,
}

impl<'a> Part<'a> {
    /// The class or component type, in its list of the registry.
    pub fn kind(&self) -> ClassKind {
        self.kind
    }

    /// The class or component type.
    pub fn class(&self) -> &'static Class {
        self.class
    }

    /// The class version that the part was written by; 1 if it does not say.
    pub fn class_version(&self) -> u32 {
        self.class_version
    }

    /// The lines of the part. Offsets are those of the file.
    pub fn document(&self) -> &Document<'a> {
        &self.document
    }

    /// Where the value of a directive stands; the start of the part if there is none.
    pub(super) fn directive_span(&self, name: &str) -> Range<usize> {
        let node = self.document.nodes().find(|node| node.kind == NodeKind::Directive && node.name == name);
        node.map_or_else(
            || if self.is_section { self.document.start()..self.document.start() } else { 0..0 },
            |node| node.value_range(),
        )
    }

    /// The lines of values: properties, and removals of inherited items.
    pub(super) fn lines(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.rest.clone().filter(|node| matches!(node.kind, NodeKind::Property | NodeKind::Removal))
    }
}

/// A section of a file.
#[derive(Clone, Debug)]
pub(super) struct Section<'a> {
    /// The line that opens it.
    pub(super) node: Node<'a>,
    /// Up to the next section.
    pub(super) span: Range<usize>,
    /// `None` if the program has no component of this name.
    pub(super) part: Option<Part<'a>>,
    slip: Option<Slip>,
}

impl Section<'_> {
    /// Up to its last line that is neither blank nor a comment.
    pub(super) fn said(&self, document: &Document<'_>) -> Range<usize> {
        let nodes = document.part(self.span.clone()).nodes();
        let lines = nodes.filter(|node| !matches!(node.kind, NodeKind::Blank | NodeKind::Comment));
        self.span.start..lines.last().map_or(self.span.start, |node| node.span.end)
    }
}

/// A line that takes an inherited component away.
#[derive(Clone, Debug)]
pub(super) struct Without<'a> {
    pub(super) node: Node<'a>,
    /// `None` if the program has no component of this name.
    pub(super) component: Option<(ClassKind, &'static Class)>,
    slip: Option<Slip>,
}

/// What was meant by a name that no component has.
#[derive(Clone, Copy, Debug)]
enum Slip {
    /// A component of nearly that name.
    Near(&'static str),
    /// A class of that name.
    Class,
}

impl Slip {
    #[cold]
    fn find(registry: &ClassRegistry, name: &str) -> Option<Self> {
        match registry.find_by_name(name) {
            Some(_) => Some(Self::Class),
            None => nearest(name, registry.components().iter().map(|class| class.name())).map(Self::Near),
        }
    }

    fn help(self, name: &str) -> String {
        match self {
            Self::Near(near) => format!("did you mean `{near}`?"),
            Self::Class => format!("`{name}` is a class, which `; entity_type` names, and no component"),
        }
    }
}

/// Whether a line opens a section.
pub(super) fn opens_section(node: &Node<'_>) -> bool {
    node.kind == NodeKind::Directive && node.name == "component"
}

/// What a section is opened with.
pub(super) struct Sections<'s, 'a> {
    pub(super) registry: &'s ClassRegistry,
    pub(super) source: Source<'a>,
    pub(super) document: Document<'a>,
    pub(super) role: Role,
    pub(super) inherits: bool,
}

impl<'a> Sections<'_, 'a> {
    /// The sections from offset `at` on, where the first begins. Linear in their text.
    #[cold]
    pub(super) fn open(&self, at: usize, findings: &mut Findings) -> Vec<Section<'a>> {
        let mut sections: Vec<Section<'a>> = Vec::new();
        // What is known, and where it stands.
        let mut seen: HashMap<ClassKind, usize> = HashMap::new();
        let mut version: Option<Node<'a>> = None;
        let end = self.document.text().len();
        for node in self.document.part(at..end).nodes() {
            if opens_section(&node) {
                self.finish(sections.last_mut(), node.span.start, version.take(), findings);
                let component = self.registry.find_component_by_name(node.value);
                if let Some((kind, _)) = component {
                    match seen.get(&kind).and_then(|&first| sections.get(first)) {
                        Some(first) => findings.push(true, || twice(&self.source, &first.node, &node)),
                        None => drop(seen.insert(kind, sections.len())),
                    }
                }
                // Past the limit nothing is said.
                let is_asked = component.is_none() && sections.len() < Findings::LIMIT;
                let slip = is_asked.then(|| Slip::find(self.registry, node.value)).flatten();
                sections.push(Section { span: node.span.start..end, node, part: None, slip });
            } else if node.kind == NodeKind::Directive && node.name == "class_version" {
                match &version {
                    // Of what is unknown nothing is said.
                    Some(first) if sections.last().is_some_and(|it| self.is_known(it)) => {
                        findings.push(true, || duplicate(&self.source, Code::DuplicateDirective, first, &node));
                    }
                    _ => version = Some(node),
                }
            }
        }
        self.finish(sections.last_mut(), end, version, findings);
        sections
    }

    fn is_known(&self, section: &Section<'_>) -> bool {
        self.registry.find_component_by_name(section.node.value).is_some()
    }

    fn finish(
        &self,
        section: Option<&mut Section<'a>>,
        end: usize,
        version: Option<Node<'a>>,
        findings: &mut Findings,
    ) {
        let Some(section) = section else { return };
        section.span.end = end;
        let Some((kind, class)) = self.registry.find_component_by_name(section.node.value) else { return };
        let document = self.document.part(section.span.clone());
        let rest = self.document.part(section.node.span.end..end).nodes();
        let class_version = check_class_version(version.as_ref(), class, &self.source, findings);
        let (source, role, inherits) = (self.source, self.role, self.inherits);
        let part = Part { source, document, kind, class, class_version, role, inherits, is_section: true, rest };
        section.part = Some(part);
    }

    /// The components that lines take away. Each once, from a file that inherits, and none that has a section.
    #[cold]
    pub(super) fn without(
        &self,
        nodes: Vec<Node<'a>>,
        sections: &[Section<'a>],
        findings: &mut Findings,
    ) -> Vec<Without<'a>> {
        let mut seen: HashMap<ClassKind, Node<'a>> = HashMap::new();
        for section in sections {
            if let Some(part) = &section.part {
                seen.insert(part.kind, section.node.clone());
            }
        }
        let mut without = Vec::with_capacity(nodes.len());
        for node in nodes {
            let component = self.registry.find_component_by_name(node.value);
            if !self.inherits {
                findings.push(true, || inherits_nothing(&self.source, &node));
            } else if let Some((kind, _)) = component {
                match seen.get(&kind) {
                    Some(first) => findings.push(true, || twice(&self.source, first, &node)),
                    None => drop(seen.insert(kind, node.clone())),
                }
            }
            let is_asked = component.is_none() && without.len() < Findings::LIMIT;
            let slip = is_asked.then(|| Slip::find(self.registry, node.value)).flatten();
            without.push(Without { node, component, slip });
        }
        without
    }
}

/// Two lines that say something about the whole of one component.
#[cold]
fn twice(source: &Source<'_>, first: &Node<'_>, second: &Node<'_>) -> Diagnostic {
    let (a, b) = if first.name_at < second.name_at { (first, second) } else { (second, first) };
    let lines = (source.position(a.name_at).line, source.position(b.name_at).line);
    let message = match a.name == b.name {
        true => format!("the component `{}` is named on line {} and again on line {}", b.value, lines.0, lines.1),
        false => format!(
            "the component `{}` is taken away on line {} and has a section on line {}",
            b.value, lines.0, lines.1
        ),
    };
    source
        .diagnostic(Code::DuplicateSection, b.value_range(), message)
        .property(b.name)
        .expected("each component once")
        .found(b.value)
        .related(source.related(a.name_at, "named first here"))
}

#[cold]
fn inherits_nothing(source: &Source<'_>, node: &Node<'_>) -> Diagnostic {
    let message =
        format!("`; without: {}` takes an inherited component away, and this file inherits nothing", node.value);
    source.diagnostic(Code::SyntaxLine, node.span.clone(), message).property(node.name).found(node.value)
}

/// Says what of sections the program does not know, and what in them is no line. Of a file whose class is not known that was said already.
#[cold]
pub(super) fn check_unknown(
    source: &Source<'_>,
    document: &Document<'_>,
    sections: &[Section<'_>],
    without: &[Without<'_>],
    is_known: bool,
    findings: &mut Findings,
) {
    let expected = "a component of this program";
    for line in without.iter().filter(|line| is_known && line.component.is_none()) {
        findings.push(false, || {
            let message = format!("this program has no component `{}`; the line is kept as it is", line.node.value);
            let help = line.slip.map(|slip| slip.help(line.node.value).into());
            let diagnostic = at_value(source, &line.node, Code::UnknownSection, expected);
            Diagnostic { message: message.into(), help, ..diagnostic }
        });
    }
    for section in sections.iter().filter(|section| section.part.is_none()) {
        if is_known {
            findings.push(false, || {
                let name = section.node.value;
                let message = format!("this program has no component `{name}`; the section is kept as it is");
                let help = section.slip.map(|slip| slip.help(name).into());
                let diagnostic = at_value(source, &section.node, Code::UnknownSection, expected);
                Diagnostic { message: message.into(), help, ..diagnostic }
            });
        }
        for node in document.part(section.node.span.end..section.span.end).nodes() {
            match node.kind {
                NodeKind::Fault(_) => fault(source, document.spelling(), &node, findings),
                NodeKind::Directive if is_misplaced(node.name) => {
                    findings.push(true, || misplaced(source, &node));
                }
                _ => {}
            }
        }
    }
}

/// A directive in the section of a known component: its class version alone says something there.
#[cold]
pub(super) fn section_directive(source: &Source<'_>, node: &Node<'_>, findings: &mut Findings) {
    if is_misplaced(node.name) {
        findings.push(true, || misplaced(source, node));
    } else if node.name != "class_version" {
        findings.push(false, || {
            let message = format!("unknown directive `{}`; the line is kept as it is", node.name);
            let diagnostic = source.diagnostic(Code::UnknownDirective, node.name_range(), message);
            let diagnostic = diagnostic.property(node.name).found(node.name);
            match nearest(node.name, ["class_version", "component"]) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic,
            }
        });
    }
}
