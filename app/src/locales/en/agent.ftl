### An agent and the life of its keys, in English. Same keys and values as es/agent.ftl.

agent-title = Agent { $name }
agent-word-active = may sign
agent-word-revoked = revoked
agent-word-none = no key
agent-headline-active = Agent { $name } signs with key { $key }, introduced by entry { $entry }.
agent-headline-revoked = Agent { $name } signs nothing any more: entry { $entry } revoked its key, by { $by }. The reason: { $reason }
agent-headline-none = Agent { $name } has no key that may sign.
agent-owned = It is owned by { $owner }, who may not approve on its evidence.
agent-not-owned = No account owns it.
agent-signed = { $n ->
    [0] It has signed nothing yet.
    [one] It signed one entry.
   *[other] It signed { $shown } entries.
}
agent-missing = { $n ->
    [one] One statement of its chain is missing in the log.
   *[other] { $shown } statements of its chain are missing in the log.
}
agent-broken = Its statements contradict each other.
section-agent-keys = Keys
agent-keys-note = The order of the log decides. What a key signed before it ended stays valid.
key-head-state = State
key-head-begin = Introduced by
key-head-end = Ended by
key-active = may sign
key-rotated = replaced
key-revoked = revoked
key-by = by { $name }
key-begin-enrolled = enrolled
key-begin-rotated = after the key before it
section-agent-chain = Chain
agent-chain-note = An agent numbers its statements and names the one before. What is withheld or lost is seen as a gap. An enrolment begins a new chain.
agent-chain-none = It has signed no statement yet.
agent-chain = { $n ->
    [one] One statement, the last number is { $last }:
   *[other] { $shown } statements, the last number is { $last }:
}
agent-more-faults = { $n ->
    [one] One more is not listed.
   *[other] { $n } more are not listed.
}
chain-fault-missing = Missing: numbers { $from } to { $to }.
chain-fault-forked = Several statements have the number { $number }:
chain-fault-previous = It names another statement before it than the log holds:
chain-fault-number = It has no number:
section-agent-kinds = What it signed
section-revoke = Revoke the key
revoke-note = From the entry of the revocation on, nothing that the key signs is taken. What it signed before stays valid. The agent needs a new one-time token to go on.
revoke-reason = Why? It stands in the log for everybody who may read it.
revoke-confirm = Key { $key } of agent { $name } is to sign nothing any more. This cannot be undone.
revoke-submit = Revoke the key
refusal-malformed-reason = A reason has 1 to 500 characters.
refusal-no-key = The key has been revoked already.
refusal-not-the-key = The agent has another key by now. What you see is how it stands; look again, then revoke.
refusal-not-confirmed = The revocation was not confirmed.
