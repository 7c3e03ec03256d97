### Decidir y ordenar, en español. Las mismas claves y valores que en/decide.ftl.

## El formulario en la página de la ruta
section-decide = Decidir
decide-note = Página siguiente: revisar y después firmar. Aquí nada es definitivo.
decide-kind = Decisión
decide-about-approve = Un voto, ligado a este paquete y a la evidencia en que descansan ahora las puertas.
decide-about-hold = No es un fracaso: ahora no. Necesita un responsable y una fecha de revisión, y dura hasta que un aprobador la levante.
decide-about-reject = De este paquete en esta ruta, no de la investigación.
decide-about-override = Deja pasar puertas sin su evidencia, por un tiempo. Hacen falta dos personas y queda a la vista para siempre.
decide-about-lift-hold = Levanta las esperas que usted ha visto. Las aprobaciones anteriores a ellas siguen terminadas.
decide-reason-code = Código de motivo
decide-reason-none = ninguno
decide-reason-choose = elija uno
decide-text = Motivo en sus palabras
decide-for-hold = Para una espera
decide-hold-owner = Quién se encarga
decide-review-at = Se vuelve a mirar el (UTC)
decide-for-override = Para una dispensa
decide-gates = Puertas
decide-gate = Puerta { $gate }, { $name }: { $state }
decide-expires = Hasta (UTC)
decide-review = Revisar la decisión
decide-binds = Su decisión nombrará el paquete, { $n ->
    [one] la única entrada en que descansa
   *[other] las { $n } entradas en que descansa
} y el registro de { $size } entradas. Si la ruta cambia antes de que firme, se le pedirá que vuelva a mirar.
decide-cannot-approve = Usted no puede aprobar: { $why }.
decide-cannot-hold = Usted no puede mantener en espera: { $why }.
decide-cannot-reject = Usted no puede rechazar: { $why }.
decide-cannot-override = Usted no puede dispensar una puerta: { $why }.
decide-cannot-lift-hold = Usted no puede levantar una espera: { $why }.
decide-no-hold = no hay ninguna espera que levantar
decide-nobody = Para decidir hace falta una cuenta: inicie sesión.
decide-no-bundle = No hay nada que decidir antes de que la ruta tenga un paquete.
sign-in-to-decide = Iniciar sesión

