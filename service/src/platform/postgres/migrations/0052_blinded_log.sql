-- compatible_from: 0037
-- Leaves of the public log tell nothing any more: heads of chains stand in it blinded, in batches of a few sizes. Heads that earlier releases
-- wrote, and write while an upgrade rolls, stay in log_chain_heads: those releases see nothing of the new ones, and take no harm.

-- Which blinded heads stand in the log, numbered for each chain from 0 without a gap, and where their commitments are.
create table log_blinded_heads (
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  ordinal     bigint not null,
  seq         bigint not null,
  leaf_index  bigint not null,
  primary key (tenant_id, environment, ordinal)
);
create trigger log_blinded_heads_append_only before update or delete on log_blinded_heads
  for each row execute function refuse_audit_change();
create trigger log_blinded_heads_no_truncate before truncate on log_blinded_heads
  for each statement execute function refuse_audit_change();

alter table log_heads
  -- How many chains have entered it blinded.
  add column entrances bigint not null default 0,
  -- How large it was when all chains were last held against it.
  add column judged_size bigint not null default 0,
  -- The size that batches have at least, and until when.
  add column batch_size integer not null default 0,
  add column batch_until timestamptz,
  -- Until then a batch is written also where nothing waits.
  add column padded_until timestamptz;
