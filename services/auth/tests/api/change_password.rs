//! Changing a password.

use chassis::error::{Kind, Refusal, from_status};
use chassis::testing::with_token;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::{ChangePasswordRequest, CheckSessionRequest, SessionEnded};
use sqlx::PgPool;

use crate::fixture::{ABROAD, HOME, PASSWORD, World, said};
use crate::sessions::session_id;

const NEW: &str = "staple battery horse";

async fn change(world: &World, token: &str, user_id: &str, old: &str, new: &str) -> Result<(), Refusal> {
    let request = ChangePasswordRequest {
        user_id: user_id.to_owned(),
        old_password: old.to_owned(),
        new_password: new.to_owned(),
    };
    world.grpc.change_password(with_token(request, token)).await.map(|_| ()).map_err(|status| from_status(&status))
}

/// [API-19] [D-S12] The new password counts, every other session ends, the own stays, and a notice is mailed.
#[sqlx::test(migrations = false)]
async fn a_change_ends_the_other_sessions(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    let other = world.login("ada@example.com", PASSWORD, ABROAD).await.unwrap().token;
    world.forget_events().await;
    change(&world, &token, &user.id, PASSWORD, NEW).await.unwrap();
    assert_eq!(world.events().await, ["session_ended", "password_changed"]);
    let ended = SessionEnded {
        session_ids: vec![session_id(&other).to_string()],
        all_of_user_id: user.id.clone(),
        except_session_id: session_id(&token).to_string(),
    };
    assert_eq!(world.ended().await, ended);
    assert!(world.grpc.check_session(with_token(CheckSessionRequest::default(), &token)).await.is_ok());
    assert!(world.grpc.check_session(with_token(CheckSessionRequest::default(), &other)).await.is_err());
    world.login("ada@example.com", NEW, HOME).await.unwrap();
    assert_eq!(world.login("ada@example.com", PASSWORD, HOME).await.unwrap_err().code, "INVALID_CREDENTIALS");
}

/// [PROF-03] [D-S8] What is wrong is said by field; vain tries are slowed.
#[sqlx::test(migrations = false)]
async fn a_wrong_old_password_changes_nothing(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    let short = change(&world, &token, &user.id, "short", "shorter").await.unwrap_err();
    assert_eq!(said(&short, "oldPassword"), Some("Old password must be at least 8 characters"));
    assert_eq!(said(&short, "newPassword"), Some("New password must be at least 8 characters"));
    assert!(said(&change(&world, &token, &user.id, PASSWORD, "password1").await.unwrap_err(), "newPassword").is_some());
    for _ in 0..6 {
        let wrong = change(&world, &token, &user.id, "wrong horse battery", NEW).await.unwrap_err();
        assert_eq!((wrong.kind, wrong.code.as_str()), (Kind::Invalid, "WRONG_PASSWORD"));
        assert!(said(&wrong, "oldPassword").is_some());
    }
    assert_eq!(world.hold_delays().await, 1);
    assert_eq!(change(&world, &token, &user.id, PASSWORD, NEW).await.unwrap_err().kind, Kind::RateLimited);
    world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
}

/// [D-S12] A new password is another one than the old.
#[sqlx::test(migrations = false)]
async fn the_old_password_is_no_new_one(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    world.forget_events().await;
    let same = change(&world, &token, &user.id, PASSWORD, PASSWORD).await.unwrap_err();
    assert_eq!((same.kind, same.code.as_str()), (Kind::Invalid, "VALIDATION_FAILED"));
    assert!(said(&same, "newPassword").is_some());
    assert!(world.events().await.is_empty());
}

/// [D-P1] Another's account is as good as none.
#[sqlx::test(migrations = false)]
async fn only_the_own_password_can_be_changed(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member("ada@example.com").await;
    let (bob, _) = world.member("bob@example.com").await;
    assert_eq!(change(&world, &token, &bob.id, PASSWORD, NEW).await.unwrap_err().code, "NOT_FOUND");
    world.login("bob@example.com", PASSWORD, HOME).await.unwrap();
}
