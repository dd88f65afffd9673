//! Files that are no videos, or worse.

use std::time::{Duration, Instant};

use proto::course::v1::{MediaKind, MediaState};
use sqlx::PgPool;

use crate::media::{Studio, ffmpeg, files, film};

const X264: [&str; 6] = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"];

fn picture(source: &str, args: &[&str], name: &str) -> Vec<u8> {
    ffmpeg(&[&["-f", "lavfi", "-i", source], &X264[..], args].concat(), name)
}

/// A film with a further track, which is a text in this form.
fn with_text(name: &str, text: &str, args: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    let source = ["-f", "lavfi", "-i", "testsrc=size=128x96:rate=5:duration=1"];
    let file = file.display().to_string();
    let inputs = if args.contains(&"-attach") { vec![] } else { vec!["-i", file.as_str()] };
    let args: Vec<&str> = args.iter().map(|arg| if *arg == "FILE" { file.as_str() } else { arg }).collect();
    ffmpeg(&[&source[..], &inputs, &X264, &args].concat(), "film.mkv")
}

/// Replaces each part of a file.
fn replaced(mut file: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let places: Vec<_> = (0..file.len() - from.len()).filter(|place| file[*place..].starts_with(from)).collect();
    assert!(!places.is_empty(), "nothing to replace");
    for place in places {
        file[place..place + to.len()].copy_from_slice(to);
    }
    file
}

/// The files, and a part of the reason that each is refused for.
fn hostile() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    const NONE: &str = "no video that we can read";
    const DAMAGED: &str = "damaged or incomplete";
    let small = "testsrc=size=128x96:rate=5:duration=1";
    let whole = film(6);
    let fast = ffmpeg(
        &[
            "-f",
            "lavfi",
            "-i",
            "testsrc2=size=320x240:rate=10:duration=20",
            "-c:v",
            "libx264",
            "-movflags",
            "+faststart",
        ],
        "fast.mp4",
    );
    let half = fast[..fast.len() / 2].to_vec();
    let header = whole[..40].to_vec();
    let mut garbage = whole[..40].to_vec();
    garbage.extend((0..200_000_u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 24) as u8));
    let (wide, frames) = ("color=size=10000x10000:rate=1:duration=1", "testsrc=size=64x64:rate=500:duration=1");
    let endless = ffmpeg(
        &["-f", "lavfi", "-i", "color=size=64x64:rate=1:duration=11000", "-c:v", "libx264", "-preset", "ultrafast"],
        "endless.mp4",
    );
    vec![
        ("page.mp4", b"<html><script>alert(1)</script></html>".to_vec(), NONE),
        ("program.mp4", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec(), NONE),
        ("picture.mp4", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), NONE),
        ("archive.mp4", b"PK\x03\x04zip".to_vec(), NONE),
        ("one-byte.mp4", b"x".to_vec(), NONE),
        ("playlist-of-files.mp4", b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n".to_vec(), NONE),
        ("playlist-of-addresses.mp4", b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:1/x\n#EXT-X-ENDLIST\n".to_vec(), NONE),
        ("concat.mp4", b"ffconcat version 1.0\nfile '/etc/passwd'\n".to_vec(), NONE),
        ("description.mp4", b"v=0\no=- 0 0 IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n".to_vec(), NONE),
        ("dash.mp4", b"<?xml version=\"1.0\"?><MPD><BaseURL>http://127.0.0.1:1/</BaseURL></MPD>".to_vec(), NONE),
        ("header-alone.mp4", header, DAMAGED),
        ("garbage.mp4", garbage, DAMAGED),
        ("truncated.mp4", whole[..whole.len() * 2 / 3].to_vec(), DAMAGED),
        ("half.mp4", half, "ends before its last picture"),
        ("wide.mp4", picture(wide, &["-frames:v", "1"], "wide.mp4"), "10000 × 10000"),
        ("frames.mp4", picture(frames, &[], "frames.mp4"), "frames a second"),
        ("long.mp4", endless, "longer than three hours"),
        ("sound.mp4", ffmpeg(&["-f", "lavfi", "-i", "sine=duration=1", "-c:a", "aac"], "sound.mp4"), "no picture"),
        ("codec.mkv", ffmpeg(&["-f", "lavfi", "-i", small, "-c:v", "ffv1"], "codec.mkv"), "encoded with ffv1"),
        // A reference to another file in place of the own data.
        ("reference.mov", replaced(film(1), b"url \0\0\0\x01", b"url \0\0\0\0"), ""),
    ]
}

