### Un agente y la vida de sus claves, en español. Las mismas claves y valores que en/agent.ftl.

agent-title = Agente { $name }
agent-word-active = puede firmar
agent-word-revoked = revocado
agent-word-none = sin clave
agent-headline-active = El agente { $name } firma con la clave { $key }, introducida por la entrada { $entry }.
agent-headline-revoked = El agente { $name } ya no firma nada: la entrada { $entry } revocó su clave, por { $by }. El motivo: { $reason }
agent-headline-none = El agente { $name } no tiene ninguna clave que pueda firmar.
agent-owned = Su responsable es { $owner }, que no puede aprobar sobre su evidencia.
agent-not-owned = No es de ninguna cuenta.
agent-signed = { $n ->
    [0] Todavía no ha firmado nada.
    [one] Firmó una entrada.
   *[other] Firmó { $shown } entradas.
}
agent-missing = { $n ->
    [one] Falta en el registro una declaración de su cadena.
   *[other] Faltan en el registro { $shown } declaraciones de su cadena.
}
agent-broken = Sus declaraciones se contradicen.
section-agent-keys = Claves
agent-keys-note = Decide el orden del registro. Lo que una clave firmó antes de su fin sigue siendo válido.
key-head-state = Estado
key-head-begin = Introducida por
key-head-end = Terminada por
key-active = puede firmar
key-rotated = sustituida
key-revoked = revocada
key-by = por { $name }
key-begin-enrolled = inscrita
key-begin-rotated = tras la clave anterior
section-agent-chain = Cadena
agent-chain-note = Un agente numera sus declaraciones y nombra la anterior. Lo que se retiene o se pierde se ve como un hueco. Una inscripción empieza una cadena nueva.
agent-chain-none = Todavía no ha firmado ninguna declaración.
agent-chain = { $n ->
    [one] Una declaración, el último número es { $last }:
   *[other] { $shown } declaraciones, el último número es { $last }:
}
agent-more-faults = { $n ->
    [one] Una más no se enumera.
   *[other] { $n } más no se enumeran.
}
chain-fault-missing = Faltan: números { $from } a { $to }.
chain-fault-forked = Varias declaraciones tienen el número { $number }:
chain-fault-previous = Nombra otra declaración anterior que la que tiene el registro:
chain-fault-number = No tiene número:
section-agent-kinds = Qué firmó
section-revoke = Revocar la clave
revoke-note = Desde la entrada de la revocación no se acepta nada que firme la clave. Lo que firmó antes sigue siendo válido. El agente necesita un nuevo token de un solo uso para seguir.
revoke-reason = ¿Por qué? Queda en el registro para quien pueda leerlo.
revoke-confirm = La clave { $key } del agente { $name } no debe firmar nada más. No se puede deshacer.
revoke-submit = Revocar la clave
refusal-malformed-reason = Un motivo tiene de 1 a 500 caracteres.
refusal-no-key = La clave ya está revocada.
refusal-not-the-key = El agente tiene ya otra clave. Lo que ve es su estado actual; mire de nuevo y después revoque.
refusal-not-confirmed = La revocación no se confirmó.
