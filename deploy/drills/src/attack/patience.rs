//! A drill: somebody has stolen a password, and has a day's patience. The thief tries everything that outlives the session; the
//! owner then uses the link of a security email. The thief must get nothing, and the owner must be whole again.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::future::join_all;
use serde_json::{Value, json};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection};
use time::OffsetDateTime;
use tokio::time::{Instant, sleep};
use totp_rs::{Builder, Secret};

use crate::attack::members::address;
use play::client::{Answer, Client, cents};
use play::mails;
use play::request::{self, Decision};
use play::seed::propose;
use play::testing::{Member, PASSWORD, TestStack};
use stack::Service;

/// Where the thief wants the money, and where the owner does.
const THIEF: &str = "TWd4WrZ9wn84f5x1hZhL4DHvk738ns5jwb";
const OWN: &str = "TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS";
const NEW_PASSWORD: &str = "another-lantern-28";
/// How long what follows from an event may take.
const LIMIT: Duration = Duration::from_secs(20);
/// Registrations of the owner's address in the moment in which the thief changes it.
const SQUATTERS: usize = 12;

/// Plays it to the end, and says each step with its time.
///
/// # Errors
/// At the first thing that the thief gets, or that the owner does not get back.
pub async fn drill(stack: &TestStack, say: fn(&str)) -> Result<()> {
    let drill = Drill { stack, say, begun: Instant::now() };
    let owner = stack.member_with("500.00").await?;
    let stolen = drill.steal(&owner).await.context("the thief")?;
    drill.recover(&owner, &stolen).await.context("the owner")?;
    drill.lock_out(&stack.member().await?).await.context("locking the owner out")?;
    drill.close(&stack.member().await?).await.context("closing the account")
}

struct Drill<'a> {
    stack: &'a TestStack,
    say: fn(&str),
    begun: Instant,
}

/// What the thief has at the end of the day.
struct Stolen {
    client: Client,
    /// An approved withdrawal to the thief's address.
    withdrawal: String,
}

