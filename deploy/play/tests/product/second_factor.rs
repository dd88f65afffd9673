//! The second factor of staff and the effect of a freeze, on the real product.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use chassis::error::from_status;
use chassis::identity::{Accepts, Credential, Signatures};
use chassis::keys::{SigningKey, TrustedKeys};
use play::client::{Answer, Client};
use play::request::{self, NOTE, PROOF, txid};
use play::seed::STAFF_PASSWORD;
use play::testing::{Options, PASSWORD, TestStack};
use proto::payment_method::v1::CreatePaymentMethodRequest;
use proto::payment_method::v1::payment_method_service_client::PaymentMethodServiceClient;
use proto::trade::v1::CreateTradeRequest;
use proto::trade::v1::trade_service_client::TradeServiceClient;
use proto::wallet::v1::RequestWithdrawalRequest;
use proto::wallet::v1::wallet_service_client::WalletServiceClient;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use stack::Service;
use time::OffsetDateTime;
use tonic::transport::Channel;
use tonic::{Request, Status};
use totp_rs::{Builder, Secret};

const NONE: &str = "7d0f3c1e-5a0b-4b1e-9c55-0123456789ab";

/// Somebody with an authenticator, logged in.
struct Holder {
    client: Client,
    secret: String,
    recovery_codes: Vec<String>,
}

/// The code of an authenticator this many steps from now.
fn code(secret: &str, steps: i64) -> Result<String> {
    let secret = Secret::try_from_base32(secret).ok().context("base32")?;
    let at = OffsetDateTime::now_utc().unix_timestamp() + 30 * steps;
    Ok(Builder::new().with_secret(secret).build_noncompliant().generate(u64::try_from(at)?).to_string())
}

async fn enrol(client: Client) -> Result<Holder> {
    let refused = client.get("/admin/queue").await?;
    assert_eq!((refused.status, refused.code()), (403, Some("TOTP_ENROLMENT_REQUIRED")));
    let begun = client.post("/admin/me/totp", json!({})).await?.success()?;
    let secret = begun["secret"].as_str().context("a secret")?.to_owned();
    assert!(
        begun["uri"].as_str().is_some_and(|uri| uri.starts_with("otpauth://totp/Solvane:") && uri.contains(&secret))
    );
    let confirmed = client.post("/admin/me/totp/confirm", json!({ "code": code(&secret, 0)? })).await?.success()?;
    let codes = confirmed["recoveryCodes"].as_array().context("recovery codes")?;
    let recovery_codes = codes.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    Ok(Holder { client, secret, recovery_codes })
}

async fn enrolled(stack: &TestStack, name: &str) -> Result<Holder> {
    enrol(stack.staff(name).await?).await
}

