-- compatible_from: 0037
-- The one document type and name space that the keys of an anchor sign, where the operator says so: without it no zero-knowledge
-- proof counts under the anchor. Of a list: said of everybody it names. Earlier releases leave it null.
alter table anchors add column sole json;
alter table trust_lists add column sole json;
