-- The new indexes take the place and the names of those by which a hash counted once whatever its output: processes of the
-- version before know these names.
DROP INDEX transactions_txid_in, transactions_txid_out;
ALTER INDEX transactions_output_in RENAME TO transactions_txid_in;
ALTER INDEX transactions_output_out RENAME TO transactions_txid_out;
