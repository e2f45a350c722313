-- compatible_from: 0037
-- The record of the daily check of audit chains: the chains that were changed stay in it until they are whole again, and a MAC shows whether
-- the service wrote it. A process of the release before writes `judged_size` alone: then the MAC is wrong, and the next check reads more.
alter table log_heads
  add column changed_chains text[] not null default '{}',
  add column judged_mac bytea;
alter table log_heads alter column changed_chains set statistics 0, alter column judged_mac set statistics 0;
