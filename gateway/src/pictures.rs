//! Re-encodes uploaded pictures from their pixels, so that no other content of a file is ever served. A shared budget
//! bounds the memory of all decodings.

use std::io::Cursor;
use std::sync::Arc;

use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, Rgb, RgbImage};
use tokio::sync::Semaphore;

use crate::error::ApiError;
use crate::files::format::{Kind, MOST_BYTES, Purpose, unsupported};

/// Pixels of one picture.
const PIXELS: u64 = 24_000_000;
/// Bytes of one picture when it is decoded.
const DECODED: u64 = 48 * 1024 * 1024;
/// KiB of all pictures that are decoded at once. Each counts twice, for its copy while it is rotated or encoded.
const ALL_DECODED: u32 = 2 * 48 * 1024;
/// Largest side of a photo or of the picture of a method, in pixels.
const PHOTO_SIDE: u32 = 512;
/// JPEG quality of 100, at which small print on a receipt stays readable.
const JPEG_QUALITY: u8 = 88;

/// The memory budget of all decodings together.
pub struct Pictures {
    decoded: Arc<Semaphore>,
}

impl Pictures {
    /// A budget with nothing used.
    #[must_use]
    pub fn new() -> Self {
        Self { decoded: Arc::new(Semaphore::new(ALL_DECODED as usize)) }
    }

    /// Re-encodes a picture without its metadata, photos and pictures of methods with sides of at most 512 pixels.
    /// Responds with 415 if it cannot be decoded within the limits, and with 413 if the result is too large.
    pub(crate) async fn rewrite(
        &self,
        bytes: Vec<u8>,
        kind: Kind,
        purpose: Purpose,
    ) -> Result<(Vec<u8>, Kind), ApiError> {
        let needed = decoded_bytes(&bytes, kind).ok_or_else(|| unsupported(purpose))?;
        let kib = u32::try_from(2 * needed / 1024).unwrap_or(ALL_DECODED).clamp(1, ALL_DECODED);
        let place = Arc::clone(&self.decoded).acquire_many_owned(kib).await.map_err(ApiError::internal)?;
        let work = move || {
            // Held until the work is done, even when its client was answered long ago.
            let _place = place;
            rewrite(&bytes, kind, purpose)
        };
        tokio::task::spawn_blocking(work).await.map_err(ApiError::internal)?
    }
}

impl Default for Pictures {
    fn default() -> Self {
        Self::new()
    }
}

fn reader(bytes: &[u8], kind: Kind) -> ImageReader<Cursor<&[u8]>> {
    let format = match kind {
        Kind::Png => ImageFormat::Png,
        Kind::Jpeg => ImageFormat::Jpeg,
        _ => ImageFormat::WebP,
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(DECODED);
    reader.limits(limits);
    reader
}

/// The decoded size in bytes according to the header. `None` if there is no header or the size exceeds the limits.
fn decoded_bytes(bytes: &[u8], kind: Kind) -> Option<u64> {
    let decoder = reader(bytes, kind).into_decoder().ok()?;
    let (width, height) = decoder.dimensions();
    let (pixels, total) = (u64::from(width) * u64::from(height), decoder.total_bytes());
    (pixels <= PIXELS && total <= DECODED).then_some(total)
}

fn rewrite(bytes: &[u8], kind: Kind, purpose: Purpose) -> Result<(Vec<u8>, Kind), ApiError> {
    let mut decoder = reader(bytes, kind).into_decoder().map_err(|_| unsupported(purpose))?;
    // Phones save what the sensor saw, and beside it how it was held.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut decoded = DynamicImage::from_decoder(decoder).map_err(|_| unsupported(purpose))?;
    decoded.apply_orientation(orientation);
    let picture = match purpose {
        Purpose::Receipt => decoded,
        // Never larger than it was.
        _ if decoded.width() <= PHOTO_SIDE && decoded.height() <= PHOTO_SIDE => decoded,
        _ => decoded.thumbnail(PHOTO_SIDE, PHOTO_SIDE),
    };
    let mut out = Cursor::new(Vec::new());
    // A PNG of a large picture may be a hundred times what came in; at 512 pixels it cannot.
    let kind = if picture.color().has_alpha() && purpose != Purpose::Receipt { Kind::Png } else { Kind::Jpeg };
    let written = match kind {
        Kind::Png => picture.write_to(&mut out, ImageFormat::Png),
        _ => on_white(picture).write_with_encoder(JpegEncoder::new_with_quality(&mut out, JPEG_QUALITY)),
    };
    written.map_err(ApiError::internal)?;
    let out = out.into_inner();
    if out.len() > MOST_BYTES {
        return Err(ApiError::too_large("The picture is too detailed. Save it with a lower resolution and try again."));
    }
    Ok((out, kind))
}

/// The picture on a white background instead of transparency.
fn on_white(picture: DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.into_rgb8();
    }
    let rgba = picture.into_rgba8();
    let mix = |channel: u8, alpha: u8| {
        let (channel, alpha) = (u16::from(channel), u16::from(alpha));
        u8::try_from((channel * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX)
    };
    RgbImage::from_fn(rgba.width(), rgba.height(), |x, y| {
        let [red, green, blue, alpha] = rgba.get_pixel(x, y).0;
        Rgb([mix(red, alpha), mix(green, alpha), mix(blue, alpha)])
    })
}
