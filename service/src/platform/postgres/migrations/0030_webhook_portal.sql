-- Webhooks as a merchant works with them: saved endpoints, what attempts were answered, figures by the hour. And keys: uses by the day.

-- Addresses a realm keeps. The default is for verifications that staff make; those of the API name their own address or none.
create table webhook_endpoints (
  id          text primary key,
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  name        text not null,
  -- Sealed: an address may carry a token.
  url         bytea not null,
  is_default  boolean not null,
  created_at  timestamptz not null
);
create index webhook_endpoints_by_realm on webhook_endpoints (tenant_id, environment, created_at);
create unique index webhook_endpoints_one_default on webhook_endpoints (tenant_id, environment) where is_default;

-- When the request of an attempt was made, and how long its answer took; null: it was never sent, or an earlier release sent it.
alter table webhook_attempts add column sent_at timestamptz, add column took_ms integer check (took_ms >= 0);

-- What receivers answered, sealed: it may repeat what they were sent, so it leaves with it.
create table webhook_answers (
  -- The id of its attempt.
  attempt     text primary key,
  delivery_id text not null references webhook_deliveries (id) on delete cascade,
  tenant_id   text not null,
  environment text not null,
  sealed      bytea not null,
  kept_until  timestamptz not null
);
create index webhook_answers_by_delivery on webhook_answers (delivery_id);
create index webhook_answers_by_end on webhook_answers (kept_until);

-- Attempts by the hour: no address, nobody's data.
create table webhook_hours (
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  hour        timestamptz not null,
  attempts    integer not null,
  delivered   integer not null,
  took_ms     bigint not null,
  slowest_ms  integer not null,
  primary key (tenant_id, environment, hour)
);
create index webhook_hours_by_age on webhook_hours (hour);

-- What failed is looked for, and sent again, without reading what did not.
create index webhook_deliveries_unsettled on webhook_deliveries (tenant_id, environment, state, created_at)
  where state in ('failed', 'held');

-- How often a key was used on a day.
create table api_key_days (
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  key_id      text not null references api_keys (id),
  day         date not null,
  uses        bigint not null,
  primary key (key_id, day)
);
create index api_key_days_by_age on api_key_days (day);

-- Whether a company adds issuers it trusts in live by itself: its operator decides.
alter table tenants add column own_trust_in_live boolean not null default false;
