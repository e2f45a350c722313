-- What has been done to this database. migrate.ts adds a row in the transaction of each migration.

create table schema_migrations (
  number     integer primary key,
  name       text not null,
  checksum   text not null,
  applied_at timestamptz not null default clock_timestamp()
);
