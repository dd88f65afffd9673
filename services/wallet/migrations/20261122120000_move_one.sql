-- One transfer alone: what nearly every use case moves, and what the ledger's queue holds while there is little to do.

-- The same as move_money for one movement with one posting between two accounts, at most one line and one event: row by row,
-- because to begin a statement over sets costs more than so few rows do. The verdicts are the same; which of two reasons is
-- told may differ.
CREATE FUNCTION move_one(
    -- The account that loses and the one that gains: of the house by its id, of a member by its kind.
    debtor_id      bigint,
    debtor_owner   uuid,
    debtor_kind    text,
    creditor_id    bigint,
    creditor_owner uuid,
    creditor_kind  text,
    amount         bigint,
    -- The key under which the answer is kept.
    key_user       uuid,
    key_route      text,
    key_text       text,
    key_fingerprint bytea,
    key_request_id text,
    key_outcome    jsonb,
    -- What a member may do only once at a time: a course, a withdrawal.
    guard          text,
    guard_user     uuid,
    -- A trade that is funded, or settled at a value.
    wanted_trade   uuid,
    trade_user     uuid,
    trade_amount   bigint,
    trade_value    bigint,
    trade_time     timestamptz,
    posting_kind   text,
    wanted_id      uuid,
    posting_user   uuid,
    line_id        uuid,
    new_line       jsonb,
    event          uuid,
    event_key      text,
    event_subject  uuid,
    event_payload  bytea,
    event_trace    jsonb
) RETURNS integer LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
DECLARE
    posting        bigint;
    debtor_cents   bigint;
    debtor_hash    bytea;
    creditor_cents bigint;
    creditor_hash  bytea;
BEGIN
    -- An account keeps its id.
    IF debtor_id IS NULL THEN
        SELECT id INTO debtor_id FROM accounts WHERE user_id = debtor_owner AND kind = debtor_kind;
    END IF;
    IF creditor_id IS NULL THEN
        SELECT id INTO creditor_id FROM accounts WHERE user_id = creditor_owner AND kind = creditor_kind;
    END IF;
    IF debtor_id IS NULL OR creditor_id IS NULL THEN
        RETURN 3;
    END IF;
    PERFORM FROM accounts WHERE id IN (debtor_id, creditor_id) ORDER BY id FOR UPDATE;

    IF guard IS NOT NULL AND (CASE guard
        WHEN 'course' THEN
            EXISTS (SELECT FROM postings WHERE user_id = guard_user AND kind = 'course')
            OR EXISTS (SELECT FROM transactions WHERE user_id = guard_user AND kind = 'course' AND status = 'pending')
        ELSE
            EXISTS (SELECT FROM transactions WHERE user_id = guard_user AND kind = 'withdrawal' AND status = 'pending')
        END)
    THEN
        RETURN 1;
    END IF;
    IF wanted_trade IS NOT NULL AND (CASE WHEN trade_value IS NULL
        THEN EXISTS (SELECT FROM trade_fundings WHERE trade_id = wanted_trade)
        ELSE NOT EXISTS (SELECT FROM trade_fundings WHERE trade_id = wanted_trade
            AND user_id = trade_user AND amount_cents = trade_amount AND status = 'funded')
        END)
    THEN
        RETURN 1;
    END IF;
    -- Who works under the key holds its lock: nobody is waited for.
    IF key_text IS NOT NULL AND (
        NOT pg_try_advisory_xact_lock(hashtextextended(concat(key_user, E'\n', key_route, E'\n', key_text), 0))
        OR EXISTS (SELECT FROM idempotency_keys WHERE user_id = key_user AND route = key_route AND key = key_text))
    THEN
        RETURN 1;
    END IF;

    posting := nextval('postings_id_seq');
    UPDATE accounts SET balance_cents = balance_cents - amount, entry_count = entry_count + 1,
        head_hash = sha256(head_hash || int8send(id) || int8send(posting) || int8send(-amount)
            || int8send(balance_cents - amount))
        WHERE id = debtor_id AND (user_id IS NULL OR balance_cents >= amount)
        RETURNING balance_cents, head_hash INTO debtor_cents, debtor_hash;
    IF NOT FOUND THEN
        RETURN 2;
    END IF;
    UPDATE accounts SET balance_cents = balance_cents + amount, entry_count = entry_count + 1,
        head_hash = sha256(head_hash || int8send(id) || int8send(posting) || int8send(amount)
            || int8send(balance_cents + amount))
        WHERE id = creditor_id
        RETURNING balance_cents, head_hash INTO creditor_cents, creditor_hash;
    INSERT INTO postings (id, kind, business_id, user_id, transaction_id) OVERRIDING SYSTEM VALUE
        VALUES (posting, posting_kind, wanted_id, posting_user, line_id);
    INSERT INTO entries (account_id, posting_id, amount_cents, balance_after_cents, hash)
        VALUES (debtor_id, posting, -amount, debtor_cents, debtor_hash),
            (creditor_id, posting, amount, creditor_cents, creditor_hash);
    IF key_text IS NOT NULL THEN
        INSERT INTO idempotency_keys (user_id, route, key, fingerprint, request_id, outcome)
            VALUES (key_user, key_route, key_text, key_fingerprint, key_request_id, key_outcome);
    END IF;
    IF wanted_trade IS NOT NULL THEN
        IF trade_value IS NULL THEN
            INSERT INTO trade_fundings (trade_id, user_id, amount_cents, status, created_at)
                VALUES (wanted_trade, trade_user, trade_amount, 'funded', trade_time);
        ELSE
            UPDATE trade_fundings SET status = 'settled', value_cents = trade_value, settled_at = trade_time
                WHERE trade_id = wanted_trade;
        END IF;
    END IF;
    IF new_line IS NOT NULL THEN
        INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, fee_cents,
                net_amount_cents, fee_paid, method_id, currency, network, method_address, method_memo, method_version,
                destination_address, destination_memo, decided_by, decided_at, related_id, revision, created_at)
            SELECT line.id, line.user_id, line.kind, line.description, line.status, line.direction, line.amount_cents,
                line.fee_cents, line.net_amount_cents, line.fee_paid, line.method_id, line.currency, line.network,
                line.method_address, line.method_memo, line.method_version, line.destination_address,
                line.destination_memo, line.decided_by, line.decided_at, line.related_id, line.revision, line.created_at
            FROM jsonb_populate_record(NULL::transactions, new_line) AS line;
    END IF;
    IF event IS NOT NULL THEN
        INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context)
            VALUES (event, event_key, event_subject, event_payload, event_trace);
    END IF;
    RETURN 0;
END
$$;
