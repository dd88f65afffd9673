//! Videos of the course on the real product: an interrupted upload, the worker, a publication, members who watch, and the
//! end of their access.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, stream};
use play::{
    client::{self, Client},
    samples,
    testing::TestStack,
};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

const LESSON: &str = "film-with-a-phone";
const PREVIEW: &str = "what-brands-buy";

/// A link of an answer as a path below `/v1`.
fn path(link: &Value) -> Result<&str> {
    link.as_str().and_then(|link| link.strip_prefix("/v1")).context("a link")
}

/// The status and the text of a link.
async fn read(client: &Client, path: &str) -> Result<(u16, String)> {
    let response = client.request(Method::GET, path).send().await?;
    Ok((response.status().as_u16(), String::from_utf8_lossy(&response.bytes().await?).into_owned()))
}

/// Sends the first bytes of a part and then breaks off.
async fn break_off(manager: &Client, id: &str, offset: usize, bytes: Vec<u8>) {
    // Only what is on its way already can arrive.
    let cut = async {
        sleep(Duration::from_millis(500)).await;
        Err(std::io::Error::other("the line is cut"))
    };
    let body = reqwest::Body::wrap_stream(stream::once(async { Ok(bytes) }).chain(stream::once(cut)));
    assert!(samples::append(manager, id, offset, body).await.is_err());
}

/// Where an upload continues.
async fn offset(manager: &Client, id: &str) -> Result<usize> {
    let request = manager.request(Method::HEAD, &format!("/admin/course/media/{id}"));
    let answer = client::send(request.header("tus-resumable", "1.0.0")).await?;
    Ok(answer.headers.get("upload-offset").context("no offset")?.to_str()?.parse()?)
}

/// Publishes a version in which these lessons have a video.
async fn publish(manager: &Client, video: &str) -> Result<()> {
    let mut studio = manager.get("/admin/course").await?.success()?;
    for module in studio["content"]["modules"].as_array_mut().context("modules")? {
        for lesson in module["lessons"].as_array_mut().context("lessons")? {
            if lesson["id"] == LESSON || lesson["id"] == PREVIEW {
                lesson["video"] = json!(video);
            }
        }
    }
    let draft = json!({ "revision": studio["revision"], "content": studio["content"] });
    let draft = manager.put("/admin/course/draft", draft).await?.success()?;
    let publication = json!({ "revision": draft["revision"], "published": studio["published"] });
    manager.post("/admin/course/publish", publication).await?.success()?;
    Ok(())
}

/// [D-C5] [D-C7] [D-C9] [D-R18] An upload that is interrupted three times becomes a video; a buyer watches it from another session's
/// link never, after signing out and after a refund no more, and a visitor watches the free preview.
#[tokio::test]
async fn a_video_from_the_upload_to_the_refund() -> Result<()> {
    let stack = TestStack::start().await?;
    let manager = stack.staff("manager").await?;
    let folder = tempfile::tempdir()?;
    let film = samples::film(folder.path(), "A film for a test").await?;
    let id = samples::begin(&manager, "video", "film.mp4", film.len()).await?;
    for _ in 0..3 {
        let at = offset(&manager, &id).await?;
        break_off(&manager, &id, at, film[at..at + film.len() / 5].to_vec()).await;
        let limit = Instant::now() + Duration::from_secs(10);
        while offset(&manager, &id).await? == at {
            ensure!(Instant::now() < limit, "nothing of the part was kept");
            sleep(Duration::from_millis(50)).await;
        }
    }
    let at = offset(&manager, &id).await?;
    ensure!(at > 0 && at < film.len(), "{at} of {}", film.len());
    assert_eq!(samples::append(&manager, &id, at, film[at..].to_vec()).await?.status, 204);
    let media = samples::wait_until_ready(&manager, &id).await?;
    assert_eq!(read(&manager, path(&media["hls"])?).await?.0, 200, "staff see it before it is published");
    publish(&manager, &id).await?;

    let visitor = stack.client();
    let preview = visitor.get(&format!("/courses/lessons/{PREVIEW}")).await?.success()?;
    assert_eq!(read(&visitor, path(&preview["lesson"]["video"]["hls"])?).await?.0, 200);

    let buyer = stack.member_with("500.00").await?;
    assert_eq!(buyer.client.get(&format!("/courses/lessons/{LESSON}")).await?.status, 403);
    buyer.client.post("/courses/purchase", json!({})).await?.success()?;
    let lesson = buyer.client.get(&format!("/courses/lessons/{LESSON}")).await?.success()?;
    let hls = path(&lesson["lesson"]["video"]["hls"])?;
    let playlist = read(&visitor, &hls.replace("master.m3u8", "360p.m3u8")).await?;
    assert_eq!(playlist.0, 200, "a player has no token");
    let segments =
        playlist.1.lines().filter_map(|line| line.strip_prefix("/v1")).map(str::to_owned).collect::<Vec<_>>();
    ensure!(segments.len() >= 2, "{}", playlist.1);
    for segment in &segments {
        assert_eq!(read(&visitor, segment).await?.0, 200);
    }
    let other = stack.member().await?;
    for link in [hls, segments[0].as_str()] {
        assert_eq!(read(&other.client, link).await?.0, 404, "the token of another session");
        assert_eq!(read(&buyer.client, link).await?.0, 200);
    }

    let note = json!({ "position": 3, "text": "Remember this" });
    buyer.client.post(&format!("/courses/lessons/{LESSON}/notes"), note).await?.success()?;
    let treasurer = stack.staff("treasurer").await?;
    let refund = json!({ "note": "The member asked for it" });
    let proposal = treasurer.post(&format!("/admin/members/{}/course/refund", buyer.id), refund).await?.success()?;
    let proposal = proposal["proposalId"].as_str().context("a proposal")?;
    let second = stack.staff("treasurer2").await?;
    second.post(&format!("/admin/proposals/{proposal}/confirm"), json!({})).await?.success()?;
    let refunded = Instant::now();
    while read(&visitor, &segments[0]).await?.0 == 200 {
        ensure!(refunded.elapsed() < Duration::from_secs(5), "access after a refund");
        sleep(Duration::from_millis(100)).await;
    }
    for link in [hls, segments[0].as_str()] {
        assert_eq!(read(&visitor, link).await?.0, 403);
    }
    buyer.client.post("/auth/logout", json!({})).await?;
    let left = Instant::now();
    while read(&visitor, hls).await?.0 != 404 {
        ensure!(left.elapsed() < Duration::from_secs(5), "the links of a session that has ended");
        sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}
