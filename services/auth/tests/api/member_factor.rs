//! The second factor of members: setting it up, logging in and working with it, recovery codes, removal.

use auth::app::SecondFactor;
use auth::app::staff::reset_factors::reset_next;
use chassis::audit;
use chassis::error::{Kind, Refusal, from_status};
use chassis::identity::Role;
use chassis::testing::with_token;
use prost::Message;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::directory_service_server::DirectoryService;
use proto::auth::v1::factor_service_server::FactorService;
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{
    BeginTotpRequest, ChangePasswordRequest, CheckSessionRequest, DisownActivityRequest, GetFactorsRequest,
    GetFactorsResponse, GetMemberRequest, GetSessionRequest, ProposeFactorResetRequest, RemoveTotpRequest,
    ReplaceRecoveryCodesRequest, SecondFactorChanged, StepUpRequest, UpdateProfileRequest, User,
};
use proto::common::v1::Proposal;
use sqlx::PgPool;

use crate::fixture::{ABROAD, HOME, PASSWORD, World, client, said};
use crate::second_factor::{code, wrong_code};

const EMAIL: &str = "ada@example.com";

struct Member {
    user: User,
    token: String,
    secret: String,
    recovery_codes: Vec<String>,
}

fn ends<T>(answer: Result<tonic::Response<T>, tonic::Status>) -> Result<T, Refusal> {
    answer.map(tonic::Response::into_inner).map_err(|status| from_status(&status))
}

impl World {
    pub async fn begin_by(&self, token: &str, password: &str) -> Result<String, Refusal> {
        let request = BeginTotpRequest { password: password.to_owned() };
        ends(FactorService::begin_totp(&self.grpc, with_token(request, token)).await).map(|answer| answer.secret)
    }

    async fn member_with_factor(&self) -> Member {
        let (user, token) = self.member(EMAIL).await;
        let secret = self.begin_by(&token, PASSWORD).await.unwrap();
        let recovery_codes = self.confirm(&token, &code(&secret, 0)).await.unwrap();
        Member { user, token, secret, recovery_codes }
    }

    async fn factors(&self, token: &str) -> Result<GetFactorsResponse, Refusal> {
        ends(self.grpc.get_factors(with_token(GetFactorsRequest {}, token)).await)
    }

    async fn remove(&self, token: &str) -> Result<(), Refusal> {
        ends(self.grpc.remove_totp(with_token(RemoveTotpRequest { client: Some(client(HOME)) }, token)).await)
            .map(|_| ())
    }

    async fn new_codes(&self, token: &str) -> Result<Vec<String>, Refusal> {
        let answer = self.grpc.replace_recovery_codes(with_token(ReplaceRecoveryCodesRequest::default(), token)).await;
        ends(answer).map(|answer| answer.recovery_codes)
    }

    async fn change_password_of(&self, member: &Member, new: &str) -> Result<(), Refusal> {
        let request = ChangePasswordRequest {
            user_id: member.user.id.clone(),
            old_password: PASSWORD.to_owned(),
            new_password: new.to_owned(),
        };
        ends(self.grpc.change_password(with_token(request, &member.token)).await).map(|_| ())
    }

    async fn rename(&self, member: &Member, name: &str, email: &str) -> Result<(), Refusal> {
        let request = UpdateProfileRequest {
            user_id: member.user.id.clone(),
            name: name.to_owned(),
            email: email.to_owned(),
            phone: "+44 20 7946 0000".to_owned(),
            country: "United Kingdom".to_owned(),
            current_password: PASSWORD.to_owned(),
        };
        ends(self.grpc.update_profile(with_token(request, &member.token)).await).map(|_| ())
    }

    /// What the owner receives, oldest first: the change and the recovery codes left.
    async fn notices(&self) -> Vec<(String, i32)> {
        let rows: Vec<Vec<u8>> =
            sqlx::query_scalar("SELECT payload FROM outbox WHERE key = 'auth.v1.second_factor_changed' ORDER BY id")
                .fetch_all(&self.pool)
                .await
                .unwrap();
        let events = rows.iter().map(|row| SecondFactorChanged::decode(row.as_slice()).unwrap());
        events.map(|event| (event.change, event.recovery_codes_left)).collect()
    }

