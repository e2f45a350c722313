-- What a holder is to agree to, sealed; it moves to the result when the verification ends.
alter table verifications add column transaction_data bytea;

-- What a template has its holders agree to.
alter table templates add column transaction json;

-- Types of transactions of a merchant's own.
create table transaction_types (
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  type        text not null check (char_length(type) between 1 and 200),
  title       text not null,
  schema      json not null,
  saved_at    timestamptz not null,
  primary key (tenant_id, environment, type)
);

-- Codes of strong authentications that were used: digests alone. When their verification is erased they stay, and say of nobody.
create table authentication_codes (
  tenant_id       text not null references tenants (id),
  environment     text not null check (environment in ('test', 'live')),
  digest          bytea not null check (octet_length(digest) = 32),
  verification_id text references verifications (id) on delete set null,
  used_at         timestamptz not null,
  primary key (tenant_id, environment, digest)
);
create index authentication_codes_used on authentication_codes (used_at);
create index authentication_codes_verification on authentication_codes (verification_id) where verification_id is not null;
