-- What receipts say beside the outcome: which request was served, and which issue of a list an anchor came from.

-- SHA-256 of the request object as it was served last; null: none was, or nobody noted it.
alter table verifications add column request_sha256 bytea;
-- SHA-256 of the issue that was loaded; null: it was loaded before this was noted.
alter table trust_lists add column sha256 bytea;

-- The legal basis on which evidence bundles are made for a tenant, in the operator's words; null: none are made.
alter table tenants add column evidence_basis text;
-- The request object as it was served last, for tenants with such a basis; gone once the verification has ended.
alter table verifications add column request_object text;

-- Evidence bundles that nobody has collected yet: encrypted to the merchant's key, unreadable to the service. Each goes when it is
-- handed out, or when its time is over.
create table evidence_bundles (
  verification_id text primary key references verifications (id) on delete cascade,
  tenant_id       text not null references tenants (id),
  environment     text not null check (environment in ('test', 'live')),
  jwe             text not null,
  drop_at         timestamptz not null
);
create index evidence_bundles_due on evidence_bundles (drop_at);
