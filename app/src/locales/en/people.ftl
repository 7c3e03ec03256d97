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
section-zone = Time zone
zone-note = Kept with your account. Moments stand in UTC, and beside it by your clock; what a form asks for stays UTC.
zone-label = Time zone, like Europe/Madrid; nothing for UTC
zone-submit = Keep the time zone
zone-refused = The time zone was not changed
zone-refused-found = Time zone: found “{ $found }”, which the database of time zones does not know.
zone-refused-expected = Expected is a name of the IANA database, like Europe/Madrid, or nothing for UTC.
zone-gone = The database of time zones no longer knows { $zone }: moments stand in UTC alone until you choose another one.
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
people-lead = Whoever owns an agent cannot approve what it pushed. An admin keeps accounts and tokens, decides nothing, and gives nothing to themselves.
section-people = Accounts
people-note = By name. A name is never given to another person.
person-head-name = Name
person-head-role = Role
person-head-sessions = Sessions
person-head-agents = Owns agents
person-no-agent = none
person-head-state = State
person-head-since = Since
person-enabled = in use
person-disabled = disabled
section-add = Add an account
add-note = Hand the password over by a safe way.
add-password = First password, 10 characters at least
add-choose-role = choose one
add-submit = Add the account
section-enrol = Enrol an agent
enrol-note = A one-time token: the agent that shows it first gets its key into the log.
enrol-agent = The agent's name
enrol-owner = Who owns it
enrol-nobody = nobody
enrol-hours = Valid for hours, 168 at most
enrol-submit = Issue the one-time token
enrol-command = On the agent's machine:
section-all-tokens = Tokens of persons
section-all-tokens-note = They read, and an admin's may set up routes. They decide nothing.
section-agent-tokens = Tokens of agents
section-agent-tokens-note = Each agent got one when its key was enrolled. Its evidence is signed by its key all the same.
section-enrolments = One-time tokens
section-enrolments-note = Issued and not used yet.
tokens-no = There is none.
token-head-holder = Holder
token-head-scopes = May be used to
token-revoke-of = Revoke the token { $label } of { $holder }
token-days = Valid for days, 366 at most
token-issue = Issue the token
scope-read = read
scope-define-routes = set up routes
scope-metrics = read metrics
scope-cancel = stop builds
scope-push = push evidence
scope-orders = take orders
scope-about-read = Whatever the account may read.
scope-about-define-routes = For policies that come out of a repository.
scope-about-metrics = For Prometheus, which watches the server and sees no evidence.
scope-about-cancel = For tests and jobs that stop a build over the portal.
scope-about-push = Append signed statements and store blobs.
scope-about-orders = For the agent beside a runtime: deployments, rollbacks, drills.
section-events = What was done
events-note = Each change leaves a line that nobody can change.
events-none = Nothing yet.
event-head-number = Line
event-head-at = When
event-head-by = By
event-head-change = What
event-head-subject = To
event-head-detail = Detail
event-by-command-line = the server's command line
change-add = account added
change-set-role = role changed
change-disable = account disabled
change-enable = account enabled
change-end-sessions = sessions ended
change-issue-token = token issued
change-revoke-token = token revoked
change-issue-enrolment = one-time token issued
change-revoke-enrolment = one-time token taken back
person-headline = { $name } is { $role }.
person-headline-disabled = { $name } was { $role } and is disabled.
person-lead = A change of role ends the sessions. A name is never given to another person.
person-own = This is your own account: another admin must change it.
section-rights = Role and use
rights-note = Takes effect at once.
person-set-role = Change the role
person-disable = Disable the account
person-disable-note = Nobody can sign in with it, and its tokens do not work, until it is enabled again. What it signed stays.
person-enable = Enable the account
person-enable-note = Whoever knows its password can sign in again, and its tokens work again.
person-end-sessions = End all sessions
sessions-none = Nobody is signed in with it.
section-issue = Issue a token
issue-note = It is shown once, on the next page.
people-password-note = Asked for again before this is done; then good for five minutes.
people-done-word = done
people-done = { $subject }: { $change }.
people-done-lead = The line below says so for good.
people-done-once = The token stands below, this one time. It is stored nowhere: copy it now.
people-done-shown = The token was shown when it was issued, and is stored nowhere. Who has lost it gets another one.
people-back = To people and tokens
section-token = The token
token-note = Shown once.
section-line = The line
form-at-most = at most { $n }
refusal-account-exists = The name is taken. A name is never given twice.
refusal-malformed-name = A name has 1 to 64 characters of a-z, 0-9 and -_.@.
refusal-malformed-password = A password has at least 10 characters.
refusal-malformed-label = A label has 1 to 100 characters.
refusal-bad-duration = It cannot be valid for so long.
refusal-bad-scopes = A token needs at least one use, and only fitting ones.
refusal-own-account = Nobody gives rights to themselves: another admin must do it.
refusal-no-such-account = There is no such account.
refusal-no-such-token = There is no such token. It may have been used, revoked or ended.
refusal-step-up-needed = Give your password again: it was last given more than five minutes ago.
refusal-bad-order = This is not the id of an order.
refusal-bad-digest = This is no digest.
