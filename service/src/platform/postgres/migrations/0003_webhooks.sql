-- Webhook secrets, deliveries, their attempts, and destinations that keep failing.

-- Sealed. Both sign while `previous_until` has not come; a second rotation ends the older one.
create table webhook_secrets (
  tenant_id      text not null references tenants (id),
  environment    text not null check (environment in ('test', 'live')),
  secret         bytea not null,
  created_at     timestamptz not null,
  previous       bytea,
  previous_until timestamptz,
  primary key (tenant_id, environment),
  check ((previous is null) = (previous_until is null))
);

create table webhook_deliveries (
  id              text primary key,
  tenant_id       text not null references tenants (id),
  environment     text not null check (environment in ('test', 'live')),
  verification_id text not null references verifications (id),
  -- held: its destination is disabled; it waits until somebody enables it again.
  state           text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'held')),
  -- Attempts of the schedule that came to an end.
  attempts        integer not null default 0,
  -- Attempts in a row whose worker vanished.
  abandoned       integer not null default 0,
  created_at      timestamptz not null,
  -- When it is due.
  next_at         timestamptz not null,
  -- While a worker has it; past that time the worker has vanished. In no index, so that a lease touches none of them.
  leased_until    timestamptz,
  -- Who finds another fence than its own has lost the lease.
  fence           bigint not null default 0,
  -- The disabled destination it waits for.
  held_for        text check ((held_for is null) = (state <> 'held')),
  -- One result, one event: of two simultaneous responses only one ends the verification.
  unique (verification_id)
) with (fillfactor = 70); -- Room on its page for the row that a lease makes of it.
create index webhook_deliveries_due on webhook_deliveries (tenant_id, environment, next_at) where state = 'pending';
create index webhook_deliveries_by_place on webhook_deliveries (tenant_id, environment, created_at);

-- Written before a request is sent, so that none is sent which the log does not know.
create table webhook_attempts (
  id           bigint generated always as identity primary key,
  delivery_id  text not null references webhook_deliveries (id) on delete cascade,
  tenant_id    text not null,
  environment  text not null,
  trigger      text not null check (trigger in ('schedule', 'manual')),
  url          text not null,
  started_at   timestamptz not null,
  finished_at  timestamptz,
  outcome      text,
  http_status  integer,
  check ((finished_at is null) = (outcome is null))
);
create index webhook_attempts_by_delivery on webhook_attempts (delivery_id, id);

-- Destinations with failures since their last success; a success removes the row.
create table webhook_destinations (
  tenant_id     text not null references tenants (id),
  environment   text not null check (environment in ('test', 'live')),
  origin        text not null,
  failing_since timestamptz not null,
  failed_at     timestamptz not null,
  failures      integer not null,
  noticed_at    timestamptz,
  disabled_at   timestamptz,
  primary key (tenant_id, environment, origin)
);
