-- compatible_from: 0037
-- Test events that staff sent to an endpoint, each with its one attempt: the newest of a realm, for days.
create table webhook_test_events (
  id          text primary key,
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  type        text not null,
  created_at  timestamptz not null,
  finished_at timestamptz not null,
  outcome     text not null,
  http_status integer,
  took_ms     integer not null check (took_ms >= 0),
  -- The request and what came back: an address may carry a token, and an answer anything.
  sealed      bytea not null,
  kept_until  timestamptz not null
);
create index webhook_test_events_by_realm on webhook_test_events (tenant_id, environment, created_at);
create index webhook_test_events_by_end on webhook_test_events (kept_until);
