### The Stuck-Build Acceptance Test in English. Same keys and values as es/acceptance.ftl.

acceptance-title = Acceptance test
acceptance-link = Acceptance test: does a stuck build behave?
acceptance-number = Test { $number }
acceptance-none-word = Not run yet
acceptance-none = Nobody has run the acceptance test against this ledger yet.
acceptance-none-lead = It builds in ten fault scenarios on the real library, judges eight criteria in each, and signs the matrix.
acceptance-passed = { $ran ->
    [one] The one scenario that ran meets all eight criteria.
   *[other] All { $ran } scenarios that ran meet all eight criteria.
}
acceptance-failed = { $failed ->
    [one] One of the { $ran } scenarios that ran does not meet every criterion.
   *[other] { $failed } of the { $ran } scenarios that ran do not meet every criterion.
}
acceptance-incomplete = { $passed } of the { $ran } scenarios that ran meet all eight criteria; of the others not all could be judged.
acceptance-failing = Not met in: { $names }.
acceptance-left-out = { $n ->
    [one] Not run: { $names }.
   *[other] Not run ({ $n }): { $names }.
}
acceptance-built-with = Built with { $builder } { $version } on { $os }; GPU: { $gpu }.
acceptance-signed-by = Signed by
acceptance-matrix = Criteria and scenarios
acceptance-matrix-note = Each scenario builds a baseline, a build that is asked to stop, and the retry; each row leads to its evidence.
acceptance-scenarios = Scenarios
acceptance-scenarios-note = What was built, and what each verdict rests on.
acceptance-why = Why: eight criteria
acceptance-history = History
acceptance-history-note = Every run of the test that this ledger holds, the newest first.
acceptance-not-logged = (its entry is not in this log)
acceptance-head-number = Test
acceptance-head-scenario = Scenario
acceptance-head-verdict = Verdict
acceptance-head-criterion = Criterion
acceptance-head-reason = Reason
acceptance-head-evidence = Rests on
acceptance-head-ran = Ran
acceptance-head-passed = Passed
acceptance-head-failed = Failed
acceptance-head-agent = Agent
acceptance-of-run = This build was made by the acceptance test, as { $role } of the scenario “{ $scenario }”.
acceptance-to-test = See test { $number }
acceptance-verdict-pass = holds
acceptance-verdict-fail = does not hold
acceptance-verdict-not-run = not judged
acceptance-not-run-not-selected = Not run: it was not chosen.
acceptance-not-run-stopped = Not run: the test was stopped before.
acceptance-not-run-no-interface = Not run: this version of acta has no interface for it.
acceptance-role-reference = build before the change
acceptance-role-baseline = baseline
acceptance-role-faulted = build asked to stop
acceptance-role-retry = retry

criterion-baseline = baseline
criterion-observable = observable
criterion-interruptible = interruptible
criterion-measured = measured
criterion-cleaned = cleaned
criterion-cache-safe = cache-safe
criterion-retryable = retryable
criterion-separated = separated

scenario-cold-timing-cache = Cold timing cache
scenario-deep-tactic-search = Deep tactic search
scenario-strongly-typed-change = Strongly typed change
scenario-new-gpu-sku = New GPU SKU
scenario-slow-builder-settings = Slow builder settings
scenario-ctrl-c = Ctrl-C
scenario-programmatic-cancel = Programmatic cancel
scenario-service-shutdown = Service shutdown
scenario-ide-stop = IDE stop
scenario-external-event-loop = External event loop
scenario-about-cold-timing-cache = The timing cache’s file is missing for the baseline and damaged for the build that is asked to stop.
scenario-about-deep-tactic-search = A wide network at optimization level 5: much to choose from.
scenario-about-strongly-typed-change = The same graph once more with other element types.
scenario-about-new-gpu-sku = Another compute capability than that of the build before.
scenario-about-slow-builder-settings = A deep network with one thread at optimization level 5.
scenario-about-ctrl-c = The signal of Ctrl-C (SIGINT) goes to the building program.
scenario-about-programmatic-cancel = A thread of the program that builds asks to stop.
scenario-about-service-shutdown = The signal of a service’s shutdown (SIGTERM) goes to the building program.
scenario-about-ide-stop = An editor’s stop button, by JSON-RPC.
scenario-about-external-event-loop = A task of the program’s own event loop asks to stop.

acceptance-reason-on-record = The baseline completed, with every fact on record.
acceptance-reason-no-baseline = There is no baseline.
acceptance-reason-not-completed = The baseline did not complete.
acceptance-reason-fact-missing = A fact is missing from the baseline.
acceptance-reason-other-configuration = Two builds that must be alike have different configurations.
acceptance-reason-rebuilt = Every phase tree was rebuilt from its event log, with nothing lost.
acceptance-reason-nothing-observed = No build call was observed.
acceptance-reason-no-tree = A build has no phase tree.
acceptance-reason-tree-malformed = A phase tree is malformed.
acceptance-reason-tree-differs = The event log gives another tree than the recorded one.
acceptance-reason-event-log-malformed = An event log cannot be followed.
acceptance-reason-events-lost = Events were lost.
acceptance-reason-events-orphaned = Events belong to no phase.
acceptance-reason-phases-not-kept = Phases were not kept.
acceptance-reason-answered = The request reached the builder, and a step answered it.
acceptance-reason-other-source = The stop came from another source than the scenario’s.
acceptance-reason-never-answered = No step answered the request.
acceptance-reason-no-cancel = No build was stopped.
acceptance-reason-no-cancel-record = A cancel is not on record.
acceptance-reason-latency-differs = The latency is stated twice, and differently.
acceptance-reason-not-measured = A cancel is neither measured nor counted.
acceptance-reason-only-censored = Every cancel came too late to be answered.
acceptance-reason-measured = Each cancel is measured or counted.
acceptance-reason-nothing-left = Nothing was left behind.
acceptance-reason-cleanup-failed = Cleaning up failed.
acceptance-reason-no-disposition = What became of the partial file is not on record.
acceptance-reason-partial-kept = A partial file was kept.
acceptance-reason-file-left = A file was left where a consumer would look.
acceptance-reason-file-gone = A file is gone that should be there.
acceptance-reason-decided = Each decision on the cache is recorded; no suspect cache was used.
acceptance-reason-no-reason = A decision on the cache has no reason.
acceptance-reason-cache-contradicted = A decision on the cache contradicts its digests.
acceptance-reason-cache-changed = A cache was written that was not to be written.
acceptance-reason-suspect-reused = A suspect cache was used again.
acceptance-reason-completed = The retry followed the policy and completed.
acceptance-reason-no-retry = There is no completed retry.
acceptance-reason-not-linked = The retry does not name the attempt before.
acceptance-reason-needs-a-person = The policy asks for a person first.
acceptance-reason-no-policy = The cancelled build has no policy.
acceptance-reason-policy-not-followed = The retry did not follow the policy.
acceptance-reason-retry-not-completed = The retry did not complete.
acceptance-reason-same-bytes = The retry’s engine was compared: byte for byte that of the baseline.
acceptance-reason-other-bytes = The retry’s engine is another than the baseline’s.
acceptance-reason-other-file = The engine that stands there is not the recorded one.
acceptance-reason-no-validation = The retry was not validated here.
acceptance-reason-no-observation = What the process or the GPU did is not on record.
acceptance-reason-taken-for-correct = A build calls itself validated, and nobody validated it.
acceptance-reason-fault-not-shown = The scenario’s fault is not on record.
acceptance-reason-evidence-missing = Evidence is missing.
acceptance-reason-not-a-library = A build was not made by a library.
acceptance-reason-no-run = Nothing was built.
