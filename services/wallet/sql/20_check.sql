-- The check of the ledger. Applied after the migrations, so this file is the current definition.

CREATE OR REPLACE FUNCTION dollars(cents numeric) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN cents < 0 THEN '-' ELSE '' END || to_char(abs(cents) / 100, 'FM$999,999,999,999,990.00')
$$;

CREATE OR REPLACE FUNCTION account_title(account accounts) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT format('Account %s (%s)', account.id, coalesce(account.kind || ' of member ' || account.user_id, account.kind))
$$;

-- Verifies the chain of each account from its start, up to a maximum number of entries per account; at the head, also
-- the stored values of the account. Returns per account the position reached, the number of links, and the error if
-- any.
CREATE OR REPLACE FUNCTION verify_accounts(starts account_checkpoints[], most integer) RETURNS TABLE (
    account_id bigint, posting_id bigint, balance_cents bigint, entry_count bigint, head_hash bytea, links bigint, drift_cents bigint, fault text
) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT start.account_id, coalesce(walked.posting_id, start.posting_id),
        coalesce(walked.balance_cents, start.balance_cents), start.entry_count + walked.links,
        coalesce(walked.head, start.head_hash), walked.links,
        CASE WHEN walked.broken IS NULL AND walked.links < most
            THEN accounts.balance_cents - coalesce(walked.balance_cents, start.balance_cents) ELSE 0 END,
        CASE
        WHEN accounts.id IS NULL THEN format('Account %s has entries and does not exist.', start.account_id)
        WHEN walked.broken IS NOT NULL THEN format('%s: the entry of posting %s does not follow the entry before it.',
            account_title(accounts), walked.broken)
        WHEN walked.links = most THEN NULL
        WHEN (accounts.balance_cents, accounts.entry_count)
            <> (coalesce(walked.balance_cents, start.balance_cents), start.entry_count + walked.links)
            THEN format('%s says %s of %s entries, its entries say %s of %s.', account_title(accounts),
                dollars(accounts.balance_cents), accounts.entry_count,
                dollars(coalesce(walked.balance_cents, start.balance_cents)), start.entry_count + walked.links)
        WHEN accounts.head_hash <> coalesce(walked.head, start.head_hash)
            THEN format('%s: its head is not the hash of its newest entry.', account_title(accounts))
        END
    FROM unnest(starts) AS start LEFT JOIN accounts ON accounts.id = start.account_id
    CROSS JOIN LATERAL (
        SELECT count(*) AS links, max(linked.posting_id) AS posting_id,
            min(linked.posting_id) FILTER (WHERE linked.hash <> linked.expected
                OR linked.balance_after_cents - linked.amount_cents <> linked.balance_before
                OR linked.id IS NULL) AS broken,
            max(linked.balance_after_cents) FILTER (WHERE linked.is_newest) AS balance_cents,
            (array_agg(linked.hash) FILTER (WHERE linked.is_newest))[1] AS head
        FROM (
            SELECT slice.*, postings.id, lead(slice.posting_id) OVER chain IS NULL AS is_newest,
                coalesce(lag(slice.balance_after_cents) OVER chain, start.balance_cents) AS balance_before,
                entry_hash(coalesce(lag(slice.hash) OVER chain, start.head_hash), start.account_id, slice.posting_id,
                    slice.amount_cents, slice.balance_after_cents, posting_header(postings)) AS expected
            FROM (SELECT entries.posting_id, amount_cents, balance_after_cents, hash FROM entries
                WHERE entries.account_id = start.account_id AND entries.posting_id > start.posting_id
                ORDER BY entries.posting_id LIMIT most) AS slice
            LEFT JOIN postings ON postings.id = slice.posting_id
            WINDOW chain AS (ORDER BY slice.posting_id)
        ) AS linked
    ) AS walked;
END
$$;

-- The start of the verification of these accounts: their checkpoint, or the first entry if there is none or it is not
-- wanted, but never before the newest rebuild.
CREATE OR REPLACE FUNCTION verification_starts(ids bigint[], from_checkpoint boolean) RETURNS account_checkpoints[]
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    RETURN (
    SELECT array_agg(start ORDER BY wanted.id) FROM unnest(ids) AS wanted (id)
    CROSS JOIN LATERAL (
        SELECT known.account_id, known.posting_id, known.balance_cents, known.entry_count, known.head_hash FROM (
            SELECT 1 AS place, account_checkpoints.* FROM account_checkpoints
            WHERE from_checkpoint AND account_checkpoints.account_id = wanted.id
            UNION ALL
            SELECT 2, account_id, posting_id, balance_cents, entry_count, head_hash FROM account_rebuilds
            WHERE account_id = wanted.id
            UNION ALL
            SELECT 3, wanted.id, 0, 0, 0, ''
        ) AS known ORDER BY posting_id DESC, place DESC LIMIT 1
    ) AS found
    CROSS JOIN LATERAL (SELECT ROW(found.*)::account_checkpoints AS start) AS typed);
