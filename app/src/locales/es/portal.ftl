### El portal en español. Las mismas claves y valores que en/portal.ftl; los códigos de la evidencia siguen a su prefijo.

## Marco
skip = Ir al contenido
nav-label = Principal
nav-runs = Ejecuciones
nav-routes = Rutas
nav-people = Personas
nav-ledger = Registro
nav-sign-in = Iniciar sesión
sign-out = Cerrar sesión
foot = Todo lo que se ve aquí descansa en entradas firmadas.
foot-ledger = Ver el registro
foot-language = Idioma
foot-theme = Tema
theme-system = Sistema
theme-light = Claro
theme-dark = Oscuro
role-reviewer = revisor
role-approver = aprobador
role-auditor = auditor
role-admin = administrador
role-builder = constructor
trail-label = Dónde está
table-label = Tabla: { $name }
raw-label = { $name }, palabra por palabra
pages-label = Páginas
page-before = anterior
page-next = siguiente

## Meses
month-1 = ene
month-2 = feb
month-3 = mar
month-4 = abr
month-5 = may
month-6 = jun
month-7 = jul
month-8 = ago
month-9 = sept
month-10 = oct
month-11 = nov
month-12 = dic

## Códigos
outcome-completed = completado
outcome-cancelled = cancelado
outcome-cancel-requested-but-completed = cancelación tardía
outcome-failed = fallido
outcome-crashed = caído
outcome-killed = matado
cleanup-cleaned = limpiado
cleanup-quarantined = en cuarentena
cleanup-failed = limpieza fallida
cleanup-not-needed = no hace falta
validation-pass = superada
validation-fail = no superada
validation-pending = pendiente
validation-not-applicable = no procede
disposition-kept = conservado
disposition-removed = eliminado
disposition-quarantined = en cuarentena
builder-tensorrt-rtx = TensorRT-RTX
builder-tensorrt = TensorRT
builder-external = compilación externa
builder-simulated = simulado
cache-cold = en frío
cache-reused = reutilizada
cache-updated = actualizada
cache-discarded = descartada
cache-quarantined = en cuarentena
cache-not-applicable = no se usa
cancel-source-ctrl-c = Ctrl-C en la terminal
cancel-source-ci = el trabajo de CI
cancel-source-ide = el editor
cancel-source-service = el cierre del servicio
cancel-source-api = la API o el portal
cancel-source-event-loop = un bucle de eventos
cancel-source-monitor-exception = un fallo del monitor
cancel-source-none = nadie
window-artifact-write = se estaba escribiendo el artefacto
window-cleanup = se estaban limpiando archivos
window-evidence-at-risk = la evidencia aún no estaba en disco
window-no-rollback-route = producción se habría quedado sin vuelta atrás
artifact-plan = motor
artifact-partial-plan = motor inacabado
artifact-bundle = bundle (Model Connect)
artifact-timing-cache = caché de tiempos
artifact-other = otro archivo
phase-state-running = abierta
phase-state-finished = terminada
phase-state-finished-early = terminada antes
phase-state-interrupted = interrumpida
phase-state-open-at-crash = abierta en la caída
phase-state-answered-stop = respondió «alto»
predicate-build-summary = resumen de compilación
predicate-a-build-summary = un resumen de compilación
predicate-a-agent-key = la inscripción de la clave de un agente
predicate-a-other = una declaración
predicate-agent-key = clave de agente
predicate-cbat-gate = paso de puerta
predicate-route-definition = definición de ruta
predicate-route-decision = decisión
predicate-rollback-order = orden
predicate-rollback-result = informe sobre una orden
predicate-retention = conservación
predicate-canary = canario
predicate-pin-observation = dato fijado observado
predicate-import = informe importado
predicate-rebuild = reconstrucción
predicate-stuck-build-test = prueba de aceptación
predicate-a-stuck-build-test = una ejecución de la prueba de aceptación
predicate-a-cbat-gate = el paso de una puerta
predicate-a-route-definition = la definición de una ruta
predicate-a-route-decision = una decisión sobre una ruta
predicate-a-rollback-order = una orden al entorno de ejecución
predicate-a-rollback-result = un informe sobre una orden
predicate-a-retention = la conservación de un paquete
predicate-a-canary = un paso de un canario
predicate-a-pin-observation = la observación de un dato fijado
predicate-a-import = un informe importado
predicate-a-rebuild = una reconstrucción de una ejecución
predicate-unknown = una declaración ilegible
stage-setup = la preparación
stage-parse = la lectura de la red
stage-build = la compilación
stage-write = la escritura del motor
stage-worker = el proceso de trabajo
policy-retry-cold = La política registrada dice: de nuevo, sin caché de tiempos.
policy-retry-with-cache = La política registrada dice: de nuevo, con la caché de tiempos.
policy-rollback = La política registrada dice: volver a un motor conocido.
policy-investigate = La política registrada dice: primero debe mirarlo una persona.
policy-none = La política registrada no pide nada.

