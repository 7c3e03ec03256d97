### Las rutas en español. Las mismas claves y valores que en/route.ftl. Lo que empieza en minúscula es una cláusula: la
### página la hace oración o la pone tras dos puntos.

## Estados
status-pass = puede servirse
status-hold = no puede servirse
status-reject = rechazada
status-outdated = desactualizada
gate-state-missing = falta
gate-state-unsatisfied = no cumplida
gate-state-satisfied = cumplida
gate-state-overridden = dispensada
gate-state-outdated = desactualizada
gate-state-not-applicable = no procede
gate-state-error = error
canary-not-started = sin empezar
canary-running = en marcha
canary-pass = superado
canary-failed = fallido
canary-planned = planeado
rollback-tested = probada
rollback-blocked = bloqueada

## Puertas
gate-1 = Origen
gate-2 = Compilación
gate-3 = Paquete
gate-4 = Paridad
gate-5 = Entrega
gate-about-1 = checkpoint, licencia, código
gate-about-2 = entorno y receta
gate-about-3 = formato y manifiesto
gate-about-4 = entorno nativo de C++
gate-about-5 = canario y reversión
gate-rule-1 = El checkpoint está fijado a una revisión que no puede moverse, sus archivos tienen resumen, su licencia permite el uso y el código remoto está revisado.
gate-rule-2 = La compilación consta con sus fuentes, entorno, receta, precisión y núcleos propios, y su ejecución es una de este registro.
gate-rule-3 = El paquete se leyó entero: cabecera, tabla de secciones y resúmenes encajan, dice de dónde viene, y consta qué firmas o análisis tiene.
gate-rule-4 = En el destino de la propia ruta, el entorno nativo de C++ da lo que da la referencia, dentro de tolerancias declaradas antes de la prueba.
gate-rule-5 = Compilación en frío, calentamiento, latencia, rendimiento, memoria y errores están medidos en el destino, hay plan de canario, y la vuelta atrás está ensayada.
gate-rule-after = No cuenta antes de que se abra la puerta { $gate }.
gate-rule-checks = Debe constar: { $checks }.
gate-rule-show = La regla de la puerta { $gate }

## Lo que falta
missing-gap = no se pudieron examinar las entradas { $from } a { $to } del registro
missing-contradiction = dos entradas reclaman el índice { $index } del registro
missing-definition = la ruta no está definida, o su política no tiene sentido
missing-bundle = la ruta todavía no tiene paquete
missing-gate = { $state ->
    [missing] la puerta { $gate } no tiene evidencia
    [unsatisfied] la puerta { $gate } no está cumplida
    [outdated] la puerta { $gate } se cumplió con otros datos fijados
    [not_applicable] se dice que nada de la puerta { $gate } procede, y eso no la abre
    [error] falló una comprobación misma de la puerta { $gate }
   *[other] la puerta { $gate } no está abierta
}
missing-canary-plan = no hay plan de canario
missing-canary-failed = el canario falló (entrada { $index })
missing-way-back = { $lack }
missing-hold = { $cause ->
    [rollback_in_progress] hay una reversión en marcha (entrada { $index })
    [rolled_back] la ruta se revirtió y queda en espera hasta que un aprobador la levante (entrada { $index })
   *[decision] está en espera (entrada { $index })
}
missing-rejected = fue rechazado (entrada { $index })
missing-approvals = { $counted ->
    [0] { $needed ->
        [one] falta la aprobación
       *[other] no hay ninguna de las { $needed } aprobaciones
    }
   *[other] cuentan { $counted } de { $needed } aprobaciones
}
need-operator = quien lleva el registro
need-admin = un administrador
need-builder = un constructor
need-runtime = quien cuida el entorno de ejecución
need-approver = un aprobador
need-approvers = { $n ->
    [one] un aprobador más
   *[other] { $n } aprobadores más
}
need-owner = { $owner }; la levanta un aprobador
need-nobody = nadie: es definitivo para este paquete
need-after = después de { $n }
need-you-may = Usted puede aprobar.
need-you-may-not = Usted no puede aprobar: { $why }.
need-plan = Lo que aún falta, comprobación por comprobación:

## La vuelta atrás
lack-not-retained = el paquete { $bundle }, al que volvería una reversión, no está conservado
lack-purged = el paquete { $bundle }, al que volvería una reversión, se purgó
lack-damaged = lo conservado del paquete { $bundle }, al que volvería una reversión, está dañado
lack-retention-ended = el paquete { $bundle }, al que volvería una reversión, se conservó hasta el { $at }
lack-other-config = la orden nombra otra configuración de ejecución que la conservada
lack-never-drilled = ningún simulacro ha restaurado nunca el paquete { $bundle }
lack-drill-failed = falló el último simulacro con el paquete { $bundle } (entrada { $index })
lack-drill-stale = el último simulacro con el paquete { $bundle }, del { $at }, es más antiguo de lo que permite la política
lack-drill-other-target = el último simulacro con el paquete { $bundle } se hizo en { $found }, no en el destino de la ruta
lack-drill-not-verified = el último simulacro con el paquete { $bundle } restauró otros bytes, o su prueba de salud no pasó
lack-drill-outdated = el último simulacro con el paquete { $bundle } se hizo con otros datos fijados: { $changes }

## Datos fijados
pin-tensorrt = TensorRT
pin-model-connect = Model Connect
pin-cuda = CUDA
pin-driver = el controlador
pin-gpu-sku = la GPU
pin-recipe = la receta
pin-licence = la licencia
pin-none = sin fijar
pin-change = { $pin } cambió de { $before } a { $after }
pin-differs = { $pin } era { $before } donde se midió y está fijado en { $after }

## Por qué una puerta no está cumplida
reason-no-record = no consta nada
reason-check-missing = la comprobación { $check } no consta
reason-check-not-passed = { $verdict ->
    [fail] la comprobación { $check } no se cumple
    [hold] la comprobación { $check } queda a la decisión de una persona
    [not_run] la comprobación { $check } no se hizo, o había muy poco para juzgarla
    [error] la comprobación { $check } misma falló
    [not_applicable] se dijo que la comprobación { $check } no procede
   *[pass] la comprobación { $check } se cumple
}
reason-check-must-apply = la comprobación { $check } debe cumplirse y se dijo que no procede
reason-vendor-claim = la comprobación { $check } descansa en lo que afirma un fabricante, que no cumple nada
reason-not-measured = la comprobación { $check } debe medirse y solo está declarada
reason-unexplained = la comprobación { $check } no dice por qué no procede, o quién lo declara
reason-simulated = descansa en una compilación simulada, que ninguna dispensa abre
reason-other-target = se midió en { $found }, no en { $expected }
reason-other-target-none = no dice dónde se midió; debe ser { $expected }
reason-before-gate = debe pasarse de nuevo cuando la puerta { $gate } esté abierta
reason-pin-not-observed = { $pin } está fijado y no se observó donde se midió
reasons-more = { $n ->
    [one] y una más
   *[other] y { $n } más
}

## Por qué no cuenta la decisión de alguien
objection-not-signed-by-portal = el portal no la firmó
objection-not-approver = { $who ->
    [you] su cuenta no es de aprobador
   *[they] la cuenta no era de aprobador
}
objection-is-admin = { $who ->
    [you] usted es administrador, y los administradores no deciden nada
   *[they] es de un administrador, y los administradores no deciden nada
}
objection-not-listed = { $who ->
    [you] la política de la ruta no le nombra como aprobador
   *[they] la política de la ruta no nombra la cuenta como aprobadora
}
objection-not-stepped-up = { $who ->
    [you] no ha dado su contraseña en los últimos cinco minutos
   *[they] no se había dado la contraseña en los cinco minutos anteriores
}
objection-involved = { $who ->
    [you] usted lo compiló, es dueño del agente o aportó evidencia (entrada { $index })
   *[they] esa persona lo compiló, es dueña del agente o aportó evidencia (entrada { $index })
}
objection-incomplete = a la decisión le falta { $lacks }
objection-seen-future = nombra una cabeza del árbol que aún no existía
objection-hold-in-force = sigue en espera (entrada { $index })
objection-not-seen = { $who ->
    [you] no ha visto la entrada { $index }, que vino después
   *[they] no se había visto la entrada { $index }, que termina lo aprobado antes
}
objection-not-named = no nombra la entrada en que descansa la puerta { $gate }
objection-outdated = ya no encaja: { $cause }
objection-overrides-not-allowed = la política de la ruta no permite dispensas
objection-expired = terminó el { $at }
objection-role = su rol no lo incluye
incomplete-reason-code = un código de motivo
incomplete-text = un motivo en palabras
incomplete-hold-terms = un responsable y una fecha de revisión futura
incomplete-override-terms = al menos una puerta y un término futuro
incomplete-evidence = las entradas en que descansa
outdated-pin = { $change } (entrada { $index })
outdated-evidence = la puerta { $gate } tiene evidencia nueva (entrada { $index })
outdated-definition = cambió el checkpoint, el destino o la política de la ruta (entrada { $index })