## La revisión de una decisión
review-trail = Revisión
steps-label = Pasos
step-form = Elegir
step-review = Revisar y firmar
step-result = Resultado firmado
review-word = aún no se ha hecho nada
review-title-approve = Va a aprobar el paquete { $bundle } en { $route }.
review-title-hold = Va a mantener en espera el paquete { $bundle } en { $route }.
review-title-reject = Va a rechazar el paquete { $bundle } en { $route }.
review-title-override = Va a dispensar puertas del paquete { $bundle } en { $route }.
review-title-lift-hold = Va a levantar la espera del paquete { $bundle } en { $route }.
review-title-none = Elija primero qué decidir.
review-lead = Firmado, esto será una entrada del registro. Una entrada se añade, nunca se cambia.
review-refused-word = rehusado
review-lacking = Esto todavía no puede firmarse: falta { $lacks }.
review-changed = La ruta ha cambiado desde que usted miró. Lo nuevo:
review-change = Cambiarlo
review-back = Volver, no decidir nada
review-sign = Firmar la decisión
review-password = Su contraseña
review-password-note = Se pide otra vez antes de firmar esto; después vale cinco minutos.
section-sign = Lo que se firmará
sign-note = En su nombre, con sus roles y cómo inició sesión, con la clave del portal.
sign-none = ninguno
sign-seen = Registro visto
sign-seen-size = { $size } entradas
section-evidence = En qué descansa
evidence-note = { $n ->
    [one] Una entrada, por su resumen de hoja.
   *[other] { $n } entradas, por sus resúmenes de hoja.
}
evidence-none = En nada todavía.
evidence-head-what = Qué
evidence-head-entry = Entrada
evidence-head-leaf = Resumen de hoja
evidence-gate = puerta { $gate }, { $name }
evidence-override = dispensa de la puerta { $gate } por { $who }
evidence-retained = paquete conservado
evidence-drill = simulacro
section-consequences = Consecuencias
consequence-approve-last = Si nada más cambia, la ruta podrá servirse desde entonces: la suya es la última aprobación que falta.
consequence-approve-more = { $n ->
    [one] Después de la suya hace falta una aprobación más.
   *[other] Después de la suya hacen falta { $n } aprobaciones más.
}
consequence-approve-bound = Termina por sí misma cuando una puerta recibe evidencia nueva, cambia un dato fijado, o la ruta se pone en espera o se rechaza.
consequence-hold = La ruta no podrá servirse con este paquete hasta que un aprobador levante la espera. Las aprobaciones dadas terminan.
consequence-hold-live = Lo que está en servicio no se toca.
consequence-reject = Este paquete no podrá servirse en esta ruta. Las aprobaciones dadas terminan.
consequence-reject-research = La evidencia y las ejecuciones quedan como están; otro paquete empieza de nuevo.
consequence-override = Solo cuenta junto con la dispensa de la misma puerta por una segunda persona, y hasta su término.
consequence-override-visible = Queda a la vista en la página de la ruta para siempre, también cuando haya terminado.
consequence-lift = Las esperas que ahora están en vigor dejan de estarlo. Quien apruebe debe hacerlo después.
consequence-final = La entrada no puede retirarse. Puede seguirle otra decisión.
section-submit = Firmar
submit-note = Enviada dos veces, se hace una.

## Lo que respondió el servidor
refusal-title = No se firmó nada
refusal-missing-field = Falta un campo.
refusal-bad-code = Un código no es de los que se ofrecen.
refusal-bad-time = No se entiende una fecha o una hora; escriba 2026-11-29 o 2026-11-29T20:31:07Z.
refusal-bad-gate = Hay puertas de la 1 a la 5.
refusal-not-on-route = El paquete no está en esta ruta.
refusal-seen-future = La página nombra un registro mayor que el que hay. Vuelva a cargarla.
refusal-route-changed = La ruta ha cambiado desde que usted miró. Lo que ve abajo es como está ahora; vuelva a mirar y después firme.
refusal-refused-by-the-route = La ruta lo rehúsa, porque no contaría:
refusal-incomplete = Le falta algo.
refusal-not-retained = El paquete no está conservado.
refusal-text-too-long = El motivo es demasiado largo: a lo sumo 4000 caracteres.
refusal-entry-too-long = La entrada sería demasiado larga. Acorte el motivo.
refusal-bad-key = El formulario ha perdido su clave. Ábralo de nuevo.
refusal-in-progress = Ya se está trabajando en este formulario. Mire la ruta dentro de un momento; firmar otra vez no da una segunda entrada.
refusal-wrong-password = La contraseña no es correcta.
refusal-rate = Demasiadas contraseñas equivocadas. Espere un minuto.
refusal-not-allowed = Su rol no lo incluye.
refusal-stale-form = El formulario es de otra sesión. Vuelva a mirar y después firme.
refusal-unauthorized = Su sesión ha terminado. Iníciela y después firme otra vez.
refusal-unknown = El servidor lo rehusó.
refusal-server-words = En palabras del servidor: { $detail }

