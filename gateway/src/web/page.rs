//! A page of the build, with the operator's texts in place of the marks that the build left for them.

use std::io::{self, Write as _};
use std::path::Path;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;

use crate::http::compression;
use crate::http::error::ApiError;
use crate::operator::Operator;

/// A file as it is sent. It is compressed when a client first asks for it so.
#[derive(Debug)]
pub struct Page {
    kind: HeaderValue,
    /// Changes with the content.
    tag: HeaderValue,
    policy: Option<HeaderValue>,
    content: Bytes,
    gzip: OnceCell<Bytes>,
    brotli: OnceCell<Bytes>,
}

impl Page {
    /// Reads a file of the build and writes the operator into it.
    ///
    /// # Errors
    /// If the file cannot be read, or its ending is not known.
    pub fn read(path: &Path, marks: &Marks, policy: Option<HeaderValue>) -> io::Result<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let (kind, escape): (_, fn(&str) -> String) = match ending {
            "html" => ("text/html", escape_html),
            "js" => ("text/javascript", escape_json),
            "webmanifest" => ("application/manifest+json", escape_json),
            _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a page")),
        };
        let content = marks.fill(&std::fs::read_to_string(path)?, escape);
        let tag =
            HeaderValue::try_from(format!("\"{}\"", &hash(content.as_bytes())[..32])).map_err(io::Error::other)?;
        Ok(Self {
            kind: HeaderValue::from_static(kind),
            tag,
            policy,
            content: content.into(),
            gzip: OnceCell::new(),
            brotli: OnceCell::new(),
        })
    }

    /// The SHA-256 of the content, in hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> String {
        hash(&self.content)
    }

    /// The response to a request with these headers.
    ///
    /// # Errors
    /// If compressing it fails.
    pub async fn answer(&self, request: &HeaderMap) -> Result<Response, ApiError> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ETAG, self.tag.clone());
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if let Some(policy) = &self.policy {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy.clone());
        }
        headers.insert(header::CONTENT_TYPE, self.kind.clone());
        let known = request.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok()).unwrap_or_default();
        // A proxy that compresses makes a tag weak.
        if known.split(',').any(|tag| tag.trim().trim_start_matches("W/").as_bytes() == self.tag.as_bytes()) {
            return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
        }
        let (coding, compressed) = if compression::accepts(request, "br") {
            ("br", self.brotli.get_or_try_init(|| in_background(self.content.clone(), brotli)).await?)
        } else if compression::accepts(request, "gzip") {
            ("gzip", self.gzip.get_or_try_init(|| in_background(self.content.clone(), gzip)).await?)
        } else {
            return Ok((headers, self.content.clone()).into_response());
        };
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        Ok((headers, compressed.clone()).into_response())
    }
}

async fn in_background(content: Bytes, compress: fn(&[u8]) -> io::Result<Vec<u8>>) -> Result<Bytes, ApiError> {
    let compressed = spawn_blocking(move || compress(&content)).await.map_err(ApiError::internal)?;
    Ok(compressed.map_err(ApiError::internal)?.into())
}

fn gzip(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}

fn brotli(content: &[u8]) -> io::Result<Vec<u8>> {
    let params = BrotliEncoderParams { quality: 11, size_hint: content.len(), ..BrotliEncoderParams::default() };
    let mut compressed = Vec::new();
    CompressorWriter::with_params(&mut compressed, 4_096, &params).write_all(content)?;
    Ok(compressed)
}

fn hash(content: &[u8]) -> String {
    hex::encode(Sha256::digest(content))
}

/// What stands in place of each mark, such as `{{company}}`.
#[derive(Debug)]
pub struct Marks(Vec<(String, String)>);

impl Marks {
    /// The operator's texts, and all of them as the JSON that the app reads.
    ///
    /// # Errors
    /// Never: its fields are texts.
    pub fn of(operator: &Operator) -> serde_json::Result<Self> {
        let json = serde_json::to_value(operator)?;
        let texts = json.as_object().into_iter().flatten();
        let marks = texts.filter_map(|(name, text)| Some((format!("{{{{{name}}}}}"), text.as_str()?.to_owned())));
        let mut marks: Vec<_> = marks.collect();
        marks.push((OPERATOR.to_owned(), in_script(&json)));
        Ok(Self(marks))
    }

    /// Adds a mark.
    pub fn add(&mut self, name: &str, text: String) {
        self.0.push((format!("{{{{{name}}}}}"), text));
    }

    fn fill(&self, page: &str, escape: fn(&str) -> String) -> String {
        self.0.iter().fold(page.to_owned(), |page, (mark, text)| {
            let text = if mark == OPERATOR { text.clone() } else { escape(text) };
            page.replace(mark, &text)
        })
    }
}

/// The mark of the data block that the app reads.
const OPERATOR: &str = "{{operator}}";

/// JSON inside of a script element, which no text can end.
fn in_script(json: &Value) -> String {
    json.to_string().replace('<', "\\u003c")
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#x27;")
}

/// A text inside of a JSON string.
fn escape_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