    async fn let_the_factor_age(&self) {
        self.run("UPDATE sessions SET stepped_up_at = clock_timestamp() - interval '5 minutes'").await;
    }
}

/// [D-A3] [D-R19] A member sets up an authenticator by the password: nothing changes before its first code, no session ends,
/// the owner is mailed, and from then on a login takes a code.
#[sqlx::test(migrations = false)]
async fn a_member_sets_up_an_authenticator(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let (_, token) = world.member(EMAIL).await;
    let other = world.login(EMAIL, PASSWORD, HOME).await.unwrap().token;
    let missing = world.begin_by(&token, "").await.unwrap_err();
    assert_eq!((missing.code.as_str(), said(&missing, "password").is_some()), ("VALIDATION_FAILED", true));
    let wrong = world.begin_by(&token, "wrong horse battery").await.unwrap_err();
    assert_eq!((wrong.code.as_str(), said(&wrong, "password")), ("WRONG_PASSWORD", Some("This password is wrong")));
    assert_eq!(world.confirm(&token, "123456").await.unwrap_err().code, "NOT_FOUND", "begin first");
    world.forget_events().await;

    let secret = world.begin_by(&token, PASSWORD).await.unwrap();
    let begun = world.factors(&token).await.unwrap();
    assert!(!begun.totp_enrolled && !begun.totp_required && begun.recovery_codes_left == 0);
    world.login(EMAIL, PASSWORD, HOME).await.unwrap();
    assert_eq!(world.confirm(&token, &wrong_code(&secret)).await.unwrap_err().code, "INVALID_CODE");
    assert_eq!(world.events().await, Vec::<String>::new(), "begun is not set up");
    let codes = world.confirm(&token, &code(&secret, 0)).await.unwrap();
    assert_eq!(codes.len(), 10);
    assert_eq!(world.notices().await, [("authenticator_added".to_owned(), 10)]);
    assert!(!world.events().await.contains(&"session_ended".to_owned()));
    world.grpc.check_session(with_token(CheckSessionRequest::default(), &other)).await.unwrap();
    let factors = world.factors(&token).await.unwrap();
    assert!(factors.totp_enrolled && factors.stepped_up_until.is_some() && factors.recovery_codes_left == 10);
    let (told, elsewhere) = (world.told(&token).await, world.told(&other).await);
    assert!(told.has_second_factor && told.is_stepped_up && told.stepped_up_at.is_some() && !told.must_enrol_totp);
    assert!(elsewhere.has_second_factor && !elsewhere.is_stepped_up, "a factor is given in one session");

    let refused = world.login(EMAIL, PASSWORD, HOME).await.unwrap_err();
    assert_eq!((refused.kind, refused.code.as_str()), (Kind::Unauthenticated, "TOTP_REQUIRED"));
    let refused = world.login_with(EMAIL, PASSWORD, &wrong_code(&secret), HOME).await.unwrap_err();
    assert_eq!((refused.code.as_str(), said(&refused, "totp").is_some()), ("INVALID_CODE", true));
    let signed_in = world.login_with(EMAIL, PASSWORD, &code(&secret, 1), ABROAD).await.unwrap();
    assert!(world.told(&signed_in.token).await.is_stepped_up, "a code was just given");
    assert_eq!(world.count("SELECT count(*) FROM audit_rows").await, 0, "the trail is of staff");
}

