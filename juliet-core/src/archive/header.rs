//! The directives of a file: which class it is, and of what age.

use super::findings::Findings;
use super::part::{Part, Section, Sections, Without, opens_section};
use super::read::{conflict_alone, fault};
use crate::class::{Class, ClassKind, ClassRegistry, Entity, Role};
use crate::diag::nearest;
use crate::diag::{Code, Diagnostic, Related, Severity, Source};
use crate::mem::unknown::UnknownClass;
use crate::text::{Document, NextValue, Node, NodeKind, Nodes, Spelling, is_invisible, offset_in, parse_integer};

/// Version of the base properties, `; version` in files.
pub const BASE_VERSION: u32 = 1;

/// A file whose directives were read: its class is known, its values are not yet read.
#[derive(Clone)]
pub struct Opened<'a> {
    pub(super) document: Document<'a>,
    /// What is said about the entity itself.
    pub(super) body: Part<'a>,
    pub(super) id: Option<u64>,
    pub(super) template: Option<&'a str>,
    pub(super) sections: Vec<Section<'a>>,
    pub(super) without: Vec<Without<'a>>,
}

impl<'a> Opened<'a> {
    /// The class in the registry.
    pub fn kind(&self) -> ClassKind {
        self.body.kind
    }

    /// The class; one without properties if the program does not know the class that the file names.
    pub fn class(&self) -> &'static Class {
        self.body.class
    }

    /// The id the file names, if it names one.
    pub fn id(&self) -> Option<u64> {
        self.id
    }

    /// Where the id stands, for a diagnostic; the start of the file if it names none.
    pub fn id_span(&self) -> core::ops::Range<usize> {
        self.body.directive_span("id")
    }

    /// The path after `; template`, as the file spells it; `None` for an entity that stands alone.
    pub fn template(&self) -> Option<&'a str> {
        self.template
    }

    /// Where the path of the template stands; the start of the file if it names none.
    pub fn template_span(&self) -> core::ops::Range<usize> {
        self.body.directive_span("template")
    }

    /// What the file is; a template only if [`as_template`](Self::as_template) said so, since no line of a file says it.
    pub fn role(&self) -> Role {
        self.body.role
    }

    /// The same file as that of a template, for its migration.
    #[must_use]
    pub fn as_template(mut self) -> Self {
        self.body.role = Role::Template;
        for part in self.sections.iter_mut().filter_map(|section| section.part.as_mut()) {
            part.role = Role::Template;
        }
        self
    }

    /// The class version the file was written by; 1 if it does not say.
    pub fn class_version(&self) -> u32 {
        self.body.class_version
    }

    /// The sections of components that the program has, in the order of the file.
    pub fn components(&self) -> impl Iterator<Item = &Part<'a>> {
        self.sections.iter().filter_map(|section| section.part.as_ref())
    }

    /// The components that the file takes away from what it inherits, as far as the program has them.
    pub fn without(&self) -> impl Iterator<Item = (ClassKind, &'static Class)> {
        self.without.iter().filter_map(|line| line.component)
    }

    /// The lines that describe the entity itself.
    pub fn body(&self) -> &Part<'a> {
        &self.body
    }

    /// The file and its text, for diagnostics.
    pub fn source(&self) -> Source<'a> {
        self.body.source
    }

    /// The lines of the file.
    pub fn document(&self) -> &Document<'a> {
        &self.document
    }
}

/// What a file inherits from the template it names.
#[derive(Clone, Copy, Debug)]
pub struct Inherited<'t> {
    /// Class of the template, in the registry that the file is opened with. One that this has not is an error of the file.
    pub kind: ClassKind,
    /// Name of the class where the program does not know it: a file that names another one is refused. With `None` any will do.
    pub unknown: Option<&'t str>,
    /// The template's file, as diagnostics name it.
    pub file: &'t str,
}

/// What is known about the template that a file names.
#[derive(Debug)]
pub enum Inherit<'t> {
    /// It can be used.
    From(Inherited<'t>),
    /// It cannot; the diagnostic is of the file that names it.
    Refused(Box<Diagnostic>),
    /// Nothing yet: the file is to be opened again, and nothing is found this time.
    Later,
}

/// The line by which a file names its template.
#[derive(Debug)]
pub struct TemplateLine<'a> {
    /// The path, as the file spells it.
    pub path: &'a str,
    source: Source<'a>,
    span: core::ops::Range<usize>,
}

