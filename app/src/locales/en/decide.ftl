### Deciding and ordering, in English. Same keys and values as es/decide.ftl.

## The form on the route's page
section-decide = Decide
decide-note = Next page: review, then sign. Nothing is final here.
decide-kind = Decision
decide-about-approve = One vote, bound to this bundle and to the evidence that the gates rest on now.
decide-about-hold = Not a failure: not now. It needs an owner and a review date, and stands until an approver lifts it.
decide-about-reject = Of this bundle on this route, not of the research.
decide-about-override = Lets gates pass without their evidence, for a time. It takes two persons and stays visible for ever.
decide-about-lift-hold = Lifts the holds that you have seen. Approvals from before them stay ended.
decide-reason-code = Reason code
decide-reason-none = none
decide-reason-choose = choose one
decide-text = Reason in your words
decide-for-hold = For a hold
decide-hold-owner = Who sees to it
decide-review-at = Looked at again on (UTC)
decide-for-override = For an override
decide-gates = Gates
decide-gate = Gate { $gate }, { $name }: { $state }
decide-expires = Until (UTC)
decide-review = Review the decision
decide-binds = Your decision will name the bundle, { $n ->
    [one] the one entry that it rests on
   *[other] the { $n } entries that it rests on
} and the log of { $size } entries. If the route changes before you sign, you are asked to look again.
decide-cannot-approve = You may not approve: { $why }.
decide-cannot-hold = You may not hold: { $why }.
decide-cannot-reject = You may not reject: { $why }.
decide-cannot-override = You may not override a gate: { $why }.
decide-cannot-lift-hold = You may not lift a hold: { $why }.
decide-no-hold = there is no hold to lift
decide-nobody = Deciding needs an account: sign in.
decide-no-bundle = There is nothing to decide on before the route has a bundle.
sign-in-to-decide = Sign in

## The review of a decision
review-trail = Review
steps-label = Steps
step-form = Choose
step-review = Review and sign
step-result = Signed result
review-word = nothing done yet
review-title-approve = You are about to approve bundle { $bundle } on { $route }.
review-title-hold = You are about to hold bundle { $bundle } on { $route }.
review-title-reject = You are about to reject bundle { $bundle } on { $route }.
review-title-override = You are about to override gates of bundle { $bundle } on { $route }.
review-title-lift-hold = You are about to lift the hold of bundle { $bundle } on { $route }.
review-title-none = Choose first what to decide.
review-lead = Signed, this becomes an entry of the log. An entry can be added, never changed.
review-refused-word = refused
review-lacking = This cannot be signed yet: { $lacks } is missing.
review-changed = The route has changed since you looked. What is new:
review-change = Change it
review-back = Go back, decide nothing
review-sign = Sign the decision
review-password = Your password
review-password-note = Asked for again before this is signed; then good for five minutes.
section-sign = What will be signed
sign-note = In your name, with your roles and how you signed in, by the portal's key.
sign-none = none
sign-seen = Log seen
sign-seen-size = { $size } entries
section-evidence = What it rests on
evidence-note = { $n ->
    [one] One entry, by its leaf hash.
   *[other] { $n } entries, by their leaf hashes.
}
evidence-none = Nothing yet.
evidence-head-what = What
evidence-head-entry = Entry
evidence-head-leaf = Leaf hash
evidence-gate = gate { $gate }, { $name }
evidence-override = override of gate { $gate } by { $who }
evidence-retained = retained bundle
evidence-drill = drill
section-consequences = Consequences
consequence-approve-last = If nothing else changes, the route may be served from then on: yours is the last approval that is missing.
consequence-approve-more = { $n ->
    [one] One more approval is needed after yours.
   *[other] { $n } more approvals are needed after yours.
}
consequence-approve-bound = It ends by itself when a gate gets new evidence, a pinned fact changes, or the route is held or rejected.
consequence-hold = The route may not be served with this bundle until an approver lifts the hold. Approvals given so far end.
consequence-hold-live = What is live is not touched by it.
consequence-reject = This bundle may not be served on this route. Approvals given so far end.
consequence-reject-research = The evidence and the runs stay as they are; another bundle starts afresh.
consequence-override = It counts only together with a second person's override of the same gate, and until its expiry.
consequence-override-visible = It stays visible on the route's page for ever, also after it has ended.
consequence-lift = The holds that stand now no longer do. Whoever approves must do so after the lift.
consequence-final = The entry cannot be taken back. Another decision can follow it.
section-submit = Sign it
submit-note = Sent twice, it is done once.

