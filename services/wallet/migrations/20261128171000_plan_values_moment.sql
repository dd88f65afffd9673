-- The moment of a plan's newest value, as trade reports it: liabilities are published once the gains at it are known.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

ALTER TABLE plan_values ADD COLUMN value_at timestamptz;

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT UPDATE (value_at) ON plan_values TO wallet;
    END IF;
END $$;
