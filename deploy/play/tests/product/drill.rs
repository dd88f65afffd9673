//! A drill: an attacker with the wallet's database role tries to mint, divert, truncate and backdate in a running
//! product. Prints what stops each attempt, or how the audit reports it.

#![expect(clippy::print_stdout, reason = "what is printed is the report of the drill")]

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use play::request::{Decision, id};
use play::testing::TestStack;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use stack::Service;

/// What is tried: a name, and statements of one transaction, with `:member` and `:withdrawal` in place of ids.
const TRIES: &[(&str, &str)] = &[
    ("mint: raise a balance", "UPDATE accounts SET balance_cents = balance_cents + 100000000 WHERE user_id = ':member'"),
    ("mint: a correction of no proposal", "SELECT open_accounts(':member'); :mint"),
    ("mint: a proposal confirmed by invented people", ":propose UPDATE proposals SET status = 'confirmed',
        decided_by = 'a0000000-0000-0000-0000-000000000002', decided_at = clock_timestamp() WHERE kind = 'adjustment_credit'; :mint"),
    (
        "mint: the same with a row of the audit log",
        ":propose UPDATE proposals SET status = 'confirmed', decided_by = 'a0000000-0000-0000-0000-000000000002',
            decided_at = clock_timestamp() WHERE kind = 'adjustment_credit'; :row :mint",
    ),
    ("divert: another address of an approved payout", "UPDATE transactions SET destination_address = 'TATTACKERxxxxxxx' WHERE id = ':withdrawal'"),
    (
        "divert: an approval of its own, for another address",
        "UPDATE transactions SET destination_address = 'TATTACKERxxxxxxx', approved_by = 'a0000000-0000-0000-0000-000000000002',
            approved_at = now() WHERE kind = 'withdrawal' AND approved_by IS NULL",
    ),
    ("truncate: the newest entries", "DELETE FROM entries WHERE posting_id = (SELECT max(id) FROM postings)"),
    ("truncate: the newest rows of the audit log", "DELETE FROM audit_rows WHERE id = (SELECT max(id) FROM audit_rows)"),
    ("truncate: the audit log", "TRUNCATE audit_rows"),
    ("backdate: a posting", "UPDATE postings SET created_at = created_at - interval '400 days'"),
    ("backdate: a decided deposit", "UPDATE transactions SET decided_at = decided_at - interval '400 days' WHERE kind = 'deposit'"),
    ("backdate: a row of the audit log", "UPDATE audit_rows SET at = at - interval '400 days'"),
];

const PROPOSE: &str = "INSERT INTO proposals (id, kind, subject_id, change, proposed_by) VALUES
    ('f0000000-0000-0000-0000-000000000001', 'adjustment_credit', ':member', '{\"amount_cents\": 100000000}',
    'a0000000-0000-0000-0000-000000000001');";

const ROW: &str = "INSERT INTO audit_rows (id, at, actor_id, actor_role, action, subject_id, address, hash)
    SELECT max(id) + 1, clock_timestamp(), 'a0000000-0000-0000-0000-000000000002', 'treasurer', 'adjustment_credit.confirm',
        'f0000000-0000-0000-0000-000000000001', '', '' FROM audit_rows;";

const MINT: &str = "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, decided_at,
        created_at)
    VALUES ('c0000000-0000-0000-0000-000000000001', ':member', 'adjustment', '', 'success', 'credit', 100000000, now(), now());
    SELECT post_movements(true, 1, ARRAY[4000000000000000006], ARRAY[ROW (':member', 'available')::ledger_account], '{}', '{}',
        ARRAY[ROW (1, 'adjustment_credit', 'proposal', 'f0000000-0000-0000-0000-000000000001', ':member',
            'c0000000-0000-0000-0000-000000000001')::ledger_posting],
        ARRAY[ROW (1, 1, -100000000)::ledger_entry, ROW (1, 2, 100000000)::ledger_entry], '{}', '{}')";

/// [A2] [A3] [A10] [D-B1] [D-B2] [D-B3] Every try is refused by the database, or named by the audit.
#[tokio::test]
async fn a_taken_wallet_role_is_stopped_or_named() -> Result<()> {
    let stack = TestStack::start().await?;
    let member = stack.member_with("5000.00").await?;
    let withdrawal = id(&member.withdraw("1500.00").await?.success()?)?;
    stack.confirm_destination(&member, &withdrawal).await?;
    stack.staff("reviewer").await?.decide(&withdrawal, Decision::Approve).await?.success()?;
    stack.member_with("5000.00").await?.withdraw("1500.00").await?.success()?;
    let forged = id(&stack.member_with("5000.00").await?.withdraw("100.00").await?.success()?)?;
    assert_eq!(stack.broken_promises().await?, []);

    let mut wallet = PgConnection::connect(&stack.databases().url(Service::Wallet)?).await?;
    let mut known = BTreeSet::new();
    for (what, statements) in TRIES {
        let statements = statements.replace(":propose", PROPOSE).replace(":row", ROW).replace(":mint", MINT);
        let statements = statements.replace(":member", &member.id).replace(":withdrawal", &withdrawal);
        println!("{what}");
        if let Err(no) = sqlx::raw_sql(AssertSqlSafe(statements)).execute(&mut wallet).await {
            println!("    refused: {}", no.into_database_error().context("refused by the database")?.message());
            continue;
        }
        let reported = stack
            .broken_promises()
            .await?
            .into_iter()
            .flat_map(|verdict| verdict.offending.into_iter().map(move |row| format!("[{}] {row}", verdict.ids)));
        let new: BTreeSet<String> = reported.filter(|row| !known.contains(row)).collect();
        new.iter().for_each(|row| println!("    reported: {row}"));
        ensure!(new.iter().any(|row| row.contains("D-B3")), "{what}: not noticed by a missing signature");
        known.extend(new);
    }
    // A destination of its own for a member who never confirmed one: the approval is refused, because auth did not sign it.
    sqlx::query(
        "INSERT INTO destinations (user_id, currency, network, address, memo, cause, known_at, assertion)
         SELECT user_id, currency, network, destination_address, coalesce(destination_memo, ''), 'factor',
            now() - interval '40 days', coalesce((SELECT assertion FROM destinations LIMIT 1), '')
         FROM transactions WHERE id = $1::uuid",
    )
    .bind(&forged)
    .execute(&mut wallet)
    .await?;
    let refused = stack.staff("reviewer").await?.decide(&forged, Decision::Approve).await?;
    println!("divert: a destination that its member never confirmed\n    refused: {}", refused.body["message"]);
    assert_eq!(refused.body["code"], "DESTINATION_UNCONFIRMED");
    Ok(())
}
