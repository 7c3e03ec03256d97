### Accounts, in English. Same keys and values as es/people.ftl.

account-title = Your account
account-headline = { $sessions ->
    [one] You are signed in here and nowhere else
   *[other] You are signed in { $sessions } times
}, and { $tokens ->
    [0] no token acts for you
    [one] one token acts for you
   *[other] { $tokens } tokens act for you
}.
account-lead = End whatever you do not recognize, then change your password.
account-word = signed in
section-sessions = Sessions
sessions-note = Each browser that is signed in as you.
session-head-browser = Browser
session-head-since = Signed in
session-head-last = Last used
session-head-end = End it
session-current = this one
session-end = End
session-end-label = End the session of { $browser }, signed in { $at }
session-unknown = a browser without a name
section-tokens = Tokens
tokens-note = They read and push for you, and decide nothing.
tokens-none = No token acts for you.
token-head-label = For
token-head-issued = Issued
token-head-expires = Ends
token-head-last = Last used
token-head-revoke = Revoke it
token-never = never
token-revoke = Revoke
token-revoke-label = Revoke the token { $label }
section-preferences = Language and theme
preferences-note = Kept in this browser.
people-title = People
people-word = accounts
people-headline = { $n ->
    [one] There is one account
   *[other] There are { $n } accounts
}; { $approvers ->
    [0] nobody can approve
    [one] one person can approve
   *[other] { $approvers } persons can approve
}.
people-lead = Whoever owns an agent cannot approve what it pushed. Accounts are made on the server:
section-people = Accounts
people-note = By name. A name is never given to another person.
person-head-name = Name
person-head-role = Role
person-head-sessions = Sessions
person-head-agents = Owns agents
person-no-agent = none
