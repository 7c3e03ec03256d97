### Routes in English. Same keys and values as es/route.ftl. What begins in lower case is a clause: a page makes it a
### sentence of its own or sets it behind a colon.

## States
status-pass = may be served
status-hold = may not be served
status-reject = rejected
status-outdated = outdated
gate-state-missing = missing
gate-state-unsatisfied = unsatisfied
gate-state-satisfied = satisfied
gate-state-overridden = overridden
gate-state-outdated = outdated
gate-state-not-applicable = not applicable
gate-state-error = error
canary-not-started = not started
canary-running = running
canary-pass = passed
canary-failed = failed
canary-planned = planned
rollback-tested = tested
rollback-blocked = blocked

## Gates
gate-1 = Source
gate-2 = Build
gate-3 = Bundle
gate-4 = Parity
gate-5 = Release
gate-about-1 = checkpoint, licence, code
gate-about-2 = environment and recipe
gate-about-3 = format and manifest
gate-about-4 = native C++ runtime
gate-about-5 = canary and rollback
gate-rule-1 = The checkpoint is pinned to a revision that cannot move, its files are hashed, its licence allows the use, and remote code is reviewed.
gate-rule-2 = The build is on record with its sources, environment, recipe, precision and custom kernels, and the run is one of this log.
gate-rule-3 = The bundle was read whole: header, section table and digests fit, it says where it comes from, and what signs or scans it is on record.
gate-rule-4 = On the route's own runtime target the native C++ runtime gives what the reference gives, within tolerances that were stated before the run.
gate-rule-5 = Cold build, warm-up, latency, throughput, memory and errors are measured on the target, a canary is planned, and the way back is drilled.
gate-rule-after = It does not count before gate { $gate } is open.
gate-rule-checks = Must be on record: { $checks }.
gate-rule-show = The rule of gate { $gate }

## What is missing
missing-gap = entries { $from } to { $to } of the log could not be examined
missing-contradiction = two entries claim index { $index } of the log
missing-definition = the route is not set up, or its policy makes no sense
missing-bundle = the route has no bundle yet
missing-gate = { $state ->
    [missing] gate { $gate } has no evidence
    [unsatisfied] gate { $gate } is not satisfied
    [outdated] gate { $gate } was satisfied under other pinned facts
    [not_applicable] nothing of gate { $gate } is said to apply, and that does not open it
    [error] a check of gate { $gate } itself failed
   *[other] gate { $gate } is not open
}
missing-canary-plan = there is no plan for a canary
missing-canary-failed = the canary failed (entry { $index })
missing-way-back = { $lack }
missing-hold = { $cause ->
    [rollback_in_progress] a rollback is under way (entry { $index })
    [rolled_back] the route was rolled back and stays on hold until an approver lifts it (entry { $index })
   *[decision] it is on hold (entry { $index })
}
missing-rejected = it was rejected (entry { $index })
missing-approvals = { $counted ->
    [0] { $needed ->
        [one] the approval is missing
       *[other] none of { $needed } approvals is there
    }
   *[other] { $counted } of { $needed } approvals count
}
need-operator = whoever runs the log
need-admin = an admin
need-builder = a builder
need-runtime = whoever keeps the runtime
need-approver = an approver
need-approvers = { $n ->
    [one] one more approver
   *[other] { $n } more approvers
}
need-owner = { $owner }; an approver lifts it
need-nobody = nobody: it is final for this bundle
need-after = after { $n }
need-you-may = You may approve.
need-you-may-not = You may not approve: { $why }.
need-plan = What is still missing, check by check:

## The way back
lack-not-retained = bundle { $bundle }, to which a rollback would return, is not retained
lack-purged = bundle { $bundle }, to which a rollback would return, was purged
lack-damaged = what is retained of bundle { $bundle }, to which a rollback would return, is damaged
lack-retention-ended = bundle { $bundle }, to which a rollback would return, was retained until { $at }
lack-other-config = the order names another runtime configuration than the retained one
lack-never-drilled = no drill has ever restored bundle { $bundle }
lack-drill-failed = the last drill with bundle { $bundle } failed (entry { $index })
lack-drill-stale = the last drill with bundle { $bundle }, of { $at }, is older than the policy allows
lack-drill-other-target = the last drill with bundle { $bundle } was done on { $found }, not on the route's runtime target
lack-drill-not-verified = the last drill with bundle { $bundle } restored other bytes, or its health check did not pass
lack-drill-outdated = the last drill with bundle { $bundle } was done under other pinned facts: { $changes }