## Ejecuciones
runs-scope-all = todas las ejecuciones que puede leer
runs-scope-matching = ejecuciones que cumplen el filtro
number-word = { $n ->
    [1] una
    [2] dos
    [3] tres
    [4] cuatro
    [5] cinco
    [6] seis
    [7] siete
    [8] ocho
    [9] nueve
   *[other] { $shown }
}
runs-need-word = { $n ->
    [one] { $shown } necesita a una persona
   *[other] { $shown } necesitan a una persona
}
runs-need = { $filtered ->
    [yes] { $n ->
        [one] { $shown } de { $all } ejecuciones filtradas necesita a una persona
       *[other] { $shown } de { $all } ejecuciones filtradas necesitan a una persona
    }
   *[no] { $n ->
        [one] { $shown } de { $all } { $total ->
            [one] ejecución
           *[other] ejecuciones
        } necesita a una persona
       *[other] { $shown } de { $all } ejecuciones necesitan a una persona
    }
}
need-cleanup-failed = { $n ->
    [one] { $shown } no se pudo limpiar
   *[other] { $shown } no se pudieron limpiar
}
need-crashed = { $n ->
    [one] { $shown } se cayó
   *[other] { $shown } se cayeron
}
need-killed = { $n ->
    [one] a { $shown } hubo que matarla
   *[other] a { $shown } hubo que matarlas
}
need-failed = { $n ->
    [one] { $shown } falló
   *[other] { $shown } fallaron
}
need-cancel-ignored = { $n ->
    [one] { $shown } ignoró su cancelación
   *[other] { $shown } ignoraron su cancelación
}
need-quarantined = { $n ->
    [one] { $shown } dejó archivos en cuarentena
   *[other] { $shown } dejaron archivos en cuarentena
}
runs-rest = Todo lo demás se completó o se detuvo limpiamente.
runs-fine-word = ninguna necesita a una persona
runs-fine = { $total ->
    [one] La única { $filtered ->
        [yes] ejecución filtrada
       *[no] ejecución
    } se completó o se detuvo limpiamente.
   *[other] Las { $all } { $filtered ->
        [yes] ejecuciones filtradas
       *[no] ejecuciones
    } se completaron o se detuvieron limpiamente.
}
runs-fine-lead = Ninguna dejó nada que deba decidir una persona.
runs-none-word = ninguna ejecución
runs-none-yet = Todavía no se ha registrado ninguna ejecución.
runs-none-yet-lead = Inscriba una vez la clave de un constructor; después, cada compilación hecha con acta se firma allí y se registra aquí.
runs-none-yet-server = En este servidor, para una ficha que vale una hora:
runs-none-yet-builder = En el constructor, con esa ficha:
runs-none-match = { $n ->
    [one] La única ejecución no cumple este filtro.
   *[other] Ninguna de { $all } ejecuciones cumple este filtro.
}
runs-none-match-lead = Quite una condición, o todas.
runs-drop = Quitar { $field }: { $value }
runs-count = { $filtered ->
    [yes] { $matching } de { $total } ejecuciones
   *[no] { $n ->
        [one] { $matching } ejecución
       *[other] { $matching } ejecuciones
    }
}
runs-note = { $order }. Las horas son UTC{ $year ->
    [none] .
   *[other] , { $year }.
}
runs-first-page = En esta página de la lista no hay nada. Ir a la primera página.
order--started = Las más recientes primero
order-started = Las más antiguas primero
order--duration = La compilación más larga primero
order--silence = El silencio más largo primero
order--latency = La cancelación más lenta primero
section-filter = Filtro
filter-note = La dirección lo guarda todo: un enlace muestra las mismas ejecuciones.
filter-route = Ruta
filter-outcome = Resultado
filter-builder = Compilador
filter-gpu = GPU
filter-cache = Caché de tiempos
filter-tensorrt = TensorRT
filter-q = Nombre del archivo de la red, o términos
filter-any = cualquiera
filter-apply = Aplicar
filter-clear = Quitar el filtro
runs-caption = Ejecuciones con resultado, tiempos y dónde se compilaron
runs-legend = Cancelación: de la petición al acuse. «>» es una cota inferior; «—» no se midió, nunca es cero.
run-head-run = Ejecución y red
run-head-outcome = Resultado
run-head-build = Comp.
run-head-silence = Silencio
run-head-silent = Silencio
run-head-cancel = Cancel.
run-head-cleanup = Limpieza
run-head-cache = Caché
run-head-tensorrt = TensorRT
run-head-gpu = GPU
run-head-started = Inicio
run-head-route = Ruta
gpu-none = ninguna
attempt = intento { $n }

