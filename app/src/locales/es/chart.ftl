# Gráficos, y las páginas sobre muchas ejecuciones.

chart-as-table = Lo mismo como tabla

history-title = Compilaciones como esta
history-x = ejecución, en el orden del registro
history-y = intento completo
history-band = habitual
history-legend = La banda va de la más corta al percentil 95. Un triángulo: más larga que 95 de cada 100 de las anteriores; una cruz: interrumpida o sin terminar, y no cuenta.
history-finding = 95 de cada 100 compilaciones como esta tardan hasta { $p95 } (n = { $n }); { $out ->
    [0] ninguna llamó la atención al hacerse.
    [one] una llamó la atención al hacerse.
   *[other] { $out } llamaron la atención al hacerse.
  }
history-too-small = { $n ->
    [0] Ninguna compilación como esta ha terminado aún sin interrupciones; hacen falta { $needed } para llamar habitual a algo.
    [one] Una compilación como esta terminó sin interrupciones; hacen falta { $needed } para llamar habitual a algo.
   *[other] { $n } compilaciones como esta terminaron sin interrupciones; hacen falta { $needed } para llamar habitual a algo.
  }
history-this = Esta ejecución, { $run }: { $took }, { $at }
history-outlier = Ejecución { $run }: { $took }, { $at }
history-others = { $n } ejecuciones con la misma configuración, TensorRT, GPU y estado de la caché de tiempos.
history-all = Todas las ejecuciones de esta configuración
history-head-standing = Frente a las anteriores
history-standing-too-small = muy pocas
history-standing-within = habitual
history-standing-beyond-p95 = inusual
history-standing-beyond-longest = la más larga hasta entonces
cache-class-unused = sin uso
cache-class-cold = fría
cache-class-warm = caliente

configuration-title = Configuración { $digest }
configuration-digest = Resumen criptográfico de las entradas del compilador:
configuration-kind = { $builder } { $version }, GPU: { $gpu }, caché de tiempos: { $cache }
configuration-left-out = { $n } clases más de compilaciones de esta configuración no se dibujan; el CSV las tiene.
configuration-all = { $n ->
    [one] Se compiló una vez.
   *[other] Se compiló { $n } veces.
  }
configuration-newest = Se miran las { $n } ejecuciones más recientes.
configuration-none-word = Nada que juzgar
configuration-none = Ninguna compilación de esta configuración ha terminado aún sin interrupciones.
configuration-unknown-word = Muy pocas
configuration-unknown = La compilación más reciente, la ejecución { $run }, tardó { $took }; hay muy pocas anteriores para decir si es habitual.
configuration-usual-word = Como siempre
configuration-usual = La compilación más reciente, la ejecución { $run }, tardó { $took }, lo habitual.
configuration-out-word = Inusual
configuration-beyond-p95 = La compilación más reciente, la ejecución { $run }, tardó { $took }, más que 95 de cada 100 anteriores.
configuration-beyond-longest = La compilación más reciente, la ejecución { $run }, tardó { $took }, más que todas las anteriores.

cancels-title = Cancelaciones
cancels-none-word = Ninguna cancelación
cancels-none = Nadie ha pedido aún que una compilación se detenga.
cancels-none-lead = Cuando alguien lo haga, esta página mostrará cuánto tardó la biblioteca en escuchar, por ruta, fase y GPU.
cancels-none-match = Ninguna cancelación es así.
cancels-none-match-lead = Quite una parte del filtro.
cancels-word = { $n ->
    [0] Todas reconocidas
    [one] Una nunca reconocida
   *[other] { $n } nunca reconocidas
  }
cancels-all = { $n ->
    [one] 1 cancelación
   *[other] { $n } cancelaciones
  }
cancels-newest = las { $n } cancelaciones más recientes
cancels-lead = Una compilación solo se detiene al final de un paso, así que una petición espera al siguiente. Una cancelación que nunca se reconoció cuenta como más larga que lo esperado: ni se descarta ni es cero.
cancels-finding = La mitad de las cancelaciones se reconocieron en { $p50 }, 95 de cada 100 en { $p95 } (n = { $n }{ $never ->
    [0] )
   *[other] , { $shown } nunca)
  }.
cancels-finding-tail = La mitad de las cancelaciones se reconocieron en { $p50 }; tantas no lo fueron nunca que no hay un tiempo para 95 de cada 100 (n = { $n }, { $shown } nunca).
cancels-finding-half = La mitad de las cancelaciones se reconocieron en { $p50 } (n = { $n }{ $never ->
    [0] )
   *[other] , { $shown } nunca)
  }.
cancels-finding-never = Más de la mitad de las cancelaciones nunca se reconocieron: { $shown } de { $n }.
cancels-finding-few = { $n ->
    [0] Ninguna cancelación tiene una latencia registrada.
   *[other] Una cancelación es muy poco para un percentil{ $never ->
        [0] .
       *[other] ; nunca se reconoció.
      }
  }
