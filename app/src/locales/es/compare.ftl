# Ejecuciones lado a lado.

compare-title = Comparar
compare-title-of = Comparar { $runs }
compare-count = { $n } ejecuciones
compare-choose-word = Nada que comparar
compare-choose-none = Elija de dos a ocho ejecuciones: las demás se miden contra la primera.
compare-choose-one = Hay una ejecución elegida: ¿con cuál se compara?
compare-choose-lead = En la página de ejecuciones, marque algunas y pulse «Comparar»; aquí, elija una de las más recientes o dé un número.
compare-unknown = { $n ->
    [one] No existe la ejecución { $names }.
   *[other] No existen las ejecuciones { $names }.
  }
compare-ranked-word = Comparables
compare-ranked = de { $n } ejecuciones, la { $fastest } tardó menos, { $fast }, y la { $slowest } tardó más, { $slow } ({ $times }).
compare-ranked-lead = La misma biblioteca compiló la misma red para la misma GPU desde el mismo estado de la caché de tiempos, hasta el final y sin interrupciones.
compare-refused-word = No comparables
compare-refused = sus tiempos no pueden ordenarse, porque { $because }.
compare-and = { $before } y { $last }
compare-refused-lead = Las diferencias se muestran de todos modos.
compare-because-completed = no todas terminaron sin interrupciones
compare-because-real = participó un compilador simulado
compare-because-builder = los compiladores difieren
compare-because-tensorrt-version = las versiones de TensorRT difieren
compare-because-gpu-sku = las GPU difieren
compare-because-cache = las cachés de tiempos empezaron en estados distintos
compare-because-network = las redes difieren
compare-ground-about-completed = No todas llegaron a su final sin interrupciones: entonces un tiempo dice cuándo se detuvo una compilación.
compare-ground-about-real = Un compilador simulado inventa sus tiempos.
compare-ground-about-builder = Compilaron bibliotecas distintas.
compare-ground-about-tensorrt-version = Compilaron versiones distintas de TensorRT.
compare-ground-about-gpu-sku = Compilaron para GPU distintas.
compare-ground-about-cache = Empezaron con la caché de tiempos en estados distintos.
compare-ground-about-network = Compilaron redes distintas.

compare-runs = Ejecuciones comparadas
compare-runs-note = La primera es la referencia. La dirección guarda la elección y el orden.
compare-baseline = referencia
compare-head-total = Intento completo
compare-head-beside = Frente a la referencia
compare-head-change = Cambiar
compare-make-baseline = hacer referencia
compare-make-baseline-label = hacer referencia: { $run }
compare-up = subir
compare-up-label = subir: { $run }
compare-down = bajar
compare-down-label = bajar: { $run }
compare-remove = quitar
compare-remove-label = quitar: { $run }
compare-add = Añadir
compare-add-recent = Una de las ejecuciones más recientes
compare-add-nothing = ninguna de estas
compare-add-any = O el número o identificador de una ejecución
compare-full = No caben más de ocho ejecuciones lado a lado: quite una para añadir otra.
compare-show-all = Mostrar también las filas iguales
compare-only-differences = Mostrar solo diferencias

compare-section-inputs = Entradas
compare-section-environment = Entorno
compare-section-settings = Ajustes
compare-section-cache = Caché de tiempos
compare-section-phases = Duraciones y recursos
compare-section-cancel = Cancelación y limpieza
compare-section-artifacts = Artefactos
compare-section-validation = Resultado y validación
compare-section-equal = Ninguna diferencia.
compare-hidden = { $n ->
    [0] Ninguna fila es igual.
    [one] 1 fila igual oculta.
   *[other] { $n } filas iguales ocultas.
  }
compare-all-shown = { $n ->
    [one] 1 fila, a la vista.
   *[other] Las { $n } filas, también las iguales.
  }
compare-head-fact = Hecho
compare-head-difference = Diferencia
compare-head-before = Referencia
compare-head-after = Esta ejecución
compare-added = solo aquí
compare-removed = aquí no
compare-other = otro
compare-later = posterior
compare-earlier = anterior
compare-yes = sí
compare-no = no
compare-more = y { $n } más

