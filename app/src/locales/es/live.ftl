### Compilaciones en marcha. Las mismas claves y valores que en/live.ftl.

nav-live = En vivo

## La lista
section-builds = Compilaciones
builds-note = Tal como las cuentan los agentes mientras corren. Evidencia es solo lo que firman al final.
builds-caption = Primero la compilación más nueva. Los tiempos son de los agentes; su silencio se mide aquí.
builds-none = Ahora no hay ninguna compilación en marcha.
builds-none-word = nada en marcha
builds-running = { $n ->
    [one] Hay una compilación en marcha.
   *[other] Hay { $n } compilaciones en marcha.
}
builds-vanished = { $n ->
    [one] Hay una compilación en marcha; de { $vanished } nadie sabe nada, porque su agente calla.
   *[other] Hay { $n } compilaciones en marcha; de { $vanished } nadie sabe nada, porque su agente calla.
}
builds-lead = Una compilación se ve aquí en cuanto su agente está conectado.
live-model = Modelo
live-standing = Situación
live-stage = Etapa
live-elapsed = Transcurrido
live-silence = Silencio
live-agent = Agente
live-started = Comienzo
standing-running = en marcha
standing-cancelling = cancelándose
standing-vanished = agente desaparecido
standing-ended = terminada
live-stage-starting = se carga la biblioteca
live-stage-parsing = se analiza la red
live-stage-setting-up = se prepara el constructor
live-stage-building = corre la llamada de compilación
live-stage-serializing = se serializa el plan
live-stage-returned = la llamada de compilación volvió
live-stage-writing = se escribe el plan
live-stage-cleaning = limpieza y firma
live-stage-ended = terminada y firmada
live-window-artifact-write = el plan esté escrito
live-window-cleanup = los ficheros estén limpios
live-window-evidence-at-risk = la evidencia esté en disco
live-window-no-rollback-route = producción tenga un camino de vuelta

## Una compilación
live-build-title = { $model } se está compilando
live-head-begins = Esta compilación comienza; de su agente se supo hace { $ago }.
live-head-vanished-early = Nadie sabe qué fue de esta compilación: su agente calla desde hace { $ago }.
live-head-vanished = Nadie sabe si esta compilación sigue en marcha: su agente calla desde hace { $ago }.
live-head-ended = Esta compilación ha terminado: { $outcome }. La ejecución firmada está en el registro.
live-head-ended-unlogged = Esta compilación ha terminado: { $outcome }. Su evidencia está firmada y todavía no está en el registro.
live-head-silent = Esta compilación corre desde hace { $elapsed }. La biblioteca no ha hecho ninguna llamada desde hace { $silence }, en «{ $phase }».
live-head-moves = Esta compilación corre desde hace { $elapsed } y avanza, en «{ $phase }».
live-head-serializes = Esta compilación corre desde hace { $elapsed }. Sus fases han terminado y la biblioteca no ha hecho ninguna llamada desde hace { $silence }: serializa el plan.
live-head-stage = Esta compilación corre desde hace { $elapsed }: { $stage }.
live-head-sent = Se pidió una cancelación y está de camino al agente.
live-head-waits = Se pidió una cancelación hace { $since } y espera el próximo paso, en «{ $phase }».
live-head-waits-unseen = Se pidió una cancelación hace { $since }; no hay ninguna fase abierta cuyo paso pudiera responder.
live-head-held = Se pidió una cancelación y está retenida hasta que { $window }.
live-head-acknowledged = La biblioteca respondió a la cancelación tras { $latency } y se está deteniendo.
live-head-returned = La llamada de compilación volvió hace { $since }; se está limpiando lo que dejó.
live-lead-silent = Una fase de un solo paso puede callar durante casi toda una compilación: el silencio por sí solo no dice que esté atascada.
live-lead-vanished = Puede que haya terminado el agente, o su red; la compilación sigue sin el portal, y su evidencia espera en su máquina hasta que se pueda enviar.
live-lead-cancel = Solo el final de un paso puede detener la biblioteca; nada lo acorta.
live-say-phase = Comenzó la fase «{ $phase }».
live-say-unusual = La fase «{ $phase }» guarda un silencio inusualmente largo.
live-say-longest = La fase «{ $phase }» guarda un silencio más largo que nunca.
live-say-vanished = El agente ha desaparecido.
live-say-requested = Se pidió la cancelación.
live-say-delivered = Se entregó la cancelación.
live-say-acknowledged = La biblioteca respondió a la cancelación.
live-say-returned = La llamada de compilación volvió.
live-say-cleaned = La limpieza ha terminado.
live-figure-callback = última llamada
live-figure-library = la biblioteca, hace
live-figure-heard = último latido
live-figure-connected = el agente, conectado
live-figure-silent = el agente, callado
live-figure-phase = en esta fase
live-figure-steps = { $done } de { $of } pasos
live-figure-rate = pasos por segundo
live-figure-rate-note = en los últimos diez segundos
live-figure-cores = de un núcleo
live-figure-rss = { $rss } residentes
live-pause = Pausar
live-resume = Reanudar
live-refresh = Actualizar una vez
live-plain = Sin JavaScript la página se carga de nuevo cada cinco segundos.
live-list-plain = Sin JavaScript la lista se carga de nuevo cada cinco segundos.
live-following = Las novedades llegan según las envía el agente.
live-paused = Las novedades están en pausa.
live-lost = El servidor no responde; se intenta de nuevo.
live-over = Aquí ya no cambiará nada.
live-to-run = Abrir la ejecución firmada
section-live-verdict = Junto a compilaciones anteriores
live-verdict-note = Misma configuración, TensorRT, GPU y caché; silencio y lentitud son dos cosas
live-verdict-unknown = Aún no se sabe qué es lo usual: la configuración de la compilación de una orden se conoce a su término, la de acta build cuando la red está leída.
section-live-tree = Fases hasta ahora
live-tree-all = Las fases abiertas en negrita
live-tree-some = { $shown } de { $all } fases: las abiertas en negrita y las que más duraron
tree-folded = { $n ->
    [one] y una más dentro
   *[other] y { $shown } más dentro
}
tree-open = { $done } de { $of } pasos, abierta desde hace { $duration }
tree-silent = { $done } de { $of } pasos, callada desde hace { $duration }
tree-beside-within = como de costumbre; máximo { $longest }
tree-beside-beyond-p95 = inusualmente larga; máximo { $longest }
tree-beside-beyond-longest = más larga que nunca; máximo { $longest }
tree-beside-too-small = { $n ->
    [one] máximo { $longest }, en una compilación
   *[other] máximo { $longest }, en { $n } compilaciones
}
tree-beside-too-small-unseen = no vista antes
tree-finished = { $done } de { $of }, { $duration }
tree-finished-early = { $done } de { $of }, terminada antes, { $duration }

