-- Projections for questions about many runs: how long cancels took, what was decided about timing caches, and which runs
-- were asked for the same.

create table cancel (
    run text primary key,
    -- the run's number: the order of the log
    number integer not null,
    route text,
    gpu_sku text not null,
    builder text not null,
    source text not null,
    outcome text not null,
    cleanup text not null,
    -- the normalised names down to the innermost phase that was open at the request; null where none was, or none is known
    phase text,
    -- milliseconds since 1970, by the agent's clock
    requested_at integer not null,
    ack_ms real,
    -- where never acknowledged: the latency is longer than this
    censored_ms real,
    return_ms real,
    cleanup_ms real,
    constraint cancel_number_key unique (number)
) strict, without rowid;
create index cancel_route_idx on cancel (route, number);
create index cancel_gpu_idx on cancel (gpu_sku, number);
create index cancel_phase_idx on cancel (phase, number);

create table cache_decision (
    run text primary key,
    -- the run's number: the order of the log
    number integer not null,
    entry integer not null,
    agent text not null,
    route text,
    network text not null,
    outcome text not null,
    started_at integer not null,
    mode text not null,
    policy text not null,
    file text,
    digest_before blob,
    digest_after blob,
    bytes_before integer,
    bytes_after integer,
    -- the facts that the mode rests on, a JSON array of texts
    reasons text not null,
    -- entries by key and tactic; null where they could not be compared
    added integer,
    removed integer,
    changed integer,
    -- what the cache would have to be good for
    tensorrt_version text not null,
    gpu_sku text not null,
    driver text,
    cuda text,
    constraint cache_decision_number_key unique (number)
) strict, without rowid;
create index cache_decision_mode_idx on cache_decision (mode, number);
create index cache_decision_route_idx on cache_decision (route, number);
-- Where the library has no use for a cache, nothing was decided.
create index cache_decision_made_idx on cache_decision (number) where mode <> 'not_applicable';

create index run_config_idx on run (build_config_hash, number);
