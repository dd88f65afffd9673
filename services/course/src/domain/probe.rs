//! What ffprobe reports about a file, and whether it is made into a video of the course.

use serde::Deserialize;

const LONGEST_SECONDS: i64 = 3 * 60 * 60;
const LONGEST_EDGE: i64 = 4_096;
const MOST_PIXELS: i64 = 4_096 * 2_304;
const SHORTEST_EDGE: i64 = 64;
const MOST_FRAMES_A_SECOND: i64 = 120;
const MOST_STREAMS: usize = 16;
const VIDEO_CODECS: [&str; 8] = ["h264", "hevc", "vp8", "vp9", "av1", "mpeg4", "prores", "mjpeg"];
const AUDIO_CODECS: [&str; 14] = [
    "aac",
    "mp3",
    "opus",
    "vorbis",
    "flac",
    "alac",
    "ac3",
    "eac3",
    "pcm_s16le",
    "pcm_s16be",
    "pcm_s24le",
    "pcm_s24be",
    "pcm_s32le",
    "pcm_f32le",
];
/// Transfer functions of pictures in high dynamic range, which players of the result cannot show.
const HDR_TRANSFERS: [&str; 2] = ["arib-std-b67", "smpte2084"];
/// Qualities that members can choose from, by the shorter edge.
const RENDITIONS: [Rendition; 3] = [
    Rendition { name: "360p", edge: 360, kilobits: 800 },
    Rendition { name: "720p", edge: 720, kilobits: 2_500 },
    Rendition { name: "1080p", edge: 1_080, kilobits: 5_000 },
];

/// A quality of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rendition {
    pub name: &'static str,
    /// The shorter edge.
    pub edge: i64,
    /// Maximum bit rate of the picture.
    pub kilobits: i64,
}

/// A video that can be transcoded: the first picture and sound that can be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    pub duration_ms: i64,
    /// As it is shown: a rotation and the shape of the pixels are applied.
    pub width: i64,
    pub height: i64,
    /// The index of the stream, as that of the sound.
    pub picture: usize,
    pub sound: Option<usize>,
    /// Whether frames are shown at more than 30 a second.
    pub is_fast: bool,
    /// The transfer function, if the picture has a high dynamic range.
    pub hdr_transfer: Option<&'static str>,
}

/// What ffprobe reports as JSON.
#[derive(Debug, Deserialize)]
pub struct Report {
    #[serde(default)]
    streams: Vec<Stream>,
    #[serde(default)]
    format: Format,
}

#[derive(Debug, Default, Deserialize)]
struct Format {
    duration: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Stream {
    codec_type: Option<String>,
    codec_name: Option<String>,
    width: Option<i64>,
    height: Option<i64>,
    sample_aspect_ratio: Option<String>,
    color_transfer: Option<String>,
    avg_frame_rate: Option<String>,
    duration: Option<String>,
    channels: Option<i64>,
    #[serde(default)]
    tags: Tags,
    #[serde(default)]
    disposition: Disposition,
    #[serde(default)]
    side_data_list: Vec<SideData>,
}

/// Matroska has the length of a stream here, as `00:01:02.500000000`.
#[derive(Debug, Default, Deserialize)]
struct Tags {
    #[serde(rename = "DURATION")]
    duration: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Disposition {
    #[serde(default)]
    attached_pic: i64,
}

#[derive(Debug, Deserialize)]
struct SideData {
    rotation: Option<i64>,
}

impl Report {
    /// What is made of the file. Its length is `counted_ms` if the file does not state one.
    ///
    /// # Errors
    /// A sentence for people about why nothing is.
    pub fn source(&self, counted_ms: Option<i64>) -> Result<Source, String> {
        if self.streams.len() > MOST_STREAMS {
            return Err("The file has too many tracks. Export it with one picture and one sound track.".to_owned());
        }
        let of = |kind: &'static str| {
            let streams = self.streams.iter().enumerate();
            streams.filter(move |(_, stream)| stream.codec_type.as_deref() == Some(kind))
        };
        let (picture, video) =
            first(of("video").filter(|(_, stream)| stream.disposition.attached_pic == 0), &VIDEO_CODECS)?
                .ok_or("The file has no picture.")?;
        let sound = first(of("audio"), &AUDIO_CODECS)?;
        let duration_ms = length(self.stated_ms().or(counted_ms))?;
        let (width, height) = video.size()?;
        let frames = video.frames_a_second();
        if frames > MOST_FRAMES_A_SECOND {
            return Err("The video has more than 120 frames a second.".to_owned());
        }
        if sound.and_then(|(_, audio)| audio.channels).is_some_and(|channels| channels > 8) {
            return Err("The sound has more than eight channels.".to_owned());
        }
        let transfer = video.color_transfer.as_deref();
        let hdr_transfer = HDR_TRANSFERS.into_iter().find(|known| Some(*known) == transfer);
        let sound = sound.map(|(index, _)| index);
        Ok(Source { duration_ms, width, height, picture, sound, is_fast: frames > 30, hdr_transfer })
    }