## Pinned facts
pin-tensorrt = TensorRT
pin-model-connect = Model Connect
pin-cuda = CUDA
pin-driver = the driver
pin-gpu-sku = the GPU
pin-recipe = the recipe
pin-licence = the licence
pin-none = not pinned
pin-change = { $pin } changed from { $before } to { $after }
pin-differs = { $pin } was { $before } where it was measured and is pinned to { $after }

## Why a gate is not satisfied
reason-no-record = nothing is on record
reason-check-missing = the check { $check } is not on record
reason-check-not-passed = { $verdict ->
    [fail] the check { $check } does not hold
    [hold] the check { $check } is left to a person to decide
    [not_run] the check { $check } was not looked at, or there was too little to judge it
    [error] the check { $check } itself failed
    [not_applicable] the check { $check } was said not to apply
   *[pass] the check { $check } holds
}
reason-check-must-apply = the check { $check } must hold and was said not to apply
reason-vendor-claim = the check { $check } rests on a vendor's claim, which satisfies nothing
reason-not-measured = the check { $check } must be measured and is only stated
reason-unexplained = the check { $check } does not say why it does not apply, or who states it
reason-simulated = it rests on a simulated build, which no override opens
reason-other-target = it was measured on { $found }, not on { $expected }
reason-other-target-none = it does not say where it was measured; that must be { $expected }
reason-before-gate = it must run again once gate { $gate } is open
reason-pin-not-observed = { $pin } is pinned and was not observed where it was measured
reasons-more = { $n ->
    [one] and one more
   *[other] and { $n } more
}

## Why somebody's decision does not count
objection-not-signed-by-portal = the portal did not sign it
objection-not-approver = { $who ->
    [you] your account is no approver
   *[they] the account was no approver
}
objection-is-admin = { $who ->
    [you] you are an admin, and admins decide nothing
   *[they] it is an admin's, and admins decide nothing
}
objection-not-listed = { $who ->
    [you] the route's policy does not list you as an approver
   *[they] the route's policy does not list the account as an approver
}
objection-not-stepped-up = { $who ->
    [you] you have not given your password within the last five minutes
   *[they] the password had not been given within the five minutes before
}
objection-involved = { $who ->
    [you] you built it, own the agent or contributed evidence (entry { $index })
   *[they] the person built it, owns the agent or contributed evidence (entry { $index })
}
objection-incomplete = the decision lacks { $lacks }
objection-seen-future = it names a tree head that did not exist yet
objection-hold-in-force = a hold stands (entry { $index })
objection-not-seen = { $who ->
    [you] you have not seen entry { $index }, which came later
   *[they] entry { $index }, which ends what was approved before, had not been seen
}
objection-not-named = it does not name the entry that gate { $gate } rests on
objection-outdated = it no longer fits: { $cause }
objection-overrides-not-allowed = the route's policy allows no override
objection-expired = it ended on { $at }
objection-role = your role does not include it
incomplete-reason-code = a reason code
incomplete-text = a reason in words
incomplete-hold-terms = an owner and a review date in the future
incomplete-override-terms = at least one gate and an expiry in the future
incomplete-evidence = the entries that it rests on
outdated-pin = { $change } (entry { $index })
outdated-evidence = gate { $gate } has new evidence (entry { $index })
outdated-definition = the route's checkpoint, target or policy changed (entry { $index })

## Whose turn
turn-operator = whoever runs the log: entries cannot be read
turn-admin = an admin: the route has to be set up
turn-builder = { $n ->
    [0] a builder: a bundle, a canary's plan or a retained bundle is missing
    [one] a builder, for gate { $gates }
   *[other] a builder, for gates { $gates }
}
turn-runtime = whoever keeps the runtime
turn-hold-owner = the owner of the hold of entry { $index }: { $owner }
turn-hold-nobody = the owner of the hold of entry { $index }
turn-approver = { $n ->
    [one] one more approver
   *[other] { $n } more approvers
}
turn-nobody = nobody
turn-yours = your turn
turn-line = Whose turn: { $turn }.

