-- Signed statements of how far each audit chain had come, one a day where it grew. Their key is not in the database: whoever
-- writes a chain anew cannot write these anew.
create table audit_checkpoints (
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  -- Entries 1 to this one are covered.
  seq         bigint not null,
  note        text not null,
  primary key (tenant_id, environment, seq)
);
create trigger audit_checkpoints_append_only before update or delete on audit_checkpoints
  for each row execute function refuse_audit_change();
create trigger audit_checkpoints_no_truncate before truncate on audit_checkpoints
  for each statement execute function refuse_audit_change();
