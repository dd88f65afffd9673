-- The functions that processes of the previous version call during a rollout, implemented with post_movements. The next
-- version drops them.

SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The cause of a posting from a process that does not state it: only a purchase of the course from the balance has a
-- guard.
CREATE OR REPLACE FUNCTION move_money(
    movements integer, house_ids bigint[], owner_ids uuid[], account_kinds text[], key_movements integer[],
    key_users uuid[], key_routes text[], key_texts text[], fingerprints bytea[], request_ids text[], outcomes jsonb[],
    guard_movements integer[], guards text[], guard_users uuid[], trade_movements integer[], trade_ids uuid[],
    trade_users uuid[], trade_amounts bigint[], trade_values bigint[], trade_times timestamptz[],
    posting_movements integer[], posting_kinds text[], business_ids uuid[], posting_users uuid[], transaction_ids uuid[],
    leg_movements integer[], leg_postings integer[], leg_accounts integer[], leg_amounts bigint[],
    line_movements integer[], lines jsonb[], event_movements integer[], event_ids uuid[], event_keys text[],
    aggregate_ids uuid[], payloads bytea[], trace_contexts jsonb[]
) RETURNS integer[] LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    WITH members AS (
        SELECT owner, kind, cardinality(house_ids) + place AS place
        FROM unnest(owner_ids, account_kinds) WITH ORDINALITY AS one (owner, kind, place)
    ), looked_at AS (
        SELECT ROW (one.movement, place, CASE guard WHEN 'course' THEN 'no_course' ELSE 'no_open_withdrawal' END,
            NULL, NULL, NULL, NULL)::ledger_precondition AS new
        FROM unnest(guard_movements, guards, guard_users) AS one (movement, guard, owner)
        JOIN members ON members.owner = one.owner AND members.kind = 'available'
        UNION ALL
        SELECT ROW (one.movement, place, CASE WHEN value IS NULL THEN 'trade_unknown' ELSE 'trade_funded' END,
            trade, amount, value, at)::ledger_precondition
        FROM unnest(trade_movements, trade_ids, trade_users, trade_amounts, trade_values, trade_times)
            AS one (movement, trade, owner, amount, value, at)
        JOIN members ON members.owner = one.owner AND members.kind = 'available'
    ), decided AS (
        SELECT post_movements(true, movements, house_ids,
            ARRAY(SELECT ROW (owner, kind)::ledger_account FROM members ORDER BY place),
            ARRAY(SELECT ROW (one.*)::ledger_key FROM unnest(key_movements, key_users, key_routes, key_texts, fingerprints,
                request_ids, outcomes) AS one (movement, u, r, k, f, i, o) WHERE movement IS NOT NULL),
            ARRAY(SELECT new FROM looked_at),
            ARRAY(SELECT ROW (one.movement, one.kind,
                    CASE WHEN one.kind = 'course' AND one.movement = ANY (guard_movements) THEN 'purchase' ELSE
                        (SELECT min(cause_type) FILTER (WHERE cause_type <> 'purchase') FROM posting_kinds AS known
                            WHERE known.kind = one.kind) END,
                    one.business_id, one.user_id, one.line)::ledger_posting
                FROM unnest(posting_movements, posting_kinds, business_ids, posting_users, transaction_ids)
                    WITH ORDINALITY AS one (movement, kind, business_id, user_id, line, place) ORDER BY place),
            ARRAY(SELECT ROW (posting, account, cents)::ledger_entry
                FROM unnest(leg_postings, leg_accounts, leg_amounts)
                    WITH ORDINALITY AS one (posting, account, cents, place) ORDER BY place),
            ARRAY(SELECT ROW (one.*)::ledger_line FROM unnest(line_movements, lines) AS one (movement, line) WHERE movement IS NOT NULL),
            ARRAY(SELECT ROW (one.*)::ledger_event FROM unnest(event_movements, event_ids, event_keys, aggregate_ids,
                payloads, trace_contexts) AS one (movement, i, k, a, p, t) WHERE movement IS NOT NULL)) AS verdicts
    )
    SELECT ARRAY(SELECT CASE WHEN verdict > 4 THEN 1 ELSE verdict END
        FROM decided, unnest(verdicts) WITH ORDINALITY AS one (verdict, place) ORDER BY place)
$$;

CREATE OR REPLACE FUNCTION move_one(
    debtor_id bigint, debtor_owner uuid, debtor_kind text, creditor_id bigint, creditor_owner uuid, creditor_kind text,
    amount bigint, key_user uuid, key_route text, key_text text, key_fingerprint bytea, key_request_id text,
    key_outcome jsonb, guard text, guard_user uuid, wanted_trade uuid, trade_user uuid, trade_amount bigint,
    trade_value bigint, trade_time timestamptz, posting_kind text, wanted_id uuid, posting_user uuid, line_id uuid,
    new_line jsonb, event uuid, event_key text, event_subject uuid, event_payload bytea, event_trace jsonb
) RETURNS integer LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
    SELECT (move_money(1, array_remove(ARRAY[debtor_id, creditor_id], NULL),
        array_remove(ARRAY[debtor_owner, creditor_owner], NULL), array_remove(ARRAY[debtor_kind, creditor_kind], NULL),
        array_fill(1, ARRAY[(key_text IS NOT NULL)::integer]), ARRAY[key_user], ARRAY[key_route], ARRAY[key_text],
        ARRAY[key_fingerprint], ARRAY[key_request_id], ARRAY[key_outcome],
        array_fill(1, ARRAY[(guard IS NOT NULL)::integer]), ARRAY[guard], ARRAY[guard_user],
        array_fill(1, ARRAY[(wanted_trade IS NOT NULL)::integer]), ARRAY[wanted_trade], ARRAY[trade_user],
        ARRAY[trade_amount], ARRAY[trade_value], ARRAY[trade_time],
        ARRAY[1], ARRAY[posting_kind], ARRAY[wanted_id], ARRAY[posting_user], ARRAY[line_id], ARRAY[1, 1], ARRAY[1, 1],
        -- Platform accounts come first.
        ARRAY[CASE WHEN debtor_id IS NOT NULL OR creditor_id IS NULL THEN 1 ELSE 2 END,
            CASE WHEN creditor_id IS NOT NULL AND debtor_id IS NULL THEN 1 ELSE 2 END],
        ARRAY[-amount, amount],
        array_fill(1, ARRAY[(new_line IS NOT NULL)::integer]), ARRAY[new_line],
        array_fill(1, ARRAY[(event IS NOT NULL)::integer]), ARRAY[event], ARRAY[event_key], ARRAY[event_subject],
        ARRAY[event_payload], ARRAY[event_trace]))[1]
$$;

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT EXECUTE ON FUNCTION move_money, move_one TO wallet;
    END IF;
END $$;
REVOKE EXECUTE ON FUNCTION move_money, move_one FROM PUBLIC;
