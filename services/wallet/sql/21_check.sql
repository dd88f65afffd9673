-- The check of the ledger, a step at a time, and what it keeps.

-- Records faults; known ones stay unchanged.
CREATE OR REPLACE FUNCTION note_fault(subject text, subject_id text, detail text, drift bigint DEFAULT 0) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO ledger_faults (subject, subject_id, detail, drift_cents) VALUES ($1, $2, $3, $4)
    ON CONFLICT (subject, subject_id) WHERE verified_at IS NULL DO NOTHING;
END
$$;

-- Stores the checkpoints of accounts.
CREATE OR REPLACE FUNCTION keep_checkpoints(verified account_checkpoints[]) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO account_checkpoints SELECT * FROM unnest(verified)
    ON CONFLICT (account_id) DO UPDATE SET posting_id = excluded.posting_id, balance_cents = excluded.balance_cents,
        entry_count = excluded.entry_count, head_hash = excluded.head_hash
        WHERE account_checkpoints.posting_id < excluded.posting_id;
END
$$;

-- Verifies accounts from their checkpoints, and the holds and investments of their members.
CREATE OR REPLACE FUNCTION check_accounts(ids bigint[], most integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    verified record;
BEGIN
    SELECT array_agg(ROW(account_id, posting_id, balance_cents, entry_count, head_hash)::account_checkpoints)
            FILTER (WHERE fault IS NULL) AS checkpoints,
        jsonb_agg(jsonb_build_array(account_id, fault, drift_cents)) FILTER (WHERE fault IS NOT NULL) AS faults
    INTO verified FROM verify_accounts(verification_starts(ids, true), most);
    PERFORM keep_checkpoints(verified.checkpoints);
    PERFORM note_fault('account', fault ->> 0, fault ->> 1, (fault ->> 2)::bigint)
        FROM jsonb_array_elements(verified.faults) AS fault;
    PERFORM note_fault(subject, subject_id, detail) FROM member_faults(ARRAY(
        SELECT DISTINCT user_id FROM accounts WHERE id = ANY (ids) AND user_id IS NOT NULL));
END
$$;

-- Checks the next completed postings and every account that they moved. Returns their number, or null while another
-- process is checking.
CREATE OR REPLACE FUNCTION check_new_postings(most integer) RETURNS integer LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    at    ledger_checks;
    taken record;
BEGIN
    SELECT * INTO at FROM ledger_checks FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    -- The database was restored into another server, whose transaction ids start again.
    IF at.checked_xid > pg_current_xact_id() THEN
        at.checked_xid := '0';
        at.checked_id := 0;
    END IF;
    SELECT array_agg(id) AS ids, (array_agg(xid ORDER BY xid DESC, id DESC))[1] AS last_xid,
        (array_agg(id ORDER BY xid DESC, id DESC))[1] AS last_id, min(id) AS lowest, max(id) AS highest
    INTO taken FROM (
        SELECT id, xid FROM postings
        WHERE (xid, id) > (at.checked_xid, at.checked_id) AND xid < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY xid, id LIMIT most) AS new;
    IF taken.ids IS NULL THEN
        RETURN 0;
    END IF;
    PERFORM note_fault(subject, subject_id, detail) FROM posting_faults(taken.ids);
    -- More links than new entries, so that the checkpoint of the busiest account catches up with its head. `+ 0` keeps the
    -- ids from the index, as in posting_faults.
    PERFORM check_accounts(ARRAY(SELECT DISTINCT account_id FROM entries
        WHERE posting_id BETWEEN taken.lowest AND taken.highest AND posting_id + 0 = ANY (taken.ids)), 5 * most);
    UPDATE ledger_checks SET checked_xid = taken.last_xid, checked_id = taken.last_id;
    RETURN cardinality(taken.ids);
END
$$;

-- Advances the full verification by one slice. Returns whether it has finished.
CREATE OR REPLACE FUNCTION walk_ledger(most integer) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    at     ledger_checks;
    starts account_checkpoints[];
    one    record;
    ids    bigint[];
    moved  bigint := 0;
BEGIN
    SELECT * INTO at FROM ledger_checks FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF at.walk_posting_id IS NOT NULL THEN
        starts := NULL;
    ELSIF (at.walk_checkpoint).account_id IS NOT NULL THEN
        starts := ARRAY[at.walk_checkpoint];
    ELSE
        ids := ARRAY(SELECT id FROM (
            SELECT id, sum(entry_count) OVER (ORDER BY id) - entry_count AS before FROM (
                SELECT id, entry_count FROM accounts WHERE id > at.walk_account_id ORDER BY id LIMIT 1000) AS next
            ) AS counted WHERE before < most ORDER BY id);
        starts := verification_starts(ids, false);
        PERFORM note_fault(subject, subject_id, detail) FROM rebuild_faults(ids);
        PERFORM note_fault(subject, subject_id, detail) FROM member_faults(ARRAY(
            SELECT DISTINCT user_id FROM accounts WHERE id = ANY (ids) AND kind IN ('held', 'on_hold', 'invested', 'owed')));
    END IF;
    IF starts IS NULL THEN
        at.walk_posting_id := coalesce(at.walk_posting_id, 0);
        ids := ARRAY(SELECT id FROM postings WHERE id > at.walk_posting_id ORDER BY id LIMIT most / 2);
        PERFORM note_fault(subject, subject_id, detail) FROM posting_faults(ids);
        IF cardinality(ids) = most / 2 THEN
            UPDATE ledger_checks SET walk_posting_id = ids[cardinality(ids)];
            RETURN false;
        END IF;
        UPDATE ledger_checks SET walk_account_id = 0, walked_entries = walk_entries, walk_entries = 0,
            walked_at = clock_timestamp(), walk_posting_id = NULL;
        RETURN true;
    END IF;
    at.walk_checkpoint := NULL;
    FOR one IN SELECT verified.*, start FROM verify_accounts(starts, most) AS verified
        JOIN unnest(starts) AS start ON start.account_id = verified.account_id ORDER BY verified.account_id
    LOOP
        moved := moved + one.links;
        IF one.fault IS NULL THEN
            PERFORM keep_checkpoints(ARRAY[ROW(one.account_id, one.posting_id, one.balance_cents, one.entry_count,
                one.head_hash)::account_checkpoints]);
        ELSE
            PERFORM note_fault('account', one.account_id::text, one.fault, one.drift_cents);
            -- Restart only from the last valid link.
            UPDATE account_checkpoints AS kept SET posting_id = (one.start).posting_id,
                balance_cents = (one.start).balance_cents, entry_count = (one.start).entry_count,
                head_hash = (one.start).head_hash
            WHERE kept.account_id = one.account_id;
        END IF;
        at.walk_account_id := one.account_id;
        IF one.fault IS NULL AND one.links = most THEN
            at.walk_checkpoint := ROW(one.account_id, one.posting_id, one.balance_cents, one.entry_count,
                one.head_hash)::account_checkpoints;
            EXIT;
        END IF;
    END LOOP;
    UPDATE ledger_checks SET walk_account_id = at.walk_account_id, walk_checkpoint = at.walk_checkpoint,
        walk_entries = walk_entries + moved;
    RETURN false;
END
$$;

-- Checks known faults and recent decisions again, and closes the faults that verify.
CREATE OR REPLACE FUNCTION recheck_faults(most integer) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    fault ledger_faults;
    wrong text;
BEGIN
    FOR fault IN SELECT * FROM ledger_faults WHERE verified_at IS NULL ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 100 LOOP
        wrong := NULL;
        CASE fault.subject
        WHEN 'account' THEN
            PERFORM check_accounts(ARRAY[fault.subject_id::bigint], most);
            SELECT coalesce(verified.fault, (SELECT detail FROM rebuild_faults(ARRAY[fault.subject_id::bigint])), CASE WHEN links = most THEN 'not at its head yet' END) INTO wrong
                FROM verify_accounts(verification_starts(ARRAY[fault.subject_id::bigint], true), most) AS verified;
        WHEN 'posting' THEN
            SELECT detail INTO wrong FROM posting_faults(ARRAY[fault.subject_id::bigint]);
        WHEN 'member' THEN
            SELECT detail INTO wrong FROM member_faults(ARRAY[fault.subject_id::uuid]);
        ELSE
            SELECT detail INTO wrong FROM cause_faults(ARRAY[fault.subject_id::uuid]);
        END CASE;
        IF wrong IS NULL THEN
            UPDATE ledger_faults SET verified_at = clock_timestamp() WHERE id = fault.id;
        END IF;
    END LOOP;
END
$$;

-- Checks that the first things decided, requested, funded or confirmed in [since, until) were posted: this many, and those
-- of the same instant as the last one, so that a step takes as long in a busy minute as in a quiet one. Returns where to
-- continue.
CREATE OR REPLACE FUNCTION check_causes(since timestamptz, until timestamptz, most integer) RETURNS timestamptz LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    taken record;
BEGIN
    SELECT array_agg(DISTINCT id) AS ids, count(*) AS count, max(at) AS last_at INTO taken FROM (
        SELECT id, at FROM (
            (SELECT id, greatest(approved_at, decided_at) AS at FROM transactions
                WHERE greatest(approved_at, decided_at) >= since AND greatest(approved_at, decided_at) < until
                    AND kind IN ('deposit', 'course', 'fee', 'withdrawal')
                ORDER BY at FETCH FIRST (most) ROWS WITH TIES)
            UNION ALL
            (SELECT id, created_at FROM transactions
                WHERE created_at >= since AND created_at < until AND kind IN ('withdrawal', 'course')
                ORDER BY created_at FETCH FIRST (most) ROWS WITH TIES)
            UNION ALL
            (SELECT trade_id, created_at FROM trade_fundings WHERE created_at >= since AND created_at < until
                ORDER BY created_at FETCH FIRST (most) ROWS WITH TIES)
            UNION ALL
            (SELECT trade_id, settled_at FROM trade_fundings WHERE settled_at >= since AND settled_at < until
                ORDER BY settled_at FETCH FIRST (most) ROWS WITH TIES)
            UNION ALL
            (SELECT id, placed_at FROM holds WHERE placed_at >= since AND placed_at < until
                ORDER BY placed_at FETCH FIRST (most) ROWS WITH TIES)
            UNION ALL
            (SELECT id, released_at FROM holds WHERE released_at >= since AND released_at < until
                ORDER BY released_at FETCH FIRST (most) ROWS WITH TIES)
            UNION ALL
            (SELECT id, decided_at FROM proposals
                WHERE status = 'confirmed' AND decided_at >= since AND decided_at < until
                ORDER BY decided_at FETCH FIRST (most) ROWS WITH TIES)
            UNION ALL
            (SELECT id, transferred_at FROM cash_transfers WHERE transferred_at >= since AND transferred_at < until
                ORDER BY transferred_at FETCH FIRST (most) ROWS WITH TIES)
        ) AS causes ORDER BY at FETCH FIRST (most) ROWS WITH TIES
    ) AS first;
    PERFORM note_fault(subject, subject_id, detail) FROM cause_faults(taken.ids);
    RETURN CASE WHEN taken.count < most THEN until ELSE taken.last_at + interval '1 microsecond' END;
END
$$;

-- The stored values of a faulty account, and those computed from its entries.
CREATE OR REPLACE FUNCTION compare_account(wanted bigint) RETURNS account_rebuilds LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
    computed account_rebuilds;
BEGIN
    SELECT NULL::uuid, accounts.id, coalesce(max(posting_id), 0), coalesce(sum(amount_cents), 0)::bigint, count(posting_id),
        coalesce((array_agg(hash ORDER BY posting_id DESC) FILTER (WHERE hash IS NOT NULL))[1], ''),
        sha256(coalesce(string_agg(int8send(posting_id) || int8send(amount_cents) || hash, '' ORDER BY posting_id), '')),
        accounts.balance_cents, accounts.entry_count, clock_timestamp()
    INTO computed
    FROM accounts LEFT JOIN entries ON account_id = accounts.id WHERE accounts.id = wanted
    GROUP BY accounts.id, accounts.balance_cents, accounts.entry_count;
    RETURN computed;
END
$$;

-- Sets the values of an account to those computed from its entries: only for a faulty account, with a confirmed
-- proposal.
CREATE OR REPLACE FUNCTION rebuild_account(wanted bigint, proposal uuid) RETURNS account_rebuilds LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    made account_rebuilds;
BEGIN
    IF NOT EXISTS (SELECT FROM proposals WHERE id = proposal AND kind = 'ledger.rebuild' AND status = 'confirmed'
        AND (change ->> 'accountId')::bigint = wanted)
    THEN
        RAISE EXCEPTION 'no confirmed proposal rebuilds account %', wanted
            USING ERRCODE = 'check_violation', CONSTRAINT = 'account_rebuilds_confirmed';
    END IF;
    PERFORM FROM accounts WHERE id = wanted FOR UPDATE;
    IF NOT EXISTS (SELECT FROM ledger_faults
        WHERE subject = 'account' AND subject_id = wanted::text AND verified_at IS NULL)
    THEN
        RAISE EXCEPTION 'account % verifies', wanted
            USING ERRCODE = 'check_violation', CONSTRAINT = 'account_rebuilds_faulty';
    END IF;
    made := compare_account(wanted);
    made.proposal_id := proposal;
    INSERT INTO account_rebuilds SELECT made.*;
    UPDATE accounts SET balance_cents = made.balance_cents, entry_count = made.entry_count, head_hash = made.head_hash
        WHERE id = wanted;
    RETURN made;
END
$$;

-- Finishes a check that reached the newest posting.
CREATE OR REPLACE FUNCTION end_check() RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    UPDATE ledger_checks SET checked_at = clock_timestamp()
$$;

DO $$ BEGIN
    REVOKE EXECUTE ON FUNCTION check_new_postings, walk_ledger, recheck_faults,
        check_causes(timestamptz, timestamptz, integer), end_check, rebuild_account FROM public;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT EXECUTE ON FUNCTION check_new_postings, walk_ledger, recheck_faults,
            check_causes(timestamptz, timestamptz, integer), end_check, rebuild_account TO wallet;
    END IF;
END $$;
