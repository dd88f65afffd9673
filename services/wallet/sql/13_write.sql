-- What applied movements write.

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
