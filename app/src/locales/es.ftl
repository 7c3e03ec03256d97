month-1 = ene
outcome-cancelled = cancelado
