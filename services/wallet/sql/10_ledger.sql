-- The functions that write accounts, postings and entries; nothing else does. Applied after the migrations each time
-- `wallet migrate` runs, so this file is the current definition. The functions run as the owner of the tables, on which
-- the service's role has no write privileges.

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

-- Creates the accounts of a plan if they do not exist.
CREATE OR REPLACE FUNCTION open_plan(plan uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    INSERT INTO accounts (kind, user_id) SELECT kind, plan FROM unnest('{plan_cash,plan_assets}'::text[]) AS kind
    ON CONFLICT DO NOTHING;
END
$$;

-- Locks the cash of a plan until the transaction ends, and creates its accounts if necessary. Returns how much it is.
CREATE OR REPLACE FUNCTION lock_plan_cash(plan uuid) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM open_plan(plan);
    RETURN (SELECT balance_cents FROM accounts WHERE user_id = plan AND kind = 'plan_cash' FOR UPDATE);
END
$$;

-- Creates the accounts of a member if they do not exist. Available comes first, so that it has the lowest id. The accounts of a
-- member are in one bucket.
CREATE OR REPLACE FUNCTION open_accounts(member uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    known bigint;
BEGIN
    INSERT INTO member_buckets (user_id, bucket) VALUES (member, bucket()) ON CONFLICT DO NOTHING;
    SELECT member_buckets.bucket INTO known FROM member_buckets WHERE user_id = member;
    IF known IS DISTINCT FROM bucket() THEN
        RAISE EXCEPTION 'the accounts of member % are in bucket %', member, known
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'member_buckets_pkey';
    END IF;
    INSERT INTO accounts (kind, user_id) SELECT kind, member FROM unnest('{available,held,bonus,invested}'::text[]) AS kind
    ON CONFLICT DO NOTHING;
END
$$;

-- Creates the on_hold account of a member if it does not exist; few members need one.
CREATE OR REPLACE FUNCTION open_on_hold(member uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    INSERT INTO accounts (kind, user_id) VALUES ('on_hold', member) ON CONFLICT DO NOTHING;
END
$$;

-- Locks the available account of a member until the transaction ends, and creates the accounts if necessary.
CREATE OR REPLACE FUNCTION lock_member(member uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM FROM accounts WHERE user_id = member AND kind = 'available' FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM open_accounts(member);
        PERFORM FROM accounts WHERE user_id = member AND kind = 'available' FOR UPDATE;
    END IF;
END
$$;

-- Locks the accounts and returns them by position: platform accounts first, named by the ids of the first bucket, then those of
-- members. Those that do not exist, or are locked by another transaction, stay null; the owed accounts of members with a debt
-- come last.
CREATE OR REPLACE FUNCTION lock_slots(is_patient boolean, house_ids bigint[], new_accounts ledger_account[])
RETURNS ledger_slots LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    houses        constant integer := cardinality(house_ids);
    places        integer   := houses + cardinality(new_accounts);
    tids          tid[]     := array_fill(NULL::tid, ARRAY[places]);
    account_ids   bigint[]  := array_fill(NULL::bigint, ARRAY[places]);
    kinds         text[]    := array_fill(NULL::text, ARRAY[places]);
    balances      bigint[]  := array_fill(0::bigint, ARRAY[places]);
    counts        bigint[]  := array_fill(0::bigint, ARRAY[places]);
    heads         bytea[]   := array_fill(''::bytea, ARRAY[places]);
    owed_places   integer[] := array_fill(NULL::integer, ARRAY[places]);
    place_        integer;
    found_tid     tid;
    found_id      bigint;
    found_kind    text;
    found_balance bigint;
    found_count   bigint;
    found_head    bytea;
BEGIN
    -- Transactions that wait for locks take them in ascending id, and member accounts have lower ids than platform
    -- accounts. The rows of each account are found in a subquery of their own, which OFFSET 0 and FOR UPDATE keep: in a
    -- join, a plan made for an empty table would read all accounts.
    IF is_patient THEN
        PERFORM FROM (
            SELECT found.id, wanted.user_id FROM unnest(new_accounts) AS wanted, LATERAL (
                SELECT id FROM accounts WHERE user_id = wanted.user_id AND kind = wanted.kind OFFSET 0) AS found
            ORDER BY found.id OFFSET 0
        ) AS wanted, LATERAL (
            SELECT FROM accounts WHERE id = wanted.id AND user_id = wanted.user_id FOR UPDATE) AS locked;
        PERFORM FROM accounts WHERE id = ANY (ARRAY(SELECT one + 100 * bucket() FROM unnest(house_ids) AS one))
            AND user_id IS NULL ORDER BY id FOR UPDATE;
    END IF;
    FOR place_, found_tid, found_id, found_kind, found_balance, found_count, found_head IN
        SELECT houses + place, found.*
        FROM unnest(new_accounts) WITH ORDINALITY AS wanted (user_id, kind, place), LATERAL (
            SELECT ctid, id, kind, balance_cents, entry_count, head_hash FROM accounts
            WHERE user_id = wanted.user_id AND kind = wanted.kind FOR UPDATE SKIP LOCKED) AS found
    LOOP
        tids[place_] := found_tid;
        account_ids[place_] := found_id;
        kinds[place_] := found_kind;
        balances[place_] := found_balance;
        counts[place_] := found_count;
        heads[place_] := found_head;
    END LOOP;
    IF houses > 0 THEN
        FOR place_, found_tid, found_id, found_kind, found_balance, found_count, found_head IN
            SELECT place, found.*
            FROM unnest(house_ids) WITH ORDINALITY AS wanted (id, place), LATERAL (
                SELECT ctid, id, kind, balance_cents, entry_count, head_hash FROM accounts
                WHERE id = wanted.id + 100 * bucket() AND user_id IS NULL FOR UPDATE SKIP LOCKED) AS found
        LOOP
            tids[place_] := found_tid;
            account_ids[place_] := found_id;
            kinds[place_] := found_kind;
            balances[place_] := found_balance;
            counts[place_] := found_count;
            heads[place_] := found_head;
        END LOOP;
    END IF;
    -- No other transaction can have these locked, regardless of their order: they change only while the available account is
    -- locked.
    FOR place_, found_tid, found_id, found_balance, found_count, found_head IN
        SELECT houses + place, found.*
        FROM unnest(new_accounts) WITH ORDINALITY AS wanted (user_id, kind, place), LATERAL (
            SELECT ctid, id, balance_cents, entry_count, head_hash FROM accounts
            WHERE user_id = wanted.user_id AND kind = 'owed' AND balance_cents < 0 FOR UPDATE) AS found
        WHERE wanted.kind = 'available' AND account_ids[houses + place] IS NOT NULL
    LOOP
        places := places + 1;
        owed_places[place_] := places;
        tids[places] := found_tid;
        account_ids[places] := found_id;
        balances[places] := found_balance;
        counts[places] := found_count;
        heads[places] := found_head;
    END LOOP;
    RETURN ROW (tids, account_ids, kinds, balances, counts, heads, owed_places);
END
$$;

-- Decides what stands in the way of each movement before its entries are looked at. Every transaction that changes one of these
-- facts holds the lock of the member's account, or of the key. No EXISTS, which may be planned as a sequential scan.
CREATE OR REPLACE FUNCTION find_obstacles(
    verdicts integer[], houses integer, slots ledger_slots, new_accounts ledger_account[], new_keys ledger_key[],
    new_preconditions ledger_precondition[], new_postings ledger_posting[], new_entries ledger_entry[]
) RETURNS integer[] LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    account_ids constant bigint[] := slots.ids;
    balances    constant bigint[] := slots.balances;
    movement_   integer;
    verdict     integer;
BEGIN
    IF array_position(account_ids, NULL) IS NOT NULL THEN
        FOR movement_, verdict IN
            SELECT needed.movement, CASE WHEN needed.account <= houses THEN 4 ELSE coalesce(
                (SELECT 4 FROM accounts WHERE user_id = new_accounts[needed.account - houses].user_id
                    AND kind = new_accounts[needed.account - houses].kind), 3) END
            FROM (
                SELECT new_postings[one.posting].movement, one.account FROM unnest(new_entries) AS one
                UNION ALL SELECT one.movement, one.account FROM unnest(new_preconditions) AS one
            ) AS needed WHERE account_ids[needed.account] IS NULL
        LOOP
            verdicts[movement_] := verdict;
        END LOOP;
    END IF;
    IF cardinality(new_keys) > 0 THEN
        FOR movement_ IN
            SELECT new.movement FROM unnest(new_keys) AS new
            WHERE verdicts[new.movement] = 0 AND (
                NOT pg_try_advisory_xact_lock(
                    hashtextextended(concat(new.user_id, E'\n', new.route, E'\n', new.key), 0))
                OR (SELECT true FROM idempotency_keys AS old
                    WHERE old.user_id = new.user_id AND old.route = new.route AND old.key = new.key))
        LOOP
            verdicts[movement_] := 1;
        END LOOP;
    END IF;
    IF cardinality(new_preconditions) > 0 THEN
        FOR movement_, verdict IN
            SELECT movement, failed FROM unnest(new_preconditions) AS new,
                LATERAL (SELECT new_accounts[account - houses].user_id AS member OFFSET 0) AS whose, LATERAL (SELECT CASE rule
                -- Decided later: a member with a debt has no available balance.
                WHEN 'nothing_owed' THEN NULL
                WHEN 'no_open_withdrawal' THEN (SELECT 5 FROM open_withdrawals WHERE user_id = member)
                -- Both periods in one look.
                WHEN 'withdrawals_within' THEN (SELECT 11 FROM counted_withdrawals AS earlier
                    WHERE user_id = member AND (user_id, created_at) > (member, least(new.at, new.other_at))
                    HAVING coalesce(sum(amount_cents) FILTER (WHERE created_at > new.at), 0)
                            + new.amount_cents > new.value_cents
                        OR coalesce(sum(amount_cents) FILTER (WHERE created_at > new.other_at), 0)
                            + new.amount_cents > new.other_value_cents)
                WHEN 'whole_balance' THEN
                    CASE WHEN balances[account] <> new.amount_cents
                        OR (SELECT true FROM counted_withdrawals AS earlier
                            WHERE user_id = member AND (user_id, created_at) > (member, new.at)
                                AND earlier.amount_cents < new.value_cents LIMIT 1) THEN 12 END
                WHEN 'no_course' THEN coalesce((SELECT 6 FROM paid_courses WHERE user_id = member),
                    (SELECT 7 FROM pending_courses WHERE user_id = member))
                WHEN 'trade_unknown' THEN
                    (SELECT 8 FROM trade_fundings WHERE trade_fundings.trade_id = new.trade_id)
                WHEN 'trade_funded' THEN
                    CASE WHEN (SELECT old.user_id = member AND old.amount_cents = new.amount_cents AND old.status = 'funded'
                        FROM trade_fundings AS old WHERE old.trade_id = new.trade_id) IS NOT TRUE
                    THEN 9 END
                ELSE 9 END AS failed) AS looked
            WHERE verdicts[movement] = 0 AND failed IS NOT NULL
        LOOP
            -- The first violated precondition is returned.
            CONTINUE WHEN verdicts[movement_] <> 0;
            verdicts[movement_] := verdict;
        END LOOP;
    END IF;
    RETURN verdicts;
END
$$;

-- Adds the owed account of an account's member, which it creates if necessary.
CREATE OR REPLACE FUNCTION lock_owed(slots ledger_slots, account integer, member uuid) RETURNS ledger_slots LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO accounts (kind, user_id) VALUES ('owed', member) ON CONFLICT DO NOTHING;
    SELECT slots.tids || ctid, slots.ids || id, slots.kinds, slots.balances || balance_cents, slots.counts || entry_count,
            slots.heads || head_hash, slots.owed_places
        INTO slots FROM accounts WHERE user_id = member AND kind = 'owed' FOR UPDATE;
    slots.owed_places[account] := cardinality(slots.ids);
    RETURN slots;
END
$$;

-- The rule of a posting, or an error if there is none.
CREATE OR REPLACE FUNCTION rule_of(posting ledger_posting) RETURNS posting_kinds LANGUAGE plpgsql STABLE AS $$
DECLARE
    rule posting_kinds;
BEGIN
    SELECT * INTO rule FROM posting_kinds
        WHERE posting_kinds.kind = posting.kind AND posting_kinds.cause_type = posting.cause_type;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no posting of kind % is caused by a %', posting.kind, posting.cause_type
            USING ERRCODE = 'check_violation', CONSTRAINT = 'postings_kind';
    END IF;
    RETURN rule;
END
$$;

-- Decides each movement in the given order by the balances of its accounts, and splits off what is owed: those entries come
-- last.
CREATE OR REPLACE FUNCTION decide_movements(
    verdicts integer[], houses integer, slots ledger_slots, new_accounts ledger_account[],
    new_preconditions ledger_precondition[], new_postings ledger_posting[], entries ledger_entry[]
) RETURNS ledger_decided LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    entry_count   constant integer := cardinality(entries);
    kinds         constant text[]  := slots.kinds;
    balances      bigint[] := slots.balances;
    owed_places   integer[] := slots.owed_places;
    posting       ledger_posting;
    rule          posting_kinds;
    entry         ledger_entry;
    number        integer := 0;
    last_movement integer := 0;
    next_entry    integer := 1;
    first_entry   integer;
    parts         integer := entry_count;
    first_part    integer;
    account       integer;
    kind_         text;
    owed          bigint;
    balance       bigint;
BEGIN
    FOREACH posting IN ARRAY new_postings LOOP
        number := number + 1;
        IF posting.movement <> last_movement THEN
            last_movement := posting.movement;
            first_entry := next_entry;
            first_part := parts + 1;
        END IF;
        IF rule.kind IS DISTINCT FROM posting.kind OR rule.cause_type IS DISTINCT FROM posting.cause_type THEN
            rule := rule_of(posting);
        END IF;
        WHILE next_entry <= entry_count LOOP
            entry := entries[next_entry];
            EXIT WHEN entry.posting <> number;
            next_entry := next_entry + 1;
            CONTINUE WHEN verdicts[posting.movement] <> 0;
            account := entry.account;
            kind_ := kinds[account];
            IF NOT kind_ = ANY (CASE WHEN entry.amount_cents < 0 THEN rule.debits ELSE rule.credits END)
                OR kind_ = 'owed'
                OR account > houses AND rule.cause_type <> 'unchecked' AND kind_ NOT IN ('plan_cash', 'plan_assets')
                    AND new_accounts[account - houses].user_id <> posting.user_id
            THEN
                RAISE EXCEPTION 'a posting of kind % does not move the account % of %', posting.kind, kind_, posting.user_id
                    USING ERRCODE = 'check_violation', CONSTRAINT = 'postings_accounts';
            END IF;
            balance := balances[account] + entry.amount_cents;
            IF kind_ = 'available' AND (entry.amount_cents > 0 AND owed_places[account] IS NOT NULL
                OR balance < 0 AND 'owed' = ANY (rule.debits))
            THEN
                IF owed_places[account] IS NULL THEN
                    slots := lock_owed(slots, account, new_accounts[account - houses].user_id);
                    owed_places := slots.owed_places;
                    balances[owed_places[account]] := slots.balances[owed_places[account]];
                END IF;
                owed := CASE WHEN entry.amount_cents > 0
                    THEN least(entry.amount_cents, -balances[owed_places[account]]) ELSE balance END;
                balance := balance - owed;
                balances[owed_places[account]] := balances[owed_places[account]] + owed;
                parts := parts + 1;
                entries[parts] := ROW (number, owed_places[account], owed);
                entries[next_entry - 1].amount_cents := entry.amount_cents - owed;
            END IF;
            IF balance < 0 AND account > houses AND kind_ <> 'plan_assets' THEN
                verdicts[posting.movement] := CASE WHEN kind_ = 'plan_cash' THEN 13
                    WHEN balances[owed_places[account]] < 0 AND (SELECT true FROM unnest(new_preconditions)
                        WHERE movement = posting.movement AND rule = 'nothing_owed' LIMIT 1) THEN 10
                    ELSE 2 END;
                FOR entry IN SELECT * FROM unnest(entries[first_entry:next_entry - 2] || entries[first_part:parts]) LOOP
                    balances[entry.account] := balances[entry.account] - entry.amount_cents;
                END LOOP;
            ELSE
                balances[account] := balance;
            END IF;
        END LOOP;
    END LOOP;
    RETURN ROW (verdicts, entries, slots);
END
$$;

-- Chains the entries of applied movements, each to the previous one of its account. Ids and the time are taken while the
-- accounts are locked, so that they increase along every chain.
CREATE OR REPLACE FUNCTION chain_entries(
    verdicts integer[], slots ledger_slots, new_postings ledger_posting[], entries ledger_entry[]
) RETURNS ledger_chain LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    all_applied constant boolean  := 0 = ALL (verdicts);
    account_ids constant bigint[] := slots.ids;
    balances    bigint[] := slots.balances;
    counts      bigint[] := slots.counts;
    heads       bytea[]  := slots.heads;
    posted_at   constant timestamptz := clock_timestamp();
    posting_ids bigint[];
    reversed    bigint[];
    headers     bytea[];
    moved       bigint[] := array_fill(0::bigint, ARRAY[cardinality(new_postings)]);
    hashes      bytea[]  := array_fill(NULL::bytea, ARRAY[cardinality(entries)]);
    afters      bigint[] := array_fill(0::bigint, ARRAY[cardinality(entries)]);
    entry       ledger_entry;
    place       integer  := 0;
    account     integer;
    balance     bigint;
    head        bytea;
BEGIN
    SELECT array_agg(nextval('postings_id_seq')),
        array_agg(CASE new.cause_type WHEN 'proposal' THEN reversed_by(new.business_id) END),
        array_agg(posting_header(new.kind, new.cause_type, new.business_id, new.user_id, new.transaction_id, posted_at,
            CASE new.cause_type WHEN 'proposal' THEN reversed_by(new.business_id) END))
        INTO posting_ids, reversed, headers FROM unnest(new_postings) AS new;
    FOREACH entry IN ARRAY entries LOOP
        place := place + 1;
        CONTINUE WHEN entry.amount_cents = 0 OR NOT all_applied AND verdicts[new_postings[entry.posting].movement] <> 0;
        account := entry.account;
        balance := balances[account] + entry.amount_cents;
        head := entry_hash(heads[account], account_ids[account], posting_ids[entry.posting], entry.amount_cents, balance,
            headers[entry.posting]);
        balances[account] := balance;
        counts[account] := counts[account] + 1;
        heads[account] := head;
        afters[place] := balance;
        hashes[place] := head;
        IF entry.amount_cents > 0 THEN
            moved[entry.posting] := moved[entry.posting] + entry.amount_cents;
        END IF;
    END LOOP;
    RETURN ROW (posted_at, posting_ids, reversed, moved, afters, hashes, balances, counts, heads);
END
$$;

-- Writes the postings and entries of applied movements, and the accounts that they move.
CREATE OR REPLACE FUNCTION write_postings(
    verdicts integer[], slots ledger_slots, chain ledger_chain, new_postings ledger_posting[], entries ledger_entry[]
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    all_applied constant boolean  := 0 = ALL (verdicts);
    account_ids constant bigint[] := slots.ids;
    tids        constant tid[]    := slots.tids;
    posted_at   constant timestamptz := chain.posted_at;
    posting_ids constant bigint[] := chain.posting_ids;
    reversed    constant bigint[] := chain.reversed;
    afters      constant bigint[] := chain.afters;
    hashes      constant bytea[]  := chain.hashes;
    balances    constant bigint[] := chain.balances;
    counts      constant bigint[] := chain.counts;
    heads       constant bytea[]  := chain.heads;
BEGIN
    INSERT INTO postings (id, kind, cause_type, business_id, user_id, transaction_id, created_at, reverses)
        OVERRIDING SYSTEM VALUE
        SELECT posting_ids[new.place], new.kind, new.cause_type, new.business_id, new.user_id, new.transaction_id, posted_at,
            reversed[new.place]
        FROM unnest(new_postings) WITH ORDINALITY
            AS new (movement, kind, cause_type, business_id, user_id, transaction_id, place)
        WHERE all_applied OR verdicts[new.movement] = 0;
    INSERT INTO entries (account_id, posting_id, amount_cents, balance_after_cents, hash)
        SELECT account_ids[new.account], posting_ids[new.posting], new.amount_cents, afters[new.place], hashes[new.place]
        FROM unnest(entries) WITH ORDINALITY AS new (posting, account, amount_cents, place)
        WHERE (all_applied OR verdicts[new_postings[new.posting].movement] = 0) AND new.amount_cents <> 0;
    -- The rows are found by position; the id makes sure that each is the account that was locked.
    UPDATE accounts SET balance_cents = balances[new.place], entry_count = counts[new.place], head_hash = heads[new.place]
        FROM unnest(tids) WITH ORDINALITY AS new (at, place)
        WHERE accounts.ctid = new.at AND accounts.id + 0 = account_ids[new.place]
            AND accounts.entry_count <> counts[new.place];
END
$$;

-- Writes new transactions.
CREATE OR REPLACE FUNCTION write_transactions(lines ledger_transaction[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, claimed_amount_cents,
            fee_cents, net_amount_cents, fee_paid, method_id, currency, network, method_address, method_memo,
            method_version, destination_address, destination_memo, receipt_key, receipt_content_type, receipt_digest,
            claimed_txid, decided_by, decided_at, related_id, revision, created_at, quote_id, asset, asset_decimals, units,
            rate_micros, spread_bps, quoted_at, quote_expires_at)
        SELECT id, user_id, kind, description, status, direction, amount_cents, claimed_amount_cents,
            fee_cents, net_amount_cents, fee_paid, method_id, currency, network, method_address, method_memo,
            method_version, destination_address, destination_memo, receipt_key, receipt_content_type, receipt_digest::bytea,
            claimed_txid, decided_by, decided_at, related_id, revision, created_at, quote_id, asset, asset_decimals,
            units::numeric, rate_micros, spread_bps, quoted_at, quote_expires_at
        FROM unnest(lines);
END
$$;

-- Writes what else belongs to applied movements: keys with their responses, transactions and events.
CREATE OR REPLACE FUNCTION write_rest(
    verdicts integer[], new_keys ledger_key[], new_lines ledger_line[], new_events ledger_event[]
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    IF cardinality(new_keys) > 0 THEN
        INSERT INTO idempotency_keys (user_id, route, key, fingerprint, request_id, outcome)
            SELECT user_id, route, key, fingerprint, request_id, outcome FROM unnest(new_keys)
            WHERE verdicts[movement] = 0;
    END IF;
    IF cardinality(new_lines) > 0 THEN
        PERFORM write_transactions(ARRAY(SELECT line FROM unnest(new_lines) WHERE verdicts[movement] = 0));
    END IF;
    IF cardinality(new_events) > 0 THEN
        INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context)
            SELECT event_id, key, aggregate_id, payload, trace_context FROM unnest(new_events)
            WHERE verdicts[movement] = 0;
    END IF;
END
$$;

-- Writes the fundings of trades that were funded or refused, and settles those that were.
CREATE OR REPLACE FUNCTION write_fundings(
    verdicts integer[], houses integer, new_accounts ledger_account[], new_preconditions ledger_precondition[]
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO trade_fundings (trade_id, user_id, amount_cents, status, created_at)
        SELECT trade_id, new_accounts[account - houses].user_id, amount_cents,
            CASE verdicts[movement] WHEN 0 THEN 'funded' ELSE 'refused' END, at
        FROM unnest(new_preconditions) WHERE rule = 'trade_unknown' AND verdicts[movement] IN (0, 2, 10);
    UPDATE trade_fundings SET status = 'settled', value_cents = new.value_cents, settled_at = new.at
        FROM unnest(new_preconditions) AS new, LATERAL (
            SELECT ctid AS tid, user_id FROM trade_fundings WHERE trade_id = new.trade_id OFFSET 0) AS found
        WHERE trade_fundings.ctid = found.tid AND trade_fundings.user_id = found.user_id
            AND found.user_id = new_accounts[account - houses].user_id
            AND new.rule = 'trade_funded' AND verdicts[new.movement] = 0;
END
$$;

-- A member buys the course again only after a refund. Anyone who posts a purchase has locked the member's account.
CREATE OR REPLACE FUNCTION require_one_course(verdicts integer[], new_postings ledger_posting[]) RETURNS void
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    member uuid;
BEGIN
    FOR member IN
        SELECT new.user_id FROM unnest(new_postings) AS new
        WHERE new.kind = 'course' AND verdicts[new.movement] = 0
            AND (SELECT count(*) FROM paid_courses WHERE user_id = new.user_id) > 1
    LOOP
        RAISE EXCEPTION 'member % owns the course', member
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'postings_one_course_a_member';
    END LOOP;
END
$$;

-- Whether a confirmed proposal permits a posting of this amount with these moves by kind of account. What a posting reverses is
-- of the same member and of a kind that its rule names, and comes back as a whole.
CREATE OR REPLACE FUNCTION is_proposed(posting ledger_posting, cents bigint, moves jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    rule     constant posting_kinds := rule_of(posting);
    reversed constant bigint := reversed_by(posting.business_id);
    opposite jsonb;
    cause    causes;
BEGIN
    SELECT * INTO cause FROM causes WHERE causes.cause_type = 'proposal' AND causes.id = posting.business_id;
    IF rule.reverses IS NOT NULL THEN
        IF NOT EXISTS (SELECT FROM postings
            WHERE postings.id = reversed AND postings.user_id = posting.user_id AND postings.kind = ANY (rule.reverses))
        THEN
            RETURN false;
        END IF;
        opposite := reversal_of(reversed);
    END IF;
    RETURN cause.user_id = posting.user_id AND cause.status = rule.cause_status AND cause.kind = rule.cause_kind
        AND cause.amount = cents
        AND CASE WHEN rule.debit_amounts IS NULL THEN moves = opposite
            ELSE moves = (SELECT named.moves FROM named_moves(rule, cause.amount, cause.part, cause.change ->> 'source') AS named)
                AND (opposite IS NULL OR opposite -> rule.debits[1] = moves -> rule.debits[1]) END;
END
$$;

-- Refuses postings that their cause does not permit: each needs one with the same member and amount, in the status and of the
-- kind that its rule names.
CREATE OR REPLACE FUNCTION require_causes(
    verdicts integer[], slots ledger_slots, chain ledger_chain, new_postings ledger_posting[], entries ledger_entry[]
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    moved   constant bigint[] := chain.moved;
    posting ledger_posting;
    place_  integer;
BEGIN
    FOR place_ IN
        SELECT new.place FROM unnest(new_postings) WITH ORDINALITY
            AS new (movement, kind, cause_type, business_id, user_id, transaction_id, place)
        JOIN posting_kinds AS rule ON rule.kind = new.kind AND rule.cause_type = new.cause_type
        WHERE verdicts[new.movement] = 0 AND NOT coalesce(CASE new.cause_type
            WHEN 'unchecked' THEN true
            -- One by one below.
            WHEN 'proposal' THEN false
            ELSE (SELECT cause.user_id = new.user_id AND cause.status = rule.cause_status
                    AND cause.kind IS NOT DISTINCT FROM rule.cause_kind
                    AND moved[new.place] = named_amount(rule.debit_amounts[1], cause.amount, cause.part)
                    AND (rule.related_statuses IS NULL OR (
                        SELECT paid.user_id = new.user_id AND paid.status = ANY (rule.related_statuses)
                            AND paid.fee_paid = rule.related_fee_paid
                        FROM transactions AS paid WHERE paid.id = cause.related_id))
                FROM causes AS cause WHERE cause.cause_type = new.cause_type AND cause.id = new.business_id)
            END, false)
    LOOP
        posting := new_postings[place_];
        CONTINUE WHEN posting.cause_type = 'proposal' AND coalesce(is_proposed(posting, moved[place_], (
            SELECT jsonb_object_agg(kind, cents) FROM (
                -- Positions after those of the movements are owed accounts.
                SELECT coalesce(slots.kinds[account], 'available') AS kind, sum(amount_cents) AS cents
                FROM unnest(entries) AS entry WHERE entry.posting = place_ AND amount_cents <> 0 GROUP BY 1) AS moves)), false);
        RAISE EXCEPTION 'posting % (%) has no cause', chain.posting_ids[place_], posting.kind
            USING ERRCODE = 'check_violation', CONSTRAINT = 'postings_cause';
    END LOOP;
END
$$;

-- Applies movements in the given order, each completely or not at all. A movement that is not applied changes nothing,
-- except that a trade refused for insufficient balance is recorded as refused. The outcomes, by movement:
--   0 applied
--   1 its key was used or is in use
--   2 an account of the member would fall below zero
--   3 an account does not exist
--   4 an account is locked by another transaction; never with is_patient, which waits for it
--   5 the member has an open withdrawal
--   6 the member owns the course
--   7 a payment for the course is in review
--   8 the trade already exists: funded, refused or settled
--   9 the trade is not funded with these terms, or is settled
--  10 as 2, because the member has a debt; only with the precondition nothing_owed
--  11 the withdrawal would exceed a limit of the member
--  12 less than the minimum is withdrawn, and it is not the whole balance, or not the first such withdrawal of the period
--  13 the cash of a plan would fall below zero
-- A posting that its cause does not permit is an error: no movement is applied.
--
-- A debt is a negative balance in the account `owed`, which movements never name. Credits to the available balance
-- settle it first. A posting that may debit `owed` does so once the available balance is used up. So a member with a
-- debt never has an available balance.
--
-- Every row is found by an index regardless of table statistics, and one plan serves every batch size. A row with an id is found
-- by it alone, and its member is compared then: with a condition on the member, a plan may read all rows of the member.
CREATE OR REPLACE FUNCTION post_movements(
    is_patient        boolean,
    movements         integer,
    -- The distinct accounts: platform accounts first, then those of members. Entries and preconditions refer to them by
    -- position.
    house_ids         bigint[],
    new_accounts      ledger_account[],
    new_keys          ledger_key[],
    new_preconditions ledger_precondition[],
    -- In the order of movements; entries in the order of postings.
    new_postings      ledger_posting[],
    new_entries       ledger_entry[],
    new_lines         ledger_line[],
    new_events        ledger_event[]
) RETURNS integer[] LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    houses   constant integer := cardinality(house_ids);
    slots    ledger_slots := lock_slots(is_patient, house_ids, new_accounts);
    verdicts integer[] := array_fill(0, ARRAY[movements]);
    decided  ledger_decided;
    chain    ledger_chain;
BEGIN
    verdicts := find_obstacles(
        verdicts, houses, slots, new_accounts, new_keys, new_preconditions, new_postings, new_entries);
    decided := decide_movements(
        verdicts, houses, slots, new_accounts, new_preconditions, new_postings, new_entries);
    verdicts := decided.verdicts;
    IF 0 = ANY (verdicts) THEN
        chain := chain_entries(verdicts, decided.slots, new_postings, decided.entries);
        PERFORM write_postings(verdicts, decided.slots, chain, new_postings, decided.entries);
        PERFORM write_rest(verdicts, new_keys, new_lines, new_events);
    END IF;
    IF (SELECT true FROM unnest(new_preconditions) WHERE trade_id IS NOT NULL LIMIT 1) THEN
        PERFORM write_fundings(verdicts, houses, new_accounts, new_preconditions);
    END IF;
    IF 0 = ANY (verdicts) THEN
        PERFORM require_one_course(verdicts, new_postings);
        PERFORM require_causes(verdicts, decided.slots, chain, new_postings, decided.entries);
    END IF;
    RETURN verdicts;
END
$$;

-- On one PostgreSQL, one plan serves every batch size, and finds every row by an index regardless of the statistics. A
-- distributed engine plans with the values instead, and cannot plan with these settings.
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        ALTER FUNCTION post_movements SET plan_cache_mode = force_generic_plan;
        ALTER FUNCTION post_movements SET enable_hashjoin = off;
        ALTER FUNCTION post_movements SET enable_mergejoin = off;
        ALTER FUNCTION post_movements SET enable_seqscan = off;
        -- Otherwise a plan that is made for small tables reads a whole index rather than descend in one that is higher.
        ALTER FUNCTION post_movements SET cpu_operator_cost = 0;
    END IF;
END $$;

DO $$ DECLARE role text; BEGIN
    -- Those of the first bucket have the right to its schema from who made the database.
    FOR role IN SELECT rolname FROM pg_roles WHERE rolname IN ('wallet', 'auditor') AND bucket() > 0 LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), role);
    END LOOP;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT EXECUTE ON FUNCTION open_accounts, open_plan, open_on_hold, lock_member, lock_plan_cash, post_movements TO wallet;
        REVOKE ALL ON open_withdrawals, pending_courses, paid_courses, counted_withdrawals, causes FROM wallet;
        GRANT SELECT ON open_withdrawals, pending_courses, paid_courses, counted_withdrawals, causes TO wallet;
    END IF;
END $$;
REVOKE EXECUTE ON FUNCTION open_accounts, open_plan, open_on_hold, lock_member, lock_plan_cash, post_movements FROM PUBLIC;