impl TemplateLine<'_> {
    /// Says that the template cannot be used, pointing at the path.
    #[cold]
    pub fn refuse(&self, why: impl core::fmt::Display) -> Diagnostic {
        let message = format!("the template `{}` cannot be used: {why}", self.path);
        let diagnostic = self.source.diagnostic(Code::TemplateUnavailable, self.span.clone(), message);
        let diagnostic = diagnostic.property("template").expected("a template that can be loaded").found(self.path);
        match self.path.contains("Assets/Templates/") && self.path.ends_with(".jasset") {
            true => diagnostic,
            false => diagnostic.help("write the path from `Assets/Templates/` on, with `.jasset` behind it"),
        }
    }

    /// The place of the path, for a diagnostic of another file.
    pub fn related(&self, label: impl Into<Box<str>>) -> Related {
        self.source.related(self.span.start, label)
    }
}

/// The directives that describe an entity; `component` opens a section instead.
#[derive(Clone, Copy)]
enum Directive {
    AssetType,
    Id,
    Class,
    Template,
    Version,
    ClassVersion,
}

const DIRECTIVES: usize = 6;

impl Directive {
    #[inline]
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "entity_type" | "class" => Self::Class,
            "id" => Self::Id,
            "version" => Self::Version,
            "class_version" => Self::ClassVersion,
            "template" => Self::Template,
            "asset_type" => Self::AssetType,
            _ => return None,
        })
    }
}

/// Whether a name is that of a directive that describes an entity.
pub(super) fn is_directive_of_entities(name: &str) -> bool {
    name == "without" || Directive::named(name).is_some()
}

/// Whether a directive in a section is one of the entity, which says nothing there. A component may have a class version of its own.
pub(super) fn is_misplaced(name: &str) -> bool {
    is_directive_of_entities(name) && name != "class_version"
}

#[cold]
pub(super) fn misplaced(source: &Source<'_>, node: &Node<'_>) -> Diagnostic {
    let message =
        format!("`; {}` stands in the section of a component, where it says nothing about the entity", node.name);
    source
        .diagnostic(Code::MisplacedDirective, node.name_range(), message)
        .property(node.name)
        .found(node.name)
        .help("move it above the first `; component`")
}

type Found<'a> = [Option<Node<'a>>; DIRECTIVES];

/// Reads the directives of `text`. Faults go to `findings`; `None` if the file cannot be read as an entity.
///
/// Stops at the first property unless a directive follows later, so the usual file is looked at once.
///
/// A file that names a template is refused: it cannot be read without what it inherits. See [`open_with`].
pub fn open<'a>(registry: &ClassRegistry, file: &'a str, text: &'a str, findings: &mut Findings) -> Option<Opened<'a>> {
    let mut refuse = |line: &TemplateLine<'_>| {
        let diagnostic = line.refuse("this text is read without its template");
        Inherit::Refused(Box::new(diagnostic))
    };
    open_with(registry, file, text, &mut refuse, findings)
}

/// As [`open`], for files that may name a template: `inherit` says what is known about it, and is called once at the most.
pub fn open_with<'a, 't>(
    registry: &ClassRegistry,
    file: &'a str,
    text: &'a str,
    inherit: &mut dyn FnMut(&TemplateLine<'a>) -> Inherit<'t>,
    findings: &mut Findings,
) -> Option<Opened<'a>> {
    let source = Source::new(file, text);
    let document = Document::new(text);
    let mut found: Found<'a> = Default::default();
    let mut nodes = document.nodes();
    take_usual(text, document.spelling(), &mut nodes, &mut found);
    let mut rest = nodes.clone();
    let mut first_property = None;
    let mut without: Vec<Node<'a>> = Vec::new();
    let mut sections_at = text.len();
    loop {
        // The usual file goes on with properties alone, so that no more of it is looked at here.
        if first_property.is_none() && nodes.is_at_key() {
            first_property = Some(nodes.offset());
            if !has_directive_after(text, nodes.offset(), document.spelling()) {
                break;
            }
        }
        let Some(node) = nodes.next() else { break };
        match node.kind {
            NodeKind::Directive if opens_section(&node) => {
                sections_at = node.span.start;
                break;
            }
            NodeKind::Directive if node.name == "without" => without.push(node),
            NodeKind::Directive => take(&mut found, node, &source, findings),
            NodeKind::Property | NodeKind::Removal | NodeKind::Fault(_) if first_property.is_none() => {
                first_property = Some(node.span.start);
                if !has_directive_after(text, node.span.end, document.spelling()) {
                    break;
                }
            }
            _ => {}
        }
        if first_property.is_none() {
            rest = nodes.clone();
        }
    }
    let lines = Lines { rest: rest.until(sections_at), without, sections_at };
    let opened = finish(registry, source, document, &found, lines, inherit, findings);
    conflict_alone(&source, &document, findings);
    opened
}

