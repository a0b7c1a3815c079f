//! Random values, files and edits of a program.

use std::collections::BTreeMap;

use super::file::{Said, What, parse};
use super::plan::Action;
use super::program::{Program, Prop, Ty, node_name, pairs};
use crate::random::files::shuffle;
use crate::random::values::Rng;

/// A text of a value.
pub(super) fn value(rng: &mut Rng, program: &Program, ty: Ty) -> String {
    let number = rng.below(90);
    match ty {
        Ty::Int => format!("{}{number}", rng.pick(&["", "", "-", "+", "00"])),
        Ty::Float => format!("{number}.{}", rng.pick(&["0", "5", "50", "25"])),
        Ty::Bool => rng.pick(&["true", "false"]).into(),
        Ty::Text if rng.one_in(4) => format!("\"w{number}\""),
        Ty::Text => format!("w{number}"),
        Ty::Vec3 => [format!("{number}"), "1.5".into(), "0.0".into()].join(rng.pick(&[", ", " ", ","])),
        Ty::Mood => {
            let names = &program.mood[rng.below(program.mood.len())];
            names[rng.below(names.len())].clone()
        }
        Ty::List => format!("[{}]", ["1", "2", "3"][..rng.below(4)].join(rng.pick(&[", ", ","]))),
        Ty::Map => format!("{{ {} }}", ["a: 1", "b: 2", "c: 3"][rng.below(3)..].join(", ")),
        Ty::Part => unreachable!("a struct has parts"),
    }
}

fn one_name(rng: &mut Rng, prop: &Prop) -> String {
    let name = &prop.names[rng.below(prop.names.len())];
    if rng.one_in(3) { node_name(name) } else { name.clone() }
}

/// A file as people of the time of `program` write it.
pub(super) fn file(rng: &mut Rng, program: &Program, template: Option<&str>, id: Option<u64>) -> String {
    let (is_node, end) = (rng.one_in(2), rng.pick(&["\n", "\n", "\r\n"]));
    let mut keys: Vec<(String, Option<String>)> = Vec::new();
    if id.is_some() && rng.one_in(2) {
        keys.push((rng.pick(&["Position", "position"]).into(), Some(value(rng, program, Ty::Vec3))));
    }
    for prop in program.props.iter().filter(|_| !rng.one_in(3)).collect::<Vec<_>>() {
        let name = one_name(rng, prop);
        match prop.ty {
            Ty::Part if rng.one_in(2) => {
                let fields = program.part.iter().filter(|_| rng.one_in(2)).collect::<Vec<_>>();
                let fields: Vec<String> = fields
                    .into_iter()
                    .map(|it| format!("{}: {}", it.names[rng.below(it.names.len())], value(rng, program, it.ty)))
                    .collect();
                keys.push((name, Some(format!("{{ {} }}", fields.join(", ")))));
            }
            Ty::Part => {
                for field in program.part.iter().filter(|_| rng.one_in(2)).collect::<Vec<_>>() {
                    keys.push((format!("{name}.{}", one_name(rng, field)), Some(value(rng, program, field.ty))));
                }
            }
            Ty::Map if rng.one_in(2) => {
                for key in ["a", "b", "d"].into_iter().filter(|_| rng.one_in(2)).collect::<Vec<_>>() {
                    let text = (template.is_none() || !rng.one_in(3)).then(|| value(rng, program, Ty::Int));
                    keys.push((format!("{name}[{key}]"), text));
                }
            }
            ty => keys.push((name, Some(value(rng, program, ty)))),
        }
    }
    for key in ["OddA", "odd_b"].into_iter().filter(|_| rng.one_in(4)).collect::<Vec<_>>() {
        keys.push((key.into(), Some(rng.pick(&["1", "[", "x: y"]).into())));
    }
    shuffle(rng, &mut keys);
    let mut out = String::new();
    let mut line = |marked: bool, name: &str, text: &str| match (is_node, marked) {
        (true, _) => out.push_str(&format!("; {name}{end}{text}{end}")),
        (false, true) => out.push_str(&format!("; {name}: {text}{end}")),
        (false, false) => out.push_str(&format!("{name}: {text}{end}")),
    };
    match template {
        Some(template) => line(true, "template", &format!("Assets/{template}")),
        None => line(true, rng.pick(&["class", "entity_type"]), &program.class[rng.below(program.class.len())]),
    }
    if let Some(id) = id {
        line(true, "id", &format!("{id:#018x}"));
    }
    if program.version > 1 || rng.one_in(3) {
        line(true, "class_version", &program.version.to_string());
    }
    let mut body: Vec<String> = keys
        .into_iter()
        .map(|(key, text)| match text {
            None => format!("! {key}{end}"),
            Some(text) if is_node => format!("; {key}{end}{text}{end}"),
            Some(text) => format!("{key}:{}{text}{end}", rng.pick(&[" ", "  ", ""])),
        })
        .collect();
    for _ in 0..rng.below(3) {
        let noise = rng.pick(&["", "# PropA: 1", "  ", "# \u{e4} comment"]);
        body.insert(rng.below(body.len() + 1), format!("{noise}{end}"));
    }
    out.push_str(&body.concat());
    if rng.one_in(4) {
        let (head, key) = (("; component", "Soul"), (&program.props[0].names[0], "x"));
        for (name, text) in [head, (&format!("{}{}", if is_node { "; " } else { "" }, key.0), key.1)] {
            let gap = if is_node { end } else { ": " };
            out.push_str(&format!("{name}{gap}{text}{end}"));
        }
    }
    if rng.one_in(4) && !out.ends_with(&format!("{end}{end}")) && !out.trim_end().is_empty() {
        out.truncate(out.trim_end().len());
    }
    out
}

