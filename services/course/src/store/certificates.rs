//! The table `certificates`.

use chassis::db::PgConnection;
use chassis::id::MemberId;
use uuid::Uuid;

use crate::domain::certificate::Certificate;
use crate::error::Error;

pub async fn get(conn: &mut PgConnection, number: Uuid) -> Result<Option<Certificate>, Error> {
    Ok(sqlx::query_as!(
        Certificate,
        "SELECT number, user_id, holder_name, course_title, issued_at FROM certificates WHERE number = $1",
        number
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn of_member(conn: &mut PgConnection, user_id: MemberId) -> Result<Option<Certificate>, Error> {
    Ok(sqlx::query_as!(
        Certificate,
        "SELECT number, user_id, holder_name, course_title, issued_at FROM certificates WHERE user_id = $1",
        user_id.get()
    )
    .fetch_optional(conn)
    .await?)
}

/// Keeps it unless the member has one.
pub async fn insert(conn: &mut PgConnection, certificate: &Certificate) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO certificates (number, user_id, holder_name, course_title, issued_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (user_id) DO NOTHING",
        certificate.number,
        certificate.user_id.get(),
        certificate.holder_name,
        certificate.course_title,
        certificate.issued_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets those of these members.
pub async fn forget(conn: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM certificates WHERE user_id = ANY ($1)", members as _).execute(conn).await?;
    Ok(())
}
