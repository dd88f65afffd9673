//! Files that cost more than they weigh. They are written by hand, because no encoder makes most of them.

use std::io::Write;

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::write::{GzEncoder, ZlibEncoder};
use flate2::{Compression, Crc};
use serde_json::json;

use play::client::Client;
use play::request;

/// Bytes of a file that the gateway takes at most.
pub const MOST_BYTES: usize = 5 * 1_024 * 1_024;
/// Sides of a picture whose 48 MiB of colours are just within the budget of one picture.
pub const WIDEST: u16 = 4_096;

/// Deposits a PDF of 5 MiB and returns the id of the transaction.
///
/// # Errors
/// When the product refuses.
pub async fn upload_document(client: &Client) -> Result<String> {
    let mut document = b"%PDF-1.4\n".to_vec();
    document.resize(MOST_BYTES, b' ');
    let mut deposit = request::deposit("100.00", &client.platform_method("TRC20").await?);
    deposit.body["receipt"] = json!(data_url("application/pdf", &document));
    request::id(&client.make(deposit).await?)
}

pub fn data_url(content_type: &str, bytes: &[u8]) -> String {
    format!("data:{content_type};base64,{}", STANDARD.encode(bytes))
}

/// A PNG of two alternating rows of noise: it shrinks to little, and what is written from it does not.
///
/// # Errors
/// None: memory takes every write.
pub fn noisy_png(width: u32, height: u32, has_alpha: bool) -> Result<Vec<u8>> {
    let (channels, colour) = if has_alpha { (4, 6) } else { (3, 2) };
    let rows = [noise(1, width * channels), noise(2, width * channels)];
    let mut pixels = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in 0..height {
        pixels.write_all(&rows[(row % 2) as usize])?;
    }
    Ok(png(width, height, colour, &[(b"IDAT", &pixels.finish()?)]))
}

/// A row of a PNG: no filter, then bytes that do not repeat.
fn noise(seed: u32, length: u32) -> Vec<u8> {
    let mut state = seed;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_be_bytes()[0]
    };
    std::iter::once(0).chain((0..length).map(next)).collect()
}

/// A PNG whose header claims what it does not hold.
///
/// # Errors
/// As [`noisy_png`].
pub fn huge_png(side: u32) -> Result<Vec<u8>> {
    Ok(png(side, side, 6, &[(b"IDAT", &zeros(1_000_000)?)]))
}

/// A small PNG with a colour profile that expands to 256 MiB.
///
/// # Errors
/// As [`noisy_png`].
pub fn png_with_profile() -> Result<Vec<u8>> {
    let profile = [b"profile\0\0".as_slice(), &zeros(256 << 20)?].concat();
    Ok(png(1, 1, 6, &[(b"iCCP", &profile), (b"IDAT", &zeros(5)?)]))
}

fn png(width: u32, height: u32, colour: u8, chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, colour, 0, 0, 0]].concat();
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, content) in [(b"IHDR", header.as_slice())].iter().chain(chunks).chain(&[(b"IEND", [].as_slice())]) {
        let mut crc = Crc::new();
        crc.update(*name);
        crc.update(content);
        png.extend(u32::try_from(content.len()).unwrap_or_default().to_be_bytes());
        png.extend_from_slice(*name);
        png.extend_from_slice(content);
        png.extend(crc.sum().to_be_bytes());
    }
    png
}

/// Zeros, as zlib packs them: a thousand in a byte.
///
/// # Errors
/// As [`noisy_png`].
pub fn zeros(length: u64) -> Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), length), &mut packed)?;
    Ok(packed.finish()?)
}

/// Zeros, as gzip packs them.
///
/// # Errors
/// As [`noisy_png`].
pub fn gzipped_zeros(length: u64) -> Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), length), &mut packed)?;
    Ok(packed.finish()?)
}

/// How a JPEG is coded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    Baseline,
    /// All coefficients are kept until the last scan: twice the memory of the picture.
    Progressive,
}

