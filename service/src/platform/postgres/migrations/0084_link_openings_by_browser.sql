-- compatible_from: 0037
-- Finds the opening of a browser, and the oldest openings of a link, without reading all openings of the link. Openings that a process of
-- the release before writes have no browser.
alter table link_openings add column browser_hash bytea check (octet_length(browser_hash) = 32);
alter table link_openings alter column browser_hash set statistics 0;
create index link_openings_by_browser on link_openings (link_id, browser_hash);
create index link_openings_by_age on link_openings (link_id, opened_at);
drop index link_openings_by_link;
