//! What a member may withdraw within a day and a month, and the terms that say so.

use chassis::identity::Session;
use chassis::testing::{session, with_token};
use futures::future::join_all;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use serde_json::json;
use sqlx::PgPool;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::fixture::{Member, World, code, key, refusal, withdrawal};

/// A world in which members may withdraw $300.00 within a day and $500.00 within a month.
async fn strict(pool: PgPool) -> World {
    let mut world = World::new(pool).await;
    world.limit(|limits| {
        for (allowance, cents) in limits.allowances.iter_mut().zip([30_000, 50_000]) {
            allowance.amount = chassis::money::Cents::new(cents);
        }
    });
    world
}

/// A withdrawal that was requested so long ago, and is paid.
async fn paid(world: &World, member: &Member, cents: i64, ago: Duration) -> OffsetDateTime {
    let made = world.withdraw(member, withdrawal(cents)).await.unwrap();
    let at = sqlx::query_scalar(
        "UPDATE transactions SET created_at = created_at - make_interval(secs => $2) WHERE id = $1 RETURNING created_at",
    )
    .bind(made.id.parse::<Uuid>().unwrap())
    .bind(ago.as_seconds_f64())
    .fetch_one(&world.pool)
    .await
    .unwrap();
    let approved = world.approve(&made).await.unwrap();
    world.pay(&approved).await.unwrap();
    at
}

/// [D-B11] [L8] [D-R16] Up to the cent of what is left; beyond it the refusal says what is left and from when on the
/// amount fits, and nothing changes.
#[sqlx::test(migrations = false)]
async fn withdrawals_of_a_day_and_a_month_are_limited(pool: PgPool) {
    let world = strict(pool).await;
    let member = world.member_with(200_000).await;
    let older = paid(&world, &member, 20_000, Duration::days(5)).await;
    let newer = paid(&world, &member, 20_000, Duration::hours(2)).await;
    let before = world.wallet(&member).await;
    let no = refusal(world.withdraw(&member, withdrawal(10_001)).await);
    assert_eq!((no.code.as_str(), no.kind), ("LIMIT_REACHED", chassis::error::Kind::Invalid));
    let facts = no.facts.unwrap();
    // The month leaves as much as the day; the older withdrawal counts longer.
    assert_eq!(facts["left"], json!(100));
    let at = OffsetDateTime::parse(facts["availableAt"].as_str().unwrap(), &Rfc3339).unwrap();
    assert_eq!(at, older + Duration::days(30));
    assert!(no.message.contains("$100.00 is left now") && no.fields[0] == ("amount".to_owned(), no.message.clone()));
    assert_eq!(world.wallet(&member).await, before);
    let fits = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    // With an open withdrawal that is the answer, no matter what the limit says.
    assert_eq!(code(world.withdraw(&member, withdrawal(10_001)).await), "WITHDRAWAL_PENDING");
    world.reject(&fits, "MEMBER_REQUEST").await.unwrap();
    // A rejected request gives its rest back.
    let rest = world.terms(Some(&member)).await.rest.unwrap();
    assert_eq!(rest.left_cents, 10_000);
    let more_from = chassis::clock::from_proto(&rest.available_at.unwrap());
    assert_eq!(more_from, Some((older + Duration::days(30)).max(newer + Duration::hours(24))));
    paid(&world, &member, 10_000, Duration::ZERO).await;
    assert_eq!(refusal(world.withdraw(&member, withdrawal(5_000)).await).facts.unwrap()["left"], json!(0));
    assert_eq!(world.terms(Some(&member)).await.rest.unwrap().left_cents, 0);
    world.assert_books().await;
}

/// [D-B11] What is a day old to the second no longer counts towards the day, nor after 30 days towards the month; and
/// another member's withdrawals never count.
#[sqlx::test(migrations = false)]
async fn what_is_over_no_longer_counts(pool: PgPool) {
    let world = strict(pool).await;
    let (member, other) = (world.member_with(200_000).await, world.member_with(200_000).await);
    paid(&world, &other, 30_000, Duration::ZERO).await;
    paid(&world, &member, 30_000, Duration::days(30)).await;
    paid(&world, &member, 20_000, Duration::hours(24)).await;
    assert_eq!(world.terms(Some(&member)).await.rest.unwrap().left_cents, 30_000);
    world.withdraw(&member, withdrawal(30_000)).await.unwrap();
}

/// [D-B11] [D-G4] [L9] The refusal stands under its key with what it said.
#[sqlx::test(migrations = false)]
async fn a_limit_is_told_again_under_its_key(pool: PgPool) {
    let world = strict(pool).await;
    let member = world.member_with(200_000).await;
    let request = RequestWithdrawalRequest { idempotency: key("k"), ..withdrawal(30_001) };
    let first = refusal(world.withdraw(&member, request.clone()).await);
    assert_eq!(first.facts.as_ref().unwrap()["left"], json!(300));
    assert!(!first.facts.as_ref().unwrap().contains_key("availableAt"), "more than the limit never fits");
    paid(&world, &member, 10_000, Duration::ZERO).await;
    assert_eq!(refusal(world.withdraw(&member, request).await), first);
}

