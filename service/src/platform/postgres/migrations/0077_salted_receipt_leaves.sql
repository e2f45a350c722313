-- compatible_from: 0072
-- A receipt that came with a tenant was the same leaf in the logs of both installations: who compared the two saw each verification of
-- the merchant, and in which minute it ended. It is a commitment under a salt of its own now, which only its realm gets.
alter table receipts add column leaf_salt bytea;
alter table receipts alter column leaf_salt set statistics 0;
-- Ends the transaction of a process of the release before, which would log it without.
alter table receipts add constraint receipts_arrived_salted
  check (arrived is not true or leaf_index is null or leaf_salt is not null) not valid;
