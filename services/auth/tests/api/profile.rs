//! Changing details, address and photo.

use chassis::error::{Refusal, from_status};
use chassis::testing::with_token;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::directory_service_server::DirectoryService;
use proto::auth::v1::{ForgotPasswordRequest, GetMailSecretRequest, UpdateImageRequest, UpdateProfileRequest, User};
use proto::common::v1::ListOwnedFilesRequest;
use proto::common::v1::file_owner_service_server::FileOwnerService;
use sqlx::PgPool;

use crate::fixture::{HOME, PASSWORD, World, said};

async fn update(world: &World, token: &str, user: &User) -> Result<User, Refusal> {
    update_with(world, token, user, PASSWORD).await
}

/// With what was typed as the password in force.
pub async fn update_with(world: &World, token: &str, user: &User, password: &str) -> Result<User, Refusal> {
    let request = UpdateProfileRequest {
        user_id: user.id.clone(),
        name: user.name.clone(),
        email: user.email.clone(),
        phone: user.phone.clone(),
        country: user.country.clone(),
        current_password: password.to_owned(),
    };
    let answer = world.grpc.update_profile(with_token(request, token)).await;
    answer.map(|answer| answer.into_inner().user.unwrap()).map_err(|status| from_status(&status))
}

pub async fn change_email(world: &World, token: &str, user: &User, email: &str) -> Result<User, Refusal> {
    update(world, token, &with_email(user, email)).await
}

pub fn with_email(user: &User, email: &str) -> User {
    User { email: email.to_owned(), ..user.clone() }
}

/// [API-18] [PROF-02] Name, phone and country change at once; wrong ones are named.
#[sqlx::test(migrations = false)]
async fn details_change_at_once(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    world.forget_events().await;
    let wanted = User {
        name: "Ada King".to_owned(),
        phone: "+33 1 23 45".to_owned(),
        country: "France".to_owned(),
        email: "ADA@EXAMPLE.COM".to_owned(),
        ..user.clone()
    };
    let changed = update(&world, &token, &wanted).await.unwrap();
    assert_eq!(
        (changed.name.as_str(), changed.phone.as_str(), changed.country.as_str()),
        ("Ada King", "+33 1 23 45", "France")
    );
    assert_eq!((changed.email.as_str(), changed.pending_email.as_str()), ("ada@example.com", ""));
    assert_eq!(world.events().await, [""; 0]);
    let refused = update(&world, &token, &User { id: user.id.clone(), ..User::default() }).await.unwrap_err();
    assert_eq!(refused.fields.len(), 4);
}

/// [D-S12] The old address stays in force until the code sent to the new one is confirmed; both are notified.
#[sqlx::test(migrations = false)]
async fn a_new_address_waits_for_its_code(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    world
        .grpc
        .forgot_password(
            world.realm.visitor(ForgotPasswordRequest { email: "ada@example.com".to_owned(), client: None }),
        )
        .await
        .unwrap();
    world.answer_mail_requests().await;
    world.forget_events().await;
    let changed = update(&world, &token, &with_email(&user, "ada@king.example")).await.unwrap();
    assert_eq!((changed.email.as_str(), changed.pending_email.as_str()), ("ada@example.com", "ada@king.example"));
    assert_eq!(world.events().await, ["verification_code_issued", "email_change_requested"]);
    world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
    assert!(world.login("ada@king.example", PASSWORD, HOME).await.is_err());
    world.forget_events().await;
    let code = world.code("ada@king.example").await;
    world.verify("ada@king.example", &code).await.unwrap();
    assert_eq!(world.events().await, ["session_ended", "email_changed"]);
    world.login("ada@king.example", PASSWORD, HOME).await.unwrap();
    assert!(world.login("ada@example.com", PASSWORD, HOME).await.is_err());
    let live = "SELECT count(*) FROM reset_tokens WHERE superseded_at IS NULL AND consumed_at IS NULL";
    assert_eq!(world.count(live).await, 0, "the link in the old mailbox is dead");
}

/// [D-S12] [D-S5] The code to a new address can be asked for again, and the change called off.
#[sqlx::test(migrations = false)]
async fn a_change_is_resent_and_called_off(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    update(&world, &token, &with_email(&user, "ada@king.example")).await.unwrap();
    world.run("UPDATE codes SET created_at = created_at - interval '61 seconds'").await;
    world.resend("ada@king.example", "").await;
    assert_eq!(world.count("SELECT count(*) FROM codes WHERE purpose = 'email_change'").await, 2);
    let code = world.code("ada@king.example").await;
    let back = update(&world, &token, &user).await.unwrap();
    assert_eq!(back.pending_email, "");
    assert_eq!(world.verify("ada@king.example", &code).await.unwrap_err().code, "INVALID_CODE");
}