/// [D-A3] [D-R19] A recovery code logs in in place of the authenticator, once, and its owner learns how many are left.
#[sqlx::test(migrations = false)]
async fn a_recovery_code_signs_a_member_in_once(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let member = world.member_with_factor().await;
    let [first, second] = [&member.recovery_codes[0], &member.recovery_codes[1]];
    world.login_with(EMAIL, PASSWORD, &first.to_lowercase(), HOME).await.unwrap();
    assert_eq!(world.login_with(EMAIL, PASSWORD, first, HOME).await.unwrap_err().code, "INVALID_CODE");
    let request = StepUpRequest { recovery_code: second.clone(), ..Default::default() };
    ends(FactorService::step_up(&world.grpc, with_token(request, &member.token)).await).unwrap();
    let request = StepUpRequest { recovery_code: second.clone(), ..Default::default() };
    let refused = ends(FactorService::step_up(&world.grpc, with_token(request, &member.token)).await).unwrap_err();
    assert_eq!((refused.code.as_str(), said(&refused, "recoveryCode").is_some()), ("INVALID_CODE", true));
    assert_eq!(world.factors(&member.token).await.unwrap().recovery_codes_left, 8);
    let used = "recovery_code_used".to_owned();
    assert_eq!(world.notices().await[1..], [(used.clone(), 9), (used, 8)]);

    let codes = world.new_codes(&member.token).await.unwrap();
    assert_eq!(codes.len(), 10);
    assert!(world.login_with(EMAIL, PASSWORD, &member.recovery_codes[2], HOME).await.is_err(), "the codes before");
    world.login_with(EMAIL, PASSWORD, &codes[0], HOME).await.unwrap();
    world.let_the_factor_age().await;
    assert_eq!(world.new_codes(&member.token).await.unwrap_err().code, "STEP_UP_REQUIRED");
}

/// [D-A3] [D-A1] Anyone who has a factor gives it again, at most five minutes before, for another email, another password and
/// the factors themselves; not for the name. Who has none is asked for nothing.
#[sqlx::test(migrations = false)]
async fn delicate_changes_take_a_fresh_factor(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let (user, token) = world.member("bob@example.com").await;
    let plain = Member { user, token, secret: String::new(), recovery_codes: Vec::new() };
    world.change_password_of(&plain, "another horse battery").await.unwrap();
    assert!(!world.told(&plain.token).await.has_second_factor);

    let member = world.member_with_factor().await;
    world.let_the_factor_age().await;
    world.rename(&member, "Ada Byron", EMAIL).await.unwrap();
    let pending = world.begin_by(&member.token, PASSWORD).await;
    assert_eq!(pending.unwrap_err().code, "STEP_UP_REQUIRED", "the password does not stand in for the factor");
    assert_eq!(world.rename(&member, "Ada", "new@example.com").await.unwrap_err().code, "STEP_UP_REQUIRED");
    assert_eq!(world.count("SELECT count(*) FROM users WHERE pending_email IS NOT NULL OR name = 'Ada'").await, 0);
    let refused = world.change_password_of(&member, "another horse battery").await.unwrap_err();
    assert_eq!((refused.kind, refused.code.as_str()), (Kind::Forbidden, "STEP_UP_REQUIRED"));
    assert_eq!(world.remove(&member.token).await.unwrap_err().code, "STEP_UP_REQUIRED");

    world.step_up(&member.token, &code(&member.secret, 1)).await.unwrap();
    world.change_password_of(&member, "another horse battery").await.unwrap();
    world.remove(&member.token).await.unwrap();
    assert_eq!(world.notices().await.last().unwrap(), &("authenticator_removed".to_owned(), 0));
    assert_eq!(world.remove(&member.token).await.unwrap_err().code, "NOT_FOUND");
    world.login(EMAIL, "another horse battery", HOME).await.unwrap();
    assert_eq!(world.step_up(&member.token, "123456").await.unwrap_err().code, "TOTP_ENROLMENT_REQUIRED");
}

/// [D-A3] [D-R13] Unverified and frozen members change no factor; staff who need one keep it.
#[sqlx::test(migrations = false)]
async fn factors_are_not_changed_by_everybody(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let unverified = world.register("bob@example.com").await.token;
    assert_eq!(world.factors(&unverified).await.unwrap_err().code, "EMAIL_NOT_VERIFIED");
    assert_eq!(world.begin_by(&unverified, PASSWORD).await.unwrap_err().code, "EMAIL_NOT_VERIFIED");
    let member = world.member_with_factor().await;
    world.run("UPDATE users SET frozen_at = clock_timestamp()").await;
    assert!(world.factors(&member.token).await.unwrap().totp_enrolled);
    assert_eq!(world.remove(&member.token).await.unwrap_err().code, "ACCOUNT_FROZEN");
    assert_eq!(world.new_codes(&member.token).await.unwrap_err().code, "ACCOUNT_FROZEN");
    world.run("UPDATE users SET frozen_at = NULL").await;
    let holder = world.enrolled("rae", Role::Reviewer).await;
    assert_eq!(world.remove(&holder.token).await.unwrap_err().code, "PERMISSION_DENIED");
}

