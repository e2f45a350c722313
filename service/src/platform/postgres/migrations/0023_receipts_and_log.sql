-- Receipts and the public log. Nothing here is personal: receipts hold no values, leaves are hashes and MACs.

-- Public halves are never deleted: every receipt can be verified for ever.
create table receipt_keys (
  kid         text primary key,
  public_jwk  jsonb not null,
  -- Sealed.
  private_key bytea not null,
  created_at  timestamptz not null,
  -- From then on it signs, until a later one does.
  active_at   timestamptz not null
);

-- They outlive their verification, so nothing ties them to its row.
create table receipts (
  verification_id text primary key,
  tenant_id       text not null references tenants (id),
  environment     text not null check (environment in ('test', 'live')),
  -- As it was signed.
  jws             text not null,
  -- Where it stands in the log; null: not yet.
  leaf_index      bigint
);
create index receipts_not_logged on receipts (verification_id) where leaf_index is null;

-- One row: the log's one writer holds it while it appends.
create table log_heads (
  single      boolean primary key default true check (single),
  size        bigint not null,
  -- Its name: the address it was first signed under; null: nothing was yet.
  origin      text,
  -- The checkpoint as it was signed; null: nothing was yet.
  note        text,
  -- Witnesses' lines under that checkpoint.
  cosignatures text not null default '',
  signed_at   timestamptz,
  -- Why nothing is appended any more; null: all is well.
  halted      text
);
insert into log_heads (size) values (0);

-- A tile grows at its end until it has 256 hashes; level -1 are the leaves themselves, each with its length before it.
create table log_tiles (
  level   integer not null,
  index   bigint not null,
  bytes   bytea not null,
  primary key (level, index)
);
-- Hashes do not compress.
alter table log_tiles alter column bytes set storage external;

-- Which heads of chains stand in the log, and where.
create table log_chain_heads (
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  seq         bigint not null,
  leaf_index  bigint not null,
  primary key (tenant_id, environment, seq)
);

-- What each witness last said.
create table log_witnesses (
  name         text primary key,
  asked_at     timestamptz not null,
  -- cosigned, unreachable, refused, ahead
  state        text not null,
  size         bigint,
  cosigned_at  timestamptz
);
