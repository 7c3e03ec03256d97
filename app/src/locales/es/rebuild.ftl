### Reconstrucciones de una ejecución, en español. Las mismas claves y valores que en/rebuild.ftl.

section-rebuilds = Reconstrucciones
rebuilds-note = Los planes de TensorRT-RTX compilados por adelantado son los mismos bytes para las mismas entradas. Cada declaración se juzgó de nuevo a partir de los dos resúmenes firmados.
rebuilds-caption = Quién lo compiló de nuevo y qué salió, lo más reciente primero
rebuilds-none = Nadie lo ha compilado de nuevo todavía.
rebuilds-reproduced = { $n ->
    [one] El plan se reprodujo una vez,
   *[other] El plan se reprodujo { $n } veces,
} { $agents ->
    [one] por el agente { $names }.
   *[other] por { $agents } agentes: { $names }.
}
rebuilds-owners = { $n ->
    [one] Responsable: { $names }.
   *[other] Responsables: { $names }.
}
rebuilds-by-itself = { $n ->
    [one] El propio agente de la ejecución lo reprodujo una vez, lo que no es independiente.
   *[other] El propio agente de la ejecución lo reprodujo { $n } veces, lo que no es independiente.
}
rebuilds-differ-by = { $n ->
    [one] Una vez salió otro plan; el primer ajuste que difiere es { $name }.
   *[other] { $n } veces salió otro plan; en la más reciente, el primer ajuste que difiere es { $name }.
}
rebuilds-differ = { $n ->
    [one] Una vez salió otro plan, aunque todos los ajustes son los mismos.
   *[other] { $n } veces salió otro plan, la más reciente aunque todos los ajustes son los mismos.
}
rebuilds-not-comparable = { $n ->
    [one] Una vez no se pudo comparar nada.
   *[other] { $n } veces no se pudo comparar nada.
}
rebuilds-unsupported = { $n ->
    [one] Una declaración no cuenta: su evidencia no la sostiene.
   *[other] { $n } declaraciones no cuentan: su evidencia no las sostiene.
}
rebuilds-left-out = Declaraciones que se dejaron fuera, por ser más antiguas o estar dañadas sus entradas: { $n }.
rebuilds-this-is = Esta ejecución se hizo para reconstruir
rebuild-head-entry = Entrada
rebuild-head-verdict = Veredicto
rebuild-head-by = Por
rebuild-head-run = En la ejecución
rebuild-head-why = Qué difiere
rebuild-reproduced = reproducido
rebuild-not-reproduced = no reproducido
rebuild-not-comparable = no comparable
rebuild-owner = responsable { $name }
rebuild-own = el propio agente de la ejecución
rebuild-support-another-summary = habla de otro resumen u otro plan de la ejecución
rebuild-support-not-logged = el resumen de la reconstrucción no está en el registro
rebuild-support-not-its-own = el resumen de la reconstrucción es de otro
rebuild-support-contradicted = juzgados de nuevo, los resúmenes dicen otra cosa
rebuild-nothing = nada
rebuild-expected = ejecución:
rebuild-found = reconstrucción:
rebuild-same-settings = Todos los ajustes son los mismos.
rebuild-sizes = { $before } B antes, { $now } B ahora.
rebuild-offset = Primer byte que difiere: { $at }
rebuild-obstacle-no-plan = La ejecución no tiene plan.
rebuild-obstacle-simulated = No la compiló ninguna biblioteca: fue simulada.
rebuild-obstacle-watched-from-outside = La compiló otro programa, y no consta todo lo que este ajustó.
rebuild-obstacle-not-ahead-of-time = Sus tácticas se eligieron midiéndolas en una GPU, así que no tienen por qué salir los mismos bytes.
rebuild-obstacle-other-model = El modelo era otro.
rebuild-obstacle-other-weights = Los pesos junto al modelo eran otros o faltaban.
rebuild-obstacle-unknown-setting = Un ajuste registrado no se pudo pedir.
rebuild-obstacle-other-library = La biblioteca era otra, o de otro número de compilación.
rebuild-obstacle-rebuild-failed = La reconstrucción no dio ningún plan.
rebuild-cannot = No se puede reconstruir.
rebuild-how = Para compilarlo de nuevo en una máquina propia y firmar lo que salga:
