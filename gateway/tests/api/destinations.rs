//! Where payouts may go: confirming it, asking for the code again, and saved methods.

use axum::http::{Method, StatusCode};
use proto::payment_method::v1::{
    CreatePaymentMethodResponse, ListPaymentMethodsResponse, PaymentMethod, Scope, UpdatePaymentMethodResponse,
};
use proto::wallet::v1::send_destination_code_request::Subject;
use serde_json::json;

use crate::fixture::Fixture;

const METHODS: &str = "/solvane.payment_method.v1.PaymentMethodService";

fn method(id: &str, scope: Scope, address: &str) -> PaymentMethod {
    PaymentMethod { id: id.to_owned(), scope: scope.into(), address: address.to_owned(), ..Default::default() }
}

/// [D-A4] [D-R19] Withdrawals and saved methods are confirmed by the mailed code; a wrong one is an error of the field.
#[tokio::test]
async fn a_destination_is_confirmed_by_its_code() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    for path in ["/v1/transactions/x/confirm", "/v1/payment-methods/x/confirm"] {
        let right = fixture.call(Method::POST, path, Some(&token), r#"{"code":"123456"}"#).await;
        assert_eq!((right.status, &right.json()["success"]), (StatusCode::OK, &json!(true)), "{path}");
        for body in [r#"{"code":"654321"}"#, "{}"] {
            let wrong = fixture.call(Method::POST, path, Some(&token), body).await;
            assert_eq!(
                (wrong.status, &wrong.json()["code"]),
                (StatusCode::UNPROCESSABLE_ENTITY, &json!("INVALID_CODE"))
            );
            assert_eq!(wrong.json()["errors"]["code"], "This code is wrong or has expired");
        }
    }
}

/// [D-A4] [D-G3] The code is asked for again; too soon is 429 with Retry-After.
#[tokio::test]
async fn a_code_is_asked_for_again() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let ask = async |path: &str| fixture.call(Method::POST, path, Some(&token), "").await;
    let sent = ask("/v1/payment-methods/own/confirm/resend").await;
    assert_eq!(sent.json()["message"], "We have sent you a new code.");
    let known = ask("/v1/transactions/known/confirm/resend").await;
    assert_eq!(known.json()["message"], "The address is confirmed.");
    let early = ask("/v1/transactions/just-sent/confirm/resend").await;
    assert_eq!((early.status, &early.headers["retry-after"]), (StatusCode::TOO_MANY_REQUESTS, &"42".parse().unwrap()));
    let asked = fixture.wallet.codes.lock().unwrap().clone();
    let subjects = [
        Subject::MethodId("own".to_owned()),
        Subject::TransactionId("known".to_owned()),
        Subject::TransactionId("just-sent".to_owned()),
    ];
    assert_eq!(asked, subjects);
}

/// [D-A4] Saving a method asks for a code; the list shows which of the member's own are not confirmed, and nothing of that
/// while the wallet cannot tell.
#[tokio::test]
async fn saved_methods_are_to_be_confirmed() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let saved = CreatePaymentMethodResponse { payment_method: Some(method("new", Scope::Personal, "TNEW")) };
    fixture.recorder.answer(&format!("{METHODS}/CreatePaymentMethod"), &saved);
    let body = r#"{"currency":"USDT","network":"TRC20","address":"TNEWxxxxxxx"}"#;
    let reply = fixture.call(Method::POST, "/v1/payment-methods", Some(&token), body).await;
    assert_eq!(reply.status, StatusCode::CREATED);
    assert_eq!(reply.json()["paymentMethod"]["needsConfirmation"], true);
    assert_eq!(*fixture.wallet.codes.lock().unwrap(), [Subject::MethodId("new".to_owned())]);

    // Whether or not a code could be mailed again, the answer says whether one is needed.
    for (id, address, needed) in [("new", "TNEW", true), ("just-sent", "TNEW", true), ("just-sent", "TKNOWN", false)] {
        let changed = UpdatePaymentMethodResponse {
            payment_method: Some(method(id, Scope::Personal, address)),
            ..Default::default()
        };
        fixture.recorder.answer(&format!("{METHODS}/UpdatePaymentMethod"), &changed);
        let reply = fixture.call(Method::PUT, &format!("/v1/payment-methods/{id}"), Some(&token), body).await;
        assert_eq!(reply.json()["paymentMethod"]["needsConfirmation"], needed, "{id} {address}");
    }

    let payment_methods = vec![
        method("platform", Scope::Platform, "TPLATFORM"),
        method("known", Scope::Personal, "TKNOWN"),
        method("new", Scope::Personal, "TNEW"),
    ];
    fixture.recorder.answer(
        &format!("{METHODS}/ListPaymentMethods"),
        &ListPaymentMethodsResponse { payment_methods, arrived: Vec::new() },
    );
    let list = fixture.call(Method::GET, "/v1/payment-methods", Some(&token), "").await.json();
    let told: Vec<_> =
        list["paymentMethods"].as_array().unwrap().iter().map(|one| one.get("needsConfirmation").cloned()).collect();
    assert_eq!(told, [None, Some(json!(false)), Some(json!(true))]);
    fixture.wallet.away.store(true, std::sync::atomic::Ordering::Relaxed);
    let list = fixture.call(Method::GET, "/v1/payment-methods", Some(&token), "").await.json();
    assert!(list["paymentMethods"].as_array().unwrap().iter().all(|one| one.get("needsConfirmation").is_none()));
}
