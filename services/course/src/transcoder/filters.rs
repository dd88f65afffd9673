//! The filters of ffmpeg for pictures and sound.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::domain::probe::{Rendition, Source};

/// What loudnorm measured in the first pass. Numbers as texts, which are passed on to the second.
#[derive(Debug, Deserialize)]
pub(super) struct Loudness {
    input_i: String,
    input_tp: String,
    input_lra: String,
    input_thresh: String,
    target_offset: String,
}

impl Loudness {
    pub(super) fn is_silent(&self) -> bool {
        self.input_i.contains("inf")
    }

    /// The second pass, which takes no measured loudness above 0, as clipped sound has.
    fn filter(&self) -> String {
        let Self { input_i, input_tp, input_lra, input_thresh, target_offset } = self;
        let [input_i, input_thresh] =
            [input_i, input_thresh].map(|level| if level.starts_with('-') { level } else { "0" });
        format!(
            "loudnorm=I=-16:TP=-1.5:LRA=11:linear=true:measured_I={input_i}:measured_TP={input_tp}:\
             measured_LRA={input_lra}:measured_thresh={input_thresh}:offset={target_offset}"
        )
    }
}

/// One chain that decodes, scales and normalises everything once.
pub(super) fn filters(source: &Source, loudness: Option<&Loudness>) -> String {
    let renditions = source.renditions();
    let count = renditions.len();
    let rate = if source.is_fast { "fps=30," } else { "" };
    let mut text = format!("[0:{}]{rate}{},split={count}", source.picture, scaled(source, source.best()));
    for number in 0..count {
        let _ = write!(text, "[s{number}]");
    }
    for (number, rendition) in renditions.into_iter().enumerate() {
        let (width, height) = source.size_of(rendition);
        let _ = write!(text, ";[s{number}]scale={width}:{height},format=yuv420p[v{number}]");
    }
    if let Some(sound) = source.sound {
        let normalise = loudness.map_or_else(|| "anull".to_owned(), Loudness::filter);
        let _ = write!(text, ";[0:{sound}]{normalise},aresample=48000,asplit={count}");
        for number in 0..count {
            let _ = write!(text, "[a{number}]");
        }
    }
    text
}

/// The picture in the size of a rendition, with square pixels and the colours of a common screen.
pub(super) fn scaled(source: &Source, rendition: Rendition) -> String {
    let (width, height) = source.size_of(rendition);
    let colours = source.hdr_transfer.map_or_else(String::new, |transfer| {
        format!(
            ",zscale=transferin={transfer}:primariesin=bt2020:matrixin=bt2020nc:transfer=linear:npl=100,format=gbrpf32le,\
             zscale=primaries=bt709,tonemap=hable:desat=0,zscale=transfer=bt709:matrix=bt709:range=tv"
        )
    });
    format!("scale={width}:{height},setsar=1{colours},format=yuv420p")
}