END
$$;

-- The accounts whose entries from before a rebuild have changed since the rebuild.
CREATE OR REPLACE FUNCTION rebuild_faults(ids bigint[]) RETURNS TABLE (subject text, subject_id text, detail text)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT DISTINCT 'account', accounts.id::text,
        format('%s has other entries before its rebuild than at that time.', account_title(accounts))
    FROM account_rebuilds AS rebuilt JOIN accounts ON accounts.id = rebuilt.account_id
    WHERE rebuilt.account_id = ANY (ids) AND (rebuilt.balance_cents, rebuilt.entry_count, rebuilt.digest) <> (
        SELECT coalesce(sum(amount_cents), 0), count(*),
            sha256(coalesce(string_agg(int8send(posting_id) || int8send(amount_cents) || hash, '' ORDER BY posting_id), ''))
        FROM entries WHERE entries.account_id = rebuilt.account_id AND entries.posting_id <= rebuilt.posting_id);
END
$$;

-- The expected postings of these causes in their current state, by the rules of `posting_kinds`, one row per cause and posting.
-- Amounts are listed by account kind; `owed` counts as `available`, because credits settle it first.
CREATE OR REPLACE FUNCTION expected_postings(ids uuid[]) RETURNS TABLE (kind text, business_id uuid, user_id uuid, moves jsonb)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT rule.kind, cause.id, cause.user_id, named.moves
    FROM causes AS cause
    JOIN posting_kinds AS rule ON rule.cause_type = cause.cause_type AND rule.cause_kind IS NOT DISTINCT FROM cause.kind
        AND (cause.status = rule.cause_status OR cause.status = ANY (rule.later_statuses))
    CROSS JOIN LATERAL named_moves(rule, cause.amount, cause.part, cause.change ->> 'source') AS named
    WHERE cause.id = ANY (ids) AND named.moves IS NOT NULL AND (rule.related_statuses IS NULL OR EXISTS (
        SELECT FROM transactions AS paid WHERE paid.id = cause.related_id AND paid.fee_paid = rule.related_fee_paid
            -- One that was open may have ended since.
            AND ('pending' = ANY (rule.related_statuses) OR paid.status = ANY (rule.related_statuses))));
    -- Those that move the opposite of another posting.
    FOR kind, business_id, user_id, moves IN
        SELECT cause.kind, cause.id, cause.user_id, cause.change -> 'reverses'
        FROM causes AS cause JOIN posting_kinds AS rule ON rule.cause_kind = cause.kind AND rule.cause_status = cause.status
            AND rule.cause_type = 'proposal' AND rule.debit_amounts IS NULL
        WHERE cause.cause_type = 'proposal' AND cause.id = ANY (ids)
    LOOP
        moves := reversal_of(moves::bigint);
        RETURN NEXT;
    END LOOP;
END
$$;

DO $$ BEGIN
    IF to_regtype('ledger_expected') IS NULL THEN
        CREATE TYPE ledger_expected AS (kind text, business_id uuid, user_id uuid, moves jsonb);
    END IF;
END $$;