/// What opens the lines of directives in both spellings, in the order in which they are written.
const USUAL: [(Directive, &[u8], &[u8]); 5] = [
    (Directive::Class, b"; entity_type: ", b"; class\n"),
    (Directive::Template, b"; template: ", b"; template\n"),
    (Directive::Id, b"; id: ", b"; id\n"),
    (Directive::Version, b"; version: ", b"; version\n"),
    (Directive::ClassVersion, b"; class_version: ", b"; class_version\n"),
];

/// Takes the directives that stand at the start as they are written; a shortcut.
#[inline]
fn take_usual<'a>(text: &'a str, spelling: Spelling, nodes: &mut Nodes<'a>, found: &mut Found<'a>) {
    for (directive, colon, node) in USUAL {
        let (opening, behind) = if spelling == Spelling::Colon { (colon, 2) } else { (node, 1) };
        let start = nodes.offset();
        let Some(NextValue::Text(value)) = nodes.next_value(opening, |_| None) else { continue };
        let (name_at, value_at) = (start + 2, offset_in(text, value).unwrap_or_default());
        let name = text.get(name_at..start + opening.len() - behind).unwrap_or_default();
        let span = start..nodes.offset();
        found[directive as usize] = Some(Node { kind: NodeKind::Directive, name, value, span, name_at, value_at });
    }
}

/// What may follow the first property in the node spelling, and is no property.
const SEARCHED: [&str; 8] = ["entity_type", "class", "id", "version", "template", "asset_type", "component", "without"];

/// Whether a line after `at` may be a directive. Errs on the side of yes.
fn has_directive_after(text: &str, at: usize, spelling: Spelling) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b';', &bytes[at..]).any(|offset| {
        let at = at + offset;
        let before = bytes[..at].iter().rposition(|byte| !matches!(byte, b' ' | b'\t'));
        if before.is_some_and(|before| bytes[before] != b'\n') {
            return false;
        }
        let name = text[at + 1..].trim_start_matches([' ', '\t']);
        spelling == Spelling::Colon || SEARCHED.iter().any(|it| name.starts_with(it))
    })
}

#[inline]
fn take<'a>(found: &mut Found<'a>, node: Node<'a>, source: &Source<'a>, findings: &mut Findings) {
    let Some(directive) = Directive::named(node.name) else {
        return findings.push(false, || unknown_directive(source, &node));
    };
    let slot = &mut found[directive as usize];
    match slot {
        None => *slot = Some(node),
        Some(first) => findings.push(true, || duplicate(source, Code::DuplicateDirective, first, &node)),
    }
}

#[cold]
fn unknown_directive(source: &Source<'_>, node: &Node<'_>) -> Diagnostic {
    const NAMES: [&str; 9] =
        ["asset_type", "id", "class", "entity_type", "template", "version", "class_version", "component", "without"];
    let span = node.name_at..node.name_at + node.name.len();
    let message = format!("unknown directive `{}`; the line is kept as it is", node.name);
    let diagnostic = source.diagnostic(Code::UnknownDirective, span, message).property(node.name).found(node.name);
    match nearest(node.name, NAMES) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

/// The same name a second time, with both lines.
#[cold]
pub(super) fn duplicate(source: &Source<'_>, code: Code, first: &Node<'_>, second: &Node<'_>) -> Diagnostic {
    let lines = (source.position(first.name_at).line, source.position(second.name_at).line);
    let also = if first.name == second.name { String::new() } else { format!(" (as `{}`)", first.name) };
    let message = format!("`{}` is set on line {}{also} and again on line {}", second.name, lines.0, lines.1);
    source
        .diagnostic(code, second.name_at..second.name_at + second.name.len(), message)
        .property(second.name)
        .expected("each key once")
        .found(second.name)
        .related(source.related(first.name_at, "set first here"))
}

/// The lines of a file that are no settings.
struct Lines<'a> {
    /// Of the body, from the first property on.
    rest: Nodes<'a>,
    without: Vec<Node<'a>>,
    sections_at: usize,
}