## A quién le toca
turn-operator = quien lleva el registro: hay entradas que no se pueden leer
turn-admin = un administrador: hay que definir la ruta
turn-builder = { $n ->
    [0] un constructor: falta un paquete, un plan de canario o un paquete conservado
    [one] un constructor, por la puerta { $gates }
   *[other] un constructor, por las puertas { $gates }
}
turn-runtime = quien cuida el entorno de ejecución
turn-hold-owner = el responsable de la espera de la entrada { $index }: { $owner }
turn-hold-nobody = el responsable de la espera de la entrada { $index }
turn-approver = { $n ->
    [one] un aprobador más
   *[other] { $n } aprobadores más
}
turn-nobody = nadie
turn-yours = su turno
turn-line = A quién le toca: { $turn }.

## Historia
kind-definition = ruta definida o cambiada
kind-gate = puerta { $gate } pasada
kind-pin = un dato fijado resultó otro: { $pin }
decision-approve = aprobar
decision-hold = mantener en espera
decision-reject = rechazar
decision-override = dispensar
decision-lift-hold = levantar la espera
kind-canary = canario { $phase }
kind-retention = paquete { $state }
retention-retained = conservado
retention-purged = purgado
retention-damaged = dañado
action-deploy = despliegue
action-rollback = reversión
action-drill = simulacro
kind-order = orden: { $action }
kind-result = { $action }: { $step }
step-requested = recibido
step-acknowledged = aceptado
step-restored = restaurado
step-verified = verificado
step-refused = rehusado
step-failed = fallido
effect-recorded = consta
effect-superseded = una entrada posterior ocupó su lugar
effect-counted = cuenta
effect-not-counted = no cuenta
effect-ended-by = terminada por la entrada { $index }
effect-held = en vigor
effect-held-over = ya no está en vigor
effect-rejected = rechazado
effect-lifted = { $n ->
    [0] no levantó nada
    [one] levantó la espera de la entrada { $holds }
   *[other] levantó las esperas de las entradas { $holds }
}
effect-other-bundle = otro paquete
failure-not-retained = el paquete no está conservado
failure-damaged = lo conservado tiene otro resumen
failure-runtime-config = la configuración de ejecución falta o es otra
failure-never-drilled = ningún simulacro lo restauró nunca, o es demasiado antiguo
failure-target-missing = falta el destino
failure-target-full = el destino está lleno
failure-target-read-only = no se puede escribir en el destino
failure-unhealthy = la orden de salud lo encontró mal
failure-health-timeout = la orden de salud no terminó a tiempo
failure-superseded = otra orden vino antes
failure-other = por un motivo en palabras
reason-code-custom-kernel = núcleo propio sin revisar o sin responsable
reason-code-tvm-ffi-boundary = frontera TVM-FFI sin revisar o sin responsable
reason-code-precision-change = cambió la precisión o la cuantización
reason-code-portability = no se mostró en el destino
reason-code-missing-evidence = falta evidencia
reason-code-licence = la licencia no lo permite, o no está clara
reason-code-remote-code = código remoto o pesos pickle
reason-code-parity = las salidas difieren de la referencia
reason-code-performance = latencia, rendimiento o memoria
reason-code-canary = el canario
reason-code-rollback = la vuelta atrás
reason-code-security = vulnerabilidad, firma o análisis
reason-code-pin-changed = cambió un dato fijado
reason-code-resolved = lo que faltaba ya está
reason-code-other = otra cosa, en palabras

