### El rastro de un paquete en español. Las mismas claves y valores que en/trace.ftl.

act-trace = Procedencia
trace-trail = Procedencia de un paquete
trace-title = Procedencia del paquete { $bundle }
trace-word-whole = completa
trace-word-gaps = con huecos
trace-word-broken = no se verifica
trace-whole = El paquete { $bundle } puede seguirse desde su checkpoint hasta lo que está en servicio, sin huecos.
trace-gaps = { $n ->
    [one] La procedencia del paquete { $bundle } tiene un hueco: { $first }.
   *[other] La procedencia del paquete { $bundle } tiene { $n } huecos. El primero: { $first }.
}
trace-broken = La procedencia del paquete { $bundle } se apoya en { $of } entradas, y { $n } de ellas no se verifican.
trace-verified = { $n ->
    [one] La única entrada en que se apoya se verificó: firma, lugar en el registro, cabeza del árbol.
   *[other] Las { $n } entradas en que se apoya se verificaron: firma, lugar en el registro, cabeza del árbol.
}
trace-stored = Sus bytes están aquí: { $size }.
trace-purged = Sus bytes se conservaron aquí y se purgaron a propósito, como dice la entrada { $index }. Las entradas permanecen.
trace-not-here = Sus bytes no se guardan aquí.
trace-other-route = En { $route }
section-steps = Del checkpoint a lo que está en servicio
steps-note = Diez pasos en orden. Cada dato dice cómo se sabe y qué entrada lo dice; lo que ninguna entrada dice es desconocido.
trace-step-checkpoint = checkpoint
trace-step-files = archivos
trace-step-recipe = receta
trace-step-environment = entorno
trace-step-run = ejecución
trace-step-bundle = paquete
trace-step-parity = paridad
trace-step-canary = canario
trace-step-decisions = decisiones
trace-step-live = en servicio
trace-state-known = conocido
trace-state-incomplete = incompleto
trace-state-unknown = desconocido
trace-state-not-yet = todavía no
trace-facts = Datos del paso: { $step }
trace-head-fact = Dato
trace-head-value = Valor
trace-head-class = Cómo se sabe
trace-head-found = Resultado
trace-unverified = sin verificar
trace-signature-valid = verificada
trace-signature-bad = no se verifica
trace-key = clave
trace-gap-word = desconocido
trace-gap-no-entry = ninguna entrada del registro habla de ello
trace-gap-run-not-named = ninguna entrada dice qué ejecución hizo el paquete
trace-gap-run-not-logged = se nombra la ejecución { $run }, y el registro no tiene su resumen
trace-gap-run-simulated = lo hizo una simulación, no una biblioteca
trace-gap-gate-closed = la puerta { $gate } no se cumple con ello
trace-gap-canary = no hay veredicto de un canario
trace-gap-at = { $step }: { $why }
trace-untied = ninguna entrada une { $from } con { $to }
trace-no-gaps = Nada.
class-measured = medido por el agente
class-stated-by-bundle = lo declara el paquete
class-stated-by-person = lo declara una persona
class-vendor-claim = lo afirma un proveedor
check-verdict-pass = se cumple
check-verdict-not-applicable = no procede
check-verdict-not-run = no se miró
check-verdict-hold = queda para una persona
check-verdict-fail = no se cumple
check-verdict-error = falló la comprobación
section-graph = Lo mismo como dibujo
graph-note = Cada caja lleva a su paso, más arriba.
graph-title = Los pasos de la procedencia y las uniones que hacen las entradas entre ellos
graph-caption = Las entradas hacen { $n } de las { $of } uniones entre los pasos. La unión que ninguna entrada hace no se dibuja.
section-gaps = Lo que se desconoce
gaps-note = Lo que pediría una procedencia completa y ninguna entrada dice.
section-trace-record = Para comprobar esta ficha
trace-record-note = La cabeza del árbol de que salió, y la orden para cada entrada. No hace falta confiar en este servidor.
trace-origin = Registro
trace-size = Entradas
trace-root = Resumen de la raíz
trace-address = Dirección de esta página
trace-verify = En una máquina propia, con las claves en que confíe:
