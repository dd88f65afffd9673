//! The audit program accepts databases with a history, and finds what was tampered with in dozens of copies of them: a
//! checker that never failed proves nothing.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

use std::path::Path;

use audit::{Evidence, Urls, Verdict, audit};
use chassis::audit::{Act, append, append_signed};
use chassis::config::object_store;
use chassis::db::Db;
use chassis::decision::{AUDIENCE, Assertion, Decided, LIFE_SECONDS, Signed};
use chassis::destination::ConfirmedDestination;
use chassis::identity::{Role, Staff};
use chassis::keys::{DECISION_SIGNER, SigningKey, generate};
use chassis::permission::Permission;
use chassis::proposal;
use chassis::roots::{Covers, Exporter, to_hex};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool};
use stack::Service;
use tempfile::TempDir;
use time::OffsetDateTime;
use uuid::Uuid;

/// The services as schema, which is also the role, and folder of the migrations.
fn services() -> impl Iterator<Item = (&'static str, &'static str)> {
    Service::services().filter_map(|service| Some((service.database()?, service.name())))
}

/// Staff of the lived-in product, by the end of their id.
fn staff(id: u128, role: Role) -> Staff {
    Staff::new(Uuid::from_u128(id), role)
}

/// What staff decided, as it stands in the rows.
fn decisions() -> Vec<(&'static str, Staff, Decided)> {
    let (reviewer, treasurer, other) =
        (staff(0xa1, Role::Reviewer), staff(0xa2, Role::Treasurer), staff(0xa3, Role::Treasurer));
    let decided =
        |action: &str, id: u128, permission, facts| Decided::new(action, Uuid::from_u128(id), permission, facts);
    let user = Uuid::from_u128(0xb1);
    let deposit =
        json!({ "revision": 1, "userId": user, "amountCents": 250_000, "payout": null, "txid": "aaaa", "vout": null });
    let payout = json!({ "netAmountCents": 97_500, "network": "TRC20", "address": "TMEMBERxxx", "memo": "" });
    let withdrawal =
        json!({ "revision": 1, "userId": user, "amountCents": 100_000, "payout": payout, "txid": null, "vout": null });
    let paid = json!({ "revision": 2, "userId": user, "amountCents": 100_000, "payout": payout, "txid": "bbbb", "vout": null });
    let confirmed = |kind: &str, change, subject: u128, proposer: u128| {
        let change = proposal::digest(kind, &change, None);
        json!({ "change": change, "subjectId": Uuid::from_u128(subject), "proposedBy": Uuid::from_u128(proposer) })
    };
    let bonus = confirmed("bonus", json!({ "amount_cents": 500 }), 0xb1, 0xa2);
    let value = confirmed("plan.value", json!({ "source": "source", "valueMicros": 1_000_000 }), 0xe9, 0xa4);
    let rate = json!({ "asset": "BTC", "bidMicros": 97_000_000_000_i64, "askMicros": 97_100_000_000_i64, "source": "desk", "validMinutes": 60 });
    let rate = confirmed("rate.publish", rate, 0xe5, 0xa2);
    let fields = json!({ "address": "TPLATFORM1", "currency": "USDT", "imageKey": "", "label": "", "memo": "", "network": "TRC20" });
    let method = confirmed("payment_method.create", fields, 0xe1, 0xa2);
    vec![
        ("wallet", reviewer.clone(), decided("deposit.approve", 0xc1, Permission::Decide, deposit)),
        ("wallet", reviewer, decided("withdrawal.approve", 0xc3, Permission::Decide, withdrawal)),
        ("wallet", treasurer, decided("withdrawal.paid", 0xc3, Permission::Pay, paid)),
        ("wallet", other.clone(), decided("bonus.confirm", 0xf1, Permission::CorrectBalances, bonus)),
        ("trade", staff(0xa5, Role::Manager), decided("plan.value.confirm", 0xf2, Permission::ChangePlans, value)),
        (
            "payment_method",
            other.clone(),
            decided("payment_method.create.confirm", 0xf3, Permission::ChangeMethods, method),
        ),
        ("payment_method", other, decided("rate.publish.confirm", 0xf4, Permission::PublishRates, rate)),
    ]
}

/// What a good life leaves in the wallet: a deposit, an open and a paid withdrawal, three trades, the course, a bonus. The
/// loss of one trade pays the gain of another.
const WALLET: &str = r#"
CREATE FUNCTION book(what text, business uuid, line uuid, places bigint[], cents bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE posting postings; place bigint; amount bigint; written entries[] := '{}';
BEGIN
    INSERT INTO postings (kind, business_id, user_id, transaction_id)
    VALUES (what, business, '00000000-0000-0000-0000-0000000000b1', line) RETURNING * INTO posting;
    FOR place, amount IN SELECT * FROM unnest(places, cents) LOOP
        UPDATE accounts SET balance_cents = balance_cents + amount, entry_count = entry_count + 1, head_hash = entry_hash(
            head_hash, place, posting.id, amount, balance_cents + amount, posting_header(posting)) WHERE id = place;
        written := written || (SELECT (place, posting.id, amount, balance_cents, head_hash)::entries FROM accounts WHERE id = place);
    END LOOP;
    INSERT INTO entries SELECT * FROM unnest(written);
END $$;
INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE SELECT place, kind, '00000000-0000-0000-0000-0000000000b1'
FROM unnest(ARRAY[1, 2, 3, 4], ARRAY['available', 'held', 'bonus', 'invested']) AS mine (place, kind);
INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES (6, 'plan_cash', '00000000-0000-0000-0000-0000000000e9');
INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, fee_cents, net_amount_cents,
    method_id, currency, network, method_address, method_version, destination_address, txid, txid_key, approved_by, approved_at,
    decided_by, decided_at, related_id, created_at)
SELECT ('00000000-0000-0000-0000-0000000000' || id)::uuid, '00000000-0000-0000-0000-0000000000b1', kind, '', status, direction,
    cents, fee, cents - fee, CASE WHEN network IS NOT NULL THEN '00000000-0000-0000-0000-0000000000e1'::uuid END, CASE WHEN network IS NOT NULL THEN 'USDT' END, network,
    CASE kind WHEN 'deposit' THEN 'TPLATFORM1' END, CASE kind WHEN 'deposit' THEN 1 END, address, txid, txid,
    CASE id WHEN 'c3' THEN '00000000-0000-0000-0000-0000000000a1'::uuid END, CASE id WHEN 'c3' THEN now() END,
    ('00000000-0000-0000-0000-0000000000' || decided)::uuid, CASE status WHEN 'success' THEN now() END,
    ('00000000-0000-0000-0000-0000000000' || related)::uuid, now()
