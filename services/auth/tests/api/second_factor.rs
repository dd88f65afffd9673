//! The second factor of staff, and what it shares with that of members: enrolment, login, recovery, step-up.

use auth::app::SecondFactor;
use auth::app::factor::reset_totp::reset_totp;
use auth::app::staff::add_staff::{NewStaff, add_staff};
use chassis::audit;
use chassis::error::{Kind, Refusal, from_status};
use chassis::identity::Role;
use chassis::testing::with_token;
use futures::future::join_all;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::directory_service_server::DirectoryService;
use proto::auth::v1::factor_service_server::FactorService;
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{
    BeginTotpRequest, CheckSessionRequest, ConfirmTotpRequest, FreezeMemberRequest, GetMeRequest, GetMeResponse,
    GetSessionRequest, GetSessionResponse, ListMembersRequest, ListSessionsRequest, StepUpRequest,
    UnfreezeMemberRequest,
};
use sqlx::PgPool;
use time::OffsetDateTime;
use totp_rs::{Builder, Secret};
use uuid::Uuid;

use crate::fixture::{HOME, PASSWORD, World, client, refusal, said};

/// Somebody of the staff with an authenticator.
pub struct Holder {
    email: String,
    pub token: String,
    pub secret: String,
    recovery_codes: Vec<String>,
}

impl World {
    async fn required(pool: PgPool) -> Self {
        Self::with(pool, SecondFactor::Required).await
    }

    /// A fresh account that logged in by its password.
    async fn newcomer(&self, name: &str, role: Role) -> (String, String) {
        let email = format!("{name}@solvane.test");
        let new = NewStaff { name, email: &email, role, password: PASSWORD };
        add_staff(self.db(), &self.app.hasher, &new).await.unwrap();
        let token = self.login(&email, PASSWORD, HOME).await.unwrap().token;
        (email, token)
    }

    async fn begin(&self, token: &str) -> Result<String, Refusal> {
        let answer = FactorService::begin_totp(&self.grpc, with_token(BeginTotpRequest::default(), token)).await;
        answer.map(|answer| answer.into_inner().secret).map_err(|status| from_status(&status))
    }

    pub async fn confirm(&self, token: &str, code: &str) -> Result<Vec<String>, Refusal> {
        let request = ConfirmTotpRequest { code: code.to_owned(), client: Some(client(HOME)) };
        let answer = FactorService::confirm_totp(&self.grpc, with_token(request, token)).await;
        answer.map(|answer| answer.into_inner().recovery_codes).map_err(|status| from_status(&status))
    }

    pub async fn step_up(&self, token: &str, code: &str) -> Result<(), Refusal> {
        let request = StepUpRequest { code: code.to_owned(), ..Default::default() };
        let answer = FactorService::step_up(&self.grpc, with_token(request, token)).await;
        answer.map(|_| ()).map_err(|status| from_status(&status))
    }

    pub async fn enrolled(&self, name: &str, role: Role) -> Holder {
        let (email, token) = self.newcomer(name, role).await;
        let secret = self.begin(&token).await.unwrap();
        let recovery_codes = self.confirm(&token, &code(&secret, 0)).await.unwrap();
        Holder { email, token, secret, recovery_codes }
    }

    async fn me(&self, token: &str) -> GetMeResponse {
        self.grpc.get_me(with_token(GetMeRequest {}, token)).await.unwrap().into_inner()
    }

    /// What a request to look at members is answered.
    pub async fn looks(&self, token: &str) -> Result<(), String> {
        let answer = self.grpc.list_members(with_token(ListMembersRequest::default(), token)).await;
        answer.map(|_| ()).map_err(|status| from_status(&status).code)
    }

    async fn freezes(&self, token: &str, user_id: &str) -> Result<(), String> {
        let request = FreezeMemberRequest { user_id: user_id.to_owned(), note: "odd".to_owned(), ..Default::default() };
        let answer = self.grpc.freeze_member(with_token(request, token)).await;
        answer.map(|_| ()).map_err(|status| from_status(&status).code)
    }

    /// What another service learns of the session.
    pub async fn told(&self, token: &str) -> GetSessionResponse {
        let list = self.grpc.list_sessions(with_token(ListSessionsRequest {}, token)).await.unwrap().into_inner();
        let session_id = list.sessions.into_iter().find(|session| session.current).unwrap().id;
        let credential = self.realm.service_token("wallet");
        self.grpc.get_session(with_token(GetSessionRequest { session_id }, &credential)).await.unwrap().into_inner()
    }

