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
