//! Wavefront OBJ → triangles.
//!
//! ```text
//! v 0 1 0            a position; what follows three numbers (a weight, a colour) is not used
//! vt 0.5 1           a place in the texture
//! vn 0 0 1           a normal
//! f 1/1/1 2/2/1 -1   a polygon: position/texture/normal, from 1, or from the latest one backwards; becomes a fan of triangles
//! #, o, g, usemtl …  not used: a file is one mesh
//! ```
//!
//! The format as in Appendix B1 of the Advanced Visualizer manual, polygons only. Each fault has a line. A line may go on behind a `\` at its end.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use glam::{Vec2, Vec3};

use super::loader::{AssetLoader, LoadError};
use super::mesh::Mesh;

/// Reads `obj`.
///
/// Linear in the file. Corners with the same three numbers are one vertex, in the order of their first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjLoader {
    /// Positions, places in textures, normals, and vertices that there may be at most, of each.
    pub vertex_limit: u32,
    /// Triangles that there may be at most.
    pub triangle_limit: u32,
}

impl Default for ObjLoader {
    /// 4,194,304 vertices and twice as many triangles: half a gigabyte at most while a file is read.
    fn default() -> Self {
        Self { vertex_limit: 1 << 22, triangle_limit: 1 << 23 }
    }
}

impl AssetLoader for ObjLoader {
    type Asset = Mesh;

    fn extensions(&self) -> &[&str] {
        &["obj"]
    }

    fn load(&self, bytes: &[u8]) -> Result<Mesh, LoadError> {
        if bytes.is_empty() {
            return Err(LoadError::new("the file is empty"));
        }
        let mut reader = Reader { limits: *self, ..Reader::default() };
        let mut number = 1;
        // What some editors begin a text with.
        let mut rest = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        while !rest.is_empty() {
            let (line, lines, behind) = split_line(rest);
            reader.line(line).map_err(|error| error.on_line(number))?;
            debug_assert!(behind.len() < rest.len());
            rest = behind;
            number = number.saturating_add(lines);
        }
        reader.end()
    }
}

/// A line with those that it goes on in, how many these are, and what follows.
fn split_line(text: &[u8]) -> (&[u8], u32, &[u8]) {
    let (mut lines, mut end) = (1, 0);
    while let Some(length) = text[end..].iter().position(|&byte| byte == b'\n') {
        let line = &text[end..end + length];
        end += length + 1;
        // A comment ends with its line, whatever it ends in.
        if line.contains(&b'#') || !line.trim_ascii_end().ends_with(b"\\") {
            return (&text[..end], lines, &text[end..]);
        }
        lines += 1;
    }
    (text, lines, &[])
}

/// A corner: places in the three lists; [`NONE`] for what it does not name.
type Corner = [u32; 3];
const NONE: u32 = u32::MAX;

#[derive(Default)]
struct Reader {
    limits: ObjLoader,
    positions: Vec<Vec3>,
    uvs: Vec<Vec2>,
    normals: Vec<Vec3>,
    vertices: HashMap<Corner, u32>,
    mesh: Mesh,
    has_uvs: bool,
    has_normals: bool,
}

impl Reader {
    fn line(&mut self, line: &[u8]) -> Result<(), LoadError> {
        let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let mut words = line.split(|byte| byte.is_ascii_whitespace() || *byte == b'\\').filter(|word| !word.is_empty());
        let limit = self.limits.vertex_limit as usize;
        match words.next() {
            Some(b"v") => {
                let [x, y, z] = numbers("v", words, 3, 7)?;
                push(&mut self.positions, Vec3::new(x, y, z), limit, "positions")
            }
            Some(b"vt") => {
                let [u, v, _] = numbers("vt", words, 1, 3)?;
                push(&mut self.uvs, Vec2::new(u, v), limit, "places in the texture")
            }
            Some(b"vn") => {
                let [x, y, z] = numbers("vn", words, 3, 3)?;
                push(&mut self.normals, Vec3::new(x, y, z), limit, "normals")
            }
            Some(b"f") => self.face(words),
            Some(word) if word.contains(&0) => Err(LoadError::new("the file is no text")),
            _ => Ok(()),
        }
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) -> Result<(), LoadError> {
        let (mut first, mut last, mut count) = (0, 0, 0_u32);
        for word in words {
            let corner = self.corner(word)?;
            let vertex = self.vertex(corner)?;
            match count {
                0 => first = vertex,
                1 => {}
                _ if self.mesh.indices.len() / 3 >= self.limits.triangle_limit as usize => {
                    let limit = self.limits.triangle_limit;
                    return Err(LoadError::new(format!("the mesh has more triangles than the limit of {limit}")));
                }
                _ => self.mesh.indices.extend([first, last, vertex]),
            }
            last = vertex;
            count += 1;
        }
        if count < 3 {
            return Err(LoadError::new(format!("a face has three corners or more, found {count}")));
        }
        Ok(())
    }