FROM (VALUES
    ('c1', 'deposit', 'success', 'credit', 250000, NULL, 'TRC20', NULL, 'aaaa', 'a1', NULL),
    ('c2', 'withdrawal', 'pending', 'debit', 10000, 250, 'TRC20', 'TMEMBERxxx', NULL, NULL, NULL),
    ('c3', 'withdrawal', 'success', 'debit', 100000, 2500, 'TRC20', 'TMEMBERxxx', 'bbbb', 'a2', NULL),
    ('c4', 'trade', 'success', 'debit', 20000, NULL, NULL, NULL, NULL, NULL, 'd1'),
    ('c5', 'trade', 'success', 'debit', 10000, NULL, NULL, NULL, NULL, NULL, 'd2'),
    ('c6', 'trade', 'success', 'credit', 10000, NULL, NULL, NULL, NULL, NULL, 'd2'),
    ('c7', 'profit', 'success', 'credit', 1000, NULL, NULL, NULL, NULL, NULL, 'd2'),
    ('c9', 'trade', 'success', 'debit', 10000, NULL, NULL, NULL, NULL, NULL, 'd4'),
    ('cb', 'trade', 'success', 'credit', 9000, NULL, NULL, NULL, NULL, NULL, 'd4'),
    ('c8', 'course', 'success', 'debit', 8700, NULL, NULL, NULL, NULL, NULL, NULL)
) AS lines (id, kind, status, direction, cents, fee, network, address, txid, decided, related);
INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, asset, units, consumed_at)
VALUES ('tron', 'aaaa', -1, 'in', '00000000-0000-0000-0000-0000000000c1', NULL, NULL, now()),
    ('tron', 'bbbb', -1, 'out', '00000000-0000-0000-0000-0000000000c3', NULL, NULL, now());
INSERT INTO destinations (user_id, currency, network, address, memo, cause, known_at, assertion)
VALUES ('00000000-0000-0000-0000-0000000000b1', 'USDT', 'TRC20', 'TMEMBERxxx', '', 'code', now(), '');
INSERT INTO trade_fundings VALUES
    ('00000000-0000-0000-0000-0000000000d1', '00000000-0000-0000-0000-0000000000b1', 20000, 'funded', NULL, now() - interval '2 min', NULL),
    ('00000000-0000-0000-0000-0000000000d2', '00000000-0000-0000-0000-0000000000b1', 10000, 'settled', 11000, now() - interval '2 min', now()),
    ('00000000-0000-0000-0000-0000000000d3', '00000000-0000-0000-0000-0000000000b1', 99900, 'refused', NULL, now() - interval '2 min', NULL),
    ('00000000-0000-0000-0000-0000000000d4', '00000000-0000-0000-0000-0000000000b1', 10000, 'settled', 9000, now() - interval '2 min', now());
INSERT INTO proposals VALUES ('00000000-0000-0000-0000-0000000000f1', 'bonus', '00000000-0000-0000-0000-0000000000b1', '{"amount_cents": 500}', NULL,
    'confirmed', '00000000-0000-0000-0000-0000000000a2', now(), '00000000-0000-0000-0000-0000000000a3', now());
SELECT book(kind, ('00000000-0000-0000-0000-0000000000' || business)::uuid, ('00000000-0000-0000-0000-0000000000' || line)::uuid, places, cents)
FROM (VALUES
    ('deposit', 'c1', 'c1', ARRAY[1, 4000000000000000001], ARRAY[250000, -250000]),
    ('withdrawal_hold', 'c3', 'c3', ARRAY[1, 2], ARRAY[-100000, 100000]),
    ('withdrawal_paid', 'c3', 'c3', ARRAY[2, 4000000000000000001, 4000000000000000003], ARRAY[-100000, 97500, 2500]),
    ('withdrawal_hold', 'c2', 'c2', ARRAY[1, 2], ARRAY[-10000, 10000]),
    ('trade_fund', 'd1', 'c4', ARRAY[1, 4], ARRAY[-20000, 20000]),
    ('trade_fund', 'd2', 'c5', ARRAY[1, 4], ARRAY[-10000, 10000]),
    ('trade_settle', 'd2', 'c6', ARRAY[1, 4], ARRAY[10000, -10000]),
    ('trade_fund', 'd4', 'c9', ARRAY[1, 4], ARRAY[-10000, 10000]),
    ('trade_settle', 'd4', 'cb', ARRAY[1, 4], ARRAY[9000, -9000]),
    ('trade_loss', 'd4', NULL, ARRAY[4, 6], ARRAY[-1000, 1000]),
    ('trade_gain', 'd2', 'c7', ARRAY[1, 6], ARRAY[1000, -1000]),
    ('course', 'c8', 'c8', ARRAY[1, 4000000000000000002], ARRAY[-8700, 8700]),
    ('bonus', 'f1', NULL, ARRAY[3, 4000000000000000005], ARRAY[500, -500])
) AS moves (kind, business, line, places, cents);
INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context, created_at, published_at)
SELECT ('00000000-0000-0000-0001-0000000000' || (10 + row_number() OVER ()))::uuid, 'wallet.v1.' || key,
    ('00000000-0000-0000-0000-0000000000' || id)::uuid, '', '{}', now() - interval '2 min', now() - interval '2 min'
FROM (VALUES ('deposit_requested', 'c1'), ('deposit_confirmed', 'c1'), ('withdrawal_requested', 'c2'),
    ('withdrawal_requested', 'c3'), ('withdrawal_approved', 'c3'), ('withdrawal_paid', 'c3'), ('course_unlocked', 'c8')) AS told (key, id);
INSERT INTO idempotency_keys VALUES ('00000000-0000-0000-0000-0000000000b1', 'POST /x', 'k', '', 'r', '{}', now());
"#;

