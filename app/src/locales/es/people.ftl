### Las cuentas en español. Las mismas claves y valores que en/people.ftl.

account-title = Su cuenta
account-headline = { $sessions ->
    [one] Ha iniciado sesión aquí y en ningún otro sitio
   *[other] Tiene { $sessions } sesiones abiertas
}, y { $tokens ->
    [0] ningún token actúa por usted
    [one] un token actúa por usted
   *[other] { $tokens } tokens actúan por usted
}.
account-lead = Termine lo que no reconozca y cambie después su contraseña.
account-word = con sesión
section-sessions = Sesiones
sessions-note = Cada navegador en que usted ha iniciado sesión.
session-head-browser = Navegador
session-head-since = Iniciada
session-head-last = Último uso
session-head-end = Terminarla
session-current = esta
session-end = Terminar
session-end-label = Terminar la sesión de { $browser }, iniciada el { $at }
session-unknown = un navegador sin nombre
section-tokens = Tokens
tokens-note = Leen y envían por usted, y no deciden nada.
tokens-none = Ningún token actúa por usted.
token-head-label = Para
token-head-issued = Emitido
token-head-expires = Termina
token-head-last = Último uso
token-head-revoke = Revocarlo
token-never = nunca
token-revoke = Revocar
token-revoke-label = Revocar el token { $label }
section-zone = Zona horaria
zone-note = Se guarda con su cuenta. Los momentos están en UTC y, al lado, según su reloj; lo que pide un formulario sigue en UTC.
zone-label = Zona horaria, como Europe/Madrid; vacío para UTC
zone-submit = Guardar la zona horaria
zone-refused = La zona horaria no se cambió
zone-refused-found = Zona horaria: se encontró «{ $found }», que la base de datos de zonas horarias no conoce.
zone-refused-expected = Se espera un nombre de la base de datos IANA, como Europe/Madrid, o nada para UTC.
zone-gone = La base de datos de zonas horarias ya no conoce { $zone }: los momentos están solo en UTC hasta que elija otra.
section-preferences = Idioma y tema
preferences-note = Se guardan en este navegador.
people-title = Personas
people-word = cuentas
people-headline = { $n ->
    [one] Hay una cuenta
   *[other] Hay { $n } cuentas
}; { $approvers ->
    [0] nadie puede aprobar
    [one] una persona puede aprobar
   *[other] { $approvers } personas pueden aprobar
}.
people-lead = Quien es dueño de un agente no puede aprobar lo que este envió. Un administrador lleva cuentas y tokens, no decide nada y no se da nada a sí mismo.
section-people = Cuentas
people-note = Por nombre. Un nombre nunca se da a otra persona.
person-head-name = Nombre
person-head-role = Rol
person-head-sessions = Sesiones
person-head-agents = Agentes propios
person-no-agent = ninguno
person-head-state = Estado
person-head-since = Desde
person-enabled = en uso
person-disabled = desactivada
section-add = Añadir una cuenta
add-note = Entregue la contraseña por un camino seguro.
add-password = Primera contraseña, 10 caracteres como mínimo
add-choose-role = elija uno
add-submit = Añadir la cuenta
section-enrol = Inscribir un agente
enrol-note = Un token de un solo uso: el agente que lo muestra primero pone su clave en el registro.
enrol-agent = Nombre del agente
enrol-owner = De quién es
enrol-nobody = de nadie
enrol-hours = Horas de validez, 168 como máximo
enrol-submit = Emitir el token de un solo uso
enrol-command = En la máquina del agente:
section-all-tokens = Tokens de personas
section-all-tokens-note = Leen, y el de un administrador puede definir rutas. No deciden nada.
section-agent-tokens = Tokens de agentes
section-agent-tokens-note = Cada agente recibió uno al inscribir su clave. Su evidencia la firma su clave de todos modos.
section-enrolments = Tokens de un solo uso
section-enrolments-note = Emitidos y aún sin usar.
tokens-no = No hay ninguno.
token-head-holder = De quién
token-head-scopes = Sirve para
token-revoke-of = Revocar el token { $label } de { $holder }
token-days = Días de validez, 366 como máximo
token-issue = Emitir el token
scope-read = leer
scope-define-routes = definir rutas
scope-metrics = leer métricas
scope-cancel = detener compilaciones
scope-push = enviar evidencia
scope-orders = tomar órdenes
scope-about-read = Todo lo que la cuenta puede leer.
scope-about-define-routes = Para políticas que salen de un repositorio.
scope-about-metrics = Para Prometheus, que vigila el servidor y no ve ninguna evidencia.
scope-about-cancel = Para pruebas y trabajos que detienen una compilación por el portal.
scope-about-push = Añadir declaraciones firmadas y guardar blobs.
scope-about-orders = Para el agente junto al entorno de ejecución: despliegues, reversiones, simulacros.
section-events = Lo que se hizo
events-note = Cada cambio deja una línea que nadie puede cambiar.
events-none = Nada todavía.
event-head-number = Línea
event-head-at = Cuándo
event-head-by = Por
event-head-change = Qué
event-head-subject = A quién
event-head-detail = Detalle
event-by-command-line = la línea de órdenes del servidor
change-add = cuenta añadida
change-set-role = rol cambiado
change-disable = cuenta desactivada
change-enable = cuenta activada
change-end-sessions = sesiones terminadas
change-issue-token = token emitido
change-revoke-token = token revocado
change-issue-enrolment = token de un solo uso emitido
change-revoke-enrolment = token de un solo uso retirado
person-headline = El rol de { $name }: { $role }.
person-headline-disabled = El rol de { $name } era { $role }; la cuenta está desactivada.
person-lead = Un cambio de rol termina las sesiones. Un nombre nunca se da a otra persona.
person-own = Esta es su propia cuenta: debe cambiarla otro administrador.
section-rights = Rol y uso
rights-note = Vale al momento.
person-set-role = Cambiar el rol
person-disable = Desactivar la cuenta
person-disable-note = Nadie puede iniciar sesión con ella y sus tokens no sirven hasta que se active de nuevo. Lo que firmó permanece.
person-enable = Activar la cuenta
person-enable-note = Quien sepa su contraseña puede iniciar sesión de nuevo, y sus tokens vuelven a servir.
person-end-sessions = Terminar todas las sesiones
sessions-none = Nadie ha iniciado sesión con ella.
section-issue = Emitir un token
issue-note = Se muestra una sola vez, en la página siguiente.
people-password-note = Se pide de nuevo antes de hacerlo; vale después cinco minutos.
people-done-word = hecho
people-done = { $subject }: { $change }.
people-done-lead = La línea de abajo lo dice para siempre.
people-done-once = El token está abajo, esta única vez. No se guarda en ninguna parte: cópielo ahora.
people-done-shown = El token se mostró al emitirlo y no se guarda en ninguna parte. Quien lo haya perdido recibe otro.
people-back = A personas y tokens
section-token = El token
token-note = Se muestra una vez.
section-line = La línea
form-at-most = { $n } como máximo
refusal-account-exists = El nombre está ocupado. Un nombre nunca se da dos veces.
refusal-malformed-name = Un nombre tiene de 1 a 64 caracteres de a-z, 0-9 y -_.@.
refusal-malformed-password = Una contraseña tiene al menos 10 caracteres.
refusal-malformed-label = Una etiqueta tiene de 1 a 100 caracteres.
refusal-bad-duration = No puede valer tanto tiempo.
refusal-bad-scopes = Un token necesita al menos un uso, y solo los que le corresponden.
refusal-own-account = Nadie se da derechos a sí mismo: debe hacerlo otro administrador.
refusal-no-such-account = No existe esa cuenta.
refusal-no-such-token = No existe ese token. Puede que se haya usado, revocado o terminado.
refusal-step-up-needed = Escriba de nuevo su contraseña: la última vez fue hace más de cinco minutos.
refusal-bad-order = Esto no es el identificador de una orden.
refusal-bad-digest = Esto no es un resumen.
