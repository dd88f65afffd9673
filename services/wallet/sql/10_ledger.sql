-- The functions that write accounts, postings and entries; nothing else does. Applied after the migrations each time
-- `wallet migrate` runs, so this file is the current definition. The functions run as the owner of the tables, on which
-- the service's role has no write privileges.

-- The functions keep this setting: only this schema, with temporary tables last.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The row types of post_movements. Rows refer to their movement by its position, from 1. Processes of the previous
-- version send the fields they know, so a row with a new field needs a type with a new name.
DO $$ BEGIN
    IF to_regtype('ledger_entry') IS NULL THEN
        CREATE TYPE ledger_account AS (user_id uuid, kind text);
        CREATE TYPE ledger_key AS (
            movement integer, user_id uuid, route text, key text, fingerprint bytea, request_id text, outcome jsonb);
        CREATE TYPE ledger_precondition AS (
            movement integer, account integer, rule text, trade_id uuid, amount_cents bigint, value_cents bigint,
            at timestamptz);
        CREATE TYPE ledger_posting AS (
            movement integer, kind text, cause_type text, business_id uuid, user_id uuid, transaction_id uuid);
        CREATE TYPE ledger_entry AS (posting integer, account integer, amount_cents bigint);
        CREATE TYPE ledger_line AS (movement integer, line jsonb);
        CREATE TYPE ledger_event AS (
            movement integer, event_id uuid, key text, aggregate_id uuid, payload bytea, trace_context jsonb);
    END IF;
END $$;

-- The fields of a posting that the hashes of its entries cover.
DROP FUNCTION IF EXISTS posting_header(text, text, uuid, uuid, uuid, timestamptz);
CREATE OR REPLACE FUNCTION posting_header(
    kind text, cause_type text, business_id uuid, user_id uuid, transaction_id uuid, created_at timestamptz, reverses bigint
) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(uuid_send(business_id) || uuid_send(user_id)
        || coalesce(uuid_send(transaction_id), '\x00000000000000000000000000000000') || timestamptz_send(created_at)
        || convert_to(coalesce(cause_type, '') || ' ' || kind, 'UTF8') || coalesce(int8send(reverses), ''))
$$;

-- The same for a stored posting. Null for one from before headers were covered, whose xid is null.
CREATE OR REPLACE FUNCTION posting_header(posting postings) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN posting.xid IS NOT NULL THEN posting_header(posting.kind, posting.cause_type, posting.business_id,
        posting.user_id, posting.transaction_id, posting.created_at, posting.reverses) END
$$;

-- The hash of an entry, which chains it to the previous entry of its account.
CREATE OR REPLACE FUNCTION entry_hash(
    previous bytea, account_id bigint, posting_id bigint, amount_cents bigint, balance_after_cents bigint, header bytea
) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(previous || int8send(account_id) || int8send(posting_id) || int8send(amount_cents)
        || int8send(balance_after_cents) || coalesce(header, ''))
$$;

-- The rules about a member that stand in the way of a movement, each a query of rows that an index finds. They return
-- rows, so that PostgreSQL makes them a part of the query that asks: a function that returns a value would be planned at
-- each call, and for a kind that it does not know. The collation is that of the indexes for these rules. The other
-- indexes of a kind or a status have another, so no plan can use them: with statistics from a time when few withdrawals
-- existed they seem as good, and read all withdrawals.

DROP FUNCTION IF EXISTS has_pending(uuid, text), owns_course(uuid), withdrawn_since(uuid, timestamptz);

CREATE OR REPLACE FUNCTION open_withdrawal(member uuid) RETURNS TABLE (id uuid, amount_cents bigint) LANGUAGE sql STABLE AS $$
    SELECT id, amount_cents FROM transactions
    WHERE user_id = member AND kind = 'withdrawal' COLLATE "C" AND status = 'pending' COLLATE "C"
$$;

CREATE OR REPLACE FUNCTION pending_course(member uuid) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
    SELECT id FROM transactions WHERE user_id = member AND kind = 'course' COLLATE "C" AND status = 'pending' COLLATE "C"