/// Asks until the answer is the wanted one; returns how long that took.
async fn until<F: Future<Output = Result<bool>>>(limit: Duration, ask: impl Fn() -> F) -> Result<Duration> {
    let begun = Instant::now();
    loop {
        if ask().await? {
            return Ok(begun.elapsed());
        }
        if begun.elapsed() > limit {
            bail!("not within {limit:?}");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn post(client: &Client, path: &str, body: Value) -> Result<Answer> {
    client.post(path, body).await
}

/// Every kind of decision, about things that do not exist: with a fresh code the answer is "not found".
async fn delicate(reviewer: &Client, treasurer: &Client, manager: &Client) -> Result<Vec<Answer>> {
    let approval = json!({ "revision": 1, "receivedAmount": "100.00", "txid": txid(), "note": NOTE });
    let rejection = json!({ "revision": 1, "reasonCode": "OTHER", "note": "" });
    let (note, paid) = (json!({ "note": "x" }), json!({ "revision": 1, "txid": txid() }));
    let bonus = json!({ "amount": "5.00", "note": "A note" });
    let signature = json!({ "version": 1, "signature": "x" });
    let plan = json!({ "title": "New", "subtitle": "Plan", "min": "100", "max": "200", "roi": "4", "duration": 30 });
    let mut answers = vec![
        post(reviewer, &format!("/admin/transactions/{NONE}/approve"), approval).await?,
        post(reviewer, &format!("/admin/transactions/{NONE}/reject"), rejection).await?,
        post(reviewer, &format!("/admin/members/{NONE}/freeze"), note.clone()).await?,
        post(reviewer, &format!("/admin/members/{NONE}/unfreeze"), note.clone()).await?,
        post(reviewer, &format!("/admin/members/{NONE}/factor-reset"), note).await?,
        reviewer.delete(&format!("/admin/members/{NONE}/sessions")).await?,
        post(treasurer, &format!("/admin/transactions/{NONE}/paying"), json!({ "revision": 1 })).await?,
        post(treasurer, &format!("/admin/transactions/{NONE}/paid"), paid).await?,
        post(treasurer, &format!("/admin/members/{NONE}/bonus"), bonus).await?,
        post(treasurer, &format!("/admin/members/{NONE}/course/refund"), json!({ "note": "A note" })).await?,
        treasurer.delete(&format!("/admin/payment-methods/{NONE}")).await?,
        post(treasurer, &format!("/admin/payment-methods/{NONE}/signature"), signature).await?,
        manager.put(&format!("/admin/plans/{NONE}"), plan).await?,
        post(manager, "/admin/course/publish", json!({ "revision": -1, "published": 0 })).await?,
        post(manager, "/admin/course/versions/0/restore", json!({ "published": 0 })).await?,
    ];
    for verdict in ["confirm", "reject"] {
        for (client, owner) in [(treasurer, "wal"), (treasurer, "pay"), (manager, "trd")] {
            answers.push(post(client, &format!("/admin/proposals/{owner}_{NONE}/{verdict}"), json!({})).await?);
        }
    }
    Ok(answers)
}

/// [D-O1] [D-R1] [D-O4] [D-O7] With the second factor on: staff enrol first and may then at once; every decision, proposal
/// and rejection needs a fresh code in every service, which counts at once; logging in takes a code, once.
#[tokio::test]
async fn staff_work_with_a_second_factor() -> Result<()> {
    let stack = TestStack::with(Options { staff_totp: true, ..Options::default() }).await?;
    let reviewer = enrolled(&stack, "reviewer").await?;
    let treasurer = enrolled(&stack, "treasurer").await?;
    let manager = enrolled(&stack, "manager").await?;
    let staff = [&reviewer, &treasurer, &manager];
    for holder in staff {
        for path in ["/admin/queue", "/admin/plans", "/admin/payment-methods", "/admin/members", "/admin/proposals"] {
            assert_eq!(holder.client.get(path).await?.status, 200, "{path}, right after enrolling");
        }
    }
    let statuses = |answers: Vec<Answer>| answers.iter().map(|answer| answer.status).collect::<Vec<_>>();
    let all = delicate(&reviewer.client, &treasurer.client, &manager.client).await?;
    assert_eq!(statuses(all), [404; 21], "enrolling gave a code");

    let mut auth = PgConnection::connect(&stack.databases().owner_url(Service::Auth)?).await?;
    sqlx::query("UPDATE sessions SET stepped_up_at = clock_timestamp() - interval '5 minutes'")
        .execute(&mut auth)
        .await?;
    until(Duration::from_secs(5), || async {
        let all = delicate(&reviewer.client, &treasurer.client, &manager.client).await?;
        Ok(all.iter().all(|answer| (answer.status, answer.code()) == (403, Some("STEP_UP_REQUIRED"))))
    })
    .await
    .context("an old code is refused everywhere")?;
    let rate = json!({ "asset": "BTC", "bid": "1", "ask": "1", "source": "A test", "validMinutes": 1 });
    let refused = post(&treasurer.client, "/admin/rates", rate).await?;
    assert_eq!((refused.status, refused.code()), (403, Some("STEP_UP_REQUIRED")));
    assert_eq!(reviewer.client.get("/admin/queue").await?.status, 200, "reading needs none");
    let wrong = post(&reviewer.client, "/admin/me/step-up", json!({ "code": "AAAAA-AAAAA" })).await?;
    assert_eq!((wrong.status, wrong.code()), (422, Some("INVALID_CODE")));
    for holder in staff {
        let body = json!({ "code": holder.recovery_codes[0] });
        let answer = post(&holder.client, "/admin/me/step-up", body.clone()).await?.success()?;
        let me = holder.client.get("/admin/me").await?.success()?;
        assert_eq!(answer["until"], me["stepUpUntil"]);
        assert_eq!(me["totp"], json!({ "required": true, "enrolled": true, "passkeys": 0, "recoveryCodesLeft": 9 }));
        assert_eq!(post(&holder.client, "/admin/me/step-up", body).await?.status, 422, "once");
    }
    let all = delicate(&reviewer.client, &treasurer.client, &manager.client).await?;
    assert_eq!(statuses(all), [404; 21], "a fresh code counts at once");

    let login = async |totp: Option<&str>| {
        let mut body = json!({ "email": "reviewer@solvane.test", "password": STAFF_PASSWORD });
        if let Some(totp) = totp {
            body["totp"] = json!(totp);
        }
        post(&stack.client(), "/auth/login", body).await
    };
    let refused = login(None).await?;
    assert_eq!((refused.status, refused.code()), (401, Some("TOTP_REQUIRED")));
    let next = code(&reviewer.secret, 1)?;
    login(Some(&next)).await?.success()?;
    let replayed = login(Some(&next)).await?;
    assert_eq!((replayed.status, replayed.code()), (422, Some("INVALID_CODE")));
    Ok(())
}

/// [D-O1] [D-O5] [D-E2] Once two admins want it, an invitation comes by mail and all staff are notified; its link sets a
/// password, once; then its owner enrols and works.
#[tokio::test]
async fn an_invited_colleague_begins_to_work() -> Result<()> {
    let stack = TestStack::with(Options { staff_totp: true, ..Options::default() }).await?;
    let (admin, admin2) = (enrolled(&stack, "admin").await?, enrolled(&stack, "admin2").await?);
    let confirmed = async |proposed: Answer| {
        let id = proposed.success()?["proposalId"].as_str().context("an id")?.to_owned();
        post(&admin2.client, &format!("/admin/proposals/{id}/confirm"), json!({})).await?.success()
    };
    let invitation = json!({ "name": "Tina Treasurer", "email": "tina@solvane.test", "role": "treasurer" });
    let proposed = post(&admin.client, "/admin/staff", invitation).await?;
    assert_eq!(proposed.status, 201);
    confirmed(proposed).await?;
    stack.mail("auditor@solvane.test", "staff account was invited").await?;
    let mail = stack.mail("tina@solvane.test", "Your Solvane staff account").await?;
    let secret = mail.secret(&format!("{}/reset-password", stack.url())).context("a link")?;
    let set_password = request::set_password(&secret, PASSWORD);
    stack.client().make(set_password.clone()).await?;
    let again = stack.client().send(&set_password).await?;
    assert_eq!((again.status, again.code()), (422, Some("INVALID_RESET_TOKEN")));
    let tina = enrol(stack.client().login("tina@solvane.test", PASSWORD).await?).await?;
    assert_eq!(tina.client.get("/admin/queue").await?.status, 200);
    let me = tina.client.get("/admin/me").await?.success()?;
    assert_eq!(
        me["permissions"],
        json!([
            "see",
            "proposeReversal",
            "releaseHold",
            "rejectPayout",
            "writeNotes",
            "answerCases",
            "pay",
            "correctBalances",
            "changeMethods",
            "publishRates",
            "reopenWithdrawals",
            "publishLiabilities"
        ])
    );

    // An account that ends is out everywhere within five seconds.
    let id = me["user"]["id"].as_str().context("an id")?;
    confirmed(admin.client.delete(&format!("/admin/staff/{id}")).await?).await?;
    for path in ["/admin/queue", "/admin/plans", "/admin/payment-methods", "/admin/members", "/auth/check"] {
        until(Duration::from_secs(5), || async { Ok(tina.client.get(path).await?.status == 401) })
            .await
            .context(path)?;
    }
    Ok(())
}

/// The code of a refusal by a service itself.
fn refused<T>(answer: Result<tonic::Response<T>, Status>) -> String {
    answer.err().map(|status| from_status(&status).code).unwrap_or_default()
}

/// [D-R13] [D-S4] S2: a freeze reaches the gateway and every service within five seconds, though each has just looked the
/// session up; reading goes on, and lifting it reaches them as well.
#[tokio::test]
async fn a_freeze_is_in_force_everywhere_within_five_seconds() -> Result<()> {
    const LIMIT: Duration = Duration::from_secs(5);
    let stack = TestStack::start().await?;
    let member = stack.member().await?;
    let reviewer = stack.staff("reviewer").await?;
    let token = member.client.token().context("a token")?.to_owned();
    let channel = async |service| -> Result<Channel> {
        Ok(Channel::from_shared(format!("http://127.0.0.1:{}", stack.ports(service).main))?.connect().await?)
    };
    let wallet = WalletServiceClient::new(channel(Service::Wallet).await?);
    let trade = TradeServiceClient::new(channel(Service::Trade).await?);
    let methods = PaymentMethodServiceClient::new(channel(Service::PaymentMethod).await?);
    // What the gateway shows each of them.
    let keys = stack.folder().join("keys");
    let trusted = Arc::new(TrustedKeys::read(&keys.join("trusted.json"))?);
    let named = Signatures::new(trusted, Accepts::Members).session(&token).context("a session")?;
    let gateway = Credential::new("gateway", SigningKey::read(&keys.join("gateway.key"))?);
    let shown =
        |service: Service| gateway.authorization(service.name(), Some(named)).map_err(|refusal| anyhow!(refusal.code));
    let shown = (shown(Service::Wallet)?, shown(Service::Trade)?, shown(Service::PaymentMethod)?);
    // The services themselves, without the gateway in front of them; nothing that is asked can be done.
    let services = async || -> Result<[String; 3]> {
        let (mut wallet, mut trade, mut methods) = (wallet.clone(), trade.clone(), methods.clone());
        let mut withdrawal = Request::new(RequestWithdrawalRequest::default());
        let mut opening = Request::new(CreateTradeRequest::default());
        let mut method = Request::new(CreatePaymentMethodRequest::default());
        withdrawal.metadata_mut().insert("authorization", shown.0.clone());
        opening.metadata_mut().insert("authorization", shown.1.clone());
        method.metadata_mut().insert("authorization", shown.2.clone());
        Ok([
            refused(wallet.request_withdrawal(withdrawal).await),
            refused(trade.create_trade(opening).await),
            refused(methods.create_payment_method(method).await),
        ])
    };
    let method = member.platform_method("TRC20").await?;
    let calls = [
        ("/transactions/deposit", json!({ "amount": "1.00", "method": method, "receipt": PROOF, "type": "deposit" })),
        ("/transactions/withdraw", json!({ "amount": "1.00", "method": method })),
        ("/trades/create", json!({ "planId": NONE, "amount": "1.00" })),
        ("/courses/purchase", json!({})),
        ("/payment-methods", json!({ "currency": "USDT", "network": "TRC20", "address": "x" })),
    ];
    let through_gateway = async || -> Result<Vec<Option<String>>> {
        let mut codes = Vec::new();
        for (path, body) in &calls {
            codes.push(post(&member.client, path, body.clone()).await?.code().map(str::to_owned));
        }
        Ok(codes)
    };
    let frozen = "ACCOUNT_FROZEN";
    assert!(services().await?.iter().all(|code| !code.is_empty() && code != frozen), "{:?}", services().await?);
    assert!(
        through_gateway().await?.iter().all(|code| code.as_deref() != Some(frozen)),
        "{:?}",
        through_gateway().await?
    );

    let path = format!("/admin/members/{}", member.id);
    post(&reviewer, &format!("{path}/freeze"), json!({ "note": "odd" })).await?.success()?;
    let begun = Instant::now();
    until(LIMIT, || async {
        let (services, calls) = (services().await?, through_gateway().await?);
        Ok(services.iter().all(|code| code == frozen) && calls.iter().all(|code| code.as_deref() == Some(frozen)))
    })
    .await?;
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    assert_eq!(member.client.get("/transactions/user").await?.status, 200, "reading goes on");
    post(&reviewer, &format!("{path}/unfreeze"), json!({ "note": "fine" })).await?.success()?;
    until(LIMIT, || async { Ok(services().await?.iter().all(|code| code != frozen)) }).await?;
    Ok(())
}
