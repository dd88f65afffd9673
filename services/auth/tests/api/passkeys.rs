//! Passkeys of members and staff: adding, logging in, stepping up, removing, and losing them.

mod kept;

use auth::app::SecondFactor;
use chassis::error::{Refusal, from_status};
use chassis::testing::{SERVICE, with_token};
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::factor_service_server::FactorService;
use proto::auth::v1::{
    BeginPasskeyLoginRequest, BeginPasskeyRequest, BeginStepUpRequest, CheckSessionRequest, DisownActivityRequest,
    FinishPasskeyRequest, FinishPasskeyResponse, ListPasskeysRequest, LoginByPasskeyRequest, LoginByPasskeyResponse,
    Passkey, RemovePasskeyRequest, StepUpRequest, User,
};
use sqlx::PgPool;
use uuid::Uuid;

use crate::activity::until_there_are;
use crate::authenticator::Authenticator;
use crate::fixture::{ABROAD, HOME, PASSWORD, World, client, said};

const EMAIL: &str = "ada@example.com";

fn ends<T>(answer: Result<tonic::Response<T>, tonic::Status>) -> Result<T, Refusal> {
    answer.map(tonic::Response::into_inner).map_err(|status| from_status(&status))
}

/// A member with a passkey.
struct Owner {
    user: User,
    token: String,
    device: Authenticator,
    recovery_codes: Vec<String>,
}

impl World {
    async fn begin_passkey(&self, token: &str, password: &str) -> Result<String, Refusal> {
        let request = BeginPasskeyRequest { password: password.to_owned() };
        ends(self.grpc.begin_passkey(with_token(request, token)).await).map(|answer| answer.options)
    }

    async fn finish_passkey(&self, token: &str, credential: &str) -> Result<FinishPasskeyResponse, Refusal> {
        let credential = credential.to_owned();
        let request = FinishPasskeyRequest { credential, name: " My  phone ".to_owned(), client: Some(client(HOME)) };
        ends(self.grpc.finish_passkey(with_token(request, token)).await)
    }

    pub async fn add_passkey(&self, token: &str, password: &str) -> (Authenticator, FinishPasskeyResponse) {
        let (device, credential) = Authenticator::create(&self.begin_passkey(token, password).await.unwrap());
        (device, self.finish_passkey(token, &credential).await.unwrap())
    }

    async fn owner(&self) -> Owner {
        let (user, token) = self.member(EMAIL).await;
        let (device, added) = self.add_passkey(&token, PASSWORD).await;
        Owner { user, token, device, recovery_codes: added.recovery_codes }
    }

    async fn passkeys(&self, token: &str) -> Vec<Passkey> {
        ends(self.grpc.list_passkeys(with_token(ListPasskeysRequest {}, token)).await).unwrap().passkeys
    }

    async fn sign_in_options(&self) -> String {
        let answer = self.grpc.begin_passkey_login(self.realm.visitor(BeginPasskeyLoginRequest {})).await;
        ends(answer).unwrap().options
    }

    async fn sign_in(&self, credential: &str, address: &str) -> Result<LoginByPasskeyResponse, Refusal> {
        let request = LoginByPasskeyRequest { credential: credential.to_owned(), client: Some(client(address)) };
        let signed_in = ends(self.grpc.login_by_passkey(self.realm.visitor(request)).await)?;
        Ok(LoginByPasskeyResponse { token: self.realm.shown_to(SERVICE, &signed_in.token), ..signed_in })
    }

    async fn signs_in(&self, device: &mut Authenticator) -> Result<LoginByPasskeyResponse, Refusal> {
        device.sign_count += 1;
        let credential = device.sign(&self.sign_in_options().await);
        self.sign_in(&credential, HOME).await
    }

    async fn step_up_options(&self, token: &str) -> Result<String, Refusal> {
        self.decision_options(token, &[]).await
    }

    pub async fn decision_options(&self, token: &str, digest: &[u8]) -> Result<String, Refusal> {
        let request = BeginStepUpRequest { digest: digest.to_vec() };
        ends(self.grpc.begin_step_up(with_token(request, token)).await).map(|answer| answer.options)
    }

