//! What happens in a tick. Change a number, or add a function and its name to `table` and to `WorldSettings.jasset`.

use juliet::prelude::*;
use juliet::sim_math::Vec2;
use juliet::{ResourceError, System};

use super::TICK_RATE_HZ;
use super::classes::{Alert, Body, Den, Hero, Level, Monster, Treasure};

/// Everything that the settings of a world can name.
pub(super) fn table() -> SystemTable {
    let mut table = SystemTable::default();
    table.add("steer", || system("steer", steer).in_stage("input"));
    table.add("think", || system("think", think));
    table.add("breed", || system("breed", Breed::default()));
    table.add("walk", || system("walk", walk).in_stage("physics"));
    table.add("touch", || system("touch", Touch::default()).in_stage("post-physics"));
    table.add("tell", || system("tell", Tell::default()).in_stage("post-frame"));
    table
}

/// What is pressed in this tick.
#[derive(Clone, Copy, Default)]
pub(crate) struct Keys {
    /// -1 is left, 1 is right.
    pub(crate) x: i32,
    /// -1 is up, 1 is down.
    pub(crate) y: i32,
    /// Whether the hero strikes.
    pub(crate) strikes: bool,
}

impl Keys {
    /// Somebody who zigzags to the right, turns now and then, and strikes twice a second.
    pub(crate) fn scripted(frame: u64) -> Self {
        let (x, y) = [(1, 0), (1, 1), (1, 0), (1, -1), (0, 1), (1, 0), (-1, 1)][(frame / 45 % 7) as usize];
        Self { x, y, strikes: frame.is_multiple_of(30) }
    }
}

/// Which cells are walls, row by row.
#[derive(Default)]
pub(crate) struct Walls {
    /// Cells of a row.
    pub(crate) width: i32,
    /// Rows.
    pub(crate) height: i32,
    cells: Vec<bool>,
}

impl Walls {
    /// Whether there is a wall; beyond the level everything is.
    pub(crate) fn is_wall(&self, x: i32, y: i32) -> bool {
        let inside = (0..self.width).contains(&x) && (0..self.height).contains(&y);
        !inside || self.cells[(y * self.width + x) as usize]
    }

    /// Whether a body fits there.
    fn is_free(&self, x: i32, y: i32) -> bool {
        const RADIUS: i32 = 19_661;
        let cell = |raw: i32| raw >> 16;
        let corners = [(-RADIUS, -RADIUS), (RADIUS, -RADIUS), (-RADIUS, RADIUS), (RADIUS, RADIUS)];
        corners.into_iter().all(|(dx, dy)| !self.is_wall(cell(x + dx), cell(y + dy)))
    }
}

/// SplitMix64: <https://prng.di.unimi.it/splitmix64.c>.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % count
    }
}

/// What has come of it.
#[derive(Default)]
pub(crate) struct Log {
    /// Worth of what was found.
    pub(crate) score: u32,
    /// Blows that the hero took.
    pub(crate) blows: u32,
    /// How often the hero fell.
    pub(crate) falls: u32,
    /// The last lines.
    pub(crate) lines: Vec<String>,
}

/// Something worth telling.
enum News {
    Found(u32),
    Blow(i32),
    Slain,
    Fell,
}

/// Something that jumped: the screen is not to show the way between.
pub(crate) struct Teleported(pub(crate) EntityHandle);

/// What the systems share, and a body for everything that has a place.
pub(super) fn set_up(world: &mut World) -> Result<(), juliet::AddError> {
    let mut walls = Walls::default();
    if let Some((_, level)) = world.iter_of::<Level>().next() {
        walls.height = level.rows.len() as i32;
        walls.width = level.rows.values().map(String::len).max().unwrap_or_default() as i32;
        let cell = |row: &String, x: i32| row.as_bytes().get(x as usize).is_none_or(|&cell| cell == b'#');
        walls.cells = level.rows.values().flat_map(|row| (0..walls.width).map(move |x| cell(row, x))).collect();
    }
    world.insert_resource(walls);
    world.insert_resource(Dice(7));
    world.insert_resource(Log::default());
    world.insert_resource(Keys::default());
    let placed = world.list().without::<Level>().collect();
    for handle in &placed {
        if let Some(position) = world.position(handle) {
            world.add_component(handle, Body::at(position))?;
        }
    }
    Ok(())
}

/// Cells a second → a step of one tick.
fn per_tick(cells_per_second: f32) -> Fix {
    Fpx16_16::div(Fpx16_16::from_f32(cells_per_second), Fpx16_16::from_i32(TICK_RATE_HZ as i32))
}

/// The hero, and where that is.
fn hero(world: &World) -> Option<(EntityHandle, Vec2<Fpx16_16>)> {
    let (handle, _) = world.iter_of::<Hero>().next()?;
    Some((handle, world.component::<Body>(handle)?.place()))
}

fn is_near(a: Vec2<Fpx16_16>, b: Vec2<Fpx16_16>, cells: f32) -> bool {
    Vec2::length(Vec2::sub(a, b)) < Fpx16_16::from_f32(cells)
}

/// The keys move the hero.
fn steer(world: &mut World) {
    let keys = world.resource::<Keys>().copied().unwrap_or_default();
    let way = Vec2::<Fpx16_16>::new(Fpx16_16::from_i32(keys.x), Fpx16_16::from_i32(keys.y));
    let Ok(heroes) = world.query::<(&Hero, &mut Body)>() else { return };
    heroes.for_each(|_, (hero, mut body)| body.head(Vec2::scale(Vec2::normalize(way), per_tick(hero.speed))));
}

