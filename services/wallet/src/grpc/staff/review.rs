//! A transaction as staff review it.

use chassis::clock;
use chassis::identity::Staff;
use proto::wallet::v1::{GetReviewRequest, GetReviewResponse};

use crate::app::review::get_review::{get, get_review};
use crate::error::Error;
use crate::grpc::evidence::unobserved;
use crate::grpc::{GrpcServer, convert};

impl GrpcServer {
    /// The transaction with its checklist, with what the chain shows and what stands in the way of this person.
    pub(super) async fn review_response(
        &self,
        staff: &Staff,
        message: GetReviewRequest,
    ) -> Result<GetReviewResponse, Error> {
        let GetReviewRequest { id, txid, vout } = message;
        let transaction = get(&self.db, convert::transaction_id(&id)?).await?;
        let chosen = convert::txid(&transaction, &txid, vout)?;
        let current = self.current_method(&transaction).await;
        // A checklist without this line says so; what decides asks again.
        let member = self.payout_state(&transaction).await.ok();
        let not_before = member.and_then(|state| state.not_before).map(clock::to_proto);
        // The checks of what the chain shows are missing then, and the others count.
        let evidence = self.evidence(&transaction, chosen.as_ref()).await.ok().flatten();
        let unknown = unobserved(&transaction).filter(|_| evidence.is_none());
        let mut blockers = self.blockers(&transaction, member.as_ref(), staff).await?;
        blockers.extend(self.hash_blocker(&transaction, chosen.as_ref(), evidence.as_ref()).await?);
        let candidates = self.candidates(&transaction, evidence.as_ref()).await;
        let (return_to, returns) = (self.return_to(&transaction).await?, self.returns(&transaction).await?);
        let review = get_review(&self.db, (&self.limits, self.verifier.keys()), transaction, (current, member)).await?;
        let approval = review.transaction.as_withdrawal().and_then(|withdrawal| withdrawal.approval);
        let reversed_by = review.reversible.as_ref().and_then(|posted| posted.reversed_by);
        Ok(GetReviewResponse {
            approved_by: approval.map(|approval| approval.by.to_string()).unwrap_or_default(),
            reversible: review.can_be_reversed(),
            refundable: review.can_be_refunded(),
            reversed_by: reversed_by.map(|id| id.to_string()).unwrap_or_default(),
            transaction: Some(review.transaction.into()),
            checks: review.checks.into_iter().map(Into::into).chain(unknown).collect(),
            wallet: Some(review.wallet.into()),
            entries: review.entries.into_iter().map(Into::into).collect(),
            not_before,
            evidence,
            blockers,
            candidates,
            return_to,
            returns,
        })
    }
}
