-- compatible_from: 0037
-- What a mail is about, as a keyed hash: mails that wait are ended when it is gone. Mails that a process of the release before queues have none.
alter table mails add column about_mac bytea check (octet_length(about_mac) = 16);
alter table mails alter column about_mac set statistics 0;
create index mails_by_subject on mails (tenant_id, about_mac) where next_at is not null;
