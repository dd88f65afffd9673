//! What a service keeps about a member, in pages, for the member's own download (D-A12).

use std::marker::PhantomData;

use proto::common::v1::member_data_service_server::MemberDataService;
use proto::common::v1::{ListMemberDataRequest, ListMemberDataResponse};
use serde_json::Value;
use tonic::{Request, Response, Status};

use crate::db::{Db, PgConnection};
use crate::error::{Refusal, to_status};
use crate::id::MemberId;
use crate::identity::Verifier;
use crate::permission::MemberAct;

/// Rows of a page.
pub const PAGE: i64 = 200;

/// A row as the member gets it, and the key that orders the rows of its table.
#[derive(Debug)]
pub struct MemberRow {
    /// Unique among the member's rows of the table.
    pub key: String,
    /// The fields of the row.
    pub row: Value,
}

/// The tables of a service with rows about members.
pub trait Tables: Send + Sync + 'static {
    /// Their names in the download.
    const NAMES: &'static [&'static str];

    /// The next rows of a table, in the order of their keys.
    fn rows(
        conn: &mut PgConnection,
        table: &str,
        user_id: MemberId,
        after: &str,
    ) -> impl Future<Output = Result<Vec<MemberRow>, sqlx::Error>> + Send;
}

/// Implements [`Tables`] as `MemberTables`. Each table has its name in the download and a checked statement, which gets the
/// member's id, the key of the last row before, and the number of rows, and yields `key` and `row`.
#[macro_export]
macro_rules! member_tables {
    ($($name:literal => $statement:literal),+ $(,)?) => {
        pub struct MemberTables;

        impl $crate::member_data::Tables for MemberTables {
            const NAMES: &'static [&'static str] = &[$($name),+];

            async fn rows(
                conn: &mut $crate::db::PgConnection,
                table: &str,
                user_id: $crate::id::MemberId,
                after: &str,
            ) -> Result<Vec<$crate::member_data::MemberRow>, ::sqlx::Error> {
                use $crate::member_data::{MemberRow, PAGE};
                match table {
                    $($name => {
                        ::sqlx::query_as!(MemberRow, $statement, user_id.get(), after, PAGE).fetch_all(conn).await
                    })+
                    _ => Ok(Vec::new()),
                }
            }
        }
    };
}

/// For the gateway: what a service keeps about the calling member.
pub struct MemberData<T> {
    db: Db,
    verifier: Verifier,
    tables: PhantomData<T>,
}

impl<T: Tables> MemberData<T> {
    /// Serves these tables of the database.
    #[must_use]
    pub fn new(db: Db, verifier: Verifier) -> Self {
        Self { db, verifier, tables: PhantomData }
    }

    async fn rows(&self, cursor: &Cursor, user_id: MemberId) -> Result<Vec<MemberRow>, sqlx::Error> {
        T::rows(&mut *self.db.conn().await?, cursor.table(), user_id, &cursor.after).await
    }
}

#[tonic::async_trait]
impl<T: Tables> MemberDataService for MemberData<T> {
    async fn list_member_data(
        &self,
        request: Request<ListMemberDataRequest>,
    ) -> Result<Response<ListMemberDataResponse>, Status> {
        let session = self.verifier.owner(request.metadata(), MemberAct::Export).await?;
        let cursor = Cursor::parse(T::NAMES, &request.get_ref().cursor)?;
        let rows = self.rows(&cursor, session.member_id()).await.map_err(|error| to_status(&error))?;
        Ok(Response::new(cursor.page(&rows)))
    }
}

/// Where a page begins: behind a row of a table.
#[derive(Debug, PartialEq, Eq)]
pub struct Cursor {
    tables: &'static [&'static str],
    index: usize,
    /// The key of the last row before; empty for the first page of a table.
    pub after: String,
}

impl Cursor {
    /// Reads the cursor of a request; an empty one is the beginning of the first table.
    ///
    /// # Errors
    /// Invalid on `cursor` if it names none of these tables.
    pub fn parse(tables: &'static [&'static str], text: &str) -> Result<Self, Refusal> {
        let (table, after) = text.split_once('/').unwrap_or((tables.first().copied().unwrap_or_default(), ""));
        let index = tables.iter().position(|one| *one == table).filter(|_| text.is_empty() || text.contains('/'));
        let index = index.ok_or_else(|| Refusal::field("cursor", "This page link is not valid."))?;
        Ok(Self { tables, index, after: after.to_owned() })
    }

    /// Whether it is the beginning of the first table.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.index == 0 && self.after.is_empty()
    }

    /// The table whose rows are wanted.
    #[must_use]
    pub fn table(&self) -> &'static str {
        self.tables.get(self.index).copied().unwrap_or_default()
    }

    /// The page out of up to [`PAGE`] rows. A shorter page is the last one of its table.
    #[must_use]
    pub fn page(&self, rows: &[MemberRow]) -> ListMemberDataResponse {
        let is_full = i64::try_from(rows.len()).is_ok_and(|count| count >= PAGE);
        let next_cursor = match (rows.last(), self.tables.get(self.index + 1)) {
            (Some(last), _) if is_full => format!("{}/{}", self.table(), last.key),
            (_, Some(next)) => format!("{next}/"),
            (_, None) => String::new(),
        };
        ListMemberDataResponse {
            table: self.table().to_owned(),
            rows_json: rows.iter().map(|row| row.row.to_string()).collect(),
            next_cursor,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Cursor, MemberRow, PAGE};

    const TABLES: &[&str] = &["one", "two"];

    fn rows(count: i64) -> Vec<MemberRow> {
        (0..count).map(|number| MemberRow { key: format!("k/{number}"), row: json!({ "n": number }) }).collect()
    }

    /// [D-A12] Page follows page and table follows table until nothing is left.
    #[test]
    fn tables_follow_one_another() {
        let next = |cursor: &str, count| Cursor::parse(TABLES, cursor).unwrap().page(&rows(count)).next_cursor;
        assert_eq!(next("", PAGE), format!("one/k/{}", PAGE - 1));
        assert_eq!(next("one/k/199", 3), "two/");
        assert_eq!(next("two/", PAGE), format!("two/k/{}", PAGE - 1));
        assert_eq!(next("two/k/199", 0), "");
        assert_eq!(Cursor::parse(TABLES, "one/k/199").unwrap().after, "k/199");
        for wrong in ["three/", "one", "/", "x"] {
            assert_eq!(Cursor::parse(TABLES, wrong).unwrap_err().fields[0].0, "cursor");
        }
    }
}
