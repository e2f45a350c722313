-- What a merchant wrote beside its question (metadata, redirect_url, webhook_url) is sealed as one value, as results are. The plain
-- columns hold what earlier releases wrote until a job has sealed it; nothing writes them any more.
alter table verifications
  add column particulars bytea,
  -- Keyed digests of the metadata's values, one after the other: found by exact value, read by nobody.
  add column metadata_index bytea;

create index verifications_plain on verifications (id)
  where metadata is not null or redirect_url is not null or webhook_url is not null;

-- The address is the verification's; the log does not repeat it.
alter table webhook_attempts alter column url drop not null;
create index webhook_attempts_plain on webhook_attempts (id) where url is not null;

-- Keys that were derived from a master key once and outlive it, sealed: what they signed must still verify.
create table kept_keys (
  label      text primary key,
  sealed     bytea not null,
  created_at timestamptz not null
);
