//! Staff: the audit log.

use chassis::page::Page;
use chassis::permission::Permission;
use proto::course::v1::staff_service_server::StaffService;
use proto::course::v1::{ListAuditRowsRequest, ListAuditRowsResponse};
use tonic::{Request, Response, Status};

use super::Doors;
use crate::app::list_audit_rows::list_audit_rows;

/// Rows on a page unless staff want more or fewer.
const PAGE: u16 = 100;

#[tonic::async_trait]
impl StaffService for Doors {
    async fn list_audit_rows(
        &self,
        request: Request<ListAuditRowsRequest>,
    ) -> Result<Response<ListAuditRowsResponse>, Status> {
        self.verifier.staff(request.metadata(), Permission::SeeAudit).await?;
        let message = request.into_inner();
        let page = Page::parse(message.page, PAGE)?;
        let (rows, next_cursor) = list_audit_rows(&self.db, &message.filter.try_into()?, &page).await?;
        Ok(Response::new(ListAuditRowsResponse { rows, next_cursor }))
    }
}