    pub async fn step_up_by(&self, token: &str, credential: &str) -> Result<(), Refusal> {
        let request =
            StepUpRequest { passkey: credential.to_owned(), client: Some(client(HOME)), ..Default::default() };
        ends(FactorService::step_up(&self.grpc, with_token(request, token)).await).map(|_| ())
    }

    async fn remove_passkey(&self, token: &str, id: &str) -> Result<(), Refusal> {
        let request = RemovePasskeyRequest { passkey_id: id.to_owned(), client: Some(client(HOME)) };
        ends(self.grpc.remove_passkey(with_token(request, token)).await).map(|_| ())
    }

    async fn let_step_ups_age(&self) {
        self.run("UPDATE sessions SET stepped_up_at = clock_timestamp() - interval '5 minutes'").await;
    }
}

/// [D-A3] A member without a factor adds a passkey by the password. It gets a name, recovery codes and a mail, ends no
/// session, and is a fresh second factor from then on.
#[sqlx::test(migrations = false)]
async fn a_member_adds_a_passkey(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let (_, token) = world.member(EMAIL).await;
    let other = world.login(EMAIL, PASSWORD, HOME).await.unwrap().token;
    let missing = world.begin_passkey(&token, "").await.unwrap_err();
    assert_eq!((missing.code.as_str(), said(&missing, "password").is_some()), ("VALIDATION_FAILED", true));
    let wrong = world.begin_passkey(&token, "wrong horse battery").await.unwrap_err();
    assert_eq!((wrong.code.as_str(), said(&wrong, "password")), ("WRONG_PASSWORD", Some("This password is wrong")));
    world.forget_events().await;
    let (_, added) = world.add_passkey(&token, PASSWORD).await;
    assert_eq!((added.passkey.unwrap().name.as_str(), added.recovery_codes.len()), ("My phone", 10));
    assert_eq!(world.events().await, ["second_factor_changed"]);
    assert_eq!(world.count("SELECT count(*) FROM payout_safeguards WHERE not_before > clock_timestamp()").await, 1);
    world.grpc.check_session(with_token(CheckSessionRequest::default(), &other)).await.unwrap();
    let (told, elsewhere) = (world.told(&token).await, world.told(&other).await);
    assert!(told.has_second_factor && told.is_stepped_up && elsewhere.has_second_factor && !elsewhere.is_stepped_up);
    let listed = world.passkeys(&token).await;
    assert!(listed.len() == 1 && listed[0].last_used_at.is_none() && listed[0].created_at.is_some());
    assert_eq!(world.begin_passkey(&other, PASSWORD).await.unwrap_err().code, "STEP_UP_REQUIRED");
    let (_, second) = world.add_passkey(&token, "").await;
    assert!(second.recovery_codes.is_empty(), "the first ones stay");
}

/// [D-A3] A passkey alone logs in, as a second factor given now; the password alone does not any more. A recovery code
/// still stands in.
#[sqlx::test(migrations = false)]
async fn a_passkey_signs_in(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let mut owner = world.owner().await;
    assert_eq!(world.login(EMAIL, PASSWORD, HOME).await.unwrap_err().code, "PASSKEY_REQUIRED");
    assert_eq!(world.login(EMAIL, "wrong horse battery", HOME).await.unwrap_err().code, "INVALID_CREDENTIALS");
    assert_eq!(world.login_with(EMAIL, PASSWORD, "123456", HOME).await.unwrap_err().code, "INVALID_CODE");
    world.login_with(EMAIL, PASSWORD, &owner.recovery_codes[0], HOME).await.unwrap();
    let signed_in = world.signs_in(&mut owner.device).await.unwrap();
    assert_eq!(signed_in.user.unwrap().id, owner.user.id);
    let told = world.told(&signed_in.token).await;
    assert!(told.is_stepped_up && told.has_second_factor);
    assert!(world.passkeys(&owner.token).await[0].last_used_at.is_some());
    let events = "SELECT count(*) FROM security_events WHERE kind = 'sign_in' AND NOT refused";
    let before = world.count(events).await;
    world.signs_in(&mut owner.device).await.unwrap();
    assert_eq!(world.count(events).await, before + 1);
}

