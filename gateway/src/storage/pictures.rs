//! Re-encodes uploaded pictures from their pixels, so that no other content of a file is ever served. At most one large and
//! one small picture are decoded at a time, which bounds their memory and processor time.

mod pixels;

use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::thread;

use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};
use tokio::sync::{mpsc, oneshot};
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::options::DecoderOptions;

use self::pixels::{Upright, on_white};
use crate::http::error::ApiError;
use crate::storage::files::format::{Kind, MOST_BYTES, Purpose, damaged, too_many_pixels};

/// Pixels of one picture.
const PIXELS: u64 = 24_000_000;
/// Bytes of one picture when it is decoded.
const DECODED: u64 = 48 * 1024 * 1024;
/// Bytes that decoding and re-encoding one picture may take.
const WORKING: u64 = 80 * 1024 * 1024;
/// Bytes up to which a picture is small, such as a screenshot or a photo of one megapixel: it does not wait for large ones.
const SMALL: u64 = 8 * 1024 * 1024;
/// Pictures that wait for one thread, beside those whose requests wait to hand theirs over.
const WAITING: usize = 16;
/// Largest side of a photo or of the picture of a method, in pixels.
const PHOTO_SIDE: u32 = 512;
/// JPEG quality of 100, at which small print on a receipt stays readable.
const JPEG_QUALITY: u8 = 88;

/// The threads that decode pictures: one for small pictures and one for all others.
pub struct Pictures {
    small: mpsc::Sender<Job>,
    large: mpsc::Sender<Job>,
}

/// A picture to re-encode, and where its result goes.
struct Job {
    bytes: Vec<u8>,
    kind: Kind,
    purpose: Purpose,
    done: oneshot::Sender<Result<(Vec<u8>, Kind), ApiError>>,
}

impl Pictures {
    /// Starts both threads. They end when this is dropped.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new() -> io::Result<Self> {
        Ok(Self { small: decoder("small-pictures")?, large: decoder("large-pictures")? })
    }

    /// Re-encodes a picture without its metadata, photos and pictures of methods with sides of at most 512 pixels.
    /// Responds with 415 if it cannot be decoded within the limits, and with 413 if the result is too large.
    pub(crate) async fn rewrite(
        &self,
        bytes: Vec<u8>,
        kind: Kind,
        purpose: Purpose,
    ) -> Result<(Vec<u8>, Kind), ApiError> {
        let bytes = if kind == Kind::Png { without_extras(&bytes) } else { bytes };
        let needed = memory_needed(&bytes, kind)?;
        let thread = if needed <= SMALL { &self.small } else { &self.large };
        let (done, result) = oneshot::channel();
        thread.send(Job { bytes, kind, purpose, done }).await.map_err(ApiError::internal)?;
        result.await.map_err(ApiError::internal)?
    }
}

