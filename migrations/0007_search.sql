-- Search by digest: a prefix is a range of an index, never a scan. Subjects, keys and entries have theirs already; what
-- is added is leaf hashes, and every digest that stands in a predicate.

create index entry_leaf_hash_idx on entry (leaf_hash);

create table mention (
    digest blob not null,
    idx integer not null,
    primary key (digest, idx)
) strict, without rowid;

-- Evidence packs ask for all statements about keys.
create index entry_meta_type_idx on entry_meta (predicate_type, idx);
