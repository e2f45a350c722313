-- compatible_from: 0037
-- The signing request (DER) of a key that waits for its certificate, to be had again as it was: a public key, the names of the
-- company, and an e-mail address where its owner gave one. Gone with the certificate's arrival, or when the key is withdrawn. Of keys from
-- before, and of those that a release from before makes, null.
alter table access_keys add column signing_request bytea;
