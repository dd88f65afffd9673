//! The back office on the real product: viewers, handling times, the automatic pause of withdrawals, the audit log as a
//! file.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use play::{
    client::{Answer, Client},
    history::check_ledger,
    request::{self, NOTE, txid},
    seed::STAFF_PASSWORD,
    testing::{Member, Options, TestStack},
};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use stack::Service;
use tokio::time::sleep;

const LIMIT: Duration = Duration::from_secs(30);

/// As only the owner of the database can.
async fn tamper(stack: &TestStack, cents: i64) -> Result<()> {
    let mut connection = PgConnection::connect(&stack.databases().owner_url(Service::Wallet)?).await?;
    sqlx::query("UPDATE accounts SET balance_cents = balance_cents + $1 WHERE kind = 'settlement'")
        .bind(cents)
        .execute(&mut connection)
        .await?;
    Ok(connection.close().await?)
}

/// What the books say, once they say whether withdrawals are stopped as expected.
async fn books(staff: &Client, stopped: bool) -> Result<Value> {
    let limit = Instant::now() + LIMIT;
    loop {
        let answer = staff.get("/admin/integrity").await?;
        if answer.status == 200 && answer.body["withdrawals"]["stopped"] == json!(stopped) {
            return Ok(answer.body);
        }
        ensure!(Instant::now() < limit, "still {}", answer.body);
        sleep(Duration::from_millis(100)).await;
    }
}

/// [D-O2] Two reviewers who open the same deposit see each other by name; no times are shown of a few cases.
#[tokio::test]
async fn reviewers_see_each_other_and_no_times_of_one_case() -> Result<()> {
    let stack = TestStack::start().await?;
    let member = stack.member().await?;
    let id = member.deposit("250").await?;
    let (first, second) = (stack.staff("reviewer").await?, stack.staff("reviewer2").await?);
    let path = format!("/admin/transactions/{id}");
    let viewing = format!("{path}/viewing");
    assert_eq!(first.post(&viewing, json!({})).await?.success()?["viewers"], json!([]));
    let seen = second.post(&viewing, json!({})).await?.success()?;
    let viewers = seen["viewers"].as_array().context("a list")?;
    assert_eq!(viewers.len(), 1);
    assert!(viewers[0]["name"].as_str().is_some_and(|name| !name.is_empty()), "{seen}");
    let none = json!({ "deposit": null, "fee": null, "withdrawal": null, "payout": null });
    assert_eq!(first.get("/admin/queue").await?.success()?["times"], none);
    let approval = json!({ "revision": 1, "receivedAmount": "250.00", "txid": txid(), "note": NOTE });
    first.post(&format!("{path}/approve"), approval).await?.success()?;
    // One case says nothing about how long the next one takes.
    assert_eq!(first.get("/admin/queue").await?.success()?["times"], none);
    let told = member.client.get("/transactions/times").await?.success()?;
    assert_eq!((&told["times"]["deposit"], &told["times"]["withdrawal"]), (&Value::Null, &Value::Null));
    Ok(())
}

