//! Bodies that come slowly, never end, or are more than they seem.

use std::time::Duration;

use anyhow::{Result, ensure};
use tokio::io::AsyncWriteExt;
use tokio::time::{interval, sleep};

use crate::attack::files;
use crate::attack::hostile::{Attack, announced, bearer, post, request};

const DEPOSIT: &str = "/v1/transactions/deposit";
const LOGIN: &str = "/v1/auth/login";
/// Bytes of an upload that is just not too large.
const UPLOAD: usize = 6_500_000;

/// Bodies that wait for their last byte.
pub async fn half_sent(attack: Attack) -> Result<()> {
    let text = [announced("POST", LOGIN, "", 60_000), vec![b' '; 30_000]].concat();
    let client = async |number: usize| {
        let from = number / 45;
        while attack.is_on() {
            attack.hold(from, &text).await;
            sleep(Duration::from_millis(500)).await;
        }
    };
    attack.clients(6 * 45, client).await;
    Ok(())
}

pub async fn slow_uploads(attack: Attack) -> Result<()> {
    let client = async |number: usize| {
        while attack.is_on() {
            let Some(mut stream) = attack.open(number / 3).await else { return };
            let head = announced("POST", DEPOSIT, &bearer(attack.account(number)), UPLOAD);
            drop(stream.write_all(&head).await);
            let (reader, mut writer) = stream.into_split();
            while attack.is_on() && writer.write_all(&[b' '; 100]).await.is_ok() {
                sleep(Duration::from_millis(100)).await;
            }
            attack.count(if attack.is_on() { "ended" } else { "open" });
            drop(reader);
        }
    };
    attack.clients(9, client).await;
    Ok(())
}

pub async fn stopped_uploads(attack: Attack) -> Result<()> {
    let body = vec![b' '; UPLOAD - 10];
    let client = async |number: usize| {
        let from = number / 6;
        let head = announced("POST", DEPOSIT, &bearer(attack.account(from)), UPLOAD);
        attack.hold(from, &[head.as_slice(), &body].concat()).await;
    };
    attack.clients(attack.target.accounts.len() * 6, client).await;
    Ok(())
}

/// What is read into memory before it turns out to be no file.
pub async fn uploads(attack: Attack) -> Result<()> {
    let body = format!(r#"{{"amount":"100.00","method":"USDT","receipt":"{}"}}"#, "A".repeat(UPLOAD - 100));
    let client = async |number: usize| {
        let from = number / 4;
        let upload = post("POST", DEPOSIT, &bearer(attack.account(from)), body.as_bytes());
        while attack.is_on() {
            attack.send(from, &upload).await;
            sleep(Duration::from_millis(500)).await;
        }
    };
    attack.clients(attack.target.accounts.len() * 4, client).await;
    Ok(())
}

pub async fn strangers(attack: Attack) -> Result<()> {
    let upload = post("POST", DEPOSIT, "", &vec![b' '; UPLOAD]);
    let client = async |from: usize| {
        let mut ticks = interval(Duration::from_millis(50));
        while attack.is_on() {
            ticks.tick().await;
            attack.send(from, &upload).await;
        }
    };
    attack.clients(8, client).await;
    ensure!(attack.counted("401") + attack.counted("reset") > 0, "strangers were not refused: {}", attack.outcome());
    Ok(())
}

pub async fn chunks(attack: Attack) -> Result<()> {
    let head = request("POST", LOGIN, "content-type: application/json\r\ntransfer-encoding: chunked\r\n");
    let chunks = format!("1;{}\r\n \r\n", "e".repeat(500)).repeat(20);
    stream(&attack, 8 * 8, 8, &head, chunks.as_bytes()).await;
    Ok(())
}

pub async fn endless(attack: Attack) -> Result<()> {
    let head = request("POST", LOGIN, "content-type: application/json\r\ntransfer-encoding: chunked\r\n");
    let chunk = format!("4000\r\n{}\r\n", " ".repeat(0x4000));
    stream(&attack, 8 * 4, 4, &head, chunk.as_bytes()).await;
    Ok(())
}

/// A head, and then the same part again every 50 ms until the gateway ends the connection.
async fn stream(attack: &Attack, count: usize, of_one_address: usize, head: &[u8], part: &[u8]) {
    let client = async |number: usize| {
        while attack.is_on() {
            let Some(mut stream) = attack.open(number / of_one_address).await else { return };
            drop(stream.write_all(head).await);
            while attack.is_on() && stream.write_all(part).await.is_ok() {
                sleep(Duration::from_millis(50)).await;
            }
            attack.wait_for_end(stream).await;
        }
    };
    attack.clients(count, client).await;
}

pub async fn gzip(attack: Attack) -> Result<()> {
    let bomb = files::gzipped_zeros(50 << 20)?;
    let bomb = post("POST", LOGIN, "content-encoding: gzip\r\n", &bomb);
    attack.clients(8, |from| attack.flood(from, 10, |_| bomb.clone())).await;
    Ok(())
}

pub async fn deep_json(attack: Attack) -> Result<()> {
    let wide: Vec<_> = (0..6_000).map(|number| format!(r#""k{number}":1"#)).collect();
    let bodies =
        ["[".repeat(60_000), format!("{{{}}}", wide.join(",")), format!("{{\"email\":{}}}", "9".repeat(60_000))];
    let of = |number: u64| {
        let body = &bodies[usize::try_from(number).unwrap_or_default() % bodies.len()];
        post("POST", "/v1/auth/verify", "", body.as_bytes())
    };
    attack.clients(8, |from| attack.flood(from, 20, of)).await;
    Ok(())
}

/// Brackets and keys for as long as an upload may be: what is kept of each must not add up.
pub async fn deep_uploads(attack: Attack) -> Result<()> {
    let bodies = ["[", "{\"\":", "{\"a\":1,\"b\":[{"].map(|part| part.repeat(UPLOAD / part.len()));
    let client = async |number: usize| {
        let (from, body) = (number / 2, &bodies[number % bodies.len()]);
        let head = bearer(attack.account(from));
        let request = post("POST", DEPOSIT, &head, body.as_bytes());
        while attack.is_on() {
            attack.send(from, &request).await;
            sleep(Duration::from_millis(250)).await;
        }
    };
    attack.clients(attack.target.accounts.len() * 2, client).await;
    ensure!(attack.counted("201") == 0, "a body that is no deposit was taken");
    Ok(())
}

/// Each would let a proxy and the gateway see different requests.
pub async fn two_lengths(attack: Attack) -> Result<()> {
    let texts = [
        "POST /v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/plans HTTP/1.1\r\nhost: x\r\n\r\n",
        "POST /v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\n{}  x",
        "POST /v1/auth/login HTTP/1.1\r\nhost: x\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST /v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: +4\r\n\r\n{}  ",
        "POST /v1/auth/login HTTP/1.1\r\nhost: x\r\nfolded: a\r\n b\r\ncontent-length: 2\r\n\r\n{}",
    ];
    let client = async |from: usize| {
        let mut number = from;
        while attack.is_on() {
            attack.send(from, texts[number % texts.len()].as_bytes()).await;
            number += 1;
            sleep(Duration::from_millis(50)).await;
        }
    };
    attack.clients(8, client).await;
    ensure!(attack.counted("200") == 0, "a smuggled request was answered");
    Ok(())
}
