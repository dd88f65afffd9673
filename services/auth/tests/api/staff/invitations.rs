//! Invitations of staff.

use auth::app::staff::add_staff::{NewStaff, add_staff};
use auth::app::staff::bootstrap_staff::{Person, bootstrap_staff};
use chassis::grpc::REPLAYED;
use chassis::identity::Role;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::propose_staff_change_request::Change;
use proto::auth::v1::{ForgotPasswordRequest, ResetPasswordRequest, StaffInvitation};
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::{HOME, PASSWORD, World};
use crate::staff::invite;

/// [D-O1] [D-O5] C3: one admin proposes an invitation, another confirms it; then its owner is mailed a link, all staff are
/// notified, and the password is set within 72 hours.
#[sqlx::test(migrations = false)]
async fn staff_are_invited_by_two_admins(pool: PgPool) {
    let world = World::new(pool).await;
    let ((_, one), (_, two)) = (world.staff(Role::Admin).await, world.staff_named("admin2", Role::Admin).await);
    world.forget_events().await;
    let first = world.propose_keyed(&one, invite("tess@solvane.test", "treasurer"), "k").await.unwrap();
    let again = world.propose_keyed(&one, invite("tess@solvane.test", "treasurer"), "k").await.unwrap();
    assert!(again.metadata().get(REPLAYED).is_some());
    let proposal = first.into_inner().proposal.unwrap();
    assert_eq!(again.into_inner().proposal.unwrap().id, proposal.id);
    assert_eq!((proposal.kind.as_str(), proposal.permission.as_str()), ("staff.invite", "changeStaff"));
    assert_eq!(world.count("SELECT count(*) FROM users WHERE email = 'tess@solvane.test'").await, 0);
    assert!(world.events().await.is_empty(), "nothing is mailed before a second admin confirms");

    assert_eq!(world.confirm_proposal(&one, &proposal.id).await.unwrap_err().code, "SELF_CONFIRMATION");
    let confirmed = world.confirm_proposal(&two, &proposal.id).await.unwrap();
    assert_eq!(world.confirm_proposal(&two, &proposal.id).await.unwrap_err().code, "PROPOSAL_CLOSED");
    assert_eq!(world.events().await, ["staff_invited", "staff_changed"]);
    assert_eq!(
        world.count("SELECT extract(epoch FROM expires_at - created_at)::bigint FROM reset_tokens").await,
        72 * 3_600
    );
    assert_eq!(world.login("tess@solvane.test", PASSWORD, HOME).await.unwrap_err().code, "INVALID_CREDENTIALS");
    let request = ResetPasswordRequest {
        token: world.link(&confirmed.subject_id).await,
        password: PASSWORD.to_owned(),
        confirm_password: PASSWORD.to_owned(),
        client: None,
    };
    world.grpc.reset_password(world.realm.visitor(request)).await.unwrap();
    let signed_in = world.login("tess@solvane.test", PASSWORD, HOME).await.unwrap().user.unwrap();
    assert_eq!((signed_in.role.as_str(), signed_in.is_verified), ("treasurer", true));

    let bad = Change::Invitation(StaffInvitation { role: "owner".to_owned(), ..Default::default() });
    assert_eq!(world.propose(&one, bad).await.unwrap_err().fields.len(), 3);
    assert_eq!(world.propose(&one, invite("TESS@solvane.test", "auditor")).await.unwrap_err().code, "EMAIL_TAKEN");
    let actions = world.staff_actions(&one).await;
    assert_eq!(actions, ["staff.invite.confirm", "staff.invite.propose", "staff.add", "staff.add"]);
}

