//! Password hashing: argon2id on low-priority threads that leave one core free. Visitors and accounts wait in a line each,
//! which are served in turn. Few may wait; further ones are refused.

mod line;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, available_parallelism};

use argon2::password_hash::phc::{Output, PasswordHash};
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use crossbeam_channel::{Receiver, Sender, unbounded};
use tokio::sync::oneshot;

use self::line::{Line, Number};
use crate::domain::asker::Asker;
use crate::domain::password::Password;
use crate::error::Error;

/// Passwords that are hashed at a time, at most: each takes [`MEMORY_KIB`], however many cores the machine has.
const MOST_WORKERS: usize = 8;
/// Visitors, and accounts, that may wait for their turn.
const QUEUE: usize = 64;
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// How nice the threads are: beside requests that need the processor, they get a tenth of it.
const NICENESS: i32 = 10;

#[derive(Clone)]
pub struct Hasher {
    argon2: Argon2<'static>,
    /// Of no password: an unknown account costs as much as a known one.
    nobody: Arc<PasswordHash>,
    lines: Arc<Mutex<Lines>>,
    /// Wakes a thread for each job.
    ready: Sender<()>,
}

/// A place among those who wait for their turn; given up when it is dropped.
pub struct Place {
    lines: Arc<Mutex<Lines>>,
    is_account: bool,
    number: Number,
}

/// Those who wait, each with the job once it is known.
struct Lines {
    visitors: Line<Option<Job>>,
    accounts: Line<Option<Job>>,
    /// Whose turn it is.
    is_accounts_turn: bool,
}

/// Work for a thread, with the memory of the work before it: fresh pages cost a tenth of a comparison.
type Job = Box<dyn FnOnce(&mut Vec<Block>) + Send>;

impl Lines {
    const fn of(&mut self, is_account: bool) -> &mut Line<Option<Job>> {
        if is_account { &mut self.accounts } else { &mut self.visitors }
    }

    /// The next job.
    fn serve(&mut self) -> Option<Job> {
        self.is_accounts_turn = !self.is_accounts_turn;
        let turn = self.is_accounts_turn;
        self.of(turn).serve(Option::is_some).or_else(|| self.of(!turn).serve(Option::is_some)).flatten()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.lines).of(self.is_account).leave(self.number);
    }
}

