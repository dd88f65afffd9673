ALTER TABLE accounts VALIDATE CONSTRAINT accounts_kind, VALIDATE CONSTRAINT accounts_members_not_negative;