## What the server answered
refusal-title = Nothing was signed
refusal-missing-field = A field is missing.
refusal-bad-code = A code is not one of those that are offered.
refusal-bad-time = A date or a time is not understood; write 2026-11-29 or 2026-11-29T20:31:07Z.
refusal-bad-gate = There are gates 1 to 5.
refusal-not-on-route = The bundle is not on this route.
refusal-seen-future = The page names a larger log than there is. Reload it.
refusal-route-changed = The route has changed since you looked. What you see below is how it stands now; look again, then sign.
refusal-refused-by-the-route = The route refuses it, because it would not count:
refusal-incomplete = Something is missing in it.
refusal-not-retained = The bundle is not retained.
refusal-text-too-long = The reason is too long: at most 4000 characters.
refusal-entry-too-long = The entry would be too long. Shorten the reason.
refusal-bad-key = The form has lost its key. Open it again.
refusal-in-progress = This form is being worked on already. Look at the route in a moment; signing again gives no second entry.
refusal-wrong-password = The password is wrong.
refusal-rate = Too many wrong passwords. Wait a minute.
refusal-not-allowed = Your role does not include it.
refusal-stale-form = The form is from another session. Look again, then sign.
refusal-unauthorized = You have been signed out. Sign in, then sign again.
refusal-unknown = The server refused it.
refusal-server-words = In the server's words: { $detail }

## Orders
rollback-trail = Roll back
order-trail-drill = Drill
order-trail-deploy = Deploy
choose-word = nothing done yet
choose-title = Choose the bundle that { $route } goes back to.
choose-title-none = { $route } has no bundle to go back to.
choose-lead-failed = The canary failed. The bundle that a rollback returns to is chosen already.
choose-lead = Only a bundle that is retained and that a drill has restored can be chosen.
choose-lead-none = A bundle has to be retained first, with its runtime configuration; then a drill has to restore it.
choose-lead-live = Live now: bundle { $bundle }.
choose-lead-live-none = Nothing is live now.
section-choose = Bundles
choose-note = Retained for this route, the suggested one first.
choose-legend = Go back to
choose-restore = the drill of { $at } restored it in { $duration }
choose-restore-unknown = a drill restored it on { $at }
choose-suggested = suggested: the last other bundle that was live
choose-is-live = live now
choose-cannot = cannot be chosen
choose-drill = Order a drill
choose-next = Review the rollback
order-cannot-role = You may not order this: it needs the role reviewer or approver.
order-refused-rollback = You cannot roll back to bundle { $bundle }: { $why }.
order-refused-drill = You cannot drill with bundle { $bundle }: { $why }.
order-refused-deploy = You cannot deploy bundle { $bundle }: { $why }.
order-refused-lead = Nothing was changed. Each thing that is missing is listed below.
order-not-retained = it is not retained for this route
order-is-live = it is live already
order-title-rollback = This goes back to bundle { $bundle }{ $known ->
    [yes] {" "}in about { $duration }
   *[no] {""}
} and puts the route on hold.
order-title-drill = This restores bundle { $bundle } on a scratch target, to know that it works.
order-title-deploy = This puts bundle { $bundle } into service.
order-lead-rollback = You order it; the agent beside the runtime carries it out and signs what happened. Until it reports “verified”, nothing counts as done.
order-lead-drill = What is live is not touched. The agent beside the runtime restores, checks and times it, and signs what happened.
order-lead-deploy = You order it; the agent beside the runtime carries it out, goes back by itself if the health check fails, and signs what happened.
figure-from = from, live
figure-to = to
figure-restore = restore in the drill
figure-nothing-live = nothing
section-ready = Can it be done?
ready-note = Judged when this page was made, and again before anything changes.
ready-retained = retained
ready-retained-text = The bundle is kept, by entry { $index }.
ready-config = configuration
ready-config-text = Its runtime configuration is kept with it: { $digest }.
ready-drilled = drilled
ready-drilled-text = The drill of { $at } restored it (entry { $index }).
ready-restore = It took { $duration }.
ready-not = missing
ready-outdated = approval
ready-outdated-text = It may not be served anew: { $why }. A rollback is allowed all the same.
section-diff = What changes
diff-note = { $differ ->
    [0] nothing differs
    [one] one row differs
   *[other] { $differ } rows differ
}, { $equal ->
    [one] one is equal
   *[other] { $equal } are equal
}
diff-caption = Differences between what is live and what comes
diff-fact = Fact
diff-now = Now
diff-after = After
diff-change = Change
diff-differs = differs
diff-equal = equal
diff-bundle = bundle
diff-config = runtime configuration
diff-approvals = approvals that count
diff-status = may be served
diff-hold = route on hold
diff-hold-after = until an approver lifts it
diff-unknown = unknown
diff-yes = yes
diff-no = no
consequence-rollback-hold = The route is put on hold: nothing is promoted on it until an approver lifts that, with a reason.
consequence-rollback-approvals = Approvals given so far end once the bundle is restored.
consequence-rollback-failed = If the agent cannot verify the restored bundle, it keeps or returns the live one and says so. A failed rollback sets no hold.
consequence-drill = The drill counts for as long as the policy says, and only under the pinned facts of now.
consequence-drill-failed = A failed drill blocks the way back until another succeeds.
consequence-deploy = The switch is one step; if the health check fails the agent returns to what was live and says so.
consequence-order-final = The order, each answer and the result become entries of the log. They cannot be taken back.
order-sign-rollback = Sign and order the rollback
order-sign-drill = Sign and order the drill
order-sign-deploy = Sign and order the deployment
order-other = Choose another bundle
order-back = Go back, change nothing
section-reported = What will be reported
reported-requested = by you, on signing
reported-acknowledged = by the agent: digest and configuration fit
reported-restored = switched in one step
reported-verified = health command answered; only now is it done