## Órdenes
rollback-trail = Revertir
order-trail-drill = Simulacro
order-trail-deploy = Desplegar
choose-word = aún no se ha hecho nada
choose-title = Elija el paquete al que vuelve { $route }.
choose-title-none = { $route } no tiene ningún paquete al que volver.
choose-lead-failed = El canario falló. El paquete al que vuelve una reversión ya está elegido.
choose-lead = Solo puede elegirse un paquete conservado que un simulacro haya restaurado.
choose-lead-none = Primero hay que conservar un paquete con su configuración de ejecución; después, un simulacro tiene que restaurarlo.
choose-lead-live = En servicio ahora: el paquete { $bundle }.
choose-lead-live-none = Ahora no hay nada en servicio.
section-choose = Paquetes
choose-note = Conservados para esta ruta, primero el propuesto.
choose-legend = Volver a
choose-restore = el simulacro del { $at } lo restauró en { $duration }
choose-restore-unknown = un simulacro lo restauró el { $at }
choose-suggested = propuesto: el último otro paquete que estuvo en servicio
choose-is-live = en servicio ahora
choose-cannot = no puede elegirse
choose-drill = Ordenar un simulacro
choose-next = Revisar la reversión
order-cannot-role = Usted no puede ordenar esto: hace falta el rol de revisor o de aprobador.
order-refused-rollback = No puede revertir al paquete { $bundle }: { $why }.
order-refused-drill = No puede hacer un simulacro con el paquete { $bundle }: { $why }.
order-refused-deploy = No puede desplegar el paquete { $bundle }: { $why }.
order-refused-lead = No se ha cambiado nada. Abajo está cada cosa que falta.
order-not-retained = no está conservado para esta ruta
order-is-live = ya está en servicio
order-title-rollback = Esto vuelve al paquete { $bundle }{ $known ->
    [yes] {" "}en unos { $duration }
   *[no] {""}
} y pone la ruta en espera.
order-title-drill = Esto restaura el paquete { $bundle } en un destino de prueba, para saber que funciona.
order-title-deploy = Esto pone en servicio el paquete { $bundle }.
order-lead-rollback = Usted lo ordena; el agente junto al entorno de ejecución lo hace y firma lo que pasó. Hasta que informe «verificado», nada se da por hecho.
order-lead-drill = Lo que está en servicio no se toca. El agente junto al entorno de ejecución restaura, comprueba y mide el tiempo, y firma lo que pasó.
order-lead-deploy = Usted lo ordena; el agente junto al entorno de ejecución lo hace, vuelve por sí mismo si falla la prueba de salud, y firma lo que pasó.
figure-from = de, en servicio
figure-to = a
figure-restore = restauración en el simulacro
figure-nothing-live = nada
section-ready = ¿Puede hacerse?
ready-note = Juzgado al hacer esta página, y otra vez antes de que cambie nada.
ready-retained = conservado
ready-retained-text = El paquete se conserva, por la entrada { $index }.
ready-config = configuración
ready-config-text = Su configuración de ejecución se conserva con él: { $digest }.
ready-drilled = ensayado
ready-drilled-text = El simulacro del { $at } lo restauró (entrada { $index }).
ready-restore = Tardó { $duration }.
ready-not = falta
ready-outdated = aprobación
ready-outdated-text = No puede servirse de nuevo: { $why }. Una reversión se permite igualmente.
section-diff = Lo que cambia
diff-note = { $differ ->
    [0] no difiere nada
    [one] difiere una fila
   *[other] difieren { $differ } filas
}, { $equal ->
    [one] una es igual
   *[other] { $equal } son iguales
}
diff-caption = Diferencias entre lo que está en servicio y lo que viene
diff-fact = Dato
diff-now = Ahora
diff-after = Después
diff-change = Cambio
diff-differs = difiere
diff-equal = igual
diff-bundle = paquete
diff-config = configuración de ejecución
diff-approvals = aprobaciones que cuentan
diff-status = puede servirse
diff-hold = ruta en espera
diff-hold-after = hasta que un aprobador la levante
diff-unknown = desconocido
diff-yes = sí
diff-no = no
consequence-rollback-hold = La ruta queda en espera: en ella no se promueve nada hasta que un aprobador la levante, con un motivo.
consequence-rollback-approvals = Las aprobaciones dadas terminan cuando el paquete queda restaurado.
consequence-rollback-failed = Si el agente no puede verificar el paquete restaurado, deja o repone el que estaba y lo dice. Una reversión fallida no pone en espera.
consequence-drill = El simulacro cuenta mientras diga la política, y solo con los datos fijados de ahora.
consequence-drill-failed = Un simulacro fallido bloquea la vuelta atrás hasta que otro salga bien.
consequence-deploy = El cambio es un solo paso; si falla la prueba de salud, el agente repone lo que estaba y lo dice.
consequence-order-final = La orden, cada respuesta y el resultado serán entradas del registro. No pueden retirarse.
order-sign-rollback = Firmar y ordenar la reversión
order-sign-drill = Firmar y ordenar el simulacro
order-sign-deploy = Firmar y ordenar el despliegue
order-other = Elegir otro paquete
order-back = Volver, no cambiar nada
section-reported = Lo que se informará
reported-requested = por usted, al firmar
reported-acknowledged = por el agente: resumen y configuración encajan
reported-restored = cambiado en un solo paso
reported-verified = respondió la orden de salud; solo entonces está hecho

