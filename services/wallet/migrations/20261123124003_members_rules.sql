-- The new indexes take the place and the names of those before: processes of the version before know these names.
DROP INDEX transactions_one_open_withdrawal, transactions_one_pending_course, transactions_counted_withdrawals;
ALTER INDEX transactions_members_open_withdrawal RENAME TO transactions_one_open_withdrawal;
ALTER INDEX transactions_members_pending_course RENAME TO transactions_one_pending_course;
ALTER INDEX transactions_members_withdrawals RENAME TO transactions_counted_withdrawals;