/// A thread that re-encodes one picture after another.
fn decoder(name: &str) -> io::Result<mpsc::Sender<Job>> {
    let (sender, mut jobs) = mpsc::channel::<Job>(WAITING);
    let work = move || {
        // On Linux this is the priority of the thread alone. Requests that wait for no picture go first.
        let _ = rustix::process::nice(10);
        while let Some(Job { bytes, kind, purpose, done }) = jobs.blocking_recv() {
            // The request may have ended while its picture was queued.
            if !done.is_closed() {
                let _ = done.send(rewrite(&bytes, kind, purpose));
            }
        }
    };
    thread::Builder::new().name(name.to_owned()).spawn(work)?;
    Ok(sender)
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

/// The bytes that decoding and re-encoding a picture take, according to its header. Responds with 415 if there is no header
/// or the picture exceeds the limits.
fn memory_needed(bytes: &[u8], kind: Kind) -> Result<u64, ApiError> {
    let decoder = reader(bytes, kind).into_decoder().map_err(refusal)?;
    let (width, height) = decoder.dimensions();
    let (pixels, total) = (u64::from(width) * u64::from(height), decoder.total_bytes());
    let beside = match kind {
        Kind::Jpeg => progressive_channels(bytes).map_or(0, |channels| 2 * channels * padded(width) * padded(height)),
        Kind::Webp => planes_of_webp(bytes) * pixels,
        _ => 0,
    };
    // Reducing a picture to eight bits makes a copy.
    let is_deep = decoder.color_type().bytes_per_pixel() > decoder.color_type().channel_count();
    let needed = total + beside.max(if is_deep { total / 2 } else { 0 });
    if pixels <= PIXELS && total <= DECODED && needed <= WORKING { Ok(needed) } else { Err(too_many_pixels()) }
}

/// Why a picture cannot be decoded.
fn refusal(error: ImageError) -> ApiError {
    match error {
        ImageError::Limits(_) => too_many_pixels(),
        _ => damaged(),
    }
}

/// The number of channels of a JPEG that is not baseline. The decoder of a progressive one keeps all coefficients, two bytes
/// each, until the last scan. Read by the same parser, because another one could be misled about where the frame begins.
fn progressive_channels(jpeg: &[u8]) -> Option<u64> {
    let options = DecoderOptions::default().set_strict_mode(false);
    let options = options.set_max_width(usize::MAX).set_max_height(usize::MAX);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(jpeg), options);
    decoder.decode_headers().ok()?;
    let info = decoder.info()?;
    (info.sof != Default::default()).then_some(u64::from(info.components))
}

/// Bytes a pixel that the decoder of a WebP keeps beside its result: three planes, of which two are a quarter; or all
/// channels and their transforms; or those of a frame, the canvas and the opacity.
fn planes_of_webp(webp: &[u8]) -> u64 {
    match webp.get(12..16) {
        Some(b"VP8 ") => 2,
        Some(b"VP8L") => 5,
        _ => 8,
    }
}

/// A side rounded up to the largest possible coding unit.
fn padded(side: u32) -> u64 {
    u64::from(side).next_multiple_of(32)
}

/// The PNG with only the chunks that determine its pixels and orientation. Colour profiles and comments are compressed
/// separately: 300 KB of them can expand to 256 MiB while the header is read.
fn without_extras(png: &[u8]) -> Vec<u8> {
    let (signature, mut rest) = png.split_at(png.len().min(8));
    let mut kept = signature.to_vec();
    while let Some((head, _)) = rest.split_first_chunk::<8>() {
        let (length, name) = head.split_at(4);
        let length = length.iter().fold(0_usize, |length, byte| length << 8 | usize::from(*byte));
        let (chunk, next) = rest.split_at(rest.len().min(length.saturating_add(12)));
        // Critical chunks begin with a capital letter.
        if name.first().is_some_and(u8::is_ascii_uppercase) || name == b"tRNS" || name == b"eXIf" {
            kept.extend_from_slice(chunk);
        }
        rest = next;
    }
    kept
}

fn rewrite(bytes: &[u8], kind: Kind, purpose: Purpose) -> Result<(Vec<u8>, Kind), ApiError> {
    let mut decoder = reader(bytes, kind).into_decoder().map_err(refusal)?;
    // Phones save what the sensor saw, and beside it how it was held.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let decoded = DynamicImage::from_decoder(decoder).map_err(refusal)?;
    let picture = match purpose {
        _ if purpose.is_paper() => decoded,
        // Never larger than it was.
        _ if decoded.width() <= PHOTO_SIDE && decoded.height() <= PHOTO_SIDE => decoded,
        _ => decoded.thumbnail(PHOTO_SIDE, PHOTO_SIDE),
    };
    // A PNG of a large picture may be a hundred times what came in; at 512 pixels it cannot.
    let kind = if picture.color().has_alpha() && !purpose.is_paper() { Kind::Png } else { Kind::Jpeg };
    let mut out = Bounded { out: Cursor::new(Vec::new()) };
    let written = match kind {
        Kind::Png => {
            let mut picture = picture;
            picture.apply_orientation(orientation);
            picture.write_to(&mut out, ImageFormat::Png)
        }
        _ => {
            let mut encoder = JpegEncoder::new_with_quality(&mut out, JPEG_QUALITY);
            match on_white(picture) {
                DynamicImage::ImageLuma8(picture) => encoder.encode_image(&Upright { picture, orientation }),
                picture => encoder.encode_image(&Upright { picture: picture.into_rgb8(), orientation }),
            }
        }
    };
    match written {
        Ok(()) => Ok((out.out.into_inner(), kind)),
        Err(ImageError::IoError(error)) if error.kind() == io::ErrorKind::FileTooLarge => {
            Err(ApiError::too_large("The picture is too detailed. Save it with a lower resolution and try again."))
        }
        Err(error) => Err(ApiError::internal(error)),
    }
}

