-- Webhook secrets, deliveries and their attempts.

create table webhook_deliveries (
  id              text primary key,
  tenant_id       text not null references tenants (id),
  environment     text not null check (environment in ('test', 'live')),
  verification_id text not null references verifications (id),
  state           text not null default 'pending' check (state in ('pending', 'succeeded', 'failed')),
  created_at      timestamptz not null,
  next_at         timestamptz not null,
  -- One result, one event: of two simultaneous responses only one ends the verification.
  unique (verification_id)
);
