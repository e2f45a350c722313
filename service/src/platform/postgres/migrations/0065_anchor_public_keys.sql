-- compatible_from: 0037
-- SHA-256 of an anchor's public key with its point uncompressed, so that both encodings of a key are one key. An earlier release
-- hashed the key as its certificate encodes it, and still writes key_sha256 while it runs beside this one: this release no longer
-- reads that column, and a later one drops it. Null: the release before added the anchor, or this migration has just run; the key
-- is then read from the certificate, until the job that refreshes lists stores its hash.
alter table anchors add column public_key_sha256 bytea;
alter table anchors alter column public_key_sha256 set statistics 0;
create index anchors_by_public_key on anchors (environment, public_key_sha256);
update jobs set ran_at = null where name = 'refresh-trust-lists';