/// A black JPEG of one, three or four channels: a bit or two a block.
pub fn black_jpeg(width: u16, height: u16, channels: u8, coding: Coding) -> Vec<u8> {
    let is_progressive = coding == Coding::Progressive;
    let mut jpeg = b"\xff\xd8\xff\xdb\x00\x43\x00".to_vec();
    jpeg.extend([1; 64]);
    jpeg.extend([0xff, if is_progressive { 0xc2 } else { 0xc0 }, 0, 8 + 3 * channels, 8]);
    jpeg.extend(height.to_be_bytes());
    jpeg.extend(width.to_be_bytes());
    jpeg.push(channels);
    jpeg.extend((1..=channels).flat_map(|channel| [channel, 0x11, 0]));
    // One code of one bit for "no difference", and one for "end of block".
    for table in [0x00, 0x10] {
        jpeg.extend([0xff, 0xc4, 0, 20, table, 1]);
        jpeg.extend([0; 16]);
    }
    jpeg.extend([0xff, 0xda, 0, 6 + 2 * channels, channels]);
    jpeg.extend((1..=channels).flat_map(|channel| [channel, 0]));
    jpeg.extend([0, if is_progressive { 0 } else { 63 }, 0]);
    let blocks = usize::from(width).div_ceil(8) * usize::from(height).div_ceil(8) * usize::from(channels);
    jpeg.resize(jpeg.len() + (blocks * 2).div_ceil(8), 0);
    jpeg.extend(b"\xff\xd9");
    jpeg
}

/// A lossless WebP of one colour: no bit a pixel.
pub fn plain_webp(width: u32, height: u32) -> Vec<u8> {
    // Width and height less one in 14 bits each, no alpha, version 0; no transforms, no cache, one group of codes; five
    // codes of one symbol, 0.
    let header = u64::from(width - 1) | u64::from(height - 1) << 14;
    let codes = (0..5).fold(0_u64, |bits, code| bits | 1 << (4 * code));
    let bits = header | codes << (32 + 3);
    let mut pixels = vec![0x2f];
    pixels.extend(bits.to_le_bytes());
    pixels.push(0);
    let size = u32::try_from(pixels.len()).unwrap_or_default();
    let chunk = [b"WEBPVP8L".as_slice(), &size.to_le_bytes(), &pixels].concat();
    [b"RIFF".as_slice(), &(size + 12).to_le_bytes(), &chunk].concat()
}

/// A GIF of 65,535 by 65,535 pixels and many frames.
pub fn endless_gif() -> Vec<u8> {
    let mut gif = b"GIF89a\xff\xff\xff\xff\x80\0\0\0\0\0\xff\xff\xff".to_vec();
    while gif.len() < MOST_BYTES - 64 {
        gif.extend(b"\x2c\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x4c\x01\0");
    }
    gif.push(0x3b);
    gif
}

/// A PDF with a stream that expands to 256 MiB.
///
/// # Errors
/// As [`noisy_png`].
pub fn pdf_bomb() -> Result<Vec<u8>> {
    let stream = zeros(256 << 20)?;
    let mut pdf =
        b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj \
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj 4 0 obj<</Filter/FlateDecode/Length "
            .to_vec();
    pdf.extend(stream.len().to_string().bytes());
    pdf.extend(b">>stream\n");
    pdf.extend(stream);
    pdf.extend(b"\nendstream endobj trailer<</Root 1 0 R>>\n%%EOF");
    Ok(pdf)
}

/// A ZIP of one file that expands to 256 MiB.
///
/// # Errors
/// As [`noisy_png`].
pub fn zip_bomb() -> Result<Vec<u8>> {
    let packed = zeros(256 << 20)?;
    // The header of a file: deflated, sizes after the content; then what zlib puts round the deflated bytes is cut off.
    let head = b"PK\x03\x04\x14\0\x08\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0a";
    Ok([head.as_slice(), &packed[2..packed.len() - 4]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each is what it claims to be: a decoder takes its header, or a file of another kind would be tested.
    #[test]
    fn files_are_small_and_begin_as_their_kinds_do() {
        let files = [
            (noisy_png(400, 800, true).expect("written"), &b"\x89PNG"[..]),
            (huge_png(22_000).expect("written"), b"\x89PNG"),
            (black_jpeg(WIDEST, WIDEST, 3, Coding::Progressive), b"\xff\xd8\xff"),
            (plain_webp(4_096, 4_096), b"RIFF\x16\0\0\0WEBPVP8L"),
            (endless_gif(), b"GIF89a"),
        ];
        for (file, head) in files {
            assert!(file.starts_with(head) && file.len() <= MOST_BYTES);
        }
    }

    #[test]
    fn zeros_are_packed_tightly() {
        assert!(zeros(1 << 24).expect("packed").len() < 1 << 15);
        assert!(gzipped_zeros(1 << 24).expect("packed").starts_with(b"\x1f\x8b"));
    }
}
