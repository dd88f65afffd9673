-- The member of the posting, so that the tables of a movement can be distributed by member. Null in entries from before.
ALTER TABLE entries ADD COLUMN member_id uuid;