cancels-figure-p50 = Reconocida, mediana
cancels-figure-p95 = Reconocida, percentil 95
cancels-figure-cleanup-p50 = Limpia después, mediana
cancels-figure-cleanup-p95 = Limpia después, percentil 95
cancels-by-route = Por ruta
cancels-by-phase = Por fase en el momento de la petición
cancels-by-gpu = Por GPU
cancels-groups = { $n ->
    [one] 1 grupo
   *[other] { $n } grupos, el mayor primero
  }
cancels-x = de la petición al reconocimiento
cancels-y = reconocidas
cancels-legend = Parte de las cancelaciones reconocidas hasta un tiempo (Kaplan y Meier); un trazo vertical: ahí se dejó de observar una cancelación sin reconocimiento. Los cuatro grupos mayores.
cancels-head-ack = De la petición al reconocimiento
cancels-head-cleanup = Del reconocimiento a limpio
cancels-head-never = nunca
cancels-head-requested = Pedida
cancels-phase = Fase
cancels-source = Pedida por
cancels-no-route = sin ruta
cancels-no-phase = no consta
cancels-listed = Cancelaciones más recientes
cancels-listed-note = { $n ->
    [one] Una.
   *[other] Las { $n } más recientes; el CSV tiene las demás.
  }
cancels-link = Cuánto tardan las cancelaciones

caches-title = Cachés de tiempos
caches-decisions = Decisiones
caches-modes = Decisiones según lo que fue de la caché
caches-note = { $n ->
    [one] Una decisión.
   *[other] { $n } decisiones, la más reciente primero.
  }
caches-none-word = Ninguna compilación
caches-none = Aún no consta ninguna ejecución.
caches-unused-word = Sin uso
caches-unused = Ninguna de las { $n } ejecuciones más recientes tenía uso para una caché de tiempos.
caches-doubtful-word = En duda
caches-doubtful = { $doubtful ->
    [one] Una de las { $n } decisiones más recientes apartó una caché de tiempos.
   *[other] { $shown } de las { $n } decisiones más recientes apartaron una caché de tiempos.
  }
caches-fine-word = Justificadas
caches-fine = { $n ->
    [one] La única caché de tiempos sobre la que se decidió está justificada.
   *[other] Cada una de las { $n } decisiones más recientes sobre una caché de tiempos está justificada.
  }
caches-lead = Nada de lo que responde TensorRT demuestra que se usara una caché: una decisión vale lo que los hechos en que se apoya. Los bytes difieren entre dos GPU iguales, por eso la deriva se cuenta por clave y táctica.
caches-none-match = Ninguna decisión es así.
caches-head-decision = Qué fue de ella
caches-head-by = Decidido por
caches-head-reasons = Con qué hechos
caches-head-digests = Bytes
caches-head-drift = Deriva de tácticas
caches-head-facts = Para qué debe servir
caches-drift = { $added } nuevas, { $removed } perdidas, { $changed } con otra táctica
caches-drift-unknown = sin comparar
caches-link = Qué fue de las cachés de tiempos
fact-driver-short = controlador

restores-title = Tiempo de restauración
restores-word = { $n ->
    [0] Nunca probada
    [one] 1 orden
   *[other] { $n } órdenes
  }
restores-lead = De la orden al visto bueno del comando de salud, según informó el agente junto al entorno de ejecución. { $failed ->
    [0] Ninguna falló.
    [one] Una falló.
   *[other] { $failed } fallaron.
  }
restores-finding = { $n ->
    [one] La única restauración que llegó a su fin tardó { $max }.
   *[other] { $n } restauraciones llegaron a su fin, de { $min } a { $max }; la mitad en { $p50 }.
  }
restores-none = Nunca se restauró nada en esta ruta.
restores-note = Simulacros, reversiones y despliegues.
restores-x = orden, por el bundle restaurado
restores-y = hasta verificarse
restores-legend = Una cruz no llegó a su fin. Cada punto lleva a la entrada de su último informe.
restores-point = { $action }, { $step }, { $at }
restores-head-bundle = Bundle
restores-head-action = Orden
restores-head-step = Hasta dónde llegó
restores-head-restored = Restaurado tras
restores-head-verified = Verificado tras
restores-head-target = Dónde
restores-head-at = Último informe
restores-head-entry = Entrada
restores-action-deploy = despliegue
restores-action-rollback = reversión
restores-action-drill = simulacro
restores-step-requested = recibida
restores-step-acknowledged = reconocida
restores-step-restored = restaurado
restores-step-verified = verificado
restores-step-refused = rechazada
restores-step-failed = fallida
restores-link = Tiempo de restauración
