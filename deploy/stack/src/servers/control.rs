//! Restarts of single processes of a running stack, asked for by another program through a socket in its folder.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{UnixListener, UnixStream},
    time::timeout,
};

use crate::service::Service;

/// A name of a service, or the reason why it did not restart.
const LONGEST: u64 = 64 * 1024;
/// A program writes its request at once.
const REQUEST_LIMIT: Duration = Duration::from_secs(2);
const RESTARTED: &str = "restarted";

/// Where a stack takes requests; the socket is removed with it.
#[derive(Debug)]
pub struct Control {
    listener: UnixListener,
    path: PathBuf,
}

/// A service to restart, and who waits for that.
#[derive(Debug)]
pub struct Request {
    pub service: Service,
    from: UnixStream,
}

// === impl Control ===

impl Control {
    /// Takes requests for the stack in `folder`, whose lock is held.
    ///
    /// # Errors
    /// When the socket cannot be made.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = socket(folder);
        // A killed stack leaves its socket behind.
        drop(std::fs::remove_file(&path));
        let listener = UnixListener::bind(&path).with_context(|| format!("cannot listen at {}", path.display()))?;
        Ok(Self { listener, path })
    }

    /// The next request that names a service; others are answered with what is wrong.
    pub async fn next(&self) -> Request {
        loop {
            let Ok((mut from, _)) = self.listener.accept().await else { continue };
            let Ok(Ok(name)) = timeout(REQUEST_LIMIT, read(&mut from)).await else { continue };
            match Service::processes().find(|service| service.name() == name) {
                Some(service) => return Request { service, from },
                None => {
                    let names: Vec<_> = Service::processes().map(Service::name).collect();
                    drop(
                        from.write_all(format!("no service {name:?}; there are {}", names.join(", ")).as_bytes()).await,
                    );
                }
            }
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.path));
    }
}

// === impl Request ===

impl Request {
    /// Reports the outcome to the caller.
    pub async fn answer(mut self, result: &Result<()>) {
        let text = result.as_ref().map_or_else(|error| format!("{error:#}"), |()| RESTARTED.to_owned());
        drop(self.from.write_all(text.as_bytes()).await);
    }
}

/// Has the stack in `folder` restart a service from its binary, and waits until it is ready.
///
/// # Errors
/// When no stack runs there, it has no such service, or the service does not become ready.
pub async fn restart(folder: &Path, service: &str) -> Result<()> {
    let path = socket(folder);
    let mut stack =
        UnixStream::connect(&path).await.with_context(|| format!("no stack listens at {}", path.display()))?;
    stack.write_all(service.as_bytes()).await?;
    stack.shutdown().await?;
    match read(&mut stack).await?.as_str() {
        RESTARTED => Ok(()),
        "" => bail!("the stack ended"),
        reason => bail!("{reason}"),
    }
}

async fn read(stream: &mut UnixStream) -> Result<String> {
    let mut text = String::new();
    stream.take(LONGEST).read_to_string(&mut text).await?;
    Ok(text)
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("control")
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[tokio::test]
    async fn a_request_reaches_the_stack_and_its_answer_the_caller() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(restart(folder.path(), "wallet").await.is_err(), "no stack runs");
        let control = Control::open(folder.path()).expect("open");
        let stack = async {
            for result in [Ok(()), Err(anyhow!("wallet is not ready in time"))] {
                let request = control.next().await;
                assert_eq!(request.service, Service::Wallet);
                request.answer(&result).await;
            }
        };
        let caller = async {
            let unknown = restart(folder.path(), "walet").await.expect_err("not a service");
            assert!(unknown.to_string().contains("there are auth, wallet"), "{unknown}");
            restart(folder.path(), "wallet").await.expect("restarted");
            let late = restart(folder.path(), "wallet").await.expect_err("not ready");
            assert_eq!(late.to_string(), "wallet is not ready in time");
        };
        tokio::join!(stack, caller);
        drop(control);
        assert!(!socket(folder.path()).exists());
    }
}