/// [D-B11] However many ask at once, and while others are paid, the limit holds.
#[sqlx::test(migrations = false)]
async fn requests_at_once_keep_within_the_limit(pool: PgPool) {
    let world = strict(pool).await;
    let member = world.member_with(200_000).await;
    let outcomes = join_all((0..12).map(async |_| {
        let mut paid = 0;
        for _ in 0..4 {
            let Ok(made) = world.withdraw(&member, withdrawal(7_000)).await else { continue };
            let approved = world.approve(&made).await.unwrap();
            world.pay(&approved).await.unwrap();
            paid += 1;
        }
        paid
    }))
    .await;
    assert!(outcomes.iter().sum::<i32>() <= 4, "{outcomes:?}");
    while world.withdraw(&member, withdrawal(7_000)).await.is_ok() {
        let open = world.history(&member).await.into_iter().find(|one| one.status() == TransactionStatus::Pending);
        world.pay(&world.approve(&open.unwrap()).await.unwrap()).await.unwrap();
    }
    let sum = "SELECT sum(amount_cents)::bigint FROM transactions WHERE kind = 'withdrawal'";
    assert_eq!(world.count(sum).await, 28_000);
    assert_eq!(code(world.withdraw(&member, withdrawal(7_000)).await), "LIMIT_REACHED");
    world.assert_books().await;
}

/// [D-M5] [D-W2] The whole balance leaves although it is less than the minimum, once in 30 days; a part of it does not.
#[sqlx::test(migrations = false)]
async fn the_whole_balance_may_be_less_than_the_minimum(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(4_999).await;
    let other = world.member_with(7_000).await;
    for (member, cents) in [(&member, 4_998), (&member, 1), (&member, 5_000), (&other, 4_999)] {
        let before = world.wallet(member).await;
        assert!(
            ["VALIDATION_FAILED", "INSUFFICIENT_BALANCE"]
                .contains(&code(world.withdraw(member, withdrawal(cents)).await).as_str())
        );
        assert_eq!(world.wallet(member).await, before, "{cents}");
    }
    let no = refusal(world.withdraw(&member, withdrawal(4_998)).await);
    assert_eq!((no.code.as_str(), no.fields[0].0.as_str()), ("VALIDATION_FAILED", "amount"));
    let patient = world.member_with(4_999).await;
    for (member, ago) in [(&member, Duration::days(29)), (&patient, Duration::days(31))] {
        paid(&world, member, 4_999, ago).await;
        let deposit = world.deposit(member, crate::fixture::deposit(10_000)).await.unwrap();
        world.approve_with(&deposit, 1_300, &world.new_txid()).await.unwrap();
    }
    assert_eq!(code(world.withdraw(&member, withdrawal(1_300)).await), "VALIDATION_FAILED", "the second in 30 days");
    let made = world.withdraw(&patient, withdrawal(1_300)).await.unwrap();
    assert_eq!((made.fee_cents, made.net_amount_cents), (Some(33), Some(1_267)));
    assert_eq!(world.wallet(&patient).await.available_cents, 0);
    world.assert_books().await;
}

/// [D-B11] [D-R16] The terms are everybody's; the rest is for verified members alone.
#[sqlx::test(migrations = false)]
async fn the_terms_are_what_is_enforced(pool: PgPool) {
    let mut world = World::new(pool).await;
    world.limit(|limits| limits.deposit_min = chassis::money::Cents::new(12_300));
    let terms = world.terms(None).await;
    assert_eq!((terms.deposit_min_cents, terms.deposit_max_cents, terms.pending_deposits_max), (12_300, 10_000_000, 5));
    assert_eq!((terms.withdrawal_min_cents, terms.withdrawal_max_cents), (5_000, 5_000_000));
    assert_eq!((terms.fee_basis_points, terms.course_price_cents), (250, 8_700));
    let allowances: Vec<_> =
        terms.withdrawal_allowances.iter().map(|one| (one.period_hours, one.amount_cents)).collect();
    assert_eq!(allowances, [(24, 10_000_000), (720, 50_000_000)]);
    assert_eq!(terms.rest, None);
    let rest = world.terms(Some(&world.member())).await.rest.unwrap();
    assert_eq!(rest, WithdrawalRest { left_cents: 10_000_000, available_at: None });
    let unverified = world.realm.sign_in(Session { verified: false, ..session(None) });
    for token in [unverified, world.reviewer.clone()] {
        let answer = world.grpc.get_terms(with_token(GetTermsRequest {}, &token)).await.unwrap().into_inner();
        assert_eq!(answer.rest, None);
    }
    let unknown = world.grpc.get_terms(with_token(GetTermsRequest {}, "nonsense")).await;
    assert_eq!(code(unknown), "PERMISSION_DENIED", "neither a session nor the gateway's visitor");
    assert_eq!(code(world.deposit(&world.member(), crate::fixture::deposit(12_299)).await), "VALIDATION_FAILED");
}

impl World {
    /// What a member, or a visitor, reads.
    async fn terms(&self, member: Option<&Member>) -> GetTermsResponse {
        let request = match member {
            Some(member) => with_token(GetTermsRequest {}, &member.token),
            None => self.realm.visitor(GetTermsRequest {}),
        };
        self.grpc.get_terms(request).await.unwrap().into_inner()
    }
}
