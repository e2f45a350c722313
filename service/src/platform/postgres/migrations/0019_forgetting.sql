-- What becomes of claims and credentials: kept until retention, or forgotten once the merchant has them.
alter table tenants add column content text not null default 'keep' check (content in ('keep', 'forward')),
  add column hold_seconds integer not null default 900 check (hold_seconds between 60 and 3600),
  -- The operator's word: `forward`, whatever the tenant chose.
  add column forward_only boolean not null default false;

alter table verification_results alter column sealed drop not null,
  -- When the content goes at the latest; null: with the verification, or it has gone.
  add column forget_at timestamptz,
  -- When it went. Of a completed verification nothing is sealed from then on, of a failed one the error alone.
  add column forgotten_at timestamptz,
  -- Why, until the audit trail says it; null: nothing to be said.
  add column unrecorded_forgetting text check (unrecorded_forgetting in ('receipt', 'hold')),
  add check (sealed is not null or forgotten_at is not null),
  add check (forget_at is null or forgotten_at is null);
create index verification_results_forget_at on verification_results (forget_at) where forget_at is not null;
create index verification_results_unrecorded on verification_results (tenant_id, environment)
  where unrecorded_forgetting is not null;

-- Public keys of merchants: results are encrypted to the newest that is proven, before anything of them is written.
create table result_keys (
  id                text primary key,
  tenant_id         text not null references tenants (id),
  environment       text not null check (environment in ('test', 'live')),
  -- RFC 7638 thumbprint; what results name.
  kid               text not null,
  -- The public JWK, sealed so that nobody puts another in its place.
  sealed            bytea not null,
  -- SHA-256 of what the holder of the private key must return, and until when; null once it did.
  challenge         bytea,
  challenge_ends_at timestamptz,
  proven_at         timestamptz,
  created_at        timestamptz not null,
  unique (tenant_id, environment, kid),
  check ((challenge is null) = (challenge_ends_at is null))
);