    /// `7`, `7/2`, `7//3`, `7/2/3`.
    fn corner(&self, word: &[u8]) -> Result<Corner, LoadError> {
        let lists = [
            (self.positions.len(), "positions"),
            (self.uvs.len(), "places in the texture"),
            (self.normals.len(), "normals"),
        ];
        let mut corner = [NONE; 3];
        let mut parts = 0;
        for (place, part) in word.split(|&byte| byte == b'/').enumerate() {
            parts = place + 1;
            let Some(&(count, what)) = lists.get(place) else { break };
            // Only what stands last or in the middle may be left out.
            if part.is_empty() && place > 0 {
                continue;
            }
            corner[place] = index(part, count, what, word)?;
        }
        if parts > 3 {
            return Err(LoadError::new(format!("expected position/texture/normal, found `{}`", shown(word))));
        }
        Ok(corner)
    }

    fn vertex(&mut self, corner: Corner) -> Result<u32, LoadError> {
        let next = self.mesh.positions.len() as u32;
        let limit = self.limits.vertex_limit;
        match self.vertices.entry(corner) {
            Entry::Occupied(known) => return Ok(*known.get()),
            Entry::Vacant(_) if next >= limit => {
                return Err(LoadError::new(format!("the mesh has more vertices than the limit of {limit}")));
            }
            Entry::Vacant(unknown) => unknown.insert(next),
        };
        let [position, uv, normal] = corner.map(|place| place as usize);
        self.has_uvs |= corner[1] != NONE;
        self.has_normals |= corner[2] != NONE;
        self.mesh.positions.push(self.positions.get(position).copied().unwrap_or_default());
        self.mesh.uvs.push(self.uvs.get(uv).copied().unwrap_or_default());
        self.mesh.normals.push(self.normals.get(normal).copied().unwrap_or_default());
        Ok(next)
    }

    fn end(mut self) -> Result<Mesh, LoadError> {
        if self.mesh.indices.is_empty() {
            return Err(LoadError::new("the file has no face"));
        }
        if !self.has_uvs {
            self.mesh.uvs = Vec::new();
        }
        if !self.has_normals {
            self.mesh.normals = Vec::new();
        }
        Ok(self.mesh)
    }
}

fn push<T>(list: &mut Vec<T>, value: T, limit: usize, what: &str) -> Result<(), LoadError> {
    if list.len() >= limit {
        return Err(LoadError::new(format!("the mesh has more {what} than the limit of {limit}")));
    }
    list.push(value);
    Ok(())
}

/// The first three of `least` to `most` numbers, zero for those that are not there. All are finite.
fn numbers<'a>(
    statement: &str,
    words: impl Iterator<Item = &'a [u8]>,
    least: usize,
    most: usize,
) -> Result<[f32; 3], LoadError> {
    let mut values = [0.0; 3];
    let mut count = 0;
    for word in words {
        let value =
            str::from_utf8(word).ok().and_then(|text| text.parse().ok()).filter(|value: &f32| value.is_finite());
        let value =
            value.ok_or_else(|| LoadError::new(format!("expected a finite number, found `{}`", shown(word))))?;
        if let Some(place) = values.get_mut(count) {
            *place = value;
        }
        count += 1;
    }
    if !(least..=most).contains(&count) {
        let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        return Err(LoadError::new(format!("`{statement}` has {wanted} numbers, found {count}")));
    }
    Ok(values)
}

/// The place in a list of `count` that a number means.
fn index(part: &[u8], count: usize, what: &str, word: &[u8]) -> Result<u32, LoadError> {
    let number = str::from_utf8(part).ok().and_then(|text| text.parse::<i64>().ok());
    let Some(number) = number else {
        return Err(LoadError::new(format!("expected position/texture/normal, found `{}`", shown(word))));
    };
    // Lists are shorter than 2³².
    let place = if number < 0 { count as i64 + number } else { number - 1 };
    if !(0..count as i64).contains(&place) {
        return Err(LoadError::new(format!("there are {count} {what} above, found number {number}")));
    }
    Ok(place as u32)
}

/// A word of a file as a message shows it.
fn shown(word: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&word[..word.len().min(LONGEST)]);
    if word.len() > LONGEST { format!("{text}…") } else { text.into_owned() }
}
