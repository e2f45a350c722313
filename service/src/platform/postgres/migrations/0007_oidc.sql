-- Signing in to the dashboard through the operator's OpenID provider.

-- Who somebody is at the provider, bound at their first sign-in. From then on their address says nothing any more.
create table oidc_identities (
  issuer     text not null,
  subject    text not null check (char_length(subject) between 1 and 255),
  person_id  text not null references people (id),
  created_at timestamptz not null,
  primary key (issuer, subject),
  unique (person_id, issuer)
);

-- Round trips that have not come back: each once, within minutes. Of the secret, which only the browser has, the hash.
create table oidc_rounds (
  hash       bytea primary key check (octet_length(hash) = 32),
  -- Whoever is to prove once more who they are; null: somebody signs in.
  person_id  text references people (id),
  asked_at   timestamptz not null,
  expires_at timestamptz not null
);

alter table dashboard_sessions
  drop constraint dashboard_sessions_method_check,
  add constraint dashboard_sessions_method_check check (method in ('password', 'passkey', 'link', 'oidc')),
  -- When the person last proved who they are. A provider may let somebody in who did so long ago; null: it does not say.
  add column proven_at timestamptz;
update dashboard_sessions set proven_at = created_at;
