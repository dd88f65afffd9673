//! Attaches a proof that the operator has the private key of a platform method's address (D-T5), also in place of
//! another one.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::MethodId;
use chassis::idempotency::{self, Answer};
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::domain::address_proof::{AddressProof, InvalidProof, SignedProof};
use crate::domain::method::{Scope, SignedMethod};
use crate::error::Error;
use crate::store::{address_proofs, methods};

#[derive(Debug, Clone)]
pub struct ProveAddress {
    pub call: StaffCall,
    pub id: MethodId,
    pub proof: SignedProof,
}

/// The method with its proof, once a key.
///
/// # Errors
/// `NotFound` if there is no active platform method with this id; `Proof` if the message is about another address, or
/// its key did not sign it.
pub async fn prove_address(db: &Db, command: &ProveAddress) -> Result<Answer<SignedMethod>, Error> {
    idempotency::once(db, command.call.claim.clone(), async |conn| attach(conn, command).await).await
}

async fn attach(
    conn: &mut PgConnection,
    ProveAddress { call, id, proof }: &ProveAddress,
) -> Result<SignedMethod, Error> {
    let now = clock::now(conn).await?;
    let found = methods::lock(conn, *id).await?.map(|(method, _)| method);
    let method = found.filter(|method| method.scope == Scope::Platform).ok_or(Error::NotFound)?;
    let fields = &method.fields;
    if fields.deposit_key().is_some() {
        return Err(InvalidProof::Derived.into());
    }
    let read = AddressProof::parse(&fields.network, &proof.message)?;
    if read.address != fields.address {
        return Err(InvalidProof::Address.into());
    }
    read.verify(&fields.network, &proof.signature, now)?;
    address_proofs::insert(conn, (&fields.network, &fields.address), proof, now).await?;
    let act = Act {
        staff: &call.staff,
        action: "payment_method.prove",
        subject_id: method.id.to_string(),
        member_id: None,
        before: None,
        after: Some(json!({ "address": fields.address, "message": proof.message, "signature": proof.signature })),
        address: &call.address,
    };
    audit::append(conn, act).await?;
    Ok(SignedMethod { method, signature: None, proof: Some(proof.clone()) })
}