    /// The length of the picture, if the file states it. Sound may be longer.
    #[must_use]
    pub fn stated_ms(&self) -> Option<i64> {
        let of_video =
            |stream: &&Stream| stream.codec_type.as_deref() == Some("video") && stream.disposition.attached_pic == 0;
        let video = self.streams.iter().find(of_video)?;
        let stated = video.duration.as_deref().and_then(millis);
        let tagged = || video.tags.duration.as_deref().and_then(clock_millis);
        let whole = || self.format.duration.as_deref().and_then(millis);
        stated.or_else(tagged).or_else(whole).filter(|duration| *duration > 0)
    }
}

/// The first stream that can be decoded.
fn first<'a>(
    streams: impl Iterator<Item = (usize, &'a Stream)>,
    codecs: &[&str],
) -> Result<Option<(usize, &'a Stream)>, String> {
    let mut refused = None;
    for (index, stream) in streams {
        let codec = stream.codec_name.as_deref().unwrap_or("an unknown codec");
        if codecs.contains(&codec) {
            return Ok(Some((index, stream)));
        }
        refused.get_or_insert(codec);
    }
    refused.map_or(Ok(None), |codec| {
        Err(format!("The file is encoded with {codec}, which we do not accept. Export it as H.264 with AAC."))
    })
}

fn length(duration_ms: Option<i64>) -> Result<i64, String> {
    let duration_ms = duration_ms.ok_or("The file does not say how long it is. Export it again as MP4.")?;
    if duration_ms > LONGEST_SECONDS * 1_000 {
        return Err("The video is longer than three hours.".to_owned());
    }
    if duration_ms < 1_000 { Err("The video is shorter than a second.".to_owned()) } else { Ok(duration_ms) }
}

impl Stream {
    fn size(&self) -> Result<(i64, i64), String> {
        let (width, height) = (self.width.unwrap_or(0), self.height.unwrap_or(0));
        if width > LONGEST_EDGE || height > LONGEST_EDGE || width.saturating_mul(height) > MOST_PIXELS {
            return Err(format!("The picture has {width} × {height} pixels. Up to 4096 × 2304 are accepted."));
        }
        if width < SHORTEST_EDGE || height < SHORTEST_EDGE {
            return Err("The picture is smaller than 64 × 64 pixels.".to_owned());
        }
        let (across, down) = self.pixel_shape();
        let width = (width * across / down).clamp(SHORTEST_EDGE, LONGEST_EDGE);
        let rotation = self.side_data_list.iter().find_map(|data| data.rotation).unwrap_or(0);
        Ok(if rotation % 180 == 0 { (width, height) } else { (height, width) })
    }

    /// Width to height of a pixel; square unless the file says something plausible.
    fn pixel_shape(&self) -> (i64, i64) {
        let ratio = self.sample_aspect_ratio.as_deref().and_then(|ratio| ratio.split_once(':'));
        let ratio = ratio.and_then(|(across, down)| Some((across.parse::<i32>().ok()?, down.parse::<i32>().ok()?)));
        match ratio.map(|(across, down)| (i64::from(across), i64::from(down))) {
            Some((across, down)) if across > 0 && down > 0 && across <= down * 4 && down <= across * 4 => {
                (across, down)
            }
            _ => (1, 1),
        }
    }

