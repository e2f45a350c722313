-- compatible_from: 0037
-- The last failed fetch of status lists from each origin, so that `vidimus doctor` can say why. Writers keep the newest 200 of the last day.
create table status_list_failures (
  environment text not null check (environment in ('test', 'live')),
  origin text not null,
  cause text not null,
  reason text not null,
  failed_at timestamptz not null,
  primary key (environment, origin)
);
-- A credential chooses the origin, so no statistics of it stay when its row is gone (see 0051).
alter table status_list_failures
  alter column origin set statistics 0,
  alter column cause set statistics 0,
  alter column reason set statistics 0;
