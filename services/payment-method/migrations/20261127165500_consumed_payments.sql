-- Which payments to the platform transactions of the wallet rest on: only these are told of when they do not count any more, so
-- that replacing other payments pushes none of them out of a list.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

ALTER TABLE chain_payments ADD COLUMN is_consumed boolean NOT NULL DEFAULT false;
