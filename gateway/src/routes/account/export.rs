//! The member's own download: everything that is kept about them (D-A12).

use std::io;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chassis::grpc::Outgoing;
use futures::stream::unfold;
use futures::{Stream, TryStreamExt};
use proto::common::v1::{ListMemberDataRequest, ListMemberDataResponse};
use route_macros::get;
use serde_json::Value;
use time::{Date, OffsetDateTime};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, timeout};

use crate::app::App;
use crate::exports::Pace;
use crate::extract::VerifiedMember;
use crate::http::convert::non_empty;
use crate::http::error::{ApiError, Errors};
use crate::papers::archive::Archive;
use crate::peers::cache::profiles::Profile;
use crate::peers::clients::{Service, call_retrying};
use crate::routes::money::transactions::statement;

const README: &str = "This archive holds what Solvane keeps about you.\n\n\
    account, wallet, trades, course, cases, payment-methods, emails: our records as JSON. Amounts are in cents, times in UTC.\n\
    statements: your balance month by month, as CSV and as PDF.\n\
    files: your photo, the pictures of your payment methods, and the receipts and files of cases that you uploaded.\n\n\
    Not included: passwords, codes and keys, which we keep only in a form that cannot be read; notes of our staff; and \
    records that name other people. Write to us if you have a question about them.\n";

/// Download your data
///
/// A ZIP archive of everything that is kept about the caller: records of all services as JSON, statements of every month as
/// CSV and PDF, uploaded files. A member who has a second factor gives it first. One download at once, and at most three in
/// a row. HEAD returns the headers only.
#[get("/users/export", "Profile",
    responses((status = 200, description = "The archive", content_type = "application/zip", body = String), Errors))]
pub async fn export(method: Method, caller: VerifiedMember) -> Result<Response, ApiError> {
    let headers: [(HeaderName, HeaderValue); 3] = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/zip")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"solvane-data.zip\"")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    if method == Method::HEAD {
        return Ok(headers.into_response());
    }
    let place = caller.app.exports.admit(caller.session.user_id, caller.client.address.parse().ok())?;
    // Whether the caller may have it is known before the response begins.
    let first = page(&caller.app, Service::Auth, &caller.out, String::new()).await?;
    let holder = caller.app.profiles.get(caller.session.user_id).await?;
    let (sender, receiver) = channel(2);
    tokio::spawn(async move {
        let _place = place;
        let outlet = Outlet { sender, pace: Pace::default() };
        let archive = Archive::default();
        let mut export = Export { app: caller.app, out: caller.out, holder, archive, outlet, files: Vec::new() };
        if let Err(error) = export.write(first).await {
            tracing::warn!(%error, "a download of a member's data broke off");
        }
    });
    Ok((headers, Body::from_stream(chunks(receiver))).into_response())
}

/// A part of the archive, or nothing behind the last one.
type Part = Option<Bytes>;

/// The parts until the last. If it does not come, the client learns that the archive is incomplete.
fn chunks(receiver: Receiver<Part>) -> impl Stream<Item = io::Result<Bytes>> + Send {
    unfold(Some(receiver), |receiver| async move {
        let mut receiver = receiver?;
        match receiver.recv().await {
            Some(part) => part.map(|part| (Ok(part), Some(receiver))),
            None => Some((Err(io::Error::other("the download broke off")), None)),
        }
    })
}

/// Where the archive is sent.
struct Outlet {
    sender: Sender<Part>,
    pace: Pace,
}

impl Outlet {
    async fn send(&mut self, part: Part) -> Result<(), Broken> {
        let (bytes, began) = (part.as_ref().map_or(0, Bytes::len), Instant::now());
        let sent = timeout(self.pace.patience(), self.sender.send(part)).await.map_err(|_| Broken::Slow)?;
        sent.map_err(|_| Broken::Left)?;
        self.pace.received(bytes, began.elapsed());
        Ok(())
    }
}

/// The folder of a service in the archive.
const fn folder(service: Service) -> &'static str {
    match service {
        Service::Auth => "account",
        Service::Wallet => "wallet",
        Service::Trade => "trades",
        Service::Course => "course",
        Service::Cases => "cases",
        Service::PaymentMethod => "payment-methods",
        Service::Mailer => "emails",
    }
}

async fn page(app: &App, service: Service, out: &Outgoing, cursor: String) -> Result<ListMemberDataResponse, ApiError> {
    let client = &app.clients.of(service)?.member_data;
    Ok(call_retrying!(client, list_member_data, out, ListMemberDataRequest { cursor })?.into_inner())
}

