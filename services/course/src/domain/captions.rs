//! Captions in WebVTT. Only cues with plain text and the harmless tags are accepted: no styles, regions or markup that a
//! browser might interpret.

/// Bytes of captions in one language: more than what is said in the longest video.
const LARGEST: usize = 500_000;
/// Languages of one video.
pub const MOST_LANGUAGES: i64 = 20;
const LONGEST_LABEL: usize = 60;
const LONGEST_LANGUAGE: usize = 35;
/// Tags of WebVTT that mark who speaks and how.
const TAGS: [&str; 7] = ["b", "i", "u", "v", "c", "lang", "ruby"];

/// Whether a text is a language tag such as `en` or `pt-BR`.
#[must_use]
pub fn is_language(text: &str) -> bool {
    let mut parts = text.split('-');
    let is_first = parts
        .next()
        .is_some_and(|first| (2..=3).contains(&first.len()) && first.bytes().all(|letter| letter.is_ascii_lowercase()));
    is_first
        && text.len() <= LONGEST_LANGUAGE
        && parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|letter| letter.is_ascii_alphanumeric()))
}

/// Whether a text can name captions.
#[must_use]
pub fn is_label(text: &str) -> bool {
    chassis::validate::is_text(text, 1, LONGEST_LABEL)
}

/// Checks captions and returns them with `\n` as the end of each line.
///
/// # Errors
/// A sentence about what is wrong.
pub fn check(vtt: &str) -> Result<String, String> {
    if vtt.len() > LARGEST {
        return Err("Captions can have up to 500 kB.".to_owned());
    }
    let text = vtt.strip_prefix('\u{feff}').unwrap_or(vtt).replace("\r\n", "\n").replace('\r', "\n");
    if text.contains('\0') || text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\t')) {
        return Err("Captions are plain text in UTF-8.".to_owned());
    }
    let mut blocks = text.split("\n\n").map(|block| block.trim_matches('\n')).filter(|block| !block.is_empty());
    let head = blocks.next().unwrap_or_default();
    if !(head == "WEBVTT" || head.starts_with("WEBVTT ") || head.starts_with("WEBVTT\t")) || head.contains('\n') {
        return Err("Captions begin with a line WEBVTT and an empty line.".to_owned());
    }
    let (mut cues, mut last_start) = (0_usize, 0);
    for block in blocks {
        if is_note(block) {
            continue;
        }
        last_start = cue(block, last_start)?;
        cues += 1;
    }
    if cues == 0 { Err("There are no captions in this file.".to_owned()) } else { Ok(text) }
}

/// Whether a block is a comment. With times in it, a browser may read it as a cue.
fn is_note(block: &str) -> bool {
    let rest = block.strip_prefix("NOTE");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n'])) && !block.contains("-->")
}

/// Checks a cue and returns when it starts.
fn cue(block: &str, last_start: u64) -> Result<u64, String> {
    let mut lines = block.lines();
    let first = lines.next().unwrap_or_default();
    let times = if first.contains("-->") { first } else { lines.next().unwrap_or_default() };
    let wrong = || format!("\"{}\" is not a line of times such as 00:01.000 --> 00:04.000.", shown(times));
    let (start, rest) = times.split_once("-->").ok_or_else(wrong)?;
    let end = rest.split_whitespace().next().ok_or_else(wrong)?;
    let (start, end) = (moment(start.trim()).ok_or_else(wrong)?, moment(end).ok_or_else(wrong)?);
    if end <= start || start < last_start {
        return Err(format!("\"{}\" is out of order.", shown(times)));
    }
    for line in lines {
        if line.contains("-->") {
            return Err(format!("There is no empty line before \"{}\".", shown(line)));
        }
        tags(line)?;
    }
    Ok(start)
}

