//! Captions in WebVTT, made of files in WebVTT or SRT as the usual programs write them. Only cues with plain text and the
//! harmless tags are kept: no styles, regions or markup that a browser might interpret.

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

/// Reads captions and returns them as WebVTT with nothing but cues, in the order of their times.
///
/// # Errors
/// A sentence about what is wrong.
pub fn read(file: &str) -> Result<String, String> {
    if file.len() > LARGEST {
        return Err("Captions can have up to 500 kB.".to_owned());
    }
    let text = file.strip_prefix('\u{feff}').unwrap_or(file).replace("\r\n", "\n").replace('\r', "\n");
    let is_text = |letter: char| !letter.is_control() && letter != '\u{fffd}' || matches!(letter, '\n' | '\t');
    if !text.chars().all(is_text) {
        return Err("Captions are plain text in UTF-8.".to_owned());
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut blocks = lines.split(|line| line.is_empty()).filter(|block| !block.is_empty()).peekable();
    let is_head = |line: &str| line == "WEBVTT" || line.starts_with("WEBVTT ") || line.starts_with("WEBVTT\t");
    // The lines below the first are about the file, as those of YouTube.
    let has_head = blocks.next_if(|block| block.first().is_some_and(|line| is_head(line))).is_some();
    let mut cues = Vec::new();
    for block in blocks.filter(|block| !(has_head && is_apart(block))) {
        cues.push(cue(block)?);
    }
    if cues.is_empty() {
        let sentence =
            if has_head { "There are no captions in this file." } else { "Captions are a file in WebVTT or SRT." };
        return Err(sentence.to_owned());
    }
    cues.sort_by_key(|cue| cue.start);
    let mut vtt = "WEBVTT\n".to_owned();
    for Cue { start, end, settings, text } in cues {
        let [start, end] = [start, end].map(clock);
        vtt.push_str(&format!("\n{start} --> {end}{settings}\n{text}\n"));
    }
    Ok(vtt)
}

struct Cue {
    /// Milliseconds from the beginning of the video.
    start: u64,
    /// The same.
    end: u64,
    /// Where the lines stand, with a blank before each setting.
    settings: String,
    text: String,
}

/// Whether a block is no cue: a comment, a style or a region. With times in it, it is a cue with a name.
fn is_apart(block: &[&str]) -> bool {
    let first = block.first().and_then(|line| line.split([' ', '\t']).next());
    first.is_some_and(|word| ["NOTE", "STYLE", "REGION"].contains(&word))
        && !block.iter().any(|line| line.contains("-->"))
}

/// Reads a cue, with or without its number or name.
fn cue(block: &[&str]) -> Result<Cue, String> {
    let mut lines = block.iter();
    let first = lines.next().copied().unwrap_or_default();
    let times = if first.contains("-->") { first } else { lines.next().copied().unwrap_or_default() };
    let wrong = || format!("\"{}\" is not a line of times such as 00:01.000 --> 00:04.000.", shown(times));
    let (start, rest) = times.split_once("-->").ok_or_else(wrong)?;
    let mut rest = rest.split_whitespace();
    let end = rest.next().and_then(moment).ok_or_else(wrong)?;
    let start = moment(start.trim()).ok_or_else(wrong)?;
    if end <= start {
        return Err(format!("\"{}\" ends before it begins.", shown(times)));
    }
    let settings = rest.filter(|setting| is_setting(setting)).map(|setting| format!(" {setting}")).collect();
    let mut text = Vec::new();
    for line in lines {
        if line.contains("-->") {
            return Err(format!("There is no empty line before \"{}\".", shown(line)));
        }
        text.push(said(line)?);
    }
    Ok(Cue { start, end, settings, text: text.join("\n") })
}

/// Whether it says where lines stand. The region would be missing, and SRT has settings of its own.
fn is_setting(text: &str) -> bool {
    text.split_once(':').is_some_and(|(name, value)| {
        ["vertical", "line", "position", "size", "align"].contains(&name)
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".,%-".contains(&byte))
    })
}

/// A line without the marks of other programs, and with the tags of captions alone.
fn said(line: &str) -> Result<String, String> {
    // Such as {\an8}, which places a line in SRT.
    let mut plain = String::new();
    let mut rest = line;
    while let Some((before, inside)) = rest.split_once("{\\") {
        plain.push_str(before);
        rest = inside.split_once('}').map_or(inside, |(_, after)| after);
    }
    plain.push_str(rest);
    let mut parts = plain.split('<');
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if !part.starts_with(|letter: char| letter == '/' || letter.is_ascii_alphabetic()) {
            // The time of a word, or a sign and no tag, as in "I <3 this".
            let is_time = part.split_once('>').is_some_and(|(time, _)| moment(time).is_some());
            kept.push_str(if is_time { "<" } else { "&lt;" });
            kept.push_str(part);
            continue;
        }
        let wrong = || format!("Markup such as \"<{}\" is not accepted in captions.", shown(part));
        let (tag, after) = part.split_once('>').ok_or_else(wrong)?;
        let name = tag.trim_start_matches('/').split([' ', '.', '\t']).next().unwrap_or_default();
        if !name.eq_ignore_ascii_case("font") {
            if !TAGS.contains(&name) && name != "rt" || tag.contains('=') {
                return Err(wrong());
            }
            kept.push_str(&format!("<{tag}>"));
        }
        kept.push_str(after);
    }
    Ok(kept)
}