## Ejecución: la respuesta
run-name = ejecución { $number }
run-entry = Entrada { $entry } del registro
run-how-verified = Cómo se verifica
headline-cancelled-because = Esta ejecución se canceló. El acuse tardó { $latency }, porque { $cause }.
headline-cancelled = Esta ejecución se canceló. La biblioteca lo acusó tras { $latency }.
headline-cancelled-outside = Esta ejecución se canceló fuera de la llamada de compilación; la biblioteca no tenía nada que acusar.
because-silence = la biblioteca no hizo ninguna llamada durante { $duration }
because-no-step = antes no terminó ningún paso
because-deferred = la petición se retuvo { $duration }: { $window }
headline-completed = Esta compilación se completó en { $duration }.
headline-completed-silence = Esta compilación se completó en { $duration }; su silencio más largo duró { $silence }, el { $share }.
headline-too-late = La cancelación llegó tarde: un motor entero salió { $duration } después de la petición, y ningún paso había respondido.
headline-too-late-because = La cancelación llegó tarde: un motor entero salió { $duration } después de la petición, porque { $cause }.
headline-too-late-answered = La cancelación no se obedeció: un paso respondió «alto» tras { $latency }, y aun así la biblioteca hizo un motor entero.
headline-too-late-plain = La cancelación no se obedeció: aun así salió un motor entero.
headline-failed = Esta compilación falló tras { $duration }, porque { $cause }.
failed-because-setup = no se pudo preparar
failed-because-parse = no se pudo leer la red
failed-because-build = la biblioteca desistió de compilar
failed-because-write = no se pudo escribir el motor
failed-because-worker = el proceso terminó sin decir nada
failed-because-unknown = pasó algo que no quedó registrado
headline-crashed = El proceso murió tras { $duration }, sin una última palabra.
headline-crashed-signal = El proceso murió tras { $duration }, por la señal { $signal }.
headline-killed = Hubo que matar esta ejecución, porque la biblioteca no respondió a la cancelación en { $duration }.
headline-killed-answered = Hubo que matar esta ejecución: un paso respondió a la cancelación tras { $duration }, pero la llamada de compilación no volvió.
headline-killed-plain = Hubo que matar esta ejecución tras { $duration }.
lead-simulated = Un compilador simulado hizo estos eventos. La declaración firmada lo dice, y ninguna puerta la acepta.
lead-message = Primer mensaje: «{ $message }».
lead-plan = El motor está en su sitio, { $bytes }.
lead-validation-pass = Superó su validación.
lead-validation-fail = No superó su validación y no debe usarse.
lead-validation-pending = No se ha validado: el progreso nunca se toma por corrección.
lead-cleanup-failed = La limpieza falló: algo inacabado puede seguir donde se busca un motor.
lead-quarantined = Nada de lo que dejó puede tomarse por un motor: { $quarantined ->
    [one] un archivo se apartó
   *[other] { $quarantined } archivos se apartaron
}{ $removed ->
    [0] .
    [one] , uno se eliminó.
   *[other] , { $removed } se eliminaron.
}
lead-cleaned = Nada de lo que dejó puede tomarse por un motor: { $removed ->
    [0] no quedaba nada inacabado
    [one] el archivo inacabado se eliminó
   *[other] { $removed } archivos inacabados se eliminaron
}{ $quarantined ->
    [0] .
    [one] , uno se apartó.
   *[other] , { $quarantined } se apartaron.
}
lead-nothing-left = No dejó ningún archivo.
lead-lost = { $n ->
    [one] Un evento se perdió antes de poder registrarse: tiempos y fases están incompletos.
   *[other] { $shown } eventos se perdieron antes de poder registrarse: tiempos y fases están incompletos.
}