/// [D-O4] [D-R2] [D-R6] [D-G2] Drift stops withdrawals with calm words, and two people open them again.
#[tokio::test]
async fn drift_stops_withdrawals_until_two_people_open_them() -> Result<()> {
    let mut stack = TestStack::start().await?;
    let member = stack.member_with("500").await?;
    let (treasurer, admin) = (stack.staff("treasurer").await?, stack.staff("admin").await?);
    let calm = books(&treasurer, false).await?;
    assert_eq!(calm["withdrawals"], json!({ "stopped": false, "since": null, "reason": null }));
    tamper(&stack, 7).await?;
    check_ledger(&mut stack, &treasurer).await?;
    let bad = books(&treasurer, true).await?;
    assert_eq!((&bad["ok"], &bad["drift"]), (&json!(false), &json!(0.07)));
    assert!(bad["withdrawals"]["reason"].as_str().is_some_and(|reason| reason.contains("settlement")), "{bad}");
    let no = member.withdraw("100.00").await?;
    assert_eq!((no.status, no.code()), (503, Some("WITHDRAWALS_STOPPED")));
    assert!(
        no.headers.contains_key("retry-after") && no.body["message"].as_str().is_some_and(|text| text.contains("safe"))
    );
    let proposed = treasurer.post_keyed("/admin/withdrawals/reopen", "reopen", json!(null)).await?;
    assert_eq!(proposed.status, 201, "{}", proposed.body);
    let id = proposed.body["proposalId"].as_str().context("an id")?.to_owned();
    let confirm = format!("/admin/proposals/{id}/confirm");
    let own = treasurer.post(&confirm, json!({})).await?;
    assert_eq!((own.status, own.code()), (403, Some("SELF_CONFIRMATION")));
    let early = admin.post(&confirm, json!({})).await?;
    assert_eq!((early.status, early.code()), (409, Some("BOOKS_NOT_BALANCED")));
    tamper(&stack, -7).await?;
    check_ledger(&mut stack, &treasurer).await?;
    admin.post(&confirm, json!({})).await?.success()?;
    books(&treasurer, false).await?;
    assert_eq!(member.withdraw("100.00").await?.status, 201);
    let auditor = stack.staff("auditor").await?;
    let trail = auditor.get("/admin/audit?action=withdrawals.").await?.success()?;
    let acts: Vec<_> = trail["rows"].as_array().into_iter().flatten().map(|row| row["action"].clone()).collect();
    assert_eq!(acts, ["withdrawals.reopen.confirm", "withdrawals.reopen.propose", "withdrawals.stop"]);
    assert!(stack.broken_promises().await?.is_empty());
    Ok(())
}

/// A withdrawal of this amount that a reviewer approved, by its path.
async fn approved_withdrawal(stack: &TestStack, member: &Member, amount: &str) -> Result<String> {
    let made = member.withdraw(amount).await?.success()?;
    let id = made["transaction"]["id"].as_str().context("an id")?;
    stack.confirm_destination(member, id).await?;
    let path = format!("/admin/transactions/{id}");
    let reviewer = stack.staff("reviewer").await?;
    reviewer.post(&format!("{path}/approve"), json!({ "revision": 1 })).await?.success()?;
    Ok(path)
}

/// Changes rows of the wallet, in whichever bucket of members they are.
async fn as_owner(stack: &TestStack, statement: &'static str) -> Result<()> {
    for mut connection in stack.databases().connect_owner(Service::Wallet).await? {
        sqlx::query(statement).execute(&mut connection).await?;
        connection.close().await?;
    }
    Ok(())
}