## History
kind-definition = route set up or changed
kind-gate = gate { $gate } run
kind-pin = a pinned fact found changed: { $pin }
decision-approve = approve
decision-hold = hold
decision-reject = reject
decision-override = override
decision-lift-hold = lift the hold
kind-canary = canary { $phase }
kind-retention = bundle { $state }
retention-retained = retained
retention-purged = purged
retention-damaged = damaged
action-deploy = deployment
action-rollback = rollback
action-drill = drill
kind-order = { $action } ordered
kind-result = { $action } { $step }
step-requested = requested
step-acknowledged = acknowledged
step-restored = restored
step-verified = verified
step-refused = refused
step-failed = failed
effect-recorded = on record
effect-superseded = a later entry took its place
effect-counted = counts
effect-not-counted = does not count
effect-ended-by = ended by entry { $index }
effect-held = in force
effect-held-over = no longer in force
effect-rejected = rejected
effect-lifted = { $n ->
    [0] lifted nothing
    [one] lifted the hold of entry { $holds }
   *[other] lifted the holds of entries { $holds }
}
effect-other-bundle = another bundle
failure-not-retained = the bundle is not retained
failure-damaged = what is retained has another digest
failure-runtime-config = the runtime configuration is missing or another
failure-never-drilled = no drill ever restored it, or the drill is too old
failure-target-missing = the target is missing
failure-target-full = the target is full
failure-target-read-only = the target cannot be written
failure-unhealthy = the health command found it unwell
failure-health-timeout = the health command did not end in time
failure-superseded = another order came first
failure-other = for a reason in words
reason-code-custom-kernel = custom kernel not reviewed or not owned
reason-code-tvm-ffi-boundary = TVM-FFI boundary not reviewed or not owned
reason-code-precision-change = precision or quantization changed
reason-code-portability = not shown on the target
reason-code-missing-evidence = evidence is missing
reason-code-licence = licence does not allow it, or is not clear
reason-code-remote-code = remote code or pickle weights
reason-code-parity = outputs differ from the reference
reason-code-performance = latency, throughput or memory
reason-code-canary = the canary
reason-code-rollback = the way back
reason-code-security = vulnerability, signature or scan
reason-code-pin-changed = a pinned fact changed
reason-code-resolved = what was missing is there now
reason-code-other = something else, in words

## The board
routes-none-word = no route
routes-none = No route has been set up yet.
routes-none-lead = A route leads from one checkpoint to a served bundle; five gates stand on it. An admin sets it up, once, with a policy file:
routes-yours-word = your turn
routes-yours = { $n ->
    [one] { $all ->
        [one] The only route waits for you.
       *[other] One of { $all } routes waits for you.
    }
   *[other] { $n } of { $all } routes wait for you.
}
routes-others-word = not your turn
routes-others = { $all ->
    [one] The only route does not wait for you.
   *[other] None of { $all } routes waits for you.
}
routes-served = { $n ->
    [0] None may be served.
    [one] One may be served.
   *[other] { $n } may be served.
}
routes-outdated = { $n ->
    [one] The approval of one no longer fits.
   *[other] The approvals of { $n } no longer fit.
}
section-board = Routes
board-note = Yours first, then the one that has waited longest. Each row tells of the route's newest bundle.
board-yours = Your turn
board-rest = The turn of others
board-route = Route
board-turn = Turn
board-record = Record
board-missing = { $n ->
    [0] nothing is missing
    [one] one thing is missing
   *[other] { $n } things are missing
}
board-since = newest entry { $at }, { $age } ago
board-no-bundle = no bundle yet
board-canary = canary { $status }
board-rollback = way back { $status }