## Ejecución: cifras
figure-latency = de la petición al acuse
figure-measured = medido, no censurado
figure-unmeasured = nada que acusar
figure-censored = nunca se acusó: cota inferior
figure-return = del acuse al retorno
figure-return-note = cerrando las fases
figure-cleanup = del acuse a la limpieza
figure-build = compilación
figure-total = intento entero
figure-serialize = { $duration } de ellos serializando
figure-silence = silencio más largo
figure-share = el { $share } de la compilación
figure-phases = fases
figure-callbacks = { $n ->
    [one] { $shown } llamada
   *[other] { $shown } llamadas
}
figure-verified = verificación

## Ejecución: cancelación
section-cancel = Cancelación
cancel-who = pedida por { $who }
cancel-reason = «{ $reason }»
moment-requested = pedida
moment-delivered = entregada
moment-acknowledged = acusada
moment-returned = retorno
moment-cleaned = limpieza
moment-not-held = se fijó el único estado de cancelación; ninguna ventana la retuvo
moment-held = { $n ->
    [one] una ventana la retuvo
   *[other] { $n } ventanas la retuvieron
}
moment-never-delivered = nunca llegó a la compilación
moment-answered-in = primer paso que respondió «alto», en
moment-answered = primer paso que respondió «alto»
moment-never-answered = ningún paso respondió jamás
moment-no-plan = no volvió ningún motor
moment-plan-returned = volvió un motor entero
moment-cleaned-up = { $status }; eliminados: { $removed }, apartados: { $quarantined }
open-at-both = { $n ->
    [one] Una fase estaba abierta en la petición y seguía en el acuse:
   *[other] { $shown } fases estaban abiertas en la petición y las mismas en el acuse:
}
open-at-request = { $n ->
    [0] Ninguna fase estaba abierta en la petición.
    [one] Una fase estaba abierta en la petición:
   *[other] { $shown } fases estaban abiertas en la petición:
}
open-at-acknowledgement = { $n ->
    [0] Ninguna fase estaba abierta en el acuse.
    [one] Una fase estaba abierta en el acuse:
   *[other] { $shown } fases estaban abiertas en el acuse:
}
open-more = { $n ->
    [one] y una más
   *[other] y { $shown } más
}
only-steps = Solo el final de un paso puede detener una compilación: la petición espera al siguiente paso que termine en cualquier fase abierta.
deferral = Retenida { $duration }: { $window }.
escalation-third-ctrl-c = Ningún paso respondió. Una persona pulsó Ctrl-C por tercera vez y mató el constructor { $after } después de la petición.
escalation-stop-deadline = Ningún paso respondió a tiempo. La parada del servicio puede durar { $deadline } ({ $from }), por eso el constructor fue matado { $after } después de la petición, cuando la evidencia aún podía escribirse.

