-- People who use the dashboard: who they are, where they are staff, how they sign in, and what they are signed in with.

create table people (
  id         text primary key,
  -- Lower case; a label that its owner proved only by being given a link.
  email      text not null unique check (email = lower(email) and char_length(email) between 3 and 254),
  -- Argon2id with its parameters; null: no password was chosen.
  password   text,
  created_at timestamptz not null
);

create table members (
  tenant_id  text not null references tenants (id),
  person_id  text not null references people (id),
  role       text not null check (role in ('owner', 'admin', 'viewer')),
  created_at timestamptz not null,
  primary key (tenant_id, person_id)
);
create index members_by_person on members (person_id);

create table passkeys (
  -- The credential id, base64url.
  id           text primary key,
  person_id    text not null references people (id),
  public_key   bytea not null,
  counter      bigint not null,
  transports   text[] not null,
  name         text not null,
  created_at   timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_by_person on passkeys (person_id);

-- Asked once, answered once, within minutes. With a person: a passkey is being added; without: somebody signs in.
create table passkey_challenges (
  challenge  text primary key,
  person_id  text references people (id),
  expires_at timestamptz not null
);

-- One-time links. Only the operator's sign a person in by themselves; a tenant's invitation opens no account that exists.
create table sign_in_links (
  hash        bytea primary key check (octet_length(hash) = 32),
  email       text not null,
  tenant_id   text not null references tenants (id),
  role        text not null check (role in ('owner', 'admin', 'viewer')),
  by_operator boolean not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  used_at     timestamptz
);
create index sign_in_links_open on sign_in_links (tenant_id, created_at) where used_at is null;

create table dashboard_sessions (
  id         text not null unique,
  -- Of the token, which only the browser has.
  hash       bytea primary key check (octet_length(hash) = 32),
  person_id  text not null references people (id),
  -- The moment of the sign-in: each one makes a new session.
  created_at timestamptz not null,
  seen_at    timestamptz not null,
  method     text not null check (method in ('password', 'passkey', 'link'))
);
create index dashboard_sessions_by_person on dashboard_sessions (person_id);
create index dashboard_sessions_by_creation on dashboard_sessions (created_at);
