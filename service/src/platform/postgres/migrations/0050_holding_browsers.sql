-- compatible_from: 0037
-- A verification can belong to one browser. browser_binding is the rule it was made under (null: the tenant's setting), browser_hash the
-- hash of that browser's cookie (null: no browser holds it yet), bound_by what tied a wallet's answer to that browser. A release from
-- before leaves all three null: its sign-ins under way have to be started again.
alter table verifications
  add column browser_binding text,
  add column browser_hash bytea,
  add column bound_by text,
  add constraint verifications_browser_binding_check
    check (browser_binding in ('first', 'none', 'confirm', 'same_device', 'unconfirmed')) not valid,
  add constraint verifications_browser_hash_check check (octet_length(browser_hash) = 32) not valid,
  add constraint verifications_bound_by_check
    check (bound_by in ('browser_api', 'response_code', 'code', 'unconfirmed')) not valid,
  alter column browser_hash set statistics 0;
alter table tenants
  add column browser_binding text not null default 'first'
    constraint tenants_browser_binding_check check (browser_binding in ('first', 'none'));
alter table oidc_clients
  add column cross_device text not null default 'confirm'
    constraint oidc_clients_cross_device_check check (cross_device in ('confirm', 'off', 'unconfirmed'));
-- Tries with the confirmation code, and whether the wallet's way back ended in another browser.
alter table oidc_authorizations
  add column confirm_tries smallint not null default 0,
  add column returned_elsewhere_at timestamptz;