const TRADE: &str = r#"
INSERT INTO plans VALUES ('00000000-0000-0000-0000-0000000000e9', 1, 'Starter', '', 1000, 100000, 500, 30, true, now());
INSERT INTO proposals VALUES ('00000000-0000-0000-0000-0000000000f2', 'plan.value', '00000000-0000-0000-0000-0000000000e9',
    '{"source": "source", "valueMicros": 1000000}', NULL,
    'confirmed', '00000000-0000-0000-0000-0000000000a4', now(), '00000000-0000-0000-0000-0000000000a5', now());
INSERT INTO plan_values VALUES ('00000000-0000-0000-0000-0000000000e9', now() - interval '1 day', 1000000, 'source',
    '00000000-0000-0000-0000-0000000000f2');
INSERT INTO trades SELECT ('00000000-0000-0000-0000-0000000000' || id)::uuid, '00000000-0000-0000-0000-0000000000b1',
    '00000000-0000-0000-0000-0000000000e9', 'Starter', 1000, 100000, 500, 30, cents, 1000000, status, kind, value,
    now() - interval '2 min', now(), CASE WHEN kind IS NOT NULL THEN now() END, refusal
FROM (VALUES ('d1', 20000, 'open', NULL, NULL, NULL::jsonb), ('d2', 10000, 'claimed', 'claim', 11000, NULL),
    ('d3', 99900, 'failed', NULL, NULL, '{}'), ('d4', 10000, 'closed', 'close', 9000, NULL)) AS made (id, cents, status, kind, value, refusal);
"#;

const AUTH: &str = r"
INSERT INTO users (id, name, email, phone, country, password_hash, role, created_at)
SELECT ('00000000-0000-0000-0000-0000000000' || id)::uuid, id, id || '@solvane.test', '', '', '$argon2id$v=19$x', role, now()
FROM (VALUES ('b1', NULL), ('a1', 'reviewer'), ('a2', 'treasurer'), ('a3', 'treasurer')) AS made (id, role);
INSERT INTO codes (id, user_id, purpose, email, created_at, expires_at)
VALUES (gen_random_uuid(), '00000000-0000-0000-0000-0000000000b1', 'registration', 'b1@solvane.test', now(), now());
";

const PAYMENT_METHOD: &str = r#"
BEGIN;
INSERT INTO proposals VALUES ('00000000-0000-0000-0000-0000000000f3', 'payment_method.create', '00000000-0000-0000-0000-0000000000e1',
    '{"address": "TPLATFORM1", "currency": "USDT", "imageKey": "", "label": "", "memo": "", "network": "TRC20"}', NULL,
    'confirmed', '00000000-0000-0000-0000-0000000000a2', now(), '00000000-0000-0000-0000-0000000000a3', now());
INSERT INTO proposals VALUES ('00000000-0000-0000-0000-0000000000f4', 'rate.publish', '00000000-0000-0000-0000-0000000000e5',
    '{"asset": "BTC", "bidMicros": 97000000000, "askMicros": 97100000000, "source": "desk", "validMinutes": 60}', NULL,
    'confirmed', '00000000-0000-0000-0000-0000000000a2', now(), '00000000-0000-0000-0000-0000000000a3', now());
INSERT INTO rate_points (symbol, source, bid_micros, ask_micros, read_at, valid_until, proposal_id)
VALUES ('BTC', 'desk', 97000000000, 97100000000, now(), now() + interval '60 minutes', '00000000-0000-0000-0000-0000000000f4');
INSERT INTO methods VALUES ('00000000-0000-0000-0000-0000000000e1', 'platform', NULL, 1, now(), now(), NULL);
INSERT INTO method_versions VALUES ('00000000-0000-0000-0000-0000000000e1', 1, 'platform', 'USDT', 'TRC20', 'TPLATFORM1', '', '', '', now());
INSERT INTO chain_payments (chain, txid, idx, way, symbol, address, counterparty, units, depth, state, height, block_hash, block_at,
    replaced_by, seen_at, changed_at, transaction_id)
SELECT 'tron', repeat(hash, 32), 0, way, 'USDT', 'TPLATFORM1', counterparty, units, 20, 'final', height, hash, now(), '', now(), now(),
    ('00000000-0000-0000-0000-0000000000' || withdrawal)::uuid
FROM (VALUES ('aa', 'in', 'TPAYERxxxx', 2500000000, 100, NULL), ('bb', 'out', 'TMEMBERxxx', 975000000, 110, 'c3'))
    AS paid (hash, way, counterparty, units, height, withdrawal);
INSERT INTO holdings (chain, symbol, address, is_own, opening, opening_height, opened_at, carried, carried_height, moved, units,
    read_at)
VALUES ('tron', 'USDT', 'TPLATFORM1', false, 7, 90, now(), 1525000007, 120, 0, 1525000007, now());
COMMIT;
"#;

/// A proof of liabilities, apart from what it counts.
const PUBLICATION: &str = "
DO $$ DECLARE begun bigint := begin_liabilities(); BEGIN
    WHILE raise_liabilities(begun) > 1 LOOP END LOOP;
    PERFORM complete_liabilities(begun, NULL);
END $$;
";

const MAILER: &str = r"
INSERT INTO inbox (event_id, key)
SELECT ('00000000-0000-0000-0001-0000000000' || n)::uuid, 'wallet.v1.x' FROM generate_series(11, 17) AS n;
INSERT INTO mails (id, event_id, template, user_id, params, trace_context, status, ended_at)
VALUES (gen_random_uuid(), '00000000-0000-0000-0001-000000000012', 'deposit_confirmed', '00000000-0000-0000-0000-0000000000b1',
    '{}', '{}', 'sent', now());
";

/// The databases of the product as schemas of one, so that a test needs only one.
struct Product {
    base: String,
    keys: TempDir,
}

impl Product {
    async fn lived_in(pool: &PgPool) -> Self {
        let options = pool.connect_options();
        let password = std::env::var("DATABASE_URL").ok().and_then(|url| {
            let credentials = url.split_once("://")?.1.rsplit_once('@')?.0.to_owned();
            Some(credentials.split_once(':')?.1.to_owned())
        });
        let (host, port, user) = (options.get_host(), options.get_port(), options.get_username());
        let password = password.map(|password| format!(":{password}")).unwrap_or_default();
        let base = format!("postgres://{user}{password}@{host}:{port}/{}", options.get_database().unwrap());
        let keys = tempfile::tempdir().unwrap();
        generate(keys.path()).unwrap();
        let product = Self { base, keys };
        for (service, own) in services() {
            product.run("public", &format!("CREATE SCHEMA {service}")).await;
            for folder in ["chassis", own] {
                for migration in migrations(folder) {
                    product.run(service, &migration).await;
                }
            }
        }
        let lived_in = [
            ("auth", AUTH),
            ("wallet", WALLET),
            ("trade", TRADE),
            ("payment_method", PAYMENT_METHOD),
            ("mailer", MAILER),
        ];
        for (service, rows) in lived_in {
            product.run(service, rows).await;
        }
        product.sign_destination().await;
        product.run("wallet", PUBLICATION).await;
        for (service, staff, decided) in decisions() {
            let signed = product.sign(service, &staff, decided);
            product.record(service, &staff, Some(&signed)).await;
        }
        product
    }

