//! The posting engine: the only way by which money moves.
//!
//! A posting is a set of legs that sum to zero. All accounts of a call are locked in ascending id in one statement; what
//! follows is set-based, one statement each for postings, entries and balances, so that many postings cost little more
//! than one. Each account's entries form a SHA-256 chain whose head stands in the account's row, so that the chain
//! needs no lock of its own.

use std::collections::HashMap;

use chassis::money::Cents;
use sha2::{Digest, Sha256};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::account::{AccountRef, MemberAccount};
use crate::error::Error;

/// Money that moves at once.
#[derive(Debug, Clone)]
pub struct Posting {
    /// What moves it, e.g. `deposit`.
    pub kind: &'static str,
    /// What it settles; with the kind, posted once.
    pub business_id: Uuid,
    /// The member concerned.
    pub user_id: Uuid,
    /// The line of the member's history it belongs to.
    pub transaction_id: Option<Uuid>,
    /// What each account gains; sums to zero, no account twice.
    pub legs: Vec<(AccountRef, Cents)>,
}

impl Posting {
    /// Moves an amount from one account to another, in the transaction with this id.
    ///
    /// # Errors
    /// If the amount cannot be negated.
    pub fn transfer(
        kind: &'static str,
        user_id: Uuid,
        transaction_id: Uuid,
        from: AccountRef,
        to: AccountRef,
        amount: Cents,
    ) -> Result<Self, Error> {
        let legs = vec![(from, amount.negated()?), (to, amount)];
        Ok(Self { kind, business_id: transaction_id, user_id, transaction_id: Some(transaction_id), legs })
    }

    /// The same for another business id than the transaction's.
    #[must_use]
    pub fn settling(self, business_id: Uuid) -> Self {
        Self { business_id, ..self }
    }
}

/// A locked account.
struct Account {
    id: i64,
    is_members: bool,
    balance: Cents,
    entry_count: i64,
    head_hash: Vec<u8>,
}

/// Entries to be written, column by column.
#[derive(Default)]
struct Entries {
    account_ids: Vec<i64>,
    posting_ids: Vec<i64>,
    amounts: Vec<i64>,
    balances: Vec<i64>,
    hashes: Vec<Vec<u8>>,
}

/// Posts in the order given, all or nothing, in the caller's transaction. Members' accounts are made on first need.
///
/// # Errors
/// `InsufficientBalance` if a member's account would fall below zero at any point, `AlreadyPosted` if a (kind, business
/// id) was posted before, the database's.
pub async fn post(conn: &mut PgConnection, postings: &[Posting]) -> Result<(), Error> {
    let mut accounts = lock(conn, postings).await?;
    // Decided before anything is written, so that a refusal costs no write.
    let mut balances: HashMap<AccountRef, Cents> = accounts.iter().map(|(key, one)| (*key, one.balance)).collect();
    for (account, amount) in postings.iter().flat_map(|posting| &posting.legs) {
        let balance = balances.get_mut(account).ok_or(Error::AccountMissing)?;
        *balance = balance.plus(*amount)?;
        if matches!(account, AccountRef::Member(..)) && *balance < Cents::ZERO {
            return Err(Error::InsufficientBalance);
        }
    }
    let ids = insert_postings(conn, postings).await?;
    let entries = chain(&mut accounts, postings, &ids)?;
    insert_entries(conn, &entries).await?;
    update_accounts(conn, accounts.values()).await?;
    for posting in postings {
        // Counted when it is written: what its transaction takes back afterwards is too little to tell apart.
        let moved: u64 = posting.legs.iter().filter_map(|(_, cents)| u64::try_from(cents.get()).ok()).sum();
        metrics::counter!("postings_total", "kind" => posting.kind).increment(1);
        metrics::counter!("posted_cents_total", "kind" => posting.kind).increment(moved);
    }
    Ok(())
}

/// Locks a member's free balance, making the accounts on first need: what a use case does before it decides by what the
/// member has. It is the first of the member's accounts, so that a posting afterwards keeps the order.
///
/// # Errors
/// The database's.
pub async fn lock_member(conn: &mut PgConnection, user_id: Uuid) -> Result<(), Error> {
    let locked =
        || sqlx::query_scalar!("SELECT id FROM accounts WHERE user_id = $1 AND kind = 'available' FOR UPDATE", user_id);
    if locked().fetch_optional(&mut *conn).await?.is_none() {
        open_accounts(conn, user_id).await?;
        locked().fetch_one(conn).await?;
    }
    Ok(())
}

/// Makes a member's accounts if they are not there.
///
/// # Errors
/// The database's.
pub async fn open_accounts(conn: &mut PgConnection, user_id: Uuid) -> Result<(), Error> {
    let kinds = MemberAccount::ALL.map(|kind| kind.as_str().to_owned());
    sqlx::query!(
        "INSERT INTO accounts (kind, user_id) SELECT kind, $1 FROM unnest($2::text[]) AS kind ON CONFLICT DO NOTHING",
        user_id,
        &kinds
    )
    .execute(conn)
    .await?;
    Ok(())
}