fn lock(lines: &Mutex<Lines>) -> MutexGuard<'_, Lines> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hasher {
    /// With one core left to the rest, and at most [`MOST_WORKERS`].
    ///
    /// # Errors
    /// If the parameters are refused or there is no randomness.
    pub fn new() -> Result<Self, Error> {
        let workers = available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).clamp(1, MOST_WORKERS));
        Self::with_room(workers, QUEUE)
    }

    /// With this many at work, and this many visitors and accounts waiting.
    ///
    /// # Errors
    /// The same as those of [`Self::new`].
    pub fn with_room(workers: usize, queue: usize) -> Result<Self, Error> {
        let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(failed)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        // A value that no password hashes to: computing one would take 19 MiB that an idle process never gives back.
        let [salt, hash] = [chassis::keys::random::<32>().map_err(failed)?, chassis::keys::random().map_err(failed)?]
            .map(|bytes| STANDARD_NO_PAD.encode(bytes));
        let nobody = format!("$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${salt}${hash}");
        let nobody = PasswordHash::new(&nobody).map_err(failed)?;
        let lines = Lines { visitors: Line::new(queue), accounts: Line::new(queue), is_accounts_turn: false };
        let lines = Arc::new(Mutex::new(lines));
        let (ready, woken) = unbounded();
        for _ in 0..workers {
            let (lines, woken) = (Arc::clone(&lines), woken.clone());
            thread::Builder::new().name("hasher".to_owned()).spawn(move || work(&lines, &woken)).map_err(failed)?;
        }
        Ok(Self { argon2, nobody: Arc::new(nobody), lines, ready })
    }

    /// A hash that no password has: of an account whose password does not count any more.
    #[must_use]
    pub fn impossible(&self) -> String {
        self.nobody.to_string()
    }

    /// A place among those who wait. It is lost if others who have less of the line need it.
    ///
    /// # Errors
    /// [`Error::Overloaded`] if too many wait.
    pub fn place(&self, asker: Asker) -> Result<Place, Error> {
        let is_account = asker.is_account();
        let number = lock(&self.lines).of(is_account).join(asker, None).ok_or(Error::Overloaded)?;
        Ok(Place { lines: Arc::clone(&self.lines), is_account, number })
    }

    /// The hash of a password in PHC form, with a salt of its own.
    ///
    /// # Errors
    /// [`Error::Overloaded`] if too many wait.
    pub async fn hash(&self, asker: Asker, password: &Password) -> Result<String, Error> {
        let (argon2, password) = (self.argon2.clone(), password.clone());
        self.run(self.place(asker)?, move |_| {
            let hash: PasswordHash = argon2.hash_password(password.as_bytes()).map_err(failed)?;
            Ok(hash.to_string())
        })
        .await?
    }

    /// Whether the password is the hashed one. Without a hash it is not, after the same work.
    ///
    /// # Errors
    /// [`Error::Overloaded`] if too many wait.
    pub async fn matches(&self, asker: Asker, password: &Password, hash: Option<&str>) -> Result<bool, Error> {
        self.matches_at(self.place(asker)?, password, hash).await
    }

    /// Like `matches`, for a caller that holds a place.
    ///
    /// # Errors
    /// [`Error::Overloaded`] if the place was lost; if the hash cannot be read.
    pub async fn matches_at(&self, place: Place, password: &Password, hash: Option<&str>) -> Result<bool, Error> {
        let (hasher, password) = (self.clone(), password.clone());
        let known = hash.is_some();
        let hash = hash.map(PasswordHash::new).transpose().map_err(failed)?;
        self.run(place, move |memory| {
            let hash = hash.as_ref().unwrap_or(&hasher.nobody);
            let mut matches = hasher.compare(password.as_bytes(), hash, memory)?;
            if let Some(typed) = password.typed().filter(|_| !matches) {
                matches = hasher.compare(typed, hash, memory)?;
            }
            Ok(matches && known)
        })
        .await?
    }

    fn compare(&self, password: &[u8], hash: &PasswordHash, memory: &mut Vec<Block>) -> Result<bool, Error> {
        let costs = |hash: &PasswordHash| (hash.algorithm, hash.version, hash.params.clone());
        let (Some(salt), Some(expected)) = (&hash.salt, &hash.hash) else { return Ok(false) };
        if costs(hash) != costs(&self.nobody) || expected.len() != Params::DEFAULT_OUTPUT_LEN {
            // From a time of other costs.
            return Ok(self.argon2.verify_password(password, hash).is_ok());
        }
        memory.resize(self.argon2.params().block_count(), Block::new());
        let mut out = [0; Params::DEFAULT_OUTPUT_LEN];
        let hashed = self.argon2.hash_password_into_with_memory(password, salt, &mut out, &mut memory[..]);
        hashed.map_err(failed)?;
        // In the same time wherever they differ.
        Ok(*expected == Output::new(&out).map_err(failed)?)
    }

    async fn run<T: Send + 'static>(
        &self,
        place: Place,
        job: impl FnOnce(&mut Vec<Block>) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let (answer, done) = oneshot::channel();
        let job: Job = Box::new(move |memory| drop(answer.send(job(memory))));
        *lock(&self.lines).of(place.is_account).get_mut(place.number).ok_or(Error::Overloaded)? = Some(job);
        self.ready.send(()).map_err(failed)?;
        // Without an answer, others needed the place.
        done.await.map_err(|_| Error::Overloaded)
    }
}

/// A thread: works until the hasher is gone.
fn work(lines: &Mutex<Lines>, woken: &Receiver<()>) {
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::warn!(%error, "could not lower the priority of password hashing");
    }
    let mut memory = Vec::new();
    loop {
        let next = woken.try_recv().or_else(|_| {
            // Without waiting callers an idle process needs none.
            memory = Vec::new();
            woken.recv()
        });
        if next.is_err() {
            return;
        }
        let job = lock(lines).serve();
        // Anyone who waits for a panic gets no answer; the thread is there for the next.
        drop(job.map(|job| catch_unwind(AssertUnwindSafe(|| job(&mut memory)))));
    }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Cryptography(error.to_string())
}

#[cfg(test)]
mod tests {
    use argon2::password_hash::PasswordHasher;
    use argon2::password_hash::phc::PasswordHash;
    use argon2::{Algorithm, Argon2, Params, Version};
    use chassis::id::UserId;
    use futures::future::join_all;

    use super::Hasher;
    use crate::domain::asker::Asker;
    use crate::domain::password::{Form, Password};
    use crate::error::Error;

    fn password(text: &str) -> Password {
        Password::parse(text, Form::Password).unwrap()
    }

