-- compatible_from: 0037
-- Trusted lists in XML (ETSI TS 119 612) beside VICALs and lists in JSON. A release from before takes one for a VICAL that it cannot
-- read: it trusts nobody new by it, and what was loaded stands until the list itself runs out; its trust page fails while there is one.
alter table trust_lists
  drop constraint trust_lists_kind_check,
  add constraint trust_lists_kind_check check (kind in ('vical', 'lote', 'tsl'));
