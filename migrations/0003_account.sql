-- Accounts, sessions and tokens: operational state, not evidence. Secrets are stored hashed.

create table account (
    name text primary key,
    role text not null,
    password_hash text not null,
    created_at integer not null,
    constraint account_role_check check (role in ('builder', 'reviewer', 'approver', 'auditor', 'admin'))
) strict;

create table session (
    token_hash blob primary key,
    account text not null references account (name) on delete cascade,
    form_token text not null,
    created_at integer not null,
    last_seen_at integer not null,
    -- when the password was last given
    authenticated_at integer not null,
    -- what the browser called itself, for the person's own list of sessions
    user_agent text not null default '',
    constraint session_token_hash_check check (length(token_hash) = 32)
) strict, without rowid;
create index session_account_idx on session (account);

-- One-time tokens by which an agent's key is enrolled.
create table enrolment_token (
    token_hash blob primary key,
    agent text not null,
    issued_by text not null,
    -- the account that will own the agent
    owner text,
    issued_at integer not null,
    expires_at integer not null,
    -- the key that used it; set once
    used_by blob,
    constraint enrolment_token_hash_check check (length(token_hash) = 32)
) strict, without rowid;

-- What an agent shows when it talks to the API. Its evidence is signed by its key all the same.
create table agent_token (
    token_hash blob primary key,
    agent text not null,
    issued_at integer not null,
    expires_at integer not null,
    last_used_at integer,
    constraint agent_token_hash_check check (length(token_hash) = 32)
) strict, without rowid;
create index agent_token_agent_idx on agent_token (agent);

-- What a person's programs show to the API. Never enough for a decision: nobody sits at its keyboard.
create table api_token (
    token_hash blob primary key,
    account text not null references account (name) on delete cascade,
    label text not null,
    issued_at integer not null,
    expires_at integer not null,
    last_used_at integer,
    constraint api_token_hash_check check (length(token_hash) = 32)
) strict, without rowid;
create index api_token_account_idx on api_token (account);

-- A form that is sent twice makes one entry: the key is taken first, the entry is noted when it is logged.
create table idempotency (
    account text not null,
    key text not null,
    entry integer,
    taken_at integer not null,
    primary key (account, key)
) strict, without rowid;