/// Why a download ended early.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("{0:?}")]
    Refused(ApiError),
    #[error("a page is not readable")]
    Unreadable(#[from] serde_json::Error),
    #[error("the archive")]
    Archive(#[from] io::Error),
    #[error("the object store does not answer")]
    Store(#[from] object_store::Error),
    #[error("the member has left")]
    Left,
    #[error("the member receives it too slowly")]
    Slow,
}

impl From<ApiError> for Broken {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

/// An archive that is being sent.
struct Export {
    app: App,
    out: Outgoing,
    holder: Profile,
    archive: Archive,
    outlet: Outlet,
    /// Keys of the files that the records name.
    files: Vec<String>,
}

impl Export {
    async fn write(&mut self, first: ListMemberDataResponse) -> Result<(), Broken> {
        self.send("README.txt", README.as_bytes()).await?;
        let since = created_at(&first)?;
        let mut first = Some(first);
        for service in Service::ALL {
            self.records(service, first.take()).await?;
        }
        self.statements(since).await?;
        for key in std::mem::take(&mut self.files) {
            self.file(&key).await?;
        }
        let end = std::mem::take(&mut self.archive).end()?;
        self.outlet.send(Some(end.into())).await?;
        self.outlet.send(None).await
    }

    /// The records of one service, a file for each page.
    async fn records(&mut self, service: Service, first: Option<ListMemberDataResponse>) -> Result<(), Broken> {
        let mut cursor = String::new();
        let (mut next, mut table, mut number) = (first, String::new(), 0);
        loop {
            let read = match next.take() {
                Some(page) => page,
                None => page(&self.app, service, &self.out, cursor).await?,
            };
            number = if read.table == table { number + 1 } else { 1 };
            table.clone_from(&read.table);
            if !read.rows_json.is_empty() {
                self.note_files(&read)?;
                let content = format!("[\n{}\n]\n", read.rows_json.join(",\n"));
                self.send(&format!("{}/{table}-{number}.json", folder(service)), content.as_bytes()).await?;
            }
            if read.next_cursor.is_empty() {
                return Ok(());
            }
            cursor = read.next_cursor;
        }
    }

    fn note_files(&mut self, read: &ListMemberDataResponse) -> Result<(), Broken> {
        for row in &read.rows_json {
            let row: Value = serde_json::from_str(row)?;
            let keys = ["imageKey", "receiptKey", "fileKey"].into_iter().filter_map(|name| row.get(name)?.as_str());
            for key in keys.filter_map(non_empty) {
                if !self.files.iter().any(|known| known == key) {
                    self.files.push(key.to_owned());
                }
            }
        }
        Ok(())
    }

    /// A statement of every month in which the balance changed.
    async fn statements(&mut self, since: Date) -> Result<(), Broken> {
        let today = OffsetDateTime::now_utc().date();
        let mut month = since.replace_day(1).unwrap_or(since);
        while month <= today {
            if let Some(statement) = statement::of_month(&self.app, &self.out, &self.holder, month).await? {
                let name = format!("statements/{}-{:02}", month.year(), u8::from(month.month()));
                self.send(&format!("{name}.csv"), &statement.csv).await?;
                if let Some(pdf) = statement.pdf {
                    self.send(&format!("{name}.pdf"), &pdf).await?;
                }
            }
            let Some(next) = following(month) else { break };
            month = next;
        }
        Ok(())
    }

    /// An uploaded file, if it is still there. It is read twice, because its checksum comes before it.
    async fn file(&mut self, key: &str) -> Result<(), Broken> {
        let mut read = match self.app.files.read(key, None).await {
            Ok(read) => read,
            Err(error) if error.status() == StatusCode::NOT_FOUND => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let (size, mut checksum) = (read.size, crc32fast::Hasher::new());
        while let Some(part) = read.chunks.try_next().await? {
            checksum.update(&part);
        }
        let head = self.archive.head(&format!("files/{key}"), size, checksum.finalize())?;
        self.outlet.send(Some(head.into())).await?;
        let mut read = self.app.files.read(key, None).await?;
        while let Some(part) = read.chunks.try_next().await? {
            self.outlet.send(Some(part)).await?;
        }
        Ok(())
    }

    async fn send(&mut self, name: &str, content: &[u8]) -> Result<(), Broken> {
        let bytes = self.archive.file(name, content)?;
        self.outlet.send(Some(bytes.into())).await
    }
}

/// The first day of the next month.
fn following(month: Date) -> Option<Date> {
    let next = month.month().next();
    let year = if next == time::Month::January { month.year() + 1 } else { month.year() };
    Date::from_calendar_date(year, next, 1).ok()
}

/// The day on which the account was made, from its own record.
fn created_at(first: &ListMemberDataResponse) -> Result<Date, Broken> {
    let account: Value = serde_json::from_str(first.rows_json.first().map_or("null", String::as_str))?;
    let day = account.get("createdAt").and_then(Value::as_str).and_then(|at| at.get(..10));
    Ok(crate::http::json::day("createdAt", day)?)
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::following;

    #[test]
    fn months_follow_one_another() {
        assert_eq!(following(date!(2026 - 12 - 01)), Some(date!(2027 - 01 - 01)));
        assert_eq!(following(date!(2026 - 01 - 01)), Some(date!(2026 - 02 - 01)));
    }
}