## El tablero
routes-none-word = ninguna ruta
routes-none = Todavía no se ha definido ninguna ruta.
routes-none-lead = Una ruta lleva de un checkpoint a un paquete servido; en ella hay cinco puertas. Un administrador la define, una vez, con un archivo de política:
routes-yours-word = su turno
routes-yours = { $n ->
    [one] { $all ->
        [one] La única ruta le espera a usted.
       *[other] Una de { $all } rutas le espera a usted.
    }
   *[other] { $n } de { $all } rutas le esperan a usted.
}
routes-others-word = no es su turno
routes-others = { $all ->
    [one] La única ruta no le espera a usted.
   *[other] Ninguna de las { $all } rutas le espera a usted.
}
routes-served = { $n ->
    [0] Ninguna puede servirse.
    [one] Una puede servirse.
   *[other] { $n } pueden servirse.
}
routes-outdated = { $n ->
    [one] La aprobación de una ya no encaja.
   *[other] Las aprobaciones de { $n } ya no encajan.
}
section-board = Rutas
board-note = Primero las suyas, después la que más espera. Cada fila trata del paquete más nuevo de la ruta.
board-yours = Su turno
board-rest = El turno de otros
board-route = Ruta
board-turn = Turno
board-record = Ficha
board-missing = { $n ->
    [0] no falta nada
    [one] falta una cosa
   *[other] faltan { $n } cosas
}
board-since = última entrada { $at }, hace { $age }
board-no-bundle = sin paquete todavía
board-canary = canario { $status }
board-rollback = vuelta atrás { $status }

## Una ruta
route-title = Ruta { $name }
route-may = Esta ruta puede servirse: las cinco puertas están abiertas y { $n ->
    [one] su aprobación cuenta
   *[other] cuentan { $n } aprobaciones
}.
route-may-not = Esta ruta no puede servirse: { $why }.
route-outdated = Esta ruta ya no puede servirse: { $why }.
route-rejected = Esta ruta no puede servirse: el paquete { $bundle } { $why }.
route-rejected-because = fue rechazado (entrada { $index })
route-open = { $n ->
    [0] Ninguna puerta está abierta.
    [one] La puerta { $gates } está abierta.
    [5] Las cinco puertas están abiertas.
   *[other] Las puertas { $gates } están abiertas.
}
route-more = { $n ->
    [one] Falta una cosa más.
   *[other] Faltan { $n } cosas más.
}
route-live-this = Este paquete está en servicio desde el { $at }.
route-live-other = El que está en servicio, el paquete { $bundle }, no se ve afectado.
route-live-none = No hay nada en servicio.
route-yours = Le toca a usted.
route-about-bundle = paquete { $bundle }
route-about-none = sin paquete
route-about-log = hasta la entrada { $index }
act-decide = Decidir
act-roll-back = Revertir
act-deploy = Desplegar este paquete
act-live = ¿Qué estaba en servicio en un momento dado?
and = y
section-gates = Cinco puertas
gates-note = Una fila por paquete. Una palabra lleva a la entrada; la cabeza de una columna, a su regla.
gates-caption = Estado de cada puerta
gates-bundle = Paquete
gates-this = el que aquí se juzga
gates-live = en servicio
gates-until = hasta el { $at }
gates-nothing = no consta nada
section-missing = Lo que falta para aprobar
missing-note = En el orden en que puede hacerse, y a quién le toca.
missing-none = No falta nada.
section-reasons = Las puertas, en palabras
reasons-note = Por qué está cada una donde está, por qué entrada, y su regla.
reasons-none = Todo lo que debe constar está y se cumple.
gate-entry = entrada { $index }
gate-no-entry = ninguna entrada
gate-same = { $n ->
    [one] Un paso anterior halló lo mismo.
   *[other] { $n } pasos anteriores hallaron lo mismo.
}
override-line = { $who } la dispensa, hasta el { $at }
override-line-open = { $who } la dispensa
override-not-counted = no cuenta: { $why }
override-counts = cuenta
section-votes = Aprobaciones y esperas
votes-note = Un voto por persona. Lo dicho queda a la vista.
votes-none = Nadie ha aprobado este paquete.
vote-head-who = Quién
vote-head-entry = Entrada
vote-head-counts = Cuenta
vote-counts = cuenta
vote-not = no cuenta
vote-outdated = desactualizada
hold-line = En espera
hold-wide = Detiene todos los paquetes de la ruta.
hold-by = La puso { $who }.
hold-terms = Se encarga { $owner }; se vuelve a mirar el { $at }.
hold-text = «{ $text }»
outdated-line = Ya no encaja
section-way-back = En servicio, y la vuelta atrás
live-head = En servicio desde el { $at }
live-head-none = Nada en servicio
live-text = Por { $action ->
    [rollback] una reversión
    [drill] un simulacro
   *[deploy] un despliegue
}, según midió el agente junto al entorno de ejecución (entrada { $index }).
live-text-none = Ningún agente ha informado de que se pusiera un paquete en servicio.
way-ready = lista para revertir
way-blocked = no se puede revertir
way-ready-text = Al paquete { $bundle }; el simulacro del { $at } lo restauró{ $known ->
    [yes] {" "}en { $duration }
   *[no] {""}
}.
way-none = La ruta no está definida: no hay vuelta atrás que juzgar.
retained-caption = Paquetes conservados
retained-none = No se conserva ningún paquete de esta ruta. Donde está el paquete:
retained-head-bundle = Paquete
retained-head-config = Configuración de ejecución
retained-head-drill = Último simulacro
retained-head-restore = Restauración
retained-head-ready = Vuelta atrás
retained-live = en servicio
retained-ready = lista
retained-lacks = no lista
retained-never = nunca
retained-valid = cuenta hasta el { $at }
live-ask = Qué estaba en servicio el
live-ask-label = Fecha y hora, UTC
live-ask-button = Mostrar
section-orders = Órdenes
orders-note = Lo que se pidió al agente junto al entorno de ejecución, y lo que informó. Nada se supone.
orders-waiting = a la espera del agente
order-title = { $action } al paquete { $bundle }
order-by = por { $who }
order-confirmed = confirmada por { $who }
order-after = { $duration } después de la orden
section-history = Historia
history-note = Lo que hizo cada entrada; para un paquete cuenta la última por índice.
history-head-entry = Entrada
history-head-when = Cuándo
history-head-what = Qué
history-head-bundle = Paquete
history-head-who = Por
history-head-effect = Qué hizo
section-record = Ficha de la ruta
record-note = Siete nombres que leen otras herramientas; calculada del registro.
record-definition = Definida por { $who } el { $at }: { $needed ->
    [one] una aprobación
   *[other] { $needed } aprobaciones
}, { $overrides ->
    [yes] dispensas por { $days } días a lo sumo
   *[no] sin dispensas
}; un simulacro cuenta { $drill } días.
record-undefined = Esta ruta no está definida; solo tiene evidencia.
section-others = Otros paquetes
others-note = Todos los paquetes de los que esta ruta tiene evidencia o decisiones.

