-- Distributes the wallet's tables by member, as a sharding engine does: hash partitions, in which each unique key contains
-- the member. Applied after the migrations and before the definitions are applied again, to the database of a test
-- (`stack testbed --by-member`) or of a cluster that is being prepared (docs/SCALING.md).

SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Makes a table partitioned by a column, with its rows, indexes, triggers and privileges. A unique key without the column
-- gets it as its last, so that the rest of the key still finds a row. As in an engine, the index of a partition is named
-- like that of the table, with a number.
CREATE OR REPLACE FUNCTION pg_temp.distribute(name text, by_column text, partitions integer, source text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    was         regclass := name::regclass;
    options     text := (SELECT string_agg(option, ', ') FROM pg_class, unnest(reloptions) AS option WHERE oid = was);
    privileges  aclitem[] := (SELECT relacl FROM pg_class WHERE oid = was);
    owner       text := (SELECT relowner::regrole FROM pg_class WHERE oid = was);
    sequence    text := (SELECT relname FROM pg_depend JOIN pg_class ON pg_class.oid = objid
        WHERE refobjid = was AND deptype = 'i' AND relkind = 'S');
    next_value  bigint;
    columns     text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = was AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
    -- A key that may be null cannot be part of a primary key.
    is_nullable boolean := (SELECT NOT attnotnull FROM pg_attribute WHERE attrelid = was AND attname = by_column);
    triggers    text[] := ARRAY(SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = was AND NOT tgisinternal);
    indexes     jsonb := (SELECT jsonb_agg(jsonb_build_object('name', class.relname,
            'create', CASE WHEN indisunique THEN 'UNIQUE INDEX' ELSE 'INDEX' END,
            'constraint', CASE WHEN conname IS NULL THEN NULL WHEN is_nullable THEN 'UNIQUE NULLS NOT DISTINCT'
                WHEN indisprimary THEN 'PRIMARY KEY' ELSE 'UNIQUE' END,
            'definition', substring(CASE
                WHEN NOT indisunique OR by_column IN (
                        SELECT attname FROM pg_attribute WHERE attrelid = was AND attnum = ANY (indkey::smallint[]))
                    THEN pg_get_indexdef(indexrelid)
                ELSE regexp_replace(pg_get_indexdef(indexrelid), '\)', format(', %I)', by_column)) END FROM ' USING .*')))
        FROM pg_index JOIN pg_class AS class ON class.oid = indexrelid
        LEFT JOIN pg_constraint ON conindid = indexrelid AND contype IN ('p', 'u')
        WHERE indrelid = was);
    index       jsonb;
    made        text;
    definition  text;
    granted     record;
BEGIN
    IF EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = was) THEN
        RETURN;
    END IF;
    EXECUTE format('ALTER TABLE %I RENAME TO %I', name, name || '_whole');
    IF sequence IS NOT NULL THEN
        EXECUTE format('SELECT nextval(%L)', sequence) INTO next_value;
        EXECUTE format('ALTER SEQUENCE %I RENAME TO %I', sequence, sequence || '_whole');
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING IDENTITY INCLUDING CONSTRAINTS)
        PARTITION BY HASH (%I)', name, name || '_whole', by_column);
    FOR number IN 1..partitions LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)%s',
            name || '_' || number, name, partitions, number - 1, ' WITH (' || options || ')');
    END LOOP;
    EXECUTE format('INSERT INTO %I (%s) OVERRIDING SYSTEM VALUE %s', name, columns,
        coalesce(source, format('SELECT %s FROM %I', columns, name || '_whole')));
    -- With the functions that take its rows, which the definitions make again.
    EXECUTE format('DROP TABLE %I CASCADE', name || '_whole');
    IF sequence IS NOT NULL THEN
        EXECUTE format('SELECT setval(%L, %s, false)', sequence, next_value);
    END IF;
    FOR index IN SELECT * FROM jsonb_array_elements(indexes) LOOP
        FOR number IN 0..partitions LOOP
            made := CASE number WHEN 0 THEN index ->> 'name' ELSE (index ->> 'name') || '_' || number END;
            -- ONLY: those of the partitions are attached, because they would get names of their own.
            EXECUTE CASE WHEN index ->> 'constraint' IS NULL
                THEN format('CREATE %s %I ON ONLY %I%s', index ->> 'create', made,
                    CASE number WHEN 0 THEN name ELSE name || '_' || number END, index ->> 'definition')
                ELSE format('ALTER TABLE ONLY %I ADD CONSTRAINT %I %s %s',
                    CASE number WHEN 0 THEN name ELSE name || '_' || number END, made, index ->> 'constraint',
                    substring(index ->> 'definition' FROM '\(.*\)')) END;
            IF number > 0 THEN
                EXECUTE format('ALTER INDEX %I ATTACH PARTITION %I', index ->> 'name', made);
            END IF;
        END LOOP;
    END LOOP;
    FOREACH definition IN ARRAY triggers LOOP
        EXECUTE definition;
    END LOOP;
    EXECUTE format('ALTER TABLE %I OWNER TO %s', name, owner);
    FOR granted IN SELECT * FROM aclexplode(privileges) WHERE grantee <> 0 LOOP
        EXECUTE format('GRANT %s ON %I TO %s', granted.privilege_type, name, granted.grantee::regrole);
    END LOOP;
END
$$;

SELECT pg_temp.distribute(name, 'user_id', 4) FROM unnest('{accounts,postings,transactions,trade_fundings,idempotency_keys,
    receipts,destinations,holds,closed_wallets}'::text[]) AS name;
-- Entries of before they had a member get that of their posting.
SELECT pg_temp.distribute('entries', 'member_id', 4, 'SELECT account_id, posting_id, amount_cents, balance_after_cents, hash,
    postings.user_id FROM entries_whole JOIN postings ON postings.id = posting_id');
SELECT pg_temp.distribute('outbox', 'aggregate_id', 4);
SELECT pg_temp.distribute('inbox', 'event_id', 4);

-- A payment on a chain is consumed once among all members: its table is distributed by the hash.
SELECT pg_temp.distribute('consumed_payments', 'txid', 2);