/// Milliseconds of a time such as `01:02:03.004`, `02:03.004` or, in SRT, `01:02:03,004`.
fn moment(text: &str) -> Option<u64> {
    let (rest, fraction) = text.split_once(['.', ','])?;
    let is_number = |text: &str| (1..=3).contains(&text.len()) && text.bytes().all(|letter| letter.is_ascii_digit());
    let parts: Vec<&str> = rest.split(':').collect();
    if !is_number(fraction) || !parts.iter().all(|part| is_number(part)) {
        return None;
    }
    let number = |text: &&str| text.parse::<u64>().ok();
    let sixty = |text: &&str| number(text).filter(|number| *number < 60);
    let seconds = match parts.as_slice() {
        [minutes, seconds] => number(minutes)? * 60 + sixty(seconds)?,
        [hours, minutes, seconds] => number(hours)? * 3_600 + sixty(minutes)? * 60 + sixty(seconds)?,
        _ => return None,
    };
    Some(seconds * 1_000 + format!("{fraction:0<3}").parse::<u64>().ok()?)
}

/// A time as WebVTT has it.
fn clock(millis: u64) -> String {
    let seconds = millis / 1_000;
    format!("{:02}:{:02}:{:02}.{:03}", seconds / 3_600, seconds / 60 % 60, seconds % 60, millis % 1_000)
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::{is_language, read};

    fn cues(text: &str) -> String {
        format!("WEBVTT\n\n00:01.000 --> 00:02.500 align:start\n{text}\n")
    }

    /// [D-C5] Captions with the marks of WebVTT are kept, with any line ends; comments are not.
    #[test]
    fn captions_are_accepted() {
        let text = "\u{feff}WEBVTT - Lesson\r\n\r\nNOTE made by hand\r\n\r\nNOTE\r\n<script>\r\n\r\n1\r\n00:01.000 --> 00:02.500\r\n- <v Ann>Hello <i>there</i>\r\n\r\n01:00:02.500 --> 01:00:04.000\r\nTwo & <00:03.000>three\r\n";
        let kept = read(text).unwrap();
        assert_eq!(
            kept,
            "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n- <v Ann>Hello <i>there</i>\n\n01:00:02.500 --> 01:00:04.000\nTwo & <00:03.000>three\n"
        );
        assert_eq!(read(&kept), Ok(kept));
        assert!(read(&cues("Hi")).unwrap().contains(" align:start\nHi\n"));
    }

    /// [D-C5] [F12b] What the usual programs write is read: SRT, the header of YouTube, styles and regions, colours, signs that
    /// are no tag, times of two digits or out of order, lines with a blank alone.
    #[test]
    fn captions_of_other_programs_are_read() {
        let one = "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nHi\n";
        for text in [
            "1\r\n00:00:01,000 --> 00:00:02,500\r\nHi\r\n",
            "00:00:01,000 --> 00:00:02,500 X1:40 X2:600 Y1:20 Y2:50\n{\\an8}<font color=\"#fff\">Hi</font>",
            "WEBVTT\nKind: captions\nLanguage: en\n\n00:00:01.000 --> 00:00:02.500\nHi",
            "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\n\n00:01.00 --> 00:02.5 region:a\nHi",
            "WEBVTT\n\nSTYLE\n::cue { background: url(http://example.org) }\n\nREGION\nid:a\n\n00:01.000 --> 00:02.500\nHi\n \n",
        ] {
            assert_eq!(read(text).as_deref(), Ok(one), "{text}");
        }
        assert!(read(&cues("I <3 this, 1 < 2")).unwrap().contains("\nI &lt;3 this, 1 &lt; 2\n"));
        let sorted = read("WEBVTT\n\n00:02.000 --> 00:03.000\nb\n\n00:01.000 --> 00:02.000\na").unwrap();
        assert!(sorted.find("\na\n") < sorted.find("\nb\n"));
    }

    /// [D-C5] Nothing that a browser might run, and nothing that is no caption.
    #[test]
    fn hostile_captions_are_refused() {
        for text in [
            "",
            "hello",
            "WEBVTT",
            "WEBVTT\n\nSTYLE\n::cue { background: url(http://example.org) }\n",
            "WEBVTT\n\nREGION\nid:a\n",
            "WEBVTT\n\n00:02.000 --> 00:01.000\na",
            "WEBVTT\n\n1 --> 2\na",
            &cues("<script>alert(1)</script>"),
            &cues("<img src=x onerror=alert(1)>"),
            &cues("<i onclick=alert(1)>a</i>"),
            &cues("{\\an8<}script>alert(1)</script>"),
            &cues("<{\\an8}script>alert(1)</script>"),
            &cues("<unclosed"),
            &cues("a\0b"),
            // Of a file in another encoding.
            &cues("Caf\u{fffd}"),
            &cues("a\n\nNOTEx\n00:03.000 --> 00:04.000\n<script>"),
            &cues("a\n\nNOTE\n00:03.000 --> 00:04.000\n<script>"),
            &cues("a\n\nNOTE 00:03.000 --> 00:04.000\n<script>"),
            &cues(&"x".repeat(500_001)),
        ] {
            assert!(read(text).is_err(), "{text:.80}");
        }
    }

    #[test]
    fn languages_are_tags() {
        assert!(["en", "pt-BR", "zh-Hant-TW", "gsw"].into_iter().all(is_language));
        assert!(!["", "e", "EN", "en_US", "en-", "english", "en/..", "../en"].into_iter().any(is_language));
    }
}
