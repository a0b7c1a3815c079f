//! OBJ: what is read, what is refused and where, and that another reader sees the same.

use glam::{Vec2, Vec3};

use super::*;
use crate::assets::{Mesh, ObjLoader};

fn read(text: &str) -> Mesh {
    ObjLoader::default().load(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: line {}: {error}", error.line))
}

fn check_refused(text: impl AsRef<[u8]>, line: u32, message: &str) {
    let error = ObjLoader::default().load(text.as_ref()).unwrap_err();
    assert_eq!((error.line, &*error.message), (line, message), "{}", String::from_utf8_lossy(text.as_ref()));
}

#[test]
fn polygons_become_fans_over_shared_vertices() {
    let mesh = read("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 .5 0\nf 1 2 3 4 5\nf 1 3 2\n");
    assert_eq!(mesh.positions.len(), 5);
    assert_eq!(mesh.triangles().collect::<Vec<_>>(), [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 2, 1]]);
    assert_eq!((mesh.normals.len(), mesh.uvs.len()), (0, 0));
}

#[test]
fn corners_have_places_in_the_texture_and_normals() {
    let mesh = read("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5 1\nvt 0\nvn 0 0 1\nf 1/1/1 2/2/1 3//1\nf 1/1/1 2 -1/-2/-1\n");
    assert_eq!(mesh.triangles().collect::<Vec<_>>(), [[0, 1, 2], [0, 3, 4]]);
    assert_eq!(mesh.uvs, [Vec2::new(0.5, 1.0), Vec2::ZERO, Vec2::ZERO, Vec2::ZERO, Vec2::new(0.5, 1.0)]);
    assert_eq!(mesh.normals, [Vec3::Z, Vec3::Z, Vec3::Z, Vec3::ZERO, Vec3::Z]);
}

#[test]
fn text_may_be_written_in_many_ways() {
    let expected = read(TRIANGLE);
    let ways = [
        "\u{feff}# a comment that ends in \\\no x\r\nv 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nusemtl none\r\nf 1 2 3\r\n",
        "\u{feff}v 0 0 0\nv 1 0 0 # C:\\meshes\\\nv 0 1 0\nf -3 -2 -1\n",
        "v 0 0 0\nv 1 \\\n0 0 # on, and no further \\\nv 0 1 0\nf 1 2 3\n",
        "  v\t0 0 0  \nv 1e0 0 -0e9 0.5 0.5 0.5\nv 0. 1 .0 1 # up\n\n\nf 1 2 3",
        "v 0 0 0\nv 1 \\\n 0 0\nv 0 1 0\nf 1 \\\r\n2\\\n 3\n",
        "g a b\ns off\nmtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2\np 1\nf -3 -2 -1\nvp 1 2\n",
    ];
    for text in ways {
        assert_eq!(read(text), expected, "{text}");
    }
    let latin_1 = b"# K\xF6rper\no K\xF6rper\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_eq!(ObjLoader::default().load(latin_1).as_ref(), Ok(&expected));
}

#[test]
fn each_fault_names_its_line() {
    let three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    check_refused("", 0, "the file is empty");
    check_refused(three, 0, "the file has no face");
    check_refused("v 0 nan 0\n", 1, "expected a finite number, found `nan`");
    check_refused("\n\nv 0 -inf 0\n", 3, "expected a finite number, found `-inf`");
    check_refused("vn 0 1e39 0\n", 1, "expected a finite number, found `1e39`");
    check_refused("vt 0,5 1\n", 1, "expected a finite number, found `0,5`");
    check_refused("v 0 \\\n\\\n0\nv 1\n", 1, "`v` has 3 to 7 numbers, found 2");
    check_refused("v 0 0 \\\n 0\nv 1\n", 3, "`v` has 3 to 7 numbers, found 1");
    check_refused("v 0 0 0 0 0 0 0 0\n", 1, "`v` has 3 to 7 numbers, found 8");
    check_refused("vn 0 0\n", 1, "`vn` has 3 numbers, found 2");
    check_refused(format!("{three}f 1 2\n"), 4, "a face has three corners or more, found 2");
    check_refused(format!("{three}f\n"), 4, "a face has three corners or more, found 0");
    check_refused(format!("{three}f 1 2 4\n"), 4, "there are 3 positions above, found number 4");
    check_refused(format!("{three}f 1 2 0\n"), 4, "there are 3 positions above, found number 0");
    check_refused(format!("{three}f 1 2 -4\n"), 4, "there are 3 positions above, found number -4");
    check_refused(format!("{three}f 1 2 3/1\n"), 4, "there are 0 places in the texture above, found number 1");
    check_refused(
        format!("{three}f 1 2 3//9223372036854775807\n"),
        4,
        "there are 0 normals above, found number 9223372036854775807",
    );
    check_refused(
        format!("{three}f 1 2 3//-9223372036854775808\n"),
        4,
        "there are 0 normals above, found number -9223372036854775808",
    );
    let expected = "expected position/texture/normal, found `";
    check_refused(format!("{three}f 1 2 9223372036854775808\n"), 4, &format!("{expected}9223372036854775808`"));
    check_refused(format!("{three}f 1 2 /1\n"), 4, &format!("{expected}/1`"));
    check_refused(format!("{three}f 1 2 3////\n"), 4, &format!("{expected}3////`"));
    check_refused(format!("{three}f 1 2 3.0\n"), 4, &format!("{expected}3.0`"));
    check_refused(format!("{three}f 1 2 {}\n", "y".repeat(99)), 4, &format!("{expected}{}…`", "y".repeat(40)));
    check_refused(b"v 0 0 0\n\0\0\0\0", 2, "the file is no text");
}

