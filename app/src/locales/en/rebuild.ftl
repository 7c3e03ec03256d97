### Rebuilds of a run, in English. Same keys and values as es/rebuild.ftl.

section-rebuilds = Rebuilds
rebuilds-note = TensorRT-RTX plans built ahead of time are the same bytes for the same inputs. Each statement was judged again from both signed summaries.
rebuilds-caption = Who built it again and what came out, newest first
rebuilds-none = Nobody has built it again yet.
rebuilds-reproduced = { $n ->
    [one] The plan was reproduced once,
   *[other] The plan was reproduced { $n } times,
} { $agents ->
    [one] by the agent { $names }.
   *[other] by { $agents } agents: { $names }.
}
rebuilds-owners = { $n ->
    [one] Owner: { $names }.
   *[other] Owners: { $names }.
}
rebuilds-by-itself = { $n ->
    [one] The run's own agent reproduced it once, which is not independent.
   *[other] The run's own agent reproduced it { $n } times, which is not independent.
}
rebuilds-differ-by = { $n ->
    [one] Once another plan came out; the first differing setting is { $name }.
   *[other] { $n } times another plan came out; the newest time the first differing setting is { $name }.
}
rebuilds-differ = { $n ->
    [one] Once another plan came out, although all settings are the same.
   *[other] { $n } times another plan came out, the newest time although all settings are the same.
}
rebuilds-not-comparable = { $n ->
    [one] Once nothing could be compared.
   *[other] { $n } times nothing could be compared.
}
rebuilds-unsupported = { $n ->
    [one] One statement does not count: its evidence does not bear it.
   *[other] { $n } statements do not count: their evidence does not bear them.
}
rebuilds-left-out = Statements that were left out, for they are older or their entries are damaged: { $n }.
rebuilds-this-is = This run was made to rebuild
rebuild-head-entry = Entry
rebuild-head-verdict = Verdict
rebuild-head-by = By
rebuild-head-run = In run
rebuild-head-why = What differs
rebuild-reproduced = reproduced
rebuild-not-reproduced = not reproduced
rebuild-not-comparable = not comparable
rebuild-owner = owner { $name }
rebuild-own = the run's own agent
rebuild-support-another-summary = it speaks of another summary or plan of the run
rebuild-support-not-logged = the summary of the rebuild is not in the log
rebuild-support-not-its-own = the summary of the rebuild is somebody else's
rebuild-support-contradicted = judged again, the summaries say something else
rebuild-nothing = nothing
rebuild-expected = run:
rebuild-found = rebuild:
rebuild-same-settings = All settings are the same.
rebuild-sizes = { $before } B before, { $now } B now.
rebuild-offset = First differing byte: { $at }
rebuild-obstacle-no-plan = The run has no plan.
rebuild-obstacle-simulated = No library built it: it was simulated.
rebuild-obstacle-watched-from-outside = Another program built it, and what that set up is not wholly on record.
rebuild-obstacle-not-ahead-of-time = Its tactics were chosen by timing them on a GPU, so the same bytes need not come out.
rebuild-obstacle-other-model = The model was another.
rebuild-obstacle-other-weights = The weights beside the model were others, or missing.
rebuild-obstacle-unknown-setting = A recorded setting could not be asked for.
rebuild-obstacle-other-library = The library was another, or of another build number.
rebuild-obstacle-rebuild-failed = The rebuild gave no plan.
rebuild-cannot = It cannot be rebuilt.
rebuild-how = To build it again on a machine of your own, and sign what comes out:
