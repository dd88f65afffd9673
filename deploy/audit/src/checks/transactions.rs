//! Transactions: their effects, proofs and decisions.

use super::check::{Check, wallet};

pub(super) const TRANSACTIONS: &[Check] = &[
    wallet(
        "L11",
        "a payment has its effect when it succeeded and none before",
        "SELECT format('%s %s is %s with %s postings of %s', kind, id, status, posted, cents) FROM transactions
         LEFT JOIN (SELECT business_id, count(DISTINCT postings.id) AS posted, -sum(amount_cents) AS cents
            FROM postings JOIN entries ON posting_id = postings.id
                AND account_id IN (SELECT id FROM accounts WHERE user_id IS NULL AND kind = 'settlement')
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
            JOIN entries ON posting_id = postings.id
                AND account_id IN (SELECT id FROM accounts WHERE user_id IS NULL AND kind = 'settlement')
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
                WHERE posting_id IN (refund.id, bought.id) AND account_id IN (
                    SELECT id FROM accounts WHERE user_id IS NULL AND kind = 'course_revenue')) IS DISTINCT FROM 0)",
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
];
