//! The reference table of kinds of postings: the same in the code, the README and the types of the database.

use std::collections::HashSet;

use sqlx::PgPool;
use strum::VariantArray;
use wallet::domain::account::HouseAccount;
use wallet::domain::posting_kind::PostingKind;
use wallet::domain::transaction::record::Record;

use crate::fixture::World;

/// The kinds of postings and the accounts of the house in code are those of the reference table and the ledger.
#[sqlx::test(migrations = false)]
async fn kinds_and_accounts_are_those_of_the_database(pool: PgPool) {
    let world = World::new(pool).await;
    let kinds: Vec<String> =
        sqlx::query_scalar("SELECT DISTINCT kind FROM posting_kinds").fetch_all(&world.pool).await.unwrap();
    let known = PostingKind::VARIANTS
        .iter()
        .filter(|kind| **kind != PostingKind::Transfer)
        .map(|kind| kind.into_str().to_owned());
    assert_eq!(kinds.into_iter().collect::<HashSet<_>>(), known.collect());
    let accounts: Vec<(i64, String)> =
        sqlx::query_as("SELECT id - 100 * bucket(), kind FROM accounts WHERE user_id IS NULL")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    let known = HouseAccount::VARIANTS.iter().map(|one| (one.id(), one.into_str().to_owned()));
    assert_eq!(accounts.into_iter().collect::<HashSet<_>>(), known.collect());
}

/// [D-B1] Every account of a rule has an amount that `named_amount` knows, unless the posting reverses another: without one, the
/// check of the ledger would expect no posting, and a fault pauses withdrawals.
#[sqlx::test(migrations = false)]
async fn every_rule_says_what_each_account_moves(pool: PgPool) {
    let world = World::new(pool).await;
    let wrong: Vec<String> = sqlx::query_scalar(
        "SELECT format('%s (%s)', kind, cause_type) FROM posting_kinds
         WHERE CASE WHEN debit_amounts IS NULL THEN reverses IS NULL OR credit_amounts IS NOT NULL
            ELSE cardinality(debits) <> cardinality(debit_amounts) OR cardinality(credits) <> cardinality(credit_amounts)
                OR cardinality(debits) = 0 OR EXISTS (SELECT FROM unnest(debit_amounts || credit_amounts) AS name
                    WHERE num_nonnulls(named_amount(name, 5, 3), named_amount(name, 3, 5)) = 0) END",
    )
    .fetch_all(&world.pool)
    .await
    .unwrap();
    assert_eq!(wrong, Vec::<String>::new());
}

/// The README's table states every rule as the database has it.
#[sqlx::test(migrations = false)]
async fn the_readme_states_every_rule(pool: PgPool) {
    const RULES: &str = "SELECT format('| `%s` | %s, %s | %s → %s |', kind, cause_type, cause_status,
            (SELECT string_agg(account || coalesce(' (' || nullif(debit_amounts[n], 'amount') || ')', ''), ', ' ORDER BY n)
                FROM unnest(debits) WITH ORDINALITY AS one (account, n)),
            (SELECT string_agg(account || coalesce(' (' || nullif(credit_amounts[n], 'amount') || ')', ''), ', ' ORDER BY n)
                FROM unnest(credits) WITH ORDINALITY AS one (account, n)))
        FROM posting_kinds";
    let world = World::new(pool).await;
    let rules: HashSet<String> = sqlx::query_scalar(RULES).fetch_all(&world.pool).await.unwrap().into_iter().collect();
    let written =
        include_str!("../../../README.md").lines().filter(|line| line.starts_with("| `") && line.contains(" → "));
    let written: HashSet<String> = written.map(|line| line.split_inclusive(" |").take(3).collect::<String>()).collect();
    assert_eq!(written, rules);
}

/// [L9] A transaction is sent by the positions of its fields: the type in the database has the same ones in the same order.
#[sqlx::test(migrations = false)]
async fn the_type_of_a_transaction_has_the_fields_of_its_record(pool: PgPool) {
    const FIELDS: &str = "SELECT attname FROM pg_attribute JOIN pg_type ON typrelid = attrelid
        WHERE pg_type.oid = 'ledger_transaction'::regtype ORDER BY attnum";
    let world = World::new(pool).await;
    let fields: Vec<String> = sqlx::query_scalar(FIELDS).fetch_all(&world.pool).await.unwrap();
    assert_eq!(fields, Record::FIELDS);
}
