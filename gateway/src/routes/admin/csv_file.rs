//! Lists as CSV files, which are written while they are read.

use std::future::Future;
use std::io;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures::stream::{StreamExt, iter, try_unfold};
use serde::Serialize;

use crate::http::error::ApiError;
use crate::http::json::field;

/// Rows per call while a file is written.
pub const PAGE: i32 = 500;
/// Rows of a file about members, of whom there may be millions: a larger one is a matter for the database.
pub const MOST_ROWS: usize = 100_000;

/// Whether a list is asked for as a file.
pub fn is_csv(format: Option<&str>) -> Result<bool, ApiError> {
    match format {
        None | Some("" | "json") => Ok(false),
        Some("csv") => Ok(true),
        Some(_) => Err(field("format", "Choose json or csv")),
    }
}

/// The name that the API gives a variant of an enum.
pub fn word(value: impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A page of rows, and the cursor of the next.
pub type Page = (Vec<Vec<String>>, String);

/// A file with a line a row, under the names of the columns.
pub struct CsvFile {
    pub name: String,
    pub columns: Vec<&'static str>,
    /// Rows of the file. If there are more, its last line says so.
    pub most: usize,
}

impl CsvFile {
    /// All rows from this cursor on. The first page is read before the response begins, so that a refusal is still an error.
    /// If a later page cannot be read, the download fails.
    pub async fn respond<F, R>(self, cursor: String, read: F) -> Result<Response, ApiError>
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Page, ApiError>> + Send + 'static,
    {
        let disposition = format!("attachment; filename=\"{}.csv\"", self.name);
        let (first, next, left) = self.part(true, read(cursor).await?, self.most).map_err(ApiError::internal)?;
        let more = try_unfold((self, read, next, left), |(file, read, cursor, left)| async move {
            if cursor.is_empty() {
                return Ok(None);
            }
            let page = read(cursor).await.map_err(|error| error.broken_off(&file.name))?;
            let (part, next, left) = file.part(false, page, left)?;
            Ok(Some((part, (file, read, next, left))))
        });
        let headers =
            [(header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, disposition)];
        Ok((headers, Body::from_stream(iter([Ok::<_, io::Error>(first)]).chain(more))).into_response())
    }

    /// A page as lines, the cursor of the next page, which is empty after the last one of the file, and the rows that still fit.
    fn part(&self, with_header: bool, (mut rows, next): Page, left: usize) -> io::Result<(Bytes, String, usize)> {
        let is_cut = rows.len() > left || (rows.len() == left && !next.is_empty());
        rows.truncate(left);
        let left = left - rows.len();
        let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
        if with_header {
            writer.write_record(&self.columns)?;
        }
        for row in rows {
            writer.write_record(row)?;
        }
        if is_cut {
            let sentence =
                format!("Only the first {} rows are in this file. Narrow the search for the others.", self.most);
            let rest = self.columns.iter().skip(1).map(|_| "");
            writer.write_record(std::iter::once(sentence.as_str()).chain(rest))?;
        }
        let lines = writer.into_inner().map(Bytes::from).map_err(|error| error.into_error())?;
        Ok((lines, if is_cut { String::new() } else { next }, left))
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;
    use crate::http::json::inert;

    /// What a list of seven rows, three a page, comes to as a file of at most this many.
    async fn file(most: usize) -> String {
        let file = CsvFile { name: "list".to_owned(), columns: vec!["row", "text"], most };
        let read = |cursor: String| async move {
            let from: usize = cursor.parse().unwrap_or_default();
            let to = (from + 3).min(7);
            let rows = (from..to).map(|row| vec![row.to_string(), inert(format!("={row}"))]).collect();
            Ok((rows, if to == 7 { String::new() } else { to.to_string() }))
        };
        let body = file.respond(String::new(), read).await.unwrap().into_body();
        String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap()
    }

    /// [R9] [D-O3] Every page is in the file, inert in a spreadsheet; a file that is not whole says so in its last line.
    #[tokio::test]
    async fn a_file_has_every_page_or_says_that_it_has_not() {
        let lines = |rows: usize| (0..rows).map(|row| format!("{row},'={row}\r\n")).collect::<Vec<_>>().concat();
        assert_eq!(file(7).await, format!("row,text\r\n{}", lines(7)));
        for most in [2, 3, 6] {
            let cut = format!("Only the first {most} rows are in this file. Narrow the search for the others.,\r\n");
            assert_eq!(file(most).await, format!("row,text\r\n{}{cut}", lines(most)), "{most}");
        }
    }

    /// A page that cannot be read ends a file that began with an error, never as if it were whole.
    #[tokio::test]
    async fn a_file_that_breaks_off_is_no_file() {
        let file = || CsvFile { name: "list".to_owned(), columns: vec!["row"], most: 9 };
        let read = |cursor: String| async move {
            if cursor.is_empty() {
                Ok((vec![vec!["1".to_owned()]], "1".to_owned()))
            } else {
                Err(ApiError::not_found())
            }
        };
        assert!(file().respond(String::new(), read).await.unwrap().into_body().collect().await.is_err());
        assert!(file().respond("1".to_owned(), read).await.is_err());
    }
}
