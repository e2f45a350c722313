-- compatible_from: 0037
-- Mails that wait to be sent. The address and the content are sealed, and erased when the mail is sent or given up.
-- The row stays for a day without them, so that mails to one address can be counted by its MAC. An earlier release
-- neither writes nor reads it.
create table mails (
  id text primary key,
  kind text not null,
  tenant_id text references tenants (id),
  address_mac bytea not null check (octet_length(address_mac) = 32),
  sealed bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  attempts integer not null default 0,
  next_at timestamptz,
  outcome text,
  constraint mails_waiting_check check ((sealed is null) = (next_at is null))
);
create index mails_due on mails (next_at) where next_at is not null;
create index mails_counted on mails (kind, created_at);
alter table mails alter column address_mac set statistics 0, alter column sealed set statistics 0;

-- Links by mail for people who lost their password: bound to the browser that asked, deleted when used.
create table access_links (
  hash bytea primary key check (octet_length(hash) = 32),
  person_id text not null references people (id),
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  expires_at timestamptz not null
);
create index access_links_person on access_links (person_id);
alter table access_links alter column hash set statistics 0, alter column browser_hash set statistics 0;
