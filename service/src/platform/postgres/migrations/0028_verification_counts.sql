-- How verifications ended, in numbers: what the overview and the usage page show, whatever the number of rows.

-- One row for each that was answered, written with its ending and gone within seconds: a job adds them up. Appended to, so that no
-- ending waits for another's count; no index, for nobody looks for one of them.
create table uncounted_endings (
  tenant_id   text not null,
  environment text not null check (environment in ('test', 'live')),
  created_at  timestamptz not null,
  ended_at    timestamptz not null,
  outcome     text not null check (outcome in ('completed', 'failed')),
  template    text,
  actor_type  text not null,
  actor_id    text not null,
  channel     text not null,
  error_code  text
);

-- One row counts one name of one kind (a template, a reason, a channel, a device, a key, a time to answer) in one hour or one day, so that
-- their number is the sum of what there is and not the product. Nothing of anybody; neither erasure nor retention changes it.
-- Room on each page, so that counting up moves no row and touches no index.
create table verification_counts (
  tenant_id   text not null,
  environment text not null check (environment in ('test', 'live')),
  step        text not null check (step in ('hour', 'day')),
  kind        text not null check (kind in ('all', 'template', 'reason', 'channel', 'device', 'key', 'wait')),
  -- The hour or UTC day in which they were made.
  start       timestamptz not null,
  -- A template's key, or nothing for a query of one's own; a code; a channel; an id; a bucket.
  name        text not null,
  outcome     text not null check (outcome in ('completed', 'failed', 'expired')),
  count       integer not null check (count > 0),
  primary key (tenant_id, environment, step, kind, start, name, outcome)
) with (fillfactor = 50);
create index verification_counts_by_age on verification_counts (step, start);

-- By which way the answer came; null: before this was kept.
alter table verification_results add column channel text;
-- The request was fetched by the link that the hosted page shows to the device it is open on.
alter table verifications add column same_device boolean;

-- For the job that counts what nobody answered: it goes on from where it stopped, and never looks at what lies behind.
create index verifications_unanswered on verifications (expires_at, id) where status in ('pending', 'cancelled');
create table expiry_count_mark (
  only_one   boolean primary key default true check (only_one),
  expires_at timestamptz not null,
  id         text not null
);

-- Whom a tenant wants told when a day's quota runs out, and at how many percent of it. The address is sealed: it may bear a secret.
create table usage_alerts (
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  sealed_url  bytea not null,
  thresholds  integer[] not null check (cardinality(thresholds) between 1 and 5),
  changed_at  timestamptz not null,
  primary key (tenant_id, environment)
);
-- What was to be told, once for each threshold and month. `attempts` and `next_at`: until somebody took it, or nobody did.
create table usage_alerts_told (
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  month       text not null,
  threshold   integer not null,
  id          text not null unique,
  day         date not null,
  used        integer not null,
  quota       integer not null,
  noticed_at  timestamptz not null,
  attempts    integer not null default 0,
  -- null: told, or given up.
  next_at     timestamptz,
  outcome     text,
  primary key (tenant_id, environment, month, threshold)
);
create index usage_alerts_due on usage_alerts_told (next_at) where next_at is not null;
