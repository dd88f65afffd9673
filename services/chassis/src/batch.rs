//! Coalesces concurrent lookups: requests that arrive while a call is in flight go out together in the next one. There
//! is no timer, so a lone request is not delayed.

use tokio::sync::{mpsc, oneshot};
use tracing::{Instrument, Span};

/// Maximum lookups per call.
const MOST: usize = 256;

/// A way to the task that asks; the task ends with the last way to it.
pub struct Batch<Q, A> {
    queue: mpsc::Sender<Waiting<Q, A>>,
}

/// A question, and who asked it.
struct Waiting<Q, A> {
    question: Q,
    span: Span,
    asker: oneshot::Sender<A>,
}

impl<Q, A> Clone for Batch<Q, A> {
    fn clone(&self) -> Self {
        Self { queue: self.queue.clone() }
    }
}

impl<Q: Send + 'static, A: Send + 'static> Batch<Q, A> {
    /// Starts the task, which asks all questions of a call at once; the answers come in their order. A call belongs to
    /// the trace of the first who asked.
    pub fn new<F>(ask: impl Fn(Vec<Q>) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Vec<A>> + Send + 'static,
    {
        let (queue, mut waiting) = mpsc::channel::<Waiting<Q, A>>(MOST);
        tokio::spawn(async move {
            let mut together = Vec::new();
            while waiting.recv_many(&mut together, MOST).await > 0 {
                let span = together.first().map_or_else(Span::none, |first| first.span.clone());
                let (questions, askers): (Vec<_>, Vec<_>) =
                    together.drain(..).map(|one| (one.question, one.asker)).unzip();
                // In a task of its own, so that a panic ends one call and not all that come.
                let Ok(answers) = tokio::spawn(ask(questions).instrument(span)).await else { continue };
                for (asker, answer) in askers.into_iter().zip(answers) {
                    // The caller may have gone.
                    drop(asker.send(answer));
                }
            }
        });
        Self { queue }
    }

    /// Asks in a call that begins afterwards. `None` if there was no answer.
    pub async fn ask(&self, question: Q) -> Option<A> {
        let (asker, answer) = oneshot::channel();
        self.queue.send(Waiting { question, span: Span::current(), asker }).await.ok()?;
        answer.await.ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::future::join_all;
    use tokio::sync::Semaphore;

    use super::Batch;

    /// Everybody gets their own answer, and what waits for the first call is one call.
    #[tokio::test]
    async fn what_waits_is_asked_at_once() {
        let (calls, gate) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let (counted, closed) = (Arc::clone(&calls), Arc::clone(&gate));
        let batch = Batch::new(move |questions: Vec<usize>| {
            counted.fetch_add(1, Ordering::SeqCst);
            let gate = Arc::clone(&closed);
            async move {
                gate.acquire().await.expect("an open gate").forget();
                questions.into_iter().map(|question| question * 2).collect()
            }
        });
        let first = tokio::spawn({
            let batch = batch.clone();
            async move { batch.ask(0).await }
        });
        while calls.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let others = join_all((1..100).map(|question| batch.ask(question)));
        let opened = async { gate.add_permits(2) };
        let (others, ()) = futures::join!(others, opened);
        assert_eq!(first.await.expect("asked"), Some(0));
        assert_eq!(others, (1..100).map(|question| Some(question * 2)).collect::<Vec<_>>());
        assert_eq!(calls.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_call_without_answers_leaves_nobody_waiting() {
        let batch = Batch::new(|_: Vec<()>| async { Vec::<()>::new() });
        assert_eq!(batch.ask(()).await, None);
    }

    #[tokio::test]
    async fn a_panic_ends_one_call_alone() {
        let batch = Batch::new(|questions: Vec<bool>| async move {
            assert!(questions[0], "as it must");
            questions
        });
        assert_eq!(batch.ask(false).await, None);
        assert_eq!(batch.ask(true).await, Some(true));
    }
}
