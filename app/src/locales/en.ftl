month-1 = Jan
outcome-cancelled = cancelled
