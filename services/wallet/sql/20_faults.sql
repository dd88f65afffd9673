-- What the check of the ledger finds: chains that do not verify, and postings, causes and members that do not agree.

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
