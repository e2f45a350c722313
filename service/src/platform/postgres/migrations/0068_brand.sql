-- compatible_from: 0037
-- More of a realm's look: background, corners, font, a logo for dark screens, and a text where a verification ends without a result.
-- All are null in existing rows, which is how these pages looked before.
alter table tenant_branding
  add column background     text check (background ~ '^#[0-9a-f]{6}$'),
  add column radius         text check (radius in ('none', 'small', 'medium', 'large')),
  add column font           text check (font in ('system', 'inter', 'nunito', 'source_serif', 'atkinson')),
  add column help_text      text check (length(help_text) between 1 and 200),
  add column logo_dark      bytea check (octet_length(logo_dark) <= 131072),
  add column logo_dark_type text check (logo_dark_type in ('image/svg+xml', 'image/png')),
  add column logo_dark_hash text,
  add constraint tenant_branding_logo_dark_whole check (
    (logo_dark is null) = (logo_dark_type is null) and (logo_dark is null) = (logo_dark_hash is null)
  );
-- See 0051.
alter table tenant_branding
  alter column logo_dark set statistics 0,
  alter column logo_dark_hash set statistics 0;