## Ejecución: fases
section-phases = Fases
phases-none = No empezó ninguna fase, así que no hay nada que dibujar.
phases-problem = Las fases no se pueden mostrar: { $problem }
phases-counts = { $phases ->
    [one] Una fase
   *[other] { $phases_shown } fases
}, { $callbacks_shown } llamadas, { $threads ->
    [one] un hilo.
   *[other] { $threads } hilos.
}
phases-accounted = No falta ningún evento.
phases-missing = Falta: { $lost } eventos perdidos, { $orphans } sin fase, { $dropped } fases por encima del límite.
phases-json = Fases, JSON
phases-events = Eventos, NDJSON
finding-silence = El silencio más largo dura { $duration } y ocupa el { $share } de la compilación.
finding-silence-in = El silencio más largo dura { $duration } y ocupa el { $share } de la compilación, dentro de { $phase }.
finding-own-time = { $n ->
    [one] La mayor parte del tiempo se va en { $phase }: { $duration }, el { $share } de la compilación.
   *[other] La mayor parte del tiempo se va en { $phase }: { $duration } en { $shown } fases, el { $share } de la compilación.
}
phases-legend = Rayado: la fase está abierta y la biblioteca no hace ninguna llamada.
phases-legend-merged = Lo que es demasiado corto para dibujarse se agrupa, más alto cuanto más de ese tiempo llena.
phases-caption = Duración, parte y silencio de una fase incluyen las fases que tiene debajo.
phases-folded = Las { $shown } fases con más tiempo propio; otras { $hidden } están plegadas en filas.
phases-all-json = Todas las fases, JSON
phases-folded-row = { $n ->
    [one] una fase más, { $duration } de tiempo propio
   *[other] { $shown } fases más, { $duration } de tiempo propio juntas
}
phases-early = «Terminada antes» significa que la biblioteca cerró la fase antes de todos los pasos anunciados; lo hace al optimizar, al fallar o al detenerse. No implica ningún porcentaje de progreso.
phase-head-name = Fase
phase-head-duration = Duración
phase-head-share = Parte
phase-head-silence = Silencio
phase-head-start = Inicio
phase-head-steps = Pasos hechos
phase-head-state = Estado
phase-occurrence = n.º { $n }
timeline-title = Fases de la compilación de { $network } durante { $duration }
timeline-desc-axis = Eje horizontal: tiempo desde la llamada de compilación.
timeline-desc-silence = El tramo más largo sin llamadas va de { $from } a { $to }.
timeline-desc-moment = Cancelación, { $what }: { $at }.
timeline-desc-table = La tabla de abajo contiene las mismas fases.
timeline-phases = fases
timeline-callbacks = llamadas
timeline-cancel = cancelación
timeline-steps = { $done } de { $all } pasos
timeline-answered-stop = respondió «alto»
timeline-silence = ninguna llamada durante { $duration }, el { $share } de la compilación
timeline-waited-long = { $duration } de la petición al acuse
timeline-waited = esperó { $duration }
timeline-censored-long = sin acuse durante { $duration }
timeline-censored = > { $duration }
timeline-merged = { $n ->
    [one] una fase corta: ampliada abajo
   *[other] { $shown } fases cortas: ampliadas abajo
}
timeline-merged-lens = { $n ->
    [one] una fase es aún más corta: véase la tabla
   *[other] { $shown } fases son aún más cortas: véase la tabla
}
timeline-enlarged = de { $from } a { $to }, ampliado { $times } veces

