-- Webhook secrets that were replaced: each signs on until its own time. Sealed, and bound to the same place as `webhook_secrets.secret`.
create table webhook_old_secrets (
  id          text primary key default gen_random_uuid()::text,
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  secret      bytea not null,
  signs_until timestamptz not null,
  -- In the order they were replaced: two of one instant have an order too.
  nth         bigint generated always as identity
);
create index webhook_old_secrets_by_place on webhook_old_secrets (tenant_id, environment, signs_until);
insert into webhook_old_secrets (tenant_id, environment, secret, signs_until)
  select tenant_id, environment, previous, previous_until from webhook_secrets where previous is not null;
alter table webhook_secrets drop column previous, drop column previous_until;

-- Where a delivery failed at least once: the destination is forgotten with the last of them.
alter table webhook_deliveries add column failed_at_origin text;
create index webhook_deliveries_by_failed_origin on webhook_deliveries (tenant_id, environment, failed_at_origin)
  where failed_at_origin is not null;
update webhook_deliveries d set failed_at_origin = w.origin
  from webhook_destinations w, webhook_attempts a
  where a.delivery_id = d.id and w.tenant_id = d.tenant_id and w.environment = d.environment
    and a.outcome <> 'delivered' and (a.url = w.origin or starts_with(a.url, w.origin || '/') or starts_with(a.url, w.origin || '?'));

-- Live webhooks over plain http: whether they are refused, and when one was last taken.
alter table tenants add column live_webhooks_https_only boolean not null default false,
  add column plain_http_webhook_at timestamptz;

-- Pending devices whose code has lapsed are looked for by its time.
create index devices_by_lapsed_code on devices (pairing_expires_at) where status = 'pending';
-- And a revoked one that makes room leaves with its tokens.
create index device_token_pairs_by_device on device_token_pairs (device_id);