/// The edits of a program.
/// Those that seldom find something to be done to are drawn more often.
pub(super) const EDITS: [&str; 33] = [
    "add",
    "lose",
    "remove",
    "rename",
    "rename",
    "rename silently",
    "reunite",
    "reunite",
    "reunite",
    "revive",
    "reorder",
    "rename class",
    "rename variant",
    "rename field",
    "add field",
    "lose field",
    "lose field",
    "lose field",
    "revive field",
    "revive field",
    "revive field",
    "remove field",
    "retype",
    "retype",
    "retype by a new line",
    "rename by migration",
    "nest",
    "nest",
    "nest",
    "nest",
    "drop by migration",
    "split",
    "default",
];

impl Program {
    pub(super) fn first(rng: &mut Rng) -> Self {
        let mut program = Self {
            class: vec!["Rock".into()],
            version: 1,
            props: Vec::new(),
            removed: Vec::new(),
            part: Vec::new(),
            part_removed: Vec::new(),
            mood: ["Calm", "Mad", "Sad"].map(|name| vec![name.to_owned()]).into(),
            plan: Vec::new(),
            chained: rng.one_in(2),
            lost: Vec::new(),
            lost_fields: Vec::new(),
            strays: Vec::new(),
            count: 0,
        };
        for _ in 0..3 {
            let ty = rng.pick(&Ty::FIELDS);
            let field = program.draw(rng, ty);
            program.part.push(field);
        }
        for ty in Ty::ALL {
            let prop = program.draw(rng, ty);
            program.props.push(prop);
        }
        shuffle(rng, &mut program.props);
        program
    }

    /// A name that nothing had before, such as `PropBc`.
    fn fresh(&mut self) -> String {
        self.count += 1;
        let letter = |number: usize| char::from(b'a' + (number % 26) as u8);
        format!("Prop{}{}", letter(self.count / 26).to_uppercase(), letter(self.count))
    }

    fn draw(&mut self, rng: &mut Rng, ty: Ty) -> Prop {
        let name = self.fresh();
        let default = match ty {
            Ty::Part => String::new(),
            Ty::List => "[]".into(),
            Ty::Map => "{}".into(),
            ty => value(rng, self, ty),
        };
        Prop { id: self.count, names: vec![name], ty, default }
    }

    /// The next version, of which the files of this one are migrated.
    fn act(&mut self, kind: &'static str, old: Vec<String>, new: String, conversion: &'static str) {
        self.plan.push(Action { version: self.version, kind, old, new, conversion });
        self.version += 1;
    }

