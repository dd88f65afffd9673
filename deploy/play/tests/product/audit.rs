//! The audit program accepts databases with a history, and finds what was tampered with in dozens of copies of them: a
//! checker that never failed proves nothing.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod product;
mod tampering;

use std::path::Path;

use audit::{Evidence, Verdict, audit};
use chassis::config::object_store;
use chassis::db::Db;
use chassis::decision::{AUDIENCE, Decided, Signed};
use chassis::hex::to_hex;
use chassis::identity::Role;
use chassis::keys::{SigningKey, generate};
use chassis::permission::Permission;
use chassis::proposal;
use chassis::roots::{Covers, Exporter};
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::audit::product::{Product, decisions, services, staff};

/// Every promise is checked, and kept by a product that lived well.
#[sqlx::test(migrations = false)]
async fn a_lived_in_product_is_clean(pool: PgPool) {
    let verdicts = Product::lived_in(&pool).await.audit().await;
    assert_eq!(
        verdicts.iter().filter(|verdict| !verdict.offending.is_empty()).collect::<Vec<_>>(),
        Vec::<&Verdict>::new()
    );
    assert!(verdicts.len() > 50, "{}", verdicts.len());
}

/// Writes a root of every database, once every posting is complete: transactions of other tests on the same server may run.
async fn export(product: &Product, folder: &Path, keys: &Path) {
    let mut wallet = product.connect("wallet").await;
    let complete = "SELECT NOT EXISTS (SELECT FROM postings WHERE xid >= pg_snapshot_xmin(pg_current_snapshot()))";
    for _ in 0..200 {
        if sqlx::query_scalar::<_, bool>(complete).fetch_one(&mut wallet).await.unwrap() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    for (schema, service) in services() {
        let exporter = Exporter {
            service,
            db: Db::connect_lazy(&product.url(schema), 1).unwrap(),
            store: object_store(&format!("file://{}", folder.display())).unwrap(),
            key: SigningKey::read(&keys.join(format!("{service}.key"))).unwrap(),
            covers: if service == "wallet" { Covers::Journal } else { Covers::AuditLog },
        };
        exporter.export().await.unwrap();
    }
}

/// What the audit finds against roots after tampering that leaves the databases consistent in themselves.
async fn against_roots(pool: &PgPool, service: &str, tampering: &str) -> Vec<String> {
    let product = Product::lived_in(pool).await;
    let folder = tempfile::tempdir().unwrap();
    export(&product, folder.path(), product.keys.path()).await;
    if !tampering.is_empty() {
        product.run(service, &format!("SET session_replication_role = replica; {tampering}")).await;
    }
    let trusted_keys = product.keys.path().join("trusted.json");
    let evidence = Evidence { trusted_keys: &trusted_keys, roots: Some(folder.path()), nodes: None };
    let verdicts = audit(&product.urls(), Some(&evidence)).await.unwrap();
    verdicts.into_iter().filter(|one| one.ids.starts_with("A10")).flat_map(|one| one.offending).collect()
}

/// [A10] [D-B5] Books that go on after a root extend it.
#[sqlx::test(migrations = false)]
async fn books_that_go_on_extend_their_roots(pool: PgPool) {
    let later = "SELECT book('bonus', gen_random_uuid(), NULL, ARRAY[3, 4000000000000000005], ARRAY[500, -500])";
    assert_eq!(against_roots(&pool, "wallet", later).await, Vec::<String>::new());
}

/// [A10] [D-B5] A tail that was cut off, of the ledger or of an audit log, is named.
#[sqlx::test(migrations = false)]
async fn a_cut_tail_is_named(pool: PgPool) {
    let cut = "DELETE FROM entries WHERE posting_id = (SELECT max(id) FROM postings);
        DELETE FROM postings WHERE id = (SELECT max(id) FROM postings);
        UPDATE accounts SET entry_count = entry_count - 1, balance_cents = 0, head_hash = '' WHERE id IN (3, 4000000000000000005);
        DELETE FROM audit_rows WHERE id = 4";
    let found = against_roots(&pool, "wallet", cut).await;
    assert_eq!(
        found,
        ["row 4 of the audit log, which root 1 names, is missing", "root 1 names 13 postings up to 13, there are 12"]
    );
}

/// [A10] [D-B5] A posting that was backdated or given another header is named, and so is a rewritten audit log.
#[sqlx::test(migrations = false)]
async fn a_rewritten_history_is_named(pool: PgPool) {
    let found = against_roots(
        &pool,
        "wallet",
        "UPDATE postings SET created_at = created_at - interval '400 days' WHERE id = 1;
        UPDATE audit_rows SET hash = sha256(hash) WHERE id = 4",
    )
    .await;
    assert_eq!(
        found,
        [
            "the audit log up to row 4 is another than root 1 names",
            "the postings after 0 up to 13, which root 1 names, are others than at that time"
        ]
    );
}

/// [A10] [D-B5] A root that another key signed, and a database without roots, are named.
#[sqlx::test(migrations = false)]
async fn a_root_of_a_stranger_is_named(pool: PgPool) {
    let product = Product::lived_in(&pool).await;
    let (folder, strangers) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    generate(strangers.path()).unwrap();
    export(&product, folder.path(), strangers.path()).await;
    std::fs::remove_dir_all(folder.path().join("mailer")).unwrap();
    let trusted_keys = product.keys.path().join("trusted.json");
    let evidence = Evidence { trusted_keys: &trusted_keys, roots: Some(folder.path()), nodes: None };
    let verdicts = audit(&product.urls(), Some(&evidence)).await.unwrap();
    let found: Vec<_> =
        verdicts.into_iter().filter(|one| one.ids.starts_with("A10")).flat_map(|one| one.offending).collect();
    assert_eq!(found.len(), services().count(), "{found:?}");
    assert!(found.contains(&"root 1 is not signed by wallet".to_owned()), "{found:?}");
    assert!(found.contains(&"no root was ever written".to_owned()), "{found:?}");
}

/// What the audit says about signatures after something happened to a lived-in product.
async fn about_signatures(product: &Product) -> Vec<String> {
    let verdicts = product.audit().await.into_iter().filter(|one| one.ids.split(' ').any(|id| id == "D-B3"));
    verdicts.flat_map(|one| one.offending).collect()
}

/// [D-B3] [A2] Money minted by a proposal with invented people: whether its audit row is missing, unsigned, signed by a key of
/// another service or for another person, the audit names the proposal or the row.
#[sqlx::test(migrations = false)]
async fn an_invented_proposal_is_named(pool: PgPool) {
    let product = Product::lived_in(&pool).await;
    let mint = "INSERT INTO proposals VALUES ('00000000-0000-0000-0000-0000000000fa', 'adjustment_credit',
            '00000000-0000-0000-0000-0000000000b1', '{\"amount_cents\": 100000000}', NULL, 'confirmed',
            '00000000-0000-0000-0000-0000000000a2', now(), '00000000-0000-0000-0000-0000000000a3', now());
        INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, decided_at, created_at)
            VALUES ('00000000-0000-0000-0000-0000000000ca', '00000000-0000-0000-0000-0000000000b1', 'adjustment', '',
            'success', 'credit', 100000000, now(), now());
        SELECT book('adjustment_credit', '00000000-0000-0000-0000-0000000000fa', '00000000-0000-0000-0000-0000000000ca',
            ARRAY[1, 4000000000000000006], ARRAY[100000000, -100000000])";
    product.run("wallet", mint).await;
    let id = Uuid::from_u128(0xfa);
    let missing = format!("proposal {id} is confirmed without a row of the audit log");
    assert_eq!(about_signatures(&product).await, [missing]);

    let treasurer = staff(0xa3, Role::Treasurer);
    let facts = json!({
        "change": proposal::digest("adjustment_credit", &json!({ "amount_cents": 100_000_000 }), None),
        "subjectId": Uuid::from_u128(0xb1),
        "proposedBy": Uuid::from_u128(0xa2),
    });
    let decided = Decided::new("adjustment_credit.confirm", id, Permission::CorrectBalances, facts);
    // What a taken wallet can sign with, and what it was given for others.
    let forged = SigningKey::read(&product.keys.path().join("wallet.key")).unwrap();
    let claims = json!({ "iss": "wallet", "aud": AUDIENCE, "sub": treasurer.id, "exp": 4_000_000_000_i64, "iat": 1, "jti": Uuid::nil(),
        "service": "wallet", "role": "treasurer", "sid": Uuid::nil(), "factor_at": null, "digest": to_hex(&decided.digest()) });
    let forged = Signed { decided: decided.clone(), assertion: forged.sign(&claims).unwrap() };
    let reviewers =
        Signed { decided: decided.clone(), ..product.sign("wallet", &staff(0xa1, Role::Reviewer), decided.clone()) };
    let elsewhere = product.sign("trade", &treasurer, decided.clone());
    let another = Decided { subject_id: Uuid::from_u128(0xf1).to_string(), ..decided.clone() };
    let replayed = Signed { decided, assertion: product.sign("wallet", &treasurer, another).assertion };
    for (row, signed, complaint) in [
        (5, &forged, "is not signed by auth"),
        (6, &reviewers, "is signed for another person or role"),
        (7, &elsewhere, "is signed for another service"),
        (8, &replayed, "is another decision than the signed one"),
    ] {
        product.record("wallet", &treasurer, Some(signed)).await;
        let named = format!("row {row}: adjustment_credit.confirm {id} {complaint}");
        assert!(about_signatures(&product).await.contains(&named), "{named}: {:?}", about_signatures(&product).await);
    }
}

/// [D-B3] A row without a signature counts only below the first signed one; one signature serves one row.
#[sqlx::test(migrations = false)]
async fn rows_without_a_signature_belong_to_the_time_before(pool: PgPool) {
    let product = Product::lived_in(&pool).await;
    let reviewer = staff(0xa1, Role::Reviewer);
    product.record("mailer", &reviewer, None).await;
    assert_eq!(about_signatures(&product).await, Vec::<String>::new());
    product.record("wallet", &reviewer, None).await;
    let id = Uuid::from_u128(0xc9);
    assert_eq!(about_signatures(&product).await, [format!("row 5: deposit.approve {id} has no signature")]);
    let (_, staff, decided) = decisions().swap_remove(0);
    let signed = product.sign("wallet", &staff, decided);
    product.record("wallet", &staff, Some(&signed)).await;
    product.record("wallet", &staff, Some(&signed)).await;
    assert!(about_signatures(&product).await.contains(&"row 7: its signature stands in row 6 too".to_owned()));
}
