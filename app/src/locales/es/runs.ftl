page-first = primera página
runs-more-than = más de { $n }
filter-age = Más reciente que
filter-age-days = { $n ->
    [one] un día
   *[other] { $n } días
}
filter-duration = Duración
filter-silence = Silencio
filter-latency = Latencia de la cancelación
filter-state = Su ruta ahora
filter-state-pass = puede servirse
filter-state-hold = en espera
filter-state-reject = rechazada
filter-need = Necesita
filter-need-person = una persona
filter-text = El filtro entero como texto
filter-text-note = Cada término lo estrecha, en cualquier orden. Por ejemplo:
order-duration = La compilación más corta primero
order-silence = El silencio más corto primero
order-latency = La cancelación más rápida primero, tras las ejecuciones sin ella
error-bad-filter-lead = Se espera: { $expected }. No se cambió nada.
phases-trace = Traza de Chrome, para Perfetto
export-rows = Estas filas en