    /// Rounded down.
    fn frames_a_second(&self) -> i64 {
        let rate = self.avg_frame_rate.as_deref().and_then(|rate| rate.split_once('/'));
        let rate = rate.and_then(|(frames, seconds)| Some((frames.parse::<i64>().ok()?, seconds.parse::<i64>().ok()?)));
        rate.and_then(|(frames, seconds)| frames.checked_div(seconds)).unwrap_or(0)
    }
}

/// Milliseconds of a decimal number of seconds.
#[must_use]
pub fn millis(text: &str) -> Option<i64> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction: String = fraction.chars().chain("000".chars()).take(3).collect();
    let (seconds, fraction) = (seconds.parse::<u32>().ok()?, fraction.parse::<u16>().ok()?);
    Some(i64::from(seconds) * 1_000 + i64::from(fraction))
}

/// Milliseconds of hours, minutes and seconds.
fn clock_millis(text: &str) -> Option<i64> {
    let (hours, rest) = text.split_once(':')?;
    let (minutes, seconds) = rest.split_once(':')?;
    let (hours, minutes) = (hours.parse::<u16>().ok()?, minutes.parse::<u16>().ok()?);
    Some((i64::from(hours) * 60 + i64::from(minutes)) * 60_000 + millis(seconds)?)
}

impl Source {
    /// The qualities that are made: none larger than the source, and at least the smallest.
    #[must_use]
    pub fn renditions(&self) -> Vec<Rendition> {
        let edge = self.width.min(self.height);
        RENDITIONS
            .into_iter()
            .enumerate()
            .filter(|(place, one)| *place == 0 || one.edge <= edge)
            .map(|(_, one)| one)
            .collect()
    }

    /// The largest quality.
    #[must_use]
    pub fn best(&self) -> Rendition {
        *self.renditions().last().unwrap_or(&RENDITIONS[0])
    }

