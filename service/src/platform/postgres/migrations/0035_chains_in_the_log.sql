-- The log is where checkpoints of chains stand: none is added to audit_checkpoints any more, and those that are there go on counting.

-- Every chain that had a seal when this was written stands in the log; null: not since there is this column.
alter table log_heads add column complete_at timestamptz;

create trigger log_chain_heads_append_only before update or delete on log_chain_heads
  for each row execute function refuse_audit_change();
create trigger log_chain_heads_no_truncate before truncate on log_chain_heads
  for each statement execute function refuse_audit_change();
