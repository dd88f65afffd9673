-- Staff find members by a part of a name, address or phone number: indexes of the three letters that follow each other.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