    /// As auth signs.
    fn sign(&self, service: &str, staff: &Staff, decided: Decided) -> Signed {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let assertion = Assertion {
            iss: DECISION_SIGNER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: staff.user_id,
            exp: now + LIFE_SECONDS,
            iat: now,
            jti: Uuid::new_v4(),
            service: service.replace('_', "-"),
            role: staff.role,
            sid: Uuid::from_u128(0x51),
            factor_at: Some(now),
            digest: to_hex(&decided.digest()),
            passkey: None,
        };
        Signed { decided, assertion: self.decision_key().sign(&assertion).unwrap() }
    }

    /// Has auth sign that the member confirmed the destination.
    async fn sign_destination(&self) {
        let mut wallet = self.connect("wallet").await;
        let key: Vec<u8> = sqlx::query_scalar("SELECT key FROM destinations").fetch_one(&mut wallet).await.unwrap();
        let member = Uuid::from_u128(0xb1);
        let confirmed = ConfirmedDestination::new(member, &key, "code", OffsetDateTime::now_utc());
        let assertion = confirmed.sign(&self.decision_key()).unwrap();
        let sign = format!("SET session_replication_role = replica; UPDATE destinations SET assertion = '{assertion}'");
        self.run("wallet", &sign).await;
    }

    fn decision_key(&self) -> SigningKey {
        SigningKey::read(&self.keys.path().join("decision.key")).unwrap()
    }

    /// Writes a row of the audit log, as the service does.
    async fn record(&self, service: &str, staff: &Staff, signed: Option<&Signed>) {
        let (action, subject_id) = signed
            .map_or(("deposit.approve".to_owned(), Uuid::from_u128(0xc9).to_string()), |signed| {
                (signed.decided.action.clone(), signed.decided.subject_id.clone())
            });
        let act = Act { staff, action: &action, subject_id, member_id: None, before: None, after: None, address: "" };
        let db = Db::connect_lazy(&self.url(service), 1).unwrap();
        let mut conn = db.conn().await.unwrap();
        match signed {
            Some(signed) => append_signed(&mut conn, act, signed).await.unwrap(),
            None => append(&mut conn, act).await.unwrap(),
        }
    }

    fn url(&self, schema: &str) -> String {
        // The bodies of functions name the schema of a database of their own.
        format!("{}?options[search_path]={schema}&options[check_function_bodies]=off", self.base)
    }

    async fn connect(&self, schema: &str) -> PgConnection {
        PgConnection::connect(&self.url(schema)).await.unwrap()
    }

    async fn run(&self, schema: &str, sql: &str) {
        let mut connection = self.connect(schema).await;
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.expect(sql);
    }

    fn urls(&self) -> Urls {
        Urls::by(|service| Ok(self.url(service.database().unwrap()))).unwrap()
    }

    async fn audit(&self) -> Vec<Verdict> {
        let trusted_keys = self.keys.path().join("trusted.json");
        audit(&self.urls(), Some(&Evidence { trusted_keys: &trusted_keys, roots: None, nodes: None })).await.unwrap()
    }

    /// The ids of the promises found broken.
    async fn broken(&self) -> Vec<Verdict> {
        self.audit().await.into_iter().filter(|verdict| !verdict.offending.is_empty()).collect()
    }
}

