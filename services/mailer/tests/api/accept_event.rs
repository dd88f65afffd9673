//! Events become rows, once.

use chassis::id::UserId;
use std::collections::BTreeSet;

use chassis::bus::{HandleError, Handler};
use mailer::domain::template::Template;
use proto::auth::v1 as auth;
use proto::wallet::v1 as wallet;
use sqlx::PgPool;
use strum::VariantArray;
use uuid::Uuid;

use crate::fixture::{World, event};
use crate::samples::samples;

/// Two of staff, known to auth.
pub fn hire(world: &World) -> [UserId; 2] {
    let staff = [Uuid::new_v4().into(), Uuid::new_v4().into()];
    let mut accounts = world.accounts.lock().unwrap();
    for (id, name) in staff.into_iter().zip(["Tessa Treasurer", "Tom Treasurer"]) {
        accounts.users.insert(id, (name.to_owned(), format!("{}@solvane.test", id.get().simple())));
    }
    accounts.staff = staff.to_vec();
    staff
}

/// [D-E2] [D-R11] [CRS-02] Every event asks for exactly its mails, and every mail has an event.
#[sqlx::test(migrations = false)]
async fn every_event_asks_for_its_mails(pool: PgPool) {
    let world = World::start(pool).await;
    let staff = hire(&world);
    let mut seen = BTreeSet::new();
    for sample in samples(world.user_id, staff) {
        world.execute("DELETE FROM mails").await;
        world.consumer.handle(&sample.event).await.unwrap();
        let rows = world.rows().await;
        let got: Vec<_> = rows.iter().map(|row| (row.template.as_str(), row.address.as_deref())).collect();
        let wanted: Vec<_> = sample.mails.iter().map(|(template, address)| (template.into_str(), *address)).collect();
        assert_eq!(got, wanted, "{}", sample.event.key);
        seen.extend(rows.iter().map(|row| row.template.clone()));
        let recipients: BTreeSet<_> = rows.iter().map(|row| row.user_id).collect();
        let told_to_staff = [Template::PlatformMethodChanged, Template::StaffChanged];
        if sample.mails.iter().any(|(template, _)| told_to_staff.contains(template)) {
            assert_eq!(recipients, BTreeSet::from(staff));
        } else {
            assert!(recipients.iter().all(|id| *id == world.user_id));
        }
    }
    // That of the signed roots is asked for by the clock.
    seen.insert(Template::RootsOfTheDay.into_str().to_owned());
    assert_eq!(seen.len(), Template::VARIANTS.len());
    let events = i64::try_from(samples(world.user_id, staff).len()).unwrap();
    assert_eq!(world.count("SELECT count(*) FROM inbox").await, events);
}

/// [Q4] Every event delivered three times and shuffled: the same end state.
#[sqlx::test(migrations = false)]
async fn duplicates_and_shuffles_change_nothing(pool: PgPool) {
    let world = World::start(pool).await;
    let staff = hire(&world);
    let samples = samples(world.user_id, staff);
    let mut order: Vec<usize> = (0..samples.len()).flat_map(|index| [index; 3]).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, rand::random_range(0..=last));
    }
    let deliveries = order.into_iter().map(|index| world.consumer.handle(&samples[index].event));
    for result in futures::future::join_all(deliveries).await {
        result.unwrap();
    }
    let wanted: usize = samples.iter().map(|sample| sample.mails.len()).sum();
    assert_eq!(world.rows().await.len(), wanted);
    assert_eq!(world.count("SELECT count(*) FROM inbox").await, i64::try_from(samples.len()).unwrap());
}

/// [Q6] What cannot be read is poison, leaves no trace of an effect, and can be kept as a dead letter.
#[sqlx::test(migrations = false)]
async fn unreadable_events_are_poison(pool: PgPool) {
    let world = World::start(pool).await;
    let facts = |user_id: &str, transaction_id: &str| wallet::DepositConfirmed {
        transaction: Some(wallet::TransactionFacts {
            user_id: user_id.to_owned(),
            transaction_id: transaction_id.to_owned(),
            reason: "nul \0".to_owned(),
            ..Default::default()
        }),
    };
    let id = Uuid::new_v4().to_string();
    let mut garbage = event("wallet.v1.deposit_confirmed", &wallet::DepositConfirmed::default());
    garbage.payload = vec![0xff; 20];
    let no_reference = auth::VerificationCodeIssued { reference: String::new(), user_id: id.clone() };
    let no_address = auth::EmailChangeRequested { user_id: id.clone(), ..Default::default() };
    for event in [
        garbage,
        event("wallet.v1.deposit_confirmed", &wallet::DepositConfirmed::default()),
        event("wallet.v1.deposit_confirmed", &facts("ada", &id)),
        event("wallet.v1.deposit_confirmed", &facts(&id, "TNX")),
        // A text that the database cannot hold.
        event("wallet.v1.deposit_confirmed", &facts(&id, &id)),
        event("trade.v1.trade_opened", &proto::trade::v1::TradeOpened::default()),
        event("auth.v1.verification_code_issued", &no_reference),
        event("auth.v1.email_change_requested", &no_address),
    ] {
        let outcome = world.consumer.handle(&event).await;
        assert!(matches!(outcome, Err(HandleError::Poison(_))), "{} {outcome:?}", event.key);
        world.consumer.keep_dead_letter(&event.id.to_string(), &event.key, &event.payload, "unreadable").await.unwrap();
    }
    assert_eq!(world.count("SELECT count(*) FROM inbox").await, 0);
    assert_eq!(world.count("SELECT count(*) FROM mails").await, 0);
    assert_eq!(world.count("SELECT count(*) FROM dead_letters").await, 8);
}

/// [D-M1] [Q4] While auth is away, a mail to all staff waits in the queue of the broker; nothing of it is lost.
#[sqlx::test(migrations = false)]
async fn a_mail_to_staff_waits_for_auth(pool: PgPool) {
    let world = World::start(pool).await;
    let staff = hire(&world);
    let sample = samples(world.user_id, staff)
        .into_iter()
        .find(|sample| sample.event.key.starts_with("payment_method.v1.platform"))
        .unwrap();
    world.accounts.lock().unwrap().away = true;
    assert!(matches!(world.consumer.handle(&sample.event).await, Err(HandleError::Transient(_))));
    assert_eq!(world.count("SELECT count(*) FROM inbox").await, 0);
    world.accounts.lock().unwrap().away = false;
    world.consumer.handle(&sample.event).await.unwrap();
    assert_eq!(world.rows().await.len(), 2);
}
