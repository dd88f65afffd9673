//! The pixels of a picture as they are shown: upright, and on white instead of transparency.

use image::metadata::Orientation;
use image::{DynamicImage, GenericImageView, GrayImage, RgbImage};

/// A picture as it was held, turned while it is read: a turned copy of a receipt would take as much memory again.
pub(super) struct Upright<P> {
    pub(super) picture: P,
    pub(super) orientation: Orientation,
}

impl<P: GenericImageView> GenericImageView for Upright<P> {
    type Pixel = P::Pixel;

    fn dimensions(&self) -> (u32, u32) {
        let (width, height) = self.picture.dimensions();
        match self.orientation {
            Orientation::NoTransforms
            | Orientation::Rotate180
            | Orientation::FlipHorizontal
            | Orientation::FlipVertical => (width, height),
            Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH => (height, width),
        }
    }

    fn get_pixel(&self, x: u32, y: u32) -> P::Pixel {
        let (width, height) = self.picture.dimensions();
        let (x, y) = match self.orientation {
            Orientation::NoTransforms => (x, y),
            Orientation::Rotate90 => (y, height - 1 - x),
            Orientation::Rotate180 => (width - 1 - x, height - 1 - y),
            Orientation::Rotate270 => (width - 1 - y, x),
            Orientation::FlipHorizontal => (width - 1 - x, y),
            Orientation::FlipVertical => (x, height - 1 - y),
            Orientation::Rotate90FlipH => (y, x),
            Orientation::Rotate270FlipH => (width - 1 - y, height - 1 - x),
        };
        self.picture.get_pixel(x, y)
    }
}

/// The picture on a white background instead of transparency. Grey pictures stay grey, and pictures of eight bits are not
/// copied.
pub(super) fn on_white(picture: DynamicImage) -> DynamicImage {
    let (width, height) = (picture.width(), picture.height());
    let color = picture.color();
    let flat = match (color.has_color(), color.has_alpha()) {
        (false, false) => return picture.into_luma8().into(),
        (true, false) => return picture.into_rgb8().into(),
        (false, true) => {
            GrayImage::from_raw(width, height, blended::<2>(picture.into_luma_alpha8().into_raw())).map(Into::into)
        }
        (true, true) => {
            RgbImage::from_raw(width, height, blended::<4>(picture.into_rgba8().into_raw())).map(Into::into)
        }
    };
    flat.unwrap_or_default()
}

/// Blends pixels of `N` channels, the last of which is the opacity, with white, and drops the opacity.
fn blended<const N: usize>(mut pixels: Vec<u8>) -> Vec<u8> {
    let count = pixels.len() / N;
    for pixel in 0..count {
        let alpha = u16::from(pixels[pixel * N + N - 1]);
        for channel in 0..N - 1 {
            let value = (u16::from(pixels[pixel * N + channel]) * alpha + 255 * (255 - alpha)) / 255;
            pixels[pixel * (N - 1) + channel] = u8::try_from(value).unwrap_or(u8::MAX);
        }
    }
    pixels.truncate(count * (N - 1));
    pixels
}

#[cfg(test)]
mod tests {
    use image::metadata::Orientation;
    use image::{DynamicImage, GenericImageView, GrayAlphaImage, GrayImage, LumaA, Rgb, RgbImage, Rgba, RgbaImage};

    use super::{Upright, on_white};

    /// [D-V2] A picture is turned by its orientation exactly as a turned copy would be.
    #[test]
    fn a_picture_is_turned_while_it_is_read() {
        let picture = RgbImage::from_fn(3, 2, |x, y| Rgb([u8::try_from(3 * y + x).unwrap(), 0, 0]));
        for exif in 1..=8 {
            let orientation = Orientation::from_exif(exif).unwrap();
            let mut copy = DynamicImage::from(picture.clone());
            copy.apply_orientation(orientation);
            let upright = Upright { picture: picture.clone(), orientation };
            assert_eq!(upright.dimensions(), copy.dimensions(), "{orientation:?}");
            let copy = copy.into_rgb8();
            assert!(
                upright.pixels().eq(copy.enumerate_pixels().map(|(x, y, pixel)| (x, y, *pixel))),
                "{orientation:?}"
            );
        }
    }

    /// [D-V2] Transparent pixels become white, half transparent ones lighter, and grey pictures stay grey.
    #[test]
    fn pictures_look_as_on_paper() {
        let pixels = RgbaImage::from_fn(3, 1, |x, _| Rgba([200, 100, 0, [255, 128, 0][x as usize]]));
        let flat = on_white(pixels.into()).into_rgb8();
        assert_eq!(flat.pixels().map(|pixel| pixel.0).collect::<Vec<_>>(), [[200, 100, 0], [227, 177, 127], [255; 3]]);
        let grey = on_white(GrayAlphaImage::from_pixel(2, 2, LumaA([9, 0])).into());
        assert_eq!(grey, DynamicImage::from(GrayImage::from_pixel(2, 2, image::Luma([255]))));
        assert_eq!(on_white(DynamicImage::new_luma16(2, 2)), DynamicImage::new_luma8(2, 2));
    }
}
