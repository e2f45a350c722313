-- compatible_from: 0037
-- Which process leased an idempotency key: one whose sessions are all gone leaves it to the next. Null: of a release that did not say.
alter table idempotency_keys add column owner integer;