## El resultado firmado
done-trail = Resultado firmado
done-word = firmado
done-approve = La aprobación del paquete { $bundle } está firmada como entrada { $entry }.
done-hold = La espera del paquete { $bundle } está firmada como entrada { $entry }.
done-reject = El rechazo del paquete { $bundle } está firmado como entrada { $entry }.
done-override = La dispensa para el paquete { $bundle } está firmada como entrada { $entry }.
done-lift-hold = El levantamiento de la espera del paquete { $bundle } está firmado como entrada { $entry }.
done-rollback = La reversión al paquete { $bundle } está ordenada por la entrada { $entry }; todavía no se ha restaurado nada.
done-drill = El simulacro con el paquete { $bundle } está ordenado por la entrada { $entry }.
done-deploy = El despliegue del paquete { $bundle } está ordenado por la entrada { $entry }; todavía no se ha cambiado nada.
done-other = La entrada { $entry } está firmada.
done-by = Por { $who } el { $at }.
done-served = La ruta puede servirse.
done-not-served = La ruta no puede servirse: { $why }.
done-to-route = A la ruta
done-to-entry = Entrada { $entry }
done-order-lead = La página de la ruta muestra cada paso según lo informa el agente.
section-decided = Lo que se decidió
section-ordered = Lo que se ordenó
section-after = La ficha después
after-note = Como está la ruta ahora.
section-still = Lo que aún falta

## La confirmación de una orden
confirm-trail = Confirmar
confirm-title = { $who } ordenó volver al paquete { $bundle }; espera a una segunda persona.
confirm-title-none = Ninguna orden de esta ruta espera a una segunda persona.
confirm-cannot = Usted no puede confirmar esta orden: { $why }.
confirm-lead = Ordenada el { $at }, hace { $age }. Hasta que se confirme no se ejecuta nada; mientras tanto la ruta está en espera.
confirm-lead-none = Puede que ya se haya confirmado, o que otra orden viniera después.
confirm-note = Tal como se firmó. Su confirmación firma lo mismo otra vez, con su nombre.
confirm-entry = Orden
confirm-sign = Firmar la confirmación
consequence-confirm = El agente junto al entorno de ejecución cumple la orden en cuanto ve la confirmación.
consequence-second = Una segunda persona, un aprobador, debe confirmarla antes de que se ejecute. Pedirla ya deja la ruta en espera.
ordered-text = Motivo en palabras
ordered-by = La ordenó
ordered-confirmed = La confirmó
done-asked = La reversión al paquete { $bundle } se pide con la entrada { $entry }; espera a una segunda persona.
done-confirmed = La reversión al paquete { $bundle } se confirma con la entrada { $entry }; todavía no se ha restaurado nada.
done-asked-lead = Un aprobador que no sea quien la pidió debe confirmarla en la página de la ruta.