/// [D-B7] [D-B8] [D-O3] Two treasurers: one pays, the other learns who and until when; a lease that is over is free. One
/// blockchain transaction settles two payouts, each by its output.
#[tokio::test]
async fn one_treasurer_pays_and_the_other_is_told() -> Result<()> {
    let stack = TestStack::start().await?;
    stack.publish_rates().await?;
    let (one, other) = (stack.member_with("5000").await?, stack.member_with("5000").await?);
    let (first, second) = (stack.staff("treasurer").await?, stack.staff("treasurer2").await?);
    let name = first.get("/admin/me").await?.success()?["user"]["name"].as_str().context("a name")?.to_owned();
    let path = approved_withdrawal(&stack, &one, "1500").await?;
    let refused = |answer: Answer, code: &str| {
        assert_eq!((answer.status, answer.code()), (409, Some(code)), "{}", answer.body);
        answer.body
    };
    let payout = |revision: i64, vout: u32| json!({ "revision": revision, "txid": "ab".repeat(32), "vout": vout });
    let (paying, paid) = (format!("{path}/paying"), format!("{path}/paid"));
    refused(first.post(&paid, payout(2, 0)).await?, "NOT_BEING_PAID");
    let started = first.post_keyed(&paying, "start", json!({ "revision": 2 })).await?.success()?;
    assert_eq!((&started["revision"], &started["transaction"]["status"]), (&json!(3), &json!("pending")));
    let again = first.post_keyed(&paying, "start", json!({ "revision": 2 })).await?.success()?;
    assert_eq!(again["until"], started["until"], "the same answer under the same key");
    for answer in [
        second.post(&paying, json!({ "revision": 3 })).await?,
        second.post(&paid, payout(3, 0)).await?,
        second.post(&format!("{path}/reject"), json!({ "revision": 3, "reasonCode": "OTHER" })).await?,
    ] {
        let body = refused(answer, "BEING_PAID");
        assert!(body["message"].as_str().is_some_and(|text| text.starts_with(&name)), "{body}");
        assert_eq!(body["paying"]["byName"], json!(name));
    }
    let seen = second.get(&path).await?.success()?["transaction"]["paying"].clone();
    assert_eq!((&seen["byName"], &seen["until"]), (&json!(name), &started["until"]));
    let mine = one.client.get("/transactions/user").await?.success()?["transactions"][0].clone();
    assert_eq!((&mine["status"], &mine["paying"]), (&json!("pending"), &Value::Null));

    as_owner(&stack, "UPDATE transactions SET paying_until = now() WHERE paying_by IS NOT NULL").await?;
    refused(first.post(&paid, payout(3, 0)).await?, "NOT_BEING_PAID");
    second.post(&paying, json!({ "revision": 3 })).await?.success()?;
    refused(first.post(&paid, payout(4, 0)).await?, "BEING_PAID");
    let reviewer = stack.staff("reviewer").await?;
    for (act, frozen) in [("freeze", true), ("unfreeze", false)] {
        reviewer.post(&format!("/admin/members/{}/{act}", one.id), json!({ "note": "asked for" })).await?.success()?;
        if frozen {
            refused(second.post(&paying, json!({ "revision": 4 })).await?, "ACCOUNT_FROZEN");
            refused(second.post(&paid, payout(4, 0)).await?, "ACCOUNT_FROZEN");
        }
    }
    second.post(&paid, payout(4, 0)).await?.success()?;
    let small = format!("{}/paid", approved_withdrawal(&stack, &other, "200").await?);
    refused(first.post(&small, payout(2, 0)).await?, "TXID_USED");
    first.post(&small, payout(2, 1)).await?.success()?;
    let trail = stack.staff("auditor").await?.get("/admin/audit?action=withdrawal.pa").await?.success()?;
    let acts: Vec<_> = trail["rows"].as_array().into_iter().flatten().map(|row| row["action"].clone()).collect();
    assert_eq!(acts, ["withdrawal.paid", "withdrawal.paid", "withdrawal.paying", "withdrawal.paying"]);
    assert!(stack.broken_promises().await?.is_empty());
    Ok(())
}

