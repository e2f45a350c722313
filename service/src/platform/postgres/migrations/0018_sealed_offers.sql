-- An offer's keys and what was offered are one value now, sealed to the bytes that the page got. Offers last minutes, and pages ask again.
delete from dc_api_offers;
alter table dc_api_offers drop column jwe_key, drop column hpke_key, drop column encryption_info,
  add column sealed bytea not null;

-- How often a proven page was looked at since and did not show its line, or could not be asked.
alter table tenant_origins add column failed_checks integer not null default 0;