## A route
route-title = Route { $name }
route-may = This route may be served: all five gates are open and { $n ->
    [one] its approval counts
   *[other] { $n } approvals count
}.
route-may-not = This route may not be served: { $why }.
route-outdated = This route may no longer be served: { $why }.
route-rejected = This route may not be served: bundle { $bundle } { $why }.
route-rejected-because = was rejected (entry { $index })
route-open = { $n ->
    [0] No gate is open.
    [one] Gate { $gates } is open.
    [5] All five gates are open.
   *[other] Gates { $gates } are open.
}
route-more = { $n ->
    [one] One more thing is missing.
   *[other] { $n } more things are missing.
}
route-live-this = This bundle is live since { $at }.
route-live-other = What is live, bundle { $bundle }, is not affected.
route-live-none = Nothing is live.
route-yours = It is your turn.
route-about-bundle = bundle { $bundle }
route-about-none = no bundle
route-about-log = as of entry { $index }
act-decide = Decide
act-roll-back = Roll back
act-deploy = Deploy this bundle
act-live = What was live at a time?
and = and
section-gates = Five gates
gates-note = One row for each bundle. A word leads to the entry, the head of a column to its rule.
gates-caption = State of each gate
gates-bundle = Bundle
gates-this = the one that is judged here
gates-live = live
gates-until = until { $at }
gates-nothing = nothing on record
section-missing = What is missing for approval
missing-note = In the order in which it can be done, and whose turn it is.
missing-none = Nothing is missing.
section-reasons = Gates, in words
reasons-note = Why each stands where it stands, by which entry, and its rule.
reasons-none = Everything that must be on record is there and holds.
gate-entry = entry { $index }
gate-no-entry = no entry
gate-same = { $n ->
    [one] One run before it found the same.
   *[other] { $n } runs before it found the same.
}
override-line = { $who } overrides it, until { $at }
override-line-open = { $who } overrides it
override-not-counted = does not count: { $why }
override-counts = counts
section-votes = Approvals and holds
votes-note = One vote a person. Whatever was said stays visible.
votes-none = Nobody has approved this bundle.
vote-head-who = Who
vote-head-entry = Entry
vote-head-counts = Counts
vote-counts = counts
vote-not = does not count
vote-outdated = outdated
hold-line = On hold
hold-wide = Holds every bundle of the route.
hold-by = Set by { $who }.
hold-terms = { $owner } sees to it; it is looked at again on { $at }.
hold-text = “{ $text }”
outdated-line = No longer fits
section-way-back = Live, and the way back
live-head = Live since { $at }
live-head-none = Nothing is live
live-text = By { $action ->
    [rollback] a rollback
    [drill] a drill
   *[deploy] a deployment
}, as the agent beside the runtime measured it (entry { $index }).
live-text-none = No agent has reported that a bundle was put into service.
way-ready = ready to roll back
way-blocked = cannot roll back
way-ready-text = To bundle { $bundle }; the drill of { $at } restored it{ $known ->
    [yes] {" "}in { $duration }
   *[no] {""}
}.
way-none = The route is not set up, so there is no way back to judge.
retained-caption = Retained bundles
retained-none = No bundle of this route is retained. Where the bundle lies:
retained-head-bundle = Bundle
retained-head-config = Runtime configuration
retained-head-drill = Last drill
retained-head-restore = Restore
retained-head-ready = Way back
retained-live = live
retained-ready = ready
retained-lacks = not ready
retained-never = never
retained-valid = counts until { $at }
live-ask = What was live at
live-ask-label = Date and time, UTC
live-ask-button = Show
section-orders = Orders
orders-note = What was asked of the agent beside the runtime, and what it reported. Nothing is assumed.
orders-waiting = waiting for the agent
order-title = { $action } to { $bundle }
order-by = by { $who }
order-confirmed = confirmed by { $who }
order-after = { $duration } after the order
section-history = History
history-note = What each entry did; the last one for a bundle, by index, counts.
history-head-entry = Entry
history-head-when = When
history-head-what = What
history-head-bundle = Bundle
history-head-who = By
history-head-effect = What it did
section-record = Route record
record-note = Seven names that other tools read; computed from the log.
record-definition = Set up by { $who } on { $at }: { $needed ->
    [one] one approval
   *[other] { $needed } approvals
}, { $overrides ->
    [yes] overrides for at most { $days } days
   *[no] no overrides
}; a drill counts for { $drill } days.
record-undefined = This route is not set up; it only has evidence.
section-others = Other bundles
others-note = Every bundle that this route has evidence or decisions for.

## What was live
live-title = What was live on { $route }
live-none-asked = What was live on { $route } at a time?
live-none-asked-lead = Answered from the log: what the agent beside the runtime measured and signed.
live-is = At { $at } bundle { $bundle } was live on { $route }.
live-is-none = At { $at } nothing was live on { $route }: the runtime served no bundle.
live-was-nothing = At { $at } nothing had ever been put into service on { $route }.
live-unknown = What was live on { $route } at { $at } cannot be said: the log was not read whole.
live-word-live = live
live-word-nothing = nothing live
live-word-unknown = unknown
live-since = Since { $at }, by a { $action } (entry { $index }).
live-approved = { $n ->
    [0] Nobody had approved it when it went live.
   *[other] Approved by { $who } when it went live.
}
live-ask-again = Ask about another time
live-ask-note = By the clock of the agent beside the runtime, in UTC.

## Ages
age-minutes = { $n ->
    [one] 1 minute
   *[other] { $n } minutes
}
age-hours = { $n ->
    [one] 1 hour
   *[other] { $n } hours
}
age-days = { $n ->
    [one] 1 day
   *[other] { $n } days
}
age-ago = { $age } ago
age-left = { $age } left
retained-head-until = Retained until
retained-no-day = for as long as the policy says
retained-purged = purged
retained-config-kept = kept with it
retained-config-gone = no longer kept
retained-config-none = not kept
board-retained = way back retained until
board-drill = last drill { $age } ago

## The second person of a rollback
act-confirm = Confirm the order
orders-second = waits for a second person
turn-confirmer = an approver other than { $who }, to confirm the order of entry { $index }
objection-not-confirmed = a second person must confirm it, and nobody validly has
objection-same-person = { $who ->
    [you] you ordered it yourself; it takes another person
   *[they] it was confirmed by the person who ordered it
}
objection-nothing-to-confirm = no such order waits: it has been confirmed, needs nobody, has ended, was lifted, or another came after it