## La cancelación según llega
live-moments-note = En segundos desde que empezó el intento, según el reloj del agente
live-gap = { $duration } después
live-moment-deliver = de camino al constructor
live-moment-step = espera el final de un paso
live-moment-return = espera la llamada de compilación
live-moment-clean = espera el final de la compilación
live-moment-never = no ocurrió
live-moment-returned = la llamada de compilación volvió
live-moment-cleaned = no queda nada a medias
live-moment-held = retenida hasta que { $window }
live-request-note = El portal firma la petición en nombre de la persona: { $at } según el reloj del servidor.
live-request-entry = Entrada { $entry }

## Pedirla
section-ask = Cancelar esta compilación
cancel-you-may = Puede: su papel es revisor o aprobador
cancel-you-may-not = No puede
cancel-may-not = Solo un revisor o un aprobador con sesión iniciada puede pedir una cancelación.
cancel-way-now = Una cancelación tiene efecto cuando una fase abierta completa su paso; la petición no puede acortarlo. Ahora ninguna ventana retiene una petición.
cancel-way-unseen = La biblioteca ha hecho su última llamada: una petición se entrega enseguida, pero lo más probable es que aun así salga un plan entero.
cancel-way-after = Una petición se entregará solo cuando { $window }; entonces no queda nada que detener, y el registro lo dirá.
cancel-way-when-back = El agente calla: una petición se guarda y se entrega cuando se vuelva a saber de él.
cancel-way-again = Ya se pidió una cancelación; cuenta la primera petición.
cancel-way-too-late = La llamada de compilación ha terminado: no queda nada que cancelar.
cancel-why = Motivo, se guarda en el registro
cancel-to-review = Revisar la cancelación
cancel-review-word = por confirmar
cancel-review-closed = no es posible
cancel-review-title = ¿Cancelar la compilación de { $model }?
cancel-review-trail = Cancelar
cancel-review-back = Volver a la compilación
cancel-submit = Pedir la cancelación
cancel-recorded = Consta con origen api, por { $account }.
section-cancel-now = La compilación ahora
cancel-now-note = Tal como estaba al hacerse esta página
cancel-fact-now = situación
cancel-fact-open = fases abiertas
cancel-fact-silence = silencio de la biblioteca
cancel-fact-none = nada
cancel-refused-missing-reason = Una cancelación necesita un motivo; no se pidió nada.
cancel-refused-text-too-long = El motivo tiene más de 500 caracteres; no se pidió nada.
cancel-refused-too-late = La llamada de compilación ha terminado: no queda nada que cancelar y no se pidió nada.
cancel-refused-already-asked = Ya se pidió una cancelación en el constructor; cuenta la primera petición.
cancel-refused-not-allowed = Su papel no permite pedir una cancelación; no se pidió nada.

## La ejecución después
cancel-by-portal = Pedida en el portal por { $who }, { $role }, a las { $at } según el reloj del servidor.
cancel-by-portal-entry = La petición es la entrada { $entry }.
cancel-clock = En el reloj del agente eso es { $offset } después de empezar la llamada de compilación, con un margen de { $uncertainty }.
cancel-clock-unknown = No se midió cuánto se aparta eso en el reloj del agente.