    /// Makes every code acceptable again, as if time had passed.
    pub async fn let_time_pass(&self) {
        self.run("UPDATE authenticators SET last_step = 0").await;
    }
}

/// The code of an authenticator this many steps from now.
pub fn code(secret: &str, steps: i64) -> String {
    let totp = Builder::new().with_secret(Secret::try_from_base32(secret).unwrap()).build_noncompliant();
    let at = OffsetDateTime::now_utc().unix_timestamp() + 30 * steps;
    totp.generate(u64::try_from(at).unwrap()).to_string()
}

/// A code that differs from the present ones.
pub fn wrong_code(secret: &str) -> String {
    let near: Vec<_> = (-3..=3).map(|steps| code(secret, steps)).collect();
    (0..10).map(|digit| digit.to_string().repeat(6)).find(|wrong| !near.contains(wrong)).unwrap()
}

/// [D-O1] [D-R1] Staff without an authenticator get in and may do nothing but enrol one; then they may, and log in with
/// a code of it.
#[sqlx::test(migrations = false)]
async fn staff_enrol_before_anything_else(pool: PgPool) {
    let world = World::required(pool).await;
    let (email, token) = world.newcomer("rae", Role::Reviewer).await;
    assert_eq!(world.looks(&token).await, Err("TOTP_ENROLMENT_REQUIRED".to_owned()));
    let state = world.told(&token).await;
    assert!(state.must_enrol_totp && !state.is_stepped_up);
    let me = world.me(&token).await;
    assert!(me.totp_required && !me.totp_enrolled && me.stepped_up_until.is_none());
    assert_eq!(
        me.permissions,
        [
            "see",
            "decide",
            "proposeReversal",
            "placeHold",
            "releaseHold",
            "freeze",
            "writeNotes",
            "answerCases",
            "resetFactors"
        ]
    );
    assert_eq!(world.step_up(&token, "123456").await.unwrap_err().code, "TOTP_ENROLMENT_REQUIRED");
    assert_eq!(world.confirm(&token, "123456").await.unwrap_err().code, "NOT_FOUND", "begin first");

    let secret = world.begin(&token).await.unwrap();
    assert_eq!(world.looks(&token).await, Err("TOTP_ENROLMENT_REQUIRED".to_owned()), "begun is not enrolled");
    let refused = world.confirm(&token, &wrong_code(&secret)).await.unwrap_err();
    assert_eq!((refused.kind, refused.code.as_str()), (Kind::Invalid, "INVALID_CODE"));
    assert_eq!(said(&refused, "code"), Some("This code is wrong or has already been used"));
    let codes = world.confirm(&token, &code(&secret, 0)).await.unwrap();
    let distinct: std::collections::BTreeSet<_> = codes.iter().collect();
    assert_eq!((distinct.len(), codes[0].len()), (10, 11));
    assert_eq!(world.looks(&token).await, Ok(()));
    let me = world.me(&token).await;
    assert!(me.totp_enrolled && me.stepped_up_until.is_some());
    assert_eq!(me.recovery_codes_left, 10);

    let refused = world.login(&email, PASSWORD, HOME).await.unwrap_err();
    assert_eq!((refused.kind, refused.code.as_str()), (Kind::Unauthenticated, "TOTP_REQUIRED"));
    let wrong = world.login(&email, "wrong horse battery", HOME).await.unwrap_err();
    assert_eq!(wrong.code, "INVALID_CREDENTIALS", "the password is asked first");
    let refused = world.login_with(&email, PASSWORD, &wrong_code(&secret), HOME).await.unwrap_err();
    assert_eq!((refused.code.as_str(), said(&refused, "totp").is_some()), ("INVALID_CODE", true));
    let odd = world.login_with(&email, PASSWORD, "12345", HOME).await.unwrap_err();
    assert_eq!((odd.code.as_str(), said(&odd, "totp").is_some()), ("VALIDATION_FAILED", true));
    let signed_in = world.login_with(&email, PASSWORD, &code(&secret, 1), HOME).await.unwrap();
    assert!(world.told(&signed_in.token).await.is_stepped_up, "a code was just given");
    assert_eq!(world.looks(&signed_in.token).await, Ok(()));
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'staff.enrol_totp'").await, 1);
}

