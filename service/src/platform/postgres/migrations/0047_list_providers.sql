-- compatible_from: 0037
-- Whom a published list names, as whoever imported it said; each reading is checked against it. Null: it was imported before that was
-- asked, or by a process of the release before. Such a list keeps what it brought until it ends, and is not read again until somebody says.
alter table trust_lists add column providers text;
alter table trust_lists add column mismatched boolean not null default false;
-- Where the format, or what the list was granted, leaves one answer. A list of credentials in JSON may be of several kinds; those that
-- were granted PIDs alone are lists of PID providers.
update trust_lists set providers = case
  when kind = 'vical' then 'mdoc'
  when kind = 'tsl' then 'age-attestation'
  when types = array['rc-wrp+jwt:*'] then 'registration-certificate'
  when types = array['register+jwt:*'] then 'register'
  when types <> '{}' and not exists (
    select from unnest(types) type
    where type not like 'dc+sd-jwt:urn:eudi:pid:%' and type <> 'mso_mdoc:eu.europa.ec.eudi.pid.1'
  ) then 'pid'
end;
