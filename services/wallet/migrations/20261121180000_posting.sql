-- How money moves: many movements in one statement and one commit.

-- A quarter of what a transfer costs the database, and checked by the audit instead. What an entry refers to cannot go away.
ALTER TABLE entries DROP CONSTRAINT entries_account, DROP CONSTRAINT entries_posting;
-- Whole postings are written at once, so that one look at what a statement wrote tells whether they are balanced; a
-- look at each entry when its transaction ends costs as much as the rest.
DROP TRIGGER entries_balanced ON entries;
DROP FUNCTION refuse_unbalanced_posting();
CREATE FUNCTION refuse_unbalanced_postings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    unbalanced bigint := (SELECT posting_id FROM written GROUP BY posting_id HAVING sum(amount_cents) <> 0 LIMIT 1);
BEGIN
    IF unbalanced IS NOT NULL THEN
        RAISE EXCEPTION 'the entries of posting % do not sum to zero', unbalanced
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entries_balanced';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER entries_balanced AFTER INSERT ON entries REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_unbalanced_postings();
DROP INDEX entries_posting;
CREATE TRIGGER accounts_stay BEFORE DELETE OR TRUNCATE ON accounts
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- What is posted once is found by the id, of which no two are alike; by the kind first, every look compares texts.
ALTER TABLE postings DROP CONSTRAINT postings_once, ADD CONSTRAINT postings_once UNIQUE (business_id, kind);
-- Every movement rewrites its balances in place.
ALTER TABLE accounts SET (fillfactor = 70);

-- Applies movements in the order given, each wholly or not at all; one that is not applied changes nothing. All arrays
-- that tell of one thing have one length, and what belongs to a movement names it by its place.
--
-- The verdicts, by movement: 0 applied; 1 something stands in its way, for the service to find out what; 2 a member's
-- account would fall below zero; 3 an account is not there.
CREATE FUNCTION move_money(
    movements         integer,
    -- The accounts, each once: of the house, then of members. Legs name them by their place.
    house_ids         bigint[],
    owner_ids         uuid[],
    account_kinds     text[],
    -- The keys under which answers are kept.
    key_movements     integer[],
    key_users         uuid[],
    key_routes        text[],
    key_texts         text[],
    fingerprints      bytea[],
    request_ids       text[],
    outcomes          jsonb[],
    -- What a member may do only once at a time: a course, a withdrawal.
    guard_movements   integer[],
    guards            text[],
    guard_users       uuid[],
    -- Trades that are funded, or settled at a value.
    trade_movements   integer[],
    trade_ids         uuid[],
    trade_users       uuid[],
    trade_amounts     bigint[],
    trade_values      bigint[],
    trade_times       timestamptz[],
    -- Postings and their legs, in the order of movements.
    posting_movements integer[],
    posting_kinds     text[],
    business_ids      uuid[],
    posting_users     uuid[],
    transaction_ids   uuid[],
    leg_movements     integer[],
    leg_postings      integer[],
    leg_accounts      integer[],
    leg_amounts       bigint[],
    -- Lines of histories, by column.
    line_movements    integer[],
    lines             jsonb[],
    -- Events.
    event_movements   integer[],
    event_ids         uuid[],
    event_keys        text[],
    aggregate_ids     uuid[],
    payloads          bytea[],
    trace_contexts    jsonb[]
) RETURNS integer[] LANGUAGE plpgsql
-- One plan for every size: each row is found by its index.
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
AS $$
DECLARE
    houses      constant integer := cardinality(house_ids);
    accounts_   constant integer := houses + cardinality(owner_ids);
    legs        constant integer := cardinality(leg_amounts);
    verdicts    integer[] := array_fill(0, ARRAY[movements]);
    posting_ids bigint[];
    account_ids bigint[]  := array_fill(NULL::bigint, ARRAY[accounts_]);
    -- Where the locked rows lie.
    rows_       tid[]     := array_fill(NULL::tid, ARRAY[accounts_]);
    balances    bigint[]  := array_fill(0::bigint, ARRAY[accounts_]);
    counts      bigint[]  := array_fill(0::bigint, ARRAY[accounts_]);
    heads       bytea[]   := array_fill(''::bytea, ARRAY[accounts_]);
    -- By leg: the head before, the hash, the balance after.
    heads_before bytea[]  := array_fill(NULL::bytea, ARRAY[legs]);
    hashes      bytea[]   := array_fill(NULL::bytea, ARRAY[legs]);
    afters      bigint[]  := array_fill(0::bigint, ARRAY[legs]);
    found_place integer;
    found_row   tid;
    found_id    bigint;
    found_cents bigint;
    found_count bigint;
    found_head  bytea;
    movement    integer;
    account     integer;
    cents       bigint;
    head        bytea;
    first_leg   integer := 1;
    next_leg    integer := 1;
    undone      integer;
    all_applied boolean := true;
