### La búsqueda, en español. Las mismas claves y valores que en/search.ftl.

search-label = Buscar: un resumen, una ejecución, una entrada, una ruta
search-placeholder = Resumen, ejecución, entrada, ruta
search-go = Buscar
search-again = Buscar de nuevo
search-nothing-word = nada encontrado
search-found-word = encontrado
search-up-to = hasta la entrada { $size }
search-empty = No se ha escrito nada.
search-too-short = «{ $query }» es demasiado corto: de un resumen hacen falta al menos 8 dígitos.
search-not-hex = «{ $query }» contiene algo que no son dígitos hexadecimales.
search-too-long = «{ $query }» es demasiado largo: un resumen tiene 64 dígitos hexadecimales, un nombre a lo sumo 200 bytes.
search-expected = Escriba un resumen o sus primeros 8 dígitos o más (de una entrada, una hoja, una clave, un fichero, un blob), el identificador o el número de una ejecución, el índice de una entrada, o el comienzo del nombre de una ruta.
search-none = Nada en el registro es «{ $query }».
search-found = { $n ->
    [one] «{ $query }» es una sola cosa en el registro.
   *[other] «{ $query }» puede significar { $n } cosas.
}
search-complete = No falta nada: se han recorrido las { $size } entradas del registro.
search-more = Hay más de lo que aquí se lista; escriba más dígitos. El registro tiene { $size } entradas.
section-found = Lo encontrado
found-note = Cada resumen con las entradas que hablan de él o lo mencionan.
found-kind = Clase
found-name = Nombre
found-where = Dónde
found-entry = entrada
found-key = clave
found-run = ejecución
found-route = ruta
found-blob = blob
found-digest = resumen
found-by-digest = resumen
found-by-leaf = hash de hoja
found-key-log = la clave del registro: firma las cabezas del árbol
found-key-portal = la clave del portal: firma decisiones y altas
found-key-agent = clave del agente { $agent }
found-bytes = Sus bytes ({ $size })
found-trace = Traza en { $route }
found-subject-named = habla de él como «{ $name }»
found-subject = habla de él
found-mentioned = lo menciona
found-rest = { $n ->
    [one] y una entrada más
   *[other] y { $n } entradas más
}
proof-file = Fichero de prueba (.tlog-proof)
proof-file-note = Con los bytes de la entrada y la clave del registro demuestra el lugar sin este servidor.
pack-get = Paquete de pruebas (.acta)
pack-all = con todos los blobs
