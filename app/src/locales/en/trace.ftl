### The trace of a bundle, in English. Same keys and values as es/trace.ftl.

act-trace = Trace
trace-trail = Trace of a bundle
trace-title = Trace of bundle { $bundle }
trace-word-whole = whole
trace-word-gaps = with gaps
trace-word-broken = does not verify
trace-whole = Bundle { $bundle } can be traced from its checkpoint to what is live, without a gap.
trace-gaps = { $n ->
    [one] The trace of bundle { $bundle } has one gap: { $first }.
   *[other] The trace of bundle { $bundle } has { $n } gaps. The first: { $first }.
}
trace-broken = The trace of bundle { $bundle } rests on { $of } entries, and { $n } of them do not verify.
trace-verified = { $n ->
    [one] The one entry that it rests on was verified: signature, place in the log, tree head.
   *[other] All { $n } entries that it rests on were verified: signature, place in the log, tree head.
}
trace-stored = Its bytes are here: { $size }.
trace-purged = Its bytes were retained here and have been purged on purpose, as entry { $index } says. The entries stay.
trace-not-here = Its bytes are not kept here.
trace-other-route = On { $route }
section-steps = From the checkpoint to what is live
steps-note = Ten steps in order. Each fact says how it is known and which entry says it; what no entry says is unknown.
trace-step-checkpoint = checkpoint
trace-step-files = files
trace-step-recipe = recipe
trace-step-environment = environment
trace-step-run = run
trace-step-bundle = bundle
trace-step-parity = parity
trace-step-canary = canary
trace-step-decisions = decisions
trace-step-live = in service
trace-state-known = known
trace-state-incomplete = incomplete
trace-state-unknown = unknown
trace-state-not-yet = not yet
trace-facts = Facts of the step: { $step }
trace-head-fact = Fact
trace-head-value = Value
trace-head-class = How it is known
trace-head-found = Found
trace-unverified = not verified
trace-signature-valid = verified
trace-signature-bad = does not verify
trace-key = key
trace-gap-word = unknown
trace-gap-no-entry = no entry of the log speaks of it
trace-gap-run-not-named = no entry says which run built the bundle
trace-gap-run-not-logged = run { $run } is named, and the log holds no summary of it
trace-gap-run-simulated = it was built by a simulation, not by a library
trace-gap-gate-closed = gate { $gate } is not satisfied by it
trace-gap-canary = there is no verdict on a canary
trace-gap-at = { $step }: { $why }
trace-untied = no entry ties { $from } to { $to }
trace-no-gaps = None.
class-measured = measured by the agent
class-stated-by-bundle = stated by the bundle
class-stated-by-person = stated by a person
class-vendor-claim = a vendor's claim
check-verdict-pass = holds
check-verdict-not-applicable = does not apply
check-verdict-not-run = not looked at
check-verdict-hold = left to a person
check-verdict-fail = does not hold
check-verdict-error = the check failed
section-graph = The same as a picture
graph-note = Each box leads to its step above.
graph-title = The steps of the trace and the ties that entries make between them
graph-caption = Entries make { $n } of the { $of } ties between the steps. A tie that no entry makes is not drawn.
section-gaps = What is unknown
gaps-note = What a whole trace would need and no entry says.
section-trace-record = To check this record
trace-record-note = The tree head that it was made from, and the command for each entry. No trust in this server is needed.
trace-origin = Log
trace-size = Entries
trace-root = Root hash
trace-address = Address of this page
trace-verify = On a machine of your own, with the keys that you trust:
