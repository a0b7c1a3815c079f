//! PNG and JPEG: what is read, and what is refused before it costs memory.

use super::*;
use crate::assets::{ImageLoader, Texture};

fn read(bytes: &[u8]) -> Result<Texture, Box<str>> {
    ImageLoader::default().load(bytes).map_err(|error| error.message)
}

#[test]
fn png_gives_its_pixels() {
    let texture = read(&picture(5, 3, ImageFormat::Png)).unwrap();
    assert_eq!((texture.width, texture.height, texture.pixels.len()), (5, 3, 60));
    assert_eq!(texture.pixel(4, 2), Some([64, 32, 99, 255]));
    assert_eq!(texture.pixel(5, 0), None);
}

#[test]
fn jpeg_gives_nearly_its_pixels() {
    let texture = read(&picture(16, 16, ImageFormat::Jpeg)).unwrap();
    assert_eq!((texture.width, texture.height), (16, 16));
    for (x, y) in [(0, 0), (15, 0), (8, 8), (3, 12)] {
        let found = texture.pixel(x, y).unwrap();
        let expected = [x as u8 * 16, y as u8 * 16, 99, 255];
        assert!(found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) < 40), "{found:?} {expected:?}");
    }
}

#[test]
fn grey_and_deep_channels_become_bytes() {
    let grey = image::DynamicImage::from(image::GrayImage::from_pixel(2, 1, image::Luma([7])));
    let deep = image::ImageBuffer::from_pixel(2, 1, image::Rgba([0xFFFF_u16, 0x8080, 0, 0x4040]));
    for (picture, expected) in [(grey, [7, 7, 7, 255]), (image::DynamicImage::from(deep), [255, 128, 0, 64])] {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
        assert_eq!(read(&bytes.into_inner()).unwrap().pixel(1, 0), Some(expected));
    }
}

/// A PNG that says of itself how large it is, and has the data of another one.
fn sized_png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = picture(4, 4, ImageFormat::Png);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc32fast::hash(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    bytes
}

#[test]
fn pictures_that_say_that_they_are_huge_are_refused_at_once() {
    assert!(read(&sized_png(4, 4)).is_ok());
    for (width, height) in [(u32::MAX, u32::MAX), (1 << 30, 1), (1, 1 << 30), (16_385, 1), (0, 0), (0, 4)] {
        assert!(read(&sized_png(width, height)).is_err(), "{width} × {height}");
    }
    let expected = "the picture has 16384 × 16384 pixels: 1073741824 bytes, the limit is 268435456";
    assert_eq!(read(&sized_png(16_384, 16_384)), Err(expected.into()));
    let small = ImageLoader { side_limit: 8, limit_bytes: 100 };
    assert!(small.load(&picture(5, 5, ImageFormat::Png)).is_ok());
    assert!(small.load(&picture(9, 1, ImageFormat::Png)).is_err());
    assert!(small.load(&picture(6, 5, ImageFormat::Jpeg)).is_err());
    let mut jpeg = picture(8, 8, ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|pair| pair == [0xFF, 0xC0]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xFF; 4]);
    assert!(read(&jpeg).is_err(), "65535 × 65535");
}

#[test]
fn every_beginning_of_a_picture_is_refused_or_is_the_whole_picture() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg] {
        let bytes = picture(24, 24, format);
        let whole = read(&bytes).unwrap();
        let mut accepted = 0;
        for end in 0..bytes.len() {
            if let Ok(texture) = read(&bytes[..end]) {
                assert_eq!(texture, whole, "{format:?} cut at {end} of {}", bytes.len());
                accepted += 1;
            }
        }
        assert!(accepted <= 16, "{format:?}: {accepted} beginnings hold all pixels");
    }
}

#[test]
fn jpeg_with_the_end_of_a_thumbnail_inside_still_needs_its_own() {
    let whole = picture(16, 16, ImageFormat::Jpeg);
    let mut bytes = whole[..2].to_vec();
    // A comment that holds the end of another picture, and fill bytes before a segment.
    bytes.extend([0xFF, 0xFE, 0, 6, 0xFF, 0xD9, 0xFF, 0xD9, 0xFF, 0xFF]);
    bytes.extend(&whole[2..]);
    assert_eq!(read(&bytes), read(&whole));
    bytes.extend(b"what follows the end is not looked at");
    assert_eq!(read(&bytes), read(&whole));
    bytes.truncate(bytes.len() - 60);
    assert_eq!(read(&bytes), Err("the JPEG ends in its middle".into()));
    assert_eq!(read(&whole[..3]), Err("the JPEG ends in its middle".into()));
}
