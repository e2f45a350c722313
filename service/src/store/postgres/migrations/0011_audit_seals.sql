-- The head of each audit chain bears a MAC whose key is not in the database: whoever writes a chain anew cannot write this anew.
-- null: the chain is from before, and an operator has not adopted it yet.
alter table audit_heads add column mac bytea check (octet_length(mac) = 32);
