-- compatible_from: 0037
-- Staff who want alerts of a company by mail, each for themselves; and which alerts were mailed, so that each is mailed once. An
-- earlier release neither writes nor reads them.
create table alert_subscriptions (
  person_id text not null references people (id),
  tenant_id text not null references tenants (id),
  topic text not null check (topic in ('quota', 'webhooks')),
  language text not null,
  created_at timestamptz not null,
  primary key (person_id, tenant_id, topic)
);
create index alert_subscriptions_topic on alert_subscriptions (topic, tenant_id);
create table alert_mails (
  tenant_id text not null references tenants (id),
  topic text not null,
  about text not null,
  created_at timestamptz not null,
  primary key (tenant_id, topic, about)
);
create index alert_mails_created on alert_mails (created_at);
-- See 0056: it names a webhook's destination.
alter table alert_mails alter column about set statistics 0;