    /// [D-S7] argon2id with 19 MiB, 2 passes, 1 lane, and a salt of its own.
    #[tokio::test]
    async fn passwords_are_hashed_as_promised() {
        let hasher = Hasher::new().unwrap();
        let one = hasher.hash(Asker::operator(), &password("correct horse")).await.unwrap();
        assert!(one.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_ne!(one, hasher.hash(Asker::operator(), &password("correct horse")).await.unwrap());
        assert!(hasher.matches(Asker::operator(), &password("correct horse"), Some(&one)).await.unwrap());
        assert!(!hasher.matches(Asker::operator(), &password("correct house"), Some(&one)).await.unwrap());
        assert!(!hasher.matches(Asker::operator(), &password("correct horse"), None).await.unwrap());
    }

    /// [D-S7] An older hash, of decomposed letters, still opens its account to them; a new one is of the composed ones.
    #[tokio::test]
    async fn an_older_hash_is_compared_with_what_is_typed() {
        let hasher = Hasher::new().unwrap();
        let typed = password("geheimu\u{308}ber7");
        let older = hasher.argon2.hash_password(typed.typed().unwrap()).unwrap().to_string();
        assert!(hasher.matches(Asker::operator(), &typed, Some(&older)).await.unwrap());
        let new = hasher.hash(Asker::operator(), &typed).await.unwrap();
        assert!(hasher.matches(Asker::operator(), &password("geheim\u{fc}ber7"), Some(&new)).await.unwrap());
        assert!(hasher.matches(Asker::operator(), &typed, Some(&new)).await.unwrap());
    }

    /// [D-S7] A hash made under other costs opens its account, and only to its password.
    #[tokio::test]
    async fn a_hash_of_other_costs_is_compared_by_its_own() {
        let older = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(8 * 1024, 1, 1, None).unwrap());
        let hash: PasswordHash = older.hash_password(password("correct horse").as_bytes()).unwrap();
        let (hasher, hash) = (Hasher::new().unwrap(), hash.to_string());
        assert!(hasher.matches(Asker::operator(), &password("correct horse"), Some(&hash)).await.unwrap());
        assert!(!hasher.matches(Asker::operator(), &password("correct house"), Some(&hash)).await.unwrap());
    }

    /// [D-S7] Memory that one comparison leaves to the next reveals nothing to it.
    #[tokio::test]
    async fn comparisons_in_a_queue_do_not_mix() {
        let hasher = Hasher::with_room(2, 20).unwrap();
        let (right, wrong) = (password("correct horse"), password("correct house"));
        let hash = hasher.hash(Asker::operator(), &right).await.unwrap();
        let all = (0..20)
            .map(|place| hasher.matches(Asker::operator(), if place % 2 == 0 { &right } else { &wrong }, Some(&hash)));
        let all: Vec<bool> = join_all(all).await.into_iter().map(Result::unwrap).collect();
        assert_eq!(all, [true, false].repeat(10));
    }

    /// [D-S8] [K10] Visitors of one block who fill the line take neither the places of others nor those of accounts.
    #[tokio::test]
    async fn a_storm_of_one_block_leaves_places_to_others() {
        let hasher = Hasher::with_room(1, 8).unwrap();
        let typed = password("correct horse");
        let visitor =
            |block: &str, address: usize| Asker::Visitor { block: block.to_owned(), address: address.to_string() };
        let storm = join_all((0..200).map(|address| hasher.matches(visitor("a", address % 24), &typed, None)));
        let others = join_all([
            hasher.matches(visitor("b", 1), &typed, None),
            hasher.matches(visitor("c", 1), &typed, None),
            hasher.matches(Asker::Account { id: UserId::default(), block: "a".to_owned() }, &typed, None),
        ]);
        let (storm, others) = futures::join!(storm, others);
        assert!(others.iter().all(|result| matches!(result, Ok(false))), "{others:?}");
        assert!(storm.iter().any(|result| matches!(result, Err(Error::Overloaded))));
    }

    /// [D-S7] Who waits is bounded; the rest is sent away at once.
    #[tokio::test]
    async fn too_many_at_once_are_sent_away() {
        let hasher = Hasher::with_room(1, 2).unwrap();
        let typed = password("correct horse");
        let all = join_all((0..20).map(|_| hasher.matches(Asker::operator(), &typed, None))).await;
        let refused = all.iter().filter(|result| matches!(result, Err(Error::Overloaded))).count();
        // One may be at work by then.
        assert!((17..=18).contains(&refused), "{refused}");
        assert!(!hasher.matches(Asker::operator(), &typed, None).await.unwrap(), "room again");
    }
}
