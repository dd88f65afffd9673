//! The passkeys of an account.

use auth::app::SecondFactor;
use auth::app::factor::reset_totp::reset_totp;
use auth::app::staff::reset_factors::reset_next;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::auth::v1::ProposeFactorResetRequest;
use proto::auth::v1::factor_service_server::FactorService;
use proto::auth::v1::staff_service_server::StaffService;
use sqlx::PgPool;

use crate::authenticator::Authenticator;
use crate::fixture::{HOME, PASSWORD, World, client};
use crate::passkeys::{EMAIL, ends};
use crate::second_factor::code;

/// [D-A3] An account has ten passkeys at most, and a passkey belongs to one account.
#[sqlx::test(migrations = false)]
async fn an_account_has_ten_passkeys(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let owner = world.owner().await;
    let (_, late) = Authenticator::create(&world.begin_passkey(&owner.token, "").await.unwrap());
    for _ in 0..9 {
        world.add_passkey(&owner.token, "").await;
    }
    assert_eq!(world.begin_passkey(&owner.token, "").await.unwrap_err().code, "TOO_MANY_PASSKEYS");
    assert_eq!(world.finish_passkey(&owner.token, &late).await.unwrap_err().code, "TOO_MANY_PASSKEYS");
    let id = world.passkeys(&owner.token).await[3].id.clone();
    world.remove_passkey(&owner.token, &id).await.unwrap();
    world.finish_passkey(&owner.token, &late).await.unwrap();
    assert_eq!(world.finish_passkey(&owner.token, &late).await.unwrap_err().code, "PASSKEY_REFUSED", "twice");
    assert_eq!(world.passkeys(&owner.token).await.len(), 10);
}

/// [D-A3] A passkey is added in the session that was admitted, and by the answer to its challenge.
#[sqlx::test(migrations = false)]
async fn a_passkey_is_added_where_it_was_begun(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let (_, token) = world.member(EMAIL).await;
    let other = world.login(EMAIL, PASSWORD, HOME).await.unwrap().token;
    let (mut device, credential) = Authenticator::create(&world.begin_passkey(&token, PASSWORD).await.unwrap());
    assert_eq!(world.finish_passkey(&other, &credential).await.unwrap_err().code, "PASSKEY_REFUSED");
    let unproven = device.sign(&world.sign_in_options().await);
    assert_eq!(world.finish_passkey(&token, &unproven).await.unwrap_err().code, "PASSKEY_REFUSED");
    device.origin = "https://so1vane.test".to_owned();
    world.finish_passkey(&token, &credential).await.unwrap();
    let unverified = world.register("bob@example.com").await.token;
    assert_eq!(world.begin_passkey(&unverified, PASSWORD).await.unwrap_err().code, "EMAIL_NOT_VERIFIED");
}

/// [D-A3] Removing takes a fresh factor. With the last factor the recovery codes go, and the password logs in again; while
/// another is left, they stay.
#[sqlx::test(migrations = false)]
async fn a_passkey_is_removed(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let mut owner = world.owner().await;
    let id = world.passkeys(&owner.token).await[0].id.clone();
    let (_, stranger) = world.member("eve@example.com").await;
    assert_eq!(world.remove_passkey(&stranger, &id).await.unwrap_err().code, "NOT_FOUND");
    world.let_step_ups_age().await;
    assert_eq!(world.remove_passkey(&owner.token, &id).await.unwrap_err().code, "STEP_UP_REQUIRED");
    let options = world.step_up_options(&owner.token).await.unwrap();
    owner.device.sign_count += 1;
    let credential = owner.device.sign(&options);
    world.step_up_by(&owner.token, &credential).await.unwrap();
    world.add_passkey(&owner.token, "").await;
    world.forget_events().await;
    world.remove_passkey(&owner.token, &id).await.unwrap();
    assert_eq!(world.events().await, ["second_factor_changed"]);
    assert_eq!(world.count("SELECT count(*) FROM recovery_codes").await, 10);
    assert_eq!(world.signs_in(&mut owner.device).await.unwrap_err().code, "PASSKEY_REFUSED", "it is gone");
    let last = world.passkeys(&owner.token).await[0].id.clone();
    world.remove_passkey(&owner.token, &last).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM recovery_codes").await, 0);
    world.login(EMAIL, PASSWORD, HOME).await.unwrap();
}

/// [D-A3] An authenticator and passkeys stand side by side: a login asks for the code, and each may go while the other
/// is left, with the recovery codes staying.
#[sqlx::test(migrations = false)]
async fn both_factors_stand_side_by_side(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let holder = world.enrolled("rae", Role::Reviewer).await;
    let (mut device, added) = world.add_passkey(&holder.token, "").await;
    assert!(added.recovery_codes.is_empty());
    assert_eq!(world.login("rae@solvane.test", PASSWORD, HOME).await.unwrap_err().code, "TOTP_REQUIRED");
    world.let_time_pass().await;
    world.login_with("rae@solvane.test", PASSWORD, &code(&holder.secret, 1), HOME).await.unwrap();
    let token = world.signs_in(&mut device).await.unwrap().token;
    assert!(world.told(&token).await.is_stepped_up);
    let request = proto::auth::v1::RemoveTotpRequest { client: Some(client(HOME)) };
    ends(world.grpc.remove_totp(with_token(request, &token)).await).unwrap();
    assert_eq!(world.count("SELECT count(*) FROM recovery_codes").await, 10);
    assert!(!world.told(&token).await.must_enrol_totp);
    let id = world.passkeys(&token).await[0].id.clone();
    assert_eq!(world.remove_passkey(&token, &id).await.unwrap_err().code, "PERMISSION_DENIED", "staff keep one");
    let trail = "SELECT count(*) FROM audit_rows WHERE action IN ('staff.add_passkey', 'staff.remove_totp')";
    assert_eq!(world.count(trail).await, 2);
    assert!(reset_totp(world.db(), "rae@solvane.test").await.unwrap(), "an operator takes lost ones away");
    let token = world.login("rae@solvane.test", PASSWORD, HOME).await.unwrap().token;
    assert!(world.told(&token).await.must_enrol_totp);
    world.add_passkey(&token, "").await;
    assert!(!world.told(&token).await.must_enrol_totp, "a passkey is an enrolment, too");
}

/// [D-A3] Lost passkeys are removed by two reviewers and 72 hours; using one calls that off.
#[sqlx::test(migrations = false)]
async fn lost_passkeys_are_removed(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, two) = (world.staff(Role::Reviewer).await.1, world.staff_named("second", Role::Reviewer).await.1);
    let mut owner = world.owner().await;
    world.run("UPDATE passkeys SET created_at = created_at - interval '100 hours'").await;
    let agree = async || {
        let request = ProposeFactorResetRequest {
            user_id: owner.user.id.clone(),
            note: "Passport seen".to_owned(),
            ..Default::default()
        };
        let proposed = ends(world.grpc.propose_factor_reset(with_token(request, &one)).await).unwrap();
        world.confirm_proposal(&two, &proposed.proposal.unwrap().id).await.unwrap();
        world.run("UPDATE factor_resets SET due_at = clock_timestamp()").await
    };
    assert_eq!(agree().await, 1);
    world.signs_in(&mut owner.device).await.unwrap();
    assert!(!reset_next(&world.app).await.unwrap(), "called off");
    assert_eq!(agree().await, 1);
    assert!(reset_next(&world.app).await.unwrap());
    assert_eq!(world.count("SELECT count(*) FROM passkeys").await, 0);
    world.login(EMAIL, PASSWORD, HOME).await.unwrap();
}