fn finish<'a, 't>(
    registry: &ClassRegistry,
    source: Source<'a>,
    document: Document<'a>,
    found: &Found<'a>,
    lines: Lines<'a>,
    inherit: &mut dyn FnMut(&TemplateLine<'a>) -> Inherit<'t>,
    findings: &mut Findings,
) -> Option<Opened<'a>> {
    let get = |directive: Directive| found[directive as usize].as_ref();
    if let Some(node) = get(Directive::AssetType)
        && !matches!(node.value, "entity_instance" | "entity" | "entity_template")
    {
        findings.error(at_value(&source, node, Code::UnknownAssetType, "entity_instance"));
    }
    let template = get(Directive::Template);
    let inherited =
        match template.map(|node| inherit(&TemplateLine { path: node.value, source, span: node.value_range() })) {
            None => None,
            Some(Inherit::From(inherited)) => Some(inherited),
            Some(Inherit::Later) => return None,
            Some(Inherit::Refused(diagnostic)) => {
                findings.error(*diagnostic);
                None
            }
        };
    let id = get(Directive::Id).and_then(|node| match parse_integer::<u64>(node.value) {
        Ok(id) if id != 0 => Some(id),
        _ => {
            findings.error(at_value(&source, node, Code::BadId, "an id such as 0x0100000000000042"));
            None
        }
    });
    check_version(get(Directive::Version), BASE_VERSION, &source, findings, |node, version| {
        let message = format!("file has version {version} of the base properties, this program knows {BASE_VERSION}");
        Diagnostic {
            message: message.into(),
            ..at_value(&source, node, Code::NewerBaseVersion, &BASE_VERSION.to_string())
        }
    });
    // The class comes from the registry alone: it is trusted with the values of the file.
    let above = match inherited {
        Some(inherited) => Some((inherited, class_above(registry, &source, template, &inherited, findings)?)),
        None => None,
    };
    let (kind, class) = match (above, get(Directive::Class)) {
        (Some((inherited, class)), None) => (inherited.kind, class),
        // The template may be what would have said it.
        (None, None) if template.is_some() => return None,
        (above, node) => {
            let told = above.is_some_and(|(it, above)| !above.is_known() && it.unknown == node.map(|node| node.value));
            let (kind, class) = class_of(registry, &source, &document, node, told, findings)?;
            if let (Some((inherited, above)), Some(node)) = (above, node)
                && (above != class || inherited.unknown.is_some_and(|theirs| theirs != node.value))
            {
                let theirs = inherited.unknown.unwrap_or(above.name());
                findings.error(other_class(&source, node, class, (theirs, inherited.file)));
            }
            (kind, class)
        }
    };
    let class_version = check_class_version(get(Directive::ClassVersion), class, &source, findings);
    let template = template.map(|node| node.value);
    let Lines { rest, without, sections_at } = lines;
    let inherits = template.is_some();
    let role = if inherits { Role::Instance } else { Role::Standalone };
    let all = Sections { registry, source, document, role, inherits };
    let sections = if sections_at < document.text().len() { all.open(sections_at, findings) } else { Vec::new() };
    let without = if without.is_empty() { Vec::new() } else { all.without(without, &sections, findings) };
    let own = document.part(document.start()..sections_at);
    let body = Part { source, document: own, kind, class, class_version, role, inherits, is_section: false, rest };
    findings.is_ok().then_some(Opened { document, body, id, template, sections, without })
}

/// The class version a node names; 1 without a node.
pub(super) fn check_class_version<'a>(
    node: Option<&Node<'a>>,
    class: &'static Class,
    source: &Source<'a>,
    findings: &mut Findings,
) -> u32 {
    // Of what is unknown there is no newest version.
    let newest = if class.is_known() { class.version() } else { u32::MAX };
    check_version(node, newest, source, findings, |node, version| {
        let message = format!("file has version {version} of `{}`, this program knows {newest}", class.name());
        Diagnostic { message: message.into(), ..at_value(source, node, Code::NewerClassVersion, &newest.to_string()) }
    })
}

/// The class of the template; a finding if the registry has none of that kind.
fn class_above(
    registry: &ClassRegistry,
    source: &Source<'_>,
    template: Option<&Node<'_>>,
    inherited: &Inherited<'_>,
    findings: &mut Findings,
) -> Option<&'static Class> {
    let class = registry.class_of(inherited.kind);
    if let (None, Some(node)) = (class, template) {
        let line = TemplateLine { path: node.value, source: *source, span: node.value_range() };
        findings.error(line.refuse(format_args!("it is of kind {}, and no class is", inherited.kind)));
    }
    class
}

#[cold]
fn other_class(source: &Source<'_>, node: &Node<'_>, class: &Class, (theirs, file): (&str, &str)) -> Diagnostic {
    let ours = if class.is_known() { class.name() } else { node.value };
    let message = format!("the file is of class `{ours}`, its template {file} of class `{theirs}`");
    source
        .diagnostic(Code::ClassMismatch, node.value_range(), message)
        .property(node.name)
        .expected(theirs)
        .found(ours)
        .related(Related { file: file.into(), line: 1, column: 1, label: "the template".into() })
        .help("name a template of the same class, or take this line away: the class is inherited")
}