-- The errors of these postings: entries that do not sum to zero, no cause, or amounts or a member that differ from the
-- cause. Entries are found by the range of the postings' ids: for a list of ids, PostgreSQL would read the index of
-- entries by posting, a BRIN, once for each.
CREATE OR REPLACE FUNCTION posting_faults(ids bigint[]) RETURNS TABLE (subject text, subject_id text, detail text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    lowest  bigint := (SELECT min(id) FROM unnest(ids) AS id);
    highest bigint := (SELECT max(id) FROM unnest(ids) AS id);
    causes_ uuid[] := ARRAY(SELECT DISTINCT business_id FROM postings WHERE postings.id = ANY (ids));
    wanted  ledger_expected[] := ARRAY(SELECT ROW (expected.*)::ledger_expected FROM expected_postings(causes_) AS expected);
BEGIN
    RETURN QUERY
    WITH checked AS MATERIALIZED (
        SELECT postings.id, postings.kind, postings.business_id, postings.user_id, postings.reverses
        FROM postings WHERE postings.id = ANY (ids)
    ), moved AS (
        SELECT posting_id, sum(gained) AS cents, jsonb_object_agg(account, gained) AS moves FROM (
            SELECT posting_id, CASE
                WHEN accounts.user_id IS NOT NULL AND accounts.user_id <> postings.user_id
                        AND accounts.kind NOT IN ('plan_cash', 'plan_assets')
                    THEN format('%s of %s', accounts.kind, accounts.user_id)
                WHEN accounts.kind = 'owed' THEN 'available'
                ELSE accounts.kind END AS account, sum(amount_cents) AS gained
            FROM entries JOIN postings ON postings.id = posting_id JOIN accounts ON accounts.id = account_id
            WHERE posting_id BETWEEN lowest AND highest GROUP BY 1, 2
        ) AS gains GROUP BY posting_id
    ), expected AS MATERIALIZED (
        SELECT * FROM unnest(wanted)
    ), found AS (
        SELECT checked.*, CASE
            WHEN moved.posting_id IS NULL THEN 'has no entries'
            WHEN moved.cents <> 0 THEN 'sums to ' || dollars(moved.cents)
            WHEN expected.business_id IS NULL THEN 'has no cause'
            WHEN expected.user_id <> checked.user_id THEN 'belongs to another member than its cause'
            WHEN jsonb_strip_nulls(expected.moves) IS DISTINCT FROM moved.moves THEN 'moves other amounts than its cause'
            WHEN checked.reverses IS DISTINCT FROM
                    CASE WHEN checked.kind IN (SELECT posting_kinds.kind FROM posting_kinds WHERE posting_kinds.reverses IS NOT NULL)
                        THEN (SELECT (change ->> 'reverses')::bigint FROM proposals WHERE proposals.id = checked.business_id) END
                THEN 'reverses another posting than its cause'
            END AS fault
        FROM checked LEFT JOIN moved ON moved.posting_id = checked.id
        LEFT JOIN expected ON expected.business_id = checked.business_id AND expected.kind = checked.kind
    )
    SELECT 'posting', found.id::text, format('Posting %s (%s %s) of member %s %s.', found.id, found.kind, found.business_id,
        found.user_id, found.fault)
    FROM found WHERE found.fault IS NOT NULL;
END
$$;

-- The causes without their posting.
CREATE OR REPLACE FUNCTION cause_faults(ids uuid[]) RETURNS TABLE (subject text, subject_id text, detail text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    wanted ledger_expected[] := ARRAY(SELECT ROW (expected.*)::ledger_expected FROM expected_postings(ids) AS expected);
BEGIN
    RETURN QUERY
    SELECT DISTINCT ON (expected.business_id) 'cause', expected.business_id::text,
        format('The %s %s of member %s was never posted.', expected.kind, expected.business_id, expected.user_id)
    FROM unnest(wanted) AS expected
    WHERE NOT EXISTS (SELECT FROM postings
        WHERE postings.business_id = expected.business_id AND postings.kind = expected.kind);
END
$$;

-- The members whose held, on-hold or invested amounts differ from their open withdrawal, holds and trades, or who have
-- an available balance despite a debt.
CREATE OR REPLACE FUNCTION member_faults(ids uuid[]) RETURNS TABLE (subject text, subject_id text, detail text)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT 'member', member::text, CASE
        WHEN has.held <> wanted.held THEN format('Member %s holds %s, their open withdrawal is %s.', member,
            dollars(has.held), dollars(wanted.held))
        WHEN has.on_hold <> wanted.on_hold THEN format('Member %s has %s on hold, their holds are %s.', member,
            dollars(has.on_hold), dollars(wanted.on_hold))
        WHEN has.invested <> wanted.invested THEN format('Member %s has %s invested, their open trades are %s.', member,
            dollars(has.invested), dollars(wanted.invested))
        ELSE format('Member %s has %s free and owes %s.', member, dollars(has.available), dollars(-has.owed)) END
    FROM unnest(ids) AS member
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(balance_cents) FILTER (WHERE kind = 'available'), 0) AS available,
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'held'), 0) AS held,
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'on_hold'), 0) AS on_hold,
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'invested'), 0) AS invested,
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'owed'), 0) AS owed
        FROM accounts WHERE user_id = member) AS has
    CROSS JOIN LATERAL (
        SELECT (SELECT coalesce(sum(amount_cents), 0) FROM open_withdrawals WHERE user_id = member) AS held,
            (SELECT coalesce(sum(amount_cents), 0) FROM holds WHERE user_id = member AND status = 'placed') AS on_hold,
            (SELECT coalesce(sum(amount_cents), 0) FROM trade_fundings
                WHERE user_id = member AND status = 'funded') AS invested) AS wanted
    WHERE (has.held, has.on_hold, has.invested) <> (wanted.held, wanted.on_hold, wanted.invested)
        OR has.owed <> 0 AND has.available <> 0;
END
$$;

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