/// [D-B12] [D-O3] A deposit of $10,000.00 is credited when two reviewers approved the same, and not before.
#[tokio::test]
async fn a_large_deposit_takes_two_reviewers() -> Result<()> {
    let stack = TestStack::start().await?;
    let member = stack.member().await?;
    let path = format!("/admin/transactions/{}", member.deposit("10000").await?);
    let (first, second) = (stack.staff("reviewer").await?, stack.staff("reviewer2").await?);
    let approval = |revision: i64, amount: &str| json!({ "revision": revision, "receivedAmount": amount, "txid": "cd".repeat(32), "note": NOTE });
    let approve = format!("{path}/approve");
    let balance =
        async || anyhow::Ok(member.client.get("/auth/check").await?.success()?["user"]["wallet"]["balance"].clone());
    let answer = first.post(&approve, approval(1, "10000.00")).await?.success()?;
    assert_eq!((&answer["needsSecond"], &answer["transaction"]["status"]), (&json!(true), &json!("pending")));
    let waits = second.get(&path).await?.success()?["transaction"].clone();
    assert_eq!((&waits["revision"], &waits["firstApproval"]["receivedAmount"]), (&json!(2), &json!(10_000)));
    for (reviewer, amount, code) in
        [(&first, "10000.00", "SECOND_PERSON_REQUIRED"), (&second, "9999.99", "APPROVAL_DIFFERS")]
    {
        let no = reviewer.post(&approve, approval(2, amount)).await?;
        assert_eq!((no.status, no.code()), (409, Some(code)), "{}", no.body);
    }
    assert_eq!(balance().await?, json!(0));
    let answer = second.post(&approve, approval(2, "10000.00")).await?.success()?;
    assert_eq!((&answer["needsSecond"], &answer["transaction"]["status"]), (&json!(false), &json!("success")));
    assert_eq!(balance().await?, json!(10_000));
    let trail = stack.staff("auditor").await?.get("/admin/audit?action=deposit.approve").await?.success()?;
    let people: Vec<_> = trail["rows"].as_array().into_iter().flatten().map(|row| row["actorId"].clone()).collect();
    assert!(people.len() == 2 && people[0] != people[1], "{trail}");
    assert!(stack.broken_promises().await?.is_empty());
    Ok(())
}

/// [D-O3] [Q6] The trail is a file on demand, for those who may read it; a dead letter is listed and replayed by an admin.
#[tokio::test]
async fn the_trail_is_a_file_and_dead_letters_are_replayed() -> Result<()> {
    let stack = TestStack::start().await?;
    let member = stack.member_with("500").await?;
    let (auditor, admin) = (stack.staff("auditor").await?, stack.staff("admin").await?);
    let text = |client: &Client, path: &str| {
        let request = client.request(reqwest::Method::GET, path);
        async move {
            let answer = request.send().await?;
            Ok::<_, reqwest::Error>((answer.status().as_u16(), answer.text().await?))
        }
    };
    let (status, file) = text(&auditor, &format!("/admin/audit?format=csv&member={}", member.id)).await?;
    assert_eq!(status, 200, "{file}");
    let lines: Vec<_> = file.lines().collect();
    assert!(
        lines[0].starts_with("id,at,actorId") && lines.len() == 2 && lines[1].contains("deposit.approve"),
        "{file}"
    );
    for service in Service::services().map(Service::name) {
        assert_eq!(text(&auditor, &format!("/admin/audit?format=csv&service={service}")).await?.0, 200, "{service}");
    }
    let reviewer = stack.staff("reviewer").await?;
    assert_eq!(text(&reviewer, "/admin/audit?format=csv").await?.0, 403);
    assert_eq!(text(&auditor, "/admin/audit?format=xml").await?.0, 422);

    let mut connection = PgConnection::connect(&stack.databases().owner_url(Service::Mailer)?).await?;
    sqlx::query("INSERT INTO dead_letters (event_id, key, payload, cause) VALUES ($1, 'auth.v1.nothing', '', 'test')")
        .bind("01890a5d-ac96-774b-bcce-b302099a8057")
        .execute(&mut connection)
        .await?;
    let letters = reviewer.get("/admin/dead-letters").await?.success()?;
    let letter = &letters["deadLetters"][0];
    assert_eq!((&letter["queue"], &letter["reason"]), (&json!("mailer.events"), &json!("test")));
    let replay = format!("/admin/dead-letters/{}/replay", letter["id"].as_str().context("an id")?);
    assert_eq!(reviewer.post(&replay, json!({})).await?.status, 403);
    admin.post(&replay, json!({})).await?.success()?;
    assert_eq!(admin.get("/admin/dead-letters").await?.success()?["deadLetters"], json!([]));
    assert_eq!(admin.post(&replay, json!({})).await?.status, 404);
    Ok(())
}