/// An encoded picture of at most the size of a file. Encoding a picture of noise would otherwise take as much memory as
/// decoding it.
struct Bounded {
    out: Cursor<Vec<u8>>,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.out.get_ref().len() + bytes.len() > MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for Bounded {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use axum::http::StatusCode;
    use axum::response::IntoResponse;
    use futures::StreamExt;
    use futures::future::{Either, select};
    use futures::stream::FuturesUnordered;
    use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

    use super::{DECODED, Pictures, SMALL, memory_needed, progressive_channels, rewrite, without_extras};
    use crate::storage::files::format::{Kind, MOST_BYTES, Purpose};

    fn needed_for(bytes: &[u8], kind: Kind) -> Option<u64> {
        memory_needed(bytes, kind).ok()
    }

    fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        picture.write_to(&mut out, format).unwrap();
        out.into_inner()
    }

    /// The head of a JPEG of this size, which says all that is decided before it is decoded.
    fn jpeg(frame: u8, side: u16, channels: u8) -> Vec<u8> {
        let mut head = b"\xff\xd8\xff\xe1\0\x04\xff\xc2\xff\xff".to_vec();
        head.extend([frame, 0, 8 + 3 * channels, 8]);
        head.extend([side.to_be_bytes(), side.to_be_bytes()].concat());
        head.push(channels);
        head.extend((1..=channels).flat_map(|channel| [channel, 0x11, 0]));
        head.extend([0xff, 0xda, 0, 6 + 2 * channels, channels]);
        head.extend((1..=channels).flat_map(|channel| [channel, 0]));
        head.extend([0, 0, 0]);
        head
    }

    /// [D-V2] A progressive JPEG counts with its coefficients: 4096 x 4096 pixels in 100 KB took 150 MiB.
    #[test]
    fn coefficients_of_progressive_jpegs_count() {
        assert_eq!(needed_for(&jpeg(0xc0, 4_096, 3), Kind::Jpeg), Some(DECODED));
        assert_eq!(needed_for(&jpeg(0xc2, 4_096, 3), Kind::Jpeg), None);
        assert_eq!(needed_for(&jpeg(0xc2, 2_880, 3), Kind::Jpeg), Some(9 * 2_880 * 2_880));
        assert_eq!(needed_for(&jpeg(0xc2, 2_880, 4), Kind::Jpeg), None);
        assert_eq!(progressive_channels(&jpeg(0xc2, 8, 1)), Some(1));
        assert_eq!(progressive_channels(&jpeg(0xc0, 8, 1)), None, "the segment before the frame is no frame");
        // A stuffed zero before the code of a frame is skipped by the decoder.
        let mut stuffed = jpeg(0xc2, 4_096, 3);
        let frame = stuffed.windows(2).rposition(|two| two == [0xff, 0xc2]).unwrap();
        stuffed.insert(frame + 1, 0);
        assert_eq!(needed_for(&stuffed, Kind::Jpeg), None);
    }

