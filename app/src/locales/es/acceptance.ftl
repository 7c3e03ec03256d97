### La prueba de aceptación de compilaciones atascadas en español. Las mismas claves y valores que en/acceptance.ftl.

acceptance-title = Prueba de aceptación
acceptance-link = Prueba de aceptación: ¿se comporta una compilación atascada?
acceptance-number = Prueba { $number }
acceptance-none-word = Aún sin ejecutar
acceptance-none = Nadie ha ejecutado todavía la prueba de aceptación contra este registro.
acceptance-none-lead = Compila en diez escenarios de fallo con la biblioteca real, juzga ocho criterios en cada uno y firma la matriz.
acceptance-passed = { $ran ->
    [one] El único escenario ejecutado cumple los ocho criterios.
   *[other] Los { $ran } escenarios ejecutados cumplen los ocho criterios.
}
acceptance-failed = { $failed ->
    [one] Uno de los { $ran } escenarios ejecutados no cumple todos los criterios.
   *[other] { $failed } de los { $ran } escenarios ejecutados no cumplen todos los criterios.
}
acceptance-incomplete = { $passed } de los { $ran } escenarios ejecutados cumplen los ocho criterios; de los demás no se pudo juzgar todo.
acceptance-failing = No se cumple en: { $names }.
acceptance-left-out = { $n ->
    [one] Sin ejecutar: { $names }.
   *[other] Sin ejecutar ({ $n }): { $names }.
}
acceptance-built-with = Compilado con { $builder } { $version } en { $os }; GPU: { $gpu }.
acceptance-signed-by = Firmado por
acceptance-matrix = Criterios y escenarios
acceptance-matrix-note = Cada escenario compila una línea base, una compilación a la que se pide parar y el reintento; cada fila lleva a su evidencia.
acceptance-scenarios = Escenarios
acceptance-scenarios-note = Qué se compiló y en qué se apoya cada veredicto.
acceptance-why = Por qué: ocho criterios
acceptance-history = Historial
acceptance-history-note = Cada ejecución de la prueba que guarda este registro, la más reciente primero.
acceptance-not-logged = (su entrada no está en este registro)
acceptance-head-number = Prueba
acceptance-head-scenario = Escenario
acceptance-head-verdict = Veredicto
acceptance-head-criterion = Criterio
acceptance-head-reason = Razón
acceptance-head-evidence = Se apoya en
acceptance-head-ran = Ejecutados
acceptance-head-passed = Cumplidos
acceptance-head-failed = Fallidos
acceptance-head-agent = Agente
acceptance-of-run = Esta compilación la hizo la prueba de aceptación, como { $role } del escenario «{ $scenario }».
acceptance-to-test = Ver la prueba { $number }
acceptance-verdict-pass = se cumple
acceptance-verdict-fail = no se cumple
acceptance-verdict-not-run = sin juzgar
acceptance-not-run-not-selected = Sin ejecutar: no se eligió.
acceptance-not-run-stopped = Sin ejecutar: la prueba se detuvo antes.
acceptance-not-run-no-interface = Sin ejecutar: esta versión de acta no tiene interfaz para ello.
acceptance-role-reference = compilación anterior al cambio
acceptance-role-baseline = línea base
acceptance-role-faulted = compilación a la que se pidió parar
acceptance-role-retry = reintento

criterion-baseline = línea base
criterion-observable = observable
criterion-interruptible = interrumpible
criterion-measured = medida
criterion-cleaned = limpia
criterion-cache-safe = caché segura
criterion-retryable = reintentable
criterion-separated = separada

scenario-cold-timing-cache = Caché de tiempos fría
scenario-deep-tactic-search = Búsqueda profunda de tácticas
scenario-strongly-typed-change = Cambio de tipos estrictos
scenario-new-gpu-sku = Nuevo modelo de GPU
scenario-slow-builder-settings = Ajustes lentos del compilador
scenario-ctrl-c = Ctrl-C
scenario-programmatic-cancel = Cancelación desde un programa
scenario-service-shutdown = Apagado del servicio
scenario-ide-stop = Parada desde el editor
scenario-external-event-loop = Bucle de eventos externo
scenario-about-cold-timing-cache = El fichero de la caché de tiempos falta en la línea base y está dañado en la compilación a la que se pide parar.
scenario-about-deep-tactic-search = Una red ancha con nivel de optimización 5: mucho donde elegir.
scenario-about-strongly-typed-change = El mismo grafo otra vez con otros tipos de elemento.
scenario-about-new-gpu-sku = Otra capacidad de cómputo que la de la compilación anterior.
scenario-about-slow-builder-settings = Una red profunda con un hilo y nivel de optimización 5.
scenario-about-ctrl-c = La señal de Ctrl-C (SIGINT) llega al programa que compila.
scenario-about-programmatic-cancel = Un hilo del programa que compila pide parar.
scenario-about-service-shutdown = La señal de apagado de un servicio (SIGTERM) llega al programa que compila.
scenario-about-ide-stop = El botón de parar de un editor, por JSON-RPC.
scenario-about-external-event-loop = Una tarea del bucle de eventos del propio programa pide parar.

