//! Changing details, address and photo.

use chassis::error::{Refusal, from_status};
use chassis::testing::with_token;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::{ForgotPasswordRequest, ResendCodeRequest, UpdateImageRequest, UpdateProfileRequest, User};
use proto::common::v1::ListOwnedFilesRequest;
use proto::common::v1::file_owner_service_server::FileOwnerService;
use sqlx::PgPool;
use tonic::Request;

use crate::fixture::{HOME, PASSWORD, World, said};

async fn update(world: &World, token: &str, user: &User) -> Result<User, Refusal> {
    let request = UpdateProfileRequest {
        user_id: user.id.clone(),
        name: user.name.clone(),
        email: user.email.clone(),
        phone: user.phone.clone(),
        country: user.country.clone(),
    };
    let answer = world.door.update_profile(with_token(request, token)).await;
    answer.map(|answer| answer.into_inner().user.unwrap()).map_err(|status| from_status(&status))
}

fn with_email(user: &User, email: &str) -> User {
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

/// [D-S12] The old address stays in force until the code sent to the new one is confirmed; both are told.
#[sqlx::test(migrations = false)]
async fn a_new_address_waits_for_its_code(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    world
        .door
        .forgot_password(Request::new(ForgotPasswordRequest { email: "ada@example.com".to_owned() }))
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
    assert_eq!(world.events().await, ["email_changed"]);
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
    let request = ResendCodeRequest { email: "ada@king.example".to_owned() };
    world.door.resend_code(Request::new(request)).await.unwrap();
    world.answer_mail_requests().await;
    assert_eq!(world.count("SELECT count(*) FROM codes WHERE purpose = 'email_change'").await, 2);
    let code = world.code("ada@king.example").await;
    let back = update(&world, &token, &user).await.unwrap();
    assert_eq!(back.pending_email, "");
    assert_eq!(world.verify("ada@king.example", &code).await.unwrap_err().code, "INVALID_CODE");
}

/// [D-S7] An address of another account is refused when it is asked for, and when it was taken meanwhile.
#[sqlx::test(migrations = false)]
async fn a_taken_address_is_refused_then_and_later(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    world.member("bob@example.com").await;
    let refused = update(&world, &token, &with_email(&user, "BOB@example.com")).await.unwrap_err();
    assert_eq!(refused.code, "EMAIL_TAKEN");
    assert!(said(&refused, "email").is_some());
    update(&world, &token, &with_email(&user, "carol@example.com")).await.unwrap();
    let code = world.code("carol@example.com").await;
    world.register("carol@example.com").await;
    assert_eq!(world.verify("carol@example.com", &code).await.unwrap_err().code, "EMAIL_TAKEN");
    world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
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
    let foreign = world.door.update_image(with_token(image(&bob), &token)).await;
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
    let updated = world.door.update_image(with_token(request.clone(), &token)).await.unwrap().into_inner();
    assert_eq!((updated.user.unwrap().image_key.as_str(), updated.replaced_image_key.as_str()), ("photos/x.webp", ""));
    // Repeated after a lost answer: the photo is not replaced by itself.
    let again = world.door.update_image(with_token(request.clone(), &token)).await.unwrap().into_inner();
    assert_eq!(again.replaced_image_key, "");
    let other = UpdateImageRequest { image_key: "photos/y.webp".to_owned(), ..request };
    let updated = world.door.update_image(with_token(other, &token)).await.unwrap().into_inner();
    assert_eq!(updated.replaced_image_key, "photos/x.webp");
    let keys = ["photos/x.webp", "photos/y.webp"].map(ToOwned::to_owned).to_vec();
    let credential = world.realm.credential("gateway").token().unwrap();
    let asked = world.door.list_owned_files(with_token(ListOwnedFilesRequest { keys }, &credential)).await;
    assert_eq!(asked.unwrap().into_inner().keys, ["photos/y.webp"]);
    let foreign = world.door.list_owned_files(with_token(ListOwnedFilesRequest { keys: Vec::new() }, &token)).await;
    assert_eq!(from_status(&foreign.unwrap_err()).code, "PERMISSION_DENIED");
    let request = UpdateImageRequest { user_id: user.id, image_key: String::new() };
    assert_eq!(
        from_status(&world.door.update_image(with_token(request, &token)).await.unwrap_err()).code,
        "VALIDATION_FAILED"
    );
}