async fn lock(conn: &mut PgConnection, postings: &[Posting]) -> Result<HashMap<AccountRef, Account>, Error> {
    let (mut house, mut users, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    let mut wanted: HashMap<(Option<Uuid>, &str), AccountRef> = HashMap::new();
    let mut house_refs = HashMap::new();
    for (account, _) in postings.iter().flat_map(|posting| &posting.legs) {
        match account {
            AccountRef::House(one) => {
                if house_refs.insert(one.id(), *account).is_none() {
                    house.push(one.id());
                }
            }
            AccountRef::Member(user_id, kind) => {
                if wanted.insert((Some(*user_id), kind.as_str()), *account).is_none() {
                    users.push(*user_id);
                    kinds.push(kind.as_str().to_owned());
                }
            }
        }
    }
    let mut rows = locked_rows(conn, &house, &users, &kinds).await?;
    if rows.len() < house.len() + users.len() {
        for user_id in &users {
            open_accounts(conn, *user_id).await?;
        }
        rows = locked_rows(conn, &house, &users, &kinds).await?;
    }
    let mut accounts = HashMap::with_capacity(rows.len());
    for (user_id, kind, account) in rows {
        let key = if account.is_members { wanted.get(&(user_id, kind.as_str())) } else { house_refs.get(&account.id) };
        accounts.insert(*key.ok_or(Error::AccountMissing)?, account);
    }
    Ok(accounts)
}

async fn locked_rows(
    conn: &mut PgConnection,
    house: &[i64],
    users: &[Uuid],
    kinds: &[String],
) -> Result<Vec<(Option<Uuid>, String, Account)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT id, user_id, kind, balance_cents AS "balance: Cents", entry_count, head_hash FROM accounts
        WHERE id = ANY ($1::bigint[] || ARRAY(
            SELECT one.id FROM unnest($2::uuid[], $3::text[]) AS wanted (user_id, kind)
            JOIN accounts AS one ON one.user_id = wanted.user_id AND one.kind = wanted.kind))
        ORDER BY id FOR UPDATE"#,
        house,
        users,
        kinds
    )
    .fetch_all(conn)
    .await?;
    let account = |row: (i64, bool, Cents, i64, Vec<u8>)| Account {
        id: row.0,
        is_members: row.1,
        balance: row.2,
        entry_count: row.3,
        head_hash: row.4,
    };
    Ok(rows
        .into_iter()
        .map(|row| {
            let is_members = row.user_id.is_some();
            (row.user_id, row.kind, account((row.id, is_members, row.balance, row.entry_count, row.head_hash)))
        })
        .collect())
}

/// Writes the postings; their ids in the order given.
async fn insert_postings(conn: &mut PgConnection, postings: &[Posting]) -> Result<Vec<i64>, Error> {
    let kinds: Vec<String> = postings.iter().map(|posting| posting.kind.to_owned()).collect();
    let business_ids: Vec<Uuid> = postings.iter().map(|posting| posting.business_id).collect();
    let user_ids: Vec<Uuid> = postings.iter().map(|posting| posting.user_id).collect();
    let transaction_ids: Vec<Option<Uuid>> = postings.iter().map(|posting| posting.transaction_id).collect();
    let rows = sqlx::query!(
        "INSERT INTO postings (kind, business_id, user_id, transaction_id)
         SELECT kind, business_id, user_id, transaction_id
         FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[]) WITH ORDINALITY
              AS new (kind, business_id, user_id, transaction_id, place)
         ORDER BY place
         RETURNING id, kind, business_id",
        &kinds,
        &business_ids,
        &user_ids,
        &transaction_ids as &[Option<Uuid>]
    )
    .fetch_all(conn)
    .await?;
    let ids: HashMap<(String, Uuid), i64> = rows.into_iter().map(|row| ((row.kind, row.business_id), row.id)).collect();
    postings
        .iter()
        .map(|posting| ids.get(&(posting.kind.to_owned(), posting.business_id)).copied().ok_or(Error::AlreadyPosted))
        .collect()
}

/// Applies the legs to the locked accounts and links each entry to the one before.
fn chain(accounts: &mut HashMap<AccountRef, Account>, postings: &[Posting], ids: &[i64]) -> Result<Entries, Error> {
    let mut entries = Entries::default();
    for (posting, posting_id) in postings.iter().zip(ids) {
        for (account, amount) in &posting.legs {
            let account = accounts.get_mut(account).ok_or(Error::AccountMissing)?;
            account.balance = account.balance.plus(*amount)?;
            account.entry_count += 1;
            account.head_hash = linked(account, *posting_id, *amount);
            entries.account_ids.push(account.id);
            entries.posting_ids.push(*posting_id);
            entries.amounts.push(amount.get());
            entries.balances.push(account.balance.get());
            entries.hashes.push(account.head_hash.clone());
        }
    }
    Ok(entries)
}

/// The hash of an entry whose account already has the new balance and still the old head.
fn linked(account: &Account, posting_id: i64, amount: Cents) -> Vec<u8> {
    let mut hasher = Sha256::new();
    hasher.update(&account.head_hash);
    for number in [account.id, posting_id, amount.get(), account.balance.get()] {
        hasher.update(number.to_be_bytes());
    }
    hasher.finalize().to_vec()
}

async fn insert_entries(conn: &mut PgConnection, entries: &Entries) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO entries (account_id, posting_id, amount_cents, balance_after_cents, hash)
         SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[])",
        &entries.account_ids,
        &entries.posting_ids,
        &entries.amounts,
        &entries.balances,
        &entries.hashes
    )
    .execute(conn)
    .await?;
    Ok(())
}

async fn update_accounts(conn: &mut PgConnection, accounts: impl Iterator<Item = &Account>) -> Result<(), Error> {
    let (mut ids, mut balances, mut counts, mut hashes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for account in accounts {
        ids.push(account.id);
        balances.push(account.balance.get());
        counts.push(account.entry_count);
        hashes.push(account.head_hash.clone());
    }
    sqlx::query!(
        "UPDATE accounts SET balance_cents = new.balance_cents, entry_count = new.entry_count, head_hash = new.head_hash
         FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[]) AS new (id, balance_cents, entry_count, head_hash)
         WHERE accounts.id = new.id",
        &ids,
        &balances,
        &counts,
        &hashes
    )
    .execute(conn)
    .await?;
    Ok(())
}
