//! What becomes of stored files: keys claimed before, replaced pictures, files without an owner.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use chassis::error::{Kind, Refusal};
use futures::TryStreamExt;
use gateway::storage::files::Purpose;
use gateway::sweep::{Swept, sweep};
use proto::auth::v1 as auth;
use proto::common::v1::{ErrorReason, ListOwnedFilesResponse};
use proto::payment_method::v1 as methods;
use proto::wallet::v1::{ReserveReceiptRequest, ReserveReceiptResponse};
use time::{Duration, OffsetDateTime};

use crate::fixture::{Fixture, PNG, Reply};

const OWNERS: &str = "/solvane.common.v1.FileOwnerService/ListOwnedFiles";
const RESERVE: &str = "/solvane.wallet.v1.ReceiptService/ReserveReceipt";

impl Fixture {
    async fn stored(&self, purpose: Purpose) -> Vec<String> {
        let tomorrow = OffsetDateTime::now_utc() + Duration::DAY;
        let mut keys: Vec<_> = self.files.unchanged_since(purpose, tomorrow).try_collect().await.unwrap();
        keys.sort_unstable();
        keys
    }

    async fn store(&self, purpose: Purpose) -> String {
        self.files.store("image", PNG.to_owned(), purpose).await.unwrap().key
    }

    async fn sweep_in(&self, minutes: i64) -> Result<Swept, StatusCode> {
        let at = OffsetDateTime::now_utc() + Duration::minutes(minutes);
        let credential = self.realm.credential("gateway");
        let swept = sweep(&self.files, &self.clients.file_owners, &credential, Purpose::Receipt, at).await;
        swept.map_err(|error| axum::response::IntoResponse::into_response(error).status())
    }
}