## The signed result
done-trail = Signed result
done-word = signed
done-approve = The approval of bundle { $bundle } is signed as entry { $entry }.
done-hold = The hold of bundle { $bundle } is signed as entry { $entry }.
done-reject = The rejection of bundle { $bundle } is signed as entry { $entry }.
done-override = The override for bundle { $bundle } is signed as entry { $entry }.
done-lift-hold = Lifting the hold of bundle { $bundle } is signed as entry { $entry }.
done-rollback = The rollback to bundle { $bundle } is ordered by entry { $entry }; nothing is restored yet.
done-drill = The drill with bundle { $bundle } is ordered by entry { $entry }.
done-deploy = The deployment of bundle { $bundle } is ordered by entry { $entry }; nothing is switched yet.
done-other = Entry { $entry } is signed.
done-by = By { $who } on { $at }.
done-served = The route may be served.
done-not-served = The route may not be served: { $why }.
done-to-route = To the route
done-to-entry = Entry { $entry }
done-order-lead = The route's page shows each step as the agent reports it.
section-decided = What was decided
section-ordered = What was ordered
section-after = The record after it
after-note = As the route stands now.
section-still = What is still missing

## The confirmation of an order
confirm-trail = Confirm
confirm-title = { $who } has ordered to go back to bundle { $bundle }; it waits for a second person.
confirm-title-none = No order of this route waits for a second person.
confirm-cannot = You may not confirm this order: { $why }.
confirm-lead = Ordered on { $at }, { $age } ago. Until it is confirmed, nothing is carried out; the route is on hold meanwhile.
confirm-lead-none = It may have been confirmed, or another order came after it.
confirm-note = As it was signed. Your confirmation signs the same once more, with your name.
confirm-entry = Order
confirm-sign = Sign the confirmation
consequence-confirm = The agent beside the runtime carries the order out as soon as it sees the confirmation.
consequence-second = A second person, an approver, must confirm it before it is carried out. Asking already puts the route on hold.
ordered-text = Reason in words
ordered-by = Ordered by
ordered-confirmed = Confirmed by
done-asked = The rollback to bundle { $bundle } is asked for by entry { $entry }; it waits for a second person.
done-confirmed = The rollback to bundle { $bundle } is confirmed by entry { $entry }; nothing is restored yet.
done-asked-lead = An approver other than the one who asked must confirm it on the route's page.
