//! Components without properties.

use super::{Asleep, Frozen, Orc, Velocity, orcs};

#[test]
fn tags_are_added_asked_for_and_taken_away() {
    assert_eq!((size_of::<Asleep>(), size_of::<Frozen>()), (0, 0));
    let (mut world, handles) = orcs(100);
    for &handle in handles.iter().step_by(3) {
        world.add_component(handle, Asleep).unwrap();
        world.add_component(handle, Asleep).unwrap();
    }
    for &handle in handles.iter().step_by(2) {
        world.add_component(handle, Frozen {}).unwrap();
    }
    assert_eq!(world.list().with::<Asleep>().len(), 34);
    assert_eq!(world.list().with::<Asleep>().without::<Frozen>().len(), 17);
    let mut both = Vec::new();
    let query = world.query::<(&mut Orc, &mut Asleep, &Frozen)>().unwrap().without::<Velocity>();
    query.for_each(|handle, (mut orc, asleep, frozen)| {
        assert_eq!((&*asleep, frozen), (&Asleep, &Frozen {}));
        orc.health = 0;
        both.push(handle);
    });
    assert_eq!(both, handles.iter().copied().step_by(6).collect::<Vec<_>>());
    assert_eq!(world.remove_component::<Asleep>(handles[0]), Ok(true));
    assert_eq!(world.remove_component::<Asleep>(handles[0]), Ok(false));
    assert_eq!(world.component::<Asleep>(handles[0]), None);
    world.commands().remove_component::<Asleep>(handles[3]);
    world.commands().remove(handles[6]);
    world.cleanup().unwrap();
    assert_eq!(world.list().with::<Asleep>().len(), 31);
    world.compact();
    assert_eq!((world.list().with::<Asleep>().len(), world.list().with::<Frozen>().len()), (31, 49));
    world.entities().validate().unwrap();
}