## Ejecución: hechos
section-facts = Hechos, según quién los dice
facts-note = Lo que afirma el fabricante nunca satisface una puerta.
facts-measured = Medido por el agente
facts-agent = { $agent }
facts-stated = Dicho por una persona
facts-vendor = Afirmado por el fabricante
vendor-cancel = NvInfer.h dice que una compilación se detiene cuando un paso responde false.
vendor-cancel-measured = Aquí el siguiente paso llegó tras { $latency }.
vendor-cancel-unmeasured = Aquí ningún paso respondió jamás.
fact-cancellation = cancelación
fact-network = red
fact-layers = { $n ->
    [one] { $shown } capa
   *[other] { $shown } capas
}
fact-strongly-typed = de tipos estrictos
fact-weakly-typed = sin tipos estrictos
fact-tensors = tensores
fact-inputs = entra
fact-outputs = sale
fact-rss = { $bytes } residentes en el máximo
fact-cpu = { $duration } de procesador
fact-threads = { $n ->
    [one] un hilo
   *[other] { $n } hilos
}
fact-written = { $bytes } escritos
fact-gpu-memory = { $bytes } de memoria de GPU en uso en el máximo
fact-gpu-utilization = GPU ocupada como máximo al { $percent } %
fact-resources = recursos
fact-times = empezada y terminada
duration-parse = lectura
duration-build = compilación
duration-serialize = serialización
duration-write = escritura
duration-total = total
fact-reason = motivo de la cancelación
fact-output = ruta de salida
fact-command = línea de órdenes
section-settings = Ajustes y máquina
settings-note = Lo que otra compilación debe compartir para compararse con esta.
settings-builder = Compilador
settings-builder-note = ajustes que no son los de fábrica
settings-default = todos los de fábrica
settings-machine = Máquina
fact-settings = ajustes
fact-profile = perfil (mín / ópt / máx)
fact-os = sistema operativo
fact-kernel = núcleo y arquitectura
fact-cpus = procesadores
fact-container = contenedor
fact-driver = controlador, CUDA
fact-parser = archivo del lector
fact-library = archivo de la biblioteca
section-failure = Fallo
failure-stage = Etapa: { $stage }
failure-records = Registros de la biblioteca
failure-log = El registro entero
section-artifacts = Artefactos
artifacts-note = El inventario al final. Limpieza: { $status }.
artifacts-none = Esta ejecución no dejó ni eliminó ningún archivo.
artifacts-caption = Archivos que la ejecución hizo, dejó o eliminó
artifact-head-name = Nombre
artifact-head-kind = Clase
artifact-head-size = Tamaño
artifact-head-disposition = Destino
artifact-unread = eliminado sin leer
section-cache = Caché de tiempos
cache-file = archivo ofrecido
cache-before = ofrecida
cache-after = devuelta
cache-policy = política
cache-reasons = En qué se basa
section-attempts = Intentos
attempt-before = el intento anterior
attempt-after = un intento posterior
section-statement = Declaración
statement-note = Tal como se firmó, palabra por palabra.
statement-show = Mostrar la declaración firmada