/// Monsters that see the hero come; the others stroll about.
fn think(world: &mut World) {
    let Some((_, hero)) = hero(world) else { return };
    let mut changed = Vec::new();
    let thought = world.with_resource(|dice: &mut Dice, world| {
        let Ok(monsters) = world.query::<(&Monster, &mut Body, Option<&Alert>)>() else { return };
        monsters.for_each(|handle, (monster, mut body, alert)| {
            let (way, speed) = (Vec2::sub(hero, body.place()), per_tick(monster.speed));
            let sees = is_near(hero, body.place(), monster.sight);
            if sees {
                body.head(Vec2::scale(Vec2::normalize(way), speed));
            } else if dice.below(40) == 0 {
                let (x, y) = [(1, 0), (0, 1), (-1, 0), (0, -1), (0, 0)][dice.below(5) as usize];
                body.head(Vec2::scale(Vec2::new(Fpx16_16::from_i32(x), Fpx16_16::from_i32(y)), speed));
            }
            if sees != alert.is_some() {
                changed.push((handle, sees));
            }
        });
    });
    debug_assert!(thought.is_ok(), "the dice are put in by `set_up`");
    for (monster, sees) in changed {
        match sees {
            true => world.commands().add_component(monster, Alert),
            false => world.commands().remove_component::<Alert>(monster),
        }
    }
}

/// Dens send out what lives in them.
#[derive(Default)]
struct Breed {
    ticks: u32,
}

impl System<World> for Breed {
    fn update(&mut self, world: &mut World) {
        self.ticks += 1;
        let monsters = world.list().of_type::<Monster>().len() as u32;
        let due = |den: &Den| self.ticks.is_multiple_of(den.every_ticks) && monsters < den.most;
        let dens = world.iter_of::<Den>().filter(|(_, den)| due(den));
        let born: Vec<_> = dens
            .filter_map(|(handle, den)| Some((world.find_template(&den.brood)?, world.position(handle)?)))
            .collect();
        for (template, position) in born {
            let commands = world.commands();
            let monster = commands.spawn_from(template, position);
            commands.add_component(monster, Body::at(position));
        }
    }
}

/// Bodies go their way, along walls where they meet one.
fn walk(world: &mut World) {
    let walked = world.with_resource(|walls: &mut Walls, world| {
        let Ok(bodies) = world.query::<(&mut Body,)>() else { return };
        bodies.par_for_each(|_, (mut body,)| {
            if (body.dx, body.dy) == (0, 0) {
                return;
            }
            let (x, y) = (body.x + body.dx, body.y + body.dy);
            if walls.is_free(x, body.y) {
                body.x = x;
            }
            if walls.is_free(body.x, y) {
                body.y = y;
            }
        });
    });
    debug_assert!(walked.is_ok(), "the walls are put in by `set_up`");
}

/// The hero finds, strikes, is struck and falls.
#[derive(Default)]
struct Touch {
    ticks: u64,
}

impl System<World> for Touch {
    fn update(&mut self, world: &mut World) {
        self.ticks += 1;
        let Some((handle, hero)) = hero(world) else { return };
        let found: Vec<_> = (world.iter_of::<Treasure>())
            .filter(|&(it, _)| world.component::<Body>(it).is_some_and(|body| is_near(hero, body.place(), 0.7)))
            .map(|(it, treasure)| (it, treasure.value))
            .collect();
        for (treasure, value) in found {
            world.commands().remove(treasure);
            world.send(News::Found(value));
        }
        let strikes = world.resource::<Keys>().is_ok_and(|keys| keys.strikes);
        let mut damage = 0;
        let mut slain = Vec::new();
        let Ok(monsters) = world.query::<(&mut Monster, &Body)>() else { return };
        monsters.for_each(|it, (mut monster, body)| {
            if strikes && is_near(hero, body.place(), 1.5) {
                monster.health -= 1;
                if monster.health <= 0 {
                    slain.push(it);
                }
            } else if self.ticks.is_multiple_of(30) && is_near(hero, body.place(), 0.8) {
                damage += monster.damage;
            }
        });
        for monster in slain {
            world.commands().remove(monster);
            world.send(News::Slain);
        }
        if damage > 0 {
            world.send(News::Blow(damage));
            let Some(mut hero) = world.get_mut::<Hero>(handle) else { return };
            hero.health -= damage;
            if hero.health <= 0 {
                hero.health = Hero::default_value().health;
                rise(world, handle);
            }
        }
    }
}

/// The hero is back where the level has one begin.
fn rise(world: &mut World, hero: EntityHandle) {
    let Some(start) = world.position(hero).map(Body::at) else { return };
    if let Some(mut body) = world.component_mut::<Body>(hero) {
        *body = start;
    }
    world.send(News::Fell);
    world.send(Teleported(hero));
}

/// What happened, in words and numbers.
#[derive(Default)]
struct Tell {
    news: EventCursor<News>,
}

impl System<World> for Tell {
    fn update(&mut self, world: &mut World) {
        let told: Result<(), ResourceError> = world.with_resource(|log: &mut Log, world| {
            for news in self.news.read(world.events()) {
                let line = match news {
                    News::Found(value) => {
                        log.score += value;
                        format!("found {value} gold")
                    }
                    News::Blow(damage) => {
                        log.blows += 1;
                        format!("took a blow of {damage}")
                    }
                    News::Slain => "slew a monster".to_owned(),
                    News::Fell => {
                        log.falls += 1;
                        "fell, and rises again".to_owned()
                    }
                };
                log.lines.push(line);
            }
            let old = log.lines.len().saturating_sub(5);
            log.lines.drain(..old);
        });
        debug_assert!(told.is_ok(), "the log is put in by `set_up`");
    }
}