/// [D-G2] A text that no column can hold is refused, and is no failure of ours.
#[tokio::test]
async fn a_text_that_cannot_be_stored_is_refused() -> Result<()> {
    let stack = TestStack::start().await?;
    let member = stack.member_with("500").await?;
    let (reviewer, admin) = (stack.staff("reviewer").await?, stack.staff("admin").await?);
    for path in ["/admin/transactions?search=%00", "/admin/transactions?cursor=%00", "/admin/queue?kind=%00"] {
        let answer = reviewer.get(path).await?;
        assert!(answer.status < 500, "{path}: {} {}", answer.status, answer.body);
    }
    let search = reviewer.get("/admin/transactions?search=a%00b").await?;
    assert_eq!((search.status, search.code()), (422, Some("VALIDATION_FAILED")));
    let audit = admin.get("/admin/audit?action=%00").await?;
    assert_eq!((audit.status, audit.code()), (422, Some("VALIDATION_FAILED")));
    let freeze = format!("/admin/members/{}/freeze", member.id);
    let note = reviewer.post(&freeze, json!({ "note": "a\u{0}b" })).await?;
    assert_eq!(note.status, 422, "{}", note.body);
    assert_eq!(member.client.get("/auth/check").await?.status, 200, "nothing changed");
    Ok(())
}