$$;

-- A member owns the course after a purchase from the balance or a confirmed payment, until it is refunded.
CREATE OR REPLACE FUNCTION paid_course(member uuid) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT id FROM postings AS bought WHERE user_id = member AND kind = 'course'
        -- Not an EXISTS, which would be planned as a join with all postings.
        AND (SELECT refund.id FROM postings AS refund WHERE refund.reverses = bought.id AND refund.user_id = member) IS NULL
$$;

-- Withdrawals that count towards a member's limits since a moment; a rejected request gives its amount back. The time is
-- compared together with the member, so that no index of all members by time can serve it.
CREATE OR REPLACE FUNCTION withdrawals_since(member uuid, since timestamptz) RETURNS TABLE (created_at timestamptz, amount_cents bigint)
LANGUAGE sql STABLE AS $$
    SELECT created_at, amount_cents FROM transactions
    WHERE user_id = member AND (user_id, created_at) > (member, since)
        AND kind = 'withdrawal' COLLATE "C" AND status <> 'failed' COLLATE "C"
$$;

-- The amounts of a posting by account kind, multiplied by a factor (-1 for its reversal). `owed` counts as `available`,
-- because credits settle it first.
CREATE OR REPLACE FUNCTION moves_of(posting bigint, times integer) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_object_agg(kind, cents) FROM (
        SELECT CASE accounts.kind WHEN 'owed' THEN 'available' ELSE accounts.kind END AS kind,
            times * sum(amount_cents) AS cents
        FROM entries JOIN accounts ON id = account_id WHERE posting_id = posting GROUP BY 1) AS moved
$$;

