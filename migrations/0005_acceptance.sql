-- Projections of the Stuck-Build Acceptance Test: when it was run, what it came to, and the builds that it made.

create table acceptance (
    id text primary key,
    -- in the order of the log, counted from 1
    number integer not null,
    entry integer not null,
    agent text not null,
    builder text not null,
    gpu_sku text not null,
    tensorrt_version text not null,
    -- milliseconds since 1970, by the agent's clock
    started_at integer not null,
    finished_at integer not null,
    -- scenarios that were run, that passed, that failed
    ran integer not null,
    passed integer not null,
    failed integer not null,
    constraint acceptance_number_key unique (number),
    constraint acceptance_entry_key unique (entry)
) strict, without rowid;

create table acceptance_run (
    run text not null,
    acceptance text not null,
    scenario text not null,
    role text not null,
    primary key (run, acceptance, scenario)
) strict, without rowid;