/// The version a node names; 1 without a node.
fn check_version<'a>(
    node: Option<&Node<'a>>,
    newest: u32,
    source: &Source<'a>,
    findings: &mut Findings,
    newer: impl FnOnce(&Node<'a>, u32) -> Diagnostic,
) -> u32 {
    let Some(node) = node else { return 1 };
    match parse_integer::<u32>(node.value) {
        Ok(version) if version > newest => findings.error(newer(node, version)),
        Ok(version) if version > 0 => return version,
        _ => findings.error(at_value(source, node, Code::BadVersion, "a version from 1")),
    }
    1
}

/// The class that a directive names, else the one for entities of unknown classes; `is_told` if the template of the file says the same.
fn class_of(
    registry: &ClassRegistry,
    source: &Source<'_>,
    document: &Document<'_>,
    node: Option<&Node<'_>>,
    is_told: bool,
    findings: &mut Findings,
) -> Option<(ClassKind, &'static Class)> {
    let Some(node) = node else {
        // Another error explains the file better than the class it then lacks.
        if findings.is_ok() {
            let faulty = document.nodes().find(|node| match node.kind {
                NodeKind::Fault(_) => true,
                NodeKind::Directive => matches!(node.name, "class" | "entity_type" | "template"),
                _ => false,
            });
            match faulty {
                // Only in a section are these overlooked.
                Some(node) if node.kind == NodeKind::Directive => findings.error(misplaced(source, &node)),
                Some(node) => fault(source, document.spelling(), &node, findings),
                None => findings.error(no_class(source, document)),
            }
        }
        return None;
    };
    if let Some(found) = registry.find_by_name(node.value) {
        return Some(found);
    }
    // What no class can be called is a slip of the hand or of a line end.
    let is_name = !node.value.chars().any(is_invisible);
    if !is_name || !is_told {
        findings.push(!is_name, || unknown_class(registry, source, node, is_name));
    }
    let kind = registry.unknown_kind();
    Some((kind, UnknownClass::CLASS)).filter(|_| is_name)
}

#[cold]
fn unknown_class(registry: &ClassRegistry, source: &Source<'_>, node: &Node<'_>, is_kept: bool) -> Diagnostic {
    let names = registry.classes().iter().map(|class| class.name());
    let mut diagnostic = at_value(source, node, Code::UnknownClass, "a class of this program");
    if is_kept {
        diagnostic.message = format!("{}; what is in the file is kept as it is", diagnostic.message).into();
    } else {
        diagnostic = diagnostic.severity(Severity::Error);
    }
    diagnostic.help(match nearest(node.value, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None if registry.find_component_by_name(node.value).is_some() => {
            format!("`{}` is a component, which `; component` names in the file of an entity, and no class", node.value)
        }
        None => {
            "register the class in the program, or give the class that took its place this name as an `alias`".into()
        }
    })
}

#[cold]
fn no_class(source: &Source<'_>, document: &Document<'_>) -> Diagnostic {
    let empty = document.nodes().all(|node| matches!(node.kind, NodeKind::Blank | NodeKind::Comment));
    let (code, message) = if empty {
        (Code::EmptyFile, "empty: no class")
    } else {
        (Code::NoClass, "no class: the file names no `; entity_type`")
    };
    source
        .diagnostic(code, 0..0, message)
        .expected("; entity_type: Name")
        .help("begin the file with `; entity_type: Name`")
}

/// A diagnostic about the value of a directive: "expected …, found `…`".
#[cold]
pub(super) fn at_value(source: &Source<'_>, node: &Node<'_>, code: Code, expected: &str) -> Diagnostic {
    let message = format!("{}: `{}`", code.title(), node.value);
    source
        .diagnostic(code, node.value_at..node.value_at + node.value.len(), message)
        .property(node.name)
        .expected(expected)
        .found(node.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_of_a_class_that_the_registry_has_not_is_an_error() {
        let registry = ClassRegistry::new();
        for (kind, code) in [(1, Some(Code::TemplateUnavailable)), (registry.unknown_kind(), None)] {
            let mut findings = Findings::new();
            let mut inherit = |_: &TemplateLine<'_>| Inherit::From(Inherited { kind, unknown: None, file: "" });
            let text = "; template: Assets/Templates/A.jasset\nA: 1\n";
            let opened = open_with(&registry, "B.jasset", text, &mut inherit, &mut findings);
            let found = findings.into_diagnostics("B.jasset");
            assert_eq!((opened.is_some(), found.first().map(|it| it.code)), (code.is_none(), code), "{found:?}");
        }
    }
}
