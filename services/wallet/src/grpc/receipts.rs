//! Reservations of receipts.

use chassis::db::retrying;
use chassis::grpc::{Reply, request_id};
use chassis::idempotency::Claim;
use chassis::permission::MemberAct;
use proto::wallet::v1::receipt_service_server::ReceiptService;
use proto::wallet::v1::{ReserveReceiptRequest, ReserveReceiptResponse};
use tonic::{Request, Response};

use crate::app::deposit::reserve_receipt::{ReserveReceipt, Reserved, reserve_receipt};
use crate::grpc::{GrpcServer, convert};

#[tonic::async_trait]
impl ReceiptService for GrpcServer {
    async fn reserve_receipt(&self, request: Request<ReserveReceiptRequest>) -> Reply<ReserveReceiptResponse> {
        let member = self.acting(request.metadata(), MemberAct::PayIn).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let command = ReserveReceipt {
            user_id: member.member_id(),
            key: convert::receipt_key(message.key)?,
            bytes: message.bytes,
            claim: Claim::of(member.member_id(), message.idempotency.as_ref(), &request_id)?,
        };
        let reserved = retrying(|| reserve_receipt(&self.db, &command)).await?;
        Ok(Response::new(match reserved {
            Reserved::Room(key) => ReserveReceiptResponse { key, answered: false },
            Reserved::Answered => ReserveReceiptResponse { key: String::new(), answered: true },
        }))
    }
}