/// [D-O1] A code is taken once, however many send it at once, and none that is older than one that was taken.
#[sqlx::test(migrations = false)]
async fn a_code_is_taken_once(pool: PgPool) {
    let world = World::required(pool).await;
    let holder = world.enrolled("rae", Role::Reviewer).await;
    let first = world.login_with(&holder.email, PASSWORD, &code(&holder.secret, 0), HOME).await;
    assert_eq!(first.unwrap_err().code, "INVALID_CODE", "it confirmed the enrolment");
    let next = code(&holder.secret, 1);
    let all = join_all((0..4).map(|_| world.step_up(&holder.token, &next))).await;
    assert_eq!(all.iter().filter(|result| result.is_ok()).count(), 1);
    assert!(world.login_with(&holder.email, PASSWORD, &next, HOME).await.is_err());
    assert!(world.step_up(&holder.token, &code(&holder.secret, 0)).await.is_err());
    world.let_time_pass().await;
    world.run("DELETE FROM login_throttles").await;
    world.step_up(&holder.token, &code(&holder.secret, 0)).await.unwrap();
}

/// [D-O1] A recovery code stands in once, for its owner alone, and leaves a row in the trail.
#[sqlx::test(migrations = false)]
async fn a_recovery_code_stands_in_once(pool: PgPool) {
    let world = World::required(pool).await;
    let rae = world.enrolled("rae", Role::Reviewer).await;
    let tess = world.enrolled("tess", Role::Treasurer).await;
    let (first, second) = (&rae.recovery_codes[0], rae.recovery_codes[1].to_lowercase());
    assert!(world.login_with(&tess.email, PASSWORD, first, HOME).await.is_err());
    world.login_with(&rae.email, PASSWORD, first, HOME).await.unwrap();
    assert_eq!(world.login_with(&rae.email, PASSWORD, first, HOME).await.unwrap_err().code, "INVALID_CODE");
    world.step_up(&rae.token, &second).await.unwrap();
    assert_eq!(world.me(&rae.token).await.recovery_codes_left, 8);
    assert_eq!(world.me(&tess.token).await.recovery_codes_left, 10);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'staff.recovery_code'").await, 2);
    assert_eq!(audit::broken_at(&mut *world.db().conn().await.unwrap()).await.unwrap(), None);
}

/// [D-O1] [D-S8] Wrong codes are slowed like wrong passwords, the right one too until the delay is over.
#[sqlx::test(migrations = false)]
async fn wrong_codes_are_slowed(pool: PgPool) {
    let world = World::required(pool).await;
    let holder = world.enrolled("rae", Role::Reviewer).await;
    let wrong = wrong_code(&holder.secret);
    for _ in 0..3 {
        assert_eq!(world.step_up(&holder.token, &wrong).await.unwrap_err().code, "INVALID_CODE");
        let refused = world.login_with(&holder.email, PASSWORD, &wrong, HOME).await.unwrap_err();
        assert_eq!(refused.code, "INVALID_CODE");
    }
    assert_eq!(world.hold_delays().await, 1);
    let right = code(&holder.secret, 1);
    let slowed = world.login_with(&holder.email, PASSWORD, &right, HOME).await.unwrap_err();
    assert_eq!((slowed.kind, slowed.code.as_str()), (Kind::RateLimited, "TOO_MANY_REQUESTS"));
    assert_eq!(world.step_up(&holder.token, &right).await.unwrap_err().code, "TOO_MANY_REQUESTS");
    world.run("UPDATE login_throttles SET open_at = clock_timestamp()").await;
    world.step_up(&holder.token, &right).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM login_throttles WHERE key LIKE 'totp:%'").await, 0);
}

