-- compatible_from: 0072
-- A receipt was written a second time, with all of its 1.4 kB, when it entered the log: to note its leaf. Now it has the number of its
-- audit entry, and the leaves of receipts that enter the log together are a row for each realm.
-- A receipt without the number has its leaf in its own row, as before, and stays so.
alter table receipts add column seq bigint;
-- The release before logs every receipt without a leaf. If it ever met one with a number, this would end its transaction.
alter table receipts add constraint receipts_place_once check (seq is null or leaf_index is null) not valid;

-- Where receipts stand in the log. `up_to` is the largest of their numbers: a receipt is in one of the rows from its own number on,
-- and almost always in the first of them.
create table receipt_places (
  tenant_id   text not null,
  environment text not null check (environment in ('test', 'live')),
  up_to       bigint not null,
  seqs        bigint[] not null,
  leaves      bigint[] not null,
  primary key (tenant_id, environment, up_to)
);
alter table receipt_places alter column seqs set statistics 0, alter column leaves set statistics 0;

-- The receipts that are not in the log yet: a queue, with a row for those of a statement and realm.
create table unlogged_receipts (
  tenant_id   text not null,
  environment text not null check (environment in ('test', 'live')),
  seqs        bigint[] not null
);
alter table unlogged_receipts alter column seqs set statistics 0;

-- The same for what the statistics have not counted: a row for those of a statement and tenant, instead of one for each ending.
create table uncounted_batches (
  tenant_id   text not null,
  environment text not null check (environment in ('test', 'live')),
  ended_at    timestamptz not null,
  endings     json not null
);
alter table uncounted_batches alter column endings set statistics 0;

-- later, when no process of a release before 0075 is connected:
-- Receipts have their number from now on. Such a receipt is in no index but that of its id.
create index concurrently if not exists receipts_without_leaf on receipts (verification_id) where leaf_index is null and seq is null;

-- then, in one transaction:
drop index receipts_not_logged;
