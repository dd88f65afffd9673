-- What the movements of the ledger are made of, what can cause a posting, and what it moves then. Files apply in their order, after
-- the migrations, each time that `wallet migrate` runs.

-- The row types of post_movements. Rows refer to their movement by its position, from 1. Processes of the previous
-- version send the fields they know, so a row with a new field needs a type with a new name.
DO $$ BEGIN
    IF to_regtype('ledger_entry') IS NULL THEN
        CREATE TYPE ledger_account AS (user_id uuid, kind text);
        CREATE TYPE ledger_key AS (
            movement integer, user_id uuid, route text, key text, fingerprint bytea, request_id text, outcome jsonb);
        CREATE TYPE ledger_precondition AS (
            movement integer, account integer, rule text, trade_id uuid, amount_cents bigint, value_cents bigint,
            at timestamptz, other_value_cents bigint, other_at timestamptz);
        CREATE TYPE ledger_posting AS (
            movement integer, kind text, cause_type text, business_id uuid, user_id uuid, transaction_id uuid);
        CREATE TYPE ledger_entry AS (posting integer, account integer, amount_cents bigint);
        -- A transaction by the fields of `Record`, in their order; what the table keeps as numbers or bytes is text.
        CREATE TYPE ledger_transaction AS (
            id uuid, user_id uuid, kind text, description text, status text, direction text, amount_cents bigint,
            fee_paid boolean, revision integer, created_at timestamptz, claimed_amount_cents bigint, fee_cents bigint,
            net_amount_cents bigint, method_id uuid, currency text, network text, method_address text, method_memo text,
            method_version integer, destination_address text, destination_memo text, receipt_key text,
            receipt_content_type text, receipt_digest text, claimed_txid text, txid text, txid_key text, vout bigint,
            first_approved_by uuid, received_cents bigint, reason_code text, approved_by uuid, paying_by uuid,
            decided_by uuid, related_id uuid, quote_id uuid, asset text, asset_decimals smallint, units text,
            rate_micros bigint, spread_bps integer, payout_contract text, payout_decimals smallint, payout_units text,
            payout_rate_micros bigint, payout_spread_bps integer, sent_by uuid, known_at timestamptz,
            first_approved_at timestamptz, approved_at timestamptz, paying_until timestamptz, decided_at timestamptz,
            quoted_at timestamptz, quote_expires_at timestamptz, payout_priced_at timestamptz, sent_at timestamptz);
        CREATE TYPE ledger_line AS (movement integer, line ledger_transaction);
        CREATE TYPE ledger_event AS (
            movement integer, event_id uuid, key text, aggregate_id uuid, payload bytea, trace_context jsonb);
    END IF;
    -- What the parts of post_movements hand each other: the locked accounts by position, and the chained entries.
    IF to_regtype('ledger_slots') IS NULL THEN
        CREATE TYPE ledger_slots AS (
            tids tid[], ids bigint[], kinds text[], balances bigint[], counts bigint[], heads bytea[],
            owed_places integer[]);
        CREATE TYPE ledger_decided AS (verdicts integer[], entries ledger_entry[], slots ledger_slots);
        CREATE TYPE ledger_chain AS (
            posted_at timestamptz, posting_ids bigint[], reversed bigint[], moved bigint[], afters bigint[], hashes bytea[],
            balances bigint[], counts bigint[], heads bytea[]);
    END IF;
END $$;

-- The fields of a posting that the hashes of its entries cover.
CREATE OR REPLACE FUNCTION posting_header(
    kind text, cause_type text, business_id uuid, user_id uuid, transaction_id uuid, created_at timestamptz, reverses bigint
) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(uuid_send(business_id) || uuid_send(user_id)
        || coalesce(uuid_send(transaction_id), '\x00000000000000000000000000000000') || timestamptz_send(created_at)
        || convert_to(coalesce(cause_type, '') || ' ' || kind, 'UTF8') || coalesce(int8send(reverses), ''))
$$;

-- The same for a stored posting.
CREATE OR REPLACE FUNCTION posting_header(posting postings) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT posting_header(posting.kind, posting.cause_type, posting.business_id, posting.user_id, posting.transaction_id,
        posting.created_at, posting.reverses)
$$;

-- The hash of an entry, which chains it to the previous entry of its account.
CREATE OR REPLACE FUNCTION entry_hash(
    previous bytea, account_id bigint, posting_id bigint, amount_cents bigint, balance_after_cents bigint, header bytea
) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(previous || int8send(account_id) || int8send(posting_id) || int8send(amount_cents)
        || int8send(balance_after_cents) || coalesce(header, ''))
$$;

-- The rules about a member that stand in the way of a movement, each a view of rows that an index finds by the member. The
-- collation is that of the indexes for these rules. The other indexes of a kind or a status have another, so no plan can use
-- them: with statistics from a time when few withdrawals existed they seem as good, and read all withdrawals. They read with the
-- rights of the caller, and nothing is written through them.


CREATE OR REPLACE VIEW open_withdrawals WITH (security_invoker = true) AS
    SELECT user_id, id, amount_cents FROM transactions
    WHERE kind = 'withdrawal' COLLATE "C" AND status = 'pending' COLLATE "C";

CREATE OR REPLACE VIEW pending_courses WITH (security_invoker = true) AS
    SELECT user_id, id FROM transactions WHERE kind = 'course' COLLATE "C" AND status = 'pending' COLLATE "C";

