//! Clients that do not read what they asked for.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;

use crate::attack::hostile::{Attack, bearer, get};
use play::samples;

/// Streams that one member may follow at once.
const STREAMS: u64 = 8;

pub async fn slow(attack: Attack) -> Result<()> {
    let head = get(&attack.document().await?, "");
    let client = async |number: usize| {
        let Some(mut stream) = attack.open_with_buffer(number / 40, Some(4_096)).await else { return };
        drop(stream.write_all(&head).await);
        let mut part = [0; 200];
        while attack.is_on() {
            match stream.read(&mut part).await {
                Ok(1..) => sleep(Duration::from_millis(200)).await,
                _ => return attack.count("ended"),
            }
        }
        attack.count("open");
    };
    attack.clients(101, client).await;
    Ok(())
}

pub async fn never(attack: Attack) -> Result<()> {
    let head = get(&attack.document().await?, "");
    let client = async |number: usize| {
        let Some(mut stream) = attack.open_with_buffer(number / 32, Some(4_096)).await else { return };
        drop(stream.write_all(&head).await);
        attack.count("asked");
        // The connection stays open until the case ends.
        std::future::pending::<()>().await;
    };
    attack.clients(8 * 32, client).await;
    Ok(())
}

pub async fn ranges(attack: Attack) -> Result<()> {
    let document = attack.document().await?;
    let many: Vec<_> = (0..1_000).map(|number| format!("{number}-{number}")).collect();
    let ranges = [format!("bytes={}", many.join(",")), "bytes=0-0".to_owned(), "bytes=99999999-".to_owned()];
    let of = |number: u64| {
        let range = &ranges[usize::try_from(number).unwrap_or_default() % ranges.len()];
        get(&document, &format!("range: {range}\r\n"))
    };
    attack.clients(6, |from| attack.flood(from, 40, of)).await;
    Ok(())
}

/// All accounts but the last hold a download, from one address; the last one gets its own.
pub async fn downloads(attack: Attack) -> Result<()> {
    let last = attack.target.accounts.len() - 1;
    let client = async |number: usize| {
        let Some(mut stream) = attack.open_with_buffer(0, Some(4_096)).await else { return };
        drop(stream.write_all(&get("/v1/users/export", &bearer(attack.account(number % last)))).await);
        attack.count("asked");
        std::future::pending::<()>().await;
    };
    let other = async {
        sleep(Duration::from_millis(500)).await;
        let download = attack.account(last).client.request(Method::GET, "/users/export").send().await?;
        ensure!(download.status().is_success(), "a download of another member answered {}", download.status());
        drop(download.bytes().await?);
        Ok(())
    };
    let (downloaded, ()) = tokio::join!(other, attack.clients(last * 2, client));
    downloaded
}

/// Uploads that one manager begins; the other one still can.
pub async fn uploads(attack: Attack) -> Result<()> {
    let [one, other] = &attack.target.managers;
    let begun = async {
        let mut begun = Vec::new();
        while let Ok(id) = samples::begin(one, "attachment", "begun.pdf", 1_000).await {
            begun.push(id);
            attack.count("begun");
        }
        let own = samples::begin(other, "attachment", "own.pdf", 1_000).await.context("the other manager")?;
        other.delete(&format!("/admin/course/media/{own}")).await?;
        for id in begun {
            one.delete(&format!("/admin/course/media/{id}")).await?;
        }
        Ok(())
    };
    begun.await
}

/// Every account tries for twice as many streams as it may have.
pub async fn streams(attack: Attack) -> Result<()> {
    let client = async |number: usize| {
        let head = get("/v1/events", &bearer(attack.account(number / 16)));
        let Some(mut stream) = attack.open(number / 16).await else { return };
        drop(stream.write_all(&head).await);
        let mut answer = vec![0; 256];
        let count = stream.read(&mut answer).await.unwrap_or_default();
        attack.count(&String::from_utf8_lossy(answer[..count].get(9..12).unwrap_or(b"closed")));
        std::future::pending::<()>().await;
    };
    let accounts = attack.target.accounts.len();
    attack.clients(accounts * 16, client).await;
    let (open, most) = (attack.counted("200"), STREAMS * accounts as u64);
    ensure!(open <= most, "{open} streams, more than {most}");
    Ok(())
}
