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
people-lead = Quien es dueño de un agente no puede aprobar lo que este envió. Las cuentas se hacen en el servidor:
section-people = Cuentas
people-note = Por nombre. Un nombre nunca se da a otra persona.
person-head-name = Nombre
person-head-role = Rol
person-head-sessions = Sesiones
person-head-agents = Agentes propios
person-no-agent = ninguno