-- A member owns the course after a purchase from the balance or a confirmed payment, until it is refunded.
CREATE OR REPLACE VIEW paid_courses WITH (security_invoker = true) AS
    SELECT user_id, id, business_id FROM postings AS bought WHERE kind = 'course'
        -- Not an EXISTS, which would be planned as a join with all postings.
        AND (SELECT refund.id FROM postings AS refund
            WHERE refund.reverses = bought.id AND refund.user_id = bought.user_id) IS NULL;

-- Withdrawals that count towards a member's limits; a rejected request gives its amount back. Those since a moment are found
-- by comparing the time together with the member, so that no index of all members by time can serve it.
CREATE OR REPLACE VIEW counted_withdrawals WITH (security_invoker = true) AS
    SELECT user_id, created_at, amount_cents FROM transactions
    WHERE kind = 'withdrawal' COLLATE "C" AND status <> 'failed' COLLATE "C";

-- What can cause postings, with the two amounts that it states: `part` is the price of the course, what a withdrawal pays
-- out, what a trade returned, or what sold assets cost.
CREATE OR REPLACE VIEW causes WITH (security_invoker = true) AS
    SELECT CASE WHEN kind = 'course' AND method_id IS NULL THEN 'purchase' ELSE 'transaction' END AS cause_type, id, user_id,
        kind, status, amount_cents AS amount,
        CASE kind WHEN 'withdrawal' THEN net_amount_cents ELSE claimed_amount_cents END AS part, related_id, NULL::jsonb AS change
    FROM transactions
    UNION ALL
    SELECT 'trade', trade_id, user_id, NULL, status, amount_cents, value_cents, NULL, NULL FROM trade_fundings
    UNION ALL
    SELECT 'proposal', id, subject_id, kind, status, (change ->> 'amount_cents')::bigint, (change ->> 'book_cents')::bigint,
        NULL, change
    FROM proposals WHERE kind IN (SELECT cause_kind FROM posting_kinds WHERE cause_type = 'proposal')
        -- In the bucket of its member, or the first.
        AND coalesce((SELECT member_buckets.bucket FROM member_buckets WHERE member_buckets.user_id = subject_id), 0) = bucket()
    UNION ALL
    SELECT 'hold', id, user_id, NULL, status, amount_cents, NULL, NULL, NULL FROM holds
    UNION ALL
    SELECT 'closing', user_id, user_id, NULL, 'closed', bonus_cents, NULL, NULL, NULL FROM closed_wallets
    WHERE bonus_cents > 0
    UNION ALL
    SELECT 'cash_transfer', id, plan_id, CASE from_bucket WHEN bucket() THEN 'cash_out' ELSE 'cash_in' END, 'done', amount_cents,
        NULL, NULL, NULL
    FROM cash_transfers WHERE bucket() IN (from_bucket, to_bucket);

-- An amount by its name in `posting_kinds`, of a cause that states these two. Null if it moves nothing.
CREATE OR REPLACE FUNCTION named_amount(name text, amount bigint, part bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE name
        WHEN 'amount' THEN amount
        WHEN 'part' THEN nullif(part, 0)
        WHEN 'rest' THEN nullif(amount - part, 0)
        -- The course, if what arrived covers it, and what is credited: all that arrived if it does not, else the rest.
        WHEN 'price' THEN CASE WHEN amount >= coalesce(part, amount) THEN coalesce(part, amount) END
        WHEN 'credit' THEN CASE WHEN amount < part THEN amount ELSE nullif(amount - part, 0) END
        -- What a trade returned of its amount, and how much more or less than that it was worth.
        WHEN 'returned' THEN nullif(least(amount, part), 0)
        WHEN 'gain' THEN CASE WHEN part > amount THEN part - amount END
        WHEN 'loss' THEN CASE WHEN part < amount THEN amount - part END
    END
$$;

-- What a rule moves for a cause, by kind of account; null if nothing. A cause that names its source debits that account alone.
CREATE OR REPLACE FUNCTION named_moves(rule posting_kinds, amount bigint, part bigint, source text) RETURNS TABLE (moves jsonb)
LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_object_agg(account, cents) FROM (
        SELECT account, -named_amount(rule.debit_amounts[place], amount, part) AS cents
        FROM unnest(rule.debits) WITH ORDINALITY AS one (account, place) WHERE source IS NULL OR account = source
        UNION ALL
        SELECT account, named_amount(rule.credit_amounts[place], amount, part)
        FROM unnest(rule.credits) WITH ORDINALITY AS one (account, place)) AS moved
    WHERE cents IS NOT NULL
$$;

-- What the reversal of a posting moves, by kind of account: the opposite. `owed` counts as `available`, because credits settle
-- it first. A fee that was paid from outside becomes the member's to pay from the balance.
CREATE OR REPLACE FUNCTION reversal_of(posting bigint) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT jsonb_object_agg(account, cents) FROM (
        SELECT CASE WHEN accounts.kind = 'owed' OR reversed.kind = 'fee' AND accounts.kind = 'fee_revenue' THEN 'available'
            ELSE accounts.kind END AS account, -sum(amount_cents) AS cents
        FROM postings AS reversed JOIN entries ON posting_id = reversed.id JOIN accounts ON accounts.id = account_id
        WHERE reversed.id = posting GROUP BY 1) AS moved);
END
$$;

-- The posting that a proposal of a reversal or a refund names.
CREATE OR REPLACE FUNCTION reversed_by(proposal uuid) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT (change ->> 'reverses')::bigint FROM proposals JOIN posting_kinds ON posting_kinds.kind = proposals.kind
            AND cause_type = 'proposal' AND reverses IS NOT NULL
        WHERE id = proposal);
END
$$;
