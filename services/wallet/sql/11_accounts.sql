-- Accounts: how they are made and locked. The functions that the service calls run as the owner of the tables, on which its role
-- has no write privileges.

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
