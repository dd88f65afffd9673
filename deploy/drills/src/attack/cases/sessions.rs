//! Storms on the requests that open and recover sessions.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::attack::hostile::{Attack, post};
use play::mails;
use play::request;
use play::testing;

const PASSWORD: &str = "a guess that is wrong";
/// Wrong passwords that a session may try before it ends.
const TRIES: u64 = 10;

pub async fn logins(attack: Attack) -> Result<()> {
    let body = |from, number| json!({ "email": format!("no{from}.{number}@example.test"), "password": PASSWORD });
    storm(&attack, 10, "/v1/auth/login", body).await;
    ensure!(attack.counted("200") == 0, "an account that does not exist was opened");
    Ok(())
}

pub async fn guesses(attack: Attack) -> Result<()> {
    let body = |_, number| json!({ "email": "victim@example.test", "password": format!("guess {number}") });
    storm(&attack, 10, "/v1/auth/login", body).await;
    Ok(())
}

pub async fn registrations(attack: Attack) -> Result<()> {
    let body = |from, number| {
        json!({
            "name": "Storm", "email": format!("storm{from}.{number}@example.test"), "password": PASSWORD,
            "phone": "+1 555 0100", "country": "Germany",
        })
    };
    storm(&attack, 5, "/v1/auth/register", body).await;
    Ok(())
}

pub async fn forgotten(attack: Attack) -> Result<()> {
    let body = |from, number| json!({ "email": format!("storm{from}.{}@example.test", number % 5) });
    storm(&attack, 10, "/v1/auth/forgot-password", body).await;
    Ok(())
}

pub async fn codes(attack: Attack) -> Result<()> {
    let body = |from, number| json!({ "email": format!("storm{from}.1@example.test"), "otp": format!("{:06}", number % 1_000_000) });
    storm(&attack, 10, "/v1/auth/verify", body).await;
    ensure!(attack.counted("200") == 0, "a code was guessed");
    Ok(())
}

/// Each costs a hash before it is refused; the members log in meanwhile.
pub async fn hashes(attack: Attack) -> Result<()> {
    let body = json!({
        "name": "Storm", "email": attack.target.victim.email, "password": PASSWORD, "phone": "+1 555 0100",
        "country": "Germany",
    });
    let request = post("POST", "/v1/auth/register", "", body.to_string().as_bytes());
    attack.clients(24, |from| attack.flood(from, 20, |_| request.clone())).await;
    ensure!(attack.counted("201") == 0, "a taken address was registered");
    Ok(())
}

/// Guesses for many accounts from the address from which the victim logs in with the right password.
pub async fn neighbours(attack: Attack) -> Result<()> {
    let visitor = attack.visitor(0)?;
    let email = &attack.target.victim.email;
    // The place is known from now on.
    visitor.login(email, testing::PASSWORD).await?;
    let guess = |number: u64| {
        let body = json!({ "email": format!("neighbour{number}@example.test"), "password": PASSWORD });
        post("POST", "/v1/auth/login", "", body.to_string().as_bytes())
    };
    let owner = async {
        while attack.is_on() {
            visitor.login(email, testing::PASSWORD).await.context("the owner, among neighbours who guess")?;
            sleep(Duration::from_millis(500)).await;
        }
        anyhow::Ok(())
    };
    let (logged_in, ()) = tokio::join!(owner, attack.clients(4, |_| attack.flood(0, 5, guess)));
    logged_in
}

/// Links that strangers ask for; the one that the owner asked for before still works.
pub async fn links(attack: Attack) -> Result<()> {
    let (visitor, email) = (attack.target.victim.client.without_token(), &attack.target.victim.email);
    visitor.make(request::forget_password(email)).await?;
    let secret = mails::wait_for_secret(&attack.target.mail_dir, email, "/reset-password").await?;
    storm(&attack, 10, "/v1/auth/forgot-password", |_, _| json!({ "email": email })).await;
    visitor.make(request::set_password(&secret, testing::PASSWORD)).await.context("the owner's link")?;
    Ok(())
}

/// Guesses of the password inside stolen sessions.
pub async fn inside(attack: Attack) -> Result<()> {
    let body = json!({ "password": PASSWORD }).to_string();
    let mut sessions = Vec::new();
    for from in 0..3 {
        let client = attack.visitor(from)?.login(&attack.target.victim.email, testing::PASSWORD).await?;
        sessions.push(client.token().context("a session")?.to_owned());
    }
    let client = async |from: usize| {
        let request =
            post("POST", "/v1/users/totp", &format!("authorization: Bearer {}\r\n", sessions[from]), body.as_bytes());
        attack.flood(from, 20, |_| request.clone()).await;
    };
    attack.clients(sessions.len(), client).await;
    ensure!(attack.counted("200") == 0, "a password was guessed inside a session");
    let tried = attack.counted("422");
    ensure!(tried <= TRIES, "{tried} passwords were tried inside sessions");
    Ok(())
}

/// Requests of six addresses at this rate each.
async fn storm(attack: &Attack, per_second: u32, path: &'static str, body: impl Fn(usize, u64) -> Value) {
    let body = &body;
    let client = async |from: usize| {
        let request = |number| post("POST", path, "", body(from, number).to_string().as_bytes());
        attack.flood(from, per_second, request).await;
    };
    attack.clients(6, client).await;
}
