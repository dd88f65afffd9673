//! Files that members send with messages.

use cases::app::erase_members::MemberCases;
use chassis::erasure::Erase;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::cases::v1::case_service_server::CaseService;
use proto::cases::v1::staff_service_server::StaffService;
use proto::cases::v1::{CaseFile, GetStaffCaseRequest, OpenCaseRequest, OpenCaseResponse};
use proto::common::v1::ListOwnedFilesRequest;
use proto::common::v1::file_owner_service_server::FileOwnerService;
use sqlx::PgPool;
use tonic::Status;

use crate::fixture::{Person, World, code, key, question};

const MIB: i64 = 1024 * 1024;

fn file(name: &str, bytes: i64) -> Option<CaseFile> {
    let digest = vec![name.as_bytes()[0]; 32];
    Some(CaseFile { key: format!("cases/{name}.png"), content_type: "image/png".to_owned(), bytes, digest })
}

impl World {
    async fn send_file(&self, member: &Person, message: OpenCaseRequest) -> Result<OpenCaseResponse, Status> {
        Ok(self.grpc.open_case(with_token(message, &member.token)).await?.into_inner())
    }

    async fn owned(&self, keys: &[&str]) -> Vec<String> {
        let message = ListOwnedFilesRequest { keys: keys.iter().map(|key| (*key).to_owned()).collect() };
        let request = with_token(message, &self.realm.service_token("gateway"));
        self.grpc.list_owned_files(request).await.unwrap().into_inner().keys
    }
}

/// [D-M8] A file goes with its message: both sides see it, and a repeated request names the place of the first.
#[sqlx::test(migrations = false)]
async fn a_message_has_a_file(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, staff) = (world.member(), world.staff(Role::Reviewer));
    let message = |name: &str| OpenCaseRequest {
        // The same file under another name, as the gateway would send it again.
        file: file(name, MIB).map(|file| CaseFile { digest: vec![7; 32], ..file }),
        idempotency: key("k", "body"),
        ..question("See the picture.")
    };
    let first = world.send_file(&member, message("a")).await.unwrap();
    assert_eq!(first.file_key, "cases/a.png");
    let again = world.send_file(&member, message("b")).await.unwrap();
    assert_eq!((again.case.clone(), again.file_key.as_str()), (first.case.clone(), "cases/a.png"));
    let case = first.case.unwrap();
    world.write(&member, &case, "And nothing more.").await.unwrap();
    let (_, messages) = world.read(&member, &case).await.unwrap();
    let found = messages[0].file.as_ref().unwrap();
    assert_eq!((found.key.as_str(), found.content_type.as_str(), found.bytes), ("cases/a.png", "image/png", MIB));
    assert_eq!(messages[1].file, None);
    let request = with_token(GetStaffCaseRequest { id: case.id.clone() }, &staff.token);
    let seen = world.grpc.get_staff_case(request).await.unwrap().into_inner();
    assert_eq!(seen.messages[0].file.as_ref(), Some(found));
    assert_eq!(world.owned(&["cases/a.png", "cases/b.png"]).await, ["cases/a.png"]);
}

/// [D-M8] [D-V3] The files of a member have a bound, and what no gateway stores is refused.
#[sqlx::test(migrations = false)]
async fn files_have_a_bound(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member(), world.member());
    let send = async |who: &Person, file| world.send_file(who, OpenCaseRequest { file, ..question("a") }).await;
    send(&member, file("a", 30 * MIB)).await.unwrap();
    assert_eq!(code(send(&member, file("b", 20 * MIB + 1)).await), "RECEIPTS_FULL");
    send(&member, file("b", 20 * MIB)).await.unwrap();
    send(&other, file("c", MIB)).await.unwrap();
    let elsewhere = file("d", 1).map(|file| CaseFile { key: "receipts/d.png".to_owned(), ..file });
    for wrong in [elsewhere, file("e", 0), file("f", 1).map(|file| CaseFile { digest: Vec::new(), ..file })] {
        assert_eq!(code(send(&other, wrong).await), "VALIDATION_FAILED");
    }
}

/// [D-A12] Files go with the personal data of their member, except those of complaints.
#[sqlx::test(migrations = false)]
async fn files_go_with_their_case(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let send = async |complaint, name| {
        let message = OpenCaseRequest { complaint, file: file(name, MIB), ..question("a") };
        world.send_file(&member, message).await.unwrap();
    };
    send(false, "a").await;
    send(true, "b").await;
    let mut tx = world.db.begin().await.unwrap();
    MemberCases.erase(&mut tx, &[member.id.into()]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.owned(&["cases/a.png", "cases/b.png"]).await, ["cases/b.png"]);
    for sql in ["DELETE FROM case_files", "UPDATE case_files SET key = 'x'"] {
        assert!(sqlx::query(sql).execute(&world.pool).await.is_err(), "{sql}");
    }
}
