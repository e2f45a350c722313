-- compatible_from: 0037
-- A store that was set back is noticed and does not serve until it was checked; the log can then go on in a new epoch.
alter table log_heads
  -- Tells this store, and backups of it, from any other: what is remembered of it elsewhere names it.
  add column store_id uuid not null default gen_random_uuid(),
  -- Why it must not serve until `vidimus restore check` ran, and how many leaves are known to have been there.
  add column set_back text,
  add column set_back_from bigint,
  -- When it was checked last, and how many leaves there had been; whoever remembers no more than these goes on with it.
  add column checked_at timestamptz,
  add column restored_from bigint,
  -- Until a new epoch is open, witnesses that have seen this many leaves say nothing new.
  add column acknowledged_to bigint,
  -- The newest checkpoint that a witness has cosigned, with its cosignatures.
  add column witnessed_note text;

-- Statements that open epochs; the first epoch has none.
create table log_epochs (
  number integer primary key check (number > 1),
  statement text not null,
  cosignatures text not null default '',
  created_at timestamptz not null,
  -- null: it waits for witnesses.
  opened_at timestamptz
);
