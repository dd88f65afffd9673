//! The ledger: entries, balances, history and causes.

use super::check::{Check, wallet};

pub(super) const LEDGER: &[Check] = &[
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
                    amount_cents, balance_after_cents, posting_header(postings.kind, cause_type, business_id, user_id,
                        transaction_id, created_at, reverses)) AS expected
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
         LEFT JOIN cash_transfers AS cash ON cash.id = business_id AND cash.plan_id = postings.user_id
            AND postings.kind IN ('cash_out', 'cash_in')
         WHERE line.id IS NULL AND trade_id IS NULL AND proposals.id IS NULL AND holds.id IS NULL AND closed.user_id IS NULL
            AND cash.id IS NULL",
    ),
    wallet(
        "D-B1",
        "the cash of a plan that leaves a bucket of members arrives in another",
        "SELECT format('transfer %s of %s of plan %s', cash.id, cash.amount_cents, plan_id) FROM cash_transfers AS cash
         CROSS JOIN LATERAL (SELECT coalesce(array_agg((postings.kind, postings.id / 100000000000000, moved)::text
                ORDER BY postings.kind DESC), '{}') AS found
            FROM postings CROSS JOIN LATERAL (SELECT sum(entries.amount_cents) AS moved
                FROM entries JOIN accounts ON accounts.id = account_id
                WHERE posting_id = postings.id AND accounts.kind = 'plan_cash' AND accounts.user_id = plan_id) AS effect
            WHERE business_id = cash.id AND postings.kind IN ('cash_out', 'cash_in')) AS posted
         WHERE found <> ARRAY[('cash_out', from_bucket, -cash.amount_cents)::text, ('cash_in', to_bucket, cash.amount_cents)::text]",
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
         -- In every bucket.
         JOIN pg_class ON relname = relation AND relkind = 'r' JOIN pg_namespace ON pg_namespace.oid = relnamespace
            AND (nspname = ANY (current_schemas(false)) OR nspname ~ '^wallet_[0-9]{2}$')
         WHERE NOT EXISTS (SELECT FROM pg_trigger
            WHERE tgname = name AND tgrelid = pg_class.oid AND tgenabled <> 'D')",
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
            unnest(privileges::text[]) AS privilege, pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            AND (nspname = ANY (current_schemas(false)) OR nspname ~ '^wallet_[0-9]{2}$')
         WHERE EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet' AND NOT rolsuper) AND relname = relation AND relkind = 'r'
            AND has_table_privilege((SELECT oid FROM pg_roles WHERE rolname = 'wallet'), pg_class.oid, privilege)",
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
];
