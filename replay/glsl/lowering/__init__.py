"""From checked syntax trees to IR: storage, expressions, built-in functions, statements, whole stages."""