## Verificación
section-verified = Verificación
verified-note = Solo a partir de los bytes registrados: firma, lugar en el árbol, cabeza firmada.
verify-without = Sin JavaScript, o para no fiarse ni del navegador ni del servidor, en una máquina propia:
check-signature = firma
check-inclusion = inclusión
check-tree-head = cabeza del árbol
check-continuity = continuidad
check-keys = claves
verify-figure = { $holds } de { $of }
verify-by-server = según el servidor
verify-by-browser = verificado en este navegador
verify-by-nobody = sin verificar
verify-lead-server = Esto lo dice el servidor; este navegador no lo ha comprobado.
verify-lead-good = Este navegador obtuvo los bytes registrados y los comprobó por sí mismo.
verify-lead-bad = No se fíe de esta página: la entrada { $index } no se verifica. { $reason }
verify-unfetched = Sin verificar: no se pudo obtener aquello en que se basa la entrada { $index } ({ $reason }). Recargue la página; si sigue igual, verifíquelo en una máquina propia.
verify-first = Este navegador ve este registro por primera vez y recordará sus claves y este árbol de { $size } entradas.
verify-same = El mismo árbol de { $size } entradas que este navegador vio antes.
verify-grown = El árbol de { $size } entradas continúa el de { $old } que este navegador vio antes.
verify-not-continued = No se mostró que el árbol de { $size } entradas continúe el de { $old } que este navegador vio antes: { $reason }
verify-truncated = El registro está truncado: tiene { $size } entradas y tenía { $old } cuando este navegador lo vio por última vez.
verify-forked = El registro ha mostrado dos historias: este árbol de { $size } entradas no es el que este navegador vio antes.
verify-unknown = No se puede decir nada mientras no se crea la cabeza del árbol.
verify-keys-changed = La página nombra otras claves que las que este navegador vio por primera vez el { $date }.
verify-forget = Olvidar lo que este navegador sabe de este registro y empezar de nuevo

## Entrada
entry-name = entrada { $index }
entry-of = de { $size }
entry-holds-word = verificada
entry-broken-word = no se verifica
entry-holds = La entrada { $index } es { $what } que firmó { $signer }; las tres comprobaciones se cumplen.
entry-broken = No se fíe de la entrada { $index }: no se cumple su { $check }. { $reason }
entry-holds-lead = Al registro se le puede añadir una entrada, nunca cambiarla.
entry-broken-lead = Lo que contiene el registro no es lo que se firmó y registró. Guarde esta página y la cabeza del árbol, y llame a quien lleva el registro.
signer-portal = el portal
signer-agent = el agente { $agent }
figure-index = índice
figure-size = tamaño
figure-proof = prueba de inclusión
figure-proof-note = resúmenes hasta la raíz
section-entry = Entrada
entry-note = A lo que el registro se comprometió.
entry-digest = SHA-256 de los bytes guardados
entry-leaf = resumen de la hoja
entry-type = tipo
entry-logged = registrada
section-subjects = Sujetos
subjects-note = De qué trata la declaración, por su resumen.
subject-head-name = Nombre
entry-envelope = Sobre
section-proof = Prueba de inclusión
proof-note = Desde el hermano de la entrada hasta la raíz.
proof-empty = El árbol tiene una sola entrada; su hoja es la raíz.
section-tree-head = Cabeza del árbol