/// [D-A13] [D-S7] C6: to ask for another account's address does and answers what it does for a free one, until the codes
/// of the hour are used up and after it; but no code is mailed, and none confirms it, not even one mailed while it was free.
#[sqlx::test(migrations = false)]
async fn a_taken_address_is_not_told_from_a_free_one(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    world.member("bob@example.com").await;
    let mut told = Vec::new();
    for email in ["BOB@example.com", "free@example.com"] {
        world.run("DELETE FROM codes").await;
        world.forget_events().await;
        let mut answers = Vec::new();
        for _ in 0..7 {
            world.run("UPDATE codes SET superseded_at = clock_timestamp() WHERE superseded_at IS NULL").await;
            let answer = change_email(&world, &token, &user, email).await;
            answers.push(answer.map(|user| user.pending_email.to_lowercase() == email.to_lowercase()));
        }
        assert_eq!(answers.first(), Some(&Ok(true)));
        assert_eq!(
            answers.last().and_then(|last| last.as_ref().err()).map(|no| no.code.as_str()),
            Some("TOO_MANY_REQUESTS")
        );
        told.push((format!("{answers:?}"), world.events().await));
        world.run("UPDATE users SET pending_email = NULL").await;
    }
    assert_eq!(told.first(), told.last());

    world.run("DELETE FROM codes").await;
    for (email, is_mailed) in [("bob@example.com", false), ("carol@example.com", true)] {
        change_email(&world, &token, &user, email).await.unwrap();
        let request = GetMailSecretRequest { reference: world.code_id(email).await.to_string() };
        let mailer = world.realm.service_token("mailer");
        assert_eq!(world.grpc.get_mail_secret(with_token(request, &mailer)).await.is_ok(), is_mailed, "{email}");
    }
    let code = world.code("carol@example.com").await;
    world.register("carol@example.com").await;
    let refused = world.verify_with("carol@example.com", &code, "", &token).await.unwrap_err();
    assert_eq!(refused.code, "INVALID_CODE");
    world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
}

/// [D-A2] C5: three accounts at most wait to change to one address, and make room as their codes die.
#[sqlx::test(migrations = false)]
async fn three_accounts_may_wait_for_one_address(pool: PgPool) {
    let world = World::new(pool).await;
    for name in ["one", "two", "three"] {
        let (user, token) = world.member(&format!("{name}@example.com")).await;
        change_email(&world, &token, &user, "new@example.com").await.unwrap();
        change_email(&world, &token, &user, "NEW@example.com").await.unwrap();
    }
    let (user, token) = world.member("four@example.com").await;
    let refused = change_email(&world, &token, &user, "New@example.com").await.unwrap_err();
    assert_eq!(refused.code, "VALIDATION_FAILED");
    assert!(said(&refused, "email").is_some());
    world.run("UPDATE codes SET expires_at = clock_timestamp() WHERE purpose = 'email_change'").await;
    change_email(&world, &token, &user, "new@example.com").await.unwrap();
    world.run("UPDATE codes SET created_at = created_at - interval '61 seconds'").await;
    world.forget_events().await;
    world.resend("new@example.com", "").await;
    assert_eq!(world.events().await.len(), 3, "no resend reaches more of them");
}

/// [D-P1] [D-S1] [D-R13] Another's profile, an unconfirmed address, a frozen account: nothing changes.
#[sqlx::test(migrations = false)]
async fn who_may_not_changes_nothing(pool: PgPool) {
    let world = World::new(pool).await;
    let (ada, token) = world.member("ada@example.com").await;
    let (bob, bobs) = world.member("bob@example.com").await;
    let carol = world.register("carol@example.com").await;
    assert_eq!(update(&world, &token, &bob).await.unwrap_err().code, "NOT_FOUND");
    let image = |user: &User| UpdateImageRequest { user_id: user.id.clone(), image_key: "photos/x.webp".to_owned() };
    let foreign = world.grpc.update_image(with_token(image(&bob), &token)).await;
    assert_eq!(from_status(&foreign.unwrap_err()).code, "NOT_FOUND");
    assert_eq!(update(&world, &carol.token, &carol.user.unwrap()).await.unwrap_err().code, "EMAIL_NOT_VERIFIED");
    world.run("UPDATE users SET frozen_at = now() WHERE email = 'bob@example.com'").await;
    assert_eq!(update(&world, &bobs, &bob).await.unwrap_err().code, "ACCOUNT_FROZEN");
    assert_eq!(update(&world, "", &ada).await.unwrap_err().code, "UNAUTHENTICATED");
}

/// [API-17] [PROF-01] [D-V3] The photo's key is kept and answered, with the one it replaced, which then has no owner.
#[sqlx::test(migrations = false)]
async fn a_photo_is_kept(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    let request = UpdateImageRequest { user_id: user.id.clone(), image_key: "photos/x.webp".to_owned() };
    let updated = world.grpc.update_image(with_token(request.clone(), &token)).await.unwrap().into_inner();
    assert_eq!((updated.user.unwrap().image_key.as_str(), updated.replaced_image_key.as_str()), ("photos/x.webp", ""));
    // Repeated after a lost answer: the photo is not replaced by itself.
    let again = world.grpc.update_image(with_token(request.clone(), &token)).await.unwrap().into_inner();
    assert_eq!(again.replaced_image_key, "");
    let other = UpdateImageRequest { image_key: "photos/y.webp".to_owned(), ..request };
    let updated = world.grpc.update_image(with_token(other, &token)).await.unwrap().into_inner();
    assert_eq!(updated.replaced_image_key, "photos/x.webp");
    let keys = ["photos/x.webp", "photos/y.webp"].map(ToOwned::to_owned).to_vec();
    let credential = world.realm.service_token("gateway");
    let asked = world.grpc.list_owned_files(with_token(ListOwnedFilesRequest { keys }, &credential)).await;
    assert_eq!(asked.unwrap().into_inner().keys, ["photos/y.webp"]);
    let foreign = world.grpc.list_owned_files(with_token(ListOwnedFilesRequest { keys: Vec::new() }, &token)).await;
    assert_eq!(from_status(&foreign.unwrap_err()).code, "PERMISSION_DENIED");
    let request = UpdateImageRequest { user_id: user.id, image_key: String::new() };
    assert_eq!(
        from_status(&world.grpc.update_image(with_token(request, &token)).await.unwrap_err()).code,
        "VALIDATION_FAILED"
    );
}