-- What the reversal of a posting moves, by kind of account: the opposite. A fee that was paid from outside becomes the member's
-- to pay from the balance.
CREATE OR REPLACE FUNCTION reversal_of(posting bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT CASE kind
        WHEN 'fee' THEN jsonb_build_object('available', (opposite ->> 'fee_revenue')::bigint,
            'settlement', (opposite ->> 'settlement')::bigint)
        ELSE opposite END
    FROM (SELECT kind, moves_of(id, -1) AS opposite FROM postings WHERE id = posting) AS reversed
$$;

-- The posting that a proposal of a reversal or a refund names.
CREATE OR REPLACE FUNCTION reversed_by(proposal uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT (change ->> 'reverses')::bigint FROM proposals
    WHERE id = proposal AND kind IN ('reversal', 'course_refund')
$$;

-- What a treasury movement moves, by kind of account. What plan_proceeds bring above what the asset cost is the plan's cash.
CREATE OR REPLACE FUNCTION treasury_moves(kind text, change jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_strip_nulls(CASE kind
        WHEN 'capital_in' THEN jsonb_build_object('settlement', -cents, 'capital', cents)
        WHEN 'capital_out' THEN jsonb_build_object('capital', -cents, 'settlement', cents)
        WHEN 'revenue_out' THEN jsonb_build_object(change ->> 'source', -cents, 'settlement', cents)
        WHEN 'network_fee' THEN jsonb_build_object('network_fees', -cents, 'settlement', cents)
        WHEN 'loss' THEN jsonb_build_object('capital', -cents, 'settlement', cents)
        WHEN 'plan_funded' THEN jsonb_build_object('capital', -cents, 'plan_cash', cents)
        WHEN 'plan_returned' THEN jsonb_build_object('plan_cash', -cents, 'capital', cents)
        WHEN 'plan_bought' THEN jsonb_build_object('plan_assets', -cents, 'settlement', cents)
        WHEN 'plan_proceeds' THEN jsonb_build_object('settlement', -cents, 'plan_assets', nullif(book, 0),
            'plan_cash', nullif(cents - book, 0))
        WHEN 'plan_loss' THEN jsonb_build_object('plan_cash', -cents, 'plan_assets', cents)
        END)
    FROM (SELECT (change ->> 'amount_cents')::bigint AS cents, (change ->> 'book_cents')::bigint AS book) AS stated
$$;

-- Creates the accounts of a plan if they do not exist.
CREATE OR REPLACE FUNCTION open_plan(plan uuid) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    INSERT INTO accounts (kind, user_id) SELECT kind, plan FROM unnest('{plan_cash,plan_assets}'::text[]) AS kind
    ON CONFLICT DO NOTHING
$$;

-- Creates the accounts of a member if they do not exist. Available comes first, so that it has the lowest id.
CREATE OR REPLACE FUNCTION open_accounts(member uuid) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    INSERT INTO accounts (kind, user_id) SELECT kind, member FROM unnest('{available,held,bonus,invested}'::text[]) AS kind
    ON CONFLICT DO NOTHING
$$;

-- Creates the on_hold account of a member if it does not exist; few members need one.
CREATE OR REPLACE FUNCTION open_on_hold(member uuid) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    INSERT INTO accounts (kind, user_id) VALUES ('on_hold', member) ON CONFLICT DO NOTHING
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
-- Every row is found by an index regardless of table statistics, and one plan serves every batch size.
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
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    houses        constant integer := cardinality(house_ids);
    account_count constant integer := houses + cardinality(new_accounts);
    entry_count   constant integer := cardinality(new_entries);
    verdicts      integer[] := array_fill(0, ARRAY[movements]);
    all_applied   boolean := true;
    -- By account: the position of the locked row, and its values.
    tids          tid[]    := array_fill(NULL::tid, ARRAY[account_count]);
    account_ids   bigint[] := array_fill(NULL::bigint, ARRAY[account_count]);
    kinds         text[]   := array_fill(NULL::text, ARRAY[account_count]);
    balances      bigint[] := array_fill(0::bigint, ARRAY[account_count]);
    counts        bigint[] := array_fill(0::bigint, ARRAY[account_count]);
    heads         bytea[]  := array_fill(''::bytea, ARRAY[account_count]);
    -- The owed accounts of the owners of available accounts: after all other accounts, in this many positions.
    owed_places   integer[] := array_fill(NULL::integer, ARRAY[account_count]);
    places        integer  := account_count;
    located       integer  := 0;
    found_place   integer;
    found_tid     tid;
    found_id      bigint;
    found_kind    text;
    found_balance bigint;
    found_count   bigint;
    found_head    bytea;
    -- By posting.
    posting_ids   bigint[];
    headers       bytea[];
    moved         bigint[] := array_fill(0::bigint, ARRAY[cardinality(new_postings)]);
    posting       ledger_posting;
    sells_course  boolean  := false;
    number        integer := 0;
    rule          posting_kinds;
    posted_at     timestamptz;
    -- By entry; entries on owed accounts come last, in this many positions.
    parts         integer  := entry_count;
    first_part    integer  := entry_count + 1;
    part          integer;
    owed          bigint;
    heads_before  bytea[]  := array_fill(NULL::bytea, ARRAY[entry_count]);
    hashes        bytea[]  := array_fill(NULL::bytea, ARRAY[entry_count]);
    afters        bigint[] := array_fill(0::bigint, ARRAY[entry_count]);
    entry         ledger_entry;
    next_entry    integer := 1;
    first_entry   integer := 1;
    undone        integer;
    last_movement integer := 0;
    movement_     integer;
    verdict       integer;
    account       integer;
    balance       bigint;
    head          bytea;
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
        PERFORM FROM accounts WHERE id = ANY (house_ids) AND user_id IS NULL ORDER BY id FOR UPDATE;
    END IF;
    FOR found_place, found_tid, found_id, found_kind, found_balance, found_count, found_head IN
        SELECT houses + place, found.*
        FROM unnest(new_accounts) WITH ORDINALITY AS wanted (user_id, kind, place), LATERAL (
            SELECT ctid, id, kind, balance_cents, entry_count, head_hash FROM accounts
            WHERE user_id = wanted.user_id AND kind = wanted.kind FOR UPDATE SKIP LOCKED) AS found
    LOOP
        located := located + 1;
        tids[found_place] := found_tid;
        account_ids[found_place] := found_id;
        kinds[found_place] := found_kind;
        balances[found_place] := found_balance;
        counts[found_place] := found_count;
        heads[found_place] := found_head;
    END LOOP;
    IF houses > 0 THEN
        FOR found_place, found_tid, found_id, found_kind, found_balance, found_count, found_head IN
            SELECT place, found.*
            FROM unnest(house_ids) WITH ORDINALITY AS wanted (id, place), LATERAL (
                SELECT ctid, id, kind, balance_cents, entry_count, head_hash FROM accounts
                WHERE id = wanted.id AND user_id IS NULL FOR UPDATE SKIP LOCKED) AS found
        LOOP
            located := located + 1;
            tids[found_place] := found_tid;
            account_ids[found_place] := found_id;
            kinds[found_place] := found_kind;
            balances[found_place] := found_balance;
            counts[found_place] := found_count;
            heads[found_place] := found_head;
        END LOOP;
    END IF;
    -- No other transaction can have these locked, regardless of their order: they change only while the available account is
    -- locked.
    FOR account, found_tid, found_id, found_balance, found_count, found_head IN
        SELECT houses + place, found.*
        FROM unnest(new_accounts) WITH ORDINALITY AS wanted (user_id, kind, place), LATERAL (
            SELECT ctid, id, balance_cents, entry_count, head_hash FROM accounts
            WHERE user_id = wanted.user_id AND kind = 'owed' AND balance_cents < 0 FOR UPDATE) AS found
        WHERE wanted.kind = 'available' AND account_ids[houses + place] IS NOT NULL
    LOOP
        places := places + 1;
        owed_places[account] := places;
        tids[places] := found_tid;
        account_ids[places] := found_id;
        balances[places] := found_balance;
        counts[places] := found_count;
        heads[places] := found_head;
    END LOOP;
    IF located < account_count THEN
        FOR movement_, verdict IN
            -- An EXISTS would be planned as a hash of all accounts.
            SELECT needed.movement, CASE WHEN needed.account <= houses THEN 4 ELSE coalesce(
                (SELECT 4 FROM accounts WHERE user_id = new_accounts[needed.account - houses].user_id
                    AND kind = new_accounts[needed.account - houses].kind), 3) END
            FROM (
                SELECT new_postings[one.posting].movement, one.account FROM unnest(new_entries) AS one
                UNION ALL SELECT one.movement, one.account FROM unnest(new_preconditions) AS one
            ) AS needed WHERE account_ids[needed.account] IS NULL
        LOOP
            verdicts[movement_] := verdict;
            all_applied := false;
        END LOOP;
    END IF;

    -- The facts that can prevent a movement. Every transaction that changes one of them holds the lock of the member's
    -- account, or of the key.
    -- No EXISTS, which may be planned as a sequential scan.
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
            all_applied := false;
        END LOOP;
    END IF;
    IF cardinality(new_preconditions) > 0 THEN
        FOR movement_, verdict IN
            SELECT movement, failed FROM unnest(new_preconditions) AS new, LATERAL (SELECT CASE rule
                -- Decided below: a member with a debt has no available balance.
                WHEN 'nothing_owed' THEN NULL
                WHEN 'no_open_withdrawal' THEN
                    (SELECT 5 FROM open_withdrawal(new_accounts[account - houses].user_id))
                WHEN 'withdrawals_within' THEN
                    CASE WHEN (SELECT coalesce(sum(amount_cents), 0)
                            FROM withdrawals_since(new_accounts[account - houses].user_id, new.at))
                        + new.amount_cents > new.value_cents THEN 11 END
                WHEN 'whole_balance' THEN
                    CASE WHEN balances[account] <> new.amount_cents
                        OR (SELECT true FROM withdrawals_since(new_accounts[account - houses].user_id, new.at) AS earlier
                            WHERE earlier.amount_cents < new.value_cents LIMIT 1) THEN 12 END
                WHEN 'no_course' THEN
                    coalesce((SELECT 6 FROM paid_course(new_accounts[account - houses].user_id)),
                        (SELECT 7 FROM pending_course(new_accounts[account - houses].user_id)))
                WHEN 'trade_unknown' THEN
                    (SELECT 8 FROM trade_fundings WHERE trade_fundings.trade_id = new.trade_id)
                WHEN 'trade_funded' THEN
                    CASE WHEN (SELECT true FROM trade_fundings AS old WHERE old.trade_id = new.trade_id
                        AND old.user_id = new_accounts[account - houses].user_id
                        AND old.amount_cents = new.amount_cents AND old.status = 'funded') IS NULL THEN 9 END
                ELSE 9 END AS failed) AS looked
            WHERE verdicts[movement] = 0 AND failed IS NOT NULL
        LOOP
            -- The first violated precondition is returned.
            CONTINUE WHEN verdicts[movement_] <> 0;
            verdicts[movement_] := verdict;
            all_applied := false;
        END LOOP;
    END IF;

    -- Decide, and chain each entry to the previous one. Ids and the time are taken while the accounts are locked, so
    -- that they increase along every chain.
    posted_at := clock_timestamp();
    SELECT array_agg(nextval('postings_id_seq')),
        array_agg(posting_header(new.kind, new.cause_type, new.business_id, new.user_id, new.transaction_id, posted_at,
            CASE WHEN new.kind IN ('reversal', 'course_refund') THEN reversed_by(new.business_id) END))
        INTO posting_ids, headers FROM unnest(new_postings) AS new;
    FOREACH posting IN ARRAY new_postings LOOP
        number := number + 1;
        sells_course := sells_course OR posting.kind = 'course';
        IF posting.movement <> last_movement THEN
            last_movement := posting.movement;
            first_entry := next_entry;
            first_part := parts + 1;
        END IF;
        IF rule.kind IS DISTINCT FROM posting.kind OR rule.cause_type IS DISTINCT FROM posting.cause_type THEN
            SELECT * INTO rule FROM posting_kinds
                WHERE posting_kinds.kind = posting.kind AND posting_kinds.cause_type = posting.cause_type;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'no posting of kind % is caused by a %', posting.kind, posting.cause_type
                    USING ERRCODE = 'check_violation', CONSTRAINT = 'postings_kind';
            END IF;
        END IF;
        WHILE next_entry <= entry_count LOOP
            entry := new_entries[next_entry];
            EXIT WHEN entry.posting <> number;
            IF verdicts[posting.movement] = 0 THEN
                account := entry.account;
                IF NOT kinds[account] = ANY (CASE WHEN entry.amount_cents < 0 THEN rule.debits ELSE rule.credits END)
                    OR kinds[account] = 'owed'
                    OR account > houses AND rule.cause_type <> 'unchecked'
                        AND kinds[account] NOT IN ('plan_cash', 'plan_assets')
                        AND new_accounts[account - houses].user_id <> posting.user_id
                THEN
                    RAISE EXCEPTION 'a posting of kind % does not move the account % of %',
                        posting.kind, kinds[account], posting.user_id
                        USING ERRCODE = 'check_violation', CONSTRAINT = 'postings_accounts';
                END IF;
                owed := 0;
                IF kinds[account] = 'available' THEN
                    IF entry.amount_cents > 0 AND owed_places[account] IS NOT NULL THEN
                        owed := least(entry.amount_cents, -balances[owed_places[account]]);
                    ELSIF entry.amount_cents < 0 AND 'owed' = ANY (rule.debits) THEN
                        owed := least(balances[account] + entry.amount_cents, 0);
                    END IF;
                END IF;
                IF owed <> 0 THEN
                    IF owed_places[account] IS NULL THEN
                        INSERT INTO accounts (kind, user_id) VALUES ('owed', new_accounts[account - houses].user_id)
                            ON CONFLICT DO NOTHING;
                        places := places + 1;
                        owed_places[account] := places;
                        SELECT ctid, id, balance_cents, entry_count, head_hash
                            INTO found_tid, found_id, found_balance, found_count, found_head
                            FROM accounts WHERE user_id = new_accounts[account - houses].user_id AND kind = 'owed' FOR UPDATE;
                        tids[places] := found_tid;
                        account_ids[places] := found_id;
                        balances[places] := found_balance;
                        counts[places] := found_count;
                        heads[places] := found_head;
                    END IF;
                    parts := parts + 1;
                    new_entries[parts] := ROW (number, owed_places[account], owed);
                    new_entries[next_entry].amount_cents := entry.amount_cents - owed;
                END IF;
                part := next_entry;
                LOOP
                    entry := new_entries[part];
                    account := entry.account;
                    balance := balances[account] + entry.amount_cents;
                    IF balance < 0 AND account > houses AND account <= account_count AND kinds[account] <> 'plan_assets' THEN
                        -- Undo the movement.
                        verdicts[posting.movement] := CASE WHEN kinds[account] = 'plan_cash' THEN 13 WHEN balances[owed_places[account]] < 0 AND EXISTS (
                            SELECT FROM unnest(new_preconditions)
                            WHERE movement = posting.movement AND rule = 'nothing_owed') THEN 10 ELSE 2 END;
                        all_applied := false;
                        FOR undone IN
                            SELECT place FROM generate_series(first_entry, next_entry - 1) AS place
                            UNION ALL SELECT place FROM generate_series(first_part, parts) AS place ORDER BY 1 DESC
                        LOOP
                            entry := new_entries[undone];
                            CONTINUE WHEN entry.amount_cents = 0;
                            balances[entry.account] := balances[entry.account] - entry.amount_cents;
                            counts[entry.account] := counts[entry.account] - 1;
                            heads[entry.account] := heads_before[undone];
                        END LOOP;
                    ELSIF entry.amount_cents <> 0 THEN
                        head := heads[account];
                        heads_before[part] := head;
                        head := entry_hash(head, account_ids[account], posting_ids[number], entry.amount_cents, balance,
                            headers[number]);
                        balances[account] := balance;
                        counts[account] := counts[account] + 1;
                        heads[account] := head;
                        hashes[part] := head;
                        afters[part] := balance;
                        IF entry.amount_cents > 0 THEN
                            moved[number] := moved[number] + entry.amount_cents;
                        END IF;
                    END IF;
                    EXIT WHEN owed = 0;
                    part := parts;
                    owed := 0;
                END LOOP;
            END IF;
            next_entry := next_entry + 1;
        END LOOP;
    END LOOP;

    IF 0 = ANY (verdicts) THEN
        INSERT INTO postings (id, kind, cause_type, business_id, user_id, transaction_id, created_at, reverses)
            OVERRIDING SYSTEM VALUE
            SELECT new.id, new.kind, new.cause_type, new.business_id, new.user_id, new.transaction_id, posted_at,
                CASE WHEN new.kind IN ('reversal', 'course_refund') THEN reversed_by(new.business_id) END
            FROM ROWS FROM (unnest(new_postings), unnest(posting_ids))
                AS new (movement, kind, cause_type, business_id, user_id, transaction_id, id)
            WHERE all_applied OR verdicts[new.movement] = 0;
        INSERT INTO entries (account_id, posting_id, amount_cents, balance_after_cents, hash, member_id)
            SELECT account_ids[new.account], posting_ids[new.posting], new.amount_cents, new.after, new.hash,
                new_postings[new.posting].user_id
            FROM ROWS FROM (unnest(new_entries), unnest(afters), unnest(hashes))
                AS new (posting, account, amount_cents, after, hash)
            WHERE (all_applied OR verdicts[new_postings[new.posting].movement] = 0) AND new.amount_cents <> 0;
        -- A position is that of a row within its partition, where tables have some.
        UPDATE accounts SET balance_cents = new.balance, entry_count = new.entries, head_hash = new.head
            FROM unnest(tids, account_ids, balances, counts, heads) AS new (at, id, balance, entries, head)
            WHERE accounts.ctid = new.at AND accounts.id + 0 = new.id AND accounts.entry_count <> new.entries;
        IF cardinality(new_keys) > 0 THEN
            INSERT INTO idempotency_keys (user_id, route, key, fingerprint, request_id, outcome)
                SELECT user_id, route, key, fingerprint, request_id, outcome FROM unnest(new_keys)
                WHERE all_applied OR verdicts[movement] = 0;
        END IF;
        IF cardinality(new_lines) > 0 THEN
            INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, fee_cents,
                    net_amount_cents, fee_paid, method_id, currency, network, method_address, method_memo, method_version,
                    destination_address, destination_memo, destination_checked, decided_by, decided_at, related_id, revision,
                    created_at, quote_id, asset, asset_decimals, units, rate_micros, spread_bps, quoted_at,
                    quote_expires_at)
                SELECT line.id, line.user_id, line.kind, line.description, line.status, line.direction,
                    line.amount_cents, line.fee_cents, line.net_amount_cents, line.fee_paid, line.method_id,
                    line.currency, line.network, line.method_address, line.method_memo, line.method_version,
                    line.destination_address, line.destination_memo, line.destination_checked, line.decided_by,
                    line.decided_at, line.related_id, line.revision, line.created_at, line.quote_id, line.asset,
                    line.asset_decimals, line.units, line.rate_micros, line.spread_bps, line.quoted_at,
                    line.quote_expires_at
                FROM unnest(new_lines) AS new, jsonb_populate_record(NULL::transactions, new.line) AS line
                WHERE all_applied OR verdicts[new.movement] = 0;
        END IF;
        IF cardinality(new_events) > 0 THEN
            INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context)
                SELECT event_id, key, aggregate_id, payload, trace_context FROM unnest(new_events)
                WHERE all_applied OR verdicts[movement] = 0;
        END IF;
    END IF;
    IF cardinality(new_preconditions) > 0 THEN
        INSERT INTO trade_fundings (trade_id, user_id, amount_cents, status, created_at)
            SELECT trade_id, new_accounts[account - houses].user_id, amount_cents,
                CASE verdicts[movement] WHEN 0 THEN 'funded' ELSE 'refused' END, at
            FROM unnest(new_preconditions) WHERE rule = 'trade_unknown' AND verdicts[movement] IN (0, 2, 10);
        UPDATE trade_fundings SET status = 'settled', value_cents = new.value_cents, settled_at = new.at
            FROM unnest(new_preconditions) AS new, LATERAL (
                SELECT ctid AS tid, user_id FROM trade_fundings WHERE trade_id = new.trade_id
                    AND user_id = new_accounts[account - houses].user_id OFFSET 0) AS found
            WHERE trade_fundings.ctid = found.tid AND trade_fundings.user_id = found.user_id
                AND new.rule = 'trade_funded' AND verdicts[new.movement] = 0;
    END IF;

    -- A member buys the course again only after a refund. Anyone who posts a purchase has locked the member's account.
    IF sells_course THEN
        FOR posting IN
            SELECT new.* FROM unnest(new_postings) AS new
            WHERE new.kind = 'course' AND verdicts[new.movement] = 0
                AND (SELECT count(*) FROM paid_course(new.user_id)) > 1
        LOOP
            RAISE EXCEPTION 'member % owns the course', posting.user_id
                USING ERRCODE = 'unique_violation', CONSTRAINT = 'postings_one_course_a_member';
        END LOOP;
    END IF;

    -- Every posting needs a cause with the same member and amount: a decision, a funding or a purchase.
    FOR found_kind, found_id IN
        SELECT new.kind, new.id
        FROM ROWS FROM (unnest(new_postings), unnest(posting_ids), unnest(moved))
            AS new (movement, kind, cause_type, business_id, user_id, transaction_id, id, cents)
        JOIN posting_kinds AS wanted ON wanted.kind = new.kind AND wanted.cause_type = new.cause_type
        WHERE verdicts[new.movement] = 0 AND NOT coalesce(CASE new.cause_type
            WHEN 'trade' THEN
                (SELECT status = cause_status AND new.cents = CASE new.kind
                        WHEN 'trade_fund' THEN amount_cents
                        WHEN 'trade_settle' THEN least(amount_cents, value_cents)
                        ELSE abs(value_cents - amount_cents) END
                    FROM trade_fundings WHERE trade_id = new.business_id AND trade_fundings.user_id = new.user_id)
            WHEN 'proposal' THEN
                (SELECT status = cause_status AND kind = cause_kind AND subject_id = new.user_id
                        AND change ->> 'amount_cents' = new.cents::text
                        AND CASE new.kind
                            WHEN 'reversal' THEN (
                                SELECT moves_of(new.id, 1) = reversal_of(reversed.id) FROM postings AS reversed
                                WHERE reversed.id = reversed_by(new.business_id) AND reversed.user_id = new.user_id)
                            WHEN 'course_refund' THEN (
                                SELECT reversed.kind = 'course'
                                    AND (moves_of(reversed.id, 1) ->> 'course_revenue')::bigint = new.cents
                                FROM postings AS reversed
                                WHERE reversed.id = reversed_by(new.business_id) AND reversed.user_id = new.user_id)
                            WHEN 'bonus' THEN true
                            WHEN 'release' THEN true
                            WHEN 'adjustment_credit' THEN true
                            WHEN 'adjustment_debit' THEN true
                            ELSE moves_of(new.id, 1) = treasury_moves(kind, change) END
                    FROM proposals WHERE id = new.business_id)
            WHEN 'hold' THEN
                (SELECT status = cause_status AND amount_cents = new.cents
                    FROM holds WHERE id = new.business_id AND holds.user_id = new.user_id)
            WHEN 'closing' THEN
                (SELECT bonus_cents = new.cents FROM closed_wallets
                    WHERE closed_wallets.user_id = new.business_id AND closed_wallets.user_id = new.user_id)
            WHEN 'unchecked' THEN true
            ELSE
                (SELECT cause.status = cause_status AND cause.kind = cause_kind
                        AND new.cents = CASE new.kind
                            WHEN 'course' THEN least(cause.amount_cents, coalesce(cause.claimed_amount_cents, cause.amount_cents))
                            -- All that arrived if it is less than the price, else the rest.
                            WHEN 'course_credit' THEN CASE WHEN cause.amount_cents < cause.claimed_amount_cents
                                THEN cause.amount_cents ELSE cause.amount_cents - cause.claimed_amount_cents END
                            ELSE cause.amount_cents END
                        AND CASE new.kind
                        WHEN 'course' THEN (method_id IS NULL) = (new.cause_type = 'purchase')
                            AND cause.amount_cents >= coalesce(cause.claimed_amount_cents, cause.amount_cents)
                        -- A fee belongs to a withdrawal that is open, rejected or finished.
                        WHEN 'fee' THEN (SELECT paid.status FROM transactions AS paid
                            WHERE paid.id = cause.related_id AND paid.user_id = new.user_id) = 'pending'
                        WHEN 'fee_refund' THEN (SELECT paid.status FROM transactions AS paid
                            WHERE paid.id = cause.related_id AND paid.user_id = new.user_id) = 'failed'
                        WHEN 'fee_credit' THEN (SELECT paid.status FROM transactions AS paid
                            WHERE paid.id = cause.related_id AND paid.user_id = new.user_id) <> 'pending'
                        ELSE true END
                    FROM transactions AS cause WHERE cause.id = new.business_id AND cause.user_id = new.user_id)
            END, false)
    LOOP
        RAISE EXCEPTION 'posting % (%) has no cause', found_id, found_kind
            USING ERRCODE = 'check_violation', CONSTRAINT = 'postings_cause';
    END LOOP;
    RETURN verdicts;
END
$$;

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT EXECUTE ON FUNCTION open_accounts, open_plan, open_on_hold, lock_member, post_movements TO wallet;
    END IF;
END $$;
REVOKE EXECUTE ON FUNCTION open_accounts, open_plan, open_on_hold, lock_member, post_movements FROM PUBLIC;