acceptance-reason-on-record = La línea base se completó, con todos los datos registrados.
acceptance-reason-no-baseline = No hay línea base.
acceptance-reason-not-completed = La línea base no se completó.
acceptance-reason-fact-missing = A la línea base le falta un dato.
acceptance-reason-other-configuration = Dos compilaciones que deben ser iguales tienen configuraciones distintas.
acceptance-reason-rebuilt = Cada árbol de fases se reconstruyó desde su registro de eventos, sin perder nada.
acceptance-reason-nothing-observed = No se observó ninguna compilación.
acceptance-reason-no-tree = Una compilación no tiene árbol de fases.
acceptance-reason-tree-malformed = Un árbol de fases está mal formado.
acceptance-reason-tree-differs = El registro de eventos da otro árbol que el guardado.
acceptance-reason-event-log-malformed = Un registro de eventos no se puede seguir.
acceptance-reason-events-lost = Se perdieron eventos.
acceptance-reason-events-orphaned = Hay eventos que no son de ninguna fase.
acceptance-reason-phases-not-kept = Hay fases que no se guardaron.
acceptance-reason-answered = La petición llegó al compilador y un paso la respondió.
acceptance-reason-other-source = La parada vino de otra fuente que la del escenario.
acceptance-reason-never-answered = Ningún paso respondió a la petición.
acceptance-reason-no-cancel = No se paró ninguna compilación.
acceptance-reason-no-cancel-record = Una cancelación no está registrada.
acceptance-reason-latency-differs = La latencia consta dos veces, y distinta.
acceptance-reason-not-measured = Una cancelación no está ni medida ni contada.
acceptance-reason-only-censored = Cada cancelación llegó tarde para ser respondida.
acceptance-reason-measured = Cada cancelación está medida o contada.
acceptance-reason-nothing-left = No quedó nada.
acceptance-reason-cleanup-failed = La limpieza falló.
acceptance-reason-no-disposition = No consta qué fue del fichero parcial.
acceptance-reason-partial-kept = Se conservó un fichero parcial.
acceptance-reason-file-left = Quedó un fichero donde miraría un consumidor.
acceptance-reason-file-gone = Falta un fichero que debería estar.
acceptance-reason-decided = Cada decisión sobre la caché consta; no se usó ninguna caché sospechosa.
acceptance-reason-no-reason = Una decisión sobre la caché no tiene razón.
acceptance-reason-cache-contradicted = Una decisión sobre la caché contradice sus resúmenes.
acceptance-reason-cache-changed = Se escribió una caché que no se debía escribir.
acceptance-reason-suspect-reused = Se volvió a usar una caché sospechosa.
acceptance-reason-completed = El reintento siguió la política y se completó.
acceptance-reason-no-retry = No hay reintento completado.
acceptance-reason-not-linked = El reintento no nombra el intento anterior.
acceptance-reason-needs-a-person = La política pide antes a una persona.
acceptance-reason-no-policy = La compilación cancelada no tiene política.
acceptance-reason-policy-not-followed = El reintento no siguió la política.
acceptance-reason-retry-not-completed = El reintento no se completó.
acceptance-reason-same-bytes = Se comparó el motor del reintento: byte a byte el de la línea base.
acceptance-reason-other-bytes = El motor del reintento es otro que el de la línea base.
acceptance-reason-other-file = El motor que está ahí no es el registrado.
acceptance-reason-no-validation = El reintento no se validó aquí.
acceptance-reason-no-observation = No consta qué hizo el proceso o la GPU.
acceptance-reason-taken-for-correct = Una compilación se dice validada, y nadie la validó.
acceptance-reason-fault-not-shown = El fallo del escenario no consta.
acceptance-reason-evidence-missing = Falta evidencia.
acceptance-reason-not-a-library = Una compilación no la hizo una biblioteca.
acceptance-reason-no-run = No se compiló nada.