async fn deposit(fixture: &Fixture, token: &str, key: &str) -> Reply {
    let request = Request::post("/v1/transactions/deposit")
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json")
        .header("idempotency-key", key)
        .body(Body::from(format!(r#"{{"amount":100,"method":"BTC","receipt":"{PNG}"}}"#)));
    fixture.send(request.unwrap()).await
}

/// [C14] [D-V3] Wallet claims the key and room for a receipt before the file is stored: a refusal stores nothing, a
/// repetition is stored under the key of the first, and an answered one not at all.
#[tokio::test]
async fn a_receipt_is_stored_once_its_key_is_claimed() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    fixture.recorder.refuse(RESERVE, Refusal::new(Kind::Conflict, ErrorReason::ReceiptsFull, "No room."));
    let reply = deposit(&fixture, &token, "a").await;
    assert_eq!((reply.status, reply.json()["code"].as_str()), (StatusCode::CONFLICT, Some("RECEIPTS_FULL")));
    assert!(fixture.stored(Purpose::Receipt).await.is_empty());
    assert!(fixture.wallet.deposits.lock().unwrap().is_empty());

    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let room = ReserveReceiptResponse { key: "receipts/first.jpg".to_owned(), answered: false };
    fixture.recorder.answer(RESERVE, &room);
    for _ in 0..2 {
        assert_eq!(deposit(&fixture, &token, "a").await.status, StatusCode::CREATED);
    }
    let asked: Vec<ReserveReceiptRequest> = fixture.recorder.asked(RESERVE);
    assert_eq!(asked.len(), 2);
    let first = &asked[0];
    assert!(first.bytes > 0 && first.key.starts_with("receipts/"), "{first:?}");
    assert_eq!(first.idempotency.as_ref().map(|key| key.key.as_str()), Some("a"));
    assert_eq!(fixture.wallet.deposits.lock().unwrap()[0].receipt.as_ref().unwrap().key, "receipts/first.jpg");

    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    fixture.recorder.answer(RESERVE, &ReserveReceiptResponse { key: String::new(), answered: true });
    assert_eq!(deposit(&fixture, &token, "a").await.status, StatusCode::CREATED);
    assert!(fixture.stored(Purpose::Receipt).await.is_empty());
}

/// [C14] [D-V3] A photo that is replaced, and the picture of a method that is changed or deleted, are removed at once.
#[tokio::test]
async fn replaced_pictures_are_removed() {
    let fixture = Fixture::new().await;
    let (id, token) = fixture.realm.member();
    let (photo, picture, last) = (
        fixture.store(Purpose::Photo).await,
        fixture.store(Purpose::Method).await,
        fixture.store(Purpose::Method).await,
    );
    let user = Some(auth::User { id: id.to_string(), ..Default::default() });
    let updated = auth::UpdateImageResponse { user, replaced_image_key: photo.clone() };
    fixture.recorder.answer("/solvane.auth.v1.AuthService/UpdateImage", &updated);
    let body = format!(r#"{{"image":"{PNG}"}}"#);
    let reply = fixture.call(Method::PUT, &format!("/v1/users/image/{id}"), Some(&token), &body).await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    let photos = fixture.stored(Purpose::Photo).await;
    assert!(photos.len() == 1 && !photos.contains(&photo), "{photos:?}");

    let payment_method = Some(methods::PaymentMethod::default());
    let changed = methods::UpdatePaymentMethodResponse { payment_method, replaced_image_key: picture };
    fixture.recorder.answer("/solvane.payment_method.v1.PaymentMethodService/UpdatePaymentMethod", &changed);
    let body =
        r#"{"currency":"BTC","network":"Bitcoin","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4","image":""}"#;
    let reply = fixture.call(Method::PUT, "/v1/payment-methods/x", Some(&token), body).await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    assert_eq!(fixture.stored(Purpose::Method).await, std::slice::from_ref(&last));
    let deleted = methods::DeletePaymentMethodResponse { image_key: last };
    fixture.recorder.answer("/solvane.payment_method.v1.PaymentMethodService/DeletePaymentMethod", &deleted);
    let reply = fixture.call(Method::DELETE, "/v1/payment-methods/x", Some(&token), "").await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    assert!(fixture.stored(Purpose::Method).await.is_empty());
}

/// A file is downloaded under its name, not under that of the page.
#[tokio::test]
async fn a_download_has_a_file_name() {
    let fixture = Fixture::new().await;
    let photo = fixture.store(Purpose::Photo).await;
    let reply = fixture.call(Method::GET, &format!("/v1/files/{photo}"), None, "").await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    let name = photo.strip_prefix("photos/").unwrap();
    assert_eq!(reply.headers["content-disposition"], format!("inline; filename=\"{name}\""));
}

/// [C14] [D-V3] A file that no row refers to is removed once it is half an hour old: never one that is being stored, and
/// none while the services cannot say, or say that nearly all have no owner. Two gateways may sweep at once.
#[tokio::test]
async fn files_without_an_owner_are_removed() {
    let fixture = Fixture::new().await;
    for _ in 0..2 {
        fixture.store(Purpose::Receipt).await;
    }
    assert_eq!(fixture.sweep_in(29).await, Ok(Swept { orphans: 0, removed: 0 }));
    fixture.recorder.refuse(OWNERS, Refusal::unavailable());
    assert_eq!(fixture.sweep_in(31).await, Err(StatusCode::SERVICE_UNAVAILABLE));
    assert_eq!(fixture.stored(Purpose::Receipt).await.len(), 2);

    let fixture = Fixture::new().await;
    let (kept, _) = (fixture.store(Purpose::Receipt).await, fixture.store(Purpose::Receipt).await);
    fixture.recorder.answer(OWNERS, &ListOwnedFilesResponse { keys: vec![kept.clone()] });
    let (one, other) = tokio::join!(fixture.sweep_in(31), fixture.sweep_in(31));
    assert!(one.unwrap().orphans <= 1 && other.unwrap().orphans <= 1);
    assert_eq!(fixture.stored(Purpose::Receipt).await, [kept]);

    let fixture = Fixture::new().await;
    for _ in 0..101 {
        fixture.store(Purpose::Receipt).await;
    }
    assert_eq!(fixture.sweep_in(31).await, Ok(Swept { orphans: 101, removed: 0 }));
    assert_eq!(fixture.stored(Purpose::Receipt).await.len(), 101);
}
