//! Where a change by staff comes from.

use proto::common::v1::Idempotency;
use tonic::metadata::MetadataMap;

use crate::error::Refusal;
use crate::grpc::request_id;
use crate::idempotency::Claim;
use crate::identity::Staff;

/// The call by which a staff member changes something.
#[derive(Debug, Clone)]
pub struct StaffCall {
    /// The person.
    pub staff: Staff,
    /// Their IP address, for the audit log.
    pub address: String,
    /// The idempotency key.
    pub claim: Option<Claim>,
}

impl StaffCall {
    /// Reads the call of a staff member from its metadata and the fields that all such requests have.
    ///
    /// # Errors
    /// Invalid for a malformed key.
    pub fn of(
        staff: Staff,
        metadata: &MetadataMap,
        client_address: String,
        idempotency: Option<&Idempotency>,
    ) -> Result<Self, Refusal> {
        let claim = Claim::of(staff.id, idempotency, request_id(metadata))?;
        Ok(Self { staff, address: client_address, claim })
    }
}
