-- Lists of runs in any order and under any filter, without going through all of them.

-- What a filter can ask of a run beside times, as JSON: the same for many runs. A filter is held against these few rows.
create table run_kind (
    id integer primary key,
    facts text not null,
    -- how many runs are of the kind
    runs integer not null,
    constraint run_kind_facts_key unique (facts)
) strict;

alter table run add column kind integer not null default 0;
-- What was not measured is the least, so that every run has its place in every order.
alter table run add column silence_rank real generated always as (ifnull(silence_ms, -1)) virtual;
alter table run add column latency_rank real
    generated always as (ifnull(cancel_latency_ms, ifnull(cancel_censored_ms, -1))) virtual;

-- An index for each order. The kind and the other measures stand in it, so that a run that a filter leaves out costs no
-- look at its row.
drop index run_started_idx;
create index run_started_idx on run (started_at, number, kind, total_ms, silence_rank, latency_rank);
create index run_duration_idx on run (total_ms, number, kind, started_at, silence_rank, latency_rank);
create index run_silence_idx on run (silence_rank, number, kind, started_at, total_ms, latency_rank);
create index run_latency_idx on run (latency_rank, number, kind, started_at, total_ms, silence_rank);
-- Where a filter lets few runs through, they are taken by their kinds and put in order.
create index run_kind_idx on run (kind, number, started_at, total_ms, silence_rank, latency_rank);

-- The newest runs that are kin to a run: of its route, of its network, of its configuration.
create index run_route_idx on run (route, number) where route is not null;
create index run_network_idx on run (network, number);
drop index run_config_idx;
create index run_config_idx on run (build_config_hash, number, kind, total_ms);

-- The newest entry of a signer: an index holds the rowid, which is `idx`.
create index entry_meta_newest_idx on entry_meta (signer);