impl World {
    async fn propose_reset(&self, token: &str, user_id: &str, note: &str) -> Result<Proposal, Refusal> {
        let request =
            ProposeFactorResetRequest { user_id: user_id.to_owned(), note: note.to_owned(), ..Default::default() };
        ends(self.grpc.propose_factor_reset(with_token(request, token)).await).map(|answer| answer.proposal.unwrap())
    }

    /// Whether staff see a factor of the member, and whether they see when it is removed.
    async fn seen(&self, token: &str, user_id: &str) -> (bool, bool) {
        let request = GetMemberRequest { user_id: user_id.to_owned() };
        let member = ends(self.grpc.get_member(with_token(request, token)).await).unwrap();
        (member.has_second_factor, member.factor_reset_at.is_some())
    }
}

/// [D-A3] Lost factors are removed by two reviewers and 72 hours: not by one, not by an admin, not before; then every session
/// ends, the password logs in, and the member was mailed both times.
#[sqlx::test(migrations = false)]
async fn lost_factors_are_removed_by_two_people_and_72_hours(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, two) = (world.staff(Role::Reviewer).await.1, world.staff_named("second", Role::Reviewer).await.1);
    let admin = world.staff(Role::Admin).await.1;
    let (plain, _) = world.member("bob@example.com").await;
    let member = world.member_with_factor().await;
    assert_eq!(world.propose_reset(&one, &plain.id, "Passport seen").await.unwrap_err().code, "NOT_FOUND");
    assert_eq!(
        world.propose_reset(&admin, &member.user.id, "Passport seen").await.unwrap_err().code,
        "PERMISSION_DENIED"
    );
    let missing = world.propose_reset(&one, &member.user.id, " ").await.unwrap_err();
    assert_eq!((missing.code.as_str(), said(&missing, "note").is_some()), ("VALIDATION_FAILED", true));
    let proposal = world.propose_reset(&one, &member.user.id, "Video call, passport seen").await.unwrap();
    assert_eq!((proposal.kind.as_str(), proposal.permission.as_str()), ("factors.reset", "resetFactors"));
    assert_eq!(world.confirm_proposal(&one, &proposal.id).await.unwrap_err().code, "SELF_CONFIRMATION");
    assert_eq!(world.confirm_proposal(&admin, &proposal.id).await.unwrap_err().code, "PERMISSION_DENIED");
    assert_eq!(world.seen(&one, &member.user.id).await, (true, false));
    world.confirm_proposal(&two, &proposal.id).await.unwrap();
    assert_eq!(world.seen(&one, &member.user.id).await, (true, true));
    let again = world.propose_reset(&one, &member.user.id, "Again").await.unwrap();
    assert_eq!(world.confirm_proposal(&two, &again.id).await.unwrap_err().code, "STALE_REVISION", "agreed already");
    let hours = "SELECT round(extract(epoch FROM due_at - clock_timestamp()) / 3600)::bigint FROM factor_resets";
    assert_eq!(world.count(hours).await, 72);

    world.run("UPDATE factor_resets SET due_at = clock_timestamp() + interval '1 minute'").await;
    assert!(!reset_next(&world.app).await.unwrap(), "not before its time");
    assert_eq!(world.login(EMAIL, PASSWORD, HOME).await.unwrap_err().code, "TOTP_REQUIRED");
    world.run("UPDATE factor_resets SET due_at = clock_timestamp()").await;
    assert!(reset_next(&world.app).await.unwrap());
    assert!(!reset_next(&world.app).await.unwrap(), "once");
    assert!(world.grpc.check_session(with_token(CheckSessionRequest::default(), &member.token)).await.is_err());
    world.login(EMAIL, PASSWORD, HOME).await.unwrap();
    assert_eq!(world.seen(&one, &member.user.id).await, (false, false));
    let told: Vec<_> = world.notices().await.into_iter().map(|(change, _)| change).collect();
    assert_eq!(told, ["authenticator_added", "reset_scheduled", "removed_by_staff"]);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'member.factors_removed'").await, 1);
    assert_eq!(audit::broken_at(&mut *world.db().conn().await.unwrap()).await.unwrap(), None);
}

