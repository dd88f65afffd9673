//! A product that has lived: a row of each kind in every database, and the signatures of staff.

use std::path::Path;

use audit::{Evidence, Urls, Verdict, audit};
use chassis::audit::{Act, append, append_signed};
use chassis::db::Db;
use chassis::decision::{AUDIENCE, Assertion, Decided, LIFE_SECONDS, Signed};
use chassis::destination::ConfirmedDestination;
use chassis::hex::to_hex;
use chassis::identity::{Role, Staff};
use chassis::keys::{DECISION_SIGNER, SigningKey, generate};
use chassis::permission::Permission;
use chassis::proposal;
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool};
use stack::Service;
use tempfile::TempDir;
use time::OffsetDateTime;
use uuid::Uuid;

/// The services as schema, which is also the role, and folder of the migrations.
pub(super) fn services() -> impl Iterator<Item = (&'static str, &'static str)> {
    Service::services().filter_map(|service| Some((service.database()?, service.name())))
}

/// Staff of the lived-in product, by the end of their id.
pub(super) fn staff(id: u128, role: Role) -> Staff {
    Staff::new(Uuid::from_u128(id).into(), role)
}

/// What staff decided, as it stands in the rows.
pub(super) fn decisions() -> Vec<(&'static str, Staff, Decided)> {
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
    PERFORM count_liabilities(begun);
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
pub(super) struct Product {
    base: String,
    pub(super) keys: TempDir,
}

impl Product {
    pub(super) async fn lived_in(pool: &PgPool) -> Self {
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
    pub(super) fn sign(&self, service: &str, staff: &Staff, decided: Decided) -> Signed {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let assertion = Assertion {
            iss: DECISION_SIGNER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: staff.id,
            exp: now + LIFE_SECONDS,
            iat: now,
            jti: Uuid::new_v4(),
            service: service.replace('_', "-"),
            role: staff.role,
            sid: Uuid::from_u128(0x51).into(),
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
        let confirmed = ConfirmedDestination::new(member.into(), &key, "code", OffsetDateTime::now_utc());
        let assertion = confirmed.sign(&self.decision_key()).unwrap();
        let sign = format!("SET session_replication_role = replica; UPDATE destinations SET assertion = '{assertion}'");
        self.run("wallet", &sign).await;
    }

    fn decision_key(&self) -> SigningKey {
        SigningKey::read(&self.keys.path().join("decision.key")).unwrap()
    }

    /// Writes a row of the audit log, as the service does.
    pub(super) async fn record(&self, service: &str, staff: &Staff, signed: Option<&Signed>) {
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

    pub(super) fn url(&self, schema: &str) -> String {
        // The bodies of functions name the schema of a database of their own.
        format!("{}?options[search_path]={schema}&options[check_function_bodies]=off", self.base)
    }

    pub(super) async fn connect(&self, schema: &str) -> PgConnection {
        PgConnection::connect(&self.url(schema)).await.unwrap()
    }

    pub(super) async fn run(&self, schema: &str, sql: &str) {
        let mut connection = self.connect(schema).await;
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.expect(sql);
    }

    pub(super) fn urls(&self) -> Urls {
        Urls::by(|service| Ok(self.url(service.database().unwrap()))).unwrap()
    }

    pub(super) async fn audit(&self) -> Vec<Verdict> {
        let trusted_keys = self.keys.path().join("trusted.json");
        audit(&self.urls(), Some(&Evidence { trusted_keys: &trusted_keys, roots: None, nodes: None })).await.unwrap()
    }

    /// The ids of the promises found broken.
    pub(super) async fn broken(&self) -> Vec<Verdict> {
        self.audit().await.into_iter().filter(|verdict| !verdict.offending.is_empty()).collect()
    }
}

pub(super) fn migrations(service: &str) -> Vec<String> {
    let service = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../services").join(service);
    let mut files = Vec::new();
    for folder in ["migrations", "sql"].map(|folder| service.join(folder)).iter().filter(|folder| folder.exists()) {
        let mut found: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        found.sort();
        files.extend(found);
    }
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}
