-- compatible_from: 0037
-- A link may be created by a member of the staff at the dashboard, too: it has the key or the person that created it. A release
-- that knows keys alone finds no valid key for a person's link, and does not open it.
alter table links
  alter column key_id drop not null,
  add column person_id text,
  add constraint links_creator check (num_nonnulls(key_id, person_id) = 1);