/// Checks that a line has no markup but that of captions.
fn tags(line: &str) -> Result<(), String> {
    for part in line.split('<').skip(1) {
        let wrong = || format!("Markup such as \"<{}\" is not accepted in captions.", shown(part));
        let (tag, _) = part.split_once('>').ok_or_else(wrong)?;
        let name = tag.trim_start_matches('/').split([' ', '.', '\t']).next().unwrap_or_default();
        if !TAGS.contains(&name) && name != "rt" && moment(name).is_none() || tag.contains('=') {
            return Err(wrong());
        }
    }
    Ok(())
}

/// Milliseconds of a time such as `01:02:03.004` or `02:03.004`.
fn moment(text: &str) -> Option<u64> {
    let (rest, millis) = text.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
    let parts: Vec<&str> = rest.split(':').collect();
    if millis.len() != 3 || !is_number(millis) || !parts.iter().all(|part| is_number(part) && part.len() <= 3) {
        return None;
    }
    let number = |text: &&str| text.parse::<u64>().ok();
    let seconds = match parts.as_slice() {
        [minutes, seconds] => number(minutes)? * 60 + number(seconds).filter(|seconds| *seconds < 60)?,
        [hours, minutes, seconds] => {
            let minutes = number(minutes).filter(|minutes| *minutes < 60)?;
            number(hours)? * 3_600 + minutes * 60 + number(seconds).filter(|seconds| *seconds < 60)?
        }
        _ => return None,
    };
    Some(seconds * 1_000 + number(&millis)?)
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::{check, is_language};

    fn cues(text: &str) -> String {
        format!("WEBVTT\n\n00:01.000 --> 00:02.500 align:start\n{text}\n")
    }

    /// [D-C5] Captions with the marks of WebVTT are kept as they are, with any line ends.
    #[test]
    fn captions_are_accepted() {
        let text = "\u{feff}WEBVTT - Lesson\r\n\r\nNOTE made by hand\r\n\r\nNOTE\r\n<script>\r\n\r\n1\r\n00:01.000 --> 00:02.500\r\n- <v Ann>Hello <i>there</i>\r\n\r\n01:00:02.500 --> 01:00:04.000\r\nTwo & three\r\n";
        let kept = check(text).unwrap();
        assert!(kept.starts_with("WEBVTT - Lesson\n\nNOTE") && !kept.contains('\r'));
        assert_eq!(check(&kept), Ok(kept));
    }

    /// [D-C5] Nothing that a browser might run, and nothing that is no caption.
    #[test]
    fn hostile_captions_are_refused() {
        for text in [
            "",
            "hello",
            "WEBVTT",
            "WEBVTT\nX: y\n\n00:01.000 --> 00:02.000\na",
            "WEBVTT\n\nSTYLE\n::cue { background: url(http://example.org) }\n",
            "WEBVTT\n\nREGION\nid:a\n",
            "WEBVTT\n\n00:02.000 --> 00:01.000\na",
            "WEBVTT\n\n00:02.000 --> 00:03.000\na\n\n00:01.000 --> 00:02.000\nb",
            "WEBVTT\n\n1 --> 2\na",
            &cues("<script>alert(1)</script>"),
            &cues("<img src=x onerror=alert(1)>"),
            &cues("<i onclick=alert(1)>a</i>"),
            &cues("<unclosed"),
            &cues("a\0b"),
            &cues("a\n\nNOTEx\n00:03.000 --> 00:04.000\n<script>"),
            &cues("a\n\nNOTE\n00:03.000 --> 00:04.000\n<script>"),
            &cues("a\n\nNOTE 00:03.000 --> 00:04.000\n<script>"),
            &cues(&"x".repeat(500_001)),
        ] {
            assert!(check(text).is_err(), "{text:.80}");
        }
    }

    #[test]
    fn languages_are_tags() {
        assert!(["en", "pt-BR", "zh-Hant-TW", "gsw"].into_iter().all(is_language));
        assert!(!["", "e", "EN", "en_US", "en-", "english", "en/..", "../en"].into_iter().any(is_language));
    }
}