## Registro
ledger-empty-word = vacío
ledger-empty = Este registro está vacío.
ledger-empty-lead = La primera entrada será la inscripción de la clave de un agente.
ledger-whole-word = completo
ledger-whole = { $size ->
    [one] El registro contiene una entrada
   *[other] El registro contiene { $shown } entradas
}, y { $agents ->
    [0] ningún agente ha firmado todavía{ $gaps ->
       *[other] {""}
    }
    [one] la cadena de su único agente no tiene huecos
   *[other] las cadenas de los { $agents } agentes no tienen huecos
}.
ledger-whole-lead = Cada agente numera lo que firma, así que se vería una declaración retenida o perdida.
ledger-broken-word = contradicción
ledger-broken = { $broken ->
    [one] { $agents ->
        [one] El único agente se contradice
       *[other] Uno de { $agents } agentes se contradice
    }
   *[other] { $broken } de { $agents } agentes se contradicen
}.
ledger-broken-lead = Dos declaraciones de un agente llevan el mismo número, o una sigue a otra que el registro no tiene: su clave o su estado se usó dos veces. Averigüe dónde antes de confiar en nada suyo.
ledger-gaps-word = faltan declaraciones
ledger-gaps = { $gaps ->
    [one] { $agents ->
        [one] El único agente tiene
       *[other] Uno de { $agents } agentes tiene
    } un hueco en su cadena
   *[other] { $gaps } de { $agents } agentes tienen un hueco en su cadena
}, en un registro de { $size ->
    [one] una entrada
   *[other] { $shown } entradas
}.
ledger-gaps-lead = Se firmaron declaraciones que no han llegado aquí. Envíe la bandeja de salida de los agentes de abajo; lo que no aparezca seguirá visible como hueco.
figure-entries = entradas
figure-entries-note = se añaden, nunca cambian
figure-root = raíz
figure-signed = con firma del { $at }
figure-agents = agentes
figure-gaps = { $n ->
    [0] ningún hueco en ninguna cadena
    [one] uno con un hueco
   *[other] { $n } con huecos
}
section-entries = Entradas más recientes
entries-note = Una entrada se puede añadir, nunca cambiar.
entries-none = Aquí no hay ninguna entrada.
entries-newest = más recientes
entries-earlier = anteriores
entry-head-index = Entrada
entry-head-when = Registrada
entry-head-what = Qué
entry-head-run = Ejecución
entry-head-signer = Firma
entry-head-digest = SHA-256
section-agents = Agentes
agents-note = Quién puede añadir evidencia: una ficha robada no firma, la clave sí.
agents-none = No se ha inscrito ningún agente. En este servidor, para una ficha que vale una hora:
agent-head-name = Agente
agent-head-key = Clave
agent-head-enrolled = Inscrito por
agent-head-entries = Entradas
agent-head-last = Última entrada
agent-head-chain = Cadena
chain-broken = se contradice
chain-broken-entries = Entradas
chain-whole = sin huecos
chain-missing = { $n ->
    [one] falta una declaración
   *[other] faltan { $n } declaraciones
}
tree-head-note = La nota firmada tal como se publica. Guarde una copia: es cuanto hace falta para probar un cambio posterior.
tree-head-verify = Para comprobar el registro entero en una máquina propia:
section-keys = Claves
keys-note = Compárelas con una fuente que no sea este servidor.
key-log = registro, firma las cabezas del árbol
key-portal = portal, firma las inscripciones

## Inicio de sesión
sign-in-headline = Iniciar sesión
sign-in-lead = Para leer la evidencia y decidir sobre ella hace falta una cuenta. Las cuentas las hace un administrador; no hay registro libre.
sign-in-name = Nombre
sign-in-password = Contraseña
sign-in-button = Iniciar sesión
sign-in-failed = sesión no iniciada
sign-in-error-credentials = El nombre y la contraseña no se corresponden. Compruebe ambos; las mayúsculas cuentan.
sign-in-error-rate = Demasiados intentos. Espere un minuto y vuelva a intentarlo.

## Errores
error-status = estado { $status }
error-not-found-word = no encontrado
error-not-found = En esta dirección no hay nada, o no puede verlo.
error-not-found-lead = Compruebe el número o el resumen: una ejecución se encuentra por su id o número, una entrada por su índice o resumen. Lo que no puede ver se muestra igual que lo que no existe.
error-bad-request-word = no se entiende
error-bad-request = La dirección no se entiende: «{ $field }» no puede ser «{ $found }».
error-bad-request-lead = No se cambió nada. Quite esa parte de la dirección o elija de nuevo.
error-internal-word = fallo
error-internal = El servidor no pudo hacer esta página.
error-internal-lead = No se cambió nada y no se ha perdido evidencia. Recargue la página; si vuelve a fallar, dé a quien lleva el servidor este id: { $id }
error-damaged-word = dañada
error-damaged = La entrada { $entry } del registro está dañada y esta página no puede mostrarse.
error-damaged-lead = Los bytes guardados no son la declaración que se firmó: { $reason }. Nada de esto es fiable hasta que la entrada se restaure de una copia; la página de la entrada muestra qué comprobaciones fallan.
error-to-entry = Ver la entrada { $entry } tal como está guardada
error-to-runs = A las ejecuciones
error-to-ledger = Al registro