/// [D-A3] Anyone who uses a factor has not lost it: that calls the removal off, and the owner is notified.
#[sqlx::test(migrations = false)]
async fn a_used_factor_calls_the_removal_off(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, two) = (world.staff(Role::Reviewer).await.1, world.staff_named("second", Role::Reviewer).await.1);
    let member = world.member_with_factor().await;
    world.run("UPDATE authenticators SET confirmed_at = confirmed_at - interval '25 hours'").await;
    let proposal = world.propose_reset(&one, &member.user.id, "A voice on the phone").await.unwrap();
    world.confirm_proposal(&two, &proposal.id).await.unwrap();
    let wrong = wrong_code(&member.secret);
    assert!(world.login_with(EMAIL, PASSWORD, &wrong, HOME).await.is_err());
    assert_eq!(world.seen(&one, &member.user.id).await, (true, true), "a wrong code proves nothing");
    world.login_with(EMAIL, PASSWORD, &code(&member.secret, 1), HOME).await.unwrap();
    assert_eq!(world.seen(&one, &member.user.id).await, (true, false));
    assert!(!reset_next(&world.app).await.unwrap());
    assert_eq!(world.notices().await.last().unwrap().0, "reset_called_off");
    let off = "SELECT count(*) FROM audit_rows WHERE action = 'member.factor_reset_called_off'";
    assert_eq!(world.count(off).await, 1);
}

/// [D-M10] A factor that was set up within a day before the removal was agreed on may be a thief's: it keeps nobody out, however
/// old it is by now. Nor does any factor of a frozen account.
#[sqlx::test(migrations = false)]
async fn a_young_factor_calls_no_removal_off(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, two) = (world.staff(Role::Reviewer).await.1, world.staff_named("second", Role::Reviewer).await.1);
    let member = world.member_with_factor().await;
    let proposal = world.propose_reset(&one, &member.user.id, "Video call, passport seen").await.unwrap();
    world.confirm_proposal(&two, &proposal.id).await.unwrap();
    world.login_with(EMAIL, PASSWORD, &code(&member.secret, 1), HOME).await.unwrap();
    assert_eq!(world.seen(&one, &member.user.id).await, (true, true));
    world.run("UPDATE authenticators SET confirmed_at = confirmed_at - interval '48 hours', last_step = 0").await;
    world.run("UPDATE factor_resets SET due_at = due_at - interval '48 hours'").await;
    world.login_with(EMAIL, PASSWORD, &code(&member.secret, 1), HOME).await.unwrap();
    assert_eq!(world.seen(&one, &member.user.id).await, (true, true), "it was young when it was agreed on");
    world.run("UPDATE authenticators SET confirmed_at = confirmed_at - interval '48 hours', last_step = 0").await;
    world.run("UPDATE users SET frozen_at = clock_timestamp() WHERE role IS NULL").await;
    world.login_with(EMAIL, PASSWORD, &code(&member.secret, 1), HOME).await.unwrap();
    assert_eq!(world.seen(&one, &member.user.id).await, (true, true), "frozen");
    world.run("UPDATE users SET frozen_at = NULL").await;
    world.run("UPDATE authenticators SET last_step = 0").await;
    world.login_with(EMAIL, PASSWORD, &code(&member.secret, 1), HOME).await.unwrap();
    assert_eq!(world.seen(&one, &member.user.id).await, (true, false));
}

