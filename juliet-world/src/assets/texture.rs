//! Pictures: PNG and JPEG → rows of colours.

use std::io::Cursor;

use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};

use super::loader::{Asset, AssetLoader, LoadError};

/// A picture of red, green, blue and alpha, a byte each, as the file has them (as a rule sRGB, alpha not multiplied).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width * height * 4` bytes, the upper row first.
    pub pixels: Vec<u8>,
}

impl Texture {
    /// The colour at column `x` and row `y`, from the upper left corner; `None` outside.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        let index = (u64::from(y) * u64::from(self.width) + u64::from(x)) as usize;
        let inside = x < self.width && y < self.height;
        self.pixels.as_chunks::<4>().0.get(index).copied().filter(|_| inside)
    }
}

/// Side of the placeholder and of its squares, in pixels.
const PLACEHOLDER: (u32, u32) = (8, 2);

impl Asset for Texture {
    /// A checker of magenta and black, 8 × 8 pixels in squares of 2 × 2.
    fn placeholder() -> Self {
        let (side, square) = PLACEHOLDER;
        let colour = |index: u32| match (index % side / square + index / side / square) % 2 {
            0 => [255, 0, 255, 255],
            _ => [0, 0, 0, 255],
        };
        Self { width: side, height: side, pixels: (0..side * side).flat_map(colour).collect() }
    }
}

/// Reads `png`, `jpg` and `jpeg`. The content says which of the two it is, not the name.
///
/// Deeper channels are cut to 8 bits, grey becomes colour, and pictures without alpha are opaque. Colour profiles and the way the camera was held are
/// not applied. Needs at most three times the memory of the picture, and a copy of the file for a JPEG.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageLoader {
    /// Pixels that a side may have at most.
    pub side_limit: u32,
    /// Bytes that the texture may have at most.
    pub limit_bytes: u64,
}

impl Default for ImageLoader {
    /// 16,384 pixels a side, 256 MiB.
    fn default() -> Self {
        Self { side_limit: 16_384, limit_bytes: 256 << 20 }
    }
}

impl AssetLoader for ImageLoader {
    type Asset = Texture;

    fn extensions(&self) -> &[&str] {
        &["png", "jpg", "jpeg"]
    }

    fn load(&self, bytes: &[u8]) -> Result<Texture, LoadError> {
        let refuse = |message: String| Err(LoadError::new(message));
        if bytes.is_empty() {
            return refuse("the file is empty".to_owned());
        }
        let format = match image::guess_format(bytes) {
            Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg)) => format,
            _ => return refuse("the file is neither a PNG nor a JPEG".to_owned()),
        };
        if format == ImageFormat::Jpeg && !is_whole_jpeg(bytes) {
            return refuse("the JPEG ends in its middle".to_owned());
        }
        let failed = |error: image::ImageError| LoadError::new(error.to_string());
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        reader.limits(self.limits());
        let decoder = reader.into_decoder().map_err(failed)?;
        let (width, height) = decoder.dimensions();
        let size_bytes = u64::from(width) * u64::from(height) * 4;
        if size_bytes > self.limit_bytes {
            let limit = self.limit_bytes;
            return refuse(format!(
                "the picture has {width} × {height} pixels: {size_bytes} bytes, the limit is {limit}"
            ));
        }
        let pixels = DynamicImage::from_decoder(decoder).map_err(failed)?.into_rgba8().into_raw();
        Ok(Texture { width, height, pixels })
    }
}

impl ImageLoader {
    fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        limits.max_image_width = Some(self.side_limit);
        limits.max_image_height = Some(self.side_limit);
        // Channels may be twice as deep as those of the texture.
        limits.max_alloc = Some(self.limit_bytes.saturating_mul(2));
        limits
    }
}

/// Whether a JPEG has its end: the decoder fills what is missing with grey.
///
/// ```text
/// FF D8   FF E0 00 10 …   FF DA 00 0C …   scan: FF 00 is a byte FF, FF D0 to FF D7 restart it   FF D9
/// start   segment, length  segment, then                                                         end
/// ```
fn is_whole_jpeg(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(2..).unwrap_or_default();
    loop {
        // Between segments there are no other bytes, but for the scan behind the last one.
        let Some(at) =
            rest.windows(2).position(|pair| pair[0] == 0xFF && !matches!(pair[1], 0 | 1 | 0xD0..=0xD7 | 0xFF))
        else {
            return false;
        };
        if rest[at + 1] == 0xD9 {
            return true;
        }
        let Some(&[high, low]) = rest.get(at + 2..at + 4) else { return false };
        let length = usize::from(u16::from_be_bytes([high, low]));
        match rest.get(at + 2 + length..) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
}
