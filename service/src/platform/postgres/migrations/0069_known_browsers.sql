-- compatible_from: 0037
-- Browsers in which a person has signed in before, by the hash of a random token in a cookie: a sign-in elsewhere is reported
-- by mail. An earlier release neither writes nor reads it.
create table known_browsers (
  person_id text not null references people (id),
  hash bytea not null check (octet_length(hash) = 32),
  seen_at timestamptz not null,
  primary key (person_id, hash)
);
create index known_browsers_seen on known_browsers (seen_at);
alter table known_browsers alter column hash set statistics 0;
