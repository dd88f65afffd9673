//! Invariants of a single database, each as a query for the rows that violate it.

use stack::Service;

/// An invariant and the query for the rows that violate it.
pub struct Check {
    /// The invariants it belongs to.
    pub ids: &'static str,
    /// What must hold, as a sentence.
    pub promise: &'static str,
    /// Where; ignored for those of every database.
    pub database: Service,
    /// Returns one text per violating row.
    pub offending: &'static str,
}

const fn wallet(ids: &'static str, promise: &'static str, offending: &'static str) -> Check {
    Check { ids, promise, database: Service::Wallet, offending }
}

const fn trade(ids: &'static str, promise: &'static str, offending: &'static str) -> Check {
    Check { ids, promise, database: Service::Trade, offending }
}

const fn auth(ids: &'static str, promise: &'static str, offending: &'static str) -> Check {
    Check { ids, promise, database: Service::Auth, offending }
}

/// Invariants of the tables that every database has.
pub const EVERYWHERE: &[Check] = &[
    wallet(
        "Q3",
        "no event waits for more than a minute",
        "SELECT format('outbox %s %s since %s', id, key, created_at) FROM outbox
         WHERE published_at IS NULL AND created_at < clock_timestamp() - interval '60 seconds' ORDER BY id",
    ),
    wallet("Q6", "no event is a dead letter", "SELECT format('%s %s: %s', event_id, key, cause) FROM parked_events"),
    wallet(
        "L9",
        "every claimed key has its answer",
        "SELECT format('key %s of %s on %s', key, user_id, route) FROM idempotency_keys WHERE outcome IS NULL",
    ),
    wallet(
        "D-O4",
        "every proposal was confirmed by another person than its proposer",
        "SELECT format('proposal %s by %s', id, proposed_by) FROM proposals
         WHERE status = 'confirmed' AND decided_by IS NOT DISTINCT FROM proposed_by",
    ),
    wallet(
        "D-O3",
        "the trail of staff can only grow",
        "SELECT 'trigger ' || name FROM unnest(ARRAY['audit_rows_append_only', 'audit_rows_not_truncated']) AS name
         WHERE NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = name AND tgrelid = to_regclass('audit_rows') AND tgenabled <> 'D')",
    ),
];

