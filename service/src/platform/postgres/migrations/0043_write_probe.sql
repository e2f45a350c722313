-- compatible_from: 0037
-- When a process last proved that the store takes writes and has room for them: one row that all processes share.
create table write_probe (
  only_row boolean primary key default true check (only_row),
  written_at timestamptz not null
);
insert into write_probe (written_at) values ('-infinity');