## Qué estaba en servicio
live-title = Qué estaba en servicio en { $route }
live-none-asked = ¿Qué estaba en servicio en { $route } en un momento dado?
live-none-asked-lead = Responde el registro: lo que midió y firmó el agente junto al entorno de ejecución.
live-is = El { $at } estaba en servicio en { $route } el paquete { $bundle }.
live-is-none = El { $at } no había nada en servicio en { $route }: el entorno no servía ningún paquete.
live-was-nothing = El { $at } todavía no se había puesto nada en servicio en { $route }.
live-unknown = Qué estaba en servicio en { $route } el { $at } no puede decirse: el registro no se leyó entero.
live-word-live = en servicio
live-word-nothing = nada en servicio
live-word-unknown = desconocido
live-since = Desde el { $at }, por { $action } (entrada { $index }).
live-approved = { $n ->
    [0] Nadie lo había aprobado cuando entró en servicio.
   *[other] Aprobado por { $who } cuando entró en servicio.
}
live-ask-again = Preguntar por otro momento
live-ask-note = Por el reloj del agente junto al entorno de ejecución, en UTC.

## Edades
age-minutes = { $n ->
    [one] 1 minuto
   *[other] { $n } minutos
}
age-hours = { $n ->
    [one] 1 hora
   *[other] { $n } horas
}
age-days = { $n ->
    [one] 1 día
   *[other] { $n } días
}
age-ago = hace { $age }
age-left = quedan { $age }
retained-head-until = Conservado hasta
retained-no-day = mientras diga la política
retained-purged = purgado
retained-config-kept = conservada con él
retained-config-gone = ya no se conserva
retained-config-none = no se conserva
board-retained = vuelta atrás conservada hasta
board-drill = último simulacro hace { $age }

## La segunda persona de una reversión
act-confirm = Confirmar la orden
orders-second = espera a una segunda persona
turn-confirmer = un aprobador que no sea { $who }, para confirmar la orden de la entrada { $index }
objection-not-confirmed = debe confirmarla una segunda persona, y nadie lo ha hecho con validez
objection-same-person = { $who ->
    [you] la ordenó usted; hace falta otra persona
   *[they] la confirmó la misma persona que la ordenó
}
objection-nothing-to-confirm = no espera ninguna orden así: ya se confirmó, no necesita a nadie, terminó, se levantó, o vino otra después
