//! Storms on the requests that open and recover sessions.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::attack::hostile::{Attack, post};

const PASSWORD: &str = "a guess that is wrong";

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

/// Requests of six addresses at this rate each.
async fn storm(attack: &Attack, per_second: u32, path: &'static str, body: impl Fn(usize, u64) -> Value) {
    let body = &body;
    let client = async |from: usize| {
        let request = |number| post("POST", path, "", body(from, number).to_string().as_bytes());
        attack.flood(from, per_second, request).await;
    };
    attack.clients(6, client).await;
}