/// [D-C5] Hostile files end with a clear reason within the limits, and leave nothing in the store and on the disk.
#[sqlx::test(migrations = false)]
async fn hostile_files_are_refused(pool: PgPool) {
    let studio = Studio::new(pool).await;
    let mut wrong = Vec::new();
    for (name, bytes, reason) in hostile() {
        let id = studio.upload(MediaKind::Video, name, &bytes).await;
        let begun = Instant::now();
        assert!(studio.worker.process_next().await.unwrap(), "{name}");
        let (media, took) = (studio.media(&id).await, begun.elapsed());
        let is_as_expected = match reason {
            // It may be played, but nothing of another file is in it.
            "" => matches!(media.state(), MediaState::Failed | MediaState::Ready),
            reason => media.state() == MediaState::Failed && media.reason.contains(reason),
        };
        if !is_as_expected || took > Duration::from_secs(60) {
            wrong.push(format!("{name}: {:?} {:?} after {took:?}", media.state(), media.reason));
        }
    }
    assert_eq!(wrong, [""; 0]);
    let mut left = Vec::new();
    files(studio.workplace.path(), &mut left);
    assert_eq!(left, [""; 0]);
    let results = studio.stored().into_iter().filter(|name| !name.contains("/upload/"));
    assert_eq!(
        results
            .filter(|name| !name.contains("360p") && !name.ends_with("master.m3u8") && !name.ends_with(".jpg"))
            .count(),
        0
    );
}

/// Files with more or less than a video needs, as phones, browsers and editing programs make them.
fn unusual() -> Vec<(&'static str, Vec<u8>)> {
    let srt = "1\n00:00:00,000 --> 00:00:01,000\n<script>alert(1)</script>\n";
    let ass = "[Script Info]\n[Events]\nFormat: Layer, Start, End, Style, Text\nDialogue: 0,0:00:00.00,0:00:01.00,x,{\\fn/etc/passwd}x\n";
    let small = "testsrc=size=128x96:rate=5:duration=2";
    let clipped = "aevalsrc=exprs=sgn(sin(1257*t))|sgn(sin(1257*t)):duration=3";
    let loud = ["-f", "lavfi", "-i", small, "-f", "lavfi", "-i", clipped, "-c:a", "pcm_s24be"];
    let font = ["-attach", "FILE", "-metadata:s:t", "mimetype=application/x-truetype-font"];
    vec![
        // As a browser records: nothing says how long it is.
        ("live.webm", ffmpeg(&["-f", "lavfi", "-i", small, "-c:v", "libvpx", "-live", "1", "-f", "webm"], "live.webm")),
        ("subtitles.mkv", with_text("a.srt", srt, &["-c:s", "srt", "-map", "0", "-map", "1"])),
        ("styles.mkv", with_text("a.ass", ass, &["-c:s", "ass", "-map", "0", "-map", "1"])),
        ("fonts.mkv", with_text("a.ttf", "no font", &font)),
        ("tracks.mkv", picture(small, &["-map", "0", "-map", "0", "-map", "0"], "tracks.mkv")),
        // Clipped sound, longer than the picture.
        ("loud.mov", ffmpeg(&[&loud[..], &X264].concat(), "loud.mov")),
        ("hdr.mp4", picture(small, &["-color_trc", "arib-std-b67", "-color_primaries", "bt2020"], "hdr.mp4")),
    ]
}

/// [D-C5] What a player plays becomes a video: of several tracks the first, without subtitles and fonts.
#[sqlx::test(migrations = false)]
async fn unusual_files_are_taken(pool: PgPool) {
    let studio = Studio::new(pool).await;
    let mut wrong = Vec::new();
    for (name, bytes) in unusual() {
        let id = studio.upload(MediaKind::Video, name, &bytes).await;
        assert!(studio.worker.process_next().await.unwrap(), "{name}");
        let media = studio.media(&id).await;
        if media.state() != MediaState::Ready {
            wrong.push(format!("{name}: {:?} {:?}", media.state(), media.reason));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// [D-C5] Attachments are what they say by their content.
#[sqlx::test(migrations = false)]
async fn attachments_are_checked(pool: PgPool) {
    let studio = Studio::new(pool).await;
    for (name, bytes, content_type) in [
        ("a.pdf", &b"%PDF-1.7\n"[..], "application/pdf"),
        ("a.docx", b"PK\x03\x04x", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("a.txt", "ä text".as_bytes(), "text/plain"),
        ("a.pdf", b"MZ\x90\0", ""),
        ("a.html", b"<script>", ""),
        ("a.svg", b"<svg onload=alert(1)>", ""),
        ("a.txt", b"\xff\xfe\0", ""),
    ] {
        let id = studio.upload(MediaKind::Attachment, name, bytes).await;
        assert!(studio.worker.process_next().await.unwrap());
        let media = studio.media(&id).await;
        let state = if content_type.is_empty() { MediaState::Failed } else { MediaState::Ready };
        assert_eq!((media.state(), media.content_type.as_str()), (state, content_type), "{name}");
    }
}