#[test]
fn limits_hold_before_memory_is_taken() {
    let loader = ObjLoader { vertex_limit: 4, triangle_limit: 2 };
    let load = |text: &str| loader.load(text.as_bytes()).map_err(|error| (error.line, error.message));
    let four = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n";
    assert!(load(&format!("{four}f 1 2 3 4\n")).is_ok());
    let refused = |line, message: &str| Err((line, message.into()));
    let more = |what: &str, limit| format!("the mesh has more {what} than the limit of {limit}");
    assert_eq!(load(&format!("{four}v 0 0 0\n")), refused(5, &more("positions", 4)));
    assert_eq!(load(&"vt 0\n".repeat(5)), refused(5, &more("places in the texture", 4)));
    assert_eq!(load(&"vn 0 0 1\n".repeat(5)), refused(5, &more("normals", 4)));
    assert_eq!(load(&format!("{four}vn 0 0 1\nf 1 2 3\nf 1//1 2//1 3\n")), refused(7, &more("vertices", 4)));
    assert_eq!(load(&format!("{four}f 1 2 3 4 1\n")), refused(5, &more("triangles", 2)));
}

#[test]
fn long_lines_and_many_continuations_are_linear() {
    // Each would take hours if it were not.
    let blank = " ".repeat(1 << 20);
    let lines = "\\\n".repeat(1 << 20);
    let corners = "1 2 3 ".repeat(1 << 17);
    for text in [
        format!("{TRIANGLE}{blank}{lines}{blank}\n"),
        format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf {corners}\n"),
        format!("{TRIANGLE}{}", "\n".repeat(1 << 20)),
        format!("{TRIANGLE}v {}\n", "0".repeat(1 << 20)).replace("\nv 0000", "\n# v 0000"),
    ] {
        assert!(!read(&text).indices.is_empty());
    }
}

#[test]
fn every_beginning_of_a_file_is_a_mesh_or_refused() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.25 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\nf 1 2 3\n";
    let whole = read(text);
    for end in 0..text.len() {
        if let Ok(mesh) = ObjLoader::default().load(&text.as_bytes()[..end]) {
            assert!(end > text.find('f').unwrap() && whole.indices.starts_with(&mesh.indices[..3]), "{end}");
        }
    }
}

#[test]
fn another_reader_sees_the_same_triangles() {
    let mut seed = 7_u64;
    let mut next = |end: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % end
    };
    for _ in 0..200 {
        let mut text = String::from("vt 0.5 0.25\nvn 0 0 1\n");
        let (mut v, mut vt, mut vn) = (0, 1, 1);
        // The other reader makes something up where a face of several has none.
        let (uses_vt, uses_vn) = (next(2) == 0, next(2) == 0);
        for _ in 0..3 + next(40) {
            let mut number = || format!("{}{}", ["", "-"][next(2) as usize], next(100_000) as f32 / 64.0);
            let [x, y, z] = [number(), number(), number()];
            match next(4) {
                0 if v > 2 => {
                    text.push('f');
                    for _ in 0..3 + next(4) {
                        let mut place = |count: u64| match next(2) {
                            0 => (next(count) + 1).to_string(),
                            _ => format!("-{}", next(count) + 1),
                        };
                        let position = place(v);
                        let uv = if uses_vt { format!("/{}", place(vt)) } else { String::new() };
                        let normal = match (uses_vt, uses_vn) {
                            (_, false) => String::new(),
                            (true, true) => format!("/{}", place(vn)),
                            (false, true) => format!("//{}", place(vn)),
                        };
                        text.push_str(&format!(" {position}{uv}{normal}"));
                    }
                    text.push('\n');
                }
                1 => (text.push_str(&format!("vt {x} {y}\n")), vt += 1).1,
                2 => (text.push_str(&format!("vn {x} {y} {z}\n")), vn += 1).1,
                _ => (text.push_str(&format!("v {x} {y} {z}\n")), v += 1).1,
            }
        }
        check_against_tobj(&text);
    }
}

/// Compares place, texture and normal of each corner.
fn check_against_tobj(text: &str) {
    let ours = ObjLoader::default().load(text.as_bytes());
    let options = tobj::LoadOptions { triangulate: true, ..tobj::LoadOptions::default() };
    let theirs = tobj::load_obj_buf(&mut text.as_bytes(), &options, |_| Err(tobj::LoadError::GenericFailure));
    let theirs = theirs.unwrap().0;
    let count: usize = theirs.iter().map(|it| it.mesh.indices.len()).sum();
    let Ok(ours) = ours else { return assert_eq!(count, 0, "{text}") };
    assert_eq!((theirs.len(), ours.indices.len()), (1, count), "{text}");
    let mesh = &theirs[0].mesh;
    for (corner, &vertex) in ours.indices.iter().enumerate() {
        let vertex = vertex as usize;
        let find = |list: &[f32], indices: &[u32], size: usize| {
            let from = *indices.get(corner)? as usize * size;
            list.get(from..from + size).map(<[f32]>::to_vec)
        };
        assert_eq!(find(&mesh.positions, &mesh.indices, 3).unwrap(), ours.positions[vertex].to_array(), "{text}");
        if !ours.uvs.is_empty() {
            assert_eq!(
                find(&mesh.texcoords, &mesh.texcoord_indices, 2).unwrap(),
                ours.uvs[vertex].to_array(),
                "{text}"
            );
        }
        if !ours.normals.is_empty() {
            assert_eq!(
                find(&mesh.normals, &mesh.normal_indices, 3).unwrap(),
                ours.normals[vertex].to_array(),
                "{text}"
            );
        }
    }
}