/// [D-B9] [D-B10] [D-B6] [D-R16] A deposit that turned out false is taken back after a part was paid out: what lacks is
/// owed and shown, spends nothing, and the next deposit settles it. A hold is shown with its reason, and released by a
/// second person.
#[tokio::test]
async fn a_false_deposit_is_owed_until_it_is_settled() -> Result<()> {
    let stack = TestStack::with(Options { plans: true, ..Options::default() }).await?;
    let member = stack.member().await?;
    let (reviewer, other) = (stack.staff("reviewer").await?, stack.staff("reviewer2").await?);
    let treasurer = stack.staff("treasurer").await?;
    let approve = async |id: &str, amount: &str| {
        let approval = json!({ "revision": 1, "receivedAmount": amount, "txid": txid(), "note": NOTE });
        reviewer.post(&format!("/admin/transactions/{id}/approve"), approval).await?.success()
    };
    let wallet =
        async || Ok::<_, anyhow::Error>(member.client.get("/auth/check").await?.success()?["user"]["wallet"].take());
    let deposit = member.deposit("500").await?;
    approve(&deposit, "500.00").await?;
    let held = reviewer
        .post(&format!("/admin/members/{}/holds", member.id), json!({ "amount": "100.00", "reasonCode": "COMPLIANCE" }))
        .await?;
    assert_eq!(held.status, 201, "{}", held.body);
    let shown = wallet().await?;
    assert_eq!((&shown["balance"], &shown["onHold"], &shown["owed"]), (&json!(400), &json!(100), &Value::Null));
    assert_eq!(shown["holds"][0]["reasonCode"], "COMPLIANCE");
    assert!(shown["holds"][0]["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    assert_eq!(shown["holds"][0]["placedBy"], Value::Null);
    let release =
        format!("/admin/members/{}/holds/{}/release", member.id, held.body["hold"]["id"].as_str().context("an id")?);
    let own = reviewer.post(&release, json!({})).await?;
    assert_eq!((own.status, own.code()), (403, Some("SELF_CONFIRMATION")));

    let proposed =
        reviewer.post(&format!("/admin/transactions/{deposit}/reverse"), json!({ "note": "charged back" })).await?;
    assert_eq!(proposed.status, 201, "{}", proposed.body);
    let confirm = format!("/admin/proposals/{}/confirm", proposed.body["proposalId"].as_str().context("an id")?);
    treasurer.post(&confirm, json!({})).await?.success()?;
    let again =
        reviewer.post(&format!("/admin/transactions/{deposit}/reverse"), json!({ "note": "charged back" })).await?;
    assert_eq!((again.status, again.code()), (409, Some("ALREADY_REVERSED")));
    let shown = wallet().await?;
    assert_eq!((&shown["balance"], &shown["owed"]), (&json!(0), &json!(100)));
    let list = member.client.get("/transactions/user").await?.success()?;
    let line = &list["transactions"][0];
    assert_eq!(
        (&line["title"], &line["amount"], &line["relatedId"]),
        (&json!("Adjustment"), &json!(500), &json!(deposit))
    );
    let no = member.withdraw("50.00").await?;
    assert_eq!((no.status, no.code()), (409, Some("AMOUNT_OWED")));
    let no = member.client.post("/courses/purchase", json!({})).await?;
    assert_eq!((no.status, no.code()), (409, Some("AMOUNT_OWED")), "{}", no.body);
    let plans = member.client.get("/plans").await?.success()?;
    let plan = &plans["plans"][0];
    let trade = json!({ "planId": plan["id"], "amount": plan["min"] });
    let no = member.client.post("/trades/create", trade).await?;
    assert_eq!((no.status, no.code()), (409, Some("AMOUNT_OWED")), "{}", no.body);

    other.post(&release, json!({})).await?.success()?;
    let shown = wallet().await?;
    assert_eq!((&shown["balance"], &shown["owed"], &shown["onHold"]), (&json!(0), &Value::Null, &Value::Null));
    let next = member.deposit("150").await?;
    approve(&next, "150.00").await?;
    assert_eq!(wallet().await?["balance"], 150);
    let books = treasurer.get("/admin/integrity").await?.success()?;
    assert_eq!((&books["trialBalance"], &books["owed"], &books["ok"]), (&json!(0), &json!(0), &json!(true)));
    assert!(stack.broken_promises().await?.is_empty());
    Ok(())
}

/// The guides with the command that invites the first staff.
const GUIDES: [&str; 2] = [include_str!("../../../../docs/COMPOSE.md"), include_str!("../../../../docs/KUBERNETES.md")];

/// [D-H7] [D-O1] [D-O5] O10: by the command of the guides, two admins are mailed a link to set a password, and invite others
/// together.
#[tokio::test]
async fn the_first_admins_are_invited_as_the_guides_say() -> Result<()> {
    let stack = TestStack::start().await?;
    let mut auth = PgConnection::connect(&stack.databases().owner_url(Service::Auth)?).await?;
    // A stack has staff from the beginning.
    sqlx::query("UPDATE users SET disabled_at = now() WHERE role IS NOT NULL").execute(&mut auth).await?;
    auth.close().await?;
    let [first, second] = ["First Name <first@example.com>", "Second Name <second@example.com>"];
    let command = format!("staff bootstrap \\\n  --admin \"{first}\" --admin \"{second}\"\n");
    assert!(GUIDES.iter().all(|guide| guide.contains(&command)));
    let bootstrap =
        async || stack.run(Service::Auth, &["staff", "bootstrap", "--admin", first, "--admin", second], None).await;
    bootstrap().await?;
    let log_in = async |email: &str| -> Result<Client> {
        let mail = stack.mail(email, "staff account").await?;
        let secret = mail.secret("/reset-password").context("a link")?;
        stack.client().make(request::set_password(&secret, STAFF_PASSWORD)).await?;
        stack.client().login(email, STAFF_PASSWORD).await
    };
    let (one, two) = (log_in("first@example.com").await?, log_in("second@example.com").await?);
    let reviewer = json!({ "name": "Rhea Reviewer", "email": "rhea@example.com", "role": "reviewer" });
    let proposal = one.post("/admin/staff", reviewer).await?.success()?["proposalId"].clone();
    let confirm = format!("/admin/proposals/{}/confirm", proposal.as_str().context("an id")?);
    two.post(&confirm, json!({})).await?.success()?;
    stack.mail("rhea@example.com", "staff account").await?;
    assert!(bootstrap().await.is_err(), "two admins are there");
    Ok(())
}