/// [D-A13] [D-S6] C7: anyone who asks for a reset link renews an invitation for no longer than it had to live; later, two
/// admins invite again.
#[sqlx::test(migrations = false)]
async fn an_invitation_is_not_renewed_by_strangers(pool: PgPool) {
    let world = World::new(pool).await;
    let ((_, one), (_, two)) = (world.staff(Role::Admin).await, world.staff_named("admin2", Role::Admin).await);
    let invited = world.propose(&one, invite("tess@solvane.test", "treasurer")).await.unwrap();
    world.confirm_proposal(&two, &invited.id).await.unwrap();
    world.run("UPDATE reset_tokens SET expires_at = expires_at - interval '70 hours'").await;
    let forgot = async || {
        let request = ForgotPasswordRequest { email: "tess@solvane.test".to_owned(), client: None };
        world.grpc.forgot_password(world.realm.visitor(request)).await.unwrap();
        world.answer_mail_requests().await;
    };
    forgot().await;
    assert_eq!(world.count("SELECT count(*) FROM reset_tokens").await, 2);
    assert_eq!(world.count("SELECT count(DISTINCT expires_at) FROM reset_tokens").await, 1);
    world.run("UPDATE reset_tokens SET expires_at = clock_timestamp()").await;
    forgot().await;
    assert_eq!(world.count("SELECT count(*) FROM reset_tokens").await, 2);
    let again = world.propose(&one, invite("tess@solvane.test", "treasurer")).await.unwrap();
    world.confirm_proposal(&two, &again.id).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM users WHERE email = 'tess@solvane.test'").await, 1);
    assert_eq!(world.count("SELECT count(*) FROM reset_tokens WHERE expires_at > clock_timestamp()").await, 1);
}

/// [D-O1] The command line makes an account once, and takes no member's address.
#[sqlx::test(migrations = false)]
async fn the_command_line_adds_staff_once(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    let add = async |email: &str, role: Role| {
        let new = NewStaff { name: "Sam", email, role, password: "solvane-local-staff" };
        add_staff(world.db(), &world.app.hasher, &new).await.map_err(|error| error.to_string())
    };
    assert_eq!(add("sam@solvane.test", Role::Reviewer).await, Ok(true));
    assert_eq!(add("SAM@solvane.test", Role::Reviewer).await, Ok(false));
    assert!(add("sam@solvane.test", Role::Admin).await.is_err());
    assert!(add("ada@example.com", Role::Reviewer).await.is_err());
    assert_eq!(world.count("SELECT count(*) FROM users WHERE role IS NOT NULL").await, 1);
    assert_eq!(world.events().await, ["user_registered", "verification_code_issued"]);
}

/// [D-H7] [D-O1] [D-O5] O10: the command line invites the first two admins by mail, again as long as one of them has not set a
/// password; they invite the others.
#[sqlx::test(migrations = false)]
async fn the_command_line_invites_the_first_admins(pool: PgPool) {
    let world = World::new(pool).await;
    world.register("ada@example.com").await;
    world.forget_events().await;
    let bootstrap = async |people: &[&str]| {
        let people: Vec<Person> = people.iter().map(|person| person.parse().unwrap()).collect();
        bootstrap_staff(world.db(), &world.app.secrets, &people).await.map_err(|error| error.to_string())
    };
    let (first, second) = ("Ann First <ann@solvane.test>", "Ben Second <ben@solvane.test>");
    for wrong in [vec![first], vec![first, first], vec![first, "Ada <ada@example.com>"]] {
        assert!(bootstrap(&wrong).await.is_err(), "{wrong:?}");
    }
    assert_eq!(world.count("SELECT count(*) FROM users WHERE role IS NOT NULL").await, 0);
    assert!(world.events().await.is_empty());

    bootstrap(&[first, second]).await.unwrap();
    assert_eq!(world.events().await, ["staff_invited", "staff_invited"]);
    let set_password = async |email: &'static str| {
        let id: Uuid = sqlx::query_scalar("SELECT id FROM users WHERE email = $1")
            .bind(email)
            .fetch_one(&world.pool)
            .await
            .unwrap();
        let request = ResetPasswordRequest {
            token: world.link(&id.to_string()).await,
            password: PASSWORD.to_owned(),
            confirm_password: PASSWORD.to_owned(),
            client: None,
        };
        world.grpc.reset_password(world.realm.visitor(request)).await.unwrap();
        world.login(email, PASSWORD, HOME).await.unwrap().token
    };
    let one = set_password("ann@solvane.test").await;
    world.run("UPDATE reset_tokens SET expires_at = clock_timestamp()").await;
    bootstrap(&[first, second]).await.unwrap();
    let two = set_password("ben@solvane.test").await;
    let invited = world.propose(&one, invite("tess@solvane.test", "treasurer")).await.unwrap();
    world.confirm_proposal(&two, &invited.id).await.unwrap();

    assert!(bootstrap(&["Cy Third <cy@solvane.test>"]).await.unwrap_err().contains("on /admin"));
    assert_eq!(world.count("SELECT count(*) FROM users WHERE role = 'admin'").await, 2);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'staff.bootstrap'").await, 3);
}
