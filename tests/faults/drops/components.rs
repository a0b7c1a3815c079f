//! The same for components of entities and templates.

use juliet::TemplateHandle;

use super::templates::{Brand, brand};
use super::*;

/// What has components.
#[derive(Entity)]
struct Cart {
    number: u32,
}

/// A component with heap fields.
#[derive(Component)]
#[jasset(post_init = stamp)]
struct Load {
    items: Vec<String>,
    #[jasset(with = brand)]
    brand: Brand,
    number: u32,
    #[jasset(skip)]
    stamped: bool,
}

/// Another one.
#[derive(Component)]
struct Mark {
    #[jasset(with = brand)]
    brand: Brand,
}

fn stamp(load: &mut Load) {
    burn(Hook::PostInit);
    load.stamped = true;
}

const BASE: &str = "; entity_type: Cart\n; component: Load\nItems: [a, b]\nBrand: base\n";

/// Two templates and `count` instances of each, and as many entities that stand alone.
fn content(count: u64) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join(ENTITIES)).unwrap();
    std::fs::create_dir_all(root.path().join("Templates")).unwrap();
    std::fs::write(root.path().join("Templates/Base.jasset"), BASE).unwrap();
    let mid = "; template: Assets/Templates/Base.jasset\n; component: Mark\nBrand: mid\n";
    std::fs::write(root.path().join("Templates/Mid.jasset"), mid).unwrap();
    for index in 0..3 * count {
        let head = [
            "; template: Assets/Templates/Base.jasset\n",
            "; template: Assets/Templates/Mid.jasset\n",
            "; entity_type: Cart\n",
        ][index as usize % 3];
        let own = ["", "; component: Load\nBrand: own\n", "; component: Mark\n"][index as usize / 3 % 3];
        let id = 0x0200_0000_0000_0001 + index;
        let text = format!("{head}; id: {id:#018x}\nPosition: 1, 2, 3\n{own}");
        std::fs::write(root.path().join(ENTITIES).join(format!("{index:03}.jasset")), text).unwrap();
    }
    root
}

fn load(root: &tempfile::TempDir) -> (World, TemplateHandle, TemplateHandle) {
    let registry = registry![Cart, Load, Mark].unwrap();
    let project = Project::open_on(std::sync::Arc::new(quick()), root.path(), registry).unwrap();
    let (world, report) = project.load_world("W").unwrap();
    assert_eq!(report.diagnostics, []);
    let [base, mid] = ["Base", "Mid"].map(|it| world.find_template(&format!("Assets/Templates/{it}.jasset")).unwrap());
    (world, base, mid)
}

/// Components of entities and of images; each has one brand.
fn count(world: &World) -> i64 {
    let of_entities = (0..2).map(|kind| world.entities().count_of_component(kind)).sum::<usize>();
    let of_images = world.templates().flat_map(|it| world.components(it)).filter(|it| it.is_there).count();
    (of_entities + of_images) as i64
}

#[test]
fn components_end_once_through_all_that_worlds_do() {
    let _turn = turn();
    let root = content(6);
    let (mut world, base, mid) = load(&root);
    let all = handles(&world);
    // Values that a world keeps to compare with are not of an entity.
    let kept = live() - count(&world);
    assert!((0..=2).contains(&kept), "{kept}");
    let first = world.spawn_from(mid, Vec3::ZERO).unwrap();
    let many = world.spawn_many_from(base, &[Vec3::ZERO.into(); 5]).unwrap();
    let copy = world.duplicate(all[1]).unwrap();
    world.set_text(base, "Load/Brand", "other").unwrap();
    world.component_mut::<Load>(first).unwrap().brand = Brand::of("written");
    world.set_text(copy, "Load/Items", "[x]").unwrap();
    world.add_component_of(base, "Mark").unwrap();
    world.remove_component_of(mid, "Load").unwrap();
    world.revert(mid, "Load/").unwrap();
    world.apply_all(first, base).unwrap();
    world.revert_all(copy).unwrap();
    world.set_template(many[0], mid).unwrap();
    world.unlink(many[1]).unwrap();
    world.set_template(many[1], base).unwrap();
    world.create_template(many[2], "New").unwrap();
    world.remove_component::<Load>(all[2]).unwrap_or_default();
    world
        .add_component(all[2], Load { items: Vec::new(), brand: Brand::of("new"), number: 1, stamped: false })
        .unwrap();
    world
        .add_component(all[2], Load { items: Vec::new(), brand: Brand::of("dropped"), number: 2, stamped: false })
        .unwrap();
    std::fs::write(root.path().join("Templates/Base.jasset"), BASE.replace("base", "reread")).unwrap();
    let _report = world.reread_templates();
    world.compact();
    world.entities().validate().unwrap();
    let ids: Vec<u64> = handles(&world).into_iter().step_by(2).map(|handle| world.remove(handle).unwrap()).collect();
    world.restore(ids[1]).unwrap();
    assert!(world.save().unwrap().diagnostics.len() <= 1, "the template that changed on disk alone");
    let kept = live() - count(&world);
    assert!((0..=2).contains(&kept), "{kept}");
    world.entities().validate().unwrap();
    drop(world);
    assert_eq!(live(), 0);
}

#[test]
fn panics_in_the_midst_of_components_lose_nothing() {
    let _turn = turn();
    for hook in [Hook::Default, Hook::PostInit, Hook::Clone, Hook::Read, Hook::Write, Hook::Drop] {
        for after in 0..9 {
            let root = content(2);
            let (mut world, base, mid) = load(&root);
            let all = handles(&world);
            light(hook, after);
            let _spawned = panics(|| world.spawn_from(mid, Vec3::ZERO));
            let _spawned = panics(|| world.spawn_many_from(base, &[Vec3::ZERO.into(); 3]));
            let _copied = panics(|| world.duplicate(all[1]));
            let _added = panics(|| world.add_component_of(all[2], "Load"));
            let _added = panics(|| world.add_component_of(base, "Mark"));
            let _set = panics(|| world.set_text(base, "Load/Brand", "other"));
            let _written = panics(|| {
                if let Some(mut load) = world.component_mut::<Load>(all[0]) {
                    load.brand = Brand::of("written");
                }
            });
            let _reverted = panics(|| world.revert(all[0], "Load/"));
            let _taken = panics(|| world.remove_component::<Load>(all[1]));
            let _taken = panics(|| world.remove_component_of(mid, "Load"));
            let _applied = panics(|| world.apply_all(all[1], base));
            let _based = panics(|| world.set_template(all[2], mid));
            let _unlinked = panics(|| world.unlink(all[3]));
            let _made = panics(|| world.create_template(all[3], "New"));
            let _removed = panics(|| world.remove(all[4]));
            let _restored = panics(|| world.restore(0x0200_0000_0000_0005));
            let _asked = panics(|| (world.dirty(), world.diff(all[0]), world.rows(all[1])));
            let _saved = panics(|| world.save());
            light(hook, -1);
            world.entities().validate().unwrap();
            assert!(world.len() + world.removed().count() >= 6, "{hook:?} {after}");
            // What was left half-way can be used and saved.
            world.set_text(base, "Number", "9").unwrap();
            let new = world.spawn_from(base, Vec3::ZERO).unwrap();
            world.revert_all(new).unwrap();
            let report = world.save().unwrap();
            assert!(report.is_complete(), "{hook:?} {after}: {:?}", report.diagnostics);
            world.entities().validate().unwrap();
            drop(world);
            assert_eq!(live(), 0, "{hook:?} {after}");
            let (again, ..) = load(&root);
            drop(again);
            assert_eq!(live(), 0);
        }
    }
}