impl Drill<'_> {
    fn say(&self, step: &str) {
        (self.say)(&format!("{:6.1} s  {step}", self.begun.elapsed().as_secs_f32()));
    }

    async fn log_in(&self, member: &Member, from: usize) -> Result<Client> {
        let client = Client::new(self.stack.url()).moved_to(address(98, from))?;
        client.login(&member.email, PASSWORD).await
    }

    async fn steal(&self, owner: &Member) -> Result<Stolen> {
        let client = self.log_in(owner, 0).await?;
        self.stack.mail(&owner.email, "New login").await?;
        self.say("the thief logs in with the stolen password, and the owner is mailed");
        drop(enrol(&client).await?);
        let method = owner.platform_method("TRC20").await?;
        let made = client.make(request::withdraw_to(THIEF, "200.00", &method)).await?;
        let withdrawal = request::id(&made)?;
        let confirm = format!("/transactions/{withdrawal}/confirm");
        ensure!(made["transaction"]["needsConfirmation"] == json!(true), "a new factor replaces the mailed code");
        let refused = client.post(&confirm, json!({ "code": "000000" })).await?;
        ensure!(refused.status == 422, "a new factor confirms a destination: {}", refused.body);
        self.say("an authenticator that the thief has just set up confirms no address");

        let mailbox = format!("thief-of-{}", owner.email);
        self.move_mailbox(owner, &client, &mailbox).await?;
        self.say(&format!("the thief changes the email; none of {SQUATTERS} registrations gets the owner's address"));
        self.run("UPDATE destination_codes SET created_at = created_at - interval '2 minutes'").await?;
        client.post(&format!("{confirm}/resend"), Value::Null).await?.success()?;
        let code = mails::wait_for_destination_code(self.stack.mail_dir(), &mailbox, THIEF).await?;
        client.post(&confirm, json!({ "code": code })).await?.success()?;
        let saved = json!({ "currency": "USDT", "network": "TRC20", "address": THIEF, "label": "Savings" });
        client.post("/payment-methods", saved).await?.success()?;
        self.say("the thief confirms the withdrawal in the new mailbox, and saves the address");
        self.let_a_day_go_by().await?;
        self.approve(&withdrawal).await?.success()?;
        self.say("a day later a reviewer approves it");
        Ok(Stolen { client, withdrawal })
    }

    /// Changes the email while others try to register the address that it leaves.
    async fn move_mailbox(&self, owner: &Member, client: &Client, mailbox: &str) -> Result<()> {
        let details = json!({ "name": "Mia Member", "email": mailbox, "phone": "+1 555 0100", "country": "Germany" });
        client.put(&format!("/users/profile/{}", owner.id), details).await?.success()?;
        let code = mails::wait_for_code(self.stack.mail_dir(), mailbox).await?;
        let confirmed = client.make(request::verify_email(mailbox, &code));
        let squatters = (0..SQUATTERS).map(|number| async move {
            let client = Client::new(self.stack.url()).moved_to(address(97, number))?;
            let register = request::register("Sam Squatter", &owner.email, PASSWORD, "Germany");
            anyhow::Ok(client.send(&register).await?.status)
        });
        let (confirmed, squatters) = tokio::join!(confirmed, join_all(squatters));
        confirmed?;
        for status in squatters {
            ensure!(status? != 201, "somebody registered the address that the owner can take back");
        }
        Ok(())
    }

    async fn recover(&self, owner: &Member, stolen: &Stolen) -> Result<()> {
        let undo = json!({ "token": self.link(&owner.email, "/undo").await? });
        self.stack.client().post("/auth/undo", undo).await?.success()?;
        self.until("the thief's session ends", async || {
            anyhow::Ok(stolen.client.get("/auth/check").await?.status == 401)
        })
        .await?;
        let client = self.set_password(owner).await?;
        self.say("the owner undoes the change, sets a password, and logs in without the thief's authenticator");

        let path = format!("/transactions/{}", stolen.withdrawal);
        let failed = async || anyhow::Ok(client.get(&path).await?.success()?["transaction"]["status"] == "failed");
        self.until("the approved withdrawal is cancelled", failed).await?;
        let wallet = client.get("/wallet").await?.success()?;
        let (balance, held) = (cents(&wallet["balance"])?, cents(&wallet["held"])?);
        ensure!((balance, held) == (50_000, 0), "the balance is {balance} cents, {held} are held");
        let methods =
            async || anyhow::Ok(!client.get("/payment-methods").await?.success()?.to_string().contains(THIEF));
        self.until("the thief's saved address is gone", methods).await?;
        let left = "SELECT count(*) FROM destinations WHERE address = '".to_owned() + THIEF + "'";
        ensure!(self.count(Service::Wallet, &left).await? == 0, "the thief's address is still known");
        self.say("the withdrawal is cancelled, its hold released, the thief's address neither saved nor known");

        let member = Member { client, email: owner.email.clone(), id: owner.id.clone() };
        let withdraw = request::withdraw_to(OWN, "100.00", &member.platform_method("TRC20").await?);
        let own = request::id(&member.client.make(withdraw).await?)?;
        self.stack.confirm_destination(&member, &own).await?;
        let refused = self.approve(&own).await?;
        ensure!(refused.code() == Some("COOLING_OFF"), "approved at once: {}", refused.body);
        let review = self.stack.staff("reviewer").await?.get(&format!("/admin/transactions/{own}")).await?.success()?;
        let mut checks = review["checks"].as_array().into_iter().flatten();
        let report =
            checks.find(|check| check["name"] == "activity_disowned").context("staff do not see the report")?;
        ensure!(report["ok"] == json!(false), "{report}");
        self.let_a_day_go_by().await?;
        self.approve(&own).await?.success()?;
        self.say("the owner's own withdrawal is approved a day later; the reviewer sees the report");
        Ok(())
    }

    /// The thief sets up an authenticator, so that the owner cannot log in; using it does not stop its removal by staff.
    async fn lock_out(&self, owner: &Member) -> Result<()> {
        let authenticator = enrol(&self.log_in(owner, 2).await?).await?;
        let locked_out = Client::new(self.stack.url()).login(&owner.email, PASSWORD).await;
        ensure!(locked_out.is_err(), "a login without the authenticator");
        let removal = format!("/admin/members/{}/factor-reset", owner.id);
        let (one, other) = (self.stack.staff("reviewer").await?, self.stack.staff("reviewer2").await?);
        propose(&one, &other, &removal, json!({ "note": "Video call, passport seen" })).await?;
        // The code of this half minute confirmed the authenticator.
        let login = json!({ "email": owner.email, "password": PASSWORD, "totp": code(&authenticator, 30)? });
        let thief = Client::new(self.stack.url()).moved_to(address(98, 2))?;
        thief.post("/auth/login", login).await?.success()?;
        let planned = format!("SELECT count(*) FROM factor_resets WHERE user_id = '{}'", owner.id);
        ensure!(self.count(Service::Auth, &planned).await? == 1, "a young authenticator calls its removal off");
        self.say("a thief locks the owner out, and cannot call off that staff remove the new authenticator");
        Ok(())
    }

    /// A member without a balance: the thief closes the account.
    async fn close(&self, owner: &Member) -> Result<()> {
        let thief = self.log_in(owner, 1).await?;
        thief.post("/users/close", json!({ "password": PASSWORD })).await?.success()?;
        let mail = self.stack.mail(&owner.email, "closes tomorrow").await?;
        let token = mail.secret("/not-me").context("the mail has no link")?;
        self.stack.client().post("/auth/not-me", json!({ "token": token })).await?.success()?;
        let planned = format!("SELECT count(*) FROM account_closures WHERE user_id = '{}'", owner.id);
        ensure!(self.count(Service::Auth, &planned).await? == 0, "the account still closes");
        self.set_password(owner).await?;
        self.say("a thief asks to close an empty account; \"This was not me\" keeps it");
        Ok(())
    }

    async fn set_password(&self, owner: &Member) -> Result<Client> {
        let token = self.link(&owner.email, "/reset-password").await?;
        self.stack.client().make(request::set_password(&token, NEW_PASSWORD)).await?;
        self.stack.client().login(&owner.email, NEW_PASSWORD).await
    }

    async fn approve(&self, id: &str) -> Result<Answer> {
        self.stack.staff("reviewer").await?.decide(id, Decision::Approve).await
    }

    /// The token of the newest link with this path to an address.
    async fn link(&self, email: &str, path: &str) -> Result<String> {
        mails::wait_for_secret(self.stack.mail_dir(), email, path).await
    }

    /// What waits for a day has waited, and what is young is a day older.
    async fn let_a_day_go_by(&self) -> Result<()> {
        let auth = "UPDATE payout_safeguards SET not_before = not_before - interval '25 hours';
            UPDATE authenticators SET confirmed_at = confirmed_at - interval '25 hours';
            UPDATE recovery_codes SET created_at = created_at - interval '25 hours';
            UPDATE known_devices SET first_seen_at = first_seen_at - interval '25 hours'";
        self.run(auth).await
    }

    /// Runs statements in auth's database.
    async fn run(&self, statements: &str) -> Result<()> {
        let mut database = PgConnection::connect(&self.stack.databases().owner_url(Service::Auth)?).await?;
        sqlx::raw_sql(AssertSqlSafe(statements.to_owned())).execute(&mut database).await?;
        Ok(())
    }

    async fn count(&self, service: Service, statement: &str) -> Result<i64> {
        let mut database = audit::connect(&self.stack.databases().owner_url(service)?).await?;
        Ok(sqlx::query_scalar(AssertSqlSafe(statement.to_owned())).fetch_one(&mut database).await?)
    }

    async fn until(&self, what: &str, is_so: impl AsyncFn() -> Result<bool>) -> Result<()> {
        let limit = Instant::now() + LIMIT;
        while !is_so().await? {
            ensure!(Instant::now() < limit, "not in time: {what}");
            sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }
}

/// Sets up an authenticator, with the password alone.
async fn enrol(client: &Client) -> Result<Secret> {
    let begun = client.post("/users/totp", json!({ "password": PASSWORD })).await?.success()?;
    let secret = Secret::try_from_base32(begun["secret"].as_str().context("a secret")?).ok().context("base32")?;
    client.post("/users/totp/confirm", json!({ "code": code(&secret, 0)? })).await?.success()?;
    Ok(secret)
}

/// The code of an authenticator these seconds from now.
fn code(authenticator: &Secret, seconds: i64) -> Result<String> {
    let at = u64::try_from(OffsetDateTime::now_utc().unix_timestamp() + seconds)?;
    Ok(Builder::new().with_secret(authenticator.clone()).build_noncompliant().generate(at).to_string())
}