    /// Does one of [`EDITS`]; `false` if there is nothing to do it to. `texts` are all files, `said` what they say to this program.
    pub(super) fn edit(
        &mut self,
        rng: &mut Rng,
        edit: &str,
        texts: &BTreeMap<String, String>,
        said: &BTreeMap<String, Said>,
    ) -> bool {
        let any = rng.below(self.props.len());
        let of = |props: &[Prop], rng: &mut Rng, wanted: &dyn Fn(Ty) -> bool| {
            let found: Vec<usize> = (0..props.len()).filter(|&it| wanted(props[it].ty)).collect();
            (!found.is_empty()).then(|| found[rng.below(found.len())])
        };
        let in_braces = |names: &[String]| {
            texts.values().flat_map(|text| parse(text)).any(|node| match node.what {
                What::Key(_, text) if text.starts_with("{ Prop") => {
                    pairs(&text).any(|(name, _)| names.iter().any(|it| it == name))
                }
                _ => false,
            })
        };
        let is_few = self.props.len() < 4;
        match edit {
            "add" => {
                let ty = rng.pick(&Ty::ALL);
                let prop = self.draw(rng, ty);
                self.props.insert(any, prop);
            }
            "lose" if !is_few => {
                let prop = self.props.remove(any);
                self.lost.push(prop);
            }
            "remove" if !is_few => {
                let prop = self.props.remove(any);
                self.strays.retain(|stray| stray.1 != prop.id);
                self.removed.extend(prop.names);
            }
            "rename" => {
                let name = self.fresh();
                self.props[any].names.insert(0, name);
            }
            "rename silently" => {
                let name = self.fresh();
                let prop = &mut self.props[any];
                self.strays.push((std::mem::replace(&mut prop.names, vec![name]), prop.id));
            }
            "reunite" => {
                let Some((names, id)) = self.strays.pop() else { return false };
                let Some(prop) = self.props.iter_mut().find(|prop| prop.id == id) else { return false };
                let is_old = |key: &str| names.iter().any(|name| super::file::behind(key, name).is_some());
                let both = said.values().any(|said| {
                    let about = said.fates.iter().flat_map(|it| &it.about);
                    let is_new = |key: &String| super::file::behind(key, &prop.names[0]).is_some();
                    said.unknown.iter().any(|(key, _)| is_old(key))
                        && (about.into_iter().any(is_new) || said.leaves.keys().chain(said.items.keys()).any(is_new))
                });
                if both {
                    self.strays.insert(0, (names, id));
                    return false;
                }
                prop.names.extend(names);
            }
            "revive" => {
                let Some(prop) = self.lost.pop() else { return false };
                self.props.insert(any, prop);
            }
            "reorder" => {
                shuffle(rng, &mut self.props);
                shuffle(rng, &mut self.part);
            }
            "rename class" => {
                let name = format!("Rock{}", self.class.len());
                self.class.insert(0, name);
            }
            "rename variant" => {
                let name = self.fresh();
                let variant = rng.below(self.mood.len());
                self.mood[variant].insert(0, name);
            }
            "rename field" => {
                let (name, field) = (self.fresh(), rng.below(self.part.len()));
                self.part[field].names.insert(0, name);
            }
            "add field" => {
                let ty = rng.pick(&Ty::FIELDS);
                let field = self.draw(rng, ty);
                self.part.insert(0, field);
            }
            "lose field" | "remove field" if self.part.len() > 2 => {
                let field = rng.below(self.part.len());
                if edit == "remove field" {
                    let field = self.part.remove(field);
                    self.part_removed.extend(field.names);
                } else if in_braces(&self.part[field].names) {
                    return false;
                } else {
                    let field = self.part.remove(field);
                    self.lost_fields.push(field);
                }
            }
            "revive field" => {
                let Some(field) = self.lost_fields.pop() else { return false };
                self.part.push(field);
            }
            "retype" | "retype by a new line" => {
                let Some(at) = of(&self.props, rng, &|ty| !matches!(ty, Ty::Map | Ty::Part)) else { return false };
                let (ty, conversion) = match self.props[at].ty {
                    Ty::Int if rng.one_in(2) => (Ty::Float, "halved"),
                    Ty::Int => (Ty::Text, "told"),
                    Ty::Float => (Ty::Text, "spoken"),
                    Ty::Text => (Ty::Int, "length"),
                    Ty::Bool => (Ty::Int, "bit"),
                    Ty::Vec3 => (Ty::List, "whole"),
                    Ty::Mood => (Ty::Text, "past"),
                    _ => (Ty::Int, "count"),
                };
                let new = self.draw(rng, ty);
                let prop = &mut self.props[at];
                let id = prop.id;
                let (old, name) = (prop.names.clone(), new.names[0].clone());
                prop.default = new.default;
                prop.ty = ty;
                let kind = match edit {
                    "retype" if rng.one_in(2) => "text",
                    "retype" => "turn",
                    _ => "move",
                };
                if kind != "text" {
                    prop.names = vec![name.clone()];
                }
                // Lines under its former keys have values of another type.
                self.strays.retain(|stray| stray.1 != id);
                self.act(kind, old, name, conversion);
            }
            "rename by migration" => {
                let name = self.fresh();
                let old = std::mem::replace(&mut self.props[any].names, vec![name.clone()]);
                self.act("rename", old, name, "");
            }
            "nest" if !is_few => {
                let Some(from) = of(&self.props, rng, &|ty| Ty::FIELDS.contains(&ty)) else { return false };
                let Some(to) = of(&self.props, rng, &|ty| ty == Ty::Part) else { return false };
                let key = self.props[to].names[0].clone();
                if said.values().any(|said| said.fates.iter().any(|fate| fate.about.contains(&key))) {
                    return false;
                }
                let name = self.fresh();
                let mut prop = self.props.remove(from);
                self.strays.retain(|stray| stray.1 != prop.id);
                let old = std::mem::replace(&mut prop.names, vec![name.clone()]);
                self.part.push(prop);
                self.act("rename", old, format!("{key}.{name}"), "");
            }
            "drop by migration" if !is_few => {
                let prop = self.props.remove(any);
                self.strays.retain(|stray| stray.1 != prop.id);
                self.act("drop", prop.names, "-".into(), "");
            }
            "split" => {
                let Some(at) = of(&self.props, rng, &|ty| ty == Ty::Vec3) else { return false };
                let parts: Vec<Prop> = (0..3).map(|_| self.draw(rng, Ty::Float)).collect();
                let new: Vec<String> = parts.iter().map(|part| part.names[0].clone()).collect();
                let old = self.props.splice(at..=at, parts).next().unwrap();
                self.strays.retain(|stray| stray.1 != old.id);
                self.act("split", old.names, new.join("|"), "");
            }
            "default" => {
                let Some(at) = of(&self.props, rng, &|ty| Ty::FIELDS.contains(&ty)) else { return false };
                let ty = self.props[at].ty;
                self.props[at].default = value(rng, self, ty);
            }
            _ => return false,
        }
        true
    }
}
