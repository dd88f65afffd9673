-- Old notes of the inbox are forgotten; this finds them.
CREATE INDEX inbox_handled_at ON inbox (handled_at);
