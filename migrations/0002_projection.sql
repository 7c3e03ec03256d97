-- Projections: what the log says, laid out for questions. `acta-server rebuild` empties these tables and replays the
-- log into them; nothing here may come from anywhere but an entry.

create table agent (
    name text primary key,
    key_id blob not null,
    public_key blob not null,
    -- the entry that enrolled it
    enrolled_at integer not null,
    authorized_by text not null,
    -- the account that owns it
    owner text,
    constraint agent_key_id_key unique (key_id)
) strict, without rowid;

create table entry_meta (
    idx integer primary key,
    predicate_type text not null,
    -- an agent's name, or `portal`
    signer text not null,
    -- the statement's place in the agent's chain
    sequence integer,
    previous blob
) strict;
create index entry_meta_signer_idx on entry_meta (signer, sequence);

create table subject (
    digest blob not null,
    idx integer not null,
    name text,
    primary key (digest, idx)
) strict, without rowid;

create table run (
    id text primary key,
    -- in the order of the log, counted from 1
    number integer not null,
    entry integer not null,
    agent text not null,
    network text not null,
    network_digest blob not null,
    route text,
    attempt integer not null,
    retry_of text,
    builder text not null,
    outcome text not null,
    total_ms real not null,
    build_ms real,
    silence_ms real,
    cancel_latency_ms real,
    cancel_censored_ms real,
    cleanup text not null,
    validation text not null,
    cache_mode text not null,
    gpu_sku text not null,
    tensorrt_version text not null,
    build_config_hash blob not null,
    phase_tree blob,
    phases integer not null,
    -- milliseconds since 1970, by the agent's clock
    started_at integer not null,
    needs_person integer not null,
    constraint run_number_key unique (number),
    constraint run_entry_key unique (entry)
) strict, without rowid;
create table artifact (
    run text not null,
    -- in the order of the summary, counted from 0
    position integer not null,
    name text not null,
    kind text not null,
    bytes integer not null,
    digest blob,
    disposition text not null,
    primary key (run, position)
) strict, without rowid;

create index run_started_idx on run (started_at desc, number desc);
create index run_retry_idx on run (retry_of) where retry_of is not null;

-- Which entries concern a route: gates, decisions, canaries, retentions, orders, results, pins and the route itself.
create table route_event (
    route text not null,
    idx integer not null,
    kind text not null,
    primary key (route, idx)
) strict, without rowid;
