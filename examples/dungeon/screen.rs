//! The dungeon in a terminal: keys in, a picture out. Nothing here is seen by the simulation but the keys.

use std::error::Error;
use std::time::{Duration, Instant};

use juliet::game_loop::no_hook;
use juliet::prelude::*;
use juliet::presentation::{Pose, Positions};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::text::Line;
use ratatui::widgets::canvas::{Canvas, Circle, Context, Rectangle};
use ratatui::widgets::{Block, Paragraph};
use ratatui::{DefaultTerminal, Frame};

use super::game::classes::{Alert, Body, Hero, Look, Monster, Treasure};
use super::game::{self, Keys, Log, TICK_RATE_HZ, Teleported, Walls};

/// How long a key counts as held: terminals tell presses and repeats, few tell releases.
const HELD: Duration = Duration::from_millis(180);

/// Runs until `q`, or for so many frames.
pub(crate) fn run(frames: Option<u64>) -> Result<(), Box<dyn Error>> {
    let world = game::load()?;
    let terminal = ratatui::init();
    let done = play(world, terminal, frames.unwrap_or(u64::MAX));
    ratatui::restore();
    done
}

fn play(mut world: World, mut terminal: DefaultTerminal, frames: u64) -> Result<(), Box<dyn Error>> {
    let mut game_loop = GameLoop::new(LoopOptions { tick_rate_hz: TICK_RATE_HZ, ..LoopOptions::default() })?;
    // The first frame runs no tick; after it the start reference is known.
    game_loop.frame(&mut world, |world, _| game::tick(world), no_hook)?;
    let options = SnapshotOptions { tick_rate_hz: TICK_RATE_HZ };
    let capacity = world.entities().capacity();
    let mut snapshot = PresentationSnapshot::<Fpx16_16>::new(capacity, game_loop.start_reference_ns(), options)?;
    let mut pressed = Pressed::default();
    let mut jumps = EventCursor::<Teleported>::default();
    for _ in 0..frames {
        if pressed.read()? {
            break;
        }
        world.insert_resource(pressed.keys());
        // One reading for the ticks and for what is shown.
        let now_ns = game_loop.now_ns();
        game_loop.frame_at(
            now_ns,
            &mut world,
            |world, _| game::tick(world),
            |world, tick| {
                jumps.read(world.events()).for_each(|&Teleported(who)| snapshot.reset(who));
                snapshot.on_tick(&Bodies(world), tick);
            },
        )?;
        snapshot.on_render_frame(now_ns);
        terminal.draw(|frame| draw(frame, &world, &snapshot))?;
    }
    Ok(())
}

/// The places that a snapshot looks at.
struct Bodies<'w>(&'w World);

impl Positions<Fpx16_16> for Bodies<'_> {
    fn contains(&self, handle: EntityHandle) -> bool {
        self.0.base(handle).is_some()
    }

    fn get(&self, handle: EntityHandle) -> Option<Pose<Fpx16_16>> {
        self.0.component::<Body>(handle).map(|body| body.place().into())
    }

    fn for_each(&self, mut visit: impl FnMut(EntityHandle, Pose<Fpx16_16>)) {
        self.0.list().with::<Body>().for_each(|handle| {
            if let Some(pose) = self.get(handle) {
                visit(handle, pose);
            }
        });
    }
}

/// When each key was last pressed: left, right, up, down, strike.
#[derive(Default)]
struct Pressed([Option<Instant>; 5]);

impl Pressed {
    /// Takes what was pressed since the last call, and says whether that was `q`. Waits for a frame's time at the most.
    fn read(&mut self) -> Result<bool, Box<dyn Error>> {
        let mut wait = Duration::from_millis(8);
        while event::poll(wait)? {
            wait = Duration::ZERO;
            let Event::Key(key) = event::read()? else { continue };
            let at = match key.code {
                KeyCode::Char('q') | KeyCode::Esc => return Ok(true),
                KeyCode::Left | KeyCode::Char('a') => 0,
                KeyCode::Right | KeyCode::Char('d') => 1,
                KeyCode::Up | KeyCode::Char('w') => 2,
                KeyCode::Down | KeyCode::Char('s') => 3,
                KeyCode::Char(' ') => 4,
                _ => continue,
            };
            self.0[at] = (key.kind != KeyEventKind::Release).then(Instant::now);
        }
        Ok(false)
    }

    /// What counts as held. A strike is one press.
    fn keys(&mut self) -> Keys {
        let strikes = self.0[4].take().is_some();
        let [left, right, up, down, _] = self.0.map(|at| i32::from(at.is_some_and(|at| at.elapsed() < HELD)));
        Keys { x: right - left, y: down - up, strikes }
    }
}

fn draw(frame: &mut Frame<'_>, world: &World, snapshot: &PresentationSnapshot<Fpx16_16>) {
    let (Ok(walls), Ok(log)) = (world.resource::<Walls>(), world.resource::<Log>()) else { return };
    let [map, below] = Layout::vertical([Constraint::Min(8), Constraint::Length(7)]).areas(frame.area());
    let (width, height) = (f64::from(walls.width), f64::from(walls.height));
    let canvas = Canvas::default()
        .block(Block::bordered().title(" Dungeon: arrows, space, q "))
        .marker(Marker::HalfBlock)
        .x_bounds([0.0, width])
        .y_bounds([-height, 0.0])
        .paint(|context| {
            draw_walls(context, walls);
            snapshot.for_each_sample(&Bodies(world), |handle, pose| draw_body(context, world, handle, pose));
        });
    frame.render_widget(canvas, map);
    let health = world.iter_of::<Hero>().next().map_or(0, |(_, hero)| hero.health);
    let status = format!("health {health}   gold {}   blows {}   falls {}", log.score, log.blows, log.falls);
    let lines = std::iter::once(status).chain(log.lines.iter().rev().cloned()).map(Line::from);
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()).block(Block::bordered()), below);
}

fn draw_walls(context: &mut Context<'_>, walls: &Walls) {
    for (x, y) in (0..walls.height).flat_map(|y| (0..walls.width).map(move |x| (x, y))) {
        if walls.is_wall(x, y) {
            // Two squares, one in the other, fill a cell at any size of the terminal.
            for inset in [0.05, 0.3] {
                let size = 1.0 - 2.0 * inset;
                let (x, y) = (f64::from(x) + inset, -f64::from(y) - 1.0 + inset);
                context.draw(&Rectangle { x, y, width: size, height: size, color: Color::DarkGray });
            }
        }
    }
}

fn draw_body(context: &mut Context<'_>, world: &World, handle: EntityHandle, pose: Pose<Fpx16_16>) {
    let [x, y] = [pose.position.x, pose.position.y].map(|it| f64::from(Fpx16_16::to_f32(it)));
    let (radius, color) = if world.get::<Hero>(handle).is_some() {
        (0.45, Color::White)
    } else if world.get::<Treasure>(handle).is_some() {
        (0.15, Color::Yellow)
    } else if let Some(monster) = world.get::<Monster>(handle) {
        let calm = match monster.look {
            Look::Goblin => (0.35, Color::Green),
            Look::Ogre => (0.55, Color::Magenta),
            Look::Bat => (0.2, Color::Gray),
        };
        let is_alert = world.component::<Alert>(handle).is_some();
        (calm.0, if is_alert { Color::Red } else { calm.1 })
    } else {
        return;
    };
    for part in [1.0, 0.5] {
        context.draw(&Circle { x, y: -y, radius: radius * part, color });
    }
}
