-- What is signed with a certificate: requests of OpenID4VP, or the reader authentication of ISO 18013-5; for Apple's and Google's
-- wallets beside these. One of each is current for an owner in an environment. The default is for a replica of the release
-- before, which knows but one purpose.
alter table access_keys
  add column purpose text not null default 'openid4vp' check (purpose in ('openid4vp', 'iso-reader', 'apple', 'google'));
drop index access_keys_current;
create unique index access_keys_current on access_keys (coalesce(tenant_id, ''), environment, purpose)
  where installed_at is not null and retired_at is null;
