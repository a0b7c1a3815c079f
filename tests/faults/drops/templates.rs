//! The same through templates: copies, propagation, reverts, and hooks that panic in the midst of them.

use juliet::TemplateHandle;

use super::*;

/// A value that counts itself, with a clone that may panic.
#[derive(PartialEq)]
pub(super) struct Brand(String);

impl Brand {
    pub(super) fn of(text: &str) -> Self {
        LIVE.fetch_add(1, Ordering::SeqCst);
        Self(text.to_owned())
    }
}

impl Default for Brand {
    fn default() -> Self {
        burn(Hook::Default);
        Self::of("none")
    }
}

impl Clone for Brand {
    fn clone(&self) -> Self {
        burn(Hook::Clone);
        Self::of(&self.0)
    }
}

impl Drop for Brand {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::SeqCst);
        burn(Hook::Drop);
    }
}

pub(super) mod brand {
    use super::{Brand, Hook, Infallible, burn};

    pub(in crate::faults::drops) fn read(text: &str) -> Result<Brand, Infallible> {
        burn(Hook::Read);
        Ok(Brand::of(text))
    }

    pub(in crate::faults::drops) fn write(value: &Brand) -> String {
        burn(Hook::Write);
        value.0.clone()
    }
}

/// A class with heap fields.
#[derive(Entity)]
#[jasset(post_init = stamp)]
struct Heap {
    name: String,
    items: Vec<String>,
    #[jasset(with = brand)]
    brand: Brand,
    number: u32,
    #[jasset(skip)]
    stamped: bool,
}

fn stamp(heap: &mut Heap) {
    burn(Hook::PostInit);
    heap.stamped = true;
}

const BASE: &str = "; entity_type: Heap\nName: a name that is too long to lie inline\nItems: [a, b]\nBrand: base\n";

/// Two templates and `count` instances of each.
fn content(count: u64) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join(ENTITIES)).unwrap();
    std::fs::create_dir_all(root.path().join("Templates")).unwrap();
    std::fs::write(root.path().join("Templates/Base.jasset"), BASE).unwrap();
    let mid = "; template: Assets/Templates/Base.jasset\nNumber: 5\n";
    std::fs::write(root.path().join("Templates/Mid.jasset"), mid).unwrap();
    for index in 0..2 * count {
        let template = ["Base", "Mid"][index as usize % 2];
        let own = ["", "Brand: own\n", "Items: [x]\n"][index as usize % 3];
        let id = 0x0200_0000_0000_0001 + index;
        let text =
            format!("; template: Assets/Templates/{template}.jasset\n; id: {id:#018x}\nPosition: 1, 2, 3\n{own}");
        std::fs::write(root.path().join(ENTITIES).join(format!("{index:03}.jasset")), text).unwrap();
    }
    root
}

fn load(root: &tempfile::TempDir) -> (World, TemplateHandle, TemplateHandle) {
    let registry = registry![Heap].unwrap();
    let project = Project::open_on(std::sync::Arc::new(quick()), root.path(), registry).unwrap();
    let (world, report) = project.load_world("W").unwrap();
    assert_eq!(report.diagnostics, []);
    let [base, mid] = ["Base", "Mid"].map(|it| world.find_template(&format!("Assets/Templates/{it}.jasset")).unwrap());
    (world, base, mid)
}

#[test]
fn values_end_once_through_all_that_templates_do() {
    let _turn = turn();
    let root = content(6);
    let (mut world, base, mid) = load(&root);
    let all = handles(&world);
    let loaded = live();
    let first = world.spawn_from(mid, Vec3::ZERO).unwrap();
    assert_eq!(live(), loaded + 1);
    let many = world.spawn_many_from(base, &[Vec3::ZERO.into(); 5]).unwrap();
    let copy = world.duplicate(all[1]).unwrap();
    assert_eq!(live(), loaded + 7);
    // Changes leave as many values as there were.
    world.set_text(base, "Brand", "other").unwrap();
    world.set_text(base, "Items", "[q, r, s]").unwrap();
    world.set(mid, "Name", String::from("mid")).unwrap();
    world.get_mut::<Heap>(first).unwrap().brand = Brand::of("written");
    world.set_text(copy, "Name", "copy").unwrap();
    for handle in handles(&world) {
        world.revert(handle, "Items").unwrap();
    }
    world.apply_all(first, base).unwrap();
    world.revert_all(copy).unwrap();
    world.set_template(many[0], mid).unwrap();
    world.unlink(many[1]).unwrap();
    world.set_template(many[1], base).unwrap();
    assert!(world.remove_template(mid).is_err());
    assert_eq!(live(), loaded + 7);
    world.create_template(many[2], "New").unwrap();
    assert_eq!(live(), loaded + 8, "the image");
    std::fs::write(root.path().join("Templates/Base.jasset"), BASE.replace("base", "reread")).unwrap();
    world.revert_all(base).unwrap();
    let _report = world.reread_templates();
    world.compact();
    assert_eq!(live(), loaded + 8);
    world.entities().validate().unwrap();
    let ids: Vec<u64> = handles(&world).into_iter().step_by(2).map(|handle| world.remove(handle).unwrap()).collect();
    world.restore(ids[1]).unwrap();
    let _report = world.save().unwrap();
    assert_eq!(live(), loaded + 8 - ids.len() as i64 + 1);
    drop(world);
    assert_eq!(live(), 0);
}