/// [D-M10] A factor confirms payout destinations once it is a day old, and not while the account is frozen: the same for an
/// authenticator and its recovery codes.
#[sqlx::test(migrations = false)]
async fn a_young_factor_proves_nothing(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with_factor().await;
    let proven = async || {
        world.run("UPDATE authenticators SET last_step = 0").await;
        world.step_up(&member.token, &code(&member.secret, 1)).await.unwrap();
        let id: uuid::Uuid = sqlx::query_scalar("SELECT id FROM sessions").fetch_one(&world.pool).await.unwrap();
        let request = GetSessionRequest { session_id: id.to_string() };
        let wallet = world.realm.service_token("wallet");
        let session = world.grpc.get_session(with_token(request, &wallet)).await.unwrap().into_inner();
        assert!(session.is_stepped_up && session.has_second_factor);
        session.is_factor_proven
    };
    assert!(!proven().await);
    world.run("UPDATE authenticators SET confirmed_at = confirmed_at - interval '23 hours'").await;
    assert!(!proven().await);
    world.run("UPDATE authenticators SET confirmed_at = confirmed_at - interval '1 hour'").await;
    assert!(proven().await);
    world.run("UPDATE users SET frozen_at = clock_timestamp()").await;
    assert!(!proven().await);
}

/// [D-M10] Recovery codes that a thief made are taken back, although the authenticator is the owner's.
#[sqlx::test(migrations = false)]
async fn young_recovery_codes_are_disowned(pool: PgPool) {
    let world = World::new(pool).await;
    let one = world.staff(Role::Reviewer).await.1;
    let member = world.member_with_factor().await;
    world.run("UPDATE authenticators SET confirmed_at = confirmed_at - interval '80 hours'").await;
    world.new_codes(&member.token).await.unwrap();
    let link = "SELECT id FROM security_links ORDER BY created_at DESC LIMIT 1";
    let link: uuid::Uuid = sqlx::query_scalar(link).fetch_one(&world.pool).await.unwrap();
    let token = world.app.secrets.security_token(link.into());
    ends(world.grpc.disown_activity(world.realm.visitor(DisownActivityRequest { token })).await).unwrap();
    assert_eq!(world.seen(&one, &member.user.id).await, (true, false));
    assert_eq!(world.count("SELECT count(*) FROM recovery_codes").await, 0);
}

/// [D-A6] The mail about a change of factors holds the link "This was not me": it takes the new factor back, ends every
/// session and the password, and calls off the removal of lost factors.
#[sqlx::test(migrations = false)]
async fn a_change_of_factors_is_disowned_by_its_mail(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, two) = (world.staff(Role::Reviewer).await.1, world.staff_named("second", Role::Reviewer).await.1);
    let member = world.member_with_factor().await;
    let proposal = world.propose_reset(&one, &member.user.id, "A voice on the phone").await.unwrap();
    world.confirm_proposal(&two, &proposal.id).await.unwrap();
    let rows: Vec<Vec<u8>> =
        sqlx::query_scalar("SELECT payload FROM outbox WHERE key = 'auth.v1.second_factor_changed' ORDER BY id")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    let events: Vec<_> = rows.iter().map(|row| SecondFactorChanged::decode(row.as_slice()).unwrap()).collect();
    assert_eq!(events.len(), 2);
    let references: Vec<uuid::Uuid> = events.iter().map(|event| event.link_reference.parse().unwrap()).collect();
    let token = world.app.secrets.security_token(references[0].into());
    ends(world.grpc.disown_activity(world.realm.visitor(DisownActivityRequest { token })).await).unwrap();
    assert!(world.grpc.check_session(with_token(CheckSessionRequest::default(), &member.token)).await.is_err());
    assert_eq!(world.login(EMAIL, PASSWORD, HOME).await.unwrap_err().code, "INVALID_CREDENTIALS");
    assert_eq!(world.seen(&one, &member.user.id).await, (false, false), "no factor, and no removal");
    assert_eq!(world.count("SELECT count(*) FROM recovery_codes").await, 0);
    let stopped = "SELECT count(*) FROM payout_safeguards WHERE stopped_at IS NOT NULL";
    assert_eq!(world.count(stopped).await, 1);
}