/// [D-A3] [D-A9] An answer logs in once, within five minutes, for this site, with its user verified, for the account whose
/// passkey it is; anything else opens nothing and is noted.
#[sqlx::test(migrations = false)]
async fn only_a_right_answer_signs_in(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let Owner { mut device, user, token, .. } = world.owner().await;
    let (stranger, _) = world.member("eve@example.com").await;
    let refused = async |credential: &str, why: &str| {
        assert_eq!(world.sign_in(credential, HOME).await.unwrap_err().code, "PASSKEY_REFUSED", "{why}");
    };
    let options = world.sign_in_options().await;
    device.sign_count = 1;
    let credential = device.sign(&options);
    world.sign_in(&credential, HOME).await.unwrap();
    device.sign_count = 2;
    refused(&credential, "the same answer again").await;
    refused(&device.sign(&options), "another answer to a used challenge").await;
    refused(&device.sign(&world.step_up_options(&token).await.unwrap()), "a challenge of a step-up").await;
    refused(&device.sign(&world.begin_passkey(&token, "").await.unwrap()), "a challenge of a registration").await;
    refused(&device.sign(r#"{"challenge":"AAECAwQFBgcICQoLDA0ODw"}"#), "a challenge of nobody").await;

    let honest = (device.origin.clone(), device.site.clone());
    device.origin = "https://so1vane.test".to_owned();
    refused(&device.sign(&world.sign_in_options().await), "another origin").await;
    device.origin.clone_from(&honest.0);
    device.site = "so1vane.test".to_owned();
    refused(&device.sign(&world.sign_in_options().await), "another site").await;
    device.site.clone_from(&honest.1);
    device.verifies_user = false;
    refused(&device.sign(&world.sign_in_options().await), "user not verified").await;
    device.verifies_user = true;
    device.belongs_to(&stranger.id);
    refused(&device.sign(&world.sign_in_options().await), "another account").await;
    device.belongs_to(&user.id);
    let (mut unknown, _) = Authenticator::create(&world.begin_passkey(&token, "").await.unwrap());
    refused(&unknown.sign(&world.sign_in_options().await), "an unknown passkey").await;
    let broken = device.sign(&world.sign_in_options().await).replace("\"signature\":\"M", "\"signature\":\"N");
    refused(&broken, "a broken signature").await;

    world.signs_in(&mut device).await.unwrap();
    let refusals = "SELECT count(*) FROM security_events WHERE kind = 'sign_in' AND refused";
    until_there_are(&world, 10).await;
    assert_eq!(world.count(refusals).await, 10, "all but that of an unknown passkey");
}

/// [D-A3] A challenge that is older than five minutes is worth nothing.
#[sqlx::test(migrations = false)]
async fn a_challenge_ages(pool: PgPool) {
    use auth::domain::passkey::{CHALLENGE_LIFE, Ceremony};
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    let world = World::with(pool, SecondFactor::Required).await;
    let mut owner = world.owner().await;
    let now = chassis::clock::now(&mut world.db().conn().await.unwrap()).await.unwrap();
    for (age, signs_in) in [(CHALLENGE_LIFE, false), (CHALLENGE_LIFE / 2, true)] {
        let challenge = world.app.secrets.challenge(Uuid::new_v4(), Ceremony::SignIn, now - age);
        owner.device.sign_count += 1;
        let options = format!(r#"{{"challenge":"{}"}}"#, URL_SAFE_NO_PAD.encode(challenge));
        assert_eq!(world.sign_in(&owner.device.sign(&options), HOME).await.is_ok(), signs_in, "{age}");
    }
}

/// [D-A3] A counter that does not grow means a copy: it is refused. One that never counts is taken.
#[sqlx::test(migrations = false)]
async fn a_copied_passkey_is_refused(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let mut owner = world.owner().await;
    for _ in 0..2 {
        let credential = owner.device.sign(&world.sign_in_options().await);
        world.sign_in(&credential, HOME).await.unwrap();
    }
    owner.device.sign_count = 7;
    let sign = async |device: &mut Authenticator| {
        let credential = device.sign(&world.sign_in_options().await);
        world.sign_in(&credential, HOME).await.map(|_| ()).map_err(|refusal| refusal.code)
    };
    sign(&mut owner.device).await.unwrap();
    for lower in [7, 6, 0] {
        owner.device.sign_count = lower;
        assert_eq!(sign(&mut owner.device).await, Err("PASSKEY_REFUSED".to_owned()), "{lower}");
    }
    owner.device.sign_count = 8;
    sign(&mut owner.device).await.unwrap();
}

/// [D-A3] A passkey steps a session up: that session, once, and by a passkey of its account.
#[sqlx::test(migrations = false)]
async fn a_passkey_steps_up(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let mut owner = world.owner().await;
    let other = world.signs_in(&mut owner.device).await.unwrap().token;
    world.let_step_ups_age().await;
    assert!(!world.told(&owner.token).await.is_stepped_up);
    let options = world.step_up_options(&owner.token).await.unwrap();
    assert!(options.contains("allowCredentials") && options.contains("internal"), "{options}");
    owner.device.sign_count += 1;
    let credential = owner.device.sign(&options);
    assert_eq!(world.step_up_by(&other, &credential).await.unwrap_err().code, "PASSKEY_REFUSED", "another session");
    let sign_in = owner.device.sign(&world.sign_in_options().await);
    assert_eq!(world.step_up_by(&owner.token, &sign_in).await.unwrap_err().code, "PASSKEY_REFUSED", "another purpose");
    world.step_up_by(&owner.token, &credential).await.unwrap();
    assert!(world.told(&owner.token).await.is_stepped_up && !world.told(&other).await.is_stepped_up);
    assert_eq!(world.step_up_by(&owner.token, &credential).await.unwrap_err().code, "PASSKEY_REFUSED", "again");
    let (_, plain) = world.member("eve@example.com").await;
    assert_eq!(world.step_up_options(&plain).await.unwrap_err().code, "NOT_FOUND");
    assert_eq!(world.step_up_by(&plain, &credential).await.unwrap_err().code, "PASSKEY_REFUSED");
}

/// [D-A9] Refused passkeys in a session are slowed down and lock the factor, as wrong codes do.
#[sqlx::test(migrations = false)]
async fn refused_passkeys_are_throttled(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let mut owner = world.owner().await;
    let wrong = owner.device.sign(&world.sign_in_options().await);
    let mut codes = Vec::new();
    for _ in 0..7 {
        codes.push(world.step_up_by(&owner.token, &wrong).await.unwrap_err().code);
        world.hold_delays().await;
    }
    assert_eq!(codes[..5], ["PASSKEY_REFUSED"; 5]);
    assert_eq!(codes[6], "TOO_MANY_REQUESTS");
    world.signs_in(&mut owner.device).await.unwrap();
    let events = "SELECT count(*) FROM security_events WHERE kind = 'step_up' AND refused";
    assert!(world.count(events).await >= 5);
}

/// [D-A6] "This was not me" takes away passkeys and authenticators that are younger than the link may be: a passkey alone
/// would log in again. Older ones stay.
#[sqlx::test(migrations = false)]
async fn disowned_passkeys_sign_in_no_more(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let mut owner = world.owner().await;
    world.run("UPDATE passkeys SET created_at = created_at - interval '73 hours'").await;
    world.run("UPDATE recovery_codes SET created_at = created_at - interval '73 hours'").await;
    let (mut thief, _) = world.add_passkey(&owner.token, "").await;
    owner.device.sign_count += 1;
    let credential = owner.device.sign(&world.sign_in_options().await);
    world.sign_in(&credential, ABROAD).await.unwrap();
    let newest = "SELECT id FROM security_links WHERE purpose = 'not_me' ORDER BY created_at DESC LIMIT 1";
    let link: Uuid = sqlx::query_scalar(newest).fetch_one(&world.pool).await.unwrap();
    let token = world.app.secrets.security_token(link.into());
    ends(world.grpc.disown_activity(world.realm.visitor(DisownActivityRequest { token })).await).unwrap();
    assert_eq!(world.signs_in(&mut thief).await.unwrap_err().code, "PASSKEY_REFUSED");
    world.signs_in(&mut owner.device).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM recovery_codes").await, 10);
}
