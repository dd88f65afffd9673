-- An event's id is made for it at random, and its row is found by the number: the index was only ever written.
ALTER TABLE outbox DROP CONSTRAINT outbox_event_id_key;