/// Every instance is in the list of its template once, has an id, and nothing else is in a list.
fn check_lists(world: &World) {
    world.entities().validate().unwrap();
    let mut members = 0;
    for template in world.templates().collect::<Vec<_>>() {
        for instance in world.instances_of(template) {
            assert_eq!(world.template_of(instance), Some(template));
            members += 1;
        }
    }
    let instances = world.iter().filter(|base| base.template() != 0);
    assert_eq!(instances.count(), members);
    assert!(world.iter().all(|base| base.id() != 0));
}

#[test]
fn panics_of_the_users_code_in_the_midst_of_templates_lose_nothing() {
    let _turn = turn();
    for hook in [Hook::Default, Hook::PostInit, Hook::Clone, Hook::Read, Hook::Write, Hook::Drop] {
        for after in 0..9 {
            let root = content(3);
            let (mut world, base, mid) = load(&root);
            let all = handles(&world);
            let mut spawned = 0;
            let mut count = |done: Option<usize>| spawned += done.unwrap_or_default();
            light(hook, after);
            count(catch_unwind(AssertUnwindSafe(|| world.spawn_from(mid, Vec3::ZERO).unwrap())).map(|_| 1).ok());
            let positions = [Vec3::ZERO.into(); 4];
            count(catch_unwind(AssertUnwindSafe(|| world.spawn_many_from(base, &positions).unwrap().len())).ok());
            count(catch_unwind(AssertUnwindSafe(|| world.duplicate(all[1]).unwrap())).map(|_| 1).ok());
            let _set = panics(|| world.set_text(base, "Brand", "other"));
            let _written = panics(|| world.get_mut::<Heap>(all[0]).unwrap().brand = Brand::of("written"));
            let _reverted = panics(|| world.revert(all[0], "Brand"));
            let _reverted = panics(|| world.revert_all(all[1]));
            let _applied = panics(|| world.apply_all(all[2], base));
            let _based = panics(|| world.set_template(all[2], mid));
            let _unlinked = panics(|| world.unlink(all[3]));
            let _made = panics(|| world.create_template(all[3], "New"));
            let _removed = panics(|| world.remove(all[4]));
            let _restored = panics(|| world.restore(0x0200_0000_0000_0005));
            std::fs::write(root.path().join("Templates/Mid.jasset"), BASE).unwrap();
            let _reread = panics(|| world.reread_templates());
            let _asked = panics(|| (world.dirty(), world.diff(all[0]), world.rows(all[1])));
            let _saved = panics(|| world.save());
            assert!(after > 0 || FUSES[hook as usize].load(Ordering::SeqCst) < 0, "{hook:?} never ran");
            light(hook, -1);
            check_lists(&world);
            let removed = world.removed().count();
            assert!(world.len() + removed >= 6 + spawned, "{hook:?} {after}");
            // What was left half-way can be used and saved.
            world.set_text(base, "Brand", "last").unwrap();
            let new = world.spawn_from(mid, Vec3::ZERO).unwrap();
            world.revert_all(new).unwrap();
            let report = world.save().unwrap();
            assert!(report.is_complete(), "{hook:?} {after}: {:?}", report.diagnostics);
            check_lists(&world);
            drop(world);
            assert_eq!(live(), 0, "{hook:?} {after}");
            let (again, ..) = load(&root);
            drop(again);
            assert_eq!(live(), 0);
        }
    }
}

#[test]
fn a_panic_while_an_instance_is_restored_keeps_its_file_and_its_template() {
    let _turn = turn();
    let root = content(1);
    let (mut world, base, _) = load(&root);
    let handle = world.instances_of(base)[0];
    let file = world.file_of(handle);
    let id = world.remove(handle).unwrap();
    light(Hook::PostInit, 0);
    assert!(panics(|| world.restore(id)));
    assert_eq!((world.removed().collect::<Vec<_>>(), world.instances_of(base)), (vec![id], vec![]));
    check_lists(&world);
    let handle = world.restore(id).unwrap();
    assert_eq!((world.file_of(handle), world.template_of(handle)), (file, Some(base)));
    assert!(world.dirty().is_empty() && world.save().unwrap().written.is_empty());
}
