//! The table `address_proofs`.

use std::collections::HashMap;

use chassis::db::PgConnection;
use time::OffsetDateTime;

use crate::domain::address_proof::SignedProof;
use crate::domain::method::SignedMethod;
use crate::error::Error;

/// Writes a verified proof; it takes the place of earlier ones.
pub async fn insert(
    conn: &mut PgConnection,
    (network, address): (&str, &str),
    proof: &SignedProof,
    at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO address_proofs (network, address, message, signature, attached_at) VALUES ($1, $2, $3, $4, $5)",
        network,
        address,
        proof.message,
        proof.signature,
        at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Adds the newest proof of its address to each of these methods.
pub async fn add_to<'a>(
    conn: &mut PgConnection,
    found: impl IntoIterator<Item = &'a mut SignedMethod>,
) -> Result<(), Error> {
    let rows = sqlx::query!(
        "SELECT DISTINCT ON (network, address) network, address, message, signature FROM address_proofs
         ORDER BY network, address, id DESC"
    )
    .fetch_all(conn)
    .await?;
    let proofs: HashMap<_, _> = rows
        .into_iter()
        .map(|row| ((row.network, row.address), SignedProof { message: row.message, signature: row.signature }))
        .collect();
    for one in found {
        let fields = &one.method.fields;
        one.proof = proofs.get(&(fields.network.clone(), fields.address.clone())).cloned();
    }
    Ok(())
}