/// [D-A9] 20 wrong codes lock the factor for an hour: also for the right code, for recovery codes and for a login. Then it
/// counts from one again, and pausing for less than a day does not.
#[sqlx::test(migrations = false)]
async fn wrong_codes_lock_the_factor_for_an_hour(pool: PgPool) {
    let world = World::required(pool).await;
    let holder = world.enrolled("rae", Role::Reviewer).await;
    let wrong = wrong_code(&holder.secret);
    let open =
        "UPDATE login_throttles SET open_at = clock_timestamp(), last_try_at = clock_timestamp() - interval '23 hours'
                WHERE key LIKE 'totp:%'";
    // It would end at ten.
    let keep_session = "UPDATE sessions SET refused_proofs = 0";
    for round in ["first", "after the hour"] {
        for attempt in 1..=20 {
            world.run(keep_session).await;
            let refused = world.step_up(&holder.token, &wrong).await.unwrap_err();
            assert_eq!(refused.code, "INVALID_CODE", "{round}, {attempt}");
            if attempt < 20 {
                assert_eq!(world.run(open).await, 1);
            }
        }
        let right = code(&holder.secret, 1);
        for typed in [&right, &holder.recovery_codes[0]] {
            let refused = world.step_up(&holder.token, typed).await.unwrap_err();
            assert_eq!((refused.kind, refused.code.as_str()), (Kind::RateLimited, "TOO_MANY_REQUESTS"), "{round}");
            assert!(refused.message.contains("for 60 more minutes"), "{}", refused.message);
            let wait = refused.retry_after.unwrap().as_secs();
            assert!((3_590..=3_600).contains(&wait), "{wait}");
        }
        let refused = world.login_with(&holder.email, PASSWORD, &right, HOME).await.unwrap_err();
        assert_eq!(refused.code, "TOO_MANY_REQUESTS", "{round}");
        world.run(open).await;
    }
    world.step_up(&holder.token, &code(&holder.secret, 1)).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM login_throttles WHERE key LIKE 'totp:%'").await, 0);
}

/// [D-O1] [D-O7] Freezing and lifting a freeze need a code that is at most five minutes old; reading does not.
#[sqlx::test(migrations = false)]
async fn freezing_needs_a_fresh_code(pool: PgPool) {
    let world = World::required(pool).await;
    let (member, _) = world.member("ada@example.com").await;
    let holder = world.enrolled("rae", Role::Reviewer).await;
    let admin = world.enrolled("ada", Role::Admin).await;
    world.run("UPDATE sessions SET stepped_up_at = clock_timestamp() - interval '4 minutes 50 seconds'").await;
    assert_eq!(world.freezes(&holder.token, &member.id).await, Ok(()));
    world.run("UPDATE sessions SET stepped_up_at = clock_timestamp() - interval '5 minutes'").await;
    assert_eq!(world.freezes(&holder.token, &member.id).await, Err("STEP_UP_REQUIRED".to_owned()));
    assert_eq!(world.freezes(&admin.token, &member.id).await, Err("PERMISSION_DENIED".to_owned()), "the role first");
    assert!(!world.told(&holder.token).await.is_stepped_up);
    assert!(world.me(&holder.token).await.stepped_up_until.is_none());
    assert_eq!(world.looks(&holder.token).await, Ok(()));
    let unfreeze = UnfreezeMemberRequest { user_id: member.id.clone(), note: "fine".to_owned(), ..Default::default() };
    let refused = world.grpc.unfreeze_member(with_token(unfreeze.clone(), &holder.token)).await.unwrap_err();
    assert_eq!(from_status(&refused).code, "STEP_UP_REQUIRED");
    world.step_up(&holder.token, &code(&holder.secret, 1)).await.unwrap();
    world.grpc.unfreeze_member(with_token(unfreeze, &holder.token)).await.unwrap();
    assert_eq!(world.freezes(&holder.token, &member.id).await, Ok(()));
    assert!(!world.told(&admin.token).await.is_stepped_up, "another's session");
}

/// [D-O1] An authenticator in force is replaced only by who just gave a code of it, and serves until then; an enrolment
/// waits for a quarter of an hour.
#[sqlx::test(migrations = false)]
async fn an_authenticator_is_not_replaced_by_a_stolen_session(pool: PgPool) {
    let world = World::required(pool).await;
    let holder = world.enrolled("rae", Role::Reviewer).await;
    let pending = world.begin(&holder.token).await.unwrap();
    world.run("UPDATE sessions SET stepped_up_at = NULL").await;
    assert_eq!(world.begin(&holder.token).await.unwrap_err().code, "STEP_UP_REQUIRED");
    assert_eq!(world.confirm(&holder.token, &code(&pending, 0)).await.unwrap_err().code, "STEP_UP_REQUIRED");
    world.step_up(&holder.token, &code(&holder.secret, 1)).await.unwrap();
    world.run("UPDATE authenticators SET created_at = created_at - interval '15 minutes'").await;
    assert_eq!(world.confirm(&holder.token, &code(&pending, 0)).await.unwrap_err().code, "NOT_FOUND");
    let pending = world.begin(&holder.token).await.unwrap();
    let codes = world.confirm(&holder.token, &code(&pending, 0)).await.unwrap();
    world.let_time_pass().await;
    world.run("DELETE FROM login_throttles").await;
    assert!(world.step_up(&holder.token, &code(&holder.secret, 0)).await.is_err(), "the old one");
    assert!(world.step_up(&holder.token, &holder.recovery_codes[0]).await.is_err(), "the old codes");
    world.step_up(&holder.token, &code(&pending, 0)).await.unwrap();
    world.step_up(&holder.token, &codes[0]).await.unwrap();
}

