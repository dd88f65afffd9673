-- Balances of accounts at a given time.

-- The newest posting of an account at or before a given time; 0 if there is none. The postings of an account are
-- ordered by time, so a binary search finds it with some thirty lookups in two indexes, however many there are.
CREATE OR REPLACE FUNCTION last_posting_until(account bigint, until timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    -- Every posting up to `known` is at or before the given time; every posting from `later` on is later.
    known  bigint := 0;
    later  bigint := coalesce((SELECT max(posting_id) FROM entries WHERE account_id = account), 0) + 1;
    middle bigint;
    found_id bigint;
    found_at timestamptz;
BEGIN
    WHILE later - known > 1 LOOP
        middle := known + (later - known) / 2;
        SELECT posting_id INTO found_id FROM entries
            WHERE account_id = account AND posting_id >= middle AND posting_id < later ORDER BY posting_id LIMIT 1;
        SELECT created_at INTO found_at FROM postings WHERE id = found_id;
        IF found_id IS NULL OR found_at > until THEN
            later := middle;
        ELSE
            known := found_id;
        END IF;
    END LOOP;
    RETURN known;
END
$$;

-- The balance of an account after a posting; 0 before its first.
CREATE OR REPLACE FUNCTION balance_after(account bigint, posting bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN coalesce((SELECT balance_after_cents FROM entries WHERE account_id = account AND posting_id <= posting
        ORDER BY posting_id DESC LIMIT 1), 0);
END
$$;