    /// Width and height of a rendition, both even. Nothing is made larger than it is.
    #[must_use]
    pub fn size_of(&self, rendition: Rendition) -> (i64, i64) {
        let edge = rendition.edge.min(self.width.min(self.height));
        let even = |length: i64| (length / 2 * 2).max(2);
        let scaled = |long: i64, short: i64| even(long * edge / short);
        if self.width >= self.height {
            (scaled(self.width, self.height), even(edge))
        } else {
            (even(edge), scaled(self.height, self.width))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Report, Source, millis};

    fn report(streams: &str) -> Result<Source, String> {
        let text = format!(r#"{{"streams": [{streams}], "format": {{"duration": "61.25"}}}}"#);
        serde_json::from_str::<Report>(&text).unwrap().source(None)
    }

    const VIDEO: &str = r#"{"codec_type": "video", "codec_name": "h264", "width": 1920, "height": 1080, "avg_frame_rate": "30000/1001"}"#;

    /// [D-C5] A phone's video, upright and with tracks that only the phone reads, is accepted.
    #[test]
    fn videos_of_phones_are_accepted() {
        let phone = VIDEO.replace(r#""avg_frame_rate""#, r#""side_data_list": [{"rotation": -90}], "avg_frame_rate""#);
        let found = report(&format!(
            r#"{phone}, {{"codec_type": "audio", "codec_name": "aac"}}, {{"codec_type": "data"}}, {{"codec_type": "data"}}"#
        ));
        let found = found.unwrap();
        assert_eq!((found.width, found.height, found.duration_ms), (1_080, 1_920, 61_250));
        let sizes: Vec<_> = found.renditions().into_iter().map(|one| found.size_of(one)).collect();
        assert_eq!(sizes, [(360, 640), (720, 1_280), (1_080, 1_920)]);
    }

    #[test]
    fn nothing_is_made_larger() {
        let source = |width, height| Source { width, height, ..report(VIDEO).unwrap() };
        let names = |source: Source| source.renditions().into_iter().map(|one| one.name).collect::<Vec<_>>();
        assert_eq!(names(source(320, 240)), ["360p"]);
        assert_eq!(source(321, 241).size_of(source(321, 241).renditions()[0]), (320, 240));
        assert_eq!(names(source(1_280, 720)), ["360p", "720p"]);
        assert_eq!(names(source(3_840, 2_160)), ["360p", "720p", "1080p"]);
    }

    /// [D-C5] Each reason has its sentence.
    #[test]
    fn hostile_reports_are_refused() {
        let sound = r#"{"codec_type": "audio", "codec_name": "aac"}"#;
        for (streams, part) in [
            (String::new(), "no picture"),
            (sound.to_owned(), "no picture"),
            (VIDEO.replace("1920", "10000"), "10000 × 1080"),
            (VIDEO.replace("1920", "16"), "smaller"),
            (VIDEO.replace("30000/1001", "1000/1"), "frames a second"),
            (VIDEO.replace("h264", "rawvideo"), "rawvideo"),
            (format!("{VIDEO}, {}", sound.replace("aac", "atrac3")), "atrac3"),
            (format!("{VIDEO}{}", r#", {"codec_type": "data"}"#.repeat(16)), "too many"),
        ] {
            let refused = report(&streams).unwrap_err();
            assert!(refused.contains(part), "{refused}");
        }
        let of = |duration: &str| {
            let text = format!(r#"{{"streams": [{VIDEO}], "format": {{"duration": "{duration}"}}}}"#);
            serde_json::from_str::<Report>(&text).unwrap().source(None).unwrap_err()
        };
        assert!(
            of("10801").contains("three hours") && of("0.9").contains("a second") && of("N/A").contains("how long")
        );
    }

    /// [D-C5] Of several tracks the first that can be decoded is taken; subtitles, fonts and others are left out.
    #[test]
    fn the_first_usable_tracks_are_taken() {
        let sound = |codec: &str| format!(r#"{{"codec_type": "audio", "codec_name": "{codec}"}}"#);
        let found = report(&format!(
            r#"{{"codec_type": "subtitle", "codec_name": "ass"}}, {VIDEO}, {}, {}, {VIDEO}, {{"codec_type": "attachment"}}"#,
            r#"{"codec_type": "audio"}"#,
            sound("pcm_s24be"),
        ));
        let found = found.unwrap();
        assert_eq!((found.picture, found.sound), (1, Some(3)));
    }

    /// [D-C5] The length is that of the picture, from wherever the file has it.
    #[test]
    fn the_length_is_that_of_the_picture() {
        let of = |stream: &str, counted| {
            let text = format!(r#"{{"streams": [{}], "format": {{}}}}"#, VIDEO.replace(r#""width""#, stream));
            serde_json::from_str::<Report>(&text).unwrap().source(counted).map(|source| source.duration_ms)
        };
        assert_eq!(of(r#""duration": "9.5", "width""#, Some(1_000)), Ok(9_500));
        assert_eq!(of(r#""tags": {"DURATION": "01:00:02.250000000"}, "width""#, None), Ok(3_602_250));
        assert_eq!(of(r#""width""#, Some(4_200)), Ok(4_200));
        assert!(of(r#""width""#, None).is_err());
    }

    /// [D-C5] Anamorphic pixels and high dynamic range are recognised.
    #[test]
    fn pixels_and_colours_are_read() {
        let with = |fields: &str| {
            let stream = VIDEO.replace(r#""width": 1920"#, &format!(r#"{fields}, "width": 1440"#));
            report(&stream).unwrap()
        };
        let found = with(r#""sample_aspect_ratio": "4:3", "color_transfer": "arib-std-b67""#);
        assert_eq!((found.width, found.height, found.hdr_transfer), (1_920, 1_080, Some("arib-std-b67")));
        let found = with(r#""sample_aspect_ratio": "0:1", "color_transfer": "bt709""#);
        assert_eq!((found.width, found.height, found.hdr_transfer), (1_440, 1_080, None));
    }

    #[test]
    fn seconds_are_decimal() {
        assert_eq!([millis("1.5"), millis("12"), millis("0.0425")], [Some(1_500), Some(12_000), Some(42)]);
        assert_eq!([millis("N/A"), millis("-1"), millis("")], [None; 3]);
    }
}