/// [D-O1] Where it is waived, nobody is asked, enrolled or not, and every session counts as stepped up.
#[sqlx::test(migrations = false)]
async fn nobody_is_asked_where_it_is_waived(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, members) = world.member("ada@example.com").await;
    let holder = world.enrolled("rae", Role::Reviewer).await;
    world.login(&holder.email, PASSWORD, HOME).await.unwrap();
    world.run("UPDATE sessions SET stepped_up_at = NULL").await;
    assert_eq!(world.freezes(&holder.token, &member.id).await, Ok(()));
    assert!(!world.me(&holder.token).await.totp_required);
    world.begin(&holder.token).await.unwrap();
    assert!(!world.told(&members).await.is_stepped_up, "members have none");
    let status = world.grpc.get_me(with_token(GetMeRequest {}, &members)).await.unwrap_err();
    assert_eq!(from_status(&status).code, "PERMISSION_DENIED");
}

/// [D-O1] [D-E1] Neither secret nor recovery code stands in the database, and a sealed secret opens in its own row only.
#[sqlx::test(migrations = false)]
async fn a_dump_tells_no_second_factor(pool: PgPool) {
    let world = World::required(pool).await;
    let rae = world.enrolled("rae", Role::Reviewer).await;
    let tess = world.enrolled("tess", Role::Treasurer).await;
    let dump: String = sqlx::query_scalar(
        "SELECT (SELECT string_agg(t::text, ' ') FROM authenticators t) || (SELECT string_agg(t::text, ' ') FROM recovery_codes t)
             || (SELECT string_agg(t::text, ' ') FROM audit_rows t)",
    )
    .fetch_one(&world.pool)
    .await
    .unwrap();
    let secret = Secret::try_from_base32(&rae.secret).unwrap();
    let hex: String = secret.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(!dump.contains(&hex) && !dump.contains(&rae.secret));
    assert!(rae.recovery_codes.iter().all(|code| !dump.contains(&code.replace('-', ""))));
    // Somebody who may write rows puts the own secret in another's place.
    world
        .run(
            "UPDATE authenticators SET sealed_secret = (SELECT sealed_secret FROM authenticators a JOIN users u
                 ON u.id = a.user_id WHERE u.role = 'reviewer')",
        )
        .await;
    let refused = world.step_up(&tess.token, &code(&rae.secret, 1)).await.unwrap_err();
    assert_eq!(refused.kind, Kind::Internal);
    world.step_up(&rae.token, &code(&rae.secret, 1)).await.unwrap();
}

/// [D-O1] The operator takes a lost authenticator away: the sessions end, and its owner enrols again.
#[sqlx::test(migrations = false)]
async fn a_lost_authenticator_is_taken_away(pool: PgPool) {
    let world = World::required(pool).await;
    let holder = world.enrolled("rae", Role::Reviewer).await;
    world.register("ada@example.com").await;
    assert!(reset_totp(world.db(), &holder.email.to_uppercase()).await.unwrap());
    assert!(!reset_totp(world.db(), &holder.email).await.unwrap(), "once");
    assert!(reset_totp(world.db(), "ada@example.com").await.is_err(), "members have none");
    let check = world.grpc.check_session(with_token(CheckSessionRequest::default(), &holder.token)).await;
    assert_eq!(refusal(check).code, "UNAUTHENTICATED");
    let token = world.login(&holder.email, PASSWORD, HOME).await.unwrap().token;
    assert_eq!(world.looks(&token).await, Err("TOTP_ENROLMENT_REQUIRED".to_owned()));
    assert_eq!(world.me(&token).await.recovery_codes_left, 0);
    let actor: Uuid = sqlx::query_scalar("SELECT actor_id FROM audit_rows WHERE action = 'staff.reset_totp'")
        .fetch_one(&world.pool)
        .await
        .unwrap();
    assert!(actor.is_nil());
}
