-- Fills an empty ledger: this many members, each with a deposit and as many trades as it takes to come to this many entries.
-- One chain at a time is computed in memory, so that ten million entries take minutes.
CREATE FUNCTION fill_ledger(members integer, wanted_entries bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    trades constant bigint := greatest(wanted_entries / 2 - members, 0);
BEGIN
    CREATE TEMPORARY TABLE people AS SELECT n, gen_random_uuid() AS id FROM generate_series(0, members - 1) AS n;
    CREATE UNIQUE INDEX ON people (n);
    ANALYZE people;
    INSERT INTO accounts (kind, user_id) SELECT kind, id FROM people,
        unnest(ARRAY['available', 'held', 'bonus', 'invested']) WITH ORDINALITY AS made (kind, place) ORDER BY n, place;
    CREATE TEMPORARY TABLE causes AS SELECT gen_random_uuid() AS id, people.id AS user_id, cause.n, gen_random_uuid() AS line
        FROM generate_series(0, members + trades - 1) AS cause (n) JOIN people ON people.n = cause.n % members ORDER BY cause.n;
    INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, txid, txid_key, decided_by,
            decided_at, created_at)
        SELECT id, user_id, 'deposit', '', 'success', 'credit', 100000000, id, id, gen_random_uuid(), now(), now()
        FROM causes WHERE n < members;
    INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, decided_at, related_id, created_at)
        SELECT line, user_id, 'trade', '', 'success', 'debit', 100, now(), id, now() FROM causes WHERE n >= members;
    INSERT INTO trade_fundings (trade_id, user_id, amount_cents, status, created_at)
        SELECT id, user_id, 100, 'funded', now() FROM causes WHERE n >= members;
    INSERT INTO postings (kind, business_id, user_id, transaction_id)
        SELECT CASE WHEN n < members THEN 'deposit' ELSE 'trade_fund' END, id, user_id,
            CASE WHEN n < members THEN id ELSE line END
        FROM causes ORDER BY n;
    ANALYZE accounts, postings;
    CREATE TEMPORARY TABLE chained (account_id bigint, posting_id bigint, amount_cents bigint, balance_after_cents bigint, hash bytea);
    INSERT INTO chained SELECT * FROM pg_temp.chain();
    ANALYZE chained;
    INSERT INTO entries SELECT * FROM chained ORDER BY posting_id, account_id;
    UPDATE accounts SET balance_cents = newest.cents, entry_count = newest.entries, head_hash = newest.hash FROM (
        SELECT DISTINCT ON (account_id) account_id, balance_after_cents AS cents, hash,
            count(*) OVER (PARTITION BY account_id) AS entries
        FROM chained ORDER BY account_id, posting_id DESC) AS newest WHERE newest.account_id = accounts.id;
END
$$;

CREATE FUNCTION pg_temp.chain() RETURNS SETOF entries LANGUAGE plpgsql AS $$
DECLARE
    one     record;
    written entries;
BEGIN
    written.account_id := 0;
    FOR one IN
        SELECT accounts.id AS account_id, postings.id AS posting_id, CASE WHEN postings.kind = 'deposit' THEN 100000000 ELSE -100 END AS cents,
            posting_header(postings) AS header
        FROM postings JOIN accounts USING (user_id) WHERE accounts.kind = 'available'
        UNION ALL
        SELECT accounts.id, postings.id, 100, posting_header(postings) FROM postings JOIN accounts USING (user_id)
        WHERE postings.kind = 'trade_fund' AND accounts.kind = 'invested'
        UNION ALL
        SELECT 4000000000000000001, id, -100000000, posting_header(postings) FROM postings WHERE kind = 'deposit'
        ORDER BY 1, 2
    LOOP
        IF one.account_id <> written.account_id THEN
            written := (one.account_id, NULL, NULL, 0, '');
        END IF;
        written.posting_id := one.posting_id;
        written.amount_cents := one.cents;
        written.balance_after_cents := written.balance_after_cents + one.cents;
        written.hash := entry_hash(written.hash, one.account_id, one.posting_id, one.cents, written.balance_after_cents,
            one.header);
        RETURN NEXT written;
    END LOOP;
END
$$;

-- Posts this many further trades, each in its own right, as a minute of life does.
CREATE FUNCTION add_trades(wanted integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    member uuid;
    trade  uuid;
    line   uuid;
    made   postings;
    leg    record;
    moved  accounts;
BEGIN
    CREATE TEMPORARY TABLE IF NOT EXISTS legs (LIKE entries);
    FOR member IN SELECT user_id FROM accounts WHERE kind = 'available' ORDER BY random() LIMIT wanted LOOP
        trade := gen_random_uuid();
        line := gen_random_uuid();
        INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, decided_at, related_id,
                created_at)
            VALUES (line, member, 'trade', '', 'success', 'debit', 100, clock_timestamp(), trade, clock_timestamp());
        INSERT INTO trade_fundings (trade_id, user_id, amount_cents, status, created_at)
            VALUES (trade, member, 100, 'funded', clock_timestamp());
        INSERT INTO postings (kind, business_id, user_id, transaction_id) VALUES ('trade_fund', trade, member, line)
            RETURNING * INTO made;

        FOR leg IN SELECT * FROM (VALUES ('available', -100), ('invested', 100)) AS legs (account, cents) LOOP
            UPDATE accounts SET balance_cents = balance_cents + leg.cents, entry_count = entry_count + 1,
                head_hash = entry_hash(head_hash, id, made.id, leg.cents, balance_cents + leg.cents, posting_header(made))
                WHERE user_id = member AND kind = leg.account RETURNING * INTO moved;
            INSERT INTO legs VALUES (moved.id, made.id, leg.cents, moved.balance_cents, moved.head_hash);
        END LOOP;
        INSERT INTO entries SELECT * FROM legs;
        DELETE FROM legs;
    END LOOP;
END
$$;