fn migrations(service: &str) -> Vec<String> {
    let service = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../services").join(service);
    let mut files = Vec::new();
    for folder in ["migrations", "sql"].map(|folder| service.join(folder)).iter().filter(|folder| folder.exists()) {
        let mut found: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        found.sort();
        files.extend(found);
    }
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

/// Tampers as only an owner of the database can, and expects the audit to name the promise, which is known by its id or, where
/// others have the same, by its words.
async fn caught(pool: &PgPool, promise: &str, service: &str, tampering: &str) {
    let product = Product::lived_in(pool).await;
    assert_eq!(product.broken().await, []);
    product.run(service, &format!("SET session_replication_role = replica; {tampering}")).await;
    let broken = product.broken().await;
    let is_it = |one: &Verdict| one.ids.split(' ').any(|id| id == promise) || one.promise.contains(promise);
    assert!(broken.iter().any(is_it), "{promise} not among {broken:?}");
}

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

/// Defines a negative control: the promise, the service whose database is tampered with, and how.
macro_rules! controls {
    ($($name:ident: $id:literal, $service:literal, $tampering:literal;)+) => {
        $(#[sqlx::test(migrations = false)]
        async fn $name(pool: PgPool) {
            caught(&pool, $id, $service, $tampering).await;
        })+
    };
}

controls! {
    a_changed_entry_unbalances_its_posting: "L1", "wallet",
        "UPDATE entries SET amount_cents = amount_cents + 1 WHERE account_id = 1 AND amount_cents = 1000";
    an_entry_that_belongs_nowhere_is_seen: "L1", "wallet",
        "INSERT INTO entries SELECT account, max(id) + 1, cents, cents, '' FROM postings,
            (VALUES (4000000000000000005, 5), (4000000000000000006, -5)) AS lost (account, cents) GROUP BY account, cents";
    money_from_nowhere_unbalances_the_books: "L2", "wallet",
        "INSERT INTO entries SELECT 4000000000000000006, max(id), 5, 5, '' FROM postings";
    a_raised_balance_is_drift: "L3", "wallet", "UPDATE accounts SET balance_cents = balance_cents + 1 WHERE id = 1";
    a_hidden_entry_is_drift: "L3", "wallet", "UPDATE accounts SET entry_count = entry_count - 1 WHERE id = 1";
    an_overdraft_is_seen_afterwards: "L4", "wallet",
        "UPDATE entries SET balance_after_cents = -1 WHERE account_id = 1 AND amount_cents = 1000";
    a_rewritten_history_breaks_its_chain: "L5", "wallet",
        "UPDATE entries SET amount_cents = amount_cents * 2, balance_after_cents = balance_after_cents * 2 WHERE account_id = 3";
    a_trigger_off_is_seen: "L5", "wallet", "ALTER TABLE entries DISABLE TRIGGER entries_append_only";
    a_lost_hold_is_seen: "L6", "wallet",
        "UPDATE transactions SET status = 'failed', reason_code = 'OTHER', decided_at = now() WHERE status = 'pending'";
    a_deposit_without_money_is_seen: "L11", "wallet",
        "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, txid, txid_key, decided_by, decided_at, created_at)
         SELECT gen_random_uuid(), user_id, 'deposit', '', 'success', 'credit', 1, 'cccc', 'cccc', decided_by, now(), now()
         FROM transactions WHERE kind = 'deposit'";
    an_output_beside_its_whole_is_seen: "D-B8", "wallet",
        "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, txid, txid_key, vout, decided_by, decided_at, created_at)
         SELECT gen_random_uuid(), user_id, kind, '', status, direction, 1, txid, txid_key, 1, decided_by, now(), now()
         FROM transactions WHERE kind = 'deposit'";
    an_output_that_is_consumed_twice_is_seen: "D-N1", "wallet",
        "DROP INDEX consumed_payments_once; ALTER TABLE consumed_payments DISABLE TRIGGER consumed_payments_refuse;
         INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, consumed_at)
         SELECT chain, txid, 3, direction, gen_random_uuid(), now() FROM consumed_payments WHERE direction = 'in'";
    units_that_no_chain_shows_are_seen: "D-N1", "wallet",
        "INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, asset, units, consumed_at)
         VALUES ('tron', repeat('aa', 32), 0, 'in', '00000000-0000-0000-0000-0000000000c1', 'USDT', 2600000000, now())";
    a_credit_that_payment_method_does_not_know_is_seen: "D-N6", "wallet",
        "INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, asset, units, consumed_at, told_at)
         VALUES ('tron', repeat('aa', 32), 0, 'in', '00000000-0000-0000-0000-0000000000c1', 'USDT', 2500000000,
            now() - interval '3 minutes', now() - interval '2 minutes')";
    a_payment_that_was_freed_for_nothing_is_seen: "D-N1", "wallet",
        "UPDATE consumed_payments SET freed_at = now() WHERE direction = 'in'";
    a_deposit_decided_by_its_first_reviewer_is_seen: "D-B12", "wallet",
        "ALTER TABLE transactions DISABLE TRIGGER transactions_decided_once;
         ALTER TABLE transactions DROP CONSTRAINT transactions_two_people;
         UPDATE transactions SET first_approved_by = decided_by, first_approved_at = now(), received_cents = amount_cents
         WHERE kind = 'deposit'";
    a_withdrawal_twice_released_is_seen: "L11", "wallet",
        "ALTER TABLE accounts DROP CONSTRAINT accounts_members_not_negative;
         SELECT book('withdrawal_release', '00000000-0000-0000-0000-0000000000c3', '00000000-0000-0000-0000-0000000000c3',
            ARRAY[2, 1], ARRAY[-100000, 100000])";
    money_without_a_cause_is_seen: "D-B1", "wallet",
        "SELECT book('adjustment_credit', gen_random_uuid(), '00000000-0000-0000-0000-0000000000c1',
            ARRAY[1, 4000000000000000006], ARRAY[100000000, -100000000])";
    a_cause_of_another_member_is_none: "D-B1", "wallet",
        "UPDATE proposals SET subject_id = gen_random_uuid() WHERE kind = 'bonus'";
    a_correction_of_another_amount_is_seen: "D-R2", "wallet",
        "UPDATE proposals SET change = '{\"amount_cents\": 501}' WHERE kind = 'bonus'";
    a_rebuild_by_nobody_is_seen: "A6", "wallet",
        "INSERT INTO account_rebuilds SELECT gen_random_uuid(), account_id, posting_id, balance_cents, entry_count, head_hash,
            digest, stored_balance_cents, stored_entry_count, rebuilt_at FROM compare_account(1)";
    a_fault_of_the_check_is_told: "A6", "wallet", "SELECT note_fault('account', '1', 'Account 1 drifted.')";
    a_movement_without_its_line_is_seen: "L11", "wallet",
        "SELECT book('gift', gen_random_uuid(), NULL, ARRAY[1, 4000000000000000006], ARRAY[1, -1])";
    a_wrong_fee_is_seen: "L12", "wallet",
        "UPDATE transactions SET fee_cents = 249, net_amount_cents = 9751 WHERE status = 'pending'";
    one_person_for_a_large_payout_is_seen: "D-W5", "wallet",
        "ALTER TABLE transactions DROP CONSTRAINT transactions_two_people;
         UPDATE transactions SET approved_by = decided_by WHERE kind = 'withdrawal' AND status = 'success'";
    a_decision_outside_the_trail_is_seen: "D-O3", "wallet",
        "UPDATE transactions SET decided_by = gen_random_uuid() WHERE kind = 'deposit'";
    a_changed_trail_is_seen: "D-O3", "wallet", "UPDATE audit_rows SET address = 'elsewhere' WHERE id = 2";
    a_removed_row_of_the_trail_is_seen: "D-O3", "wallet", "DELETE FROM audit_rows WHERE id = 2";
    a_correction_by_one_person_is_seen: "D-O4", "wallet",
        "ALTER TABLE proposals DROP CONSTRAINT proposals_two_people; UPDATE proposals SET decided_by = proposed_by";
    a_reopening_that_nobody_proposed_is_seen: "D-O4", "wallet",
        "INSERT INTO withdrawal_pauses (reason, reopened_at, reopened_by, reopening_proposed_by)
         VALUES ('test', now(), gen_random_uuid(), gen_random_uuid())";
    a_correction_without_effect_is_seen: "L7", "wallet",
        "INSERT INTO proposals SELECT gen_random_uuid(), kind, subject_id, change, before, status, proposed_by, proposed_at,
            decided_by, decided_at FROM proposals";
    a_reversal_of_nothing_is_seen: "D-B9", "wallet",
        "SELECT book('reversal', gen_random_uuid(), NULL, ARRAY[1, 4000000000000000001], ARRAY[-100, 100])";
    a_reversal_of_another_amount_is_seen: "D-B9", "wallet",
        "INSERT INTO proposals SELECT '00000000-0000-0000-0000-0000000000f3', 'reversal', subject_id,
            '{\"reverses\": 1, \"amount_cents\": 100}', before, status, proposed_by, proposed_at, decided_by, decided_at FROM proposals;
         SELECT book('reversal', '00000000-0000-0000-0000-0000000000f3', NULL, ARRAY[1, 4000000000000000001], ARRAY[-100, 100]);
         UPDATE postings SET reverses = 1 WHERE kind = 'reversal'";
    a_second_reversal_is_seen: "D-B9", "wallet",
        "DROP INDEX postings_reversed_once;
         SELECT book('reversal', gen_random_uuid(), NULL, ARRAY[1, 4000000000000000001], ARRAY[-100, 100]) FROM generate_series(1, 2);
         UPDATE postings SET reverses = 1 WHERE kind = 'reversal'";
    a_balance_in_a_closed_wallet_is_seen: "D-A12", "wallet",
        "INSERT INTO closed_wallets SELECT user_id, now() FROM accounts WHERE kind = 'available' AND balance_cents > 0 LIMIT 1";
    a_session_of_a_closed_account_is_seen: "D-A12", "auth",
        "UPDATE users SET closed_at = now() WHERE role IS NULL;
         INSERT INTO sessions (id, user_id, created_at, last_seen_at, idle_until, expires_at, device, address)
         SELECT gen_random_uuid(), id, now(), now(), now() + interval '1 hour', now() + interval '1 hour', '', ''
         FROM users WHERE role IS NULL LIMIT 1";
    a_free_balance_beside_a_debt_is_seen: "D-B9", "wallet",
        "INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES (5, 'owed', '00000000-0000-0000-0000-0000000000b1');
         SELECT book('reversal', gen_random_uuid(), NULL, ARRAY[5, 4000000000000000001], ARRAY[-100, 100])";
    a_debt_below_nothing_is_seen: "L4", "wallet",
        "ALTER TABLE accounts DROP CONSTRAINT accounts_members_not_negative;
         INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES (5, 'owed', '00000000-0000-0000-0000-0000000000b1');
         SELECT book('deposit', gen_random_uuid(), NULL, ARRAY[5, 4000000000000000001], ARRAY[100, -100])";
    a_hold_without_its_money_is_seen: "D-B10", "wallet",
        "INSERT INTO holds (id, user_id, amount_cents, reason_code, placed_by)
         VALUES (gen_random_uuid(), '00000000-0000-0000-0000-0000000000b1', 100, 'OTHER', gen_random_uuid())";
    money_on_hold_without_a_hold_is_seen: "D-B10", "wallet",
        "INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES (5, 'on_hold', '00000000-0000-0000-0000-0000000000b1');
         SELECT book('hold', gen_random_uuid(), NULL, ARRAY[1, 5], ARRAY[-100, 100])";
    a_hold_released_by_one_person_is_seen: "D-B10", "wallet",
        "ALTER TABLE holds DROP CONSTRAINT holds_two_people;
         INSERT INTO holds SELECT gen_random_uuid(), '00000000-0000-0000-0000-0000000000b1', 100, 'OTHER', 'released', decided_by,
            now(), decided_by, now() FROM proposals";
    a_hold_that_nobody_signed_is_seen: "D-B10", "wallet",
        "INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES (5, 'on_hold', '00000000-0000-0000-0000-0000000000b1');
         INSERT INTO holds (id, user_id, amount_cents, reason_code, placed_by) VALUES ('00000000-0000-0000-0000-0000000000e7',
            '00000000-0000-0000-0000-0000000000b1', 100, 'OTHER', '00000000-0000-0000-0000-0000000000a1');
         SELECT book('hold', '00000000-0000-0000-0000-0000000000e7', NULL, ARRAY[1, 5], ARRAY[-100, 100]);
         INSERT INTO audit_rows (id, at, actor_id, actor_role, action, subject_id, address, hash) SELECT max(id) + 1, now(),
            '00000000-0000-0000-0000-0000000000a1', 'reviewer', 'hold.place', '00000000-0000-0000-0000-0000000000e7', '', ''
         FROM audit_rows";
    a_course_sold_twice_is_seen: "T5", "wallet",
        "SELECT book('course', gen_random_uuid(), NULL, ARRAY[1, 4000000000000000002], ARRAY[-1, 1])";
    a_refund_that_nobody_proposed_is_seen: "D-C9", "wallet",
        "SELECT book('course_refund', gen_random_uuid(), NULL, ARRAY[1, 4000000000000000002], ARRAY[8700, -8700])";
    a_double_payout_of_a_trade_is_seen: "T2", "wallet",
        "UPDATE trade_fundings SET value_cents = 10999 WHERE status = 'settled'";
    a_trade_without_money_is_seen: "T1", "trade",
        "INSERT INTO trades SELECT gen_random_uuid(), user_id, plan_id, plan_title, plan_min_cents, plan_max_cents,
            roi_basis_points, duration_days, amount_cents, opening_value_micros, status, NULL, NULL, created_at, matures_at
         FROM trades WHERE status = 'open'";
    money_of_a_forgotten_trade_is_seen: "T4", "trade", "DELETE FROM trades WHERE status = 'open'";
    an_amount_outside_of_the_terms_is_seen: "T3", "trade",
        "ALTER TABLE trades DROP CONSTRAINT trades_amount; UPDATE trades SET plan_min_cents = amount_cents + 1 WHERE status = 'open'";
    a_stuck_trade_is_seen: "K6", "trade",
        "UPDATE trades SET status = 'opening', resume_at = now() WHERE status = 'open'";
    an_exit_fee_beyond_the_terms_is_seen: "D-I4", "trade",
        "UPDATE trades SET settle_fee_cents = 200, exit_fee_basis_points = 100, min_holding_days = 7 WHERE status = 'claimed'";
    a_value_by_one_person_is_seen: "D-I1", "trade",
        "ALTER TABLE proposals DROP CONSTRAINT proposals_two_people; UPDATE proposals SET decided_by = proposed_by";
    an_untold_decision_is_seen: "Q2", "wallet", "DELETE FROM outbox WHERE key = 'wallet.v1.deposit_confirmed'";
    a_twice_told_decision_is_seen: "Q2", "wallet",
        "INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context, published_at)
         SELECT gen_random_uuid(), key, aggregate_id, '', '{}', now() FROM outbox WHERE key = 'wallet.v1.withdrawal_paid'";
    a_waiting_event_is_seen: "Q3", "auth",
        "INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context, created_at)
         VALUES (gen_random_uuid(), 'auth.v1.x', gen_random_uuid(), '', '{}', now() - interval '61 seconds')";
    a_lost_event_is_seen: "Q4", "mailer", "DELETE FROM inbox WHERE event_id = '00000000-0000-0000-0001-000000000013'";
    a_dead_letter_is_seen: "Q6", "mailer", "INSERT INTO parked_events VALUES ('x', 'wallet.v1.x', '', 'unreadable')";
    an_unanswered_key_is_seen: "L9", "wallet", "UPDATE idempotency_keys SET outcome = NULL";
    a_live_code_too_many_is_seen: "S1", "auth",
        "INSERT INTO codes (id, user_id, purpose, email, created_at, expires_at)
         SELECT gen_random_uuid(), user_id, purpose, email, now(), now() FROM codes, generate_series(1, 3)";
    a_code_of_strangers_too_many_is_seen: "S1", "auth",
        "INSERT INTO codes (id, user_id, purpose, email, created_at, expires_at, block, is_strangers)
         SELECT gen_random_uuid(), user_id, purpose, email, now(), now() + interval '10 minutes', '10.0.0.0/24', true
         FROM codes, generate_series(1, 4)";
    an_email_in_another_case_is_seen: "S4", "auth",
        "DROP INDEX users_email_key; UPDATE users SET email = 'B1@Solvane.test' WHERE role = 'reviewer'";
    a_wallet_of_nobody_is_seen: "S3", "wallet",
        "INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES (99, 'available', gen_random_uuid())";
    an_address_never_shown_is_seen: "D-D3", "wallet", "UPDATE transactions SET method_address = 'TOTHER' WHERE kind = 'deposit'";
    a_payout_to_the_platform_is_seen: "D-W6", "wallet",
        "UPDATE transactions SET destination_address = 'TPLATFORM1' WHERE status = 'pending'";
    a_withdrawal_that_ended_without_a_person_is_seen: "D-A6", "wallet",
        "UPDATE transactions SET status = 'failed', reason_code = 'OTHER', decided_at = now()
         WHERE kind = 'withdrawal' AND status = 'pending'";
    a_payout_to_an_unconfirmed_destination_is_seen: "D-A4", "wallet", "DELETE FROM destinations";
    a_payout_at_a_rate_that_nobody_signed_is_seen: "at the rate that its lease signed", "wallet",
        "UPDATE transactions SET payout_contract = '', payout_decimals = 6, payout_units = 97500000000, payout_rate_micros = 10000,
            payout_spread_bps = 0, payout_priced_at = now() WHERE kind = 'withdrawal' AND status = 'success'";
    a_fee_that_nobody_paid_is_seen: "D-W4", "wallet",
        "UPDATE transactions SET fee_paid = true, net_amount_cents = amount_cents WHERE kind = 'withdrawal' AND status = 'pending'";
    an_approval_that_pretends_to_be_proven_is_seen: "D-N8", "wallet",
        "UPDATE transactions SET is_proven = false WHERE kind = 'deposit' AND status = 'success'";
    a_theft_by_a_treasurer_is_seen: "left the platform an hour ago", "payment_method",
        "UPDATE chain_payments SET transaction_id = NULL, seen_at = now() - interval '61 minutes' WHERE way = 'out'";
    an_address_that_pretends_to_be_the_treasurys_is_seen: "address of the treasury's own wallet", "payment_method",
        "INSERT INTO treasury_addresses (address, network, found_at) VALUES ('TATTACKERx', 'TRC20', now())";
    a_proof_that_its_address_did_not_sign_is_seen: "private key of each proven address", "payment_method",
        "INSERT INTO address_proofs (network, address, message, signature, attached_at)
         VALUES ('TRC20', 'TPLATFORM1', 'Solvane Ltd controls the address TPLATFORM1 on 2026-11-28', repeat('11', 65), now())";
    a_proof_of_a_strangers_address_is_seen: "private key of each proven address", "payment_method",
        "INSERT INTO address_proofs (network, address, message, signature, attached_at)
         VALUES ('ERC20', '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1', 'Solvane Ltd controls the address 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1 on 2026-11-28',
            '0xbe1de5f3bee5dd670a458a36fc40f64e053ca0d50b10588c56fd7c3cab8c2adc719dc48a7ac6d93a72aa76f983e128c05a8e19ba623bde10d8e67089fcde657e1c', now())";
    a_session_that_never_ends_is_seen: "D-S4", "auth",
        "INSERT INTO sessions (id, user_id, created_at, last_seen_at, idle_until, expires_at, device, address)
         SELECT gen_random_uuid(), id, now(), now(), now(), now() + interval '8 days', '', '' FROM users LIMIT 1";
    a_code_that_is_kept_in_a_mail_is_seen: "Q7", "mailer",
        "UPDATE mails SET params = '{\"code\": \"123456\"}', secret_reference = 'x'";
    a_destination_that_its_member_never_confirmed_is_seen: "auth signed that members confirmed", "wallet",
        "INSERT INTO destinations (user_id, currency, network, address, memo, cause, known_at, assertion)
         SELECT user_id, currency, network, 'TATTACKERx', memo, cause, known_at, assertion FROM destinations;
         UPDATE transactions SET destination_address = 'TATTACKERx', approved_at = now(), approved_by = gen_random_uuid()
         WHERE kind = 'withdrawal' AND status = 'pending'";
    a_backdated_confirmation_is_seen: "auth signed that members confirmed", "wallet",
        "UPDATE destinations SET known_at = known_at - interval '40 days'";
    a_destination_confirmed_too_late_is_seen: "D-A4", "wallet",
        "UPDATE destinations SET known_at = now() + interval '1 second'";
    a_total_of_liabilities_that_is_too_small_is_seen: "D-B6", "wallet",
        "INSERT INTO liability_publications (at, root, total_cents, leaves, published_at)
         VALUES (now(), sha256(''), 100, 1, now());
         INSERT INTO liability_leaves SELECT id, 0, gen_random_uuid(), sha256(''), 200 FROM liability_publications WHERE total_cents = 100";
    a_member_left_out_of_the_liabilities_is_seen: "D-B6", "wallet",
        "INSERT INTO liability_publications (at, root, total_cents, leaves, published_at)
         VALUES (now(), sha256(''), 0, 0, now());
         INSERT INTO liability_nodes SELECT id, 0, 0, sha256(''), 200 FROM liability_publications WHERE total_cents = 0";
    a_member_whom_the_liabilities_do_not_know_is_seen: "D-B6", "wallet",
        "INSERT INTO liability_publications (at, root, total_cents, leaves, published_at, snapshot, gains_cents)
         VALUES (now(), sha256(''), 0, 0, now(), (SELECT snapshot FROM liability_publications), 0)";
    a_publication_that_does_not_say_what_it_counted_is_seen: "D-T5", "wallet",
        "INSERT INTO liability_publications (at, root, total_cents, leaves, published_at)
         SELECT now(), root, total_cents, leaves, now() FROM liability_publications";
    a_balance_that_was_published_too_low_is_seen: "D-T5", "wallet",
        "UPDATE liability_leaves SET amount_cents = amount_cents + 1 WHERE position = 0";
    a_gain_that_the_house_paid_is_seen: "D-T1", "wallet",
        "UPDATE entries SET account_id = 4000000000000000004 WHERE account_id = 6 AND amount_cents = -1000";
    a_gain_that_another_plan_paid_is_seen: "D-T1", "wallet", "UPDATE accounts SET user_id = gen_random_uuid() WHERE id = 6";
    a_gain_that_was_left_out_of_the_liabilities_is_seen: "D-T5", "trade",
        "UPDATE trades SET opening_value_micros = opening_value_micros / 2 WHERE status = 'open'";
    a_gain_that_no_trade_has_is_seen: "D-T5", "wallet",
        "INSERT INTO liability_gains SELECT id, '00000000-0000-0000-0000-0000000000d1', 100 FROM liability_publications";
    a_payout_that_nobody_sent_is_seen: "D-B3", "wallet",
        "UPDATE transactions SET sent_by = '00000000-0000-0000-0000-0000000000a2', sent_at = now(), txid = 'cccc', txid_key = 'cccc',
            approved_by = '00000000-0000-0000-0000-0000000000a1', approved_at = now()
         WHERE kind = 'withdrawal' AND status = 'pending'";
    a_changed_amount_is_not_what_was_signed: "D-B3", "wallet",
        "UPDATE transactions SET amount_cents = 260000 WHERE id = '00000000-0000-0000-0000-0000000000c1'";
    a_diverted_payout_is_not_what_was_signed: "D-B3", "wallet",
        "UPDATE transactions SET destination_address = 'TATTACKERx' WHERE id = '00000000-0000-0000-0000-0000000000c3'";
    a_deleted_row_of_a_decision_is_missed: "D-B3", "wallet", "DELETE FROM audit_rows WHERE id = 4";
    a_removed_signature_is_missed: "D-B3", "wallet", "UPDATE audit_rows SET assertion = NULL WHERE id = 3";
    another_decision_under_a_signature_is_seen: "D-B3", "wallet",
        "UPDATE audit_rows SET decision = jsonb_set(decision, '{facts,amountCents}', '1') WHERE id = 1";
    a_decision_that_was_undone_is_seen: "D-B3", "wallet",
        "UPDATE transactions SET status = 'pending', decided_by = NULL, decided_at = NULL, txid = NULL, txid_key = NULL
         WHERE id = '00000000-0000-0000-0000-0000000000c1'";
    another_change_of_a_proposal_is_not_what_was_signed: "D-B3", "wallet",
        "UPDATE proposals SET change = '{\"amount_cents\": 600}'";
    a_proposal_that_was_reopened_is_seen: "D-B3", "wallet",
        "UPDATE proposals SET status = 'open', decided_by = NULL, decided_at = NULL";
    a_freeze_without_a_decision_is_seen: "D-B3", "auth",
        "UPDATE users SET frozen_at = now() WHERE id = '00000000-0000-0000-0000-0000000000b1'";
    another_deposit_address_is_not_what_was_confirmed: "D-M1", "payment_method",
        "UPDATE method_versions SET address = 'TATTACKERx'";
    another_rate_is_not_what_was_confirmed: "D-Q2", "payment_method", "UPDATE rate_points SET bid_micros = 96000000000";
    a_rate_that_counts_for_longer_is_not_what_was_confirmed: "D-Q2", "payment_method",
        "UPDATE rate_points SET valid_until = valid_until + interval '1 minute'";
    a_payment_that_is_undone_is_not_carried: "D-Q8", "payment_method", "UPDATE chain_payments SET state = 'orphaned' WHERE way = 'in'";
    a_changed_sum_is_not_what_was_paid: "D-Q8", "payment_method", "UPDATE holdings SET carried = carried - 1";
    a_payment_that_counts_as_credited_for_nothing_is_seen: "D-N6", "payment_method",
        "UPDATE chain_payments SET is_consumed = true WHERE way = 'in'";
    a_withdrawal_accounts_for_its_own_payout_alone: "D-Q8", "payment_method",
        "UPDATE chain_payments SET counterparty = 'TSTRANGERx' WHERE way = 'out'";
    another_value_is_not_what_was_confirmed: "D-I1", "trade", "UPDATE plan_values SET value_micros = 2000000";
    a_hanging_mail_is_seen: "E1", "mailer",
        "UPDATE mails SET status = 'queued', ended_at = NULL, next_try_at = now() - interval '61 seconds'";
    a_mail_that_was_made_twice_is_seen: "E2", "mailer",
        "ALTER TABLE mails DROP CONSTRAINT mails_once_an_event;
         INSERT INTO mails (id, event_id, template, user_id, params, trace_context, status, ended_at)
         SELECT gen_random_uuid(), event_id, template, user_id, params, trace_context, status, ended_at FROM mails";
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
    let claims = json!({ "iss": "wallet", "aud": AUDIENCE, "sub": treasurer.user_id, "exp": 4_000_000_000_i64, "iat": 1, "jti": Uuid::nil(),
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
