-- The log: append-only. What stands here is evidence; every other table can be made again or is operational state.

create table entry (
    idx integer primary key,
    digest blob not null,
    leaf_hash blob not null,
    record blob not null,
    -- milliseconds since 1970, by the server's clock
    logged_at integer not null,
    constraint entry_idx_check check (idx >= 0),
    constraint entry_digest_key unique (digest),
    constraint entry_digest_check check (length(digest) = 32),
    constraint entry_leaf_hash_check check (length(leaf_hash) = 32),
    constraint entry_record_check check (length(record) between 1 and 65535)
) strict;

create trigger entry_refuses_update before update on entry
begin
    select raise(abort, 'entries are never changed');
end;
create trigger entry_refuses_delete before delete on entry
begin
    select raise(abort, 'entries are never deleted');
end;

-- Full hash tiles only; a partial tile is cut on reading. `root` is the hash that stands for the tile one level up.
create table tile (
    level integer not null,
    idx integer not null,
    hashes blob not null,
    root blob not null,
    primary key (level, idx),
    constraint tile_hashes_check check (length(hashes) = 8192),
    constraint tile_root_check check (length(root) = 32)
) strict, without rowid;

create trigger tile_refuses_update before update on tile
begin
    select raise(abort, 'tiles are never changed');
end;
create trigger tile_refuses_delete before delete on tile
begin
    select raise(abort, 'tiles are never deleted');
end;

-- One row: the size and the frontier (32 bytes for each set bit of the size). Changes in the entries' own transaction.
create table log_state (
    id integer primary key,
    size integer not null,
    frontier blob not null,
    constraint log_state_single check (id = 1)
) strict;
insert into log_state (id, size, frontier) values (1, 0, x'');

-- Tree heads that were signed, after the commit of their entries. Two heads for one size cannot both be stored.
create table tree_head (
    size integer primary key,
    note text not null,
    signed_at integer not null
) strict;

create trigger tree_head_refuses_update before update on tree_head
begin
    select raise(abort, 'tree heads are never changed');
end;
create trigger tree_head_refuses_delete before delete on tree_head
begin
    select raise(abort, 'tree heads are never deleted');
end;
