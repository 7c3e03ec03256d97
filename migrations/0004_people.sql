-- What admins do to accounts and tokens, by whom it was done, and one table for every token that is shown to the API.

alter table account add column disabled_at integer;

-- What agents and persons' programs show when they talk to the API: one table, because it is one thing. An agent's
-- evidence is signed by its key all the same; a person's program decides nothing, nobody sits at its keyboard.
create table token (
    token_hash blob primary key,
    kind text not null,
    -- the agent's or the account's name
    holder text not null,
    label text not null,
    -- what it may be used for, by codes with a space between
    scopes text not null,
    issued_at integer not null,
    expires_at integer not null,
    last_used_at integer,
    constraint token_kind_check check (kind in ('agent', 'account')),
    constraint token_token_hash_check check (length(token_hash) = 32)
) strict, without rowid;
create index token_holder_idx on token (kind, holder);

insert into token (token_hash, kind, holder, label, scopes, issued_at, expires_at, last_used_at)
    select token_hash, 'agent', agent, 'enrolled', 'push orders', issued_at, expires_at, last_used_at from agent_token;
insert into token (token_hash, kind, holder, label, scopes, issued_at, expires_at, last_used_at)
    select token_hash, 'account', account, label, 'read define_routes', issued_at, expires_at, last_used_at from api_token;
drop table agent_token;
drop table api_token;

-- What the token may be used for that the agent gets with it.
alter table enrolment_token add column scopes text not null default 'push orders';

-- Every change of an account or a token: who, what, to whom. Secrets never stand here.
create table account_event (
    id integer primary key,
    -- milliseconds since 1970, by the server's clock
    at integer not null,
    -- an account, or `command line`
    by text not null,
    change text not null,
    -- the account or the agent that it was done to
    subject text not null,
    -- what was given or taken, in words of the server
    detail text not null
) strict;

create trigger account_event_refuses_update before update on account_event
begin
    select raise(abort, 'what was done to accounts is never changed');
end;
create trigger account_event_refuses_delete before delete on account_event
begin
    select raise(abort, 'what was done to accounts is never deleted');
end;
