-- An offer's keys and what was offered are one value now, sealed to the bytes that the page got. Offers last minutes, and pages ask again.
delete from dc_api_offers;
alter table dc_api_offers drop column jwe_key, drop column hpke_key, drop column encryption_info,
  add column sealed bytea not null;
