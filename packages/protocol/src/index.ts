/** Every wire message, declared once; no sockets. */
export {}
