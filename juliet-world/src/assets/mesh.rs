//! Triangles, and the cube that stands for those that are missing.

use glam::{Vec2, Vec3};

use super::loader::Asset;

/// Triangles over shared vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Places of the vertices, in the units of the file. All finite.
    pub positions: Vec<Vec3>,
    /// A normal for each vertex as the file has it, zero where it has none; empty if it has none at all.
    pub normals: Vec<Vec3>,
    /// A place in the texture for each vertex, from the lower left corner, zero where the file has none; empty if it has none at all.
    pub uvs: Vec<Vec2>,
    /// Three vertices a triangle, counter-clockwise seen from outside. All below the number of vertices.
    pub indices: Vec<u32>,
}

impl Mesh {
    /// The vertices of each triangle.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        self.indices.as_chunks::<3>().0.iter().copied()
    }
}

impl Asset for Mesh {
    /// A cube with sides of length 1 around the origin; each side has four vertices of its own.
    fn placeholder() -> Self {
        let mut mesh = Self::default();
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                let unit = |axis: usize| Vec3::from_array([0, 1, 2].map(|it| f32::from(u8::from(it == axis % 3))));
                let normal = unit(axis) * sign;
                // right × up = normal
                let (right, up) = (unit(axis + 1) * sign, unit(axis + 2));
                let first = mesh.positions.len() as u32;
                for (x, y) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
                    mesh.positions.push(0.5 * normal + (x - 0.5) * right + (y - 0.5) * up);
                    mesh.normals.push(normal);
                    mesh.uvs.push(Vec2::new(x, y));
                }
                mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
            }
        }
        mesh
    }
}