compare-phases = Fases lado a lado
compare-phases-none = Las fases no se pueden comparar: menos de dos de estas ejecuciones tienen árbol de fases.
compare-phases-note = Una fase es la misma por su ruta y por su orden entre las de su nombre. Tiempo propio: abierta sin ninguna otra debajo. La parte es de la diferencia de las llamadas de compilación completas; donde los hilos se solapan, las partes no tienen que sumar 100 %.
compare-phases-hidden = { $n ->
    [one] 1 fase con una parte inferior al 1 % oculta.
   *[other] { $n } fases con una parte inferior al 1 % ocultas.
  }
compare-phases-shown = { $n ->
    [one] 1 fase.
   *[other] { $n } fases.
  }
compare-phases-folded = { $n ->
    [one] Una fase más
   *[other] { $shown } fases más
  }
compare-head-own = propio
compare-head-delta = más
compare-head-share = parte
compare-phase-new = nueva
compare-phase-missing = falta
compare-outside = fuera de toda fase
compare-total = llamada de compilación
compare-tree-problem = El árbol de fases de la { $run } no se compara: { $problem }.

compare-why = Por qué difiere el tiempo
compare-why-note = Primero lo que era distinto, después adónde fue el tiempo. No se afirma que una circunstancia lo causara.
compare-why-refused = la { $run } y la { $first } no se ordenan
compare-why-longer = la { $run } tardó { $by } más que la { $first } ({ $times }).
compare-why-shorter = la { $run } tardó { $by } menos que la { $first } ({ $times }).
compare-why-same = la { $run } tardó exactamente lo mismo que la { $first }.
compare-why-near = la { $run } tardó lo mismo que la { $first }: difieren en { $by }, menos del 1 %.
compare-why-nothing = Nada que pueda cambiar el tiempo es distinto, y ninguna parte tardó notablemente más.
compare-usual-too-small = Hay muy pocas compilaciones como la referencia para decir qué es habitual: { $n } de las { $needed } necesarias.
compare-usual-within = Dentro de lo habitual: 95 de cada 100 compilaciones como la referencia tardan hasta { $p95 } (n = { $n }).
compare-usual-beyond-p95 = Inusual: 95 de cada 100 compilaciones como la referencia tardan hasta { $p95 }, la más larga { $longest } (n = { $n }).
compare-usual-beyond-longest = Más larga que todas las compilaciones como la referencia: la más larga tardó { $longest } (n = { $n }).
compare-entries = entradas
compare-cause-differs = { $section }:
compare-cause-took = { $what }: { $by }
compare-cause-share = { $share } de la diferencia
compare-cause-against = { $share } de ella, en contra de la diferencia
compare-cause-more-than-all = más que toda la diferencia
compare-cause-against-more = más que toda la diferencia, en contra de ella
compare-to-phase = a la fase
compare-segment-parse = leer e interpretar la red
compare-segment-build = la llamada de compilación hasta su última fase
compare-segment-serialize = serializar
compare-segment-write = escribir el plan
compare-segment-rest = todo lo de alrededor

compare-bundles = Bundles
compare-bundles-note = Según lo que la puerta 3 vio de cada uno.
compare-bundle-same = Es el mismo fichero.
compare-bundle-header = cabecera
compare-bundle-equal = { $n ->
    [one] 1 sección es igual, byte a byte.
   *[other] { $n } secciones son iguales, byte a byte.
  }
compare-bundle-section-added = sección, solo aquí
compare-bundle-section-removed = sección, aquí no
compare-bundle-section-changed = sección, otros bytes
compare-bundle-section-unknown = sección, no se sabe

compare-distributions = Compilaciones como estas
compare-distributions-note = Intentos completos de la misma configuración, TensorRT, GPU y estado de caché que terminaron sin interrupciones, de todos los que hay. Como mucho los 1000 más recientes.
spread-longest = más largo
spread-of = { $n } de { $of }
spread-needed = requiere { $n }

compare-link = Comparar con otras ejecuciones
compare-submit = Comparar
compare-pick = Comparar la { $run }
compare-pick-head = Comparar
