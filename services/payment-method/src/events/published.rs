//! The events of this service, as `solvane/payment_method/v1/events.proto` describes them.

use chassis::db::PgConnection;
use chassis::id::MemberId;
use chassis::outbox;
use chassis::proposal::Proposal;
use proto::payment_method::v1::{PaymentChanged, PaymentSeen, PlatformMethodChanged};

use crate::domain::method::Method;
use crate::error::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    Created,
    Updated,
    Archived,
}

/// Mailed to all staff.
pub async fn platform_method_changed(
    conn: &mut PgConnection,
    method: &Method,
    changed: Changed,
    confirmed: &Proposal,
) -> Result<(), Error> {
    let change = match changed {
        Changed::Created => "created",
        Changed::Updated => "updated",
        Changed::Archived => "archived",
    };
    let message = PlatformMethodChanged {
        method_id: method.id.to_string(),
        change: change.to_owned(),
        currency: method.fields.currency.clone(),
        network: method.fields.network.clone(),
        address: method.fields.address.clone(),
        proposed_by: confirmed.proposed_by.to_string(),
        confirmed_by: confirmed.decided_by.map(|id| id.to_string()).unwrap_or_default(),
    };
    outbox::enqueue(conn, "payment_method.v1.platform_method_changed", method.id, &message).await?;
    Ok(())
}

/// For the member whose quote a payment matches.
pub async fn payment_changed(conn: &mut PgConnection, user_id: MemberId) -> Result<(), Error> {
    let message = PaymentChanged { user_id: user_id.to_string() };
    outbox::enqueue(conn, "payment_method.v1.payment_changed", user_id, &message).await?;
    Ok(())
}

/// For the member whose quote or own address it is.
pub async fn payment_seen(conn: &mut PgConnection, user_id: MemberId) -> Result<(), Error> {
    let message = PaymentSeen { user_id: user_id.to_string() };
    outbox::enqueue(conn, "payment_method.v1.payment_seen", user_id, &message).await?;
    Ok(())
}