/// Invariants of the tables of a single service.
pub const CHECKS: &[Check] = &[
    wallet(
        "L1",
        "the entries of each posting sum to zero",
        "SELECT format('posting %s sums to %s', posting_id, sum(amount_cents)) FROM entries
         GROUP BY posting_id HAVING sum(amount_cents) <> 0",
    ),
    wallet(
        "L1",
        "every posting has entries",
        "SELECT format('posting %s (%s)', id, kind) FROM postings
         WHERE NOT EXISTS (SELECT FROM entries WHERE posting_id = postings.id)",
    ),
    wallet(
        "L1",
        "every entry has its posting and its account",
        "SELECT format('entry of account %s in posting %s', account_id, posting_id) FROM entries
         LEFT JOIN postings ON postings.id = posting_id LEFT JOIN accounts ON accounts.id = account_id
         WHERE postings.id IS NULL OR accounts.id IS NULL",
    ),
    wallet(
        "L2",
        "all entries sum to zero",
        "SELECT format('all entries sum to %s', sum(amount_cents)) FROM entries HAVING sum(amount_cents) <> 0",
    ),
    wallet(
        "L3",
        "each stored balance, count and head is that of its entries",
        "SELECT format('account %s (%s of %s) says %s of %s entries, has %s of %s', id, kind, coalesce(user_id::text, 'the house'),
            balance_cents, entry_count, coalesce(cents, 0), coalesce(entries, 0))
         FROM accounts LEFT JOIN (
            SELECT account_id, sum(amount_cents) AS cents, count(*) AS entries,
                max(posting_id) AS newest
            FROM entries GROUP BY account_id) AS computed ON account_id = id
         LEFT JOIN entries AS head ON head.account_id = id AND head.posting_id = newest
         WHERE balance_cents <> coalesce(cents, 0) OR entry_count <> coalesce(entries, 0) OR head_hash <> coalesce(head.hash, '')",
    ),
    wallet(
        "L4",
        "no account of a member or plan is or was below zero, and what a member owes or a plan's assets cost never above",
        "SELECT format('account %s (%s of %s)', id, kind, user_id) FROM accounts
         CROSS JOIN LATERAL (SELECT CASE WHEN kind IN ('owed', 'plan_assets') THEN -1 ELSE 1 END AS side) AS is_meant
         WHERE user_id IS NOT NULL AND (side * balance_cents < 0
            OR EXISTS (SELECT FROM entries WHERE account_id = accounts.id AND side * balance_after_cents < 0))",
    ),
    wallet(
        "D-B9",
        "a member with a debt has no available balance",
        "SELECT format('member %s owes %s and has %s', owed.user_id, -owed.balance_cents, available.balance_cents)
         FROM accounts AS owed JOIN accounts AS available ON available.user_id = owed.user_id AND available.kind = 'available'
         WHERE owed.kind = 'owed' AND owed.balance_cents <> 0 AND available.balance_cents <> 0",
    ),
    wallet(
        "D-B9",
        "every reversal takes back, once and wholly, the posting that its proposal names",
        "SELECT format('posting %s reverses %s by proposal %s', reversal.id, reversal.reverses, reversal.business_id)
         FROM postings AS reversal
         LEFT JOIN proposals ON proposals.id = reversal.business_id AND proposals.kind = reversal.kind
         LEFT JOIN postings AS reversed ON reversed.id = reversal.reverses
         WHERE reversal.kind <> 'course_refund' AND (reversal.kind = 'reversal' OR reversal.reverses IS NOT NULL) AND (
            reversal.reverses IS DISTINCT FROM (change ->> 'reverses')::bigint OR reversal.kind <> 'reversal'
            OR reversed.user_id IS DISTINCT FROM reversal.user_id
            OR reversed.kind NOT IN ('deposit', 'course', 'fee', 'fee_credit', 'course_credit', 'adjustment_credit', 'release')
            OR EXISTS (SELECT FROM (
                -- A fee becomes the member's to pay.
                SELECT CASE WHEN kind = 'owed' OR reversed.kind = 'fee' AND kind = 'fee_revenue' THEN 'available'
                    ELSE kind END AS account, amount_cents FROM entries
                JOIN accounts ON accounts.id = account_id WHERE posting_id IN (reversal.id, reversed.id)) AS both_ways
                GROUP BY account HAVING sum(amount_cents) <> 0))
         UNION ALL
         SELECT format('posting %s is reversed %s times', reverses, count(*)) FROM postings
         WHERE reverses IS NOT NULL GROUP BY reverses HAVING count(*) > 1",
    ),
    wallet(
        "D-B10",
        "what is on hold is the sum of the holds",
        "SELECT format('member %s has %s on hold, holds are %s', user_id, coalesce(balance_cents, 0), coalesce(cents, 0))
         FROM (SELECT user_id, balance_cents FROM accounts WHERE kind = 'on_hold') AS accounts
         FULL JOIN (SELECT user_id, sum(amount_cents) AS cents FROM holds WHERE status = 'placed' GROUP BY user_id) AS placed
            USING (user_id)
         WHERE coalesce(balance_cents, 0) <> coalesce(cents, 0)",
    ),
    wallet(
        "D-B10",
        "every hold has the postings of its state and the signed decisions of two people",
        "SELECT format('hold %s of %s is %s with %s', id, amount_cents, status, posted) FROM holds
         CROSS JOIN LATERAL (SELECT coalesce(array_agg(postings.kind ORDER BY postings.kind), '{}') AS posted,
                coalesce(bool_and(postings.user_id = holds.user_id AND moved = amount_cents), false) AS is_right
            FROM postings CROSS JOIN LATERAL (
                SELECT sum(CASE postings.kind WHEN 'hold' THEN entries.amount_cents ELSE -entries.amount_cents END) AS moved
                FROM entries JOIN accounts ON accounts.id = account_id
                WHERE posting_id = postings.id AND accounts.kind = 'on_hold' AND accounts.user_id = holds.user_id) AS kept
            WHERE postings.kind IN ('hold', 'hold_release') AND business_id = holds.id) AS effect
         WHERE NOT is_right OR released_by IS NOT DISTINCT FROM placed_by
            OR posted <> CASE status WHEN 'placed' THEN ARRAY['hold'] ELSE ARRAY['hold', 'hold_release'] END
            OR NOT EXISTS (SELECT FROM audit_rows
                WHERE subject_id = holds.id::text AND actor_id = placed_by AND action = 'hold.place' AND decision -> 'facts'
                    = jsonb_build_object('userId', user_id, 'amountCents', amount_cents, 'reasonCode', reason_code))
            OR status = 'released' AND NOT EXISTS (SELECT FROM audit_rows
                WHERE subject_id = holds.id::text AND actor_id = released_by AND action = 'hold.release' AND decision -> 'facts'
                    = jsonb_build_object('userId', user_id))",
    ),
    wallet(
        "L5",
        "each account's entries form an unbroken chain",
        "SELECT format('entry of account %s in posting %s', account_id, posting_id) FROM (
            SELECT entries.account_id, entries.posting_id, hash, balance_after_cents - amount_cents AS before,
                coalesce(lag(balance_after_cents) OVER chain, rebuilt.balance_cents, 0) AS previous,
                entry_hash(coalesce(lag(hash) OVER chain, rebuilt.head_hash, ''), entries.account_id, entries.posting_id,
                    amount_cents, balance_after_cents, posting_header(postings)) AS expected
            FROM entries LEFT JOIN postings ON postings.id = entries.posting_id
            LEFT JOIN (SELECT DISTINCT ON (account_id) * FROM account_rebuilds
                ORDER BY account_id, posting_id DESC) AS rebuilt ON rebuilt.account_id = entries.account_id
            WHERE rebuilt.account_id IS NULL OR entries.posting_id > rebuilt.posting_id
            WINDOW chain AS (PARTITION BY entries.account_id ORDER BY entries.posting_id)) AS linked
         WHERE hash <> expected OR before <> previous",
    ),
    wallet(
        "A6 L5",
        "each rebuild of an account was confirmed by two people, and stands on the entries of then",
        "SELECT format('account %s rebuilt by proposal %s', rebuilt.account_id, proposal_id) FROM account_rebuilds AS rebuilt
         LEFT JOIN proposals ON proposals.id = proposal_id AND proposals.kind = 'ledger.rebuild' AND status = 'confirmed'
            AND (change ->> 'accountId')::bigint = rebuilt.account_id
         CROSS JOIN LATERAL (SELECT coalesce(sum(amount_cents), 0) AS cents, count(*) AS entries,
                sha256(coalesce(string_agg(int8send(posting_id) || int8send(amount_cents) || hash, '' ORDER BY posting_id), '')) AS digest
            FROM entries WHERE entries.account_id = rebuilt.account_id AND entries.posting_id <= rebuilt.posting_id) AS computed
         WHERE proposals.id IS NULL
            OR (computed.cents, computed.entries, computed.digest) <> (rebuilt.balance_cents, rebuilt.entry_count, rebuilt.digest)",
    ),
    wallet(
        "D-B1",
        "every posting has a cause that can be named",
        "SELECT format('posting %s (%s %s) of member %s', postings.id, postings.kind, business_id, postings.user_id) FROM postings
         LEFT JOIN transactions AS line ON line.id = business_id AND line.user_id = postings.user_id
            AND postings.kind = ANY (CASE line.kind
                WHEN 'deposit' THEN ARRAY['deposit'] WHEN 'course' THEN ARRAY['course', 'course_credit']
                WHEN 'fee' THEN ARRAY['fee', 'fee_credit', 'fee_refund']
                WHEN 'withdrawal' THEN ARRAY['withdrawal_hold', 'withdrawal_paid', 'withdrawal_release'] ELSE '{}' END)
            AND (line.status = 'success' OR postings.kind IN ('withdrawal_hold', 'withdrawal_release'))
         LEFT JOIN trade_fundings ON trade_id = business_id AND trade_fundings.user_id = postings.user_id
            AND (postings.kind = 'trade_fund' AND trade_fundings.status <> 'refused'
                OR postings.kind IN ('trade_settle', 'trade_gain', 'trade_loss') AND trade_fundings.status = 'settled')
         LEFT JOIN proposals ON proposals.id = business_id AND proposals.kind = postings.kind
            AND proposals.status = 'confirmed' AND proposals.subject_id = postings.user_id
            AND (postings.kind IN ('bonus', 'release', 'adjustment_credit', 'adjustment_debit', 'reversal', 'course_refund')
                OR is_treasury(postings.kind))
         LEFT JOIN holds ON holds.id = business_id AND holds.user_id = postings.user_id
            AND (postings.kind = 'hold' OR postings.kind = 'hold_release' AND holds.status = 'released')
         LEFT JOIN closed_wallets AS closed ON closed.user_id = business_id AND closed.user_id = postings.user_id
            AND postings.kind = 'bonus_given_up' AND closed.bonus_cents > 0
         WHERE line.id IS NULL AND trade_id IS NULL AND proposals.id IS NULL AND holds.id IS NULL AND closed.user_id IS NULL",
    ),
    wallet(
        "D-B1 D-R2",
        "every correction moves the amount that was confirmed",
        "SELECT format('posting %s (%s %s) moves %s', postings.id, postings.kind, business_id, moved.cents) FROM postings
         JOIN proposals ON proposals.id = business_id
         CROSS JOIN LATERAL (SELECT sum(amount_cents) FILTER (WHERE amount_cents > 0) AS cents FROM entries
            JOIN accounts ON accounts.id = account_id
            WHERE posting_id = postings.id AND (accounts.user_id IS NULL OR accounts.user_id = postings.user_id)) AS moved
         WHERE moved.cents IS DISTINCT FROM (change ->> 'amount_cents')::bigint",
    ),
    wallet(
        "A6",
        "the check of the ledger found nothing that does not verify",
        "SELECT detail FROM ledger_faults WHERE verified_at IS NULL ORDER BY id",
    ),
    wallet(
        "L5",
        "the triggers that keep history are on",
        "SELECT format('trigger %s on %s', name, relation) FROM (VALUES ('entries', 'entries_append_only'),
            ('entries', 'entries_balanced'), ('postings', 'postings_append_only'), ('accounts', 'accounts_stay'),
            ('transactions', 'transactions_decided_once'), ('withdrawal_pauses', 'withdrawal_pauses_reopened_once'),
            ('withdrawal_pauses', 'withdrawal_pauses_as_proposed'), ('accounts', 'accounts_stay_the_same'),
            ('trade_fundings', 'trade_fundings_by_the_ledger'), ('trade_fundings', 'trade_fundings_settled_once'),
            ('account_rebuilds', 'account_rebuilds_append_only'), ('holds', 'holds_placed_first'),
            ('holds', 'holds_released_once'), ('holds', 'holds_stay'), ('destinations', 'destinations_append_only'),
            ('transactions', 'transactions_destination_known'), ('entries', 'entries_not_truncated'),
            ('postings', 'postings_not_truncated'), ('accounts', 'accounts_not_truncated'), ('holds', 'holds_not_truncated'),
            ('account_rebuilds', 'account_rebuilds_not_truncated'), ('destinations', 'destinations_not_truncated')
            ) AS wanted (relation, name)
         WHERE NOT EXISTS (SELECT FROM pg_trigger
            WHERE tgname = name AND tgrelid = to_regclass(relation) AND tgenabled <> 'D')",
    ),
    wallet(
        "L5",
        "the service's own role writes money only through the ledger's functions",
        "SELECT format('wallet may %s %s', privilege, relation)
         FROM (VALUES ('accounts', '{INSERT,UPDATE,DELETE,TRUNCATE}'), ('entries', '{INSERT,UPDATE,DELETE,TRUNCATE}'),
            ('postings', '{INSERT,UPDATE,DELETE,TRUNCATE}'), ('holds', '{DELETE,TRUNCATE}'), ('posting_kinds', '{INSERT,UPDATE,DELETE,TRUNCATE}'),
            -- Rows of closed wallets may go, which a trigger watches over.
            ('destinations', '{UPDATE,TRUNCATE}'),
            ('audit_rows', '{UPDATE,DELETE,TRUNCATE}')) AS kept (relation, privileges),
            unnest(privileges::text[]) AS privilege
         WHERE EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet' AND NOT rolsuper)
            AND has_table_privilege((SELECT oid FROM pg_roles WHERE rolname = 'wallet'), to_regclass(relation), privilege)",
    ),
    wallet(
        "L6",
        "what is held is the one open withdrawal",
        "SELECT format('member %s holds %s, open are %s of %s', user_id, balance_cents, open, cents) FROM accounts
         CROSS JOIN LATERAL (SELECT count(*) AS open, coalesce(sum(amount_cents), 0) AS cents FROM transactions
            WHERE transactions.user_id = accounts.user_id AND transactions.kind = 'withdrawal' AND status = 'pending') AS withdrawals
         WHERE kind = 'held' AND (balance_cents <> cents OR open > 1)",
    ),
    wallet(
        "L6",
        "every open withdrawal has a hold",
        "SELECT format('withdrawal %s of %s', id, user_id) FROM transactions
         WHERE kind = 'withdrawal' AND status = 'pending' AND NOT EXISTS (
            SELECT FROM accounts WHERE accounts.user_id = transactions.user_id AND accounts.kind = 'held')",
    ),
    wallet(
        "L7",
        "nothing is posted twice",
        "SELECT format('%s %s is posted %s times', kind, business_id, count(*)) FROM postings
         GROUP BY kind, business_id HAVING count(*) > 1",
    ),
    wallet(
        "L11",
        "a payment has its effect when it succeeded and none before",
        "SELECT format('%s %s is %s with %s postings of %s', kind, id, status, posted, cents) FROM transactions
         LEFT JOIN (SELECT business_id, count(DISTINCT postings.id) AS posted, -sum(amount_cents) AS cents
            FROM postings JOIN entries ON posting_id = postings.id AND account_id = 4000000000000000001
            GROUP BY business_id) AS effect ON business_id = transactions.id
         WHERE (kind IN ('deposit', 'fee') OR kind = 'course' AND method_id IS NOT NULL)
            -- What arrives over the price of the course is a posting of its own.
            AND (coalesce(posted, 0), coalesce(cents, 0)) IS DISTINCT FROM
                (CASE WHEN status <> 'success' THEN 0 WHEN kind = 'course' AND amount_cents > claimed_amount_cents THEN 2 ELSE 1 END, CASE WHEN status = 'success' THEN amount_cents ELSE 0 END)",
    ),
    wallet(
        "L11",
        "a deposit is credited with what was received",
        "SELECT format('deposit %s of %s: %s', id, amount_cents, coalesce(cents, 0)) FROM transactions
         LEFT JOIN (SELECT business_id, accounts.user_id, sum(entries.amount_cents) AS cents
            FROM postings JOIN entries ON posting_id = postings.id JOIN accounts ON accounts.id = account_id
            WHERE postings.kind = 'deposit' AND accounts.kind IN ('available', 'owed')
            GROUP BY business_id, accounts.user_id) AS credited
            ON business_id = transactions.id AND credited.user_id = transactions.user_id
         WHERE kind = 'deposit' AND status = 'success' AND cents IS DISTINCT FROM amount_cents",
    ),
    wallet(
        "L11",
        "a withdrawal is held, then paid or released, once",
        "SELECT format('withdrawal %s is %s with %s', id, status, posted) FROM transactions
         LEFT JOIN (SELECT business_id, array_agg(postings.kind ORDER BY postings.kind) AS posted
            FROM postings JOIN transactions ON transactions.id = business_id AND transactions.kind = 'withdrawal'
            GROUP BY business_id) AS effect ON business_id = transactions.id
         WHERE kind = 'withdrawal' AND posted IS DISTINCT FROM CASE status
            WHEN 'pending' THEN ARRAY['withdrawal_hold']
            WHEN 'success' THEN ARRAY['withdrawal_hold', 'withdrawal_paid']
            ELSE ARRAY['withdrawal_hold', 'withdrawal_release'] END",
    ),
    wallet(
        "L11",
        "a payout costs the net amount",
        "SELECT format('withdrawal %s pays %s', id, net_amount_cents) FROM transactions
         LEFT JOIN (SELECT business_id, entries.amount_cents AS cents FROM postings
            JOIN entries ON posting_id = postings.id AND account_id = 4000000000000000001
            WHERE postings.kind = 'withdrawal_paid') AS paid ON business_id = transactions.id
         WHERE kind = 'withdrawal' AND status = 'success' AND net_amount_cents IS DISTINCT FROM cents",
    ),
    wallet(
        "D-N4",
        "a payout sends the net amount at the rate that its lease signed, in the outputs that it consumes",
        "WITH priced AS (SELECT id, net_amount_cents, payout_units, payout_decimals, payout_rate_micros, payout_spread_bps,
                jsonb_build_object('asset', currency, 'contract', payout_contract, 'decimals', payout_decimals,
                    'units', payout_units::text, 'rateMicros', payout_rate_micros, 'spreadBps', payout_spread_bps) AS price
            FROM transactions WHERE payout_units IS NOT NULL)
         SELECT format('withdrawal %s sends %s for %s', id, payout_units, net_amount_cents) FROM priced
         WHERE payout_units IS DISTINCT FROM div(net_amount_cents * 10::numeric ^ payout_decimals * 100000000,
            payout_rate_micros::numeric * (10000 + payout_spread_bps))
         UNION ALL
         SELECT format('withdrawal %s sends %s: %s', id, price, CASE WHEN row_id IS NULL THEN 'no row of the audit log'
            ELSE format('row %s signs %s', row_id, coalesce((facts -> 'price')::text, 'nothing')) END)
         FROM priced LEFT JOIN LATERAL (SELECT audit_rows.id AS row_id, decision -> 'facts' AS facts FROM audit_rows
            WHERE subject_id = priced.id::text AND action IN ('withdrawal.paying', 'withdrawal.paid')
            -- What was paid without a lease was fixed then.
            ORDER BY action DESC, audit_rows.id DESC LIMIT 1) AS signed ON true
         WHERE facts -> 'price' IS DISTINCT FROM price
         UNION ALL
         SELECT format('withdrawal %s sends %s, and consumes %s', id, payout_units, sum(units)) FROM priced
         JOIN consumed_payments ON transaction_id = id AND freed_at IS NULL AND units IS NOT NULL
         WHERE NOT EXISTS (SELECT FROM proposals WHERE status = 'confirmed' AND kind = 'payout_correction'
            AND change ->> 'transaction_id' = priced.id::text AND change ->> 'outcome' = 'arrived')
         GROUP BY id, payout_units HAVING sum(units) <> payout_units",
    ),
    wallet(
        "L11 D-L4",
        "every line that moved the balance is the posting it names",
        "SELECT format('%s %s of %s: %s postings of %s', kind, id, amount_cents, coalesce(posted, 0), coalesce(cents, 0))
         FROM transactions
         LEFT JOIN (SELECT transaction_id, accounts.user_id, count(DISTINCT postings.id) AS posted, sum(entries.amount_cents) AS cents
            FROM postings JOIN entries ON posting_id = postings.id JOIN accounts ON accounts.id = account_id
            WHERE transaction_id IS NOT NULL AND accounts.kind IN ('available', 'owed')
            GROUP BY transaction_id, accounts.user_id) AS moved
            ON transaction_id = transactions.id AND moved.user_id = transactions.user_id
         WHERE status = 'success' AND kind NOT IN ('withdrawal', 'fee') AND (kind <> 'course' OR method_id IS NULL)
            -- The reversal of a payment of the course ends access and moves no balance.
            AND NOT EXISTS (SELECT FROM postings AS reversal JOIN postings AS reversed ON reversed.id = reversal.reverses
                WHERE reversal.transaction_id = transactions.id AND reversal.kind = 'reversal' AND reversed.kind = 'course')
            AND (posted, cents) IS DISTINCT FROM
                (1::bigint, CASE direction WHEN 'credit' THEN transactions.amount_cents ELSE -transactions.amount_cents END::numeric)",
    ),
    wallet(
        "L11",
        "every movement of a balance has its line",
        "SELECT format('posting %s (%s) of %s', postings.id, postings.kind, postings.user_id) FROM postings
         JOIN entries ON posting_id = postings.id JOIN accounts ON accounts.id = account_id
         LEFT JOIN transactions ON transactions.id = transaction_id AND transactions.user_id = accounts.user_id
         WHERE accounts.kind IN ('available', 'owed') AND transactions.id IS NULL
            AND postings.kind NOT IN ('hold', 'hold_release')",
    ),
    wallet(
        "L12",
        "every fee is 2.5 % half up, every net what is left or, with the fee paid, the whole",
        "SELECT format('withdrawal %s of %s: fee %s, net %s', id, amount_cents, fee_cents, net_amount_cents) FROM transactions
         WHERE kind = 'withdrawal' AND (fee_cents <> (amount_cents * 250 + 5000) / 10000
            OR net_amount_cents <> CASE WHEN fee_paid THEN amount_cents ELSE amount_cents - fee_cents END)",
    ),
    wallet(
        "D-W4",
        "a fee counts as paid when a payment of it was confirmed",
        "SELECT format('withdrawal %s', id) FROM transactions AS withdrawal
         WHERE kind = 'withdrawal' AND fee_paid <> EXISTS (
            SELECT FROM transactions AS fee JOIN postings ON postings.kind = 'fee' AND business_id = fee.id
            WHERE fee.kind = 'fee' AND fee.related_id = withdrawal.id AND fee.status = 'success')",
    ),
    wallet(
        "D-W5",
        "withdrawals from $1,000.00 took two people",
        "SELECT format('withdrawal %s by %s', id, decided_by) FROM transactions
         WHERE kind = 'withdrawal' AND status = 'success' AND amount_cents >= 100000
            AND (approved_by IS NULL OR approved_by = decided_by)",
    ),
    wallet(
        "D-A4",
        "nothing was approved for a destination that its member had not confirmed",
        "SELECT format('withdrawal %s to %s', id, destination_address) FROM transactions
         WHERE kind = 'withdrawal' AND approved_by IS NOT NULL AND NOT EXISTS (SELECT FROM (
            SELECT user_id, key, known_at FROM destinations
            UNION ALL SELECT user_id, key, known_at FROM disowned_destinations) AS known
            WHERE known.user_id = transactions.user_id AND known_at <= approved_at AND key = destination_key(
                transactions.currency, transactions.network, destination_address, destination_memo))",
    ),
    wallet(
        "D-N1 D-D4 D-W5 D-B8",
        "every transaction with a hash consumes a payment of it, or was reversed",
        "SELECT format('%s %s: %s', kind, id, txid_key) FROM transactions
         WHERE txid_key IS NOT NULL AND NOT EXISTS (SELECT FROM consumed_payments AS consumed
            WHERE consumed.transaction_id = transactions.id AND consumed.chain = payment_chain(network)
                AND consumed.txid = txid_key AND (consumed.freed_at IS NULL OR NOT EXISTS (SELECT FROM postings
                    WHERE business_id = transactions.id AND kind IN ('deposit', 'course', 'fee', 'fee_credit', 'course_credit')
                        AND NOT EXISTS (SELECT FROM postings AS reversal WHERE reversal.reverses = postings.id))))",
    ),
    wallet(
        "D-N1 D-B8",
        "every payment on a chain is consumed once, and nothing beside a whole blockchain transaction",
        "SELECT format('%s %s output %s: transactions %s and %s', one.chain, one.txid, one.vout, one.transaction_id, other.transaction_id)
         FROM consumed_payments AS one JOIN consumed_payments AS other USING (chain, txid)
         WHERE one.freed_at IS NULL AND other.freed_at IS NULL AND one.ctid < other.ctid
            AND (one.vout = other.vout OR one.vout = -1 OR other.vout = -1)",
    ),
    wallet(
        "D-B12",
        "a deposit that takes two reviewers was decided by another than the first, as the first approved it",
        "SELECT format('deposit %s by %s', id, decided_by) FROM transactions
         WHERE first_approved_by IS NOT NULL AND status = 'success'
            AND (first_approved_by = decided_by OR amount_cents <> received_cents)",
    ),
    wallet(
        "D-D1 D-O3",
        "every decision of a person is in the trail",
        "SELECT format('%s %s was %s by %s', kind, id, status, decided_by) FROM transactions
         WHERE decided_by IS NOT NULL AND NOT EXISTS (SELECT FROM audit_rows
            WHERE subject_id = transactions.id::text AND actor_id = decided_by AND action = transactions.kind || '.' ||
                CASE WHEN status = 'failed' THEN 'reject' WHEN transactions.kind = 'withdrawal' THEN 'paid' ELSE 'approve' END)",
    ),
    wallet(
        "D-N8",
        "what counts as approved without proof is what the audit log calls so",
        "SELECT format('%s %s by %s', kind, id, decided_by) FROM transactions
         JOIN (SELECT DISTINCT ON (subject_id, actor_id) subject_id, actor_id, after FROM audit_rows
            WHERE action IN ('deposit.approve', 'course.approve', 'fee.approve') ORDER BY subject_id, actor_id, id DESC) AS named
            ON subject_id = transactions.id::text AND actor_id = decided_by
         WHERE status = 'success' AND is_proven = coalesce((after ->> 'unproven')::boolean, false)",
    ),
    wallet(
        "D-A6 D-M5",
        "only what its member disowned or took back ended without a person, as the trail says",
        "SELECT format('%s %s', kind, id) FROM transactions
         WHERE status = 'failed' AND decided_by IS NULL AND NOT EXISTS (SELECT FROM audit_rows
            WHERE subject_id = transactions.id::text AND actor_role = 'system'
                AND action = CASE kind WHEN 'withdrawal' THEN 'withdrawal.cancel' ELSE 'deposit.take_back' END)",
    ),
    wallet(
        "D-B3",
        "every decision about a transaction is what was signed, and the other way round",
        r"WITH decided AS (
            SELECT id, kind || '.approve' AS action, approver AS by FROM transactions, unnest(ARRAY[approved_by, first_approved_by]) AS approver
            WHERE approver IS NOT NULL
            UNION ALL
            SELECT id, kind || CASE WHEN status = 'failed' THEN '.reject' WHEN kind = 'withdrawal' THEN '.paid' ELSE '.approve' END,
                coalesce(decided_by, sent_by) FROM transactions WHERE decided_by IS NOT NULL OR sent_by IS NOT NULL
        )
        SELECT format('%s %s by %s: %s', action, id, by, CASE WHEN row_id IS NULL THEN 'no row of the audit log'
            ELSE format('row %s signs %s', row_id, coalesce((decision -> 'facts')::text, 'nothing')) END)
        FROM decided JOIN transactions AS line USING (id)
        LEFT JOIN (SELECT DISTINCT ON (subject_id, action, actor_id) subject_id, action AS act, actor_id, id AS row_id, decision,
                assertion
            FROM audit_rows ORDER BY subject_id, action, actor_id, id DESC) AS named
            ON subject_id = decided.id::text AND act = action AND actor_id = by
        WHERE row_id IS NULL
            OR assertion IS NULL AND row_id > (SELECT min(audit_rows.id) FROM audit_rows WHERE assertion IS NOT NULL)
            OR assertion IS NOT NULL AND NOT decision -> 'facts' @> (
                jsonb_build_object('userId', user_id, 'amountCents',
                    CASE WHEN status = 'pending' AND first_approved_by IS NOT NULL THEN received_cents ELSE amount_cents END) || CASE
                WHEN action LIKE '%.reject' THEN jsonb_build_object('reasonCode', reason_code)
                -- Of a payout, two people may have said what became of it since.
                WHEN action <> 'withdrawal.approve' AND NOT EXISTS (SELECT FROM proposals WHERE status = 'confirmed'
                    AND proposals.kind = 'payout_correction' AND change ->> 'transaction_id' = line.id::text
                    AND decided_at > (SELECT at FROM audit_rows WHERE audit_rows.id = row_id)
                    AND change ->> 'txid_key' = txid_key AND (change ->> 'vout')::bigint IS NOT DISTINCT FROM vout)
                    THEN jsonb_build_object('txid', txid_key, 'vout', vout) ELSE '{}' END || CASE
                WHEN action IN ('withdrawal.approve', 'withdrawal.paid') THEN jsonb_build_object('payout', jsonb_build_object(
                    'netAmountCents', net_amount_cents, 'network', network, 'address', destination_address,
                    'memo', coalesce(destination_memo, ''))) ELSE '{}' END)
        UNION ALL
        SELECT format('row %s: %s of %s, which is %s', audit_rows.id, action, subject_id, coalesce(status, 'not there'))
        FROM audit_rows LEFT JOIN transactions ON transactions.id = subject_id::uuid
        WHERE decision -> 'facts' ? 'revision' AND coalesce(CASE split_part(action, '.', 2)
            WHEN 'approve' THEN actor_id IS DISTINCT FROM approved_by AND actor_id IS DISTINCT FROM decided_by
                -- A rejection forgets the first of two approvals.
                AND actor_id IS DISTINCT FROM first_approved_by AND NOT (status = 'failed' AND kind IN ('deposit', 'course', 'fee'))
            WHEN 'paid' THEN (status = 'failed' OR coalesce(decided_by, sent_by) IS DISTINCT FROM actor_id)
                AND NOT EXISTS (SELECT FROM proposals WHERE status = 'confirmed' AND proposals.kind = 'payout_correction'
                    AND change ->> 'transaction_id' = audit_rows.subject_id AND change ->> 'outcome' = 'not_sent'
                    AND decided_at > audit_rows.at)
            WHEN 'reject' THEN (status, decided_by) <> ('failed', actor_id)
            ELSE transactions.id IS NULL END, true)",
    ),
    wallet(
        "L7 D-R2",
        "every confirmed correction took effect once, every other never",
        "SELECT format('proposal %s is %s', id, status) FROM proposals
         WHERE kind NOT IN ('withdrawals.reopen', 'ledger.rebuild', 'payout_correction', 'plan_valued', 'holding_stated',
                'sweep', 'exchange', 'refund')
            AND (status = 'confirmed') <> EXISTS (SELECT FROM postings WHERE business_id = proposals.id AND postings.kind = proposals.kind)",
    ),
    wallet(
        "D-O4",
        "each stop of withdrawals was ended by two people, as they proposed and confirmed it",
        "SELECT format('stop %s, ended by %s and %s', id, reopening_proposed_by, reopened_by) FROM withdrawal_pauses
         WHERE reopened_at IS NOT NULL AND (reopened_by = reopening_proposed_by OR NOT EXISTS (
            SELECT FROM proposals WHERE kind = 'withdrawals.reopen' AND status = 'confirmed'
                AND proposed_by = reopening_proposed_by AND decided_by = reopened_by
                AND (change ->> 'pauseId')::bigint = withdrawal_pauses.id))",
    ),
    wallet(
        "T5",
        "no member owns the course twice, and every sale is a posting",
        "SELECT format('member %s: %s lines, %s postings', user_id, lines, posted) FROM (
            SELECT user_id, count(*) AS lines FROM transactions WHERE kind = 'course' AND status = 'success'
                -- Less than the price is added to the balance.
                AND amount_cents >= coalesce(claimed_amount_cents, amount_cents) GROUP BY user_id) AS bought
         FULL JOIN (SELECT user_id, count(*) AS posted, count(*) FILTER (WHERE NOT EXISTS (
                SELECT FROM postings AS refund WHERE refund.reverses = postings.id)) AS owned
            FROM postings WHERE kind = 'course' GROUP BY user_id) AS sold USING (user_id)
         WHERE lines IS DISTINCT FROM posted OR owned > 1",
    ),
    wallet(
        "D-C9",
        "every refund gives back the price of the course that its proposal names",
        "SELECT format('posting %s refunds %s by proposal %s', refund.id, refund.reverses, refund.business_id)
         FROM postings AS refund
         LEFT JOIN proposals ON proposals.id = refund.business_id AND proposals.kind = refund.kind
         LEFT JOIN postings AS bought ON bought.id = refund.reverses
         WHERE refund.kind = 'course_refund' AND (
            refund.reverses IS DISTINCT FROM (change ->> 'reverses')::bigint
            OR bought.kind IS DISTINCT FROM 'course' OR bought.user_id IS DISTINCT FROM refund.user_id
            OR (SELECT sum(amount_cents) FROM entries
                WHERE posting_id IN (refund.id, bought.id) AND account_id = 4000000000000000002) IS DISTINCT FROM 0)",
    ),
    wallet(
        "T4",
        "what is invested is the sum of the funded trades",
        "SELECT format('member %s has %s invested, funded are %s', user_id, balance_cents, cents) FROM accounts
         LEFT JOIN (SELECT user_id, sum(amount_cents) AS cents FROM trade_fundings
            WHERE status = 'funded' GROUP BY user_id) AS funded USING (user_id)
         WHERE kind = 'invested' AND balance_cents <> coalesce(cents, 0)",
    ),
    wallet(
        "T1 T2",
        "a trade is funded once, settled once, and a refused one never",
        "SELECT format('trade %s is %s: funded %s, paid %s', trade_id, status, funded, paid) FROM trade_fundings
         LEFT JOIN (
            SELECT business_id, -sum(entries.amount_cents) FILTER (WHERE postings.kind = 'trade_fund') AS funded,
                sum(entries.amount_cents) FILTER (WHERE postings.kind IN ('trade_settle', 'trade_gain')) AS paid
            FROM postings JOIN entries ON posting_id = postings.id JOIN accounts ON accounts.id = account_id
            WHERE postings.kind IN ('trade_fund', 'trade_settle', 'trade_gain') AND accounts.kind IN ('available', 'owed')
            GROUP BY business_id) AS moved ON business_id = trade_id
         WHERE coalesce(funded, 0) <> CASE WHEN status = 'refused' THEN 0 ELSE amount_cents END
            OR coalesce(paid, 0) <> coalesce(value_cents, 0)",
    ),
    wallet(
        "Q2",
        "every request and every decision wrote its event once",
        "SELECT format('%s %s has %s events', key, aggregate_id, count(*)) FROM outbox
         WHERE key LIKE 'wallet.v1.%' GROUP BY key, aggregate_id HAVING count(*) > 1
         UNION ALL
         SELECT format('%s %s (%s) has no event %s', kind, id, status, key) FROM transactions
         CROSS JOIN LATERAL (VALUES
            (CASE kind WHEN 'withdrawal' THEN 'withdrawal_requested' WHEN 'fee' THEN 'fee_requested' ELSE 'deposit_requested' END),
            (CASE WHEN status = 'pending' THEN NULL
                WHEN kind = 'withdrawal' THEN CASE status WHEN 'success' THEN 'withdrawal_paid' ELSE 'withdrawal_rejected' END
                WHEN kind = 'fee' THEN CASE status WHEN 'success' THEN 'fee_confirmed' ELSE 'fee_rejected' END
                WHEN status = 'failed' AND reason_code = 'MEMBER_REQUEST' THEN 'deposit_taken_back'
                WHEN status = 'failed' THEN 'deposit_rejected'
                -- Less than the price is a line of its own, with its event.
                WHEN kind = 'course' AND amount_cents < claimed_amount_cents THEN NULL
                WHEN kind = 'course' THEN 'course_unlocked' ELSE 'deposit_confirmed' END)) AS events (key)
         WHERE (kind IN ('deposit', 'withdrawal', 'fee') OR kind = 'course' AND method_id IS NOT NULL)
            AND key IS NOT NULL AND created_at > clock_timestamp() - interval '6 days'
            AND NOT EXISTS (SELECT FROM outbox WHERE aggregate_id = transactions.id AND outbox.key = 'wallet.v1.' || events.key)",
    ),
    trade(
        "T3",
        "every amount was within the plan's range as copied",
        "SELECT format('trade %s of %s', id, amount_cents) FROM trades
         WHERE amount_cents NOT BETWEEN plan_min_cents AND plan_max_cents",
    ),
    trade(
        "D-I4",
        "a claim ended a gain, a close none, before an exit fee as copied, half up",
        "SELECT format('trade %s: %s of %s at %s and %s', id, status, amount_cents, settle_value_cents, settle_fee_cents)
         FROM trades
         WHERE (status = 'claimed' AND settle_value_cents + settle_fee_cents <= amount_cents)
            OR (status = 'closed' AND settle_value_cents + settle_fee_cents > amount_cents)
            OR settle_fee_cents NOT IN (
                0, ((settle_value_cents + settle_fee_cents) * exit_fee_basis_points + 5000) / 10000)
            OR (status IN ('claimed', 'closed')) <> (ended_at IS NOT NULL)",
    ),
    trade(
        "K6",
        "no trade is on its way for more than a minute",
        "SELECT format('trade %s is %s since %s', id, status, created_at) FROM trades
         WHERE (status = 'opening' AND created_at < clock_timestamp() - interval '60 seconds')
            OR (status = 'settling' AND resume_at < clock_timestamp() - interval '60 seconds')",
    ),
    trade(
        "D-I1",
        "every value was published by two people and none is changed",
        "SELECT format('value of plan %s at %s', plan_id, at) FROM plan_values
         LEFT JOIN proposals ON proposals.id = proposal_id
         WHERE status IS DISTINCT FROM 'confirmed' OR decided_by IS NOT DISTINCT FROM proposed_by
            OR (subject_id, (change ->> 'valueMicros')::bigint, change ->> 'source')
                IS DISTINCT FROM (plan_id, value_micros, plan_values.source)
         UNION ALL
         SELECT 'trigger plan_values_append_only is off' WHERE NOT EXISTS (SELECT FROM pg_trigger
            WHERE tgname = 'plan_values_append_only' AND tgrelid = to_regclass('plan_values') AND tgenabled <> 'D')",
    ),
    auth(
        "D-B3 D-R13",
        "who is frozen is whom the last decision about them froze",
        "SELECT format('member %s is %s, the last decision is %s', users.id,
            CASE WHEN frozen_at IS NULL THEN 'not frozen' ELSE 'frozen' END, coalesce(last.action, 'none'))
         FROM users LEFT JOIN (
            SELECT DISTINCT ON (subject_id) subject_id, action FROM audit_rows
            WHERE action IN ('member.freeze', 'member.unfreeze') ORDER BY subject_id, id DESC
         ) AS last ON last.subject_id = users.id::text
         WHERE role IS NULL AND (frozen_at IS NOT NULL) <> (last.action IS NOT DISTINCT FROM 'member.freeze')",
    ),
    auth(
        "S1",
        "at most 3 live codes an account and purpose by its own request, 3 by strangers' ones, at most 5 submissions each",
        "SELECT format('code %s with %s submissions', id, attempts) FROM codes WHERE attempts NOT BETWEEN 0 AND 5
         UNION ALL
         SELECT format('%s live codes of %s', count(*), user_id) FROM codes
         WHERE block IS NULL AND consumed_at IS NULL AND superseded_at IS NULL
         GROUP BY user_id, purpose HAVING count(*) > 3
         UNION ALL
         SELECT format('%s live codes of %s by strangers'' requests', count(*), user_id) FROM codes
         WHERE is_strangers AND attempts < 5 AND expires_at > now() AND consumed_at IS NULL AND superseded_at IS NULL
         GROUP BY user_id, purpose HAVING count(*) > 3",
    ),
    auth(
        "S4",
        "every email belongs to one account, whatever its case",
        "SELECT format('%s has %s accounts', lower(email), count(*)) FROM users GROUP BY lower(email) HAVING count(*) > 1",
    ),
    wallet(
        "D-B6",
        "every node of the published liabilities follows from those below it",
        r"WITH newest AS (
            SELECT id FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT 1
        )
        SELECT format('node %s of level %s in publication %s', node.position, node.level, node.publication_id)
        FROM newest JOIN liability_nodes AS node ON node.publication_id = newest.id
        LEFT JOIN liability_leaves AS leaf ON node.level = 0 AND leaf.publication_id = node.publication_id
            AND leaf.position = node.position
        LEFT JOIN liability_nodes AS one ON one.publication_id = node.publication_id AND one.level = node.level - 1
            AND one.position = node.position * 2
        LEFT JOIN liability_nodes AS other ON other.publication_id = one.publication_id AND other.level = one.level
            AND other.position = one.position + 1
        WHERE (node.digest, node.sum_cents) IS DISTINCT FROM (CASE
            WHEN node.level = 0 THEN
                sha256('\x00'::bytea || leaf.salt || uuid_send(leaf.user_id) || int8send(leaf.amount_cents))
            WHEN other.position IS NULL THEN one.digest
            ELSE sha256('\x01'::bytea || one.digest || int8send(one.sum_cents) || other.digest || int8send(other.sum_cents))
            END, CASE WHEN node.level = 0 THEN leaf.amount_cents ELSE one.sum_cents + coalesce(other.sum_cents, 0) END)",
    ),
    wallet(
        "D-B6",
        "the published root and total are those of the tree, and the total is that of the leaves",
        "SELECT format('publication %s of %s', id, at) FROM (
            SELECT * FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT 1
        ) AS newest
        WHERE total_cents <> (SELECT coalesce(sum(amount_cents), 0) FROM liability_leaves WHERE publication_id = newest.id)
            OR leaves <> (SELECT count(*) FROM liability_leaves WHERE publication_id = newest.id)
            OR leaves > 0 AND NOT EXISTS (
                SELECT FROM (
                    SELECT digest, sum_cents FROM liability_nodes WHERE publication_id = newest.id ORDER BY level DESC LIMIT 1
                ) AS top WHERE top.digest = root AND top.sum_cents = total_cents)",
    ),
    wallet(
        "D-B6 D-T5",
        "the published liabilities are what the postings of that moment owe to every member, with the gains of open trades",
        // A publication from before the snapshot was noted is followed by one with it within a night.
        "WITH newest AS (
            SELECT id, snapshot FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT 1
        ), told AS (
            SELECT user_id, sum(amount_cents) AS cents FROM liability_leaves JOIN newest ON publication_id = newest.id
            GROUP BY user_id
        ), owed AS (
            SELECT user_id, sum(cents) AS cents FROM (
                SELECT accounts.user_id, last.balance_after_cents AS cents FROM newest CROSS JOIN accounts CROSS JOIN LATERAL (
                    SELECT balance_after_cents FROM entries JOIN postings ON postings.id = posting_id
                    WHERE account_id = accounts.id AND (xid IS NULL OR pg_visible_in_snapshot(xid, snapshot))
                    ORDER BY posting_id DESC LIMIT 1) AS last
                WHERE accounts.user_id IS NOT NULL AND kind IN ('available', 'held', 'on_hold', 'invested', 'bonus')
                UNION ALL
                SELECT user_id, gain_cents FROM newest JOIN liability_gains ON publication_id = newest.id
                JOIN trade_fundings USING (trade_id)
            ) AS parts GROUP BY user_id HAVING sum(cents) > 0
        )
        SELECT format('member %s is owed %s, and %s is published', user_id, coalesce(owed.cents, 0), coalesce(told.cents, 0))
        FROM owed FULL JOIN told USING (user_id)
        WHERE coalesce(owed.cents, 0) <> coalesce(told.cents, 0)
            AND (SELECT snapshot IS NOT NULL FROM newest)
        UNION ALL
        SELECT format('publication %s does not say what it counted', newest.id) FROM newest
        WHERE snapshot IS NULL AND EXISTS (SELECT FROM liability_publications WHERE snapshot IS NOT NULL)
        UNION ALL
        SELECT format('publication %s says that %s of it are gains', newest.id, gains_cents) FROM newest
        JOIN liability_publications USING (id) WHERE newest.snapshot IS NOT NULL AND gains_cents IS DISTINCT FROM
            (SELECT coalesce(sum(gain_cents), 0) FROM liability_gains WHERE publication_id = newest.id)",
    ),
    wallet(
        "D-A12",
        "a closed wallet is empty, and nothing is open in it",
        "SELECT format('%s of %s: %s', kind, user_id, balance_cents) FROM accounts JOIN closed_wallets USING (user_id)
         WHERE balance_cents <> 0 AND kind <> 'owed'
         UNION ALL
         SELECT format('transaction %s of %s', id, user_id) FROM transactions JOIN closed_wallets USING (user_id)
         WHERE status = 'pending'
         UNION ALL
         SELECT format('trade %s of %s', trade_id, user_id) FROM trade_fundings JOIN closed_wallets USING (user_id)
         WHERE status = 'funded'",
    ),
    auth(
        "D-A12",
        "closed accounts have no session, passkey or role",
        "SELECT format('account %s', id) FROM users WHERE closed_at IS NOT NULL AND (role IS NOT NULL
            OR EXISTS (SELECT FROM sessions WHERE user_id = users.id AND revoked_at IS NULL AND idle_until > clock_timestamp())
            OR EXISTS (SELECT FROM passkeys WHERE user_id = users.id))",
    ),
    auth(
        "D-S4",
        "no session outlives seven days",
        "SELECT format('session %s of %s', id, user_id) FROM sessions
         WHERE expires_at > created_at + interval '7 days 1 second' OR idle_until > expires_at",
    ),
    Check {
        ids: "D-M1",
        promise: "every method has the version in force, and members' methods have an owner",
        database: Service::PaymentMethod,
        offending: "SELECT format('method %s', methods.id) FROM methods
            LEFT JOIN method_versions ON method_id = methods.id AND method_versions.version = methods.version
            WHERE method_id IS NULL OR method_versions.scope <> methods.scope OR (methods.scope = 'personal') <> (user_id IS NOT NULL)",
    },
    Check {
        ids: "D-M1 D-B2",
        promise: "every version of a platform method, and its end, is what two people proposed and confirmed",
        database: Service::PaymentMethod,
        offending: "SELECT format('version %s of method %s', method_versions.version, method_id) FROM method_versions
            WHERE scope = 'platform' AND NOT EXISTS (SELECT FROM proposals
                WHERE status = 'confirmed' AND decided_by <> proposed_by AND subject_id = method_id
                    AND change - 'signature' = jsonb_build_object('currency', currency, 'network', network, 'address', address,
                        'memo', memo, 'label', label, 'imageKey', image_key)
                    AND CASE method_versions.version WHEN 1 THEN kind = 'payment_method.create'
                        ELSE kind = 'payment_method.update'
                            AND (before ->> 'version')::integer = method_versions.version - 1 END)
            UNION ALL
            SELECT format('end of method %s', id) FROM methods
            WHERE scope = 'platform' AND archived_at IS NOT NULL AND NOT EXISTS (SELECT FROM proposals
                WHERE kind = 'payment_method.archive' AND status = 'confirmed' AND subject_id = methods.id
                    AND (before ->> 'version')::integer = methods.version)",
    },
    Check {
        ids: "D-N6",
        promise: "every address of the treasury's own wallet was recognised by the service, with a row of the audit log",
        database: Service::PaymentMethod,
        offending: "SELECT address FROM treasury_addresses WHERE NOT EXISTS (SELECT FROM audit_rows
            WHERE action = 'treasury_address.watch' AND subject_id = address AND actor_role = 'system')",
    },
    Check {
        ids: "D-N6",
        promise: "what left the platform an hour ago or earlier is a withdrawal or a movement of the treasury",
        database: Service::PaymentMethod,
        offending: "SELECT format('%s of %s on %s went from %s to %s in %s', units, symbol, chain, address, counterparty, txid)
            FROM chain_payments WHERE way = 'out' AND transaction_id IS NULL AND state IN ('seen', 'included', 'final')
                AND seen_at < clock_timestamp() - interval '1 hour'",
    },
    Check {
        ids: "D-Q2 D-B2",
        promise: "every published rate is what two people proposed and confirmed",
        database: Service::PaymentMethod,
        offending: "SELECT format('rate %s of %s by %s', rate_points.id, symbol, rate_points.source) FROM rate_points
            LEFT JOIN proposals ON proposals.id = proposal_id AND kind = 'rate.publish'
            WHERE proposal_id IS NOT NULL AND (
                status IS DISTINCT FROM 'confirmed' OR decided_by IS NOT DISTINCT FROM proposed_by
                OR (change ->> 'asset', (change ->> 'bidMicros')::bigint, (change ->> 'askMicros')::bigint, change ->> 'source')
                    IS DISTINCT FROM (symbol, bid_micros, ask_micros, rate_points.source)
                OR valid_until IS DISTINCT FROM read_at + make_interval(mins => (change ->> 'validMinutes')::integer))
            UNION ALL
            SELECT 'trigger ' || name FROM unnest(ARRAY['rate_points_kept', 'rate_points_as_proposed']) AS name
            WHERE NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = name AND tgrelid = to_regclass('rate_points')
                AND tgenabled <> 'D')",
    },
    Check {
        ids: "D-Q8",
        promise: "what should be held is the first reading with every payment since",
        database: Service::PaymentMethod,
        offending: "SELECT format('%s of %s at %s', symbol, chain, address) FROM holdings
            WHERE carried <> opening + (SELECT coalesce(sum(CASE way WHEN 'in' THEN one.units ELSE -one.units END), 0)
                FROM chain_payments AS one
                WHERE one.chain = holdings.chain AND one.symbol = holdings.symbol AND one.address = holdings.address
                    AND state IN ('included', 'final') AND height > opening_height AND height <= carried_height)
            UNION ALL
            SELECT 'trigger ' || name FROM (VALUES ('holdings_kept', 'holdings'), ('chain_payments_kept', 'chain_payments'),
                ('chain_payments_matched_once', 'chain_payments'), ('chain_payments_valued_once', 'chain_payments'))
                AS guards (name, place)
            WHERE NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = name AND tgrelid = to_regclass(place)
                AND tgenabled <> 'D')",
    },
    Check {
        ids: "E1",
        promise: "no mail waits for more than a minute past its turn",
        database: Service::Mailer,
        offending: "SELECT format('mail %s (%s) since %s: %s', id, template, created_at, last_error) FROM mails
            WHERE status = 'queued' AND next_try_at < clock_timestamp() - interval '60 seconds'",
    },
    Check {
        ids: "E2",
        promise: "an event makes one mail a recipient",
        database: Service::Mailer,
        offending: "SELECT format('%s mails %s of event %s', count(*), template, event_id) FROM mails
            GROUP BY event_id, template, user_id, address HAVING count(*) > 1",
    },
    Check {
        ids: "Q7 D-E1",
        promise: "no mail carries a code or a link's token",
        database: Service::Mailer,
        offending: "SELECT format('mail %s (%s)', id, template) FROM mails
            WHERE secret_reference IS NOT NULL AND (params ? 'code' OR params ? 'token' OR params ? 'link')",
    },
];
