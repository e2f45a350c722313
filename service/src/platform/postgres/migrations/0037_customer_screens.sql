-- A screen that faces the guest, on a device of its own: the till it belongs to shows its codes there. One for each till.

-- The eight symbols that the screen shows while nobody has typed them: they follow from its token.
alter table devices add column display_code text;
-- SHA-256 of the token of the first screen that came with that code; null until it came.
alter table devices add column display_token_hash bytea;
-- When it was last heard of; until it came, when its code was typed.
alter table devices add column display_seen_at timestamptz;
alter table devices add constraint devices_display check
  ((display_code is null) = (display_seen_at is null) and (display_code is not null or display_token_hash is null));
create unique index devices_by_display_code on devices (display_code) where display_code is not null;