BEGIN
    -- Members' accounts have lower ids than the house's: everybody locks in ascending id.
    FOR found_place, found_row, found_id, found_cents, found_count, found_head IN
        SELECT houses + place, accounts.ctid, id, balance_cents, entry_count, head_hash
        FROM unnest(owner_ids, account_kinds) WITH ORDINALITY AS wanted (owner, kind, place)
        JOIN accounts ON accounts.user_id = wanted.owner AND accounts.kind = wanted.kind
        ORDER BY id FOR UPDATE OF accounts
    LOOP
        rows_[found_place] := found_row;
        account_ids[found_place] := found_id;
        balances[found_place] := found_cents;
        counts[found_place] := found_count;
        heads[found_place] := found_head;
    END LOOP;
    IF houses > 0 THEN
        FOR found_place, found_row, found_id, found_cents, found_count, found_head IN
            SELECT place, accounts.ctid, id, balance_cents, entry_count, head_hash
            FROM unnest(house_ids) WITH ORDINALITY AS wanted (wanted_id, place) JOIN accounts ON id = wanted_id
            ORDER BY id FOR UPDATE OF accounts
        LOOP
            rows_[found_place] := found_row;
            account_ids[found_place] := found_id;
            balances[found_place] := found_cents;
            counts[found_place] := found_count;
            heads[found_place] := found_head;
        END LOOP;
    END IF;

    -- What stands in the way. Everybody who changes one of these facts holds the member's account, or the key's lock.
    -- No EXISTS, which may be planned as a look at the whole table.
    IF cardinality(key_movements) > 0 THEN
        FOR movement IN
            SELECT key.movement FROM unnest(key_movements, key_users, key_routes, key_texts)
                AS key (movement, user_id, route, key)
            WHERE NOT pg_try_advisory_xact_lock(
                    hashtextextended(concat(key.user_id, E'\n', key.route, E'\n', key.key), 0))
                OR (SELECT true FROM idempotency_keys AS old
                    WHERE old.user_id = key.user_id AND old.route = key.route AND old.key = key.key)
        LOOP
            verdicts[movement] := 1;
            all_applied := false;
        END LOOP;
    END IF;
    IF cardinality(guard_movements) > 0 THEN
        FOR movement IN
            SELECT new.movement FROM unnest(guard_movements, guards, guard_users) AS new (movement, guard, user_id)
            WHERE CASE guard
                WHEN 'course' THEN
                    (SELECT true FROM postings WHERE user_id = new.user_id AND kind = 'course' LIMIT 1)
                    OR (SELECT true FROM transactions
                        WHERE user_id = new.user_id AND kind = 'course' AND status = 'pending' LIMIT 1)
                ELSE
                    (SELECT true FROM transactions
                        WHERE user_id = new.user_id AND kind = 'withdrawal' AND status = 'pending' LIMIT 1)
                END
        LOOP
            verdicts[movement] := 1;
            all_applied := false;
        END LOOP;
    END IF;
    IF cardinality(trade_movements) > 0 THEN
        FOR movement IN
            SELECT new.movement FROM unnest(trade_movements, trade_ids, trade_users, trade_amounts, trade_values)
                AS new (movement, trade_id, user_id, amount_cents, value_cents)
            WHERE CASE WHEN new.value_cents IS NULL
                THEN (SELECT true FROM trade_fundings AS old WHERE old.trade_id = new.trade_id)
                ELSE (SELECT true FROM trade_fundings AS old WHERE old.trade_id = new.trade_id
                    AND old.user_id = new.user_id AND old.amount_cents = new.amount_cents AND old.status = 'funded')
                    IS NULL END
        LOOP
            verdicts[movement] := 1;
            all_applied := false;
        END LOOP;
    END IF;

    -- Decide, and link each entry to the one before. Ids are taken while the accounts are locked, so that they grow
    -- along every chain.
    posting_ids := ARRAY(SELECT nextval('postings_id_seq') FROM generate_series(1, cardinality(business_ids)));
    FOR movement IN 1..movements LOOP
        first_leg := next_leg;
        WHILE next_leg <= legs AND leg_movements[next_leg] = movement LOOP
            IF verdicts[movement] = 0 THEN
                account := leg_accounts[next_leg];
                found_id := account_ids[account];
                cents := balances[account] + leg_amounts[next_leg];
                IF found_id IS NULL THEN
                    verdicts[movement] := 3;
                ELSIF cents < 0 AND account > houses THEN
                    verdicts[movement] := 2;
                ELSE
                    head := heads[account];
                    heads_before[next_leg] := head;
                    head := sha256(head || int8send(found_id) || int8send(posting_ids[leg_postings[next_leg]])
                        || int8send(leg_amounts[next_leg]) || int8send(cents));
                    balances[account] := cents;
                    counts[account] := counts[account] + 1;
                    heads[account] := head;
                    hashes[next_leg] := head;
                    afters[next_leg] := cents;
                END IF;
                IF verdicts[movement] <> 0 THEN
                    -- As if it had never been.
                    all_applied := false;
                    FOR undone IN REVERSE next_leg - 1..first_leg LOOP
                        account := leg_accounts[undone];
                        balances[account] := balances[account] - leg_amounts[undone];
                        counts[account] := counts[account] - 1;
                        heads[account] := heads_before[undone];
                    END LOOP;
                END IF;
            END IF;
            next_leg := next_leg + 1;
        END LOOP;
    END LOOP;

    INSERT INTO postings (id, kind, business_id, user_id, transaction_id) OVERRIDING SYSTEM VALUE
        SELECT new.id, new.kind, new.business_id, new.user_id, new.transaction_id
        FROM unnest(posting_movements, posting_ids, posting_kinds, business_ids, posting_users, transaction_ids)
            AS new (movement, id, kind, business_id, user_id, transaction_id)
        WHERE all_applied OR verdicts[new.movement] = 0;
    INSERT INTO entries (account_id, posting_id, amount_cents, balance_after_cents, hash)
        SELECT account_ids[new.account], posting_ids[new.posting], new.cents, new.after, new.hash
        FROM unnest(leg_movements, leg_postings, leg_accounts, leg_amounts, afters, hashes)
            AS new (movement, posting, account, cents, after, hash)
        WHERE all_applied OR verdicts[new.movement] = 0;
    UPDATE accounts SET balance_cents = new.cents, entry_count = new.entries, head_hash = new.head
        FROM unnest(rows_, balances, counts, heads) AS new (at, cents, entries, head)
        WHERE accounts.ctid = new.at AND accounts.entry_count <> new.entries;
    IF cardinality(key_movements) > 0 THEN
        INSERT INTO idempotency_keys (user_id, route, key, fingerprint, request_id, outcome)
            SELECT new.user_id, new.route, new.key, new.fingerprint, new.request_id, new.outcome
            FROM unnest(key_movements, key_users, key_routes, key_texts, fingerprints, request_ids, outcomes)
                AS new (movement, user_id, route, key, fingerprint, request_id, outcome)
            WHERE all_applied OR verdicts[new.movement] = 0;
    END IF;
    IF cardinality(trade_movements) > 0 THEN
        INSERT INTO trade_fundings (trade_id, user_id, amount_cents, status, created_at)
            SELECT new.trade_id, new.user_id, new.amount_cents, 'funded', new.at
            FROM unnest(trade_movements, trade_ids, trade_users, trade_amounts, trade_values, trade_times)
                AS new (movement, trade_id, user_id, amount_cents, value_cents, at)
            WHERE new.value_cents IS NULL AND verdicts[new.movement] = 0;
        UPDATE trade_fundings SET status = 'settled', value_cents = new.value_cents, settled_at = new.at
            FROM unnest(trade_movements, trade_ids, trade_values, trade_times) AS new (movement, trade_id, value_cents, at)
            WHERE trade_fundings.trade_id = new.trade_id AND new.value_cents IS NOT NULL AND verdicts[new.movement] = 0;
    END IF;
    IF cardinality(line_movements) > 0 THEN
        INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, fee_cents,
                net_amount_cents, fee_paid, method_id, currency, network, method_address, method_memo, method_version,
                destination_address, destination_memo, decided_by, decided_at, related_id, revision, created_at)
            SELECT line.id, line.user_id, line.kind, line.description, line.status, line.direction, line.amount_cents,
                line.fee_cents, line.net_amount_cents, line.fee_paid, line.method_id, line.currency, line.network,
                line.method_address, line.method_memo, line.method_version, line.destination_address,
                line.destination_memo, line.decided_by, line.decided_at, line.related_id, line.revision, line.created_at
            FROM unnest(line_movements, lines) AS new (movement, line),
                jsonb_populate_record(NULL::transactions, new.line) AS line
            WHERE all_applied OR verdicts[new.movement] = 0;
    END IF;
    IF cardinality(event_movements) > 0 THEN
        INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context)
            SELECT new.event_id, new.key, new.aggregate_id, new.payload, new.trace_context
            FROM unnest(event_movements, event_ids, event_keys, aggregate_ids, payloads, trace_contexts)
                AS new (movement, event_id, key, aggregate_id, payload, trace_context)
            WHERE all_applied OR verdicts[new.movement] = 0;
    END IF;
    RETURN verdicts;
END
$$;

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT USAGE ON SEQUENCE postings_id_seq TO wallet;
    END IF;
END $$;