    /// [D-V2] A WebP counts with what its decoder keeps: one of 4096 x 4096 pixels in 38 bytes took 170 MiB.
    #[test]
    fn channels_and_canvas_of_a_webp_count() {
        let webp = |side| encoded(&DynamicImage::new_rgb8(side, side), ImageFormat::WebP);
        assert_eq!(webp(8).get(12..16), Some(&b"VP8L"[..]));
        assert_eq!(needed_for(&webp(1_000), Kind::Webp), Some(8 * 1_000 * 1_000));
        assert!(needed_for(&webp(3_200), Kind::Webp).is_some());
        assert_eq!(needed_for(&webp(3_500), Kind::Webp), None);
    }

    /// [D-V2] A picture of sixteen bits counts with the copy of eight.
    #[test]
    fn the_copy_of_a_deep_picture_counts() {
        let png = |picture| encoded(&picture, ImageFormat::Png);
        assert_eq!(needed_for(&png(DynamicImage::new_rgb16(100, 100)), Kind::Png), Some(90_000));
        assert_eq!(needed_for(&png(DynamicImage::new_rgb8(100, 100)), Kind::Png), Some(30_000));
    }

    /// [D-V2] Profiles and comments of a PNG are dropped before it is decoded: 300 KB of them expanded to 256 MiB.
    #[test]
    fn a_png_is_decoded_without_profiles_and_comments() {
        let plain = encoded(&DynamicImage::new_rgb8(3, 2), ImageFormat::Png);
        let (head, rest) = plain.split_at(8 + 25);
        let extra = |name: &[u8; 4], content: &[u8]| {
            [&u32::try_from(content.len()).unwrap().to_be_bytes()[..], name, content, &[0; 4]].concat()
        };
        let full =
            [head, &extra(b"iCCP", b"p\0\0xx"), &extra(b"zTXt", &[0; 300]), &extra(b"eXIf", b"II*\0"), rest].concat();
        assert_eq!(without_extras(&full), [head, &extra(b"eXIf", b"II*\0"), rest].concat());
        assert_eq!(without_extras(&plain), plain);
        for length in 0..full.len() {
            assert!(without_extras(&full[..length]).len() <= length, "cut after {length}");
        }
        let endless = [&plain[..8], &[0xff; 12]].concat();
        assert!(needed_for(&without_extras(&endless), Kind::Png).is_none());
    }

    /// [D-V1] [D-V2] A small picture does not wait for large ones, and those wait for one another.
    #[tokio::test]
    async fn small_pictures_do_not_wait_for_large_ones() {
        let large = encoded(&DynamicImage::new_rgb8(3_600, 3_600), ImageFormat::Png);
        let small = encoded(&DynamicImage::new_rgb8(600, 800), ImageFormat::Png);
        assert!(needed_for(&large, Kind::Png).is_some_and(|needed| needed > SMALL));
        let pictures = Pictures::new().unwrap();
        let mut large: FuturesUnordered<_> =
            (0..3).map(|_| pictures.rewrite(large.clone(), Kind::Png, Purpose::Photo)).collect();
        let all = async { while large.next().await.is_some() {} };
        let one = async {
            // The large ones are handed over first.
            tokio::task::yield_now().await;
            pictures.rewrite(small, Kind::Png, Purpose::Photo).await
        };
        match select(Box::pin(all), Box::pin(one)).await {
            Either::Right((done, _)) => assert_eq!(done.ok().unwrap().1, Kind::Jpeg),
            Either::Left(_) => panic!("three large pictures were ready before a small one"),
        }
    }

    /// [D-V2] A picture of noise is refused as soon as what is written of it is too large.
    #[test]
    fn what_is_written_has_a_bound() {
        let mut state = 1_u32;
        let noise = RgbImage::from_fn(2_400, 2_400, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [one, two, three, _] = state.to_be_bytes();
            Rgb([one, two, three])
        });
        let bmp = encoded(&noise.into(), ImageFormat::Png);
        let Err(error) = rewrite(&bmp, Kind::Png, Purpose::Receipt) else { panic!("more than {MOST_BYTES} bytes") };
        assert_eq!(error.into_response().status(), StatusCode::PAYLOAD_TOO_LARGE);
    }
}
